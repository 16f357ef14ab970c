"""The link from native work to Python: the call path that native code is given, beside what Python itself says."""
import collections
import json
import subprocess

import pytest

from support import places
from support.traces import events

LONGEST = 2000  # bytes of a name in a trace


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The native code that asks, a library for ctypes."""
    path = tmp_path_factory.mktemp("where") / "where.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, places.PROGRAMS / "where.c", "-ldl", "-lpthread"],
                   check=True)
    return path


@pytest.fixture
def asked(run_traced, library, tmp_path):
    """asked(python, *situations, options=…) gives what paths.py wrote, and the call paths of the trace."""
    def run(python, *situations, options=("--mode", "OFF"), **more):
        result = tmp_path / ("result-%d" % len(list(tmp_path.iterdir())))
        traced = run_traced(python, "paths", *options, arguments=(library, result, *situations), **more)
        said = [json.loads(line) for line in result.read_text().splitlines()]
        return said, Paths(traced.folder)
    return run


def cut(text):
    """A name as a trace has it."""
    return text.encode("utf-8", "backslashreplace")[:LONGEST].decode("utf-8", "ignore")


class Paths:
    """The call paths of a trace, put together from their definitions."""

    def __init__(self, folder):
        self.nodes, self.codes = {}, {}
        self.order = []  # (process, kind, number)
        for event in events(folder):
            fields = {name: value for name, value in event.fields.items() if name not in ("cpu_id", "module")}
            if event.name == "path_info":
                known = self.nodes.setdefault((event.vpid, fields["path"]), fields)
                assert known == fields, "another path has that number"
                self.order.append((event.vpid, "path", fields["path"]))
            elif event.name == "code_info":
                known = self.codes.setdefault((event.vpid, fields["code"]), fields)
                assert known == fields, "another function has that number"
                self.order.append((event.vpid, "code", fields["code"]))

    def stack(self, process, path):
        """The frames, outermost first, as paths.py writes them."""
        frames = []
        while path:
            node = self.nodes[process, path]
            assert node["parent"] < path
            code = self.codes[process, node["code"]]
            frames.append([code["qualname"], code["filename"], code["lineno"], node["lineno"]])
            path = node["parent"]
        return frames[::-1]


def check(said, paths):
    """Every number stands for the frames that Python saw, and equal frames for the same number."""
    assert said
    numbers = {}
    for process, path, frames in said:
        assert path, frames
        wanted = [[cut(name), cut(file), first, line] for name, file, first, line in frames]
        key = (process, json.dumps(wanted))
        if numbers.setdefault(key, path) != path:
            # Two code objects that are alive may be equal to a reader, and are not the same.
            assert paths.stack(process, path) == wanted
        elif paths.stack(process, path) != wanted:
            assert paths.stack(process, path) == wanted


def test_every_path_is_the_one_that_python_says(asked, python):
    said, paths = asked(python)
    check(said, paths)
    assert len(said) > 2000
    pairs = [(node["parent"], node["code"], node["lineno"]) for node in paths.nodes.values()]
    processes = len({process for process, _ in paths.nodes})
    assert len(pairs) == len(paths.nodes) and processes >= 5


@pytest.mark.parametrize("options", [("--mode", "STANDBY"), ("--mode", "MONITORING"), ("--events", "none"),
                                     ("--events", "function,c_call,import", "--names", "registry")], ids=" ".join)
def test_events_of_python_make_no_difference(asked, one_of_each, options):
    situations = ("simple", "generators", "c_calls_python", "executed", "threads", "forks")
    said, paths = asked(one_of_each, *situations, options=options)
    check(said, paths)


def test_a_definition_stands_once(asked, newest):
    said, paths = asked(newest, "simple", "recursive", "generators")
    assert len(set(paths.order)) == len(paths.order)
    check(said, paths)


# No thread that Python did not make calls back into it: Python itself crashes then, now and then.
ENDING = """
import atexit, ctypes, os, sys, threading, time
library = ctypes.CDLL(sys.argv[1])
assert library.where_find()
told = []
def native():
    told.append(library.where_for(%(microseconds)d))
def back_and_forth():
    while True:
        library.where_for(100)
        exec("def f():\\n    library.where()\\nf()", {"library": library})
class AtTheEnd:
    def __del__(self, library=library):
        library.where()
for function in (native, native, back_and_forth, back_and_forth):
    threading.Thread(target=function, daemon=True).start()
def deeper(n):
    return deeper(n - 1) if n else library.where()
