"""What `pinsight report` and `pinsight dump` say of OpenMP, in traces whose events are written down here."""
import csv
import io
import json
import os
import re
import subprocess

import pytest

from support import places

from test_golden import compare, normalised
from test_report_control import report, report_json

pytestmark = pytest.mark.timed

LINALG = "/usr/lib/python3/dist-packages/numpy/linalg/linalg.py"
APP = "/home/me/heat/app.py"
PYTHON = """
process 0 python3%20app.py
thread 0 0 0 MainThread
domain 0 Python CPython%203.12.1 sys.monitoring
"""
START = PYTHON + f"""
domain 0 OpenMP LLVM%20libomp OMPT
code 1 1 main {APP} 3 app
code 2 2 solve {LINALG} 320 numpy.linalg
code 3 3 fit {APP} 50 app
callee 1 numpy.linalg.gufunc numpy
path 1 0 1 12
path 2 1 2 409
path 3 1 3 55
native 0 1 0x1000 /usr/lib/libblas.so.3 0x4010 exec_blas
native 0 2 0x3000 /home/me/heat/libheat.so 0x1234
"""


def dump_json(folder, *options):
    return [json.loads(line) for line in subprocess.run(
        [places.COMMAND, "dump", "trace", "--format", "json", *options], cwd=folder, stdout=subprocess.PIPE,
        check=True).stdout.splitlines()]


def times_of(folder):
    """at(event, thread, region): when that was, in nanoseconds; also where it was told with another in one."""
    also = {"barrier_implicit_sync_begin": "barrier_implicit_begin", "implicit_task_begin": "implicit_task_next"}
    times = {}
    for event in dump_json(folder):
        fields = event.get("fields", {})
        if "global_thread_num" in fields:
            key = event["event"], fields["global_thread_num"], fields.get("parallel_id")
            times.setdefault(key, event["time_ns"])
    return lambda *key: times[key] if key in times else times[(also[key[0]], *key[1:])]


def region(number, address, path, work):
    """A region of two threads that work for so many microseconds each, the second for longer."""
    first, second = work
    return f"""
@0 pb {number} 100 {address} {path}
@0 ib {number} {number}1 2
@1 ib {number} {number}2 2
sleep {first}
@0 bb {number} 2
sleep {second - first}
@1 bb {number} 2
@0 be {number} 2
@0 ie {number} {number}1
@0 pe {number}
@1 be {number} 2
@1 ie {number} {number}2
"""


def in_one(script):
    """The same, as other threads than the first tell it: with the barrier's wait, and with the next part's begin."""
    lines = script.splitlines()
    script = "\n".join(line for line in lines if not line.startswith(("@1 be", "@1 ie"))).replace("@1 bb", "@1 jb")
    head, begin, rest = script.partition("@1 ib")
    return head + begin + rest.replace("@1 ib", "@1 in")


TRACE = f"""
fb main {APP} 3 1 0 0
@0 tb 1
@1 tb 2
sleep 30000
fb solve {LINALG} 320 2 0 0
cb solve numpy.linalg.gufunc {LINALG} 409 2 0
""" + region(1, "0x1000", 2, (20000, 40000)) + f"""
sleep 5000
ce solve numpy.linalg.gufunc {LINALG} 409 2 0 0
fe solve {LINALG} 320 2 0 0
fb fit {APP} 50 3 0 0
""" + region(2, "0x3000", 3, (5000, 6000)) + f"""
fe fit {APP} 50 3 0 0
window 0 OpenMP 2 1 exec_blas /usr/lib/libblas.so.3 0 200 50 0 /home/me/hpc.ini:20 STANDBY
profile 0 0 0 2 1 exec_blas /usr/lib/libblas.so.3 0 150 3000000 3000000
fe main {APP} 3 1 0 0
totals 0 OpenMP 0 0 0 0 0
totals 0 Python 0 0 0 0 0
"""


