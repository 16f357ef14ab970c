"""Reports of some ranks (--rank), and with a row for each (--by rank)."""
import collections
import csv
import io
import json
import os
import subprocess

import pytest

from support import made, mpi, mpi4py_source, places
from support.pythons import pythons

pytestmark = pytest.mark.timed

RING = """
import sys, time
from mpi4py import MPI

def step(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))

comm = MPI.COMM_WORLD
for _ in range(3):
    step(0.3 if comm.rank == 1 else 0.05)
    comm.Barrier()
"""


def run(folder, *options, columns=120):
    return subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", env=dict(os.environ, COLUMNS=str(columns), LC_ALL="C.UTF-8"))


def report(folder, *options, **how):
    done = run(folder, *options, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(folder, *options):
    return json.loads(report(folder, "--format", "json", *options))


def job(folder, by_launcher=True, workers=False):
    """Four ranks with a process of their own each: rank r calls work() r + 1 times for 100 ns, and is for 50 ns in
    MPI_Barrier; where it has a worker, that calls it once for 1,000 ns."""
    trace = made.Trace(folder, known=("core", "python", "mpi"))
    for rank in range(4):
        pid = 70 + 10 * rank
        process = trace.process(pid, rank if by_launcher else -1)
        process.code(1, "work", "/a/program.py", 10)
        process.code(2, "<module>", "/a/program.py", 1)
        thread = process.thread(pid)
        thread.event(1, "mpi", "mpi_info", pid=pid, rank=rank, size=4, flavour="made", library="made", standard="3.1")
        thread.event(1, "mpi", "comm_info", pid=pid, comm=1, size=4, rank=rank, context=7, name="MPI_COMM_WORLD", ranks="0-3")
        thread.python(50, "begin", 2)
        for number in range(rank + 1):
            thread.function(1000 + 200 * number, 1100 + 200 * number, 1)
        thread.event(3000, "mpi", "MPI_Barrier_begin", mpirank=rank, mpi_codeptr=0x1000, comm=1)
        thread.event(3050, "mpi", "MPI_Barrier_end")
        thread.python(4000, "end", 2)
        if workers:
            worker = trace.process(pid + 1, rank, parent=pid, began=20)
            worker.code(1, "work", "/a/program.py", 10)
            worker.thread(pid + 1).function(5000, 6000, 1)
    return trace.write()


def calls(report):
    return {row["name"]: (row["calls"], row["total_ns"], row["self_ns"]) for row in report["functions"]}


@pytest.mark.parametrize("by_launcher", [True, False])
def test_rank_is_its_process(tmp_path, by_launcher):
    """Also what it did before it was known which rank it is."""
    folder = job(tmp_path / "made", by_launcher)
    for rank in range(4):
        one, same = told(folder, "--rank", str(rank)), told(folder, "--process", str(70 + 10 * rank))
        assert one["filter"] == {"thread": None, "process": None, "rank": str(rank)}
        assert same["filter"] == {"thread": None, "process": 70 + 10 * rank, "rank": None}
        assert calls(one) == calls(same) and calls(one)["work"] == (rank + 1, 100 * (rank + 1), 100 * (rank + 1))
        for key in set(one) - {"filter"}:
            assert one[key] == same[key], key


def test_lists(tmp_path):
    folder = job(tmp_path / "made")
    for words, ranks in (("0", [0]), ("0,2-3", [0, 2, 3]), ("1-2,1", [1, 2]), ("0-3", [0, 1, 2, 3])):
        one = told(folder, "--rank", words)
        assert calls(one)["work"][0] == sum(rank + 1 for rank in ranks), words
        assert {process["name"] for process in one["processes"]} == {"rank %d" % rank for rank in ranks}
    assert told(folder, "--rank", "0-3")["functions"] == told(folder)["functions"]


@pytest.mark.parametrize("words, says", [
    ("7", "there is no rank 7 in this trace; it has 0, 1, 2, 3"), ("0,9-12", "there is no rank 9 in this trace; it has 0, 1, 2, 3"),
])
def test_absent(tmp_path, words, says):
    done = run(job(tmp_path / "made"), "--rank", words)
    assert done.returncode == 1 and done.stderr == "pinsight: %s\n" % says and done.stdout == ""


@pytest.mark.parametrize("words", ["", "x", "1,", ",1", "3-1", "1-", "-1", "99999999999", "1 2"])
def test_wrong(tmp_path, words):
    done = run(tmp_path, "--rank=" + words)
    assert done.returncode == 2 and "--rank takes numbers and ranges such as 0 or 0,4-7, not '%s'" % words in done.stderr


def test_without_ranks(tmp_path):
    trace = made.Trace(tmp_path / "made")
    process = trace.process(70)
    process.code(1, "work", "/a/program.py", 10)
    process.thread(70).function(100, 200, 1)
    folder = trace.write()
    assert "No process has a rank" in report(folder, "--by", "rank") and told(folder, "--by", "rank")["by_rank"] == []
    done = run(folder, "--rank", "0")
    assert done.returncode == 1 and done.stderr == "pinsight: there is no rank 0 in this trace; it has none\n"


@pytest.mark.parametrize("workers", [False, True])
def test_by_rank(tmp_path, workers):
    """A row for each rank: it ran from its module's begin to its end but for the barrier, and so did its worker."""
    folder = job(tmp_path / "made", workers=workers)
    rows = told(folder, "--by", "rank")["by_rank"]
    for rank, row in enumerate(rows):
        assert (row["rank"], row["processes"], row["hostname"]) == (rank, 1 + workers, "made")
        assert row["calls"] == 1 + rank + 1 + workers and row["c_calls"] == 0
        assert row["mpi_ns"] == 50
        assert row["running_ns"] + row["waiting_ns"] == 3950 + 1000 * workers and row["ready_ns"] == 0
        assert row["waiting_ns"] <= 50
    text = report(folder, "--by", "rank", columns=60)
    lines = text[text.index("\nRanks"):].splitlines()
    assert lines[2].split()[:4] == ["rank", "running", "%", "waiting"] and [line.split()[0] for line in lines[3:7]] == list("0123")
    data = list(csv.DictReader(io.StringIO(report(folder, "--by", "rank", "--format", "csv"))))
    assert [{key: row[key] for key in row} for row in data] == [{key: "" if row[key] is None else str(row[key]) for key in row} for row in rows]
    assert len(told(folder, "--by", "rank", "--rank", "1,3")["by_rank"]) == 2


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    """The folder of a real run of three ranks, of which rank 1 computes for longer."""
    folder = tmp_path_factory.mktemp("ring")
    flavour = next((one for one in mpi.flavours() if one.is_there), None) or places.missing("an MPI")
    path = pythons()[-1].with_packages("mpi4py", "numpy")
    (folder / "ring.py").write_text(RING)
    env = dict(os.environ, **mpi.ENVIRONMENT, **mpi4py_source.environment(flavour, folder / "lib"))
    done = subprocess.run([places.COMMAND, "run", "-q", "-o", folder / "trace", *flavour.command(3, path, folder / "ring.py")],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=180, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return folder / "trace"


def test_real(ring):
    """The ranks' rows add up to what the whole says, and rank 1 ran for longest."""
    rows = told(ring, "--by", "rank")["by_rank"]
    assert [row["rank"] for row in rows] == [0, 1, 2]
    assert max(rows, key=lambda row: row["running_ns"])["rank"] == 1
    threads = told(ring)["threads"]
    assert sum(row["calls"] for row in rows) == sum(thread["calls"] for thread in threads)
    in_mpi = collections.Counter()
    for function in told(ring, "--mpi")["mpi"]["functions"]:
        in_mpi.update({rank["rank"]: rank["total_ns"] for rank in function["ranks"]})
    for row in rows:
        assert row["mpi_ns"] == in_mpi[row["rank"]] and row["running_ns"] <= row["wall_ns"]
    assert {row["name"]: row["calls"] for row in told(ring, "--rank", "1")["functions"]}["step"] == 3
