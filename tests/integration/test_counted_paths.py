"""Call paths that MONITORING counts, beside those of the oracle in pure Python, and beside TRACING's in the report."""
import collections
import json
import os
import re
import subprocess

import pytest

from support import made, places

pytestmark = pytest.mark.timed

PROGRAMS = ["raising", pytest.param("recursing", marks=pytest.mark.storm), "generating", "awaiting", "managing", "constructing", "decorating",
            "many_functions", "executing", "threads_together", "calling_back"]
# What runs alike whoever looks lies within these; main waits there for its threads, sooner or later.
WITHIN = {"threads_together": ("traced",)}


def short(python, name):
    """A profile function's oracle has no qualified names before 3.11."""
    return name.rpartition(".")[2] if python.version < (3, 11) else name


def within(path, program=None):
    """A path from the first of the functions on that run alike; None where there is none."""
    for index, (kind, name) in enumerate(path):
        if kind == "function" and name in WITHIN.get(program, ("main", "traced")):
            return path[index:]
    return None


def oracles(python, program, folder):
    """{path: calls}, over all threads."""
    output = folder / "oracle.json"
    subprocess.run([python.path, str(places.ORACLE), str(output), str(places.PROGRAMS / (program + ".py"))],
                   check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=folder)
    paths = collections.Counter()
    for thread in json.loads(output.read_text(encoding="utf-8", errors="surrogatepass"))["threads"]:
        open_ones = []
        for kind, name, how in (moment[:3] for moment in thread["moments"]):
            if kind in ("end", "c_end"):
                open_ones.pop()
                continue
            open_ones.append(("function", short(python, name)) if kind == "begin" else ("c_call", name))
            path = within(open_ones, program)
            if path and how in ("start", None):
                paths[tuple(path)] += 1
    return paths


def counted(python, program, trace):
    """{path: calls} of path_profile, over all threads."""
    names = {}
    for event in trace.infos["code_info"]:
        names["function", event.fields["code"]] = short(python, event.fields["qualname"])
    for event in trace.infos["callee_info"]:
        names["c_call", event.fields["callee"]] = event.fields["callee_name"]
    nodes, paths = {}, collections.Counter()
    for event in trace.infos["path_profile"]:
        fields = event.fields
        assert fields["folded"] == 0 and fields["self_ns"] <= fields["inclusive_ns"]
        kind = ("function", "c_call")[fields["kind"]]
        parent = fields["parent"]
        above = nodes[fields["tid"], parent] if parent else ()
        path = nodes[fields["tid"], fields["node"]] = above + ((kind, names[kind, fields["lexgion"]]),)
        if within(path, program) and fields["calls"]:
            paths[within(path, program)] += fields["calls"]
    return paths


@pytest.mark.parametrize("program", PROGRAMS)
def test_paths_are_the_oracles(python, program, run_traced, tmp_path):
    """Every path, down to the last call, of functions and of what is written in C."""
    config = tmp_path / "oracle.ini"
    config.write_text("[Python]\noperators = none\nevents = function, c_call\n")
    result = run_traced(python, program, "--mode", "MONITORING", "--no-summary",
                        env={"PINSIGHT_CONFIG": str(config)})
    trace = result.trace
    assert not trace.threads, "MONITORING records no event"
    expected = oracles(python, program, tmp_path)
    assert len(expected) > 4
    assert counted(python, program, trace) == expected


@pytest.mark.parametrize("program", ["generating", "constructing", "calling_back"])
def test_report_is_tracings(python, program, run_traced):
    """The call tree, and the lines that call, have the same calls as those of a run that was traced; but that a
    generator, each time it goes on, is called by a line of what was traced, and that counts it once."""
    trees, lines = [], []
    for mode in "MONITORING", "TRACING":
        result = run_traced(python, program, "--mode", mode, "--lossless", "--no-summary")
        tree = {node["id"]: node for node in result.report("--tree")["tree"]}
        trees.append(collections.Counter({path_in(tree, node): node["calls"] for node in tree.values()
                                          if within(path_in(tree, node))}))
        lines.append(collections.Counter({
            (row["function"], row["line"], row["kind"], row["callee"]): row["calls"]
            for row in result.report("--links", "--limit", "0")["links"]["calls"]
            # In counts all of importlib is an import; what it does right after one, as 3.15 does, is a call in a trace.
            if not (row["callee_file"] or "").startswith("<frozen importlib")}))
    assert len(trees[0]) > 4 and trees[0] == trees[1]
    assert len(lines[0]) > 4
    if program == "constructing":
        assert lines[0] == lines[1]
    assert set(lines[0]) == set(lines[1])


