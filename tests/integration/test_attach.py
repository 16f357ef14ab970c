"""`pinsight attach` and `detach`: a program that runs is recorded for a while, and then is as it was."""
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from support import exported, places
from support.attached import Load, Service, ask, calls, pinsight
from support.ctl import free_pid
from support.pythons import every_python, pythons
from tools import fuzz_traces


def counted_calls(trace):
    """Of the function leaf."""
    return sum(row["calls"] for row in exported.report(trace)["functions"] if row["name"] == "leaf")


@pytest.fixture
def python(newest):
    """A test that names no other one has the newest."""
    return newest


@pytest.fixture
def service(python, tmp_path):
    with Service(tmp_path, python) as running:
        yield running


each = pytest.mark.parametrize("python", pythons(), ids=str)


@pytest.mark.parametrize("words, message", [
    (["attach"], "attach wants the number of one process; for example: pinsight attach 4711"),
    (["attach", "1", "2"], "attach wants the number of one process; for example: pinsight attach 4711"),
    (["attach", "service"], "'service' is no number of a process; `pgrep -af python` lists those of Python"),
    (["attach", "--for", "soon", "1"], "--for takes a time such as 10s, 500ms or 5min, not 'soon'"),
    (["attach", "--ring", "10", "1"], "--ring cannot be '10': write how much to keep of each process:"
     " a size of 256K or more, such as 64M, or a time of 1 s or more, such as 30s or 5min"),
    (["attach", "-c", "no.ini", "1"], "the configuration file no.ini cannot be read: No such file or directory"),
    (["detach"], "detach wants the number of one process; for example: pinsight detach 4711"),
])
def test_wrong_use(words, message, tmp_path):
    assert pinsight(*words, rc=2, cwd=tmp_path) == "pinsight: " + message + "\n"


@each
def test_counts_are_exact_twice(service, tmp_path):
    """Between attach and detach each call is there, and none from before or after; then nothing is left."""
    with service.connect() as connection:
        ask(connection, 5)
        descriptors, threads = service.descriptors(), service.threads()
        for times, asked in (("first", 30), ("second", 12)):
            trace = tmp_path / times
            said = pinsight("attach", "-o", trace, service.pid)
            assert said == "pinsight: process %d is recorded into %s; `pinsight detach %d` ends that\n" % (
                service.pid, trace, service.pid)
            assert [ask(connection, 7) for _ in range(asked)] == [7] * asked
            pinsight("detach", "--no-summary", "-q", service.pid)
            assert service.descriptors() == descriptors and service.threads() == threads
            assert not service.mapped(str(trace)), "no buffer is left"
            assert not service.lent(), "no code is left"
            ask(connection, 3)
            begun, before = calls(trace)
            assert begun == {"handle": asked, "leaf": 7 * asked}
            assert {"<module>", "main", "serve"} >= before >= {"serve"}
            assert not list(trace.glob(".attach*")) and not list(trace.glob("trace/*/.[0-9]*"))


def test_the_last_part_and_then_all(service, tmp_path):
    """Each recording has its own limit, and a process that recorded its last part can record all."""
    with service.connect() as connection:
        for name, options, asked in (("small", ["--ring", "256K"], 40000), ("large", ["--ring", "64M"], 30), ("all", [], 20000)):
            pinsight("attach", "-o", tmp_path / name, *options, service.pid)
            assert ask(connection, asked) == asked
            pinsight("detach", "--no-summary", "-q", service.pid)
            assert not service.mapped(str(tmp_path / name)), "neither a buffer nor the ring's head is left"
    assert counted_calls(tmp_path / "large") == 30 and counted_calls(tmp_path / "all") == 20000
    kept = exported.report(tmp_path / "small")["trace"]["flight_recorder"]
    assert 0 < counted_calls(tmp_path / "small") < 30000 and [part["dropped_bytes"] > 100000 for part in kept] == [True]
    assert "flight_recorder" not in exported.report(tmp_path / "large")["trace"]


