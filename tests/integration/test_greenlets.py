"""Greenlets switch stacks inside a call of C, unseen by the interpreter: nothing is lost, nothing counted twice."""
import pytest

from test_locks import line_of

CALLS = {"ping": 1, "pong": 1, "descend": 20 * 11 + 4, "refuse": 1, "count_up": 1, "total": 1, "elsewhere": 1, "leaf": 1}


@pytest.mark.parametrize("options", [["--names", "inline"], ["--names", "registry"], ["--mode", "MONITORING"],
                                     ["--events", "function"]], ids=" ".join)
def test_greenlets(one_of_each, options, run_traced):
    result = run_traced(one_of_each, "greenlets", *options, packages=["greenlet"])
    assert result.stdout.split("\n") == ["200", "165", "refused", "[0, 1, 2, 3, 4, 10]", ""]
    report = result.report("--limit", "0")
    assert report["not_recorded"]["lost_frames"] == 0
    assert report["not_recorded"]["dropped_ends"] == 0
    calls = {function["name"]: function["calls"] for function in report["functions"]
             if function["file"].endswith("greenlets.py")}
    assert {name: calls.get(name) for name in CALLS} == CALLS
    if "MONITORING" not in options:
        result.trace.assert_balanced()

@pytest.mark.parametrize("options", [["--names", "inline"], ["--names", "registry"]], ids=" ".join)
def test_each_has_a_stack(one_of_each, options, run_traced):
    """What a greenlet runs is not within the call that another one switched in."""
    result = run_traced(one_of_each, STACKS, *options, packages=["greenlet"])
    assert result.stdout == "6\n"
    assert all(result.report()["not_recorded"][key] == 0 for key in ("lost_frames", "dropped_ends"))
    result.trace.assert_balanced()
    rows = {row["name"]: row for row in result.report("--limit", "0")["functions"]
            if row["file"].endswith("program.py") or row["name"] in ("first", "second", "deeper", "work")}
    assert {name: rows[name]["calls"] for name in ("first", "second", "deeper", "work")} == {
        "first": 1, "second": 1, "deeper": 3, "work": 4}
    # What the second does is done while the first waits, and is no part of it.
    assert rows["first"]["total_ns"] < rows["work"]["total_ns"] / 2
    assert rows["second"]["total_ns"] > rows["work"]["total_ns"] / 2


STACKS = """
import time
from greenlet import greenlet

def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(5000))

def deeper(number):
    return two.switch(number)

def first():
    work(.01)
    return sum(deeper(number) for number in range(3))

def second(number):
    for turn in range(3):
        work(.05)
        number = one.switch(number + 1)

one, two = greenlet(first), greenlet(second)
print(one.switch())
"""


def test_switches_that_are_not_seen(one_of_each, run_traced):
    """They show in the calls that end."""
    result = run_traced(one_of_each, "greenlets", env={"PINSIGHT_PLAIN": "1"}, packages=["greenlet"])
    report = result.report("--limit", "0")
    assert all(report["not_recorded"][key] == 0 for key in ("lost_frames", "dropped_ends"))
    calls = {function["name"]: function["calls"] for function in report["functions"]
             if function["file"].endswith("greenlets.py")}
    assert {name: calls.get(name) for name in CALLS} == CALLS
    result.trace.assert_balanced()


ENDS = """
import gc, os, threading
from greenlet import getcurrent, greenlet, GreenletExit, gettrace, settrace

main = getcurrent()

def waits():
    try:
        main.switch()
    finally:
        ended.append(True)

def raises():
    main.switch()
    raise KeyError

def returns():
    return main.switch()

def never():
    pass

ended, seen = [], []

def tracer(event, args):
    seen.append(event)

before = settrace(tracer)
dropped = greenlet(waits)
dropped.switch()
del dropped
one, other, unused = greenlet(raises), greenlet(returns), greenlet(never)
one.switch()
other.switch()
try:
    one.switch()
except KeyError:
    ended.append("raised")
other.switch()
assert gettrace() is tracer
settrace(before)
del unused

def elsewhere():
    mine = greenlet(lambda: getcurrent().parent.switch())
    mine.switch()
    kept.append(mine)

kept = []
thread = threading.Thread(target=elsewhere)
thread.start()
thread.join()
kept.clear()

child = os.fork()
if child == 0:
    left = greenlet(returns)
    left.switch()
    left.switch()
    os._exit(0)
os.waitpid(child, 0)
print(ended, len(seen))
"""


