"""`pinsight ctl`, whatever the program does meanwhile: stopped, forked, out of descriptors, another user's."""
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from support import places, world
from support.ctl import RANKS, STEADY, Traced, ctl, status, wait_for


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    wait_for(lambda: all(task == "T" for task in task_states(pid)))


def task_states(pid):
    for task in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/stat" % (pid, task)) as file:
            yield file.read().rpartition(")")[2].split()[0]


def test_a_stopped_process_and_one_that_ends(tmp_path, newest):
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        stop(pid)
        began = time.time()
        message = "pinsight: process %d does not answer within 2 s; is it stopped?\n" % pid
        assert ctl(pid, "status", rc=1) == message
        assert ctl(traced.trace, "status", rc=1) == message
        assert time.time() - began < 8
        # It ends while it is asked.
        threading.Timer(0.7, os.kill, (pid, signal.SIGKILL)).start()
        assert ctl(pid, "status", rc=1) == "pinsight: process %d ended meanwhile\n" % pid
        traced.run.communicate(timeout=60)
        assert traced.run.returncode == -signal.SIGKILL


def test_one_that_does_not_answer_does_not_hold_the_others(tmp_path, newest):
    with Traced(tmp_path, newest, STEADY, before=["sh", "-c", RANKS, "sh"]) as traced:
        pids = [traced.pid() for _ in range(3)]
        stop(pids[0])
        began = time.time()
        done = subprocess.run([places.COMMAND, "ctl", "trace", "mode", "Python=STANDBY"], cwd=tmp_path,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
        assert time.time() - began < 5
        os.kill(pids[0], signal.SIGCONT)
        assert done.returncode == 1 and len(done.stdout.splitlines()) == 2
        assert done.stderr == "pinsight: process %d does not answer within 2 s; is it stopped?\n" % pids[0]
        traced.finish()


def test_forked_children(tmp_path, newest):
    """Each has a listener of its own, and is found by the trace."""
    text = """
child = os.fork()
""" + STEADY + """
if child:
    os.waitpid(child, 0)
"""
    with Traced(tmp_path, newest, text) as traced:
        pids = {traced.pid(), traced.pid()}
        wait_for(lambda: {process["pid"] for process in status(traced.trace)} == pids)
        for pid in pids:
            assert "TRACING -> MONITORING" in ctl(pid, "mode", "Python=MONITORING")
        assert [process["Python"] for process in status(traced.trace)] == ["MONITORING", "MONITORING"]
        assert len(ctl(traced.trace, "stop").splitlines()) == 2
        traced.finish()


def test_a_child_that_executes_something_else(tmp_path, newest):
    """The socket goes with the program: nobody answers for what is not traced."""
    text = """
say(os.getpid())
sys.stdin.readline()
os.execv("/bin/sleep", ["sleep", "600"])
"""
    with Traced(tmp_path, newest, text) as traced:
        pid = traced.pid()
        assert status(pid)[0]["pid"] == pid
        traced.run.stdin.write("\n")
        traced.run.stdin.flush()
        wait_for(lambda: "sleep" in world.command_line(pid))
        assert "process %d is not traced, or not yet" % pid in ctl(pid, "status", rc=1)
        os.kill(pid, signal.SIGKILL)
        traced.run.communicate(timeout=60)


def descriptors(pid):
    """The numbers of descriptors that are the socket of `pinsight ctl`."""
    with open("/proc/net/unix") as file:
        inodes = {line.split()[6] for line in file if " @pinsight-ctl/%d/" % pid in line}
    found = []
    for number in os.listdir("/proc/%d/fd" % pid):
        try:
            link = os.readlink("/proc/%d/fd/%s" % (pid, number))
        except OSError:
            continue
        if link.startswith("socket:[") and link[8:-1] in inodes:
            found.append(int(number))
    return found


CLOSING = """
say(os.getpid())
sys.stdin.readline()
if sys.argv[1:] == ["dup"]:
    for number in range(100, 200):
        os.dup2(0, number)
else:
    os.closerange(3, 4096)
os.stat("/")
say("done")
""" + STEADY


@pytest.mark.parametrize("how", ["close", "dup"])
def test_descriptors_are_the_programs(tmp_path, newest, how):
    """It closes all that it did not open, or puts others in their place: there is a new one."""
    with Traced(tmp_path, newest, CLOSING.replace("sys.argv[1:]", repr([how]))) as traced:
        pid = traced.pid()
        [first] = descriptors(pid)
        assert first >= 100
        traced.run.stdin.write("\n")
        traced.run.stdin.flush()
        assert traced.line() == "done"
        for mode in ("STANDBY", "TRACING", "OFF"):
            assert " -> " + mode in ctl(pid, "mode", "Python=" + mode)
        [second] = descriptors(pid)
        assert second >= 100 and (how == "close" or second >= 200)
        out, err = traced.finish()
        assert err == ""


def test_few_descriptors(tmp_path, newest):
    """Where high numbers are not allowed, it takes a low one."""
    with Traced(tmp_path, newest, STEADY, before=["sh", "-c", 'ulimit -n 50; exec "$@"', "sh"]) as traced:
        pid = traced.pid()
        assert status(pid)[0]["Python"] == "TRACING" and descriptors(pid)[0] < 50
        assert traced.finish()[1] == ""


def test_its_threads_take_no_signal(tmp_path, newest):
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        names = {}
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/status" % (pid, task)) as file:
                fields = dict(line.split(":\t", 1) for line in file)
            names[fields["Name"].strip()] = int(fields["SigBlk"], 16)
        blocked = sum(1 << (number - 1) for number in signal.Signals if number not in (signal.SIGKILL, signal.SIGSTOP))
        assert names["pinsight-ctl"] & blocked == blocked
        traced.finish()


def test_many_at_once(tmp_path, newest):
    """More questions than it can take at a time: each has its answer, or is told to ask again."""
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        asked = [subprocess.Popen([places.COMMAND, "ctl", str(pid), *words], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, encoding="utf-8")
                 for words in [["status"], ["mode", "Python=STANDBY"], ["mode", "Python=TRACING"]] * 20]
        for one in asked:
            out, err = one.communicate(timeout=60)
            assert (one.returncode == 0 and err == "") or "has many orders to carry out; ask again" in err
        assert "in effect" in ctl(pid, "mode", "Python=MONITORING")
        traced.finish()


def send(name, packet):
    """A datagram to a process, and what comes back within 2 s."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
        own.bind("")
        own.settimeout(2)
        own.sendto(packet, "\0" + name)
        try:
            return own.recv(65536)
        except socket.timeout:
            return None


def test_what_no_command_sends(tmp_path, newest):
    """Anything may arrive at the socket: an error comes back, or nothing, and the next one is served."""
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        with open("/proc/net/unix") as file:
            [name] = re.findall(r"@(pinsight-ctl/%d/\w+)" % pid, file.read())
        for packet in [b"", b"\n", b"\0", b"mode", b"status\nx y", b"frobnicate\nid 3", b"\xff" * 1000,
                       b"introspect\nscript " + b"/" * 5000, b"mode\n" + b"mode Python=OFF\n" * 100]:
            answer = send(name, packet)
            assert answer is not None and answer.startswith(b"result failed\n"), (packet, answer)
        assert send(name, b"status\n" + b"a" * 40000) is None, "too long to be a request"
        # Descriptors that somebody sends along are not taken.
        before = len(os.listdir("/proc/%d/fd" % pid))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            own.bind("")
            own.settimeout(2)
            own.connect("\0" + name)
            with open("/dev/null") as null:
                import array
                own.sendmsg([b"status\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null.fileno()] * 3))])
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as nameless:
            nameless.sendto(b"status\n", "\0" + name)
        assert send(name, b"status\nid 77\n").startswith(b"result ok\nid 77\npid %d\n" % pid)
        assert len(os.listdir("/proc/%d/fd" % pid)) == before
        traced.finish()


# Users.

@pytest.fixture
def as_nobody(tmp_path_factory):
    """The words that run a command as `nobody`, with a copy of pinsight that nobody may run."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv")
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = os.path.join(folder, "pinsight")
        shutil.copy(places.COMMAND, copy)
        os.chmod(copy, 0o755)
        yield ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", copy]


