"""Waits for locks: how long, in which line, and the line that let go, of locks that are held for a known time."""
import pytest

from support.sections import command, section_forms, slices

pytestmark = pytest.mark.timed

HOLD = """
import queue, threading, time

lock = threading.Lock()
both = threading.Barrier(2)

def hold():
    with lock:
        both.wait()
        time.sleep(.2)  # so long
    # it is let go above

def want():
    both.wait()
    with lock:  # wanted
        pass

def held():
    threads = [threading.Thread(target=hold), threading.Thread(target=want)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def feed(numbers):
    for number in range(3):
        while not numbers.not_empty._waiters:  # the other thread may be late
            time.sleep(.001)
        time.sleep(.05)
        numbers.put(number)

def queued():
    numbers = queue.Queue()
    thread = threading.Thread(target=feed, args=(numbers,))
    thread.start()
    for number in range(3):
        numbers.get()
    thread.join()

def given_up():
    taken = threading.Lock()
    taken.acquire()
    assert not taken.acquire(timeout=.1)

held()
queued()
given_up()
"""

FREE = """
import queue, threading, time

lock = threading.Lock()
for turn in range(1000):
    with lock:
        pass
lock.acquire()
lock.release()
numbers = queue.Queue()
numbers.put(1)
numbers.get()
time.sleep(.01)
"""


def locks_report(result):
    return result.report("--locks")["locks"]


def line_of(text, program=HOLD):
    return 1 + [text in line for line in program.split("\n")].index(True)


def wait_in(report, function, line=None):
    # On a busy machine, a moment for a lock within the queue or the thread is a wait, too.
    rows = [row for row in report["waits"]
            if row["function"] == function and line in (None, row["line"]) and row["wait_ns"] > 20e6]
    assert len(rows) == 1, rows
    return rows[0]


REUSED = """
import threading, types
taken = threading.Lock()
taken.acquire()
def wait():
    taken.acquire(timeout=1e-6)
    taken.acquire(timeout=1e-6)
for number in range(2100):
    types.FunctionType(wait.__code__.replace(co_firstlineno=10 * number), globals())()
"""


@pytest.mark.needs_gil
def test_lines_of_code_that_takes_the_place_of_other_code(python, run_traced):
    """Functions that are gone leave their place in a table to others, which have the same instructions on other lines."""
    report = run_traced(python, REUSED, "--events", "lock").report("--locks", "--limit", "0")["locks"]
    waits = {row["line"]: row["waits"] for row in report["waits"] if row["function"] == "wait"}
    assert waits == {10 * number + line: 1 for number in range(2100) for line in (1, 2)}


def test_locks_that_are_held(python, tmp_path, run_traced):
    program = tmp_path / "locks.py"
    program.write_text(HOLD)
    report = locks_report(run_traced(python, program))
    row = wait_in(report, "want")
    assert row["waits"] == 1 and row["line"] == line_of("# wanted") and row["through"] is None
    assert .15e9 < row["wait_ns"] < .8e9
    assert row["holder_function"] == "hold"
    assert line_of("with lock:") <= row["holder_line"] <= line_of("# so long")
    row = wait_in(report, "queued", line_of("numbers.get()"))
    assert row["waits"] == 3
    assert row["through"].endswith("wait")
    assert (row["holder_function"], row["holder_line"]) == ("feed", line_of("numbers.put(number)"))
    row = wait_in(report, "given_up")
    assert (row["waits"], row["timed_out"], row["line"]) == (1, 1, line_of("assert not"))
    assert .075e9 < row["wait_ns"] < .4e9 and row["holder_function"] is None
    assert wait_in(report, "held", line_of("thread.join()"))["wait_ns"] > .15e9
    places = {(row["function"], row["line"]): row for row in report["locks"]}
    # Who waits a moment for a lock that the interpreter made before is told, too.
    assert all(row["made"] for row in report["locks"] if row["wait_ns"] > 20e6)
    assert places["<module>", line_of("lock = threading.Lock()")]["waits"] == 1
    assert places["given_up", line_of("taken = threading.Lock()")]["timed_out"] == 1
    for lock in report["locks"]:
        waits = [row for row in report["waits"] if row["lock"] == lock["lock"]]
        assert lock["wait_ns"] == sum(row["wait_ns"] for row in waits)
        assert lock["waits"] == sum(row["waits"] for row in waits)


KINDS = """
import _thread, threading, time

def wait(lock):
    with lock:
        pass

def want(lock):
    with lock:
        pass

def until_it_sleeps(thread):
    # It does nothing else than to wait for the lock, once it has begun.
    looks = 0
    while looks < 5:
        time.sleep(.01)
        with open("/proc/self/task/%d/stat" % thread.native_id) as file:
            looks = looks + 1 if file.read().rsplit(")", 1)[1].split()[0] == "S" else 0

def contended(lock):
    for function in wait, want:
        with lock:
            thread = threading.Thread(target=function, args=(lock,))
            thread.start()
            until_it_sleeps(thread)
        thread.join()

contended(threading.Lock())
contended(threading.RLock())
contended(_thread.allocate_lock())
for turn in range(2):
    contended(threading.Lock())  # again
"""


