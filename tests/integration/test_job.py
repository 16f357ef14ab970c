"""Processes of one parallel job: one of them on a host keeps the session, the others join it.

No launcher is needed: what mpirun or srun would set in the environment is set by hand.
"""
import collections
import os
import subprocess
import time

import pytest

from support import places, world
from support.traces import Trace

WORK = "import sys, time\ndef work(): pass\nfor _ in range(int(sys.argv[1])): work()\ntime.sleep(float(sys.argv[2]))\n"

LAUNCHERS = {
    "openmpi": lambda rank, size: {
        "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": size, "OMPI_COMM_WORLD_LOCAL_RANK": rank,
        "OMPI_COMM_WORLD_LOCAL_SIZE": size, "PMIX_NAMESPACE": "prterun-host-%d@1" % os.getpid()},
    "hydra": lambda rank, size: {
        "PMI_RANK": rank, "PMI_SIZE": size, "MPI_LOCALRANKID": rank, "MPI_LOCALNRANKS": size},
    "slurm": lambda rank, size: {
        "SLURM_JOB_ID": os.getpid(), "SLURM_STEP_ID": 0, "SLURM_PROCID": rank, "SLURM_LOCALID": rank,
        "SLURM_NODEID": 0, "SLURM_STEP_TASKS_PER_NODE": size, "SLURM_STEP_NUM_TASKS": size},
}

# Where a rank on its host is not said, who comes first keeps the session, in the folder of its host.
UNPLACED = {
    "pmix": lambda rank, size: {"PMIX_NAMESPACE": "prterun-host-%d@1" % os.getpid(), "PMIX_RANK": rank},
    "pmi": lambda rank, size: {"PMI_RANK": rank, "PMI_SIZE": size},
}


def start_rank(place, tmp_path, newest, rank, size, launcher="openmpi", calls=100, rest=0.0, command=None):
    env = dict(os.environ, **{key: str(value) for key, value in {**LAUNCHERS, **UNPLACED}[launcher](rank, size).items()})
    source = tmp_path / "work.py"
    if not source.exists(): # a rank that started before may be about to read it
        source.write_text(WORK)
    return place.start([places.COMMAND, "run", "-o", tmp_path / "trace", "--",
                        *(command or [newest.path, source, calls, rest])],
                       cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process):
    _, said = process.communicate(timeout=60)
    return process.returncode, said.decode(errors="replace")


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=["supervisor first", "supervisor last"])
def test_one_trace_for_all(launcher, order, own_world, tmp_path, newest):
    processes = {}
    for rank in order:
        processes[rank] = start_rank(own_world, tmp_path, newest, rank, 3, launcher, 100 * (rank + 1))
        time.sleep(0.2)
    said = {rank: finish(process) for rank, process in processes.items()}
    assert [said[rank][0] for rank in range(3)] == [0, 0, 0], said
    assert "Next" in said[0][1] and not said[1][1] and not said[2][1], "one summary, by the one that keeps the session"
    assert own_world.left_over(6) == {}
    trace = Trace(tmp_path / "trace")
    by_process = collections.Counter(thread.pid for thread in trace.threads for moment in thread.moments
                                     if moment.kind == "begin" and moment.name == "work")
    assert sorted(by_process.values()) == [100, 200, 300], said


@pytest.mark.parametrize("launcher", UNPLACED)
def test_who_comes_first_keeps_the_session(launcher, own_world, tmp_path, newest):
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        processes = [start_rank(own_world, folder, newest, rank, 3, launcher, rest=0.5) for rank in (2, 0, 1)]
        said = [finish(process) for process in processes]
        assert [status for status, _ in said] == [0, 0, 0], said
        assert sum("Next" in text for _, text in said) == 1, said
        assert [path.name for path in (folder / "trace").iterdir()] == [os.uname().nodename]
        assert Trace(folder / "trace").calls("work") == 300
    assert own_world.left_over(6) == {}


def test_the_same_job_twice(own_world, tmp_path, newest):
    """A second job with the same name does not meet what the first one left."""
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        processes = [start_rank(own_world, folder, newest, rank, 2, "hydra") for rank in (1, 0)]
        assert [finish(process)[0] for process in processes] == [0, 0]
        assert Trace(folder / "trace").calls("work") == 200


def test_each_rank_has_its_status(own_world, tmp_path, newest):
    first = start_rank(own_world, tmp_path, newest, 0, 2, command=["sh", "-c", "exit 3"])
    second = start_rank(own_world, tmp_path, newest, 1, 2, command=["sh", "-c", "sleep 1; kill -TERM $$"])
    assert (finish(first)[0], finish(second)[0]) == (3, -15)
    assert own_world.left_over(6) == {}


def test_the_supervisors_rank_is_killed(own_world, tmp_path, newest):
    """The others go on, and are recorded to their end."""
    first = start_rank(own_world, tmp_path, newest, 0, 2, command=["sleep", "20"])
    second = start_rank(own_world, tmp_path, newest, 1, 2, calls=500, rest=2.0)
    assert world.wait_until((tmp_path / "trace" / "pinsight-run.txt").exists, 20)
    time.sleep(0.7)
    first.kill()
    assert finish(second)[0] == 0
    own_world.end_what_goes_on("sleep 20", 8)
    assert Trace(tmp_path / "trace").calls("work") == 500


def test_a_rank_is_killed_or_never_comes(own_world, tmp_path, newest):
    """The session ends all the same: at once, or after some seconds of patience."""
    first = start_rank(own_world, tmp_path, newest, 0, 3, calls=100, rest=1.0)
    second = start_rank(own_world, tmp_path, newest, 1, 3, command=["sleep", "20"])
    assert world.wait_until((tmp_path / "trace" / "pinsight-run.txt").exists, 20)
    time.sleep(0.7)
    second.kill()
    assert finish(first)[0] == 0
    for pid, line in own_world.processes().items():
        if line == "sleep 20":
            world.kill(pid, 9)
    assert own_world.left_over(8) == {}
    assert Trace(tmp_path / "trace").calls("work") == 100
