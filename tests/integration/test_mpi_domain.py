"""The MPI domain: real programs of both flavours under their own mpirun, read by a reader that is not ours."""
import collections
import os
import re
import subprocess
import time

import pytest

from support import mpi, openmp, places, world
from support.pythons import pythons
from support.traces import events

OPTIONS = ["--domains", "mpi", "--no-summary", "--lossless"]
PARTS = ["p2p", "requests", "persistent", "collectives", "comms", "rma", "io", "errors"]
NONE = 4294967295  # rank before MPI is initialised


@pytest.fixture(scope="module")
def program(flavour, tmp_path_factory):
    return flavour.compile(places.PROGRAMS / "mpi_domain.c", tmp_path_factory.mktemp(repr(flavour)) / "mpi_domain")


@pytest.fixture
def traced(flavour, run_command, tmp_path):
    """traced(ranks, words…, options=[…], config=…): a run of a program under mpirun."""
    def run(ranks, *words, options=(), config=None, env=None, rc=0):
        more = list(options)
        if config is not None:
            (tmp_path / "test.ini").write_text(config)
            more += ["-c", str(tmp_path / "test.ini")]
        env = dict(mpi.ENVIRONMENT, MPI_DOMAIN_FILE=str(tmp_path / "file"), **(env or {}))
        result = run_command(*flavour.command(ranks, *words), options=OPTIONS + more, env=env, timeout=180)
        assert rc is None or result.rc == rc, result.stderr
        return Run(result)
    return run


class Run:
    def __init__(self, result):
        self.result = result
        self.events = list(events(result.folder))
        self.by_name = collections.defaultdict(list)
        for event in self.events:
            self.by_name[event.name].append(event)
        self.ranks = {event.vpid: event.fields["rank"] for event in self.by_name["mpi_info"]}
        self.comms = {(event.vpid, event.fields["comm"]): event.fields for event in self.by_name["comm_info"]}

    def calls(self, rank=None):
        """(begin, end) of every call, in the order of their ends; `end` is None for one without."""
        opened, made = collections.defaultdict(list), []
        for event in self.events:
            base, _, edge = event.name.rpartition("_")
            if not base.startswith("MPI_") or edge not in ("begin", "end"):
                continue
            stack = opened[event.vpid, event.vtid]
            if edge == "begin":
                stack.append(event)
                continue
            assert stack and stack[-1].name == base + "_begin", event
            made.append((stack.pop(), event))
        made += [(begin, None) for stack in opened.values() for begin in stack]
        return [pair for pair in made if rank is None or self.ranks.get(pair[0].vpid) == rank]

    def context(self, event):
        return self.comms[event.vpid, event.fields["comm"]]["context"]

    def world_rank(self, event, rank):
        """A rank in the event's communicator, as one in MPI_COMM_WORLD."""
        ranks = []
        for part in self.comms[event.vpid, event.fields["comm"]]["ranks"].split(","):
            first, _, last = part.partition("-")
            ranks += range(int(first), int(last or first) + 1)
        return ranks[rank]


def ok(ranks):
    return ["rank %d ok" % rank for rank in range(ranks)]


def printed(run):
    return sorted(line for line in run.result.stdout.splitlines() if line.startswith("rank "))


@pytest.fixture(scope="module", params=["file", "lttng"])
def whole(request, program, flavour, tmp_path_factory):
    """All parts on three ranks, recorded once by each recorder."""
    folder = tmp_path_factory.mktemp("whole")
    env = dict(os.environ, MPI_DOMAIN_FILE=str(folder / "file"), PINSIGHT_RECORDER=request.param, **mpi.ENVIRONMENT)
    words = [places.COMMAND, "run", "-o", str(folder / "trace"), *OPTIONS, "--", *flavour.command(3, program, *PARTS)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                          encoding="utf-8", errors="replace", timeout=180)
    assert done.returncode == 0, done.stderr
    Result = collections.namedtuple("Result", "folder stdout stderr")
    return Run(Result(folder / "trace", done.stdout, done.stderr))


