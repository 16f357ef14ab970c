"""Properties of types written in C, on request: calls of C with their line, and nothing else changes."""
import collections
import json
import os
import re
import subprocess

import pytest

from support import places
from support.c_calls import FORKS, LINES, LOOKED, SWITCHED, TIMES, WITHOUT_IMPORTS, CommentedProgram, beside_a_tool_of_lines

# Without what NumPy's methods are called by.
PROGRAM = CommentedProgram(
    "properties", r"  # ((?:\w+\.\w+(?:\.__\w+__)? ?)+)$",
    r"(?!numpy\.ndarray\.(?:copy|view|__getitem__|__setitem__)$)%s\.\w+\.\w+(\.__set__|\.__delete__)?$", 25)


@pytest.fixture
def configured(tmp_path):
    """configured(types) are options that name them."""
    def options(types="numpy.ndarray, numpy.generic", operators="none"):
        file = tmp_path / "properties.ini"
        file.write_text("[Python]\noperators = %s\nproperties = %s\n" % (operators, types))
        return ["-c", str(file)]
    return options


@pytest.fixture
def run_properties(run_traced, configured):
    """run_properties(python, text) runs `text` when the program is imported and traced."""
    def run(python, text=PROGRAM.main, *options, **more):
        return run_traced(python, PROGRAM.start + text, *(options or configured()), packages=["numpy"], env=WITHOUT_IMPORTS,
                          **more)
    return run


@pytest.mark.needs_gil
def test_each_property_has_its_line_and_count(run_properties, python):
    PROGRAM.check(run_properties(python), python.mechanism + ", properties", "properties of types that are not observed")


def test_an_oracle_with_properties_in_python_counts_the_same(python):
    """What the program says of itself is held against properties that count who asks."""
    text = "import sys, json; sys.path.insert(0, %r); import properties; " \
           "print(json.dumps([[*key, count] for key, count in properties.oracle(%d).items()]))" % (
               str(PROGRAM.path.parent), TIMES)
    told = subprocess.run([python.with_packages("numpy"), "-W", "ignore", "-c", text], stdout=subprocess.PIPE,
                          check=True, universal_newlines=True).stdout
    counted = collections.defaultdict(dict)
    for line, name, count in json.loads(told):
        counted[line]["numpy." + name] = count
    of_arrays = {line: names for line, names in PROGRAM.expected().items() if not any("generic" in name for name in names)}
    assert dict(counted) == of_arrays


def test_beside_operators(run_properties, one_of_each, configured):
    told = run_properties(one_of_each, "program.main(5)\n",
                          *configured(operators="numpy.ndarray, numpy.generic")).report("--limit", "0")
    found = {line: {name: count for name, count in names.items() if not re.search(r"\.__i?add__$", name)}
             for line, names in PROGRAM.told(told).items()}
    assert found == PROGRAM.expected(5)
    domain, = (domain for domain in told["processes"][0]["domains"] if domain["name"] == "Python")
    assert domain["mechanism"] == one_of_each.mechanism + ", operators, properties"
    assert "operators (a @ b) and properties of types that are not observed" in told["not_recorded"]["unseen"]


def test_none_without_a_configuration(run_traced, one_of_each):
    result = run_traced(one_of_each, PROGRAM.path, arguments=["3"], packages=["numpy"])
    told = result.report("--limit", "0")
    assert not {name for names in PROGRAM.told(told).values() for name in names} & {
        "numpy.ndarray.T", "numpy.ndarray.shape", "numpy.ndarray.shape.__set__", "numpy.generic.real"}
    assert "operators (a @ b) of types that are not observed, properties, and" in told["not_recorded"]["unseen"] \
        or one_of_each.version < (3, 12)


@pytest.mark.parametrize("names", ["registry", "inline"])
def test_through_lttng(run_properties, one_of_each, configured, names):
    result = run_properties(one_of_each, "program.main(5)\n", "--recorder", "lttng", "--lossless", "--names", names, *configured())
    assert PROGRAM.told(result.report("--limit", "0")) == PROGRAM.expected(5)


def test_numpy_is_found_when_it_is_loaded(run_traced, one_of_each, configured):
    result = run_traced(one_of_each, PROGRAM.path, *configured(), arguments=["3"], packages=["numpy"])
    assert PROGRAM.told(result.report("--limit", "0")) == PROGRAM.expected(3)


def test_errors_are_told(run_properties, newest):
    result = run_properties(newest, "program.main(3)\n")
    ends = collections.Counter()
    for thread in result.trace.threads:
        ends.update((moment.name, moment.how) for moment in thread.moments if moment.kind == "c_end"
                    and moment.name in ("numpy.ndarray.shape.__delete__", "numpy.ndarray.data"))
    assert ends == {("numpy.ndarray.shape.__delete__", "raise"): 3, ("numpy.ndarray.data", "raise"): 3,
                    ("numpy.ndarray.data", "return"): 3}


