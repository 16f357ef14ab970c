"""Every table of pinsight.data against the CSV export and the JSON report, on five traces: OpenMP below Python, a job of MPI, tasks
of asyncio, threads with locks, and a made run of CUDA. A table that a trace has rows for is never empty."""
import collections
import sys

import pytest

from support import cuda, openmp, places

sys.path.insert(0, str(places.PACKAGES))
import pinsight  # noqa: E402
from test_data import as_texts, check_functions, check_slices, csv_rows, dicts, report  # noqa: E402

OPENMP = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
def called(threads):
    return lib.called_region(threads)
for threads in (2, 2, 3):
    called(threads)
"""
TASKS = """
import asyncio
async def work(n):
    for _ in range(n):
        await asyncio.sleep(0)
async def main():
    await asyncio.gather(*(asyncio.create_task(work(n), name='job %d' % n) for n in (2, 3, 4)))
asyncio.run(main())
"""
THREADS = """
import threading, time, pinsight
lock = threading.Lock()
def turn(n):
    with lock, pinsight.region("turn"):
        pinsight.mark("in turn")
        time.sleep(0.002)
def run():
    for n in range(5):
        turn(n)
threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
# Tables that have rows in each kind of trace, beside functions, calls, slices, threads, processes, context_tree.
ROWS = {"openmp": {"regions"}, "mpi": {"messages"}, "tasks": {"tasks"}, "threads": {"regions", "marks", "waits"}, "cuda": {"kernels"}}


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return places.module(places.TESTS / "tools" / "many_ranks.py").ManyRanks(tmp_path_factory.mktemp("many") / "job", 12, ranks_per_host=5).write()


@pytest.fixture(params=list(ROWS))
def one(request, newest, run_traced, many, tmp_path):
    """The kind of a trace, and the trace."""
    kind = request.param
    if kind == "mpi":
        folder = many.folder
    elif kind == "cuda":
        folder = cuda.Run(tmp_path / "made").folder
    elif kind == "openmp":
        folder = run_traced(newest, OPENMP, "--domains", "python,openmp", "--lossless", arguments=[openmp.build_library("called")]).folder
    else:
        folder = run_traced(newest, {"tasks": TASKS, "threads": THREADS}[kind], "--lossless").folder
    return kind, pinsight.open(folder)


def test_every_table(one):
    kind, trace = one
    told = report(trace.path, "--links")
    tables = {name: dicts(trace.table(name)) for name in trace.tables()}
    for name in ROWS[kind] | {"functions", "calls", "slices", "threads", "processes", "context_tree"}:
        assert tables[name] or (name, kind) == ("functions", "cuda"), name
    check_slices(trace.path)
    check_functions(trace.path)
    check_parts_of_slices(tables, csv_rows(trace.path))
    check_threads_and_processes(tables, told)
    check_lines(tables["lines"], told)
    check_contexts(tables)
    CHECKS[kind](tables, lambda *options: report(trace.path, *options))


def check_parts_of_slices(tables, rows):
    """These tables are the rows of the CSV with some categories."""
    def times(table):
        return collections.Counter((row["category"], row["name"], str(row["begin_ns"]), str(row["duration_ns"])) for row in table)
    for name, categories in ("regions", ("region", "openmp")), ("waits", ("gil", "lock", "wait")):
        assert times(tables[name]) == times([row for row in rows if row["category"] in categories]), name
    calls = collections.Counter((row["kind"], row["function"], str(row["begin_ns"]), str(row["duration_ns"])) for row in tables["calls"])
    kinds = {row["kind"] for row in tables["calls"]}
    assert calls == times([row for row in rows if row["category"] in kinds])


def check_threads_and_processes(tables, told):
    keys = {"pid": "pid", "tid": "tid", "python_thread": "python_thread_id", "calls": "calls", "c_calls": "c_calls", "busy_ns": "busy_ns",
            "self_ns": "self_ns", "c_self_ns": "c_self_ns", "begin_ns": "begin_ns", "end_ns": "end_ns"}
    for thread in told["threads"]:
        thread["python_thread_id"] = -1 if thread["python_thread_id"] is None else thread["python_thread_id"]
    assert as_texts(tables["threads"], keys) == as_texts(told["threads"], keys.values())
    keys = "pid", "rank", "hostname", "program", "command", "events", "begin_ns", "end_ns"  # the table's name has the script, too
    assert as_texts(tables["processes"], keys) == as_texts(told["processes"], keys)


def check_lines(rows, told):
    keys = {"function": "function", "file": "file", "line": "line", "kind": "kind", "callee": "callee", "callee_file": "callee_file",
            "callee_line": "callee_line", "calls": "calls", "total_ns": "total_ns", "own_ns": "ns"}
    calls = told["links"]["calls"]
    for row in calls:
        row.update({key: 0 if key in ("line", "callee_line") else "" for key in keys.values() if row[key] is None})
    assert as_texts(rows, keys) == as_texts(calls, keys.values())


