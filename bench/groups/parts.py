"""What each part of the recording adds to calls: on ten programs, beside the same with the part off."""

import collections
import shutil

from harness import ChildFailed, in_turns
from tools import BY_NAME, command_for

NAME = "parts"
ABOUT = "processor time, waits for the GIL and locks, collections, tasks, operators: what each adds to ten programs"

# Case of work/run.py, n, a package that it needs, whether more than one thread computes.
PROGRAMS = [
    ("frames", 20, "pandas", False),
    ("matrix.small", 6000, "numpy", False),
    ("matrix.large", 20, "numpy", False),
    ("richards", 8000, None, False),
    ("nbody", 4000, None, False),
    ("text", 6000, None, False),
    ("parts.garbage", 300_000, None, False),
    ("parts.tasks", 20_000, None, False),
    ("parts.fight", 100_000, None, True),
    ("parts.queues", 12_000, None, True),
]
CALLS = "function,c_call"
# Name, label, events, whether processor time is read, the `operators` of the configuration.
PARTS = [
    ("off", "none of them", CALLS, False, "none"),
    ("clock", "processor time", CALLS, True, "none"),
    ("gil", "gil", CALLS + ",gil", False, "none"),
    ("lock", "lock", CALLS + ",lock", False, "none"),
    ("gc", "gc", CALLS + ",gc", False, "none"),
    ("task", "task", CALLS + ",task", False, "none"),
    ("operators", "operators", CALLS, False, "numpy.ndarray, numpy.generic"),
    ("all", "all", CALLS + ",gil,lock,gc,task", True, "numpy.ndarray, numpy.generic"),
]
MOST = 1.01


def one(bench, python, program, n, part):
    """Processor time of the process, in ns."""
    _, _, events, clock, operators = part
    text = "[Python]\nnames = registry\nevents = %s\noperators = %s\n" % (events, operators)
    trace = bench.fresh("parts")
    command, environment = command_for(
        bench, python, BY_NAME["file"], program, [n], trace, ["-c", bench.configuration(part[0], text), "--events", events]
    )
    if not clock:
        environment["PINSIGHT_PROCESSOR_TIME"] = "0"
    try:
        return bench.child(command, environment)["report"]["runs"][0]["process_ns"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def measure(bench, python, store, program, n):
    """The least time of the program with each part."""
    times, failed = collections.defaultdict(list), set()
    for number, part in in_turns(3 if bench.quick else 7, PARTS):
        if part[0] in failed:
            continue
        bench.say("%s, Python %s, round %d: %s" % (program, python.version, number + 1, part[1]))
        try:
            times[part[0]].append(one(bench, python, program, n, part))
        except ChildFailed as failure:
            failed.add(part[0])
            store.failure("parts, %s, %s, %s" % (program, python.version, part[1]), failure)
    return {name: min(several) for name, several in times.items()}


def run(bench, python, store):
    rows, least = [], {}
    for program, n, needs, _ in PROGRAMS:
        if needs and needs not in python.packages:
            store.failure("parts, %s, %s" % (program, python.version), "%s could not be installed" % needs)
            continue
        least[program] = measure(bench, python, store, program, n // 2 if bench.quick else n)
        base = least[program].get("off")
        if not base:
            del least[program]
            continue
        for name, value in least[program].items():
            store.value("parts", python.version, program, name, "process_ns", value)
        rows.append([program, "%.3f s" % (base / 1e9)] + [ratio(least[program], part[0]) for part in PARTS[1:]])
    store.table(
        "Python %s: processor time, traced without these parts; with one of them, beside that" % python.version,
        ["", PARTS[0][1]] + [part[1] for part in PARTS[1:]],
        rows,
    )
    one_thread = [program for program, _, _, threads in PROGRAMS if not threads]
    budget(store, python, least, "processor time", "clock", list(least))
    for part in ("gil", "lock"):
        budget(store, python, least, "%s, where nothing waits" % part, part, one_thread)
    budget(store, python, least, "task, where there is none", "task", [name for name in one_thread if name != "parts.tasks"])


def ratio(times, part):
    return "%.3f x" % (times[part] / times["off"]) if part in times else "-"


def budget(store, python, least, what, part, programs):
    """All programs together: a hundredth of one is less than a machine is steady by."""
    both = [least[name] for name in programs if part in least.get(name, {})]
    if not both:
        return
    value = sum(times[part] for times in both) / sum(times["off"] for times in both)
    store.budget(what, python.version, "<= %.2f x" % MOST, "%.3f x" % value, value <= MOST, "%d programs" % len(both))
