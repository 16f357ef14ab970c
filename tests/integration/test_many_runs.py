"""Runs that share a session daemon: many at once, and beside one whose daemon hangs or is late."""
import subprocess
import time

import pytest

from support import places, world
from support.slow import SlowDaemon
from support.traces import Trace

WORK = "import sys, time\ndef work(): pass\nfor _ in range(200): work()\ntime.sleep(float(sys.argv[1]))\n" \
       "for _ in range(200): work()\n"


def start(place, output, *words, **how):
    return place.start([places.COMMAND, "run", "-o", output, "--no-summary", "--", *words],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def end(process, timeout=120):
    said = process.communicate(timeout=timeout)[1].decode()
    assert process.returncode == 0, said
    return said


def run_at_once(count, folder, python):
    """Starts so many runs at one moment. Each has its calls in its trace."""
    folder.mkdir()
    file = folder / "tiny.py"
    file.write_text("import sys\ndef work(): pass\nfor _ in range(int(sys.argv[1])): work()\n")
    with world.World() as place:
        runs = [start(place, folder / str(number), python.path, file, str(100 + number)) for number in range(count)]
        said = [end(process, timeout=580) for process in runs]
        assert place.left_over(20) == {}
    for number in range(count):
        trace = Trace(folder / str(number))
        assert trace.calls("work") == 100 + number, said[number]
        assert len(trace.infos["process_info"]) == 1


def test_a_dozen_at_once(tmp_path, newest):
    run_at_once(12, tmp_path / "runs", newest)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("time", range(10))
def test_64_at_once(time, tmp_path, newest):
    run_at_once(64, tmp_path / "runs", newest)


@pytest.fixture
def small_disk(own_world, tmp_path):
    return own_world.mount(tmp_path / "disk", "size=3m")


def fill(disk):
    return "head -c 4000000 /dev/zero > %s 2> /dev/null" % (disk / "full")


@pytest.mark.recorder("lttng")
def test_full_disk_is_said_beforehand(own_world, small_disk, tmp_path, newest, script):
    """LTTng's daemons may hang for good there: nobody asks them."""
    own_world.run(["sh", "-c", fill(small_disk)])
    said = end(start(own_world, small_disk / "trace", newest.path, script, "0"))
    assert "nothing is recorded: the disk with %s" % small_disk in said and "is full" in said, said
    end(start(own_world, tmp_path / "next", newest.path, script, "0"))
    assert Trace(tmp_path / "next").calls("work") == 400
    assert own_world.left_over(8) == {}


@pytest.mark.long
@pytest.mark.recorder("lttng")
def test_runs_after_a_daemon_hangs(own_world, small_disk, tmp_path, newest, script):
    """The disk fills up while a session is made, and the consumer daemon hangs: who comes next has another daemon."""
    daemon = SlowDaemon(tmp_path)
    daemon.first(fill(small_disk))
    first = start(own_world, small_disk / "trace", newest.path, script, "0", env=daemon.environment)
    said = end(first)
    assert "is full, so the end of the trace is missing" in said, said
    for number in range(3):
        said = end(start(own_world, tmp_path / str(number), newest.path, script, "0"))
        assert Trace(tmp_path / str(number)).calls("work") == 400, said
        assert len(said.splitlines()) == 1, said
    assert own_world.left_over(20) == {}


@pytest.mark.recorder("lttng")
def test_late_answer_ends_no_daemon_that_others_use(own_world, small_disk, tmp_path, newest, script):
    """A run that started the daemon has no answer when it ends; another that uses it goes on, and is whole."""
    daemon = SlowDaemon(tmp_path)
    late = start(own_world, small_disk / "late", newest.path, "-c",
                 "import os, time\nopen(%r, 'w').close()\nwhile not os.path.exists(%r): time.sleep(.01)" %
                 (str(tmp_path / "late-started"), str(tmp_path / "late-stop")), env=daemon.environment)
    assert world.wait_until((tmp_path / "late-started").exists, 60)
    other = start(own_world, tmp_path / "other", newest.path, "-c",
                  "import os, time\ndef work(): pass\nopen(%r, 'w').close()\nwhile not os.path.exists(%r):\n    work()\n"
                  "    time.sleep(.01)\nfor _ in range(100): work()" %
                  (str(tmp_path / "started"), str(tmp_path / "stop")), env=daemon.environment)
    assert world.wait_until((tmp_path / "started").exists, 60)
    daemon.clients.touch()
    own_world.run(["sh", "-c", fill(small_disk)])  # so that it waits for 5 s, not for half a minute
    (tmp_path / "late-stop").touch()
    said = end(late)
    assert "gave no answer for 5 s" in said, said
    time.sleep(3)
    daemon.clients.unlink()
    (tmp_path / "stop").touch()
    said = end(other)
    assert "has ended" not in said, said
    trace = Trace(tmp_path / "other")
    trace.assert_balanced()
    assert trace.calls("work") > 100
    assert own_world.left_over(20) == {}
