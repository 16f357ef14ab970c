"""The unit tests have LTTng worlds of their own: a session daemon of the user's is not seen by them."""
import json
import shutil
import subprocess

import pytest

from support import places

CTEST = shutil.which("ctest")
# Where tests/run builds them, and where a person may have.
FOLDERS = [folder for folder in (places.BUILD / "asan", places.BUILD) if (folder / "tests" / "core_helper").exists()]


@pytest.fixture(autouse=True)
def unit_tests():
    if not CTEST or not FOLDERS:
        places.missing("ctest, and the unit tests")


def test_beside_a_session_daemon(world_with_daemon):
    """core_helper looks which descriptors a process has, and LTTng's library opens some where a daemon answers."""
    done = world_with_daemon.run([CTEST, "--test-dir", FOLDERS[0], "-R", "^core_helper$", "--output-on-failure"],
                                 timeout=120)
    assert done.returncode == 0, done.stdout.decode(errors="replace")
    assert b"100% tests passed" in done.stdout


def test_every_unit_test():
    told = subprocess.run([CTEST, "--test-dir", str(places.BUILD), "-L", "unit", "--show-only=json-v1"],
                          stdout=subprocess.PIPE, check=True).stdout
    tests = json.loads(told)["tests"]
    assert len(tests) > 50
    assert [test["name"] for test in tests if not test["command"][0].endswith("/tests/isolate")] == []
