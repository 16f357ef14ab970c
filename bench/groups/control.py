"""What the part costs that is switched off: past a window, filtered out, out of range, STANDBY, OFF, an event
that is off; and what sampling, reloads and large configurations cost."""

import collections
import re
import shutil
import statistics

from groups import control_program
from groups.instructions import total
from harness import ChildFailed, in_turns
from tools import BY_NAME, Tool, run_case

NAME = "control"
ABOUT = "what is switched off by windows, filters, ranges and modes; sampling, reloads, large configurations"

FREE = 1.02
FREE_BEFORE_312 = 1.05
OUT = 1.25

FUNCTIONS = "[Python]\n    events = function\n"
WINDOW = "[Lexgion.default]\n    max_num_traces = 100\n"


def setup(name, label, config, emits=False):
    return Tool(name, label, config=config, emits=emits, recorder="file")


# Functions alone: where the interpreter can be told, it reports nothing of them.
SETUPS = [
    setup("off", "OFF", "[Python]\n    trace_mode = OFF\n"),
    setup("standby", "STANDBY", "[Python]\n    trace_mode = STANDBY\n"),
    setup("past", "past its window", FUNCTIONS + WINDOW),
    setup("excluded", "module_exclude", FUNCTIONS + "    module_exclude = cases, __main__\n"),
    setup("filtered", "module_filter", FUNCTIONS + "    module_filter = nowhere\n"),
    setup("no-event", "events = none", "[Python]\n    events = none\n"),
    setup("imports", "events = import", "[Python]\n    events = import\n"),
]
OFF_IN_ALL = ("off", "standby", "no-event")
NO_C_CALLS = setup("no-c-calls", "no C callable can be wanted", "[Lexgion.default]\n    max_num_traces = 0\n")
EVENT_OFF = setup("functions", "c_call off", FUNCTIONS + WINDOW)
OUT_OF_RANGE = setup("out", "a thread out of range", FUNCTIONS + "[Python.punit.thread]\n    range = 5\n")
SAMPLED = setup("sampled", "tracing_rate = 10", FUNCTIONS + "[Lexgion.default]\n    tracing_rate = 10\n", True)
FULL = setup("full", "every call", FUNCTIONS, True)
NOTHING = Tool("callbacks", "callbacks that do nothing", inside="callbacks")
NOTHING_AT_CALLS = Tool("callbacks-calls", "callbacks at call sites that do nothing", inside="callbacks-calls")
NONE, CONTROL, CPROFILE = BY_NAME["none"], BY_NAME["control"], BY_NAME["cprofile"]


class Counts:
    """Instructions per iteration, each measured once; None where that failed."""

    def __init__(self, bench, python, store):
        self.bench, self.python, self.store = bench, python, store
        self.known = {}

    def __call__(self, tool, case):
        key = (tool.name, case)
        if key not in self.known:
            try:
                self.known[key] = total(self.bench, self.python, tool, case, quick=True)
                self.store.value("control", self.python.version, case, tool.name, "instructions", self.known[key])
            except ChildFailed as failure:
                self.known[key] = None
                self.store.failure("control, %s, %s, %s" % (self.python.version, case, tool.label), failure)
        return self.known[key]


def times(bench, python, store, tools, case, n):
    """Medians of processor times of one iteration, ns, of runs that took turns."""
    samples = collections.defaultdict(list)
    failed = set()
    for number, tool in in_turns(3 if bench.quick else 9, tools):
        if tool.name in failed:
            continue
        bench.say("control, Python %s, %s, round %d: %s" % (python.version, case, number + 1, tool.label))
        try:
            outcome = run_case(bench, python, tool, case, [n, n, n])
        except ChildFailed as failure:
            failed.add(tool.name)
            store.failure("control, %s, %s, %s" % (python.version, case, tool.label), failure)
            continue
        shutil.rmtree(outcome["trace"], ignore_errors=True)
        samples[tool.name].append(min(one["cpu_ns"] for one in outcome["report"]["runs"]) / n)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    for name, value in medians.items():
        store.value("control", python.version, case, name, "cpu_ns", value)
    return medians


def templates(bench):
    """The configuration that `pinsight config init` writes: unchanged, so that a function is counted past its window, and
    with STANDBY from then on."""
    path = bench.fresh("template")
    bench.run([bench.pinsight, "config", "init", "-o", path])
    text = path.read_text(encoding="utf-8")
    closed = re.sub(r"(?m)^( *trace_mode_after = )MONITORING", r"\1STANDBY", text)
    if closed == text:
        raise ValueError("bench/groups/control.py: the template's trace_mode_after is not MONITORING any more")
    return setup("template", "the template", text), setup("closed", "the template, then STANDBY", closed)


