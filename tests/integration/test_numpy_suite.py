"""NumPy's own tests of arithmetic, indexing, subclasses, overrides and scalars go as they go without PInsight, which
stands before the operators that they test, and before the properties.

Each runs twice; a version takes some minutes.
"""
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from support.pythons import pythons

pytestmark = pytest.mark.long

FILES = ["arrayprint", "indexing", "item_selection", "memmap", "multiarray", "numeric", "overrides", "records", "scalar_methods",
         "scalarmath", "shape_base", "umath", "ufunc"]
MORE = ["lib.tests.test_mixins", "lib.tests.test_stride_tricks", "ma.tests.test_core", "ma.tests.test_subclassing",
        "matrixlib.tests.test_defmatrix"]
EVERY = """
[Python]
    properties = numpy.ndarray, numpy.generic
"""


def outcomes(report):
    """{test: how it went}, of pytest's report in XML."""
    found = {}
    for case in ElementTree.parse(str(report)).getroot().iter("testcase"):
        name = "%s::%s" % (case.get("classname"), case.get("name"))
        found.setdefault(name, []).extend(child.tag for child in case if child.tag in ("failure", "error", "skipped"))
    return found


def with_numpy(versions):
    for python in pythons():
        if python.short in versions:
            yield pytest.param(python, versions[python.short], id="%s-numpy %s" % (python.short, versions[python.short]))


@pytest.mark.parametrize("python, version", with_numpy({"3.8": "1.24.4", "3.11": "1.26.4", "3.12": "1.26.4", "3.13": "2.3.5", "3.15": "2.5.5"}))
@pytest.mark.parametrize("properties", [False, True], ids=["operators", "operators and properties"])
def test_numpys_own(python, version, properties, run_command, tmp_path):
    path = python.with_packages("numpy==" + version, "pytest", "hypothesis")
    core = "numpy._core" if int(version.split(".")[0]) > 1 else "numpy.core"
    files = ["%s.tests.test_%s" % (core, name) for name in FILES] + ["numpy." + name for name in MORE]
    argv = [path, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider", "-k", "not test_large and not memory",
            "--hypothesis-seed=1", "--pyargs", *files]
    plain = subprocess.run([*argv, "--junitxml", str(tmp_path / "plain.xml")], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1200, cwd=str(tmp_path))
    options = ["--no-summary", "--max-size", "100M"]
    if properties:
        (tmp_path / "properties.ini").write_text(EVERY)
        options += ["-c", str(tmp_path / "properties.ini")]
    traced = run_command("bash", "-c", 'exec "$@" 2>&1', "bash", *argv, "--junitxml", tmp_path / "traced.xml", timeout=3600,
                         options=options)
    before, after = outcomes(tmp_path / "plain.xml"), outcomes(tmp_path / "traced.xml")
    assert len(before) > 5000
    differ = {name: (before.get(name), after.get(name)) for name in before.keys() | after.keys()
              if before.get(name) != after.get(name)}
    assert not differ
    assert traced.rc == plain.returncode
    print("%d tests" % len(before))
