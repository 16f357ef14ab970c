"""The OpenMP domain: modes, windows, ranges, kinds of events, forks, threads and libraries that go, other tools."""
import collections
import os
import re
import signal
import subprocess

import pytest

from support import openmp, places
from support.openmp_trace import apart
from support.traces import events
from support.world import wait_until

SOURCE = places.PROGRAMS / "openmp_domain.c"
OPENMP = ["--domains", "openmp", "--no-summary", "--lossless"]
REGION = 2  # lexgion_kind


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The program, linked with libomp; and its library beside it."""
    program, _ = openmp.program_and_library(tmp_path_factory.mktemp("openmp"), SOURCE, "libregion.so",
                                            ["-rdynamic", "-ldl"])
    return program


@pytest.fixture
def traced(built, run_command, tmp_path):
    """traced(*arguments, config=…, options=[…], env={…}): the events of a run, by name."""
    def run(*arguments, config=None, options=(), env=None, rc=0):
        words = list(OPENMP) + list(options)
        if config is not None:
            file = tmp_path / "test.ini"
            file.write_text(config)
            words += ["-c", str(file)]
        result = run_command(built, *arguments, options=words, env=env)
        assert result.rc == rc, result.stderr
        return Run(result)
    return run


class Run:
    def __init__(self, result, every=None):
        self.result = result
        self.events = list(apart(every or events(result.folder)))
        self.by_name = collections.defaultdict(list)
        for event in self.events:
            self.by_name[event.name].append(event)
        self.regions = {(event.vpid, event.fields["codeptr"]): event.fields for event in self.by_name["region_info"]}

    def executions(self, symbol=None, vpid=None):
        """Of the regions of a function: the events parallel_begin."""
        return [event for event in self.by_name["parallel_begin"]
                if (symbol is None or self.region(event)["symbol"] == symbol) and vpid in (None, event.vpid)]

    def region(self, event):
        return self.regions[event.vpid, event.fields["parallel_codeptr"]]

    def openmp(self):
        return [event for event in self.events if "global_thread_num" in event.fields]

    def assert_balanced(self):
        """In each thread every end has its begin, and every begin its end."""
        opened = collections.Counter()
        for event in self.openmp():
            base, _, edge = event.name.rpartition("_")
            key = (event.vpid, event.vtid, base)
            if edge == "begin":
                opened[key] += 1
            elif edge == "end":
                opened[key] -= 1
                assert opened[key] >= 0, event
        assert not {key: count for key, count in opened.items() if count}

    def assert_whole(self):
        """Every event in a region is of one whose begin is there, with that region's address."""
        begun = {(event.vpid, event.fields["parallel_id"]): event.fields["parallel_codeptr"]
                 for event in self.by_name["parallel_begin"]}
        assert len(begun) == len(self.by_name["parallel_begin"])
        for event in self.openmp():
            if event.fields.get("parallel_id"):
                assert begun[event.vpid, event.fields["parallel_id"]] == event.fields["parallel_codeptr"], event


def config(mode="TRACING", more=""):
    return "[OpenMP]\n    trace_mode = %s\n%s" % (mode, more)


def assert_executions(run, count):
    """Each of the two regions was recorded so often, with all that is in it."""
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions("first")) == len(run.executions("second")) == count
    assert len(run.by_name["implicit_task_begin"]) == 2 * 2 * count + 1
    assert len(run.by_name["work_begin"]) >= 2 * count
    assert len(run.by_name["task_create"]) == count


@pytest.mark.recorder("file", "lttng")
def test_all(traced):
    """Without a configuration everything is recorded: the executions of both regions, in both threads."""
    run = traced("times", 10)
    assert_executions(run, 10)
    assert {os.path.basename(event.fields["object"]) for event in run.by_name["region_info"]} == {"openmp_domain"}
    assert len(run.by_name["domain_info"]) == 1
    tasks = [event.fields["task_id"] for event in run.by_name["implicit_task_begin"]]
    assert len(set(tasks)) == len(tasks)


@pytest.mark.recorder("file", "lttng")
def test_windows(traced):
    """max_num_traces gives exactly so many of each region, with all that is in them."""
    run = traced("times", 200, config=config(more="[Lexgion.OpenMP]\n    max_num_traces = 50\n"))
    assert_executions(run, 50)
    ended = {event.fields["name"]: event.fields for event in run.by_name["window_end"]}
    assert set(ended) == {"first", "second"}
    for fields in ended.values():
        assert fields["kind"] == REGION and fields["recorded"] == 50 and fields["domain"] == "OpenMP"


