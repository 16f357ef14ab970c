"""A pytest plugin: says which of CPython's two tracing mechanisms this machine's Pythons have.

Python 3.12 and later report events through sys.monitoring, 3.8 to 3.11 through a profile function.
A machine may lack Pythons of one kind; the tests then cover one mechanism only, and the end of the
run says so. With CI=true that is a failure.
"""
import os
from pathlib import Path

import pytest

MECHANISMS = ("sys.monitoring (3.12 and later)", "profile function (3.8 to 3.11)")


def covered():
    """The versions that there is an extension for, by mechanism."""
    found = {name: [] for name in MECHANISMS}
    listing = Path(os.environ["PINSIGHT_BUILD"]) / "pythons.txt"
    for line in listing.read_text().splitlines():
        tag, version, _ = line.split("\t")
        minor = int(tag.rstrip("t").split(".")[1])
        found[MECHANISMS[0] if minor >= 12 else MECHANISMS[1]].append(version)
    return found


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("Python mechanisms")
    for name, versions in covered().items():
        if versions:
            terminalreporter.line("{}: covered with {}".format(name, ", ".join(versions)))
        else:
            terminalreporter.line(
                "{}: NOT COVERED, this machine has no such Python with its headers".format(name)
            )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    if os.environ.get("CI") == "true" and not all(covered().values()) and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
