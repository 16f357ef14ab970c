"""NumPy built from its source package on an OpenBLAS that runs on OpenMP.

Wheels of NumPy bring an OpenBLAS on pthreads, and distributions build NumPy for their own Python only.
"""
import fcntl
import glob
import os
import pathlib
import subprocess

from .places import missing

VERSION = "2.1.3"
TOOLS = ("meson-python", "Cython", "ninja")
# Where Debian has it (libopenblas0-openmp; libopenblas-openmp-dev only adds headers and names).
LIBRARIES = "/usr/lib/*-linux-gnu/openblas-openmp/libopenblas.so.0"


def numpy_on_openmp(python):
    """The path of `python` in a virtual environment with such a NumPy; it is built once, in some minutes."""
    libraries = glob.glob(LIBRARIES)
    if not libraries:
        missing("OpenBLAS on OpenMP (Debian: libopenblas0-openmp)")
    path = pathlib.Path(python.with_packages(*TOOLS))
    folder = path.parent.parent
    with open(folder / "numpy.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (folder / "numpy.log").exists():
            build(path, folder, libraries[0])
    return str(path)


def build(path, folder, library):
    names = folder / "openblas"
    names.mkdir(exist_ok=True)
    link = names / "libopenblas.so"
    if not link.is_symlink():
        link.symlink_to(library)
    (names / "openblas.pc").write_text(
        "Name: openblas\nDescription: OpenBLAS on OpenMP\nVersion: 0.3\n"
        "Libs: -L\"%s\" -lopenblas -Wl,-rpath,%s\n" % (names, os.path.dirname(library)))
    env = dict(os.environ, PKG_CONFIG_PATH=str(names), PATH="%s:%s" % (path.parent, os.environ["PATH"]))
    settings = ["blas=openblas", "lapack=openblas", "allow-noblas=false", "cpu-dispatch=none"]
    command = [str(path), "-m", "pip", "install", "--disable-pip-version-check", "--no-cache-dir", "--no-build-isolation",
               "--no-binary", "numpy", *("-Csetup-args=-D" + setting for setting in settings), "numpy==" + VERSION]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        missing("NumPy built from its source package:\n%s" % text[-4000:])
    (folder / "numpy.log").write_text(text)
