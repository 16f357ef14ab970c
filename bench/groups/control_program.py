"""The second half of the group `control`: whole programs. Very many functions, reloads, large configurations."""

import re
import statistics
import time

from harness import WORK, ChildFailed, in_turns
from tools import Tool, pinsight_run

MANY = 1.2
FUNCTIONS = 200_000
RESOLVED = 20_000
SECTIONS = 1000
WITHIN_MS = 50

ALL_OUT = [
    ("filtered", "all filtered out", "[Python]\n    events = function\n    module_filter = nowhere\n"),
    ("filtered-c", "all filtered out, C calls too", "[Python]\n    module_filter = nowhere\n"),
]


def life(bench, python, tool, folder):
    """Processor time of a program's process from start to end, s: many.py, which calls each function once."""
    program = bench.pinned([python.base, WORK / "many.py", folder, "run"])
    words = " ".join("'%s'" % word for word in program)
    command, environment = ["bash", "-c", "TIMEFORMAT='took %%R %%U %%S'; time %s" % words], {}
    if tool is not None:
        before, environment = pinsight_run(bench, tool, bench.fresh("trace"))
        command = before + command
    outcome = bench.run(command, environment)
    found = re.search(r"^took (\S+) (\S+) (\S+)$", outcome["output"], re.M)
    if outcome["status"] or not found:
        raise ChildFailed("status %s: %s" % (outcome["status"], outcome["output"].strip()[-160:]))
    return float(found.group(2)) + float(found.group(3))


def modules(bench, python, functions):
    folder = bench.fresh("many")
    bench.run([python.base, WORK / "many.py", folder, functions])
    return folder


def many(bench, python, store):
    folder = modules(bench, python, FUNCTIONS)
    tools = [None, "control"] + [Tool(name, label, config=config, recorder="file") for name, label, config in ALL_OUT]
    taken = {}
    for number, tool in in_turns(3 if bench.quick else 9, tools):
        bench.say("control, Python %s, many functions, round %d" % (python.version, number + 1))
        used = tool if isinstance(tool, Tool) else None
        taken.setdefault(tool, []).append(life(bench, python, used, folder))
    # The system may have taken the memory of the machine, which delays some runs by a third.
    least = {tool: min(values) for tool, values in taken.items()}
    base = least[None]
    rows = [["no tool", "%.3f" % base, ""]]
    rows.append(["no tool, once more", "%.3f" % least["control"], "%.3f x" % (least["control"] / base)])
    for tool in tools[2:]:
        ratio = least[tool] / base
        store.value("control", python.version, "many", tool.name, "cpu_s", least[tool])
        rows.append([tool.label, "%.3f" % least[tool], "%.3f x" % ratio])
        note = "processor time from start to end; control %.2f x" % (least["control"] / base)
        what = "%d functions, %s" % (FUNCTIONS, tool.label)
        store.budget(what, python.version, "<= %.1f x no tool" % MANY, "%.2f x" % ratio, ratio <= MANY, note)
    title = "Python %s: a program of very many functions, each called once" % python.version
    store.table(title, ["", "CPU s", "ratio"], rows)


def reloads(bench, python, store):
    rows = []
    for threads in (1, 4):
        bench.say("control, Python %s, reloads with %d threads" % (python.version, threads))
        config = "[Python]\n    trace_mode = STANDBY\n    events = function\n"
        tool = Tool("reload-%d" % threads, "reload", config=config, recorder="file")
        before, environment = pinsight_run(bench, tool, bench.fresh("trace"))
        command = before + [python.base, WORK / "reload.py", threads, 20 if bench.quick else 60]
        report = bench.child(command, environment)["report"]
        effects = sorted(effect / 1e6 for effect in report["effects_ns"])
        interval = report["switch_interval_s"] * 1e3
        median, worst = statistics.median(effects), effects[-1]
        store.value("control", python.version, "reload", "%d threads" % threads, "median_ms", median)
        store.value("control", python.version, "reload", "%d threads" % threads, "worst_ms", worst)
        rows.append([threads] + ["%.2f" % one for one in (median, worst, median / interval, worst / interval)])
        limit = WITHIN_MS if threads == 1 else WITHIN_MS + interval * threads
        what = "a reload is in force, %d busy thread%s" % (threads, "s" if threads > 1 else "")
        note = "median of %d; the worst %.1f ms" % (len(effects), worst)
        store.budget(what, python.version, "<= %.0f ms" % limit, "%.1f ms" % median, median <= limit, note)
    store.table(
        "Python %s: from the request until a reload is in force" % python.version,
        ["busy threads", "median ms", "worst ms", "switch intervals", "at worst"],
        rows,
        "between STANDBY and TRACING, while every thread computes",
    )


def sections(count):
    text = "[Python]\n    events = function\n    trace_mode = TRACING\n"
    for number in range(count):
        text += "[Lexgion(Python:solver_%d.py:Solver_%d.*)]\n    max_num_traces = %d\n" % (number, number, number + 1)
    return text


def large(bench, python, store):
    """1,000 sections: for the command, and for each function that a process meets."""
    folder = modules(bench, python, RESOLVED)
    tools = [Tool("sections-%d" % count, "", config=sections(count), recorder="file") for count in (1, SECTIONS)]
    path = bench.configuration("sections", sections(SECTIONS))
    shown, taken = [], {tool: [] for tool in tools}
    for _, tool in in_turns(3 if bench.quick else 7, tools):
        start = time.monotonic()
        region = "Python:solver_500.py:Solver_500.step"
        outcome = bench.run([bench.pinsight, "config", "show", "-c", path, "--for", region])
        shown.append(time.monotonic() - start)
        if outcome["status"] or "501" not in outcome["output"]:
            raise ChildFailed("pinsight config show: %s" % outcome["output"][-160:])
        taken[tool].append(life(bench, python, tool, folder))
    few, lots = (statistics.median(taken[tool]) for tool in tools)
    each = (lots - few) / RESOLVED * 1e6
    store.value("control", python.version, "sections", "show", "s", statistics.median(shown))
    store.value("control", python.version, "sections", "resolve", "us", each)
    store.table(
        "Python %s: a configuration of %d sections for code regions" % (python.version, SECTIONS),
        ["", ""],
        [
            ["pinsight config show --for, s", "%.3f" % statistics.median(shown)],
            ["more for each function that is met, us", "%.1f" % each],
        ],
        "once for a function and configuration; beside one section",
    )


def run(bench, python, store):
    for part in (many, reloads, large):
        try:
            part(bench, python, store)
        except ChildFailed as failure:
            store.failure("control, %s, %s" % (python.version, part.__name__), failure)
