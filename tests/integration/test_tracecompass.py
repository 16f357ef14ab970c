"""The pinsight.xml that the build writes, run by an interpreter of its language (support/tracecompass.py) over real traces that
babeltrace2 reads: the states are those of PInsight's own model, as `pinsight export --to csv` gives them."""
import collections
import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from support import cuda, made as made_traces, mpi, openmp, places
from support.tracecompass import Analyses, Event, Label, Long, events

# Trace Compass finds process and thread in events, where LTTng puts them, and `pinsight export --to ctf`.
pytestmark = pytest.mark.recorder("lttng")

SOURCES = places.ROOT / "tracecompass"
FILE = places.BUILD / "tracecompass" / "pinsight.xml"
PYTHON, OPENMP, MPI, CUDA = ("python", "c", "import", "gc", "region"), ("openmp", "wait"), ("mpi",), ("cuda",)
DOMAINS = {"Python": PYTHON, "OpenMP": OPENMP, "MPI": MPI, "CUDA": CUDA}
PROVIDERS = {"core": "pinsight_lttng_ust", "python": "python_pinsight_lttng_ust", "openmp": "ompt_pinsight_lttng_ust",
             "mpi": "pmpi_pinsight_lttng_ust", "cuda": "cupti_pinsight_lttng_ust"}


# ---- what the file is ----

def test_the_file_is_what_its_generator_writes(tmp_path):
    written = tmp_path / "folder" / "pinsight.xml"
    subprocess.run([sys.executable, "-B", str(SOURCES / "generate.py"), str(written)], check=True)
    assert written.read_bytes() == FILE.read_bytes()


def tables():
    """{provider:event: names of its fields} of src/events."""
    folder = places.ROOT / "src" / "events"
    told = subprocess.run(
        [sys.executable, "-B", "-c", "import sys, json; sys.path.insert(0, sys.argv[1]); import generate; print("
         "json.dumps([[t['provider'], e['name'], [f['name'] for f in e['fields']]] for t in generate.load(sys.argv[2:])"
         " for e in t['events']]))", str(folder), *map(str, sorted(folder.glob("*.json")))],
        stdout=subprocess.PIPE, check=True).stdout
    return {"%s:%s" % (provider, name): fields for provider, name, fields in json.loads(told)}


def test_events_and_fields_are_those_of_the_tables():
    """Every event that the file handles is there, with the fields that it asks for."""
    known = tables()
    root = ElementTree.parse(FILE).getroot()
    locations = {one.get("id"): one for one in root.iter("location")}

    def fields(element):
        for one in element.iter():
            if one.tag == "field":
                yield one.get("name")
            elif one.get("type") == "eventField":
                yield one.get("value")
            elif one.get("type") == "location":
                yield from fields(locations[one.get("value")])

    handled = 0
    for handler in root.iter("eventHandler"):
        pattern = handler.get("eventName")
        matching = [name for name in known if re.fullmatch(pattern.replace("*", ".*"), name)]
        assert matching, pattern
        wanted = {name for name in fields(handler) if not name.startswith("context._")}
        for name in matching:
            assert wanted <= set(known[name]), name
        handled += len(matching)
    assert handled > 700
    names = {entry[1].get("value") for entry in root.iter("entry") if entry.findall("stateValue")}
    calls = {name.split(":")[1][:-len("_begin")] for name in known if re.search(":MPI_.*_begin$", name)}
    assert calls <= names and "MPI_Send" in calls


def test_what_ends_waiting_for_a_mutex():
    """Every event of a thread in its part of a region does, as in the model: but for those that begin or end one."""
    told = subprocess.run(
        [sys.executable, "-B", "-c", "import sys; sys.path.insert(0, sys.argv[1]); import openmp; print(*openmp.IN_PARTS)",
         str(SOURCES)], stdout=subprocess.PIPE, check=True).stdout.decode().split()
    names = {name.split(":")[1] for name, fields in tables().items()
             if name.startswith(PROVIDERS["openmp"]) and "parallel_id" in fields}
    others = {"parallel_begin", "parallel_end", "implicit_task_begin", "implicit_task_next", "target_begin",
              "target_end"}
    matched = [name for name in names for pattern in told if re.fullmatch(pattern.replace("*", ".*"), name)]
    assert sorted(matched) == sorted(names - others)