def path_in(tree, node):
    path = []
    while node:
        path.append((node["kind"], node["name"]))
        node = tree.get(node["parent"])
    return tuple(reversed(path))


MANY = """
def a(n):
    if n:
        a(n - 1); b(n - 1)
def b(n):
    if n:
        a(n - 1); b(n - 1)
def leaf():
    pass
a(19)
for _ in range(1000):
    leaf()
"""


def test_too_many_paths(newest, run_traced, tmp_path):
    """Past half a million, calls are counted by caller and callee: all of them, and the report says how many."""
    program = tmp_path / "many.py"
    program.write_text(MANY)
    result = run_traced(newest, program, "--mode", "MONITORING")
    report = result.report("--limit", "0")
    calls = {row["name"]: row["calls"] for row in report["functions"] if row["file"] == str(program)}
    assert calls == {"<module>": 1, "a": 2 ** 19, "b": 2 ** 19 - 1, "leaf": 1000}
    folded = report["not_recorded"]["folded_paths"]
    assert 2 ** 20 - 500000 <= folded < 2 ** 20 - 500000 + 3000
    assert "%d calls are counted by caller and callee" % folded in result.stderr.replace(",", "")


ONE_LONG = """
def work(rounds):
    for _ in range(rounds):
        pass
def deep(n):
    if n:
        deep(n - 1)
    else:
        work(300000)
def all():
    for i in range(200):
        work(300000 if i == 77 else 10)
        sum(range(300000 if i == 77 else 10))
    deep(9)
all()
"""


@pytest.mark.parametrize("mode", ["MONITORING", "TRACING"])
def test_longest(mode, newest, run_traced, tmp_path):
    """One of many calls is the longest, and of a recursion each call has a part in the mean."""
    program = tmp_path / "program.py"
    program.write_text(ONE_LONG)
    result = run_traced(newest, program, "--mode", mode, "--lossless", "--no-summary")
    report = result.report("--links", "--limit", "0")
    rows = {row["name"]: row for row in report["functions"] if row["file"] == str(program)}
    (c,) = [row for row in report["c_calls"] if row["name"].endswith("sum")]
    (mine,) = [row for row in report["links"]["functions"] if row["name"] == "work"]
    assert rows["work"]["calls"] == 201 and c["calls"] == 200
    assert rows["work"]["max_ns"] < rows["work"]["total_ns"] < rows["work"]["max_ns"] * 40
    assert c["max_ns"] <= c["total_ns"] < 10 * c["max_ns"]
    assert (mine["max_ns"], mine["mean_ns"]) == (rows["work"]["max_ns"], rows["work"]["mean_ns"])
    assert rows["all"]["max_ns"] == rows["all"]["total_ns"] == rows["all"]["mean_ns"]
    assert rows["deep"]["mean_ns"] > rows["deep"]["max_ns"] / 2 and rows["deep"]["calls"] == 10


WAITS = """
import os, threading, time
def waits(end):
    began, ran = time.perf_counter(), time.thread_time()
    os.read(end, 1)
    waited = time.perf_counter() - began - time.thread_time() + ran
    os.write(1, b"%d\\n" % (1e9 * waited))
def main():
    pipes = [os.pipe() for _ in range(4)]
    threads = [threading.Thread(target=waits, args=(end,)) for end, _ in pipes]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    for _, end in pipes:
        os.write(end, b"x")
    for thread in threads:
        thread.join()
main()
"""


