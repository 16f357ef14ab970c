"""Exceptions: their types, the lines that raise and handle them, and how many functions they leave.

Each program says by marks in its lines what it does: `# R1` raises, `# H1` handles.
"""
import collections
import re
import subprocess

import pytest

from support import places

ON = {"PINSIGHT_EXCEPTIONS": "on"}

PROGRAM = """
import asyncio, contextlib, threading

class Own(Exception):
    class Inner(Exception):
        pass

def parse(text):
    return int(text)  # R1

def deep(depth):
    if not depth:
        raise Own("deep")  # R2
    deep(depth - 1)

def finishes():
    try:
        raise KeyError("k")  # R3
    finally:
        len("x")

@contextlib.contextmanager
def managed():
    yield

class Plain:
    def __enter__(self):
        return self
    def __exit__(self, *what):
        return False

def within():
    with Plain():
        raise Own.Inner("w")  # R4

def again():
    try:
        raise OSError("o")  # R5
    except OSError:  # H5
        raise RuntimeError("from o")  # R6

def passes_on():
    try:
        raise LookupError("l")  # R7
    except LookupError:
        raise

class Absent:
    def __getattr__(self, name):
        raise AttributeError(name)  # R8

class Gone(AttributeError):
    pass

class Guarded:
    def __getattr__(self, name):
        try:
            raise Gone(name)  # R15
        finally:
            len("x")

STORED = ZeroDivisionError("stored")
def raises_stored():
    raise STORED  # R9

def counts():
    yield 1
    raise EOFError("end")  # R10

async def fails():
    await asyncio.sleep(0)
    raise ConnectionError("c")  # R11

async def awaits():
    try:
        await fails()
    except ConnectionError:  # H11
        pass

def key(value):
    raise IndexError(value)  # R12

def in_handler():
    try:
        raise MemoryError("outer")  # R13
    except MemoryError:
        for _ in range(3):
            try:
                raise BufferError("inner")  # R14
            except BufferError:  # H14
                pass
        raise

def main():
    for _ in range(1000):
        try:
            parse("a")
        except ValueError:  # H1
            pass
    for _ in range(70):
        try:
            deep(5)
        except Own:  # H2
            pass
    for _ in range(60):
        try:
            finishes()
        except KeyError:  # H3
            pass
    for _ in range(50):
        try:
            within()
        except Own.Inner:  # H4
            pass
    for _ in range(40):
        try:
            again()
        except RuntimeError:  # H6
            pass
    for _ in range(30):
        try:
            passes_on()
        except LookupError:  # H7
            pass
    for _ in range(20):
        getattr(Absent(), "x", None)
        hasattr(Absent(), "y")
    for _ in range(5):
        getattr(Guarded(), "x", None)
    for _ in range(10):
        try:
            raises_stored()
        except ZeroDivisionError:  # H9
            pass
    for _ in range(9):
        try:
            for _ in counts():
                pass
        except EOFError:  # H10
            pass
    for _ in range(8):
        asyncio.run(awaits())
    for _ in range(7):
        try:
            sorted([1, 2], key=key)
        except IndexError:  # H12
            pass
    for _ in range(6):
        try:
            in_handler()
        except MemoryError:  # H13
            pass
    next(iter([]), None)
    for _ in iter([1, 2]):
        pass

main()
"""
# {type: (raise, handler, functions left, number)}
EXPECTED = {
    "ValueError": ("R1", "H1", 1, 1000),
    "__main__.Own": ("R2", "H2", 6, 70),
    "KeyError": ("R3", "H3", 1, 60),
    "__main__.Own.Inner": ("R4", "H4", 1, 50),
    "OSError": ("R5", "H5", 0, 40),
    "RuntimeError": ("R6", "H6", 1, 40),
    "LookupError": ("R7", "H7", 1, 30),
    "AttributeError": ("R8", None, None, 40),
    "ZeroDivisionError": ("R9", "H9", 1, 10),
    "EOFError": ("R10", "H10", 1, 9),
    "ConnectionError": ("R11", "H11", 1, 8),
    "IndexError": ("R12", "H12", 1, 7),
    "MemoryError": ("R13", "H13", 1, 6),
    "BufferError": ("R14", "H14", 0, 18),
    "__main__.Gone": ("R15", None, None, 5),
}


def lines_of(text):
    return {mark: number for number, line in enumerate(text.splitlines(), 1) for mark in re.findall(r"# ([RH]\d+)$", line)}


