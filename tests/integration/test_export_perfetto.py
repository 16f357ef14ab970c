"""`pinsight export --to perfetto`: what the perfetto package's own definitions make of it."""
import json
import os
import shlex
import subprocess

import pytest

from support import exported, made, mpi, openmp, places
from support.pythons import pythons

TRACEGEN = places.BUILD / "tests" / "tracegen"
READER = places.TESTS / "tools" / "read_perfetto.py"
# Names that are hard to write down, recursion, generators that are resumed and thrown into, threads, a mark.
PROGRAM = r'''
import math, sys, threading
import pinsight

def outer(n):
    return inner(n)

def inner(n):
    return outer(n - 1) if n else math.hypot(n, 4)

def produce():
    for number in range(4):
        try:
            yield math.hypot(number, 6)
        except KeyError:
            pass

def fails():
    raise ValueError("so it is")

def hard(name, file="<hard>"):
    space = {"math": math}
    exec(compile("def f():\n    return math.hypot(3, 4)\n", file, "exec"), space)
    changed = {"co_name": name}
    if sys.version_info >= (3, 11):
        changed["co_qualname"] = name
    space["f"].__code__ = space["f"].__code__.replace(**changed)
    return space["f"]

NAMES = ['we"ird\\', "line\nbreak\r\t", "control\x01\x1f\x7f\x85", "\u2028\u202e\U0001f600 日本", "</script>", "a" * 300]
for name in NAMES:
    hard(name, "/tmp/" + name + ".py")()
threads = [threading.Thread(target=outer, args=(n,), name='th"%d\\' % n) for n in (1, 5, 9)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
outer(7)
made = produce()
next(made)
made.throw(KeyError())
list(made)
try:
    fails()
except ValueError:
    pass
with pinsight.region("step"):
    pinsight.mark('half "way"')
    outer(2)
'''


@pytest.fixture(scope="session")
def interpreter():
    """A Python with the perfetto package."""
    return pythons()[-1].with_packages("perfetto")


@pytest.fixture
def form(interpreter):
    """Makes a Timeline of a trace, or of what was exported already."""
    def read(trace, *options, output=None):
        made = output or trace.parent / (trace.name + ".pftrace")
        if not output:
            export(trace, "-o", str(made), *options)
        done = subprocess.run([interpreter, str(READER), str(made)], stdout=subprocess.PIPE, check=True, encoding="utf-8")
        return exported.Timeline(json.loads(done.stdout))
    return read


def export(trace, *options, rc=0, **how):
    done = subprocess.run([places.COMMAND, "export", *options, str(trace)], stderr=subprocess.PIPE,
                          encoding="utf-8", **how)
    assert done.returncode == rc, done.stderr
    return done


