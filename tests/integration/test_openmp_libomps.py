"""The OpenMP tests with every other libomp that is here: a newer one tells more, and other things."""
import os
import subprocess
import sys

import pytest

from support import native, openmp, places

TESTS = ["test_openmp_programs.py", "test_openmp_ends.py", "test_openmp_domain.py", "test_report_openmp_run.py"]
# One that was only unpacked (apt-get download libomp5-19, dpkg -x) is named so.
NAMED = os.environ.get("PINSIGHT_OTHER_LIBOMP")


def others():
    """libomps that are not the one that programs find."""
    if NAMED:
        return [os.path.realpath(NAMED)]
    here = [path for path in native.libomp_files() if os.path.basename(path) == "libomp.so.5"]
    return [path for path in here if path != openmp.libomp()]


@pytest.mark.long
def test_with_another_libomp():
    found = others()
    if not found:
        pytest.skip("only one libomp here; PINSIGHT_OTHER_LIBOMP=PATH names another (Debian: libomp5-19)")
    for path in found:
        search = [os.path.dirname(path), os.environ.get("LD_LIBRARY_PATH")]
        environment = dict(os.environ, PINSIGHT_TEST_LIBOMP=path, LD_LIBRARY_PATH=":".join(filter(None, search)))
        environment.pop("PYTEST_XDIST_WORKER", None)
        done = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-q", *(str(places.TESTS / "integration" / name) for name in TESTS)],
            cwd=str(places.TESTS), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            errors="replace")
        assert done.returncode == 0, "%s:\n%s" % (path, done.stdout[-8000:])
