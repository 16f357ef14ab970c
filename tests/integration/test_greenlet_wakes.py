"""What ends the wait of a greenlet: who switches to it, who asked gevent's hub to, or the hub itself."""
import json
import subprocess

import pytest

from test_gil import command
from test_locks import line_of
from test_tasks import by_coroutine, tasks_report

pytestmark = pytest.mark.timed

PLAIN = """
import time
from greenlet import greenlet

def gives():
    for number in range(3):
        takes_.switch(number)  # gives
    return "the end"

def takes(number):
    while True:
        number = gives_.switch()  # takes

def outer():
    inner_ = greenlet(inner)
    return inner_.switch()  # waits for its end

def inner():
    time.sleep(.01)
    return 1

def raises_():
    try:
        takes_.switch(0)  # is thrown into
    except KeyError:
        return 2

gives_, takes_ = greenlet(gives), greenlet(takes)
print(gives_.switch())
print(greenlet(outer).switch())
thrown = greenlet(raises_)
kept, takes_ = takes_, greenlet(lambda number: thrown.parent.switch())
thrown.switch()
print(thrown.throw(KeyError))  # throws
"""


def wakers(rows, coroutine):
    return {(row["woken_by"], row["waker_function"], row["waker_line"])
            for row in by_coroutine(rows, coroutine)}


@pytest.mark.needs_gil
def test_who_switches(python, run_traced):
    result = run_traced(python, PLAIN, file="plain.py", packages=["greenlet"])
    assert result.stdout == "the end\n1\n2\n"
    report = tasks_report(result, "--limit", "0")
    waits = [row for row in report["waits"] if not row["open"]]
    assert wakers(waits, "gives") == {("takes", "takes", line_of("# takes", PLAIN))}
    assert wakers(waits, "takes") == {("gives", "gives", line_of("# gives", PLAIN))}
    # Its child is over, which has no line.
    assert wakers(waits, "outer") == {("inner", None, None)}
    # The thread's own greenlet is no task.
    assert wakers(waits, "raises_") == {(None, "<module>", line_of("# throws", PLAIN))}
    outer, = by_coroutine(waits, "outer")
    assert outer["wait_ns"] >= .01e9


GEVENT = """
import json, socket, sys, threading, time
import gevent
from gevent import event, lock, pool, queue

woken, clock = [], []

def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass

def now():
    clock.append(time.perf_counter_ns())

def waits_event():
    now()
    flag.wait()

def sets():
    now()
    gevent.sleep(.005)
    now()
    flag.set()  # sets
    now()
    busy(.05)
    now()

def gets():
    for turn in range(3):
        woken.append(box.get())

def puts():
    for turn in range(3):
        gevent.sleep(.002)
        box.put(turn)  # puts

def asks():
    answer.get()

def answers():
    gevent.sleep(.002)
    answer.set("yes")  # answers

def wants():
    with guard:
        pass

def has():
    with guard:
        gevent.sleep(.005)
    return None  # lets go

def joins():
    worker = gevent.spawn(ends)
    worker.join()

def ends():
    gevent.sleep(.003)

def killed():
    gevent.sleep(100)

def kills():
    victim = gevent.spawn(killed)
    gevent.sleep(.002)
    victim.kill()  # kills

def sleeps():
    gevent.sleep(.003)

def yields():
    for turn in range(3):
        gevent.sleep(0)

def receives():
    socket_one.recv(1)

def sends():
    gevent.sleep(.003)
    socket_two.send(b"x")

def times_out():
    gevent.with_timeout(.003, event.Event().wait, timeout_value=None)

def asks_a_thread():
    gevent.get_hub().threadpool.apply(time.sleep, (.003,))

def fills():
    jobs = pool.Pool(1)
    for turn in range(2):
        jobs.spawn(job)

def job():
    gevent.sleep(.003)

from gevent import socket as own
socket_one, socket_two = own.socketpair()
flag, box, answer, guard = event.Event(), queue.Queue(), event.AsyncResult(), lock.BoundedSemaphore(1)
functions = [waits_event, sets, gets, puts, asks, answers, has, wants, joins, kills, sleeps, yields, receives, sends,
             times_out, asks_a_thread, fills]
gevent.joinall([gevent.spawn(function) for function in functions], raise_error=True)
print(type(gevent.get_hub().loop).__module__, woken)
print(json.dumps(clock))
"""

