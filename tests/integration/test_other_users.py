"""What other users of the machine can do with a run of root's: nothing. Shown from their side, as `nobody`."""
import json
import os
import re
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile

import pytest

from support import places
from support.ctl import STEADY, Traced, ctl, status
from support.traces import Trace

# About who may join a session of LTTng's.
pytestmark = [pytest.mark.recorder("lttng"), pytest.mark.skipif(
    os.getuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")]

AS_NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable

# Asks to be let in under its own number and others, in the form of the day and in the one without a secret,
# and says what the answers were.
KNOCKING = """
import json, os, socket, struct, sys
names, number = sys.argv[2:], int(sys.argv[1])
answers = []
for name in names:
    for pid in (os.getpid(), number):
        for secret in (b"", bytes(32), b"0" * 32, name.encode()[-32:].rjust(32)):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
                asked.settimeout(20)
                asked.connect("\\0" + name)
                asked.send(struct.pack("i", pid) + secret)
                try:
                    answers.append(asked.recv(1).decode())
                except OSError as error:
                    answers.append("")
print(json.dumps(answers))
"""

INTRUDER = """
import time
def intrude():
    pass
for _ in range(20):
    intrude()
    time.sleep(.01)
print("ran")
"""

# A daemon of root's that serves another user for a while, as file servers do.
SERVING = """
import select
os.setegid(65534)
CHANGE
say(os.getpid())
while not select.select([0], [], [], 0)[0]:
    work()
    time.sleep(0.002)
os.setresuid(0, 0, 0)
say("back")
while not os.path.exists("stop"):
    work()
    time.sleep(0.002)
"""
CHANGES = {"effective": "os.seteuid(65534)", "real": "os.setreuid(65534, -1)"}


def socket_names(start):
    """As any user sees them."""
    done = subprocess.run([*AS_NOBODY, "cat", "/proc/net/unix"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return sorted(set(re.findall(r" @(%s\S*)$" % re.escape(start), done.stdout, re.M)))


def environment_of(pid):
    with open("/proc/%d/environ" % pid, encoding="utf-8") as file:
        return dict(entry.split("=", 1) for entry in file.read().split("\0") if "=" in entry)


@pytest.fixture
def for_all():
    """A folder that everybody may read, with the libraries."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(places.LIBDIR, os.path.join(folder, "lib"), symlinks=True)
        shutil.copy(places.COMMAND, os.path.join(folder, "pinsight"))
        for name, text in (("knocking.py", KNOCKING), ("intruder.py", INTRUDER)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        yield folder


def run_as_nobody(folder, *words, variables=()):
    """Runs a program of the folder with these variables and no others."""
    return subprocess.run([*AS_NOBODY, "env", "-i", *variables, PYTHON, *map(str, words)], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)


def test_no_event_gets_in(tmp_path, newest, for_all):
    with Traced(tmp_path, newest, STEADY, options=["--lossless"]) as traced:
        pid = traced.pid()
        variables = environment_of(pid)
        session = variables["PINSIGHT_SESSION"]
        names = socket_names(session)
        assert names, "the socket is there to be seen"
        assert not any(variables["PINSIGHT_JOIN"] == name for name in names), "its name is all that is needed"
        secret = variables["PINSIGHT_JOIN"].rpartition("/")[2]
        assert len(secret) == 32 and secret not in json.dumps(names)

        done = run_as_nobody(for_all, "knocking.py", pid, *names)
        assert done.returncode == 0, done.stderr
        assert set(json.loads(done.stdout)) == {""}, "nobody was let in"

        # A program with everything that the run's own have, but for the secret.
        for join in (*names, *("%s/%s" % (name, "0" * 32) for name in names)):
            theirs = dict(variables, LD_PRELOAD=os.path.join(for_all, "lib", "libpinsight-preload.so"),
                          PINSIGHT_LIBDIR=os.path.join(for_all, "lib"), PINSIGHT_JOIN=join, HOME=for_all)
            theirs = {key: value for key, value in theirs.items()
                      if key.startswith(("PINSIGHT_", "LTTNG_", "LD_PRELOAD", "HOME"))}
            done = run_as_nobody(for_all, "intruder.py", variables=["%s=%s" % item for item in theirs.items()])
            assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
        traced.finish()
    trace = Trace(traced.trace)
    assert {info.vpid for info in trace.infos["process_info"]} == {pid}
    assert trace.calls("work") > 0 and trace.calls("intrude") == 0


def test_who_has_the_secret_says_its_own_number(tmp_path, newest):
    """What joins is the process that asks, and no other; here it is root itself."""
    with Traced(tmp_path, newest, STEADY) as traced:
        name, _, secret = environment_of(traced.pid())["PINSIGHT_JOIN"].rpartition("/")
        answers = {}
        for number in (os.getpid(), os.getppid(), 1, 0, -1):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
                asked.settimeout(20)
                asked.connect("\0" + name)
                asked.send(struct.pack("i", number) + secret.encode())
                answers[number] = asked.recv(8)[4:5]  # behind the number of its part of the counts
        assert answers.pop(os.getpid()) == b"k"
        assert set(answers.values()) == {b""}
        traced.finish()


def test_programs_of_root_that_become_others_are_recorded(tmp_path, newest):
    """They have the secret."""
    text = "if os.fork() == 0:\n    os.setgid(65534)\n    os.setuid(65534)\n    work()\n    os._exit(0)\nos.wait()\n"
    with Traced(tmp_path, newest, text) as traced:
        traced.finish()
    assert Trace(traced.trace).calls("f") == 100


FLOOD = """
import socket, sys, time
asked = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
asked.bind("")
asked.settimeout(20)
began, answers = time.monotonic(), 0
while time.monotonic() < began + 0.2:
    asked.sendto(b"status\\n", "\\0" + sys.argv[1])
    answers += asked.recv(4096).startswith(b"result refused")
print(answers, time.monotonic() - began)
"""

# Datagrams that cannot be answered: without a sender, too long, or of one who does not read the answers.
SILENT_FLOOD = """
import socket, sys, time
asked = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
if sys.argv[2] != "no sender":
    asked.bind("")
asked.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
text = b"x" * (150000 if sys.argv[2] == "too long" else 10)
began, sent = time.monotonic(), 0
while time.monotonic() < began + 0.2:
    sent += asked.sendto(text, "\\0" + sys.argv[1]) > 0
print(sent, time.monotonic() - began)
"""


def test_nobody_else_keeps_it_busy(tmp_path, newest, for_all):
    """Each question of another user's is answered 1 ms later, and each datagram that cannot be answered costs as much."""
    with open("/proc/sys/net/unix/max_dgram_qlen") as limit:
        queue = int(limit.read()) + 1
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        name, = socket_names("pinsight-ctl/%d/" % pid)
        for words in ([FLOOD, name], *([SILENT_FLOOD, name, how] for how in ("no sender", "too long", "not read"))):
            done = run_as_nobody(for_all, "-c", *words)
            assert done.returncode == 0, done.stderr
            answers, seconds = map(float, done.stdout.split())
            assert 0 < answers <= 1000 * seconds + 1 + queue, words[2:]
            assert status(pid)[0]["Python"] == "TRACING"
        traced.finish()


@pytest.mark.parametrize("which", CHANGES)
def test_no_order_is_taken(which, tmp_path, newest, for_all):
    """Of one of a program's users, where it has several; when it is root's alone again, root orders as ever."""
    ask = "import socket, sys\nasked = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\nasked.bind('')\n" \
          "asked.settimeout(20)\nasked.sendto(sys.argv[2].encode(), '\\0' + sys.argv[1])\nprint(asked.recv(4096).decode())\n"
    with Traced(tmp_path, newest, SERVING.replace("CHANGE", CHANGES[which])) as traced:
        pid = traced.pid()
        names = socket_names("pinsight-ctl/%d/" % pid)
        assert len(names) == 1
        for order in ("status\n", "mode\nmode Python=OFF\n", "stop\n", "reload\n", "introspect\npause 1\n"):
            done = run_as_nobody(for_all, "-c", ask, names[0], order)
            assert done.returncode == 0, done.stderr
            assert done.stdout.splitlines()[0] == "result refused", (order, done.stdout)
            assert "session" not in done.stdout
        for words in (["status"], ["mode", "Python=OFF"]):
            said = ctl(pid, *words, rc=1, command=[*AS_NOBODY, os.path.join(for_all, "pinsight")], cwd="/")
            assert "Python" not in said
            # Nor is it root's own; the kernel tells who asks no more than the real user.
            expected = {"effective": "runs as another user for a while", "real": "belongs to the user nobody"}
            assert expected[which] in ctl(pid, *words, rc=1)
        traced.run.stdin.write("back\n")
        traced.run.stdin.flush()
        assert traced.line() == "back"
        assert status(pid)[0]["Python"] == "TRACING"
        assert "TRACING -> OFF" in ctl(pid, "mode", "Python=OFF")
        traced.finish()


def test_the_command_is_its_users_alone(tmp_path, newest, for_all):
    """There may be a password in it. Who is given the rest of a trace is told what he does not see."""
    os.chmod(tmp_path, 0o755)
    for folder in (tmp_path.parent, tmp_path.parent.parent):
        if not os.stat(folder).st_mode & stat.S_IXOTH:
            os.chmod(folder, os.stat(folder).st_mode | stat.S_IXOTH)
    done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--", newest.path, "-c", "def f(): pass\nf()", "--password=sesame"],
                          cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    info = tmp_path / "trace" / "pinsight-run.txt"
    assert "sesame" in info.read_text()
    assert stat.S_IMODE(info.stat().st_mode) == 0o600
    # Nothing of the folder says it to others.
    found = subprocess.run([*AS_NOBODY, "grep", "-ra", "sesame", tmp_path / "trace"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    assert found.stdout == b""
    shutil.copytree(tmp_path / "trace", os.path.join(for_all, "shared"))
    subprocess.run(["chmod", "-R", "a+rX", os.path.join(for_all, "shared")], check=True)
    os.chmod(os.path.join(for_all, "shared", "pinsight-run.txt"), 0o600)
    done = subprocess.run([*AS_NOBODY, os.path.join(for_all, "pinsight"), "report", "shared"], cwd=for_all,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 0
    assert done.stderr.startswith("pinsight: pinsight-run.txt of shared can be read by its owner alone: ")


def job_of_two(tmp_path, newest, taken):
    """Two ranks, in a /tmp where another user was first; returns what they say."""
    (tmp_path / "work.py").write_text("def work(): pass\nfor _ in range(100): work()\n")
    script = """
        mount --bind "$1" /mnt && mount -t tmpfs -o mode=1777 tmpfs /tmp && cd /mnt || exit 99
        for number in %s; do
            install -d -o 65534 -m 755 "/tmp/pinsight-0$number"
        done
        unset XDG_RUNTIME_DIR
        export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=job@1
        for rank in 0 1; do
            OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank "$2" run -o trace -- "$3" work.py 2>said$rank &
        done
        wait
        cd / && umount -l /tmp
    """ % " ".join(taken)
    subprocess.run([str(places.TESTS / "isolate"), "bash", "-c", script, "bash", tmp_path, places.COMMAND, newest.path], check=True,
                   timeout=120)
    return [(tmp_path / ("said%d" % rank)).read_text() for rank in range(2)]


def test_a_folder_that_another_user_made_first(tmp_path, newest):
    """The job meets in another."""
    said = job_of_two(tmp_path, newest, ["''"])
    assert "Next" in said[0] and said[1] == "", said
    assert Trace(tmp_path / "trace").calls("work") == 200


def test_all_folders_that_another_user_made_first(tmp_path, newest):
    """There is no place to meet, which is said at once."""
    said = job_of_two(tmp_path, newest, ["''", *("-%d" % number for number in range(1, 16))])
    assert "cannot share a trace, so rank 0 has one of its own" in said[0]
    assert "cannot share a trace, so rank 1 is not recorded" in said[1]
    assert all("set XDG_RUNTIME_DIR" in text for text in said)
    assert Trace(tmp_path / "trace").calls("work") == 100


def test_a_link_of_another_user_is_no_trace_folder(tmp_path):
    """It may lead to any folder of ours. One of our own is followed."""
    (tmp_path / "private").mkdir(0o700)
    (tmp_path / "theirs").symlink_to("private")
    (tmp_path / "ours").symlink_to("private")
    os.lchown(tmp_path / "theirs", 65534, 65534)
    done = subprocess.run([places.COMMAND, "run", "-o", "theirs", "--", "true"], cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 2 and "it is a link of another user" in done.stderr
    assert os.listdir(tmp_path / "private") == []
    done = subprocess.run([places.COMMAND, "run", "-o", "ours", "--no-summary", "--", "true"], cwd=tmp_path, stderr=subprocess.PIPE)
    assert done.returncode == 0 and os.listdir(tmp_path / "private") != []
