"""The Python call path that native events carry, beside the definition events that it records."""

import shutil
import statistics

from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "link"
ABOUT = "the Python call path of native events, at a depth of 20: the last one again, a new one"

SAME = 150  # ns, the last path again
NEW = 1000  # ns, beside the floor of what is recorded


def measure(bench, python):
    """Medians of every kind of turn of work/link.py, in ns."""
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
        ns = measure(bench, python)
    except ChildFailed as failure:
        store.failure(where, failure)
        store.budget("link", python.version, "<= %d ns" % SAME, "-", None, str(failure)[:60])
        return
    for turn, value in ns.items():
        store.value("link", python.version, "depth 20", turn, "ns", value)
    rows = [["the last path again", "%.0f" % ns["same"], "-", "-"], ["one frame at another line", "%.0f" % ns["last"], "-", "-"]]
    store.budget("link: the last path again", python.version, "<= %d ns" % SAME, "%.0f ns" % ns["same"], ns["same"] <= SAME)
    for turn, label in (("lines", "all paths new"), ("codes", "all functions new")):
        floor = ns[turn + " floor"]
        beside = ns[turn] - floor
        rows.append([label, "%.0f" % ns[turn], "%.0f" % floor, "%.0f" % beside])
        store.budget(
            "link: %s" % label, python.version, "<= floor + %d ns" % NEW, "floor + %.0f ns" % beside, beside <= NEW
        )
    store.table(
        "Python %s: ns to know the Python call path, 20 frames, median" % python.version,
        ["", "link", "floor", "beside"],
        rows,
        "floor = the definition events that are recorded, 20 path_info, with 20 code_info where the functions are new",
    )