# Who waits, and (the task that woke it, the function, the mark of its line).
EXPECTED = {
    "waits_event": ("sets", "sets", "# sets"), "gets": ("puts", "puts", "# puts"),
    "asks": ("answers", "answers", "# answers"), "joins": ("ends", None, None), "wants": ("has", "has", None),
    "killed": ("kills", "kills", "# kills"), "sleeps": (None, "run", None), "yields": (None, None, None),
    "receives": (None, "run", None), "times_out": (None, "_on_expiration", None), "fills": ("job", None, None),
}


@pytest.mark.needs_gil
def test_who_asked_the_hub(python, run_traced):
    result = run_traced(python, GEVENT, file="hub.py", packages=["gevent"])
    said, clock = result.stdout.splitlines()
    assert said == "gevent.libev.corecext [0, 1, 2]"
    report = tasks_report(result, "--limit", "0")
    for coroutine, (by, function, mark) in EXPECTED.items():
        rows = [row for row in by_coroutine(report["waits"], coroutine) if not row["open"]]
        # Before CPython 3.11 some names are without their class.
        found = {(row["woken_by"], row["waker_function"] and row["waker_function"].split(".")[-1]) for row in rows}
        assert found == {(by, function)}, (coroutine, rows)
        if mark:
            assert {row["waker_line"] for row in rows} == {line_of(mark, GEVENT)}, coroutine
    # It waited until the flag was set, and was ready while the one that set it went on.
    waits_from, sleeps_from, before, after, until = json.loads(clock)
    ready = {row["coroutine"]: row["ready_ns"] for row in report["tasks"]}
    assert ready["waits_event"] >= until - after >= .05e9
    waits, = by_coroutine(report["waits"], "waits_event")
    assert before - sleeps_from <= waits["wait_ns"] <= after - waits_from
    # Who only lets the others go first has nothing to wait for.
    assert sum(row["wait_ns"] for row in by_coroutine(report["waits"], "yields")) == 0
    # The thread pool's result comes with a watcher of the loop.
    rows = by_coroutine(report["waits"], "asks_a_thread")
    assert all(row["woken_by"] is None for row in rows) and any("threadpool.py" in row["waker_file"] for row in rows)
    # The main greenlet waits for all.
    main = [row for row in by_coroutine(report["waits"], "(main)") if not row["open"]]
    assert {row["woken_by"] for row in main} <= set(ready)


def test_on_the_screen(newest, run_traced):
    result = run_traced(newest, GEVENT, file="hub.py", packages=["gevent"])
    assert "(the hub)" in command(result, "report", "--tasks", "--limit", "0")


@pytest.mark.storm
def test_a_loop_in_python(newest, run_traced):
    """Its callbacks are Python: the hub is said to have woken all."""
    result = run_traced(newest, GEVENT, file="hub.py", packages=["gevent", "cffi"], env={"GEVENT_LOOP": "libuv-cffi"})
    assert result.stdout.startswith("gevent.libuv.loop [0, 1, 2]\n")
    waits = by_coroutine(tasks_report(result, "--limit", "0")["waits"], "waits_event")
    assert {row["woken_by"] for row in waits} == {None}


THREADS = """
import threading, time
import gevent
from gevent import event

def waits(flag):
    flag.wait()

def sets(flag):
    gevent.sleep(.002)
    flag.set()  # sets

def keeps():
    gevent.sleep(.02)

def loop():
    for turn in range(5):
        flag = event.Event()
        gevent.joinall([gevent.spawn(waits, flag), gevent.spawn(sets, flag)])

def sets_from_outside(hub, flag):
    time.sleep(.01)
    hub.loop.run_callback_threadsafe(flag.set)  # from outside

def waits_for_a_thread(flag):
    flag.wait()

threads = [threading.Thread(target=loop) for number in range(4)]
flag = event.Event()
threads.append(threading.Thread(target=sets_from_outside, args=(gevent.get_hub(), flag)))
for thread in threads:
    thread.start()
gevent.joinall([gevent.spawn(waits_for_a_thread, flag), gevent.spawn(keeps)])
for thread in threads:
    thread.join()
"""


def test_a_loop_in_each_thread(one_of_each, run_traced):
    waits = tasks_report(run_traced(one_of_each, THREADS, file="threads.py", packages=["gevent"]), "--limit", "0")["waits"]
    assert wakers(waits, "waits") == {("sets", "sets", line_of("# sets", THREADS))}
    assert sum(row["waits"] for row in by_coroutine(waits, "waits")) == 20
    assert wakers(waits, "waits_for_a_thread") == {
        ("(main)", "sets_from_outside", line_of("# from outside", THREADS))}


