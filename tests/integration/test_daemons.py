"""Session daemons in odd states: stopped, ending, without memory; and a run inside a run."""
import os
import signal
import subprocess
import time

import pytest

from support import places, world
from support.traces import Trace

WORK = "import sys, time\ndef work(): pass\nfor _ in range(200): work()\ntime.sleep(float(sys.argv[1]))\n"


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "work.py"
    file.write_text(WORK)
    return file


def start(place, tmp_path, *words, **how):
    return place.start([places.COMMAND, "run", "-o", tmp_path / "trace", "--no-summary", *words], cwd=tmp_path,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def wait_for_trace(tmp_path):
    assert world.wait_until((tmp_path / "trace" / "pinsight-run.txt").exists, 20)
    time.sleep(0.7)


@pytest.mark.parametrize("which", ["lttng-sessiond", "lttng-consumerd"])
def test_own_daemon_is_stopped(which, own_world, tmp_path, newest, script):
    """Somebody stops a daemon that PInsight started: it is made to go on at the end, and nothing is lost."""
    process = start(own_world, tmp_path, "--", newest.path, script, "1.5")
    wait_for_trace(tmp_path)
    for pid in own_world.named(which):
        os.kill(pid, signal.SIGSTOP)
    said = process.communicate(timeout=40)[1]
    assert process.returncode == 0, said
    assert own_world.left_over(8) == {}
    assert Trace(tmp_path / "trace").calls("work") == 200


def test_other_daemon_is_stopped_in_between(world_with_daemon, tmp_path, newest, script):
    place = world_with_daemon
    process = start(place, tmp_path, "--", newest.path, script, "1.5")
    wait_for_trace(tmp_path)
    os.kill(place.daemon.pid, signal.SIGSTOP)
    said = process.communicate(timeout=40)[1].decode()
    os.kill(place.daemon.pid, signal.SIGCONT)
    assert process.returncode == 0
    assert "is stopped" in said and "lttng destroy pinsight-" in said, said
    assert Trace(tmp_path / "trace").calls("work") == 200
    assert place.run(["lttng", "destroy", "--all"]).returncode == 0
    assert place.left_over(8) == {}


def test_other_daemon_is_stopped_before(world_with_daemon, tmp_path):
    place = world_with_daemon
    os.kill(place.daemon.pid, signal.SIGSTOP)
    began = time.monotonic()
    out, said = start(place, tmp_path, "--", "echo", "ran").communicate(timeout=40)
    took = time.monotonic() - began
    os.kill(place.daemon.pid, signal.SIGCONT)
    assert out == b"ran\n" and b"kill -CONT %d" % place.daemon.pid in said, said
    assert took < 10
    assert not (tmp_path / "trace").exists()
    assert place.left_over(8) == {}


def test_too_little_shared_memory(own_world, tmp_path, newest, script):
    if os.getuid() != 0:
        pytest.skip("only root can make /dev/shm small")
    assert own_world.run(["mount", "-t", "tmpfs", "-o", "size=300K", "tmpfs", "/dev/shm"]).returncode == 0
    process = start(own_world, tmp_path, "--", newest.path, script, "0")
    said = process.communicate(timeout=40)[1]
    assert process.returncode == 0 and b"/dev/shm" in said and b"--buffer-size" in said, said
    assert own_world.left_over(8) == {}


def test_a_run_in_a_run(own_world, tmp_path, newest, script):
    """The inner one's programs are in the inner one's trace, and in no other."""
    inner = [places.COMMAND, "run", "-q", "-o", tmp_path / "inner", "--", newest.path, script, "0"]
    process = start(own_world, tmp_path, "--", *inner)
    assert process.wait(60) == 0, process.stderr.read()
    assert own_world.left_over(6) == {}
    assert Trace(tmp_path / "inner").calls("work") == 200
    assert Trace(tmp_path / "trace").calls("work") == 0


def test_own_daemon_stays_for_a_session_made_by_hand(own_world, tmp_path, newest, script):
    process = start(own_world, tmp_path, "--", newest.path, script, "1")
    wait_for_trace(tmp_path)
    assert own_world.run(["lttng", "create", "mine", "--output", tmp_path / "mine"]).returncode == 0
    said = process.communicate(timeout=40)[1]
    assert process.returncode == 0, said
    time.sleep(3)
    assert own_world.named("lttng-sessiond")
    assert own_world.run(["lttng", "destroy", "mine"]).returncode == 0
    assert own_world.left_over(10) == {}


def test_daemon_of_the_environment(own_world, tmp_path, newest, script):
    """LTTNG_SESSIOND names the daemon to start; a wrong one is named in the message."""
    daemon = tmp_path / "my-sessiond"
    daemon.write_text('#!/bin/sh\necho "$@" > %s\nexec lttng-sessiond "$@"\n' % (tmp_path / "started"))
    daemon.chmod(0o755)
    process = start(own_world, tmp_path, "--", newest.path, script, "0", env=dict(os.environ, LTTNG_SESSIOND=str(daemon)))
    said = process.communicate(timeout=40)[1]
    assert process.returncode == 0, said
    assert "--no-kernel" in (tmp_path / "started").read_text()
    assert Trace(tmp_path / "trace").calls("work") == 200
    assert own_world.left_over(10) == {}
    process = own_world.start([places.COMMAND, "run", "-o", tmp_path / "second", "--", newest.path, script, "0"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, LTTNG_SESSIOND="/nonexistent/daemon"))
    said = process.communicate(timeout=40)[1].decode()
    assert process.returncode == 0
    assert "LTTNG_SESSIOND names /nonexistent/daemon" in said and len(said.splitlines()) == 1
