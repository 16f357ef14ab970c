"""pinsight export --to csv: rows as Python's csv module and DuckDB read them, against the report of the same trace."""
import collections
import csv
import json
import subprocess

import pytest

from support import mpi, openmp, places
from support.pythons import pythons

NUMBERS = ("pid", "tid", "python_thread", "depth", "line", "begin_ns", "duration_ns", "bytes", "device", "context", "stream", "correlation", "generator")
NAMES = ('a, "quoted" name', "two\nlines", "Umläute ß 雪", "tab\tand ; semicolon")
# The sums of each kind of slice and function, by a reader that is nobody's here.
QUERY = """
import duckdb, json, sys
rows = duckdb.sql("select category, name, file, line, count(*), sum(duration_ns)::bigint from read_csv('%s', header=true, "
                  "all_varchar=false) group by all" % sys.argv[1]).fetchall()
print(json.dumps([[*row] for row in rows]))
"""


def export(trace, to):
    subprocess.run([places.COMMAND, "export", "--to", "csv", "-q", "-o", str(to), str(trace)], check=True)
    with open(to, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    for row in rows:
        assert None not in row and None not in row.values()
        row.update({key: int(row[key]) for key in NUMBERS})
    return rows


def report(trace):
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", str(trace)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode())


def check_nesting(rows):
    """Rows come as slices end; those of a thread lie within each other or one after the other."""
    last, inner = {}, collections.defaultdict(list)
    for row in rows:
        thread, begin, end = (row["pid"], row["tid"]), row["begin_ns"], row["begin_ns"] + row["duration_ns"]
        assert end >= last.get(thread, 0)
        last[thread] = end
        waiting = inner[thread]
        while waiting and waiting[-1][0] > row["depth"]:
            depth, inner_begin = waiting.pop()
            assert depth == row["depth"] + 1 and inner_begin >= begin
        waiting.append((row["depth"], begin))


def check_functions(rows, told):
    calls, totals, active = collections.Counter(), collections.Counter(), {}
    for row in sorted(rows, key=lambda row: (row["begin_ns"], row["depth"])):
        if row["category"] != "python":
            continue
        key = row["name"], row["file"], row["line"]
        calls[key] += 1
        # Of a recursion the outermost counts.
        mine = (row["pid"], row["tid"]) + key
        until, depth = active.get(mine, (0, 0))
        if row["begin_ns"] >= until or row["depth"] <= depth:
            totals[key] += row["duration_ns"]
            active[mine] = row["begin_ns"] + row["duration_ns"], row["depth"]
    functions = collections.Counter()
    for function in told["functions"]:
        key = function["name"], function["file"], function["line"]
        functions[key] += function["total_ns"]
        # A generator's call has a row for each of its slices.
        assert calls[key] >= function["calls"]
        assert calls[key] == function["calls"] or "generating" in key[0] or not key[1].endswith("exported.py")
    assert functions == totals


def test_python_and_openmp(newest, run_traced, tmp_path):
    library = openmp.build_program_as_library("loop_static")
    result = run_traced(newest, "exported", "--lossless", "--no-summary", arguments=[str(library)])
    rows, told = export(result.folder, tmp_path / "a.csv"), report(result.folder)
    check_nesting(rows)
    check_functions(rows, told)
    assert {row["name"] for row in rows if row["category"] == "python"} >= set(NAMES)
    c_calls = [row for row in rows if row["category"] == "c"]
    assert len(c_calls) == sum(call["calls"] for call in told["c_calls"])
    # A region, and each thread's part of it, that of the thread that starts it within.
    parallel = [row for row in rows if row["category"] == "openmp"]
    assert len(parallel) == sum(region["calls"] + region["threads"] for region in told["regions"]) == 4
    assert len({row["tid"] for row in parallel}) == 3
    outer = min((row for row in parallel if row["python_thread"] == 0), key=lambda row: row["depth"])
    assert outer["duration_ns"] == sum(region["total_ns"] for region in told["regions"])
    assert sorted(row["depth"] - outer["depth"] for row in parallel if row["tid"] == outer["tid"]) == [0, 1]
    assert {(row["file"], row["line"]) for row in parallel} == {
        (region["python_file"], region["python_line"]) for region in told["regions"]}


@pytest.mark.storm
def test_messages(run_command, tmp_path):
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    path = pythons()[-1].with_packages("mpi4py")
    env = dict(mpi.ENVIRONMENT, MPI4PY_LIBMPI=flavour.library())
    result = run_command(*flavour.command(2, path, places.PROGRAMS / "exported.py", "-", "mpi"), env=env,
                         options=["--lossless", "--no-summary"])
    assert result.rc == 0, result.stderr
    rows, told = export(result.folder, tmp_path / "a.csv"), report(result.folder)
    check_nesting(rows)
    found = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        if row["category"] == "mpi":
            found[row["name"]][0] += 1
            found[row["name"]][1] += row["duration_ns"]
    assert found == {function["name"]: [function["calls"], function["total_ns"]]
                     for function in told["mpi"]["functions"] if function["calls"]}
    assert sum(row["bytes"] for row in rows) == told["mpi"]["sent_bytes"]
    # The same rows, by DuckDB.
    done = subprocess.run([pythons()[-1].with_packages("duckdb"), "-c", QUERY, str(tmp_path / "a.csv")],
                          stdout=subprocess.PIPE, check=True)
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        one = sums[row["category"], row["name"], row["file"], row["line"]]
        one[0], one[1] = one[0] + 1, one[1] + row["duration_ns"]
    assert sums == {(category, name, file or "", line): [count, total]
                    for category, name, file, line, count, total in json.loads(done.stdout.decode())}
