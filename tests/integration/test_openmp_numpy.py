"""NumPy on an OpenMP BLAS: each parallel region knows the line of Python that caused it.

examples/openmp notes by itself, with Python's traceback, from where it calls NumPy; the trace has to say the same.
"""
import collections
import json
import os
import subprocess

import pytest

from support import places
from support.numpy_source import numpy_on_openmp
from support.pythons import pythons

EXAMPLE = places.ROOT / "examples" / "openmp"
FILES = {str(EXAMPLE / name) for name in ("modes.py", "chain.py", "calls.py")}
# What of the program's own text starts regions, with the function that it stands in.
STATEMENTS = {
    "springs @ calls.here(springs.T)": "Chain.__init__",
    "np.linalg.solve(self.stiffness, calls.here(forces))": "Chain.solve",
    "np.linalg.svd(calls.here(model.stiffness))": "modes",
    "vectors @ calls.here((vectors.T @ calls.here(forces))": "compare",
}


def blas_on_openmp(interpreter):
    """Whether an interpreter's NumPy computes with OpenMP, as `pinsight doctor` sees it."""
    done = subprocess.run([places.COMMAND, "doctor", "--no-trial", "--format", "json", "--", interpreter],
                          stdout=subprocess.PIPE)
    found = json.loads(done.stdout.decode())["findings"] if done.stdout else []
    return any(one["check"] == "blas" and one["level"] == "ok" for one in found)


def built(short):
    return pytest.param(short, id="built-" + short, marks=pytest.mark.long)


@pytest.fixture(scope="module", params=["system", built("3.12"), built("3.13")])
def interpreter(request):
    """The system's Python with the distribution's NumPy; others with a NumPy from its source package."""
    path = "/usr/bin/python3"
    if request.param != "system":
        found = [python for python in pythons() if python.short == request.param]
        path = numpy_on_openmp(found[0]) if found else places.missing("CPython " + request.param)
    if not os.path.exists(path) or not blas_on_openmp(path):
        places.missing("a NumPy on an OpenMP BLAS (Debian: python3-numpy, libopenblas0-openmp)")
    asked = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], stdout=subprocess.PIPE)
    if not (places.LIBDIR / ("_pinsight_python-%s.so" % asked.stdout.decode().strip())).exists():
        places.missing("an extension for the system's Python")
    return path


@pytest.fixture
def example(run_command, interpreter, tmp_path):
    """example(options…) runs it and gives what it did, and what it noted: {frames: times}."""
    def run(*options, **how):
        noted = tmp_path / "calls.json"
        # Threads that spin while they wait take minutes beside other work.
        env = dict({"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1"}, **how.pop("env", {}))
        result = run_command(interpreter, EXAMPLE / "modes.py", "--rounds", "2", "--calls", noted, options=options,
                             env=env, **how)
        assert result.rc == 0, result.stderr
        calls = {tuple(map(tuple, one["frames"])): one["times"] for one in json.loads(noted.read_text())}
        return result, calls
    return run


def user_frames(path):
    """The frames of a path that are the program's own, as traceback has them: file, line, bare name."""
    return tuple((frame["file"], frame["line"], frame["function"].rsplit(".", 1)[-1])
                 for frame in path if frame["file"] in FILES)


def check_links(regions, calls):
    """Regions and what the program noted tell of the same places, each with the same call path."""
    started = collections.Counter()
    for region in regions:
        assert region["calls"] > 0 and region["python_path"], region
        started[user_frames(region["python_path"])] += region["calls"]
    assert set(started) == set(calls)
    for region in regions:
        frame = user_frames(region["python_path"])[-1]
        assert (region["python_file"], region["python_line"]) == frame[:2]
        line = open(region["python_file"]).read().splitlines()[region["python_line"] - 1]
        wanted = [function for text, function in STATEMENTS.items() if text in line]
        assert wanted == [region["python_function"]], line
    assert len({region["python_function"] for region in regions}) == len(STATEMENTS)
    # A product is one region, as large as these are; solving and SVD take several each.
    for frames, times in calls.items():
        assert started[frames] >= times
    return started


def links(regions):
    return sorted((json.dumps(region["python_path"]), region["symbol"], region["offset"], region["calls"])
                  for region in regions)


def test_every_region_has_its_line(example):
    result, calls = example("--lossless")
    report = result.report("--openmp")
    check_links(report["regions"], calls)
    missing = report["not_recorded"]
    assert not missing["discarded_events"] and not missing["lost_frames"] and not missing["dropped_ends"]
    # The sums of the functions, and what is outside of them and of other domains, are the time that the thread ran.
    openmp = report["openmp"]
    total = sum(function["all_ns"] for function in openmp["functions"]) + openmp["elsewhere_ns"] + openmp["others_ns"]
    assert abs(total - openmp["wall_ns"]) <= 0.02 * openmp["wall_ns"]
    for function in openmp["functions"]:
        regions = function["regions"]
        parts = sum(regions[kind] for kind in ("work_ns", "imbalance_ns", "waiting_ns", "runtime_ns"))
        assert abs(parts - regions["total_ns"]) <= max(0.02 * regions["total_ns"], 1000)
        assert function["all_ns"] == function["python_ns"] + function["c_ns"] + regions["total_ns"]
    caused = {function["name"]: function["regions"]["calls"] for function in openmp["functions"]}
    for name in STATEMENTS.values():
        assert caused[name] == sum(region["calls"] for region in report["regions"] if region["python_function"] == name)
    # The program's threads: the one that calls, and one that helps.
    assert all(region["threads"] == 2 for region in report["regions"])


@pytest.mark.parametrize("options", [["--events", "none"], ["--domains", "openmp"]], ids=" ".join)
def test_the_same_without_python_events(example, options):
    """How many regions a solve takes is the same from run to run: the links must be, too."""
    result, calls = example("--lossless")
    with_events = result.report("--openmp")["regions"]
    result, again = example("--lossless", *options)
    without = result.report("--openmp")
    check_links(without["regions"], again)
    assert links(without["regions"]) == links(with_events)
    assert sum(function["calls"] for function in without["functions"]) == 0


def test_the_report_shows_the_line(example):
    result, _ = example()
    shown = subprocess.run([places.COMMAND, "report", str(result.folder), "--openmp"], stdout=subprocess.PIPE,
                           env=dict(os.environ, COLUMNS="200")).stdout.decode()
    for file, text in (("chain.py", "springs @"), ("chain.py", "solve(self"), ("modes.py", "svd(calls")):
        line = next(number for number, line in enumerate((EXAMPLE / file).read_text().splitlines(), 1) if text in line)
        assert "%s:%d" % (file, line) in shown


NUMBERS = """
import hashlib, numpy
random = numpy.random.default_rng(1)
a, b = random.random((300, 300)) + 300 * numpy.eye(300), random.random((300, 50))
for x in (numpy.linalg.solve(a, b), a @ b, *numpy.linalg.svd(a)):
    print(hashlib.sha256(numpy.ascontiguousarray(x).tobytes()).hexdigest())
"""


def test_results_do_not_change(run_command, interpreter):
    """The same numbers, to the last bit, as without PInsight."""
    env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    plain = subprocess.run([interpreter, "-c", NUMBERS], stdout=subprocess.PIPE, env=dict(os.environ, **env))
    traced = run_command(interpreter, "-c", NUMBERS, options=["-q", "--no-summary"], env=env)
    assert plain.returncode == traced.rc == 0
    assert traced.stdout == plain.stdout.decode()
