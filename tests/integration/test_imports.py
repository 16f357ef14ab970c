"""Import events: one pair for each module that importlib brings in, nested as they happen."""
import json
import os
import re
import subprocess

import pytest

from support import places
from test_windows import configured, profiled

# What the oracle of these tests puts before a program: _find_and_load itself writes down what it does.
ORACLE = """
import atexit, json, os, threading
import importlib._bootstrap as bootstrap
import _frozen_importlib
THREADS = []
LOCAL = threading.local()
real = _frozen_importlib._find_and_load
def find_and_load(name, import_, **more):
    try:
        moments = LOCAL.moments
    except AttributeError:
        moments = LOCAL.moments = []
        THREADS.append(moments)
    moments.append(["begin", name, None])
    try:
        module = real(name, import_, **more)
    except BaseException:
        moments.append(["end", name, "raise"])
        raise
    moments.append(["end", name, "return"])
    return module
def finish():
    _frozen_importlib._find_and_load = real
    main = LOCAL.moments
    with open(os.environ["ORACLE"], "w") as file:
        json.dump([main] + sorted((moments for moments in THREADS if moments is not main), key=str), file)
_frozen_importlib._find_and_load = find_and_load
"""

# Each is a program and the modules that it has at hand.
PROGRAMS = {
    "nested": ("import one\nimport one\nimport two.deep\n", {
        "one.py": "import two\nimport json.tool\n", "two/__init__.py": "from . import side\n", "two/side.py": "",
        "two/deep.py": "from .side import __name__ as name\n"}),
    "failing": ("""
for name in ("nowhere", "wrong", "two.nowhere", "exits"):
    for _ in range(2):
        try: __import__(name)
        except (ImportError, KeyError, SystemExit): pass
try: from two import nothing_like_it
except ImportError: pass
""", {"wrong.py": "import fine\nraise KeyError('in the module')\n", "fine.py": "", "two/__init__.py": "",
      "exits.py": "import sys\nsys.exit(3)\n"}),
    "importlib": ("""
import importlib
importlib.import_module("two.side")
importlib.import_module(".other", "two")
importlib.import_module("two.side")
module = importlib.import_module("one")
importlib.reload(module)
""", {"one.py": "import three\n", "three.py": "", "two/__init__.py": "", "two/side.py": "", "two/other.py": ""}),
    "circular": ("import left\nimport right\n", {
        "left.py": "import right\nvalue = 1\n", "right.py": "import left\nfrom left import __name__\n"}),
    "lazy": ("lazy import one\nlazy from two import side\ndef uses(): return one, side\nuses()\nuses()\n", {
        "one.py": "import three\n", "three.py": "", "two/__init__.py": "", "two/side.py": ""}),
    "nothing": ("import sys, os\nfor _ in range(1000): import sys, os, posix\n", {}),
    "threads": ("""
import threading
def run(number):
    __import__("mod%d" % number)
threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
    thread.join()
""", dict({"mod%d.py" % number: "import part%d\n" % number for number in range(4)},
          **{"part%d.py" % number: "" for number in range(4)})),
}


def write(folder, name):
    """The program's file, and its modules beside it."""
    source, modules = PROGRAMS[name]
    folder.mkdir()
    for path, text in modules.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    # What starts is not part of it: the same in the oracle and in the trace.
    body = "import atexit, json, os, threading, importlib, importlib.util\nif 'ORACLE' in os.environ:\n"
    body += "".join("    " + line + "\n" for line in ORACLE.strip().splitlines())
    body += "import begins_here\n" + source + "import ends_here\nif 'ORACLE' in os.environ: finish()\n"
    (folder / "begins_here.py").write_text("")
    (folder / "ends_here.py").write_text("")
    program = folder / "program.py"
    program.write_text(body)
    return program


