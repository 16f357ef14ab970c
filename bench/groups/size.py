"""Bytes of trace per call: two runs of different N differ by the calls alone."""

import shutil

from harness import ChildFailed, folder_size
from tools import BY_NAME, run_case

NAME = "size"
ABOUT = "bytes of trace per call"
LIMIT = 30

LINES = [("call", "registry-f"), ("call", "registry"), ("ccall", "registry"), ("call", "inline-f"), ("ccall", "inline")]


def trace_size(bench, python, tool, case, n):
    outcome = run_case(bench, python, tool, case, [n], ["--lossless"])
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
        if name.startswith("registry"):
            what = "%s, %s: bytes of trace" % (kind, tool.label.replace("PInsight TRACING ", ""))
            store.budget(what, python.version, "<= 30", "%.1f" % each, each <= LIMIT + 0.05, "--lossless")
    store.table("Python %s: bytes of trace per call" % python.version, ["", "", "bytes"], rows)
