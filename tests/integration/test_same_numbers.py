"""Processes that have the same number: each in a PID namespace of its own, as in containers; one after the other; or one
that executes itself again."""
import json
import subprocess

import pytest

from support import mpi, mpi4py_source, places

ALONE = ["unshare", "--pid", "--fork", "--mount-proc"]


@pytest.fixture
def alone():
    if subprocess.run([*ALONE, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("makes PID namespaces, which needs root")


def report(folder):
    return json.loads(subprocess.run([places.COMMAND, "report", "--format", "json", str(folder)], stdout=subprocess.PIPE,
                                     check=True).stdout)


def calls(told, *names):
    return {row["name"]: row["calls"] for row in told["functions"] if row["name"] in names}


def nothing_is_lost(told):
    missing = told["not_recorded"]
    return not any(missing[key] for key in ("lost_frames", "dropped_ends", "missing_events", "warnings"))


@pytest.mark.parametrize("options", [(), ("--ring", "64M"), ("--mode", "MONITORING")], ids=["all", "ring", "monitoring"])
def test_two_that_are_1(newest, run_command, alone, options):
    """Two programs at once, each the first process of its own namespace."""
    script = """
for each in alpha:3000 beta:5000; do
    %s "$0" -c 'import sys; name, count = sys.argv[1].split(":")
exec("def %%s(): pass\\nfor _ in range(%%s): %%s()" %% (name, count, name))' $each &
done; wait""" % " ".join(ALONE)
    result = run_command("sh", "-c", script, newest.path, options=("--no-summary", *options))
    assert result.rc == 0, result.stderr
    told = report(result.folder)
    assert calls(told, "alpha", "beta") == {"alpha": 3000, "beta": 5000}
    assert nothing_is_lost(told), told["not_recorded"]
    assert [process["pid"] for process in told["processes"]] == [1, 1]
    assert len(told["threads"]) == 2
    assert sum(thread["calls"] for thread in told["threads"]) == sum(row["calls"] for row in told["functions"])


def test_the_plugin_tells_them_apart(newest, run_command, alone):
    plugins = places.LIBDIR / "babeltrace2"
    if not plugins.exists():
        places.missing("the plugin of babeltrace2")
    script = """
for each in alpha beta; do
    %s "$0" -c 'import sys
exec("def %%s(): pass\\nfor _ in range(20): %%s()" %% (sys.argv[1], sys.argv[1]))' $each &
done; wait""" % " ".join(ALONE)
    result = run_command("sh", "-c", script, newest.path, options=("--no-summary",))
    text = subprocess.run(["babeltrace2", "--plugin-path", str(plugins), "--component", "filter.pinsight.names",
                           str(result.folder)], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    begins = [line for line in text.splitlines() if ":begin:" in line]
    assert [sum('qualname = "%s"' % name in line for line in begins) for name in ("alpha", "beta")] == [20, 20]


AGAIN = """
import os, sys, time
life = int(os.environ.get("LIFE", "1"))
def serve(): time.sleep(0.02)
def again():
    os.environ["LIFE"] = str(life + 1)
    os.execv(sys.executable, [sys.executable, *sys.argv])
def last(): pass
serve()
if life < 3: again()
last()
"""


@pytest.mark.parametrize("options", [(), pytest.param(("--recorder", "lttng", "--lossless"), marks=pytest.mark.recorder("lttng"))],
                         ids=["file", "lttng"])
def test_the_same_command_again(newest, run_traced, options):
    """As scripts do that set OMP_NUM_THREADS: nothing of one life is in another."""
    result = run_traced(newest, AGAIN, "--no-summary", *options, file="again.py")
    told = report(result.folder)
    assert calls(told, "serve", "again", "last") == {"serve": 3, "again": 2, "last": 1}
    # Each life has its own module at the bottom, and its own wait in it.
    (module,) = [row for row in told["functions"] if row["name"] == "<module>" and row["file"].endswith("again.py")]
    (sleep,) = [row for row in told["c_calls"] if row["name"] == "time.sleep"]
    assert module["calls"] == 3 and sleep["calls"] == 3
    busy = sum(thread["busy_ns"] for thread in told["threads"])
    assert module["total_ns"] <= busy
    assert module["max_ns"] < module["total_ns"] - 2 * 20_000_000
    assert nothing_is_lost(told), told["not_recorded"]


PING = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


# Faults of the libraries where ranks have no common PID namespace, with nothing recorded, too: Open MPI 4.1 ends with
# SIGSEGV in its shared memory, and UCX, which MPICH may be built with, often waits in MPI_Finalize for ever.
APART = {"OMPI_MCA_btl": "tcp,self", "UCX_TLS": "sysv,self"}


@pytest.mark.parametrize("flavour", mpi.flavours(), ids=repr)
def test_ranks_that_are_1(run_command, tmp_path, alone, flavour):
    """What two ranks in containers did is what they did without: as many calls, messages and bytes, all matched."""
    if not flavour.is_there:
        places.missing(str(flavour))
    (tmp_path / "ping.c").write_text(PING)
    program = flavour.compile(tmp_path / "ping.c", tmp_path / "ping")
    found = []
    for words in ([], ALONE):
        result = run_command(*flavour.command(2, *words, program), options=("--no-summary",),
                             env=dict(mpi.ENVIRONMENT, **APART))
        assert result.rc == 0, result.stderr
        told = report(result.folder)
        made = told["mpi"]
        found.append(([made[key] for key in ("calls", "failed", "sent_bytes", "received_bytes", "matrix", "matching")],
                      sorted(process["rank"] for process in told["processes"])))
    assert found[0][1] == [0, 1] and found[0][0][-1]["matched"] == 20
    assert found[0] == found[1]


EXCHANGE = """
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
other = 1 - rank

def ping():
    for i in range(10):
        data = bytearray(8 * (i + 1))
        if rank == 0:
            comm.Send(data, dest=1, tag=i)
            comm.Recv(data, source=1, tag=i)
        else:
            comm.Recv(data, source=0, tag=i)
            comm.Send(data, dest=0, tag=i)

def objects():
    if rank == 0:
        comm.send({"a": 1}, dest=1, tag=77)
    else:
        comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)

def at_once():
    out, back = bytearray(100000), bytearray(100000)
    MPI.Request.Waitall([comm.Isend(out, dest=other), comm.Irecv(back, source=other)])
    comm.Sendrecv(out, dest=other, recvbuf=back, source=other)

def together():
    comm.bcast([1, 2, 3], root=0)
    comm.gather(rank, root=1)
    comm.Barrier()

ping()
objects()
at_once()
together()
"""


def but_times(rows, *names):
    """What each row has under these names, in an order of their own: that of the report is by time."""
    return sorted(([row[name] for name in names] for row in rows), key=repr)


def matrix_of(folder):
    text = subprocess.run([places.COMMAND, "report", "--mpi", str(folder)], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout
    return text[text.index("\nCommunication matrix"):].strip().split("\n\n")[0]


@pytest.mark.parametrize("flavour", mpi.flavours(), ids=repr)
def test_ranks_of_python_that_are_1(newest, run_command, tmp_path, alone, flavour):
    """The reports on two ranks of mpi4py say the same but times: of Python, of MPI, and of who sent what to whom."""
    if not flavour.is_there:
        places.missing(str(flavour))
    (tmp_path / "exchange.py").write_text(EXCHANGE)
    # All that runs within imports is not the same twice: the first may write .pyc files.
    env = dict(mpi.ENVIRONMENT, **APART, PINSIGHT_IMPORT="modules",
               **mpi4py_source.environment(flavour, tmp_path / "library"))
    program = [newest.with_packages("mpi4py"), tmp_path / "exchange.py"]
    found = []
    for words in ([], ALONE):
        result = run_command(*flavour.command(2, *words, *program), options=("--no-summary",), env=env)
        assert result.rc == 0, result.stderr
        told = report(result.folder)
        assert nothing_is_lost(told), told["not_recorded"]
        assert {process["pid"] for process in told["processes"]} == {1} or not words
        made = told["mpi"]
        found.append({
            "processes": but_times(told["processes"], "rank", "name", "program", "command"),
            "threads": but_times(told["threads"], "name", "calls", "c_calls", "max_depth"),
            "functions": but_times(told["functions"], "name", "file", "line", "calls"),
            "c_calls": but_times(told["c_calls"], "name", "caller", "caller_line", "calls"),
            **{key: made[key] for key in ("calls", "failed", "sent_bytes", "received_bytes", "matrix", "message_sizes",
                                          "matching", "open_calls", "deaths", "failed_calls")},
            "ranks": but_times(made["ranks"], "rank", "flavour", "finalized", "calls", "requests_completed",
                               "sent_messages", "sent_bytes", "received_messages"),
            "mpi": but_times(made["functions"], "name", "calls", "sent_bytes", "received_bytes"),
            "lines": but_times(made["lines"], "function", "python_function", "python_line", "calls"),
            "communicators": but_times(made["communicators"], "name", "size", "ranks", "collectives"),
            "text": matrix_of(result.folder),
        })
    apart = found.pop()
    assert apart["matching"]["matched"] == apart["matching"]["sends"] == 25
    for key, value in found[0].items():
        assert apart[key] == value, key
