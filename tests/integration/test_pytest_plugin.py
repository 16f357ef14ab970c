"""pytest --pinsight: tests are recorded, the slowest are named, and a run is compared with an earlier one."""
import os
import subprocess
import sys

import pytest

from support import page, places
from support.pythons import pythons

TESTS = '''
import time
import pytest
def spend(n):
    return sum(i * i for i in range(n))
def test_quick():
    assert spend(3) == 5
def test_slow():
    assert spend(100000 * FACTOR) > 0
def test_wrong():
    assert spend(3) == 6
@pytest.mark.parametrize("text", ["a;b", "\\u00e4"])
def test_named(text):
    time.sleep(0.001)
'''


# More text than folded stacks have: of a reading of the whole trace, the deepest are left out.
WIDE = '''
import time
for number in range(20000):
    exec("def wide_%d_%s(): pass" % (number, "e" * 900))
wide = [value for name, value in globals().items() if name.startswith("wide_")]
def spend():
    time.sleep(0.05)
def test_wide():
    for function in wide:
        function()
def test_after_it():
    for turn in range(3):
        spend()
'''


@pytest.fixture
def suite(tmp_path):
    """Runs pytest on some tests; `factor` makes one of them slower."""
    if not any(os.path.realpath(python.path) == os.path.realpath(sys.executable) for python in pythons()):
        pytest.skip("there is no extension for the Python that pytest runs in")

    def run(*options, factor=1, rc=1, tests=TESTS):
        (tmp_path / "test_some.py").write_text(tests.replace("FACTOR", str(factor)))
        env = {key: value for key, value in os.environ.items() if not key.startswith(("PINSIGHT_", "PYTEST_"))}
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "pinsight.pytest_plugin", "-p", "no:cacheprovider", *options, "test_some.py"],
                              cwd=tmp_path, env=dict(env, PYTHONPATH=str(places.PACKAGES)), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=120)
        assert done.returncode == rc, done.stdout
        return done.stdout
    return run


def test_tests_are_recorded(suite, tmp_path):
    told = suite("--pinsight=out", factor=3)
    slowest = [line for line in told.splitlines() if " s  test_some.py::" in line]
    times = [float(line.split()[0]) for line in slowest]  # on a busy machine, any test may be the slowest
    assert len(times) == 5 and times == sorted(times, reverse=True)
    assert any("test_some.py::test_slow" in line and "in spend" in line for line in slowest)
    assert "1 failed, 4 passed" in told and str(tmp_path / "out.html") in told
    names = {frame["name"] for frame in page.read(tmp_path / "out.html").frames if frame["category"] == "region"}
    assert len(names) == 5 and "test_some.py::test_wrong" in names


def test_slow_tests_have_their_functions_among_very_many_stacks(suite, tmp_path):
    told = suite("--pinsight=out", rc=0, tests=WIDE)
    (slow,) = [line for line in told.splitlines() if " s  test_some.py::test_after_it" in line]
    assert "in spend, test_some.py:6" in slow, told


def test_wrappers_of_other_plugins_are_not_recorded(suite, tmp_path):
    suite("--pinsight=out", "-k", "quick", rc=0)
    functions = {frame["name"] for frame in page.read(tmp_path / "out.html").frames}
    assert "spend" in functions and not [name for name in functions if "Capture" in name], functions


@pytest.mark.storm
def test_runs_are_compared(suite):
    suite("--pinsight=before", "-k", "slow", rc=0)
    told = suite("--pinsight=after", "--pinsight-against=before", "--pinsight-fail-above=200", "-k", "slow", factor=40)
    assert "--pinsight-fail-above=200 allows; most by test_some.py::test_slow" in told and "1 passed" in told
    told = suite("--pinsight=same", "--pinsight-against=after", "--pinsight-fail-above=0", "-k", "slow", rc=0)
    assert "1 test: " in told and "allows" not in told
    assert "nothing is compared" in suite("--pinsight=other", "--pinsight-against=before", "-k", "quick", rc=0)


@pytest.mark.storm
def test_workers_record_into_one_trace(suite, tmp_path):
    told = suite("--pinsight=out", "-n", "2")
    assert "test_some.py::test_slow" in told and str(tmp_path / "out.html") in told
    read = page.read(tmp_path / "out.html")
    assert len([process for process in read.report["processes"] if process["events"]]) >= 2


@pytest.mark.storm
def test_without_the_option_nothing_is_recorded(suite, tmp_path):
    assert "pinsight" not in suite().replace("pinsight.pytest_plugin", "")
    assert not list(tmp_path.glob("pinsight*"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "not empty" in suite("--pinsight=full", rc=4)
    assert "need --pinsight" in suite("--pinsight-fail-above=3", rc=4)
