"""Windows and modes of the regions and marks that a program names. The oracle is the program, which counts them itself."""
import collections
import json
import re
import subprocess

import pytest

from support import native, places, screen
from support.windows import Window, takes

# It names regions and marks in two threads, and writes how often it did.
PROGRAM = """
import collections, json, sys, threading, time
import pinsight

counts, lock = collections.Counter(), threading.Lock()

def region(name):
    with lock:
        counts["region " + name] += 1
    return pinsight.region(name)

def mark(name, *value):
    with lock:
        counts[("value " if value else "mark ") + name] += 1
    pinsight.mark(name, *value)

def recurse(depth):
    with region("recursing"):
        if depth:
            recurse(depth - 1)

def work(times):
    for step in range(times):
        with region("assembly"), region("step %d" % (step % 2)):
            with region("late"):
                pass
        with region("counted"):
            with region("quiet"):
                pass
        with region("free"):
            mark("converged")
            mark("residual", 1 / (step + 1))
        recurse(2)

threads = [threading.Thread(target=work, args=(60,)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
json.dump(counts, sys.stdout)
"""

CONFIG = """
[Lexgion(User:assembly)]
    max_num_traces = 3
[Lexgion(User:step *)]
    tracing_rate = 7
[Lexgion(User:late)]
    trace_starts_at = 100
[Lexgion(User:quiet)]
    max_num_traces = 0
[Lexgion(User:counted)]
    max_num_traces = 2
    trace_mode_after = MONITORING
[Lexgion(User:recursing)]
    tracing_rate = 2
[Lexgion(User:converged)]
    max_num_traces = 1
[Lexgion(User:resid*)]
    tracing_rate = 50
"""

WINDOWS = {"region assembly": Window(0, 1, 3), "region step 0": Window(0, 7), "region step 1": Window(0, 7), "region late": Window(100, 1),
           "region quiet": Window(0, 1, 0), "region counted": Window(0, 1, 2), "region recursing": Window(0, 2), "region free": Window(0, 1),
           "mark converged": Window(0, 1, 1), "value residual": Window(0, 50)}


def expected(window, count):
    """How many of so many executions are recorded."""
    return sum(takes(window, execution) for execution in range(count))