def test_results_are_unchanged_and_calls_balanced(whole, flavour):
    assert printed(whole) == ok(3)
    assert sorted(whole.ranks.values()) == [0, 1, 2]
    info = whole.by_name["mpi_info"][0].fields
    assert info["flavour"] == flavour.flavour and info["size"] == 3
    calls = whole.calls()
    assert all(end is not None for _, end in calls)
    counts = collections.Counter((begin.name, whole.ranks[begin.vpid]) for begin, _ in calls)
    for name in ("MPI_Init", "MPI_Finalize", "MPI_Barrier", "MPI_Win_free", "MPI_File_close", "MPI_Cart_create"):
        per_rank = {rank: counts[name + "_begin", rank] for rank in range(3)}
        assert len(set(per_rank.values())) <= 2 and all(per_rank.values()), (name, per_rank)


def test_every_call_says_where_it_is(whole):
    places_of = {(event.vpid, event.fields["mpi_codeptr"]): event.fields for event in whole.by_name["call_info"]}
    for begin, _ in whole.calls():
        where = places_of[begin.vpid, begin.fields["mpi_codeptr"]]
        assert where["function"] + "_begin" == begin.name
        assert os.path.basename(where["object"]) == "mpi_domain"
        expected = NONE if begin.name.startswith("MPI_Init") else whole.ranks[begin.vpid]
        assert begin.fields["mpirank"] == expected


def messages(run):
    """What was sent and what was received: (context, from, to, tag, bytes), ranks in MPI_COMM_WORLD."""
    sent, received, requests = collections.Counter(), collections.Counter(), {}
    for begin, end in run.calls():
        name, fields = begin.name[:-len("_begin")], begin.fields
        if end.fields["return_value"] != 0 or "comm" not in fields:
            continue
        me = run.ranks[begin.vpid]
        if fields.get("dest", -2) >= 0 and "_init" not in name:
            to = run.world_rank(begin, fields["dest"])
            sent[run.context(begin), me, to, fields["tag"], fields["bytes"]] += 1
        if "Irecv" in name:
            requests[begin.vpid, end.fields["request"]] = begin
        elif ("recv" in name.lower()) and "_init" not in name and end.fields.get("source", -2) >= 0:
            source = run.world_rank(begin, end.fields["source"])
            received[run.context(begin), source, me, end.fields["tag"], end.fields["bytes"]] += 1
    for event in run.by_name["request_complete"]:
        begin = requests.get((event.vpid, event.fields["request"]))
        if begin is not None and not event.fields["cancelled"]:
            source = run.world_rank(begin, event.fields["source"])
            received[run.context(begin), source, run.ranks[event.vpid], event.fields["tag"], event.fields["bytes"]] += 1
    return sent, received


@pytest.mark.recorder("file", "lttng")
def test_sends_equal_receives(program, traced):
    run = traced(3, program, "p2p", "requests")
    assert printed(run) == ok(3)
    sent, received = messages(run)
    # A matched receive has the message's rank and tag, and no communicator.
    matched = {key: count for key, count in sent.items() if key[3] == 7}
    assert sum(matched.values()) == len(run.by_name["MPI_Mrecv_end"]) == 1
    for key in matched:
        del sent[key]
    assert sent == received and sum(sent.values()) == 3 * 3 * 20 + 1 + 3
    assert {(key[1], key[2], key[4]) for key in sent if key[3] == 42} == {(0, 1, 800)}


def test_requests_are_followed_to_their_ends(whole):
    started, completed = collections.Counter(), collections.Counter()
    persistent = set()
    for begin, end in whole.calls():
        name = begin.name[:-len("_begin")]
        if name.endswith("_init"):
            persistent.add((begin.vpid, end.fields["request"]))
            assert end.fields["request"] > 0
        elif name == "MPI_Start":
            started[begin.vpid, begin.fields["request"]] += 1
        elif end.fields.get("request"):
            started[begin.vpid, end.fields["request"]] += 1
    for event in whole.by_name["request_start"]:
        started[event.vpid, event.fields["request"]] += 1
    for event in whole.by_name["request_complete"]:
        completed[event.vpid, event.fields["request"]] += 1
    assert started == completed
    assert len(persistent) == 6 and all(started[key] == 5 for key in persistent)
    cancelled = [event for event in whole.by_name["request_complete"] if event.fields["cancelled"]]
    assert len(cancelled) == 3


