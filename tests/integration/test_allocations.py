"""Allocations of Python's memory by function and line, beside what tracemalloc says of the same program."""
import json
import os
import subprocess

import pytest

from support import places
from test_stdlib import same_outcome
from test_windows import configured

ON = {"PINSIGHT_ALLOCATIONS": "on"}
NOTHING = ("--events", "none")

# tracemalloc counts what lives; what is kept here is asked for once. It does so in a run of its own: its own memory is
# Python's, too.
PROGRAM = """
import json, os, tracemalloc
ORACLE = os.environ.get("ORACLE")
class Thing:
    __slots__ = ("mine",)
def things(kept, count):
    for at in range(count):
        kept[at] = Thing()
def texts(kept, count):
    for at in range(count):
        kept[at] = "x" * 5000
def many():
    return bytearray(3000000)
first, second = [None] * 20000, [None] * 2000
if ORACLE: tracemalloc.start()
things(first, 20000)
texts(second, 2000)
third = many()
if ORACLE:
    snapshot = tracemalloc.take_snapshot()
    tracemalloc.stop()
    lines = {each.traceback[0].lineno: [each.count, each.size] for each in snapshot.statistics("lineno")
             if each.traceback[0].filename == __file__}
    with open(ORACLE, "w") as file:
        json.dump(lines, file)
"""


def run(python, run_traced, tmp_path, text, *options, **environment):
    program = tmp_path / "program.py"
    program.write_text(text)
    return run_traced(python, program, *options, env=dict(ON, **environment))


def by_line(result):
    """{(function, line): (requests, bytes)} of the program itself."""
    return {(row["function"], row["line"]): (row["count"], row["bytes"])
            for row in result.report("--allocations")["allocations"] if (row["file"] or "").endswith("program.py")}


@pytest.mark.parametrize("what", ["on", "live"])
# Without collections: the interpreter makes a dictionary of what it tells of each.
@pytest.mark.parametrize("options", [NOTHING, ("--mode", "MONITORING", "--events", "function,c_call")], ids=" ".join)
def test_as_tracemalloc_says(python, options, what, run_traced, tmp_path):
    result = run(python, run_traced, tmp_path, PROGRAM, *options, PINSIGHT_ALLOCATIONS=what)
    oracle = tmp_path / "oracle.json"
    subprocess.run([python.path, str(tmp_path / "program.py")], env=dict(os.environ, ORACLE=str(oracle)), check=True)
    lines = {int(line): sums for line, sums in json.loads(oracle.read_text()).items()}
    seen = by_line(result)
    for name, line, least in (("things", 8, 20000), ("texts", 11, 2000), ("many", 13, 1)):
        count, size = seen[name, line]
        expected, expected_size = lines[line]
        # What goes again at once is asked for, too.
        assert least <= expected <= count <= expected * 1.01 + 40, name
        # Without a GIL a list that grows moves, so that others may look at the old one: all its sizes are asked for.
        assert expected_size <= size and (not python.has_gil or size <= expected_size * 1.01 + 4000), name
        blocks, live, peak = living(result)[name, line]
        if what == "on":
            assert blocks is live is peak is None
        else:
            # Of what tracemalloc counts, only its own snapshot's part can differ.
            assert abs(blocks - expected) <= 40 and abs(live - expected_size) <= 4000, name
            assert live <= peak <= size


def living(result):
    """{(function, line): (blocks, bytes, most bytes)} of the program itself."""
    return {(row["function"], row["line"]): tuple(row[key] for key in ("live_blocks", "live_bytes", "peak_bytes"))
            for row in result.report("--allocations")["allocations"] if (row["file"] or "").endswith("program.py")}


LIVE = {"PINSIGHT_ALLOCATIONS": "live"}


def test_what_lives(python, run_traced, tmp_path):
    """What was given back does not live, whoever gave it back; a reallocation is the line's that made it last."""
    text = """
import threading
from itertools import repeat
def gone():
    for _ in repeat(None, 100):
        bytearray(100000)
def kept():
    return bytearray(700000)
def most():
    return list(map(bytearray, repeat(300000, 10)))
def grows(block):
    block.extend(bytes(500000))
def other():
    global first
    del first
gone()
second = kept()
several = most()
del several[1:]
first = bytearray(900000)
thread = threading.Thread(target=other)
thread.start()
thread.join()
small = bytearray(100)
grows(small)
"""
    rows = living(run(python, run_traced, tmp_path, text, *NOTHING, **LIVE))
    by_function = {}
    for (name, line), (blocks, live, peak) in rows.items():
        sums = by_function.setdefault(name.split(".")[0] if name != "<module>" else line, [0, 0])
        sums[0] += live
        sums[1] += peak
    assert by_function["gone"][0] == 0 and 100000 <= by_function["gone"][1] < 110000
    assert 700000 <= by_function["kept"][0] < 701000
    assert 300000 <= by_function["most"][0] < 302000 and 3000000 <= by_function["most"][1] < 3030000
    assert 500000 <= by_function["grows"][0] < 700000
    assert by_function[20][0] < 1000 and by_function[20][1] >= 900000