# ---- the model's slices, and the states ----

Slice = collections.namedtuple("Slice", "pid tid depth category name begin end")


def model_of(trace):
    """Of threads: what devices did is known when it is over, too late for this language to show when it was."""
    told = subprocess.run([places.COMMAND, "export", "-q", str(trace), "--to", "csv", "-o", "-"], stdout=subprocess.PIPE,
                          check=True).stdout.decode("utf-8", "surrogateescape")
    rows = csv.DictReader(io.StringIO(told, newline=""))
    return [Slice(int(row["pid"]), int(row["tid"]), int(row["depth"]), row["category"], row["name"], int(row["begin_ns"]),
                  int(row["begin_ns"]) + int(row["duration_ns"])) for row in rows if row["category"] not in ("device", "gil")]


class Run:
    """The analysis of a trace, and the model's slices of it; but for processes whose command has a word of `without`."""

    def __init__(self, trace, without=()):
        self.file = Analyses(FILE)
        self.provider = self.file.provider()
        self.states = self.provider.states
        excluded = set()
        for event in events(trace):
            if event.name.endswith(":process_info") and any(word in event.fields["command"] for word in without):
                excluded.add(event.fields["pid"])
            if event.fields.get("context._vpid") not in excluded:
                self.provider.feed(event)
        self.model = [one for one in model_of(trace) if one.pid not in excluded]

    def names(self, view):
        return [names for names, _ in self.file.view("pinsight.view." + view, self.provider)]

    def stacks(self, *levels):
        """{(pid, tid): path} of the stacks of all domains together, or of one."""
        found = {}
        for pid, process in self.states.at(("Processes",)).children.items():
            for tid, thread in process.children.get("Threads", process.__class__()).children.items():
                node = thread
                for level in (*levels, "CallStack"):
                    node = node and node.children.get(level)
                if node:
                    found[int(pid), int(tid)] = ("Processes", pid, "Threads", tid, *levels, "CallStack")
        return found

    def slices(self, *levels):
        """(pid, tid, depth, begin, end, name) of what was in them; end is None for what is open."""
        return [(*thread, *one) for thread, path in self.stacks(*levels).items() for one in self.states.slices(path)]

    def check(self):
        """The states are the model's slices; of a run that ended as it should, so that none is open at its end."""
        def same(mine, theirs, of):
            still_open = [one for one in mine if one[4] is None]
            assert not still_open, (of, "without an end", still_open[:5])
            mine, theirs = collections.Counter(mine), collections.Counter(theirs)
            assert not mine - theirs, (of, "only in the analysis", sorted((mine - theirs))[:5])
            assert not theirs - mine, (of, "only in the model", sorted((theirs - mine))[:5])

        # How all domains nest: names of regions are looked at below.
        same([(*one[:5], "") for one in self.slices()],
             [(one.pid, one.tid, one.depth, one.begin, one.end, "") for one in self.model], "all")
        for domain, categories in DOMAINS.items():
            same([(pid, tid, 0, begin, end, name) for pid, tid, _, begin, end, name in self.slices(domain)],
                 [(one.pid, one.tid, 0, one.begin, one.end, plain(one)) for one in self.model
                  if one.category in categories], domain)

    def check_load(self):
        """Load is the number of threads that are in a domain, of all processes together."""
        for domain, categories in DOMAINS.items():
            changes = collections.Counter()
            for _, begin, end in merged(one for one in self.model if one.category in categories):
                changes[begin] += 1
                changes[end] -= 1
            level, wanted = 0, []
            for ts in sorted(changes):
                level += changes[ts]
                wanted.append((ts, level))
            for ts, level in wanted:
                assert (self.states.value_at(("Load", domain), ts) or 0) == level, (domain, ts)
            assert bool(wanted) == (("Load", domain) in [path for _, path in
                                                         self.file.view("pinsight.xy.load", self.provider)])


def plain(one):
    """The name of a slice without what the analysis cannot say: "parallel in work" is work."""
    return re.sub("^(parallel|teams|target) in ", "", re.sub("^(parallel|teams|target) at 0x.*", r"\1", one.name))


