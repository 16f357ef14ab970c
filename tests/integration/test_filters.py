"""Which code is recorded: modules, kinds of events, and ranges of threads."""
import collections
import os
import subprocess
import zipfile

import pytest

from support import places
from test_windows import configured, profiled


def functions(trace):
    return {(moment.name) for thread in trace.threads for moment in thread.moments if moment.kind == "begin"}


def callees(trace):
    return {moment.name for thread in trace.threads for moment in thread.moments if moment.kind == "c_begin"}


# Names of modules.

def package(folder, name, function, more=()):
    """A package `name` with function() in its __init__ and, for each of `more`, in a submodule."""
    base = folder / name
    base.mkdir(parents=True)
    (base / "__init__.py").write_text("def %s(): pass\n" % function)
    for submodule in more:
        path = base
        for part in submodule.split(".")[:-1]:
            path = path / part
            path.mkdir(exist_ok=True)
        (path / (submodule.split(".")[-1] + ".py")).write_text(
            "def %s_%s(): pass\n" % (function, submodule.replace(".", "_")))


CALLS = """
import num, num_financial, num.sub, num.deep.er, other.num, space.part
def own(): pass
for function in (num.n, num_financial.nf, num.sub.n_sub, num.deep.er.n_deep_er, other.num.o_num, space.part.p, own):
    function()
"""
ALL = {"n", "nf", "n_sub", "n_deep_er", "o_num", "p", "own"}


@pytest.fixture
def packages(tmp_path):
    package(tmp_path, "num", "n", ["sub", "deep.er"])
    package(tmp_path, "num_financial", "nf")
    package(tmp_path, "other", "o", ["num"])
    (tmp_path / "space").mkdir()  # a namespace package has no __init__.py
    (tmp_path / "space" / "part.py").write_text("def p(): pass\n")
    program = tmp_path / "calls.py"
    program.write_text(CALLS)
    return program


