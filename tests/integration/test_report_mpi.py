"""What `pinsight report --mpi` says of programs that are known: who waited for whom, messages and their matrix."""
import csv
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import xml.dom.minidom

import pytest

from support import mpi, places

pytestmark = pytest.mark.timed

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
COLLECTIVES = {"MPI_Barrier": "wait_at_barrier", "MPI_Allreduce": "wait_at_nxn", "MPI_Bcast": "late_broadcast",
               "MPI_Reduce": "early_reduce", "MPI_Gather": "early_reduce"}


class Flavour:
    """One MPI: its compiler and its mpirun."""

    def __init__(self, name):
        self.name = name

    def compile(self, folder, program):
        compiler = shutil.which("mpicc." + self.name)
        if not compiler or not shutil.which("mpirun." + self.name):
            places.missing("mpicc.%s and mpirun.%s" % (self.name, self.name))
        subprocess.run([compiler, "-g", "-O1", "-w", "-o", str(folder / program),
                        str(places.PROGRAMS / (program + ".c"))], check=True)
        return folder / program

    def mpirun(self, ranks):
        launcher = mpi.launcher_of(self.name)
        return ["mpirun." + launcher, *(["--oversubscribe"] if launcher == "openmpi" else []), "-n", str(ranks)]


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def flavour(request):
    return Flavour(request.param)


@pytest.fixture(scope="module")
def programs(flavour, tmp_path_factory):
    folder = tmp_path_factory.mktemp(flavour.name)
    return {name: flavour.compile(folder, name) for name in ("mpi_states", "mpi_patterns")}


@pytest.fixture
def traced(flavour, run_command):
    """traced(ranks, words…) gives the command's result; it has to succeed."""
    def run(ranks, *words):
        result = run_command(*flavour.mpirun(ranks), *words, options=["--lossless", "--no-summary"], env=AS_ROOT)
        assert result.rc == 0, result.stderr
        return result
    return run


def report(folder, *options, width=160):
    return subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8", env=dict(os.environ, COLUMNS=str(width))).stdout


