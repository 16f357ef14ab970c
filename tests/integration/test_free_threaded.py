"""Builds of CPython without a GIL: threads that run at the same time, and nothing that turns the GIL on. Counts of them
are in test_counts.py."""
import shutil
import subprocess

import pytest

from support.places import BUILD, PROGRAMS, ROOT
from support.pythons import pythons

FREE = [python for python in pythons() if not python.has_gil]
THREADS = 8
STORM = (PROGRAMS / "many_threads.py").read_text()


@pytest.mark.skipif(not FREE, reason="there is no free-threaded CPython here")
class TestFree:
    @pytest.mark.parametrize("python", FREE, ids=str)
    def test_threads_that_share_a_window(self, python, run_traced, tmp_path):
        """So many executions of each function are recorded, whichever thread they are in."""
        config = tmp_path / "window.ini"
        config.write_text("[Lexgion.Python]\nmax_num_traces = 1000\n")
        result = run_traced(python, STORM, "--config", str(config), arguments=[str(THREADS), "5000"])
        calls = {row["name"]: row["calls"] for row in result.report("--limit", "0")["functions"]}
        assert calls["leaf"] == calls["fails"] == 1000

    @pytest.mark.parametrize("python", FREE, ids=str)
    @pytest.mark.parametrize("plain", ["0", "1"])
    def test_activate_leaves_it_off(self, python, plain, run_traced, tmp_path):
        program = "import pinsight\npinsight.activate()\n" + STORM + "pinsight.deactivate()\n"
        done = subprocess.run([python.path, "-c", program, "2", "1000"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, cwd=tmp_path, timeout=60,
                              env={"PYTHONPATH": str(BUILD / "lib" / "pinsight" / "python"), "PINSIGHT_PLAIN": plain,
                                   "PATH": "/usr/bin:/bin"})
        assert (done.returncode, done.stdout) == (0, "no GIL\n"), done.stderr

    @pytest.mark.parametrize("python", FREE, ids=str)
    def test_report_says_that_there_is_none(self, python, run_traced):
        result = run_traced(python, STORM, "--events", "function,gil", arguments=["2", "10"])
        assert "The interpreter has no GIL: it is a free-threaded build of CPython." in result.report_text("--gil")


FORKS = """
import gc, os, signal, sys, threading
def collects():
    while not ended:
        gc.collect(0)
ended = []
threads = [threading.Thread(target=collects) for _ in range(2)]
for thread in threads: thread.start()
for number in range(100):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        gc.collect(0)
        os._exit(7)
    status = os.waitpid(child, 0)[1]
    if status != 7 << 8:
        print("child %d: status %d" % (number, status), flush=True)
        break
ended.append(True)
for thread in threads: thread.join()
"""


@pytest.mark.parametrize("python", FREE, ids=str)
def test_forks_while_threads_are_stopped(python, run_traced):
    """A child can stop its threads, too, although CPython leaves the mutex for that locked."""
    assert run_traced(python, FORKS, "--no-summary").stdout == ""


# The child's collection would wait for CPython's own fault there.
PLAIN_FORKS = FORKS.replace("        gc.collect(0)\n        os._exit", "        sum(map(int, '12'))\n        os._exit").replace(
    "import gc,", "import gc, pinsight,").replace("        os._exit", "        pinsight.activate()\n        os._exit")


@pytest.mark.parametrize("python", FREE, ids=str)
def test_plain_forks_while_threads_are_stopped(python, run_traced):
    """By public interfaces alone, the child's threads cannot be stopped: nothing is changed there."""
    assert PLAIN_FORKS.count("gc.collect") == 1 and PLAIN_FORKS.count("activate") == 1
    result = run_traced(python, PLAIN_FORKS, env={"PINSIGHT_PLAIN": "1", "PYTHONPATH": str(BUILD / "lib" / "pinsight" / "python")})
    assert result.stdout == ""
    assert "the work of forked children before they execute a program" in " ".join(result.report_text().split())


TASKS = """
import asyncio, sys
async def leaf(number):
    await asyncio.sleep(0)
    return number
async def main():
    return sum(await asyncio.gather(*(leaf(number) for number in range(10))))
print(asyncio.run(main()))
"""
UNSEEN = "Tasks of asyncio are not recorded in a free-threaded Python: trace the program with the usual build to see them."


@pytest.mark.parametrize("python", FREE, ids=str)
@pytest.mark.parametrize("end", ["", "sys.stdout.flush(); import os; os._exit(0)"], ids=["end", "_exit"])
def test_tasks_are_said_to_be_missing(python, end, run_traced):
    result = run_traced(python, TASKS + end)
    assert result.stdout == "45\n" and UNSEEN in " ".join(result.report_text().split())


@pytest.mark.parametrize("python", FREE, ids=str)
def test_tasks_are_missing_where_functions_are_not_recorded(python, run_traced):
    assert UNSEEN in " ".join(run_traced(python, TASKS, "--events", "c_call,task").report_text().split())


@pytest.mark.parametrize("python", FREE, ids=str)
@pytest.mark.parametrize("program, options", [
    ("print(45)\n", ()), ("import asyncio\nasync def main(): pass\nprint(45)\n", ()), (TASKS, ("--mode", "MONITORING")),
    (TASKS, ("--events", "function"))], ids=["none", "imported", "monitoring", "off"])
def test_nothing_is_said_of_other_tasks(python, program, options, run_traced):
    result = run_traced(python, program, *options)
    assert result.stdout == "45\n" and "Tasks of asyncio" not in " ".join(result.report_text().split())


@pytest.mark.wheel
@pytest.mark.parametrize("version", ["3.14", "3.15"])
def test_headers_alone(version, tmp_path):
    """The extension compiles for a free-threaded build of which only the headers are here."""
    python = {python.short: python for python in pythons()}.get(version)
    if not python:
        pytest.skip("CPython %s is not here" % version)
    ask = "import sysconfig; print(sysconfig.get_path('include'))"
    include = subprocess.run([python.base, "-c", ask], stdout=subprocess.PIPE, universal_newlines=True,
                             check=True).stdout.strip()
    folder = tmp_path / "include"
    shutil.copytree(include, folder)
    with open(folder / "pyconfig.h", "a", encoding="utf-8") as config:
        config.write("\n#undef Py_GIL_DISABLED\n#define Py_GIL_DISABLED 1\n")
    done = subprocess.run(["cmake", "-S", str(ROOT), "-B", str(tmp_path / "build"), "-DPINSIGHT_FIND_PYTHONS=OFF",
                           "-DPINSIGHT_WERROR=ON", "-DPINSIGHT_PYTHON_HEADERS=%s" % folder],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert "Python %st: " % version in done.stdout and "by public interfaces alone" not in done.stdout, done.stdout
