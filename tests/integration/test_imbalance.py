"""`pinsight report --imbalance`: how unequally ranks, or threads, ran functions; beside what the test wrote down, and
beside what other options say of real runs."""
import collections
import csv
import io

import pytest

from support import made
from test_report_ranks import job, report, ring, told  # noqa: F401: ring is a fixture

pytestmark = pytest.mark.timed

DOMAINS = ("openmp", "mpi", "cuda")


def rows_of(folder, *options):
    return told(folder, "--imbalance", *options)["imbalance"]


def expected(name, line, times, over, **who):
    """A row by the running times of the units."""
    row = {"name": name, "file": "/a/program.py", "line": line, "over": over, "number": len(times), "min_ns": min(times),
           "mean_ns": sum(times) // len(times), "max_ns": max(times), "imbalance_ns": max(times) * len(times) - sum(times),
           "max_rank": None, "max_pid": None, "max_python_thread_id": None, "max_tid": None}
    return dict(row, **who)


@pytest.mark.parametrize("workers", [False, True])
def test_ranks(tmp_path, workers):
    """The time in MPI_Barrier is the module's; the time in work() is not, and that of a worker is its rank's."""
    folder = job(tmp_path / "made", workers=workers)
    module = [3950 - 100 * (rank + 1) for rank in range(4)]
    work = [100 * (rank + 1) + 1000 * workers for rank in range(4)]
    rows = rows_of(folder)
    assert sorted(rows, key=lambda row: row["name"]) == [
        expected("<module>", 1, module, "ranks", max_rank=0), expected("work", 10, work, "ranks", max_rank=3)]
    assert rows == sorted(rows, key=lambda row: -row["imbalance_ns"])
    some = rows_of(folder, "--rank", "0,3")
    assert [row for row in some if row["name"] == "work"] == [expected("work", 10, [work[0], work[3]], "ranks", max_rank=3)]
    data = list(csv.DictReader(io.StringIO(report(folder, "--imbalance", "--format", "csv"))))
    assert data == [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]


def threads(folder, times, pids=(70,)):
    """A process (and what it forked) whose threads run work() for so long each; the first has a function of its own."""
    trace = made.Trace(folder)
    for pid in pids:
        process = trace.process(pid, parent=1 if pid == pids[0] else pids[0], began=pid - 70)
        process.code(1, "work", "/a/program.py", 10)
        process.code(2, "alone", "/a/program.py", 20)
        for number, ns in enumerate(times):
            thread = process.thread(pid + number, number, "MainThread" if number == 0 else "Thread-%d" % number)
            thread.function(1000, 1000 + ns + pid - 70, 1)
            if number == 0 and pid == 70:
                thread.function(9000, 9500, 2)
    return trace.write()


def test_threads(tmp_path):
    folder = threads(tmp_path / "made", [100, 700, 300])
    assert rows_of(folder) == [expected("work", 10, [100, 700, 300], "threads", max_pid=70, max_python_thread_id=1, max_tid=71)]
    text = report(folder, "--imbalance", columns=60)
    row = next(line for line in text.splitlines() if line.endswith("work"))
    assert row.split() == ["1.00", "\u00b5s", "700", "ns", "Thread-1", "366", "ns", "100", "ns", "work"], text


def test_workers(tmp_path):
    """Threads of several processes, whose main threads go by the name of the process."""
    folder = threads(tmp_path / "made", [500], pids=(70, 80, 90))
    assert rows_of(folder) == [expected("work", 10, [500, 510, 520], "threads", max_pid=90, max_python_thread_id=0, max_tid=90)]
    assert " worker 2 " in report(folder, "--imbalance")


def test_nothing(tmp_path):
    folder = threads(tmp_path / "made", [500])
    assert rows_of(folder) == []
    assert "There are no ranks to compare, and no function ran in more than one thread." in report(folder, "--imbalance")


def test_counted(newest, run_command, tmp_path):
    """What MONITORING counts is not told apart by thread."""
    (tmp_path / "program.py").write_text("def work(): pass\nwork()\n")
    result = run_command(newest.path, tmp_path / "program.py", options=["--mode", "MONITORING"])
    assert rows_of(result.folder) == []
    assert "record in TRACING to compare them" in report(result.folder, "--imbalance", columns=200)


def running(function):
    """What a function of --links ran, and what it called."""
    ns = function["all_ns"] - function.get("python_waiting_ns", 0) - function.get("c_waiting_ns", 0)
    return ns - sum(function[domain]["wall_" + what + "_ns"] for domain in DOMAINS for what in ("waiting", "away", "ready"))


@pytest.mark.storm
def test_real(ring):  # noqa: F811
    """Of ranks that ran: the fault is on top, and the sums are those of --links."""
    rows = rows_of(ring)
    step = next(row for row in rows if row["name"] == "step")
    assert step["max_rank"] == 1 and step["over"] == "ranks" and step["number"] == 3 and step is rows[0]
    assert step["min_ns"] < step["mean_ns"] < step["max_ns"]
    whole = collections.Counter()
    for rank in range(3):
        for function in told(ring, "--rank", str(rank), "--links")["links"]["functions"]:
            if function["name"]:
                whole[function["name"], function["file"], function["line"]] += running(function)
    for row in rows:
        total = whole[row["name"], row["file"], row["line"]]
        assert total - row["number"] < row["mean_ns"] * row["number"] <= total, row
        assert row["imbalance_ns"] == row["max_ns"] * row["number"] - total, row
