"""What 100 % is: the time of the bar, in every table and sentence. A row that has 40 % of it says so in each of them."""
import json
import os
import re
import subprocess

import pytest

from support import made, places, screen
from support.screen import TIME

MS = 1000000
ENVIRONMENT = dict(os.environ, COLUMNS="200", LC_ALL="C.UTF-8")


def report(folder, *options):
    return subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, env=ENVIRONMENT,
                          encoding="utf-8", check=True).stdout


def tables(text):
    """[(title, [(time, share)])] of the tables with a column of shares behind one of times."""
    found = []
    for part in text.split("\n\n"):
        lines = part.splitlines()
        head = next((number for number, line in enumerate(lines) if re.search(r"\S +%( |$)", line)), None)
        if not head or "=" in lines[head]:
            continue
        end = re.search(r"\S +%( |$)", lines[head]).end()
        rows = [re.search(r"(%s)(?: [╌:])? +<?([\d.]+)$" % TIME, line[:end].rstrip()) for line in lines[head + 1:]]
        found.append((lines[0], [(screen.ns(row.group(1)), float(row.groups()[-1])) for row in rows if row]))
    return found


def check(folder, *options):
    """Each share is the row's time in the bar's. Returns the titles of the tables that were looked at."""
    told = json.loads(report(folder, "--links", "--format", "json", *options))
    whole = told["bar"]["whole_ns"]
    assert whole == sum(part["ns"] for part in told["bar"]["parts"])
    idle = told["links"]["idle"]
    with_idle = whole + idle["python_ns"] + idle["c_ns"]
    titles = set()
    for which in ((), ("--lines",), ("--links",)):
        for title, rows in tables(report(folder, *which, *options)):
            name = re.split(r"  +", title)[0]
            if name not in ("Your functions", "Your lines", "Python functions", "Calls from Python into C", "Modules", "Threads",
                            "Functions", "Lines"):
                continue
            of = whole if name.startswith("Your") else with_idle
            for ns, share in rows:
                assert abs(share - 100 * ns / of) <= 0.11 + 0.7 * ns / of, (title, ns, share, of, report(folder, *which, *options))
            assert not name.startswith("Your") or sum(share for _, share in rows) <= 101, (title, rows)
            titles.add(name)
    return titles


PROGRAM = """
import sys, threading, time
def spin(count):
    return sum(i * i for i in range(count))
def step(number):
    spin(200)
    if number % 10 == 0:
        time.sleep(0.002)
def work(count):
    for number in range(count):
        step(number)
time.sleep(0.05)
threads = [threading.Thread(target=work, args=(60,)) for _ in range(int(sys.argv[1]))]
for thread in threads: thread.start()
work(60)
for thread in threads: thread.join()
"""

WINDOWS = """
[Lexgion(Python:program.py:step)]
    trace_starts_at = 5
    max_num_traces = 10
    trace_mode_after = %s
"""


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
@pytest.mark.parametrize("threads", [0, 20])
def test_modes(mode, threads, newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    folder = run_command(newest.path, tmp_path / "program.py", threads, options=("--mode", mode, "--no-summary")).folder
    assert {"Your functions", "Python functions"} <= check(folder)


@pytest.mark.parametrize("after", ["OFF", "MONITORING", "STANDBY"])
def test_windows(after, newest, run_command, tmp_path):
    """Most of the run is not recorded, or counted."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "windows.ini").write_text(WINDOWS % after)
    folder = run_command(newest.path, tmp_path / "program.py", 3, options=("-c", tmp_path / "windows.ini", "--no-summary")).folder
    assert {"Your functions", "Python functions"} & set(check(folder))


def late(tmp_path):
    """A process of 200 ms, whose thread is recorded for 40 ms: two functions of the user's."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "work", "/home/u/app.py", 1)
    process.code(2, "inner", "/home/u/app.py", 9)
    thread.python(120 * MS, "begin", 1)
    thread.python(130 * MS, "begin", 2)
    thread.python(140 * MS, "end", 2)
    thread.python(160 * MS, "end", 1)
    process.main.event(200 * MS, "core", "mode_change", pid=70, domain="Python", reason="end", from_mode=3)
    return trace.write()


def test_a_late_start(tmp_path):
    """30 ms and 10 ms of 40 ms, though the process took 200."""
    folder = late(tmp_path)
    assert "Your functions" in check(folder)
    rows = next(rows for title, rows in tables(report(folder)) if title.startswith("Your functions"))
    assert rows == [(30 * MS, 75.0), (10 * MS, 25.0)]


def test_ranks(tmp_path):
    """Two ranks with calls of MPI, of which one waits."""
    trace = made.Trace(tmp_path / "trace", known=("core", "python", "mpi"))
    for number, begin in ((0, 20), (1, 60)):
        process = trace.process(70 + number, rank=number)
        thread = process.thread(70 + number)
        process.code(1, "solve", "/home/u/solver.py", 1)
        thread.event(1, "mpi", "mpi_info", pid=70 + number, rank=number, size=2, flavour="made", library="made", standard="3.1")
        thread.event(1, "mpi", "comm_info", pid=70 + number, comm=1, size=2, rank=number, context=7, name="MPI_COMM_WORLD", ranks="0-1")
        thread.python(10 * MS, "begin", 1)
        thread.event(begin * MS, "mpi", "MPI_Barrier_begin", mpirank=number, mpi_codeptr=0x1000, comm=1)
        thread.event(70 * MS, "mpi", "MPI_Barrier_end")
        thread.python(100 * MS, "end", 1)
    assert "Your functions" in check(trace.write())