def oracle(python, program, folder):
    path = folder / "oracle.json"
    done = subprocess.run([python.path, "-B", str(program)], env=dict(os.environ, ORACLE=str(path)),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert done.returncode == 0, done.stdout.decode()
    main, *others = [[tuple(moment) for moment in thread] for thread in json.loads(path.read_text())]
    return [main] + sorted(others, key=str)


def imports(trace):
    """What each thread imported, the main thread first, from begins_here to ends_here in it."""
    threads = {}
    for name in ("import_begin", "import_end"):
        for event in trace.infos[name]:
            how = None if name == "import_begin" else ("return", "raise", "?", "lost")[event.fields["how"]]
            threads.setdefault(event.fields["python_thread_id"], []).append(
                (event.ts, name[7:], event.fields["module"], how))
    result = {number: [moment[1:] for moment in sorted(moments, key=lambda moment: moment[0])]
              for number, moments in threads.items()}
    main = result.pop(0, [])
    return [cut(main)] + sorted(result.values(), key=str)


def cut(moments):
    names = [moment[1] for moment in moments]
    return moments[names.index("begins_here"):len(names) - names[::-1].index("ends_here")]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("events", ["import", "function, c_call, import"])
def test_imports(python, program, events, run_traced, tmp_path):
    if program == "lazy" and python.version < (3, 15):
        pytest.skip("the language has this from 3.15 on")
    file = write(tmp_path / "program", program)
    expected = oracle(python, file, tmp_path)
    text = "[Python]\nevents = %s\n" % events
    trace = run_traced(python, file, *configured(tmp_path, text), env={"PYTHONDONTWRITEBYTECODE": "1"}).trace
    trace.assert_balanced(selected=True)
    seen = imports(trace)
    assert seen[0] == cut(expected[0])
    assert seen[1:] == expected[1:]
    if "function" not in events:
        assert not trace.threads
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0


@pytest.mark.parametrize("words", ["module_exclude = importlib, _frozen_importlib, _frozen_importlib_external",
                                   "module_filter = __main__", "module_filter = nothing"])
@pytest.mark.parametrize("events", ["import", "function, import", "c_call, import"])
def test_filters_leave_imports_alone(python, words, events, run_traced, tmp_path):
    """An import is an event of its own: the modules that are left out are left out of functions and C calls."""
    file = write(tmp_path / "program", "nested")
    expected = oracle(python, file, tmp_path)
    text = "[Python]\nevents = %s\n%s\n" % (events, words)
    trace = run_traced(python, file, *configured(tmp_path, text), env={"PYTHONDONTWRITEBYTECODE": "1"}).trace
    trace.assert_balanced(selected=True)
    assert imports(trace) == [cut(expected[0])]
    assert not any(moment.name == "_find_and_load" for thread in trace.threads for moment in thread.moments)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0


@pytest.mark.parametrize("events", ["import", "function, c_call, import"])
def test_window_on_the_importer(one_of_each, events, run_traced, tmp_path):
    """A window that closes for every function does not close imports."""
    file = write(tmp_path / "program", "nested")
    expected = oracle(one_of_each, file, tmp_path)
    text = "[Python]\nevents = %s\n[Lexgion.default]\nmax_num_traces = 1\n" % events
    trace = run_traced(one_of_each, file, *configured(tmp_path, text), env={"PYTHONDONTWRITEBYTECODE": "1"}).trace
    trace.assert_balanced(selected=True)
    assert imports(trace) == [cut(expected[0])]


AGAIN = """
import sys
for name, times in ("once", 1), ("twice", 2), ("fails", 1), ("fails_first", 2):
    for _ in range(times):
        try:
            __import__(name)
        except ValueError:
            pass
        sys.modules.pop(name, None)
"""


def test_modules_that_are_imported_again(newest, run_traced, tmp_path):
    """A row has how often its module was imported, and how often that failed, where it is not once."""
    folder = tmp_path / "program"
    folder.mkdir()
    for name, text in (("once", ""), ("twice", ""), ("fails", "raise ValueError"),
                       ("fails_first", "import sys\nif not hasattr(sys, 'was'):\n    sys.was = 1\n    raise ValueError")):
        (folder / (name + ".py")).write_text(text)
    (folder / "main.py").write_text(AGAIN)
    result = run_traced(newest, folder / "main.py", env={"PYTHONDONTWRITEBYTECODE": "1"})
    screen = subprocess.run([places.COMMAND, "report", str(result.folder), "--imports", "--limit", "0", "--threshold", "0"], check=True,
                            stdout=subprocess.PIPE, env=dict(os.environ, COLUMNS="100", LC_ALL="C")).stdout.decode()
    rows = {name: mark for name, mark in re.findall(r"(?m)[ +|`-](once|twice|fails|fails_first)((?: \(.*?\))?)(?: |$)", screen)}
    assert rows == {"once": "", "twice": " (2 times)", "fails": " (failed)", "fails_first": " (2 times, 1 failed)"}, screen


def test_monitoring_has_no_imports(python, run_traced, tmp_path):
    file = write(tmp_path / "program", "nested")
    trace = run_traced(python, file, *configured(tmp_path, "[Python]\ntrace_mode = MONITORING\n"
                                                           "events = function, import\n")).trace
    assert not trace.infos["import_begin"] and not trace.infos["import_end"]
    assert profiled(trace)["_find_and_load", 0] > 3


def test_range_of_imports(python, run_traced, tmp_path):
    file = write(tmp_path / "program", "threads")
    text = "[Python]\nevents = import\n[Python.punit.thread]\nrange = 0\n"
    trace = run_traced(python, file, *configured(tmp_path, text)).trace
    names = {event.fields["module"] for event in trace.infos["import_begin"]}
    assert "ends_here" in names and "mod1" not in names
    assert {event.fields["python_thread_id"] for event in trace.infos["import_begin"]} == {0}