def test_communicators_are_the_same_in_their_members(whole):
    members = collections.defaultdict(dict)
    for (vpid, comm), fields in whole.comms.items():
        assert fields["context"] != 0, fields
        rank = whole.ranks[vpid]
        assert rank not in members[fields["context"]], "two communicators of a process with the same context"
        members[fields["context"]][rank] = fields
    for of_rank in members.values():
        some = next(iter(of_rank.values()))
        size = some["size"] + some["remote_size"]
        assert len(of_rank) == size, of_rank
        if not some["remote_size"]:
            assert sorted(fields["rank"] for fields in of_rank.values()) == list(range(size))
            assert len({fields["ranks"] for fields in of_rank.values()}) == 1
    named = [fields for fields in whole.comms.values() if fields["name"] == "copy"]
    assert len(named) == 3
    inter = [fields for fields in whole.comms.values() if fields["remote_size"]]
    assert {fields["ranks"] for fields in inter} == {"2,0|1", "1|2,0"}
    counts = collections.Counter()
    for begin, _ in whole.calls():
        if begin.name == "MPI_Barrier_begin":
            counts[whole.context(begin), whole.ranks[begin.vpid]] += 1
    for context, of_rank in members.items():
        assert len({counts[context, rank] for rank in of_rank}) == 1


def test_bytes_of_collectives(whole):
    begins = collections.defaultdict(dict)
    for begin, _ in whole.calls():
        begins[begin.name[4:-6]].setdefault(whole.ranks[begin.vpid], []).append(begin.fields)
    def told(name, number=0):
        return {rank: (of_rank[number]["bytes"], of_rank[number]["recv_bytes"]) for rank, of_rank in begins[name].items()}
    assert told("Bcast") == {0: (0, 40), 1: (0, 40), 2: (40, 0)}
    assert told("Reduce") == {0: (4, 4), 1: (4, 0), 2: (4, 0)}
    assert told("Allreduce") == {rank: (4, 4) for rank in range(3)}
    assert told("Gather") == {0: (4, 12), 1: (4, 0), 2: (4, 0)}
    assert told("Scatter") == {0: (12, 0), 1: (0, 4), 2: (0, 4)}
    assert told("Allgatherv") == {rank: (4 * (rank + 1), 24) for rank in range(3)}
    assert told("Alltoall") == {rank: (12, 12) for rank in range(3)}
    assert told("Neighbor_allgather") == {rank: (8, 8) for rank in range(3)}
    # Over the intercommunicator: 0 and 2 against 1; rank 2 is the root.
    assert told("Bcast", 1) == {0: (0, 0), 1: (0, 4), 2: (4, 0)}
    assert begins["Reduce"][0][0]["op"] == 3 and begins["Bcast"][0][0]["root"] == 2


def test_windows_and_files(whole):
    for name, key in (("Win_allocate", "new_win"), ("File_open", "new_file")):
        for end in whole.by_name["MPI_%s_end" % name]:
            assert end.fields[key] == 1
    for begin in whole.by_name["MPI_Put_begin"]:
        assert begin.fields["win"] == 1 and begin.fields["bytes"] == 4
        assert begin.fields["target"] == (whole.ranks[begin.vpid] + 1) % 3
    assert {end.fields["bytes"] for end in whole.by_name["MPI_File_write_at_all_end"]} == {8}
    assert {end.fields["bytes"] for end in whole.by_name["MPI_File_read_at_end"]} == {8}
    assert {event.fields["file"] for event in whole.by_name["file_info"]} == {1}
    assert all(event.fields["name"].endswith("/file") for event in whole.by_name["file_info"])
    assert len(whole.by_name["win_info"]) == 3


def test_errors_are_returned(whole):
    wrong = [end for end in whole.by_name["MPI_Send_end"] if end.fields["return_value"] != 0]
    assert len(wrong) == 9


@pytest.mark.recorder("file", "lttng")
@pytest.mark.parametrize("end", ["exit", "abort"])
def test_programs_that_do_not_finalize(program, traced, end):
    run = traced(2, program, "p2p", end, rc=None)  # Open MPI's launcher takes both for failures
    assert run.by_name["MPI_Init_end"]
    lacking = [begin.name for begin, after in run.calls() if after is None]
    possible = {"MPI_Abort_begin", "MPI_Ssend_begin", "MPI_Mprobe_begin", "MPI_Mrecv_begin", "MPI_Sendrecv_begin"}
    if end == "abort" and run.by_name["MPI_Abort_end"]:  # MPICH 4.2 returns, and the program goes on until it is killed
        assert set(lacking) <= possible | {"MPI_Finalize_begin"}
        return
    assert not run.by_name["MPI_Finalize_begin"] and set(lacking) <= possible
    assert end == "exit" or "MPI_Abort_begin" in lacking


