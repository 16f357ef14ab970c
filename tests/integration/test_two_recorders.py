"""Both recorders record the same of programs that do the same each time, event by event."""
import collections
import itertools
import os
import subprocess

import pytest

from support import mpi, openmp, places, traces
from support.pythons import pythons

# Numbers that a run gives; an event is the same where they are the same again.
IDENTITIES = ("task_id", "parallel_id", "parent_task_id", "wait_id", "context", "request", "handle", "data")
# As one run has them.
OF_THE_RUN = ("pid", "ppid", "tid", "vtid", "vpid", "cpu_id", "command", "code_id", "callee_id", "python_thread_id",
              "global_thread_num", "program_number", "starter")
# What one recorder alone needs: LTTng counts what it may discard, the other one tells of its clock and of its threads'.
# What was timed differs from run to run.
OF_ONE = ("event_count", "clock_sync", "thread_clock", "process_memory", "callback_cost")

PROGRAMS = ("raising", "generating", "calling_back", "threads_after")
OPENMP = ("loop_static", "nested_serial", "critical", "tasks_undeferred", "barrier")
NUMBERS = ("code", "callee", "caller", "code_how", "how")  # stand for names that are compared


def record(folder, recorder, words, *options, **env):
    """Without differences between two runs: of addresses, and of the order of sets."""
    done = subprocess.run([places.COMMAND, "run", "-q", "--no-summary", "--lossless", "--recorder", recorder, *options, "-o",
                           str(folder / recorder), "--", "setarch", "-R", *map(str, words)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", **env), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / recorder


def both(folder, words, *options, **env):
    return [record(folder, name, words, *options, **env) for name in ("file", "lttng")]


def fields(event):
    return {key: value for key, value in event.fields.items() if key not in OF_THE_RUN + NUMBERS}


def python_story(folder):
    """Of each thread what it did, and what was defined."""
    trace = traces.Trace(folder)
    trace.assert_balanced()
    did = {thread.number: [(moment.kind, moment.name, moment.how, fields(moment)) for moment in thread.moments]
           for thread in trace.threads}
    defined = {name: sorted(str(sorted(fields(event).items())) for event in events)
               for name, events in trace.infos.items() if name not in OF_ONE}
    return did, defined


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("python", [pythons()[-1]], ids=str)
def test_python(python, program, tmp_path):
    one, other = map(python_story, both(tmp_path, [python.path, places.PROGRAMS / (program + ".py")],
                                        "--names", "registry", "--events", "function,c_call"))
    assert one[0].keys() == other[0].keys()
    for number in one[0]:
        assert one[0][number] == other[0][number]
    assert one[1].keys() == other[1].keys()
    for name in one[1]:
        assert one[1][name] == other[1][name], name


def regions(events):
    """What the number of each region stands for: threads that reach two at once have them numbered in either order."""
    return {(event.vpid, event.fields["lexgion"]): str(sorted(item for item in fields(event).items() if item[0] != "lexgion"))
            for event in events if event.name == "region_info"}


def story(folder):
    """Of each thread what it did; which of a team came first is not told."""
    threads = collections.defaultdict(list)
    seen = collections.defaultdict(list)
    events = list(traces.events(folder))
    region = regions(events)
    for event in events:
        if event.name in OF_ONE:
            continue
        thread = event.vpid, event.vtid
        told = fields(event)
        if "lexgion" in told:
            told["lexgion"] = region.get((event.vpid, told["lexgion"]), told["lexgion"])
        for key in told.keys() & set(IDENTITIES):
            if told[key] not in seen[thread, key]:
                seen[thread, key].append(told[key])
            told[key] = seen[thread, key].index(told[key])
        if event.name.endswith("_info"):  # of whoever comes first
            thread = "definitions"
        threads[thread].append((event.name, sorted(told.items())))
    # Threads that reach a region at once may all define it.
    threads["definitions"] = [one for one, _ in itertools.groupby(sorted(threads["definitions"], key=str))]
    return sorted(threads.values(), key=str)


def assert_same_stories(one, other):
    assert [[name for name, _ in thread] for thread in one] == [[name for name, _ in thread] for thread in other]
    for thread, thread_too in zip(one, other):
        for event, event_too in zip(thread, thread_too):
            assert event == event_too


@pytest.mark.parametrize("program", OPENMP)
def test_openmp(program, tmp_path):
    built = openmp.build("clang", [program]) / program
    one, other = both(tmp_path, [built], "--domains", "openmp", OMP_NUM_THREADS="2")
    assert_same_stories(story(one), story(other))


def test_mpi(flavour, tmp_path):
    program = flavour.compile(places.PROGRAMS / "mpi_patterns.c", tmp_path / "patterns")
    one, other = both(tmp_path, flavour.command(2, program, "all"), "--domains", "mpi", **mpi.ENVIRONMENT)
    assert_same_stories(story(one), story(other))