MANY = """
import numpy as np
class Names: pass
names = Names()
%s
def far(a):
    (%s)
    a.T
    a.shape = (1,)
    a.T.T
for _ in range(30):
    far(np.ones(1))
""" % ("\n".join("names.n%d = 1" % number for number in range(1000)),
       ", ".join("names.n%d" % number for number in range(1000)))


@pytest.mark.needs_gil
def test_names_with_large_numbers(run_traced, python, configured):
    """The instruction has an argument of more than a byte."""
    told = run_traced(python, MANY, *configured(),
                      packages=["numpy"]).report("--limit", "0")
    line = MANY[:MANY.index("    a.T\n")].count("\n") + 1
    assert PROGRAM.told(told, "<string>") == {
        line: {"numpy.ndarray.T": 30}, line + 1: {"numpy.ndarray.shape.__set__": 30},
        line + 2: {"numpy.ndarray.T": 60}}


def test_without_pinsight_run(one_of_each, configured, tmp_path):
    """activate() has them, too, where nothing stands before libc."""
    _, file = configured()
    env = dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_OUTPUT=str(tmp_path / "trace"), PINSIGHT_CONFIG=file)
    subprocess.run([one_of_each.with_packages("numpy"), "-c", PROGRAM.by_itself], env=env, check=True, cwd=str(tmp_path))
    told = subprocess.run([places.COMMAND, "report", "--format", "json", "--limit", "0", str(tmp_path / "trace")],
                          stdout=subprocess.PIPE, check=True).stdout
    assert PROGRAM.told(json.loads(told)) == PROGRAM.expected(3)


@pytest.mark.needs_gil
@beside_a_tool_of_lines
def test_beside_a_tool_of_lines(run_properties, python, more):
    assert PROGRAM.told(run_properties(python, LINES % more).report("--limit", "0")) == PROGRAM.expected(10)


def test_modes(run_properties, one_of_each):
    PROGRAM.check_modes(run_properties(one_of_each, SWITCHED), "numpy.ndarray.shape.__delete__", 10)


LOOK = """
import ctypes, numpy
word = ctypes.sizeof(ctypes.c_void_p)
def pointer(address):
    return ctypes.c_void_p.from_address(address).value
def owner(address):
    class Info(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                    ("address", ctypes.c_void_p)]
    info = Info()
    if not ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(info)):
        return "ours"
    return "ours" if b"pinsight" in info.file.rpartition(b"/")[2] else "NumPy's"
def look():
    definition = pointer(id(numpy.ndarray.shape) + 5 * word)
    return [owner(definition), owner(pointer(definition + word)), owner(pointer(definition + 2 * word)),
            numpy.ndarray.shape.__doc__[:5], numpy.ndarray.shape.__name__, numpy.ndarray.shape.__qualname__]
"""