def test_rate_and_start(traced):
    more = "[Lexgion.OpenMP]\n trace_starts_at = 10\n tracing_rate = 5\n max_num_traces = 20\n"
    run = traced("times", 200, config=config(more=more))
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions("first")) == len(run.executions("second")) == 20


@pytest.mark.recorder("file", "lttng")
@pytest.mark.parametrize("how", ["symbol", "wildcard", "offset"])
def test_selectors(traced, how):
    """A region is selected by the function that it is in, or by its object and offset."""
    selector = {"symbol": "first", "wildcard": "fir*"}.get(how)
    if how == "offset":
        run = traced("times", 1)
        first = run.region(run.executions("first")[0])
        selector = "openmp_dom*+0x%x" % first["offset"]
    run = traced("times", 30, config=config(more="[Lexgion(OpenMP:%s)]\n    max_num_traces = 7\n" % selector))
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions("first")) == 7
    assert len(run.executions("second")) == 30


def test_window_then_counted(traced):
    """After its window, a region goes on in another mode alone."""
    more = "[Lexgion(OpenMP:first)]\n max_num_traces = 5\n trace_mode_after = MONITORING\n"
    run = traced("times", 30, config=config(more=more))
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions("first")) == 5 and len(run.executions("second")) == 30
    calls = {(event.fields["name"], event.fields["tid"] == event.fields["pid"]): event.fields["calls"]
             for event in run.by_name["lexgion_profile"]}
    assert calls == {("first", True): 25, ("first", False): 25}


@pytest.mark.recorder("file", "lttng")
def test_window_then_domain(traced):
    """After a window the whole domain goes into STANDBY; what was begun is ended."""
    more = "[Lexgion(OpenMP:first)]\n max_num_traces = 5\n trace_mode_after = OpenMP:STANDBY\n"
    run = traced("times", 400, config=config(more=more))
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions("first")) == 5
    assert len(run.executions("second")) < 400
    assert [event.fields["to_mode"] for event in run.by_name["mode_change"]] == [1]


@pytest.mark.recorder("file", "lttng")
def test_monitoring(traced):
    """Counts and times of each region in each thread, and no event of OpenMP."""
    run = traced("times", 40, options=["--mode", "MONITORING"])
    assert not run.openmp()
    profiles = [event.fields for event in run.by_name["lexgion_profile"]]
    counted = collections.Counter()
    for fields in profiles:
        assert fields["kind"] == REGION and fields["domain"] == "OpenMP"
        assert 0 < fields["exclusive_ns"] <= fields["inclusive_ns"]
        counted[fields["name"], fields["tid"] == fields["pid"]] += fields["calls"]
    assert counted == {(name, main): 40 for name in ("first", "second") for main in (True, False)}


@pytest.mark.parametrize("mode", ["OFF", "STANDBY"])
def test_nothing(traced, mode):
    run = traced("times", 5, options=["--mode", mode])
    assert not run.openmp() and not run.by_name["lexgion_profile"]


def test_range(traced):
    """Threads outside the range record nothing of their own; a task that was recorded is followed where it runs."""
    for numbers, thread in (("0", 0), ("1", 1)):
        run = traced("times", 5, config=config(more="[OpenMP.punit.thread]\n    range = %s\n" % numbers))
        run.assert_balanced()
        tasks = {event.fields["omp_thread_num"] for event in run.openmp()
                 if "omp_thread_num" in event.fields and event.name != "task_schedule"}
        assert tasks == {thread}
        assert len(run.by_name["implicit_task_begin"]) == 10 + (thread == 0)
        assert len(run.by_name["parallel_begin"]) == (10 if thread == 0 else 0)


@pytest.mark.recorder("file", "lttng")
def test_kinds(traced):
    """Exactly the kinds of events that are asked for."""
    run = traced("times", 5, config=config(more="    events = parallel, mutex\n"))
    run.assert_balanced()
    names = {event.name for event in run.openmp()}
    assert names == {"parallel_begin", "parallel_end", "critical_acquire", "critical_acquired", "critical_released"}


def raw(run):
    return [event for event in events(run.result.folder) if "global_thread_num" in event.fields]


