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


def least(taken):
    """The least disturbed tenth: a region waits for a second thread, which other work on the machine delays."""
    return sorted(taken)[len(taken) // 10]


def one(bench, turn, threads):
    """One process: all of its times, ns per region, and of the events of the first thread where they are recorded."""
    program = [bench.build / "bench" / "openmp" / "region", BATCH, 200 if bench.quick else 600, threads]
    environment = {"PINSIGHT_BENCH_TOOL": turn} if turn in ("idle", "joined") else {}
    if turn in ("none", "control", "idle"):
        return bench.child(program, environment)["report"]
    trace = bench.fresh("openmp")
    mode = turn if turn != "joined" else "OFF"
    command = [bench.pinsight, "run", "--recorder", "lttng", "--no-summary", "--domains", "openmp", "--mode", mode, "-o", trace, "--"]
    try:
        words = " ".join(str(word) for word in program)
        return bench.child(command + ["sh", "-c", LISTEN + "exec " + words], environment)["report"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    if not (bench.build / "bench" / "openmp" / "region").exists():
        store.failure("openmp", "built without LLVM's libomp or omp-tools.h")
        return
    rows = []
    for threads in (2, 1):
        label = "empty region, %d thread%s" % (threads, "s" if threads > 1 else "")
        bench.say("openmp, " + label)
        runs = {turn: [] for turn in TURNS}
        try:
            for _, turn in in_turns(3 if bench.quick else 9, TURNS):
                runs[turn].append(one(bench, turn, threads))
        except (ChildFailed, json.JSONDecodeError) as failure:
            store.failure("openmp, " + label, failure)
            continue
        best = {turn: min(least(run["region"]) for run in runs[turn]) for turn in TURNS}
        # Not the least tenth: for some of its time the second thread may not run at all, and the floor is lower then
        # than any region could see.
        floor = min(statistics.median(run["floor"]) for turn in ("joined", "TRACING") for run in runs[turn])
        beside = {turn: (best[turn] - best["none"]) / floor for turn in ("joined", "TRACING")}
        for turn, value in best.items():
            store.value("openmp", "-", label, turn, "ns", value)
        store.value("openmp", "-", label, "floor", "ns", floor)
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
        "An empty parallel region, ns, the least disturbed tenth of the least disturbed process; of its floor the median",
        [""] + TURNS + ["floor"],
        rows,
        "floor = the first thread's events in a C loop; idle = a tool without callbacks; joined = one that records "
        "the same events and nothing else",
    )
