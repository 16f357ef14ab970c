"""Control at random: whatever is ordered in whatever order, a program with a bit of everything runs as if alone, its
trace is balanced, and once everything is asked for, everything is recorded again."""
import collections
import os
import random
import signal
import subprocess
import time

import pytest

from support import places
from support.ctl import wait_for
from support.traces import Trace


PROGRAM = """
import asyncio, json, math, os, sys, threading, time

def plain(n):
    return n + 1

def recursing(n):
    return n if n == 0 else 1 + recursing(n - 1)

def counting(n):
    for i in range(n):
        yield plain(i)

def delegating(n):
    yield from counting(n)

def raising(n):
    if n == 0:
        raise KeyError(n)
    raising(n - 1)

def catching(n):
    try:
        raising(n)
    except KeyError:
        return plain(n)

async def waiting(n):
    await asyncio.sleep(0)
    return n + 1

async def gathering():
    return sum(await asyncio.gather(*[waiting(n) for n in range(3)]))

def key(n):
    return -n

class Thing:
    def __init__(self):
        self.value = math.hypot(6, 0)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        return True

def round_of(lasting):
    assert plain(1) == 2
    assert recursing(5) == 5
    assert sum(delegating(4)) == 10
    begun = counting(3)
    next(begun)
    begun.close()
    abandoned = counting(3)
    next(abandoned)
    del abandoned
    next(lasting)
    assert catching(3) == 4
    assert sorted([3, 1, 2], key=key) == [3, 2, 1]
    with Thing() as thing:
        assert thing.value == 6
        raising(1)
    assert json.loads(json.dumps({"a": [1, 2]})) == {"a": [1, 2]}

def lasting_one():
    n = 0
    while True:
        n = plain(n)
        yield n

loops = threading.local()

def async_round():
    if not hasattr(loops, "own"):
        loops.own = asyncio.new_event_loop()
    assert loops.own.run_until_complete(gathering()) == 6

def a_round(lasting):
    round_of(lasting)
    async_round()

wrong = []
barrier = threading.Barrier(4)

def work(last):
    try:
        lasting = lasting_one()
        while not os.path.exists("last"):
            a_round(lasting)
            time.sleep(0.003)
        if last:
            forker.join()
        barrier.wait(60)
        if last:
            marker()
        barrier.wait(60)
        for _ in range(5):
            a_round(lasting)
    except BaseException as problem:
        wrong.append(problem)
        barrier.abort()
        raise
    finally:
        if hasattr(loops, "own"):
            loops.own.close()

def marker():
    pass

def fork():
    child = os.fork()
    if child == 0:
        status = 1
        try:
            lasting = lasting_one()
            for _ in range(3):
                round_of(lasting)
            status = 7
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 7 << 8

def short(n):
    catching(n)

os.write(1, b"%d\\n" % os.getpid())
threads = [threading.Thread(target=work, args=(False,)) for _ in range(3)]
for thread in threads:
    thread.start()

def forking():
    while not os.path.exists("last"):
        fork()
        some = [threading.Thread(target=short, args=(n,)) for n in range(3)]
        for thread in some: thread.start()
        for thread in some: thread.join()
        time.sleep(0.02)
forker = threading.Thread(target=forking)
forker.start()
work(True)
for thread in threads: thread.join()
print("wrong" if wrong else "fine")
"""

# How often a round calls what, worked out by hand.
IN_A_ROUND = {"plain": 1 + 4 + 1 + 1 + 1 + 1, "recursing": 6, "counting": 3, "delegating": 1, "raising": 4 + 2, "catching": 1,
              "waiting": 3, "gathering": 1, "key": 3, "Thing.__init__": 1, "Thing.__enter__": 1, "Thing.__exit__": 1,
              "round_of": 1, "async_round": 1, "a_round": 1}
ROUNDS = 5

EVERYTHING = "[Python]\ntrace_mode = TRACING\nevents = function, c_call\n"


