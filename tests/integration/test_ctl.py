"""`pinsight ctl`: what is found, what is said, and what is done, whatever the program does meanwhile."""
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


def ctl(*words, rc=0, command=(places.COMMAND,), **how):
    """Runs `pinsight ctl`; returns stdout where it has to do well, else stderr."""
    done = subprocess.run([*command, "ctl", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=60, **how)
    assert done.returncode == rc, done
    if rc == 0:
        assert done.stderr == ""
        return done.stdout
    return done.stderr


# What needs no process.

@pytest.mark.parametrize("words, message", [
    ([], "ctl wants a process or a trace folder, and what to do; for example: pinsight ctl 4711 status"),
    (["4711"], "ctl does what? status, reload, mode, introspect, resume or stop; `pinsight ctl --help` has examples"),
    (["status"], "status of which process? Name its number or a trace folder: pinsight ctl 4711 status"),
    (["4711", "statsu"], "ctl does not know 'statsu'; did you mean 'status'?"),
    (["4711", "status", "4712"], "'4712' stands after status, which is the last word; processes and folders stand "
     "before it"),
    (["4711", "mode"], "mode needs at least one DOMAIN=MODE, such as Python=MONITORING"),
    (["4711", "mode", "TRACING"], "'TRACING' is not DOMAIN=MODE; write for example MPI=MONITORING"),
    (["4711", "mode", "Pyton=OFF"], "mode does not know 'Pyton'; did you mean 'Python'? (it takes MPI, OpenMP or Python)"),
    (["4711", "mode", "Python=TRACE"],
     "mode does not know 'TRACE'; did you mean 'TRACING'? (it takes OFF, STANDBY, MONITORING or TRACING)"),
    (["4711", "reload", "--pause", "3"], "--pause is an option of introspect, not of reload"),
    (["4711", "introspect", "--pause", "long"],
     "--pause takes seconds from 0, or -1 for as long as the script takes, not 'long'"),
    (["4711", "introspect", "--script", "no/such"],
     "--script no/such: cannot be executed: No such file or directory"),
    (["4711", "introspect", "--after", "on"],
     "--after does not know 'on'; it takes OFF, STANDBY, MONITORING or TRACING"),
    (["4711", "status", "--rank", "1-"], "--rank takes numbers and ranges such as 0 or 0,4-7, not '1-'"),
    (["4711", "status", "--rank", "3-1"], "--rank takes numbers and ranges such as 0 or 0,4-7, not '3-1'"),
    (["4711", "status", "--wait", "-2"], "--wait takes seconds from 0, or -1 for no limit, not '-2'"),
    (["4711", "status", "--rnak", "1"], "unknown option '--rnak'; did you mean '--rank'?"),
])
def test_wrong_use(words, message, tmp_path):
    assert ctl(*words, rc=2, cwd=tmp_path) == "pinsight: " + message + "\n"


def free_pid():
    done = subprocess.Popen(["true"])
    done.wait()
    return done.pid


def test_what_is_not_there(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "over").mkdir()
    (tmp_path / "over" / "pinsight-run.txt").write_text("session nobody-has-this\nended yes\n")
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "pinsight-run.txt").write_text("session nobody-has-this-either\nended no\n")
    pid = free_pid()
    for word, message in [
            (pid, "there is no process %d" % pid),
            (os.getpid(), "process %d is not traced, or not yet; `pinsight run` traces a program from its start" % os.getpid()),
            (0, "'0' is no number of a process"),
            (99999999999, "'99999999999' is no number of a process"),
            ("nothing", "'nothing' is neither the number of a process nor a trace folder: No such file or directory"),
            ("file", "file is not the folder of a run: it has no pinsight-run.txt; name the folder that `pinsight run` "
             "writes to"),
            (".", None),
            ("over", "over: the run has ended"),
            ("killed", "killed: no process of this run is traced on this host now")]:
        said = ctl(word, "status", rc=1, cwd=tmp_path)
        assert message is None or said == "pinsight: " + message + "\n"


def test_a_socket_that_never_answers(tmp_path):
    """Somebody else's under our name: it holds nobody for long."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind("\0pinsight-ctl/%d/%08x" % (os.getpid(), os.getpid()))
        began = time.time()
        said = ctl(os.getpid(), "status", rc=1)
        assert said == "pinsight: process %d does not answer within 2 s; is it stopped?\n" % os.getpid()
        assert time.time() - began < 4


# Programs that run.

PROGRAM = """\
import os, sys, threading, time

def f():
    pass

def work():
    for _ in range(100):
        f()

def say(*what):
    os.write(1, (" ".join(map(str, what)) + "\\n").encode())  # whole, beside what other processes say
"""

STEADY = """
say(os.getpid())
while not os.path.exists("stop"):
    work()
    time.sleep(0.002)
