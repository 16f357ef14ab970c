"""The package `pinsight`: activate() and the rest, python -m pinsight, PINSIGHT=1, PYTHONSTARTUP."""
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from support import places
from support.pythons import pythons
from support.traces import Trace

# What the program sees of how it was started.
PROBE = """\
import os, sys
main = sys.modules["__main__"]
print(sys.argv, repr(sys.path[0]), __name__, getattr(main, "__file__", None))
print(getattr(main.__spec__, "name", None), main.__package__, sys.flags, sys.warnoptions, sys._xoptions)
# atexit is built in; the tracer ends with it.
with open(os.environ["PROBE_OUT"], "w") as file:
    print(sys.executable, sys.prefix, sorted(set(sys.modules) - {"atexit"}), file=file)
def inner(how):
    if how == "raise": raise ValueError(how)
    if how == "exit": sys.exit(3)
    if how == "text": sys.exit("a text")
    if how == "kill": os.kill(os.getpid(), 15)
    if how == "leave": os._exit(9)
    if how == "read": print(sys.stdin.read())
for word in sys.argv[1:]: inner(word)
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """installed(python): a virtual environment that has the package as pip puts it there."""
    made = {}

    def install(python):
        if python.short not in made:
            folder = tmp_path_factory.mktemp("installed-%s" % python.short) / "venv"
            subprocess.run([python.base, "-m", "venv", "--without-pip", str(folder)], check=True)
            path = folder / "bin" / "python"
            site = subprocess.run([str(path), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"],
                                  stdout=subprocess.PIPE, check=True).stdout.decode().strip()
            for entry in os.listdir(places.PACKAGES):
                source = places.PACKAGES / entry
                (shutil.copytree if source.is_dir() else shutil.copy)(source, os.path.join(site, entry))
            os.symlink(places.LIBDIR, folder / "lib" / "pinsight")
            os.symlink(places.COMMAND, folder / "bin" / "pinsight")
            made[python.short] = str(path)
        return made[python.short]
    return install


# The oldest and the newest, where a difference between versions is not to be expected.
ENDS = list(dict.fromkeys(pythons()[:1] + pythons()[-1:]))


@pytest.fixture(params=ENDS or [None], ids=str)
def end(request):
    return request.param or places.missing("a CPython that an extension was built for")


def clean(**more):
    """An environment in which nothing points to PInsight."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PINSIGHT", "PYTHON"))}
    env.update(more)
    return env


class Listening:
    """A session in a world of its own that records every event of PInsight, without `pinsight run`."""

    def __init__(self, world, folder):
        self.world = world
        self.folder = folder
        for words in (["create", "listening", "-o", str(folder)],
                      ["enable-channel", "-u", "events", "--blocking-timeout=inf"],
                      ["enable-event", "-u", "-c", "events", "python_pinsight_lttng_ust:*,pinsight_lttng_ust:*"],
                      ["add-context", "-u", "-c", "events", "-t", "vpid", "-t", "vtid"],
                      ["start"]):
            done = world.run(["lttng", *words])
            assert done.returncode == 0, done.stderr

    def run(self, *argv, env=None, **how):
        """The command's result, with text; PYTHONPATH has the package."""
        how.setdefault("timeout", 60)
        # On a busy machine LTTng would not wait for the daemon that is there, and miss the beginning.
        env = dict({"PYTHONPATH": str(places.PACKAGES), "LTTNG_UST_REGISTER_TIMEOUT": "-1"}, **(env or {}))
        done = self.world.run(argv, env=clean(**env), **how)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def trace(self):
        self.world.run(["lttng", "destroy"])
        return Trace(self.folder)


@pytest.fixture
def listening(world_with_daemon, tmp_path):
    return Listening(world_with_daemon, tmp_path / "trace")


# activate() and what else a program can call.

ACTIVATING = """
import pinsight
def before(): pass
def during(): pass
def after(): pass
def again(): pass
before()
print(pinsight.is_active(), pinsight.activate(), pinsight.is_active(), pinsight.activate())
during()
pinsight.deactivate()
print(pinsight.is_active())
after()
pinsight.deactivate()
print(pinsight.activate())
again()
"""

