"""mpi4py, and the tests that its source package has."""
import fcntl
import glob
import shutil
import subprocess

from .places import BUILD, missing

PACKAGES = ("mpi4py", "numpy")


def environment(flavour, folder):
    """The variables by which mpi4py takes this flavour's library, whatever the distribution calls it; `folder`
    gets the name that mpi4py asks for."""
    if flavour.library() is None:
        missing("the library of %s" % flavour)
    name = folder / {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}[flavour.flavour]
    folder.mkdir(exist_ok=True)
    name.symlink_to(flavour.library())
    return {"MPI4PY_MPIABI": flavour.flavour, "LD_LIBRARY_PATH": str(folder), "MPI4PY_LIBMPI": str(name)}


def tests(path):
    """The folder with the tests of the mpi4py that the Python at `path` has; downloaded once."""
    asked = subprocess.run([path, "-c", "import mpi4py; print(mpi4py.__version__)"], stdout=subprocess.PIPE)
    version = asked.stdout.decode().strip()
    place = BUILD / "mpi4py"
    place.mkdir(exist_ok=True)
    folder = place / ("mpi4py-" + version)
    with open(place / "lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            done = subprocess.run([path, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-binary", "mpi4py",
                                   "--no-deps", "-d", str(place), "mpi4py==" + version],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            found = glob.glob(str(place / ("mpi4py-%s.tar.gz" % version)))
            if not found:
                missing("the source package of mpi4py %s:\n%s" % (version, done.stdout.decode(errors="replace")[-2000:]))
            subprocess.run(["tar", "-xf", found[0], "-C", str(place)], check=True)
            (folder / "whole").write_text("")
    return folder / "test"
