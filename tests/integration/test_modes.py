"""Modes that are switched while a program runs, forks, the size limit, and choices of events."""
import collections
import re

import pytest

HEAD = "import pinsight, threading, time, os, sys\ndef work(n):\n    return len(range(n))\n"


def source(tmp_path, text):
    file = tmp_path / "program.py"
    file.write_text(HEAD + text)
    return file


def profiled(trace, name):
    return sum(event.fields["calls"] for event in trace.infos["lexgion_profile"] if event.fields["name"] == name)


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_each_mode_from_each(python, names, run_traced, tmp_path):
    """Every change of mode in a row: TRACING records, MONITORING counts, STANDBY and OFF do neither."""
    order = ["TRACING", "STANDBY", "OFF", "MONITORING", "TRACING", "OFF", "TRACING", "MONITORING", "OFF", "STANDBY",
             "MONITORING", "STANDBY", "TRACING", "TRACING"]
    program = source(tmp_path, """
def part(mode, n):
    pinsight.set_mode("Python", mode)
    assert pinsight.get_mode("Python") == mode, pinsight.get_mode("Python")
    for _ in range(n):
        work(3)
for index, mode in enumerate(%r):
    part(mode, 10 ** (index %% 3))
""" % order)
    result = run_traced(python, program, "--names", names, "--lossless")
    trace = result.trace
    trace.assert_balanced()
    expected = collections.Counter()
    for index, mode in enumerate(order):
        expected[mode] += 10 ** (index % 3)
    assert trace.calls("work") == expected["TRACING"]
    assert profiled(trace, "work") == expected["MONITORING"]
    changes = [event.fields["to_mode"] for event in trace.infos["mode_change"]]
    modes = ["OFF", "STANDBY", "MONITORING", "TRACING"]
    changed = [mode for before, mode in zip(["TRACING"] + order, order) if mode != before]
    assert [modes[number] for number in changes] == changed
    functions = {function["name"]: function for function in result.report("--limit", "0")["functions"]}
    assert functions["work"]["calls"] == expected["TRACING"] + expected["MONITORING"]


@pytest.mark.parametrize("first", ["OFF", "STANDBY", "MONITORING"])
def test_mode_at_start_does_not_limit_later_ones(one_of_each, first, run_traced, tmp_path):
    program = source(tmp_path, "work(1)\npinsight.set_mode('Python', 'TRACING')\nfor _ in range(7): work(1)\n")
    trace = run_traced(one_of_each, program, env={"PINSIGHT_TRACE_PYTHON": first}).trace
    trace.assert_balanced()
    assert trace.calls("work") == 7
    assert profiled(trace, "work") == (1 if first == "MONITORING" else 0)


def test_switched_by_another_thread(python, run_traced, tmp_path):
    """A thread changes modes all the time while others work: balance holds in every one of them."""
    program = source(tmp_path, """
sys.setswitchinterval(0.0002)
stop = False
def deep(n):
    return work(1) if n == 0 else deep(n - 1)
def gen(n):
    for i in range(n):
        yield work(i)
def busy():
    while not stop:
        deep(30)
        sum(gen(5))
        try:
            [].pop()
        except IndexError:
            pass
threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads: thread.start()
for index in range(20):
    pinsight.set_mode("Python", ("TRACING", "STANDBY", "MONITORING", "TRACING", "OFF")[index % 5])
    time.sleep(0.001)
stop = True
for thread in threads: thread.join()
pinsight.set_mode("Python", "TRACING")
for _ in range(11): work(0)
""")
    result = run_traced(python, program, "--lossless", "--names", "registry")
    trace = result.trace
    trace.assert_balanced()
    # What MONITORING had begun is counted as lost too, and has no event.
    assert trace.lost() <= trace.totals("lost_frames")
    assert trace.totals("lost_frames") == trace.totals("under_way")
    not_recorded = result.report()["not_recorded"]
    assert (not_recorded["lost_frames"], not_recorded["under_way"]) == (0, trace.totals("under_way"))
    assert trace.calls("work") > 11


def test_wrong_words_raise(newest, run_traced, tmp_path):
    program = source(tmp_path, """
for words in (("Python", "TRACNG"), ("Pyton", "OFF"), ("Python", None)):
    try:
        pinsight.set_mode(*words)
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
""")
    result = run_traced(newest, program)
    assert result.stdout.split() == ["ValueError", "ValueError", "TypeError"]


