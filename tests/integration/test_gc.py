"""Collections of garbage: what gc.callbacks tells the program itself, by the function and line that each struck."""
import csv
import io
import json
import os
import re
import subprocess

import pytest

from support import places
from support.quiet import until_quiet
from test_stdlib import same_outcome
from test_windows import configured

pytestmark = pytest.mark.timed

# Callbacks that the program has itself write down each collection, with the line that it struck.
ORACLE = """
import gc, json, os, sys, threading, time
SEEN = []
OPEN = {}
def on_collection(phase, info):
    thread = threading.get_ident()
    if phase == "start":
        frame = sys._getframe(1)
        OPEN[thread] = [frame.f_code.co_name, frame.f_lineno, time.perf_counter_ns()]
    else:
        name, line, start = OPEN.pop(thread)
        SEEN.append([info["generation"], info["collected"], info["uncollectable"], name, line,
                     time.perf_counter_ns() - start])
gc.collect()
gc.callbacks.append(on_collection)
"""
END = """
gc.callbacks.remove(on_collection)
json.dump(SEEN, open(os.environ["ORACLE"], "w"))
"""

PROGRAM = ORACLE + """
class Node:
    pass
def make(count):
    for _ in range(count):
        node = Node()
        node.me = node
def struck():
    make(20)
    gc.collect()
class Slow:
    def __init__(self):
        self.me = self
    def __del__(self):
        time.sleep(0.02)
def finalises():
    Slow()
    gc.collect(1)
make(5000)
struck()
finalises()
thread = threading.Thread(target=make, args=(5000,))
thread.start()
thread.join()
""" + END


def collections(trace):
    """[(generation, collected, uncollectable, thread, nanoseconds)] in order, of one process."""
    begins, ends = trace.infos["gc_begin"], trace.infos["gc_end"]
    assert len(begins) == len(ends)
    found = []
    for begin, end in zip(begins, ends):
        assert begin.ts <= end.ts
        assert [begin.fields[key] for key in ("generation", "python_thread_id")] == [
            end.fields[key] for key in ("generation", "python_thread_id")]
        found.append((end.fields["generation"], end.fields["collected"], end.fields["uncollectable"],
                      end.fields["python_thread_id"], end.ts - begin.ts))
    return found


def seen_by_program(tmp_path):
    return json.loads((tmp_path / "oracle.json").read_text())


GC = ("--events", "function,c_call,gc")


def run(python, run_traced, tmp_path, text, *options, **more):
    options = options if "--events" in options or "-c" in options else (*GC, *options)
    program = tmp_path / "program.py"
    program.write_text(text)
    return run_traced(python, program, *options, env={"ORACLE": str(tmp_path / "oracle.json"), **more})


def same(trace, seen):
    """What is recorded and what the program was told are the same, the last ones of what was recorded before it."""
    recorded = collections(trace)
    recorded = recorded[-len(seen):] if seen else []
    # The program's own end, and what its threads did, comes after its callback is gone.
    assert [each[:3] for each in recorded] == [tuple(each[:3]) for each in seen]
    return recorded


@pytest.mark.parametrize("names", ["registry", "inline"])
def test_as_the_program_is_told(python, names, run_traced, tmp_path):
    result = run(python, run_traced, tmp_path, PROGRAM.replace("gc.callbacks.remove", "gc.disable(); gc.callbacks.remove"),
                 "--names", names)
    seen = seen_by_program(tmp_path)
    recorded = same(result.trace, seen)
    assert len(seen) > (5 if python.has_gil else 3) and {each[3] for each in recorded} == {0, 1}
    # Ours is within the program's: its callbacks are no part of a collection.
    for ours, theirs in zip(recorded, seen):
        assert 0 < ours[4] <= theirs[5]
    assert not result.report()["not_recorded"]["lost_frames"]


