"""Time from the program's end to the finished summary, and what the program's memory peaked at."""

import shutil
import statistics

from harness import WORK, ChildFailed
from tools import BY_NAME, pinsight_run

NAME = "finish"
ABOUT = "time from the program's end to the finished summary, peak memory"


def run(bench, python, store):
    rows = []
    n = 200_000 if bench.quick else 1_000_000
    plain = bench.pinned([python.executable, WORK / "run.py", "call", n])
    environment = {"PINSIGHT_BENCH_FLOOR": str(python.floor)}
    try:
        base = bench.child(plain, environment)["report"]["peak_kb"] / 1024
    except ChildFailed as failure:
        store.failure("finish, %s" % python.version, failure)
        return
    rows.append(["no tool", "-", "%.1f" % base, "-", "-"])
    for name in ("monitoring", "registry", "inline"):
        tool = BY_NAME[name]
        bench.say("finish, Python %s: %s" % (python.version, tool.label))
        times, peaks, shared = [], [], []
        try:
            for _ in range(1 if bench.quick else 5):
                trace = bench.fresh("finish")
                before, more = pinsight_run(bench, tool, trace)
                before = [word for word in before if word not in ("-q", "--no-summary")]
                outcome = bench.child(before + plain, dict(environment, **more))
                shutil.rmtree(trace, ignore_errors=True)
                times.append(outcome["end"] - outcome["report"]["end_monotonic"])
                peaks.append(outcome["report"]["peak_kb"] / 1024)
                shared.append(outcome["report"]["shared_kb"] / 1024)
        except ChildFailed as failure:
            store.failure("finish, %s, %s" % (python.version, tool.label), failure)
            continue
        time, peak, buffers = statistics.median(times), statistics.median(peaks), statistics.median(shared)
        store.value("finish", python.version, "call", name, "seconds", time)
        store.value("finish", python.version, "call", name, "peak_mib", peak)
        rows.append([tool.label, "%.2f" % time, "%.1f" % peak, "%+.1f" % (peak - base), "%.1f" % buffers])
    store.table(
        "Python %s: after the end of a program of %s calls" % (python.version, format(n, ",")),
        ["", "s to the summary", "peak MiB", "added", "of it shared"],
        rows,
        "what is shared is LTTng's buffers, which all processes of a session have in common",
    )