@pytest.mark.recorder("file", "lttng")
def test_configuration_of_kinds_ranks_and_windows(program, traced):
    run = traced(2, program, "p2p", "requests", "collectives", config="""
[MPI]
    events = p2p, completion
[MPI.punit.rank]
    range = 1
[Lexgion(MPI:MPI_Isend)]
    max_num_traces = 4
""")
    assert printed(run) == ok(2)
    calls = run.calls()
    assert {run.ranks[begin.vpid] for begin, _ in calls} == {1}
    assert {begin.name for begin, _ in calls}.isdisjoint({"MPI_Bcast_begin", "MPI_Comm_dup_begin", "MPI_Init_begin"})
    assert len([begin for begin, _ in calls if begin.name == "MPI_Isend_begin"]) == 4
    (window,) = run.by_name["window_end"]
    assert window.fields["name"] == "MPI_Isend" and window.fields["recorded"] == 4
    # What was started in the window completes in the trace.
    started = {end.fields["request"] for begin, end in calls if end.fields.get("request")}
    assert started == {event.fields["request"] for event in run.by_name["request_complete"]}


@pytest.mark.recorder("lttng")
def test_sections_of_other_domains_for_one_rank(flavour, run_command, tmp_path):
    """[Python] : MPI.rank(1) is of that rank alone."""
    (tmp_path / "test.ini").write_text("[Python]\ntrace_mode = STANDBY\n[Python] : MPI.rank(1)\ntrace_mode = TRACING\n")
    command = flavour.command(2, pythons()[-1].path, "-c", "def work(): pass\nwork()")
    result = run_command(*command, options=["--no-summary", "-c", tmp_path / "test.ini"], env=mpi.ENVIRONMENT)
    assert result.rc == 0, result.stderr
    every = list(events(result.folder))
    rank_of = {event.fields["pid"]: event.fields["rank"] for event in every if event.name == "process_info"}
    working = [event for event in every if event.name == "function_begin" and event.fields["qualname"] == "work"]
    assert [rank_of[event.vpid] for event in working] == [1]


def test_openmp_for_one_rank(flavour, run_command, tmp_path):
    """[OpenMP] : MPI.rank(0) is of that rank alone, and what it says of other keys too."""
    regions = openmp.build("clang", ["empty_regions"]) / "empty_regions"
    (tmp_path / "test.ini").write_text(
        "[OpenMP]\ntrace_mode = STANDBY\n[OpenMP] : MPI.rank(0)\ntrace_mode = TRACING\nevents = parallel\n")
    result = run_command(*flavour.command(2, regions), env=mpi.ENVIRONMENT,
                         options=["--no-summary", "--domains", "openmp", "-c", tmp_path / "test.ini"])
    assert result.rc == 0, result.stderr
    every = list(events(result.folder))
    rank_of = {event.fields["pid"]: event.fields["rank"] for event in every if event.name == "process_info"}
    assert 0 in rank_of.values()
    recorded = collections.Counter((rank_of[event.vpid], event.name) for event in every
                                   if event.name in ("parallel_begin", "implicit_task_begin", "barrier_implicit_sync_begin"))
    assert set(recorded) == {(0, "parallel_begin")}, recorded


@pytest.mark.recorder("file", "lttng")
def test_modes(program, traced):
    run = traced(2, program, "collectives", "requests", options=["--mode", "MONITORING"])
    assert printed(run) == ok(2) and not run.calls()
    counted = collections.Counter()
    for event in run.by_name["lexgion_profile"]:
        assert event.fields["domain"] == "MPI"
        counted[event.fields["name"]] += event.fields["calls"]
    assert counted["MPI_Isend"] == 2 * 3 * 20 and counted["MPI_Bcast"] == 2 and counted["MPI_Init"] == 2
    for mode in ("STANDBY", "OFF"):
        run = traced(2, program, "collectives", options=["--mode", mode])
        assert printed(run) == ok(2) and not run.calls() and not run.by_name["lexgion_profile"]


