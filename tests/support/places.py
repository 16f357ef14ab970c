"""Where things are, and what to do about something that is missing."""
import importlib.util
import os
import re
import sys
import zlib
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


def plain_path(path, folder):
    """A path of the file that can stand in LD_PRELOAD and in a script's first line: the loader divides the one at blanks
    and colons, the kernel the other at blanks, and it reads no more than 255 bytes. Where this checkout's own does not
    serve, it goes through a link in `folder` to the file's prefix: a virtual environment stays one."""
    path = Path(path)
    if re.search(r"[\s:]", str(path)) or len(os.fsencode(path)) > 200:
        prefix = path.parent.parent
        link = folder / ("prefix-%08x" % zlib.crc32(os.fsencode(prefix)))
        if not link.is_symlink():
            link.symlink_to(prefix)
        path = link / path.parent.name / path.name
        if re.search(r"[\s:]", str(path)):
            pytest.skip("the temporary folder's path has a blank or a colon, which LD_PRELOAD and a script's first line divide at")
    return str(path)


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
