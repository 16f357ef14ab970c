"""Measured lines (`lines = on`, `pinsight run --lines`): hits and times against a handler of the program's own."""
import json
import subprocess

import pytest

from support import places

# The program counts its lines itself, with a tool of sys.monitoring, and prints them as JSON at the end.
COUNTER = """
import collections, json, sys
hits = collections.Counter()
monitoring, EVENTS = sys.monitoring, sys.monitoring.events
monitoring.use_tool_id(0, "counter")

def line(code, number):
    if code.co_filename == __file__ and code.co_name != "<module>":
        hits["%s:%d" % (code.co_qualname, number)] += 1

monitoring.register_callback(0, EVENTS.LINE, line)
monitoring.set_events(0, EVENTS.LINE)
"""

PROGRAM = COUNTER + """
import asyncio, math, threading

class Solver:
    def step(self, n):
        total = 0.0
        for i in range(n):
            total += math.sqrt(i)
            if i % 3 == 0: total += helper(i)
        return [total * k for k in range(3)]

def helper(i):
    return i * 2

def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)

def gen(n):
    for i in range(n):
        got = yield i
        if got:
            i += 1

def throws():
    each = gen(5)
    next(each)
    each.send(1)
    try:
        each.throw(KeyError("k"))
    except KeyError:
        pass

def leaves(n):
    if n:
        leaves(n - 1)
    raise ValueError(n)

def handles():
    try:
        leaves(3)
    except ValueError:
        return 1
    finally:
        len("x")

async def waits():
    for _ in range(4):
        await asyncio.sleep(0)

def deep(n):
    return deep(n - 1) if n else 0

Solver().step(300)
fib(10)
sum(gen(50))
throws()
for _ in range(20):
    handles()
asyncio.run(waits())
deep(500)
threads = [threading.Thread(target=fib, args=(8,)) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
monitoring.set_events(0, 0)
print(json.dumps(hits))
"""


def measures(python):
    return python.mechanism == "sys.monitoring"


@pytest.fixture
def measuring(python):
    return python if measures(python) else pytest.skip("CPython reports the lines of single functions from 3.12 on")


def rows_of(done):
    rows = done.report("--lines", "--limit", "0")["lines"]
    return {"%s:%d" % (row["function"], row["line"]): row for row in rows if row["hits"]}


def hits_of(done):
    return {line: row["hits"] for line, row in rows_of(done).items()}


def expected(done, *functions):
    """The program's own counts, of some functions, or of all."""
    counted = json.loads(done.stdout.splitlines()[-1])
    return {line: hits for line, hits in counted.items() if not functions or line.rsplit(":", 1)[0] in functions}


def of_program(hits):
    """Without the counter itself, and the module's code, which began before the counter."""
    return {line: count for line, count in hits.items() if not line.startswith(("line:", "<module>:"))}


@pytest.mark.parametrize("options", [(), ("--mode", "MONITORING"), ("--events", "none")], ids=["tracing", "monitoring", "alone"])
def test_hits(measuring, run_command, tmp_path, options):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(measuring.path, tmp_path / "program.py", options=["--lines", "program.py:*", *options])
    assert done.rc == 0, done.stderr
    assert of_program(hits_of(done)) == of_program(expected(done))


