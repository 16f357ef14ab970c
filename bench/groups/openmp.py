"""An empty parallel region in LLVM's libomp: traced beside the floor of its events, and in the quiet modes."""

import json
import shutil
import statistics

from harness import ChildFailed, in_turns

NAME = "openmp"
ABOUT = "an empty parallel region: TRACING beside its floor, STANDBY and OFF beside a tool that does nothing"
ONCE = True  # it runs no Python

BATCH, RATIO, STANDBY, OFF = 100, 1.25, 1.10, 1.02
TURNS = ["none", "control", "idle", "joined", "OFF", "STANDBY", "MONITORING", "TRACING"]
# The floor's events are of a provider that `pinsight run` does not know.
LISTEN = "lttng -q enable-event -u -s $PINSIGHT_SESSION -c events 'pinsight_floor_openmp:*' >/dev/null 2>&1; "


def least(times):
    """The least disturbed tenth: a region waits for a second thread, which other work on the machine delays."""
    return sorted(times)[len(times) // 10]


def one(bench, turn, threads):
    """One process: ns per region, and ns of the events of the first thread or None."""
    program = [bench.build / "bench" / "openmp" / "region", BATCH, 200 if bench.quick else 600, threads]
    environment = {"PINSIGHT_BENCH_TOOL": turn} if turn in ("idle", "joined") else {}
    if turn in ("none", "control", "idle"):
        report = bench.child(program, environment)["report"]
        return least(report["region"]), None
    trace = bench.fresh("openmp")
    mode = turn if turn != "joined" else "OFF"
    command = [bench.pinsight, "run", "--no-summary", "--domains", "openmp", "--mode", mode, "-o", trace, "--"]
    try:
        words = " ".join(str(word) for word in program)
        report = bench.child(command + ["sh", "-c", LISTEN + "exec " + words], environment)["report"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)
    return least(report["region"]), least(report["floor"]) if report["floor"] else None


def beside_floor(regions, floors, without):
    """What recording adds to a region, beside the floor of the same process: a machine may be faster in the next."""
    return statistics.median((region - without) / floor for region, floor in zip(regions, floors))


def run(bench, python, store):
    if not (bench.build / "bench" / "openmp" / "region").exists():
        store.failure("openmp", "built without LLVM's libomp or omp-tools.h")
        return
    rows = []
    for threads in (2, 1):
        label = "empty region, %d thread%s" % (threads, "s" if threads > 1 else "")
        bench.say("openmp, " + label)
        ns, floors = {turn: [] for turn in TURNS}, {"joined": [], "TRACING": []}
        try:
            for _, turn in in_turns(3 if bench.quick else 7, TURNS):
                region, floor = one(bench, turn, threads)
                ns[turn].append(region)
                if floor is not None and turn in floors:
                    floors[turn].append(floor)
        except (ChildFailed, json.JSONDecodeError) as failure:
            store.failure("openmp, " + label, failure)
            continue
        best = {turn: min(times) for turn, times in ns.items()}
        floor = min(floors["TRACING"], default=float("nan"))
        for turn, value in best.items():
            store.value("openmp", "-", label, turn, "ns", value)
        store.value("openmp", "-", label, "floor", "ns", floor)
        beside = {turn: beside_floor(ns[turn], floors[turn], best["none"]) for turn in floors}
        note = "a tool that records the same events and does nothing else: %.2f x" % beside["joined"]
        ratio = beside["TRACING"]
        store.budget(label + ": TRACING", "-", "<= 1.25 x floor", "%.2f x" % ratio, ratio <= RATIO, note)
        if threads == 2:
            ratio = best["STANDBY"] / best["idle"]
            store.budget(label + ": STANDBY", "-", "<= 1.10 x idle tool", "%.2f x" % ratio, ratio <= STANDBY)
            ratio, control = best["OFF"] / best["none"], best["control"] / best["none"]
            store.budget(label + ": OFF", "-", "<= 1.02 x no tool", "%.2f x" % ratio, ratio <= OFF, "control %.2f x" % control)
        rows.append([label] + ["%.0f" % best[turn] for turn in TURNS] + ["%.0f" % floor])
    store.table(
        "An empty parallel region, ns, the least disturbed",
        [""] + TURNS + ["floor"],
        rows,
        "floor = the first thread's events in a C loop; idle = a tool without callbacks; joined = one that records "
        "the same events and nothing else",
    )