MODES = """
import pinsight
def seen(): pass
def unseen(): pass
pinsight.activate()
print(pinsight.get_mode("Python"))
seen()
for mode in ("STANDBY", "OFF", "MONITORING"):
    pinsight.set_mode("Python", mode)
    print(pinsight.get_mode("Python"))
    unseen()
pinsight.set_mode("Python", "TRACING")
seen()
"""

REGIONS = """
import asyncio, threading
import pinsight
ACTIVATE
with pinsight.region("outer"):
    pinsight.mark("inside")
    with pinsight.region("in\\u00e9r"):
        pass

@pinsight.region("called")
def called(depth):
    "What it does."
    return called(depth - 1) if depth else "done"

print(called(2), called.__name__, called.__doc__)

@pinsight.region("awaited")
async def awaited():
    await asyncio.sleep(0)
    return 5

print(asyncio.run(awaited()))
try:
    with pinsight.region("failing"):
        raise KeyError("x")
except KeyError as error:
    print(error)
with pinsight.region("\\udcff"):
    pinsight.mark("x\\0y")
shared = pinsight.region("shared")
def use():
    for _ in range(10):
        with shared: pass
threads = [threading.Thread(target=use) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(shared)
"""
SAID = "done called What it does.\n5\n'x'\npinsight.region('shared')\n"
REGION_COUNTS = {"outer": 1, "in\u00e9r": 1, "called": 3, "awaited": 1, "failing": 1, "\\udcff": 1, "shared": 30}


def region_counts(trace, name):
    counts = {}
    for event in trace.infos[name]:
        counts[event.fields["name"]] = counts.get(event.fields["name"], 0) + 1
    return counts


def test_what_a_program_can_call(listening, python):
    """activate(), deactivate(), modes, regions and marks, as three programs in one session."""
    assert listening.run(python.path, "-c", ACTIVATING) == (0, "False True True True\nFalse\nTrue\n", "")
    assert listening.run(python.path, "-c", MODES) == (0, "TRACING\nSTANDBY\nOFF\nMONITORING\n", "")
    program = REGIONS.replace("ACTIVATE", "pinsight.activate()")
    assert listening.run(python.path, "-c", program) == (0, SAID, "")
    trace = listening.trace()
    assert [trace.calls(name) for name in ("before", "during", "after", "again")] == [0, 1, 0, 1]
    assert (trace.calls("seen"), trace.calls("unseen")) == (2, 0)
    assert region_counts(trace, "region_begin") == region_counts(trace, "region_end") == REGION_COUNTS
    assert region_counts(trace, "mark") == {"inside": 1, "x\\x00y": 1}
    trace.assert_balanced()


def test_fork_without_run(listening, end):
    """Nothing takes LTTng through a fork there: the child is left alone, and not taken for its parent."""
    rc, out, said = listening.run(end.path, "-c", """
import os, subprocess, sys, warnings
import pinsight
warnings.simplefilter("ignore")
def in_parent(): pass
def in_child(): pass
pinsight.activate("function")
pid = os.fork()
if pid == 0:
    in_child()
    os._exit(0)
os.waitpid(pid, 0)
in_parent()
for number in range(20):
    subprocess.run(["true"], check=True)
    subprocess.run(["true"], check=True, preexec_fn=lambda: None)
""")
    assert (rc, out, said) == (0, "", "")
    trace = listening.trace()
    assert (trace.calls("in_parent"), trace.calls("in_child")) == (1, 0)
    trace.assert_balanced()


def test_alias(listening, newest):
    result = listening.run(newest.path, "-c", """
import pinsight_python
def seen(): pass
pinsight_python.activate()
seen()
pinsight_python.deactivate()
""")
    assert result == (0, "", "")
    assert listening.trace().calls("seen") == 1


