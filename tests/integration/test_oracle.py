"""The sequence of what each thread does, beside the one that the oracle in pure Python records."""
import difflib
import json
import os
import subprocess
from collections import namedtuple

import pytest

from support import places

# since: the first Python; packages: what it needs; within: what is compared lies within calls of this function
# (None: within main in the main thread, and all of the others); late: switched on by the program itself; lost and
# dropped: begins without an end and ends without a begin, the same for all Pythons, or as many as the oracle has.
Program = namedtuple("Program", "since packages within late lost dropped",
                     defaults=((3, 8), (), None, False, 0, 0))

# What a switch finds open or leaves open, PInsight's own functions not being traced: switch_on ends unbegun,
# switch_off begins and is never seen to end.
ON, OFF = 1, 1
FROM_ORACLE = object()

PROGRAMS = {
    "raising": Program(),
    "recursing": Program(),
    "generating": Program(),
    "awaiting": Program(),
    "task_groups": Program(since=(3, 11)),
    "managing": Program(),
    "constructing": Program(),
    "decorating": Program(),
    "arrays": Program(packages=("numpy",)),
    "executing": Program(),
    "many_functions": Program(),
    "threads_after": Program(),
    "threads_together": Program(within="traced"),
    "calling_back": Program(),
    "foreign": Program(),
    # Two threads are in time.sleep and what leads to it when the interpreter ends.
    "daemons": Program(lost=FROM_ORACLE),
    # Three threads are four Python frames deep (_bootstrap to early) when tracing is switched on.
    "threads_before": Program(within="traced", late=True, lost=OFF, dropped=ON + 3 * 4),
    # Two threads are in `early`.
    "bare_threads_before": Program(within="traced", late=True, lost=OFF, dropped=ON + 2),
    # Five frames of on_at are open at the first switch, four of off_at at the second.
    "middle": Program(within="traced", late=True, lost=OFF + 4 + OFF, dropped=ON + 5 + ON),
}


