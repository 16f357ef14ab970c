"""Parallel jobs under a real mpirun, of Open MPI and of MPICH: one session, one trace, one summary, and the launcher
learns what it would learn without PInsight.

The programs call no MPI: a rank is what the launcher's environment says.
"""
import os
import re
import signal
import subprocess

import pytest

from support import launchers, places, world
from support.traces import Trace

# rank() calls work() 100 times for rank 0, 200 times for rank 1, and so on; then does what its words say of its rank.
WORK = """
import os, signal, sys, time
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", -1)))
def work(): pass
for _ in range(100 * (rank + 1)): work()
open("began-%d" % rank, "w").close()
if len(sys.argv) > 1 and rank == int(sys.argv[1]):
    while not all(os.path.exists("began-%d" % other) for other in range(int(sys.argv[3]))): time.sleep(0.01)
    if sys.argv[2] == "exit": sys.exit(3)
    if sys.argv[2] == "abort": os.abort()
    os.kill(os.getpid(), signal.SIGKILL)
if len(sys.argv) > 1:
    time.sleep(300)
    open("outlived-%d" % rank, "w").close()
"""


@pytest.fixture(params=launchers.FLAVOURS)
def flavour(request):
    launchers.mpirun(request.param, 1)
    return request.param


@pytest.fixture
def program(tmp_path):
    (tmp_path / "work.py").write_text(WORK)
    return tmp_path / "work.py"


def launch(place, tmp_path, words, rc=0, timeout=120):
    done = place.run(words, cwd=tmp_path, env=launchers.environment(PYTHONPATH=str(places.PACKAGES)), timeout=timeout)
    said = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    assert rc is None or done.returncode == rc, said
    return said


def ranks_of(trace):
    """{rank: (host, how often it called work())}"""
    found = {}
    for event in trace.infos["process_info"]:
        calls = sum(1 for thread in trace.threads if thread.pid == event.fields["pid"] for moment in thread.moments
                    if moment.kind == "begin" and moment.name == "work")
        found[event.fields["rank"]] = (event.fields["hostname"], calls)
    return found


def run_info(folder):
    """pinsight-run.txt, as a dictionary."""
    lines = (folder / "pinsight-run.txt").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if " " in line)


WAYS = {
    "inside": lambda mpirun, python: [*mpirun, places.COMMAND, "run", "-o", "trace", "--", python, "work.py"],
    "outside": lambda mpirun, python: [places.COMMAND, "run", "-o", "trace", "--", *mpirun, python, "work.py"],
    "module": lambda mpirun, python: [*mpirun, python, "-m", "pinsight", "-o", "trace", "work.py"],
}


@pytest.mark.parametrize("way", WAYS)
def test_one_trace_one_summary(way, flavour, both_mechanisms, own_world, tmp_path, program):
    """The three ways give the same: all ranks in one trace, and the summary once."""
    python = both_mechanisms[list(WAYS).index(way) % len(both_mechanisms)]
    said = launch(own_world, tmp_path, WAYS[way](launchers.mpirun(flavour, 3), python.path))
    assert len(re.findall("^Next  ", said, re.M)) == 1 and "pinsight:" not in said, said
    host = os.uname().nodename
    trace = Trace(tmp_path / "trace")
    assert ranks_of(trace) == {rank: (host, 100 * (rank + 1)) for rank in range(3)}
    trace.assert_balanced()
    info = run_info(tmp_path / "trace")
    assert (info["ended"], info["exit_status"]) == ("yes", "0")
    assert own_world.left_over(8) == {}


@pytest.mark.parametrize("how, who", [("exit", 0), ("kill", 0), ("kill", 1), ("abort", 1)])
def test_a_rank_fails(how, who, flavour, newest, own_world, tmp_path, program):
    """The launcher learns it as without PInsight, ends the others, and the trace is complete."""
    if how == "exit" and flavour == "mpich":
        pytest.skip("MPICH waits for the other ranks when one that has not called MPI ends with a status")
    said = launch(own_world, tmp_path, [*launchers.mpirun(flavour, 2), places.COMMAND, "run", "-o", "trace", "--",
                                        newest.path, "work.py", who, how, 2], rc=None)
    assert not list(tmp_path.glob("outlived-*")), said
    assert world.wait_until(lambda: run_info(tmp_path / "trace").get("ended") == "yes", 60), said
    assert own_world.left_over(30) == {}
    calls = {rank: calls for rank, (_, calls) in ranks_of(Trace(tmp_path / "trace")).items()}
    assert calls == {0: 100, 1: 200}
    assert len(re.findall("^Next  ", said, re.M)) <= 1
    subprocess.run([places.COMMAND, "report", str(tmp_path / "trace")], stdout=subprocess.DEVNULL, check=True)


# A process that leaves its session late, as on a busy machine.
SLOW_SETSID = """
#include <sys/syscall.h>
#include <unistd.h>
pid_t setsid(void) { usleep(200000); return (pid_t)syscall(SYS_setsid); }
"""


