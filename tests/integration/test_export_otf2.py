"""pinsight export --to otf2: what otf2-print and OTF2's own Python bindings read, against the report of the same trace."""
import collections
import json
import os
import re
import shutil
import subprocess

import pytest

from support import cuda, made, mpi, openmp, otf2, places
from support.pythons import pythons

BINDINGS = "/usr/bin/python3"
VITE = "/usr/bin/vite"  # there is a tool for web pages of that name, too
# The same numbers by another reader: OTF2's Python bindings.
READ = """
import collections, json, sys
import otf2
from otf2.events import Enter, Leave, MpiSend, MpiIsend, MpiRecv, MpiIrecv
counts, bytes_sent, last = collections.Counter(), 0, {}
open_ones, totals = collections.defaultdict(list), collections.Counter()
with otf2.reader.open(sys.argv[1]) as trace:
    resolution = trace.timer_resolution
    groups = {group.name: sorted(member.name for member in group.members)
              for group in trace.definitions.groups if group.group_type == otf2.GroupType.REGIONS}
    grouped = {group.name: len(group.members) for group in trace.definitions.groups
               if group.group_type == otf2.GroupType.LOCATIONS}
    streams = [location.name for location in trace.definitions.locations
               if location.type == otf2.LocationType.ACCELERATOR_STREAM]
    for location, event in trace.events:
        assert event.time >= last.get(location, 0)
        last[location] = event.time
        counts[type(event).__name__] += 1
        if isinstance(event, Enter):
            open_ones[location].append(event)
        elif isinstance(event, Leave):
            begin = open_ones[location].pop()
            assert begin.region == event.region
            totals[event.region.name] += event.time - begin.time
        elif isinstance(event, (MpiSend, MpiIsend)):
            bytes_sent += event.msg_length
assert not any(open_ones.values())
print(json.dumps({"counts": counts, "bytes": bytes_sent, "totals": totals, "groups": groups, "grouped": grouped,
                  "streams": streams, "resolution": resolution}))
"""


@pytest.fixture(autouse=True)
def built():
    if not otf2.is_built():
        places.missing("OTF2 (Debian: libopen-trace-format2-dev), when PInsight was built")


def export(trace, to, *options, rc=0):
    done = subprocess.run([places.COMMAND, "export", "--to", "otf2", "-q", "-o", str(to), *options, str(trace)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == rc, done.stderr
    return done.stderr


def report(trace, *options):
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", *options, str(trace)],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode())


def escaped(name):
    return re.sub("[\x00-\x1f\x7f]", lambda match: "\\x%02x" % ord(match.group()), name)


def check_functions(archive, told):
    """Calls and times of each function are those of the report."""
    found, expected = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])
    for region, (count, total) in archive.totals().items():
        text = archive.region_texts[region]
        if 'Descr.: "Python function"' in text:
            name, plain = re.search(r'Name: "(.*)" <\d+> \(Aka. "(.*)" <\d+>\)', text).groups()
            place = re.search(r'File: "(.*)" <\d+>, Begin: (\d+)', text).groups()
            one = found[(plain, place[0], int(place[1]))]
            one[0], one[1] = one[0] + count, one[1] + total
    for function in told["functions"]:
        one = expected[(escaped(function["name"]), function["file"], function["line"])]
        one[1] += function["total_ns"]
        one[0] += function["calls"]
    assert found.keys() == expected.keys()
    for key, (calls, total) in expected.items():
        assert found[key][1] == total, key
        # A generator is entered for each of its slices.
        assert found[key][0] == calls or "generating" in key[0] or found[key][0] > calls, key


def by_bindings(archive):
    if subprocess.run([BINDINGS, "-c", "import otf2"], stderr=subprocess.DEVNULL).returncode != 0:
        places.missing("OTF2's Python bindings (Debian: python3-otf2)")
    done = subprocess.run([BINDINGS, "-c", READ, str(archive / "traces.otf2")], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode())


