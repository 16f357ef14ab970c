"""Names of Fortran routines that f2py made callable."""
import subprocess

import pytest

from support import native, places
from support.pythons import pythons


# Before 3.12, the interpreter does not report calls of such objects.
@pytest.mark.parametrize("python", [python for python in pythons() if python.version >= (3, 12)], ids=str)
@pytest.mark.parametrize("imported, plain", [("lapack", "0"), ("_lapack", "0"), ("lapack", "1")])
def test_routine(python, imported, plain, run_traced, tmp_path):
    """By the public module that has it, or else by the extension module."""
    include = subprocess.run([python.base, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()
    package = tmp_path / "algebra"
    native.build(package, "_lapack.so", (places.PROGRAMS / "f2py_routine.c").read_text(), "-I" + include)
    (package / "__init__.py").write_text("")
    (package / "lapack.py").write_text("from algebra._lapack import dgesv\n")
    program = "from algebra.%s import dgesv\nfor _ in range(3):\n    dgesv()\n" % imported
    trace = run_traced(python, program, env={"PYTHONPATH": str(tmp_path), "PINSIGHT_PLAIN": plain}).trace
    name = "algebra.%s.dgesv" % imported
    assert sum(moment[:2] == ("c_begin", name) for moment in trace.main().moments) == 3
    assert name in {event.fields["callee_name"] for event in trace.infos["callee_info"]}


@pytest.mark.wheel
def test_scipy(newest, run_traced):
    """Routines of SciPy, by the modules that its documentation names."""
    program = """import numpy, scipy.linalg.blas, scipy.linalg.lapack
square = numpy.eye(3)
for _ in range(3):
    scipy.linalg.blas.dgemm(1.0, square, square)
    scipy.linalg.lapack.dgesv(square, square)
"""
    trace = run_traced(newest, program, packages=("scipy",)).trace
    calls = [moment.name for moment in trace.main().moments if moment.kind == "c_begin"]
    assert calls.count("scipy.linalg.blas.dgemm") == 3 and calls.count("scipy.linalg.lapack.dgesv") == 3
    assert "fortran" not in calls
