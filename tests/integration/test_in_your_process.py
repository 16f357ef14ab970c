"""What PInsight changes in a process: docs/in-your-process.md beside the code, and PINSIGHT_PLAIN=1."""
import collections
import json
import re
import subprocess

import pytest

from support import places
from support.traces import Trace

ROOT = places.ROOT
PAGE = (ROOT / "docs" / "in-your-process.md").read_text(encoding="utf-8")
CPYTHON = ROOT / "src" / "tracer" / "python" / "cpython"
LIBC = ROOT / "src" / "tracer" / "preload" / "libc"


def section(title):
    """The text of a section of the page."""
    return re.search(r"^## %s$(.*?)(?=^##|\Z)" % re.escape(title), PAGE, re.MULTILINE | re.DOTALL).group(1)


def column(text, number):
    """The names in backquotes in a column of all tables of a text."""
    rows = [line.split("|")[1:] for line in text.splitlines() if line.startswith("| ")]
    return {name for row in rows if len(row) > number for name in re.findall(r"`([^`]+)`", row[number])}


def exported(library):
    said = subprocess.run(["nm", "-D", "--defined-only", str(places.LIBDIR / library)], stdout=subprocess.PIPE,
                          universal_newlines=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in said.splitlines()}
    return {name for name in names if not name.startswith("GLIBC_")}


def without_waits(text):
    """Nothing is said of PINSIGHT_PLAIN but that waits and tasks are not seen."""
    said = " ".join(text.split())
    for known in "locks are not seen because of PINSIGHT_PLAIN=1", "because of PINSIGHT_PLAIN=1: tasks of asyncio.":
        said = said.replace(known, "")
    return "PINSIGHT_PLAIN" not in said


def test_the_page_names_the_files():
    for folder, title in ((CPYTHON, "CPython"), (LIBC, "libc")):
        files = {path.stem for path in folder.iterdir() if path.suffix in (".c", ".h", ".S")} - {"libc"}
        assert files == column(section(title), 0), title


def test_the_page_names_the_functions_of_libc():
    own = re.compile("pinsight_|ompt_start_tool")
    shim = {name for name in exported("libpinsight-preload.so") if not own.match(name)}
    named = {name for name in column(section("libc"), 1) if "/" not in name} - {"environ", "pthread_key_create"}
    assert shim == named
    assert not {name for name in exported("libpinsight-preload-plain.so") if not own.match(name)}


def test_the_page_names_the_threads():
    named = set(re.findall(r"`(pinsight-[a-z]+)`", section("Other parts")))
    there = {name for path in (ROOT / "src").rglob("*.c")
             for name in re.findall(r'(?:pthread_setname_np\(|own_thread_start\(|thread_name\[\]|service service = )[^"]*"([^"]+)"',
                                    path.read_text())}
    assert there == named


def test_insides_are_in_their_folder():
    """Nothing else of the Python domain has CPython's internal headers, or fields of what they define."""
    inside = re.compile(r"Py_BUILD_CORE|internal/pycore|c_profilefunc|->cframe|current_frame;|->co_extra|_PyRuntime"
                        r"|monitoring_callables|tp_dealloc = |ml_meth = |->interp\b|f_frame->|co_linetable|co_lnotab")
    folder = CPYTHON.parent
    wrong = {path.name: inside.findall(path.read_text()) for path in [*folder.glob("*.[ch]"), *folder.glob("plain/*.[ch]")]}
    assert {name: found for name, found in wrong.items() if found} == {}


# What a program cannot do about itself: what its interpreter and libc look like from inside.
LOOK = """
import ctypes, sys
class Type(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("size", ctypes.c_ssize_t),
                ("name", ctypes.c_char_p), ("basic", ctypes.c_ssize_t), ("item", ctypes.c_ssize_t),
                ("dealloc", ctypes.c_void_p)]
class Method(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p)]
class Function(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("method", ctypes.POINTER(Method))]
class Info(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]
def owner(address):
    info = Info()
    ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(info))
    return info.file.decode().rsplit("/")[-1]
import os, signal, _signal
def code(): pass
places = {"code": Type.from_address(id(type(code.__code__))).dealloc}
for function in (sys.setprofile, sys.settrace, _signal.signal, os._exit, os.execv, os.execve):
    places[function.__name__] = Function.from_address(id(function)).method.contents.function
for name in ("fork", "close", "execve", "dlopen", "dlclose", "fopen"):
    places["libc " + name] = ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value
print(sorted(name for name, place in places.items() if "pinsight" in owner(place)))
"""


def look(run_traced, python, tmp_path, plain):
    (tmp_path / "look.py").write_text(LOOK)
    result = run_traced(python, tmp_path / "look.py", env={"PINSIGHT_PLAIN": plain})
    return result.stdout


def test_plain_leaves_the_interpreter_and_libc_as_they_are(one_of_each, run_traced, tmp_path):
    assert look(run_traced, one_of_each, tmp_path, "1") == "[]\n"
    others = look(run_traced, one_of_each, tmp_path, "0")  # the test sees what there is to see
    assert "'libc fork'" in others and "'setprofile'" in others and "'_exit'" in others
    assert ("'code'" in others) == (one_of_each.version < (3, 12))


