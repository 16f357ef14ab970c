"""Code in assembly: for this processor, and for the other one in an emulator."""
import platform
import shutil
import subprocess

import pytest

from support.places import BUILD, ROOT, TESTS

NATIVE = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}.get(platform.machine().lower())
INCLUDE = ["-I%s" % folder for folder in (ROOT / "src", ROOT / "include", BUILD / "generated")]
PRELOAD = ROOT / "src" / "tracer" / "preload"
FLAGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"]
SHARED = ["-fPIC", "-fvisibility=hidden"]


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request):
    """The compiler for a processor, and the command that runs its programs."""
    if NATIVE is None:
        pytest.skip("there are no trampolines for %s" % platform.machine())
    if request.param == NATIVE:
        compiler, emulator = shutil.which("cc"), []
        if not compiler:
            pytest.skip("needs a C compiler")
        return compiler, emulator
    compiler, emulator = shutil.which("%s-linux-gnu-gcc" % request.param), shutil.which("qemu-%s" % request.param)
    if not compiler or not emulator:
        package = request.param.replace("_", "-")
        pytest.skip("needs a compiler and an emulator for %s: Debian's gcc-%s-linux-gnu, libc6-dev-%s-cross and qemu-user"
                    % (request.param, package, {"aarch64": "arm64", "x86_64": "amd64"}[request.param]))
    return compiler, [emulator]


def test_calls_of_blas(machine, tmp_path):
    """Arguments, results, the stack's alignment and unwinders, of calls that are observed and that are not."""
    compiler, emulator = machine
    subprocess.run([compiler, "-static", *FLAGS, *INCLUDE, "-o", tmp_path / "trampolines",
                    TESTS / "programs" / "blas_trampolines.c", PRELOAD / "blas" / "trampolines.S"], check=True)
    done = subprocess.run([*emulator, tmp_path / "trampolines"], stdout=subprocess.PIPE, encoding="utf-8")
    assert done.stdout == "30 calls, 0 failures\n" and done.returncode == 0, done.stdout


@pytest.mark.parametrize("of, more", [("blas", [TESTS / "programs" / "blas_trampolines.c"]), ("gomp", []), ("mpi", [])])
def test_code_for_a_library(of, more, machine, tmp_path):
    """The assembler takes it, and the linker finds nothing that a preloaded library may not have."""
    compiler, _ = machine
    subprocess.run([compiler, *FLAGS, *SHARED, *INCLUDE, "-I%s" % PRELOAD, "-shared", "-Wl,-z,text", "-o", tmp_path / "library.so",
                    PRELOAD / of / "trampolines.S", *more], check=True)