def test_every_kind_of_lock(one_of_each, run_traced):
    """Each is named by the line that made it, whoever waits for it."""
    report = locks_report(run_traced(one_of_each, KINDS))
    lines = [line_of("threading.Lock())", KINDS), line_of("threading.RLock())", KINDS),
             line_of("_thread.allocate_lock())", KINDS), line_of("# again", KINDS)]
    rows = [row for row in report["locks"] if row["function"] == "<module>"]
    assert sorted((row["line"], row["waits"]) for row in rows) == list(zip(lines, [2, 2, 2, 4]))
    assert all(row["made"] for row in rows)


def test_a_lock_that_was_made_before(one_of_each, tmp_path, run_traced):
    """It is named by the line that first waited for it."""
    program = tmp_path / "before.py"
    program.write_text("""
import threading, time
import pinsight
lock = threading.Lock()
pinsight.set_mode("Python", "TRACING")
def wants():
    with lock:  # wanted
        pass
lock.acquire()
thread = threading.Thread(target=wants)
thread.start()
time.sleep(.1)
lock.release()
thread.join()
""")
    report = locks_report(run_traced(one_of_each, program, "--mode", "STANDBY"))
    (row,) = [row for row in report["locks"] if row["function"] == "wants"]
    assert not row["made"] and row["waits"] == 1 and row["line"] == 7


def test_nothing_where_nobody_waits(both_mechanisms, run_traced):
    for python in both_mechanisms:
        result = run_traced(python, FREE)
        assert locks_report(result) == {"locks": [], "waits": []}
        assert "lock_wait_begin" not in command(result, "dump")
        assert "No thread was seen to wait for a lock." in command(result, "report", "--locks")


@pytest.mark.parametrize("options", [["--events", "function,c_call"], ["--mode", "MONITORING"]], ids=" ".join)
def test_not_asked_for(one_of_each, options, run_traced):
    assert locks_report(run_traced(one_of_each, HOLD, *options))["locks"] == []


def test_with_lttng(one_of_each, run_traced):
    assert wait_in(locks_report(run_traced(one_of_each, HOLD, "--recorder", "lttng", "--lossless")), "want")["holder_function"] == "hold"


def test_the_first_screen_has_the_line(both_mechanisms, tmp_path, run_traced, monkeypatch):
    """`with lock` is no call. Its line is the one where the function's time goes."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    program = tmp_path / "locks.py"
    program.write_text(HOLD)
    for python in both_mechanisms:
        text = command(run_traced(python, program), "report", "-q")
        rows = [line for line in text.split("Your functions")[1].splitlines() if " want " in line]
        assert "want" in rows[0] and "locks.py:%d → lock" % line_of("# wanted") in rows[0], text


def test_forms(newest, run_traced):
    result = run_traced(newest, HOLD)
    rows = locks_report(result)["waits"]
    section_forms(result, "--locks", rows, "wait_ns", "Locks that threads waited for", "until let go")
    waits = [row for row in slices(result) if row["category"] == "lock"]
    assert sum(int(row["duration_ns"]) for row in waits) == sum(row["wait_ns"] for row in rows)


HANG = """
import os, threading, time
lock = threading.Lock()
lock.acquire()
def hang():
    with lock:
        pass
thread = threading.Thread(target=hang, daemon=True)
thread.start()
time.sleep(.2)
os._exit(0)
"""


def test_a_wait_without_an_end(one_of_each, run_traced):
    row = wait_in(locks_report(run_traced(one_of_each, HANG)), "hang")
    assert row["open"] == 1 and row["holder_function"] is None


FORK = """
import os, threading, time
lock = threading.Lock()
def stay():
    with lock:
        time.sleep(.3)
def want():
    with lock:
        pass
threading.Thread(target=stay, daemon=True).start()
time.sleep(.05)
waiting = threading.Thread(target=want)
waiting.start()
time.sleep(.05)
child = os.fork()
if not child:
    own = threading.Lock()
    for turn in range(100):
        with own:
            pass
    other = threading.Lock()
    other.acquire()
    other.acquire(timeout=.05)
    os._exit(0)
os.waitpid(child, 0)
waiting.join()
"""


def test_a_forked_child_has_its_own(one_of_each, run_traced):
    report = locks_report(run_traced(one_of_each, FORK, env={"PYTHONWARNINGS": "ignore"}))
    pids = {lock["pid"] for lock in report["locks"]}
    assert len(pids) == 2
    assert wait_in(report, "want")["holder_function"] == "stay"