def test_by_function_and_line(python, run_traced, tmp_path):
    result = run(python, run_traced, tmp_path, PROGRAM)
    seen = seen_by_program(tmp_path)
    rows = {(row["function"], row["line"]): row for row in result.report("--gc")["gc"]}
    places_of = {}
    for generation, collected, uncollectable, name, line, ns in seen:
        sums = places_of.setdefault((name, line), [0, 0, 0])
        sums[0] += 1
        sums[1] += collected
        sums[2] += ns
    for (name, line), (count, collected, ns) in places_of.items():
        if name == "<module>":
            continue
        row = rows[name, line]
        assert row["collections"] == count, (name, line)
        assert row["collections"] == sum(row["generation_%d" % number] for number in range(3))
        assert row["collected"] == collected
        assert row["file"].endswith("program.py")
        assert row["self_ns"] <= row["total_ns"] <= ns
        assert row["max_ns"] <= row["total_ns"]
    # Of what a finaliser did the collection has the time, and it is not the collection's own.
    finalises = [row for (name, line), row in rows.items() if name == "finalises"][0]
    assert finalises["total_ns"] >= 20e6 > finalises["self_ns"]


@pytest.mark.alone
def test_is_not_the_functions_own(one_of_each, run_traced, tmp_path):
    """The self time of a function is without the collections that struck it, and its total is with them."""
    text = ORACLE + """
def collects():
    for _ in range(50):
        gc.collect()
things = [[] for _ in range(200000)]
collects()
""" + END

    def check():
        result = run(one_of_each, run_traced, tmp_path, text)
        report = result.report("--gc")
        took = sum(each[5] for each in seen_by_program(tmp_path))
        assert took > 50e6
        row = [row for row in report["gc"] if row["function"] == "collects"][0]
        assert row["collections"] == 50 and row["total_ns"] <= took < 2 * row["total_ns"]
        function = [each for each in report["functions"] if each["name"] == "collects"][0]
        callee = [each for each in report["c_calls"] if each["name"] == "gc.collect" and each["calls"] == 50][0]
        assert function["total_ns"] >= row["total_ns"] > 5 * function["self_ns"]
        assert callee["total_ns"] >= row["total_ns"] > 5 * callee["self_ns"]
    until_quiet(check, 3)


# The list that the program sees is its own: the same things happen to it as without us.
LIST = """
import gc, sys
print(gc.callbacks, type(gc.callbacks), len(gc.callbacks))
told = []
def one(phase, info): told.append(("one", phase, sorted(info)))
def raises(phase, info): raise ValueError(phase)
def leaves(phase, info):
    told.append(("leaves", phase))
    gc.callbacks.remove(leaves)
def adds(phase, info):
    told.append(("adds", phase))
    if added not in gc.callbacks: gc.callbacks.append(added)
def added(phase, info): told.append(("added", phase))
unraisable = []
sys.unraisablehook = lambda each: unraisable.append((each.exc_type, str(each.exc_value), each.object, each.err_msg))
gc.disable()
for callbacks in ([one], [leaves, one], [raises, one], [adds], [one, one], [adds, leaves, raises, one]):
    gc.callbacks[:] = callbacks
    gc.collect(0)
    gc.collect()
    print(told, unraisable, gc.callbacks)
    del told[:], unraisable[:]
mine = gc.callbacks
gc.callbacks.clear()
gc.collect()
print(told, unraisable, gc.callbacks, mine is gc.callbacks)
gc.callbacks.insert(0, one)
other = gc.callbacks
gc.callbacks = []
gc.collect()
print(told, gc.callbacks)
def profiler(frame, event, argument):
    if event.startswith("c_"): told.append((event, argument.__name__))
del told[:]
sys.setprofile(profiler)
gc.collect()
sys.setprofile(None)
print(told)
"""


