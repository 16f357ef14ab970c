"""How fast a large trace is read: `pinsight report` beside `babeltrace2 -o dummy`, and in how much memory."""

import re
import shutil

from harness import ChildFailed, folder_size, in_turns
from tools import BY_NAME, run_case

NAME = "reader"
ABOUT = "rate of pinsight report beside babeltrace2 -o dummy on ten million events, and its memory"

RATE, MEMORY = 0.8, 200
ONCE = True  # with one Python; the trace is the same for all


def run(bench, python, store):
    if not shutil.which("babeltrace2"):
        store.failure("reader", "babeltrace2 is not installed")
        return
    calls = 500_000 if bench.quick else 5_000_000
    for name in ("registry-f", "inline-f"):
        tool = BY_NAME[name]
        bench.say("reader: %s, a trace of %d calls" % (tool.label, calls))
        try:
            outcome = run_case(bench, python, tool, "call", [calls], ["--lossless"])
        except ChildFailed as failure:
            store.failure("reader, %s" % name, failure)
            continue
        try:
            read(bench, python, store, tool, outcome["trace"], calls)
        except ChildFailed as failure:
            store.failure("reader, %s" % name, failure)
        finally:
            shutil.rmtree(outcome["trace"], ignore_errors=True)


def count(bench, trace):
    """Events in the trace, as babeltrace2 counts them."""
    answer = bench.run(["babeltrace2", trace, "-c", "sink.utils.counter"], timeout=300)
    found = re.findall(r"(\d+) Event messages", answer["output"])  # it counts aloud; the last is the sum
    if answer["status"] != 0 or not found:
        raise ChildFailed("babeltrace2 cannot count: %s" % answer["output"].strip()[-160:])
    return int(found[-1])


def read(bench, python, store, tool, trace, calls):
    events = count(bench, trace)
    if events < 2 * calls:
        raise ChildFailed("the trace holds %d events of %d calls" % (events, calls))
    commands = {
        "report": [bench.pinsight, "report", trace],
        "json": [bench.pinsight, "report", "--format", "json", trace],
        "dummy": ["babeltrace2", trace, "-o", "dummy"],
    }
    times = {kind: [] for kind in commands}
    peaks = {kind: 0 for kind in commands}
    for _, kind in in_turns(2 if bench.quick else 5, list(commands)):
        bench.say("reader: %s, %s" % (tool.label, kind))
        answer = bench.run(commands[kind], peak=True)
        if answer["status"] != 0:
            raise ChildFailed("%s: status %s: %s" % (kind, answer["status"], answer["output"].strip()[-160:]))
        times[kind].append(answer["wall_s"])
        peaks[kind] = max(peaks[kind], answer["peak_kb"] / 1024)
    least = {kind: min(values) for kind, values in times.items()}  # what other work on the machine disturbed least
    for kind, value in least.items():
        store.value("reader", "-", tool.names, kind, "events_per_s", events / value)
        store.value("reader", "-", tool.names, kind, "peak_mib", peaks[kind])
    label = "report, %.1f million events, %s" % (events / 1e6, tool.names)
    ratio = least["dummy"] / least["report"]
    store.budget(label, "-", ">= 0.80 x babeltrace2", "%.2f x" % ratio, ratio >= RATE)
    store.budget(label + ": memory", "-", "< 200 MiB", "%.0f MiB" % peaks["report"], peaks["report"] < MEMORY)
    store.table(
        "Reading %s events (%s, %.0f MiB)" % (format(events, ","), tool.names, folder_size(trace) / 2**20),
        ["", "s", "million events/s", "beside dummy", "peak MiB"],
        [
            [
                {"report": "pinsight report", "json": "pinsight report, JSON", "dummy": "babeltrace2 -o dummy"}[kind],
                "%.2f" % value,
                "%.2f" % (events / value / 1e6),
                "%.2f x" % (least["dummy"] / value),
                "%.0f" % peaks[kind],
            ]
            for kind, value in least.items()
        ],
    )