REPLACED = """
import os, posix
import pinsight
posix._exit = lambda status: None
for i in range(3):
    pinsight.activate(events="function")
    pinsight.deactivate()
pinsight.activate(events="function")
os.execv("/bin/echo", ["echo", "went on"])
"""


def test_a_function_that_the_program_replaced_leaves_the_others_right(listening, python):
    """What is led over the tracer at each activate() is led there once."""
    assert listening.run(python.path, "-c", REPLACED, timeout=20)[:2] == (0, "went on\n")


@pytest.mark.parametrize("events, functions, c_calls", [
    ("None", True, True), ("'function'", True, False), ("['c_call']", False, True), ("'function,c_call'", True, True),
    ("'none'", False, False)])
def test_activate_with_events(listening, newest, events, functions, c_calls):
    result = listening.run(newest.path, "-c", """
import pinsight
def seen(): return len("abc")
pinsight.activate(events=%s)
seen()
pinsight.deactivate()
""" % events)
    assert result == (0, "", "")
    trace = listening.trace()
    names = {moment.name for thread in trace.threads for moment in thread.moments}
    assert ("seen" in names) == functions
    assert any(name.endswith("len") for name in names) == c_calls


def test_activate_with_names(listening, newest):
    result = listening.run(newest.path, "-c", "import pinsight; pinsight.activate(names='registry')\n"
                                              "def seen(): pass\nseen()")
    assert result == (0, "", "")
    trace = listening.trace()
    assert trace.counts["begin"] > 0 and trace.counts["function_begin"] == 0


def test_wrong_words_are_errors(newest, world_with_daemon):
    """Also in a process that is not traced, so that a program does not fail only when it is."""
    program = """
import pinsight
def tried():
    for wrong in (lambda: pinsight.set_mode("Python", "FAST"), lambda: pinsight.set_mode("Perl", "OFF"),
                  lambda: pinsight.get_mode("Perl")):
        try: print(wrong())
        except ValueError as error: print(len(str(error)) > 10)
    for wrong in (lambda: pinsight.region(5), lambda: pinsight.mark(None)):
        try: print(wrong())
        except TypeError: print("type")
tried()
print(pinsight.get_mode("Python"), pinsight.set_mode("Python", "STANDBY"), pinsight.get_mode("python"))
for wrong in (lambda: pinsight.activate(events="functions"), lambda: pinsight.activate(names="long")):
    try: print(wrong())
    except ValueError as error: print(len(str(error)) > 10)
pinsight.activate()
tried()
"""
    done = world_with_daemon.run([newest.path, "-c", program], env=clean(PYTHONPATH=str(places.PACKAGES)))
    tried = "True\n" * 3 + "type\n" * 2
    assert done.stdout.decode() == tried + "OFF None OFF\n" + "True\n" * 2 + tried, done.stderr


def test_regions_under_run(run_traced, newest):
    """A traced program's regions are recorded without a call of activate()."""
    result = run_traced(newest, "import pinsight; print(pinsight.is_active())\nwith pinsight.region('here'): pass\n"
                                "pinsight.mark('there')")
    assert result.stdout == "True\n"
    assert region_counts(result.trace, "region_begin") == {"here": 1}
    assert region_counts(result.trace, "mark") == {"there": 1}


def test_a_wrong_word_changes_nothing(run_traced, one_of_each):
    """activate() takes over all that it is asked for, or nothing."""
    result = run_traced(one_of_each, """
import pinsight
def seen(): pass
try: pinsight.activate(events="none", names="long")
except ValueError: print("refused")
for number in range(10): seen()
""")
    assert result.stdout == "refused\n"
    assert result.trace.calls("seen") == 10


def test_marks_of_a_thread_without_other_events(run_traced, python):
    """A mark is all that its thread records; it has the thread's number, and the thread its name."""
    result = run_traced(python, """
import pinsight, threading
thread = threading.Thread(target=pinsight.mark, args=("there",), name="marker")
thread.start()
thread.join()
""", "--events", "none")
    marks = [event for event in result.trace.infos["mark"] if event.fields["name"] == "there"]
    assert [int(mark.fields["python_thread_id"]) for mark in marks] == [1]
    assert "marker" in [event.fields["name"] for event in result.trace.infos["thread_info"]]