@each
def test_for_a_while_under_load(service, tmp_path):
    with Load(service) as load:
        before = load.answered
        said = pinsight("attach", "--for", "300ms", "-o", tmp_path / "trace", service.pid)
        after = load.answered
        until = time.time() + 30
        while load.answered < after + 10 and time.time() < until:
            time.sleep(0.01)
    assert load.wrong == 0 and load.answered >= after + 10
    assert "handle" in said and "Nothing was lost" in said and "pinsight report" in said
    begun, _ = calls(tmp_path / "trace")
    assert 0 < begun["handle"] <= after - before + 1 and abs(begun["leaf"] - 20 * begun["handle"]) <= 20


def test_twice_at_once_and_not_at_all(service, tmp_path):
    pid = service.pid
    assert pinsight("detach", pid, rc=1) == "pinsight: process %d is not recorded; `pinsight attach %d` begins that\n" % (pid, pid)
    pinsight("attach", "-q", "-o", tmp_path / "one", pid)
    assert pinsight("attach", "-o", tmp_path / "two", pid, rc=1) == (
        "pinsight: process %d is recorded already, into %s; `pinsight detach %d` ends that\n" % (pid, tmp_path / "one", pid))
    assert not (tmp_path / "two").exists()
    pinsight("detach", "-q", "--no-summary", pid)


def test_what_cannot_be_attached(tmp_path):
    pid = free_pid()
    assert pinsight("attach", pid, rc=1) == (
        "pinsight: there is no process %d; `pgrep -af python` lists those of Python\n" % pid)
    assert "there is no process %d" % pid in pinsight("detach", pid, rc=1)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert "process %d" % child in pinsight("attach", child, rc=1) and os.waitpid(child, 0)


def test_a_python_that_refuses(newest, tmp_path):
    with Service(tmp_path, newest, ["-X", "disable-remote-debug"]) as service:
        assert pinsight("attach", "-o", tmp_path / "trace", service.pid, rc=1).startswith(
            "pinsight: process %d (python3" % service.pid)
        assert not (tmp_path / "trace").exists()


def test_a_configuration_that_is_wrong(service, tmp_path):
    (tmp_path / "wrong.ini").write_text("[Python]\n    trace_mode = SOMETIMES\n")
    said = pinsight("attach", "-c", "wrong.ini", "-o", "trace", service.pid, rc=1, cwd=tmp_path)
    assert "wrong.ini:2:" in said and "SOMETIMES" in said
    assert not (tmp_path / "trace").exists()
    (tmp_path / "right.ini").write_text("[Python]\n    events = function\n[Lexgion(Python:*:leaf)]\n    max_num_traces = 3\n")
    pinsight("attach", "-q", "-c", "right.ini", "-o", "trace", service.pid, cwd=tmp_path)
    with service.connect() as connection:
        ask(connection, 50)
    pinsight("detach", "-q", "--no-summary", service.pid)
    assert calls(tmp_path / "trace")[0]["leaf"] == 3


# Programs of one thread or two, by what that does at the moment.
BUSY = {
    "calls": "while True: leaf()",
    "computes": "number = 0\nwhile True: number += 1",
    "sleeps": "time.sleep(1000)",
    "joins": "threading.Thread(target=lambda: [leaf() or time.sleep(0.01) for _ in range(100000)], daemon=True).start()\n"
             "time.sleep(0.1)\nthreading.enumerate()[1].join()",
    "waits for a lock": "threading.Event().wait()",
    "waits for a child": "ends, end = os.pipe()\nchild = os.fork()\nif child == 0:\n    os.closerange(end, end + 1)\n"
                         "    os.closerange(1, 3)\n    os._exit(len(os.read(ends, 1)))\nos.waitpid(child, 0)",
    "waits for a signal": "signal.pause()",
}