def python_program(folder):
    file = folder / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def cut(trace):
    """Takes the end of its largest file."""
    largest = max((path for path in trace.rglob("events_*") if path.suffix != ".idx"), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size * 2 // 3)


# The tests of --to chrome are these too.

def test_python(form, run_traced, newest, tmp_path):
    run = run_traced(newest, python_program(tmp_path), "--lossless")
    timeline = form(run.folder)
    exported.assert_python_as_reported(timeline, exported.report(run.folder))
    names = {one.name for one in timeline.slices}
    assert {'we"ird\\', "line\nbreak\r\t", "control\x01\x1f\x7f\x85", "\u2028\u202e\U0001f600 日本", "</script>",
            "a" * 300} <= names
    (process,) = timeline.processes.values()
    told = exported.report(run.folder)["processes"][0]
    assert process["pid"] == told["pid"]
    assert process["name"] == "%s (%d)" % (os.path.basename(shlex.split(told["command"])[1]), told["pid"])
    assert ".py (" in process["name"]
    ordered = sorted(timeline.threads.values(), key=lambda thread: thread["order"])
    assert [thread["name"] for thread in ordered] == ["MainThread", 'th"1\\', 'th"5\\', 'th"9\\']
    assert any(one.details.get("resumed") for one in timeline.slices if one.name == "produce")
    assert any(one.details.get("thrown_into") for one in timeline.slices if one.name == "produce")
    (mark,) = timeline.instants
    assert (mark.name, mark.parent.name, mark.parent.category) == ('half "way"', "step", "region")
    assert not timeline.leaving and not timeline.arriving
    (running,) = [one["values"] for one in timeline.counters if one["name"] == "threads running"]
    assert running[-1][1] == 0 and 1 <= max(value for _, value in running) <= 4


TURNS = '''
def produce(name):
    while True:
        yield name

made = [produce(name) for name in "abc"]
for name in "abccabacb":
    assert next(made["abc".index(name)]) == name
'''


def test_generators(form, run_traced, newest):
    run = run_traced(newest, TURNS, "--events", "function,generator", "--lossless")
    shown = [one.details["generator"] for one in form(run.folder).slices if one.name == "produce"][:9]
    numbers = dict(zip("abc", shown))
    assert len(set(numbers.values())) == 3 and shown == [numbers[name] for name in "abccabacb"]


def test_a_part_of_it(form, run_traced, newest, tmp_path):
    run = run_traced(newest, python_program(tmp_path), "--lossless")
    timeline = form(run.folder, "--thread", "0")
    assert [thread["name"] for thread in timeline.threads.values()] == ["MainThread"]
    exported.assert_python_as_reported(timeline, exported.report(run.folder, "--thread", "0"))


def test_names_of_numbers(form, run_traced, newest, tmp_path):
    """With names = registry."""
    run = run_traced(newest, python_program(tmp_path), "--lossless", "--names", "registry")
    exported.assert_python_as_reported(form(run.folder), exported.report(run.folder))


VALUES = """
import pinsight, threading
for step in range(1, 101):
    pinsight.mark("residual", 1 / step ** 3)
pinsight.mark("queue", 7)
thread = threading.Thread(target=pinsight.mark, args=("queue", 2.5))
thread.start()
thread.join()
"""


def test_values(form, run_traced, newest):
    timeline = form(run_traced(newest, VALUES, "--lossless").folder)
    (process,) = timeline.processes
    assert [float(value) for _, value in timeline.counter("residual", process)] == [1 / step ** 3 for step in range(1, 101)]
    assert [value for _, value in timeline.counter("queue", process)] == [7, 2.5]
    assert not timeline.instants


def ends_in(python):
    """The category in which a call of ctypes or Cython lies: a profile function does not see it itself."""
    return "c" if python.mechanism == "sys.monitoring" else "python"


def test_openmp(form, run_traced, newest):
    library = openmp.build_program_as_library("nested")
    run = run_traced(newest, places.TESTS / "openmp" / "host.py", "--lossless", "--domains", "python,openmp",
                     arguments=[str(library)], env={"OMP_MAX_ACTIVE_LEVELS": "2"})
    timeline, told = form(run.folder), exported.report(run.folder, "--openmp")
    exported.assert_python_as_reported(timeline, told)
    regions, parts = exported.assert_openmp_as_reported(timeline, told)
    assert any(one.parent.category == ends_in(newest) for one in regions if one.parent)
    (running,) = [one["values"] for one in timeline.counters if one["name"] == "threads running"]
    assert running[-1][1] == 0 and max(value for _, value in running) > 1
    workers = [thread for thread in timeline.threads.values() if thread["name"].startswith("OpenMP")]
    assert workers and len({one.thread for one in parts}) == len(workers) + 1


def test_memory(form, tmp_path):
    trace = made.Trace(tmp_path / "trace")
    for pid, step in ((70, 0), (71, 100)):
        process = trace.process(pid)
        thread = process.thread(pid)
        process.code(1, "f", "/app.py", 1)
        for at in range(0, 10000, 1000):
            thread.function(at, at + 900, 1)
            thread.event(at + 500, "core", "process_memory", resident_bytes=4096 * (50 + at // 1000 * step))
    timeline = form(trace.write())
    found = {process["pid"]: [int(value) for _, value in timeline.counter("resident memory", key)]
             for key, process in timeline.processes.items()}
    assert found == {70: [4096 * 50] * 10, 71: [4096 * (50 + 100 * at) for at in range(10)]}


@pytest.mark.parametrize("pattern", ["halo", "all"])
def test_mpi(form, run_command, flavour, tmp_path, pattern):
    program = flavour.compile(places.PROGRAMS / "mpi_patterns.c", tmp_path / "mpi_patterns")
    result = run_command(*flavour.command(4, program, pattern), options=["--lossless", "--no-summary"], env=mpi.ENVIRONMENT)
    assert result.rc == 0, result.stderr
    timeline = form(result.folder)
    assert sorted(one["order"] for one in timeline.processes.values()) == [0, 1, 2, 3]
    flows = exported.assert_mpi_as_reported(timeline, exported.report(result.folder, "--mpi"))
    assert {to.details["bytes"] for _, to in flows} == {"halo": {512, 256}, "all": {4, 8, 12, 16}}[pattern]
    pending = timeline.counter("MPI messages in flight")
    assert pending[-1][1] == 0 and max(value for _, value in pending) > 0
    sends = [one for one in timeline.slices if one.name in ("MPI_Isend", "MPI_Sendrecv") and "peer" in one.details]
    assert sends and all(one.details["bytes"] > 0 and one.details["tag"] >= 0 for one in sends)


def test_python_with_mpi(form, run_command, tmp_path):
    """examples/mpi: calls of MPI lie in the Python that made them."""
    (tmp_path / "few.ini").write_text("[Python]\nmodule_filter = __main__, block, mpi4py\n")  # and not NumPy's import
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    newest = pythons()[-1]
    path = newest.with_packages("mpi4py", "numpy")
    result = run_command(*flavour.command(2, path, places.ROOT / "examples" / "mpi" / "jacobi.py", "--n", "40", "--steps", "5"),
                         options=["--lossless", "--no-summary", "-c", str(tmp_path / "few.ini")],
                         env=dict(mpi.ENVIRONMENT, MPI4PY_LIBMPI=flavour.library(), OMP_NUM_THREADS="1"))
    assert result.rc == 0, result.stderr
    timeline, told = form(result.folder), exported.report(result.folder, "--mpi")
    exported.assert_python_as_reported(timeline, told)
    exported.assert_mpi_as_reported(timeline, told)
    exchanges = [one for one in timeline.slices if one.name == "MPI_Sendrecv"]
    assert exchanges
    for one in exchanges:
        assert (one.details["file"].endswith("block.py"), one.parent.category) == (True, ends_in(newest)), one
        if ends_in(newest) == "c":
            assert one.parent.name.endswith("Sendrecv") and one.parent.details["line"] == one.details["line"]


def test_events_lost(form, tmp_path):
    """A counter that ends with what the export says."""
    if not TRACEGEN.exists():
        places.missing("tests/tools/tracegen, built")
    subprocess.run([str(places.TESTS / "tools" / "record-with"), "--lossy", "4k", "--alone", str(tmp_path / "trace"),
                    str(TRACEGEN), "inline", "50000", "2", "300"], check=True)
    done = export(tmp_path / "trace", "-o", str(tmp_path / "made"))
    lost = [value for _, value in form(tmp_path / "trace", output=tmp_path / "made").counter("events lost")]
    assert lost == sorted(lost) and "pinsight: %d events are missing" % lost[-1] in done.stderr


def test_standard_output(form, run_traced, newest, tmp_path):
    run = run_traced(newest, python_program(tmp_path), "--lossless")
    piped = tmp_path / "piped"
    with open(piped, "wb") as file:
        done = export(run.folder, "-q", "-o", "-", stdout=file)
    assert not done.stderr
    export(run.folder, "-o", str(tmp_path / "named"))
    assert (tmp_path / "named").read_bytes() == piped.read_bytes()
    assert form(run.folder, output=piped).slices


def test_no_room(run_traced, newest, tmp_path):
    run = run_traced(newest, python_program(tmp_path), "--lossless")
    with open("/dev/full", "w") as file:
        done = export(run.folder, "-o", "-", stdout=file, rc=1)
    assert "No space left on device" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.recorder("lttng")
def test_damaged(form, run_traced, newest, tmp_path):
    """What could be read of it is whole."""
    run = run_traced(newest, python_program(tmp_path), "--lossless")
    cut(run.folder)
    made = tmp_path / "made"
    done = export(run.folder, "-o", str(made), rc=1)
    assert "pinsight: " in done.stderr and made.exists()
    timeline = form(run.folder, output=made)
    assert all(one.end >= one.begin for one in timeline.slices)


def test_nothing_in_it(form, run_command):
    run = run_command("true", options=["--no-summary"])
    timeline = form(run.folder)
    assert not timeline.slices and not timeline.threads