def test_the_list_is_the_programs(python, run_traced, tmp_path):
    program = tmp_path / "list.py"
    program.write_text(LIST)
    environment = dict(os.environ, PYTHONHASHSEED="0")
    plain = subprocess.run([python.path, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert plain.returncode == 0, plain.stderr.decode()
    result = run_traced(python, program, *GC)

    def without_addresses(text):
        return re.sub("0x[0-9a-f]+", "0x", text)
    assert without_addresses(result.stdout) == without_addresses(plain.stdout.decode())
    assert result.trace.infos["gc_begin"]


ACTIVATED = """
import gc, sys
{before}
import pinsight
gc.disable()
was = gc.callbacks
del was
pinsight.activate({arguments})
gc.collect()
def one(phase, info): pass
gc.callbacks.append(one)
{between}
print([each.__name__ for each in gc.callbacks])
pinsight.deactivate()
print([each.__name__ for each in gc.callbacks])
gc.collect()
{after}
"""


def test_is_put_back(one_of_each, listening, run_plainly, tmp_path):
    """After deactivate() the list is the interpreter's own again, with what the program put in."""
    text = ACTIVATED.format(before="", between="", arguments="events='function,c_call,gc'", after="""
said = []
gc.callbacks.append(lambda phase, info: said.append(phase))
gc.collect()
print(said)
""")
    assert run_plainly(one_of_each, text) == "['one']\n['one']\n['start', 'stop']\n"


def test_a_list_that_the_program_holds(one_of_each, run_plainly):
    """Whoever has the list from before keeps the interpreter's own, and whoever has ours keeps that."""
    text = ACTIVATED.format(before="held = gc.callbacks", between="held.remove(one)", arguments="events='function,c_call,gc'", after="""
print(held is gc.callbacks)
""")
    assert run_plainly(one_of_each, text) == "['pinsight_collection']\n[]\nTrue\n"
    text = ACTIVATED.format(before="", between="held = gc.callbacks", arguments="events='function,c_call,gc'", after="""
said = []
held.append(lambda phase, info: said.append(phase))
gc.collect()
print(held is gc.callbacks, said)
""")
    assert run_plainly(one_of_each, text) == "['one']\n['one']\nTrue ['start', 'stop']\n"


@pytest.fixture
def run_plainly(tmp_path):
    def run(python, text):
        program = tmp_path / "activated.py"
        program.write_text(text)
        output = tmp_path / ("out-%d" % len(list(tmp_path.iterdir())))
        done = subprocess.run([python.path, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env=dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_OUTPUT=str(output),
                                       PINSIGHT_RECORDER="file"))
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()
    return run


def test_off_and_other_modes(one_of_each, run_traced, tmp_path):
    """Nothing stands in the list where no collection is to be recorded."""
    text = "import gc\nprint(gc.get_referrers(gc.callbacks).__len__(), gc.callbacks)\ngc.collect()\n"
    for options in (["--events", "function,c_call"], ["--mode", "STANDBY"], ["--mode", "OFF"], ["--mode", "MONITORING"]):
        result = run(one_of_each, run_traced, tmp_path, text, *options)
        assert not result.trace.infos["gc_begin"]
    result = run(one_of_each, run_traced, tmp_path, text, "--events", "gc")
    assert result.trace.infos["gc_begin"] and not result.trace.threads


def test_monitoring_counts(one_of_each, run_traced, tmp_path):
    """The sums are those of the program's own callbacks."""
    result = run(one_of_each, run_traced, tmp_path, PROGRAM, "--events", "function,gc", "--mode", "MONITORING",
                 PINSIGHT_ALLOCATIONS="on")
    assert not result.trace.infos["gc_begin"]
    seen, rows = seen_by_program(tmp_path), result.report("--gc")["gc"]
    own = [row for row in rows if row["function"] in ("make", "struck", "finalises")]
    told = [each for each in seen if each[3] in ("make", "struck", "finalises")]
    assert sum(row["collections"] for row in own) == len(told)
    assert sum(row["collected"] for row in own) == sum(each[1] for each in told)
    for generation in range(3):
        assert sum(row["generation_%d" % generation] for row in own) == sum(each[0] == generation for each in told)
    (finalises,) = [row for row in own if row["function"] == "finalises"]
    assert 20e6 <= finalises["total_ns"] <= max(each[5] for each in told) + 5e6
    assert finalises["self_ns"] < finalises["total_ns"] - 19e6  # the finaliser is a function, which is counted
    assert re.search(r"^Allocations: [\d,.M ]+ requests for ", result.stderr, re.M)


HEAVY = ORACLE + """
gc.disable()
KEPT = [[] for _ in range(300000)]
begin = time.perf_counter_ns()
def collects():
    for _ in range(10):
        gc.collect()
class Slow:
    def __init__(self):
        self.me = self
    def __del__(self):
        time.sleep(0.1)
def finalises():
    Slow()
    gc.collect(0)
def works():
    until = time.perf_counter_ns() + 50e6
    while time.perf_counter_ns() < until:
        pass
collects()
finalises()
works()
print(time.perf_counter_ns() - begin)
""" + END


def test_in_the_bar_of_monitoring(one_of_each, run_traced, tmp_path):
    """As long as the program's own callbacks say, in the bar and in JSON, and in no function besides."""
    result = run(one_of_each, run_traced, tmp_path, HEAVY, "--events", "function,c_call,gc", "--mode", "MONITORING")
    report, rows, whole = result.report("--links", "--limit", "0"), result.report("--gc")["gc"], int(result.stdout)
    seen = sum(each[5] for each in seen_by_program(tmp_path))
    gc = report["links"]["counted"]["gc"]
    assert gc["calls"] == sum(row["collections"] for row in rows)
    # The first collection is before the program's callbacks, theirs are around ours, and a finaliser sleeps in one.
    own = [row for row in rows if row["function"] in ("collects", "finalises")]
    total, functions = sum(row["total_ns"] for row in own), {row["name"]: row for row in report["functions"]}
    slept = functions["Slow.__del__"]["total_ns"]
    assert seen * 0.7 <= total <= seen and slept >= 100e6
    assert sum(row["self_ns"] for row in own) == pytest.approx(total - slept, abs=1e6)
    collect, = [call for call in report["c_calls"] if call["name"] == "gc.collect" and call["caller"] == "collects"]
    assert collect["self_ns"] < 0.2 * collect["total_ns"]
    assert functions["collects"]["self_ns"] < 0.1 * functions["collects"]["total_ns"]
    # Each moment is told once.
    told = sum(row["self_ns"] for row in report["functions"] + report["c_calls"]) + gc["self_ns"]
    module, = [row for row in report["functions"] if row["file"].endswith("program.py") and row["name"] == "<module>"]
    assert whole <= module["total_ns"]
    assert told == pytest.approx(module["total_ns"], abs=0.1 * gc["self_ns"])
    share, = re.findall(r"Garbage ([\d.]+) %", result.stderr)
    assert float(share) == pytest.approx(100 * gc["self_ns"] / told, abs=0.1)
    assert re.search(r"^Garbage collections: \d+ in ", result.stderr, re.M)


def test_in_monitoring_without_a_function(one_of_each, run_traced, tmp_path):
    """What a collection calls is no part of it, where nothing else is open that is counted, too."""
    (tmp_path / "slow.py").write_text("import time\nclass Slow:\n    def __init__(self): self.me = self\n"
                                      "    def __del__(self): time.sleep(0.05)\n")
    text = "import gc, slow\ngc.disable()\nfor _ in range(3):\n    slow.Slow()\n    gc.collect()\n"
    config = "[Python]\ntrace_mode = MONITORING\nevents = function, gc\nmodule_filter = slow\n"
    report = run(one_of_each, run_traced, tmp_path, text, *configured(tmp_path, config)).report("--links")
    gc = report["links"]["counted"]["gc"]
    (slow,) = [row for row in report["functions"] if row["name"] == "Slow.__del__"]
    assert slow["calls"] == 3 and slow["total_ns"] >= 150e6
    assert gc["self_ns"] == pytest.approx(gc["total_ns"] - slow["total_ns"], abs=1e6)


def test_in_the_bar_and_in_links(one_of_each, run_traced, tmp_path):
    result = run(one_of_each, run_traced, tmp_path, PROGRAM, "--events", "function,c_call,gc")
    links = result.report("--links", "--limit", "0")["links"]
    assert links["gc_ns"] == sum(row.get("gc_ns", 0) for row in links["functions"])
    assert links["recorded_ns"] == links["python_ns"] + links["c_ns"] + links["gc_ns"]
    assert links["python_overhead_ns"] == links["recorded_ns"]
    for row in links["functions"]:
        assert row["all_ns"] == row["python_ns"] + row["c_ns"] + row.get("gc_ns", 0)
    struck = {row["function"] for row in result.report("--gc")["gc"] if row["self_ns"]}
    assert struck & {row["name"] for row in links["functions"] if row.get("gc_ns")} >= {"struck", "finalises"}
    assert links["gc_ns"] == sum(row["self_ns"] for row in result.report("--gc")["gc"])
    assert "Garbage" in result.stderr


def test_range_of_threads(one_of_each, run_traced, tmp_path):
    text = "import gc, threading\nfor _ in range(2):\n  thread = threading.Thread(target=gc.collect)\n" \
           "  thread.start(); thread.join()\n  gc.collect()\n"
    config = "[Python]\nevents = gc\n[Python.punit.thread]\nrange = 0\n"
    trace = run(one_of_each, run_traced, tmp_path, text, *configured(tmp_path, config)).trace
    assert {each.fields["python_thread_id"] for each in trace.infos["gc_begin"]} == {0}


def test_forked_children(one_of_each, run_traced, tmp_path):
    """A child that is forked by a finaliser is in the middle of a collection that its parent began."""
    text = """
import gc, os
class Forks:
    def __init__(self): self.me = self
    def __del__(self):
        global child
        child = os.fork()
gc.disable()
Forks()
gc.collect()
if child: os.waitpid(child, 0)
gc.collect()
if not child: os._exit(0)
"""
    result = run(one_of_each, run_traced, tmp_path, text)
    by_process = {}
    for name in ("gc_begin", "gc_end"):
        for event in result.trace.infos[name]:
            by_process.setdefault(event.vpid, []).append((event.ts, name[3:]))
    found = sorted([each for _, each in sorted(events)] for events in by_process.values())
    assert found == [["begin", "end"], ["begin", "end", "begin", "end"]]
    assert sum(row["collections"] for row in result.report("--gc")["gc"]) == 3


def test_plain(one_of_each, run_traced, tmp_path):
    """With PINSIGHT_PLAIN=1 the frames are not read: what was struck is the innermost function that is recorded."""
    result = run(one_of_each, run_traced, tmp_path, PROGRAM, PINSIGHT_PLAIN="1")
    rows = {row["function"]: row for row in result.report("--gc")["gc"]}
    seen = seen_by_program(tmp_path)
    for name in ("make", "struck", "finalises"):
        assert rows[name]["collections"] == sum(each[3] == name for each in seen)
        assert rows[name]["line"] is None


def test_forms(newest, run_traced, tmp_path):
    """A slice in timelines, a table in CSV, sentences where there is nothing."""
    result = run(newest, run_traced, tmp_path, PROGRAM)
    seen = seen_by_program(tmp_path)

    def pinsight(*words):
        done = subprocess.run([places.COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()
    lines = list(csv.DictReader(io.StringIO(pinsight("report", str(result.folder), "--gc", "--format", "csv"))))
    assert [line["function"] for line in lines] == [row["function"] or "" for row in result.report("--gc")["gc"]]
    text = pinsight("report", str(result.folder), "--gc")
    assert "Garbage collections by struck function" in text and "finalises" in text
    assert "--gc shows the functions that they struck" in pinsight("report", str(result.folder))
    exported = tmp_path / "slices.csv"
    pinsight("export", str(result.folder), "--to", "csv", "-o", str(exported))
    slices = [line for line in csv.DictReader(exported.open()) if line["category"] == "gc"]
    assert len(slices) >= len(seen)
    assert "gc generation 1" in {line["name"] for line in slices}
    program = tmp_path / "none.py"
    program.write_text("pass\n")
    assert "--events" in pinsight("report", str(run_traced(newest, program, "--events", "function").folder), "--gc")


@pytest.mark.storm
@pytest.mark.parametrize("module", ["test_gc"])
def test_what_looks_at_collections(one_of_each, module, run_command, monkeypatch):
    monkeypatch.setenv("PINSIGHT_EVENTS", "function,c_call,gc")
    same_outcome(one_of_each, module, run_command, 120)


@pytest.mark.long
@pytest.mark.parametrize("module", ["test_gc", "test_weakref", "test_threading"])
def test_what_looks_at_collections_anywhere(python, module, run_command, monkeypatch):
    monkeypatch.setenv("PINSIGHT_EVENTS", "function,c_call,gc")
    same_outcome(python, module, run_command, 900)


def test_modes_while_it_runs(one_of_each, run_traced, tmp_path):
    """Only collections in TRACING are recorded, and the program sees its own list in all modes."""
    text = """
import gc, pinsight
gc.disable()
gc.collect()
def told(phase, info): pass
gc.callbacks.append(told)
for mode in ("STANDBY", "MONITORING", "OFF"):
    pinsight.set_mode("Python", mode)
    assert gc.callbacks == [told]
    gc.collect(0)
pinsight.set_mode("Python", "TRACING")
assert gc.callbacks == [told]
gc.collect(1)
"""
    result = run(one_of_each, run_traced, tmp_path, text)
    assert result.rc == 0, result.stderr
    assert [each[0] for each in collections(result.trace)][-2:] == [2, 1]  # before them, while modules were imported