@pytest.mark.parametrize("told", [str, in_one])
def test_regions(record, told):
    folder = record(told(TRACE))
    told, at = report_json(folder, "--openmp"), times_of(folder)
    by_line = {row["python_line"]: row for row in told["regions"] if row["python_line"]}
    solve, fit = by_line[12], by_line[55]
    assert (solve["name"], solve["object"], solve["kind"]) == ("exec_blas", "/usr/lib/libblas.so.3", "parallel")
    assert (solve["python_function"], solve["python_file"]) == ("main", APP)
    assert solve["python_path"] == [{"function": "main", "file": APP, "line": 12},
                                    {"function": "solve", "file": LINALG, "line": 409}]
    assert (fit["python_function"], [frame["line"] for frame in fit["python_path"]]) == ("fit", [12, 55])
    assert solve["lexgion"] == "OpenMP:/usr/lib/libblas.so.3+0x4010"
    for number, row in ((1, solve), (2, fit)):
        begin, end = at("parallel_begin", 0, number), at("parallel_end", 0, number)
        arrived = [at("barrier_implicit_sync_begin", thread, number) for thread in (0, 1)]
        work = [arrived[thread] - at("implicit_task_begin", thread, number) for thread in (0, 1)]
        left = at("barrier_implicit_sync_end", 0, number)
        assert (row["calls"], row["threads"], row["measured_calls"]) == (1, 2, 1)
        assert row["total_ns"] == row["min_ns"] == row["max_ns"] == end - begin
        assert row["thread_work_ns"] == work and row["work_ns"] == sum(work)
        assert row["imbalance"] == pytest.approx(max(work) / (sum(work) / 2), abs=1e-3)
        assert row["imbalance_ns"] == row["wait_ns"]["implicit_barrier"] == (left - arrived[0]) + (end - arrived[1])
        assert row["fork_ns"] == at("implicit_task_begin", 0, number) - begin and row["join_ns"] == end - left
        assert row["caller"] == {"calls": 1, "total_ns": end - begin, "work_ns": work[0], "waiting_ns": 0,
                                 "imbalance_ns": left - arrived[0], "runtime_ns": row["fork_ns"] + row["join_ns"]}
    counted = [row for row in told["regions"] if row["counted_calls"]]
    assert [(row["name"], row["calls"], row["counted_total_ns"]) for row in counted] == [("exec_blas", 150, 3000000)]
    assert (told["windows"][0]["kind"], told["windows"][0]["name"]) == ("region", "exec_blas")


def test_functions_add_up(record):
    told = report_json(record(TRACE))
    openmp = told["openmp"]
    rows = {row["name"]: row for row in openmp["functions"]}
    assert sum(row["all_ns"] for row in openmp["functions"]) == openmp["recorded_ns"]
    assert openmp["recorded_ns"] + openmp["elsewhere_ns"] == openmp["wall_ns"] <= told["trace"]["duration_ns"]
    main = next(row for row in told["functions"] if row["name"] == "main")
    assert openmp["recorded_ns"] == main["total_ns"]
    for row in openmp["functions"]:
        assert row["all_ns"] == row["python_ns"] + row["c_ns"] + row["regions"]["total_ns"]
    assert rows["main"]["regions"]["calls"] == rows["fit"]["regions"]["calls"] == 1
    assert rows["solve"]["regions"]["calls"] == 0
    call, = told["c_calls"]
    assert rows["solve"]["c_ns"] == call["self_ns"] - rows["main"]["regions"]["total_ns"] > 0


@pytest.mark.parametrize("limit, shown, others", [(0, ["main", "fit"], 1), (1, ["main"], 2), (2, ["main", "fit"], 1)])
def test_functions_beyond_the_limit_share_a_line(limit, shown, others, record):
    text, _ = report(record(TRACE), "--openmp", "--limit", str(limit))
    table = text.split("with the regions that they caused")[1].split("\n\n")[0]
    assert re.findall(r" (main|fit|solve) ", table) == shown, table
    assert "(%d other function%s)" % (others, "s"[:others - 1]) in table


def test_threads(record):
    folder = record(TRACE)
    main, worker = report_json(folder)["threads"]
    assert (main["python_thread_id"], worker["python_thread_id"]) == (0, -1)
    assert (main["openmp"]["global_thread_num"], main["openmp"]["type"]) == (0, "initial")
    assert (worker["openmp"]["global_thread_num"], worker["openmp"]["type"]) == (1, "worker")
    assert (worker["openmp"]["omp_thread_num_min"], worker["openmp"]["regions"]) == (1, 2)
    assert worker["openmp"]["work_ns"] == sum(row["thread_work_ns"][1] for row in report_json(folder)["regions"]
                                              if row["thread_work_ns"])


@pytest.mark.alone
@pytest.mark.parametrize("name, options", [("openmp", ["--openmp"]), ("openmp-report", [])])
def test_screens(record, name, options):
    folder = record(TRACE)

    def screen():
        text = normalised(report(folder, *options)[0], "python3", str(folder))
        return re.sub(r"tid \d+", "tid N", text).replace("recorded (100 %)", "recorded (SHARE %)")
    compare(name, screen)


def test_whole_paths(record):
    text, _ = report(record(TRACE), "--openmp", "--tree")
    lines = [line.split() for line in text.splitlines()]
    first = next(i for i, line in enumerate(lines) if "exec_blas," in line)
    assert lines[first][2:] == ["exec_blas,", "libblas.so.3:", "1", "call"]
    assert [line[:-1] for line in lines[first + 1:first + 3]] == [["→", "main"], ["solve"]]
    assert lines[first + 2][-1].endswith("numpy/linalg/linalg.py:409")