REUSED = """
import threading
import gevent
from gevent import event

def nothing():
    pass

def waits(flag):
    flag.wait()

def sets(flag):
    flag.set()  # sets

def asks():
    loop = gevent.get_hub().loop
    gone.update(id(loop.run_callback(nothing)) for number in range(50))
    loop.run_callback(lets_the_other_ask)

def lets_the_other_ask():
    over.set()
    asked.wait()

def asks_for_many():
    over.wait()
    loop = gevent.get_hub().loop
    kept.extend(loop.run_callback(nothing) for number in range(5000))
    asked.set()
    over.clear()
    over.wait()

gone, kept, asked, over = set(), [], threading.Event(), threading.Event()
other = threading.Thread(target=asks_for_many)
other.start()
gevent.spawn(asks)
gevent.sleep(0)
flag = event.Event()
gevent.joinall([gevent.spawn(waits, flag), gevent.spawn(sets, flag)])
print(bool(gone & {id(callback) for callback in kept}))
over.set()
other.join()
"""


def test_a_callback_that_has_anothers_address(one_of_each, run_traced):
    """What was asked of a loop and is gone is not taken for what another loop was asked later."""
    result = run_traced(one_of_each, REUSED, file="reused.py", packages=["gevent"])
    assert result.stdout == "True\n", "no address was used again"
    waits = tasks_report(result, "--limit", "0")["waits"]
    assert wakers(waits, "waits") == {("sets", "sets", line_of("# sets", REUSED))}


LIVES = """
import gc, os, weakref
import gevent
from gevent.libev.corecext import callback, loop

class Called:
    def __call__(self):
        pass

def life(make):
    called = Called()
    there = weakref.ref(called)
    kept = make(called)
    del called
    return kept, there

hub = gevent.get_hub()
seen = []
# Freed without having been called, stopped, of no loop, of a loop that goes.
kept, there = life(hub.loop.run_callback)
seen.append((there() is not None, kept.pending, bool(kept)))
kept.stop()
seen.append((there() is None, kept.pending, bool(kept)))
kept, there = life(lambda called: callback(called, ()))
del kept
seen.append(there() is None)
other = loop(default=False)
kept, there = life(lambda called: [other.run_callback(called) for number in range(100)])
other.destroy()
del kept, other
gc.collect()
seen.append(there() is None)
names = [name for name in ("__name__", "__qualname__", "__doc__", "__self__") if hasattr(loop.run_callback, name)]
seen.append((loop.run_callback.__name__, names))
for turn in range(1000):
    hub.loop.run_callback(seen.append, turn) if turn % 100 == 0 else hub.loop.run_callback(Called()).stop()
gevent.sleep(0)
child = os.fork()
if child == 0:
    gevent.reinit()
    gevent.sleep(.001)
    os._exit(0)
os.waitpid(child, 0)
gevent.sleep(.001)
hub.destroy(destroy_loop=True)
gevent.sleep(.001)
print(seen)
"""


def test_the_program_sees_no_difference(python, tmp_path, run_traced):
    """Callbacks live as long as without PInsight, and the function that asks for one looks the same."""
    program = tmp_path / "lives.py"
    program.write_text(LIVES)
    plain = subprocess.run([python.with_packages("gevent"), str(program)], stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout
    result = run_traced(python, program, packages=["gevent"])
    assert result.stdout == plain and "True" in plain


MANY = """
import gevent
from gevent import event

flag = event.Event()
count = 0

def waits():
    global count
    flag.wait()
    count += 1

def sets():
    flag.set()  # sets

jobs = [gevent.spawn(waits) for number in range(5000)]
gevent.sleep(0)
gevent.spawn(sets)
gevent.joinall(jobs)
print(count)
"""


def test_many(newest, run_traced):
    result = run_traced(newest, MANY, file="many.py", packages=["gevent"])
    assert result.stdout == "5000\n"
    waits = by_coroutine(tasks_report(result, "--limit", "0")["waits"], "waits")
    assert sum(row["waits"] for row in waits) == 5000
    assert wakers(waits, "waits") == {("sets", "sets", line_of("# sets", MANY))}