kept = AtTheEnd()
kept.self = kept
sys.kept = AtTheEnd()
time.sleep(float(sys.argv[2]))
assert deeper(100)
%(end)s
"""


@pytest.mark.parametrize("end", ["pass", "sys.exit(0)", "os._exit(0)", "os.fork() or time.sleep(0.01)",
                                 "atexit.register(library.where_for, 1000)"])
def test_other_threads_ask_while_the_interpreter_ends(run_traced, library, tmp_path, python, end):
    # Without a GIL they take processors from the interpreter's end, which on a busy machine waits for theirs.
    microseconds = 30000000 if python.has_gil else 5000000
    (tmp_path / "ending.py").write_text(ENDING % {"end": end, "microseconds": microseconds})
    for wait in (0.001, 0.02, 0.05):
        result = run_traced(python, tmp_path / "ending.py", "--mode", "OFF", arguments=(library, wait))
        assert "Fatal" not in result.stderr and "Segmentation" not in result.stderr
        Paths(result.folder)


AGAIN = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
assert library.where_find()
core = ctypes.CDLL("libpinsight.so.0")
numbers = set()
def one():
    numbers.add(library.where())
def two():
    one()
for turn in range(4):
    for _ in range(3):
        two()
    core.pinsight_session_version_next()
library.where()
print(len(numbers))
"""


def test_after_a_rotation_a_path_is_defined_again(run_traced, library, tmp_path, newest):
    (tmp_path / "again.py").write_text(AGAIN)
    result = run_traced(newest, tmp_path / "again.py", "--mode", "OFF", arguments=(library,))
    paths = Paths(result.folder)
    assert result.stdout.splitlines()[0] == "1"
    counts = collections.Counter((kind, number) for _, kind, number in paths.order)
    # Three frames; the outermost is at another line in the end.
    assert sorted(counts.values()) == [1, 4, 4, 4, 4, 4, 5]


EXECUTED = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
assert library.where_find()
numbers = set()
for i in range(3000):
    exec(%s, {"library": library, "numbers": numbers})
print(len(numbers))
"""
OVER_AND_OVER = {
    "one": ('"def f(i):\\n    return library.where()\\nnumbers.add(f(1))"', 1),
    "four of one line": ('"def f%d(): return library.where()\\nnumbers.add(f%d())" % (i % 4, i % 4)', 4),
}


@pytest.mark.parametrize("case", OVER_AND_OVER)
def test_functions_that_are_made_over_and_over_are_the_same(run_traced, library, tmp_path, one_of_each, case):
    text, count = OVER_AND_OVER[case]
    (tmp_path / "executed.py").write_text(EXECUTED % text)
    result = run_traced(one_of_each, tmp_path / "executed.py", "--mode", "OFF", arguments=(library,))
    assert int(result.stdout.splitlines()[0]) == count
    assert len(Paths(result.folder).order) <= 4 + 4 * count


MANY = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
assert library.where_find()
kept, told = [], []
for i in range(7000):
    space = {"library": library}
    exec(compile("%sdef f_%d():\\n    return library.where()" % ("\\n" * (i % 50), i), "file_%d.py" % (i % 90), "exec"), space)
    told.append([space["f_%d" % i](), i])
    if i % 3 == 0:
        kept.append((i, space["f_%d" % i]))
    if i % 700 == 699:
        del kept[::5]
        told += [[function(), number] for number, function in kept]
with open(sys.argv[2], "w") as file:
    json.dump(told, file)
"""


@pytest.mark.storm
@pytest.mark.parametrize("options", [("--mode", "OFF"), ("--names", "registry", "--events", "function")])
def test_many_functions_come_and_go(run_traced, library, tmp_path, one_of_each, options):
    """More than there is room for at first, and what they leave is used again; Python's events have numbers too."""
    (tmp_path / "many.py").write_text(MANY)
    result = run_traced(one_of_each, tmp_path / "many.py", *options, arguments=(library, tmp_path / "told.json"))
    paths = Paths(result.folder)
    process = paths.order[0][0]
    told = json.loads((tmp_path / "told.json").read_text())
    assert len(told) > 10000
    for path, number in told:
        name, file, first, line = paths.stack(process, path)[-1]
        assert (name, file, first) == ("f_%d" % number, "file_%d.py" % (number % 90), number % 50 + 1)
        assert line == first + 1


WATCHERS = """
import ctypes, os
library = ctypes.CDLL(os.environ["WHERE"])
try:
    while ctypes.pythonapi.PyCode_AddWatcher(library.where_watch) >= 0:
        pass
except RuntimeError:
    print("taken")
"""


def test_code_objects_come_and_go_without_a_free_watcher(run_traced, library, tmp_path, newest):
    """The program has all of the interpreter's watchers before PInsight comes."""
    (tmp_path / "many.py").write_text(MANY.replace("7000", "700"))
    (tmp_path / "sitecustomize.py").write_text(WATCHERS)
    result = run_traced(newest, tmp_path / "many.py", "--mode", "OFF", env={"PYTHONPATH": str(tmp_path), "WHERE": str(library)},
                        arguments=(library, tmp_path / "told.json"))
    assert "taken" in result.stdout
    paths = Paths(result.folder)
    for path, number in json.loads((tmp_path / "told.json").read_text()):
        assert paths.stack(paths.order[0][0], path)[-1][0] == "f_%d" % number


