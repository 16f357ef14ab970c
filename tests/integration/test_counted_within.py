"""Counted executions within traced ones, and traced ones within counted ones: each moment belongs to one of them.

The program sleeps in known places, so that each function's own time is known from the program alone."""
import json
import subprocess

import pytest

from support import places

PROGRAM = """
import time
def leaf(): time.sleep(.004)
def key(number):
    time.sleep(.004)
    return number
def step(number):
    if number % 2:
        leaf()
    else:
        sorted([number], key=key)
def rare(): time.sleep(.02)
def outer(number):
    step(number)
    if number % 10 == 9:
        rare()
def main():
    for number in range(40): outer(number)
main()
"""
# Their own times in ms: without C calls, sleep() is part of the function.
OWN = {"leaf": 80, "key": 80, "rare": 80, "step": 0, "outer": 0, "main": 0, "<module>": 0}
SLEPT = 240e6
WINDOW = "[Lexgion(Python:*:%s)]\nmax_num_traces = 2\ntrace_mode_after = %s\n"
CASES = {
    "inner counted": WINDOW % ("leaf", "MONITORING") + WINDOW % ("key", "MONITORING"),
    "outer counted": WINDOW % ("outer", "MONITORING"),
    "every second": WINDOW % ("main", "MONITORING") + WINDOW % ("step", "MONITORING") + WINDOW % ("rare", "MONITORING"),
    "middle counted": WINDOW % ("step", "MONITORING"),
    "domain": WINDOW % ("leaf", "Python:MONITORING"),
    "all": "[Lexgion.default]\nmax_num_traces = 3\ntrace_mode_after = MONITORING\n",
}


def report(folder, *options):
    return json.loads(subprocess.run([str(places.COMMAND), "report", "--format", "json", *options, str(folder)], check=True,
                                     stdout=subprocess.PIPE).stdout)


@pytest.mark.parametrize("names", ["inline", "registry"])
@pytest.mark.parametrize("events", ["function", "function,c_call"])
@pytest.mark.parametrize("case", CASES)
def test_each_moment_belongs_to_one(one_of_each, case, events, names, run_traced, tmp_path):
    config = tmp_path / "config.ini"
    config.write_text("[Python]\nevents = %s\n" % events + CASES[case])
    run = run_traced(one_of_each, PROGRAM, "--names", names, "--config", str(config))
    found = report(run.folder, "--by", "thread")
    functions = {row["name"].rpartition(".")[2]: row for row in report(run.folder, "--limit", "0")["functions"]}
    wall = found["trace"]["duration_ns"]
    own = {name: functions[name]["self_ns"] / 1e6 for name in OWN}
    if events == "function":
        # sleep() may last longer than it was told, but what sleeps is known.
        assert own["leaf"] >= 80 and own["key"] >= 80 and own["rare"] >= 80, own
    slept = sum(own[name] for name in ("leaf", "key", "rare"))
    others = sum(own.values()) - slept
    assert others < .25 * wall / 1e6, own
    assert sum(own.values()) <= wall / 1e6 * 1.01, own
    # Each sleep is counted or recorded, once.
    thread, = found["threads"]
    assert SLEPT <= thread["self_ns"] + thread["c_self_ns"] <= wall * 1.01
    assert SLEPT <= found["bar"]["whole_ns"] <= wall * 1.01
    assert all(row["total_ns"] <= wall * 1.01 for row in report(run.folder, "--by", "module")["modules"])
    assert functions["main"]["self_ns"] <= functions["main"]["total_ns"]
    # Each counted node has a time of its own that is none of the others'.
    paths = [event.fields for event in run.trace.infos["path_profile"]]
    assert paths and all(path["self_ns"] >= 0 for path in paths if path["calls"]), paths
    assert not any(path["cut_off"] for path in paths)