def check_contexts(tables):
    nodes = tables["context_tree"]
    threads = {(row["process"], row["tid"]) for row in tables["slices"] if row["tid"]}
    own = sum(row["self_ns"] for row in tables["slices"] if (row["process"], row["tid"]) in threads)
    assert sum(node["self_ns"] for node in nodes if not node["beside"]) <= sum(row["self_ns"] for row in tables["slices"])
    assert own <= sum(node["self_ns"] for node in nodes)
    calls = collections.Counter()
    for node in nodes:
        if node["kind"] == "python":
            calls[node["function"], node["file"], node["line"]] += node["calls"]
    assert calls == collections.Counter({(row["function"], row["file"], row["line"]): row["calls"] for row in tables["functions"]
                                         if row["kind"] == "function"})


def check_openmp(tables, asked):
    """Three regions in the thread that called, with a part for each thread of a team of 2, 2 and 3."""
    rows = [row for row in tables["regions"] if row["category"] == "openmp"]
    assert len(rows) == 3 + 2 + 2 + 3 and {row["name"] for row in rows} == {"parallel in called_region"}
    main = [row for row in rows if row["python_thread"] == 0]
    outer = [row for row in main if row["depth"] == min(one["depth"] for one in main)]
    (told,) = asked("--openmp")["regions"]
    assert (len(outer), sum(row["duration_ns"] for row in outer)) == (told["calls"], told["total_ns"])


def check_mpi(tables, asked):
    told = asked("--mpi")
    counts = collections.Counter((row["from_rank"], row["to_rank"]) for row in tables["messages"])
    assert counts == collections.Counter({(row["from"], row["to"]): row["matched"] for row in told["mpi"]["matrix"] if row["matched"]})
    assert sum(row["bytes"] for row in tables["messages"]) == sum(row["bytes"] for row in told["mpi"]["matrix"])
    names = collections.Counter(row["function"] for row in tables["calls"] if row["kind"] == "mpi")
    assert names == {row["name"]: row["calls"] for row in told["mpi"]["functions"]}


def check_tasks(tables, asked):
    steps = [row for row in tables["tasks"] if row["state"] == "task"]
    told = {row["coroutine"]: (row["steps"], row["run_ns"]) for row in asked("--tasks")["tasks"]["coroutines"]}
    work = [row for row in steps if row["task_name"].startswith("job ")]
    assert told["work"] == (len(work), sum(row["duration_ns"] for row in work)) and len(work) == 3 + 4 + 5


def check_locks(tables, asked):
    waits = collections.defaultdict(list)
    for row in tables["waits"]:
        waits[row["category"]].append(row["duration_ns"])
    locks = asked("--locks")["locks"]["locks"]
    assert (len(waits["lock"]), sum(waits["lock"])) == (sum(row["waits"] for row in locks), sum(row["wait_ns"] for row in locks))
    # A wait for the GIL has a row for each thread that held it meanwhile. A row does not begin before an earlier event of
    # its thread, so that slices do not overlap.
    gil = asked("--gil")["gil"] or {"gils": [], "functions": []}
    assert len(waits["gil"]) == sum(row["held"] for row in gil["functions"])
    assert len(waits["gil"]) >= sum(row["waits"] for row in gil["gils"])
    assert sum(waits["gil"]) <= sum(row["wait_ns"] for row in gil["gils"])
    assert [row["name"] for row in tables["marks"]] == ["in turn"] * 15
    assert [row["name"] for row in tables["regions"]] == ["turn"] * 15


def check_cuda(tables, asked):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for row in tables["kernels"]:
        for place, value in enumerate((1, row["duration_ns"], row["bytes"])):
            sums[row["name"]][place] += value
    assert sums == {row["name"]: [row["count"], row["total_ns"], row["bytes"]] for row in asked("--cuda")["cuda"]["work"]}


CHECKS = {"openmp": check_openmp, "mpi": check_mpi, "tasks": check_tasks, "threads": check_locks, "cuda": check_cuda}


def test_types_and_units(one):
    """The values of a row are of the types that the columns say, and within their ranges."""
    kinds = {"int32": (int, 31), "int64": (int, 63), "bool": (bool, 1), "string": (str, 0)}
    for name in one[1].tables():
        table = one[1].table(name)
        assert all(column.unit == ("ns" if column.name.endswith("_ns") else "bytes" if column.name.endswith("bytes") else "") for column in table.columns)
        for row in table.rows():
            for column, value in zip(table.columns, row):
                of, bits = kinds[column.type]
                assert type(value) is of and (of is not int or -(2 ** bits) <= value < 2 ** bits), (name, column, value)
