"""Traces that are rotated while the program runs: LTTng moves what was recorded so far into a chunk."""
import collections
import json
import os
import subprocess
import time

import pytest

from support import places
from support.rotation import Running

# LTTng rotates what it records.
pytestmark = pytest.mark.recorder("lttng")

PROGRAM = """
import os, sys, time
def step():
    pass
def phase(number, calls):
    for _ in range(calls):
        step()
    open("ready-%d" % number, "w").close()
    while not os.path.exists("go-%d" % number):
        time.sleep(0.01)
def main():
    phase(0, 100)
    phase(1, 200)
    phase(2, 400)
main()
"""


BUSY = """
import os, threading, time
def inner(i):
    return i * i
def work(count):
    for i in range(count):
        inner(i)
def busy():
    while not os.path.exists("go-0"):
        work(5)
        time.sleep(0.002)
def main():
    child = os.fork()
    thread = threading.Thread(target=busy)
    thread.start()
    open("ready-0", "w").close()
    busy()
    thread.join()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
main()
"""


@pytest.fixture
def run(newest, tmp_path):
    running = []

    def start(names, program=PROGRAM):
        running.append(Running(newest, tmp_path, names, program))
        return running[-1]
    yield start
    for one in running:
        if one.process.poll() is None:
            one.end()


def report(folder, *options):
    done = subprocess.run([places.COMMAND, "report", "--format", "json", str(folder), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def calls(told, name="step"):
    return sum(row["calls"] for row in told["functions"] if row["name"] == name)


def nothing_lost(told):
    missing = told["not_recorded"]
    return not (missing["discarded_events"] or missing["lost_frames"] or missing["dropped_ends"]
                or missing["damaged_streams"] or missing["warnings"])


@pytest.mark.smoke
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_chunks(run, names):
    running = run(names)
    running.wait_for(0)
    first = running.rotate()
    # While the program runs and waits.
    told = report(first)
    assert calls(told) == 100 and nothing_lost(told)
    assert not told["trace"]["later_chunk"] and not told["not_recorded"]["incomplete"]
    assert told["not_recorded"]["open_at_end"] >= 2  # main and phase
    running.go_on(0)
    running.wait_for(1)
    second = running.rotate()
    told = report(second)
    assert told["trace"]["later_chunk"] and nothing_lost(told)
    assert 1 <= told["not_recorded"]["began_before"] <= 2  # phase, and a sleep in it
    assert calls(told) == 200
    process, = told["processes"]
    assert process["command"].endswith("program.py") and process["domains"][0]["runtime"].startswith("CPython")
    assert [(thread["python_thread_id"], thread["name"]) for thread in told["threads"]] == [(0, "MainThread")]
    # Chunks that are whole, and nothing of the one that is written.
    told = report(running.trace)
    assert calls(told) == 300 and told["not_recorded"]["incomplete"]
    running.go_on(1)
    running.wait_for(2)
    said = running.end()
    assert "Nothing was lost" in said and " ! " not in said and "damaged" not in said
    assert len(running.chunks()) == 3 and not (running.trace / "ust").exists()
    told = report(running.trace)
    assert calls(told) == 700 and calls(told, "phase") == 3 and nothing_lost(told)
    assert told["not_recorded"]["open_at_end"] == 0 and told["not_recorded"]["began_before"] == 0
    assert not told["not_recorded"]["incomplete"]
    step, = [row for row in told["functions"] if row["name"] == "step"]
    assert (os.path.basename(step["file"]), step["line"], step["module"]) == ("program.py", 3, "__main__")
    dumped = subprocess.run([places.COMMAND, "dump", str(running.trace)], stdout=subprocess.PIPE, check=True,
                            encoding="utf-8").stdout
    assert dumped.count("function_begin  step ") == 700
    times = [float(line.split()[0]) for line in dumped.splitlines()]
    assert times == sorted(times)


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_chunks_add_up(run, names):
    """Of several threads in two processes, each call began in one chunk; where it ended in another, both say so."""
    running = run(names, BUSY)
    running.wait_for(0)
    for _ in range(3):
        time.sleep(0.3)
        running.rotate()
    running.end()
    whole = report(running.trace)
    assert nothing_lost(whole) and len(running.chunks()) == 4
    chunks = [report(chunk) for chunk in running.chunks()]
    assert all(nothing_lost(chunk) for chunk in chunks)
    by_name = [collections.Counter() for _ in range(2)]
    for which, parts in enumerate(([whole], chunks)):
        for part in parts:
            for row in part["functions"]:
                by_name[which][row["name"], row["file"], row["line"]] += row["calls"]
    assert by_name[0] == by_name[1]
    began, still_open = (sum(chunk["not_recorded"][key] for chunk in chunks) for key in ("began_before", "open_at_end"))
    assert began >= 12 and still_open - began == whole["not_recorded"]["open_at_end"]
    for chunk in chunks:
        assert len(chunk["processes"]) == 2 and not chunk["not_recorded"]["unnamed_functions"]
        assert {(thread["python_thread_id"], thread["name"]) for thread in chunk["threads"]} == {
            (thread["python_thread_id"], thread["name"]) for thread in whole["threads"]}


def test_reading_while_it_rotates(run):
    """Whatever the moment, no chunk is missing, and none is read twice."""
    running = run("inline")
    running.wait_for(0)
    running.rotate()
    session = running.trace / "pinsight-run.txt"
    name = next(line.split(" ", 1)[1] for line in session.read_text().splitlines() if line.startswith("session "))
    rotating = subprocess.Popen(["bash", "-c", "for i in $(seq 12); do lttng --no-sessiond rotate %s; done" % name],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    looks = 0
    while rotating.poll() is None:
        told = report(running.trace)
        assert calls(told) == 100 and not told["not_recorded"]["damaged_streams"]
        looks += 1
    assert rotating.wait() == 0 and looks
    assert "Nothing was lost" in running.end()


STARTS = """
import os, threading, time
def step():
    time.sleep(0.002)
def inner():
    while not os.path.exists("go-0"):
        step()
def leads():
    threading.Thread(target=inner, name="the inner").start()  # INNER
def main():
    leader = threading.Thread(target=leads, name="the leader")
    leader.start()
    leader.join()
    open("ready-0", "w").close()
    inner()
main()
"""


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_starts_of_threads(run, names):
    """A later chunk says who started a thread that goes on, from which line, and what the thread runs. The starter has ended."""
    running = run(names, STARTS)
    running.wait_for(0)
    running.rotate()
    later = running.rotate()
    (start,) = (start for start in report(later, "--starts")["thread_starts"] if start["name"] == "the inner")
    line = 1 + next(number for number, line in enumerate(STARTS.splitlines()) if line.endswith("# INNER"))
    assert (start["starter"], start["function"], start["line"], start["runs"]) == ("the leader", "leads", line, "inner")
    running.end()
