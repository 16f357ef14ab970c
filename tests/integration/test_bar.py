"""The parts of the first screen's bar, to the nanosecond: of traces that no program made."""
import json
import subprocess

import pytest

from support import made, places

MS = 1000000
FUNCTION, C_CALL, REGION = range(3)


def bar(trace, *options):
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", *options, trace.write()], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    told = json.loads(done.stdout)
    return {part["name"]: part["ns"] for part in told["bar"]["parts"]}, told


def counted(process, node, parent, kind, lexgion, inclusive, own, domain="Python"):
    """One call, as a node of the tree of counted calls and as a sum of its function."""
    of = dict(pid=process.pid, tid=process.pid, python_thread_id=0, domain=domain, kind=kind, lexgion=lexgion, calls=1,
              inclusive_ns=inclusive)
    process.main.event(200 * MS, "core", "path_profile", node=node, parent=parent, self_ns=own, max_ns=inclusive, **of)
    process.main.event(200 * MS, "core", "lexgion_profile", exclusive_ns=own, **of)


def clock(thread, at, ran, delay):
    thread.event(at, "core", "thread_clock", processor_ns=ran, run_delay_ns=delay)


def monitored(tmp_path, **how):
    """A process that ran 200 ms, and whose calls were counted: main, for 60 ms, and a C function in it, for 40 ms."""
    trace = made.Trace(tmp_path / "trace", known=("core", "python", "mpi"), names="registry")
    process = trace.process(70, **how)
    process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "<module>", "<import>", 0)
    process.main.event(0, "python", "callee_info", callee=1, callee_name="work", module="native")
    counted(process, 1, 0, FUNCTION, 1, 100 * MS, 60 * MS)
    counted(process, 2, 1, C_CALL, 1, 40 * MS, 40 * MS)
    return trace, process


def test_garbage_without_a_processor(tmp_path):
    """A collection of 50 ms that ran for 35 ms: the rest is time without a processor, in the bar and in its function."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "work", "/home/u/app.py", 1)
    clock(thread, 1 * MS, 0, 0)
    thread.python(1 * MS, "begin", 1)
    clock(thread, 11 * MS, 10 * MS, 0)
    thread.event(11 * MS, "python", "gc_begin", generation=2)
    clock(thread, 61 * MS, 45 * MS, 15 * MS)
    thread.event(61 * MS, "python", "gc_end")
    clock(thread, 101 * MS, 85 * MS, 0)
    thread.python(101 * MS, "end", 1)
    parts, told = bar(trace, "--links")
    assert parts == {"Python": 50 * MS, "Garbage": 35 * MS, "No free CPU": 15 * MS}
    (row,) = told["links"]["functions"]
    assert (row["gc_ns"], row["gc_ready_ns"], told["links"]["gc_ready_ns"]) == (50 * MS, 15 * MS, 15 * MS)


def test_no_processor_before_the_first_call(tmp_path):
    """MONITORING knows how long a thread had no processor, and not when. Only the share of what was counted is in the
    bar, and not what came before the first function."""
    trace, process = monitored(tmp_path)
    clock(process.main, 0, 0, 0)
    clock(process.main, 200 * MS, 150 * MS, 50 * MS)
    parts, _ = bar(trace)
    assert parts["No free CPU"] == pytest.approx(25 * MS, rel=0.001)
    assert sum(parts.values()) == 100 * MS


@pytest.mark.parametrize("waited", [40, 65])
def test_waits_of_a_counted_import(tmp_path, waited):
    """MPI_Init, which waits for the other ranks, is called within an import: that waiting is no C code's."""
    trace, process = monitored(tmp_path, rank=0)
    counted(process, 3, 1, FUNCTION, 2, 70 * MS, 20 * MS)
    counted(process, 4, 3, REGION, 1, 50 * MS, 50 * MS, domain="MPI")
    clock(process.main, 0, 0, 0)
    clock(process.main, 200 * MS, (200 - waited) * MS, 0)
    parts, _ = bar(trace)
    assert parts["Imports"] == 70 * MS
    assert parts.get("Waiting", 0) == max(0, waited - 50) * MS and parts["C"] == (40 - max(0, waited - 50)) * MS


def test_idle_threads_are_in_no_row(tmp_path):
    """A library's thread that only waits is in no part of the bar, and in no row of the table below it."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    main, helper = process.thread(70), process.thread(71, 1, "helper")
    process.code(1, "work", "/home/u/app.py", 1)
    process.code(2, "Thread.run", "/usr/lib/python3.12/threading.py", 1)
    clock(main, 1 * MS, 0, 0)
    clock(helper, 1 * MS, 0, 0)
    main.python(1 * MS, "begin", 1)
    helper.python(1 * MS, "begin", 2)
    clock(main, 101 * MS, 100 * MS, 0)
    clock(helper, 101 * MS, 0, 0)
    main.python(101 * MS, "end", 1)
    helper.python(101 * MS, "end", 2)
    parts, told = bar(trace, "--links")
    assert parts == {"Python": 100 * MS} and told["links"]["idle"]["threads"] == 1
    screen = subprocess.run([places.COMMAND, "report", "-q", tmp_path / "trace"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    table = screen.stdout.split("Your functions")[1].split("\n\n")[0].splitlines()
    assert [line.split()[2:6] for line in table[2:]] == [["100", "100", "ms", "1"]], table