def test_marks_of_a_program_in_c(run_command, tmp_path):
    """A program that is no Python joins the session with its first mark."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        places.missing("a C compiler")
    source = tmp_path / "marks.c"
    source.write_text("""#include <pinsight/pinsight.h>
int main(void) {
    pinsight_region_begin("phase");
    pinsight_mark("point");
    pinsight_region_end("phase");
}
""")
    subprocess.run([compiler, "-I", str(places.ROOT / "include"), str(source), "-L", str(places.LIBDIR), "-lpinsight",
                    "-Wl,-rpath," + str(places.LIBDIR), "-o", str(tmp_path / "marks")], check=True)
    trace = run_command(tmp_path / "marks").trace
    for event, name in (("region_begin", "phase"), ("mark", "point"), ("region_end", "phase")):
        assert region_counts(trace, event) == {name: 1}
    pids = [int(info.fields["pid"]) for info in trace.infos["process_info"]
            if info.fields["program"].endswith("marks")]
    assert len(pids) == 1 and pids[0] > 0


def test_regions_without_activate_do_nothing(python):
    done = subprocess.run([python.path, "-c", REGIONS.replace("ACTIVATE", "")
                           + "print('ust' in open('/proc/self/maps').read())"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=clean(PYTHONPATH=str(places.PACKAGES)))
    assert (done.stdout.decode(), done.stderr) == (SAID + "False\n", b"")


def test_activate_where_nobody_listens(own_world, end):
    """No daemon at all: activate() works, says nothing, and does not hold the program up."""
    start = time.monotonic()
    done = own_world.run([end.path, "-c", "import pinsight; print(pinsight.activate())\ndef f(): pass\n"
                                             "for i in range(1000): f()"],
                         env=clean(PYTHONPATH=str(places.PACKAGES)))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"True\n", b"")
    assert time.monotonic() - start < 5


def test_package_without_the_extension(tmp_path, python):
    """One message with a cure, and a program that goes on."""
    shutil.copytree(places.PACKAGES / "pinsight", tmp_path / "python" / "pinsight")
    (tmp_path / "_pinsight_python-2.7.so").write_text("")
    program = """
