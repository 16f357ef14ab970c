"""Running and waiting: what the report says of a thread without a processor is what the program measured itself."""
import json
import os

import pytest

from support.quiet import until_quiet

pytestmark = pytest.mark.timed

# Each part says how long it took, and how much of that its thread had no processor.
WORK = """
import json, os, sys, threading, time
said = {}
def part(function, before=lambda: None):
    before()
    wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
    function()
    wall, cpu = time.perf_counter_ns() - wall, time.thread_time_ns() - cpu
    said[function.__name__] = {"wall": wall, "away": wall - cpu}
def spinning():
    end = time.thread_time_ns() + 100_000_000
    n = 0
    while time.thread_time_ns() < end:
        for i in range(1000):
            n += i
def sleeping():
    for i in range(20):
        time.sleep(0.005)
lock = threading.Lock()
lock.acquire()
def locking():
    lock.acquire()
end, other = os.pipe()
def reading():
    os.read(end, 1)
part(spinning)
part(sleeping)
part(locking, threading.Timer(0.1, lock.release).start)
part(reading, threading.Timer(0.1, os.write, (other, b"x")).start)
json.dump(said, open(sys.argv[1], "w"))
"""
PARTS = {"sleeping": "sleep", "locking": "acquire", "reading": "read"}  # and the C callable that waits


@pytest.fixture(params=["file", "lttng"], autouse=True)
def each_recorder(request, monkeypatch, recorder):
    """Both say the same."""
    monkeypatch.setenv("PINSIGHT_RECORDER", request.param)


@pytest.fixture
def trace_it(python, script, tmp_path, run_command):
    """trace_it() gives what the program measured, and what the report says."""
    def run():
        done = run_command(python.path, str(script), str(tmp_path / "said"))
        assert done.rc == 0
        return json.loads((tmp_path / "said").read_text()), done.report("--limit", "0")
    return run


def differences(said, report):
    """Parts of which the report says another time without a processor than the program, by more than 3 %."""
    functions = {row["name"].split(".")[-1]: row for row in report["functions"] if row["file"].endswith("work.py")}
    for name in said:
        calls = [row for row in report["c_calls"] if row["caller"] and row["caller"].split(".")[-1] == name]
        waited = functions[name].get("waiting_ns", 0) + sum(row.get("waiting_ns", 0) for row in calls)
        if abs(waited - said[name]["away"]) > max(0.03 * said[name]["wall"], 2_000_000):
            yield name, waited, said[name]
        if name in PARTS:
            (call,) = [row for row in calls if row["name"].split(".")[-1] == PARTS[name]]
            assert call["waiting_ns"] >= 0.9 * call["self_ns"]


def test_waiting_is_what_the_program_measured(trace_it):
    for _ in range(5):  # who has the processor between the program's clock and the call is not told
        found = list(differences(*trace_it()))
        if not found:
            return
    assert not found


def test_threads_have_running_waiting_and_ready_time(trace_it):
    def check():
        said, report = trace_it()
        (main,) = [row for row in report["threads"] if row["python_thread_id"] == 0]
        away = sum(part["away"] for part in said.values())
        assert main["waited_ns"] + main["ready_ns"] >= 0.9 * away
        assert main["waited_ns"] + main["ready_ns"] <= main["end_ns"] - main["begin_ns"]
        # Nobody took the processor from a thread that slept.
        assert main["waited_ns"] >= 0.8 * sum(said[name]["away"] for name in PARTS)
    until_quiet(check)


# Each part waits for one thing; who ends the wait sleeps in a child, and is not in the trace.
CAUSES = """
import json, os, select, socket, subprocess, sys, threading, time
said = {}
def later(write):
    if os.fork() == 0:
        os.dup2(write, 1)
        os.execv("/bin/sh", ["sh", "-c", "sleep 0.1; echo"])
def part(cause, function, *arguments):
    wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
    function(*arguments)
    said[cause] = time.perf_counter_ns() - wall - (time.thread_time_ns() - cpu)
lock = threading.Lock()
lock.acquire()
ours, theirs = socket.socketpair()
theirs.set_inheritable(True)
read, write = os.pipe()
os.set_inheritable(write, True)
part("sleep", time.sleep, 0.1)
part("select, poll", select.select, [ours], [], [], 0.1)
part("locks", lock.acquire, True, 0.1)
later(theirs.fileno())
part("sockets", ours.recv, 1)
later(write)
part("files, pipes", os.read, read, 1)
began = time.perf_counter_ns()
child = subprocess.Popen(["sleep", "0.1"])
starting = time.perf_counter_ns() - began
part("child processes", os.waitpid, child.pid, 0)
said["files, pipes"] += starting if sys.version_info < (3, 10) else 0  # it reads a pipe until the child executes
said["starting"] = starting
json.dump(said, open(sys.argv[1], "w"))
"""


def other_causes(said, waits, ready):
    """A time without a processor may be one in which it was wanted: `ready` of all threads."""
    starting = said.pop("starting", 0)
    return [(cause, waits.get(cause, 0), away) for cause, away in said.items()
            if not away - 2_000_000 - ready - (starting if cause == "files, pipes" else 0) <= waits.get(cause, 0) <= 1.03 * away + 4_000_000]


