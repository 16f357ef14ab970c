"""Bytes of trace per call: two runs of different N differ by the calls alone."""

import shutil

from harness import ChildFailed, folder_size
from tools import BY_NAME, run_case

NAME = "size"
ABOUT = "bytes of trace per call"
LIMITS = {"file": {"call": 16, "ccall": 18}, "registry": {"call": 30, "ccall": 30}}

LINES = [
    ("call", "file-f"), ("call", "file"), ("ccall", "file"), ("call", "registry-f"), ("call", "registry"),
    ("ccall", "registry"), ("call", "inline-f"), ("ccall", "inline"),
]  # fmt: skip


def trace_size(bench, python, tool, case, n):
    outcome = run_case(bench, python, tool, case, [n], ["--lossless"] if tool.recorder == "lttng" else [])
    try:
        return folder_size(outcome["trace"])
    finally:
        shutil.rmtree(outcome["trace"], ignore_errors=True)


def run(bench, python, store):
    rows = []
    few, many = 100_000, 500_000
    for case, name in LINES:
        tool = BY_NAME[name]
        kind = "C call" if case == "ccall" else "call"
        bench.say("bytes, Python %s, %s: %s" % (python.version, case, tool.label))
        try:
            # A packet of a stream is written whole or cut to what it holds; over 400,000 calls neither shows.
            each = (trace_size(bench, python, tool, case, many) - trace_size(bench, python, tool, case, few)) / (
                many - few
            )
        except ChildFailed as failure:
            store.failure("bytes, %s, %s" % (python.version, name), failure)
            continue
        if each < 8:
            store.failure("bytes, %s, %s" % (python.version, name), "the trace does not hold the calls")
            continue
        store.value("size", python.version, case, name, "bytes", each)
        rows.append([kind, tool.label, "%.1f" % each])
        limit = LIMITS.get(name.split("-")[0], {}).get(case)
        if limit:
            what = "%s, %s: bytes of trace" % (kind, tool.label.replace("PInsight ", ""))
            store.budget(what, python.version, "<= %d" % limit, "%.1f" % each, each <= limit + 0.05)
    store.table("Python %s: bytes of trace per call" % python.version, ["", "", "bytes"], rows)