def test_python_and_openmp(newest, run_traced, tmp_path):
    library = openmp.build_program_as_library("loop_static")
    result = run_traced(newest, "exported", "--lossless", "--no-summary", arguments=[str(library)])
    told = report(result.folder)
    export(result.folder, tmp_path / "a.otf2")
    archive = otf2.Archive(tmp_path / "a.otf2")
    check_functions(archive, told)
    # C calls, each callable once.
    calls = collections.Counter()
    for call in told["c_calls"]:
        calls[call["name"]] += call["calls"]
    found = {archive.regions[region].replace(":", ".").replace("builtins.", ""): count
             for region, (count, _) in archive.totals().items() if "C function" in archive.region_texts[region]}
    starts = found.get("_thread.start_new_thread", 0) + found.get("_thread.start_joinable_thread", 0)  # until 3.12, from 3.13
    assert found["sum"] == calls["sum"] > 10 and starts == 2
    assert sum(found.values()) == sum(calls.values())
    # Regions of OpenMP: their time is that of the thread that starts them.
    totals = {archive.regions[region]: total for region, total in archive.totals().items()}
    for region in told["regions"]:
        count, total = totals["fork and join of parallel in " + region["symbol"]]
        assert (count, total) == (region["calls"], region["total_ns"])
    forks, joins = archive.named("THREAD_FORK"), archive.named("THREAD_JOIN")
    assert len(forks) == len(joins) == sum(region["calls"] for region in told["regions"]) > 0
    teams = archive.named("THREAD_TEAM_BEGIN")
    assert len(teams) == len(archive.named("THREAD_TEAM_END")) == sum(region["threads"] for region in told["regions"])
    assert len({event.location for event in teams}) == 3
    assert [name.startswith("OpenMP threads of ") for name in archive.comms.values()] == [True]
    # Names of threads, and groups of regions by module.
    names = {re.search('Name: "(.*?)" <', text).group(1) for text in archive.locations.values()}
    assert {"other 0", "other 1"} <= names
    other = by_bindings(tmp_path / "a.otf2")
    assert other["counts"] == {key: value for key, value in collections.Counter(
        "".join(word.capitalize() for word in event.name.split("_")) for event in archive.events).items()}
    assert other["resolution"] == 1000000000
    assert "__main__:leaf" in other["groups"]["__main__"] and "threading:Thread.start" in other["groups"]["threading"]


def test_messages(flavour, run_command, tmp_path):
    path, library = pythons()[-1].with_packages("mpi4py"), flavour.library()
    (tmp_path / "lib").mkdir()
    name = tmp_path / "lib" / {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}[flavour.flavour]
    name.symlink_to(library)
    env = dict(mpi.ENVIRONMENT, MPI4PY_MPIABI=flavour.flavour, MPI4PY_LIBMPI=str(name), LD_LIBRARY_PATH=str(name.parent))
    result = run_command(*flavour.command(3, path, places.PROGRAMS / "exported.py", "-", "mpi"), env=env,
                         options=["--lossless", "--no-summary"])
    assert result.rc == 0, result.stderr
    told = report(result.folder)
    export(result.folder, tmp_path / "a.otf2")
    archive = otf2.Archive(tmp_path / "a.otf2")
    check_functions(archive, told)
    # MPI's functions.
    found = {archive.regions[region]: count for region, (count, _) in archive.totals().items()
             if archive.regions[region].startswith("MPI_")}
    assert found == {function["name"]: function["calls"] for function in told["mpi"]["functions"] if function["calls"]}
    check_messages(archive, told["mpi"])
    check_collectives(archive, told["mpi"])
    other = by_bindings(tmp_path / "a.otf2")
    assert other["counts"]["MpiSend"] + other["counts"]["MpiIsend"] == told["mpi"]["matching"]["sends"]
    # One process: the others are there as places, without events.
    pid = told["processes"][0]["pid"]
    export(result.folder, tmp_path / "b.otf2", "--process", str(pid))
    one = otf2.Archive(tmp_path / "b.otf2")
    assert len({one.group_of(event.location) for event in one.events}) == 1
    assert sum("not in the trace" in name for name in one.location_groups.values()) in (0, 2)


