"""Options of the build: each optional dependency is used if it is found, needed, or not looked for."""
import subprocess

import pytest

from support import places

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(options LANGUAGES C)
list(APPEND CMAKE_MODULE_PATH "%s/cmake")
include(PinsightDependencies)
message(STATUS "found ${PINSIGHT_HAVE_LTTNG} ${BABELTRACE2_FOUND} ${LIBDW_FOUND} ${OTF2_FOUND}")
"""
NAMES = ("LTTNG", "BABELTRACE2", "LIBDW", "OTF2")
NOWHERE = ["-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON"]


@pytest.fixture(scope="module")
def configure(tmp_path_factory):
    """Configures the part of the build that looks for libraries; gives the exit status and the text."""
    folder = tmp_path_factory.mktemp("options")
    (folder / "CMakeLists.txt").write_text(PROJECT % places.ROOT)

    def run(**values):
        options = ["-DPINSIGHT_%s=%s" % item for item in values.items()]
        done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", "-U", "PINSIGHT_*", *NOWHERE, *options],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=120)
        return done.returncode, " ".join(done.stdout.split())
    return run


def test_what_is_found_is_used_and_what_is_off_is_not_looked_for(configure):
    status, said = configure()
    assert status == 0 and "libdw was not found: native regions are shown without their source lines (Debian: apt install libdw-dev" in said
    status, said = configure(**dict.fromkeys(NAMES, "OFF"))
    assert status == 0 and "found FALSE FALSE FALSE FALSE" in said and "was not found" not in said.replace("cmocka", "")


@pytest.mark.parametrize("name, part", [("LTTNG", "lttng-ust>=2.13"), ("BABELTRACE2", "babeltrace2>=2.0"), ("LIBDW", "libdw")])
def test_what_is_on_is_needed(name, part, configure):
    status, said = configure(**{name: "ON"})
    assert status != 0 and "%s was not found, and PINSIGHT_%s is ON (Debian: apt install" % (part, name) in said, said


def test_a_word_that_is_none(configure):
    status, said = configure(LTTNG="maybe")
    assert status != 0 and 'PINSIGHT_LTTNG is "maybe": it takes AUTO, ON or OFF' in said, said
