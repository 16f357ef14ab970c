"""Operators of types written in C: calls of C like others, with their line, and nothing else changes."""
import collections
import os
import re
import subprocess

import pytest

from support import places
from support.c_calls import FORKS, LINES, LOOKED, SWITCHED, WITHOUT_IMPORTS, CommentedProgram, beside_a_tool_of_lines

PROGRAM = CommentedProgram("operators", r"  # ((?:\w+\.__\w+__ ?)+)$", r"%s\.\w+\.__\w+__$", 50)


@pytest.fixture
def run_operators(run_traced):
    """run_operators(python, text, times) runs `text` when the program is imported and traced."""
    def run(python, text=PROGRAM.main, *options, **more):
        return run_traced(python, PROGRAM.start + text, *options, packages=["numpy"], env=WITHOUT_IMPORTS, **more)
    return run


@pytest.mark.needs_gil
def test_each_operator_has_its_line_and_count(run_operators, python):
    PROGRAM.check(run_operators(python), python.mechanism + ", operators", "types that are not observed")


def test_numpy_is_found_when_it_is_loaded(run_traced, one_of_each):
    result = run_traced(one_of_each, PROGRAM.path, arguments=["3"], packages=["numpy"])
    assert PROGRAM.told(result.report("--limit", "0")) == PROGRAM.expected(3)


def test_errors_are_told(run_operators, newest):
    result = run_operators(newest, "program.main(3)\n")
    ends = collections.Counter()
    for thread in result.trace.threads:
        ends.update(moment.how for moment in thread.moments
                    if moment.kind == "c_end" and moment.name == "numpy.ndarray.__delitem__")
    assert ends == {"raise": 3}


def test_numpy_decides_as_without(run_traced, python):
    """A type with __array_ufunc__ = None keeps NumPy's slots; temporaries are taken again in a chain of additions."""
    for packages in (["numpy"], ["numpy==1.26.4"])[:2 if python.short == "3.12" else 1]:
        program = places.PROGRAMS / "operators_defer.py"
        result = run_traced(python, program, packages=packages)
        without = subprocess.run([python.with_packages(*packages), str(program)], stdout=subprocess.PIPE, check=True,
                                 universal_newlines=True, stderr=subprocess.DEVNULL)
        assert result.stdout == without.stdout
        # From 3.14 on it takes none: what the interpreter holds for a moment has no reference to count.
        assert python.version >= (3, 14) or "\npeak 1.0\n" in without.stdout


@pytest.mark.needs_gil
@beside_a_tool_of_lines
def test_beside_a_tool_of_lines(run_operators, python, more):
    assert PROGRAM.told(run_operators(python, LINES % more).report("--limit", "0")) == PROGRAM.expected(10)


def test_modes(run_operators, one_of_each):
    PROGRAM.check_modes(run_operators(one_of_each, SWITCHED), "numpy.ndarray.__matmul__", 20)  # of two lines


LOOK = """
import ctypes, numpy
def owner(address):
    class Info(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                    ("address", ctypes.c_void_p)]
    info = Info()
    ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(info))
    return "ours" if b"pinsight" in info.file.rpartition(b"/")[2] else "NumPy's"
def number_slots(type):
    table = ctypes.c_void_p.from_address(id(type) + 12 * ctypes.sizeof(ctypes.c_void_p)).value
    return {owner(slot) for slot in (ctypes.c_void_p * 3).from_address(table)}
class Sub(numpy.ndarray): pass
def look():
    descriptor = ctypes.c_void_p * 7
    wrapped = descriptor.from_address(id(numpy.ndarray.__add__))[6]
    return [sorted(number_slots(numpy.ndarray)), sorted(number_slots(Sub)), owner(wrapped)]
"""


def test_types_get_their_functions_back(run_traced, one_of_each):
    program = LOOK + LOOKED
    result = run_traced(one_of_each, program, packages=["numpy"])
    ours, own = str([["ours"], ["ours"], "ours"]), str([["NumPy's"], ["NumPy's"], "NumPy's"])
    assert result.stdout.splitlines() == [ours, own, ours, own]


def test_plain_and_events_without_c_calls(run_traced, one_of_each):
    own = str([["NumPy's"], ["NumPy's"], "NumPy's"])
    program = LOOK + "print(look())"
    result = run_traced(one_of_each, program, packages=["numpy"], env={"PINSIGHT_PLAIN": "1"})
    assert result.stdout.strip() == own
    assert "operators of types written in C" in re.sub(r"\s+", " ", result.stderr)
    assert run_traced(one_of_each, program, "--events", "function", packages=["numpy"]).stdout.strip() == own


CONFIGURED = """
import decimal, collections
import numpy as np
class Own:
    def __add__(self, other): return 1
decimal.Decimal(1) + 2
2 * decimal.Decimal(1)
np.ones(2) + 1
Own() + 1
"""


def configured(tmp_path, value):
    file = tmp_path / "operators.ini"
    file.write_text("[Python]\noperators = %s\n" % value)
    return ["-c", str(file)]