def test_what_lives_in_a_child(one_of_each, run_traced, tmp_path):
    """A child has what its parent had, and gives back its own copy."""
    text = """
import os
def kept():
    return bytearray(700000)
block = kept()
child = os.fork()
if not child:
    del block
    os._exit(0)
os.waitpid(child, 0)
"""
    result = run(one_of_each, run_traced, tmp_path, text, *NOTHING, **LIVE)
    live = [event.fields["bytes"] for event in result.trace.infos["allocated_live"] if event.fields["peak_bytes"] > 600000]
    assert len(live) == 2 and min(live) < 1000 and max(live) > 700000


def test_what_lives_meanwhile(one_of_each, run_traced, tmp_path):
    """tracemalloc starts and stops; what is switched off and on again begins anew."""
    text = """
import tracemalloc, pinsight
def kept():
    return bytearray(700000)
def again():
    return bytearray(500000)
one = kept()
tracemalloc.start()
two = kept()
del one
tracemalloc.stop()
three = again()
del two
pinsight.deactivate()
del three
pinsight.activate()
three = again()
"""
    rows = living(run(one_of_each, run_traced, tmp_path, text, *NOTHING, **LIVE))
    sums = {name: live for (name, _), (_, live, _) in rows.items() if name in ("kept", "again")}
    assert sums["kept"] < 1000 and 500000 <= sums["again"] < 501000


STARTED_MEANWHILE = """
import tracemalloc
from itertools import repeat, starmap
class Thing:
    __slots__ = ()
def before(): return list(starmap(Thing, repeat((), 1000)))
def meanwhile(): return list(starmap(Thing, repeat((), 2000)))
def after(): return list(starmap(Thing, repeat((), 4000)))
one = before()
tracemalloc.start(5)
two = meanwhile()
print(sum(each.count for each in tracemalloc.take_snapshot().statistics("lineno")) > 2000)
tracemalloc.stop()
three = after()
del one, two, three
"""


def counts_of(result):
    sums = {}
    for (name, _), (count, _) in by_line(result).items():
        sums[name.split(".")[0]] = sums.get(name.split(".")[0], 0) + count
    return sums


def test_tracemalloc_meanwhile(python, run_traced, tmp_path):
    """What the program's own tool puts in front, and takes away, changes nothing. Its own memory is asked for, too."""
    result = run(python, run_traced, tmp_path, STARTED_MEANWHILE, *NOTHING)
    assert result.stdout == "True\n"
    sums = counts_of(result)
    assert 1000 <= sums["before"] < 1100 and 2000 <= sums["meanwhile"] < 6200 and 4000 <= sums["after"] < 4300
    assert "took out" not in result.stderr


def test_tracemalloc_from_the_start(one_of_each, run_traced, tmp_path):
    """One that stops later puts back what was there before us: that is said, and what is counted goes on."""
    text = "import tracemalloc\ntracemalloc.stop()\nthings = [object() for _ in range(1000)]\n"
    result = run(one_of_each, run_traced, tmp_path, text, *NOTHING, PYTHONTRACEMALLOC="1")
    assert result.rc == 0
    assert "took out what counts allocations" in result.stderr


def test_threads_and_children(one_of_each, run_traced, tmp_path):
    text = """
import os, threading
from itertools import repeat, starmap
class Thing:
    __slots__ = ()
def in_thread():
    return list(starmap(Thing, repeat((), 1000)))
def in_child():
    return list(starmap(Thing, repeat((), 3000)))
threads = [threading.Thread(target=in_thread) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
child = os.fork()
if not child:
    in_child()
    os._exit(0)
os.waitpid(child, 0)
"""
    sums = counts_of(run(one_of_each, run_traced, tmp_path, text, *NOTHING))
    assert 4000 <= sums["in_thread"] < 4300
    assert 3000 <= sums["in_child"] < 3200


def test_code_that_goes(one_of_each, run_traced, tmp_path):
    """A code object takes the place of one that went: what each asked for is its own."""
    text = """
import gc
class Thing:
    __slots__ = ()
for number in range(200):
    space = {"Thing": Thing}
    exec("def made_%d():\\n    for _ in range(100): Thing()\\nmade_%d()" % (number, number), space)
    del space
    gc.collect(0)
"""
    result = run(one_of_each, run_traced, tmp_path, text, *NOTHING)
    rows = {row["function"]: row["count"] for row in result.report("--allocations")["allocations"] if row["function"]}
    made = {name: count for name, count in rows.items() if name.startswith("made_")}
    assert len(made) == 200
    assert all(100 <= count < 120 for count in made.values()), made


