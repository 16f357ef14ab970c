"""What a program in C does outside of all that is recorded: it is native code, in the bar and in each view alike."""
import json
import os
import re
import subprocess

from support import made, places


def report(folder, *options, width=160):
    return subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8", env=dict(os.environ, COLUMNS=str(width), LC_ALL="C.UTF-8")).stdout


def report_json(folder, *options):
    return json.loads(report(folder, *options, "--format", "json"))


def call(thread, begin, end, name, **fields):
    thread.event(begin, "mpi", "MPI_%s_begin" % name, mpirank=0, mpi_codeptr=0x1000, **fields)
    thread.event(end, "mpi", "MPI_%s_end" % name, return_value=0)


def hybrid(folder):
    """One rank, MPI and OpenMP in turn: 1,000 ns, of them 200 in MPI and 300 in a region, of these 50 in MPI."""
    trace = made.Trace(folder, known=("core", "openmp", "mpi"))
    process = trace.process(70, rank=0, program="/a/solver")
    thread = process.main
    thread.event(0, "mpi", "comm_info", pid=70, comm=1, size=1, rank=0, context=7, name="MPI_COMM_WORLD", ranks="0")
    call(thread, 100, 200, "Init")
    thread.event(300, "openmp", "parallel_begin", parallel_id=1, parallel_codeptr=0x3000, requested_parallelism=1)
    call(thread, 350, 400, "Barrier", comm=1)
    thread.event(600, "openmp", "parallel_end", parallel_id=1, parallel_codeptr=0x3000)
    call(thread, 700, 750, "Barrier", comm=1)
    call(thread, 900, 1000, "Finalize")
    trace.write()
    return folder


def test_native_code_is_shown(tmp_path):
    links = report_json(hybrid(tmp_path / "trace"), "--links")["links"]
    assert (links["wall_ns"], links["recorded_ns"]) == (1000, 100 + 300 + 50 + 100)
    assert links["elsewhere_ns"] == links["native_code_ns"] == 450
    text = report(tmp_path / "trace")
    bar = re.search(r"(\S+) of 1\.00 µs$", text, re.M).group(1)
    shares = dict(re.findall(r"\S ([A-Z][\w ]*?) ([\d.]+) %", text))
    assert shares == {"Native code": "45.0", "OpenMP work": "25.0", "MPI": "20.0", "MPI waiting": "10.0"}, text
    assert abs(bar.count("▄") - 48 * 0.45) <= 1


def test_every_view_lacks_the_same(tmp_path):
    links = report_json(hybrid(tmp_path / "trace"), "--links")["links"]
    openmp = report_json(tmp_path / "trace", "--openmp")["openmp"]
    assert (openmp["wall_ns"], openmp["elsewhere_ns"]) == (links["wall_ns"], links["elsewhere_ns"])
    assert openmp["recorded_ns"] == 300 and openmp["others_ns"] == 250
    text = report(tmp_path / "trace", "--openmp")
    assert re.search(r"^ *250 ns .*\(imports, other native work\)", text, re.M)
    assert re.search(r"^ *450 ns .*\(nothing recorded\)", text, re.M)
    assert "550 ns of 1.00 µs recorded (55.0 %)" in " ".join(text.split())


def test_python_that_was_not_recorded(tmp_path):
    """A rank of Python of which only MPI was recorded: what is outside is not called native code."""
    trace = made.Trace(tmp_path / "trace", known=("core", "python", "mpi"))
    process = trace.process(70, rank=0)
    process.code(1, "main", "/a/program.py", 1)
    process.path(1, 0, 1, 5)
    call(process.main, 100, 200, "Init", py_path=1)
    call(process.main, 900, 1000, "Finalize", py_path=1)
    trace.write()
    assert report_json(tmp_path / "trace", "--links")["links"]["native_code_ns"] == 0
    shares = dict(re.findall(r"\S ([A-Z][\w ]*?) ([\d.]+) %", report(tmp_path / "trace")))
    assert shares == {"MPI": "20.0", "Not recorded": "80.0"}
