"""`pinsight top`: the first screen of a program that still runs, until it ends."""
import csv
import re
import signal
import subprocess
import time

import pytest

from support import places

PROGRAM = """
import os, sys, time
def work():
    time.sleep(0.001)
open(sys.argv[1] + "/ready", "w").close()
while not os.path.exists(sys.argv[1] + "/end"):
    work()
"""


@pytest.fixture
def running(newest, tmp_path):
    """The folder of a trace that a program is being recorded into; it runs until the file `end` is there."""
    (tmp_path / "program.py").write_text(PROGRAM)
    process = subprocess.Popen([places.COMMAND, "run", "--quiet", "-o", tmp_path / "trace", "--", newest.path, tmp_path / "program.py",
                                tmp_path], stdin=subprocess.DEVNULL)
    while not (tmp_path / "ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    yield tmp_path
    (tmp_path / "end").touch()
    assert process.wait(60) == 0


def start(folder):
    return subprocess.Popen([places.COMMAND, "top", "-n", "0", folder / "trace"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding="utf-8")


def calls_of_work(screen):
    found = re.search(r" ([\d,]+)(?: +[\d.]+ \S+)+ +work ", screen)  # then its mean and its longest call
    return found and int(found.group(1).replace(",", ""))


def test_screens_until_the_end(running):
    top = start(running)
    counts = []
    for number, line in enumerate(top.stdout):
        if calls_of_work(line):
            counts.append(calls_of_work(line))
        if len(counts) == 3 or number == 3000:  # screens that have no such row end, too
            (running / "end").touch()
    assert top.wait(60) == 0, top.stderr.read()
    assert len(counts) > 3 and counts == sorted(counts) and counts[0] < counts[2], "each has what was recorded until then"
    done = subprocess.run([places.COMMAND, "report", "-q", "--limit", "0", "--format", "csv", running / "trace"], stdout=subprocess.PIPE,
                          encoding="utf-8")
    assert [int(row["calls"]) for row in csv.DictReader(done.stdout.splitlines()) if row["name"] == "work"] == counts[-1:]


def test_ctrl_c(running):
    top = start(running)
    assert any("work" in line for line in top.stdout)
    top.send_signal(signal.SIGINT)
    assert (top.communicate(timeout=60), top.returncode)[1] == 130


def test_nothing_there(tmp_path):
    done = subprocess.run([places.COMMAND, "top", tmp_path / "none"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 1 and "there is no folder" in done.stderr
    done = subprocess.run([places.COMMAND, "top"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 2 and "which trace?" in done.stderr