def test_another_user(tmp_path, newest, as_nobody):
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        me = pwd.getpwuid(os.getuid()).pw_name
        for words in (["status"], ["mode", "Python=OFF"], ["stop"]):
            assert ctl(pid, *words, rc=1, command=as_nobody, cwd="/") == (
                "pinsight: process %d belongs to the user %s, who alone can control it\n" % (pid, me))
        assert status(pid)[0]["Python"] == "TRACING"
        traced.finish()


def test_a_process_that_becomes_another_users(tmp_path, newest, as_nobody):
    """Root has no more to say to it than others have; its new user has."""
    text = STEADY.replace("say(os.getpid())", "os.setgid(65534); os.setuid(%d); say(os.getpid())"
                          % pwd.getpwnam("nobody").pw_uid).replace('os.path.exists("stop")', "sys.stdin.closed")
    with Traced(tmp_path, newest, text) as traced:
        pid = traced.pid()
        assert ctl(pid, "status", rc=1) == (
            "pinsight: process %d belongs to the user nobody, who alone can control it\n" % pid)
        assert "TRACING -> OFF" in ctl(pid, "stop", command=as_nobody, cwd="/")
        os.kill(pid, signal.SIGKILL)
        traced.run.communicate(timeout=60)


# Introspections: what is told of them is in test_introspect; here, that they can be asked for and ended.