import pinsight
print(pinsight.activate(), pinsight.activate(), pinsight.is_active(), pinsight.get_mode("Python"))
pinsight.set_mode("Python", "OFF")
pinsight.mark("nowhere")
with pinsight.region("nothing"): print("inside")
pinsight.deactivate()
"""
    done = subprocess.run([python.path, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean(PYTHONPATH=str(tmp_path / "python"), HOME=str(tmp_path)))
    assert (done.returncode, done.stdout) == (0, b"False False False OFF\ninside\n")
    said = done.stderr.decode().splitlines()
    assert len(said) == 1, said
    assert "no extension for Python %s" % python.short in said[0]
    assert "2.7" in said[0] and "pip install" in said[0]


def test_import_is_cheap(newest):
    """`import pinsight` brings in nothing but itself and what is small; LTTng comes with activate()."""
    program = "import sys; before = set(sys.modules); import pinsight; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([newest.path, "-c", program], stdout=subprocess.PIPE, check=True,
                          env=clean(PYTHONPATH=str(places.PACKAGES)))
    new = set(eval(done.stdout.decode()))
    assert {name for name in new if name.startswith("pinsight")} == {
        "pinsight", "pinsight._extension", "pinsight._locate", "pinsight._region"}
    assert not new & {"ctypes", "subprocess", "typing", "inspect", "asyncio", "importlib.metadata"}


# python -m pinsight

STARTS = {
    "script": ["probe.py", "a", "-o", "--"],
    "script elsewhere": ["below/probe.py"],
    "absolute": ["$HERE/probe.py", "-q"],
    "module": ["-m", "probe", "a", "-m"],
    "module attached": ["-mprobe"],
    "package": ["-m", "package", "x"],
    "code": ["-c", PROBE, "b", "-c"],
    "folder": ["folder", "y"],
    "zip": ["app.zip", "z"],
    "standard input": ["-", "a"],
    "exit": ["probe.py", "exit"],
    "text": ["probe.py", "text"],
    "traceback": ["probe.py", "raise"],
    "traceback in a module": ["-m", "probe", "raise"],
    "killed": ["probe.py", "kill"],
    "left": ["probe.py", "leave"],
    "not there": ["nothing.py"],
    "no such module": ["-m", "nothing.at.all"],
    "syntax error": ["-c", "def"],
    "reads": ["probe.py", "read"],
}
FLAGS = [[], ["-O"], ["-X", "dev", "-W", "error::UserWarning"], ["-I"], ["-E", "-s", "-u", "-Wdefault"], ["-bBq"]]


def write_probe(folder):
    for name in ("probe.py", "below/probe.py", "folder/__main__.py", "package/__main__.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(PROBE)
    shutil.make_archive(str(folder / "app"), "zip", folder / "folder")


ADDRESS = re.compile(r"0x[0-9a-f]+|(?<=/)trace-\w+")


def run_probe(words, folder, out):
    env = clean(PROBE_OUT=str(folder / out))
    given = PROBE if "-" in words[-2:] else "given"
    done = subprocess.run(words, cwd=folder, env=env, input=given.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    seen = (folder / out).read_text() if (folder / out).exists() else None
    return done.returncode, ADDRESS.sub("", done.stdout.decode()), ADDRESS.sub("", done.stderr.decode()), seen


@pytest.mark.parametrize("start", STARTS)
def test_the_program_sees_no_difference(installed, tmp_path, newest, start):
    same_with_and_without(installed, tmp_path, newest, [], start)


@pytest.mark.parametrize("flags", FLAGS[1:], ids=" ".join)
def test_interpreter_options_are_kept(installed, tmp_path, end, flags):
    same_with_and_without(installed, tmp_path, end, flags, "script")


def same_with_and_without(installed, tmp_path, python, flags, start):
    write_probe(tmp_path)
    words = [word.replace("$HERE", str(tmp_path)) for word in STARTS[start]]
    path = installed(python)
    alone = run_probe([path, *flags, *words], tmp_path, "alone")
    traced = run_probe([path, *flags, "-m", "pinsight", "-q", "-o", "trace-x", *words], tmp_path, "traced")
    assert traced == alone
    if start == "script":
        assert Trace(tmp_path / "trace-x").calls("inner") == len(words) - 1


def test_summary_and_options(installed, tmp_path, newest):
    (tmp_path / "app.py").write_text("def seen(): return len('abc')\nfor i in range(7): seen()\n")
    done = subprocess.run([installed(newest), "-m", "pinsight", "--events", "function", "--names=registry", "-o",
                           "here", "app.py"], cwd=tmp_path, env=clean(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"seen" in done.stderr
    trace = Trace(tmp_path / "here")
    assert trace.calls("seen") == 7 and trace.counts["begin"] > 0
    assert trace.counts["c_begin"] == trace.counts["c_call_begin"] == 0


WRONG = {
    "no program": [],
    "no program after options": ["-q", "--names", "inline"],
    "unknown option": ["--no-such-option", "probe.py"],
    "unknown letter": ["-qz", "probe.py"],
    "an option of the interpreter": ["-O", "probe.py"],
    "-- and an option": ["--", "-O", "probe.py"],
    "no value": ["-o"],
    "a value too many": ["--lossless=yes", "probe.py"],
    "no module": ["-m"],
    "a wrong value": ["--names", "long", "probe.py"],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_command_lines(newest, tmp_path, case):
    (tmp_path / "probe.py").write_text("print('ran')")
    done = subprocess.run([newest.path, "-m", "pinsight", *WRONG[case]], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          env=clean(PYTHONPATH=str(places.PACKAGES)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), said
    assert said.startswith("pinsight: ") and "Traceback" not in said
    assert os.listdir(tmp_path) == ["probe.py"]


def test_help(newest):
    done = subprocess.run([newest.path, "-m", "pinsight", "--help"], env=clean(PYTHONPATH=str(places.PACKAGES)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0 and b"python -m pinsight" in done.stdout and b"--lossless" in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_that_cannot_be_written(newest, unbuffered):
    with open("/dev/full", "w") as full:
        done = subprocess.run([newest.path, "-m", "pinsight", "--help"], stdout=full, stderr=subprocess.PIPE,
                              env=clean(PYTHONPATH=str(places.PACKAGES), PYTHONUNBUFFERED=unbuffered))
    assert (done.returncode, done.stderr) == (1, b"pinsight: the output could not be written: No space left on device\n")


def command_line_module():
    path = places.PACKAGES / "pinsight" / "_command_line.py"
    sys.path.insert(0, str(places.PACKAGES))
    try:
        return importlib.import_module("pinsight._command_line")
    finally:
        sys.path.remove(str(path.parent.parent))


def test_options_are_those_of_run():
    module = command_line_module()
    said = subprocess.run([places.COMMAND, "run", "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    with_value, without = set(), set()
    for line in said.splitlines():
        match = re.match(r" +((?:-\w, )?--[\w-]+)( [A-Z]\S*)?", line)
        if match:
            (with_value if match.group(2) else without).update(match.group(1).split(", "))
    assert with_value - {"-c"} == module.WITH_VALUE  # there -c is the interpreter's: CODE
    assert without - {"-h", "--help"} == module.WITHOUT_VALUE


def test_without_the_command(tmp_path, newest):
    shutil.copytree(places.PACKAGES / "pinsight", tmp_path / "pinsight")
    done = subprocess.run([newest.base, "-m", "pinsight", "-c", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean(PYTHONPATH=str(tmp_path), PATH="/nonexistent", HOME=str(tmp_path)))
    assert done.returncode == 127
    assert done.stderr.startswith(b"pinsight: the command `pinsight` is neither")


@pytest.mark.parametrize("words, options", [
    (["python", "-m", "pinsight"], []),
    (["python", "-Im", "pinsight"], ["-I"]),
    (["python", "-X", "dev", "-W", "error", "-O", "-mpinsight"], ["-X", "dev", "-W", "error", "-O"]),
    (["python", "-Wd", "-Xdev", "-BEm", "pinsight"], ["-Wd", "-Xdev", "-BE"]),
    (["python", "--check-hash-based-pycs", "always", "-u", "-m", "pinsight", "-m", "x"],
     ["--check-hash-based-pycs", "always", "-u"]),
])
def test_interpreter_options_are_read(monkeypatch, words, options):
    module = command_line_module()
    monkeypatch.setattr(module, "original_words", lambda: words)
    assert module.interpreter_options() == options


# PINSIGHT=1 and PYTHONSTARTUP

SEEN = "import sys\ndef seen(): pass\nseen()\nprint('pinsight' in sys.modules)\n"


def test_start_up_hook(installed, listening, end):
    """PINSIGHT=1 traces, in isolated mode too; -S leaves out what reads .pth files."""
    traced = {"plain": [], "isolated": ["-I"], "no_environment": ["-E"], "no_user_site": ["-s"]}
    for name, flags in dict(traced, no_site=["-S"]).items():
        result = listening.run(installed(end), *flags, "-c", SEEN.replace("seen", name),
                               env={"PINSIGHT": "1", "PYTHONPATH": ""})
        assert result == (0, "%s\n" % (name in traced), ""), name
    trace = listening.trace()
    assert {name: trace.calls(name) for name in traced} == dict.fromkeys(traced, 1)
    assert trace.calls("no_site") == 0
    trace.assert_balanced()


@pytest.mark.parametrize("value", [None, "", "0", "yes"])
def test_start_up_hook_is_off(installed, newest, value):
    env = clean(**({} if value is None else {"PINSIGHT": value}))
    done = subprocess.run([installed(newest), "-c", SEEN], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"False\n", b"")


def test_start_up_hook_in_children(installed, listening, newest):
    rc, out, said = listening.run(installed(newest), "-c", """