def test_types_get_their_functions_back(run_traced, one_of_each, configured):
    program = LOOK + LOOKED
    result = run_traced(one_of_each, program, *configured(), packages=["numpy"])
    without = subprocess.run([one_of_each.with_packages("numpy"), "-c", LOOK + "print(look())"], check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
    ours = without.replace("NumPy's", "ours").replace('"', "'")
    assert without.count("NumPy's") == 3
    assert result.stdout.splitlines() == [ours, without, ours, without]


def test_plain_and_events_without_c_calls(run_traced, one_of_each, configured):
    program = LOOK + "print(look()[:3])"
    own = str(["NumPy's"] * 3)
    result = run_traced(one_of_each, program, *configured(), packages=["numpy"], env={"PINSIGHT_PLAIN": "1"})
    assert result.stdout.strip() == own
    assert "properties of types written in C" in re.sub(r"\s+", " ", result.stderr)
    assert run_traced(one_of_each, program, "--events", "function", *configured(),
                      packages=["numpy"]).stdout.strip() == own
    assert run_traced(one_of_each, program, packages=["numpy"]).stdout.strip() == own


CONFIGURED = """
import decimal
decimal.Decimal(1).real
context = decimal.Context()
context.prec += 2
"""


@pytest.mark.needs_gil
def test_the_configuration_names_types(run_traced, python, configured):
    told = run_traced(python, CONFIGURED, *configured("decimal.Decimal, decimal.Context")).report("--limit", "0")
    assert PROGRAM.told(told, "<string>", "decimal") == {
        3: {"decimal.Decimal.real": 1}, 5: {"decimal.Context.prec": 1, "decimal.Context.prec.__set__": 1}}


@pytest.mark.parametrize("name, why", [
    ("numpy.ndarrray", "the module has no such type"),
    ("numpy.ma.MaskedArray", "the type has none of its own that is written in C"),
    ("numpy.matrix", "the type has none of its own that is written in C"),
    ("properties.Array", "the type has another name in its own module; give that one"),
])
def test_what_has_no_properties_is_complained_of(run_properties, newest, configured, name, why):
    program = "program.np.ma\nprogram.Array = program.np.ndarray\nprogram.main(1)"
    result = run_properties(newest, program, *configured(name + ", numpy.generic"))
    said = [line for line in result.stderr.splitlines() if "properties of " in line]
    assert said == ["pinsight: properties of %s are not recorded: %s" % (name, why)]
    assert PROGRAM.told(result.report("--limit", "0"))


def test_threads_and_forks(run_properties, one_of_each):
    told = run_properties(one_of_each, FORKS).report("--limit", "0")
    assert PROGRAM.told(told) == PROGRAM.expected(25)
    assert not told["not_recorded"]["lost_frames"]


# The getter of a text file asks its buffer.
NESTED = """
import io
class Raw(io.RawIOBase):
    @property
    def name(self):
        io.TextIOWrapper(io.BytesIO()).errors
        return "raw"
    def readable(self): return True
text = io.TextIOWrapper(io.BufferedReader(Raw()))
for _ in range(10):
    text.name
"""


def test_python_within_a_property_and_c_that_calls_c(run_traced, one_of_each, configured):
    told = run_traced(one_of_each, NESTED, *configured("_io.TextIOWrapper, _io.BufferedReader")).report("--limit", "0")
    assert PROGRAM.told(told, "<string>", "_io") == {
        11: {"_io.TextIOWrapper.name": 10}, 6: {"_io.TextIOWrapper.errors": 10}}


SWITCHES = """
import io
from greenlet import greenlet, getcurrent
class Buffer(io.RawIOBase):
    @property
    def name(self):
        other = [one for one in all if one is not getcurrent()][0]
        if not other.dead: other.switch()
        return "buffer"
def first():
    text = io.TextIOWrapper(Buffer())
    for _ in range(10):
        text.name
def second():
    text = io.TextIOWrapper(Buffer())
    for _ in range(10):
        text.name; text.name
all = [greenlet(first), greenlet(second)]
while not all[0].dead: all[0].switch()
while not all[1].dead: all[1].switch()
"""


def test_greenlets_switch_within(run_traced, one_of_each, configured):
    told = run_traced(one_of_each, SWITCHES, *configured("_io.TextIOWrapper"), packages=["greenlet"]).report(
        "--limit", "0")
    assert PROGRAM.told(told, "<string>", "_io") == {
        13: {"_io.TextIOWrapper.name": 10}, 17: {"_io.TextIOWrapper.name": 20}}
    assert not told["not_recorded"]["lost_frames"]


PROFILED = """
import cProfile
import numpy as np
def inner(a):
    return a.T
def outer():
    a = np.ones(2)
    a.size
    cProfile.Profile().runcall(inner, a)
    a.ndim
outer()
"""


def test_beside_a_profiler_of_the_program(run_traced, one_of_each, configured):
    """Up to 3.11 functions are not seen while it runs, so a property of theirs would seem to be its caller's."""
    found = PROGRAM.told(run_traced(one_of_each, PROFILED, *configured(), packages=["numpy"]).report("--limit", "0"),
                          "<string>")
    inner = {5: {"numpy.ndarray.T": 1}} if one_of_each.version >= (3, 12) else {}
    assert found == {8: {"numpy.ndarray.size": 1}, 10: {"numpy.ndarray.ndim": 1}, **inner}


def test_windows_and_filters(run_traced, one_of_each, configured, tmp_path):
    options = configured()
    with open(options[1], "a") as file:
        file.write("[Lexgion(Python:c:numpy.ndarray.shape.__set__)]\nmax_num_traces = 2\n"
                   "[Lexgion(Python:c:numpy.ndarray.T)]\nmax_num_traces = 0\n")
    told = run_traced(one_of_each, "import numpy as np\na = np.ones(4)\nfor _ in range(9):\n    a.T\n"
                      "    a.shape = 4\n    a.shape\n", *options, packages=["numpy"]).report("--limit", "0")
    assert PROGRAM.told(told, "<string>") == {
        5: {"numpy.ndarray.shape.__set__": 2}, 6: {"numpy.ndarray.shape": 9}}


def test_a_reload_names_types(run_traced, newest, configured):
    options = configured("none")
    program = """
import numpy as np, pinsight, signal, os, time
a = np.ones(2)
def use():
    a.T
def reload(types):
    with open(%r, "w") as file: file.write("[Python]\\nproperties = " + types + "\\n")
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(1)
use(); reload("numpy.ndarray"); use(); use(); reload("none"); use()
""" % options[1]
    told = run_traced(newest, program, *options, packages=["numpy"]).report("--limit", "0")
    assert PROGRAM.told(told, "<string>") == {5: {"numpy.ndarray.T": 2}}