def chunks_told(pid):
    """What an introspection without a pause says of its chunk: the path, or nothing while it is being made."""
    done = subprocess.run([places.COMMAND, "ctl", str(pid), "introspect", "--after", "TRACING"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, encoding="utf-8", timeout=60)
    return re.findall(r"^process %d: introspection \d+: the chunk is (/.+), in effect after " % pid, done.stdout)


def test_an_introspection(tmp_path, newest):
    (tmp_path / "look.sh").write_text("#!/bin/sh\necho $# $2 $3 > looked.new\nls $1/metadata $1/*/metadata >> looked.new\n"
                                      "mv looked.new looked\nsleep 600\n")
    (tmp_path / "look.sh").chmod(0o755)
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        began = time.time()
        asked = subprocess.Popen([places.COMMAND, "ctl", str(pid), "introspect", "--script", "./look.sh", "--pause", "60",
                                  "--after", "MONITORING"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 encoding="utf-8")
        wait_for((tmp_path / "looked").exists)
        # The program waits, and so does an order; how things stand is said all the same.
        asked_at = time.time()
        assert status(pid)[0]["introspections"] == "1"
        assert time.time() - asked_at < 1
        assert asked.poll() is None
        assert ctl(pid, "resume") == "process %d: it goes on, if an introspection paused it\n" % pid
        out, err = asked.communicate(timeout=60)
        assert (asked.returncode, err) == (0, ""), (out, err)
        assert time.time() - began < 30
        assert out.startswith("process %d: " % pid)
        assert status(pid)[0]["Python"] == "MONITORING"
        assert (tmp_path / "looked").read_text().splitlines()[0] == "3 %d -" % pid
        # Without a pause it is told where the chunk is, which can be read at once. On a busy machine, where a chunk takes
        # longer than an answer may, it is asked again.
        told = []
        wait_for(lambda: told.extend(chunks_told(pid)) or told)
        done = subprocess.run([places.COMMAND, "report", told[0]], cwd=tmp_path, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8")
        assert done.returncode == 0 and "Python functions" in done.stdout, (done.stdout, done.stderr)
        wait_for(lambda: status(pid)[0]["Python"] == "TRACING")
        traced.finish()