def test_switched_while_it_runs(one_of_each, run_traced, tmp_path):
    """deactivate() gives the allocators back, and activate() takes them again."""
    text = """
import pinsight
from itertools import repeat
class Thing:
    __slots__ = ()
def one():
    for _ in repeat(None, 1000): Thing()
def two():
    for _ in repeat(None, 1000): Thing()
def three():
    for _ in repeat(None, 1000): Thing()
one()
pinsight.deactivate()
two()
pinsight.activate()
three()
pinsight.set_mode("Python", "STANDBY")
two()
pinsight.set_mode("Python", "MONITORING")
one()
"""
    sums = counts_of(run(one_of_each, run_traced, tmp_path, text, *NOTHING))
    assert 2000 <= sums["one"] < 2100 and 1000 <= sums["three"] < 1100 and "two" not in sums


LINES = """
def f(): return [None] * 10
code = f.__code__
def early(): return [None] * 10
early()
for line in range(2, 70000):
    f.__code__ = code.replace(co_firstlineno=line)
    f()
for i in range(1000): early()
"""


def test_lines_without_end(newest, run_traced):
    """So many are counted by themselves; of functions that were made later, there is one sum."""
    traced = run_traced(newest, LINES, "--events", "none", "--no-summary", env={"PINSIGHT_ALLOCATIONS": "live"})
    lines = traced.report("--allocations", "--limit", "0")["allocations"]
    assert len({(line["file"], line["line"]) for line in lines}) < 66000
    assert sum(line["count"] for line in lines if line["function"] == "early") >= 1001
    text = " ".join(traced.report_text().split())
    assert "allocations have no line: a process counts 65536 lines" in text


def test_configured(one_of_each, run_traced, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("def many():\n    return bytearray(5000000)\nmany()\n")
    text = "[Python]\nevents = none\nallocations = %s\n"
    result = run_traced(one_of_each, program, *configured(tmp_path, text % "on"))
    assert by_line(result)["many", 2][1] >= 5000000
    result = run_traced(one_of_each, program, *configured(tmp_path, text % "off"))
    assert not result.trace.infos["allocated"] and result.report("--allocations")["allocations"] == []
    wrong = tmp_path / "wrong.ini"
    wrong.write_text(text % "all")
    done = subprocess.run([places.COMMAND, "config", "check", str(wrong)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode != 0 and b"allocations" in done.stderr


def test_plain(one_of_each, run_traced, tmp_path):
    result = run(one_of_each, run_traced, tmp_path, "pass\n", *NOTHING, PINSIGHT_PLAIN="1")
    assert "allocations are not counted, because of PINSIGHT_PLAIN=1" in result.stderr


def test_forms(newest, run_traced, tmp_path):
    result = run(newest, run_traced, tmp_path, PROGRAM, *NOTHING)

    def report(*words):
        done = subprocess.run([places.COMMAND, "report", str(result.folder), *words], stdout=subprocess.PIPE)
        assert done.returncode == 0
        return done.stdout.decode()
    rows = result.report("--allocations")["allocations"]
    lines = report("--allocations", "--format", "csv").splitlines()
    assert lines[0] == "function,file,line,module,count,bytes,live_blocks,live_bytes,peak_bytes" and len(lines) == len(rows) + 1
    assert "Allocations of Python's memory" in report("--allocations")
    assert "--allocations shows them" in report()


@pytest.mark.storm
@pytest.mark.parametrize("what", ["on", "live"])
def test_what_looks_at_allocators(one_of_each, what, run_command, monkeypatch):
    module = "test_tracemalloc"
    monkeypatch.setenv("PINSIGHT_ALLOCATIONS", what)
    monkeypatch.setenv("PINSIGHT_EVENTS", "none")  # what the interpreter makes to report an event is allocated, too
    same_outcome(one_of_each, module, run_command, 120)


@pytest.mark.long
@pytest.mark.parametrize("module", ["test_tracemalloc", "test_gc", "test_capi", "test_threading"])
@pytest.mark.parametrize("what", ["on", "live"])
def test_what_looks_at_allocators_anywhere(python, module, what, run_command, monkeypatch):
    monkeypatch.setenv("PINSIGHT_ALLOCATIONS", what)
    monkeypatch.setenv("PINSIGHT_EVENTS", "none")
    same_outcome(python, module, run_command, 900)
