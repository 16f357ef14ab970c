"""Launchers of MPI's: mpirun of Open MPI and of MPICH, as tests start it."""
import os
import shutil

from .places import missing

FLAVOURS = ("openmpi", "mpich")

# Root may not start Open MPI otherwise; tests may run as root, and on fewer cores than ranks.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PACKAGES = {"openmpi": "openmpi-bin", "mpich": "mpich"}


def mpirun(flavour, ranks, *options):
    """The words that start so many processes; several blocks (MPMD) are made by hand after them."""
    path = shutil.which("mpirun." + flavour)
    if not path:
        missing("mpirun.%s (Debian: %s)" % (flavour, PACKAGES[flavour]))
    return [path, *(["--oversubscribe"] if flavour == "openmpi" else []), *options, "-n", str(ranks)]


def environment(**more):
    """This process's environment with what the launchers need."""
    return dict(os.environ, **ENVIRONMENT, **more)