def test_other_threads_tell_several_things_in_one(traced):
    """What lies on the way of a region: of each, another thread than the first records two events for its part, with
    the barrier at the end and what comes before the next; the first one tells all, as the runtime does."""
    run = traced("times", 10)
    first, other = (collections.Counter(event.name for event in raw(run) if event.fields.get("omp_thread_num") == number)
                    for number in (0, 1))
    assert not {"barrier_implicit_begin", "barrier_implicit_end", "implicit_task_next"} & set(first)
    assert first["barrier_implicit_sync_wait_end"] >= 20 and first["implicit_task_end"] == 20 + 1
    assert not {"barrier_implicit_sync_begin", "barrier_implicit_sync_wait_end", "implicit_task_end"} & set(other)
    assert (other["implicit_task_begin"], other["implicit_task_next"]) == (1, 19)
    inside = other["barrier_implicit_begin"] - 20  # barriers of loops, where the region goes on
    ends = [event.fields["ends_task"] for event in raw(run) if event.name == "barrier_implicit_end"]
    assert sorted(ends) == [0] * inside + [1]


def test_windows_end_what_others_told_in_one(traced):
    """The last region that is recorded ends in all threads, when the next is none of the window."""
    run = traced("times", 20, config=config(more="[Lexgion.OpenMP]\n    max_num_traces = 3\n"))
    run.assert_balanced()
    assert [event.fields["ends_task"] for event in raw(run) if event.name == "barrier_implicit_end"].count(1) == 1


@pytest.mark.parametrize("kinds", ["parallel, implicit_task, sync", "parallel, implicit_task, sync_wait",
                                   "parallel, sync, sync_wait"])
def test_kinds_that_are_off_are_not_told_with_others(traced, kinds):
    run = traced("times", 5, config=config(more="    events = %s\n" % kinds))
    run.assert_balanced()
    run.assert_whole()
    names = {event.name for event in run.openmp()}
    for kind, name in (("implicit_task", "implicit_task_end"), ("sync,", "barrier_implicit_sync_end"),
                       ("sync_wait", "barrier_implicit_sync_wait_end")):
        assert (name in names) == (kind in kinds + ","), (kind, names)


@pytest.mark.recorder("file", "lttng")
def test_fork(traced):
    """A child that forks outside of regions is traced as a process of its own."""
    for how in ("fork", "fork_first"):
        run = traced(how, 4)
        assert "child 0" in run.result.stdout
        run.assert_balanced()
        run.assert_whole()
        pids = {event.vpid for event in run.openmp()}
        assert len(pids) == 2
        executions = collections.Counter(event.vpid for event in run.executions())
        assert sorted(executions.values()) == [2, 8]
        for pid in pids:
            numbers = {event.fields["global_thread_num"] for event in run.openmp() if event.vpid == pid}
            assert numbers == {0, 1}


def test_fork_inside(traced):
    run = traced("fork_inside", 3)
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions()) == 7


@pytest.mark.recorder("file", "lttng")
@pytest.mark.parametrize("how", ["thread", "thread_in_region"])
def test_threads_that_end(traced, how):
    """A thread that uses OpenMP and ends, in a region too, leaves nothing open."""
    run = traced(how)
    assert "done" in run.result.stdout
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions()) == 1


@pytest.mark.recorder("file", "lttng")
def test_nested(traced):
    run = traced("nested")
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions()) == 3
    assert len(run.by_name["implicit_task_begin"]) == 1 + 2 + 4


def test_unloaded(built, run_command):
    """A program that unloads the library whose regions it ran, and loads it again."""
    result = run_command(built, "unload", 3, built.parent / "libregion.so", options=OPENMP)
    assert result.rc == 0 and result.stdout == "3\n3\n3\ndone\n"
    run = Run(result)
    run.assert_balanced()
    assert len(run.executions()) == 3
    for event in run.executions():
        assert os.path.basename(run.region(event)["object"]) == "libregion.so"


@pytest.mark.recorder("file", "lttng")
def test_leaves(traced):
    """_exit() after regions: what was recorded is there; the workers wait without end."""
    run = traced("leave", 3, rc=3)
    run.assert_whole()
    assert len(run.executions()) == len(run.by_name["parallel_end"]) == 6