def test_modes_change_meanwhile(flavour, traced, tmp_path):
    """In STANDBY and OFF calls go past PInsight; what is made there is known all the same."""
    run = traced(2, flavour.compile(places.PROGRAMS / "mpi_modes.c", tmp_path / "mpi_modes"), 3, 1, 3, 2, 0, 3, 2, 1)
    assert [event.fields["to_mode"] for event in run.by_name["mode_change"] if event.vpid == min(run.ranks)] == [
        1, 3, 1, 3, 2, 0, 3, 2, 1]
    for pid in run.ranks:
        begun = [event for event in run.by_name["MPI_Barrier_begin"] if event.vpid == pid]
        assert len(begun) == len([event for event in run.by_name["MPI_Barrier_end"] if event.vpid == pid]) == 15
        comm, = {event.fields["comm"] for event in begun}
        assert run.comms[pid, comm]["name"] == "made in STANDBY"
        counted = [event.fields for event in run.by_name["lexgion_profile"] if event.vpid == pid]
        assert {profile["name"] for profile in counted} == {"MPI_Barrier"}
        assert sum(profile["calls"] for profile in counted) == 10


def test_libraries_come_to_the_addresses_of_others(flavour, traced, tmp_path):
    """A plug-in that is unloaded, and another that is loaded where it was: each call is told by the one that made it.

    UCX 1.18 takes dlclose() over for itself, past who was preloaded; 1.13 did not. It is told not to."""
    source = places.PROGRAMS / "mpi_plugins.c"
    one, other = (flavour.compile(source, tmp_path / name, "-DPLUGIN=plugin", "-shared", "-fPIC")
                  for name in ("one.so", "other.so"))
    run = traced(2, flavour.compile(source, tmp_path / "mpi_plugins", "-ldl"), one, other, one,
                 env={"UCX_MEM_EVENTS": "no"})
    for pid in run.ranks:
        places_now, told = {}, []
        for event in run.events:
            if event.vpid == pid and event.name == "call_info":
                places_now[event.fields["mpi_codeptr"]] = event.fields["object"]
            elif event.vpid == pid and event.name == "MPI_Barrier_begin":
                told.append(places_now[event.fields["mpi_codeptr"]])
        assert told == [str(one), str(other), str(one)]


@pytest.mark.recorder("file", "lttng")
def test_requests_of_threads(flavour, traced, tmp_path):
    """MPI_THREAD_MULTIPLE: each completion is of the request that its thread started."""
    program = flavour.compile(places.PROGRAMS / "mpi_threads.c", tmp_path / "mpi_threads", "-lpthread")
    run = traced(2, program)
    assert printed(run) == ok(2)
    started, completed = {}, collections.Counter()
    for begin, end in run.calls():
        if end.fields.get("request"):
            started[begin.vpid, end.fields["request"]] = begin
    for event in run.by_name["request_complete"]:
        key = (event.vpid, event.fields["request"])
        completed[key] += 1
        begin = started[key]
        if begin.name.startswith("MPI_Irecv"):  # sends that are complete at once share a handle in MPICH
            assert begin.vtid == event.vtid and event.fields["tag"] == begin.fields["tag"]
    assert len(started) == 2 * 4 * 60 * 2 and completed == collections.Counter(dict.fromkeys(started, 1))


TOOL = r"""
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Barrier(MPI_Comm comm) { calls++; return PMPI_Barrier(comm); }
int MPI_Finalize(void) { fprintf(stderr, "tool saw %d\n", calls); return PMPI_Finalize(); }
"""


def test_another_tool_is_chained(flavour, program, traced, tmp_path):
    source = tmp_path / "tool.c"
    source.write_text(TOOL)
    tool = flavour.compile(source, tmp_path / "libtool.so", "-shared", "-fPIC")
    run = traced(2, program, "collectives", env={"LD_PRELOAD": str(tool)})
    assert printed(run) == ok(2)
    assert run.result.stderr.count("tool saw 1") == 2
    assert len(run.by_name["MPI_Barrier_end"]) == 2


MPI4PY = r"""
import numpy as np
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
def exchange():
    got = np.zeros(8)
    request = world.Irecv(got, source=(rank - 1) % size, tag=3)
    world.Send(np.full(8, float(rank)), dest=(rank + 1) % size, tag=3)   # line 8
    request.Wait()
    return got[0]
assert exchange() == (rank - 1) % size
assert world.bcast({"a": rank}, root=0) == {"a": 0}
assert world.allreduce(rank) == sum(range(size))
import sys
sys.stdout.write("rank %d ok\n" % rank)  # in one piece
"""


