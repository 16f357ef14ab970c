"""examples/mpi: a solver on mpi4py. What an option made slow is found, with its rank and line."""
import os
import subprocess

import pytest

from support import mpi, places
from support.pythons import pythons

EXAMPLE = places.ROOT / "examples" / "mpi"


def line_of(name, text):
    return next(number for number, line in enumerate((EXAMPLE / name).read_text().splitlines(), 1) if text in line)


@pytest.fixture
def solver():
    """Words that start it on so many ranks, and their environment; the flavour is Open MPI's."""
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    path = pythons()[-1].with_packages("mpi4py", "numpy")
    env = dict(mpi.ENVIRONMENT, MPI4PY_LIBMPI=flavour.library(), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    return lambda ranks, *options: flavour.command(ranks, path, EXAMPLE / "jacobi.py", *options), env


def mean_of(text):
    assert " ranks, " in text, text
    return float(text.split("mean ")[1].split(",")[0])


def plain(solver, ranks, *options):
    words, env = solver
    return mean_of(subprocess.run(words(ranks, *options), stdout=subprocess.PIPE, env=dict(os.environ, **env), check=True,
                                  encoding="utf-8", timeout=120).stdout)


@pytest.mark.storm
def test_blocks_give_what_one_gives(solver):
    """The grid may be cut as one likes: the same plate, but for the last digits of a sum."""
    small = ("--n", "61", "--steps", "40")
    one = plain(solver, 1, *small)
    assert all(abs(plain(solver, ranks, *small) - one) < 2e-6 for ranks in (2, 4))


@pytest.mark.alone
def test_the_slow_rank_is_found(solver, run_command):
    words, env = solver
    options = ("--n", "600", "--steps", "40", "--slow-rank", "1", "--imbalance", "12")
    expected = plain(solver, 2, *options)
    result = run_command(*words(2, *options), env=env, timeout=300)
    assert result.rc == 0, result.stderr
    assert abs(mean_of(result.stdout) - expected) < 2e-6
    told = result.report("--mpi")["mpi"]
    first = max(told["wait_states"], key=lambda wait: wait["total_ns"])
    assert first["suffers"]["rank"] == 0 and first["causes"]["rank"] == 1
    for who in (first["suffers"], first["causes"]):
        assert (who["python_file"], who["python_line"]) == (str(EXAMPLE / "block.py"), line_of("block.py", "comm.Sendrecv("))
    ranks = {one["rank"]: one for one in told["ranks"]}
    # What both do alike, imports and all, is in it too.
    assert ranks[1]["useful_ns"] > 1.3 * ranks[0]["useful_ns"] and ranks[0]["wait_ns"] > ranks[1]["wait_ns"]
