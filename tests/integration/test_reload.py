"""Reloads: a configuration that is edited while the program runs, and SIGUSR1."""
import collections
import os
import signal
import subprocess
import time

import pytest

from support import places
from support.running import Running
from support.traces import Trace
from support.world import wait_until

RUN = """
def run():
    while not ended():
        turn()
"""
IN_A_THREAD = RUN + """
thread = threading.Thread(target=run)
thread.start()
"""
SITUATIONS = {
    "computing": """
ready()
while not ended():
    turn()
""",
    "asleep": IN_A_THREAD + """
ready()
while not ended():
    time.sleep(1.5)
thread.join()
""",
    "in_c_without_the_gil": IN_A_THREAD + """
ready()
sleep = ctypes.CDLL(None).usleep
while thread.is_alive():
    sleep(900000)
thread.join()
""",
    "in_c_with_the_gil": """
ready()
sleep = ctypes.PyDLL(None).usleep
while not ended():
    sleep(30000)
    turn()
""",
    "joined": RUN + """
threads = [threading.Thread(target=run) for _ in range(2)]
for thread in threads: thread.start()
ready()
for thread in threads: thread.join()
""",
    "joined_on_one": IN_A_THREAD + """
ready()
thread.join()
""",
    "nothing_runs": """
ready()
while not ended():
    time.sleep(0.02)
    turn()
""",
}

# Where it is not about threads that want the processor, a turn waits.
RESTING = {"asleep", "in_c_without_the_gil", "joined_on_one", "nothing_runs"}

ALL = {"work", "other", "math.hypot"}
FUNCTIONS = {"work", "other"}
# What a configuration says beside `names`, and what is then recorded of `work`, `other` and `math.hypot`.
STEPS = {
    "all": ("[Python]\nevents = function, c_call\n", ALL),
    "functions": ("[Python]\nevents = function\n", FUNCTIONS),
    "c_calls": ("[Python]\nevents = c_call\n", {"math.hypot"}),
    "none": ("[Python]\nevents = none\n", set()),
    "standby": ("[Python]\ntrace_mode = STANDBY\n", set()),
    "off": ("[Python]\ntrace_mode = OFF\n", set()),
    "monitoring": ("[Python]\ntrace_mode = MONITORING\n", set()),
    "excluded": ("[Python]\nmodule_exclude = __main__\n", {"math.hypot"}),
    "filtered": ("[Python]\nmodule_filter = __main__\n", FUNCTIONS),
    "out_of_range": ("[Python.punit.thread]\nrange = 77\n", set()),
    "in_range": ("[Python.punit.thread]\nrange = 0-2\n", ALL),
    "window": ("[Lexgion(Python:live.py:work)]\nmax_num_traces = 0\n", {"other", "math.hypot"}),
    "c_window": ("[Lexgion(Python:c:math.*)]\nmax_num_traces = 0\n", FUNCTIONS),
}
ORDER = ["all", "functions", "all", "c_calls", "functions", "none", "all", "standby", "excluded", "off", "all",
         "monitoring", "filtered", "out_of_range", "c_calls", "in_range", "window", "c_window", "monitoring", "window",
         "off", "in_range", "standby", "all"]
FEW = ["functions", "all", "standby", "c_calls", "off", "all", "monitoring", "excluded", "out_of_range", "window"]


@pytest.fixture
def start(tmp_path):
    """start(python, text, configuration…) runs a program; what is left of it ends with the test."""
    started = []

    def run(python, *words, **how):
        folder = tmp_path / str(len(started))
        folder.mkdir()
        started.append(Running(python, folder, *words, **how))
        return started[-1]
    yield run
    for running in started:
        running.clean()


def configuration(step, names="inline"):
    return STEPS[step][0] + "[Python]\nnames = %s\n" % names


def moments_between(trace, start, end):
    for thread in trace.threads:
        for moment in thread.moments:
            if start <= moment.ts < end and moment.name in ALL:
                yield thread, moment