def merged(slices):
    """(thread, begin, end) of what slices cover, without overlap."""
    by_thread = collections.defaultdict(list)
    for one in slices:
        by_thread[one.pid, one.tid].append((one.begin, one.end))
    for thread, spans in by_thread.items():
        last = None
        for begin, end in sorted(spans):
            if last and begin < last[1]:
                last[1] = max(last[1], end)
                continue
            if last:
                yield (thread, *last)
            last = [begin, end]
        yield (thread, *last)


# ---- Python ----

PROGRAM = """
import threading

def recursing(depth):
    return depth and recursing(depth - 1)

def raising(depth):
    if not depth:
        raise ValueError
    raising(depth - 1)

def generating():
    for number in range(5):
        yield len(str(number))

def work():
    recursing(120)
    for _ in generating():
        pass
    try:
        raising(3)
    except ValueError:
        pass

threads = [threading.Thread(target=work, name="worker-%d" % number) for number in range(3)]
for thread in threads:
    thread.start()
work()
for thread in threads:
    thread.join()
import colorsys
import gc
gc.collect()
gc.collect(1)
try:
    import pinsight
    with pinsight.region("marked"):
        work()
except ImportError:
    pass
"""


def exported(folder):
    """What the file recorder recorded, with process, thread and names in its events."""
    subprocess.run([places.COMMAND, "export", "-q", "--to", "ctf", str(folder), "-o", str(folder) + ".ctf"], check=True)
    return folder.with_name(folder.name + ".ctf")


RECORDED = {"inline": ["--recorder", "lttng", "--names", "inline"], "registry": ["--recorder", "lttng", "--names", "registry"],
            "exported": ["--recorder", "file"]}


