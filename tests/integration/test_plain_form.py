"""The form of the extension by public interfaces alone: for PINSIGHT_PLAIN=1, and for a Python that PInsight does not know."""
import json
import os
import re
import signal
import subprocess

import pytest

from support import places
from support.pythons import headers_without_insides

# Under names of the API before it had others, and what its macros stand on.
UNDERSCORED = {"_PyCode_GetExtra", "_PyCode_SetExtra", "_PyEval_RequestCodeExtraIndex", "_PyInterpreterState_Get",
               "_PyThreadState_UncheckedGet", "_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct",
               "_PyObject_GC_New", "_Py_DecRefShared", "_Py_MergeZeroLocalRefcount"}
COUNTING = """
import sys
def leaf(number): return number + 1
def recurse(depth): return depth and recurse(depth - 1)
def numbers(count): yield from range(count)
for _ in range(500): leaf(1)
recurse(40)
assert sum(numbers(10)) == 45
print("fine", *sys.argv[1:])
"""
CALLS = {"leaf": 500, "recurse": 41, "numbers": 1}


def symbols(library, *options):
    said = subprocess.run(["nm", "-D", *options, str(library)], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in said.stdout.splitlines()}


def extension(python, form=""):
    return "_pinsight_python-%s%s.so" % (python.short, form)


def test_public_names_alone(python):
    used = symbols(places.LIBDIR / extension(python, "-plain"), "--undefined-only")
    assert {name for name in used if name.startswith("_Py") and not name.endswith("_SizeT")} <= UNDERSCORED


def test_the_usual_form_knows_nothing_of_it(python):
    assert not [name for name in symbols(places.LIBDIR / extension(python)) if "plain" in name]


def test_each_python_has_its_usual_form():
    """A mistake in the sources would leave all of them the plain one."""
    reasons = [path.read_text() for path in places.LIBDIR.glob("*.why")]
    assert not [why for why in reasons if "does not compile" in why]


@pytest.fixture
def unknown(tmp_path, newest):
    """A folder of libraries where the newest Python has the plain form alone."""
    folder = tmp_path / "libdir"
    folder.mkdir()
    for path in places.LIBDIR.iterdir():
        if path.name != extension(newest):
            (folder / path.name).symlink_to(path)
    (folder / ("_pinsight_python-%s.why" % newest.short)).write_text("it is odd\n")
    return folder