def check_phases(trace, order, settled, asked):
    """Each phase has what its step says, from `settled` ns after the change on, without a gap, until the test asks for the
    next change (`asked`): config_change is recorded when a configuration is in force, and what runs may have seen it
    earlier.

    Gives for each change the ns until all that is to be recorded was, and nothing that is not.
    """
    changes = [event for event in trace.infos["config_change"]]
    assert [event.fields["failed"] for event in changes] == [0] * (len(order) - 1)
    edges = [0] + [event.ts for event in changes]
    ends = asked + [1 << 62]
    times, unsettled = [], []
    for index, step in enumerate(order):
        expected = STEPS[step][1]
        start, end = edges[index], ends[index]
        by_thread = collections.defaultdict(list)
        first = {}
        last = start
        for thread, moment in moments_between(trace, start, end):
            if moment.kind in ("begin", "c_begin"):
                first.setdefault(moment.name, moment.ts)
                if moment.name not in expected:
                    last = max(last, moment.ts)
                if moment.ts >= start + settled:
                    by_thread[thread].append(moment.name)
        seen = {name for names in by_thread.values() for name in names}
        if expected and not seen:
            # The machine did something else meanwhile; once that may be so in a phase of its full length.
            unsettled.append((index, step, (end - start - settled) // 1000000))
        else:
            assert seen == expected, "phase %d, %s" % (index, step)
        for names in by_thread.values():
            check_pattern(names, expected, "phase %d, %s" % (index, step))
        if index:
            times.append(max([last] + [first[name] for name in expected if name in first]) - start)
    assert len(unsettled) <= len(order) // 4 and sum(ms >= 80 for _, _, ms in unsettled) <= 1, unsettled
    return times


def check_pattern(names, expected, what):
    """work, other, math.hypot, over and over, as far as they are recorded: no call is left out."""
    order = [name for name in ("work", "other", "math.hypot") if name in expected]
    at = order.index(names[0])
    for number, name in enumerate(names):
        assert name == order[(at + number) % len(order)], "%s: call %d" % (what, number)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_situations(one_of_each, situation, start):
    check_every_change(one_of_each, situation, "registry", start, FEW,
                       env={"REST": "0.004"} if situation in RESTING else None)


@pytest.mark.storm
def test_every_change(python, start):
    check_every_change(python, "computing", "inline", start)


def check_every_change(python, situation, names, start, order=ORDER, pause=0.14, env=None):
    running = start(python, SITUATIONS[situation], configuration(order[0], names), env=env)
    for step in order[1:]:
        running.go_on(pause)
        running.reload_and_wait(configuration(step, names))
    running.go_on(pause + 0.2)
    out, err = running.end()
    assert not out and not err
    trace = Trace(running.output)
    trace.assert_balanced(selected=True)
    return check_phases(trace, order, int(pause * 0.5e9), running.asked)


def test_what_is_open_in_a_thread_that_leaves_the_range_ends(one_of_each, start):
    """Nothing begins there any more, and the end of a function that had begun is recorded when it returns."""
    running = start(one_of_each, """
def holding():
    open(os.path.join(HERE, "please"), "w").close()
    while not os.path.exists(os.path.join(HERE, "done")): time.sleep(0.01)
ready()
holding()
work(1)
while not ended(): time.sleep(0.01)
""", "[Python]\nevents = function\n")
    assert wait_until((running.folder / "please").exists, 30)
    running.reload("[Python]\nevents = function\n[Python.punit.thread]\nrange = 77\n")
    time.sleep(0.4)
    (running.folder / "done").write_text("")
    running.end()
    trace = Trace(running.output)
    ends = [moment[:3] for moment in trace.main().moments if moment.name in ("holding", "work")]
    assert ends == [("begin", "holding", "start"), ("end", "holding", "return")]


def test_windows_keep_their_counts(python, start):
    """A reload leaves alone what it does not change: a window goes on counting, unless its numbers change."""
    text = """
ready()
for _ in range(10): work(1); other(1)
RELOAD
for _ in range(10): work(1); other(1)
while not ended(): time.sleep(0.01)
""".replace("RELOAD", """
open(os.path.join(HERE, "please"), "w").close()
while not os.path.exists(os.path.join(HERE, "done")): time.sleep(0.01)
""")
    config = "[Python]\nevents = function\n[Lexgion(Python:live.py:work)]\nmax_num_traces = 15\n"
    config += "[Lexgion(Python:live.py:other)]\nmax_num_traces = %d\n"
    running = start(python, text, config % 8)
    assert wait_until((running.folder / "please").exists, 30)
    running.reload(config % 7)
    time.sleep(0.4)
    (running.folder / "done").write_text("")
    time.sleep(0.2)
    running.end()
    trace = Trace(running.output)
    trace.assert_balanced(selected=True)
    assert trace.calls("work") == 15
    assert trace.calls("other") == 8 + 7


BROKEN = {
    "[Python]\nevnts = function\n": ":2:5: ",
    "[Pyton]\n": ":1:2: ",
    "[Python]\ntrace_mode = TRACNG\n": ":2:18: ",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_file(one_of_each, broken, start):
    """The old configuration stays in force; stderr and the trace say what is wrong, once for each reload."""
    running = start(one_of_each, SITUATIONS["computing"], configuration("functions"))
    check = subprocess.run([places.COMMAND, "config", "check", "/dev/stdin"], input=broken.encode(),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    message = (check.stdout + check.stderr).decode().splitlines()
    running.reload(broken)
    running.go_on(0.2)
    running.reload(configuration("c_calls"))
    running.go_on(0.2)
    out, err = running.end()
    assert not out
    line, = err.splitlines()
    trace = Trace(running.output)
    trace.assert_balanced(selected=True)
    failed, good = [event.fields for event in trace.infos["config_change"]]
    assert (failed["failed"], good["failed"]) == (1, 0) and failed["reason"] == "signal"
    told = message[0].split("/dev/stdin", 1)[1]
    assert failed["message"] == str(running.config) + told, (failed, message)
    assert line == "pinsight: the configuration stays as it was in process %d: %s" % (running.pid, failed["message"])
    edges = [event.ts for event in trace.infos["config_change"]]
    names = {moment.name for _, moment in moments_between(trace, edges[0], running.asked[1])}
    assert names == FUNCTIONS


def test_a_file_that_is_gone(newest, start):
    running = start(newest, SITUATIONS["computing"], configuration("functions"))
    running.config.unlink()
    running.reload()
    running.go_on(0.2)
    running.reload(configuration("all"))
    running.go_on(0.2)
    out, err = running.end()
    line, = err.splitlines()
    assert "stays as it was" in line and str(running.config) in line and "No such file" in line


# SIGUSR1 and the program's own use of it.

OWN_HANDLERS = {
    # By Python, before and after: set_handler() is called when the program already runs.
    "signal.signal": """
import signal
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))
def check(count): assert len(got) == count, got
""",
    "signal.signal twice": """
import signal
got = []
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
assert signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number)) == signal.SIG_IGN
assert callable(signal.getsignal(signal.SIGUSR1))
def check(count): assert len(got) == count, got
""",
    "ignored": """
import signal
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
def check(count): assert signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN
""",
    "siginterrupt": """
import signal
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))
signal.siginterrupt(signal.SIGUSR1, False)
def check(count): assert len(got) == count, got
""",
}


@pytest.mark.parametrize("kind", OWN_HANDLERS)
def test_handlers_of_the_program(python, kind, start):
    """Both get the signal: the configuration is read again, and the program's handler runs."""
    running = start(python, OWN_HANDLERS[kind] + SITUATIONS["computing"] + "\ncheck(2)\n", configuration("functions"))
    running.go_on(0.1)
    running.reload_and_wait(configuration("c_calls"))
    running.go_on(0.2)
    running.reload_and_wait(configuration("functions"))
    running.go_on(0.2)
    running.end()
    changes = [event.fields["failed"] for event in Trace(running.output).infos["config_change"]]
    assert changes == [0, 0]


# A handler that may run anywhere: alarm(10), for the signal's number is 10.
C_HANDLER = """
import ctypes, signal
libc = ctypes.CDLL(None)
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.signal.restype = ctypes.c_void_p
libc.signal(10, ctypes.cast(libc.alarm, ctypes.c_void_p))
def was_called(): return 0 < signal.alarm(0) <= 10
"""


@pytest.mark.recorder("lttng")
def test_handler_of_c_that_was_there_before(python, tmp_path):
    """Tracing starts after a C library set a handler: both get the signal."""
    config = tmp_path / "c.ini"
    config.write_text("[Python]\ntrace_mode = STANDBY\n")
    program = C_HANDLER + """
import os, pinsight, time
pinsight.activate()
assert pinsight.get_mode("Python") == "STANDBY"
with open(%r, "w") as file:
    file.write("[Python]\\ntrace_mode = OFF\\n")
os.kill(os.getpid(), 10)
end = time.time() + 20
while pinsight.get_mode("Python") != "OFF" and time.time() < end:
    time.sleep(0.01)
assert was_called() and pinsight.get_mode("Python") == "OFF"
""" % str(config)
    done = subprocess.run([python.path, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                          env=dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_CONFIG=str(config)))
    assert (done.returncode, done.stdout) == (0, b"")


def test_handler_of_c_that_comes_after(one_of_each, start):
    """It has the signal for itself; nothing is reloaded, and the program is as without a trace."""
    running = start(one_of_each, C_HANDLER + SITUATIONS["computing"] + "\nassert was_called()\n",
                    configuration("functions"))
    running.go_on(0.1)
    running.reload(configuration("c_calls"))
    running.go_on(0.2)
    running.end()
    assert not Trace(running.output).infos["config_change"]


def test_sigwait(python, start):
    """A program that blocks the signal and waits for it gets it; nothing is reloaded."""
    running = start(python, """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
ready()
assert signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1
while not ended(): turn()
""", configuration("functions"))
    running.reload(configuration("c_calls"))
    running.go_on(0.2)
    running.end()
    trace = Trace(running.output)
    assert not trace.infos["config_change"] and trace.calls("work") > 0


def test_blocked_in_the_main_thread(python, start):
    """Any other thread takes it; without one it waits until it is not blocked any more."""
    running = start(python, """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
ready()
for _ in range(30): turn()
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
while not ended(): turn()
""", configuration("functions"))
    running.reload(configuration("c_calls"))
    running.go_on(0.4, 40)
    running.end()
    assert len(Trace(running.output).infos["config_change"]) == 1


def test_sleep_is_not_interrupted(python, start):
    """What the program would see of a signal without a handler is nothing: sleeps and reads go on."""
    running = start(python, """
import select, socket
one, other_end = socket.socketpair()
one.settimeout(1.0)
ready()
start = time.monotonic()
time.sleep(0.5)
assert time.monotonic() - start >= 0.5
select.select([one], [], [], 0.2)
try:
    one.recv(1)
    assert False
except OSError as error:
    assert type(error).__name__ in ("timeout", "TimeoutError"), error
while not ended(): turn()
""", configuration("functions"))
    for _ in range(20):
        running.reload()
        time.sleep(0.05)
    running.end()


@pytest.mark.parametrize("configured", [False, True])
def test_default_action(newest, configured, run_command, tmp_path):
    """Without a configuration file a program ends by SIGUSR1 as it does untraced."""
    (tmp_path / "c.ini").write_text("[Python]\nevents = function\n")
    options = ["-c", tmp_path / "c.ini"] if configured else []
    result = run_command(newest.path, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGUSR1); print('on')",
                         options=options)
    assert (result.rc, result.stdout) == ((0, "on\n") if configured else (-10, ""))


# Storms.

def test_storm_of_signals(python, start):
    """10,000 signals: as many reloads as there is time for, and the last file is in force at the end."""
    running = start(python, SITUATIONS["computing"], configuration("functions"))
    for number in range(10000):
        os.kill(running.pid, signal.SIGUSR1)
    running.reload(configuration("c_calls"))
    running.go_on(0.3)
    out, err = running.end()
    assert not out and not err
    trace = Trace(running.output)
    trace.assert_balanced(selected=True)
    changes = trace.infos["config_change"]
    assert 1 <= len(changes) <= 10001 and not any(event.fields["failed"] for event in changes)
    end = max(moment.ts for _, moment in moments_between(trace, 0, 1 << 62))
    assert {moment.name for _, moment in moments_between(trace, end - 100000000, end)} == {"math.hypot"}


@pytest.mark.storm
def test_reload_while_threads_start_and_end(python, start):
    running = start(python, """
def run():
    for _ in range(5):
        work(1)
        other(2)
ready()
while not ended():
    threads = [threading.Thread(target=run) for _ in range(64)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    time.sleep(0.005)
    TURNS[0] += 1
""", configuration("all"))
    for number in range(60):
        running.reload(configuration(ORDER[number % len(ORDER)]))
        time.sleep(0.02)
    running.reload(configuration("all"))
    running.go_on(0.1)
    running.end()
    trace = Trace(running.output)
    trace.assert_balanced(selected=True)
    assert trace.infos["config_change"]


@pytest.mark.storm
def test_exit_while_reloads_storm(one_of_each, run_command, tmp_path):
    exit_storm(one_of_each, run_command, tmp_path, 12)


@pytest.mark.long
def test_exit_while_reloads_storm_often(python, run_command, tmp_path):
    exit_storm(python, run_command, tmp_path, 100)


def exit_storm(python, run_command, tmp_path, times):
    """The interpreter is finalised while reloads come, by a child that does nothing else."""
    config = tmp_path / "c.ini"
    config.write_text("[Python]\nevents = function, c_call\n")
    program = tmp_path / "ends.py"
    program.write_text("""
import os, signal, subprocess, sys, threading, time
def work(n): return n
def run():
    while True: work(1)
subprocess.Popen(["/bin/bash", "-c", "while kill -USR1 %d 2>/dev/null; do :; done" % os.getpid()])
threading.Thread(target=run, daemon=True).start()
end = time.time() + 0.05
while time.time() < end: work(1)
""")
    for number in range(times):
        result = run_command(python.path, program, options=["-c", config, "--no-summary"])
        assert result.rc == 0, (number, result.rc, result.stderr)
        assert "Error" not in result.stderr and "Fatal" not in result.stderr, result.stderr


@pytest.mark.parametrize("first", ["standby", "off", "functions", "none"])
def test_reload_in_a_forked_child(python, first, start):
    """A child takes the signal for itself, also when nothing of it was ever recorded."""
    running = start(python, """
pid = os.fork()
if pid == 0:
    ready()
    while not ended(): turn()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
""", configuration(first))
    running.go_on(0.1)
    running.reload(configuration("c_calls"))
    running.go_on(0.3)
    running.end()
    trace = Trace(running.output)
    trace.assert_balanced(ended_by_force=True, selected=True)
    change, = trace.infos["config_change"]
    assert change.fields["pid"] == running.pid and not change.fields["failed"]
    names = {moment.name for thread, moment in moments_between(trace, change.ts, 1 << 62) if thread.pid == running.pid}
    assert "math.hypot" in names


def test_fork_while_reloads_storm(python, start, tmp_path):
    forks = tmp_path / "forks"
    running = start(python, """
def child():
    for _ in range(20): work(1)
def run():
    while not ended(): turn()
thread = threading.Thread(target=run)
thread.start()
ready()
while not ended():
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(7)
    assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 7
    TURNS[0] += 1
    with open(os.environ["FORKS"], "a") as file: file.write(".")
thread.join()
""", configuration("functions"), env={"FORKS": str(forks)})
    for number in range(300):
        running.reload()
        time.sleep(0.003)
    # A busy machine forks slowly.
    while not (forks.exists() and forks.stat().st_size > 4) and number < 10000:
        number += 1
        running.reload()
        time.sleep(0.003)
    running.end()
    trace = Trace(running.output)
    trace.assert_balanced(ended_by_force="killed", selected=True)
    children = {event.fields["pid"] for event in trace.infos["process_info"]} - {running.pid}
    assert len(children) > 3
    calls = collections.Counter(thread.pid for thread in trace.threads for moment in thread.moments
                                if moment.kind == "begin" and moment.name == "work")
    assert {pid: calls[pid] for pid in children} == {pid: 20 for pid in children}


# What a change may take: the threads that compute hold the GIL for an interval each (5 ms), a call of C that holds
# it for 30 ms; and on top what a machine that does something else needs.
SLOWEST = {"computing": 0.05, "asleep": 0.05, "in_c_without_the_gil": 0.05, "in_c_with_the_gil": 0.1, "joined": 0.1,
           "joined_on_one": 0.05, "nothing_runs": 0.08}


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_thousand_reloads(one_of_each, situation, start):
    order = [ORDER[number % (len(ORDER) - 1)] for number in range(1001)]
    times = check_every_change(one_of_each, situation, "registry", start, order, pause=0.1,
                               env={"SPIN": "40000", "LONGEST": "1500"})
    times.sort()
    assert len(times) == 1000
    assert times[990] < SLOWEST[situation] * 1e9, times[-20:]
    assert times[-1] < SLOWEST[situation] * 4e9, times[-20:]