@pytest.mark.parametrize("mode", ["MONITORING", "TRACING"])
def test_bar_has_what_threads_wait(mode, newest, run_traced, tmp_path):
    """Calls that are counted may wait for anything: a thread's clock knows how long."""
    program = tmp_path / "program.py"
    program.write_text(WAITS)
    result = run_traced(newest, program, "--mode", mode, "--no-summary")
    text = subprocess.run([places.COMMAND, "report", str(result.folder)], stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8")).stdout.decode()
    whole, unit = re.search(r" of ([\d.]+) (ms|s) in", text).groups()
    waited = sum(float(share) for share in re.findall(r"(?:Waiting|No free CPU) ([\d.]+) %", text))
    least = sum(map(int, result.stdout.split())) / {"ms": 1e6, "s": 1e9}[unit]
    assert float(whole) * waited / 100 > 0.95 * least, text


MS = 1000000


def test_waits_end_before_the_thread_runs(tmp_path):
    """A thread that has waited, and has no processor yet, does not wait in the bar either."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "naps", "/home/u/app.py", 1)
    process.main.event(0, "python", "callee_info", callee=1, callee_name="time.sleep", module="time")
    counts = {"pid": 70, "tid": 70, "python_thread_id": 0, "domain": "Python"}
    thread.event(1 * MS, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
    thread.event(101 * MS, "core", "thread_clock", processor_ns=10 * MS, run_delay_ns=30 * MS)
    thread.event(101 * MS, "core", "path_profile", node=1, kind=0, lexgion=1, calls=1, inclusive_ns=100 * MS, self_ns=10 * MS,
                 max_ns=100 * MS, **counts)
    thread.event(101 * MS, "core", "path_profile", node=2, parent=1, kind=1, lexgion=1, lineno=2, calls=9, inclusive_ns=90 * MS,
                 self_ns=90 * MS, max_ns=20 * MS, **counts)
    for kind, name, calls, all_ns, own_ns in ((0, "naps", 1, 100, 10), (1, "time.sleep", 9, 90, 90)):
        thread.event(101 * MS, "core", "lexgion_profile", kind=kind, lexgion=1, name=name, filename="" if kind else "/home/u/app.py",
                     lineno=1 - kind, calls=calls, inclusive_ns=all_ns * MS, exclusive_ns=own_ns * MS, **counts)
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--format", "json", trace.write()], stdout=subprocess.PIPE,
                                     check=True).stdout)
    assert {part["name"]: part["ns"] for part in told["bar"]["parts"]} == {"Python": 10 * MS, "Waiting": 60 * MS, "No free CPU": 30 * MS}


@pytest.mark.parametrize("waited, sure", [(850, 650), (150, 0)])
def test_waits_without_a_call(waited, sure, tmp_path):
    """`with lock` waits in no call. A function that has nearly all of its thread's time must have waited there."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "add", "/home/u/app.py", 9)
    process.code(3, "_worker", "/usr/lib/python3.12/concurrent/futures/thread.py", 1)
    process.thread(70).counts(1000 * MS, 10 * MS, 0, [(1, 0, 1, 10 * MS, 1000 * MS), ("_thread.lock.acquire", 1, 1, 990 * MS, 990 * MS)])
    for number in range(3):
        process.thread(71 + number, 1 + number, "worker").counts(1000 * MS, (1000 - waited) * MS, 0,
                                                                 [(3, 0, 1, 200 * MS, 1000 * MS), (2, 1, 50, 800 * MS, 30 * MS)])
    path = trace.write()
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--links", "--format", "json", path], stdout=subprocess.PIPE,
                                     check=True).stdout)
    (row,) = [row for row in told["links"]["functions"] if row["name"] == "add"]
    assert row.get("python_waiting_ns", 0) == 3 * sure * MS
    screen = subprocess.run([places.COMMAND, "report", "-q", path], stdout=subprocess.PIPE, encoding="utf-8", check=True,
                            env=dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8")).stdout
    assert ("╌" in next(line for line in screen.splitlines() if " add " in line)) == bool(sure), screen
    # The bar has all waiting, by the clocks.
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--format", "json", path], stdout=subprocess.PIPE, check=True).stdout)
    assert {part["name"]: part["ns"] for part in told["bar"]["parts"]}["Waiting"] == (990 + 3 * waited) * MS


def test_what_needs_tracing(newest, run_traced, tmp_path):
    """What counts do not tell is no empty table, and not said to be nothing."""
    program = tmp_path / "program.py"
    program.write_text("import threading\nlock = threading.Lock()\ndef f():\n    with lock:\n        pass\nf()\n")
    result = run_traced(newest, program, "--mode", "MONITORING", "--no-summary")
    for option in "--locks", "--gil", "--tasks", "--imports", "--imbalance":
        done = subprocess.run([places.COMMAND, "report", str(result.folder), option], stdout=subprocess.PIPE, check=True)
        text = " ".join(done.stdout.decode().split())
        assert "TRACING" in text.split("Not recorded")[0], text
        assert "0 ns" not in text and "No thread was seen" not in text, text
    done = subprocess.run([places.COMMAND, "export", str(result.folder), "--to", "csv", "-o", "-"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    assert b"need TRACING" in done.stderr
