"""`pinsight ctl`: what is found, what is said, and what is done."""
import os
import re
import shutil
import socket
import subprocess
import time

import pytest

from support import places
from support.ctl import RANKS, STEADY, Traced, ctl, free_pid, status

# What needs no process.

@pytest.mark.parametrize("words, message", [
    ([], "ctl wants a process or a trace folder, and what to do; for example: pinsight ctl 4711 status"),
    (["4711"], "ctl does what? status, reload, mode, introspect, resume, stop or dump; `pinsight ctl --help` has examples"),
    (["status"], "status of which process? Name its number or a trace folder: pinsight ctl 4711 status"),
    (["4711", "statsu"], "ctl does not know 'statsu'; did you mean 'status'?"),
    (["4711", "status", "4712"], "'4712' stands after status, which is the last word; processes and folders stand "
     "before it"),
    (["4711", "mode"], "mode needs at least one DOMAIN=MODE, such as Python=MONITORING"),
    (["4711", "mode", "TRACING"], "'TRACING' is not DOMAIN=MODE; write for example BLAS=MONITORING"),
    (["4711", "mode", "Pyton=OFF"], "mode does not know 'Pyton'; did you mean 'Python'? (it takes BLAS, CUDA, MPI, OpenMP, Python or User)"),
    (["4711", "mode", "Python=TRACE"],
     "mode does not know 'TRACE'; did you mean 'TRACING'? (it takes OFF, STANDBY, MONITORING or TRACING)"),
    (["4711", "reload", "--pause", "3"], "--pause is an option of introspect, not of reload"),
    (["4711", "reload", "-o", "x"], "--output is an option of dump, not of reload"),
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

def test_a_process(tmp_path, newest):
    with Traced(tmp_path, newest, STEADY) as traced:
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
            "pinsight: process %d is not traced itself, but has started traced processes: %d; name one of these, or the trace folder\n"
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

def test_an_idle_process(tmp_path, newest):
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
    with Traced(tmp_path, newest, text) as traced:
        pid = traced.pid()
        time.sleep(0.5)
        for mode in ("STANDBY", "MONITORING", "OFF", "TRACING"):
            out = ctl(pid, "mode", "Python=" + mode)
            assert " -> " + mode in out and "in effect after" in out
        traced.run.stdin.write("\n")
        traced.run.stdin.flush()
        out, err = traced.run.communicate(timeout=60)
        assert (traced.run.returncode, err) == (0, "")

@pytest.mark.storm
def test_a_process_that_is_deep_in_c(tmp_path, newest):
    """With the GIL held by one call into C, it says how it stands, and an order waits for its time."""
    text = """
import re
say(os.getpid())
re.match(r"(a+)+$", "a" * 26 + "b")
say("out")
sys.stdin.readline()
"""
    with Traced(tmp_path, newest, text) as traced:
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
