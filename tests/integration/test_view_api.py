"""The C API for views: the example, built as its page says, beside an export of the same trace."""
import collections
import csv
import io
import json
import subprocess

from support import mpi, openmp, places

SOURCE = places.ROOT / "examples" / "view" / "hottest.c"
INCLUDE = places.ROOT / "include"
PROGRAM = """
import math, threading
def inner(n):
    return sum(math.sqrt(i) for i in range(300 * n))
def outer(n):
    return [inner(i) for i in range(n)]
threads = [threading.Thread(target=outer, args=(n,)) for n in (5, 9)]
for thread in threads: thread.start()
outer(12)
for thread in threads: thread.join()
"""


def own_times(rows):
    """{name: [own ns, slices]}, from what each slice took and what was within it."""
    found, inner = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for row in rows:
        thread, depth, took = (row["pid"], row["tid"]), int(row["depth"]), int(row["duration_ns"])
        found[row["name"]][0] += took - inner.pop((thread, depth + 1), 0)
        found[row["name"]][1] += 1
        inner[thread, depth] += took
    return found


def test_the_example(newest, run_traced, tmp_path):
    trace = run_traced(newest, PROGRAM).folder
    program = tmp_path / "hottest"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", str(SOURCE), "-o", str(program), "-I", str(INCLUDE),
                    "-L", str(places.LIBDIR), "-lpinsight-view", "-Wl,-rpath," + str(places.LIBDIR)], check=True)
    done = subprocess.run([str(program), str(trace)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 0 and not done.stderr

    rows = subprocess.run([places.COMMAND, "export", "-q", "--to", "csv", "-o", "-", str(trace)], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True).stdout
    expected = own_times(csv.DictReader(io.StringIO(rows)))
    lines = [line.split(None, 3) for line in done.stdout.splitlines()]
    assert len(lines) == 20 and any(name == "math.sqrt" for *_, name in lines)
    for own, _, slices, name in lines:
        assert int(slices) == expected[name][1]
        assert abs(float(own) * 1e6 - expected[name][0]) <= 500  # it is printed in thousandths of a millisecond

    done = subprocess.run([str(program), str(tmp_path / "none")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 1 and str(tmp_path / "none") in done.stderr


def rows_of(trace, tmp_path, *more):
    """What tests/programs/view_rows.c prints, and its counts as words."""
    program = tmp_path / "view_rows"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", str(places.PROGRAMS / "view_rows.c"), "-o", str(program),
                    "-I", str(INCLUDE), "-L", str(places.LIBDIR), "-lpinsight-view", "-Wl,-rpath," + str(places.LIBDIR)], check=True)
    done = subprocess.run([str(program), str(trace), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          check=True)
    return [line.split("\t") for line in done.stdout.splitlines()], done.stderr.split()


def exported_rows(trace):
    done = subprocess.run([places.COMMAND, "export", "-q", "--to", "csv", "-o", "-", str(trace)], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    return list(csv.reader(io.StringIO(done.stdout)))[1:]


def test_all_that_is_told(newest, run_traced, tmp_path):
    """Every field of every slice is that of the export; begins, links and marks are there."""
    library = openmp.build_program_as_library("loop_static")
    trace = run_traced(newest, "import pinsight, ctypes\n" + PROGRAM + "pinsight.mark('half way')\n" +
                       "ctypes.CDLL(%r).run_program(1, (ctypes.c_char_p * 2)(b'program', None))\n" % str(library),
                       "--lossless", "--domains", "python,openmp").folder
    rows, counts = rows_of(trace, tmp_path)
    expected = exported_rows(trace)
    assert [row[:16] for row in rows] == expected
    assert {row[16] for row in rows} == {"-1"} and {"MainThread"} < {row[17] for row in rows}
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--format", "json", str(trace)], stdout=subprocess.PIPE,
                                     check=True).stdout.decode())
    others = sum(region["threads"] - 1 for region in told["regions"])
    assert counts == [str(len(rows)), "begins", str(others), "parts", "0", "messages", "0", "launches", "1", "marks", "0", "damages"] and others
    assert len(rows_of(trace, tmp_path, "one")[0]) == 1, "a callback's answer ends the reading"


def test_messages_are_told(run_command, tmp_path):
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    program = flavour.compile(places.PROGRAMS / "mpi_patterns.c", tmp_path / "mpi_patterns")
    trace = run_command(*flavour.command(4, program, "halo"), options=["--lossless", "--no-summary"], env=mpi.ENVIRONMENT).folder
    rows, counts = rows_of(trace, tmp_path)
    assert [row[:16] for row in rows] == exported_rows(trace)
    assert {row[16] for row in rows} == {"0", "1", "2", "3"}
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--mpi", "--format", "json", str(trace)],
                                     stdout=subprocess.PIPE, check=True).stdout.decode())
    assert int(counts[4]) == told["mpi"]["matching"]["matched"] > 0


def test_the_header_is_whole():
    """In C and in C++, by itself."""
    for compiler in (["cc", "-std=c99", "-x", "c"], ["c++", "-x", "c++"]):
        subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", str(INCLUDE), "-"],
                       input=b"#include <pinsight/view.h>\n", check=True)
