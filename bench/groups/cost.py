"""What looking cost, as the summary says it, beside what it did cost: the processor time of ten programs with PInsight
and without, by turns."""

import collections
import json
import shutil
import statistics
from dataclasses import replace

from harness import WORK, ChildFailed, in_turns
from tools import BY_NAME, pinsight_run

NAME = "cost"
ABOUT = "what looking cost, as it is said of ten programs, beside their processor time with and without"

# Of work/cost.py: how often, and a package that it needs.
PROGRAMS = [
    ("arithmetic", 100_000, None),
    ("objects", 120_000, None),
    ("documents", 10_000, None),
    ("expressions", 220_000, None),
    ("arrays", 60_000, "numpy"),
    ("generators", 15_000, None),
    ("exceptions", 1_000_000, None),
    ("threads", 800_000, None),
    ("tasks", 8_000, None),
    ("imports", 1, None),
]
TOOLS = (BY_NAME["none"], BY_NAME["file"], replace(BY_NAME["monitoring"], recorder="file"))
MOST = 0.25


def one(bench, python, tool, name, n):
    """Processor time of the whole command, and what is said of it; in s."""
    work = [python.executable, WORK / "cost.py", name, n]
    if not tool.is_pinsight:
        outcome = bench.run(work)
        said = 0
    else:
        trace = bench.fresh("trace")
        before, environment = pinsight_run(bench, tool, trace)
        outcome = bench.run(before + work, environment)
        told = bench.run([bench.pinsight, "report", "--format", "json", trace])["output"]
        shutil.rmtree(trace, ignore_errors=True)
        try:
            said = json.loads(told)["trace"]["overhead_ns"] / 1e9
        except (ValueError, KeyError, TypeError):
            raise ChildFailed("no report: " + told[:80]) from None
    if outcome["status"]:
        raise ChildFailed("status %s" % outcome["status"])
    return outcome["cpu_s"], said


def measure(bench, python, store, name, n):
    """For each tool the least processor time, and the median of what is said."""
    times, said = collections.defaultdict(list), collections.defaultdict(list)
    for number, tool in in_turns(3 if bench.quick else 7, TOOLS):
        bench.say("%s, Python %s, round %d: %s" % (name, python.version, number + 1, tool.label))
        taken, told = one(bench, python, tool, name, n)
        times[tool.name].append(taken)
        said[tool.name].append(told)
    found = {tool.name: (min(times[tool.name]), statistics.median(said[tool.name])) for tool in TOOLS}
    for tool, (taken, told) in found.items():
        store.value("cost", python.version, name, tool, "cpu_s", taken)
        store.value("cost", python.version, name, tool, "said_s", told)
    return found


def run(bench, python, store):
    rows, off = [], []
    for name, n, needs in PROGRAMS:
        if needs and needs not in python.packages:
            store.failure("cost, %s, %s" % (name, python.version), "%s could not be installed" % needs)
            continue
        try:
            found = measure(bench, python, store, name, n)
        except ChildFailed as failure:
            store.failure("cost, %s, %s" % (name, python.version), failure)
            continue
        plain = found["none"][0]
        for tool in TOOLS[1:]:
            cost, said = found[tool.name][0] - plain, found[tool.name][1]
            if cost <= 0:
                store.failure("cost, %s, %s" % (name, python.version), "less than what the machine is steady by")
                continue
            off.append(said / cost - 1)
            rows.append([name, tool.mode, "%.3f s" % plain, "%.3f s" % cost, "%.3f s" % said, "%+.0f %%" % (100 * off[-1])])
    store.table("Python %s: what looking cost" % python.version, ["", "", "no tool", "cost", "said", "off by"], rows)
    if off:
        worst = max(off, key=abs)
        within = sum(abs(part) <= MOST for part in off)
        store.budget("what looking cost", python.version, "within 25 %", "%+.0f %%" % (100 * worst), abs(worst) <= MOST,
                     "said, of what it did cost; %d of %d are within" % (within, len(off)))  # fmt: skip