def test_the_configuration_names_types(run_traced, one_of_each, tmp_path):
    told = run_traced(one_of_each, CONFIGURED, *configured(tmp_path, "decimal.Decimal"), packages=["numpy"]).report("--limit", "0")
    assert {call["name"]: call["calls"] for call in told["c_calls"] if re.search(r"__r?(add|mul)__$", call["name"])
            and call["caller_file"] == "<string>"} == {
        "decimal.Decimal.__add__": 1, "decimal.Decimal.__rmul__": 1}


def test_no_operators(run_traced, one_of_each, tmp_path):
    result = run_traced(one_of_each, PROGRAM.path, *configured(tmp_path, "none"), packages=["numpy"])
    told = result.report("--limit", "0")
    assert not PROGRAM.told(told)
    assert told["processes"][0]["domains"][0]["selection"] == "operators = none"


@pytest.mark.parametrize("name, why", [
    ("numpy.ndarrray", "the module has no such type"),
    ("numpy.ma.MaskedArray", "the type has none of its own that is written in C"),
    ("numpy.ones", "the module has no such type"),
    ("operators.Array", "the type has another name in its own module; give that one"),
])
def test_what_has_no_operators_is_complained_of(run_traced, newest, tmp_path, name, why):
    program = PROGRAM.start + "program.main(1)\nprogram.Array = program.np.ndarray\nprogram.main(1)"
    result = run_traced(newest, program, *configured(tmp_path, name + ", numpy.generic"), packages=["numpy"])
    said = [line for line in result.stderr.splitlines() if "operators of " in line]
    assert said == ["pinsight: operators of %s are not recorded: %s" % (name, why)]
    assert PROGRAM.told(result.report("--limit", "0"))


def test_without_the_shim_it_is_said(newest, installed, tmp_path):
    packages = newest.with_packages("numpy")
    site = subprocess.run([packages, "-c", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))"],
                          stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout.strip()
    env = dict(os.environ, PYTHONPATH="%s:%s" % (places.PACKAGES, site), PINSIGHT_OUTPUT=str(tmp_path / "trace"))
    subprocess.run([installed(newest), "-c", PROGRAM.by_itself], env=env, check=True, cwd=str(tmp_path))
    text = subprocess.run([places.COMMAND, "report", str(tmp_path / "trace")], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout
    assert "Operators of types written in C (a @ b) are not recorded in 1 process" in re.sub(r"\s+", " ", text)
    assert "operators (a @ b), properties" in re.sub(r"\s+", " ", text)


def test_threads_and_forks(run_operators, one_of_each):
    told = run_operators(one_of_each, FORKS).report("--limit", "0")
    assert PROGRAM.told(told) == PROGRAM.expected(25)
    assert not told["not_recorded"]["lost_frames"]


NESTED = """
import numpy as np
class Element:
    def __add__(self, other):
        np.ones(1) + other          # an operator of its own, within the one outside
        return other
objects = np.array([Element(), Element()], object)
for _ in range(10):
    objects + np.float64(1)
"""


def test_python_within_an_operator(run_traced, one_of_each):
    told = run_traced(one_of_each, NESTED, packages=["numpy"]).report("--limit", "0")
    assert PROGRAM.told(told, "<string>") == {9: {"numpy.ndarray.__add__": 10}, 5: {"numpy.ndarray.__add__": 20}}


def test_another_tool_instruments_lines(run_operators, newest):
    """Then its instructions stand before those of the program."""
    if newest.version < (3, 12):
        places.missing("CPython 3.12 or later")
    program = """
sys.monitoring.use_tool_id(1, "lines")
sys.monitoring.register_callback(1, sys.monitoring.events.LINE, lambda *rest: None)
sys.monitoring.register_callback(1, sys.monitoring.events.INSTRUCTION, lambda *rest: None)
for events in (sys.monitoring.events.LINE, sys.monitoring.events.INSTRUCTION,
               sys.monitoring.events.LINE | sys.monitoring.events.INSTRUCTION):
    sys.monitoring.set_local_events(1, program.operators.__code__, events)
    program.main(5)
"""
    assert PROGRAM.told(run_operators(newest, program).report("--limit", "0")) == PROGRAM.expected(15)


PROFILED = """
import cProfile
import numpy as np
def inner(a):
    return a @ a
def outer():
    a = np.ones(2)
    a + a
    cProfile.Profile().runcall(inner, a)
    a - a
outer()
"""


def test_beside_a_profiler_of_the_program(run_traced, one_of_each):
    """Up to 3.11 functions are not seen while it runs, so an operator of theirs would seem to be its caller's."""
    found = PROGRAM.told(run_traced(one_of_each, PROFILED, packages=["numpy"]).report("--limit", "0"), "<string>")
    inner = {5: {"numpy.ndarray.__matmul__": 1}} if one_of_each.version >= (3, 12) else {}
    assert found == {8: {"numpy.ndarray.__add__": 1}, 10: {"numpy.ndarray.__sub__": 1}, **inner}
