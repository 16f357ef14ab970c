"""An empty parallel region in LLVM's libomp: traced beside the floor of its events, by each recorder, and in the quiet modes.

And in GCC's libgomp: traced beside one in which each thread records two events.
"""

import json
import shutil
import statistics

from harness import ChildFailed, in_turns
from tools import with_floor

NAME = "openmp"
ABOUT = "an empty parallel region: TRACING beside its floor, STANDBY and OFF beside a tool that does nothing"
ONCE = True  # it runs no Python

BATCH, RATIO, STANDBY, OFF = 100, 1.25, 1.10, 1.02
GOMP_TURNS = ["OFF", "joined", "TRACING"]
TURNS = ["none", "control", "idle", "joined", "OFF", "STANDBY", "MONITORING", "TRACING"]


def least(taken):
    """The least disturbed tenth: a region waits for a second thread, which other work on the machine delays."""
    return sorted(taken)[len(taken) // 10]


def one(bench, recorder, turn, threads, name="region", batch=BATCH):
    """One process: all of its times, ns per region, and of the events of the first thread where they are recorded."""
    program = [bench.build / "bench" / "openmp" / name, batch, 200 if bench.quick else 600, threads]
    environment = {"PINSIGHT_BENCH_TOOL": turn} if turn in ("idle", "joined") else {}
    if turn in ("none", "control", "idle"):
        return bench.child(program, environment)["report"]
    trace = bench.fresh("openmp")
    mode = turn if turn != "joined" else "OFF"
    command = [bench.pinsight, "run", "--recorder", recorder, "--no-summary", "--domains", "openmp"]
    command += ["--mode", mode, "-o", trace, "--"]
    try:
        return bench.child(command + with_floor(bench, recorder, "openmp", program), environment)["report"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    of_gomp(bench, store)
    of_libomp(bench, store)


def of_gomp(bench, store):
    """In small batches: a region waits for its second thread for long if another process has that one's processor."""
    if not (bench.build / "bench" / "openmp" / "region-gomp").exists():
        store.failure("openmp, libgomp", "built with another compiler than GCC")
        return
    bench.say("openmp, libgomp")
    best = {}
    try:
        for _, turn in in_turns(3 if bench.quick else 9, GOMP_TURNS):
            taken = least(one(bench, "file", turn, 2, "region-gomp", 5)["region"])
            best[turn] = min(taken, best.get(turn, taken))
    except (ChildFailed, json.JSONDecodeError, ValueError) as failure:
        store.failure("openmp, libgomp", failure)
        return
    for turn, value in best.items():
        store.value("openmp", "-", "empty region of libgomp, 2 threads", turn, "ns", value)
    ratio = best["TRACING"] / best["joined"]
    store.budget(
        "empty region of libgomp, 2 threads: TRACING", "-", "<= 1.25 x two events a thread", "%.2f x" % ratio,
        ratio <= RATIO, "OFF %.0f ns, two events a thread %.0f ns, TRACING %.0f ns" % tuple(best[turn] for turn in GOMP_TURNS),
    )  # fmt: skip


def of_libomp(bench, store):
    if not (bench.build / "bench" / "openmp" / "region").exists():
        store.failure("openmp", "built without LLVM's libomp")
        return
    rows = []
    for recorder in ("file", "lttng"):
        for threads in (2, 1):
            label = "empty region, %d thread%s, %s" % (threads, "s" if threads > 1 else "", recorder)
            bench.say("openmp, " + label)
            try:
                rows.append(region(bench, store, recorder, threads, label))
            except (ChildFailed, json.JSONDecodeError, ValueError) as failure:
                store.failure("openmp, " + label, failure)
    store.table(
        "An empty parallel region, ns, the least disturbed tenth of the least disturbed process; of its floor the median",
        [""] + TURNS + ["floor"],
        rows,
        "floor = the first thread's events in a C loop; idle = a tool without callbacks; joined = one that records "
        "the same events and nothing else",
    )


def region(bench, store, recorder, threads, label):
    """One kind of region: a row of the table."""
    runs = {turn: [] for turn in TURNS}
    for _, turn in in_turns(3 if bench.quick else 9, TURNS):
        runs[turn].append(one(bench, recorder, turn, threads))
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
        ratio = best["TRACING"] / best["joined"]
        store.budget(label + ": TRACING", "-", "<= 1.25 x joined", "%.2f x" % ratio, ratio <= RATIO, "the whole region")
        ratio = best["STANDBY"] / best["idle"]
        store.budget(label + ": STANDBY", "-", "<= 1.10 x idle tool", "%.2f x" % ratio, ratio <= STANDBY)
        ratio, control = best["OFF"] / best["none"], best["control"] / best["none"]
        store.budget(label + ": OFF", "-", "<= 1.02 x no tool", "%.2f x" % ratio, ratio <= OFF, "control %.2f x" % control)
    return [label] + ["%.0f" % best[turn] for turn in TURNS] + ["%.0f" % floor]
