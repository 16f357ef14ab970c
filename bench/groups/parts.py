"""What each part of the recording adds to calls: on ten programs, beside the same with the part off."""

import collections
import shutil
import statistics

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
    ("again", "the same again", CALLS, False, "none"),
    ("clock", "processor time", CALLS, True, "none"),
    ("gil", "gil", CALLS + ",gil", False, "none"),
    ("lock", "lock", CALLS + ",lock", False, "none"),
    ("gc", "gc", CALLS + ",gc", False, "none"),
    ("task", "task", CALLS + ",task", False, "none"),
    ("operators", "operators", CALLS, False, "numpy.ndarray, numpy.generic"),
    ("all", "all", CALLS + ",gil,lock,gc,task", True, "numpy.ndarray, numpy.generic"),
]
MOST = 1.01


def one(bench, python, program, n, part, **more):
    """Processor time of the process, in ns; `more` is for its environment."""
    _, _, events, clock, operators = part
    text = "[Python]\nnames = registry\nevents = %s\noperators = %s\n" % (events, operators)
    trace = bench.fresh("parts")
    command, environment = command_for(
        bench, python, BY_NAME["file"], program, [n], trace, ["-c", bench.configuration(part[0], text), "--events", events]
    )
    if not clock:
        environment["PINSIGHT_PROCESSOR_TIME"] = "0"
    environment.update((key, str(value)) for key, value in more.items())
    try:
        return bench.child(command, environment)["report"]["runs"][0]["process_ns"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def clock_share(bench, python, program, n):
    """The part of the processor time that goes into readings of the threads' clocks: how many there are, times what one
    costs. It is far below what two runs differ by."""
    told = bench.fresh("reads")
    one(bench, python, program, n, PARTS[-1], LD_PRELOAD=bench.preloaded(bench.build / "bench" / "clock_reads.so"), PINSIGHT_BENCH_READS=told)
    lines = [list(map(float, line.split())) for line in told.read_text(encoding="utf-8").splitlines()]
    told.unlink()
    reads, price, total = max(lines, key=lambda line: line[2])
    return reads * price / total


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
    rows, least, shares = [], {}, {}
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
        try:
            shares[program] = clock_share(bench, python, program, n)
            store.value("parts", python.version, program, "clock", "share", shares[program])
        except (ChildFailed, OSError, ValueError) as failure:
            store.failure("parts, %s, %s, readings of the clock" % (program, python.version), failure)
        rows.append(
            [program, "%.3f s" % (base / 1e9)]
            + [ratio(least[program], part[0]) for part in PARTS[1:]]
            + ["%.2f %%" % (100 * shares[program]) if program in shares else "-"]
        )
    store.table(
        "Python %s: processor time, traced without these parts; with one of them, beside that" % python.version,
        ["", PARTS[0][1]] + [part[1] for part in PARTS[1:]] + ["readings"],
        rows,
    )
    one_thread = [program for program, _, _, threads in PROGRAMS if not threads]
    if shares:
        worst = max(shares.values())
        store.budget("processor time", python.version, "<= 1 %", "%.2f %%" % (100 * worst), worst <= 0.01,
                     "of its processor time a program reads clocks, at most of %d" % len(shares))  # fmt: skip
    for part in ("gil", "lock"):
        budget(store, python, least, "%s, where nothing waits" % part, part, one_thread)
    budget(store, python, least, "task, where there is none", "task", [name for name in one_thread if name != "parts.tasks"])


def ratio(times, part):
    return "%.3f x" % (times[part] / times["off"]) if part in times else "-"


def budget(store, python, least, what, part, programs):
    """The middle one of the programs, beside the mean of both without: a hundredth of one program is less than a machine
    is steady by."""
    both = [least[name] for name in programs if part in least.get(name, {})]
    if not both:
        return
    value, again = (
        statistics.median(2 * times[name] / (times["off"] + times["again"]) for times in both) for name in (part, "again")
    )
    note = "middle of %d programs; of the same again %.3f x" % (len(both), again)
    store.budget(what, python.version, "<= %.2f x" % MOST, "%.3f x" % value, value <= MOST, note)
