"""What is in the trace of pinsight run --recorder file: of killed programs, jobs, processes that go on."""
import json
import os
import signal
import struct
import subprocess
import time

import pytest

from support import places, world
from support.traces import Trace

COUNTING = """
import mmap, os, sys, time
file = open(sys.argv[1], "r+b")
shared = mmap.mmap(file.fileno(), 4096)
view = memoryview(shared).cast("Q")
def work(i):
    view[0] = i + 1
i = 0
while i < int(sys.argv[2]):
    work(i)
    i += 1
    if i % 100 == 0: time.sleep(0.0005)  # the trace is not so large that reading it takes seconds
"""
WORK_100 = "def work():\n    return len('abc')\nfor _ in range(100): work()\nprint('ran')\n"
WORK = "import sys, time\ndef work(): pass\nfor _ in range(int(sys.argv[1])): work()\n"


def start(place, tmp_path, *words, options=(), **more):
    return place.start([places.COMMAND, "run", "--recorder", "file", "-o", tmp_path / "out", *options, "--", *words],
                       cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def finish(process, timeout=60):
    out, text = process.communicate(timeout=timeout)
    return process.returncode, out.decode(), text.decode(errors="replace")


def buffers(folder):
    return [path.name for path in (folder / "trace").rglob(".*") if path.is_file() and path.name not in (".control", ".streams")]


def report(folder):
    return subprocess.run([places.COMMAND, "report", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=True)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "work_100.py"
    path.write_text(WORK_100)
    return path


@pytest.fixture
def counting(tmp_path):
    """Starts a program that counts its calls in a page of its own; count() reads it."""
    page, script = tmp_path / "page", tmp_path / "counting.py"
    page.write_bytes(b"\0" * 4096)
    script.write_text(COUNTING)

    def count():
        return struct.unpack("Q", page.read_bytes()[:8])[0]

    return [script, page], count


def wait_for_calls(count, calls):
    assert world.wait_until(lambda: count() >= calls, 30)


def test_whole_and_nothing_left(own_world, newest, tmp_path, script):
    done = finish(start(own_world, tmp_path, newest.path, script))
    assert done[:2] == (0, "ran\n"), done
    assert own_world.left_over(0.5) == {} and buffers(tmp_path / "out") == []
    trace = Trace(tmp_path / "out")
    trace.assert_balanced()
    assert trace.calls("work") == 100 and len(trace.infos["process_info"]) == 1


@pytest.mark.parametrize("way", ["program", "run", "both"])
def test_killed(way, own_world, newest, tmp_path, counting):
    """Every call that the program counted is in the trace, whoever was killed."""
    words, count = counting
    process = start(own_world, tmp_path, newest.path, *words, "100000000")
    wait_for_calls(count, 50000)
    (program,) = [pid for pid, line in own_world.processes().items() if line.startswith(newest.path)]
    if way != "program":
        process.kill()
        process.wait(timeout=20)
        seen = count()
        wait_for_calls(count, seen + 30000)
    os.kill(program, signal.SIGKILL)
    if way == "program":
        assert finish(process)[0] == -signal.SIGKILL
    assert world.wait_until(lambda: program not in own_world.processes(), 20)
    if way == "both":
        assert buffers(tmp_path / "out") != []
    report(tmp_path / "out")
    assert buffers(tmp_path / "out") == []
    counted = count()
    assert counted <= Trace(tmp_path / "out").calls("work") <= counted + 1


def test_a_process_that_outlives_the_command(own_world, newest, tmp_path):
    """It goes on recording, and the next report finishes what it left."""
    source = tmp_path / "late.py"
    source.write_text("import time\ndef work(): pass\nfor _ in range(2):\n"
                      "    for _ in range(1000): work()\n    time.sleep(2)\n")
    command = 'setsid "$@" </dev/null >/dev/null 2>&1 & sleep 1'
    status, _, text = finish(start(own_world, tmp_path, "sh", "-c", command, "sh", newest.path, source))
    assert status == 0 and "went on recording: " in " ".join(text.split()), text
    assert world.wait_until(lambda: not any(line.startswith(newest.path)
                                            for line in own_world.processes().values()), 60)
    report(tmp_path / "out")
    assert buffers(tmp_path / "out") == []
    trace = Trace(tmp_path / "out")
    trace.assert_balanced()
    assert trace.calls("work") == 2000


def test_forked_children(own_world, newest, tmp_path):
    source = tmp_path / "forks.py"
    source.write_text("import os\ndef parent(): pass\ndef child(): pass\nparent()\n"
                      "for _ in range(5):\n    pid = os.fork()\n    if not pid:\n        child()\n        os._exit(0)\n"
                      "    os.waitpid(pid, 0)\n    parent()\n")
    assert finish(start(own_world, tmp_path, newest.path, source))[0] == 0
    trace = Trace(tmp_path / "out")
    assert (trace.calls("parent"), trace.calls("child")) == (6, 5)
    assert buffers(tmp_path / "out") == []


def test_max_size(own_world, newest, tmp_path):
    source = tmp_path / "work.py"
    source.write_text(WORK)
    done = finish(start(own_world, tmp_path, newest.path, source, "2000000", options=("--max-size", "1M")))
    assert done[0] == 0
    size = sum(path.stat().st_size for path in (tmp_path / "out" / "trace").rglob("*-*") if path.is_file())
    assert 1000 << 10 < size < 1500 << 10
    assert "size limit" in done[2]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first", "last"])
def test_a_job(order, own_world, newest, tmp_path):
    source = tmp_path / "work.py"
    source.write_text(WORK)
    processes = {}
    for rank in order:
        env = dict(os.environ, PMI_RANK=str(rank), PMI_SIZE="2", MPI_LOCALRANKID=str(rank), MPI_LOCALNRANKS="2")
        processes[rank] = start(own_world, tmp_path, newest.path, source, 100 * (rank + 1), env=env)
        time.sleep(0.1)
    said = {rank: finish(process) for rank, process in processes.items()}
    assert [said[rank][0] for rank in (0, 1)] == [0, 0]
    assert "Next" in said[0][2] and not said[1][2]
    trace = Trace(tmp_path / "out")
    assert trace.calls("work") == 300 and len(trace.infos["process_info"]) == 2
    assert sorted(event.fields["rank"] for event in trace.infos["process_info"]) == [0, 1]
    assert own_world.left_over(2) == {} and buffers(tmp_path / "out") == []


def test_a_run_within_a_run(own_world, newest, tmp_path, script):
    inner = [places.COMMAND, "run", "-q", "-o", tmp_path / "inner", "--", newest.path, script]
    done = finish(start(own_world, tmp_path, *inner))
    assert done[0] == 0 and str(tmp_path / "inner") in "".join(done[2].split()), done
    assert Trace(tmp_path / "inner").calls("work") == 100
    assert not any((tmp_path / "out" / "trace").rglob("*-*-0"))


def test_a_running_process_is_controlled(own_world, newest, tmp_path):
    source = tmp_path / "wait.py"
    source.write_text("import sys, time\ndef work(): pass\nprint('on', flush=True)\n"
                      "for line in sys.stdin:\n    work()\n    print('did', flush=True)\n")
    process = start(own_world, tmp_path, newest.path, source, stdin=subprocess.PIPE)
    for mode in ("OFF", "TRACING"):
        process.stdin.write(b"\n")
        process.stdin.flush()
        while b"did" not in process.stdout.readline():
            pass
        done = own_world.run([places.COMMAND, "ctl", tmp_path / "out", "mode", "Python=" + mode], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    process.stdin.close()
    process.stdin = None
    assert finish(process)[0] == 0
    trace = Trace(tmp_path / "out")
    trace.assert_balanced()
    assert trace.calls("work") == 1


def test_an_introspection_reads_what_came_since_the_last(own_world, newest, tmp_path):
    source, script = tmp_path / "long.py", tmp_path / "look.sh"
    source.write_text("import sys, time\ndef work(): pass\nfor _ in range(100): work()\nprint('on', flush=True)\n"
                      "sys.stdin.read()\n")
    script.write_text('#!/bin/sh\necho "$1" >%s/chunk\n"$PINSIGHT" report "$1" --format json >%s/said\n' % (tmp_path, tmp_path))
    script.chmod(0o755)
    process = start(own_world, tmp_path, newest.path, source, stdin=subprocess.PIPE)
    assert process.stdout.readline() == b"on\n"
    done = own_world.run([places.COMMAND, "ctl", tmp_path / "out", "introspect", "--script", script, "--pause", "-1"],
                         cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    process.stdin.close()
    process.stdin = None
    status, _, text = finish(process)
    assert status == 0 and (tmp_path / "chunk").read_text() == "%s\n" % (
        tmp_path / "out" / "trace" / os.uname().nodename / ".chunks" / "1"), text
    rows = json.loads((tmp_path / "said").read_text())["functions"]
    assert [row["calls"] for row in rows if row["name"] == "work"] == [100]
    assert Trace(tmp_path / "out").calls("work") == 100
