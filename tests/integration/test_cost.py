"""What looking cost: callbacks are counted to the last one, and the cost is told from those that were timed."""
import re
import subprocess

import pytest

from support import places

pytestmark = pytest.mark.timed

CALLS = places.PROGRAMS / "cost_calls.py"
N = 3000


def callbacks(result):
    (process,) = result.report()["processes"]
    (domain,) = [domain for domain in process["domains"] if domain["name"] == "Python"]
    return domain


def counted_by_interpreter(python):
    return int(subprocess.run([str(python.path), str(CALLS), str(N), "count"], stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.parametrize("options", [(), ("--mode", "MONITORING"), ("--names", "inline")], ids=["numbers", "counts", "inline"])
def test_callbacks_are_counted(python, options, run_command):
    """Two runs differ by as many callbacks as the interpreter's own tools say."""
    found = []
    for n in (N, 2 * N):
        result = run_command(python.path, CALLS, n, options=options)
        assert result.rc == 0, result.stderr
        found.append(callbacks(result))
    assert found[1]["callbacks"] - found[0]["callbacks"] == counted_by_interpreter(python)
    for domain in found:
        assert domain["callbacks"] / 1100 <= domain["callbacks_timed"] <= domain["callbacks"] / 950 + 1
        assert domain["callbacks_own_ns"] > 0


def test_what_is_excluded_counts_too(newest, run_command):
    """Its callbacks are made, whether anything is recorded or not, unless the interpreter is told to make none."""
    all_of_it, none = (callbacks(run_command(newest.path, CALLS, N, options=("--events", events)))["callbacks"]
                       for events in ("function,c_call", "gil"))
    assert all_of_it > 10 * N > none


def test_a_forked_child_has_its_own(newest, run_command, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import os\ndef work(n):\n    for _ in range(n):\n        len(())\nwork(50000)\nchild = os.fork()\n"
                       "work(2000 if child else 20000)\nif child:\n    os.wait()\n")
    result = run_command(newest.path, program)
    assert result.rc == 0, result.stderr
    parent, child = sorted((process["domains"][0]["callbacks"] for process in result.report()["processes"]), reverse=True)
    assert 104000 <= parent < 120000 and 40000 <= child < 50000


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_the_screen_says_it(python, mode, run_command):
    result = run_command(python.path, CALLS, 40000, options=("--mode", mode), env={"COLUMNS": "120", "LC_ALL": "C.UTF-8"})
    assert result.rc == 0, result.stderr
    told = result.report()["trace"]
    number, unit = re.search(r"looking cost about ([\d.]+) (ms|s)", result.stderr).groups()
    assert float(number) * {"ms": 1e6, "s": 1e9}[unit] == pytest.approx(told["overhead_ns"], rel=0.006)
    assert 0 < told["overhead_ns"] < told["processor_ns"]
    assert callbacks(result)["callbacks_own_ns"] < told["overhead_ns"]


def test_much_stands_out(newest, run_command, tmp_path):
    """Calls of nothing: looking takes longer than they do. Where the program computes, that is not so."""
    program = tmp_path / "program.py"
    program.write_text("import sys\ndef nothing():\n    pass\nif sys.argv[1:]:\n    sum(range(30_000_000))\nelse:\n"
                       "    for _ in range(3_000_000):\n        nothing()\n")
    for arguments, expected in (((), 1), (("compute",), 0)):
        result = run_command(newest.path, program, *arguments)
        assert result.rc == 0, result.stderr
        rows = [row for row in result.report()["stands_out"] if row["rule"] == "overhead"]
        assert len(rows) == expected
        for row in rows:
            assert row["ns"] == result.report()["trace"]["overhead_ns"] and 0.25 <= row["share"] < 1
            assert "--events function" in row["text"]


def test_a_start_and_imports(newest, run_command, tmp_path):
    """A program that does nothing costs little. Imports cost more than their few events."""
    program = tmp_path / "program.py"
    program.write_text("import sys\nif sys.argv[1:]:\n    import asyncio, http.client, xml.dom.minidom, unittest.mock\n")
    nothing, imports = (run_command(newest.path, program, *arguments) for arguments in ((), ("import",)))
    first, later = (result.report()["trace"]["overhead_ns"] for result in (nothing, imports))
    modules = sum(row["count"] for row in imports.report("--imports")["imports"])
    assert 1e6 < first < 7e6 and modules > 50
    own = [callbacks(result)["callbacks_own_ns"] for result in (nothing, imports)]
    assert later - first > 40e3 * (modules - 10) + own[1] - own[0]


def test_without_python_nothing_is_said(run_command):
    result = run_command("/bin/true")
    assert "looking cost" not in result.stderr