@pytest.mark.storm
def test_ranks_are_killed_at_once(newest, tmp_path):
    """A launcher kills the ranks' process group before anything but the command has begun; the trace is completed."""
    (tmp_path / "slow.c").write_text(SLOW_SETSID)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "slow.so", tmp_path / "slow.c"], check=True)
    job = launchers.environment(PMI_RANK="0", PMI_SIZE="2", MPI_LOCALRANKID="0", MPI_LOCALNRANKS="2",
                                LD_PRELOAD=str(tmp_path / "slow.so"))
    done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--", "sh", "-c", "kill -9 0"], cwd=tmp_path, env=job,
                          start_new_session=True, stderr=subprocess.DEVNULL)
    assert done.returncode == -signal.SIGKILL
    assert world.wait_until(lambda: run_info(tmp_path / "trace").get("ended") == "yes", 60)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to have another host's name")
@pytest.mark.recorder("lttng")
def test_ranks_on_another_host(newest, own_world, tmp_path, program):
    """A launcher that carries the environment to other hosts: what is not recorded there is said, once a host."""
    ranks = """for rank in 0 1 2 3; do
        export PMI_RANK=$rank PMI_SIZE=4 MPI_LOCALRANKID=$((rank % 2)) MPI_LOCALNRANKS=2
        if [ $rank -lt 2 ]; then "$@" & else unshare --uts --net sh -c 'hostname other; exec "$@"' sh "$@" & fi
    done
    wait"""
    said = launch(own_world, tmp_path, [places.COMMAND, "run", "-o", "trace", "--", "sh", "-c", ranks, "sh",
                                        newest.path, "work.py"])
    host = os.uname().nodename
    assert said.count("the processes on other are not recorded, for the session of this run is on %s" % host) == 1, said
    assert ranks_of(Trace(tmp_path / "trace")) == {0: (host, 100), 1: (host, 200)}


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to have another host's name")
def test_a_session_for_each_host(newest, own_world, tmp_path, program):
    """PInsight behind the launcher: each host has its session, and its folder in the one that -o names."""
    ranks = """for rank in 0 1 2 3; do
        export PMI_RANK=$rank PMI_SIZE=4 MPI_LOCALRANKID=$((rank % 2)) MPI_LOCALNRANKS=2
        export XDG_RUNTIME_DIR=$PWD/runtime-$((rank / 2)); mkdir -p $XDG_RUNTIME_DIR
        if [ $rank -lt 2 ]; then "$@" & else unshare --uts sh -c 'hostname other; exec "$@"' sh "$@" & fi
    done
    wait"""
    said = launch(own_world, tmp_path, ["sh", "-c", ranks, "sh", places.COMMAND, "run", "-o", "trace", "--",
                                        newest.path, "work.py"])
    host = os.uname().nodename
    assert sorted(path.name for path in (tmp_path / "trace").iterdir()) == sorted([host, "other"]), said
    assert len(re.findall("^Next  ", said, re.M)) == 1, said
    assert "pinsight: this is of the host %s; of all hosts, when they have ended: " % host in said
    assert "pinsight: the trace is in trace/other; next: " in said
    assert ranks_of(Trace(tmp_path / "trace" / host)) == {0: (host, 100), 1: (host, 200)}
    assert ranks_of(Trace(tmp_path / "trace" / "other")) == {2: ("other", 300), 3: ("other", 400)}


def wait_for_ranks(tmp_path, count):
    assert world.wait_until(lambda: len(list(tmp_path.glob("began-*"))) == count, 30)


@pytest.mark.parametrize("way", ["inside", "outside"])
def test_ctl_addresses_ranks(way, flavour, newest, own_world, tmp_path, program):
    """Modes of ranks that run; then Ctrl-C for the launcher, which ends them all, and the trace is complete."""
    words = WAYS[way](launchers.mpirun(flavour, 3), newest.path)
    # Rank 9 is nobody: all sleep.
    running = own_world.start([*words, "9", "exit", "0"], cwd=tmp_path, env=launchers.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True)
    try:
        wait_for_ranks(tmp_path, 3)
        done = own_world.run([places.COMMAND, "ctl", "trace", "--rank", "0,2", "mode", "Python=STANDBY"], cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert sorted(re.findall(r"\(rank (\d)\)", done.stdout.decode())) == ["0", "2"]
        os.killpg(running.pid, signal.SIGINT)
        said = running.communicate(timeout=60)[0].decode(errors="replace")
        # MPICH's mpiexec ends with 2 or 11 by itself, and rarely with 0.
        assert flavour == "mpich" or running.returncode != 0
    finally:
        running.kill()
        running.wait()
    assert not list(tmp_path.glob("outlived-*"))
    assert world.wait_until(lambda: run_info(tmp_path / "trace").get("ended") == "yes", 60), said
    assert own_world.left_over(30) == {}
    trace = Trace(tmp_path / "trace")
    assert {rank: calls for rank, (_, calls) in ranks_of(trace).items()} == {0: 100, 1: 200, 2: 300}
    changed = {event.fields["pid"] for event in trace.infos["mode_change"]}
    rank = {event.fields["pid"]: event.fields["rank"] for event in trace.infos["process_info"]}
    assert sorted(rank[pid] for pid in changed) == [0, 2]