def events(folder):
    """The events of regions and marks, as ("begin", name, thread)."""
    done = subprocess.run([places.COMMAND, "dump", "-q", "--format", "json", str(folder)], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    for line in done.stdout.splitlines():
        event = json.loads(line)
        kind = event["event"].split(":")[-1]
        if kind in ("region_begin", "region_end", "mark", "value"):
            yield kind, event["fields"]["name"], event["fields"]["python_thread_id"]


def rows(traced, *options):
    return {"%s %s" % (row["kind"], row["name"]): row for row in traced.report("--marked", *options)["marked"]}


def assert_nested(folder):
    """Each end belongs to a begin in its thread, and each begin has an end."""
    opened = collections.Counter()
    for kind, name, thread in events(folder):
        if kind in ("region_begin", "region_end"):
            opened[name, thread] += 1 if kind == "region_begin" else -1
            assert opened[name, thread] >= 0, name
    assert not any(opened.values()), opened


def configured(folder, text):
    (folder / "user.ini").write_text(text)
    return ["-c", str(folder / "user.ini")]


def test_windows(python, run_traced, tmp_path):
    traced = run_traced(python, PROGRAM, *configured(tmp_path, CONFIG), file="marks.py")
    counts = json.loads(traced.stdout)
    assert set(counts) == set(WINDOWS)
    found = collections.Counter("%s %s" % (kind.replace("_begin", ""), name) for kind, name, _ in events(traced.folder) if kind != "region_end")
    assert found == {key: expected(WINDOWS[key], counts[key]) for key in counts if expected(WINDOWS[key], counts[key])}
    assert_nested(traced.folder)
    shown = rows(traced)
    assert set(shown) == set(counts)
    for key, row in shown.items():
        assert row["recorded"] == found[key], key
        assert row["recorded"] + row["counted"] + row["outside"] == counts[key], key
        assert (row["counted"] > 0) == (key == "region counted"), key
    report = traced.report("--marked")
    assert report["not_recorded"]["outside_windows"] == sum(row["outside"] for row in shown.values())
    text = traced.report_text("--marked")
    assert "\nRegions and marks" in text and "outside" in text and "counted" in text, text
    assert "were seen outside their windows and not recorded" in " ".join(text.split())


@pytest.mark.parametrize("names", ["region", "mark", "value"])
def test_kinds(names, newest, run_traced, tmp_path):
    """Exactly the kinds that `events` lists."""
    traced = run_traced(newest, PROGRAM, *configured(tmp_path, "[User]\nevents = %s\n" % names), file="marks.py")
    counts = json.loads(traced.stdout)
    assert {key: row["recorded"] for key, row in rows(traced).items()} == {key: count for key, count in counts.items() if key.startswith(names)}


TIMED = """
import json, sys, time
import pinsight

inside, outside, counts = {}, {}, {}

def timed(name, seconds, inner=None):
    before = time.perf_counter_ns()
    with pinsight.region(name):
        begun = time.perf_counter_ns()
        time.sleep(seconds)
        if inner:
            inner()
        ended = time.perf_counter_ns()
    after = time.perf_counter_ns()
    inside[name] = inside.get(name, 0) + ended - begun
    outside[name] = outside.get(name, 0) + after - before
    counts[name] = counts.get(name, 0) + 1

for _ in range(20):
    timed("outer", 0.001, lambda: timed("inner", 0.002))
for _ in range(7):
    timed("alone", 0.001)
    pinsight.mark("moment")
json.dump([counts, inside, outside], sys.stdout)
"""


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_times(mode, python, run_traced):
    """The number is the program's own, and the time lies between what it measured within and around."""
    traced = run_traced(python, TIMED, "--mode", mode, file="timed.py")
    counts, inside, outside = json.loads(traced.stdout)
    shown = rows(traced)
    for name, count in counts.items():
        row = shown["region " + name]
        assert (row["counted"] if mode == "MONITORING" else row["recorded"]) == count
        assert row["counted"] + row["recorded"] == count and row["outside"] == 0
        assert inside[name] <= row["total_ns"] <= outside[name], name
        assert row["mean_ns"] <= row["max_ns"] <= row["total_ns"], name
    moment = shown["mark moment"]
    assert moment["recorded"] + moment["counted"] == 7 and moment["total_ns"] is None
    assert any(True for _ in events(traced.folder)) == (mode == "TRACING")
    assert "Regions and marks" in traced.report_text("--marked")
    assert "Regions and marks" in traced.report_text()
    (line,) = re.findall("^Regions: .*$", traced.stderr, re.MULTILINE)
    told = re.findall(r"(\w+) ([\d.]+ \S+) \((\d+) × ([\d.]+ \S+)\)", line)
    longest = sorted(counts, key=lambda name: -shown["region " + name]["total_ns"])
    assert [(name, int(number)) for name, _, number, _ in told] == [(name, counts[name]) for name in longest][:len(told)]
    assert len(told) == len(counts) or line.endswith(" · %d more" % (len(counts) - len(told))), line
    for name, total, _, mean in told:
        row = shown["region " + name]
        assert screen.is_shown_as(total, row["total_ns"]) and screen.is_shown_as(mean, row["mean_ns"]), line



CHANGES = """
import pinsight
def times(count, name="part"):
    for _ in range(count):
        with pinsight.region(name):
            pass
times(3)
pinsight.set_mode("User", "MONITORING")
times(5)
with pinsight.region("across"):
    pinsight.set_mode("User", "STANDBY")
    times(7)
    print(pinsight.get_mode("User"))
with pinsight.region("unseen"):
    pinsight.set_mode("user", "TRACING")
    times(11)
with pinsight.region("whole"):
    pinsight.set_mode("User", "OFF")
times(13)
"""


def test_modes_of_a_running_program(python, run_traced):
    traced = run_traced(python, CHANGES, file="changes.py")
    assert traced.stdout == "STANDBY\n"
    shown = rows(traced)
    assert (shown["region part"]["recorded"], shown["region part"]["counted"]) == (3 + 11, 5)
    assert (shown["region across"]["recorded"], shown["region across"]["counted"]) == (0, 1)
    assert (shown["region whole"]["recorded"], shown["region whole"]["counted"]) == (1, 0)
    assert "region unseen" not in shown
    assert_nested(traced.folder)


def test_a_mode_before_the_first_region(newest, run_traced):
    traced = run_traced(newest, "import pinsight\npinsight.set_mode('User', 'STANDBY')\nwith pinsight.region('r'):\n    pinsight.mark('m')\n",
                        file="before.py")
    assert not rows(traced)


ORDERED = """
import os, subprocess, sys
import pinsight
def times(count):
    for _ in range(count):
        with pinsight.region("part"):
            pass
def order(*words):
    subprocess.run([sys.argv[1], "ctl", str(os.getpid()), *words], check=True, stdout=sys.stderr)
times(10)
with open(sys.argv[2], "w") as file:
    file.write("[Lexgion(User:part)]\\nmax_num_traces = 3\\n")
with pinsight.region("across"):
    order("reload")
times(20)
order("mode", "User=STANDBY")
times(30)
order("mode", "User=MONITORING")
times(40)
pinsight.set_mode("User", "TRACING")
times(50)
"""


def test_orders_from_outside(one_of_each, run_traced, tmp_path):
    """A reload limits the regions of a running program, and windows begin anew in TRACING."""
    traced = run_traced(one_of_each, ORDERED, *configured(tmp_path, ""), file="ordered.py", arguments=(str(places.COMMAND), str(tmp_path / "user.ini")))
    shown = rows(traced)
    assert (shown["region part"]["recorded"], shown["region part"]["counted"], shown["region part"]["outside"]) == (10 + 3 + 3, 40, 17 + 47)
    assert shown["region across"]["recorded"] == 1
    assert_nested(traced.folder)


KILLED = """
import os, signal, pinsight
for _ in range(50):
    with pinsight.region("outer"):
        with pinsight.region("inner"):
            pinsight.mark("moment")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_keeps_its_counts(one_of_each, run_traced):
    shown = rows(run_traced(one_of_each, KILLED, "--mode", "MONITORING", file="killed.py", rc=None))
    assert {key: row["counted"] for key, row in shown.items()} == {"region outer": 50, "region inner": 50, "mark moment": 50}
    assert shown["region outer"]["total_ns"] > shown["region inner"]["total_ns"] > 0


OVERLAPPING = """
import asyncio, pinsight
@pinsight.region("task")
async def task(number):
    for _ in range(number % 5):
        await asyncio.sleep(0)
    with pinsight.region("inner"):
        await asyncio.sleep(0)
async def main():
    await asyncio.gather(*map(task, range(100)))
asyncio.run(main())
"""


def test_overlapping_regions(newest, run_traced, tmp_path):
    traced = run_traced(newest, OVERLAPPING, *configured(tmp_path, "[Lexgion(User:task)]\ntracing_rate = 4\n[Lexgion(User:inner)]\nmax_num_traces = 60\n"), file="tasks.py")
    shown = rows(traced)
    assert (shown["region task"]["recorded"], shown["region task"]["outside"]) == (25, 75)
    assert (shown["region inner"]["recorded"], shown["region inner"]["outside"]) == (60, 40)
    found = collections.Counter((kind, name) for kind, name, _ in events(traced.folder))
    assert found["region_end", "inner"] == 60 and found["region_end", "task"] == 25


FORKED = """
import os, pinsight
def times(count):
    for _ in range(count):
        with pinsight.region("part"):
            pass
times(5)
with pinsight.region("part"):
    pid = os.fork()
    times(7)
    if not pid:
        os._exit(0)
os.waitpid(pid, 0)
"""


def test_a_forked_child_counts_for_itself(python, run_traced, tmp_path):
    traced = run_traced(python, FORKED, *configured(tmp_path, "[Lexgion(User:part)]\nmax_num_traces = 3\n"), file="forked.py")
    row = rows(traced)["region part"]
    assert row["recorded"] == 3 + 3 and row["outside"] == 5 + 1 + 7 - 3 + 7 - 3


SOURCE = """
#include <pinsight/pinsight.h>
#include <stdio.h>
int main(void) {
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "step %d", i % 3); /* one buffer has all names */
        pinsight_region_begin(name);
        pinsight_region_begin("inner");
        pinsight_mark("moment");
        pinsight_region_end("inner");
        pinsight_region_end(name);
    }
    return 0;
}
"""


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_from_c(mode, run_command, tmp_path):
    (tmp_path / "step.c").write_text(SOURCE)
    library = places.BUILD / "lib" / "pinsight"
    subprocess.run([native.COMPILER, "-I", places.ROOT / "include", "-o", tmp_path / "step", tmp_path / "step.c",
                    "-L", library, "-l:libpinsight.so.0", "-Wl,-rpath,%s" % library], check=True)
    text = "[Lexgion(User:step 1)]\nmax_num_traces = 10\n[Lexgion(User:moment)]\ntracing_rate = 100\n"
    result = run_command(tmp_path / "step", options=[*configured(tmp_path, text), "--mode", mode])
    assert result.rc == 0, result.stderr
    shown = {key: (row["recorded"], row["counted"], row["outside"]) for key, row in rows(result).items()}
    counted = mode == "MONITORING"
    assert "Regions and marks" in result.stderr and "Python functions" not in result.stderr  # the first screen
    assert shown == {"region step 0": (0, 334, 0) if counted else (334, 0, 0), "region step 1": (0, 333, 0) if counted else (10, 0, 323),
                     "region step 2": (0, 333, 0) if counted else (333, 0, 0), "region inner": (0, 1000, 0) if counted else (1000, 0, 0),
                     "mark moment": (0, 1000, 0) if counted else (10, 0, 990)}


def test_a_list_of_domains_leaves_them(newest, run_traced):
    program = "import pinsight\nwith pinsight.region('r'):\n    pass\n"
    assert "region r" in rows(run_traced(newest, program, "--domains", "python", file="r.py"))
    off = run_traced(newest, program, file="r.py", env={"PINSIGHT_TRACE_USER": "OFF"})
    assert not rows(off)


@pytest.mark.parametrize("text, told", [
    ("[Lexgion(User:)]\n", "does not say which region; write DOMAIN:REGION"),
    ("[User]\nevents = regions\n", "unknown event 'regions' of User; did you mean 'region'?"),
    ("[Lexgion(User:a)]\nlines = on\n", "unknown key 'lines'"),
    ("[Usr]\ntrace_mode = OFF\n", "did you mean 'User'?"),
    ("[User]\nmodule_filter = numpy\n", "unknown key 'module_filter'"),
    ("[Lexgion(User:a)]\ntracing_rate = 0\n", "tracing_rate takes a number of executions from 1"),
])
def test_bad_input(text, told, tmp_path):
    (tmp_path / "bad.ini").write_text(text)
    done = subprocess.run([places.COMMAND, "config", "check", str(tmp_path / "bad.ini")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    assert done.returncode != 0 and told in done.stdout, done.stdout


def test_what_a_configuration_says(tmp_path):
    (tmp_path / "user.ini").write_text('[Lexgion(User:step *)]\n    tracing_rate = 7\n[Lexgion("User:odd; (name) +1")]\n    max_num_traces = 2\n')

    def of(name, key):
        shown = subprocess.run([places.COMMAND, "config", "show", "-c", str(tmp_path / "user.ini"), "--for", "User:" + name], stdout=subprocess.PIPE,
                               check=True, encoding="utf-8").stdout
        (line,) = [line for line in shown.splitlines() if line.split()[:1] == [key]]
        return line + " "
    assert " 7 " in of("step 12", "tracing_rate") and " 1 " in of("other", "tracing_rate")
    assert " 2 " in of("odd; (name) +1", "max_num_traces")


PHASES = """
import pinsight, sys
def work(n):
    return sum(range(n))