def rows_of(report, file="program.py"):
    """{type: (line that raises, line that handles, functions left, number)} of a program's own exceptions."""
    rows = {}
    for row in report["exceptions"]:
        if row["file"] and row["file"].endswith(file) and not row["through"]:
            assert row["type"] not in rows, rows
            rows[row["type"]] = (row["line"], row["handler_line"], row["frames"], row["count"])
    return rows


def expected_of(text, expected):
    at = lines_of(text)
    return {name: (at[raises], at.get(handles), *rest) for name, (raises, handles, *rest) in expected.items()}


def has_exceptions(python):
    return python.mechanism == "sys.monitoring"


def test_each_way(python, run_command, tmp_path):
    if not has_exceptions(python):
        pytest.skip("CPython reports exceptions from 3.12 on")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(python.path, tmp_path / "program.py", env=ON)
    assert done.rc == 0, done.stderr
    assert rows_of(done.report("--exceptions", "--limit", "0")) == expected_of(PROGRAM, EXPECTED)


@pytest.mark.parametrize("domain", ["function", "none"])
def test_alone(newest, run_command, tmp_path, domain):
    """Exceptions need no event of a function."""
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(newest.path, tmp_path / "program.py", options=["--events", domain], env=ON)
    assert done.rc == 0, done.stderr
    assert rows_of(done.report("--exceptions", "--limit", "0")) == expected_of(PROGRAM, EXPECTED)


@pytest.mark.parametrize("domain", ["function,c_call", "none"])
def test_counted(domain, python, run_command, tmp_path):
    """MONITORING counts the same; the times alone are missing, and the report says so."""
    if not has_exceptions(python):
        pytest.skip("CPython reports exceptions from 3.12 on")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(python.path, tmp_path / "program.py", options=["--mode", "MONITORING", "--events", domain], env=ON)
    assert done.rc == 0, done.stderr
    report = done.report("--exceptions", "--limit", "0")
    assert rows_of(report) == expected_of(PROGRAM, EXPECTED)
    assert {(row["total_ns"], row["max_ns"]) for row in report["exceptions"]} == {(None, None)}
    said = subprocess.run([places.COMMAND, "report", "--exceptions", done.folder], stdout=subprocess.PIPE, text=True).stdout
    assert "the time from a raise to its handler needs TRACING" in " ".join(said.split()) and "ValueError" in said, said


THREADS = """
import threading

def work(number):
    for _ in range(500 + number):
        try:
            raise ValueError(number)  # R1
        except ValueError:  # H1
            pass
    raise SystemError("ends the thread")  # R2

threading.excepthook = lambda *_: None
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_threads(mode, newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(THREADS)
    done = run_command(newest.path, tmp_path / "program.py", options=["--mode", mode], env=ON)
    assert done.rc == 0, done.stderr
    rows, at = rows_of(done.report("--exceptions", "--limit", "0")), lines_of(THREADS)
    assert rows["ValueError"] == (at["R1"], at["H1"], 0, 8 * 500 + sum(range(8)))
    assert (rows["SystemError"][0], rows["SystemError"][3]) == (at["R2"], 8)


ELSEWHERE = """
from concurrent import interpreters
TEXT = '''
def fails():
    raise ValueError("x")
for _ in range(25):
    try:
        fails()
    except ValueError:
        pass
'''
for _ in range(2):
    interpreters.create().exec(TEXT)
"""


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_other_interpreters(mode, newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(ELSEWHERE)
    done = run_command(newest.path, tmp_path / "program.py", options=["--mode", mode], env=ON)
    assert done.rc == 0, done.stderr
    rows = done.report("--exceptions", "--limit", "0")["exceptions"]
    assert sum(row["count"] for row in rows if row["type"] == "ValueError" and "fails" in (row["function"], row["through"])) == 50


CHANGES = """
import os, pinsight

def fails(times, error):
    for _ in range(times):
        try:
            raise error  # R1
        except Exception:  # H1
            pass

fails(10, ValueError)
pinsight.set_mode("Python", "MONITORING")
fails(100, ValueError)
child = os.fork()
if not child:
    fails(7, KeyError)
    os._exit(0)
