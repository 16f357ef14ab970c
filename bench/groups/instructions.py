"""Instructions per iteration, from callgrind: for margins of one or two hundredths, which no clock on a busy
machine can tell. Two runs of different N differ by the iterations alone."""

import re
import shutil

from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "instructions"
ABOUT = "instructions per iteration (callgrind) in OFF and STANDBY, and of a loop without calls"

# case, tools, the limit, what the line is called
LINES = [
    ("call", ("off", "standby"), 1.02, "call"),
    ("ccall", ("off", "standby"), 1.02, "C call"),
    ("loop", ("off", "standby", "monitoring", "registry", "inline"), 1.01, "loop without calls"),
]
RAISING = ("raise", ("off", "standby"), 1.02, "call that raises")


def count(bench, python, tool, case, n):
    """All instructions of one run, start-up included."""
    out = bench.fresh("callgrind")
    trace = bench.fresh("trace")
    environment = {"PINSIGHT_BENCH_FLOOR": str(python.floor), "LTTNG_UST_REGISTER_TIMEOUT": "-1"}
    work = ["valgrind", "--tool=callgrind", "--callgrind-out-file=%s" % out, "--vgdb=no"]
    work += [python.executable, WORK / "run.py", case, n]
    before = []
    if tool.is_pinsight:
        before, more = pinsight_run(bench, tool, trace)
        environment.update(more)
    try:
        bench.child(before + work, environment)
        text = out.read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise ChildFailed("callgrind wrote nothing") from None
    finally:
        shutil.rmtree(trace, ignore_errors=True)
    found = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
    if not found:
        raise ChildFailed("callgrind's file has no total")
    return int(found.group(1))


def per_iteration(bench, python, tool, case):
    few, many = (5_000, 35_000) if bench.quick else (10_000, 110_000)
    return (count(bench, python, tool, case, many) - count(bench, python, tool, case, few)) / (many - few)


def run(bench, python, store):
    if not shutil.which("valgrind"):
        store.failure("instructions, %s" % python.version, "valgrind is not installed")
        return
    rows = []
    for case, names, limit, label in LINES if bench.quick else LINES + [RAISING]:
        bench.say("instructions, Python %s, %s: no tool" % (python.version, case))
        try:
            base = per_iteration(bench, python, BY_NAME["none"], case)
        except ChildFailed as failure:
            store.failure("instructions, %s, %s" % (python.version, case), failure)
            continue
        store.value("instructions", python.version, case, "none", "per_iteration", base)
        rows.append([label, "no tool", "%.1f" % base, ""])
        for name in names if not bench.quick else names[:3]:
            tool = BY_NAME[name]
            what = "%s: %s" % (label, tool.label.replace("PInsight ", ""))
            limit_text = "<= %.2f x no tool" % limit
            bench.say("instructions, Python %s, %s: %s" % (python.version, case, tool.label))
            try:
                value = per_iteration(bench, python, tool, case)
            except ChildFailed as failure:
                store.failure("instructions, %s, %s, %s" % (python.version, case, name), failure)
                store.budget(what, python.version, limit_text, "-", None, str(failure)[:60])
                continue
            ratio = value / base
            store.value("instructions", python.version, case, name, "per_iteration", value)
            rows.append([label, tool.label, "%.1f" % value, "%.4f x" % ratio])
            store.budget(what, python.version, limit_text, "%.4f x" % ratio, ratio <= limit, "instructions")
    store.table(
        "Python %s: instructions per iteration" % python.version, ["", "", "instructions", "ratio"], rows
    )
