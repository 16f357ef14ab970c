"""What stands out of BLAS, and stays silent below the thresholds: of traces that no program made."""
import json
import os
import subprocess
import sys

import pytest

from support import made, places

sys.path.insert(0, str(places.PACKAGES))
import pinsight  # noqa: E402

MS = 1000000


def found(trace, rule, run=""):
    folder = trace.write()
    if run:
        folder = folder.parent
        (folder / "pinsight-run.txt").write_text(run)
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", folder], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    return [row["text"] for row in json.loads(done.stdout)["stands_out"] if row["rule"] == rule]


def keep_peak(cache, processor, processors=4, **mflops):
    """Writes the file of `pinsight doctor --peak`."""
    number = 14695981039346656037
    for byte in processor.encode():
        number = (number ^ byte) * 1099511628211 % 2 ** 64
    (cache / "pinsight").mkdir(parents=True)
    pairs = [("processor", processor), ("processors", processors)] + [(key + "_mflops", value) for key, value in mflops.items()]
    (cache / "pinsight" / ("peak-%016x.txt" % number)).write_text("".join("%s %s\n" % pair for pair in pairs))


def blas_trace(folder, calls, each, gap=0, **fields):
    """A program that calls a routine of BLAS from line 7, so often and for so many ns each, with pauses."""
    enums = json.loads((places.ROOT / "src" / "events" / "blas.json").read_text())["enums"]
    numbers = {name: enums[name][fields.pop(name)] for name in ("routine", "type")}
    fields.setdefault("batch", 1)
    trace = made.Trace(folder, known=("core", "python", "blas"))
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.path(1, 0, 1, 7)
    thread.python(0, "begin", 1)
    for number in range(calls):
        at = 1000 + number * (each + gap)
        thread.event(at, "blas", "blas_begin", py_path=1, **numbers, **fields)
        thread.event(at + each, "blas", "blas_end")
    thread.python(2000 + calls * (each + gap), "end", 1)
    return trace


PRODUCT = {"routine": "gemm", "type": "d", "m": 16, "n": 16, "k": 16}


@pytest.mark.parametrize("more, stands_out", [
    ({}, True), ({"calls": 999}, False), ({"gap": 100000}, False), ({"m": 2000}, False), ({"routine": "gesv"}, False),
    ({"routine": "gemm_batch_strided", "batch": 64}, False)])
def test_many_small_products(tmp_path, more, stands_out):
    trace = blas_trace(tmp_path / "trace", **{**{"calls": 1000, "each": 2000}, **PRODUCT, **more})
    assert found(trace, "small_products") == stands_out * [
        "app.py:7 makes 1,000 small products (dgemm, 16×16×16): 2.00 ms, 2.00 µs each; numpy.matmul takes a stack of "
        "matrices in one call"]