def test_csv(record):
    folder = record(TRACE)
    table = list(csv.DictReader(io.StringIO(report(folder, "--openmp", "--format", "csv")[0])))
    rows = report_json(folder)["regions"]
    assert [(row["name"], int(row["total_ns"]), int(row["wait_implicit_barrier_ns"])) for row in table] == [
        (row["name"], row["total_ns"], row["wait_ns"]["implicit_barrier"]) for row in rows]
    assert [row["python_line"] for row in table] == [str(row["python_line"] or "") for row in rows]


def test_no_openmp(record):
    folder = record("fb f a.py 1 1 0 0\nfe f a.py 1 1 0 0\n", PYTHON)
    text, _ = report(folder, "--openmp")
    text = text.replace("\n   ", " ")
    assert "No OpenMP was recorded" in text and "--domains python,openmp" in text
    told, said = report(folder, "--openmp", "--format", "json")
    assert json.loads(told)["regions"] == [] and "No OpenMP was recorded" in said
    assert "regions" not in report_json(folder)
    done = subprocess.run([places.COMMAND, "report", "trace", "--openmp", "--by", "module"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"--openmp does not go with --by" in done.stderr


def test_dump(record):
    folder = record(TRACE)
    env = dict(os.environ, HOME="/home/nobody")
    lines = subprocess.run([places.COMMAND, "dump", "trace"], cwd=folder, stdout=subprocess.PIPE, check=True,
                           env=env, encoding="utf-8").stdout.splitlines()

    def one(*words):
        found = [line for line in lines if all(word in line for word in words)]
        assert found, words
        return found[0]
    one(":0  parallel_begin", "parallel_id=1 ", "parallel_codeptr=exec_blas (libblas.so.3)", f"py_path=main ({APP}:12)")
    one(":omp1  implicit_task_begin", "parallel_id=1 ", "team_size=2")
    one(":omp1  thread_begin", "thread_type=worker")
    one("path_info", "path=2 parent=1 code=2", "solve", "linalg.py:409")
    begins = [event for event in dump_json(folder, "--thread", "0") if event["event"] == "parallel_begin"]
    assert [(event["region"], event["python_function"], event["python_line"]) for event in begins] == [
        ("exec_blas (libblas.so.3)", "main", 12), ("libheat.so+0x1234", "fit", 55)]


def test_a_program_that_ends_in_a_region(record):
    """What is open when the trace ends lasts until there; a worker that is never told to leave is no loss."""
    folder = record("""
@0 pb 1 100 0x1000 0
@0 ib 1 11 2
@1 ib 1 12 2
sleep 5000
@1 bb 1 9
sleep 5000
@0 cr 1
""")
    told, at = report_json(folder), times_of(folder)
    row, = told["regions"]
    end = at("critical_released", 0, 1)
    assert (row["calls"], row["python_function"], row["python_path"]) == (1, None, [])
    assert row["total_ns"] == end - at("parallel_begin", 0, 1)
    assert row["thread_work_ns"] == [end - at("implicit_task_begin", 0, 1),
                                     at("barrier_implicit_sync_begin", 1, 1) - at("implicit_task_begin", 1, 1)]
    assert told["not_recorded"]["open_at_end"] == 1
    assert told["openmp"]["functions"][0]["name"] is None


def test_tasks_and_criticals(record):
    """A task that a thread runs in the last barrier is work, without what it waited itself."""
    folder = record("""
@0 pb 1 100 0x1000 1
@0 ib 1 11 2
@1 ib 1 12 2
@1 bb 1 9
@0 tc 1 11 50 1
sleep 3000
@1 ts 1 12 50 7
sleep 10000
@1 ca 1
sleep 4000
@1 ch 1
@1 cr 1
@1 ts 1 50 12 1
@0 bb 1 9
@0 be 1 9
@0 ie 1 11
@0 pe 1
""")
    at = times_of(folder)
    row, = report_json(folder)["regions"]
    began = at("task_schedule", 1, 1)
    ended = max(event["time_ns"] for event in dump_json(folder) if event["event"] == "task_schedule")
    critical = at("critical_acquired", 1, 1) - at("critical_acquire", 1, 1)
    arrived = at("barrier_implicit_sync_begin", 1, 1)
    assert row["tasks"] == 1 and row["wait_ns"]["critical"] == critical
    assert row["thread_work_ns"][1] == arrived - at("implicit_task_begin", 1, 1) + ended - began - critical
    assert row["imbalance_ns"] == (began - arrived) + (at("parallel_end", 0, 1) - ended) + (
        at("barrier_implicit_sync_end", 0, 1) - at("barrier_implicit_sync_begin", 0, 1))
