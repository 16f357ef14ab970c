"""`import = modules`: of what runs within an import there is the import of each module, and code of the user's.

The oracle is a run with `import = full`, of which is left out what is not the user's.
"""
import collections
import re

import pytest

from test_windows import configured, profiled

# What all programs import: it is no code of the user's.
LIBRARY = {
    "library/__init__.py": """
import collections, functools
from . import inner
Point = collections.namedtuple("Point", "x y")
def make(count):
    return [Point(number, number) for number in range(count)]
POINTS = make(3)
class Base:
    def __init_subclass__(cls):
        inner.seen(cls)
    def run(self):
        return inner.twice(self.value())
class Own(Base):
    def value(self):
        return 1
Own().run()
""",
    "library/inner.py": """
SEEN = []
def seen(cls):
    SEEN.append(cls)
def twice(number):
    return add(number, number)
def add(left, right):
    return left + right
def count():
    yield 1
    yield twice(1)
    yield 3
COUNT = count()
next(COUNT)
""",
}

# Each is a program, its modules, and more of the library.
PROGRAMS = {
    "library": ("import library\nlibrary.make(2)\n", {}, {}),
    "own code": ("""
import hooks
def value(number):
    return number + 1
hooks.HOOKS.append(value)
import calls_hooks
print(calls_hooks.VALUE)
""", {
        "hooks.py": "HOOKS = []\ndef another(number):\n    return max(number, 2)\nHOOKS.append(another)\n",
        "mine.py": "import library\nclass Mine(library.Base):\n    def value(self):\n        return 2\nMine().run()\n",
    }, {
        "calls_hooks.py": """
import hooks, mine
def call(number):
    return sum(hook(number) for hook in hooks.HOOKS)
VALUE = call(1) + mine.Mine().run()
""",
    }),
    "exceptions": ("""
import sys
def fail():
    raise KeyError("in a hook")
sys.hook = fail
for name in ("raises", "catches", "calls_hook", "catches_hook", "exits", "wrong", "nowhere", "deep", "raises"):
    try: __import__(name)
    except BaseException as error: print(type(error).__name__)
import library
library.make(1)
""", {"mine.py": "import raises\n"}, {
        "raises.py": "import library\ndef f():\n    raise ValueError('here')\nf()\n",
        "catches.py": "for name in ('raises', 'nowhere', 'mine'):\n"
                      "    try: __import__(name)\n    except Exception: pass\n",
        "calls_hook.py": "import sys\nsys.hook()\n",
        "catches_hook.py": "import sys\ntry: sys.hook()\nexcept KeyError: pass\n",
        "exits.py": "import sys\nsys.exit(3)\n",
        "wrong.py": "this is no Python\n",
        "deep.py": "def deep(): deep()\ntry: deep()\nexcept RecursionError: pass\nraise OSError\n",
    }),
    "generators": ("""
import sys
def numbers():
    try:
        yield 1
        yield 2
    finally:
        sys.intern("done")
sys.numbers = numbers
left = numbers()
next(left)
sys.left = left
import iterates
list(iterates.REST)
list(iterates.KEPT)
del iterates.CLOSED
for _ in left: pass
""", {}, {
        "iterates.py": """
import sys
from library.inner import COUNT as REST
from library.inner import count
KEPT = sys.numbers()
next(KEPT)
CLOSED = sys.numbers()
next(CLOSED)
list(sys.numbers())
next(sys.left)
try: sys.numbers().throw(ValueError)
except ValueError: pass
def all():
    yield from sys.numbers()
    yield from count()
list(all())
""",
    }),
    "threads": ("""
import sys, threading
def work(name):
    __import__(name)
    return name
sys.work = work
threads = [threading.Thread(target=work, args=("part%d" % number,)) for number in range(3)]
for thread in threads:
    thread.start()
    thread.join()
import starts
starts.library.make(2)
""", {"part1.py": "import library\n"}, {
        "part0.py": "import library\nlibrary.make(2)\n", "part2.py": "import part0\npart0.library.make(1)\n",
        "starts.py": """
import library, sys, threading
thread = threading.Thread(target=sys.work, args=("within",))
thread.start()
thread.join()
thread = threading.Thread(target=library.make, args=(3,))
thread.start()
thread.join()
""",
        "within.py": "import library\nlibrary.make(1)\n",
    }),
    "forks": ("""
import sys, os
def work(number):
    return len("work" * number)
sys.work = work
import forks
forks.library.make(2)
work(5)
""", {}, {
        "forks.py": """
import library, os, sys
def fork():
    library.make(1)
    pid = os.fork()
    if pid: os.waitpid(pid, 0)
    return pid
PID = fork()
sys.work(3)
if PID:
    pid = os.fork()
    if pid: os.waitpid(pid, 0)
    else:
        library.make(1)
        sys.work(2)
        os._exit(0)
import other
""", "other.py": "",
    }),
    "greenlets": ("""
import sys
from greenlet import greenlet, getcurrent
def other(number):
    import library
    while True:
        helper(number)
        number = main.switch(number + 1)
def helper(number):
    return max(number, 1)
main = getcurrent()
sys.other = greenlet(other)
sys.other.switch(0)
import switches
import again
sys.helper = helper
def importer():
    import pauses
    helper(8)
sys.main = main
task = greenlet(importer)
task.switch()
helper(9)
task.switch()
helper(10)
""", {}, {
        "switches.py": "import library, sys\ndef switch(number):\n    library.make(1)\n"
                       "    return sys.other.switch(number)\nVALUE = [switch(number) for number in range(3)]\n",
        "again.py": "import library\nlibrary.make(1)\n",
        "pauses.py": "import library, sys\nlibrary.make(1)\nsys.helper(1)\nsys.main.switch()\nlibrary.make(2)\n"
                     "sys.helper(2)\nimport again2\n",
        "again2.py": "",
    }),
    "made code": ("""
import library, collections, dataclasses
Own = collections.namedtuple("Own", "a b")
Own(1, 2)
@dataclasses.dataclass
class Data:
    a: int
Data(1)
library.Point(1, 2)
exec("def typed(): return 1\\ntyped()")
""", {}, {}),
}