def run_oracle(python, program, folder):
    output = folder / "oracle.json"
    path = python.with_packages(*PROGRAMS[program].packages) if PROGRAMS[program].packages else python.path
    late = ["--late"] if PROGRAMS[program].late else []
    done = subprocess.run([path, str(places.ORACLE), str(output), str(places.PROGRAMS / (program + ".py")), *late],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, cwd=folder, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    assert done.returncode == 0, done.stdout.decode(errors="replace")
    return json.loads(output.read_text(encoding="utf-8", errors="surrogatepass"))


def plain(python, moments):
    """Moments as (kind, name, how), with names as far as this Python's oracle knows them."""
    shortened = python.version < (3, 11)
    for moment in moments:
        kind, name, how = moment[:3]
        if shortened and kind in ("begin", "end"):
            name = name.rpartition(".")[2]
        yield kind, name, how


def inside(moments, name):
    """What lies within the calls of the function `name`, these included."""
    found, depth = [], 0
    for kind, what, how in moments:
        if kind == "begin" and what == name:
            depth += 1
        if depth:
            found.append((kind, what, how))
        if kind == "end" and what == name and depth:
            depth -= 1
    return found


WAITING = {"Event.wait", "Condition.notify"}


def without_waiting(moments):
    """Without what Event.wait does, which is less where the event has come, and Condition.notify, which is less where
    nobody waits. Without a GIL both are a matter of luck."""
    found, depth = [], 0
    for kind, name, how in moments:
        if kind == "end" and name in WAITING:
            depth -= 1
        if not depth:
            found.append((kind, name, how))
        if kind == "begin" and name in WAITING:
            depth += 1
    return found


def compared(python, program, moments, main):
    moments = list(plain(python, moments))
    if not python.has_gil:
        moments = without_waiting(moments)
    if PROGRAMS[program].within:
        return inside(moments, PROGRAMS[program].within)
    if main:
        return inside(moments, "main")
    if PROGRAMS[program].lost:
        return [moment for moment in moments if moment[2] != "lost"]
    return moments


def softened(expected, seen):
    """The oracle's "?" stands for whatever was seen; a profile function is not told resume from throw."""
    result = []
    for index, (kind, name, how) in enumerate(expected):
        if index < len(seen) and seen[index][:2] == (kind, name):
            other = seen[index][2]
            if how == "?" or (how == "resume" and other == "throw"):
                how = other
        result.append((kind, name, how))
    return result


def assert_same(expected, seen, what):
    expected = softened(expected, seen)
    if expected == seen:
        return
    first = next((index for index, pair in enumerate(zip(expected, seen)) if pair[0] != pair[1]),
                 min(len(expected), len(seen)))
    start = max(first - 5, 0)
    lines = difflib.unified_diff([str(moment) for moment in expected[start:first + 25]],
                                 [str(moment) for moment in seen[start:first + 25]], "oracle", "trace", lineterm="")
    pytest.fail("%s: differs at event %d (the oracle has %d, the trace %d)\n%s" % (
        what, first, len(expected), len(seen), "\n".join(lines)), pytrace=False)


def check(python, program, run_traced, tmp_path, recorder, names):
    about = PROGRAMS[program]
    if python.version < about.since:
        pytest.skip("the language has this from %d.%d on" % about.since)
    # The oracle sees what the interpreter reports: neither operators nor waits.
    config = tmp_path / "oracle.ini"
    config.write_text("[Python]\noperators = none\nevents = function, c_call\n")
    env = dict({"PINSIGHT_TRACE_PYTHON": "OFF"} if about.late else {}, PINSIGHT_CONFIG=str(config))
    oracle = run_oracle(python, program, tmp_path)
    result = run_traced(python, program, "--recorder", recorder, "--names", names, "--lossless", "--no-summary", env=env,
                        packages=about.packages)
    compare(python, program, oracle, result)


def compare(python, program, oracle, result):
    about = PROGRAMS[program]
    trace = result.trace
    trace.assert_balanced()

    assert oracle["mechanism"] == python.mechanism
    assert trace.infos["domain_info"][0].fields["mechanism"] == python.mechanism
    threads = [(thread.number == 0, compared(python, program, thread.moments, thread.number == 0))
               for thread in trace.threads]
    expected = [(thread["main"], compared(python, program, thread["moments"], thread["main"]))
                for thread in oracle["threads"]]
    threads = [thread for thread in threads if thread[1]]
    expected = [thread for thread in expected if thread[1]]
    assert_same(dict(expected).get(True, []), dict(threads).get(True, []), "main thread")
    others = sorted((moments for main, moments in threads if not main), key=ordering)
    expected_others = sorted((moments for main, moments in expected if not main), key=ordering)
    assert len(others) == len(expected_others)
    for index, (theirs, ours) in enumerate(zip(expected_others, others)):
        assert_same(theirs, ours, "thread %d" % index)

    # All that was closed as lost was still running when recording ended.
    lost = oracle["lost"] if about.lost is FROM_ORACLE else about.lost
    assert (trace.lost(), *map(trace.totals, ("lost_frames", "under_way", "dropped_ends"))) == (
        lost, lost, lost, about.dropped)
    not_recorded = result.report("--limit", "1")["not_recorded"]
    assert not_recorded["discarded_events"] == 0
    assert (not_recorded["lost_frames"], not_recorded["under_way"]) == (0, lost)
    assert not_recorded["dropped_ends"] == about.dropped


def ordering(moments):
    return [moment[:2] for moment in moments]


@pytest.mark.parametrize("program", PROGRAMS)
def test_sequence(python, program, run_traced, tmp_path):
    check(python, program, run_traced, tmp_path, "file", "registry")


@pytest.mark.recorder("lttng")
@pytest.mark.parametrize("number, program", enumerate(PROGRAMS), ids=list(PROGRAMS))
def test_sequence_through_lttng(one_of_each, number, program, run_traced, tmp_path):
    """Names are of one kind or the other."""
    check(one_of_each, program, run_traced, tmp_path, "lttng", ["inline", "registry"][number % 2])


# A signal handler runs inside the oracle's own callbacks, so here the sequence is written down.

def expected_signals(python, begins_first):
    """What on_entry and after_call do; `begins_first`: a function begins before signals are looked for."""
    made = [("c_begin", "__main__.Interrupted", None), ("c_end", "__main__.Interrupted", "return")]
    handled = [("begin", "handler", "start"), *(made if python.mechanism == "sys.monitoring" else []),
               ("end", "handler", "unwind")]
    entered = [("begin", "entered", "start"), *handled, ("end", "entered", "unwind")] if begins_first else handled
    if python.mechanism == "sys.monitoring":
        on_entry = [("c_begin", "map", None), ("c_end", "map", "return")] * 2 + [
            ("c_begin", "list", None), *entered, ("c_end", "list", "raise")]
        after_call = [("c_begin", "ctypes.raise", None), ("c_end", "ctypes.raise", "return"), *handled]
    else:
        on_entry, after_call = entered, handled
    return ([("begin", "on_entry", "start"), *on_entry, ("end", "on_entry", "return")],
            [("begin", "after_call", "start"), *after_call, ("end", "after_call", "return")])


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_signal_handler_that_raises(python, names, run_traced):
    """3.11 and 3.13 tell the end of a function whose begin they never told: those ends are dropped."""
    result = run_traced(python, "signalled", "--names", names, "--lossless", "--no-summary")
    trace = result.trace
    trace.assert_balanced()
    moments = list(plain(python, trace.main().moments))
    begins_first = ("begin", "entered", "start") in inside(moments, "on_entry")
    if python.version < (3, 14):
        assert begins_first == (python.at_least not in ((3, 11), (3, 13)))
    on_entry, after_call = expected_signals(python, begins_first)
    assert inside(moments, "on_entry") == on_entry * 3
    assert inside(moments, "after_call") == after_call * 3
    dropped = 0 if begins_first else 3
    assert (trace.totals("lost_frames"), trace.totals("dropped_ends")) == (0, dropped)
    not_recorded = result.report()["not_recorded"]
    assert (not_recorded["lost_frames"], not_recorded["dropped_ends"]) == (0, dropped)
