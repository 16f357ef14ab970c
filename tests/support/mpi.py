"""MPI as tests use it: the flavours that are installed, their compilers and launchers."""
import functools
import os
import shutil
import subprocess

from . import places

# Neither wants to run as root, nor more processes than there are processors; tests do both. Open MPI 5.0 warns, in the
# program's output, where an interface has no network to another (IPv6 in a container, say): one that always reaches.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_base_warn_component_unused": "0", "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_tcp_if_include": "lo",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
FLAVOURS = ("openmpi", "mpich")


def wrappers_built(flavour):
    return (places.LIBDIR / ("libpinsight-mpi-%s.so" % flavour)).exists()


@functools.lru_cache(maxsize=None)
def library(flavour):
    """The path of a flavour's library, or None."""
    pattern = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[flavour]
    told = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, encoding="utf-8").stdout
    for line in told.splitlines():
        if line.split() and line.split()[0] == pattern:
            return os.path.realpath(line.split()[-1])
    return None


@functools.lru_cache(maxsize=None)
def launcher_of(flavour):
    """Whose mpirun starts a flavour's programs. MPICH in Ubuntu 24.04 was built for PMIx, which its own mpirun does not
    speak, so that each rank is alone (bug 2072338 of Launchpad); Open MPI's speaks it."""
    if flavour == "mpich" and library(flavour):
        needs = subprocess.run(["ldd", library(flavour)], stdout=subprocess.PIPE, encoding="utf-8").stdout
        if "libpmix" in needs and shutil.which("mpirun.openmpi"):
            return "openmpi"
    return flavour


class Mpi:
    """One flavour: `compile` a program, and the words that start one."""

    def __init__(self, flavour):
        self.flavour = flavour
        self.compiler = shutil.which("mpicc." + flavour)
        self.launcher = shutil.which("mpirun." + launcher_of(flavour))

    def __repr__(self):
        return self.flavour

    @property
    def is_there(self):
        return bool(self.compiler and self.launcher and wrappers_built(self.flavour))

    def compile(self, source, program, *options):
        """Compiles the file `source` into `program`; gives its path."""
        done = subprocess.run([self.compiler, "-g", "-O1", "-w", str(source), "-o", str(program), *options],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        assert done.returncode == 0, done.stdout
        return program

    def command(self, ranks, *words):
        return [self.launcher, "-n", str(ranks), *[str(word) for word in words]]

    def library(self):
        """The library itself, for what picks one at run time."""
        return library(self.flavour)


def flavours():
    return [Mpi(flavour) for flavour in FLAVOURS]