@pytest.mark.parametrize("more, processors, stands_out", [
    ({}, 4, True), ({}, 1, False), ({"threads": 4}, 4, False), ({"threads": 0}, 4, False), ({"routine": "gemv"}, 4, False),
    ({"each": MS // 2}, 4, False)])
def test_a_product_on_one_thread(tmp_path, more, processors, stands_out):
    trace = blas_trace(tmp_path / "trace", **{**{"calls": 60, "each": 2 * MS, "threads": 1}, **PRODUCT, **more})
    assert found(trace, "one_thread", "ended yes\nprocessors %d\n" % processors) == stands_out * [
        "app.py:7 computes dgemm (16×16×16) on one thread of 4 processors: 120 ms in 60 calls"]


@pytest.mark.parametrize("more, stands_out", [
    ({}, True), ({"calls": 9}, False), ({"m": 99, "n": 99}, False), ({"routine": "getrs"}, False), ({"gap": 20 * MS}, False)])
def test_the_same_factors(tmp_path, more, stands_out):
    trace = blas_trace(tmp_path / "trace", **{**{"calls": 10, "each": MS}, **PRODUCT, "routine": "gesv", "m": 300, "n": 300, "k": 1, **more})
    assert found(trace, "same_factors") == stands_out * [
        "app.py:7 factorises a matrix of 300×300 10 times (dgesv): 10.0 ms; if it is the same one, its factors can be kept "
        "(scipy.linalg.lu_factor)"]


def nested_trace(folder, size=30, product=10):
    """dgesv of 10 ms from line 7, 1000 times; in each, two products of 4 and 3 ms, which make no other."""
    enums = json.loads((places.ROOT / "src" / "events" / "blas.json").read_text())["enums"]
    trace = made.Trace(folder, known=("core", "python", "blas"))
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.path(1, 0, 1, 7)
    thread.python(0, "begin", 1)
    for number in range(1000):
        at = 1000 + 10 * MS * number
        thread.event(at, "blas", "blas_begin", py_path=1, routine=enums["routine"]["gesv"], type=1, m=size, n=size, k=1, batch=1)
        for begin, length in ((at + MS, 4 * MS), (at + 6 * MS, 3 * MS)):
            thread.event(begin, "blas", "blas_begin", py_path=1, routine=enums["routine"]["gemm"], type=1, m=product, n=product, k=product, batch=1)
            thread.event(begin + length, "blas", "blas_end")
        thread.event(at + 10 * MS, "blas", "blas_end")
    thread.python(2000 + 10 * MS * 1000, "end", 1)
    return trace


def test_nested_calls_count_once(tmp_path):
    """Own times, the operations of the outer calls alone in sums, and nothing that the user could batch."""
    folder = nested_trace(tmp_path / "trace").write()
    report = {option: json.loads(subprocess.run([places.COMMAND, "report", "--format", "json", "--" + option, folder], stdout=subprocess.PIPE,
                                                encoding="utf-8", check=True).stdout)[option] for option in ("blas", "links")}
    keys = ("calls", "nested_calls", "total_ns", "self_ns", "operations")
    solve = 2 / 3 * 30 ** 3 + 2 * 30 ** 2
    expected = {"dgesv": (1000, 0, 10000 * MS, 3000 * MS, 1000 * solve), "dgemm": (2000, 2000, 7000 * MS, 7000 * MS, 2000 * 2000)}
    for table in ("routines", "lines", "size_classes"):
        assert {row["routine"]: tuple(row[key] for key in keys) for row in report["blas"][table]} == \
            {name: pytest.approx(values) for name, values in expected.items()}, table
    row, = report["links"]["lines"]
    assert row["blas"]["wall_ns"] == row["blas"]["thread_ns"] == 10000 * MS
    assert not found(nested_trace(tmp_path / "again"), "small_products")
    # 1.8e10 operations in each outer call, and 4e9 in those within it.
    folder = nested_trace(tmp_path / "large" / "trace", 3000, 1000).write().parent
    (folder / "pinsight-run.txt").write_text("ended yes\n")
    text = subprocess.run([places.COMMAND, "top", folder], stdout=subprocess.PIPE, encoding="utf-8", check=True, timeout=60,
                          env=dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8")).stdout
    assert "BLAS 10.0 s in 3,000 calls, 1801.8 GFLOP/s: dgesv /home/u/app.py:7 10.0 s\n" in text, text


PEAK = {"double_one": 1000, "double_all": 3500, "single_one": 2000, "single_all": 8000}


def report_blas(tmp_path, run, *words, **fields):
    """The part of BLAS in a report of ten products of 100 x 100 x 100 in 4 ms each, of 0.5 GFLOP/s."""
    product = dict(PRODUCT, m=100, n=100, k=100, **fields)
    folder = blas_trace(tmp_path / "trace", calls=10, each=4 * MS, **product).write().parent
    (folder / "pinsight-run.txt").write_text("ended yes\n" + run)
    return subprocess.run([places.COMMAND, "report", "--blas", *words, folder], stdout=subprocess.PIPE, encoding="utf-8", check=True,
                          env=dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"), COLUMNS="80")).stdout


@pytest.mark.parametrize("fields, share", [
    ({"threads": 1}, 0.5), ({"threads": 2}, 0.25), ({"threads": 4}, 0.5 / 3.5), ({"threads": 0}, 0.5 / 3.5), ({"threads": 1, "type": "s"}, 0.25),
    ({"threads": 1, "type": "z"}, 2.0)])
def test_the_share_of_the_peak(tmp_path, fields, share):
    """It is that of the threads which a call may use, and of its precision."""
    keep_peak(tmp_path / "cache", "Example 9000", **PEAK)
    run = "processor Example 9000\n"
    blas = json.loads(report_blas(tmp_path, run, "--format", "json", **fields))["blas"]
    for table in ("routines", "lines", "size_classes", "libraries"):
        assert all(row["peak_share"] == pytest.approx(share, rel=1e-3) for row in blas[table]), table
    assert blas["peak"] == {"processor": "Example 9000", "processors": 4, "double_one_gflops": 1, "double_all_gflops": 3.5,
                            "single_one_gflops": 2, "single_all_gflops": 8}
    text = report_blas(tmp_path, run, **fields)
    assert "% of peak" in text and " %.1f  " % (100 * share) in text.replace(" 200  ", " 200.0  "), text
    assert ("More than 100 %" in text) == (share > 1), text
    assert "No peak is known" not in text and max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("run, sentence", [
    ("processor Example 8000\n", "No peak is known of the processor of this trace (Example 8000): `pinsight doctor --peak` measures it on that machine."),
    ("", "No peak is known: the trace does not say on which processor it was recorded.")])
def test_no_peak_is_known(tmp_path, run, sentence):
    keep_peak(tmp_path / "cache", "Example 9000", **PEAK)
    text = report_blas(tmp_path, run, threads=1)
    assert sentence in " ".join(text.split()) and "of peak" not in text, text
    blas = json.loads(report_blas(tmp_path, run, "--format", "json", threads=1))["blas"]
    assert blas["peak"] is None and blas["routines"][0]["peak_share"] is None


def test_the_peak_of_this_machine(tmp_path, run_command, newest):
    """A recorded run names the processor that `pinsight doctor --peak` measures."""
    done = run_command(newest.path, "-c", "pass", options=["--no-summary"])
    run = dict(line.split(" ", 1) for line in (done.folder / "pinsight-run.txt").read_text().splitlines())
    assert run["processor"]
    text = report_blas(tmp_path, "processor %s\n" % run["processor"])
    assert "No peak is known of this processor" in text
    keep_peak(tmp_path / "cache", run["processor"], **PEAK)
    assert "% of peak" in report_blas(tmp_path, "processor %s\n" % run["processor"])


def test_tables_of_data(tmp_path):
    """Calls are in the tables that programs and `pinsight sql` read, with their times and their place."""
    folder = blas_trace(tmp_path / "trace", calls=3, each=2000, gap=500, **PRODUCT).write()
    trace = pinsight.open(folder)
    rows = {name: [dict(zip((column.name for column in table.columns), row)) for row in table.rows()]
            for name, table in (("slices", trace.slices), ("calls", trace.calls), ("tree", trace.context_tree))}
    slices = [row for row in rows["slices"] if row["category"] == "blas"]
    assert [(row["name"], row["begin_ns"], row["duration_ns"], row["self_ns"], row["depth"], row["cut"]) for row in slices] == [
        ("dgemm", made.ns(1000 + 2500 * number), 2000, 2000, 1, False) for number in range(3)]
    assert {(row["file"], row["line"]) for row in slices} == {("/home/u/app.py", 7)}
    calls = [row for row in rows["calls"] if row["kind"] == "blas"]
    assert [(row["function"], row["duration_ns"]) for row in calls] == [("dgemm", 2000)] * 3
    node, = (row for row in rows["tree"] if row["kind"] == "blas")
    assert (node["function"], node["calls"], node["total_ns"]) == ("dgemm", 3, 6000)


@pytest.mark.parametrize("callee, outside, stands_out", [
    ("numpy.matmul", 600000, True), ("numpy.matmul", 90000, False), ("numpy.matmul", 150000, False), ("numpy.linalg.svd", 600000, False)])
def test_copied_operands(callee, outside, stands_out, tmp_path):
    """A product whose C call runs so many ns outside of BLAS, and 1 ms in it."""
    trace = made.Trace(tmp_path / "trace", known=("core", "python", "blas"))
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.path(1, 0, 1, 7)
    thread.python(0, "begin", 1)
    call = dict(caller_qualname="main", callee_name=callee, caller_filename="/home/u/app.py", caller_lineno=7, code_id=1, python_thread_id=0)
    for number in range(20):
        at = 1000 + 2 * MS * number
        thread.event(at, "python", "c_call_begin", **call)
        thread.event(at + outside, "blas", "blas_begin", py_path=1, routine=0, type=1, m=500, n=300, k=400, batch=1)
        thread.event(at + outside + MS, "blas", "blas_end")
        thread.event(at + outside + MS, "python", "c_call_end", **call)
    thread.python(42 * MS, "end", 1)
    assert found(trace, "copied_operands") == stands_out * [
        "app.py:7 spends 38 % of its 32.0 ms in numpy.matmul outside of BLAS (dgemm, 500×300×400): operands that are strided, or of "
        "another type, are copied in each call; numpy.ascontiguousarray copies once"]
