"""What stands out, to the nanosecond: of traces that no program made."""
import json
import os
import subprocess

import pytest

from support import made, places

MS = 1000000


def rows(trace, rule, run=""):
    folder = trace.write()
    if run:
        folder = folder.parent
        (folder / "pinsight-run.txt").write_text(run)
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", folder], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    return [row for row in json.loads(done.stdout)["stands_out"] if row["rule"] == rule]


def found(trace, rule, run=""):
    return [row["text"] for row in rows(trace, rule, run)]


@pytest.mark.parametrize("ran, told", [(5, None), (35, "35.0 ms, 35.0 % of all time")])
def test_garbage_without_a_processor(tmp_path, ran, told):
    """A collection that has no processor for most of its time takes what it ran."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "work", "/home/u/app.py", 1)
    thread.event(1 * MS, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
    thread.python(1 * MS, "begin", 1)
    thread.event(11 * MS, "core", "thread_clock", processor_ns=10 * MS, run_delay_ns=0)
    thread.event(11 * MS, "python", "gc_begin", generation=2)
    thread.event(61 * MS, "core", "thread_clock", processor_ns=(10 + ran) * MS, run_delay_ns=(50 - ran) * MS)
    thread.event(61 * MS, "python", "gc_end")
    thread.event(101 * MS, "core", "thread_clock", processor_ns=(50 + ran) * MS, run_delay_ns=0)
    thread.python(101 * MS, "end", 1)
    sentences = found(trace, "garbage")
    assert (told in sentences[0]) if told else not sentences, sentences


def test_a_function_that_raises_for_several_lines(tmp_path):
    """The line with most of its calls stands for it."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "parse", "/home/u/app.py", 20)
    thread.python(0, "begin", 1)
    for number in range(1200):
        at = MS * number // 20
        parse = dict(process.codes[2], code_id=2, python_thread_id=0)
        thread.event(at, "python", "function_begin", caller_lineno=7 if number % 6 else 5 + number % 4, **parse)
        thread.event(at + 40000, "python", "function_end", how=2, **parse)
    thread.python(60 * MS, "end", 1)
    sentence, = found(trace, "exceptions")
    assert sentence.startswith("app.py:7: 1,200 of 1,200 calls of parse raise an exception: 48.0 ms")


def test_arrays_that_grow_on_several_lines(tmp_path):
    """The line that takes most is named, whatever stands before and behind it."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    thread.python(0, "begin", 1)
    for number in range(600):
        at, line = MS * number, 5 + number % 3
        append = dict(caller_qualname="main", callee_name="numpy.append", caller_filename="/home/u/app.py", caller_lineno=line,
                      code_id=1, python_thread_id=0)
        thread.event(at, "python", "c_call_begin", **append)
        thread.event(at + (900000 if line == 6 else 400000), "python", "c_call_end", **append)
    thread.python(600 * MS, "end", 1)
    sentence, = found(trace, "growth")
    assert sentence == "app.py:6 grows by numpy.append, which copies all that is there, 200 times: 180 ms"


def test_the_line_that_garbage_strikes_most(tmp_path):
    """A line of the user's has the collections of all that it calls."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "load", "/usr/lib/python3/site-packages/library.py", 1)
    process.path(1, 0, 1, 6)
    process.path(2, 1, 2, 9)
    process.path(3, 0, 1, 8)
    thread.python(0, "begin", 1)
    for begin, path, took in ((10, 1, 20), (40, 2, 20), (70, 3, 30)):
        thread.event(begin * MS, "python", "gc_begin", generation=2, py_path=path)
        thread.event((begin + took) * MS, "python", "gc_end")
    thread.python(200 * MS, "end", 1)
    sentence, = found(trace, "garbage")
    assert sentence == "collections of garbage take 70.0 ms, 35.0 % of all time, 3 times; most strike main app.py:6"


@pytest.mark.parametrize("name, line, told", [("Node.__init__", 20, "main app.py:6"), ("Node.__init__", 21, "Node.__init__ app.py:21"),
                                              ("<lambda>", 20, "<lambda> app.py:20")])