def test_deactivate_and_activate(one_of_each, run_traced, tmp_path):
    program = source(tmp_path, """
for _ in range(5): work(1)
pinsight.deactivate()
for _ in range(50): work(1)
pinsight.activate()
for _ in range(6): work(1)
pinsight.activate()
pinsight.deactivate()
pinsight.deactivate()
""")
    trace = run_traced(one_of_each, program, "--lossless").trace
    trace.assert_balanced()
    assert trace.calls("work") == 11


# Which events.

@pytest.mark.parametrize("events, functions, c_calls", [("function", True, False), ("c_call", False, True),
                                                        ("none", False, False), ("function,c_call", True, True)])
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_events(one_of_each, events, functions, c_calls, names, run_traced, tmp_path):
    program = source(tmp_path, "for _ in range(9): work(1)\nprint('ran')\n")
    result = run_traced(one_of_each, program, "--events", events, "--names", names)
    assert result.stdout == "ran\n"
    trace = result.trace
    trace.assert_balanced()
    kinds = collections.Counter(moment.kind for thread in trace.threads for moment in thread.moments)
    assert bool(kinds["begin"]) == functions and bool(kinds["c_begin"]) == c_calls
    assert trace.calls("work") == (9 if functions else 0)
    if c_calls:
        lens = [moment for thread in trace.threads for moment in thread.moments
                if moment.kind == "c_begin" and moment.name == "len"]
        assert len(lens) >= 9


def test_domains(newest, run_traced, tmp_path):
    """A run for a domain that is not Python's leaves Python alone."""
    program = source(tmp_path, "for _ in range(9): work(1)\nprint('ran')\n")
    result = run_traced(newest, program, "--domains", "python")
    assert result.trace.calls("work") == 9


# How large a trace gets.

def test_size_limit(one_of_each, run_traced, tmp_path):
    """At the limit the domain goes on in MONITORING, the calls still add up, and the summary says so."""
    program = source(tmp_path, "def add(x):\n    return x + 1\nfor _ in range(100000): add(1)\n")
    result = run_traced(one_of_each, program, "--max-size", "1M", "--lossless")
    trace = result.trace
    trace.assert_balanced()
    size = sum(file.stat().st_size for file in result.folder.rglob("*") if file.is_file())
    assert size < 8 << 20
    traced, counted = trace.calls("add"), profiled(trace, "add")
    assert 0 < traced < 100000 and traced + counted == 100000
    assert trace.totals("size_limit_reached") == 1 and trace.totals("size_limit") == 1 << 20
    assert any(event.fields["reason"] == "size_limit" for event in trace.infos["mode_change"])
    assert "max-size" in result.stderr or "limit" in result.stderr
    functions = {function["name"]: function for function in result.report("--limit", "0")["functions"]}
    assert functions["add"]["calls"] == 100000


def test_no_bar_is_longer_than_its_run(one_of_each, run_traced, tmp_path):
    """A call that is counted while a recorded one is open is in the time of that, too."""
    program = source(tmp_path, "def add(x):\n    return len(str(x))\ndef work():\n    for _ in range(200000): add(1)\nwork()\n")
    result = run_traced(one_of_each, program, "--max-size", "200K")
    report = result.report()
    assert report["not_recorded"]["size_limit_processes"] == 1
    ((number, unit),) = re.findall(r"(?m)^\S+ of ([\d.]+) (\S+)$", result.stderr)
    assert float(number) * {"µs": 1e3, "ms": 1e6, "s": 1e9}[unit] <= 1.01 * report["trace"]["duration_ns"]


def test_the_mode_that_a_full_trace_refuses(one_of_each, run_traced, tmp_path):
    """A program that asks for TRACING at the limit goes on, in the mode that it is in; one line says why."""
    program = source(tmp_path, """
for _ in range(20000): work(1)
print(pinsight.get_mode("Python"))
for mode in ("TRACING", "STANDBY", "TRACING", "MONITORING", "TRACING"):
    print(pinsight.set_mode("Python", mode), pinsight.get_mode("Python"))
""")
    result = run_traced(one_of_each, program, "--max-size", "200K", "--no-summary")
    assert result.stdout.split("\n") == ["MONITORING", "None MONITORING", "None STANDBY", "None STANDBY",
                                         "None MONITORING", "None MONITORING", ""]
    said = [line for line in result.stderr.splitlines() if "--max-size" in line]
    assert said == ["pinsight: Python stays in MONITORING: the trace is as large as --max-size lets it be; "
                    "start the run with a larger one"]


