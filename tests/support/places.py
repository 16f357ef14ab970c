"""Where things are, and what to do about something that is missing."""
import importlib.util
import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
BUILD = Path(os.environ.get("PINSIGHT_BUILD", ROOT / "build")).resolve()
PROGRAMS = TESTS / "programs"
ORACLE = TESTS / "oracle" / "oracle.py"
COMMAND = os.environ.get("PINSIGHT_COMMAND", str(BUILD / "bin" / "pinsight"))
LIBDIR = Path(os.environ.get("PINSIGHT_LIBDIR", Path(COMMAND).resolve().parent.parent / "lib" / "pinsight"))
PACKAGES = LIBDIR / "python"
CI = os.environ.get("CI") == "true"


def missing(what):
    """A test cannot run for want of `what`: skipped, but a failure where CI=true."""
    if CI:
        pytest.fail("missing: " + what, pytrace=False)
    pytest.skip("missing: " + what)


def module(path):
    """A program of the project as a module; what it adds to the search path is taken away again."""
    before = list(sys.path)
    spec = importlib.util.spec_from_file_location(path.stem, str(path))
    loaded = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path[:] = before
    return loaded
