"""Domains that are built beside those in src: each folder in tests/domains.txt, as docs/domains.md describes it.

One small build has all of them. Each folder's check.py then runs with that build.
"""
import os
import subprocess

import pytest

from support import places
from support.pythons import pythons

FOLDERS = [line for line in (places.TESTS / "domains.txt").read_text().splitlines() if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """A build with the domains: the command, the shim and the newest Python's extension, without optimisation."""
    python = pythons()[-1] if pythons() else places.missing("a CPython that an extension was built for")
    folder = places.BUILD / "domains"
    options = ["-DPINSIGHT_EXTRA_DOMAINS=" + ";".join(FOLDERS), "-DPINSIGHT_TESTS=OFF", "-DPINSIGHT_FIND_PYTHONS=OFF",
               "-DPINSIGHT_PYTHONS=" + python.base, "-DCMAKE_C_FLAGS=-O0"]
    environment = {name: value for name, value in os.environ.items() if name != "CMAKE_ARGS"}
    done = subprocess.run([str(places.ROOT / "cmake" / "build"), "--target", "pinsight_domains", str(folder)] + options,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, env=environment)
    assert done.returncode == 0, done.stdout
    return folder, python


@pytest.mark.wheel
@pytest.mark.parametrize("domain", FOLDERS)
def test_a_domain_of_its_own(build, domain):
    folder, python = build
    done = subprocess.run([python.base, "-B", str(places.ROOT / domain / "check.py"), str(folder)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    assert done.returncode == 0, done.stdout
