"""Traces of up to fifty million events: how long each view takes, in how much memory, and whether both grow evenly."""

import shutil

from groups.reader import count
from harness import ChildFailed, folder_size
from tools import BY_NAME, run_case

NAME = "scale"
ABOUT = "report, its links and an export of 5 to 50 million events: time and memory beside babeltrace2 -o dummy"
ONCE = True  # with one Python; the trace is the same for all

MEMORY = 500  # MB
RATE = 0.7  # of babeltrace2's
EVEN = 1.25  # time per event of the longest trace beside that of the shortest


def commands(bench, trace):
    return {
        "babeltrace2 -o dummy": ["babeltrace2", trace, "-o", "dummy"],
        "report": [bench.pinsight, "report", "-q", trace],
        "report --links": [bench.pinsight, "report", "-q", "--links", trace],
        "export --to perfetto": [bench.pinsight, "export", "-q", "--to", "perfetto", "-o", bench.fresh("perfetto"), trace],
    }


def measure(bench, python, millions):
    """{view: (seconds, peak MB)} of a trace of so many million events, and {"events": …, "MiB": …}."""
    calls = millions * 500_000
    outcome = run_case(bench, python, BY_NAME["file-f"], "call", [calls])
    trace = outcome["trace"]
    try:
        about = {"events": count(bench, trace), "MiB": folder_size(trace) / 2**20}
        found = {}
        for _ in range(2):  # the better of two: other work on the machine only adds
            for view, command in commands(bench, trace).items():
                bench.say("scale: %d million events, %s" % (millions, view))
                answer = bench.run(command, timeout=1800, peak=True)
                if answer["status"] != 0:
                    raise ChildFailed("%s: status %s: %s" % (view, answer["status"], answer["output"].strip()[-160:]))
                before = found.get(view, (float("inf"), 0))
                found[view] = (min(before[0], answer["cpu_s"]), max(before[1], answer["peak_kb"] * 1024 / 1e6))
                if view.startswith("export"):
                    about["exported MiB"] = command[-2].stat().st_size / 2**20
                    command[-2].unlink()
        return found, about
    finally:
        shutil.rmtree(trace, ignore_errors=True)


def run(bench, python, store):
    if not shutil.which("babeltrace2"):
        store.failure("scale", "babeltrace2 is not installed")
        return
    rows, per_event = [], {}
    for millions in (1, 2) if bench.quick else (5, 10, 25, 50):
        try:
            found, about = measure(bench, python, millions)
        except ChildFailed as failure:
            store.failure("scale, %d million events" % millions, failure)
            continue
        dummy = found["babeltrace2 -o dummy"][0]
        for view, (seconds, peak) in found.items():
            per_event.setdefault(view, []).append(seconds / about["events"])
            rows.append(["%d million" % millions, view, "%.1f" % seconds, "%.2f" % (about["events"] / seconds / 1e6),
                         "%.2f x" % (dummy / seconds), "%.0f" % peak])
            store.value("scale", "-", view, "%d million" % millions, "seconds", seconds)
            store.value("scale", "-", view, "%d million" % millions, "peak_mb", peak)
    if not rows:
        return
    store.table(
        "Long traces (file recorder; the longest %.0f MiB, exported %.0f MiB)" % (about["MiB"], about["exported MiB"]),
        ["events", "", "processor s", "million events/s", "beside dummy", "peak MB"],
        rows,
        "one thread, two functions; the better of two runs",
    )
    for view, times in per_event.items():
        if view.startswith("babeltrace2"):
            continue
        ratio = min(float(row[4].split()[0]) for row in rows if row[1] == view)
        peak = max(float(row[5]) for row in rows if row[1] == view)
        store.budget("scale: %s" % view, "-", ">= %.1f x babeltrace2" % RATE, "%.2f x" % ratio, ratio >= RATE)
        store.budget("scale: %s, memory" % view, "-", "< %d MB" % MEMORY, "%.0f MB" % peak, peak < MEMORY)
        growth = times[-1] / times[0]
        store.budget("scale: %s, per event" % view, "-", "<= %.2f x the shortest's" % EVEN, "%.2f x" % growth, growth <= EVEN)