def test_plain(newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(newest.path, tmp_path / "program.py", options=["--lines", "program.py:*"], env={"PINSIGHT_PLAIN": "1"})
    assert of_program(hits_of(done)) == of_program(expected(done))


def test_chosen_alone(measuring, run_command, tmp_path):
    """A section of the configuration; other code has no lines; windows that are closed leave lines alone."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "rules.ini").write_text("[Lexgion.default]\nmax_num_traces = 1\n"
                                        "[Lexgion(Python:program.py:Solver.*)]\nlines = on\n"
                                        "[Lexgion(Python:program.py:fib)]\nlines = on\nmax_num_traces = 0\n")
    done = run_command(measuring.path, tmp_path / "program.py", options=["-c", tmp_path / "rules.ini"])
    assert done.rc == 0, done.stderr
    wanted = expected(done, "Solver.step", "fib")
    assert wanted and {line: hits for line, hits in hits_of(done).items() if "<listcomp>" not in line} == wanted


TIMES = """
import time

def inner():
    time.sleep(0.03)

def outer():
    for _ in range(3):
        time.sleep(0.02)  # own call of C
        inner()

def left():
    time.sleep(0.04)
    raise ValueError

def gives():
    yield 1
    time.sleep(0.05)
    yield 2

outer()
try:
    left()
except ValueError:
    pass
for _ in gives():
    time.sleep(0.06)
"""


def test_times(measuring, run_command, tmp_path):
    """Sleeps are lower bounds. Calls are in a line's time, and not in its own; a pause of a generator is in neither."""
    (tmp_path / "program.py").write_text(TIMES)
    done = run_command(measuring.path, tmp_path / "program.py", options=["--lines", "program.py:*"])
    at = {text.strip(): number for number, text in enumerate(TIMES.splitlines(), 1)}
    rows = {row["line"]: row for row in rows_of(done).values()}

    def of(text):
        return rows[at[text]]
    assert of("inner()")["hits"] == 3 and of("inner()")["line_ns"] >= 90e6
    assert of("time.sleep(0.03)")["line_ns"] <= of("inner()")["line_ns"]
    assert of("time.sleep(0.02)  # own call of C")["line_ns"] >= 60e6
    assert of("time.sleep(0.04)")["line_ns"] >= 40e6 and of("time.sleep(0.05)")["line_ns"] >= 50e6
    assert of("yield 1")["line_ns"] < of("time.sleep(0.06)")["line_ns"] / 2
    for row in rows.values():
        assert row["own_ns"] == max(row["line_ns"] - row["total_ns"], 0)
    assert of("inner()")["own_ns"] < of("inner()")["line_ns"] / 2


FORKS = """
import os

def work(n):
    for i in range(n):
        n += i

work(10)
child = os.fork()
work(100 if child == 0 else 1000)
if child:
    os.waitpid(child, 0)
"""


def test_fork(newest, run_command, tmp_path):
    """A child's lines are its own, and none of its parent's are in it."""
    (tmp_path / "program.py").write_text(FORKS)
    done = run_command(newest.path, tmp_path / "program.py", options=["--lines", "program.py:work"])
    assert done.rc == 0, done.stderr
    assert hits_of(done) == {"work:5": 1110 + 3, "work:6": 1110}


INTERPRETERS = """
from concurrent import interpreters
TEXT = '''
def work(n):
    for i in range(n):
        n += i
work(25)
'''
for _ in range(2):
    interpreters.create().exec(TEXT)
"""


def test_other_interpreters(newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(INTERPRETERS)
    done = run_command(newest.path, tmp_path / "program.py", options=["--lines", "*:work"])
    assert done.rc == 0, done.stderr
    assert hits_of(done) == {"work:3": 52, "work:4": 50}


def test_off_and_on(newest, run_command, tmp_path):
    """Modes that end and begin again: what happens in between is not measured."""
    (tmp_path / "program.py").write_text("import pinsight\n\ndef work():\n    return 1\n\n"
                                         "for at in range(30):\n    if at == 10: pinsight.deactivate()\n"
                                         "    if at == 20: pinsight.activate()\n    work()\n")
    done = run_command(newest.path, tmp_path / "program.py", options=["--lines", "program.py:work"],
                       env={"PYTHONPATH": str(places.PACKAGES)})
    assert done.rc == 0, done.stderr
    assert hits_of(done) == {"work:4": 20}


def screen_of(done):
    said = subprocess.run([places.COMMAND, "report", "--lines", done.folder], stdout=subprocess.PIPE, text=True,
                          env={"COLUMNS": "200", "PATH": "/usr/bin:/bin"}).stdout
    return " ".join(said.split())


def test_nothing_matches(newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(TIMES)
    done = run_command(newest.path, tmp_path / "program.py", options=["--lines", "program.py:outer,program.py:outre"])
    said = screen_of(done)
    assert "No lines were measured for [Lexgion(Python:program.py:outre)]: no function that began has this file" in said
    assert "Python:program.py:outer)" not in said and " hits " in said


def test_old_versions_say_so(both_mechanisms, run_command, tmp_path):
    old = next((python for python in both_mechanisms if not measures(python)), None) or pytest.skip("no old CPython")
    (tmp_path / "program.py").write_text("def f(): return 1\nf()\n")
    done = run_command(old.path, tmp_path / "program.py", options=["--lines", "program.py:f"])
    assert done.rc == 0
    assert done.stderr.count("lines are not measured: use CPython 3.12 or later") == 1, done.stderr
    assert "in a CPython before 3.12" in screen_of(done)


@pytest.mark.parametrize("typed, says", [
    ("program.py", "a file and a qualified name are wanted, such as solver.py:Solver.step"),
    ("c:math.sqrt", "a C callable has no lines"),
    ("c:math.\x18", r"'math.\x18': a C callable has no lines"),
    ("", "needs the code whose lines are measured"),
])
def test_bad_options(tmp_path, typed, says):
    done = subprocess.run([places.COMMAND, "run", "-o", tmp_path / "t", "--lines", typed, "--", "true"],
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and says in done.stderr and "--lines" in done.stderr, done.stderr


@pytest.mark.parametrize("text, says", [
    ("[Lexgion(Python:c:math.sqrt)]\nlines = on\n", "a C callable has no lines"),
    ("[Lexgion(MPI:MPI_Send)]\nlines = on\n", "unknown key 'lines'"),
    ("[Lexgion(Python:a.py:f)]\nlines = maybe\n", "unknown value 'maybe' of lines; it is one of off or on"),
    ("[Python]\nlines = on\n", "unknown key 'lines'"),
])
def test_bad_configurations(tmp_path, text, says):
    (tmp_path / "rules.ini").write_text(text)
    done = subprocess.run([places.COMMAND, "config", "check", tmp_path / "rules.ini"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and says in done.stderr, done.stderr
