"""Processes have names wherever they are shown: ranks, workers by who started them, else programs."""
import json
import os
import re
import subprocess

import pytest

from support import everything, made, places

POOL = """
import concurrent.futures, json, multiprocessing, os, sys, time

def work(number):
    time.sleep(0.1)
    return os.getpid()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        pids = set(pool.map(work, range(8)))
    print(json.dumps([os.getpid(), sorted(pids)]))
"""


def report(folder, *options, columns=120):
    done = subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", env=dict(os.environ, COLUMNS=str(columns), LC_ALL="C.UTF-8"))
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(folder):
    return {process["pid"]: process["name"] for process in json.loads(report(folder, "--format", "json"))["processes"]}


def busy(process):
    process.code(1, "work", "/a/program.py", 10)
    process.thread(process.pid).function(100, 200, 1)


def write(folder, processes):
    """{pid: (rank, program, parent)}"""
    trace = made.Trace(folder)
    for began, (pid, (rank, program, parent)) in enumerate(processes.items()):
        busy(trace.process(pid, rank, program, parent, began))
    return trace.write()


@pytest.mark.parametrize("processes, expected", [
    ({70: (0, "/a/heat.py", 1), 80: (1, "/a/heat.py", 1)}, {70: "rank 0", 80: "rank 1"}),
    # Workers in the order in which they began, whatever their numbers.
    ({90: (-1, "/a/train.py", 1), 95: (-1, "/a/train.py", 90), 92: (-1, "/a/train.py", 90)},
     {90: "train.py (90)", 95: "worker 1", 92: "worker 2"}),
    # Those of ranks have a rank in their environment.
    ({70: (0, "/a/train.py", 1), 80: (1, "/a/train.py", 1), 71: (0, "/a/train.py", 70), 81: (1, "/a/train.py", 80)},
     {70: "rank 0", 80: "rank 1", 71: "worker 1 of rank 0", 81: "worker 1 of rank 1"}),
    # A worker of a worker; and another program that was started.
    ({70: (-1, "/a/train.py", 1), 71: (-1, "/a/train.py", 70), 72: (-1, "/a/train.py", 71), 73: (-1, "/a/other.py", 70)},
     {70: "train.py (70)", 71: "worker 1 of train.py (70)", 72: "worker 1 of worker 1 of train.py (70)", 73: "other.py (73)"}),
    # Each started by the other: numbers that were used again.
    ({70: (-1, "/a/x.py", 80), 80: (-1, "/a/x.py", 70)}, None),
])
def test_names(tmp_path, processes, expected):
    folder = write(tmp_path / "made", processes)
    told = names(folder)
    assert expected is None or told == expected
    text = report(folder, "--by", "thread")
    rows = re.search(r"\nThreads .*?\n\n", text, re.S).group(0)
    assert all(name in rows for name in told.values()), text


def test_other_screens(tmp_path):
    """No screen of a trace with everything names a process by its number alone."""
    folder = everything.write(tmp_path / "made", 1, names=tuple(name for name in everything.SOUND if name.isascii()))
    for options in (["--by", "thread"], ["--openmp"], ["--cuda"], ["--gil"], ["--locks"], ["--imports"], []):
        text = report(folder, *options, columns=200)
        head = [line for line in text.splitlines() if re.search(r"\bprocess\b", line)]
        assert not re.search(r"process [1-9]", text), text
        assert not head or "rank 0" in text or "rank 1" in text, text


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pool(method, newest, run_command, tmp_path):
    (tmp_path / "pool.py").write_text(POOL)
    result = run_command(newest.path, tmp_path / "pool.py", method)
    assert result.rc == 0, result.stderr
    parent, workers = json.loads(result.stdout)
    told = names(result.folder)
    assert told[parent] == "pool.py (%d)" % parent
    assert {told[pid] for pid in workers} == {"worker %d" % (number + 1) for number in range(len(workers))}
    assert [pid for pid in told if told[pid].startswith("fork server")] != [] or method != "forkserver"


def test_several_ranks_wait(tmp_path):
    """What "2 +2" meant is said in words; and a call that did not return is none of "0 calls"."""
    from test_report_mpi_made import Job
    job = Job(tmp_path / "made", 4)
    for rank in job.ranks:
        rank.call(100, 200, "Init")
        rank.call(1000 + 100000 * (rank.number == 3), 200000, "Barrier", comm=1)
        rank.begin(300000, "Recv", comm=1, source=0, tag=1)
        rank.thread.event(4000000000, "core", "mode_change", pid=rank.pid, domain="MPI", from_mode=3, to_mode=3, reason="ctl")
    text = report(job.write(), "--mpi", columns=160)
    assert " and 2 others " in text and not re.search(r"\d \+\d", text), text
    assert re.search(r"not returned .*MPI_Recv", text), text