say("end")
"""


class Traced:
    """A program under `pinsight run`, in the folder `path`, with its trace in trace/."""

    def __init__(self, path, python, text, options=(), before=(), env=None):
        self.path = path
        (path / "program.py").write_text(PROGRAM + text)
        self.run = subprocess.Popen(
            [places.COMMAND, "run", "-o", "trace", "--no-summary", "-q", *options, "--", *before, python.path, "program.py"],
            cwd=path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            env=dict(os.environ, **(env or {})))
        self.trace = path / "trace"
        self.pids = []

    def __enter__(self):
        return self

    def line(self):
        return self.run.stdout.readline().strip()

    def pid(self):
        """The number that the program prints."""
        self.pids.append(int(self.line()))
        return self.pids[-1]

    def finish(self, rc=0):
        (self.path / "stop").write_text("")
        out, err = self.run.communicate(timeout=60)
        assert self.run.returncode == rc, err
        return out, err

    def __exit__(self, *exception):
        if self.run.poll() is None:
            (self.path / "stop").write_text("")
            for pid in [*self.pids, self.run.pid]:
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
            try:
                self.run.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                for pid in [*self.pids, self.run.pid]:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                self.run.communicate(timeout=20)


def status(what, *options):
    """What status says, as a list with a dictionary for each process; its number is `pid`."""
    found = []
    for line in ctl(what, "status", *options).splitlines():
        head = re.match(r"(\d+)(?:, rank (\d+))?: (.*)", line)
        if head:
            found.append({"pid": int(head[1]), "rank": head[2] and int(head[2]), "command": head[3]})
        else:
            found[-1][line[:18].strip()] = line[18:]
    return found


def test_a_process(tmp_path, one_of_each):
    with Traced(tmp_path, one_of_each, STEADY) as traced:
        pid = traced.pid()
        [said] = status(pid)
        assert said["pid"] == pid and said["Python"] == "TRACING" and said["rank"] is None
        assert said["command"].endswith("program.py") and said["trace"] == str(traced.trace)
        assert said["configuration"] == "none" and said["windows ended"] == "0"
        for word, mode, change in [(pid, "MONITORING", "TRACING -> MONITORING"), ("trace", "standby", "MONITORING -> STANDBY"),
                                   (pid, "Off", "STANDBY -> OFF"), (pid, "TRACING", "OFF -> TRACING")]:
            out = ctl(word, "mode", "python=" + mode, cwd=tmp_path)
            assert re.fullmatch(r"process %d: Python %s, in effect after \d+\.\d m?s\n" % (pid, change), out)
            assert status(pid)[0]["Python"] == mode.upper()
        assert "is in TRACING already" in ctl(pid, "mode", "Python=TRACING")
        assert "TRACING -> OFF" in ctl(traced.trace, "stop")
        assert status(traced.trace)[0]["Python"] == "OFF"
        said = ctl(pid, "reload", rc=1)
        assert said.startswith("pinsight: process %d: there is no configuration file" % pid)
        assert traced.finish()[1] == ""
    assert "there is no process %d" % pid in ctl(pid, "stop", rc=1)
    assert "the run has ended" in ctl(traced.trace, "stop", rc=1)


def test_the_run_is_not_the_program(tmp_path, newest):
    """The number of `pinsight run`, which a shell gives, leads to the program's."""
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        assert ctl(traced.run.pid, "status", rc=1) == (
            "pinsight: process %d is not traced itself, but has started what is: %d; name that, or the trace folder\n"
            % (traced.run.pid, pid))


def test_a_reload(tmp_path, newest):
    (tmp_path / "f.ini").write_text("[Python]\nevents = function\n")
    with Traced(tmp_path, newest, STEADY, ["-c", "f.ini"]) as traced:
        pid = traced.pid()
        before = status(pid)[0]
        assert before["configuration"] == str(tmp_path / "f.ini")
        (tmp_path / "f.ini").write_text("[Python]\ntrace_mode = MONITORING\n")
        assert "in effect after" in ctl(pid, "reload")
        after = status(pid)[0]
        assert after["Python"] == "MONITORING" and int(after["generation"]) > int(before["generation"])
        (tmp_path / "f.ini").write_text("[Python]\ntrace_mod = OFF\n")
        said = ctl(pid, "reload", rc=1)
        assert "f.ini:2:1: unknown key 'trace_mod' in [Python]; did you mean 'trace_mode'?" in said
        assert status(pid)[0]["Python"] == "MONITORING" and status(pid)[0]["generation"] == after["generation"]
        traced.finish()


def test_a_folder_of_several_nodes(tmp_path, newest):
    """What each node writes lies in a folder of its own below."""
    (tmp_path / "job").mkdir()
    with Traced(tmp_path, newest, STEADY) as traced:
        pid = traced.pid()
        for node in ("this", "other"):
            (tmp_path / "job" / node).mkdir()
        (tmp_path / "job" / "other" / "pinsight-run.txt").write_text("session on-another-host\n")
        shutil.copy(traced.trace / "pinsight-run.txt", tmp_path / "job" / "this")
        assert [process["pid"] for process in status(tmp_path / "job")] == [pid]
        traced.finish()
    assert "no process of this run is traced on this host now" in ctl(tmp_path / "job", "status", rc=1)


RANKS = """\
for rank in 0 1 2; do
    OMPI_COMM_WORLD_RANK=$rank "$@" &
done
wait
"""