@pytest.mark.parametrize("names", ["inline", "registry"])
@pytest.mark.parametrize("after", ["STANDBY", "MONITORING"])
def test_the_caller_of_c_is_the_caller(one_of_each, after, names, run_traced, tmp_path):
    """A C call by a function that is not recorded is not one of the recorded function around it."""
    config = tmp_path / "config.ini"
    config.write_text("[Python]\nevents = function,c_call\n" + "".join(WINDOW % (name, after) for name in ("leaf", "key", "rare")) +
                      "trace_starts_at = 1\n")
    run = run_traced(one_of_each, PROGRAM, "--names", names, "--config", str(config))
    lines = {str(number): line for number, line in enumerate(PROGRAM.splitlines(), 1) if "sleep" in line}
    rows = [row for row in report(run.folder, "--limit", "0")["c_calls"] if row["name"] == "time.sleep"]
    assert rows and sum(row["calls"] for row in rows) <= 44
    for row in rows:
        at = lines[str(row["caller_line"])]
        assert row["caller"] in ("leaf", "key", "rare") and (row["caller"] == "key" or row["caller"] in at), row
    if one_of_each.version >= (3, 12):
        assert {row["caller"] for row in rows} == {"leaf", "key", "rare"}
    where = report(run.folder, "--lines")["lines"]
    assert {str(row["line"]) for row in where if row["callee"] == "time.sleep"} <= set(lines), where


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_a_change_to_tracing_within_a_counted_call(one_of_each, names, run_traced, tmp_path):
    """What is recorded from there on is no own time of the call that is counted."""
    program = """
import pinsight, threading, time
go, done = [], []
def other():
    while not go: time.sleep(.01)
    pinsight.set_mode("Python", "TRACING")
    done.append(1)
def leaf(): time.sleep(.2)
def outer(n):
    if n == 3:
        go.append(1)
        while not done: pass
        for _ in range(4): leaf()
threading.Thread(target=other).start()
for n in range(4): outer(n)
"""
    config = tmp_path / "config.ini"
    config.write_text("[Python]\nevents = function\ntrace_mode = MONITORING\n")
    run = run_traced(one_of_each, program, "--names", names, "--config", str(config))
    functions = {row["name"]: row for row in report(run.folder, "--limit", "0")["functions"]}
    assert functions["leaf"]["calls"] == 4 and functions["leaf"]["self_ns"] >= 800e6
    assert functions["outer"]["calls"] == 4 and functions["outer"]["self_ns"] < 400e6 < functions["outer"]["total_ns"]


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_introspections_within_a_traced_call_within_a_counted_one(one_of_each, names, run_traced, tmp_path):
    """The counts are written while both are open, and the pauses are no call's time."""
    program = """
import time
def leaf(): pass
def middle(n):
    for _ in range(n):
        leaf()
        time.sleep(.02)
def outer(n): middle(n)
outer(3)
outer(21)
"""
    config = tmp_path / "config.ini"
    config.write_text("[Python]\nevents = function\n[Lexgion(Python:*:outer)]\nmax_num_traces = 1\n"
                      "trace_mode_after = MONITORING\n[Lexgion(Python:*:leaf)]\nmax_num_traces = 8\n"
                      "trace_mode_after = INTROSPECT:0.6:-:TRACING\n")
    run = run_traced(one_of_each, program, "--names", names, "--config", str(config))
    functions = {row["name"]: row for row in report(run.folder, "--limit", "0")["functions"]}
    outer, middle = functions["outer"], functions["middle"]
    assert outer["calls"] == 2 and outer["counted_calls"] == 1 and middle["calls"] == 2
    # No call has one of the pauses, nor waits in it, and the time of the outer function is the inner one's. The first
    # sleep of each pause is part of it.
    assert 400e6 <= middle["self_ns"] < 900e6
    assert middle["waiting_ns"] <= middle["self_ns"]
    assert outer["self_ns"] < 200e6, outer
    paths = [event.fields for event in run.trace.infos["path_profile"]]
    assert abs(sum(path["self_ns"] for path in paths if path["node"] == 2)) < 200e6
    assert not any(path["cut_off"] for path in paths)
    # Nothing that the thread does after a pause is within it: it takes up to 50 ms until it waits.
    infos = run.trace.infos
    for began, ended in zip(infos["introspect_begin"], infos["introspect_end"]):
        within = [event.ts for event in infos["thread_clock"] if event.vtid == began.vpid and began.ts < event.ts < ended.ts]
        assert not within or max(within) < began.ts + 300e6
