"""Instructions per iteration, from callgrind: for margins of one or two hundredths, which no clock on a busy
machine can tell. Two runs of different N differ by the iterations alone. Traced calls are counted too, to see
where their instructions go."""

import collections
import shutil

import callgrind
from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "instructions"
ABOUT = "instructions per iteration (callgrind): OFF, STANDBY, loops without calls; where they go when tracing"

# case, tools, the limit, what the line is called
LINES = [
    ("call", ("off", "standby"), 1.02, "call"),
    ("ccall", ("off", "standby"), 1.02, "C call"),
    ("loop", ("off", "standby", "registry", "monitoring", "inline"), 1.01, "loop without calls"),
    ("raise", ("off", "standby"), 1.02, "call that raises"),
]
QUICK = [("call", ("off", "standby"), 1.02, "call"), ("loop", ("registry",), 1.01, "loop without calls")]
TRACED = [
    ("call", ("registry-f", "registry", "inline-f", "monitoring-f", "monitoring")),
    ("ccall", ("registry", "inline", "monitoring")),
    ("generator", ("file-f", "numbered-f")),
]
PARTS = ("PInsight", "LTTng", "Python", "libc and others")


def count(bench, python, tool, case, n):
    """All instructions of one run, start-up included, by (object, function).

    The C library's allocator stands in for the interpreter's own, which takes up to two per cent more or less
    for the same objects at other addresses.
    """
    out = bench.fresh("callgrind")
    trace = bench.fresh("trace")
    environment = {"PINSIGHT_BENCH_FLOOR": str(python.floor), "PYTHONMALLOC": "malloc"}
    work = ["valgrind", "--tool=callgrind", "--callgrind-out-file=%s" % out, "--vgdb=no"]
    work += [python.executable, WORK / "run.py", case, n, tool.inside]
    before = []
    if tool.is_pinsight:
        before, more = pinsight_run(bench, tool, trace)
        environment.update(more)
    try:
        bench.child(before + work, environment)
        return callgrind.read(out)
    except (OSError, ValueError) as error:
        raise ChildFailed("callgrind: %s" % error) from None
    finally:
        shutil.rmtree(trace, ignore_errors=True)
        if out.exists():
            out.unlink()


def per_iteration(bench, python, tool, case, quick=False):
    """Instructions of one iteration, by (object, function)."""
    few, many = (5_000, 35_000) if bench.quick or quick else (10_000, 110_000)
    bench.say("instructions, Python %s, %s: %s" % (python.version, case, tool.label))
    more, less = (count(bench, python, tool, case, n) for n in (many, few))
    return {place: (more[place] - less[place]) / (many - few) for place in more.keys() | less.keys()}


def total(bench, python, tool, case, quick=False):
    return sum(per_iteration(bench, python, tool, case, quick).values())


def mechanism(bench, python, case, base):
    """What the interpreter itself makes of a loop while any profile function is set."""
    try:
        ratio = total(bench, python, BY_NAME["setprofile-c"], case) / base
    except ChildFailed:
        return ""
    return "; with a profile function that does nothing %.4f x" % ratio


def run(bench, python, store):
    if not shutil.which("valgrind"):
        store.failure("instructions, %s" % python.version, "valgrind is not installed")
        return
    bases = {}
    rows = []
    for case, names, limit, label in QUICK if bench.quick else LINES:
        try:
            base = bases[case] = total(bench, python, BY_NAME["none"], case)
        except ChildFailed as failure:
            store.failure("instructions, %s, %s" % (python.version, case), failure)
            continue
        for name in names:
            tool = BY_NAME[name]
            what = "%s: %s" % (label, tool.label.replace("PInsight ", ""))
            limit_text = "<= %.2f x no tool" % limit
            try:
                value = total(bench, python, tool, case)
            except ChildFailed as failure:
                store.failure("instructions, %s, %s, %s" % (python.version, case, name), failure)
                store.budget(what, python.version, limit_text, "-", None, str(failure)[:60])
                continue
            ratio = value / base
            store.value("instructions", python.version, case, name, "per_iteration", value)
            rows.append([label, tool.label, "%.1f" % base, "%.1f" % value, "%.4f x" % ratio])
            note = "instructions"
            if ratio > limit and tool.mode in ("MONITORING", "TRACING"):
                note += mechanism(bench, python, case, base)
            store.budget(what, python.version, limit_text, "%.4f x" % ratio, ratio <= limit, note)
        store.value("instructions", python.version, case, "none", "per_iteration", base)
    store.table("Python %s: instructions per iteration" % python.version, ["", "", "no tool", "with it", "ratio"], rows)
    if not bench.quick:
        traced(bench, python, store, bases)


def traced(bench, python, store, bases):
    """Where a traced call's instructions go."""
    rows = []
    for case, names in TRACED:
        for name in names:
            tool = BY_NAME[name]
            try:
                costs = per_iteration(bench, python, tool, case)
                if case not in bases:
                    bases[case] = total(bench, python, BY_NAME["none"], case)
            except ChildFailed as failure:
                store.failure("instructions, %s, %s, %s" % (python.version, case, name), failure)
                continue
            parts = collections.Counter()
            for (place, _), value in costs.items():
                parts[callgrind.part_of(place)] += value
            parts["Python"] -= bases[case]
            for part in PARTS:
                store.value("instructions", python.version, case, name, part, parts[part])
            ours = [(value, place[1]) for place, value in costs.items() if callgrind.part_of(place[0]) == "PInsight"]
            most = {function: value for value, function in sorted(ours, reverse=True)[:12]}
            store.value("instructions", python.version, case, name, "functions", most)
            rows.append([case, tool.label] + ["%.0f" % parts[part] for part in PARTS])
    store.table(
        "Python %s: instructions that a traced call adds, by part" % python.version,
        ["", ""] + list(PARTS),
        rows,
        "what is inlined from LTTng counts as PInsight; functions are in results.json",
    )
