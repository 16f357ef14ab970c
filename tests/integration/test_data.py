"""pinsight.data: each table against the CSV and the JSON of the same trace, filters, and errors.

Rows are read by the package itself. What pandas, Polars, PyArrow and DuckDB make of the tables belongs to the part `wheel`.
"""
import collections
import csv
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from support import cuda, made, places
from support.pythons import pythons
from test_report_mpi_made import Job

sys.path.insert(0, str(places.PACKAGES))
import pinsight  # noqa: E402
import pinsight.data  # noqa: E402

PROGRAM = """
import math, threading, pinsight
def inner(n):
    return sum(math.sqrt(i) for i in range(30 * n))
def generate(n):
    yield from range(n)
def outer(n):
    with pinsight.region("part"):
        pinsight.mark("go")
        return [inner(i) for i in generate(n)]
threads = [threading.Thread(target=outer, args=(n,)) for n in (5, 9)]
for thread in threads: thread.start()
outer(12)
for thread in threads: thread.join()
"""


@pytest.fixture
def trace(newest, run_traced):
    return pinsight.open(run_traced(newest, PROGRAM).folder)


def command(*words):
    return subprocess.run([places.COMMAND, *map(str, words)], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout


def csv_rows(folder):
    return list(csv.DictReader(io.StringIO(command("export", "-q", "--to", "csv", "-o", "-", folder), newline="")))


def report(folder, *options):
    return json.loads(command("report", "-q", "--format", "json", "--limit", "0", *options, folder))


def dicts(table):
    names = [column.name for column in table.columns]
    return [dict(zip(names, row)) for row in table.rows()]


def as_texts(rows, keys):
    return collections.Counter(tuple(str(row[key]) for key in keys) for row in rows)


def check_slices(folder):
    """`slices` has the rows of the CSV, and the times of their own add up."""
    expected, rows = csv_rows(folder), dicts(pinsight.open(folder).slices)
    assert rows and as_texts(rows, expected[0]) == as_texts(expected, expected[0])
    own, within = collections.Counter(), collections.Counter()
    for row in rows:
        if not row["tid"]:
            continue
        thread = row["process"], row["tid"]
        own[thread] += row["self_ns"]
        within[thread] += row["duration_ns"] if not row["depth"] else 0
    assert own == within


def check_functions(folder):
    told, rows = report(folder), dicts(pinsight.open(folder).functions)
    keys = "calls", "total_ns", "self_ns"
    assert as_texts([row for row in rows if row["kind"] == "function"], ("function", "file", "line", "module") + keys) == collections.Counter(
        tuple(str(row[key] or "") if key == "module" else str(row[key]) for key in ("name", "file", "line", "module") + keys)
        for row in told["functions"])
    assert as_texts([row for row in rows if row["kind"] == "c_call"], ("function", "caller", "line") + keys) == collections.Counter(
        tuple(str(row[key] if row[key] is not None else "") for key in ("name", "caller", "caller_line") + keys) for row in told["c_calls"])
    return told, rows


def test_slices_and_calls(trace):
    check_slices(trace.path)
    _, functions = check_functions(trace.path)
    calls = dicts(trace.calls)
    for kind, category in (("function", "python"), ("c_call", "c")):
        counts, expected = collections.Counter(), collections.Counter()
        for row in calls:
            if row["kind"] == category:
                counts[row["function"], row["file"], row["line"]] += not row["resumed"]
        for row in functions:  # several functions of one line may call the same
            if row["kind"] == kind:
                expected[row["function"], row["file"], row["line"]] += row["calls"]
        assert counts == expected
    assert {row["kind"] for row in calls} >= {"python", "c", "import"} and any(row["resumed"] for row in calls)


def test_threads_processes_and_what_the_program_marked(trace):
    told = report(trace.path)
    keys = {"pid": "pid", "tid": "tid", "python_thread": "python_thread_id", "calls": "calls", "c_calls": "c_calls", "busy_ns": "busy_ns",
            "self_ns": "self_ns", "c_self_ns": "c_self_ns", "begin_ns": "begin_ns", "end_ns": "end_ns", "name": "name"}
    assert as_texts(dicts(trace.threads), keys) == as_texts(told["threads"], keys.values())
    keys = "pid", "ppid", "rank", "hostname", "program", "command", "events", "begin_ns", "end_ns", "name"
    assert as_texts(dicts(trace.processes), keys) == as_texts(told["processes"], keys)
    regions, marks = dicts(trace.regions), dicts(trace.marks)
    assert [row["name"] for row in regions] == ["part"] * 3 and [row["name"] for row in marks] == ["go"] * 3
    for mark in marks:
        assert any(region["tid"] == mark["tid"] and region["begin_ns"] <= mark["at_ns"] <= region["begin_ns"] + region["duration_ns"]
                   for region in regions)
    waits = [row for row in dicts(trace.slices) if row["category"] in ("gil", "lock", "wait")]
    assert len(dicts(trace.waits)) == len(waits)


def test_context_tree(trace):
    nodes = dicts(trace.context_tree)
    assert [node["node"] for node in nodes] == list(range(len(nodes)))
    assert all(node["parent"] < node["node"] for node in nodes)
    assert sum(node["self_ns"] for node in nodes) == sum(row["self_ns"] for row in dicts(trace.slices))
    assert nodes[0]["kind"] == "root" and nodes[0]["total_ns"] == sum(node["self_ns"] for node in nodes if node["process"] == nodes[0]["process"])
    calls = collections.Counter()
    for node in nodes:
        if node["kind"] == "python":
            calls[node["function"], node["file"], node["line"]] += node["calls"]
    assert calls == {(row["function"], row["file"], row["line"]): row["calls"] for row in dicts(trace.functions) if row["kind"] == "function"}


def test_lines(trace):
    told, rows = report(trace.path, "--links")["links"]["calls"], dicts(trace.lines)
    keys = {"function": "function", "file": "file", "line": "line", "kind": "kind", "callee": "callee", "callee_file": "callee_file",
            "callee_line": "callee_line", "calls": "calls", "total_ns": "total_ns", "own_ns": "ns"}
    for row in told:
        row.update({key: 0 if key in ("line", "callee_line") else "" for key in keys.values() if row[key] is None})
    assert as_texts(rows, keys) == as_texts(told, keys.values())
    assert any(row["function"] == "outer" and row["callee"] == "inner" and row["calls"] == 26 for row in rows)


def test_filters(trace):
    calls = dicts(trace.calls)
    assert dicts(trace.calls.filter(function="inner")) == [row for row in calls if row["function"] == "inner"]
    assert dicts(trace.calls.filter(function=["in*r", "outer"], thread=1)) == [
        row for row in calls if row["function"] in ("inner", "outer") and row["python_thread"] == 1]
    assert dicts(trace.calls.filter(process=1)) == [] and dicts(trace.calls.filter(rank=0)) == []
    middle = sorted(row["begin_ns"] for row in calls)[len(calls) // 2]
    for time, wanted in (((middle, None), lambda row: row["begin_ns"] + row["duration_ns"] >= middle),
                         ((None, middle), lambda row: row["begin_ns"] < middle)):
        found = dicts(trace.calls.filter(time=time))
        assert found == [row for row in calls if wanted(row)] and 0 < len(found) < len(calls)
    assert {row["function"] for row in dicts(trace.functions.filter(function="o*er"))} == {"outer"}
    with pytest.raises(ValueError, match="the table functions has no filter 'time'"):
        trace.functions.filter(time=(0, 1))


STRETCH = """
import pinsight
def g(): pass
def work(name):
    with pinsight.region(name):
        pinsight.mark(name)
        for i in range(60_000): g()
work("first")
work("second")
"""


def test_a_time_filter_ends_the_reading(newest, run_traced, capfd):
    """What stands long after the time is not read: its damage stays unseen, unless a row of the time is still open."""
    trace = pinsight.open(run_traced(newest, STRETCH, "--lossless", "--events", "function").folder)
    tables = {"g": trace.calls.filter(function="g"), "regions": trace.regions, "marks": trace.marks}
    rows = {name: dicts(table) for name, table in tables.items()}
    begins = sorted(row["begin_ns"] for row in rows["g"])
    early, late = begins[100], begins[-100]
    file = max(Path(trace.path).glob("trace/*/*-0"), key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    at = len(data) * 9 // 10
    data[at:at + 400] = 400 * b"\xff"
    file.write_bytes(data)
    capfd.readouterr()
    assert dicts(tables["g"].filter(time=(None, early))) == [row for row in rows["g"] if row["begin_ns"] < early]
    assert dicts(tables["g"].filter(time=(early, early + 1))) == [
        row for row in rows["g"] if row["begin_ns"] <= early <= row["begin_ns"] + row["duration_ns"]]
    assert dicts(trace.marks.filter(time=(None, early))) == rows["marks"][:1]
    assert dicts(trace.regions.filter(time=(None, rows["regions"][1]["begin_ns"]))) == rows["regions"][:1]
    assert capfd.readouterr().err == ""
    for table in tables["g"].filter(time=(None, late)), trace.calls.filter(time=(None, early)):
        found = dicts(table)
        assert "is damaged; what stands before the damage" in capfd.readouterr().err
    assert "<module>" in {row["function"] for row in found}


def test_messages_and_ranks(tmp_path):
    """Messages of a job that is made up, with the ranks at both ends."""
    job = Job(tmp_path / "job", 3)
    for rank in job.ranks:
        rank.call(100, 200, "Init")
    expected = []
    for number in range(6):
        sender, receiver = job.ranks[number % 3], job.ranks[(number + 1) % 3]
        sender.call(300 + 20 * number, 305 + 20 * number, "Send", comm=1, dest=receiver.number, tag=number, bytes=100 + number)
        receiver.call(307 + 20 * number, 310 + 20 * number, "Recv", {"source": sender.number, "tag": number, "bytes": 100 + number},
                      comm=1, source=sender.number, tag=number)
        expected.append((sender.number, receiver.number, 100 + number, made.ns(300 + 20 * number)))
    trace = pinsight.open(job.write())
    keys = "from_rank", "to_rank", "bytes", "sent_ns"
    rows = dicts(trace.messages)
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    assert all(row["sent_ns"] < row["received_ns"] for row in rows)
    assert dicts(trace.messages.filter(rank=1)) == [row for row in rows if 1 in (row["from_rank"], row["to_rank"])]
    check_slices(trace.path)
    calls = dicts(trace.calls)
    assert {row["rank"] for row in calls} == {0, 1, 2} and {row["kind"] for row in calls} == {"mpi"}
    for ranks in (2, [0, 2], "0-1"):
        wanted = {2: {2}, "0-1": {0, 1}}.get(ranks if isinstance(ranks, (int, str)) else None, {0, 2})
        assert dicts(trace.calls.filter(rank=ranks)) == [row for row in calls if row["rank"] in wanted]
    assert {row["rank"] for row in dicts(trace.processes.filter(rank="1"))} == {1}


def test_kernels(tmp_path):
    run = cuda.Run(tmp_path / "made")
    check_slices(run.folder)
    works = {(one.pid, one.device, one.context, one.stream, one.name, made.ns(one.begin), made.ns(one.end), one.bytes, one.correlation)
             for one in run.works}
    assert works == {(row["pid"], row["device"], row["context"], row["stream"], row["name"], row["begin_ns"],
                      row["begin_ns"] + row["duration_ns"], row["bytes"], row["correlation"])
                     for row in dicts(pinsight.open(run.folder).kernels)}


def test_tasks(newest, run_traced):
    program = "import asyncio\nasync def work(n):\n    for i in range(n):\n        await asyncio.sleep(0)\n" \
        "async def main():\n    await asyncio.gather(*(asyncio.create_task(work(n), name='job %d' % n) for n in (2, 3)))\nasyncio.run(main())\n"
    rows = dicts(pinsight.open(run_traced(newest, program).folder).tasks)
    steps = collections.Counter(row["task_name"] for row in rows if row["state"] == "task")
    assert steps["job 2"] == 3 and steps["job 3"] == 4
    assert {row["function"] for row in rows if row["task_name"] == "job 2" and row["state"] == "task"} == {"work"}


def readers_of(name):
    """The processes that read a trace for this one."""
    found = []
    for pid in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"--rows"] and os.fsencode(str(name)) in words:
            found.append(int(pid))
    return found


def test_batches_and_an_end_before_the_last(newest, run_traced):
    """Several batches, in two streams at once; a stream that is given up ends its reader, which waits before that."""
    folder = run_traced(newest, "def f():\n    pass\nfor i in range(220_000):\n    f()\n").folder
    table = pinsight.open(folder).calls.filter(function="f")
    counts = []
    other = threading.Thread(target=lambda: counts.append(sum(1 for _ in table.filter(thread=0).rows())))
    other.start()
    rows = table.rows()
    first = next(rows)
    assert first[table_place(table, "function")] == "f" and readers_of(folder)
    other.join()
    assert counts == [220_000]
    assert len(readers_of(folder)) == 1  # two batches ahead, and no more
    rows.close()
    assert not readers_of(folder)
    assert len(table.head(3)) == 3 and not readers_of(folder)


def table_place(table, name):
    return [column.name for column in table.columns].index(name)


def test_errors(tmp_path, trace):
    with pytest.raises(FileNotFoundError):
        pinsight.open(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    for name in pinsight.open(tmp_path / "empty").tables():
        with pytest.raises(pinsight.data.Error, match="empty is empty: nothing was recorded"):
            pinsight.open(tmp_path / "empty").table(name).head()
    with pytest.raises(AttributeError, match="no table 'nothing'"):
        trace.nothing
    with pytest.raises(KeyError):
        trace.table("nothing")


def test_a_reader_that_is_killed(newest, run_traced):
    folder = run_traced(newest, "def f():\n    pass\nfor i in range(220_000):\n    f()\n").folder
    rows = pinsight.open(folder).calls.rows()
    next(rows)
    os.kill(readers_of(folder)[0], 9)
    with pytest.raises(pinsight.data.Error, match="was ended by signal 9"):
        for _ in rows:
            pass


def test_in_a_notebook(trace):
    html = trace.functions._repr_html_()
    assert "<th title=" in html and "&lt;" in html and html.count("<tr>") == 11 and "first 10 rows of functions" in html
    assert "inner" in trace._repr_html_() and trace._repr_html_().startswith("<pre>")
    page = trace.page()
    assert page.html.startswith("<!") and 'srcdoc="' in page._repr_html_()
    assert set(trace.tables()) <= set(dir(trace)) and "calls of" in repr(trace.calls)
    assert [column.unit for column in trace.calls.columns if column.name.endswith("_ns")] == ["ns"] * 3


def test_nothing_records(any_python, trace):
    """Reading works with every Python, and loads no recorder and no extension."""
    program = "import sys; sys.path.insert(0, sys.argv[1]); import pinsight\n" \
        "print(len(pinsight.open(sys.argv[2]).functions.head(3)))\n" \
        "print([line for line in open('/proc/self/maps') if 'libpinsight.so' in line or '_pinsight_python' in line])\n"
    told = subprocess.run([any_python.base, "-c", program, str(places.PACKAGES), str(trace.path)], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout
    assert told == "3\n[]\n"


def test_the_page_of_the_tables_is_current():
    page = places.module(places.TESTS / "tools" / "data_page.py")
    assert page.text(pinsight.data) == (places.ROOT / "docs" / "data-tables.md").read_text(encoding="utf-8"), (
        "docs/data-tables.md is older than src/views/data/columns.c: tests/tools/data_page.py writes it")


def newest_with_wheels():
    """The newest Python that all four packages have wheels for."""
    found = [python for python in pythons() if (3, 9) < python.version < (3, 16)]
    return found[-1] if found else places.missing("a CPython 3.10 to 3.15")


READ = """
import json, sys
sys.path.insert(0, sys.argv[1])
import duckdb, pandas, polars, pyarrow, pinsight
trace = pinsight.open(sys.argv[2])
for name in trace.tables():
    table = trace.table(name)
    rows = list(table.rows())
    arrow = table.to_arrow()
    arrow.validate(full=True)
    assert pyarrow.schema(table) == arrow.schema
    assert [field.name for field in arrow.schema] == [column.name for column in table.columns]
    types = {"string": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), "bool": pyarrow.bool_(), "int32": pyarrow.int32(),
             "int64": pyarrow.int64()}
    assert all(field.type == types[column.type] for field, column in zip(arrow.schema, table.columns))
    assert [tuple(row.values()) for row in arrow.to_pylist()] == rows, name
    assert list(table.to_pandas().itertuples(index=False, name=None)) == rows, name
    assert table.to_polars().rows() == rows, name
    shown = table
    assert duckdb.sql("select * from shown").fetchall() == rows, name
print("all")
"""


@pytest.mark.wheel
def test_with_arrow_pandas_polars_and_duckdb(trace):
    path = newest_with_wheels().with_packages("pyarrow", "pandas", "polars", "duckdb")
    told = subprocess.run([path, "-c", READ, str(places.PACKAGES), str(trace.path)], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    assert told == "all\n"


MANY = places.module(places.TESTS / "tools" / "many_ranks.py")
WRITE = """
import collections, sys
sys.path.insert(0, sys.argv[1])
import duckdb, pyarrow, pyarrow.dataset, pinsight
trace, ours, folder = pinsight.open(sys.argv[2]), sys.argv[3], sys.argv[4]
trace.slices.to_parquet(folder, by=["rank"])
def rows(path, names):
    table = pyarrow.dataset.dataset(path, partitioning="hive").to_table(columns=names)
    return collections.Counter(map(tuple, (row.values() for row in table.to_pylist())))
names = [column.name for column in trace.slices.columns]
written = rows(folder, names)
assert written == rows(ours, names) == collections.Counter(trace.slices.rows())
told = duckdb.sql("select %s from read_parquet('%s/*/*.parquet', hive_partitioning = true)" % (", ".join(names), folder)).fetchall()
assert collections.Counter(told) == written
try:
    trace.slices.to_parquet(folder)
except pyarrow.ArrowInvalid as problem:
    assert folder in str(problem)
    print("written", len(set(row[1] for row in written)))
"""


@pytest.mark.wheel
def test_parquet_by_arrows_own_library(tmp_path):
    """The rows are those of the export, which is written without it."""
    job = MANY.ManyRanks(tmp_path / "trace", 12, steps=3, ranks_per_host=4).write()
    subprocess.run([places.COMMAND, "export", "-q", "--to", "parquet-dataset", "-o", tmp_path / "ours", job.folder], check=True)
    path = newest_with_wheels().with_packages("pyarrow", "pandas", "polars", "duckdb")
    told = subprocess.run([path, "-c", WRITE, str(places.PACKAGES), str(job.folder), str(tmp_path / "ours"), str(tmp_path / "theirs")],
                          stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    assert told == "written 12\n"


STREAM = """
import re, resource, sys
sys.path.insert(0, sys.argv[1])
import pyarrow, pinsight
count = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(pinsight.open(sys.argv[2]).calls.filter(function="f")))
own = int(re.search("VmHWM: *(.*) kB", open("/proc/self/status").read()).group(1)) # ru_maxrss has the parent's before exec, too
print(count, own // 1024, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.wheel
def test_a_stream_needs_no_more_memory_for_a_longer_trace(newest, run_traced):
    """Both processes stay under 300 MiB together, and a trace of ten times as many calls needs as much."""
    path = newest_with_wheels().with_packages("pyarrow", "pandas", "polars", "duckdb")
    needed = []
    for calls in 300_000, 3_000_000:
        folder = run_traced(newest, "def f():\n    pass\nfor i in range(%d):\n    f()\n" % calls, "--lossless", "--events", "function").folder
        count, *memory = map(int, subprocess.run([path, "-c", STREAM, str(places.PACKAGES), str(folder)], stdout=subprocess.PIPE, check=True,
                                                 encoding="utf-8").stdout.split())
        assert count == calls and sum(memory) < 300, memory
        needed.append(sum(memory))
    assert needed[1] < needed[0] + 20, needed


def sql(path, *words, rc=0):
    done = subprocess.run([places.COMMAND, "sql", "--python", path, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8")
    assert done.returncode == rc, done.stderr
    return done.stdout if not rc else done.stderr


def test_sql_without_duckdb(trace, tmp_path):
    """The message names the Python and the cure."""
    (tmp_path / "duckdb.py").write_text("raise ImportError('not here')\n")
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nPYTHONPATH='%s' exec '%s' \"$@\"\n" % (tmp_path, sys.executable))
    program.chmod(0o755)
    message = sql(program, trace.path, "from calls", rc=1)
    assert message.startswith("pinsight: `pinsight sql` needs DuckDB") and "-m pip install duckdb`" in message and message.count("\n") == 1
    assert "sql needs a trace and a query" in sql(program, trace.path, rc=2)
    assert "cannot be run: No such file" in sql(tmp_path / "none", trace.path, "from calls", rc=1)


def test_answers_of_sql(trace, tmp_path):
    """The three forms, with a DuckDB that gives the same answer to each query."""
    (tmp_path / "duckdb.py").write_text(
        "class Error(Exception): pass\nclass connect:\n    description = [('name',), ('n',)]\n"
        "    def register(self, name, table): assert table.name == name\n"
        "    def execute(self, query):\n        if query != 'good': raise Error('bad query')\n"
        "    def fetchall(self): return [('a\\x1bb', 1), (None, 2.5)]\n")
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nPYTHONPATH='%s' exec '%s' \"$@\"\n" % (tmp_path, sys.executable))
    program.chmod(0o755)
    assert sql(program, trace.path, "good").splitlines() == ["name      n", "a\\x1bb    1", "-       2.5"]
    assert sql(program, "--format", "csv", trace.path, "good").splitlines() == ["name,n", "a\x1bb,1", ",2.5"]
    assert json.loads(sql(program, "--format", "json", trace.path, "good")) == [{"name": "a\x1bb", "n": 1}, {"name": None, "n": 2.5}]
    assert sql(program, trace.path, "bad", rc=1) == "pinsight: bad query\n"


def test_many_ranks(tmp_path):
    """A message from each of many ranks arrives at the rank that is due, with few files open at a time."""
    size = 150
    job = Job(tmp_path / "job", size)
    for rank in job.ranks:
        rank.call(100, 200, "Init")
        rank.call(300, 305, "Send", comm=1, dest=(rank.number + 7) % size, tag=1, bytes=100 + rank.number)
        rank.call(400, 450, "Recv", {"source": (rank.number - 7) % size, "tag": 1, "bytes": 100}, comm=1,
                  source=(rank.number - 7) % size, tag=1)
    program = "import resource, sys; sys.path.insert(0, sys.argv[1]); import pinsight\n" \
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n" \
        "print([row[1::3] for row in pinsight.open(sys.argv[2]).messages.rows()])\n"
    told = subprocess.run([sys.executable, "-c", program, str(places.PACKAGES), str(job.write())], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout
    ends = json.loads(told.replace("(", "[").replace(")", "]"))
    assert sorted(row[:2] for row in ends) == [[rank, (rank + 7) % size] for rank in range(size)]


def test_in_a_traced_program(newest, run_traced, trace):
    """The reader of a program that is recorded is not recorded, and reads."""
    program = "import pinsight\nprint(len(pinsight.open(%r).marks.head()))\n" % str(trace.path)
    result = run_traced(newest, program)
    assert result.stdout == "3\n"
    assert len(dicts(pinsight.open(result.folder).processes)) == 1