def functions_table(folder, width):
    """The rows of the table of MPI functions, its head first, each a list of words."""
    text = report(folder, "--mpi", "--limit", "0", width=width)
    lines = text.split("\nMPI functions", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    assert all(len(line) <= width and "…" not in line for line in lines), lines
    return [line.split() for line in lines]


def report_json(folder):
    return json.loads(report(folder, "--mpi", "--format", "json"))["mpi"]


def calls_of(folder):
    """The calls of each rank, in order: (name, begin, end, fields of the begin)."""
    ranks, opened, pids = {}, {}, {}
    done = subprocess.run([places.COMMAND, "dump", "--format", "json", str(folder)], stdout=subprocess.PIPE, check=True)
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event["event"] == "mpi_info":
            pids[event["pid"]] = event["fields"]["rank"]
        elif event["event"].startswith("MPI_") and event["event"].endswith("_begin"):
            opened[event["pid"]] = event
        elif event["event"].startswith("MPI_"):
            begin = opened.pop(event["pid"])
            ranks.setdefault(pids[event["pid"]], []).append(
                (event["event"][:-4], begin["time_ns"], event["time_ns"], begin["fields"]))
    return ranks


def expected_waits(calls):
    """Wait states of blocking calls on MPI_COMM_WORLD, worked out anew: {(kind, rank, other rank): nanoseconds}."""
    waits = {}

    def add(kind, rank, begin, end, other, at):
        if begin < at <= end:
            waits[kind, rank, other] = waits.get((kind, rank, other), 0) + at - begin
    sends, receives = {}, {}
    for rank, own in calls.items():
        for name, begin, end, fields in own:
            if name == "MPI_Send":
                sends.setdefault((rank, fields["dest"], fields["tag"]), []).append((begin, end))
            elif name == "MPI_Recv":
                receives.setdefault((fields["source"], rank, fields["tag"]), []).append((begin, end))
    for key in sends:
        for send, receive in zip(sends[key], receives[key]):
            add("late_sender", key[1], *receive, key[0], send[0])
            add("late_receiver", key[0], *send, key[1], receive[0])
    in_order = [[call for call in calls[rank] if call[0] in COLLECTIVES] for rank in sorted(calls)]
    for operation in zip(*in_order):
        name, fields = operation[0][0], operation[0][3]
        last = max(range(len(operation)), key=lambda rank: operation[rank][1])
        root = fields.get("root")
        for rank, (_, begin, end, _) in enumerate(operation):
            if name == "MPI_Bcast":
                if rank != root:
                    add(COLLECTIVES[name], rank, begin, end, root, operation[root][1])
            elif COLLECTIVES[name] != "early_reduce":
                add(COLLECTIVES[name], rank, begin, end, last, operation[last][1])
            elif rank == root:
                other = max((other for other in range(len(operation)) if other != root), key=lambda one: operation[one][1])
                add(COLLECTIVES[name], rank, begin, end, other, operation[other][1])
    return waits


def told_waits(told):
    waits = {}
    for row in told["wait_states"]:
        key = row["kind"], row["suffers"]["rank"], row["causes"]["rank"]
        waits[key] = waits.get(key, 0) + row["total_ns"]
    return waits


def is_whole(told):
    """All messages, operations and requests were matched."""
    matching = told["matching"]
    assert matching["sends"] == matching["receives"] == matching["matched"]
    assert matching["byte_mismatches"] == matching["incomplete_collectives"] == matching["misaligned_collectives"] == 0
    assert matching["requests_started"] == matching["requests_completed"]
    assert not told["open_calls"]
    return True


@pytest.mark.alone
def test_wait_states(programs, traced):
    """Kind, size, suffering and causing rank of what is programmed, and of everything else as events tell it."""
    for attempt in range(3):  # a rank may be put aside between its clock and its call
        result = traced(3, programs["mpi_states"])
        told = report_json(result.folder)
        assert is_whole(told)
        waits, calls = told_waits(told), calls_of(result.folder)
        assert waits == expected_waits(calls)
        assert told["wait_ns"] == {kind: sum(ns for key, ns in waits.items() if key[0] == kind)
                                   for kind in told["wait_ns"]}
        barriers = [[call for call in calls[rank] if call[0] == "MPI_Barrier"][-1] for rank in range(3)]
        found = [waits["late_sender", 1, 0], waits["late_broadcast", 0, 2],
                 max(barrier[1] for barrier in barriers) - barriers[0][1],
                 sum(row["total_ns"] for row in told["wait_states"] if row["suffers"]["function"] == "MPI_Reduce")]
        said = [int(number) for number in result.stdout.split()[1:]]
        if attempt == 2 or found == pytest.approx(said, rel=0.05):
            break
    assert found == pytest.approx(said, rel=0.05)
    assert waits["wait_at_barrier", 0, max(range(3), key=lambda rank: barriers[rank][1])] >= found[2]
    efficiency = told["efficiency"]
    assert efficiency["parallel"] == pytest.approx(efficiency["load_balance"] * efficiency["communication"], abs=1e-3)
    assert efficiency["communication"] == pytest.approx(efficiency["serialisation"] * efficiency["transfer"], abs=1e-3)
    useful = [rank["useful_ns"] for rank in told["ranks"]]
    assert efficiency["load_balance"] == pytest.approx(sum(useful) / len(useful) / max(useful), abs=1e-3)
    assert efficiency["runtime_ns"] == max(rank["wall_ns"] for rank in told["ranks"])
    # Which rank has the most of a function, and which the least, is told in numbers that are never cut.
    for width, columns in ((80, 8), (96, 10), (160, 12)):
        head, *rows = functions_table(result.folder, width)
        assert len(rows) == len(told["functions"])
        assert head[-3:] == ["most", "rank", "function"] and ("least" in head) == (width > 80)
        assert len(head) == columns + 1
        for row, function in zip(rows, told["functions"]):
            ranks = sorted((rank["total_ns"], rank["rank"]) for rank in function["ranks"])
            assert row[-1] == function["name"] and int(row[-2]) == ranks[-1][1]
            if "least" in head:
                assert row[-5] == ("-" if len(ranks) == 1 else str(ranks[0][1]))
    text = report(result.folder, "--mpi")
    for word in ("late sender", "late broadcast", "wait at barrier", "early reduce", "parallel efficiency"):
        assert word in text


def ring(size):
    return {(rank, (rank + 1) % size): (3, 300) for rank in range(size)}


def halo(size):
    """As MPI_Dims_create splits 6: 3 rows of 2."""
    assert size == 6
    flows = {}
    for row, column in itertools.product(range(3), range(2)):
        for r, c, count in ((row - 1, column, 64), (row + 1, column, 64), (row, (column - 1) % 2, 32),
                            (row, (column + 1) % 2, 32)):
            if 0 <= r < 3:
                messages, bytes = flows.get((row * 2 + column, r * 2 + c), (0, 0))
                flows[row * 2 + column, r * 2 + c] = messages + 5, bytes + 5 * 8 * count
    return flows


def all_to_all(size):
    return {(a, b): (1, 4 * (a + 1)) for a in range(size) for b in range(size) if a != b}


@pytest.mark.parametrize("name,ranks,expected", [("ring", 4, ring), ("halo", 6, halo), ("all", 4, all_to_all)])
def test_matrix(programs, traced, name, ranks, expected):
    result = traced(ranks, programs["mpi_patterns"], name)
    told = report_json(result.folder)
    assert is_whole(told)
    assert {(flow["from"], flow["to"]): (flow["messages"], flow["bytes"]) for flow in told["matrix"]} == expected(ranks)
    assert all(flow["received"] == flow["messages"] for flow in told["matrix"])
    rows = list(csv.reader(io.StringIO(report(result.folder, "--matrix", "--format", "csv"))))
    assert {(int(row[0]), int(row[1])): (int(row[2]), int(row[3])) for row in rows[1:]} == expected(ranks)
    picture = xml.dom.minidom.parseString(report(result.folder, "--matrix", "--format", "svg"))
    assert len(picture.getElementsByTagName("title")) == len(expected(ranks))
    sizes = {row["from_bytes"]: row["messages"] for row in told["message_sizes"]}
    assert sum(sizes.values()) == sum(messages for messages, _ in expected(ranks).values())


def test_matrix_of_collectives(programs, traced):
    result = traced(3, programs["mpi_patterns"], "collective")
    told = report_json(result.folder)
    assert is_whole(told)
    assert told["matching"]["collectives"] == 5
    expected = {}
    for a, b in itertools.permutations(range(3), 2):
        expected[a, b] = 40 + 2 + (56 if a == 1 else 0) + (12 if b == 0 else 0) + (5 if a == 0 else 0)
    assert {(flow["from"], flow["to"]): flow["collective_bytes"] for flow in told["matrix"]} == expected
    world, = [comm for comm in told["communicators"] if comm["name"] == "MPI_COMM_WORLD"]
    assert (world["size"], world["ranks"], world["collectives"]) == (3, [0, 1, 2], 5)


PYTHON = """import time
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


def pass_on():
    if rank == 0:
        time.sleep(0.3)
        comm.send("late", dest=1)
    elif rank == 1:
        comm.recv(source=0)


def share():
    if rank == 2:
        time.sleep(0.3)
    comm.bcast("late", root=2)


def imbalance():
    time.sleep(0.3 if rank == 1 else 0.04)
    comm.Barrier()


comm.Barrier()
pass_on()
comm.Barrier()
share()
comm.Barrier()
imbalance()
"""


def test_python_lines(flavour, run_command, newest, tmp_path):
    """The lines of Python that suffer and cause; mpi4py's MPI is the one that is told."""
    library = {each.flavour: each for each in mpi.flavours()}[flavour.name].library()
    if not shutil.which("mpirun." + flavour.name) or not library:
        places.missing("mpirun.%s and its library" % flavour.name)
    # Under the name that mpi4py asks for, whatever the distribution calls it.
    (tmp_path / "lib").mkdir()
    name = tmp_path / "lib" / {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}[flavour.name]
    name.symlink_to(library)
    env = dict(AS_ROOT, MPI4PY_MPIABI=flavour.name, MPI4PY_LIBMPI=str(name), LD_LIBRARY_PATH=str(name.parent))
    (tmp_path / "app.py").write_text(PYTHON)
    result = run_command(*flavour.mpirun(3), newest.with_packages("mpi4py"), tmp_path / "app.py",
                         options=["--lossless", "--no-summary"], env=env)
    assert result.rc == 0, result.stderr
    told = report_json(result.folder)
    assert is_whole(told)
    assert {rank["flavour"] for rank in told["ranks"]} == {flavour.name}
    line = {text.strip(): number for number, text in enumerate(PYTHON.splitlines(), 1)}
    found = {}
    for row in told["wait_states"]:
        key = (row["kind"], row["suffers"]["rank"], row["suffers"]["python_line"], row["suffers"]["python_function"],
               row["causes"]["rank"], row["causes"]["python_line"])
        found[key] = found.get(key, 0) + row["total_ns"]
    late = found.get(("late_sender", 1, line["comm.recv(source=0)"], "pass_on", 0, line['comm.send("late", dest=1)']), 0)
    # With large counts where the library has them, see mpi4py.
    calls = {rank: [(re.sub("_c$", "", call[0]), *call[1:]) for call in of] for rank, of in calls_of(result.folder).items()}
    send, = [call for call in calls[0] if call[0] == "MPI_Send"]
    probe, = [call for call in calls[1] if call[0] == "MPI_Mprobe"]
    # On a busy machine, who sleeps may be there before who waits.
    assert late == max(send[1] - probe[1], 0)
    bcast = line['comm.bcast("late", root=2)']
    turns = [[call for call in calls[rank] if call[0] == "MPI_Bcast"] for rank in range(3)]
    assert found.get(("late_broadcast", 0, bcast, "share", 2, bcast), 0) == sum(
        max(root[1] - other[1], 0) for other, root in zip(turns[0], turns[2]))
    barrier = line["time.sleep(0.3 if rank == 1 else 0.04)"] + 1
    last = [[call for call in calls[rank] if call[0] == "MPI_Barrier"][-1][1] for rank in range(3)]
    if last[1] == max(last):
        for rank in (0, 2):
            assert found.get(("wait_at_barrier", rank, barrier, "imbalance", 1, barrier), 0) == last[1] - last[rank]
    functions = {row["name"]: row for row in told["python_functions"]}
    assert functions["pass_on"]["calls"] == 3  # a send, a matching probe and its receive
    assert functions["pass_on"]["wait_ns"] == late
    rows = list(csv.DictReader(io.StringIO(report(result.folder, "--mpi", "--format", "csv"))))
    mine, = [row for row in rows if row["python_function"] == "pass_on" and row["function"] in ("MPI_Send", "MPI_Send_c")]
    assert (mine["rank"], mine["line"], mine["calls"]) == ("0", str(line['comm.send("late", dest=1)']), "1")
    assert int(mine["caused_ns"]) == late


def test_processes_that_a_program_starts(run_command, tmp_path):
    """Both sides of MPI_Comm_spawn are one job, as far as Open MPI lets the root tell the others; the program's info
    and the processes' environments are what they were."""
    flavour = Flavour("openmpi")
    program = flavour.compile(tmp_path, "mpi_spawn")
    result = run_command(*flavour.mpirun(2), program, options=["--domains", "mpi", "--lossless", "--no-summary"],
                         env=mpi.ENVIRONMENT)
    assert result.rc == 0, result.stderr
    said = sorted(result.stdout.splitlines())
    assert said[0] == "child 0 got -1, told first"
    assert said[1:] in (["child 1 got 0, told nothing"], ["child 1 got 0, told first"])  # the latter: see mpi_spawn.c
    assert "deprecated" not in result.stderr
    told = report_json(result.folder)
    assert is_whole(told)
    world = [comm for comm in told["communicators"] if comm["name"] == "MPI_COMM_WORLD"]
    assert [(comm["size"], comm["ranks"]) for comm in world] == [(2, [0, 1])] * 2
    parent, = [comm for comm in told["communicators"] if comm["name"] == "MPI_COMM_PARENT"]
    assert (parent["size"], parent["remote_size"]) == (2, 2)
    merged, = [comm for comm in told["communicators"] if comm["size"] == 4]
    assert merged["collectives"] >= 1
    assert (told["matching"]["sends"], told["matching"]["matched"]) == (1, 1)


def test_sessions(run_command, tmp_path):
    """MPI 4.0 without MPI_Init: ranks, communicators and messages are known as with it."""
    flavour = next((each for each in mpi.flavours() if each.is_there and subprocess.run(
        [each.compiler, "-E", "-dM", "-include", "mpi.h", "-x", "c", "/dev/null"], stdout=subprocess.PIPE,
        encoding="utf-8").stdout.find("#define MPI_VERSION 4") >= 0), None)
    if flavour is None:
        places.missing("an MPI with sessions (MPICH 4.0, Open MPI 5.0)")
    program = flavour.compile(places.PROGRAMS / "mpi_session.c", tmp_path / "mpi_session")
    result = run_command(*flavour.command(2, program), options=["--domains", "mpi", "--lossless", "--no-summary"],
                         env=mpi.ENVIRONMENT)
    assert result.rc == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == ["rank 0 of 2: 1"] * 2 + ["rank 1 of 2: 1"] * 2
    told = report_json(result.folder)
    assert is_whole(told)
    assert sorted((rank["rank"], rank["recorded"]) for rank in told["ranks"]) == [(0, True), (1, True)]
    assert told["matching"]["matched"] == 4
    assert [(comm["size"], comm["ranks"]) for comm in told["communicators"]] == [(2, [0, 1])] * 2
    calls = {row["name"]: row["calls"] for row in told["functions"]}
    assert (calls["MPI_Session_init"], calls["MPI_Session_finalize"]) == (2, 2)


def test_without_mpi(run_command):
    result = run_command("/bin/true", options=["--no-summary"])
    assert "No MPI was recorded" in report(result.folder, "--mpi")


def test_one_view(tmp_path):
    for options, message in ((["--mpi", "--matrix"], "--mpi does not go with --matrix"),
                             (["--mpi", "--tree"], "--mpi does not go with --tree"),
                             (["--mpi", "--format", "svg"], "only --matrix has a form as SVG")):
        done = subprocess.run([places.COMMAND, "report", *options, str(tmp_path)], stderr=subprocess.PIPE, encoding="utf-8")
        assert done.returncode == 2 and message in done.stderr
