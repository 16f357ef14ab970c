"""What it costs to count allocations and to record collections of garbage, beside tracemalloc and memray."""

import shutil

from harness import WORK, ChildFailed, in_turns

NAME = "memory"
ABOUT = "allocations counted, and with what lives; collections of garbage; beside tracemalloc and memray"

CASES = {"objects": "5 objects", "mixed": "a dictionary, lists and texts", "garbage": "an object that is garbage"}
# Name, label, the variables of PInsight (None: without it), those of Python, words after Python's.
TURNS = [
    ("none", "no tool", None, {}, ()),
    ("off", "PInsight, nothing recorded", {"PINSIGHT_EVENTS": "none"}, {}, ()),
    ("gc", "collections recorded", {"PINSIGHT_EVENTS": "gc"}, {}, ()),
    ("on", "allocations = on", {"PINSIGHT_EVENTS": "none", "PINSIGHT_ALLOCATIONS": "on"}, {}, ()),
    ("live", "allocations = live", {"PINSIGHT_EVENTS": "none", "PINSIGHT_ALLOCATIONS": "live"}, {}, ()),
    ("tracemalloc", "tracemalloc", None, {"PYTHONTRACEMALLOC": "1"}, ()),
    ("memray", "memray, Python's allocators", None, {}, ("-m", "memray", "run", "-q", "--trace-python-allocators", "-o")),
]


def one(bench, python, turn):
    _, _, pinsight, environment, words = turn
    trace = bench.fresh("memory")
    if words:
        words = (*words, trace)
    command = bench.pinned([python.executable, *words, WORK / "memory.py", 3 if bench.quick else 7])
    if pinsight is not None:
        environment = pinsight
        command = [bench.pinsight, "run", "-q", "--no-summary", "--recorder", "file", "-o", trace, "--"] + command
    try:
        return bench.child(command, environment)["report"]
    finally:
        shutil.rmtree(trace, ignore_errors=True)
        if words:
            trace.unlink(missing_ok=True)


def run(bench, python, store):
    turns = [turn for turn in TURNS if turn[0] != "memray" or "memray" in python.packages]
    least, failed = {}, set()
    for _, turn in in_turns(1 if bench.quick else 3, turns):
        bench.say("memory, Python %s: %s" % (python.version, turn[1]))
        if turn[0] in failed:
            continue
        try:
            taken = one(bench, python, turn)
        except ChildFailed as failure:
            failed.add(turn[0])
            store.failure("memory, %s, %s" % (python.version, turn[1]), failure)
            continue
        before = least.setdefault(turn[0], taken)
        least[turn[0]] = {case: min(ns, before[case]) for case, ns in taken.items()}
    if "none" not in least:
        return
    rows = []
    for name, label, *_ in turns:
        if name not in least:
            continue
        added = {case: least[name][case] - least["none"][case] for case in CASES}
        for case, ns in added.items():
            store.value("memory", python.version, CASES[case], name, "added_ns", ns)
        rows.append([label] + ["%.0f" % (least[name][case] if name == "none" else added[case]) for case in CASES])
    store.table(
        "Python %s: processor time, ns each turn of a loop; of a tool what it adds" % python.version,
        [""] + list(CASES.values()),
        rows,
    )
    for name in ("on", "live"):
        if name in least and "tracemalloc" in least:
            added, beside = (least[which]["mixed"] - least["none"]["mixed"] for which in (name, "tracemalloc"))
            store.budget(
                "allocations = %s" % name, python.version, "<= 1 x tracemalloc", "%.2f x" % (added / beside),
                added <= beside, "%+.0f ns beside %+.0f" % (added, beside),
            )  # fmt: skip
