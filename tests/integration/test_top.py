"""`pinsight top`: the first screen of a program that still runs, until it ends."""
import csv
import os
import re
import shutil
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


def test_recorder_is_gone(newest, tmp_path):
    """Who killed `pinsight run` gets screens until the program has ended, and then the reason why none follows."""
    (tmp_path / "program.py").write_text(PROGRAM)
    process = subprocess.Popen([places.COMMAND, "run", "--quiet", "-o", tmp_path / "trace", "--", newest.path, tmp_path / "program.py",
                                tmp_path], stdin=subprocess.DEVNULL)
    try:
        while not (tmp_path / "ready").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
        process.wait()
        top = start(tmp_path)
        counts = []
        while len(counts) < 2:
            line = top.stdout.readline()
            assert line, "the program still records"
            counts += [calls_of_work(line)] if calls_of_work(line) else []
    finally:
        (tmp_path / "end").touch()
    rest, said = top.communicate(timeout=60)
    assert top.returncode == 0 and "no process records into" in said and "`pinsight run` was killed" in said
    last = [calls_of_work(line) for line in rest.splitlines() if calls_of_work(line)]
    assert last and counts[0] <= counts[1] <= last[-1]


def test_nothing_notes_the_end(newest, run_command, tmp_path):
    """As of a program that recorded by itself, or of a copied trace."""
    (tmp_path / "program.py").write_text("import time\ndef work():\n    time.sleep(.01)\nfor _ in range(3):\n    work()\n")
    folder = run_command(newest.path, tmp_path / "program.py").folder
    (folder / "pinsight-run.txt").unlink()
    done = subprocess.run([places.COMMAND, "top", "-n", "0", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", timeout=60)
    assert done.returncode == 0 and "no process records into" in done.stderr and "killed" not in done.stderr
    assert calls_of_work(done.stdout) == 3


def moved_away(copy):
    """As from another machine: its folder has that one's name, and its processes are of another boot."""
    (host,) = (copy / "trace").iterdir()
    host.rename(copy / "trace" / "elsewhere")
    info = copy / "pinsight-run.txt"
    info.write_text(re.sub(r"(?m)^(runner \d+ \d+ \w+) \w+$", r"\1 1234567890abcdef", info.read_text()))


@pytest.mark.parametrize("change", [lambda copy: None, moved_away], ids=["here", "elsewhere"])
def test_copy_of_what_is_not_finished(change, running, tmp_path):
    """Although the original is still being recorded: nothing will follow in the copy."""
    shutil.copytree(running / "trace", tmp_path / "copy")
    change(tmp_path / "copy")
    done = subprocess.run([places.COMMAND, "top", "-n", "0", tmp_path / "copy"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", timeout=60)
    assert done.returncode == 0 and done.stdout.count(" recorded · ") == 1
    assert "is a copy of a trace whose recording had not ended" in done.stderr and "killed" not in done.stderr
    os.rename(running / "trace", running / "renamed")  # that is no copy
    top = subprocess.Popen([places.COMMAND, "top", "-n", "0", running / "renamed"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, encoding="utf-8")
    screens = (line for line in top.stdout if " recorded · " in line)
    assert next(screens, None) and next(screens, None), "the original has one screen after the other"
    os.rename(running / "renamed", running / "trace")
    top.kill()
    top.communicate()


@pytest.fixture
def untraced(newest, tmp_path):
    """A program that runs without PInsight, until the file `end` is there."""
    (tmp_path / "program.py").write_text(PROGRAM + "print('own output')\n")
    process = subprocess.Popen([newest.path, tmp_path / "program.py", tmp_path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, encoding="utf-8")
    while not (tmp_path / "ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    (tmp_path / "temporary").mkdir()
    yield process, tmp_path
    (tmp_path / "end").touch()
    assert (process.communicate(timeout=60)[0], process.returncode) == ("own output\n", 0)


def top_of(pid, folder, *options):
    return subprocess.Popen([places.COMMAND, "top", "-n", "0", *options, str(pid)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding="utf-8", cwd=folder, env=dict(os.environ, TMPDIR=str(folder / "temporary")))


def not_recorded(pid):
    done = subprocess.run([places.COMMAND, "detach", str(pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    return done.returncode == 1 and "is not recorded" in done.stderr


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_a_process_that_is_not_recorded(untraced, number):
    """It is recorded while it is shown, as it was before afterwards, and nothing is left of it."""
    process, folder = untraced
    top = top_of(process.pid, folder)
    assert any(calls_of_work(line) for line in top.stdout)
    # No command for a trace that is gone soon.
    assert next(line for line in top.stdout if line.startswith("Next")) == "Next  Ctrl-C lets the process go; pinsight top -o DIR PID keeps the trace\n"
    top.send_signal(number)
    top.send_signal(number)  # by somebody who does not wait
    said = top.communicate(timeout=60)[1]
    assert top.returncode == 130, said
    assert not_recorded(process.pid) and not os.listdir(folder / "temporary") and not said
    with open("/proc/%d/maps" % process.pid) as maps:
        assert str(folder) not in maps.read()


def test_the_shown_part_is_kept(untraced):
    process, folder = untraced
    top = top_of(process.pid, folder, "-o", "kept", "--last", "1s")
    shown = next(line for line in top.stdout if line.startswith("flight recorder: "))
    assert any(calls_of_work(line) for line in top.stdout)
    top.send_signal(signal.SIGINT)
    assert (top.communicate(timeout=60), top.returncode)[1] == 130
    done = subprocess.run([places.COMMAND, "report", "-q", "--limit", "0", "--format", "csv", folder / "kept"], stdout=subprocess.PIPE,
                          encoding="utf-8")
    assert shown and [row["name"] for row in csv.DictReader(done.stdout.splitlines()) if row["name"] == "work"] == ["work"]


@pytest.mark.storm
def test_a_process_that_cannot_be_let_go_yet(newest, tmp_path):
    """The program is in C code that holds the interpreter: its folder stays, so that its output has no word of PInsight."""
    (tmp_path / "program.py").write_text(PROGRAM + """
import ctypes
open(sys.argv[1] + "/holds", "w").close()
ctypes.PyDLL(None).sleep(15)
print('own output')
""")
    (tmp_path / "temporary").mkdir()
    process = subprocess.Popen([newest.path, tmp_path / "program.py", tmp_path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, encoding="utf-8")
    while not (tmp_path / "ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    top = top_of(process.pid, tmp_path)
    assert any(calls_of_work(line) for line in top.stdout)
    (tmp_path / "end").touch()
    while not (tmp_path / "holds").exists():
        assert process.poll() is None
        time.sleep(0.05)
    top.send_signal(signal.SIGINT)
    said = top.communicate(timeout=60)[1]
    assert "is in C code that holds the interpreter" in said and "because the process still records into it" in said
    assert os.listdir(tmp_path / "temporary")
    assert (process.communicate(timeout=60)[0], process.returncode) == ("own output\n", 0)


def test_the_program_ends_first(untraced):
    process, folder = untraced
    top = top_of(process.pid, folder)
    assert any(calls_of_work(line) for line in top.stdout)
    (folder / "end").touch()
    said = top.communicate(timeout=60)[1]
    assert top.returncode == 0 and "an attached process has ended; this is the last screen" in said
    assert not os.listdir(folder / "temporary")


def test_a_process_that_is_recorded(running):
    """Its trace is shown, and its recording goes on."""
    (pid,) = {int(re.match(r"\.?(\d+)-", file.name).group(1)) for file in (running / "trace").rglob("*") if re.match(r"\.?\d+-", file.name)}
    top = subprocess.Popen([places.COMMAND, "top", "-n", "0", str(pid)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, encoding="utf-8")
    assert any(calls_of_work(line) for line in top.stdout), top.stderr.read()
    top.send_signal(signal.SIGINT)
    assert (top.communicate(timeout=60), top.returncode)[1] == 130
    assert not not_recorded(pid)


@pytest.mark.parametrize("words, said, rc", (
    (["999999999"], "there is no process 999999999", 1), (["1", "--last", "soon"], "--last cannot be 'soon': write how much to keep", 2),
    (["99999999999999"], "is no number of a process", 2)))
def test_no_such_process(words, said, rc, tmp_path):
    done = subprocess.run([places.COMMAND, "top", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == rc and said in done.stderr, done.stderr
