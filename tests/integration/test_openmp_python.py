"""A library with OpenMP that a Python program calls by ctypes: its events, beside Python's."""
import csv
import io
import json
import subprocess

import pytest

from support import openmp, openmp_trace, places, traces

pytestmark = pytest.mark.timed

# Each call of the library stands on one line with a note of where Python itself says it is.
PROGRAM = """
import ctypes, json, os, sys, threading, traceback

lib = ctypes.CDLL(sys.argv[1])
BACK = ctypes.CFUNCTYPE(None, ctypes.c_int)
noted = []

def note(what):
    frames = traceback.extract_stack()[:-1]
    noted.append({"what": what, "tid": threading.get_native_id(),
                  "path": [[frame.name, frame.filename, frame.lineno] for frame in frames]})

def inner(threads):
    note("region"); return lib.called_region(threads)

def outer(threads):
    return inner(threads) + inner(threads)

def recursing(depth):
    if depth == 0:
        note("region"); return lib.called_region(2)
    return recursing(depth - 1)

def called(number):
    note("region"); lib.called_region(1)

def in_a_thread():
    outer(2)

class Thing:
    def method(self):
        return [self.tasks(n) for n in (10, 20)]

    def tasks(self, n):
        note("region"); return lib.called_tasks(n)

for _ in range(3):
    outer(2)
recursing(20)
note("region"); lib.called_back(2, BACK(called))
Thing().method()
worker = threading.Thread(target=in_a_thread)
worker.start()
worker.join()
note("region"); lib.called_region(3)
sys.stdout.flush()
lib.called_report()
with open(sys.argv[2], "w") as file:
    json.dump(noted, file)
"""


class Ran:
    def __init__(self, run_traced, python, tmp_path, mode="TRACING"):
        library = openmp.build_library("called")
        program = tmp_path / "calling.py"
        program.write_text(PROGRAM)
        notes = tmp_path / "notes.json"
        result = run_traced(python, program, "--domains", "python,openmp", "--lossless", "--no-summary",
                            arguments=[library, notes], env={"PINSIGHT_TRACE_PYTHON": mode})
        self.program = str(program)
        self.result = result
        self.said = openmp.Said(result.stdout)
        self.noted = json.loads(notes.read_text())
        self.recorded = [event for event in traces.events(result.folder)]
        self.process = openmp_trace.Process(
            self.said.pid, [event for event in self.recorded if event.name in openmp_trace.NAMES])
        self.regions = self.process.of("parallel_begin")


@pytest.fixture
def ran(one_of_each, run_traced, tmp_path):
    return Ran(run_traced, one_of_each, tmp_path)


def pair(noted, regions):
    """[(note, region)]: in each thread they are in the same order."""
    waiting = {}
    for region in regions:
        waiting.setdefault(region.vtid, []).append(region)
    return [(note, waiting[note["tid"]].pop(0)) for note in noted]


def test_events_come_when_python_calls(ran):
    assert ran.said.done
    assert len(ran.regions) == len(ran.noted) == ran.said.counts["parallel"]
    # The runtime came after LTTng and ends after it: its threads' last ends may be recorded no more.
    wrong = ran.process.check(killed=True)
    assert not wrong, "\n".join(wrong[:20])
    assert ran.process.count("task_create") == ran.said.counts["task"] == 30
    pair(ran.noted, ran.regions)


@pytest.mark.recorder("lttng")
def test_regions_are_within_the_function_that_called(ran, one_of_each):
    """A region's events lie between the begin and the end of the Python function, in its thread."""
    open_ones, inside = {}, {}
    for event in ran.recorded:
        stack = open_ones.setdefault(event.vtid, [])
        if event.name == "function_begin":
            stack.append(event.fields["qualname"])
        elif event.name == "function_end":
            assert stack.pop() == event.fields["qualname"]
        elif event.name in ("parallel_begin", "parallel_end"):
            function = stack[-1].rpartition(".")[2] if stack else "<module>"
            inside.setdefault(event.fields["parallel_id"], []).append(function)
    for note, region in pair(ran.noted, ran.regions):
        expected = note["path"][-1][0]
        found = inside[region.fields["parallel_id"]]
        if expected == "called" and one_of_each.mechanism != "sys.monitoring" and found != [expected] * 2:
            # A thread that C made, and that Python knows for this call only, may be over before it is seen.
            assert region.vtid != ran.said.pid
            continue
        assert found == [expected] * 2


def paths_of(recorded):
    """{number: [(function, file, line)]}, the outermost first."""
    nodes, codes, paths = {}, {}, {0: []}
    for event in recorded:
        if event.name == "path_info":
            nodes[event.fields["path"]] = event.fields
        elif event.name == "code_info":
            codes[event.fields["code"]] = event.fields

    def path(number):
        if number not in paths:
            node = nodes[number]
            code = codes[node["code"]]
            paths[number] = path(node["parent"]) + [
                [code["qualname"].rpartition(".")[2], code["filename"], node["lineno"]]]
        return paths[number]
    return {number: path(number) for number in nodes}


@pytest.mark.parametrize("mode", ["TRACING", "OFF"])
def test_each_region_knows_its_python_path(python, run_traced, tmp_path, mode):
    """The path is what traceback says on that line; also with Python's events off."""
    ran = Ran(run_traced, python, tmp_path, mode)
    paths = paths_of(ran.recorded)
    for note, region in pair(ran.noted, ran.regions):
        assert paths.get(region.fields["py_path"]) == note["path"], (note, region)
    made = [event.fields["py_path"] for event in ran.process.of("task_create")]
    assert made and all(paths[number][-1][0] == "tasks" for number in made if number)


# Threads of a team that have run no Python before; and the program goes on when the region is over.
CALLED_BACK = """
import ctypes, sys, time
lib = ctypes.CDLL(sys.argv[1])
BACK = ctypes.CFUNCTYPE(None, ctypes.c_int)
def called(number):
    return sum(range(10))
lib.called_back(3, BACK(called))
time.sleep(0.5)
lib.called_back(3, BACK(called))
time.sleep(0.5)
"""


def test_a_part_ends_with_its_region(one_of_each, run_traced, tmp_path):
    """Also that of a thread which runs Python for the first time within it."""
    program = tmp_path / "called_back.py"
    program.write_text(CALLED_BACK)
    result = run_traced(one_of_each, program, "--domains", "python,openmp", "--lossless", "--no-summary",
                        arguments=[openmp.build_library("called")])
    exported = subprocess.run([places.COMMAND, "export", "--to", "csv", "-q", "-o", "-", result.folder],
                              stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    rows = [row for row in csv.DictReader(io.StringIO(exported)) if row["name"] == "parallel in called_back"]
    lines = {row["line"] for row in rows}
    assert len(lines) == 2
    whole = 0
    for line in lines:
        mine = [row for row in rows if row["line"] == line]
        spans = [(int(row["begin_ns"]), int(row["begin_ns"]) + int(row["duration_ns"])) for row in mine]
        region = max((span for row, span in zip(mine, spans) if row["tid"] == row["pid"]),
                     key=lambda span: span[1] - span[0])
        assert len({row["tid"] for row in mine}) == 3 and len(mine) == 4
        for begin, end in spans:
            assert region[0] <= begin <= end <= region[1]
        whole += region[1] - region[0]
    if one_of_each.mechanism == "sys.monitoring":
        assert {row["python_thread"] for row in rows} == {"0", "1", "2"}
    assert 0 < sum(line["openmp"]["thread_ns"] for line in result.report("--links")["links"]["lines"]) <= 3 * whole
