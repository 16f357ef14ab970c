"""Whole programs under every tool: NumPy on small and large arrays, objects, arithmetic, text."""

import collections
import shutil
import statistics

from harness import ChildFailed, in_turns
from tools import ALL, run_case, usable

NAME = "programs"
ABOUT = "NumPy on small and large arrays and three programs in Python: time for every tool"

PROGRAMS = [
    ("matrix.small", 6000, "numpy"),
    ("matrix.large", 40, "numpy"),
    ("richards", 20_000, None),
    ("nbody", 8000, None),
    ("text", 12_000, None),
]
LEFT_OUT_WHEN_QUICK = ("control", "monitoring-f", "cprofile-python", "setprofile-python", "viztracer-save")


def run(bench, python, store):
    rounds = 1 if bench.quick else 5
    tools = [tool for tool in ALL if not usable(python, tool)]
    if bench.quick:
        tools = [tool for tool in tools if tool.name not in LEFT_OUT_WHEN_QUICK]
    columns, cells = [], collections.defaultdict(dict)
    for program, n, needs in PROGRAMS:
        if needs and needs not in python.packages:
            store.failure("%s, %s" % (program, python.version), "%s could not be installed" % needs)
            continue
        if bench.quick:
            n //= 2
        times = measure(bench, python, store, program, n, tools, rounds)
        if not times.get("none"):
            continue
        columns.append(program)
        base = statistics.median(times["none"])
        for tool in tools:
            if times.get(tool.name):
                value = statistics.median(times[tool.name])
                store.value("programs", python.version, program, tool.name, "wall_s", value / 1e9)
                cells[tool.name][program] = (
                    "%.3f s" % (value / 1e9) if tool.name == "none" else "%.2f x" % (value / base)
                )
    store.table(
        "Python %s: whole programs, wall time beside no tool" % python.version,
        [""] + columns,
        [[tool.label] + [cells[tool.name].get(program, "-") for program in columns] for tool in tools],
    )


def measure(bench, python, store, program, n, tools, rounds):
    """Times on the wall for every tool, with the save for the one that is measured with it."""
    times = collections.defaultdict(list)
    failed = set()
    for number, tool in in_turns(rounds, tools):
        if tool.name in failed:
            continue
        bench.say("%s, Python %s, round %d: %s" % (program, python.version, number + 1, tool.label))
        try:
            outcome = run_case(bench, python, tool, program, [n])
        except ChildFailed as failure:
            failed.add(tool.name)
            store.failure("%s, %s, %s" % (program, python.version, tool.label), failure)
            continue
        shutil.rmtree(outcome["trace"], ignore_errors=True)
        one = outcome["report"]["runs"][0]
        times[tool.name].append(one["wall_ns"] + (one["save_ns"] if tool.name == "viztracer-save" else 0))
    return times
