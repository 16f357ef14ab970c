"""The report of OpenMP against what programs know of themselves: how long each thread was at it, which line of
Python called, and that the table of functions has all of the time."""
import json
import subprocess

import pytest

from support import openmp, places
from support.quiet import until_quiet

pytestmark = pytest.mark.timed

SOURCE = places.PROGRAMS / "openmp_parts.c"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The program and its library, with clang and libomp."""
    return openmp.program_and_library(tmp_path_factory.mktemp("openmp_parts"), SOURCE, "libparts.so")


def report_json(folder, *options):
    return json.loads(subprocess.run([places.COMMAND, "report", "-q", "--openmp", "--format", "json", *options,
                                      str(folder)], stdout=subprocess.PIPE, check=True).stdout)


def has_libdw():
    return "libdw" in subprocess.run(["ldd", str(places.COMMAND)], stdout=subprocess.PIPE,
                                     encoding="utf-8").stdout


def test_region_in_a_configuration(built, run_command, tmp_path):
    """What JSON calls a region is how a configuration selects it."""
    result = run_command(built[0], "3", "1", options=["--domains", "openmp", "--no-summary"])
    region, = report_json(result.folder)["regions"]
    config = tmp_path / "one.ini"
    config.write_text("[Lexgion(%s)]\n    max_num_traces = 2\n" % region["lexgion"])
    result = run_command(built[0], "5", "1", options=["--domains", "openmp", "--no-summary", "-c", str(config)])
    told = report_json(result.folder)
    assert [row["calls"] for row in told["regions"]] == [2]
    window, = told["windows"]
    assert (window["domain"], window["kind"], window["recorded"]) == ("OpenMP", "region", 2)


@pytest.mark.alone
def test_known_imbalance(built, run_command):
    """Thread 1 works twice as long: reported within 5 % of what was programmed, and of what the program saw."""
    def check():
        result = run_command(built[0], "8", "40", options=["--domains", "openmp", "--no-summary"])
        first, second, line = map(int, result.stdout.split())
        region, = report_json(result.folder)["regions"]
        assert (region["calls"], region["threads"], region["measured_calls"]) == (8, 2, 8)
        assert region["thread_work_ns"] == [pytest.approx(first, rel=0.05), pytest.approx(second, rel=0.05)]
        assert region["imbalance"] == pytest.approx(2 / 1.5, rel=0.05)
        assert region["imbalance_ns"] >= 0.9 * (second - first)
        if has_libdw():
            assert region["source_file"].endswith("openmp_parts.c")
            assert region["source_line"] == line
        assert region["symbol"] == "uneven"

    until_quiet(check)


PROGRAM = """import ctypes

CALL = ctypes.CFUNCTYPE(None, ctypes.c_int)
seen = []


def note(turn):
    seen.append(sum(range(20000)))


def compute(library):
    library.run(5, CALL(note))  # here


compute(ctypes.CDLL(%r))
assert len(seen) == 5
"""


def test_functions_have_all_the_time(python, built, run_traced, tmp_path):
    """Python that a region calls counts once, with its own function; the rest of the region with the one that
    called it."""
    program = tmp_path / "program.py"
    text = PROGRAM % str(built[1])
    program.write_text(text)
    line = text.splitlines().index(next(row for row in text.splitlines() if row.endswith("# here"))) + 1
    result = run_traced(python, str(program), "--domains", "python,openmp", "--no-summary")
    told = report_json(result.folder)
    openmp, threads = told["openmp"], told["threads"]
    region, = told["regions"]
    assert (region["calls"], region["python_function"], region["python_line"]) == (5, "compute", line)
    assert [frame["function"] for frame in region["python_path"]][:2] == ["<module>", "compute"]
    rows = {row["name"]: row for row in openmp["functions"]}
    note = next(row for row in told["functions"] if row["name"] == "note")
    compute = rows["compute"]["regions"]
    assert compute["calls"] == 5
    # What ctypes does before it calls `note`, and after it, is of the region.
    assert compute["total_ns"] == region["total_ns"] - note["total_ns"]
    assert compute["total_ns"] == sum(compute[part] for part in ("work_ns", "imbalance_ns", "waiting_ns", "runtime_ns"))
    # An import's own time is no function's.
    functions = sum(row["all_ns"] for row in openmp["functions"])
    assert functions + openmp["others_ns"] == sum(thread["busy_ns"] for thread in threads)
    assert openmp["recorded_ns"] == functions and openmp["others_ns"] < 1_000_000_000
    assert openmp["recorded_ns"] + openmp["others_ns"] + openmp["elsewhere_ns"] == openmp["wall_ns"]