for _ in range(int(sys.argv[1])):
    with pinsight.region("solve"):
        work(1000)
if sys.argv[1] == "7":
    with pinsight.region("output"):
        work(1000)
"""


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_two_versions(mode, newest, run_traced):
    """`pinsight diff` compares regions by their names, and their whole time."""
    before, after, without = (run_traced(newest, PHASES, "--mode", mode, file="phases%s.py" % count, arguments=[count]) for count in ("7", "20", "0"))

    def diff(a, b):
        told = json.loads(subprocess.run([places.COMMAND, "diff", "--format", "json", a.folder, b.folder], stdout=subprocess.PIPE, check=True).stdout)
        return {row["name"]: row for row in told["rows"] if row["kind"] == "marked"}, " ".join(told["notes"])
    found, notes = diff(before, after)
    assert set(found) == {"solve", "output"} and "Regions of the program" not in notes
    for name, row in found.items():
        for side, traced in (("a", before), ("b", after)):
            own = rows(traced).get("region " + name)
            assert row["calls"][side]["runs"] == [own["recorded"] + own["counted"] if own else 0]
            assert row["total_ns"][side]["runs"] == row["self_ns"][side]["runs"] == [own["total_ns"] if own else 0]
    assert found["solve"]["calls"]["change"] == 13 and found["output"]["b"] is None
    found, notes = diff(before, without)
    assert not any(row["compared"] for row in found.values())
    assert "Regions of the program: in A alone, not compared; both versions must name them." in notes