def free(bench, python, store, counts):
    """What is off, beside no tool or beside a profile function that does nothing."""
    tools = [NONE, CONTROL, NOTHING] + SETUPS
    medians = times(bench, python, store, tools, "call", 100_000 if bench.quick else 300_000)
    base, nothing = counts(NONE, "call"), counts(NOTHING, "call")
    rows = []
    for tool in tools:
        value = counts(NONE if tool is CONTROL else tool, "call")
        row = [tool.label]
        for one, of in ((value, base), (medians.get(tool.name), medians.get("none"))):
            row += ["%.1f" % one, "%.3f x" % (one / of)] if one and of else ["-", "-"]
        rows.append(row)
        if tool not in SETUPS:
            continue
        beside_none = python.has_monitoring or tool.name in OFF_IN_ALL
        limit, of, text = (FREE, base, "no tool") if beside_none else (FREE_BEFORE_312, nothing, "a callback")
        line = ("a call, %s" % tool.label, python.version, "<= %.2f x %s" % (limit, text))
        if not value or not of:
            store.budget(*line, "-", None)
            continue
        note = "instructions"
        if beside_none and tool.name in medians and "none" in medians:
            note += "; time %.3f x, control %.3f x" % tuple(
                medians[name] / medians["none"] for name in (tool.name, "control")
            )
        store.budget(*line, "%.4f x" % (value / of), value / of <= limit, note)
    store.table(
        "Python %s: a call of which nothing is wanted" % python.version,
        ["", "instructions", "ratio", "CPU ns", "ratio"],
        rows,
        "functions alone (events = function); per iteration, by callgrind, and medians of runs in turns",
    )


def call_sites(bench, python, store, counts):
    """Events of C calls: off, of callees that are past their windows, whose sites stay on, and of those that are then
    counted."""
    counted, past = templates(bench)
    base = counts(NONE, "ccall")
    of = base if python.has_monitoring else counts(NOTHING, "ccall")
    limit, text = (FREE, "no tool") if python.has_monitoring else (FREE_BEFORE_312, "a callback")
    value = counts(EVENT_OFF, "ccall")
    ok = value / of <= limit if value and of else None
    measured = "%.4f x" % (value / of) if value and of else "-"
    store.budget("a C call, c_call off", python.version, "<= %.2f x %s" % (limit, text), measured, ok, "instructions")
    rows = []
    for case, label in (("call", "a call"), ("ccall", "a C call")) if python.has_monitoring else ():
        base, value = counts(NONE, case), counts(NO_C_CALLS, case)
        ok = value / base <= FREE if value and base else None
        measured = "%.4f x" % (value / base) if value and base else "-"
        what = "%s, c_call on, %s" % (label, NO_C_CALLS.label)
        store.budget(what, python.version, "<= %.2f x no tool" % FREE, measured, ok, "instructions")
    for case, label in (("call", "a call"), ("ccall", "a C call")):
        base, nothing, value = counts(NONE, case), counts(NOTHING_AT_CALLS, case), counts(past, case)
        if not base or not nothing or not value:
            continue
        ratio = (value - base) / (nothing - base)
        rows.append([label, past.label] + ["%.1f" % one for one in (base, nothing, value)] + ["%.2f x" % ratio])
        store.budget(
            "%s, past its window, with its call site" % label,
            python.version,
            "<= %.2f x callbacks" % OUT,
            "%.2f x" % ratio,
            ratio <= OUT,
            "added instructions; %.2f x no tool: a later callee at the site could be wanted" % (value / base),
        )
        profile, value = counts(CPROFILE, case), counts(counted, case)
        if not profile or not value:
            continue
        ratio = (value - base) / (profile - base)
        rows.append([label, counted.label] + ["%.1f" % one for one in (base, profile, value)] + ["%.2f x" % ratio])
    store.table(
        "Python %s: instructions per iteration where c_call is on, everything past its window" % python.version,
        ["", "", "no tool", "callbacks that do nothing; cProfile", "PInsight", "what it adds, beside theirs"],
        rows,
        "an interpreter reports a call site as a whole: it cannot tell one callee from the next",
    )


def partly(bench, python, store, counts):
    """A thread out of range, and sampling."""
    base, nothing, out = (counts(tool, "call") for tool in (NONE, NOTHING, OUT_OF_RANGE))
    if base and nothing and out:
        ratio = (out - base) / (nothing - base)
        store.budget(
            "a call, a thread out of range",
            python.version,
            "<= %.2f x callbacks" % OUT,
            "%.2f x" % ratio,
            ratio <= OUT,
            "added instructions: %.0f beside %.0f" % (out - base, nothing - base),
        )
    medians = times(bench, python, store, [NONE, FULL, SAMPLED], "call", 20_000)
    known = {}
    for tool in (FULL, SAMPLED):
        value = counts(tool, "call")
        if not value or not base or tool.name not in medians:
            continue
        added = medians[tool.name] - medians["none"]
        known[tool.name] = (value - base, added)
    rows = []
    if len(known) == 2:
        rows = [[tool.label, "%.0f" % known[tool.name][0], "%.1f" % known[tool.name][1]] for tool in (FULL, SAMPLED)]
        rows[0] += ["", ""]
        rows[1] += ["%.2f x" % (known["sampled"][i] / known["full"][i]) for i in (0, 1)]
    store.table(
        "Python %s: sampling beside full tracing, what a call adds" % python.version,
        ["", "instructions", "CPU ns", "instructions", "CPU"],
        rows,
        "functions alone",
    )


def run(bench, python, store):
    if shutil.which("valgrind"):
        counts = Counts(bench, python, store)
        free(bench, python, store, counts)
        call_sites(bench, python, store, counts)
        partly(bench, python, store, counts)
    else:
        store.failure("control, %s" % python.version, "valgrind is not installed")
    control_program.run(bench, python, store)
