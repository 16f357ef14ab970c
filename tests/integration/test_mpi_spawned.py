"""Processes of MPI_Comm_spawn where `pinsight run` stands behind the launcher, whose children they are.

With Open MPI: Debian's MPICH (4.0.2) cannot spawn under its own mpirun, whoever looks.
"""
import json
import os
import subprocess

import pytest

from support import mpi, places, pythons
from support.traces import Trace

FLAVOUR = mpi.Mpi("openmpi")

SPAWNER = """
import os, sys
from mpi4py import MPI
def in_parent(): pass
def in_child(): pass
parent = MPI.Comm.Get_parent()
if parent == MPI.COMM_NULL:
    in_parent()
    children = MPI.COMM_WORLD.Spawn(sys.executable, args=[__file__, "a b", ""], maxprocs=2, root=1)
    children.bcast(7, root=MPI.ROOT if MPI.COMM_WORLD.rank == 0 else MPI.PROC_NULL)
    children.Disconnect()
else:
    for _ in range(10): in_child()
    told = parent.bcast(None, root=0)
    left = sorted({"LD_PRELOAD", "PINSIGHT_JOIN", "PINSIGHT_PUT_BACK"} & set(os.environ))
    os.write(1, f"child {told} {sys.argv[1:]} {left}\\n".encode())  # at once, also where PYTHONUNBUFFERED is set
    parent.Disconnect()
"""

ABSENT = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int error = MPI_Comm_spawn("./absent", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
    puts(error == MPI_SUCCESS ? "spawned" : "refused");
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 0);
}
"""


@pytest.fixture
def behind(tmp_path):
    """Runs a command behind Open MPI's mpirun and in front of it; gives what the program says, and the rest."""
    if not FLAVOUR.is_there:
        places.missing("Open MPI")

    def run(ranks, *words, options=(), rc=0, traced=True):
        middle = [places.COMMAND, "run", "-o", "trace", "--no-summary", "--lossless", *options, "--"] if traced else []
        done = subprocess.run(FLAVOUR.command(ranks, *middle, *words), cwd=tmp_path, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", timeout=150, env=dict(os.environ, **mpi.ENVIRONMENT))
        assert rc is None or done.returncode == rc, done.stderr
        return done.stdout, done.stderr
    return run


def test_in_c(behind, tmp_path):
    """Also by MPI_Comm_spawn_multiple; the program's info and the processes' environments are what they were."""
    program = FLAVOUR.compile(places.PROGRAMS / "mpi_spawn.c", tmp_path / "mpi_spawn")
    said, _ = behind(2, program, options=["--domains", "mpi"])
    lines = sorted(said.splitlines())
    assert lines[0] == "child 0 got -1, told first"
    assert lines[1:] in (["child 1 got 0, told nothing"], ["child 1 got 0, told first"])  # the latter: see mpi_spawn.c
    told = json.loads(subprocess.run([places.COMMAND, "report", "trace", "--mpi", "--format", "json"], cwd=tmp_path,
                                     stdout=subprocess.PIPE, check=True).stdout)["mpi"]
    assert sorted(rank["rank"] for rank in told["ranks"]) == [0, 0, 1, 1]
    parent, = [comm for comm in told["communicators"] if comm["name"] == "MPI_COMM_PARENT"]
    assert (parent["size"], parent["remote_size"]) == (2, 2)
    assert (told["matching"]["sends"], told["matching"]["matched"]) == (1, 1)


def test_in_python(behind, tmp_path):
    """Their functions are recorded, their words and their environment are those that the program gave."""
    python = pythons.pythons()[-1].with_packages("mpi4py")
    (tmp_path / "spawner.py").write_text(SPAWNER)
    said, errors = behind(2, python, "spawner.py")
    assert said == "child 7 ['a b', ''] []\n" * 2, errors
    trace = Trace(tmp_path / "trace")
    assert (trace.calls("in_parent"), trace.calls("in_child")) == (2, 20)
    assert len(trace.infos["process_info"]) == 4
    assert "not recorded" not in errors


def test_what_is_not_there(behind, tmp_path):
    """It fails where the program expects that, at the call."""
    (tmp_path / "absent.c").write_text(ABSENT)
    program = FLAVOUR.compile(tmp_path / "absent.c", tmp_path / "spawner")
    plain, _ = behind(1, program, rc=None, traced=False)
    said, errors = behind(1, program, rc=None)
    assert said == plain
    assert "pinsight: ./absent, which MPI_Comm_spawn is to start, is not found from here, so its processes are not recorded; " in errors


def test_a_process_that_is_not_there(tmp_path):
    """As on another host: the command runs, and it is said that it is not recorded."""
    helper = places.LIBDIR / "pinsight-spawned"
    if not helper.exists():
        places.missing("a build with the MPI domain")
    for number in (str(os.getpid()), "0", "x"):
        done = subprocess.run([helper, number, "no-such-session", "sh", "-c", "echo $0 $1; exit 3", "a b", "c"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        assert (done.returncode, done.stdout) == (3, "a b c\n")
        assert "which MPI_Comm_spawn started, is not recorded" in done.stderr
    assert subprocess.run([helper, "0", "s", "./absent"], stderr=subprocess.DEVNULL, cwd=tmp_path).returncode == 127
    assert subprocess.run([helper], stderr=subprocess.DEVNULL).returncode == 2
