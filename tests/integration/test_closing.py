"""The lines that close a run of the tests: what failed, and what failed once but not when run again."""
import subprocess
import sys

import pytest

from support import places

LISTING = "3.13\t3.13.0\t/x\n3.11\t3.11.7\t/y\n"


def report(file, **cases):
    """A report in JUnit's form: cases are name=outcome."""
    inner = "".join('<testcase classname="a" name="%s">%s</testcase>' % (name, "" if outcome == "passed" else "<%s/>" % outcome)
                    for name, outcome in cases.items())
    file.write_text('<testsuites><testsuite time="1">%s</testsuite></testsuites>' % inner)
    return str(file)


@pytest.fixture
def close(tmp_path):
    def run(beside, *again):
        (tmp_path / "pythons").write_text(LISTING)
        words = []
        for number, cases in enumerate(again):
            words += ["--again", report(tmp_path / ("again-%d" % number), **cases) if cases else str(tmp_path / "none")]
        done = subprocess.run([sys.executable, str(places.TESTS / "closing.py"), *words, str(tmp_path / "pythons"),
                               report(tmp_path / "beside", **beside)], stdout=subprocess.PIPE, encoding="utf-8")
        return done.returncode, done.stdout.splitlines()[2:]
    return run


FIRST = {"x": "passed", "y": "failure", "z": "error"}


def test_what_failed_is_named(close):
    assert close(FIRST) == (1, ["FAILED a::y", "ERROR a::z", "===== 1 failed, 1 passed, 1 error in 1.00s ====="])


def test_what_passes_by_itself_is_unsteady(close):
    assert close(FIRST, {"y": "passed", "z": "passed"}, {"y": "passed", "z": "failure"}) == (1, [
        "UNSTEADY a::y: failed once, see above, and passed by itself 2 times",
        "ERROR a::z", "===== 1 passed, 1 unsteady, 1 error in 1.00s ====="])
    assert close(FIRST, *[{"y": "passed", "z": "passed"}] * 2)[0] == 0


def test_what_was_not_run_again_to_the_end_failed(close):
    assert close(FIRST, None, {"y": "passed", "z": "passed"})[0] == 1
    assert close(FIRST, {"y": "passed", "z": "skipped"}, {"y": "passed", "z": "passed"})[0] == 1