def test_the_line_that_makes_garbage(name, line, told, tmp_path):
    """A collection at the start of a function is due to the call."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, name, "/home/u/app.py", 20)
    process.path(1, 0, 1, 6)
    process.path(2, 1, 2, line)
    thread.python(0, "begin", 1)
    thread.event(10 * MS, "python", "gc_begin", generation=2, py_path=2)
    thread.event(60 * MS, "python", "gc_end")
    thread.python(200 * MS, "end", 1)
    sentence, = found(trace, "garbage")
    assert sentence == "collections of garbage take 50.0 ms, 25.0 % of all time, 1 time; most strike " + told


@pytest.mark.parametrize("importer, told", [(1, None), (3, "50.0 ms, 25.0 % of all time, 1 time; most strike <module> tables.py:4")])
def test_garbage_of_imports(importer, told, tmp_path):
    """Those of a library are part of the import. A module of the user's is code as any other."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "_call_with_frames_removed", "<frozen importlib._bootstrap>", 480)
    process.code(3, "<module>", "/home/u/tables.py", 1)
    process.code(4, "<module>", "/usr/lib/python3/site-packages/library.py", 1)
    process.path(1, 0, 1, 6)
    process.path(2, 1, 2, 488)
    process.path(3, 2, 3 if importer == 3 else 4, 4)
    thread.python(0, "begin", 1)
    thread.event(10 * MS, "python", "gc_begin", generation=2, py_path=3)
    thread.event(60 * MS, "python", "gc_end")
    thread.python(200 * MS, "end", 1)
    sentences = found(trace, "garbage")
    assert (told in sentences[0]) if told else not sentences


@pytest.mark.parametrize("calls, told", [((1, 1, 1), "1 in each"), ((2, 1, 1), "about 1 in each"), ((1, 2, 2), "about 2 in each"),
                                         ((1, 1, 0), "in")])
