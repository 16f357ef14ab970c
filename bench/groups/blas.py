"""A call of BLAS that does no work: recorded by PInsight, beside a bare tool for it that records the same two events."""

import json
import shutil
import statistics

from harness import ChildFailed

NAME = "blas"
ABOUT = "a call of BLAS that does no work: TRACING beside a bare tool of the same events"
ONCE = True  # it runs no Python

RATIO, RUNS = 1.25, 5


def one(bench):
    """One process: the least disturbed tenth of each turn, in ns."""
    trace = bench.fresh("blas")
    command = [bench.pinsight, "run", "--recorder", "file", "--no-summary", "--domains", "blas", "-o", trace, "--"]
    command += bench.pinned([bench.build / "bench" / "blas" / "calls", 100, 400 if bench.quick else 2000])
    try:
        report = bench.child(command)["report"]
        return {turn: sorted(times)[len(times) // 10] for turn, times in report.items()}
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    if not (bench.build / "bench" / "blas" / "calls").exists():
        store.failure("blas", "not built")
        return
    bench.say("blas")
    try:
        runs = [one(bench) for _ in range(RUNS)]
    except (ChildFailed, json.JSONDecodeError, ValueError) as failure:
        store.failure("blas", failure)
        return
    ns = {turn: statistics.median(run[turn] for run in runs) for turn in runs[0]}
    for turn, value in ns.items():
        store.value("blas", "-", "dgemm", turn, "ns", value)
    ratio = statistics.median((run["call"] - run["none"]) / (run["bare"] - run["none"]) for run in runs)
    store.budget("call of BLAS: TRACING", "-", "<= 1.25 x floor", "%.2f x" % ratio, ratio <= RATIO,
                 "call %(none).0f ns, with the bare tool %(bare).0f ns, recorded %(call).0f ns" % ns)  # fmt: skip
