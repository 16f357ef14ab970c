"""`pinsight export` to profiles: OpenMP and MPI beneath the Python that caused them, in each form."""
import collections
import json
import re

from support import mpi, places
from support.profiles import annotated, callgrind_calls, export, folded, functions_of, pstats_of, save, speedscope_stacks

from test_report_control import report_json
from test_report_openmp import APP, LINALG, START, TRACE  # noqa: F401
from test_report_openmp_run import built  # noqa: F401


def test_regions_beneath_their_lines(record):
    folder = record(TRACE)
    told = report_json(folder, "--openmp")
    regions = {row["python_line"]: row for row in told["regions"] if row["calls"] == 1}
    work = {line: row["thread_work_ns"] for line, row in regions.items()}
    calls = {call[:2]: call[2:] for call in callgrind_calls(save(folder, "callgrind").read_bytes())
             if not call[0].startswith("process:") and not (call[0].startswith("OpenMP:parallel") and not call[4])}
    main, solve, fit = APP + ":main", LINALG + ":solve", APP + ":fit"
    blas, heat = "OpenMP:parallel in exec_blas", "OpenMP:parallel in libheat.so+0x1234"
    count, line, own, threads = calls["C:numpy.linalg.gufunc", blas]
    assert (count, own) == (1, regions[12]["total_ns"])
    # What the other thread of the team did comes on top, but for its wait at the end.
    assert own + work[12][1] <= threads <= own + work[12][1] + own
    assert calls[solve, "C:numpy.linalg.gufunc"][:2] == (1, 409)
    assert calls[fit, heat][:3] == (1, 55, regions[55]["total_ns"])
    assert calls[main, fit][0] == 1
    inclusive = annotated(folder / "out.callgrind", True)
    functions = {row["name"]: row for row in told["functions"]}
    for shown, name in ((main, "main"), (solve, "solve"), (fit, "fit")):
        assert inclusive[shown][0] == functions[name]["total_ns"] < inclusive[shown][1]


def test_self_time_and_regions(record):
    """The report counts regions with what started them; profiles have them beneath it."""
    folder = record(TRACE)
    told = report_json(folder)
    rows = pstats_of(save(folder, "pstats"))
    within = collections.Counter()
    for key, row in rows.items():
        for caller, part in row.callers.items():
            if key[2].startswith("<parallel"):
                within[caller] += part.total_ns
    for key, row in functions_of(told).items():
        assert (rows[key].self_ns + within[key], rows[key].total_ns) == (row["self_ns"], row["total_ns"])
    call, = told["c_calls"]
    key = "~", 0, "<numpy.linalg.gufunc>"
    assert (rows[key].self_ns + within[key], rows[key].total_ns) == (call["self_ns"], call["total_ns"])
    part = rows["~", 0, "<part: parallel in exec_blas>"]
    assert (part.calls, list(part.callers)) == (2, [("~", 0, "<parallel in exec_blas>")])


def test_threads_of_a_team(record):
    folder = record(TRACE)
    stacks = speedscope_stacks(json.loads(save(folder, "speedscope").read_text()))
    shown = {(thread.split(": ")[-1], ">".join(frame[2] for frame in stack)) for thread, stack in stacks}
    above = "main>solve>numpy.linalg.gufunc>parallel in exec_blas>part: parallel in exec_blas"
    threads = {thread for thread, stack in shown if stack == above}
    assert len(threads) == 2 and "MainThread" in threads
    assert all((thread, above + ">wait: implicit barrier") in shown for thread in threads)
    assert {(thread, "main>fit>parallel in libheat.so+0x1234>part: parallel in libheat.so+0x1234")
            for thread in threads} <= shown
    both = folded(save(folder, "folded").read_bytes())
    assert sum(both.values()) == sum(stacks.values())
    assert {re.sub(r" \([^)]*:\d+\)", "", ">".join(stack)) for stack in both} == {stack for _, stack in shown}


OMP = """import ctypes

def note(turn):
    return sum(range(200))

def compute(library):
    library.run(4, ctypes.CFUNCTYPE(None, ctypes.c_int)(note))  # here

compute(ctypes.CDLL(%r))
"""


def test_a_program_with_openmp(newest, built, run_traced, tmp_path):  # noqa: F811
    """Native code that calls Python back, recorded; with Python's events, and without."""
    program = tmp_path / "program.py"
    program.write_text(OMP % str(built[1]))
    line = 1 + next(i for i, text in enumerate(OMP.splitlines()) if "# here" in text)
    for domains in ("python,openmp", "openmp"):
        trace = run_traced(newest, str(program), "--domains", domains, "--no-summary", "--lossless").folder
        stacks = folded(export(trace, "folded", "-q"))
        python = {stack for stack in stacks if stack[-1].startswith("part: ")}
        assert python and all(stack[:2] == ("<module> (program.py:1)", "compute (program.py:6)") for stack in python)
        calls = [call for call in callgrind_calls(export(trace, "callgrind", "-q"))
                 if call[1].startswith("OpenMP:parallel")]
        assert sum(call[2] for call in calls) == 4
        if domains == "openmp":
            assert {call[0].rsplit(":", 1)[-1] for call in calls} == {"compute"}
            assert {call[3] for call in calls} == {line}
        else:
            assert any(stack[-1] == "note (program.py:3)" and stack[-2].startswith("part: ") for stack in stacks)


MPI = """import ctypes, sys

library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
if "mpich" in sys.argv[1]:
    world = ctypes.c_int(0x44000000)
else:
    world = ctypes.byref(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world"))
program = ctypes.CDLL(None)  # as a program finds it that is linked with it

def meet():
    program.MPI_Barrier(world)

program.MPI_Init(None, None)
for _ in range(5):
    meet()
program.MPI_Finalize()
"""


def test_ranks(flavour, newest, run_command, tmp_path):
    """Each rank's calls beneath its Python, under the rank's name; the times are those of the report."""
    if not flavour.library():
        places.missing("the library of %s" % flavour)
    (tmp_path / "ranks.py").write_text(MPI)
    result = run_command(*flavour.command(2, newest.path, tmp_path / "ranks.py", flavour.library()),
                         options=["--lossless", "--no-summary"], env=mpi.ENVIRONMENT)
    assert result.rc == 0, result.stderr
    export(result.folder, "pstats", "-q", output=tmp_path / "out.pstats")
    rows = pstats_of(tmp_path / "out.pstats")
    functions = {row["name"]: row for row in result.report()["mpi"]["functions"]}
    assert functions["MPI_Barrier"]["calls"] == 10
    for name, row in functions.items():
        found = rows["~", 0, "<%s>" % name]
        assert (found.calls, found.total_ns) == (row["calls"], row["total_ns"])
    stacks = folded(export(result.folder, "folded", "-q"))
    meeting = {stack for stack in stacks if stack[-1] == "MPI_Barrier"}
    assert sorted(stack[0].split()[:2] for stack in meeting) == [["rank", "0"], ["rank", "1"]]
    assert all(stack[1:3] == ("<module> (ranks.py:1)", "meet (ranks.py:10)") for stack in meeting)
    assert sum(stacks.values()) == sum(row.self_ns for row in rows.values())
    export(result.folder, "callgrind", "-q", output=tmp_path / "out.callgrind")
    inclusive = annotated(tmp_path / "out.callgrind", True)
    assert inclusive["MPI:MPI_Barrier"] == (functions["MPI_Barrier"]["total_ns"],) * 2
    assert len([name for name in inclusive if name.startswith("process:rank ")]) == 2