def configuration(chance):
    """A configuration at random, with what it may hold; now and then one that is wrong."""
    pick = chance.choice
    if chance.random() < 0.05:
        return pick(["[Python]\ntrace_mod = OFF\n", "[Python", "", "[Lexgion.default]\ntracing_rate = 0\n", "\0"])
    text = "[Python]\n"
    text += "trace_mode = %s\n" % pick(["TRACING"] * 5 + ["MONITORING", "STANDBY", "OFF"])
    text += "events = %s\n" % pick(["function, c_call", "function", "c_call", "import", "none", "function, import"])
    if chance.random() < 0.4:
        text += "module_filter = %s\n" % pick(["__main__", "json, asyncio", "numpy", "math", "__main__, builtins"])
    if chance.random() < 0.3:
        text += "module_exclude = %s\n" % pick(["threading", "json", "__main__", "asyncio, selectors"])
    if chance.random() < 0.5:
        text += "[Python.punit.thread]\nrange = %s\n" % pick(["*", "0-0", "1-2", "0-3", "2", "100"])
    for section in ["[Lexgion.default]", "[Lexgion.Python]", "[Lexgion(Python:*:counting)]", "[Lexgion(Python:*:r*)]",
                    "[Lexgion(Python:c:math.*)]"]:
        if chance.random() < 0.4:
            text += "%s\ntrace_starts_at = %d\ntracing_rate = %d\nmax_num_traces = %s\n" % (
                section, pick([0, 0, 3, 50]), pick([1, 1, 2, 7]), pick([-1, 1, 5, 100, 0]))
            if chance.random() < 0.3:
                text += "window_timeout = %s\n" % pick(["0.01", "0.1", "1"])
            text += "trace_mode_after = %s\n" % pick(
                ["STANDBY"] * 4 + ["OFF", "MONITORING", "MONITORING", "TRACING", "Python:MONITORING", "Python:STANDBY",
                                   "INTROSPECT:0.02:-:TRACING", "INTROSPECT:0:-:MONITORING"])
    return text


def tell(what, *words):
    """An order; one that a broken configuration or an introspection that goes on makes fail is as good."""
    done = subprocess.run([places.COMMAND, "ctl", str(what), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=60)
    assert done.returncode in (0, 1), done
    return done


def disturb(pid, folder, file, chance, steps):
    for _ in range(steps):
        kind = chance.random()
        if kind < 0.75:
            file.write_text(configuration(chance))
            how = chance.choice(["signal", "signal", "one", "all", "storm"])
            if how == "one":
                tell(pid, "reload")
            elif how == "all":
                tell(folder, "reload", "--wait", "0")
            for _ in range({"signal": 1, "storm": 50}.get(how, 0)):
                os.kill(pid, signal.SIGUSR1)
        elif kind < 0.9:
            tell(pid, "mode", "Python=" + chance.choice(["TRACING", "TRACING", "MONITORING", "STANDBY", "OFF"]))
        elif kind < 0.95:
            tell(pid, "introspect", "--pause", chance.choice(["0", "0.03"]), "--after",
                 chance.choice(["TRACING", "MONITORING", "STANDBY"]))
        else:
            tell(pid, "status")
        time.sleep(chance.choice([0, 0, 0.005, 0.03, 0.1]))


def fuzz(python, seed, steps, tmp_path, names="inline"):
    chance = random.Random(seed)
    file = tmp_path / "fuzz.ini"
    file.write_text(EVERYTHING + "names = %s\n" % names)
    (tmp_path / "program.py").write_text(PROGRAM)
    with (tmp_path / "err").open("w") as err:
        run = subprocess.Popen(
            [places.COMMAND, "run", "-q", "--no-summary", "--lossless", "-o", "trace", "-c", str(file), "--",
             python.path, "-W", "ignore", "program.py"],
            cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, encoding="utf-8")
    try:
        pid = int(run.stdout.readline())
        disturb(pid, tmp_path / "trace", file, chance, steps)
        file.write_text(EVERYTHING + "names = %s\n" % names)

        def everything():
            tell(pid, "resume")
            return tell(pid, "reload").returncode == 0 and "TRACING" in tell(pid, "status").stdout
        wait_for(everything)
        time.sleep(0.3)  # an introspection that goes on in the background, and its mode after it
        wait_for(everything)
    finally:
        (tmp_path / "last").write_text("")
        try:
            out = run.communicate(timeout=120)[0]
        except subprocess.TimeoutExpired:
            os.kill(pid, signal.SIGABRT)
            out = run.communicate(timeout=60)[0] + " hung"
    assert (out, run.returncode) == ("fine\n", 0), (tmp_path / "err").read_text()
    check(Trace(tmp_path / "trace"), pid)


def check(trace, pid):
    for thread in trace.threads:
        wrong = thread.unbalanced("killed" if thread.pid != pid else False, selected=True)
        assert wrong is None, "thread %d of process %d: %s" % (thread.number, thread.pid, wrong)
    mine = [thread for thread in trace.threads if thread.pid == pid]
    begin = max(moment.ts for thread in mine for moment in thread.moments if moment.name == "marker")
    starts, calls = collections.Counter(), collections.Counter()
    for thread in mine:
        for moment in thread.moments:
            if moment.ts > begin and moment.kind == "begin" and moment.how == "start":
                starts[moment.name] += 1
            elif moment.ts > begin and moment.kind == "c_begin":
                calls[moment.name] += 1
    assert {name: starts[name] for name in IN_A_ROUND} == {
        name: count * ROUNDS * 4 for name, count in IN_A_ROUND.items()}
    assert calls["math.hypot"] == ROUNDS * 4


@pytest.mark.storm
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_a_while(one_of_each, names, tmp_path):
    fuzz(one_of_each, 10, 30, tmp_path, names)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_long(python, seed, tmp_path):
    fuzz(python, seed, 150, tmp_path, ["inline", "registry"][seed % 2])
