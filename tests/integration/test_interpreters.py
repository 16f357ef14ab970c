"""Interpreters beside the main one: their calls are counted as the program counts them itself, or said to be missing."""
import pytest

MAKE = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

def make(own_gil):
    if own_gil:
        return interpreters.create()
    for how in (("legacy",), {}), ((), {"isolated": False}):
        try:
            return interpreters.create(*how[0], **how[1])
        except TypeError:
            pass
    return interpreters.create()

CODE = '''
def called(x):
    return x
def three():
    for k in range(3):
        yield len("x" * k)
class Error(Exception):
    pass
def raises():
    raise Error
for k in range(COUNT):
    called(k)
for k in range(100):
    list(three())
    try:
        raises()
    except Error:
        pass
'''

def within(own_gil, count=2000):
    made = make(own_gil)
    interpreters.run_string(made, CODE.replace("COUNT", str(count)))
    interpreters.destroy(made)
"""

PROGRAM = MAKE + """
import threading
within(True)
within(False)
threads = [threading.Thread(target=within, args=(number % 2 == 0,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
within(True)
"""
TIMES = 7


def calls(report, name):
    return sum(function["calls"] for function in report["functions"] if function["name"] == name)


def assert_whole(report, times=TIMES, count=2000):
    assert calls(report, "called") == times * count
    assert calls(report, "three") == times * 100
    assert calls(report, "raises") == times * 100
    lengths = [call["calls"] for call in report["c_calls"] if (call["name"], call["caller"]) == ("len", "three")]
    assert sum(lengths) == times * 300
    missing = report["not_recorded"]
    assert [missing[what] for what in ("lost_frames", "dropped_ends", "open_at_end", "interpreters")] == [0] * 4


def test_of_each_kind(python, run_traced):
    """One after the other and at once, with a GIL of their own and with the main one's, in threads of the program."""
    result = run_traced(python, PROGRAM, "--no-summary")
    report = result.report("--limit", "0")
    if python.version < (3, 12):
        assert calls(report, "called") == 0
        assert report["not_recorded"]["interpreters"] == TIMES
        said = "Python in %d sub-interpreters was not recorded" % TIMES
        assert said in " ".join(result.report_text().split())
        return
    assert_whole(report)
    result.trace.assert_balanced()


def test_counted(one_of_each, run_traced):
    if one_of_each.version < (3, 12):
        pytest.skip("not recorded there")
    result = run_traced(one_of_each, PROGRAM, "--no-summary", env={"PINSIGHT_TRACE_PYTHON": "MONITORING"})
    report = result.report("--limit", "0")
    for name, each in ("called", 2000), ("three", 100), ("raises", 100):
        assert calls(report, name) == TIMES * each, name


MANY = 100000
MANY_PROGRAM = MAKE + """
import threading
within(True, %d)
within(False, %d)
threads = [threading.Thread(target=within, args=(own_gil, %d)) for own_gil in (True, True, False, False)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""" % (MANY, MANY, MANY)


@pytest.mark.pythons
def test_a_hundred_thousand_calls(python, run_traced):
    """In each of six, one after the other and at once."""
    if python.version < (3, 12):
        pytest.skip("not recorded there")
    result = run_traced(python, MANY_PROGRAM, "--no-summary", "--lossless", timeout=300)
    assert_whole(result.report("--limit", "0"), times=6, count=MANY)


ENDED_ELSEWHERE = MAKE + """
import threading
for number in range(60):
    made = make(OWN_GIL)
    interpreters.run_string(made, CODE.replace("COUNT", "10"))
    thread = threading.Thread(target=interpreters.destroy, args=(made,))
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize("own_gil", [True, False])
def test_ended_by_another_thread(python, own_gil, run_traced):
    """A later one gets its memory, and nothing else of it."""
    if python.version < (3, 12):
        pytest.skip("not recorded there")
    result = run_traced(python, ENDED_ELSEWHERE.replace("OWN_GIL", str(own_gil)), "--no-summary")
    assert_whole(result.report("--limit", "0"), times=60, count=10)


def test_in_the_plain_form(python, run_traced):
    """They are not recorded, and the report says so; what the main one does is."""
    result = run_traced(python, PROGRAM, "--no-summary", env={"PINSIGHT_PLAIN": "1"})
    report = result.report("--limit", "0")
    assert calls(report, "called") == 0 and calls(report, "within") == TIMES
    assert report["not_recorded"]["interpreters"] == TIMES


WITH_THE_PACKAGE = MAKE + """
import sys
import pinsight
CODE = '''
import sys
sys.path[:] = %r
import pinsight
try:
    pinsight.activate()
    print("active", pinsight.is_active())
except RuntimeError as error:
    print(error)
try:
    pinsight.deactivate()
except RuntimeError as error:
    print(error)
with pinsight.region("within"):
    pass
''' % sys.path
within(True)
within(False)
"""


def test_the_package_within(one_of_each, run_traced):
    """It can be imported in each interpreter; the main one is where the process is activated."""
    if one_of_each.version < (3, 12):
        pytest.skip("not recorded there")
    result = run_traced(one_of_each, WITH_THE_PACKAGE, "--no-summary")
    refused = "deactivate() was called in a sub-interpreter: call it in the main one\n"
    assert result.stdout == 2 * ("active True\n" + refused)


POOL = """
import os, sys
from concurrent.futures import InterpreterPoolExecutor

def work(count):
    total = 0
    for k in range(count):
        total += one(k)
    return total

def one(k):
    return k % 2

if __name__ == "__main__":
    with InterpreterPoolExecutor(max_workers=3) as pool:
        print(sum(pool.map(work, [500] * 12)))
"""


def test_a_pool(python, run_traced, tmp_path):
    if python.version < (3, 14):
        pytest.skip("there is no InterpreterPoolExecutor")
    program = tmp_path / "pool.py"  # workers import it
    program.write_text(POOL)
    result = run_traced(python, program, "--no-summary")
    assert result.stdout == "3000\n"
    report = result.report("--limit", "0")
    assert (calls(report, "work"), calls(report, "one")) == (12, 6000)
    assert report["not_recorded"]["lost_frames"] == report["not_recorded"]["interpreters"] == 0
