"""A budget for what recording costs (`budget`, PINSIGHT_BUDGET, `pinsight run --budget`)."""
import json
import re
import subprocess

import pytest

from support import places
from support.pythons import pythons

# Small functions and C calls dominate; `hold` and `rare` are few. The program knows its own numbers of calls.
PROGRAM = """
import json, math, sys

class Point:
    def __init__(self, x):
        self.x = x
    def moved(self, by):
        return Point(self.x + by)

def tiny(a):
    return a + 1

def each(n):
    for i in range(n):
        yield i

def rare(k):
    total = 0
    for i in each(3000):
        total += tiny(i) + math.floor(Point(i).moved(1).x)
    return total

def held(k):
    return sum(map(rare, range(k)))

def main():
    return [held(10) for _ in range(30)]

print(sum(main()))
"""
TRUE = {"main": 1, "held": 30, "rare": 300, "tiny": 900_000, "each": 300, "Point.__init__": 1_800_000, "Point.moved": 900_000}


@pytest.fixture
def limited(python):
    if python.mechanism != "sys.monitoring" or not python.has_gil:
        pytest.skip("an interpreter that can be told to report less")
    return python


def calls_of(done):
    return {row["name"]: row for row in done.report("--limit", "0")["functions"] if row["file"].endswith("program.py")}


def check_exact_or_less(rows):
    """What was left out has at most its true number of calls and says so; all else is exact."""
    for name, calls in TRUE.items():
        row = rows[name]
        assert (0 < row["calls"] < calls) if row.get("in_part") else row["calls"] == calls, (name, row)


