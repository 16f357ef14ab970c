"""The lines that close a run of the tests: what failed, and what failed once but not when run again."""
import os
import subprocess
import sys

import pytest

from support import places

LISTING = "3.15\t3.15.0\t/x\n3.11\t3.11.7\t/y\n"


def report(file, **cases):
    """A report in JUnit's form: cases are name=outcome."""
    inner = "".join('<testcase classname="a" name="%s">%s</testcase>' % (name, "" if outcome == "passed" else "<%s/>" % outcome)
                    for name, outcome in cases.items())
    file.write_text('<testsuites><testsuite time="1">%s</testsuite></testsuites>' % inner)
    return str(file)


@pytest.fixture
def close(tmp_path):
    def run(beside, *again, listing=LISTING, env=None):
        (tmp_path / "pythons.txt").write_text(listing)
        words = []
        for number, cases in enumerate(again):
            words += ["--again", report(tmp_path / ("again-%d" % number), **cases) if cases else str(tmp_path / "none")]
        done = subprocess.run([sys.executable, str(places.TESTS / "closing.py"), *words, str(tmp_path / "pythons.txt"),
                               report(tmp_path / "beside", **beside)], stdout=subprocess.PIPE, encoding="utf-8",
                              env=dict(os.environ, **(env or {"CI": ""})))
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


def test_the_newest_python_is_tested(close, tmp_path):
    """Or the end of the run says why not; with CI=true that fails it."""
    older = LISTING.replace("3.15", "3.14")
    line = "CPython 3.15, the newest that PInsight is for: NOT TESTED; "
    assert close({"x": "passed"}, listing=older) == (0, [line + "tests/pythons fetches it", "===== 1 passed in 1.00s ====="])
    (tmp_path / "pythons").mkdir()
    (tmp_path / "pythons" / "why").write_text("there was no network\n")
    assert close({"x": "passed"}, listing=older, env={"CI": "true"}) == (1, [
        line + "there was no network", "FAILED CPython 3.15 is not tested, which CI=true does not allow",
        "===== 1 failed, 1 passed in 1.00s ====="])


def test_the_newest_python_is_the_one_that_is_claimed():
    """What the closing lines want, what is fetched for the tests, and what the README promises."""
    sys.path.insert(0, str(places.TESTS))
    try:
        import closing
    finally:
        sys.path.pop(0)
    wanted = subprocess.run([str(places.TESTS / "pythons"), "--wanted"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    assert wanted.stdout.split()[-1] == closing.NEWEST
    assert "from 3.8 to %s," % closing.NEWEST in (places.ROOT / "README.md").read_text(encoding="utf-8")