def message(archive, event):
    text = event.fields
    peer = re.search(r"(?:Receiver|Sender): (\d+)", text).group(1)
    return int(peer), otf2.number(text, "Communicator"), otf2.number(text, "Tag"), otf2.number(text, "Length")


def check_messages(archive, told):
    """Each message that leaves arrives, with the same communicator, tag and length; requests begin and end."""
    members = {rank: archive.rank_of(rank) for rank in archive.locations}
    world = next(at for at, name in archive.comms.items() if name == "MPI_COMM_WORLD")
    sent, got, pairs = collections.Counter(), collections.Counter(), collections.Counter()
    for event in archive.named("MPI_SEND", "MPI_ISEND"):
        to, comm, tag, length = message(archive, event)
        assert comm == world
        sent[members[event.location], to, tag, length] += 1
        pairs[members[event.location], to] += length
    for event in archive.named("MPI_RECV", "MPI_IRECV"):
        source, comm, tag, length = message(archive, event)
        assert comm == world
        got[source, members[event.location], tag, length] += 1
    assert sent == got and sum(sent.values()) == told["matching"]["sends"] == told["matching"]["matched"]
    assert pairs == {(one["from"], one["to"]): one["bytes"] for one in told["matrix"] if one["messages"]}
    for begin, end in (("MPI_ISEND", "MPI_ISEND_COMPLETE"), ("MPI_IRECV_REQUEST", "MPI_IRECV")):
        requests = [collections.Counter((event.location, otf2.number(event.fields, "Request")) for event in
                                        archive.named(name)) for name in (begin, end)]
        assert requests[0] == requests[1] and requests[0]


def check_collectives(archive, told):
    begins, ends = archive.named("MPI_COLLECTIVE_BEGIN"), archive.named("MPI_COLLECTIVE_END")
    assert len(begins) == len(ends)
    found = collections.Counter(otf2.number(event.fields, "Communicator") for event in ends +
                                archive.named("NON_BLOCKING_COLLECTIVE_COMPLETE"))
    by_name = collections.Counter()
    for comm, count in found.items():
        by_name[archive.comms[comm]] += count
    expected = collections.Counter()
    for comm in told["communicators"]:
        expected[comm["name"]] += comm["collectives"] * comm["size"]
    assert {name: count for name, count in by_name.items() if name in ("MPI_COMM_WORLD", "half")} == {
        name: expected[name] for name in ("MPI_COMM_WORLD", "half")}
    operations = collections.Counter(re.search(r"Operation: (\w+)", event.fields).group(1) for event in ends)
    assert operations["BCAST"] == operations["GATHER"] == operations["ALLREDUCE"] == 3
    assert {re.search(r"Root: (\w+)", event.fields).group(1) for event in ends if "BCAST" in event.fields} == {"2"}
    requests = archive.named("NON_BLOCKING_COLLECTIVE_REQUEST")
    assert len(requests) == len(archive.named("NON_BLOCKING_COLLECTIVE_COMPLETE")) == 3