def test_waits_have_causes(python, tmp_path, run_command):
    file = tmp_path / "causes.py"
    file.write_text(CAUSES)
    for _ in range(5):
        done = run_command(python.path, str(file), str(tmp_path / "said"))
        assert done.rc == 0
        report = done.report()
        waits = {row["cause"]: row["waiting_ns"] for row in report["waits"]}
        assert sum(waits.values()) == sum(row.get("waited_ns", 0) for row in report["threads"])
        found = other_causes(json.loads((tmp_path / "said").read_text()), waits,
                             sum(row.get("ready_ns", 0) for row in report["threads"]))
        if not found:
            break
    assert not found
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Waiting for ")]
    assert line.count(" · ") >= 2 and len(line) <= 80


@pytest.mark.needs_gil
def test_a_wait_for_the_gil_is_none_of_another_cause(python, tmp_path, run_command):
    """What LTTng's daemons make a thread wait for is other."""
    others = 0.2 if os.environ["PINSIGHT_RECORDER"] == "file" else 0.5
    file = tmp_path / "fight.py"
    file.write_text("""
import threading, time
def fights():
    ends = time.monotonic() + 0.5
    while time.monotonic() < ends:
        sum(range(20))
threads = [threading.Thread(target=fights) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
""")

    def check():
        report = run_command(python.path, str(file)).report("--gil")
        waits = {row["cause"]: row["waiting_ns"] for row in report["waits"]}
        wanted = sum(row["wait_ns"] for row in report["gil"]["gils"])
        ready = sum(row["ready_ns"] for row in report["threads"])  # who got the GIL wants a processor, too
        assert 0.8 * wanted - ready <= waits["the GIL"] <= wanted
        assert waits.get("other", 0) <= others * wanted
    until_quiet(check)


def test_who_only_waits_is_not_at_the_top(one_of_each, tmp_path, run_command):
    file = tmp_path / "queueing.py"
    file.write_text("""
import queue, threading
items = queue.Queue()
def waits():
    items.get()
def works():
    total = 0
    for i in range(300000):
        total += len(str(i))
    return total
threading.Thread(target=waits).start()
works()
items.put(None)
""")

    def check():
        done = run_command(one_of_each.path, str(file))
        names = [row["name"] for row in done.report("--links")["links"]["functions"]]
        assert names.index("works") < names.index("waits")
        assert "Waiting" in done.stderr
    until_quiet(check)


def test_libraries_that_wait_do_not_hide_your_functions(one_of_each, tmp_path, run_command):
    file = tmp_path / "listening.py"
    file.write_text("""
import logging.handlers, queue
listeners = [logging.handlers.QueueListener(queue.Queue()) for _ in range(4)]
[listener.start() for listener in listeners]
def works():
    return sum(len(str(i)) for i in range(200000))
works()
[listener.stop() for listener in listeners]
""")

    def check():
        said = run_command(one_of_each.path, str(file)).stderr
        assert "Your functions" in said and "works" in said
    until_quiet(check)


BUSY = """
import json, os, subprocess, sys, time
os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"], env={}) for _ in range(2)]
def compute():
    wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
    total = 0
    while time.thread_time_ns() - cpu < 200_000_000:
        total += sum(range(1000))
    return time.perf_counter_ns() - wall - (time.thread_time_ns() - cpu)
def sleeps():
    for _ in range(20):
        time.sleep(0.005)
away = compute()
sleeps()
for loop in loops:
    loop.kill()
json.dump(away, open(sys.argv[1], "w"))
"""


def test_who_has_no_processor_does_not_wait(python, tmp_path, run_command):
    file = tmp_path / "busy.py"
    file.write_text(BUSY)

    def check():
        done = run_command(python.path, str(file), str(tmp_path / "away"))
        away = json.loads((tmp_path / "away").read_text())
        report = done.report("--links", "--limit", "0")
        functions = {row["name"]: row for row in report["links"]["functions"]}
        assert {"compute", "sleeps"} <= set(functions), done.stderr  # LTTng may lose events there
        compute, sleeps = functions["compute"], functions["sleeps"]
        assert 0.8 * away <= compute["ready_ns"] <= away + 2_000_000
        waited = compute.get("python_waiting_ns", 0) + compute.get("c_waiting_ns", 0) - compute["ready_ns"]
        assert waited <= 0.2 * away
        assert sleeps["c_waiting_ns"] - sleeps.get("ready_ns", 0) >= 95_000_000
        assert "No free CPU" in done.stderr
        rows = [row for row in report["functions"] + report["c_calls"] if row.get("ready_ns")]
        assert rows and all(row["ready_ns"] <= row["waiting_ns"] for row in rows)
    until_quiet(check)


def test_processor_time_can_be_left_unread(python, trace_it, monkeypatch):
    monkeypatch.setenv("PINSIGHT_PROCESSOR_TIME", "0")
    _, report = trace_it()
    assert "waits" not in report
    assert not [row for row in report["functions"] + report["c_calls"] if "waiting_ns" in row]
