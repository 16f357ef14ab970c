"""A known cause counts before the clock: who spins in MPI or in a barrier of OpenMP's waits, although it has a processor."""
import json
import re
import shutil
import subprocess

import pytest

from support import mpi, mpi4py_source, openmp, places
from support.pythons import pythons

pytestmark = pytest.mark.timed

TRIES = 5

LIBRARY = """
#include <omp.h>
#include <time.h>
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
/* Two threads work so long, and how long the first one waits. */
double uneven(double first, double second) {
    double end = 0;
    #pragma omp parallel num_threads(2)
    {
        double until = now() + (omp_get_thread_num() ? second : first);
        while (now() < until)
            ;
        if (!omp_get_thread_num())
            end = now();
    }
    return now() - end;
}
"""

OPENMP = """
import ctypes, json, sys, time
library = ctypes.CDLL(sys.argv[1])
library.uneven.restype = ctypes.c_double
library.uneven.argtypes = [ctypes.c_double] * 2
def waits():
    return library.uneven(0.03, 0.2)
def works():
    cpu = time.thread_time_ns() + 50_000_000
    while time.thread_time_ns() < cpu:
        pass
library.uneven(0.001, 0.001)
waited = waits()
works()
json.dump(int(waited * 1e9), open(sys.argv[2], "w"))
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    clang = shutil.which("clang")
    if not clang:
        places.missing("clang")
    folder = tmp_path_factory.mktemp("uneven")
    (folder / "uneven.c").write_text(LIBRARY)
    made = folder / "libuneven.so"
    done = subprocess.run([clang, "-O1", "-fopenmp", "-fPIC", "-shared", str(folder / "uneven.c"), "-o", str(made)],
                          stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        places.missing("clang with libomp: " + done.stderr)
    return made


def check_sums(report):
    """Running, waiting and ready are all of each function's time, and the causes are all waiting."""
    assert sum(row["waiting_ns"] for row in report["waits"]) == sum(row.get("waited_ns", 0) for row in report["threads"])
    for row in report["functions"] + report["c_calls"]:
        assert row.get("ready_ns", 0) <= row.get("waiting_ns", 0) <= row["self_ns"] + 200_000, row
    for row in report["links"]["functions"]:
        work = [row[domain] for domain in ("openmp", "mpi", "cuda")]
        assert row["all_ns"] == row["python_ns"] + row["c_ns"] + row.get("gc_ns", 0) + sum(part["wall_ns"] for part in work)
        assert all(part.get("wall_waiting_ns", 0) <= part["wall_ns"] for part in work)


def cause(report, name):
    return sum(row["waiting_ns"] for row in report["waits"] if row["cause"] == name)


def function(report, name):
    (row,) = [row for row in report["links"]["functions"] if row["name"] == name]
    return row


@pytest.mark.parametrize("recorder_name", ["file", "lttng"])
@pytest.mark.parametrize("spinning", [{"KMP_BLOCKTIME": "infinite"}, {"OMP_WAIT_POLICY": "active"}, {"KMP_BLOCKTIME": "0"}],
                         ids=lambda spinning: "=".join(*spinning.items()))
def test_openmp(one_of_each, spinning, recorder_name, library, tmp_path, run_command):
    file = tmp_path / "uneven.py"
    file.write_text(OPENMP)
    for left in reversed(range(TRIES)):
        done = run_command(one_of_each.path, str(file), str(library), str(tmp_path / "said"),
                           options=["--domains", "python,openmp", "--recorder", recorder_name], env=spinning)
        assert done.rc == 0, done.stderr
        report = done.report("--links", "--limit", "0")
        check_sums(report)
        waited = json.loads((tmp_path / "said").read_text())
        work = function(report, "waits")["openmp"]
        if abs(work["wall_waiting_ns"] - waited) <= max(0.03 * waited, 2_000_000) or not left:
            break
    assert abs(work["wall_waiting_ns"] - waited) <= max(0.03 * waited, 2_000_000)
    # All threads: those of the first region, and what the other thread waits for at its ends.
    assert 0.97 * waited <= cause(report, "OpenMP")
    assert "OpenMP waiting" in done.stderr
    assert "for the one that has most to do" in " ".join(done.stderr.split()) or openmp.lacked_processors(report)


def test_mpi(flavour, run_command, tmp_path):
    path = pythons()[-1].with_packages("mpi4py", "numpy")
    # It does not give the processor away.
    env = dict(mpi.ENVIRONMENT, OMPI_MCA_mpi_yield_when_idle="0",
               **mpi4py_source.environment(flavour, tmp_path / "lib"))
    words = flavour.command(2, path, places.PROGRAMS / "waiting_mpi.py")
    for left in reversed(range(TRIES)):
        done = run_command(*words, options=["--domains", "python,mpi", "--no-summary"], env=env)
        assert done.rc == 0, done.stderr
        report = done.report("--links", "--limit", "0")
        check_sums(report)
        found = differences(done.stdout, report)
        if not found or not left:
            break
    assert not found
    assert cause(report, "MPI") >= 0.6e9


def differences(stdout, report):
    """Of each call: what was waited for until the other one came, where that is not what the report says."""
    first, second = sorted((json.loads(said) for said in re.findall(r"\{.*?\}", stdout)), key=lambda said: said["rank"])
    for name in first:
        if name == "rank":
            continue
        waited = abs(first[name][0] - second[name][0])
        work = function(report, name)["mpi"]
        if abs(work["wall_waiting_ns"] - waited) > max(0.03 * waited, 2_000_000):
            return name, work, waited
    return None