def test_drawn(run_command, tmp_path):
    """ViTE reads it without complaint, and draws an arrow for each message, and steps for the memory of each process."""
    if not os.path.exists(VITE):
        places.missing("ViTE (Debian: vite)")
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    program = flavour.compile(places.PROGRAMS / "mpi_states.c", tmp_path / "program")
    result = run_command(*flavour.command(3, program), env=mpi.ENVIRONMENT, options=["--lossless", "--no-summary"])
    assert result.rc == 0, result.stderr
    export(result.folder, tmp_path / "a.otf2")
    archive = otf2.Archive(tmp_path / "a.otf2")
    try:
        done = subprocess.run([VITE, str(tmp_path / "a.otf2" / "traces.otf2"), "-e", str(tmp_path / "a.svg")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                              errors="replace", timeout=60, env=dict(os.environ, QT_QPA_PLATFORM="offscreen", HOME=str(tmp_path)))
    except subprocess.TimeoutExpired:
        pytest.skip("this ViTE (1.4 does so) does not end by itself after an export")
    assert "0 errors and 0 warnings were found during parsing" in done.stdout, done.stdout
    drawn = (tmp_path / "a.svg").read_text()
    lines = [tuple(map(float, re.findall(r' [xy][12]="([\d.]+)"', line))) for line in re.findall("<line [^>]*>", drawn)]
    steps = {line for line in lines if line[0] == line[2] or line[1] == line[3]}
    heights = {line[1::2] for line in lines if line not in steps}  # also of a message that takes no time at this scale
    assert sum(line[1::2] in heights for line in lines) == len(archive.named("MPI_SEND", "MPI_ISEND")) == 4
    assert len(archive.named("METRIC")) > 3 and len(steps) >= 3
    assert all("rank %d (program)" % rank in drawn for rank in range(3))


def test_processes_that_others_start(run_command, tmp_path):
    """Messages over an intercommunicator, with a second MPI_COMM_WORLD."""
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    program = flavour.compile(places.PROGRAMS / "mpi_spawn.c", tmp_path / "program")
    result = run_command(*flavour.command(2, program), env=mpi.ENVIRONMENT,
                         options=["--domains", "mpi", "--lossless", "--no-summary"])
    assert result.rc == 0, result.stderr
    export(result.folder, tmp_path / "a.otf2")
    archive, told = otf2.Archive(tmp_path / "a.otf2"), report(result.folder)["mpi"]
    messages = [archive.named("MPI_SEND", "MPI_ISEND"), archive.named("MPI_RECV", "MPI_IRECV")]
    assert len(messages[0]) == told["matching"]["sends"] and len(messages[1]) == told["matching"]["receives"]
    kinds = {at: kind for kind, at, _ in archive.definitions if kind in ("COMM", "INTER_COMM")}
    assert {kinds[otf2.number(event.fields, "Communicator")] for event in messages[0]} >= {"INTER_COMM"}
    assert sorted(archive.comms.values()).count("MPI_COMM_WORLD") == 2
    assert len(archive.location_groups) == 4


def test_full_disk(newest, run_traced, tmp_path):
    """In a file system of its own, where one can be made."""
    result = run_traced(newest, "exported", "--lossless", "--no-summary")
    script = 'mount -t tmpfs -o size=64k tmpfs "$0" && { "$1" export --to otf2 -o "$0/a.otf2" "$2"; echo status $?; ls "$0"; }'
    folder = tmp_path / "trace-1"
    assert folder == result.folder
    moved = tmp_path.parent / (tmp_path.name + "-trace")
    folder.rename(moved)
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, str(tmp_path), places.COMMAND, str(moved)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if "status" not in done.stdout:
        pytest.skip("needs root, to mount a file system: " + done.stderr)
    assert done.stdout.split() == ["status", "1"]
    assert done.stderr == "pinsight: writing failed: %s/a.otf2.part: No space left on device\n" % tmp_path


def test_what_is_in_the_way(newest, run_traced, tmp_path):
    """A folder that is there is left alone; one that cannot be written says so, and leaves nothing behind."""
    result = run_traced(newest, "pass\nx = 1", "--no-summary")
    there = tmp_path / "there"
    there.mkdir()
    (there / "mine").write_text("mine")
    assert "is there already" in export(result.folder, there, rc=1)
    assert sorted(os.listdir(there)) == ["mine"]
    (there / "mine").unlink()
    export(result.folder, there)  # an empty folder is as good as none
    assert (there / "traces.otf2").exists()
    assert "No such file" in export(result.folder, tmp_path / "no" / "such" / "folder", rc=1)
    told = subprocess.run([places.COMMAND, "export", "--to", "otf2", "-o", "-", str(result.folder)],
                          stderr=subprocess.PIPE, encoding="utf-8")
    assert told.returncode == 2 and "is a folder" in told.stderr
    assert not list(tmp_path.glob("*.part"))


def test_streams_of_devices(tmp_path):
    """Each stream is a location of its device, which a process made; work is a region of its own. From a made trace."""
    run = cuda.Run(tmp_path / "made")
    export(run.folder, tmp_path / "a.otf2")
    archive = otf2.Archive(tmp_path / "a.otf2")
    groups = {at: text for kind, at, text in archive.definitions if kind == "LOCATION_GROUP"}
    streams = {at for at, text in archive.locations.items() if "ACCELERATOR_STREAM" in text}

    def stream_of(location):
        device, stream = map(int, re.search(r'Name: "GPU (\d+) stream (\d+)"', archive.locations[location]).groups())
        group = archive.group_of(location)
        assert "ACCELERATOR" in groups[group]
        process = otf2.number(groups[group], "Creator")
        assert archive.location_groups[group] == "%s: GPU %d" % (archive.location_groups[process], device)
        return 70 + 10 * int(re.match(r"rank (\d+) ", archive.location_groups[process]).group(1)), device, stream

    def found(locations):
        return collections.Counter(
            (where(location), archive.regions[one.region], one.begin, one.end)
            for location, slices in archive.slices.items() if location in locations for one in slices
            if "Paradigm: CUDA" in archive.region_texts[one.region])

    where = stream_of
    assert found(streams) == collections.Counter(
        ((one.pid, one.device, one.stream), escaped(one.name), made.ns(one.begin), made.ns(one.end))
        for one in run.works)
    where = lambda location: 70 + 10 * archive.rank_of(location)  # noqa: E731
    assert found(set(archive.locations) - streams) == collections.Counter(
        (one.pid, one.name, made.ns(one.begin), made.ns(one.end)) for one in run.calls)
    assert all(one.depth == 0 for at in streams for one in archive.slices[at])
    other = by_bindings(tmp_path / "a.otf2")
    assert sorted(other["streams"]) == sorted(archive.text(archive.locations[at], "Name") for at in streams)
    assert other["grouped"]["CUDA streams"] == len(streams) == 6
    assert cuda.GEMM in other["groups"]["CUDA devices"] and "cudaMemcpyAsync" in other["groups"]["CUDA calls"]
    assert other["totals"][cuda.GEMM] == sum(one.end - one.begin for one in run.works if one.name == cuda.GEMM)
    # One process: its streams only.
    export(run.folder, tmp_path / "b.otf2", "--process", "80")
    one = otf2.Archive(tmp_path / "b.otf2")
    assert sum("ACCELERATOR_STREAM" in text for text in one.locations.values()) == 3


MARKER = re.compile(r'MARKER +Time: (\d+), Duration 0, Scope: LOCATION:(\d+), Text: "(.*)"$')


def test_marks(tmp_path):
    """Marks of the program are markers of their thread, as otf2-marker reads them. From a made trace."""
    if not shutil.which("otf2-marker"):
        places.missing("otf2-marker (Debian: otf2-tools)")
    trace = made.Trace(tmp_path / "made")
    expected = []
    for rank, pid in enumerate((70, 80)):
        process = trace.process(pid, rank)
        process.code(1, "main", "/a/program.py", 3)
        for tid in (pid, pid + 1):
            thread = process.thread(tid, tid - pid, "thread %d" % tid)
            thread.python(100, "begin", 1)
            for at, name in ((110, "begun"), (150, "half \"way\" \\"), (150, "größer"), (160, "odd\n\udcff")):
                thread.event(at, "core", "mark", name=name, python_thread_id=thread.number)
                expected.append(("thread %d" % tid, made.ns(at), escaped(name).replace("\udcff", "\\xff")))
            thread.python(200, "end", 1)
    export(trace.write(), tmp_path / "a.otf2")
    archive = otf2.Archive(tmp_path / "a.otf2")
    told = subprocess.run(["otf2-marker", str(tmp_path / "a.otf2" / "traces.otf2")], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout.splitlines()
    assert re.match('MARKER_DEF +Group: "PInsight", Category: "mark", Severity: NONE$', told[0])
    found = [MARKER.match(line).groups() for line in told[1:]]
    assert sorted((archive.text(archive.locations[int(at)], "Name"), int(ts), text) for ts, at, text in found) == sorted(expected)
