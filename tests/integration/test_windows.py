"""Windows: exactly the executions that the definition gives, in every kind of function, balanced."""
import collections
import re
import subprocess

import pytest

from support import places
from support.windows import Selector, Window, lines, run_oracle

from test_oracle import assert_same

NAMES = ["inline", "registry"]


def configured(folder, text, name="test.ini"):
    """The options for a run with this configuration."""
    file = folder / name
    file.write_text(text)
    return ["-c", str(file), "--no-summary", "--lossless"]


def profiled(trace, kind=None):
    """What MONITORING counted, by name and Python thread."""
    counts = collections.Counter()
    for event in trace.infos["lexgion_profile"]:
        if kind is None or event.fields["kind"] == kind:
            counts[event.fields["name"], event.fields["python_thread_id"]] += event.fields["calls"]
    return counts


def begun(trace, kind="begin"):
    """How often each function or C callable was recorded to start, by name and Python thread."""
    return collections.Counter((moment.name, thread.number) for thread in trace.threads
                               for moment in thread.moments if moment.kind == kind and moment.how in (None, "start"))


def numbered(counts):
    """Those of f000, f001, ..."""
    return {key: count for key, count in counts.items() if re.match(r"f\d\d\d$", key[0])}


# The template that `pinsight config init` writes.

MANY = """
import threading
source = "".join("def f%03d(x):\\n    return x + 1\\n" % number for number in range(300))
exec(compile(source, "many.py", "exec"))
functions = [globals()["f%03d" % number] for number in range(300)]

def run():
    for _ in range(500):
        for function in functions:
            function(1)

threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads: thread.start()
run()
for thread in threads: thread.join()
"""


