"""What tracing adds to a thread until its first function runs: with a new buffer, and with one handed on."""

import shutil
import statistics

from harness import WORK, ChildFailed, in_turns
from tools import BY_NAME, pinsight_run

NAME = "threads"
ABOUT = "a thread's first event: with a new buffer, and with that of a thread that has ended"

LIMITS = {"together": ("a new buffer", 300_000), "alone": ("a buffer handed on", 5_000)}  # ns
TURNS = ["none", "standby", "file"]


def one(bench, python, turn):
    command = bench.pinned([python.executable, WORK / "first.py", 100])
    if turn == "none":
        return bench.child(command)["report"]
    trace = bench.fresh("threads")
    before, environment = pinsight_run(bench, BY_NAME[turn], trace)
    try:
        return bench.child(before + command, environment)["report"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    bench.say("threads, Python %s" % python.version)
    times = {turn: {kind: [] for kind in LIMITS} for turn in TURNS}
    try:
        for _, turn in in_turns(2 if bench.quick else 6, TURNS):
            for kind, taken in one(bench, python, turn).items():
                times[turn][kind].append(statistics.median(taken))
    except ChildFailed as failure:
        store.failure("threads, %s" % python.version, failure)
        return
    rows = []
    for kind, (label, limit) in LIMITS.items():
        least = {turn: min(of[kind]) for turn, of in times.items()}
        # Of the thread's start there is in STANDBY what Python itself does to observe a thread.
        added = least["file"] - least["none"]
        store.value("threads", python.version, label, "file", "ns", added)
        store.budget(
            "a thread's first event, %s" % label, python.version, "<= %g us" % (limit / 1e3), "%.1f us" % (added / 1e3),
            added <= limit, "with all that a thread's start adds",
        )  # fmt: skip
        rows.append([label] + ["%.1f" % (least[turn] / 1e3) for turn in TURNS] + ["%.1f" % (added / 1e3)])
    store.table(
        "Python %s: processor time of a thread until its first line, us, median" % python.version,
        ["", "no tool", "STANDBY", "TRACING", "added"],
        rows,
    )
