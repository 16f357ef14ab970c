"""`pinsight attach` and `detach`: a program that runs is recorded for a while, and then is as it was."""
import os
import time

import pytest

from support.attached import Load, Service, ask, calls, pinsight
from support.ctl import free_pid


@pytest.fixture
def service(newest, tmp_path):
    with Service(tmp_path, newest) as running:
        yield running


@pytest.mark.parametrize("words, message", [
    (["attach"], "attach wants the number of one process; for example: pinsight attach 4711"),
    (["attach", "1", "2"], "attach wants the number of one process; for example: pinsight attach 4711"),
    (["attach", "service"], "'service' is no number of a process; `pgrep -af python` lists those of Python"),
    (["attach", "--for", "soon", "1"], "--for takes a time such as 10s, 500ms or 5min, not 'soon'"),
    (["attach", "-c", "no.ini", "1"], "the configuration file no.ini cannot be read: No such file or directory"),
    (["detach"], "detach wants the number of one process; for example: pinsight detach 4711"),
])
def test_wrong_use(words, message, tmp_path):
    assert pinsight(*words, rc=2, cwd=tmp_path) == "pinsight: " + message + "\n"


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
            ask(connection, 3)
            begun, before = calls(trace)
            assert begun == {"handle": asked, "leaf": 7 * asked}
            assert {"<module>", "main", "serve"} >= before >= {"serve"}
            assert not list(trace.glob(".attach*")) and not list(trace.glob("trace/*/.[0-9]*"))


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


@pytest.mark.storm
def test_many_times(newest, tmp_path):
    """Sixty times in a row: each request is answered, and descriptors, threads and memory are as before."""
    with Service(tmp_path, newest) as service, Load(service) as load, Load(service, 3) as other:
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
