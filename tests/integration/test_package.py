"""The package `pinsight`: activate(), regions, marks, and what else a program can call."""
import shutil
import subprocess
import time

import pytest

from support import places
from support.listening import clean

# In a session that somebody else made.
pytestmark = pytest.mark.recorder("lttng")

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
    """What is redirected to the tracer at each activate() is redirected once."""
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


def marks_in_c(tmp_path):
    """A program that is linked with libpinsight."""
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
    return tmp_path / "marks"


@pytest.mark.recorder("file")
def test_marks_of_a_program_in_c(run_command, tmp_path):
    """A program that is no Python joins the session with its first mark."""
    trace = run_command(marks_in_c(tmp_path)).trace
    for event, name in (("region_begin", "phase"), ("mark", "point"), ("region_end", "phase")):
        assert region_counts(trace, event) == {name: 1}
    pids = [int(info.fields["pid"]) for info in trace.infos["process_info"]
            if info.fields["program"].endswith("marks")]
    assert len(pids) == 1 and pids[0] > 0


def test_a_recorder_that_came_too_late(tmp_path):
    """A libpinsight without LTTng was there first: it says so, and no other recorder stands in."""
    (tmp_path / "out").mkdir()
    done = subprocess.run([str(marks_in_c(tmp_path))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean(
        PINSIGHT_RECORDER="lttng", PINSIGHT_OUTPUT=str(tmp_path / "out")))
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.count(b"is not recorded: PINSIGHT_RECORDER is lttng, whose library was not loaded in time") == 1
    assert list((tmp_path / "out").iterdir()) == []


def test_regions_without_activate_do_nothing(python):
    done = subprocess.run([python.path, "-c", REGIONS.replace("ACTIVATE", "")
                           + "print('liblttng-ust' in open('/proc/self/maps').read())"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=clean(PYTHONPATH=str(places.PACKAGES)))
    assert (done.stdout.decode(), done.stderr) == (SAID + "False\n", b"")


def test_activate_where_nobody_listens(own_world, end):
    """No daemon at all: activate() works, says nothing, and does not hold the program up."""
    start = time.monotonic()
    done = own_world.run([end.path, "-c", "import pinsight; print(pinsight.activate())\ndef f(): pass\n"
                                             "for i in range(1000): f()"],
                         env=clean(PYTHONPATH=str(places.PACKAGES), PINSIGHT_RECORDER="lttng"))
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
    (tmp_path / ("_pinsight_python-%s.why" % python.short)).write_text("its headers are odd\n")
    done = subprocess.run([python.path, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean(PYTHONPATH=str(tmp_path / "python"), HOME=str(tmp_path)))
    assert "no extension for Python %s (its headers are odd);" % python.short in done.stderr.decode()


def test_import_is_cheap(newest):
    """`import pinsight` brings in nothing but itself and what is small; LTTng comes with activate()."""
    program = "import sys; before = set(sys.modules); import pinsight; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([newest.path, "-c", program], stdout=subprocess.PIPE, check=True,
                          env=clean(PYTHONPATH=str(places.PACKAGES)))
    new = set(eval(done.stdout.decode()))
    assert {name for name in new if name.startswith("pinsight")} == {
        "pinsight", "pinsight._extension", "pinsight._keep", "pinsight._locate", "pinsight._output", "pinsight._region"}
    assert not new & {"ctypes", "subprocess", "typing", "inspect", "asyncio", "importlib.metadata"}