@pytest.fixture
def through_modes(built, tmp_path):
    """through_modes(first, …) runs the program, with regions in each mode in turn; gives what it said and its trace's
    folder."""
    def run(first, *others):
        file, folder, turns = (tmp_path / name for name in ("live.ini", "trace", "turns"))
        file.write_text(config(first))
        process = subprocess.Popen(
            [places.COMMAND, "run", "-o", str(folder), "-c", str(file), *OPENMP, "--", str(built), "until"],
            cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            assert wait_until(turns.exists, 30)
            for mode in others:
                file.write_text(config(mode))
                pid = turns.read_text().split()[1]
                os.kill(int(pid), signal.SIGUSR1)
                # A busy machine can let hundreds of turns pass before the configuration is read.
                assert wait_until(lambda: re.search("OpenMP +" + mode, subprocess.run(
                    [places.COMMAND, "ctl", pid, "status"], stdout=subprocess.PIPE).stdout.decode()), 30)
                start = int(turns.read_text().split()[0])
                assert wait_until(lambda: int(turns.read_text().split()[0]) >= start + 150, 30)
        finally:
            (tmp_path / "stop").write_text("")
            output, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        return collections.namedtuple("Result", "folder stdout")(folder, output)
    return run


def test_reload(through_modes):
    """STANDBY to TRACING in mid-run, to MONITORING, to OFF and back to TRACING."""
    run = Run(through_modes("STANDBY", "TRACING", "MONITORING", "OFF", "TRACING", "STANDBY"))
    run.assert_balanced()
    run.assert_whole()
    changes = [event.fields["to_mode"] for event in run.by_name["mode_change"]]
    assert changes == [3, 2, 0, 3, 1]
    assert len(run.executions()) > 100
    assert sum(event.fields["calls"] for event in run.by_name["lexgion_profile"]) > 100


def test_off_is_for_good(through_modes):
    """A runtime that was told that nobody listens does not ask again; the program ends as without PInsight."""
    through_modes("OFF")


SCRIPT = "#!/bin/sh\necho \"$1\" > %s\n"


@pytest.mark.recorder("lttng")
def test_introspection(built, tmp_path, run_command):
    """A window's end pauses the program for a script that reads a whole chunk; then the domain goes on in STANDBY."""
    script, said, file = tmp_path / "look.sh", tmp_path / "said", tmp_path / "introspect.ini"
    script.write_text(SCRIPT % said)
    script.chmod(0o755)
    file.write_text(config(more="[Lexgion(OpenMP:first)]\n max_num_traces = 20\n"
                                " trace_mode_after = INTROSPECT:5:%s:STANDBY\n" % script))
    result = run_command(built, "times", 2000, options=[*OPENMP, "-c", str(file)])
    assert result.rc == 0, result.stderr
    chunks = sorted((result.folder / "archives").iterdir(), key=lambda path: int(path.name.rsplit("-", 1)[1]))
    assert said.read_text().strip() == str(chunks[0])
    every = [event for chunk in chunks for event in events(chunk)]
    end = [event.fields for event in every if event.name == "introspect_end"]
    assert len(end) == 1 and end[0]["threads_stopped"] >= 1, end
    run = Run(result, every)
    run.assert_balanced()
    run.assert_whole()
    assert len(run.executions("first")) == 20
    # Each chunk explains its own addresses.
    for chunk in chunks:
        names = {event.fields["codeptr"] for event in events(chunk) if event.name == "region_info"}
        assert {event.fields["parallel_codeptr"] for event in events(chunk) if event.name == "parallel_begin"} <= names


@pytest.mark.parametrize("without", ["barrier_implicit_begin", "barrier_implicit_end", "implicit_task_next"])
@pytest.mark.recorder("lttng")
def test_a_session_without_some_events(built, tmp_path, world_with_daemon, without):
    """One that does not listen to all events that tell several things in one gets them told one by one."""
    place, trace = world_with_daemon, tmp_path / "trace"
    for words in (["create", "some", "--output", str(trace)],
                  ["enable-event", "-u", "-s", "some", "*pinsight_lttng_ust:*", "-x", "ompt_pinsight_lttng_ust:" + without],
                  ["add-context", "-u", "-s", "some", "-t", "vpid", "-t", "vtid"], ["start", "some"]):
        done = place.run(["lttng", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
    process = place.start([str(built), "times", "5"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={"PINSIGHT_RECORDER": "lttng", "PINSIGHT_LIBDIR": str(places.LIBDIR),
                               "LD_PRELOAD": places.plain_path(places.LIBDIR / "libpinsight-preload.so", tmp_path),
                               "OMP_TOOL_LIBRARIES": str(places.LIBDIR / "libpinsight-openmp-tool.so")})
    process.communicate(timeout=60)
    place.run(["lttng", "destroy", "some"])
    run = Run(collections.namedtuple("Result", "folder")(trace))
    run.assert_balanced()
    run.assert_whole()
    names = {event.name for event in raw(run)}
    assert "implicit_task_end" in names and "barrier_implicit_sync_wait_end" in names
    assert not {"barrier_implicit_begin", "barrier_implicit_end", "implicit_task_next"} & names


@pytest.mark.recorder("lttng")
def test_late_session(built, tmp_path, world_with_daemon):
    """A session that starts while the program runs has all definitions, and events that match from there on."""
    place, turns, trace = world_with_daemon, tmp_path / "turns", tmp_path / "late"
    process = place.start([str(built), "until"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={"PINSIGHT_RECORDER": "lttng", "PINSIGHT_LIBDIR": str(places.LIBDIR),
                               "LD_PRELOAD": places.plain_path(places.LIBDIR / "libpinsight-preload.so", tmp_path),
                               "OMP_TOOL_LIBRARIES": str(places.LIBDIR / "libpinsight-openmp-tool.so")})
    try:
        assert wait_until(turns.exists, 30)
        for words in (["create", "late", "--output", str(trace)],
                      ["enable-event", "-u", "-s", "late", "*pinsight_lttng_ust:*"],
                      ["add-context", "-u", "-s", "late", "-t", "vpid", "-t", "vtid"], ["start", "late"]):
            done = place.run(["lttng", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert done.returncode == 0, done.stdout
        start = int(turns.read_text().split()[0])
        assert wait_until(lambda: int(turns.read_text().split()[0]) >= start + 200, 30)
    finally:
        (tmp_path / "stop").write_text("")
        process.communicate(timeout=60)
        place.run(["lttng", "destroy", "late"])
    run = Run(collections.namedtuple("Result", "folder")(trace))
    assert len(run.by_name["process_info"]) >= 1 and len(run.by_name["domain_info"]) >= 1
    assert len(run.executions("first")) > 50


PYTHON = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
def call():
    assert library.in_library() == 3
for _ in range(5):
    call()
pid = os.fork()
if pid == 0:
    call()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
"""


def test_python(built, run_traced, tmp_path, newest):
    """A C extension's regions in a Python program, with Python's events or without, and in a forked child."""
    program = tmp_path / "program.py"
    program.write_text(PYTHON)
    for options in (["--domains", "openmp,python"], ["--domains", "openmp"]):
        result = run_traced(newest, program, *options, "--no-summary", arguments=[built.parent / "libregion.so"])
        run = Run(result)
        assert len(run.executions("in_library")) == 6
        assert len({event.vpid for event in run.executions()}) == 2
        run.assert_whole()


# ---- other tools, and none ----

OTHER = """
#include <stdio.h>
#include <omp-tools.h>
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)lookup; (void)device; (void)data;
    fprintf(stderr, "the other tool\\n");
    return 1;
}
static void finalize(ompt_data_t *data) { (void)data; }
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version; (void)name;
    return &result;
}
"""


@pytest.fixture(scope="module")
def other_tool(built):
    path = built.parent / "libother.so"
    source = built.parent / "other.c"
    source.write_text(OTHER)
    subprocess.run(["clang", "-fPIC", "-shared", str(source), "-o", str(path)], check=True)
    return path


@pytest.mark.parametrize("how", ["OMP_TOOL_LIBRARIES", "LD_PRELOAD"])
def test_another_tool(built, run_command, other_tool, how):
    """Another tool of OMPT stays, and is named."""
    result = run_command(built, "times", 2, options=OPENMP, env={how: str(other_tool)})
    assert result.rc == 0 and "done" in result.stdout
    assert "the other tool" in result.stderr
    # By the shim; by the run, where the runtime asks only what OMP_TOOL_LIBRARIES names (Ubuntu's).
    assert re.search(r"pinsight: .*OpenMP is not (traced|recorded)", result.stderr)
    assert not Run(result).openmp()


def test_tools_disabled(traced):
    run = traced("times", 2, env={"OMP_TOOL": "disabled"})
    assert not run.openmp()


def test_by_tool_libraries(built, run_command):
    """Without the shim: the library itself is a tool of OMPT."""
    library = places.LIBDIR / "libpinsight.so.0"
    result = run_command("env", "-u", "LD_PRELOAD", "OMP_TOOL_LIBRARIES=%s" % library, built, "times", 2,
                         options=OPENMP)
    assert result.rc == 0
    run = Run(result)
    run.assert_balanced()
    assert len(run.executions()) == 4
