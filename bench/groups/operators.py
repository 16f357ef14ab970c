"""Operators of types written in C: what recording one costs, beside the event of a C call."""

import shutil

from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "operators"
ABOUT = "an operator of NumPy's arrays beside a C call: ns of processor time that the event adds"

RATIO = 1.25
WAYS = ("without PInsight", "operators = none", "operators")


def measure(bench, python, way):
    """The least time of an operator and of a call, in ns."""
    n, repeats = 20_000, 10 if bench.quick else 40
    command, environment, trace = [], {}, bench.fresh("operators")
    if way != WAYS[0]:
        extra = ["-c", bench.configuration("none", "[Python]\noperators = none\n")] if way == WAYS[1] else []
        command, environment = pinsight_run(bench, BY_NAME["file"], trace, extra)
    words = command + bench.pinned([python.executable, WORK / "operators.py", n, repeats])
    try:
        return {name: min(times) for name, times in bench.child(words, environment)["report"].items()}
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    if "numpy" not in python.packages:
        store.failure("operators, %s" % python.version, "NumPy is not there")
        return
    least = {way: [] for way in WAYS}
    for number in range(1 if bench.quick else 3):
        for way in WAYS:
            bench.say("operators, Python %s, round %d: %s" % (python.version, number + 1, way))
            try:
                least[way].append(measure(bench, python, way))
            except ChildFailed as failure:
                store.failure("operators, %s" % python.version, failure)
                return
    ns = {way: {kind: min(one[kind] for one in runs) for kind in runs[0]} for way, runs in least.items()}
    operator = ns["operators"]["operator"] - ns["operators = none"]["operator"]
    call = ns["operators"]["call"] - ns["without PInsight"]["call"]
    off = ns["operators = none"]["operator"] - ns["without PInsight"]["operator"]
    for metric, value in (("operator", operator), ("call", call), ("off", off)):
        store.value("operators", python.version, "added", metric, "ns", value)
    rows = [[way, "%.1f" % ns[way]["operator"], "%.1f" % ns[way]["call"]] for way in WAYS]
    rows.append(["added by the event", "%.1f" % operator, "%.1f" % call])
    store.table("Python %s: an operator and a C call, ns of processor time" % python.version,
                ["", "array[0]", "len(array)"], rows)  # fmt: skip
    store.budget("an operator's event beside a C call's", python.version, "<= %.2f x" % RATIO,
                 "%.2f x" % (operator / call), operator <= RATIO * call)  # fmt: skip
