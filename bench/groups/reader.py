"""How fast a large trace is read: report and export beside `babeltrace2 -o dummy`, and in how much memory."""

import re
import shutil

from harness import ChildFailed, folder_size, in_turns
from tools import BY_NAME, run_case

NAME = "reader"
ABOUT = "pinsight report and export beside babeltrace2 -o dummy on ten million events, and their memory"

ONCE = True  # with one Python; the trace is the same for all

MEMORY = 100  # MB
# A trace: its name, tool and case of work/run.py, events a call, and how many times as fast as babeltrace2 a report is
# to be. LTTng's have texts in each event, or one stream a processor.
TRACES = [
    ("one stream", "file", "streams.one", 4, 4),
    ("eight threads", "file", "streams.threads", 4, 10),
    ("eight processes", "file", "streams.processes", 4, 10),
    ("LTTng, registry", "registry-f", "call", 2, 4),
    ("LTTng, inline", "inline-f", "call", 2, 2),
]
EXPORT = 2  # times as fast as babeltrace2


def run(bench, python, store):
    if not shutil.which("babeltrace2"):
        store.failure("reader", "babeltrace2 is not installed")
        return
    for name, tool, case, events, rate in TRACES:
        calls = (1_000_000 if bench.quick else 10_000_000) // events
        bench.say("reader: %s, a trace of %d calls" % (name, calls))
        try:
            lossless = ["--lossless"] if BY_NAME[tool].recorder == "lttng" else []
            outcome = run_case(bench, python, BY_NAME[tool], case, [calls], lossless)
        except ChildFailed as failure:
            store.failure("reader, %s" % name, failure)
            continue
        try:
            read(bench, store, name, outcome["trace"], calls * events, rate)
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


def read(bench, store, name, trace, least, rate):
    exported = bench.fresh("perfetto")
    commands = {
        "pinsight report": [bench.pinsight, "report", "-q", trace],
        "pinsight report, JSON": [bench.pinsight, "report", "-q", "--format", "json", trace],
        "pinsight export": [bench.pinsight, "export", "-q", "--to", "perfetto", "-o", exported, trace],
        "babeltrace2 -o dummy": ["babeltrace2", trace, "-o", "dummy"],
    }
    times = {kind: [] for kind in commands}
    peaks = {kind: 0 for kind in commands}
    bench.run(commands["pinsight report"])  # what a process left is finished, and the trace is in memory
    events = count(bench, trace)
    if events < least:
        raise ChildFailed("the trace holds %d events, not %d" % (events, least))
    for _, kind in in_turns(2 if bench.quick else 5, list(commands)):
        bench.say("reader: %s, %s" % (name, kind))
        answer = bench.run(commands[kind], peak=True)
        if answer["status"] != 0:
            raise ChildFailed("%s: status %s: %s" % (kind, answer["status"], answer["output"].strip()[-160:]))
        times[kind].append(answer["wall_s"])
        peaks[kind] = max(peaks[kind], answer["peak_kb"] * 1024 / 1e6)
    exported.unlink()
    least_time = {kind: min(values) for kind, values in times.items()}  # what other work disturbed least
    dummy = least_time["babeltrace2 -o dummy"]
    for kind, value in least_time.items():
        store.value("reader", "-", name, kind, "events_per_s", events / value)
        store.value("reader", "-", name, kind, "peak_mb", peaks[kind])
    label = "%s, %.1f million events, " % (name, events / 1e6)
    for kind, limit in (("pinsight report", rate), ("pinsight export", min(rate, EXPORT))):
        ratio = dummy / least_time[kind]
        store.budget(label + kind, "-", ">= %.1f x babeltrace2" % limit, "%.1f x" % ratio, ratio >= limit)
        store.budget(label + kind + ": memory", "-", "< %d MB" % MEMORY, "%.0f MB" % peaks[kind], peaks[kind] < MEMORY)
    store.table(
        "Reading %s events (%s, %.0f MiB)" % (format(events, ","), name, folder_size(trace) / 2**20),
        ["", "s", "ns/event", "million events/s", "beside dummy", "peak MB"],
        [
            [kind, "%.2f" % value, "%.1f" % (value / events * 1e9), "%.1f" % (events / value / 1e6), "%.2f x" % (dummy / value),
             "%.0f" % peaks[kind]]
            for kind, value in least_time.items()
        ],
    )