@pytest.mark.needs_gil
def test_ends(python, run_traced):
    """One that is freed while it waits, one that raises, one that never begins, one of a thread that is gone."""
    result = run_traced(python, ENDS, packages=["greenlet"])
    assert result.stdout == "[True, 'raised'] 12\n"
    report = result.report("--tasks", "--limit", "0")
    assert all(report["not_recorded"][key] == 0 for key in ("lost_frames", "dropped_ends"))
    ends = sorted((row["name"], row["end"]) for row in report["tasks"]["tasks"])
    assert ends == [("<lambda>", "dropped"), ("never", "dropped"), ("raises", "raised"), ("returns", "returned"),
                    ("returns", "returned"), ("waits", "returned")] or ends == [
                        ("elsewhere.<locals>.<lambda>", "dropped"), ("never", "dropped"), ("raises", "raised"),
                        ("returns", "returned"), ("returns", "returned"), ("waits", "returned")]
    assert all(row["kind"] == "greenlet" for row in report["tasks"]["tasks"])


GEVENT = """
import time
import gevent
from gevent.lock import BoundedSemaphore

def compute(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(1000))

def worker(number):
    for turn in range(3):
        gevent.sleep(.001 * number)  # pauses
    compute(.01)

def blocker():
    gevent.sleep(.002)
    compute(.2)

def holder(lock):
    with lock:
        gevent.sleep(.05)

def wanter(lock):
    with lock:  # wanted
        pass

def main():
    lock = BoundedSemaphore(1)
    jobs = [gevent.spawn(worker, number) for number in range(20)]  # made here
    jobs += [gevent.spawn(function, lock) for function in (holder, wanter)] + [gevent.spawn(blocker)]
    gevent.joinall(jobs)  # all wait
    print(sum(job.successful() for job in jobs))

main()
"""


@pytest.mark.storm
def test_gevent(python, run_traced):
    result = run_traced(python, GEVENT, file="loop.py", packages=["gevent"])
    assert result.stdout == "23\n"
    report = result.report("--tasks", "--limit", "0")
    assert all(report["not_recorded"][key] == 0 for key in ("lost_frames", "dropped_ends"))
    result.trace.assert_balanced()
    tasks = report["tasks"]
    main, = (row for row in tasks["tasks"] if row["name"] == "(main)")
    workers = [row for row in tasks["tasks"] if row["coroutine"] == "worker"]
    assert len(workers) == 20 and {row["parent"] for row in workers} == {main["task"]}
    assert {(row["end"], row["steps"], row["made_line"]) for row in workers} == {
        ("returned", 4, line_of("made here", GEVENT))}
    assert ("blocker", "compute") in {(row["coroutine"], row["call"]) for row in tasks["held"]}
    waits = {(row["coroutine"], row["function"], row["line"]) for row in tasks["waits"]}
    assert ("worker", "worker", line_of("pauses", GEVENT)) in waits
    assert ("wanter", "wanter", line_of("wanted", GEVENT)) in waits
    assert ("(main)", "main", line_of("all wait", GEVENT)) in waits
    # Each has its own time, and the hub has none of it.
    functions = {row["name"]: row for row in report["functions"]}
    assert functions["blocker"]["total_ns"] < 2 * functions["compute"]["total_ns"]
    assert functions["Hub.run"]["total_ns"] < functions["compute"]["total_ns"] / 2