@pytest.mark.parametrize("words, seen", [
    ("module_filter = num", {"n", "n_sub", "n_deep_er"}),
    ("module_filter = num.deep", {"n_deep_er"}),
    ("module_filter = num_financial, other.num", {"nf", "o_num"}),
    ("module_filter = space", {"p"}),
    ("module_filter = space.part", {"p"}),
    ("module_filter = nothing", set()),
    ("module_filter = __main__", {"own"}),
    ("module_filter = calls", set()),
    ("module_exclude = num", ALL - {"n", "n_sub", "n_deep_er"}),
    ("module_exclude = num.deep.er, __main__", ALL - {"n_deep_er", "own"}),
    ("module_filter = num, __main__\nmodule_exclude = num.sub", {"n", "n_deep_er", "own"}),
])
def test_packages(python, words, seen, packages, run_traced, tmp_path):
    text = "[Python]\nevents = function\n%s\n" % words
    trace = run_traced(python, packages, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert functions(trace) & ALL == seen
    if "module_filter" in words and "__main__" not in words:
        assert functions(trace) <= seen | {"<module>"}
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0


@pytest.mark.thrifty
@pytest.mark.parametrize("words, seen", [
    ("module_filter = math", {"math.hypot"}),
    ("module_filter = zlib, builtins", {"zlib.crc32", "len"}),
    ("module_exclude = math", {"zlib.crc32", "len"}),
    ("module_filter = mat", set()),
])
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_callees(python, words, seen, names, run_traced, tmp_path):
    """The module of a C call is its callee's, whoever calls it."""
    program = tmp_path / "calls.py"
    program.write_text("import math, zlib\ndef own():\n    math.hypot(1, 2); zlib.crc32(b''); len([])\nown()\nown()\n")
    text = "[Python]\nevents = function, c_call\nnames = %s\n%s\n" % (names, words)
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert callees(trace) & {"math.hypot", "zlib.crc32", "len"} == seen
    assert ("own" in functions(trace)) == ("exclude" in words)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0


# __main__ in all its forms.

MAIN = "def main_function(): pass\nmain_function()\n"
FORMS = {
    "script": ["tool.py"],
    "-m module": ["-m", "tool"],
    "-m package": ["-m", "kit"],
    "-m module of a package": ["-m", "kit.part"],
    "zipapp": ["tool.pyz"],
    "folder": ["kit_folder"],
    "-c": ["-c", MAIN],
    "stdin": ["-"],
}
KNOWN_AS = {"-m module": "tool", "-m package": "kit", "-m module of a package": "kit.part"}


def forms(folder):
    (folder / "tool.py").write_text(MAIN)
    (folder / "kit").mkdir()
    (folder / "kit" / "__init__.py").write_text("")
    (folder / "kit" / "__main__.py").write_text(MAIN)
    (folder / "kit" / "part.py").write_text(MAIN)
    (folder / "kit_folder").mkdir()
    (folder / "kit_folder" / "__main__.py").write_text(MAIN)
    with zipfile.ZipFile(folder / "tool.pyz", "w") as archive:
        archive.writestr("__main__.py", MAIN)


@pytest.mark.parametrize("form", FORMS)
def test_main(python, form, run_command, tmp_path):
    forms(tmp_path)
    for text, wanted in (("module_filter = __main__", True), ("module_exclude = __main__", False),
                         ("module_filter = %s" % KNOWN_AS.get(form, "tool"), form in KNOWN_AS),
                         ("module_exclude = %s" % KNOWN_AS.get(form, "tool"), form not in KNOWN_AS)):
        options = configured(tmp_path, "[Python]\nevents = function\n%s\n" % text)
        result = run_command(python.path, *FORMS[form], options=options, cwd=tmp_path,
                             **({"input": MAIN.encode()} if form == "stdin" else {}))
        assert result.rc == 0, result.stderr
        assert ("main_function" in functions(result.trace)) == wanted, text


def test_frozen_and_built_in(python, run_traced, tmp_path):
    """importlib's frozen parts go by either of their names; built-in modules by theirs."""
    (tmp_path / "late.py").write_text("")
    program = tmp_path / "imports.py"
    program.write_text("import late, time\ntime.sleep(0)\n")
    seen = {}
    for words in ("module_filter = importlib", "module_filter = _frozen_importlib",
                  "module_filter = _frozen_importlib_external", "module_filter = time",
                  "module_exclude = importlib, time"):
        trace = run_traced(python, program, *configured(tmp_path, "[Python]\n%s\n" % words)).trace
        trace.assert_balanced(selected=True)
        seen[words] = functions(trace), callees(trace)
    assert "_find_and_load" in seen["module_filter = importlib"][0]
    assert "_find_and_load" in seen["module_filter = _frozen_importlib"][0]
    external = seen["module_filter = _frozen_importlib_external"][0]
    assert "_find_and_load" not in external and any(name.endswith("find_spec") for name in external)
    assert seen["module_filter = time"] == (set(), {"time.sleep"})
    assert "_find_and_load" not in seen["module_exclude = importlib, time"][0]
    assert "time.sleep" not in seen["module_exclude = importlib, time"][1]


SETUP = "from setuptools import setup\nsetup(name='tiny', version='1', packages=['tiny'])\n"


@pytest.mark.parametrize("how", ["wheel", "editable"])
def test_installed(one_of_each, how, run_command, tmp_path):
    """A package in a virtual environment goes by its name, wherever its files lie."""
    venv = tmp_path / "venv"
    subprocess.run([one_of_each.base, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    source = tmp_path / "source"
    package(source, "tiny", "t", ["sub"])
    if how == "wheel":  # what an installer makes of one
        os.rename(str(source / "tiny"), str(site / "tiny"))
        (site / "tiny-1.dist-info").mkdir()
        (site / "tiny-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
    else:
        (site / "__editable__.tiny-1.pth").write_text("import __editable___tiny_1_finder; "
                                                      "__editable___tiny_1_finder.install()\n")
        (site / "__editable___tiny_1_finder.py").write_text("""
import sys
from importlib.machinery import PathFinder
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return PathFinder.find_spec(name, [%r]) if name == "tiny" else None
def install(): sys.meta_path.append(Finder)
""" % str(source))
    program = tmp_path / "uses.py"
    program.write_text("import tiny.sub\ndef own(): pass\ntiny.t(); tiny.sub.t_sub(); own()\n")
    for words, seen in (("module_filter = tiny", {"t", "t_sub"}), ("module_exclude = tiny", {"own"}),
                        ("module_filter = tiny.sub", {"t_sub"}), ("module_filter = source, site-packages", set())):
        result = run_command(venv / "bin" / "python", program,
                             options=configured(tmp_path, "[Python]\nevents = function\n%s\n" % words))
        assert result.rc == 0, result.stderr
        assert functions(result.trace) & {"t", "t_sub", "own"} == seen, words


def test_code_without_a_name(python, run_traced, tmp_path):
    """Code whose globals have no name, or one that is no text, belongs to no module."""
    program = tmp_path / "nameless.py"
    program.write_text("""
code = compile("def made(): pass\\nmade()\\n", "made.py", "exec")
exec(code, {})
exec(code, {"__name__": 5})
exec(code, {"__name__": None})
class Odd(dict):
    def __missing__(self, key): raise RuntimeError(key)
exec(compile("1 + 1", "made.py", "exec"), Odd())
def own(): pass
own()
""")
    for words, seen in (("module_filter = __main__", {"own"}), ("module_exclude = __main__", {"made"}),
                        ("module_filter = builtins", set())):
        trace = run_traced(python, program, *configured(tmp_path, "[Python]\nevents = function\n%s\n" % words)).trace
        trace.assert_balanced(selected=True)
        assert functions(trace) & {"own", "made"} == seen, words


# Kinds of events.

@pytest.mark.thrifty
@pytest.mark.parametrize("events", ["function", "c_call", "import", "function, import", "c_call, import",
                                    "function, c_call", "function, c_call, import", "none"])
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_kinds(python, events, names, run_traced, tmp_path):
    (tmp_path / "late.py").write_text("def inside(): pass\ninside()\n")
    program = tmp_path / "kinds.py"
    program.write_text("import math\ndef own():\n    import late\n    return math.hypot(1, 2)\nown()\nown()\n")
    text = "[Python]\nevents = %s\nnames = %s\n" % (events, names)
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert functions(trace) >= {"own", "inside"} if "function" in events else not functions(trace)
    assert "math.hypot" in callees(trace) if "c_call" in events else not callees(trace)
    modules = [event.fields["module"] for event in trace.infos["import_begin"]]
    assert modules.count("late") == ("import" in events)
    assert len(modules) == len(trace.infos["import_end"])
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0
    if events == "none":
        assert not modules


# Ranges of threads.

RANGES = """
import sys, threading
def main_only(): pass
def shared(): return len([])
def run(number):
    for _ in range(3): shared()
main_only()
shared()
for number in range(1, 5):
    thread = threading.Thread(target=run, args=(number,))
    thread.start()
    thread.join()
shared()
"""


@pytest.mark.thrifty
@pytest.mark.parametrize("ranges, seen", [
    ("0-0", {0: 2}), ("1-2", {1: 3, 2: 3}), ("*", {0: 2, 1: 3, 2: 3, 3: 3, 4: 3}), ("0,4", {0: 2, 4: 3}),
    ("3-9", {3: 3, 4: 3}), ("7", {}),
])
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_ranges(python, ranges, seen, names, run_traced, tmp_path):
    """Threads are numbered as they appear, also by those that start while their starter is out of range."""
    program = tmp_path / "ranges.py"
    program.write_text(RANGES)
    text = "[Python]\nnames = %s\n[Python.punit.thread]\nrange = %s\n" % (names, ranges)
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    counts = collections.Counter(thread.number for thread in trace.threads for moment in thread.moments
                                 if moment.kind == "begin" and moment.name == "shared")
    assert counts == seen
    assert {thread.number for thread in trace.threads} == set(seen)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0


@pytest.mark.parametrize("kind", ["_thread", "C", "nested"])
def test_threads_of_every_kind_in_a_range(python, kind, run_traced, tmp_path):
    start = {
        "_thread": "import _thread\n_thread.start_new_thread(run, ())\n",
        "C": """
import ctypes
Start = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
entry = Start(lambda argument: run() and None)
create = ctypes.CDLL(None).pthread_create
identity = ctypes.c_ulong()
assert create(ctypes.byref(identity), None, entry, None) == 0
""",
        "nested": "def outer():\n    inner = threading.Thread(target=run)\n    inner.start()\n    inner.join()\n"
                  "threading.Thread(target=outer).start()\n",
    }[kind]
    program = tmp_path / "threads.py"
    program.write_text("import threading, time\nover = threading.Event()\ndef shared(): pass\n"
                       "def run():\n    shared()\n"
                       "    for _ in range(50): shared(); time.sleep(0.01)\n    over.set()\n" + start +
                       "while not over.is_set(): time.sleep(0.01)\n")
    number = 2 if kind == "nested" else 1
    text = "[Python]\nevents = function\n[Python.punit.thread]\nrange = %d\n" % number
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    # Up to 3.11 a thread that C started is found when another one runs.
    if kind != "C" or python.version >= (3, 12):
        assert trace.calls("run") == 1
    assert trace.calls("shared") > 5
    assert {thread.number for thread in trace.threads} == {number}


def test_monitoring_of_a_range(python, run_traced, tmp_path):
    program = tmp_path / "ranges.py"
    program.write_text(RANGES)
    text = "[Python]\ntrace_mode = MONITORING\n[Python.punit.thread]\nrange = 1-2\n"
    counts = profiled(run_traced(python, program, *configured(tmp_path, text)).trace)
    assert {key: count for key, count in counts.items() if key[0] == "shared"} == {("shared", 1): 3, ("shared", 2): 3}
    assert {number for _, number in counts} == {1, 2}
