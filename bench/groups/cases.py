"""The small cases under every tool: cost per iteration from a line through the medians of several N."""

import collections
import shutil
import statistics

from harness import ChildFailed, in_turns, slope_of_medians
from tools import ALL, run_case, usable

NAME = "cases"
ABOUT = "a loop only, a loop that calls a function, C calls: ns per iteration for every tool"

CASES = [("loop", 1_000_000), ("call", 400_000), ("ccall", 400_000), ("append", 400_000)]


def sizes(bench, largest, tool):
    if tool.name.startswith("viztracer") or tool.inside == "setprofile-python":
        largest //= 4
    if bench.quick:
        return [largest // 4, largest // 2]
    return [largest // 4, largest // 2, 3 * largest // 4, largest]


def slopes(samples, kind):
    return slope_of_medians({n: [run[kind] for run in runs] for n, runs in samples.items()})


def run(bench, python, store):
    for case, largest in CASES[1:2] if bench.quick else CASES:
        case_table(bench, python, store, case, largest)


def case_table(bench, python, store, case, largest):
    tools = []
    for tool in ALL:
        why = usable(python, tool)
        if why:
            store.failure("%s, %s, %s" % (case, python.version, tool.label), why)
        else:
            tools.append(tool)
    samples = {tool.name: collections.defaultdict(list) for tool in tools}
    peaks = collections.defaultdict(list)
    failed = {}
    for number, tool in in_turns(3, tools):
        if tool.name in failed:
            continue
        bench.say("%s, Python %s, round %d: %s" % (case, python.version, number + 1, tool.label))
        try:
            outcome = run_case(bench, python, tool, case, sizes(bench, largest, tool))
        except ChildFailed as failure:
            failed[tool.name] = failure
            store.failure("%s, %s, %s" % (case, python.version, tool.label), failure)
            continue
        shutil.rmtree(outcome["trace"], ignore_errors=True)
        for one in outcome["report"]["runs"]:
            one["with_save_ns"] = one["wall_ns"] + one["save_ns"]
            samples[tool.name][one["n"]].append(one)
        peaks[tool.name].append(outcome["report"]["peak_kb"])
    if "none" in failed or not samples["none"]:
        return
    base_wall, base_cpu = slopes(samples["none"], "wall_ns"), slopes(samples["none"], "cpu_ns")
    rows = []
    for tool in tools:
        if tool.name in failed:
            continue
        wall = slopes(samples[tool.name], "with_save_ns" if tool.name == "viztracer-save" else "wall_ns")
        cpu = slopes(samples[tool.name], "cpu_ns")
        peak = statistics.median(peaks[tool.name]) / 1024
        for metric, value in (("wall_ns", wall), ("cpu_ns", cpu), ("peak_mib", peak)):
            store.value("cases", python.version, case, tool.name, metric, value)
        rows.append(
            [
                tool.label,
                "%.1f" % wall,
                "%.2f x" % (wall / base_wall),
                "%.1f" % cpu,
                "%+.1f" % (cpu - base_cpu),
                "%.2f x" % (cpu / base_cpu),
                "%.0f" % peak,
            ]
        )
    store.table(
        "Python %s, case %s: ns per iteration" % (python.version, case),
        ["", "wall", "ratio", "CPU", "added", "ratio", "peak MiB"],
        rows,
        "the save of VizTracer is in the wall's time only",
    )
