"""Free-threaded builds: what a call costs in 8 threads beside what it costs in one, traced and without a tool."""

import collections
import shutil

from harness import WORK, ChildFailed, in_turns
from tools import BY_NAME, pinsight_run

NAME = "parallel"
ABOUT = "free-threaded builds: a call in 2 and in 8 threads beside one thread, traced and without a tool"

TURNS = ["none", "standby", "file"]
CASES = {"functions": "a Python function", "c_calls": "a C call"}
MOST = 1.10  # of the growth without a tool


def one(bench, python, turn):
    """{threads: {case: ns}} of one process; its threads may run on all processors."""
    command = [python.executable, WORK / "parallel.py", 80_000, 3 if bench.quick else 7]
    if turn == "none":
        return bench.child(command)["report"]
    trace = bench.fresh("parallel")
    before, environment = pinsight_run(bench, BY_NAME[turn], trace)
    try:
        return bench.child(before + command, environment)["report"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    if not python.tag.endswith("t"):
        return
    bench.say("parallel, Python %s" % python.version)
    least = collections.defaultdict(dict)
    try:
        for _, turn in in_turns(2 if bench.quick else 5, TURNS):
            for threads, cases in one(bench, python, turn).items():
                for case, taken in cases.items():
                    key = (case, int(threads))
                    least[turn][key] = min(taken, least[turn].get(key, taken))
    except ChildFailed as failure:
        store.failure("parallel, %s" % python.version, failure)
        return
    rows = []
    for case, label in CASES.items():
        growth = {turn: least[turn][case, 8] / least[turn][case, 1] for turn in TURNS}
        for turn in TURNS:
            times = [least[turn][case, threads] for threads in (1, 2, 8)]
            rows.append([label, BY_NAME[turn].label, *["%.1f" % taken for taken in times], "%.2f x" % growth[turn]])
            for threads, taken in zip((1, 2, 8), times):
                store.value("parallel", python.version, "%s, %d threads" % (label, threads), turn, "ns", taken)
        beside = growth["file"] / growth["none"]
        store.budget("8 threads, %s" % label, python.version, "<= %.2f x the growth without" % MOST, "%.2f x" % beside, beside <= MOST)
    store.table(
        "Python %s: processor time of a call in 1, 2 and 8 threads, ns" % python.version,
        ["", "", "1 thread", "2 threads", "8 threads", "8 beside 1"],
        rows,
        "the least of several processes and rounds",
    )