os.waitpid(child, 0)
pinsight.set_mode("Python", "TRACING")
fails(1000, ValueError)
pinsight.set_mode("Python", "STANDBY")
fails(5, OSError)
pinsight.set_mode("Python", "MONITORING")
fails(10000, ValueError)
"""


def test_changes_of_mode(newest, run_command, tmp_path):
    """Counted ones and recorded ones are added. A forked child does not count those of its parent."""
    (tmp_path / "program.py").write_text(CHANGES)
    done = run_command(newest.path, tmp_path / "program.py", env=dict(ON, PYTHONPATH=str(places.PACKAGES)))
    assert done.rc == 0, done.stderr
    report, at = done.report("--exceptions", "--limit", "0"), lines_of(CHANGES)
    assert rows_of(report) == {name: (at["R1"], at["H1"], 0, count) for name, count in (("ValueError", 11110), ("KeyError", 7))}
    assert next(row["total_ns"] for row in report["exceptions"] if row["type"] == "ValueError") > 0


COSTS = """
import sys
monitoring = sys.monitoring

def fails(times):
    for _ in range(times):
        try:
            try:
                raise ValueError
            finally:
                pass
        except ValueError:
            pass

def count(times):
    # gives the number of events that the interpreter makes
    events, seen = monitoring.events, []
    monitoring.use_tool_id(5, "count")
    for event in (events.RAISE, events.RERAISE, events.EXCEPTION_HANDLED):
        monitoring.register_callback(5, event, lambda *_: seen.append(0))
    monitoring.set_events(5, events.RAISE | events.RERAISE | events.EXCEPTION_HANDLED)
    fails(times)
    monitoring.set_events(5, 0)
    return len(seen)

if len(sys.argv) > 2:
    print(count(int(sys.argv[1])))
else:
    fails(int(sys.argv[1]))
"""


@pytest.mark.timed
@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_cost(mode, python, run_command, tmp_path):
    """The cost of looking has the events of exceptions: as many as the interpreter makes, each with its time."""
    if not has_exceptions(python):
        pytest.skip("CPython reports exceptions from 3.12 on")
    (tmp_path / "program.py").write_text(COSTS)
    number = 20000
    made = int(subprocess.run([python.path, tmp_path / "program.py", str(number), "count"], stdout=subprocess.PIPE, check=True).stdout)
    assert made >= 4 * number
    found = []
    for times in (number, 2 * number):
        done = run_command(python.path, tmp_path / "program.py", times, options=["--mode", mode, "--events", "gil"], env=ON)
        report = done.report()
        (process,) = report["processes"]
        (domain,) = [domain for domain in process["domains"] if domain["name"] == "Python"]
        found.append((domain["callbacks"], domain["callbacks_own_ns"], report["trace"]["overhead_ns"]))
    assert found[1][0] - found[0][0] == made
    assert found[1][1] - found[0][1] > 20 * made and found[1][2] - found[0][2] > 30 * made


def test_settings(newest, run_command, tmp_path):
    """The key of the configuration; nothing without it."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "rules.ini").write_text("[Python]\nexceptions = on\n")
    done = run_command(newest.path, tmp_path / "program.py", options=["-c", tmp_path / "rules.ini"])
    assert rows_of(done.report("--exceptions")) == expected_of(PROGRAM, EXPECTED)
    done = run_command(newest.path, tmp_path / "program.py")
    said = subprocess.run([places.COMMAND, "report", "--exceptions", done.folder], stdout=subprocess.PIPE, text=True).stdout
    assert "exceptions = on" in said and "Traceback" not in said


def test_old_versions_say_so(both_mechanisms, run_command, tmp_path):
    profile_python = next((python for python in both_mechanisms if not has_exceptions(python)), None) or pytest.skip("no old CPython")
    (tmp_path / "program.py").write_text("len('x')\n")
    done = run_command(profile_python.path, tmp_path / "program.py", env=ON)
    assert done.rc == 0
    assert collections.Counter(done.stderr.splitlines())[
        "pinsight: exceptions are not recorded: CPython reports them from 3.12 on"] == 1, done.stderr


def test_screen(newest, run_command, tmp_path):
    """Where an exception comes from, by the user's line and the function in it."""
    text = "import json\nfor _ in range(5):\n    try:\n        json.loads('{')\n    except ValueError:\n        pass\n"
    (tmp_path / "program.py").write_text(text)
    done = run_command(newest.path, tmp_path / "program.py", env=dict(ON, PINSIGHT_IMPORT="modules"))
    said = subprocess.run([places.COMMAND, "report", "--exceptions", done.folder], stdout=subprocess.PIPE, text=True,
                          env={"COLUMNS": "300", "PATH": "/usr/bin:/bin"}).stdout
    assert re.search(r"(?m)^ +5 .* 3  JSONDecodeError +\S+program\.py:4  JSONDecoder\.raw_decode  <module>:5$", said), said