def test_ranks(tmp_path, newest):
    with Traced(tmp_path, newest, STEADY, before=["sh", "-c", RANKS, "sh"]) as traced:
        pids = {traced.pid() for _ in range(3)}
        said = status(traced.trace)
        assert {process["pid"] for process in said} == pids and {process["rank"] for process in said} == {0, 1, 2}
        pid = {process["rank"]: process["pid"] for process in said}
        assert [process["pid"] for process in status(traced.trace, "--rank", "1")] == [pid[1]]
        out = ctl("trace", "mode", "Python=STANDBY", "--rank", "0,2-7", cwd=tmp_path).splitlines()
        assert len(out) == 2 and {"rank 0", "rank 2"} == {re.search(r"\((rank \d)\)", line)[1] for line in out}
        modes = {process["rank"]: process["Python"] for process in status(traced.trace)}
        assert modes == {0: "STANDBY", 1: "TRACING", 2: "STANDBY"}
        assert "no process of this run on this host has the rank 3" in ctl(traced.trace, "status", "--rank", "3", rc=1)
        assert "process %d has not the rank 0" % pid[1] in ctl(pid[1], "status", "--rank", "0", rc=1)
        # Several are named: each once, and one that is missing does not keep the others from it.
        out = ctl("trace", pid[0], pid[0], "mode", "Python=TRACING", cwd=tmp_path)
        assert len(out.splitlines()) == 3
        gone = free_pid()
        done = subprocess.run([places.COMMAND, "ctl", str(gone), str(pid[0]), "mode", "Python=OFF"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
        assert done.returncode == 1 and "process %d (rank 0): Python TRACING -> OFF" % pid[0] in done.stdout
        assert done.stderr == "pinsight: there is no process %d\n" % gone
        traced.finish()


def wait_for(what, seconds=20):
    assert world.wait_until(what, seconds)


def test_an_idle_process(tmp_path, one_of_each):
    """Asleep in the main thread, and in another: nobody runs Python, and modes change all the same."""
    text = """
def sleeper():
    say(os.getpid())
    time.sleep(600)
threading.Thread(target=sleeper, daemon=True).start()
time.sleep(0.2)
sys.stdin.readline()
work()
"""
    with Traced(tmp_path, one_of_each, text) as traced:
        pid = traced.pid()
        time.sleep(0.5)
        for mode in ("STANDBY", "MONITORING", "OFF", "TRACING"):
            out = ctl(pid, "mode", "Python=" + mode)
            assert " -> " + mode in out and "in effect after" in out
        traced.run.stdin.write("\n")
        traced.run.stdin.flush()
        out, err = traced.run.communicate(timeout=60)
        assert (traced.run.returncode, err) == (0, "")


def test_a_process_that_is_deep_in_c(tmp_path, one_of_each):
    """With the GIL held by one call into C, it says how it stands, and an order waits for its time."""
    text = """
import re
say(os.getpid())
re.match(r"(a+)+$", "a" * 26 + "b")
say("out")
sys.stdin.readline()
"""
    with Traced(tmp_path, one_of_each, text) as traced:
        pid = traced.pid()
        time.sleep(0.3)
        began = time.time()
        assert status(pid)[0]["Python"] == "TRACING"
        assert time.time() - began < 1
        done = subprocess.run([places.COMMAND, "ctl", str(pid), "--wait", "0.2", "mode", "Python=OFF"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
        assert time.time() - began < 3
        if done.returncode:
            assert "ordered, and not in effect everywhere yet" in done.stderr
        else:
            assert "in effect after" in done.stdout
        assert status(pid)[0]["Python"] == "OFF"
        # Only the interpreter can switch something on.
        said = ctl(pid, "mode", "Python=TRACING", "--wait", "0.2", rc=1)
        assert said == ("pinsight: process %d: Python OFF -> TRACING; ordered, and not in effect everywhere yet: it comes "
                        "when its threads run Python again\n" % pid)
        assert traced.line() == "out"
        assert "is in TRACING already, in effect after" in ctl(pid, "mode", "Python=TRACING", "--wait", "-1")
        traced.run.communicate("\n", timeout=60)
        assert traced.run.returncode == 0


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
        os.kill(traced.run.pid, signal.SIGCONT)  # which stopped with its command
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


def test_forked_children(tmp_path, one_of_each):
    """Each has a listener of its own, and is found by the trace."""
    text = """
child = os.fork()
""" + STEADY + """
if child:
    os.waitpid(child, 0)
"""
    with Traced(tmp_path, one_of_each, text) as traced:
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

def test_an_introspection(tmp_path, one_of_each):
    (tmp_path / "look.sh").write_text("#!/bin/sh\necho $# $2 $3 > looked.new\nls $1/metadata $1/*/metadata >> looked.new\n"
                                      "mv looked.new looked\nsleep 600\n")
    (tmp_path / "look.sh").chmod(0o755)
    with Traced(tmp_path, one_of_each, STEADY) as traced:
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
        assert "introspection" in ctl(pid, "introspect", "--after", "TRACING")
        wait_for(lambda: status(pid)[0]["Python"] == "TRACING")
        traced.finish()