def test_left_out(limited, run_command, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    alone = run_command(limited.path, tmp_path / "program.py", options=["--events", "none"])
    whole = run_command(limited.path, tmp_path / "program.py")
    done = run_command(limited.path, tmp_path / "program.py", options=["--budget", "10%"])
    assert (done.rc, done.stdout) == (0, alone.stdout), done.stderr
    rows = calls_of(done)
    check_exact_or_less(rows)
    assert {name for name in TRUE if rows[name].get("in_part")} >= {"tiny", "Point.__init__", "Point.moved"}
    assert not any(rows[name].get("in_part") for name in ("main", "held"))
    report = done.report()
    assert report["not_recorded"]["discarded_events"] == report["not_recorded"]["lost_frames"] == 0
    assert {window["cause"] for window in report["windows"]} == {"budget"}
    assert sum(row["calls"] for row in rows.values()) < sum(row["calls"] for row in calls_of(whole).values()) / 5
    assert "budget 10%: " in done.stderr and "in part (≥)" in done.stderr
    assert re.search(r"≥[\d,]+ .*Point\.moved|left out after the first calls", done.stderr)


def callbacks_of(done):
    said = subprocess.run([places.COMMAND, "dump", "--format", "json", done.folder], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    return sum(json.loads(line)["fields"]["callbacks"] for line in said.splitlines() if '"callback_cost"' in line)


def test_the_interpreter_reports_less(newest, run_command, tmp_path):
    """Neither what was left out, nor the calls of Python functions from its places, which are no events."""
    (tmp_path / "program.py").write_text(PROGRAM.replace("range(30)", "range(3)"))
    whole, limited = (run_command(newest.path, tmp_path / "program.py", options=options) for options in ([], ["--budget", "5%"]))
    assert 0 < callbacks_of(limited) < callbacks_of(whole) / 8


def test_the_tree_is_whole(limited, run_command, tmp_path):
    """The time of what was left out counts with its caller; no call is open or lost."""
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(limited.path, tmp_path / "program.py", options=["--budget", "5%"])
    rows = calls_of(done)
    # Not against the time of `main`: a busy machine takes the processor away between two calls, at their events.
    assert rows["rare"]["self_ns"] > rows["rare"]["total_ns"] / 2
    assert sum(row["self_ns"] for row in rows.values()) <= rows["<module>"]["total_ns"] * 1.01


def test_a_large_budget_leaves_nothing_out(newest, run_command, tmp_path):
    # With work in each call, so that recording stays far below ten times the program's time, also in a slow moment.
    text = PROGRAM.replace("range(30)", "range(2)").replace("    return a + 1", "    b = 60\n    while b: b -= 1\n    return a + 1")
    (tmp_path / "program.py").write_text(text)
    done = run_command(newest.path, tmp_path / "program.py", options=["--budget", "1000%"])
    assert not any(row.get("in_part") for row in calls_of(done).values())
    assert calls_of(done)["tiny"]["calls"] == 60_000
    assert "% used" in done.stderr and "in part" not in done.stderr


def test_polymorphic_calls(newest, run_command, tmp_path):
    """Python functions that are called from a place of a left-out C call are recorded as before."""
    (tmp_path / "program.py").write_text("""
def own(x): return x
def call(f, x): return f(x)
for i in range(400_000):
    call(abs, i)
for i in range(50):
    call(own, i)
""")
    done = run_command(newest.path, tmp_path / "program.py", options=["--budget", "5%"])
    assert calls_of(done)["own"]["calls"] == 50


def test_forks_and_threads(newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text("""
import os, threading
def tiny(a): return a
def work():
    for i in range(300_000): tiny(i)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if not (child := os.fork()):
    work()
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    done = run_command(newest.path, tmp_path / "program.py", options=["--budget", "10%"])
    assert (done.rc, done.stdout) == (0, "3\n"), done.stderr
    rows = calls_of(done)
    assert rows["work"]["calls"] == 5 and rows["tiny"]["in_part"] and rows["tiny"]["calls"] < 1_500_000
    assert done.report()["not_recorded"]["lost_frames"] == 0


def test_many_rare_functions(newest, run_command, tmp_path):
    """None is frequent enough to be left out alone: the recording of calls ends, and says so."""
    functions = "".join("def f%d(a): return a\n" % i for i in range(3000))
    calls = "for _ in range(2000):\n" + "".join("    f%d(1)\n" % i for i in range(3000))
    (tmp_path / "program.py").write_text(functions + "def go():\n    " + calls.replace("\n", "\n    ") + "\ngo()\nprint('done')\n")
    done = run_command(newest.path, tmp_path / "program.py", options=["--budget", "1%"])
    assert (done.rc, done.stdout) == (0, "done\n"), done.stderr
    assert done.report()["not_recorded"]["budget_processes"] == 1
    assert "cost more than the budget" in done.stderr


def test_the_environment_and_the_configuration(newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "rules.ini").write_text("[Python]\nbudget = 10%\n")
    done = run_command(newest.path, tmp_path / "program.py", options=["-c", tmp_path / "rules.ini"])
    assert calls_of(done)["tiny"]["in_part"]
    assert {window["rule"].rsplit("/", 1)[-1] for window in done.report()["windows"]} == {"rules.ini:2"}
    done = run_command(newest.path, tmp_path / "program.py", env={"PINSIGHT_BUDGET": "none"}, options=["-c", tmp_path / "rules.ini"])
    assert not any(row.get("in_part") for row in calls_of(done).values())


@pytest.mark.parametrize("value", ["10", "0%", "-5%", "1001%", "ten%", "%", "10,2G"])
def test_bad_values(newest, run_command, tmp_path, value):
    done = run_command(newest.path, "-c", "pass", options=["--budget", value])
    assert done.rc == 2 and "budget takes a percentage from 0.001%% to 1000%% such as 10%%, or none, not '%s'" % value.partition(",")[0] in done.stderr


def test_only_tracing_has_a_budget(newest, run_command):
    done = run_command(newest.path, "-c", "pass", options=["--quick", "--budget", "10%"])
    assert done.rc == 2 and "--budget limits what TRACING costs" in done.stderr


def test_before_monitoring(run_command):
    older = [python for python in pythons() if python.mechanism != "sys.monitoring"]
    if not older:
        pytest.skip("no CPython before 3.12 here")
    done = run_command(older[-1].path, "-c", "print(sum(map(abs, range(10))))", options=["--budget", "10%"])
    assert done.rc == 0 and done.stdout == "45\n"
    assert "budget has no effect in this process: it needs CPython 3.12 or later" in done.stderr


def test_a_size_beside_it(newest, run_command, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_command(newest.path, tmp_path / "program.py", options=["--budget", "1000%,1M"])
    assert done.report()["not_recorded"]["size_limit_processes"] == 1
    done = run_command(newest.path, "-c", "pass", options=["--budget", "10%,much"])
    assert done.rc == 2 and "--budget cannot read 'much' as a size" in done.stderr


def test_a_small_disk_is_not_filled(newest, own_world, tmp_path):
    """Without a size, a tenth of the free space is the limit."""
    (tmp_path / "program.py").write_text(PROGRAM)
    disk = own_world.mount(tmp_path / "disk", "size=20m")
    for options, calls in ([], True), (["--max-size", "0"], False):
        done = own_world.run([places.COMMAND, "run", "-o", disk / "trace", "--force", *options, "--", newest.path, tmp_path / "program.py"])
        said = done.stderr.decode()
        assert ("1 process reached the size limit of 2.00 MiB, a tenth of the free space, and went on" in " ".join(said.split())) == calls, said
        if calls:
            report = json.loads(own_world.run([places.COMMAND, "report", "--format", "json", "--limit", "0", disk / "trace"]).stdout)
            assert {row["name"]: row["calls"] for row in report["functions"]}["tiny"] == TRUE["tiny"]