# Processes.

@pytest.mark.parametrize("names", ["inline", "registry"])
@pytest.mark.parametrize("leaves", ["os._exit(0)", "sys.exit(0)", "return_"])
def test_fork(python, names, leaves, run_traced, tmp_path):
    """A forked child starts with an empty stack, repeats no event, and is traced; so is the parent, on and on."""
    program = source(tmp_path, """
def in_child():
    for _ in range(20): work(2)
def in_parent():
    for _ in range(30): work(2)
def forks():
    work(1)
    pid = os.fork()
    if pid == 0:
        in_child()
        %s
    else:
        in_parent()
        assert os.waitpid(pid, 0)[1] == 0
forks()
""" % ("pass" if leaves == "return_" else leaves))
    result = run_traced(python, program, "--names", names, "--lossless")
    trace = result.trace
    trace.assert_balanced(ended_by_force=True)
    processes = {event.fields["pid"]: event.fields["ppid"] for event in trace.infos["process_info"]}
    assert len(processes) == 2
    child = next(pid for pid, parent in processes.items() if parent in processes)
    parent = processes[child]
    calls = collections.Counter(
        (thread.pid, moment.name) for thread in trace.threads for moment in thread.moments
        if moment.kind == "begin")
    short = {(pid, name.rpartition(".")[2]): count for (pid, name), count in calls.items()}
    assert short[child, "work"] == 20 and short[parent, "work"] == 31
    assert short[child, "in_child"] == 1 and (child, "forks") not in short and (parent, "in_child") not in short
    first = next(thread for thread in trace.threads if thread.pid == child).moments[0]
    assert (first.kind, first.name) in (("begin", "in_child"), ("begin", "_after_fork")) or first.kind == "begin"


@pytest.mark.parametrize("leaves", [
    "os._exit(0)", "os._exit(status=0)", "os.execv('/bin/true', ['true'])", "os.execve('/bin/true', ['true'], {})"])
def test_counts_of_a_program_that_leaves(python, run_traced, tmp_path, leaves):
    """Without C calls nothing shows that the program is about to go; children of multiprocessing go so."""
    program = source(tmp_path, """
for wrong in (lambda: os._exit(), lambda: os._exit("0"), lambda: os.execv(), lambda: os.execve(argv=1),
              lambda: os.execv("/nowhere", ["nowhere"])):
    try: wrong()
    except (TypeError, OSError): pass
    else: assert False
for _ in range(20): work(2)
%s
""" % leaves)
    result = run_traced(python, program, "--mode", "MONITORING", "--events", "function", "--no-summary")
    functions = {function["name"]: function for function in result.report("--limit", "0")["functions"]}
    assert functions["work"]["calls"] == 20


def test_children_of_every_kind(one_of_each, run_command, tmp_path):
    """subprocess, os.exec and multiprocessing: each Python process is there, by its process_info."""
    program = tmp_path / "kinds.py"
    program.write_text(HEAD + """
import multiprocessing, subprocess
def task(n):
    return work(n)
def start_all():
    subprocess.run([sys.executable, "-c", "def sub(): pass\\nsub()"], check=True)
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-I", "-c", "def execd(): pass\\nexecd()"])
    os.wait()
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(task, [1, 2]) == [1, 2]
            pool.close()
            pool.join()
if __name__ == "__main__":
    start_all()
""")
    from support import places
    result = run_command(one_of_each.path, program, options=["--lossless"],
                         env={"PYTHONPATH": str(places.PACKAGES)})
    assert result.rc == 0, result.stderr
    trace = result.trace
    trace.assert_balanced(ended_by_force="killed")
    where = {}
    for thread in trace.threads:
        for moment in thread.moments:
            if moment.kind == "begin":
                where.setdefault(moment.name, set()).add(thread.pid)
    main = where["start_all"]
    assert len(main) == 1
    assert where["sub"].isdisjoint(main) and where["execd"].isdisjoint(main)
    assert len(where["task"]) == 3 and where["task"].isdisjoint(main)
    assert trace.calls("task") == 6