def test_many_calls_in_each_call(calls, told, tmp_path):
    """No line says that there are 0 calls in each call."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "price", "/home/u/app.py", 20)
    thread.python(0, "begin", 1)
    at, sent = 0, 0
    for number in range(900):
        thread.python(at + 1000, "begin", 2)
        for _ in range(calls[number % 3]):
            send = dict(caller_qualname="price", callee_name="lib.send", caller_filename="/home/u/app.py", caller_lineno=22, code_id=2,
                        python_thread_id=0)
            thread.event(at + 2000, "python", "c_call_begin", **send)
            thread.event(at + 102000, "python", "c_call_end", **send)
            at, sent = at + 101000, sent + 1
        at += 5000
        thread.python(at, "end", 2)
    thread.python(at + 1000, "end", 1)
    sentence, = found(trace, "many_calls")
    assert sentence.replace(".0 ms", " ms").split(" ms")[0] == "app.py:22 calls lib.send {:,} times ({} 900 calls of price): {:.3g}".format(
        sent, told if told == "in" else told + " of", sent / 10)


def test_the_total_of_a_recursion(tmp_path):
    """The outermost call has the time of the inner ones, which count as calls."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "walk", "/home/u/app.py", 1)
    process.code(2, "leaf", "/home/u/app.py", 9)
    for at, end, code in ((0, "begin", 1), (10, "begin", 1), (15, "begin", 2), (20, "end", 2), (40, "end", 1), (100, "end", 1)):
        thread.python(at * MS, end, code)
    done = subprocess.run([places.COMMAND, "report", "-q", "--links", "--format", "json", trace.write()], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    row, = [row for row in json.loads(done.stdout)["links"]["functions"] if row["name"] == "walk"]
    assert [row[key] // MS for key in ("all_ns", "total_ns", "mean_ns", "max_ns")] == [95, 100, 65, 100] and row["calls"] == 2
    screen = subprocess.run([places.COMMAND, "report", "-q", trace.folder], stdout=subprocess.PIPE, encoding="utf-8", check=True,
                            env=dict(os.environ, COLUMNS="120", LC_ALL="C.UTF-8")).stdout
    head, walk = screen.split("Your functions")[1].splitlines()[1:3]
    assert head.split()[:6] == ["own", "%", "total", "calls", "mean", "longest"]
    assert walk.split()[:10] == ["95.0", "ms", "95.0", "100", "ms", "2", "65.0", "ms", "100", "ms"]


@pytest.mark.parametrize("callee, each_us, told", [("sqlite3.Connection.execute", 20, True), ("numpy.fft.rfft", 5, True),
                                                 ("numpy.fft.rfft", 20, False), ("posix.stat", 20, False),
                                                 ("_io.open", 20, False), ("io.open", 20, False)])
def test_calls_that_are_many_for_a_reason(callee, each_us, told, tmp_path):
    """A call of NumPy that is not short works on an array. For many files there is no other way."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    thread.python(0, "begin", 1)
    call = dict(caller_qualname="main", callee_name=callee, caller_filename="/home/u/app.py", caller_lineno=5, code_id=1, python_thread_id=0)
    for number in range(600):
        thread.event(number * 30000, "python", "c_call_begin", **call)
        thread.event(number * 30000 + each_us * 1000, "python", "c_call_end", **call)
    thread.python(600 * 30000, "end", 1)
    assert bool(found(trace, "many_calls")) == told


def test_values_of_a_generator_are_no_calls(tmp_path):
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "rows", "/home/u/app.py", 20)
    rows = dict(process.codes[2], code_id=2, python_thread_id=0)
    thread.python(0, "begin", 1)
    for number in range(1000):
        at = number * 20000
        thread.event(at, "python", "function_begin", caller_lineno=5, how=bool(number), **rows)
        thread.event(at + 5000, "python", "function_begin", caller_lineno=25, **rows)  # it has generators of its own
        thread.event(at + 10000, "python", "function_end", **rows)
        thread.event(at + 15000, "python", "function_end", how=1, **rows)
    thread.python(1000 * 20000, "end", 1)
    assert not found(trace, "many_calls")


@pytest.mark.parametrize("garbage, told", [(0, True), (70, False)])
def test_a_long_call_of_many_that_a_collection_struck(garbage, told, tmp_path):
    """It might have struck any of them. The calls by themselves take longer together than the collection."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "connect", "/home/u/app.py", 20)
    thread.python(0, "begin", 1)
    for number in range(1200):
        thread.function(number * 50000, number * 50000 + 49000, 2)
    thread.python(60 * MS, "begin", 2)
    if garbage:
        thread.event(65 * MS, "python", "gc_begin", generation=2)
        thread.event((65 + garbage) * MS, "python", "gc_end")
    thread.python(140 * MS, "end", 2)
    thread.python(150 * MS, "end", 1)
    assert bool(found(trace, "slow_call")) == told


# The command of multiprocessing's fork server before CPython 3.14, and from then on.
FORK_SERVERS = ["python -c 'from multiprocessing.forkserver import main; main(5, 6, [], **{})'",
                "python -B -c 'import sys; from multiprocessing.forkserver import main; main(5, 6, [], sys_argv=sys.argv[1:], **{})'"]


def waits_for(trace, server, waits, work):
    """A process that sleeps 800 ms of its second in so many calls. `work(worker)` is a worker of its own, or of a fork
    server with this command."""
    parent = trace.process(70)
    if server:
        trace.process(75, parent=70, began=1, command=server)
    child = trace.process(80, parent=75 if server else 70, began=2, command=server)
    thread, worker = parent.thread(70), child.thread(80)
    for process in (parent, child):
        process.code(1, "main", "/home/u/app.py", 1)
        process.code(2, "collate", "/home/u/app.py", 20)
        process.code(3, "<module>", "<string>", 1)
    thread.python(0, "begin", 1)
    if server:
        worker.python(5 * MS, "begin", 3)
    work(worker)
    if server:
        worker.python(990 * MS, "end", 3)
    call = dict(caller_qualname="main", callee_name="time.sleep", caller_filename="/home/u/app.py", caller_lineno=5, code_id=1,
                python_thread_id=0)
    for number in range(waits):
        at, ran = number * 1000 * MS // waits, number * 200 * MS // waits
        thread.event(at, "core", "thread_clock", processor_ns=ran, run_delay_ns=0)
        thread.event(at, "python", "c_call_begin", **call)
        thread.event(at + 800 * MS // waits, "core", "thread_clock", processor_ns=ran, run_delay_ns=0)
        thread.event(at + 800 * MS // waits, "python", "c_call_end", **call)
    thread.python(1000 * MS, "end", 1)


@pytest.mark.parametrize("server", [None] + FORK_SERVERS, ids=["forked", "served", "served-3.14"])
@pytest.mark.parametrize("waits, told", [(1, False), (20, True)])
def test_who_waits_for_a_pool(waits, told, server, tmp_path):
    """A process that waits once for what a pool has to do is not starved by it."""
    trace = made.Trace(tmp_path / "trace")
    waits_for(trace, server, waits, lambda worker: worker.function(10 * MS, 800 * MS, 2))
    assert [(row["text"], row["others_ns"]) for row in rows(trace, "starved")] == [
        ("main app.py:5 waits for 800 ms of 1.00 s, while 1 process that it started ran collate app.py:20 for 790 ms", 790 * MS)][:told]


@pytest.mark.parametrize("server", FORK_SERVERS, ids=["served", "served-3.14"])
def test_a_servers_code_is_no_function_of_the_users(server, tmp_path):
    trace = made.Trace(tmp_path / "trace")
    waits_for(trace, server, 20, lambda worker: worker.function(10 * MS, 800 * MS, 2))
    told = subprocess.run([places.COMMAND, "report", "-q", trace.write()], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    functions = told.split("Your functions")[1].split("Modules")[0]
    assert "collate" in functions and "<string>" not in functions, told


@pytest.mark.parametrize("server", [None] + FORK_SERVERS[1:], ids=["forked", "served-3.14"])
@pytest.mark.parametrize("imports, told", [(300, False), (700, True)])
def test_who_waits_for_imports(imports, told, server, tmp_path):
    """Workers that are started anew import what they need, while their process waits."""
    trace = made.Trace(tmp_path / "trace")

    def work(worker):
        module = dict(module="torch", python_thread_id=0)
        worker.event(10 * MS, "python", "import_begin", **module)
        worker.event((10 + imports) * MS, "python", "import_end", **module)
        worker.function(900 * MS, 910 * MS, 2)

    waits_for(trace, server, 1, work)
    assert found(trace, "starting") == ["main app.py:5 waits for 800 ms of 1.00 s, while 1 process that it started imported modules "
                                        "for %d ms" % imports][:told]


@pytest.mark.parametrize("imports, told", [(300, False), (700, True)])
def test_workers_that_import_at_the_same_time(imports, told, tmp_path):
    """Their times are no sum that explains the wait."""
    trace = made.Trace(tmp_path / "trace")

    def work(worker):
        for thread in (worker, trace.process(81, parent=70, began=2).thread(81)):
            thread.event(10 * MS, "python", "import_begin", module="torch", python_thread_id=0)
            thread.event((10 + imports) * MS, "python", "import_end", module="torch", python_thread_id=0)

    waits_for(trace, None, 1, work)
    assert [(row["text"], row["others_ns"]) for row in rows(trace, "starting")] == [
        ("main app.py:5 waits for 800 ms of 1.00 s, while 2 processes that it started imported modules for up to %d ms" % imports,
         imports * MS)][:told]


@pytest.mark.parametrize("held, told", [(300, False), (900, True)])
def test_a_gil_that_is_mostly_free(held, told, tmp_path):
    """Threads that let others run wait for it shortly each time, and nothing holds it up."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    thread.python(0, "begin", 1)
    for number in range(20):
        thread.event((number + 1) * 50 * MS, "python", "gil_wait", tid=70, wait_ns=10 * MS, waits=number + 1)
    thread.event(1000 * MS, "python", "gil_load", tid=70, seen_ns=1000 * MS, held_ns=held * MS)
    thread.python(1000 * MS, "end", 1)
    assert bool(found(trace, "gil")) == told


@pytest.mark.parametrize("ready", [0, 750])
def test_what_looking_cost_with_counts(ready, tmp_path):
    """CPython 3.11 loses 43 % of the time of Python's own code under observation, and 8 ms at its start. Code that
    lacks a processor does not run."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    thread.event(1 * MS, "core", "domain_info", pid=70, domain="Python", runtime="CPython 3.11.7", mechanism="profile function", mode=2)
    thread.event(1 * MS, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
    counts = {"pid": 70, "tid": 70, "python_thread_id": 0, "domain": "Python", "kind": 0, "lexgion": 1, "calls": 1}
    thread.event(1001 * MS, "core", "path_profile", node=1, lineno=11, inclusive_ns=1000 * MS, self_ns=1000 * MS, **counts)
    thread.event(1001 * MS, "core", "lexgion_profile", name="main", filename="/home/u/app.py", lineno=1, inclusive_ns=1000 * MS,
                 exclusive_ns=1000 * MS, **counts)
    thread.event(1001 * MS, "core", "thread_clock", processor_ns=(1000 - ready) * MS, run_delay_ns=ready * MS)
    thread.event(1001 * MS, "core", "callback_cost", pid=70, domain="Python", callbacks=2, samples=0)
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", trace.write()], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    assert json.loads(done.stdout)["trace"]["overhead_ns"] == pytest.approx(8 * MS + 0.43 * (1000 - ready) * MS, rel=0.01)


def test_what_looking_cost_in_a_killed_process(tmp_path):
    """A terminated worker does not report its callbacks. Its recorded ones cost as much as those of its parent."""
    trace = made.Trace(tmp_path / "trace")
    for pid in (70, 71):
        process = trace.process(pid)
        thread = process.thread(pid)
        process.code(1, "main", "/home/u/app.py", 1)
        thread.event(1 * MS, "core", "domain_info", pid=pid, domain="Python", runtime="CPython 3.13.0", mechanism="sys.monitoring", mode=2)
        for number in range(500):
            thread.python((number + 2) * MS, "begin", 1)
            thread.python((number + 2) * MS + 1000, "end", 1)
        if pid == 70:
            thread.event(600 * MS, "core", "callback_cost", pid=pid, domain="Python", callbacks=1000, samples=100, own_ns=20 * MS,
                         functions=100)
            thread.event(600 * MS, "core", "domain_totals", pid=pid, domain="Python")
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", trace.write()], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    start_and_made = 3 * MS + 1000 * 10
    assert json.loads(done.stdout)["trace"]["overhead_ns"] == pytest.approx(2 * (20 * MS + start_and_made), rel=0.001)


@pytest.mark.parametrize("waited, told", [(0, True), (250, False)])
def test_a_slow_rank_of_counts(waited, told, tmp_path):
    """MONITORING does not know where a thread waited, and says nothing if that may be the difference."""
    trace = made.Trace(tmp_path / "trace")
    for rank, took in ((0, 80), (1, 280)):
        process = trace.process(70 + rank, rank=rank)
        process.code(1, "main", "/home/u/app.py", 9)
        process.code(2, "relax", "/home/u/app.py", 1)
        end = (took + 20) * MS
        process.thread(70 + rank).counts(end, end - rank * waited * MS, 0,
                  [(1, 0, 1, 20 * MS, end), (2, 1, 2, took * MS, took * MS // 2)])
    assert found(trace, "slow_rank") == (["rank 1 spends about 280 ms in relax app.py:1, the other 80.0 ms"] if told else [])


@pytest.mark.parametrize("took, delays, told", [
    ((400, 1600), (60, 60), "rank 1 spends about 640 ms in relax app.py:1, the other 160 ms"),
    ((400, 500), (60, 60), None),  # too little where most of the time has no processor
    ((400, 1600), (0, 75), None),  # this rank has no processor, which is not its own work
    # MPI gives the processor away while it waits: the other rank computes no faster for that.
    ((400, 1600), (90, 60), "rank 1 spends about 640 ms in relax app.py:1, the other 160 ms"),
    ((1200, 1600), (90, 60), None),
])
def test_a_slow_rank_on_a_busy_machine(took, delays, told, tmp_path):
    """Counted time has the lack of processors, which is taken off in proportion. A delay is in percent of all time."""
    trace = made.Trace(tmp_path / "trace")
    for rank in range(2):
        process = trace.process(70 + rank, rank=rank)
        process.code(1, "main", "/home/u/app.py", 9)
        process.code(2, "relax", "/home/u/app.py", 1)
        delayed = took[rank] * MS * delays[rank] // 100
        process.thread(70 + rank).counts(took[rank] * MS, took[rank] * MS - delayed, delayed,
                  [(1, 0, 1, 0, took[rank] * MS), (2, 1, 2, took[rank] * MS, took[rank] * MS // 2)])
    assert found(trace, "slow_rank") == ([told] if told else [])


@pytest.mark.parametrize("most, told", [(900, "worker 2 spends about 450 ms in relax app.py:20, the others 100 ms each"), (250, None)])
def test_a_slow_worker_of_counts(most, told, tmp_path):
    """The clocks of workers have what each ran, also on a busy machine where all of them want a processor all the time."""
    trace = made.Trace(tmp_path / "trace")
    parent = trace.process(70)
    parent.code(1, "main", "/home/u/app.py", 1)
    parent.thread(70).counts(1000 * MS, 10 * MS, 0,
              [(1, 0, 1, 10 * MS, 1000 * MS), ("_thread.lock.acquire", 1, 1, 990 * MS, 990 * MS)])
    for number in range(3):
        worker = trace.process(80 + number, parent=70, began=1 + number)
        worker.code(2, "relax", "/home/u/app.py", 20)
        wanted = most if number == 1 else 200
        worker.thread(80 + number).counts(990 * MS, wanted * MS // 2, wanted * MS // 2,
                  [(2, 0, 4, wanted * MS, wanted * MS // 4), ("_thread.lock.acquire", 0, 1, (990 - wanted) * MS, 990 * MS)])
    assert found(trace, "slow_worker") == ([told] if told else [])


@pytest.mark.parametrize("waits, told", [(0, None), (300, "worker 2 computes 450 ms in relax app.py:20, the others 100 ms each")])
def test_a_worker_with_more_tasks(waits, told, tmp_path):
    """On a busy machine a pool gives more tasks of the same length to the worker that has a processor. If the others wait for
    it, the tasks were given out before."""
    trace = made.Trace(tmp_path / "trace")
    parent = trace.process(70)
    parent.code(1, "main", "/home/u/app.py", 1)
    parent.thread(70).function(0, 600 * MS, 1)
    for number in range(3):
        worker = trace.process(80 + number, parent=70, began=1 + number)
        thread = worker.thread(80 + number)
        worker.code(2, "relax", "/home/u/app.py", 20)
        calls, waited = (45, 0) if number == 1 else (10, waits)
        thread.event(10 * MS, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
        for call in range(calls):
            thread.function((10 + 10 * call) * MS, (20 + 10 * call) * MS, 2)
        ran = 10 * MS * calls
        thread.event(10 * MS + ran, "core", "thread_clock", processor_ns=ran, run_delay_ns=0)
        if not number == 1:
            thread.event(460 * MS, "core", "thread_clock", processor_ns=ran, run_delay_ns=(350 - waited) * MS)
    assert found(trace, "slow_worker") == ([told] if told else [])


def test_a_straggler_that_a_signal_ended(tmp_path):
    """A pool that is left ends its workers by a signal, so that their clocks lack the last part. The counts are there."""
    trace = made.Trace(tmp_path / "trace")
    parent = trace.process(70)
    parent.code(1, "main", "/home/u/app.py", 1)
    parent.thread(70).counts(1000 * MS, 10 * MS, 0, [(1, 0, 1, 10 * MS, 1000 * MS), ("_thread.lock.acquire", 1, 1, 990 * MS, 990 * MS)])
    for number in range(3):
        worker = trace.process(80 + number, parent=70, began=1 + number)
        worker.code(2, "relax", "/home/u/app.py", 20)
        took, longest = (900, 850) if number == 1 else (200, 50)
        if number:
            worker.thread(80 + number).counts(990 * MS, 100 * MS, 100 * MS, [(2, 0, 4, took * MS, longest * MS)], read=200 * MS)
        else:  # its clock is whole, and has more than those of the others
            worker.thread(80).counts(990 * MS, 800 * MS, 0, [(2, 0, 4, took * MS, longest * MS), ("_pickle.loads", 0, 9, 600 * MS, 90 * MS)])
    # By the clocks of the others, a worker has a processor for 0.9 of the time that it wants one.
    assert found(trace, "slow_worker") == ["worker 2 spends about 810 ms in relax app.py:20, the others 100 ms to 200 ms"]


@pytest.mark.parametrize("straggler, told", [(250, "worker 2 computes 250 ms in relax app.py:20, the others 30.0 ms each"), (100, None)])
def test_a_straggler_beside_pickling(straggler, told, tmp_path):
    """All workers unpack their tasks for as long. One of them has a task that takes longer."""
    trace = made.Trace(tmp_path / "trace")
    parent = trace.process(70)
    parent.code(1, "main", "/home/u/app.py", 1)
    parent.thread(70).function(0, 600 * MS, 1)
    for number in range(3):
        worker = trace.process(80 + number, parent=70, began=1 + number)
        thread = worker.thread(80 + number)
        worker.code(2, "relax", "/home/u/app.py", 20)
        worker.code(3, "loads", "/usr/lib/python3/site-packages/pickle.py", 1)
        thread.function(10 * MS, 210 * MS, 3)
        thread.function(210 * MS, (210 + (straggler if number == 1 else 30)) * MS, 2)
    assert found(trace, "slow_worker") == ([told] if told else [])


@pytest.mark.parametrize("threads, told", [
    (8, "8.0 threads on average want one of 2 processors: they wait for it 6.00 s of 8.00 s, most in stretch app.py:20"), (4, None)])
def test_too_many_threads_of_counts(threads, told, tmp_path):
    """The clocks of the threads have how long each wanted a processor."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    process.code(2, "stretch", "/home/u/app.py", 20)
    for number in range(threads):
        process.thread(70 + number, number, "worker").counts(1000 * MS, 2000 * MS // threads, (1000 - 2000 // threads) * MS,
                                                             [(2, 0, 4, 1000 * MS, 300 * MS)])
    assert found(trace, "processors", "ended yes\nprocessors 2\n") == ([told] if told else [])


@pytest.mark.parametrize("calls, told", [(1, "one of 10 calls of relax app.py:20 in workers took 300 ms, the others 1.00 ms each"),
                                         (10, None)])
def test_a_straggler_while_others_are_busy(calls, told, tmp_path):
    """The other worker unpacks all other tasks meanwhile, and runs for as long. Many calls in one worker are no straggler."""
    trace = made.Trace(tmp_path / "trace")
    parent = trace.process(70)
    parent.code(1, "main", "/home/u/app.py", 1)
    parent.thread(70).function(0, 600 * MS, 1)
    for number in range(2):
        worker = trace.process(80 + number, parent=70, began=1 + number)
        thread = worker.thread(80 + number)
        worker.code(2, "relax", "/home/u/app.py", 20)
        worker.code(3, "loads", "/usr/lib/python3/site-packages/pickle.py", 1)
        at = 10 * MS
        for took in [9 * MS // 9] * 9 if number else [300 * MS // calls] * calls:
            thread.function(at, at + took, 2)
            at += took
        thread.function(at, 410 * MS, 3)
    assert found(trace, "slow_task") == ([told] if told else [])


@pytest.mark.parametrize("waits, waited, told", [(20, 600, True), (1, 600, False), (20, 50, False)])
def test_who_waits_for_a_loader_of_counts(waits, waited, told, tmp_path):
    """Waits for a lock or a time are counted by their names."""
    trace = made.Trace(tmp_path / "trace")
    parent, child = trace.process(70), trace.process(80, parent=70, began=1)
    parent.code(1, "train", "/home/u/app.py", 1)
    child.code(2, "collate", "/home/u/app.py", 20)
    parent.thread(70).counts(1000 * MS, (1000 - waited) * MS, 0,
              [(1, 0, 1, (1000 - waited) * MS, 1000 * MS), ("_thread.lock.acquire", 1, waits, waited * MS, waited * MS // waits)])
    child.thread(80).counts(900 * MS, 700 * MS, 0, [(2, 0, 40, 700 * MS, 20 * MS)])
    text = "train app.py:11 waits for 600 ms of 1.00 s, while 1 process that it started ran collate app.py:20 for 700 ms"
    # Its share is of the time of the process that waits, and not of all processes.
    assert [(row["text"], row["share"]) for row in rows(trace, "starved")] == ([(text, 0.6)] if told else [])


@pytest.mark.parametrize("ranks, ready, host, online, told", [
    (4, 60, "made", 2, True), (4, 20, "made", 2, False), (2, 60, "made", 2, False), (4, 60, "other", 2, False), (4, 60, "made", 0, False),
    (4, 60, "made", 8, False)], ids=["shared", "not busy", "as many", "another machine", "unknown", "more processors"])
def test_ranks_that_share_processors(ranks, ready, host, online, told, tmp_path):
    trace = made.Trace(tmp_path / "trace")
    for rank in range(ranks):
        process = trace.process(70 + rank, rank)
        thread = process.thread(70 + rank)
        process.code(1, "solve", "/home/u/app.py", 1)
        thread.event(0, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
        thread.python(0, "begin", 1)
        thread.event(100 * MS, "core", "thread_clock", processor_ns=(100 - ready) * MS, run_delay_ns=ready * MS)
        thread.python(100 * MS, "end", 1)
    run = "ended yes\nprocessors 1\nhost %s\nonline %d\n" % (host, online)
    assert found(trace, "processors", run) == ["4 ranks share the 2 processors of made: they wait for one 240 ms of 400 ms"][:told]


def test_a_run_names_its_machine(newest, run_command):
    """The facts by which ranks are compared with processors."""
    facts = dict(line.partition(" ")[::2] for line in (run_command(newest.path, "-c", "pass").folder / "pinsight-run.txt").read_text().splitlines())
    assert facts["host"] == os.uname().nodename and int(facts["online"]) == os.sysconf("SC_NPROCESSORS_ONLN")