@pytest.mark.parametrize("busy", BUSY)
@each
def test_whatever_it_does(python, busy, tmp_path):
    """It is recorded while it computes, calls or waits, and goes on with that, afterwards, too."""
    program = ("import os, signal, subprocess, sys, threading, time\n\ndef leaf():\n    pass\n\n"
               "os.mkdir(sys.argv[1])\n" + BUSY[busy] + "\n")
    with Service(tmp_path, python, program=program) as service:
        pinsight("attach", "-q", "-o", tmp_path / "trace", service.pid)
        until = time.time() + 30
        while busy == "calls" and not sum(map(os.path.getsize, (tmp_path / "trace").glob("trace/*/*"))) > 100000:
            assert time.time() < until
            time.sleep(0.01)
        pinsight("detach", "-q", "--no-summary", service.pid)
        begun, before = calls(tmp_path / "trace")
        assert before >= {"<module>"} and (busy != "calls" or begun["leaf"] > 1000)
        assert not service.lent() and service.process.poll() is None
        service.process.send_signal(signal.SIGINT)  # it still comes to Python
        assert service.process.wait(30) in (1, -signal.SIGINT, 130)


SPAWNS = """
import os, sys

def leaf():
    pass

os.mkfifo("input")
os.mkdir(sys.argv[1])
os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, "input", os.O_RDONLY, 0)])
while True:
    leaf()
"""


def test_a_thread_that_stops_late(one_of_each, tmp_path):
    """While a thread waits for a child that vfork() made, the kernel does not stop it."""
    with Service(tmp_path, one_of_each, program=SPAWNS) as service:
        attach = subprocess.Popen([places.COMMAND, "attach", "-q", "-o", tmp_path / "trace", str(service.pid)],
                                  stderr=subprocess.PIPE, encoding="utf-8")
        status = pathlib.Path("/proc/%d/status" % service.pid)
        until = time.time() + 30
        while "TracerPid:\t0\n" in status.read_text() and attach.poll() is None:
            assert time.time() < until
            time.sleep(0.001)
        time.sleep(0.7)
        with open(tmp_path / "input", "w", encoding="utf-8"):
            assert attach.communicate(timeout=60)[1] == "" and attach.returncode == 0
        pinsight("detach", "-q", "--no-summary", service.pid)
        assert service.process.poll() is None


@pytest.mark.storm
@each
def test_many_times(python, tmp_path):
    """Sixty times in a row: each request is answered, and descriptors, threads and memory are as before."""
    with Service(tmp_path, python) as service, Load(service) as load, Load(service, 3) as other:
        def once(number):
            trace = tmp_path / ("trace%d" % number)
            pinsight("attach", "-q", "-o", trace, service.pid)
            answered = load.answered
            while load.answered < answered + 3:
                assert load.thread.is_alive()
                time.sleep(0.001)
            pinsight("detach", "-q", "--no-summary", service.pid)
            return trace

        def memory():
            with open("/proc/%d/statm" % service.pid, encoding="utf-8") as file:
                return int(file.read().split()[1]) * 4096
        for number in range(5):
            once(number)
        descriptors, threads, kept = service.descriptors(), service.threads(), memory()
        for number in range(5, 60):
            once(number)
        assert service.descriptors() == descriptors and service.threads() == threads
        assert memory() - kept < 4 << 20
        assert calls(tmp_path / "trace59")[0]["handle"] >= 3
    assert load.wrong == 0 and other.wrong == 0


PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", '''
import socket, sys, time
def work():
    time.sleep(0.01)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
while True:
    work()
