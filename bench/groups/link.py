"""The Python call path that native events carry, beside the definition events that it records."""

import shutil
import statistics

from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "link"
ABOUT = "the Python call path of native events, at a depth of 20: the last one again, a new one"

SAME = 150  # ns, the last path again
NEW = 1000  # ns, beside the floor of what is recorded


RUNS = 5


def measure(bench, python):
    """Medians of every kind of turn of a run of work/link.py, in ns."""
    trace = bench.fresh("link")
    before, environment = pinsight_run(bench, BY_NAME["off"], trace)
    environment["PINSIGHT_BENCH_FLOOR"] = str(python.floor)
    command = before + bench.pinned([python.executable, WORK / "link.py", 200 if bench.quick else 800])
    try:
        report = bench.child(command, environment)["report"]
        return {turn: statistics.median(times) for turn, times in report["ns"].items()}
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    where = "link, %s" % python.version
    bench.say(where)
    try:
        runs = [measure(bench, python) for _ in range(RUNS)]
    except ChildFailed as failure:
        store.failure(where, failure)
        store.budget("link", python.version, "<= %d ns" % SAME, "-", None, str(failure)[:60])
        return
    # The least disturbed one: what other work takes, beside us on the same processor too, the floors tell.
    ns = min(runs, key=lambda one: one["lines floor"] + one["codes floor"])
    for turn, value in ns.items():
        store.value("link", python.version, "depth 20", turn, "ns", value)
    rows = [
        [label, "%.0f" % ns[turn], "-", "-", "-"]
        for turn, label in (("same", "the last path again"), ("last", "one frame at another line"))
    ]
    store.budget("link: the last path again", python.version, "<= %d ns" % SAME, "%.0f ns" % ns["same"], ns["same"] <= SAME)
    for turn, label in (("lines", "all paths new"), ("codes", "all functions new")):
        floor = ns[turn + " floor"]
        beside = ns[turn] - floor
        others = ", ".join("%.0f + %.0f" % (one[turn + " floor"], one[turn] - one[turn + " floor"]) for one in runs)
        rows.append([label, "%.0f" % ns[turn], "%.0f" % floor, "%.0f" % beside, others])
        store.budget(
            "link: %s" % label, python.version, "<= floor + %d ns" % NEW, "floor + %.0f ns" % beside, beside <= NEW
        )
    store.table(
        "Python %s: ns to know the Python call path, 20 frames, median" % python.version,
        ["", "link", "floor", "beside", "every run"],
        rows,
        "floor = the definition events that are recorded, 20 path_info, with 20 code_info where the functions are new;\n"
        "of %d runs the one with the lowest floors" % RUNS,
    )