ORACLE = """
import asyncio, sys, threading
def leaf(x):
    return x + 1
def middle(n):
    for i in range(n):
        leaf(i)
def generate(n):
    for i in range(n):
        yield i
def delegate(n):
    yield from generate(n)
async def wait(n):
    if n:
        await asyncio.sleep(0)
        await wait(n - 1)
def throw():
    raise ValueError
def catch():
    try:
        throw()
    except ValueError:
        pass
class Thing:
    def method(self):
        return len("abc") + int(1 .__add__(2))
def recurse(n):
    return n and recurse(n - 1)
def made(i):
    space = {}
    exec("def made_%d(): pass" % i, space)
    space["made_%d" % i]()

for _ in range(3):
    middle(100)
    list(generate(10))
    list(delegate(10))
    recurse(40)
asyncio.run(wait(5))
for _ in range(7):
    catch()
thing = Thing()
for _ in range(9):
    thing.method()
for i in range(50):
    made(i)
closed = generate(3)
next(closed)
closed.close()
threads = [threading.Thread(target=middle, args=(50,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("fine", sys.getprofile(), threading.active_count())
"""
CALLS = {"leaf": 500, "middle": 7, "generate": 7, "delegate": 3, "wait": 6, "throw": 7, "catch": 7, "Thing.method": 9,
         "recurse": 123, "made": 50}


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_plain_records_exactly(one_of_each, run_traced, tmp_path, names):
    """As often as the program calls; each thread's events of it in the order that they have without."""
    (tmp_path / "oracle.py").write_text(ORACLE)
    orders = []
    for plain in "01":
        result = run_traced(one_of_each, tmp_path / "oracle.py", "--names", names, "--lossless",
                            env={"PINSIGHT_PLAIN": plain})
        assert result.stdout == "fine None 1\n"
        assert without_waits(result.stderr)  # nothing was lost
        trace = Trace(result.folder)
        assert [thread.unbalanced() for thread in trace.threads] == [None] * len(trace.threads)
        counts = collections.Counter(moment.name for thread in trace.threads for moment in thread.moments
                                     if (moment.kind, moment.how) == ("begin", "start"))
        assert {name: counts[name] for name in CALLS} == CALLS
        # Before 3.12 what `threading` calls ahead of run() is not recorded.
        orders.append([[moment[:3] for moment in thread.moments
                        if moment.name in CALLS or (moment.name == "len" and thread.number == 0)]
                       for thread in trace.threads])
    assert orders[0] == orders[1]


def test_plain_counts_exactly(one_of_each, run_traced, tmp_path):
    """MONITORING counts what TRACING records."""
    (tmp_path / "oracle.py").write_text(ORACLE)
    result = run_traced(one_of_each, tmp_path / "oracle.py", "--mode", "MONITORING", env={"PINSIGHT_PLAIN": "1"})
    said = subprocess.run([places.COMMAND, "report", "--format", "json", str(result.folder)], check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout
    counts = {function["name"]: function["calls"] for function in json.loads(said)["functions"]}
    assert {name: counts.get(name) for name in CALLS} == CALLS


FORKS = """
import os, subprocess, sys
def child():
    os.closerange(3, 200)
    os._exit(7)
def parent():
    number = os.fork()
    if number == 0:
        child()
    return os.waitpid(number, 0)[1] >> 8
print(parent(), flush=True)
for words in (["-X", "dev"], ["-I"], []):
    subprocess.run([sys.executable, *words, "-c", "def again(): print(3)\\nagain()"],
                   env=dict(os.environ, PYTHONMALLOC="debug"), check=True)
"""


@pytest.mark.recorder("lttng")
def test_plain_with_forks(one_of_each, run_traced, tmp_path):
    """A forked child is not recorded, which is said, and records nothing in its parent's name."""
    (tmp_path / "forks.py").write_text(FORKS)
    result = run_traced(one_of_each, ["-W", "ignore", str(tmp_path / "forks.py")], env={"PINSIGHT_PLAIN": "1"})
    assert result.stdout == "7\n3\n3\n3\n"
    assert "because of PINSIGHT_PLAIN=1: the work of forked children" in " ".join(result.stderr.split())
    trace = Trace(result.folder)
    names = collections.Counter(moment.name for thread in trace.threads for moment in thread.moments
                                if moment.kind == "begin")
    assert (names["parent"], names["child"], names["again"]) == (1, 0, 3)
    assert [thread.unbalanced() for thread in trace.threads] == [None] * len(trace.threads)


def test_plain_and_a_profiler_of_the_programs(one_of_each, run_traced, tmp_path):
    program = tmp_path / "profiled.py"
    program.write_text("import sys\ndef f(): pass\nf()\nsys.setprofile(lambda *a: None)\nf()\nprint('fine')\n")
    result = run_traced(one_of_each, program, env={"PINSIGHT_PLAIN": "1"})
    assert result.stdout == "fine\n"
    said = "because of PINSIGHT_PLAIN=1: the work of a thread" in " ".join(result.stderr.split())
    assert said == (one_of_each.version < (3, 12))


def test_plain_says_that_native_events_name_no_python(one_of_each, run_traced, tmp_path):
    library = tmp_path / "where.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, places.PROGRAMS / "where.c", "-ldl", "-lpthread"],
                   check=True)
    (tmp_path / "ask.py").write_text("import ctypes, sys\nlibrary = ctypes.CDLL(sys.argv[1])\n"
                                     "assert library.where_find()\nprint(library.where())\n")
    result = run_traced(one_of_each, tmp_path / "ask.py", arguments=(library,), env={"PINSIGHT_PLAIN": "1"})
    assert result.stdout == "0\n"
    assert "because of PINSIGHT_PLAIN=1: the Python that caused native" in " ".join(result.stderr.split())


def test_another_value_is_an_error(newest, run_traced):
    result = run_traced(newest, "print(1)", env={"PINSIGHT_PLAIN": "yes"}, rc=2)
    assert "PINSIGHT_PLAIN is 'yes'; use 1" in result.stderr