def test_mpi4py(flavour, traced, tmp_path):
    """Its MPI is loaded with RTLD_LOCAL and picked at run time; and calls are of Python's lines."""
    if flavour.library() is None:
        places.missing("the library of %s" % flavour)
    folder = tmp_path / "lib"
    folder.mkdir()
    # Under the names that mpi4py asks for, whatever the distribution calls it.
    name = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}[flavour.flavour]
    os.symlink(flavour.library(), folder / name)
    program = tmp_path / "with_mpi4py.py"
    program.write_text(MPI4PY)
    path = pythons()[-1].with_packages("mpi4py", "numpy")
    run = traced(2, path, program, env={"MPI4PY_MPIABI": flavour.flavour, "LD_LIBRARY_PATH": str(folder),
                                        "MPI4PY_LIBMPI": str(folder / name)})
    assert printed(run) == ok(2)
    assert {event.fields["flavour"] for event in run.by_name["mpi_info"]} == {flavour.flavour}
    calls = run.calls()
    assert calls and all(end is not None for _, end in calls)
    nodes = {(event.vpid, event.fields["path"]): event.fields for event in run.by_name["path_info"]}
    codes = {(event.vpid, event.fields["code"]): event.fields for event in run.by_name["code_info"]}
    sends = [begin for begin, _ in calls if re.fullmatch("MPI_Send(_c)?_begin", begin.name)
             and begin.fields["tag"] == 3]
    assert len(sends) == 2
    for begin in sends:
        node = nodes[begin.vpid, begin.fields["py_path"]]
        assert (codes[begin.vpid, node["code"]]["qualname"], node["lineno"]) == ("exchange", 9)
        assert begin.fields["bytes"] == 64


def test_programs_without_mpi_load_none(run_command):
    look = ("names = {line.rstrip().rpartition('/')[2] for line in open('/proc/self/maps')}\n"
            "print([name for name in names if 'libmpi' in name or 'pinsight-mpi' in name])")
    result = run_command(pythons()[-1].path, "-c", look, options=OPTIONS)
    assert result.rc == 0 and result.stdout == "[]\n"


TURNS = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int turn = 0; access("stop", F_OK) != 0; turn++) {
        MPI_Barrier(MPI_COMM_SELF);
        if (turn == 10)
            fclose(fopen("began", "w"));
        usleep(2000);
    }
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.recorder("lttng")
def test_modes_and_pauses_while_it_runs(flavour, own_world, tmp_path):
    """In STANDBY calls go past the wrappers, and stop at a pause all the same; then they are recorded again."""
    (tmp_path / "turns.c").write_text(TURNS)
    program = flavour.compile(tmp_path / "turns.c", tmp_path / "turns")
    running = own_world.start([places.COMMAND, "run", "-o", "trace", *OPTIONS, "--", *flavour.command(1, program)],
                              cwd=tmp_path, env=dict(os.environ, **mpi.ENVIRONMENT), stdin=subprocess.DEVNULL)

    def ctl(*words):
        done = own_world.run([places.COMMAND, "ctl", "trace", *words], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    try:
        assert world.wait_until((tmp_path / "began").exists, 60)
        ctl("mode", "MPI=STANDBY")
        ctl("introspect", "--pause", "1", "--after", "STANDBY")
        assert world.wait_until(lambda: list((tmp_path / "trace").glob("archives/*")), 60)
        ctl("mode", "MPI=TRACING")
        time.sleep(0.3)
    finally:
        (tmp_path / "stop").touch()
        assert running.wait(60) == 0
    every = list(events(tmp_path / "trace"))
    (end,) = [event for event in every if event.name == "introspect_end"]
    assert end.fields["threads_stopped"] == 1
    at = {name: [event.ts for event in every if event.name == name] for name in ("MPI_Barrier_begin", "mode_change")}
    standby, tracing = at["mode_change"][:2]
    assert len([ns for ns in at["MPI_Barrier_begin"] if standby < ns < tracing]) <= 1  # one that was under way
    assert [ns for ns in at["MPI_Barrier_begin"] if ns > tracing]
