"""One run of a program with mpi4py on two ranks, NumPy on an OpenMP BLAS and threads: what every export says of it, each
read by something that is not ours, has the totals of `pinsight report`."""
import json
import os
import subprocess

import pytest

import pytest

from support import exported, mpi, otf2, places
from support.profiles import annotated, check_speedscope, folded, functions_of, pstats_of, save
from support.pythons import environment, pythons

import test_export_csv
import test_export_otf2
from test_openmp_numpy import blas_on_openmp

SYSTEM = "/usr/bin/python3"
FILTER = "[Python]\nmodule_filter = __main__, mpi4py\n"  # and not NumPy's import
PARQUET = "import duckdb, sys; print(duckdb.sql(\"select count(*) from (from '%s' except from read_csv('%s', header=true, " \
          "nullstr='<none>'))\" % tuple(sys.argv[1:3])).fetchall()[0][0], duckdb.sql(\"select count(*) from '%s'\" % " \
          "sys.argv[1]).fetchall()[0][0])"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(folder, what the report says); the trace is in `trace`."""
    flavour = mpi.Mpi("openmpi")
    if not flavour.is_there:
        places.missing("Open MPI with its headers (Debian: libopenmpi-dev, openmpi-bin)")
    if not os.path.exists(SYSTEM) or not blas_on_openmp(SYSTEM):
        places.missing("a NumPy on an OpenMP BLAS (Debian: python3-numpy, libopenblas0-openmp)")
    path = environment(SYSTEM, "system", ("mpi4py",), system_packages=True)
    folder = tmp_path_factory.mktemp("one")
    (folder / "few.ini").write_text(FILTER)
    done = subprocess.run(
        [places.COMMAND, "run", "-o", str(folder / "trace"), "--lossless", "--no-summary", "-c", str(folder / "few.ini"),
         "--domains", "python,openmp,mpi", "--", *flavour.command(2, path, places.PROGRAMS / "one_run.py")],
        env=dict(os.environ, **mpi.ENVIRONMENT, MPI4PY_LIBMPI=flavour.library(), OMP_NUM_THREADS="2"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    told = exported.report(folder / "trace")
    names = {row["name"] for row in told["functions"]}
    assert {"solve", "exchange", "count", "numbers", "step", "main"} <= names
    assert told["regions"] and told["mpi"]["matching"]["matched"] >= 6
    return folder, told


@pytest.mark.storm
def test_perfetto_and_chrome(run):
    folder, told = run
    made = folder / "made.pftrace"
    subprocess.run([places.COMMAND, "export", "-q", "-o", str(made), str(folder / "trace")], check=True)
    reader = places.TESTS / "tools" / "read_perfetto.py"
    read = subprocess.run([pythons()[-1].with_packages("perfetto"), str(reader), str(made)], stdout=subprocess.PIPE,
                          check=True, encoding="utf-8")
    timeline = exported.Timeline(json.loads(read.stdout))
    exported.assert_python_as_reported(timeline, told)
    exported.assert_openmp_as_reported(timeline, told)
    exported.assert_mpi_as_reported(timeline, told)
    names = {thread["name"] for thread in timeline.threads.values()}
    assert {"MainThread", "counter 0", "counter 1"} <= names and any(name.startswith("OpenMP") for name in names)

    chrome = save(folder, "chrome")
    begun = sum(event["ph"] == "B" for event in json.loads(chrome.read_text())["traceEvents"])
    assert begun == len(timeline.slices)


def test_otf2(run):
    folder, told = run
    if not otf2.is_built():
        places.missing("OTF2 (Debian: libopen-trace-format2-dev), when PInsight was built")
    test_export_otf2.export(folder / "trace", folder / "archive")
    archive = otf2.Archive(folder / "archive")
    archive.nested()
    test_export_otf2.check_functions(archive, told)
    sends, receives = archive.named("MPI_SEND", "MPI_ISEND"), archive.named("MPI_RECV", "MPI_IRECV")
    assert len(sends) == len(receives) == told["mpi"]["matching"]["matched"]


def test_profiles(run):
    folder, told = run
    functions = functions_of(told)
    rows = pstats_of(save(folder, "pstats"))
    inclusive = annotated(save(folder, "callgrind"), True)
    for (file, line, name), row in functions.items():
        assert rows[file, line, name][0] == row["calls"]
        assert rows[file, line, name][3] == row["total_ns"]
        assert inclusive["%s:%s" % (file, name)][0] == row["total_ns"]
    check_speedscope(json.loads(save(folder, "speedscope").read_text()))
    stacks = folded(save(folder, "folded").read_bytes())
    under_solve = {stack[-1] for stack in stacks if any(frame.startswith("solve (") for frame in stack)}
    assert any("parallel" in frame for frame in under_solve)
    assert any("MPI_Sendrecv" in stack[-1] and any(frame.startswith("exchange (") for frame in stack) for stack in stacks)


def test_csv_and_parquet(run):
    folder, told = run
    rows = test_export_csv.export(folder / "trace", folder / "rows.csv")
    test_export_csv.check_nesting(rows)
    assert sum(row["category"] == "mpi" for row in rows) == sum(row["calls"] for row in told["mpi"]["functions"])
    assert sum(row["category"] == "c" for row in rows) == sum(call["calls"] for call in told["c_calls"])
    file = folder / "rows.parquet"
    subprocess.run([places.COMMAND, "export", "-q", "--to", "parquet", "-o", str(file), str(folder / "trace")], check=True)
    done = subprocess.run([pythons()[-1].with_packages("duckdb"), "-c", PARQUET, str(file), str(folder / "rows.csv")],
                          stdout=subprocess.PIPE, check=True, encoding="utf-8")
    assert done.stdout.split() == ["0", str(len(rows))]