def template(folder):
    path = folder / "template.ini"
    subprocess.run([places.COMMAND, "config", "init", "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return path.read_text()


def test_template(python, run_traced, tmp_path):
    """300 functions called 500 times in each of 4 threads: 100 of each in the main thread, none in others."""
    program = tmp_path / "many_program.py"
    program.write_text(MANY)
    trace = run_traced(python, program, *configured(tmp_path, template(tmp_path))).trace
    trace.assert_balanced(selected=True)
    assert numbered(begun(trace)) == {("f%03d" % number, 0): 100 for number in range(300)}
    assert {number for _, number in begun(trace)} == {0}
    ended = [event.fields for event in trace.infos["window_end"] if event.fields["filename"] == "many.py"]
    assert len(ended) == 300
    for fields in ended:
        assert fields["recorded"] == 100 and fields["executions"] == 100 and fields["cause"] == 0
        assert fields["rule"].endswith("test.ini:23") and fields["after"] == "MONITORING", fields


def test_template_monitoring(python, run_traced, tmp_path):
    """Counted in the main thread, exactly; others are out of range."""
    program = tmp_path / "many_program.py"
    program.write_text(MANY)
    text = template(tmp_path) + "[Python]\n trace_mode = MONITORING\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    assert not begun(trace) and not trace.infos["window_end"]
    assert numbered(profiled(trace)) == {("f%03d" % number, 0): 500 for number in range(300)}
    assert {number for _, number in profiled(trace)} == {0}


@pytest.mark.parametrize("spread", ["0-0", "*"])
def test_counted_after_the_window(python, spread, run_traced, tmp_path):
    """trace_mode_after = MONITORING: 100 of each are traced, all others counted."""
    program = tmp_path / "many_program.py"
    program.write_text(MANY)
    text = template(tmp_path) + "[Python.punit.thread]\nrange = %s\n[Lexgion.default]\n" % spread
    text += "trace_mode_after = MONITORING\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    traced, counted = collections.Counter(), collections.Counter()
    for (name, number), count in numbered(begun(trace)).items():
        assert spread == "*" or number == 0
        traced[name] += count
    for (name, number), count in numbered(profiled(trace)).items():
        assert spread == "*" or number == 0
        counted[name] += count
    calls = 500 if spread == "0-0" else 2000
    names = ["f%03d" % number for number in range(300)]
    assert traced == {name: 100 for name in names}
    assert counted == {name: calls - 100 for name in names}


def test_a_call_is_recorded_counted_or_outside(one_of_each, run_traced, tmp_path):
    """And none is two of them: of 21 calls the window has 7, and MONITORING counts the other 979."""
    text = "[Python]\nevents = function\n[Lexgion.default]\ntrace_mode_after = MONITORING\n[Lexgion(Python:*:f)]\n"
    text += "max_num_traces = 7\ntracing_rate = 3\ntrace_starts_at = 2\n"
    trace = run_traced(one_of_each, "def f(): pass\nfor i in range(1000): f()\n", *configured(tmp_path, text)).trace
    assert begun(trace)["f", 0] == 7 and profiled(trace)["f", 0] == 979
    assert trace.totals("outside") == 1000 - 7 - 979


def test_calls_of_c_past_their_window_are_numbered(one_of_each, run_traced, tmp_path):
    """Each call that is not recorded is one of the number that the trace has of them."""
    config = tmp_path / "config.ini"
    config.write_text("[Python]\nevents = function, c_call\n[Lexgion(Python:c:math.hypot)]\nmax_num_traces = 10\n"
                      "trace_mode_after = STANDBY\n")
    trace = run_traced(one_of_each, "import math\nfor _ in range(1000): math.hypot(3, 4)\n", "--config", str(config)).trace
    assert sum(moment[:2] == ("c_begin", "math.hypot") for thread in trace.threads for moment in thread.moments) == 10
    assert trace.totals("outside") == 990


# Sampling, beside what the oracle saw.

SAMPLED = {"recursing": (3, 8), "generating": (3, 8), "raising": (3, 8), "awaiting": (3, 8), "managing": (3, 8),
           "decorating": (3, 8), "many_functions": (3, 8), "calling_back": (3, 8),
           "task_groups": (3, 11), "many_tasks": (3, 8)}
WINDOWS = {"sampled": Window(7, 10), "few": Window(0, 1, 3), "late": Window(2, 3, 4), "none": Window(0, 1, 0),
           "one": Window(0, 1, 1)}


def short(python, moments):
    """Names as far as this Python's oracle knows them."""
    for kind, name, how in moments:
        yield kind, name if python.version >= (3, 11) else name.rpartition(".")[2], how


def sample(python, program, windows, names, run_traced, tmp_path, after="STANDBY"):
    path = places.PROGRAMS / (program + ".py")
    text = "[Python]\nevents = function\nmodule_filter = __main__\nnames = %s\n[Lexgion.default]\n%s" % (
        names, lines(windows[""]))
    text += "trace_mode_after = %s\n" % after
    for name, window in windows.items():
        if name:
            text += "[Lexgion(Python:%s.py:%s)]\n%s" % (program, name, lines(window))
    trace = run_traced(python, path, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == 0
    selector = Selector(lambda name: windows.get(name, windows[""]), path)
    main = next(thread for thread in run_oracle(python, path, tmp_path) if thread["main"])
    expected = list(short(python, selector.functions(main["moments"])))
    seen = list(short(python, [moment[:3] for thread in trace.threads if thread.number == 0
                               for moment in thread.moments]))
    assert_same(expected, seen, "main thread")
    return trace, selector


@pytest.mark.parametrize("program", SAMPLED)
@pytest.mark.parametrize("window", ["sampled", "few"])
def test_sampled(python, program, window, run_traced, tmp_path):
    if python.version < SAMPLED[program]:
        pytest.skip("the language has this from %d.%d on" % SAMPLED[program])
    trace, selector = sample(python, program, {"": WINDOWS[window]}, "inline", run_traced, tmp_path)
    if WINDOWS[window].most > 0:
        full = [count for key, count in selector.recorded.items() if count == WINDOWS[window].most]
        ends = [event.fields for event in trace.infos["window_end"]]
        assert len(ends) == len(full)
        assert all(fields["recorded"] == WINDOWS[window].most and fields["cause"] == 0 for fields in ends)


@pytest.mark.parametrize("program", ["recursing", "generating", "many_tasks"])
@pytest.mark.parametrize("window", ["sampled", "late", "none", "one"])
def test_sampled_registry(one_of_each, program, window, run_traced, tmp_path):
    sample(one_of_each, program, {"": WINDOWS[window]}, "registry", run_traced, tmp_path)


# Calls of C: the region is the callee, whoever calls it.

C_CALLS = """
import bisect, math, zlib
def one(number):
    return math.hypot(number, 4)
def other(number):
    return math.hypot(number, 6) + bisect.bisect_left([1, 2], number)
def wrong(number):
    try:
        zlib.crc32(number)
    except TypeError:
        pass
for number in range(60):
    one(number)
    other(number)
    wrong(number)
"""


@pytest.mark.thrifty
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("events", ["function, c_call", "c_call"])
@pytest.mark.parametrize("after", ["STANDBY", "MONITORING", "TRACING"])
def test_c_calls(python, names, events, after, run_traced, tmp_path):
    program = tmp_path / "c_calls.py"
    program.write_text(C_CALLS)
    text = "[Python]\nevents = %s\nnames = %s\n[Lexgion.default]\nmax_num_traces = 0\n" % (events, names)
    text += "trace_mode_after = STANDBY\n[Lexgion(Python:c:math.*)]\n" + lines(Window(7, 10))
    text += "[Lexgion(Python:c:zlib.crc32)]\n%strace_mode_after = %s\n" % (lines(Window(0, 2, 3)), after)
    text += "[Lexgion(Python:c_calls.py:other)]\n%strace_mode_after = %s\n" % (lines(Window(0, 1, 3)), after)
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0
    # Executions 0, 2 and 4 of 60 are in the window; what comes after 4, and is not 5's, is past it.
    traced = {"math.hypot": 12, "zlib.crc32": 3 if after != "TRACING" else 3 + 55}
    assert {name: count for (name, _), count in begun(trace, "c_begin").items()} == traced
    functions = {} if events == "c_call" else {"other": 60 if after == "TRACING" else 3}
    assert {name: count for (name, _), count in begun(trace).items()} == functions
    counted = {name: count for (name, _), count in profiled(trace).items()}
    if after != "MONITORING":
        assert not counted
    else:
        assert counted == dict({"zlib.crc32": 55}, **({"other": 57} if functions else {}))
    raised = [moment for thread in trace.threads for moment in thread.moments if moment.kind == "c_end"
              and moment.name == "zlib.crc32" and moment.how == "raise"]
    assert len(raised) == traced["zlib.crc32"]


# What comes after.

AFTER = """
import pinsight
def work(n):
    return n
def other(n):
    return n
for _ in range(4): work(1)
for _ in range(20): work(1); other(1)
"""


@pytest.mark.thrifty
@pytest.mark.parametrize("after, traced, counted", [
    ("OFF", (4, 20), (0, 0)), ("STANDBY", (4, 20), (0, 0)), ("MONITORING", (4, 20), (20, 0)),
    ("TRACING", (24, 20), (0, 0))])
@pytest.mark.parametrize("names", NAMES)
def test_after_for_the_region(python, after, traced, counted, names, run_traced, tmp_path):
    """A bare mode is for this function alone."""
    program = tmp_path / "after.py"
    program.write_text(AFTER)
    text = "[Python]\nevents = function\nnames = %s\n[Lexgion(Python:after.py:work)]\nmax_num_traces = 4\n" % names
    text += "trace_mode_after = %s\n" % after
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert (trace.calls("work"), trace.calls("other")) == traced
    counts = profiled(trace)
    assert (counts["work", 0], counts["other", 0]) == counted
    assert not trace.infos["mode_change"]
    end, = [event.fields for event in trace.infos["window_end"]]
    assert (end["name"], end["executions"], end["recorded"], end["cause"], end["after"], end["domain"]) == (
        "work", 4, 4, 0, after, "Python")
    assert end["rule"].endswith("test.ini:5")
    assert after in ("OFF", "STANDBY") or trace.totals("outside") == 0


@pytest.mark.parametrize("mode", ["STANDBY", "OFF", "MONITORING"])
def test_after_for_the_domain(python, mode, run_traced, tmp_path):
    """`Python:STANDBY` is for all functions."""
    program = tmp_path / "after.py"
    program.write_text("import pinsight, time\n" + AFTER + """
end = time.time() + 20
while pinsight.get_mode("Python") == "TRACING" and time.time() < end:
    time.sleep(0.01)
time.sleep(0.2)
assert pinsight.get_mode("Python") == %r
for _ in range(50): work(1); other(1)
pinsight.set_mode("Python", "TRACING")
for _ in range(6): other(1)
for _ in range(3): work(1)
""" % mode)
    text = "[Python]\nevents = function\n[Lexgion(Python:after.py:work)]\nmax_num_traces = 4\n"
    text += "trace_mode_after = Python:%s\n" % mode
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("work") == 7  # a window of its own after each change to TRACING
    assert 6 <= trace.calls("other") <= 26
    counts = profiled(trace)
    if mode == "MONITORING":
        assert 50 <= counts["other", 0] <= 70 and counts["work", 0] >= 50
        # The call that finds that the mode has changed may be neither.
        assert 75 <= trace.calls("other") + counts["other", 0] <= 76
    else:
        assert not counts
    changes = [(event.fields["to_mode"], event.fields["reason"]) for event in trace.infos["mode_change"]]
    assert changes == [(["OFF", "STANDBY", "MONITORING", "TRACING"].index(mode), "window"), (3, "api")]
    assert [event.fields["after"] for event in trace.infos["window_end"]] == ["Python:" + mode]


def test_timeout(python, run_traced, tmp_path):
    """window_timeout counts from the first that is recorded; whichever is first ends the window."""
    program = tmp_path / "timeout.py"
    program.write_text("""
import time
def slow(): time.sleep(0.02)
def quick(): pass
def never(): pass
time.sleep(0.3)
for _ in range(3): quick()
for _ in range(20): slow()
for _ in range(3): quick()
""")
    text = """[Python]
events = function
[Lexgion.default]
window_timeout = 0.2
[Lexgion(Python:timeout.py:quick)]
max_num_traces = 2
"""
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    ends = {event.fields["name"]: event.fields for event in trace.infos["window_end"]}
    assert trace.calls("quick") == 2 and ends["quick"]["cause"] == 0
    assert 1 <= trace.calls("slow") < 20
    assert ends["slow"]["cause"] == 1 and ends["slow"]["recorded"] == trace.calls("slow")
    assert ends["slow"]["rule"].endswith("test.ini:4")
    times = [moment.ts for moment in trace.main().moments if moment[:3] == ("begin", "slow", "start")]
    assert times[-1] - times[0] < 200000000


def test_timeout_for_the_domain(python, run_traced, tmp_path):
    """What comes after for others needs no next call of the function."""
    program = tmp_path / "timeout.py"
    program.write_text("""
import pinsight, time
def once(): pass
def other(): pass
once()
end = time.time() + 20
while pinsight.get_mode("Python") == "TRACING" and time.time() < end:
    time.sleep(0.01)
time.sleep(0.1)
for _ in range(5): other()
""")
    text = "[Python]\nevents = function\n[Lexgion(Python:timeout.py:once)]\nwindow_timeout = 0.1\n"
    text += "trace_mode_after = Python:STANDBY\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("once") == 1 and trace.calls("other") == 0
    end, = [event.fields for event in trace.infos["window_end"]]
    assert (end["name"], end["cause"], end["recorded"]) == ("once", 1, 1)


# Programs that are hard on windows.

@pytest.mark.thrifty
@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize("names", NAMES)
def test_recursion_while_the_window_closes(python, most, names, run_traced, tmp_path):
    program = tmp_path / "recursion.py"
    program.write_text("""
def down(n):
    if n: down(n - 1)
    else: leaf()
def leaf(): pass
def up(n):
    if n:
        try: up(n - 1)
        except KeyError:
            if n % 2: raise
    else: raise KeyError
for _ in range(3): down(10); up(5)
""")
    text = "[Python]\nevents = function\nnames = %s\n[Lexgion(Python:recursion.py:*)]\nmax_num_traces = %d\n" % (
        names, most)
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0
    calls = {name: count for (name, _), count in begun(trace).items() if name in ("down", "leaf", "up", "<module>")}
    assert calls == {name: min(most, 1 if name == "<module>" else 3) for name in ("down", "leaf", "up", "<module>")
                     if most}


@pytest.mark.thrifty
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("after", ["STANDBY", "MONITORING"])
def test_generators_that_wait_while_the_window_closes(python, names, after, run_traced, tmp_path):
    program = tmp_path / "waits.py"
    program.write_text("""
def gen(n):
    for i in range(n): yield i
waiting = [gen(4) for _ in range(10)]
for one in waiting: next(one)
for _ in range(3):
    for one in waiting: next(one)
for one in waiting: assert next(one, None) is None
later = gen(2)
assert list(later) == [0, 1]
""")
    text = "[Python]\nevents = function\nnames = %s\n[Lexgion(Python:waits.py:gen)]\nmax_num_traces = 3\n" % names
    text += "trace_mode_after = %s\n" % after
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0
    seen = [(moment.kind, moment.how) for moment in trace.main().moments if moment.name == "gen"]
    one = [("begin", "start"), ("end", "yield")]
    assert seen == one * 3 + [("begin", "resume"), ("end", "yield")] * 9 + [("begin", "resume"), ("end", "return")] * 3
    assert profiled(trace) == ({("gen", 0): 8} if after == "MONITORING" else {})


def test_threads_share_a_window(python, run_traced, tmp_path):
    """Executions are counted in the whole process: 8 threads take exactly what one takes."""
    program = tmp_path / "shared.py"
    program.write_text("""
import sys, threading
sys.setswitchinterval(1e-5)
def work(n): return n
def run():
    for _ in range(1000): work(1)
threads = [threading.Thread(target=run) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")
    text = "[Python]\nevents = function\n[Lexgion(Python:shared.py:work)]\n" + lines(Window(100, 7, 500))
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("work") == 500
    end, = [event.fields for event in trace.infos["window_end"]]
    assert end["recorded"] == 500 and end["executions"] >= 100 + 499 * 7 + 1


def dying(tmp_path, count, calls, end=""):
    """A program that makes code objects, calls `f` of each by `calls`, and lets them go."""
    program = tmp_path / "dying.py"
    program.write_text("""
import time
for number in range(%d):
    space = {"__name__": "made"}
    exec(compile("def f(x):\\n    return x\\n%s\\n", "made.py", "exec"), space)
    space.clear()
%s
""" % (count, calls, end))
    return program


@pytest.mark.thrifty
@pytest.mark.parametrize("names", NAMES)
def test_code_that_dies(python, names, run_traced, tmp_path):
    """Each exec makes a code object of its own, with a window of its own."""
    program = dying(tmp_path, 2000, "for n in range(5): f(n)")
    text = "[Python]\nevents = function\nmodule_filter = made\nnames = %s\n[Lexgion.default]\n" % names
    text += "max_num_traces = 2\nwindow_timeout = 100\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("f") == 4000 and trace.calls("<module>") == 2000
    assert len(trace.infos["window_end"]) == 2000


def test_timers_of_code_that_dies(python, run_traced, tmp_path):
    program = dying(tmp_path, 300, "f(1)", "time.sleep(0.3)")
    text = "[Python]\nevents = function\nmodule_filter = made\n[Lexgion.default]\nwindow_timeout = 0.1\n"
    text += "trace_mode_after = Python:STANDBY\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert 0 < trace.calls("f") <= 300


def test_greenlets(python, run_traced, tmp_path):
    program = tmp_path / "green.py"
    program.write_text("""
import greenlet
def inner(n):
    main.switch(n)
    leaf()
def leaf(): pass
def outer(n):
    inner(n)
    inner(n)
main = greenlet.getcurrent()
for _ in range(20):
    pair = [greenlet.greenlet(outer) for _ in range(2)]
    for one in pair: one.switch(1)
    for one in pair: one.switch()
    for one in pair: one.switch()
""")
    text = "[Python]\nevents = function, c_call\n[Lexgion(Python:green.py:*)]\ntracing_rate = 3\nmax_num_traces = 9\n"
    trace = run_traced(python, program, *configured(tmp_path, text), packages=("greenlet",)).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("outer") == 9 and trace.calls("inner") == 9 and trace.calls("leaf") == 9


# Processes.

@pytest.mark.thrifty
@pytest.mark.parametrize("names", NAMES)
def test_fork(python, names, run_traced, tmp_path):
    """A forked child counts for itself, also of code that the parent was done with."""
    program = tmp_path / "forking.py"
    program.write_text("""
import os
def work(n): return n
def later(n): return n
for _ in range(50): work(1)
for _ in range(2): later(1)
pid = os.fork()
if pid == 0:
    for _ in range(50): work(1); later(1)
    if os.fork() == 0:
        for _ in range(50): work(1); later(1)
        os._exit(0)
    os.wait()
    os._exit(0)
os.waitpid(pid, 0)
for _ in range(50): work(1); later(1)
""")
    text = "[Python]\nevents = function\nnames = %s\n[Lexgion.default]\nmax_num_traces = 5\n" % names
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(ended_by_force="killed", selected=True)
    calls = collections.Counter((thread.pid, moment.name) for thread in trace.threads for moment in thread.moments
                                if moment.kind == "begin" and moment.name in ("work", "later"))
    pids = {event.fields["pid"] for event in trace.infos["process_info"]}
    assert len(pids) == 3
    assert calls == {(pid, name): 5 for pid in pids for name in ("work", "later")}
    ends = collections.Counter((event.fields["pid"], event.fields["name"]) for event in trace.infos["window_end"]
                               if event.fields["name"] in ("work", "later"))
    assert ends == {(pid, name): 1 for pid in pids for name in ("work", "later")}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(one_of_each, method, run_traced, tmp_path):
    program = tmp_path / "pool.py"
    program.write_text("""
import multiprocessing, os
def work(n): return n
def task(n):
    for _ in range(20): work(n)
    return os.getpid()
if __name__ == "__main__":
    for _ in range(20): work(1)
    context = multiprocessing.get_context(%r)
    processes = [context.Process(target=task, args=(n,)) for n in range(2)]
    for process in processes: process.start()
    for process in processes: process.join()
""" % method)
    text = "[Python]\nevents = function\n[Lexgion.default]\nmax_num_traces = 5\n"
    trace = run_traced(one_of_each, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(ended_by_force="killed", selected=True)
    calls = collections.Counter(thread.pid for thread in trace.threads for moment in thread.moments
                                if moment.kind == "begin" and moment.name == "work")
    assert sorted(calls.values()) == [5, 5, 5]


def test_counted_in_a_later_mode(python, run_traced, tmp_path):
    """A function whose window ended is counted like any other once the domain is in MONITORING."""
    program = tmp_path / "later.py"
    program.write_text("""
import pinsight
def work(n): return n
for _ in range(20): work(1)
pinsight.set_mode("Python", "MONITORING")
for _ in range(30): work(1)
pinsight.set_mode("Python", "STANDBY")
for _ in range(30): work(1)
pinsight.set_mode("Python", "MONITORING")
for _ in range(30): work(1)
pinsight.set_mode("Python", "TRACING")
for _ in range(30): work(1)
""")
    text = "[Python]\nevents = function\n[Lexgion(Python:later.py:work)]\nmax_num_traces = 4\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("work") == 8 and profiled(trace)["work", 0] == 60