@pytest.mark.parametrize("how", list(RECORDED))
def test_python(newest, how, run_traced, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run_traced(newest, tmp_path / "program.py", *RECORDED[how], "--events", "function,c_call,import,gc",
                        "--lossless", "--no-summary")
    run = Run(exported(result.folder) if how == "exported" else result.folder)
    run.check()
    run.check_load()
    assert {"recursing", "raising", "len", "colorsys", "marked", "gc generation 1", "gc generation 2"} <= {one.name for one in run.model}
    shown = run.names("python")
    workers = {names[1] for names in shown if len(names) > 1}
    assert {"MainThread", "worker-0", "worker-1", "worker-2"} <= workers
    program = next(names[0] for names in shown)
    assert (program, "worker-1", "120") in shown
    assert (program, "worker-1", "Python") in run.names("domains")
    stacks = run.file.call_stacks("pinsight.callstack.python", run.provider)
    assert len(stacks) == len(run.file.call_stacks("pinsight.callstack.all", run.provider)) == 4
    assert all(names[-1] == "Python" for names in stacks)


def test_names_that_are_any_text(newest, run_traced, tmp_path):
    """What names may have in them: quotes, backslashes, braces, other alphabets."""
    source = "for number, name in enumerate(%r):\n    f = lambda: None\n    f.__code__ = f.__code__.replace(" \
             "co_name=name, **({'co_qualname': name} if hasattr(f.__code__, 'co_qualname') else {}))\n    f()\n"
    wild = ['a"b', "back\\slash", "{ x = 1 }, { y = 2 }", "größer", "a/b/*", "null", "tid = 7, code_how = 8"]
    (tmp_path / "wild.py").write_text(source % wild, encoding="utf-8")
    result = run_traced(newest, tmp_path / "wild.py", "--lossless", "--no-summary")
    run = Run(result.folder)
    run.check()
    assert set(wild) <= {one[-1] for one in run.slices("Python")}


# ---- OpenMP ----

@pytest.fixture(scope="module")
def openmp_runs(tmp_path_factory):
    """All programs of tests/openmp, which test_openmp_programs runs too: analysed as one trace."""
    from test_openmp_programs import run_all
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PINSIGHT_RECORDER", "lttng")
        return Run(run_all(tmp_path_factory, "clang") / "trace", without=("many_sites", "many_regions"))


def test_openmp(openmp_runs):
    run = openmp_runs
    waits = {one.name for one in run.model if one.category == "wait"}
    assert {"wait: implicit barrier", "wait: barrier", "wait: taskwait", "wait: taskgroup", "wait: lock",
            "wait: critical", "wait: ordered"} <= waits
    assert "task" in {one.name for one in run.model}
    run.check()
    run.check_load()
    assert any(len(names) > 2 and names[2] == "OpenMP" for names in run.names("openmp"))


def test_a_part_ends_with_its_region(tmp_path):
    """The thread that started a region waits for the other one until parallel_end, and no event but that says so."""
    trace = made_traces.Trace(tmp_path / "trace", known=("core", "openmp"))
    process = trace.process(70, program="/a/solver")
    threads = process.main, process.thread(71, 1, "worker")

    def event(number, at, name, region, **fields):
        threads[number].event(at, "openmp", name, parallel_id=region, parallel_codeptr=0x3000, omp_thread_num=number,
                              global_thread_num=number, **fields)

    for region, at in ((1, 100), (2, 300)):
        event(0, at, "parallel_begin", region, requested_parallelism=2)
        event(0, at + 10, "implicit_task_begin", region, task_id=10 * region, team_size=2, flags=2)
        event(1, at + 20, "implicit_task_begin" if region == 1 else "implicit_task_next", region, task_id=10 * region + 1,
              team_size=2, flags=2)
        event(0, at + 50, "barrier_implicit_begin", region, task_id=10 * region, sync_kind=9)
        event(1, at + 90, "barrier_implicit_begin", region, task_id=10 * region + 1, sync_kind=9)
        event(0, at + 100, "parallel_end", region)
    trace.write()
    run = Run(tmp_path / "trace")
    run.check()
    run.check_load()
    first = sorted((one.begin, one.end) for one in run.model if one.tid == 70 and one.category == "wait")
    assert [end - begin for begin, end in first] == [50, 50], run.model


def test_waiting_is_what_is_on_top(openmp_runs):
    """The load "OpenMP waiting" counts threads of which the innermost slice is a wait."""
    changes = collections.Counter()
    for path in openmp_runs.stacks("OpenMP").values():
        for begin, end, name in openmp_runs.states.intervals(path[:-1]):
            if name.startswith("wait: "):
                changes[begin] += 1
                changes[end] -= 1
    assert len(changes) > 100
    level = 0
    for ts in sorted(changes):
        level += changes[ts]
        assert openmp_runs.states.value_at(("Load", "OpenMP waiting"), ts) == level, ts


# ---- MPI, and all domains in one ----

@pytest.mark.parametrize("how", ["inline", "exported"])
def test_mpi(flavour, how, run_command, tmp_path):
    program = flavour.compile(places.PROGRAMS / "mpi_domain.c", tmp_path / "mpi_domain")
    result = run_command(*flavour.command(2, program, "p2p", "collectives"),
                         options=[*RECORDED[how], "--lossless", "--no-summary"], env=mpi.ENVIRONMENT)
    assert result.rc == 0, result.stderr
    run = Run(exported(result.folder) if how == "exported" else result.folder)
    run.check()
    run.check_load()
    assert {names[0] for names in run.names("mpi")} == {"rank 0", "rank 1"}
    assert len([names for names in run.names("mpi") if len(names) == 2]) == 2
    ranks = {run.states.states(("Processes", pid, "name"))[0]: pid for pid in run.states.at(("Processes",)).children
             if "MPI" in run.states.at(("Processes", pid)).children}
    shown = run.states.intervals(("Processes", ranks["rank 1"], "MPI"))
    assert shown == [(one.begin, one.end, one.name) for one in sorted(run.model, key=lambda one: one.begin)
                     if one.pid == int(ranks["rank 1"])]


ALL = """
import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.step.restype = ctypes.c_double

def start():
    return library.start()

def compute(turns):
    for turn in range(turns):
        library.step(3)

def beside():
    sum(range(1000))

start()
thread = threading.Thread(target=beside, name="beside")
thread.start()
compute(10)
thread.join()
library.finish()
"""


def test_all_domains_of_a_rank_under_each_other(flavour, newest, run_command, tmp_path):
    clang = shutil.which("clang") or places.missing("clang")
    names = "inline" if flavour.flavour == "openmpi" else "registry"
    openmp.libomp()
    library = tmp_path / "liball_domains.so"
    # Ubuntu's mpicc of MPICH asks for GCC's link-time optimization, for which clang has no plugin of the linker's.
    done = subprocess.run(
        [flavour.compiler, "-O1", "-fno-lto", "-fopenmp", "-fPIC", "-shared", "-fno-optimize-sibling-calls",
         str(places.PROGRAMS / "all_domains.c"), "-o", str(library)],
        env=dict(os.environ, OMPI_CC=clang, MPICH_CC=clang), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    (tmp_path / "all.py").write_text(ALL)
    result = run_command(*flavour.command(2, newest.path, tmp_path / "all.py", library),
                         options=["--lossless", "--no-summary", "--names", names],
                         env=dict(mpi.ENVIRONMENT, PYTHONPATH=str(places.PACKAGES)))
    assert result.rc == 0, result.stderr
    run = Run(result.folder)
    run.check()
    run.check_load()
    shown = run.names("domains")
    for rank in ("rank 0", "rank 1"):
        assert {(rank,), (rank, "MainThread"), (rank, "beside"), (rank, "beside", "Python")} <= set(shown)
        assert {(rank, "MainThread", domain) for domain in ("Python", "OpenMP", "MPI")} <= set(shown)
        others = {names[1] for names in shown if len(names) == 3 and names[0] == rank and names[2] == "OpenMP"}
        assert len(others) == 3
    # Regions have the name of the function that they stand in.
    assert {one[-1] for one in run.slices("OpenMP") if not one[-1].startswith("wait: ")} == {"step"}
    # In the middle of a region, the rows of its rank say what the thread is in, in each domain.
    region = next(one for one in run.model if one.name == "parallel in step" and one.depth)
    thread = ("Processes", str(region.pid), "Threads", str(region.tid))
    assert run.states.value_at((*thread, "OpenMP"), region.begin) == "step"
    assert run.states.value_at((*thread, "MPI"), region.begin) is None
    # A profile function sees no calls of ctypes.
    innermost = "step" if newest.mechanism == "sys.monitoring" else "compute"
    assert innermost in run.states.value_at((*thread, "Python"), region.begin)
    # How many threads are at work, of each process.
    assert len(run.file.view("pinsight.xy.busy", run.provider)) == 2
    busy = run.states.states(("Processes", str(region.pid), "busy"))
    assert max(busy) >= 3 and min(busy) == 0


# ---- made traces ----

def made(*told):
    """A provider that was fed (provider, event, fields) 10 ns after each other; the thread is 71 of process 70."""
    provider = Analyses(FILE).provider()
    for number, (domain, name, fields) in enumerate(told):
        context = {"context._vpid": Long(70), "context._vtid": Long(71)}
        fields = {key: Long(value) if isinstance(value, int) else value for key, value in fields.items()}
        provider.feed(Event(10 * number, "%s:%s" % (PROVIDERS[domain], name), {**context, **fields}))
    return provider


def test_cuda():
    """Calls by thread, and what streams finished, when the record of it arrives."""
    work = {"devId": 0, "contextId": 1, "streamId": 7, "correlationId": 9, "start": 5, "end": 6, "kernel": 3}
    provider = made(
        ("core", "process_info", {"pid": 70, "ppid": 1, "rank": 2, "program": "/a/program"}),
        ("core", "thread_info", {"pid": 70, "tid": 71, "python_thread_id": 0, "name": "MainThread"}),
        ("python", "function_begin", {"qualname": "train"}),
        ("cuda", "cudaMemcpyAsync_begin", {}),
        ("cuda", "cudaMemcpyAsync_end", {}),
        ("cuda", "cudaKernelLaunch_begin", {}),
        ("cuda", "cudaKernelLaunch_end", {}),
        ("cuda", "cudaMemcpyActivity", work),
        ("cuda", "cudaLaterCall_begin", {}),
        ("cuda", "cudaKernelActivity", work),
        ("cuda", "cudaLaterCall_end", {}),
        ("cuda", "cudaKernelActivity", dict(work, streamId=8)),
        ("cuda", "cudaSyncActivity", work),
        ("cuda", "cudaSyncActivity", dict(work, streamId=2 ** 32 - 1)),  # of a device: of no stream
        ("cuda", "kernel_info", {"pid": 70, "kernel": 4, "name": "gemm"}),
        ("cuda", "cudaKernelActivity", dict(work, kernel=4)),
        ("python", "function_end", {"qualname": "train"}),
    )
    states = provider.states
    thread, later = ("Processes", "70", "Threads", "71"), PROVIDERS["cuda"] + ":cudaLaterCall_begin"
    assert states.intervals((*thread, "CUDA")) == [
        (30, 40, "cudaMemcpyAsync"), (50, 60, "cudaKernelLaunch"), (80, 100, later)]
    assert states.slices((*thread, "CallStack")) == [
        (0, 20, 160, "train"), (1, 30, 40, "cudaMemcpyAsync"), (1, 50, 60, "cudaKernelLaunch"), (1, 80, 100, later)]
    device = ("Processes", "70", "Devices", "0")
    assert states.intervals((*device, "7")) == [
        (70, 90, "memcpy"), (90, 120, "3"), (120, 150, "sync"), (150, None, "gemm")]
    assert states.states((*device, "7", "done")) == [1, 2, 3, 4]
    assert states.states(("Load", "CUDA")) == [1, 0, 1, 0, 1, 0]
    file = Analyses(FILE)
    shown = [names for names, _ in file.view("pinsight.view.domains", provider)]
    assert shown == [("rank 2",), ("rank 2", "MainThread"), ("rank 2", "MainThread", "Python"),
                     ("rank 2", "MainThread", "CUDA"), ("rank 2", "0"), ("rank 2", "0", "7"), ("rank 2", "0", "8")]
    assert [names for names, _ in file.view("pinsight.view.cuda", provider)][-2:] == [("rank 2", "0", "7"), ("rank 2", "0", "8")]
    assert len(file.view("pinsight.xy.streams", provider)) == 2


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_cuda_of_two_ranks(names, tmp_path):
    """A made trace, with the fields of the tables, read by babeltrace2: calls are the model's, and each stream shows what
    it did in the order in which the records came."""
    made_run = cuda.Run(tmp_path / "made", names=names, later=False)
    run = Run(made_run.folder)
    assert len([one for one in run.model if one.category == "cuda"]) == len(made_run.calls)
    run.check()
    run.check_load()
    shown = run.names("domains")
    for rank in ("rank 0", "rank 1"):
        assert {(rank, "MainThread", domain) for domain in ("Python", "CUDA")} <= set(shown)
        assert [names for names in shown if names[0] == rank and names[1:2] in (("0",), ("1",))] == [
            (rank, "0"), (rank, "0", "7"), (rank, "0", "8"), (rank, "1"), (rank, "1", "9")]
    assert [names for names in run.names("cuda") if len(names) == 3] == [
        (rank, *stream) for rank in ("rank 0", "rank 1") for stream in (("0", "7"), ("0", "8"), ("1", "9"))]
    # In the middle of a call, the rows of its rank say what the thread is in, in each domain.
    call = next(one for one in run.model if one.name == "cudaStreamSync" and one.pid == 80)
    thread = ("Processes", "80", "Threads", "80")
    assert run.states.value_at((*thread, "CUDA"), call.begin) == "cudaStreamSync"
    assert run.states.value_at((*thread, "Python"), call.begin) == "step"
    # Streams.
    expected = collections.defaultdict(list)
    kernels = {tuple(int(event.fields[key]) for key in ("pid", "kernel")): event.fields["name"]
               for event in events(made_run.folder) if event.name.endswith("kernel_info")}
    for event in events(made_run.folder):
        if event.name.endswith("Activity") and event.fields["streamId"] != made_traces.NO_STREAM:
            name = (kernels[int(event.fields["context._vpid"]), int(event.fields["kernel"])] if "kernel" in event.fields else
                    event.name.split("cuda")[1][:-len("Activity")].lower())
            key = tuple(str(event.fields["context._vpid" if one == "pid" else one]) for one in ("pid", "devId", "streamId"))
            expected[key].append((event.ts, name))
    assert len(expected) == 6 and sum(map(len, expected.values())) == len(made_run.works)
    for (pid, device, stream), records in expected.items():
        path = ("Processes", pid, "Devices", device, stream)
        assert run.states.states((*path, "done"))[-1] == len(records)
        assert all(run.states.value_at(path, ts) == name for ts, name in records)
    assert len(run.file.view("pinsight.xy.streams", run.provider)) == 6


def test_what_is_missing_does_no_harm():
    """Ends without begins, numbers without names, ranks past those with a word, calls of a later standard."""
    provider = made(
        ("python", "function_end", {"qualname": "f"}),
        ("openmp", "parallel_end", {"global_thread_num": 0, "parallel_id": 5, "omp_thread_num": 0}),
        ("openmp", "task_schedule", {"global_thread_num": 0, "omp_thread_num": 0, "parallel_id": 5, "task_id": 1,
                                     "next_task_id": 2, "prior_status": Label("complete")}),
        ("mpi", "MPI_Send_end", {}),
        ("core", "process_info", {"pid": 70, "rank": -1, "program": "/a/program"}),
        ("python", "begin", {"tid": 80, "code_how": 8}),  # of a thread that nothing is known of
        ("core", "thread_info", {"pid": 70, "tid": 80, "name": "thread-1"}),
        ("python", "begin", {"tid": 80, "code_how": 8}),
        ("python", "code_info", {"code": 2, "qualname": "late"}),
        ("python", "end", {"tid": 80, "code_how": 8}),
        ("python", "begin", {"tid": 80, "code_how": 9}),
        ("mpi", "mpi_info", {"pid": 70, "rank": 1000}),
        ("mpi", "MPI_Future_begin", {}),
        ("core", "of_a_later_version", {}),
    )
    states = provider.states
    assert states.slices(("Processes", "70", "Threads", "80", "Python", "CallStack")) == [(0, 70, 90, "8"), (0, 100, None, "late")]
    assert states.states(("Processes", "70", "name")) == ["1000"]
    assert states.states(("Processes", "70", "Threads", "71", "MPI")) == [PROVIDERS["mpi"] + ":MPI_Future_begin"]
    assert set(states.states(("Load", "Python"))) <= {0, 1}
    # A session without the contexts vpid and vtid has nothing to sort events by.
    bare = Analyses(FILE).provider()
    for name in ("function_begin", "function_end"):
        bare.feed(Event(1, "%s:%s" % (PROVIDERS["python"], name), {"qualname": "f"}))
    assert not bare.states.at(("Processes",)).children


@pytest.mark.parametrize("seed", range(2))
def test_anything_in_any_order(seed):
    """Whatever a damaged trace may hold: the analysis goes on, and counts of threads are never less than none."""
    choose = random.Random(seed)
    known = tables()
    names = [name for name in known if not name.startswith(PROVIDERS["mpi"]) and "lexgion_profile" not in name]
    names += [name for name in known if re.search(":(MPI_Send|MPI_Recv|MPI_Waitall|mpi_info)", name)]
    labels = {"prior_status": ("complete", "yield", "cancel", "switch", "<unknown>"),
              "mutex_kind": ("lock", "test_lock", "ordered", "atomic")}
    texts = ("qualname", "callee_name", "module", "name", "program", "symbol")
    provider = Analyses(FILE).provider()
    ts = 0
    for _ in range(4000):
        name = choose.choice(names)
        fields = {field: Long(choose.randrange(4)) for field in (*known.get(name, ()), "devId", "streamId")}
        fields.update((field, Label(choose.choice(some))) for field, some in labels.items() if field in fields)
        fields.update((field, choose.choice(("f", "g", "null", "wait: lock", ""))) for field in texts if field in fields)
        if choose.random() < 0.98:
            fields.update({"context._vpid": Long(choose.randrange(2)), "context._vtid": Long(choose.randrange(4))})
        provider.feed(Event(ts, name, fields))
        ts += choose.randrange(2)
    states = provider.states
    for domain in ("Python", "OpenMP", "OpenMP waiting", "MPI", "CUDA"):
        levels = states.states(("Load", domain))
        assert levels and min(levels) >= 0 and max(levels) <= 16, (domain, min(levels), max(levels))
    for pid in ("0", "1"):
        busy = states.states(("Processes", pid, "busy"))
        assert min(busy) >= 0 and max(busy) <= 4
    for view in ("domains", "python", "openmp", "mpi", "cuda", "tasks"):
        assert Analyses(FILE).view("pinsight.view." + view, provider)
