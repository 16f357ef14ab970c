"""Properties of types written in C, on request: calls of C with their line, and nothing else changes."""
import collections
import json
import os
import re
import subprocess

import pytest

from support import places
from support.pythons import pythons

PROGRAM = places.PROGRAMS / "properties.py"
NAMES = re.compile(r"  # ((?:\w+\.\w+(?:\.__\w+__)? ?)+)$", re.MULTILINE)
METHODS = {"numpy.ndarray.copy", "numpy.ndarray.view", "numpy.ndarray.__getitem__", "numpy.ndarray.__setitem__"}
TIMES = 20


def expected(times=TIMES):
    """{line: {name: count}} by the comments of the program."""
    found = {}
    for number, line in enumerate(PROGRAM.read_text().splitlines(), 1):
        match = NAMES.search(line)
        if match:
            names = collections.Counter(match.group(1).split())
            found[number] = {"numpy." + name: count * times for name, count in names.items()}
    assert len(found) > 25
    return found


def properties_of(told, file="properties.py", types="numpy"):
    """The same of a report, without methods."""
    found = collections.defaultdict(dict)
    for call in told["c_calls"]:
        name = call["name"]
        if (call["caller_file"] or "").endswith(file) and name not in METHODS and \
                re.match(r"%s\.\w+\.\w+(\.__set__|\.__delete__)?$" % types, name):
            found[call["caller_line"]][name] = call["calls"] + call["counted_calls"]
    return dict(found)


# Nothing of NumPy's import is recorded: a test is quick.
WITHOUT_IMPORTS = {"PINSIGHT_TRACE_PYTHON": "STANDBY"}
START = """
import sys
sys.path.insert(0, %r)
import properties, pinsight
pinsight.set_mode("Python", "TRACING")
""" % str(PROGRAM.parent)


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
    def run(python, text="properties.main(%d)\n" % TIMES, *options, **more):
        return run_traced(python, START + text, *(options or configured()), packages=["numpy"], env=WITHOUT_IMPORTS,
                          **more)
    return run


@pytest.mark.every_python
def test_each_property_has_its_line_and_count(run_properties, python):
    result = run_properties(python)
    told = result.report("--limit", "0")
    assert properties_of(told) == expected()
    domain, = told["processes"][0]["domains"]
    assert domain["mechanism"] == python.mechanism + ", properties"
    assert "properties of types that are not observed" in told["not_recorded"]["unseen"]
    assert (told["not_recorded"]["lost_frames"], told["not_recorded"]["dropped_ends"]) == (0, 1)  # the module's
    for thread in result.trace.threads:
        assert thread.unbalanced() is None


@pytest.mark.every_python
def test_a_twin_with_properties_in_python_counts_the_same(python):
    """What the program says of itself is held against properties that count who asks."""
    text = "import sys, json; sys.path.insert(0, %r); import properties; " \
           "print(json.dumps([[*key, count] for key, count in properties.twin(%d).items()]))" % (
               str(PROGRAM.parent), TIMES)
    told = subprocess.run([python.with_packages("numpy"), "-W", "ignore", "-c", text], stdout=subprocess.PIPE,
                          check=True, universal_newlines=True).stdout
    counted = collections.defaultdict(dict)
    for line, name, count in json.loads(told):
        counted[line]["numpy." + name] = count
    of_arrays = {line: names for line, names in expected().items() if not any("generic" in name for name in names)}
    assert dict(counted) == of_arrays


def test_beside_operators(run_properties, one_of_each, configured):
    told = run_properties(one_of_each, "properties.main(5)\n",
                          *configured(operators="numpy.ndarray, numpy.generic")).report("--limit", "0")
    found = {line: {name: count for name, count in names.items() if not re.search(r"\.__i?add__$", name)}
             for line, names in properties_of(told).items()}
    assert found == expected(5)
    domain, = told["processes"][0]["domains"]
    assert domain["mechanism"] == one_of_each.mechanism + ", operators, properties"
    assert "operators (a @ b) and properties of types that are not observed" in told["not_recorded"]["unseen"]


def test_none_without_a_configuration(run_traced, one_of_each):
    result = run_traced(one_of_each, PROGRAM, arguments=["3"], packages=["numpy"])
    told = result.report("--limit", "0")
    assert not {name for names in properties_of(told).values() for name in names} & {
        "numpy.ndarray.T", "numpy.ndarray.shape", "numpy.ndarray.shape.__set__", "numpy.generic.real"}
    assert "operators (a @ b) of types that are not observed, properties, and" in told["not_recorded"]["unseen"] \
        or one_of_each.version < (3, 12)


@pytest.mark.parametrize("names", ["registry", "inline"])
def test_through_lttng(run_properties, one_of_each, configured, names):
    result = run_properties(one_of_each, "properties.main(5)\n", "--recorder", "lttng", "--names", names, *configured())
    assert properties_of(result.report("--limit", "0")) == expected(5)


def test_numpy_is_found_when_it_is_loaded(run_traced, one_of_each, configured):
    result = run_traced(one_of_each, PROGRAM, *configured(), arguments=["3"], packages=["numpy"])
    assert properties_of(result.report("--limit", "0")) == expected(3)


def test_errors_are_told(run_properties, newest):
    result = run_properties(newest, "properties.main(3)\n")
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