DEEP = """
import ctypes, json, sys, threading
library = ctypes.CDLL(sys.argv[1])
assert library.where_find()
sys.setrecursionlimit(100000)
threading.stack_size(1 << 29)
told = []
def down(n):
    return down(n - 1) if n else told.append((library.where(), library.where()))
def run():
    for depth in (10, 16000, 17000, 20000, 10, 17000, 16384):
        down(depth)
thread = threading.Thread(target=run)
thread.start()
thread.join()
print(json.dumps(told))
"""


def test_a_path_has_a_largest_depth(run_traced, library, tmp_path, one_of_each):
    (tmp_path / "deep.py").write_text(DEEP)
    result = run_traced(one_of_each, tmp_path / "deep.py", "--mode", "OFF", arguments=(library,))
    told = json.loads(result.stdout.splitlines()[0])
    paths = Paths(result.folder)
    process = paths.order[0][0]
    assert all(first == second for first, second in told)
    numbers = [first for first, _ in told]
    assert numbers[2] == numbers[3] == numbers[5] and numbers[0] == numbers[4]
    depths = [len(paths.stack(process, number)) for number in numbers]
    assert depths[2] == depths[6] == 16384 and 16000 < depths[1] < 16010 and depths[0] < 20


def test_greenlets(asked, one_of_each):
    said, paths = asked(one_of_each, "greenlets", packages=["greenlet"])
    check(said, paths)
    assert len(said) > 30


INTERPRETERS = """
import ctypes, sys
try:
    import _xxsubinterpreters as interpreters
    made = interpreters.create(isolated=False) if sys.version_info >= (3, 9) else interpreters.create()
except ImportError:
    import _interpreters as interpreters
    made = interpreters.create("legacy")
library = ctypes.CDLL(sys.argv[1])
assert library.where_find()
source = '''
import ctypes, json
library = ctypes.CDLL(%r)
told = []
for i in range(300):
    space = {"library": library}
    exec(compile("%%sdef g_%%d():\\\\n    return library.where()" %% ("\\\\n" * (i %% 50), i), "<made>", "exec"), space)
    told.append([space["g_%%d" %% i](), i])
open(%r, "w").write(json.dumps(told))
''' % (sys.argv[1], sys.argv[2])
for turn in range(3):
    interpreters.run_string(made, source)
    assert library.where()
interpreters.destroy(made)
assert library.where()
"""


def test_other_interpreters_do_no_harm(run_traced, library, tmp_path, one_of_each):
    """Code objects of another interpreter that come and go: no one is taken for another."""
    (tmp_path / "interpreters.py").write_text(INTERPRETERS)
    arguments = (library, tmp_path / "told.json")
    result = run_traced(one_of_each, tmp_path / "interpreters.py", "--mode", "OFF", arguments=arguments)
    paths = Paths(result.folder)
    assert all(paths.stack(process, path) for process, path in paths.nodes)
    if one_of_each.version >= (3, 12):  # before, a thread's frames are those of the interpreter that it came from
        for path, number in json.loads((tmp_path / "told.json").read_text()):
            assert paths.stack(paths.order[0][0], path)[-1] == ["g_%d" % number, "<made>", number % 50 + 1, number % 50 + 2]


TAKEN_OVER = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
assert library.where_find() and library.where()
class Type(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("size", ctypes.c_ssize_t),
                ("name", ctypes.c_char_p), ("basic", ctypes.c_ssize_t), ("item", ctypes.c_ssize_t),
                ("dealloc", ctypes.c_void_p)]
def f(): pass
code = Type.from_address(id(type(f.__code__)))
assert code.name == b"code"
kept, code.dealloc = code.dealloc, ctypes.cast(library.where_free_nothing, ctypes.c_void_p).value
told = sys.version_info >= (3, 12)
assert bool(library.where()) == told
code.dealloc = kept
assert bool(library.where()) == told
print("fine")
"""


def test_another_tool_that_frees_code_objects_ends_it(run_traced, library, tmp_path, one_of_each):
    """Before CPython 3.12, which tells PInsight in another way."""
    (tmp_path / "taken.py").write_text(TAKEN_OVER)
    result = run_traced(one_of_each, tmp_path / "taken.py", "--mode", "OFF", arguments=(library,))
    assert result.stdout.startswith("fine")
    assert result.stderr.count("another tool in process") == (one_of_each.version < (3, 12))