def write(folder, name):
    source, modules, library = PROGRAMS[name]
    library = dict(LIBRARY, **library)
    for under, files in (("", modules), ("lib/site-packages/", library)):
        for path, text in files.items():
            file = folder / "program" / under / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    program = folder / "program" / "program.py"
    program.write_text("import begins_here\n" + source)
    (folder / "program" / "begins_here.py").write_text("")
    return program


def is_users(fields):
    file = fields["filename"]
    if file == "<string>":
        return fields["module"] == "__main__" and "__create_fn__" not in fields["qualname"]
    return file[0] != "<" and "/site-packages/" not in file and not re.search(r"/lib/python3\.\d+t?/", file)


def in_order(trace):
    """What each Python thread of each process recorded, imports too. The thread that began first is the first one:
    process numbers begin again when the highest was given."""
    threads, codes = {}, {event.fields["code_id"]: event.fields for event in trace.infos["code_info"]}
    for thread in trace.threads:
        threads.setdefault((thread.pid, thread.number), []).extend(
            (moment.ts, moment.kind, moment.name, moment.how,
             codes.get(moment.fields.get("code_id"))) for moment in thread.moments)
    for name in ("import_begin", "import_end"):
        for event in trace.infos[name]:
            threads.setdefault((event.vpid, event.fields["python_thread_id"]), []).append(
                (event.ts, name, event.fields["module"], event.fields.get("how"), event.fields))
    ordered = {key: sorted(moments, key=lambda moment: moment[0]) for key, moments in threads.items() if moments}
    return dict(sorted(ordered.items(), key=lambda thread: thread[1][0][0]))


def said(moment):
    """The name is the last part: before 3.11 the rest is what was found when the function was first seen."""
    kind, name, how = moment[1:4]
    return kind, name if kind.startswith("import") else name.rpartition(".")[2], how


Open = collections.namedtuple("Open", "wanted starts code")


def without_libraries(moments, forked=False):
    """Of all that a thread recorded, what is recorded with `import = modules`. A child that is forked within an import
    is out of that when the module `other` was imported."""
    left, opened = [], []
    if forked:
        opened.append(Open(False, "import", {"filename": "<frozen importlib>"}))
    for moment in moments:
        kind, code = moment[1], moment[4]
        if not kind.endswith("begin"):
            if opened.pop().wanted:
                left.append(said(moment))
            if forked and moment[1:3] == ("import_end", "other"):
                opened[0] = opened[0]._replace(starts="")
            continue
        inside = next((one.starts for one in reversed(opened) if one.starts), None) == "import"
        one = Open(True, "", code or opened and opened[-1].code)
        if kind == "import_begin":
            one = Open(True, "import", one.code)
        elif one.code and "<frozen importlib" in one.code["filename"]:
            one = Open(False, "", one.code)
        elif inside:
            users = kind == "begin" and is_users(code)
            one = Open(users, "users" * users, one.code)
        opened.append(one)
        if one.wanted:
            left.append(said(moment))
    return left


