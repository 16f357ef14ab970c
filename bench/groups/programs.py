"""Whole programs under every tool: pandas, NumPy on small and large arrays, objects, arithmetic, text."""

import collections
import shutil
import statistics

from harness import ChildFailed, in_turns
from tools import ALL, run_case, usable

NAME = "programs"
ABOUT = "pandas, NumPy on small and large arrays and three programs in Python: time for every tool"

PROGRAMS = [
    ("frames", 60, "pandas"),
    ("matrix.small", 6000, "numpy"),
    ("matrix.large", 40, "numpy"),
    ("richards", 20_000, None),
    ("nbody", 8000, None),
    ("text", 12_000, None),
]
QUICK = ("none", "monitoring", "file", "registry", "cprofile", "viztracer")
OF_CPROFILE = 0.75


def run(bench, python, store):
    rounds = 1 if bench.quick else 3
    tools = [tool for tool in ALL if not usable(python, tool)]
    if bench.quick:
        tools = [tool for tool in tools if tool.name in QUICK]
    columns = []
    cells = {"wall_ns": collections.defaultdict(dict), "cpu_ns": collections.defaultdict(dict)}
    for program, n, needs in PROGRAMS:
        if needs and needs not in python.packages:
            store.failure("%s, %s" % (program, python.version), "%s could not be installed" % needs)
            continue
        runs = measure(bench, python, store, program, n // 2 if bench.quick else n, tools, rounds)
        if not runs.get("none"):
            continue
        columns.append(program)
        for clock, table in cells.items():
            base = statistics.median(run[clock] for run in runs["none"])
            for name, several in runs.items():
                value = statistics.median(run[clock] for run in several)
                store.value("programs", python.version, program, name, clock, value)
                table[name][program] = "%.3f s" % (value / 1e9) if name == "none" else "%.2f x" % (value / base)
        budget(python, store, program, runs)
    for clock, what in (("wall_ns", "time on the wall"), ("cpu_ns", "processor time of the thread")):
        store.table(
            "Python %s: whole programs, %s, beside no tool" % (python.version, what),
            [""] + columns,
            [[tool.label] + [cells[clock][tool.name].get(program, "-") for program in columns] for tool in tools],
        )


def budget(python, store, program, runs):
    """What TRACING adds, beside what cProfile adds."""
    least = {name: min(run["cpu_ns"] for run in several) for name, several in runs.items()}
    if "file" not in least or "cprofile" not in least:
        return
    added, beside = (least[name] - least["none"] for name in ("file", "cprofile"))
    if beside < least["none"] / 20:
        return  # too few calls to tell
    ratio = added / beside
    note = "%+.2f s beside %+.2f of %.2f" % (added / 1e9, beside / 1e9, least["none"] / 1e9)
    what = "%s: tracing" % program
    store.budget(what, python.version, "<= 0.75 x cProfile", "%.2f x" % ratio, ratio <= OF_CPROFILE, note)


def measure(bench, python, store, program, n, tools, rounds):
    """Every tool's runs of a program; for the one that is measured with its save, that is in the wall's time."""
    runs = collections.defaultdict(list)
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
        if tool.name == "viztracer-save":
            one["wall_ns"] += one["save_ns"]
        runs[tool.name].append(one)
    return runs
