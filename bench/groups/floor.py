"""Tracing a call beside its floor: callbacks that do nothing, plus events of the same shape, by the same recorder."""

import json
import shutil
import statistics

from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "floor"
ABOUT = "cost of a call beside the floor of the same payload, in one process, by each recorder"

# What these parts cost on one machine, ns: a pair of events, callbacks, CALL beside them. A floor far above
# says something about the machine or the session, and is pointed out.
SEEN = {"file": 18, "registry": 114, "inline": 236}
SEEN_CALLBACKS = 26
SEEN_CALL = 20
FAR = 1.3
RATIO = 1.25
OF_CPROFILE = {True: 0.75, False: 1.0}  # where there is sys.monitoring, and where not

SETUPS = [  # case, what records (the file recorder, or LTTng with numbers or names), events
    ("call", "file", "function"),
    ("call", "file", "function,c_call"),
    ("ccall", "file", "function,c_call"),
    ("call", "registry", "function"),
    ("call", "registry", "function,c_call"),
    ("call", "inline", "function"),
    ("call", "inline", "function,c_call"),
    ("ccall", "registry", "function,c_call"),
    ("ccall", "inline", "function,c_call"),
]
QUICK = ("file",)


def measure(bench, python, case, names, events):
    """Medians of every turn of work/floors.py, in ns per iteration, and events that were discarded."""
    n = (40_000 if names == "inline" else 100_000) // (2 if bench.quick else 1)
    repeats = 7 if bench.quick else 21
    trace = bench.fresh("floor")
    tool = BY_NAME[names]
    before, environment = pinsight_run(bench, tool, trace)
    before[before.index("--") : before.index("--")] = ["--events", events]
    environment["PINSIGHT_BENCH_FLOOR"] = str(python.floor)
    kind = "inline" if names == "inline" else "registry"
    command = before + bench.pinned([python.executable, WORK / "floors.py", case, n, repeats, kind, events])
    try:
        report = bench.child(command, environment)["report"]
        medians = {turn: statistics.median(times) for turn, times in report["ns"].items()}
        return medians, discarded(bench, trace)
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def discarded(bench, trace):
    """Events that full buffers dropped, or None where the report does not say."""
    outcome = bench.run([bench.pinsight, "report", "--format", "json", trace])
    text = outcome["output"]
    try:
        content = json.loads(text[text.index("{") : text.rindex("}") + 1])
        return content["not_recorded"]["discarded_events"]
    except (ValueError, KeyError, TypeError):
        return None


def explain(python, case, names, events, ns):
    """Why a floor is far above what was seen elsewhere, or an empty text."""
    callbacks = ns["noop"] - ns["none"]
    usual = SEEN_CALLBACKS + (SEEN_CALL if "c_call" in events and case == "call" else 0)
    if not python.has_monitoring:
        usual = callbacks  # a profile function; what it costs differs from version to version
    if callbacks + ns["events"] <= FAR * (usual + SEEN[names]):
        return ""
    return "floor far above what was seen elsewhere: events %.0f ns (%.0f there), callbacks %.0f ns (%.0f there)" % (
        ns["events"],
        SEEN[names],
        callbacks,
        usual,
    )


def run(bench, python, store):
    rows = []
    for case, names, events in SETUPS:
        if bench.quick and names not in QUICK:
            continue
        label = "%s, %s, %s" % ("C call" if case == "ccall" else "call", names, events)
        where = "floor, %s, %s" % (python.version, label)
        bench.say(where)
        try:
            ns, lost = measure(bench, python, case, names, events)
        except ChildFailed as failure:
            store.failure(where, failure)
            store.budget("%s: tracing" % label, python.version, "<= 1.25 x floor", "-", None, str(failure)[:60])
            continue
        for turn, value in ns.items():
            store.value("floor", python.version, label, turn, "ns", value)
        added = {turn: value - ns["none"] for turn, value in ns.items() if turn != "events"}
        floor = added["noop"] + ns["events"]
        ratio = added["tracing"] / floor
        if added["tracing"] < ns["events"] / 2:
            store.failure(where, "TRACING costs less than its events: it records nothing")
            store.budget("%s: tracing" % label, python.version, "<= 1.25 x floor", "-", None, "records nothing")
            continue
        note = explain(python, case, names, events, ns)
        if lost:
            note = "; ".join(filter(None, (note, "%d events were dropped, which flatters" % lost)))
        rows.append(
            [
                label,
                "%.1f" % ns["none"],
                "%.1f" % added["noop"],
                "%.1f" % ns["events"],
                "%.1f" % floor,
                "%.1f" % added["joined"],
                "%.1f" % added["tracing"],
                "%.2f" % ratio,
                "%.1f" % added["monitoring"],
                "%.1f" % added["cprofile"],
                "%.1f" % added["standby"],
            ]
        )
        store.budget("%s: tracing" % label, python.version, "<= 1.25 x floor", "%.2f x" % ratio, ratio <= RATIO, note)
        if names == "file":
            limit = OF_CPROFILE[python.has_monitoring]
            ratio = added["tracing"] / added["cprofile"]
            store.budget(
                "%s: tracing" % label, python.version, "<= %.2f x cProfile" % limit, "%.2f x" % ratio, ratio <= limit,
                "%.0f ns beside %.0f" % (added["tracing"], added["cprofile"]),
            )  # fmt: skip
            ratio = added["monitoring"] / added["cprofile"] if added["cprofile"] > 0 else float("inf")
            what = "%s: monitoring" % label.replace(", file", "")
            against = "%.0f ns beside %.0f" % (added["monitoring"], added["cprofile"])
            store.budget(what, python.version, "<= 1.00 x cProfile", "%.2f x" % ratio, ratio <= 1.0, against)
    store.table(
        "Python %s: ns added per call (begin and end), processor time, median" % python.version,
        ["", "none", "callbacks", "events", "floor", "joined", "tracing", "ratio", "monitoring", "cProfile", "standby"],
        rows,
        "floor = callbacks that do nothing + events of the same recorder; joined = callbacks that emit those events, nothing else",
    )