def from_start(moments, name="begins_here"):
    at = [index for index, moment in enumerate(moments) if moment[:2] == ("import_end", name)]
    return moments[at[-1] + 1:] if at else moments


def without_starts(moments):
    """Leaves out what threading does while a thread starts, because that depends on which thread comes first."""
    kept, inside = [], None
    for moment in moments:
        if inside and moment[:2] != ("end", inside):
            continue
        kept.append(moment)
        begins = moment[0] == "begin" and moment[1] in ("start", "set")
        inside = moment[1] if begins else None
    return kept


def same(seen, expected):
    assert len(seen) == len(expected)
    for one, other in zip(seen, expected):
        at = next((index for index, (left, right) in enumerate(zip(one, other)) if left != right),
                  min(len(one), len(other)))
        assert one[at:at + 5] == other[at:at + 5], "after %s" % one[max(at - 5, 0):at]


def record(run_traced, python, program, folder, value, packages, env=None, mode="TRACING"):
    text = "[Python]\nevents = function, c_call, import\ntrace_mode = %s\n" % mode
    (folder / value).mkdir(exist_ok=True)
    lib = program.parent / "lib" / "site-packages"
    result = run_traced(python, program, *configured(folder / value, text), packages=packages,
                        env=dict({"PYTHONPATH": str(lib), "PYTHONDONTWRITEBYTECODE": "1",
                                 "PINSIGHT_IMPORT": value}, **(env or {})))
    result.trace.assert_balanced(ended_by_force=True, selected=True)
    assert result.trace.totals("lost_frames") == result.trace.totals("dropped_ends") == 0
    return result.trace


