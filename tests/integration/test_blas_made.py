"""What stands out of BLAS, and stays silent below the thresholds: of traces that no program made."""
import json
import subprocess

import pytest

from support import made, places

MS = 1000000


def found(trace, rule, run=""):
    folder = trace.write()
    if run:
        folder = folder.parent
        (folder / "pinsight-run.txt").write_text(run)
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", folder], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    return [row["text"] for row in json.loads(done.stdout)["stands_out"] if row["rule"] == rule]


def blas_trace(folder, calls, each, gap=0, **fields):
    """A program that calls a routine of BLAS from line 7, so often and for so many ns each, with pauses."""
    enums = json.loads((places.ROOT / "src" / "events" / "blas.json").read_text())["enums"]
    numbers = {name: enums[name][fields.pop(name)] for name in ("routine", "type")}
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
    ({}, True), ({"calls": 999}, False), ({"gap": 100000}, False), ({"m": 2000}, False), ({"routine": "gesv"}, False)])
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
