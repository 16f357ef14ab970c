"""The table of features and versions of CPython that the tests covered (tests/versions)."""
import fnmatch
import importlib.machinery
import importlib.util
import re
import subprocess
import sys

import pytest

from support import places

CASE = '<testcase classname="%s" name="%s">%s</testcase>'


def suite(file, *cases):
    """A report in JUnit's form; a case is (class, name, outcome, what it traced)."""
    inner = ""
    for where, name, outcome, traced in cases:
        about = '<properties><property name="traced" value="%s" /></properties>' % traced if traced else ""
        inner += CASE % (where, name, about + ("" if outcome == "passed" else "<%s/>" % outcome))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('<testsuites><testsuite time="1">%s</testsuite></testsuites>' % inner)


@pytest.fixture
def table(tmp_path):
    """table(): exit status, {feature: {version: cell}}, and the lines below the table."""
    (tmp_path / "pythons.txt").write_text("3.8\t3.8.18\t/x\n3.13t\t3.13.1\t/y\n3.15\t3.15.0\t/z\n")

    def run():
        done = subprocess.run([sys.executable, str(places.TESTS / "versions"), str(tmp_path)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8")
        if not done.stdout:
            return done.returncode, {}, done.stderr.splitlines()
        rows, _, rest = done.stdout.partition("\n\n")
        head, *rows = rows.splitlines()
        versions = head.split()[3:]
        cells = {row[:-6 * len(versions)].strip(): dict(zip(versions, row[-6 * len(versions):].split())) for row in rows}
        assert max(map(len, [head, *rows])) < 80
        return done.returncode, cells, rest.splitlines()
    return run


GENERATORS = "integration.test_generators"


def test_each_cell_is_what_ran(table, tmp_path):
    """By the version in the test's parameters, and else by that of the program that it traced."""
    suite(tmp_path / "test-results" / "quick" / "beside each other.xml",
          (GENERATORS, "test_a[3.15]", "passed", None), (GENERATORS, "test_b[3.15-file]", "passed", None),
          (GENERATORS, "test_c", "passed", "sys.monitoring; 3.15.0"), (GENERATORS, "test_d", "passed", None),
          ("integration.test_free_threaded.TestFree", "test_e[3.13t]", "failure", None),
          ("integration.test_gc", "test_f[3.8-3.15]", "skipped", None))
    suite(tmp_path / "test-results" / "pythons" / "alone.xml", (GENERATORS, "test_a[3.13t]", "passed", None),
          (GENERATORS, "test_b[file-3.13t]", "error", None))
    suite(tmp_path / "test-results" / "pythons" / "ctest-unit.xml", (GENERATORS, "test_a[3.8]", "passed", None))
    status, cells, said = table()
    assert status == 1
    assert cells["generators"] == {"3.8": "-", "3.13t": "1!1", "3.15": "3"}
    assert cells["many threads"] == {"3.8": "-", "3.13t": "!1", "3.15": "-"}
    assert cells["garbage"] == {"3.8": "skip", "3.13t": "-", "3.15": "-"}
    assert [line.partition(", ended")[0] for line in said[:2]] == ["pythons: 2 tests", "quick: 6 tests"]
    assert said[2] == "3 of %d cells have a test that ran; failed tests: 2" % (3 * len(cells))


def test_a_test_that_passes_by_itself_has_passed(table, tmp_path):
    part = tmp_path / "test-results" / "quick"
    suite(part / "alone.xml", (GENERATORS, "test_a[3.15]", "failure", None))
    for turn in "12":
        suite(part / ("again-%s.xml" % turn), (GENERATORS, "test_a[3.15]", "passed", None))
    status, cells, _ = table()
    assert (status, cells["generators"]["3.15"]) == (0, "1")


def test_without_results(table, tmp_path):
    status, _, said = table()
    assert status == 1 and said == ["tests/versions: %s has no results; run make test and make check-pythons" % tmp_path]


def test_a_report_that_was_cut(table, tmp_path):
    suite(tmp_path / "test-results" / "quick" / "alone.xml", (GENERATORS, "test_a[3.15]", "passed", None))
    (tmp_path / "test-results" / "quick" / "beside each other.xml").write_text("<testsuites>")
    status, _, said = table()
    assert status == 1 and "quick: beside each other.xml cannot be read" in said


def test_each_feature_has_tests():
    """The table names tests that there are, of which one runs with every Python."""
    path = str(places.TESTS / "versions")
    sys.path.insert(0, str(places.TESTS))
    try:
        loader = importlib.machinery.SourceFileLoader("versions", path)
        versions = importlib.util.module_from_spec(importlib.util.spec_from_loader("versions", loader))
        loader.exec_module(versions)
    finally:
        sys.path.pop(0)
    found = {}
    for file in (places.TESTS / "integration").glob("test_*.py"):
        for name, arguments in re.findall(r"^ *def (test_\w+)\(([^)]*)\)", file.read_text(encoding="utf-8"), re.M):
            found["%s::%s" % (file.stem[len("test_"):], name)] = "python" in arguments.replace(" ", "").split(",")
    for feature, patterns in versions.FEATURES.items():
        named = {pattern: fnmatch.filter(found, pattern if "::" in pattern else pattern + "::*") for pattern in patterns}
        assert all(named.values()), (feature, named)
        assert any(found[name] for names in named.values() for name in names), feature


@pytest.mark.pythons
def test_tests_of_some_pythons_alone():
    """pytest --python, by the parameters of each test."""
    def selected(*options):
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options,
                               str(places.TESTS / "integration" / "test_interpreters.py"),
                               str(places.TESTS / "integration" / "test_plain_form.py")],
                              stdout=subprocess.PIPE, encoding="utf-8")
        return [line for line in done.stdout.splitlines() if "::" in line]
    everything = selected()
    some = selected("--python", "3.15", "--python", "none")
    assert some and set(some) == {line for line in everything
                                  if line.endswith(("[3.15]", "-3.15]", "[3.15-True]", "[3.15-False]")) or "[3." not in line}