def counts_of(folder):
    said = subprocess.run([places.COMMAND, "report", "--format", "json", str(folder)], check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout
    return {function["name"]: function["calls"] for function in json.loads(said)["functions"]}


def assert_recorded_plainly(result, begin, cure):
    """One line for both processes, the summary's sentence, and exact counts."""
    assert (result.rc, result.stdout) == (0, "fine 1\nfine 2\n"), result.stderr
    lines = [line for line in result.stderr.splitlines() if "by public interfaces alone" in line]
    assert lines == ["pinsight: %s, and is recorded by public interfaces alone, without operators, properties, tasks, greenlets, "
                     "waits, allocations and the Python that caused native events; %s" % (begin, cure)]
    assert "The trace lacks, as %s: tasks of asyncio." % begin in " ".join(result.stderr.split())
    counts = counts_of(result.folder)
    assert {name: counts.get(name) for name in CALLS} == {name: 2 * calls for name, calls in CALLS.items()}


def twice(python):
    return ["bash", "-c", "\"$0\" -c \"$1\" 1 && \"$0\" -c \"import asyncio; asyncio.run(asyncio.sleep(0))$1\" 2",
            python.path, COUNTING]


def test_nothing_is_said_of_tasks_that_were_not_made(python, run_traced):
    said = [" ".join(run_traced(python, "import asyncio\n" + more, env={"PINSIGHT_PLAIN": "1"}).report_text().split())
            for more in ("asyncio.sleep\n", "asyncio.run(asyncio.sleep(0))\n")]
    assert ["tasks of asyncio" in text.lower() for text in said] == [False, True]


def test_one_that_is_not_known(run_command, unknown, newest):
    result = run_command(*twice(newest), env={"PINSIGHT_LIBDIR": str(unknown)})
    assert_recorded_plainly(result, "CPython %s is not one that this PInsight was compiled for" % newest.short,
                            "`pinsight doctor` says why")
    assert "Waits for the GIL and for locks are not seen" not in result.stderr  # there was one thread


def test_the_doctor_names_it(unknown, newest):
    done = subprocess.run([places.COMMAND, "doctor", "--no-trial", "--format", "json", "--", newest.path],
                          stdout=subprocess.PIPE, env=dict(os.environ, PINSIGHT_LIBDIR=str(unknown)))
    (found,) = [one for one in json.loads(done.stdout)["findings"] if one["check"] == "pythons"]
    assert found["level"] == "warning" and "newer PInsight" in found["fix"]
    assert found["text"].startswith("%s: Python %s is recorded by public interfaces alone, without operators" % (
        newest.path, newest.short)) and found["text"].endswith("native events: it is odd")


def test_activate_says_so(unknown, newest, tmp_path):
    program = "import pinsight\nassert pinsight.activate() and pinsight.activate()\nprint(pinsight.is_active())"
    done = subprocess.run([newest.path, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
                          universal_newlines=True,
                          env=dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_LIBDIR=str(unknown)))
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert done.stderr.count("by public interfaces alone, without operators") == 1


def test_activate_takes_what_is_asked_for(newest, tmp_path):
    program = "import pinsight\npinsight.activate()\nprint('-plain.so' in open('/proc/self/maps').read())"
    said = [subprocess.run([newest.path, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path, universal_newlines=True,
                           env=dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_PLAIN=plain)).stdout
            for plain in "01"]
    assert said == ["False\n", "True\n"]


def test_a_debug_build(run_command, one_of_each, tmp_path):
    """Its insides are others than the headers of the usual build say. It is known by what counts its references."""
    (tmp_path / "debug.c").write_text("void _Py_INCREF_IncRefTotal(void) {}\n")
    library = tmp_path / "debug.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "debug.c"], check=True)
    program = "def leaf(): pass\nfor _ in range(30): leaf()\nprint('-plain.so' in open('/proc/self/maps').read())"
    result = run_command(one_of_each.path, "-c", program, env={"LD_PRELOAD": str(library)})
    assert (result.rc, result.stdout) == (0, "True\n"), result.stderr
    begin = "pinsight: CPython %s is a debug build here, and is recorded by public interfaces alone" % one_of_each.short
    assert [line.startswith(begin) for line in result.stderr.splitlines() if "interfaces alone" in line] == [True]
    assert counts_of(result.folder)["leaf"] == 30


DEBUG_BUILD = """
import threading
def leaf(number): return number + 1
def work():
    for number in range(1000): leaf(number)
def numbers(count): yield from range(count)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(numbers(10)))
def fails(): raise ValueError("on purpose")
fails()
"""


@pytest.fixture
def debug_build():
    path = places.BUILD / "pythons" / "root" / "usr" / "bin" / "python3.15d"
    if not path.exists():
        pytest.skip("Debian's debug build is not here: tests/pythons %s 3.15d" % (places.BUILD / "pythons"))
    return str(path)


@pytest.mark.pythons
@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_debians_debug_build(run_command, debug_build, mode, tmp_path):
    (tmp_path / "program.py").write_text(DEBUG_BUILD)
    alone = subprocess.run([debug_build, "program.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           universal_newlines=True)
    traced = run_command(debug_build, "program.py", options=["--no-summary", "--mode", mode])
    assert (traced.rc, traced.stdout) == (alone.returncode, alone.stdout) == (1, "45\n")
    said = "".join(line for line in traced.stderr.splitlines(True) if not line.startswith("pinsight: "))
    assert said == alone.stderr
    assert "CPython 3.15 is a debug build here, and is recorded by public interfaces alone" in traced.stderr
    report = " ".join(traced.report_text().split())
    if mode == "TRACING":
        assert "Waits for the GIL and for locks are not seen, as CPython 3.15 is a debug build here." in report
    assert "does not know" not in report
    counts = counts_of(traced.folder)
    assert {name: counts.get(name) for name in ("leaf", "work", "numbers", "fails")} == {
        "leaf": 4000, "work": 4, "numbers": 1, "fails": 1}


@pytest.mark.pythons
def test_the_doctor_knows_debians_debug_build(debug_build):
    done = subprocess.run([places.COMMAND, "doctor", "--no-trial", "--format", "json", "--", debug_build],
                          stdout=subprocess.PIPE)
    (found,) = [one for one in json.loads(done.stdout)["findings"] if one["check"] == "pythons"]
    assert found["level"] == "warning" and found["fix"] == "trace the program with the usual build of this Python"
    assert found["text"].startswith("%s: Python 3.15 is a debug build, and is recorded by public interfaces alone, "
                                    "without operators" % debug_build)


@pytest.mark.parametrize("pretend", ["sys.gettotalrefcount = len", "sys.version_info = (*sys.version_info[:3], 'alpha', 1)"])
def test_activate_in_what_is_no_release(newest, tmp_path, pretend):
    program = "import sys\n%s\nfrom pinsight import _locate\nprint(_locate.extension()[0].rsplit('-')[-1])" % pretend
    done = subprocess.run([newest.path, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path, universal_newlines=True,
                          env=dict(os.environ, PYTHONPATH=str(places.PACKAGES)))
    assert done.stdout == "plain.so\n"


def test_ctrl_c(one_of_each, run_traced):
    """A program that a KeyboardInterrupt ends dies by SIGINT, as it does without."""
    program = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    assert run_traced(one_of_each, program, env={"PINSIGHT_PLAIN": "1"}, rc=None).rc == -signal.SIGINT


@pytest.mark.wheel
def test_a_version_to_come(run_command, newest, unknown, tmp_path):
    """Headers of the newest with the version changed, and without the internal ones: built, and run by the newest."""
    headers = headers_without_insides(newest, tmp_path / "include")
    text = (headers / "patchlevel.h").read_text()
    (headers / "patchlevel.h").write_text(re.sub("(#define PY_MINOR_VERSION).*", r"\1 16", text))
    build = places.BUILD / "to-come"
    done = subprocess.run(["cmake", "-S", places.ROOT, "-B", build, "-G", "Ninja", "-DPINSIGHT_FIND_PYTHONS=OFF",
                           "-DCMAKE_BUILD_TYPE=Debug", "-DPINSIGHT_PYTHONS=" + newest.base,
                           "-DPINSIGHT_PYTHON_HEADERS=%s" % headers],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    assert done.returncode == 0, done.stdout
    assert "Python 3.16: by public interfaces alone: it is newer than PInsight" in done.stdout
    subprocess.run(["cmake", "--build", build, "--target", "pinsight_python_3.16_plain"], stdout=subprocess.DEVNULL, check=True)
    built = build / "lib" / "pinsight" / "_pinsight_python-3.16-plain.so"
    assert not built.with_name("_pinsight_python-3.16.so").exists()
    (unknown / extension(newest, "-plain")).unlink()
    (unknown / extension(newest, "-plain")).symlink_to(built)
    result = run_command(*twice(newest), env={"PINSIGHT_LIBDIR": str(unknown)})
    assert_recorded_plainly(result, "CPython 3.16 is newer than this PInsight", "a newer PInsight has them")
