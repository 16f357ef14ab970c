"""The request to Numba to report its functions, with a package in its place that has the same parts."""
import subprocess

import pytest

from support import native

EXTENSION = r"""
#include <Python.h>
static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT, .m_name = "_dispatcher", .m_size = -1};
PyMODINIT_FUNC PyInit__dispatcher(void) {
    return PyModule_Create(&definition);
}
"""
PROGRAM = ("import os, numba; from numba.core import config; "
           "print(config.ENABLE_SYS_MONITORING, os.environ.get('NUMBA_ENABLE_SYS_MONITORING'))")


@pytest.fixture
def package(python, tmp_path):
    """package(version) makes the package, and gives the environment for it."""
    include = subprocess.run([python.base, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()
    core = tmp_path / "place" / "numba" / "core"
    core.mkdir(parents=True)
    native.build(core.parent, "_dispatcher.so", EXTENSION, "-I" + include)
    (core / "__init__.py").write_text("")
    (core / "config.py").write_text(
        "import os\nENABLE_SYS_MONITORING = int(os.environ.get('NUMBA_ENABLE_SYS_MONITORING', 0))\n")

    def make(version="0.68.1"):
        (core.parent / "__init__.py").write_text(
            "__version__ = %r\nfrom numba.core import config\nfrom numba import _dispatcher\n" % version)
        return {"PYTHONPATH": str(tmp_path / "place")}
    return make


def test_request(python, package, run_traced):
    result = run_traced(python, PROGRAM, env=package())
    assert result.stdout.split() == ["1" if python.version >= (3, 12) else "0", "None"]


def test_releases_that_cannot_do_it(python, package, run_traced):
    """Numba 0.65.1 warns in CPython 3.14.4 and later."""
    result = run_traced(python, PROGRAM, env=package("0.65.1"))
    assert result.stdout.split()[0] == ("1" if (3, 12) <= python.version < (3, 14) else "0")


@pytest.mark.parametrize("options, env, expected", [
    ((), {"NUMBA_ENABLE_SYS_MONITORING": "0"}, "0 0"),
    ((), {"NUMBA_ENABLE_SYS_MONITORING": "1"}, "1 1"),
    (("--events", "c_call"), {}, "0 None"),
    ((), {"PINSIGHT_PLAIN": "1"}, "0 None"),
], ids=["refused", "set", "c_call", "plain"])
def test_no_request(python, package, options, env, expected, run_traced):
    result = run_traced(python, PROGRAM, *options, env={**package(), **env})
    assert result.stdout.strip() == expected