@pytest.mark.every_python
def test_names_with_large_numbers(run_traced, python, configured):
    """The instruction has an argument of more than a byte."""
    told = run_traced(python, MANY, *configured(),
                      packages=["numpy"]).report("--limit", "0")
    line = MANY[:MANY.index("    a.T\n")].count("\n") + 1
    assert properties_of(told, "<string>") == {
        line: {"numpy.ndarray.T": 30}, line + 1: {"numpy.ndarray.shape.__set__": 30},
        line + 2: {"numpy.ndarray.T": 60}}


# As coverage.py does on 3.12 and later, and a debugger that steps: events of lines and of each instruction.
LINES = """
sys.monitoring.use_tool_id(1, "lines")
for event in (sys.monitoring.events.LINE, sys.monitoring.events.INSTRUCTION):
    sys.monitoring.register_callback(1, event, lambda *arguments: None)
sys.monitoring.set_events(1, sys.monitoring.events.LINE | %s)
properties.main(10)
"""


WITHOUT_SHIM = """
import sys
sys.path.insert(0, %r)
import pinsight
pinsight.activate()
import properties
properties.main(3)
pinsight.deactivate()
""" % str(PROGRAM.parent)


def test_without_pinsight_run(one_of_each, configured, tmp_path):
    """activate() has them, too, where nothing stands before libc."""
    _, file = configured()
    env = dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_OUTPUT=str(tmp_path / "trace"), PINSIGHT_CONFIG=file)
    subprocess.run([one_of_each.with_packages("numpy"), "-c", WITHOUT_SHIM], env=env, check=True, cwd=str(tmp_path))
    told = subprocess.run([places.COMMAND, "report", "--format", "json", "--limit", "0", str(tmp_path / "trace")],
                          stdout=subprocess.PIPE, check=True).stdout
    assert properties_of(json.loads(told)) == expected(3)


@pytest.mark.parametrize("python", [python for python in pythons() if python.version >= (3, 12)], ids=str)
@pytest.mark.parametrize("more", ["0", "sys.monitoring.events.INSTRUCTION"], ids=["lines", "instructions"])
def test_beside_a_tool_of_lines(run_properties, python, more):
    assert properties_of(run_properties(python, LINES % more).report("--limit", "0")) == expected(10)


SWITCHED = """
for mode in ("TRACING", "OFF", "STANDBY", "MONITORING", "TRACING"):
    pinsight.set_mode("Python", mode)
    properties.main(10)
"""


def test_modes(run_properties, one_of_each):
    told = run_properties(one_of_each, SWITCHED).report("--limit", "0")
    counted = [call["counted_calls"] for call in told["c_calls"] if call["name"] == "numpy.ndarray.shape.__delete__"]
    assert sum(counted) == 10  # where, is not counted
    assert {line: counts for line, counts in properties_of(told).items() if line} == expected(20)


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
    return "ours" if b"pinsight" in info.file else "NumPy's"
def look():
    definition = pointer(id(numpy.ndarray.shape) + 5 * word)
    return [owner(definition), owner(pointer(definition + word)), owner(pointer(definition + 2 * word)),
            numpy.ndarray.shape.__doc__[:5], numpy.ndarray.shape.__name__, numpy.ndarray.shape.__qualname__]
"""


def test_types_get_their_functions_back(run_traced, one_of_each, configured):
    program = LOOK + """
import pinsight
print(look()); pinsight.set_mode("Python", "STANDBY"); print(look())
pinsight.set_mode("Python", "TRACING"); print(look()); pinsight.deactivate(); print(look())
"""
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


@pytest.mark.every_python
def test_the_configuration_names_types(run_traced, python, configured):
    told = run_traced(python, CONFIGURED, *configured("decimal.Decimal, decimal.Context")).report("--limit", "0")
    assert properties_of(told, "<string>", "decimal") == {
        3: {"decimal.Decimal.real": 1}, 5: {"decimal.Context.prec": 1, "decimal.Context.prec.__set__": 1}}


@pytest.mark.parametrize("name, why", [
    ("numpy.ndarrray", "the module has no such type"),
    ("numpy.ma.MaskedArray", "the type has none of its own that is written in C"),
    ("numpy.matrix", "the type has none of its own that is written in C"),
    ("properties.Array", "the type has another name in its own module; give that one"),
])
def test_what_has_no_properties_is_complained_of(run_properties, newest, configured, name, why):
    program = "properties.Array = properties.np.ndarray\nproperties.np.ma\nproperties.main(1)"
    result = run_properties(newest, program, *configured(name + ", numpy.generic"))
    said = [line for line in result.stderr.splitlines() if "properties of " in line]
    assert said == ["pinsight: properties of %s are not recorded: %s" % (name, why)]
    assert properties_of(result.report("--limit", "0"))


FORKS = """
import os, threading
threads = [threading.Thread(target=properties.main, args=(5,)) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
child = os.fork()
properties.main(5)
if child: os.waitpid(child, 0)
"""


def test_threads_and_forks(run_properties, one_of_each):
    told = run_properties(one_of_each, FORKS).report("--limit", "0")
    assert properties_of(told) == expected(25)
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
    assert properties_of(told, "<string>", "_io") == {
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
    assert properties_of(told, "<string>", "_io") == {
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
    found = properties_of(run_traced(one_of_each, PROFILED, *configured(), packages=["numpy"]).report("--limit", "0"),
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
    assert properties_of(told, "<string>") == {
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
    assert properties_of(told, "<string>") == {5: {"numpy.ndarray.T": 2}}