''', sys.argv[1]])
def wait():
    time.sleep(0.01)
while child.poll() is None:
    wait()
"""


def test_children(newest, tmp_path):
    """The Pythons that a process has started, in one trace; all are let go of at the end."""
    with Service(tmp_path, newest, program=PARENT) as parent:
        with open("/proc/%d/task/%d/children" % (parent.pid, parent.pid), encoding="ascii") as file:
            child = int(file.read())
        try:
            said = pinsight("attach", "--children", "--for", "200ms", "-o", tmp_path / "trace", parent.pid)
            assert "2 processes" in said and "wait" in said and "work" in said
            assert "not recorded" in pinsight("detach", child, rc=1)
        finally:
            os.kill(child, signal.SIGKILL)


# Stacks.

STACKS = """
import socket, sys, threading, time

def gr\u00f6\u00dfe(lock):
    with lock: time.sleep(1000)

def \u6c49\u5b57():
    lock = threading.Lock()
    threading.Thread(target=gr\u00f6\u00dfe, args=(lock,), name="holder", daemon=True).start()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(1)
    (lambda:
     listener.accept())()

\u6c49\u5b57()
"""


def test_stacks(newest, tmp_path):
    """Of each thread, innermost first, with lines and names of any characters; also where no thread runs Python."""
    with Service(tmp_path, newest, program=STACKS) as service:
        until = time.time() + 30
        while True:
            done = subprocess.run([str(places.COMMAND), "dump-stacks", str(service.pid)], stdout=subprocess.PIPE, check=True)
            head, main, other = done.stdout.decode().split("\n\n")
            if " accept" in main or "connection" in main or time.time() > until:
                break
    path = str(tmp_path / "service.py")
    assert head.startswith("Process %d, Python 3." % service.pid) and path in head
    main = main.splitlines()
    assert main[0] == "Thread %d (main) waits for a connection" % service.pid and main[1].startswith("    socket.accept ")
    assert main[2:] == [
        "    \u6c49\u5b57.<locals>.<lambda>  %s:14" % path,
        "    \u6c49\u5b57  %s:13" % path,
        "    <module>  %s:16" % path]
    lines = other.splitlines()
    assert lines[0].endswith(" sleeps") and lines[1] == "    gr\u00f6\u00dfe  %s:5" % path and "Thread.run" in lines[2]


HOSTILE = """
import socket, sys
def f():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(1)
    listener.accept()
name = "\\x9b31m\\x1b[31m\\u202ef"
f.__code__ = f.__code__.replace(co_name=name, co_qualname=name, co_filename=name)
f()
"""


def test_stacks_with_hostile_names(newest, tmp_path):
    """Terminals act on controls of one byte and of two, and on changes of the direction of writing."""
    with Service(tmp_path, newest, program=HOSTILE) as service:
        done = subprocess.run([str(places.COMMAND), "dump-stacks", str(service.pid)], stdout=subprocess.PIPE, check=True)
    assert fuzz_traces.wrong_text(done.stdout) is None
    assert r"\u{202e}f" in done.stdout.decode()


def test_stacks_of_no_process():
    assert "there is no process" in pinsight("dump-stacks", free_pid(), rc=1)


HEADERS = sorted({path for python in every_python()
                  for path in pathlib.Path(python.path).resolve().parents[1].glob("include/python3.*/internal/pycore_debug_offsets.h")})
FIELDS = {
    "INTERPRETERS": "runtime_state.interpreters_head", "INTERPRETER_ID": "interpreter_state.id",
    "NEXT_INTERPRETER": "interpreter_state.next", "THREADS": "interpreter_state.threads_head",
    "MAIN_THREAD": "interpreter_state.threads_main", "REMOTE_IS_ON": "debugger_support.remote_debugging_enabled",
    "NEXT_THREAD": "thread_state.next", "NATIVE_THREAD": "thread_state.native_thread_id",
    "EVAL_BREAKER": "debugger_support.eval_breaker", "REMOTE": "debugger_support.remote_debugger_support",
    "REMOTE_PENDING": "debugger_support.debugger_pending_call", "REMOTE_SCRIPT": "debugger_support.debugger_script_path",
    "REMOTE_SCRIPT_BYTES": "debugger_support.debugger_script_path_size",
    "GIL_HOLDER": "interpreter_state.gil_runtime_state_holder", "GIL_LOCKED": "interpreter_state.gil_runtime_state_locked",
    "CURRENT_FRAME": "thread_state.current_frame", "FRAME_PREVIOUS": "interpreter_frame.previous",
    "FRAME_CODE": "interpreter_frame.executable", "FRAME_AT": "interpreter_frame.instr_ptr",
    "FRAME_OWNER": "interpreter_frame.owner", "OBJECT_TYPE": "pyobject.ob_type", "TYPE_NAME": "type_object.tp_name",
    "CODE_FILE": "code_object.filename", "CODE_NAME": "code_object.qualname", "CODE_LINES": "code_object.linetable",
    "CODE_FIRST_LINE": "code_object.firstlineno", "CODE_INSTRUCTIONS": "code_object.co_code_adaptive",
    "BYTES_SIZE": "bytes_object.ob_size", "BYTES_CONTENT": "bytes_object.ob_sval", "TEXT_STATE": "unicode_object.state",
    "TEXT_LENGTH": "unicode_object.length", "TEXT_CONTENT": "unicode_object.asciiobject_size",
}


def words_of(header):
    """Which word of the table has each field, by a header of CPython."""
    text = header.read_text()
    found, word, part = {}, 0, ""
    for line in text[text.index("typedef struct _Py_DebugOffsets"):text.index("} _Py_DebugOffsets;")].splitlines():
        begin = re.match(r"\s*struct(?: _(\w+))?\s*\{", line)
        field = re.match(r"\s*(?:uint64_t (\w+)|char (cookie)\[8\])", line)
        if begin:
            part = (begin.group(1) or "") + "."
        elif field:
            found[part + (field.group(1) or field.group(2))] = word
            word += 1
        elif re.match(r"\s*\}", line):
            part = ""
    return found


@pytest.mark.parametrize("header", HEADERS or [None], ids=lambda header: header.parts[-3] if header else "none")
def test_the_interpreters_table(header):
    """The words that src/attach/runtime.c reads are those of the headers."""
    if header is None:
        pytest.skip("no CPython with headers of its table is here")
    version = header.parts[-3]
    minor = int(version[len("python3."):].rstrip("td"))
    if minor < 14:
        pytest.skip("remote execution came with 3.14")
    source = (places.ROOT / "src" / "attach" / "runtime.c").read_text()
    table = re.search(r"\{%d,\s*\{(.*?)\}\}" % minor, source, re.S)
    assert table, "src/attach/runtime.c has no table for 3.%d" % minor
    ours = {name: int(word) for name, word in re.findall(r"\[PINSIGHT_OFFSET_(\w+)\] = (\d+)", table.group(1))}
    theirs = words_of(header)
    assert ours == {name: theirs[field] for name, field in FIELDS.items()}


@pytest.mark.storm
@pytest.mark.alone
def test_a_call_costs_what_it_did(newest, tmp_path):
    """After it was let go, by the fastest of several turns, each beside one of a process that was never attached."""
    (tmp_path / "other").mkdir()
    with Service(tmp_path, newest) as service, Service(tmp_path / "other", newest) as other:
        for number in range(3):
            pinsight("attach", "-q", "-o", tmp_path / ("trace%d" % number), service.pid)
            with service.connect() as connection:
                ask(connection, 1000)
            pinsight("detach", "-q", "--no-summary", service.pid)

        def seconds(connection):
            began = time.perf_counter()
            ask(connection, 300000)
            return time.perf_counter() - began
        with service.connect() as was_attached, other.connect() as never:
            turns = [(seconds(was_attached), seconds(never)) for _ in range(15)]
    assert min(was for was, _ in turns) < 1.05 * min(never for _, never in turns)


def test_who_may(newest):
    """A process is recorded by its own user, whom the message names; root may look at its stacks."""
    if os.geteuid() != 0:
        places.missing("root")
    with subprocess.Popen(["sleep", "60"], user="nobody") as process:
        pid = process.pid
        assert pinsight("attach", pid, rc=1) == (
            "pinsight: process %d (sleep) belongs to the user nobody; use `sudo -u nobody pinsight attach %d`\n" % (pid, pid))
        assert "belongs to the user" not in pinsight("dump-stacks", pid, rc=1)
        process.kill()


def test_counts_of_two_recordings(newest, tmp_path):
    """What MONITORING counts belongs to the recording that it was counted in, however the process ends."""
    (tmp_path / "count.ini").write_text("[Python]\ntrace_mode = MONITORING\n")
    counted = []
    with Service(tmp_path, newest) as service, service.connect() as connection:
        for times in ("first", "second"):
            pinsight("attach", service.pid, "-q", "-c", tmp_path / "count.ini", "-o", tmp_path / times)
            ask(connection, 7)
            if times == "first":
                pinsight("detach", "--no-summary", "-q", service.pid)
                counted.append(counted_calls(tmp_path / times))
    counted.append(counted_calls(tmp_path / "first"))
    assert counted == [7, 7]