@pytest.mark.parametrize("plain", ["", "1"], ids=["", "plain"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_modules(python, name, plain, run_traced, tmp_path):
    program = write(tmp_path, name)
    packages = ["greenlet"] if name == "greenlets" else []
    env = {"PINSIGHT_PLAIN": plain} if plain else {}
    full = in_order(record(run_traced, python, program, tmp_path, "full", packages, env))
    modules = in_order(record(run_traced, python, program, tmp_path, "modules", packages, env))
    if name == "greenlets" and (plain or not python.has_gil):
        return  # switches are not seen: what a greenlet ran shows later
    first, _ = next(iter(full))
    expected = collections.defaultdict(list)
    seen = collections.defaultdict(list)
    for (pid, number), moments in full.items():
        expected[number].append(from_start(without_libraries(moments, pid != first)))
    for (_, number), moments in modules.items():
        seen[number].append(from_start([said(moment) for moment in moments]))
    for number in set(expected) | set(seen):
        same(*([without_starts(moments) for moments in of[number] if moments] for of in (seen, expected)))
    assert sum(map(len, modules.values())) < sum(map(len, full.values()))


SLOW = """
import time
def work():
    end = time.process_time() + .1
    while time.process_time() < end:
        sum(range(1000))
work()
"""


def slow(folder):
    """A program whose fourth line imports a library that takes its time, as does one that it imports in turn.

    No garbage collection comes in between, whose time would not be an import's.
    """
    lib = folder / "lib" / "site-packages"
    (lib / "slow").mkdir(parents=True)
    (lib / "slow" / "__init__.py").write_text("import slower, slow.part\n" + SLOW)
    (lib / "slow" / "part.py").write_text("")
    (lib / "slower.py").write_text(SLOW)
    program = folder / "program.py"
    program.write_text("import gc, time\ngc.disable()\ndef load():\n    import slow\n    return slow\nload().work()\n")
    return program, {"PYTHONPATH": str(lib), "PINSIGHT_IMPORT": "modules"}


def test_who_imports(python, run_traced, tmp_path):
    """The time of an import is that between its events; the line of the user's that imports is named."""
    program, env = slow(tmp_path)
    result = run_traced(python, program, "--no-summary", "--lossless", env=env)
    report = result.report("--links", "--limit", "0")
    moments = [(event.ts, event.name, event.fields["module"]) for name in ("import_begin", "import_end")
               for event in result.trace.infos[name]]
    begin, end = (next(ts for ts, event, module in moments if (event, module) == (name, "slow"))
                  for name in ("import_begin", "import_end"))
    row, = (row for row in report["links"]["imports"] if row["package"] == "slow")
    assert (row["file"], row["line"]) == (str(program), 4)
    # Each of the events' times is rounded to a nanosecond.
    assert abs(row["python_ns"] - (end - begin)) <= 1 and row["c_ns"] == 0
    assert not any(row["package"] == "slower" for row in report["links"]["imports"])
    said, = (said for said in report["stands_out"] if said["rule"] == "imports")
    assert (said["file"], said["line"]) == (str(program), 4)
    assert "program.py:4 imports slow" in said["text"]
    functions = {row["name"]: row["calls"] for row in report["functions"]}
    assert functions["load"] == functions["work"] == 1, functions
    tree = {row["module"]: row for row in result.report("--imports")["imports"]}
    assert abs(tree["slow"]["total_ns"] - (end - begin)) <= 1
    assert abs(tree["slow"]["self_ns"] - (end - begin - tree["slower"]["total_ns"] - tree["slow.part"]["total_ns"])) <= 3


def test_modules_are_counted(python, run_traced, tmp_path):
    """MONITORING counts the import of each module, and no function of a library within one."""
    program, env = slow(tmp_path)
    result = run_traced(python, program, *configured(tmp_path, "[Python]\ntrace_mode = MONITORING\n"), env=env)
    counts = profiled(result.trace)
    assert counts["import slow", 0] == counts["import slower", 0] == counts["import slow.part", 0] == 1
    assert counts["load", 0] == counts["work", 0] == 1
    assert not any(name.startswith("_find_and_load") for name, _ in counts)
    rows = {row["package"]: row["python_ns"] + row["c_ns"] for row in result.report("--links")["links"]["imports"]}
    assert rows["slow"] > 100_000_000 and "slower" not in rows, "it is of slow's import"


@pytest.mark.parametrize("events", ["none", "gc", "gil,lock", "c_call", "import", "function"])
def test_other_events(python, events, run_traced, tmp_path):
    program, env = slow(tmp_path)
    trace = run_traced(python, program, "--no-summary", "--lossless", "--events", events, env=env).trace
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0
    assert bool(trace.infos["import_begin"]) == (events == "import")
    assert trace.calls("load") == trace.calls("work") == (events == "function")
    assert trace.calls("Thread.start") == 0
    c_calls = {moment.name for thread in trace.threads for moment in thread.moments if moment.kind == "c_begin"}
    assert "gc.disable" in c_calls if events == "c_call" else not c_calls


def test_end_of_an_import_that_is_not_seen(python, run_traced, tmp_path):
    """Another profiler was there meanwhile: what is called a while later is recorded."""
    if python.version >= (3, 12):
        pytest.skip("no other tool takes events away")
    program, env = slow(tmp_path)
    (tmp_path / "lib" / "site-packages" / "silent.py").write_text("import sys\nsys.setprofile(lambda *event: None)\n")
    program.write_text("import sys, textwrap\nimport silent\nsys.setprofile(None)\n"
                       "for _ in range(2000): textwrap.dedent('a')\n")
    trace = run_traced(python, program, "--no-summary", "--lossless", env=env).trace
    assert trace.calls("dedent") > 100


def test_loaders_that_work_for_others(one_of_each, run_command, tmp_path):
    """`compile` is called by importlib's source_to_code, which py_compile uses without importing anything."""
    (tmp_path / "compiled.py").write_text("x = 1\n")
    program = tmp_path / "program.py"
    program.write_text("import py_compile\nfor _ in range(3): py_compile.compile('compiled.py', 'compiled.pyc')\n")
    told = run_command(one_of_each.path, program, cwd=tmp_path, env={"PINSIGHT_IMPORT": "modules"}).report("--limit", "0")
    assert [row["calls"] for row in told["c_calls"] if (row["name"], row["caller"]) == ("compile", "compile")] == [3]
    assert not [row for row in told["functions"] if row["name"] in ("SourceLoader.source_to_code", "source_to_code")]