import multiprocessing, subprocess, sys
def in_parent(): pass
if __name__ == "__main__":
    in_parent()
    subprocess.run([sys.executable, "-c", "def in_child(): pass\\nin_child()"], check=True)
    process = multiprocessing.get_context("spawn").Process(target=print)
    process.start()
    process.join()
""", env={"PINSIGHT": "1", "PYTHONPATH": "", "PINSIGHT_EVENTS": "function"})
    assert (rc, out, said) == (0, "\n", "")
    trace = listening.trace()
    assert trace.calls("in_parent") == 1 and trace.calls("in_child") == 1
    assert len({thread.pid for thread in trace.threads}) >= 3


def test_start_up_hook_with_a_wrong_word(installed, newest):
    """It is said, once, and the program runs."""
    done = subprocess.run([installed(newest), "-c", "print('ran')"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean(PINSIGHT="1", PINSIGHT_EVENTS="functions"))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (0, b"ran\n", 1)
    assert done.stderr.startswith(b"pinsight: ") and b"PINSIGHT_EVENTS: unknown event 'functions'" in done.stderr


def test_start_up_hook_under_run(installed, run_command, newest):
    """Both at once: everything is recorded once."""
    result = run_command(installed(newest), "-c", "def seen(): pass\nseen()", env={"PINSIGHT": "1"})
    assert result.rc == 0
    assert result.trace.calls("seen") == 1
    result.trace.assert_balanced()


def test_start_up_hook_without_the_package(tmp_path, newest):
    """The .pth file stays behind when someone deletes the package: nobody is told at each start."""
    venv = tmp_path / "venv"
    subprocess.run([newest.base, "-m", "venv", "--without-pip", str(venv)], check=True)
    path = str(venv / "bin" / "python")
    site = subprocess.run([path, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"],
                          stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    shutil.copy(places.PACKAGES / "pinsight.pth", site)
    done = subprocess.run([path, "-c", "print(5)"], env=clean(PINSIGHT="1"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"5\n", b"")


def test_interactive_start_up_file(listening, end):
    """PYTHONSTARTUP traces a session, and leaves no name behind in it; a script does not look at it."""
    file = str(places.PACKAGES / "pinsight" / "interactive.py")
    session = b"def seen(): pass\n\nseen()\nprint(sorted(name for name in dir() if name[0] != '_' or 'pins' in name))\n"
    rc, out, _ = listening.run(end.path, "-i", "-q", input=session, stdin=None,
                               env={"PYTHONSTARTUP": file, "PYTHONPATH": "", "PYTHON_BASIC_REPL": "1"})
    assert (rc, out) == (0, "['seen']\n")
    rc, out, said = listening.run(end.path, "-c", "def script(): pass\nscript()",
                                  env={"PYTHONSTARTUP": file, "PYTHONPATH": ""})
    assert (rc, out, said) == (0, "", "")
    trace = listening.trace()
    assert trace.calls("seen") == 1 and trace.calls("script") == 0


def test_interrupt_goes_to_the_program(installed, tmp_path, newest):
    program = tmp_path / "waits.py"
    program.write_text("import time\ntry: print('ready', flush=True); time.sleep(60)\n"
                       "except KeyboardInterrupt: print('interrupted'); raise SystemExit(4)\n")
    process = subprocess.Popen([installed(newest), "-m", "pinsight", "-q", "-o", str(tmp_path / "trace"),
                                str(program)], env=clean(), stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (4, b"interrupted\n")


def test_syntax_of_the_oldest_python():
    """Every file of the package compiles with the oldest Python that an extension was built for."""
    oldest = pythons()[0] if pythons() else places.missing("a CPython that an extension was built for")
    files = [str(path) for path in sorted(places.PACKAGES.rglob("*.py"))]
    program = "import sys\nfor file in sys.argv[1:]: compile(open(file).read(), file, 'exec')"
    subprocess.run([oldest.path, "-I", "-c", program, *files], check=True)
