"""Session daemons in odd states: stopped, ending, without memory; and a run inside a run."""
import os
import resource
import signal
import subprocess
import time

import pytest

from support import places, world
from support.traces import Trace

# About LTTng's daemons.
pytestmark = pytest.mark.recorder("lttng")

WORK = "import sys, time\ndef work(): pass\nfor _ in range(200): work()\n" \
       "open(sys.argv[0] + '.done', 'w').close()\ntime.sleep(float(sys.argv[1]))\n"


def start(place, tmp_path, *words, **how):
    return place.start([places.COMMAND, "run", "-o", tmp_path / "trace", "--no-summary", *words], cwd=tmp_path,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def wait_for_work(tmp_path):
    """The program has called its functions, and sleeps."""
    assert world.wait_until((tmp_path / "work.py.done").exists, 30)


@pytest.mark.smoke
@pytest.mark.parametrize("which", ["lttng-sessiond", "lttng-consumerd"])
def test_own_daemon_is_stopped(which, own_world, tmp_path, newest, script):
    """Somebody stops a daemon that PInsight started: it is made to go on at the end, and nothing is lost."""
    process = start(own_world, tmp_path, "--", newest.path, script, "1.5")
    wait_for_work(tmp_path)
    for pid in own_world.named(which):
        os.kill(pid, signal.SIGSTOP)
    said = process.communicate(timeout=40)[1]
    assert process.returncode == 0, said
    assert own_world.left_over(8) == {}
    assert Trace(tmp_path / "trace").calls("work") == 200


def test_other_daemon_is_stopped_in_between(world_with_daemon, tmp_path, newest, script):
    place = world_with_daemon
    process = start(place, tmp_path, "--", newest.path, script, "3")
    wait_for_work(tmp_path)
    time.sleep(1)  # until the description of the events has come to disk
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
    own_world.mount("/dev/shm", "size=300K")
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
    assert not list((tmp_path / "trace").rglob("metadata"))


def test_own_daemon_stays_for_a_session_made_by_hand(own_world, tmp_path, newest, script):
    process = start(own_world, tmp_path, "--", newest.path, script, "1")
    wait_for_work(tmp_path)
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


def test_limit_of_descriptors(own_world, tmp_path, newest, script):
    """LTTng's daemons close every number up to the limit at their start: it is no more than they need."""
    daemon = tmp_path / "my-sessiond"
    daemon.write_text('#!/bin/sh\nulimit -Sn > %s\nexec lttng-sessiond "$@"\n' % (tmp_path / "limit"))
    daemon.chmod(0o755)
    process = start(own_world, tmp_path, "--", newest.path, script, "0",
                    env=dict(os.environ, LTTNG_SESSIOND=str(daemon)))
    said = process.communicate(timeout=40)[1]
    assert process.returncode == 0, said
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = max(16384, 16 * os.sysconf("SC_NPROCESSORS_CONF") ** 2)
    assert int((tmp_path / "limit").read_text()) == min(most, wanted)
    assert Trace(tmp_path / "trace").calls("work") == 200
    assert own_world.left_over(8) == {}


MANY = "def work(): pass\nfor _ in range(40000): work()\n"


@pytest.mark.parametrize("limit, calls, message", [
    ("-Sf 100", 40000, None),
    ("-f 100", None, b"nothing is recorded: files of LTTng's daemon may have 100K at most (ulimit -f)"),
    ("-f 700", None, b"as large as files may be here (ulimit -f), so the end of the trace is missing"),
], ids=["soft", "below the buffers", "below the trace"])
def test_limit_of_file_sizes(own_world, tmp_path, newest, limit, calls, message):
    """A soft limit is the user's, not the daemon's; what a hard one costs is said, and ends no daemon."""
    file = tmp_path / "many.py"
    file.write_text(MANY)
    process = own_world.start(["bash", "-c", 'ulimit %s && exec "$@"' % limit, "bash", places.COMMAND, "run", "-o",
                               tmp_path / "trace", "--no-summary", "--buffer-size", "64K", "--lossless", "--",
                               "taskset", "-c", "0", newest.path, file],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert message is None or message in said, said
    if calls:
        assert Trace(tmp_path / "trace").calls("work") == calls
    assert own_world.left_over(8) == {}


# Children that live some 50 ms, one after another.
SHORT = """
import os, random, time
end = time.monotonic() + 12
while time.monotonic() < end:
    children = []
    for _ in range(6):
        pid = os.fork()
        if pid == 0:
            time.sleep(random.uniform(0, 0.06))
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
"""


@pytest.mark.alone
def test_the_daemons_answer_while_processes_end_and_the_trace_rotates(world_with_daemon, tmp_path, newest):
    """A consumer daemon that fetches what a process's events look like, while that process ends, blocks for good."""
    program = tmp_path / "short.py"
    program.write_text(SHORT)
    process = start(world_with_daemon, tmp_path, "--", newest.path, program)
    assert world.wait_until(world_with_daemon.sessions, 20)
    session = world_with_daemon.sessions()[0]
    rotations = 0
    while process.poll() is None:
        # LTTng refuses one while another goes on, and when the session has ended.
        world_with_daemon.run(["lttng", "--no-sessiond", "rotate", session], timeout=30)
        rotations += 1
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert rotations > 5
    report = subprocess.run([places.COMMAND, "report", str(tmp_path / "trace")], stdout=subprocess.PIPE)
    assert report.returncode == 0 and report.stdout
