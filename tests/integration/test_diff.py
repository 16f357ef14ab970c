"""Two versions of a program side by side: what is a change, what is noise, and which row is which.

Times are written down here, in traces that have the profiles which MONITORING would have counted: so each test knows
what is to come out, however busy the machine is. The last test compares runs of a real program.
"""
import csv
import io
import json
import os
import shutil
import statistics
import subprocess

import pytest

from support import made, places
from support.pythons import pythons
from test_golden import compare

TRACEGEN = places.BUILD / "tests" / "tracegen"
START = "process 0 python3%20app.py\nthread 0 4711 0 MainThread\ndomain 0 Python CPython%203.12.1 sys.monitoring\n"
MS = 1000000


def command(*argv, status=0, cwd=None, width=120):
    done = subprocess.run([places.COMMAND, *[str(word) for word in argv]], stdin=subprocess.DEVNULL, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120,
                          env=dict(os.environ, COLUMNS=str(width)))
    assert done.returncode == status, done
    return done


def diff(*argv, **how):
    return json.loads(command("diff", "--format", "json", *argv, **how).stdout)


def changes(told):
    return [(row["name"], row["verdict"]) for row in told["rows"] if row["verdict"] != "same"]


def row_of(told, name):
    rows = [row for row in told["rows"] if row["name"] == name]
    assert len(rows) == 1, (name, rows)
    return rows[0]


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """make(name, functions, ...) gives the folder of a made run.

    `functions`: {(name, file, line): (calls, total in ms, self in ms)}; `c_calls`: {name: (calls, ms)}.
    """
    if not TRACEGEN.exists():
        places.missing("tests/tools/tracegen, built")
    folder = tmp_path_factory.mktemp("diff")

    def run(name, functions, c_calls=(), more="", module="app"):
        lines, number = [], 0
        for (function, file, line), (calls, total, own) in dict(functions).items():
            number += 1
            lines.append("code %d %d %s %s %d %s" % (number, number, function, file, line, module))
            lines.append("profile 0 4711 0 0 %d %s %s %d %d %d %d" % (
                number, function, file, line, calls, total * MS, own * MS))
        for callee, (calls, took) in dict(c_calls).items():
            number += 1
            lines.append("callee %d %s c" % (number, callee))
            lines.append("profile 0 4711 0 1 %d %s <C> 0 %d %d %d" % (number, callee, calls, took * MS, took * MS))
        script = folder / (name + ".txt")
        script.write_text(START + "\n".join(lines) + "\n" + more)
        subprocess.run([str(places.TESTS / "tools" / "record-with"), "--alone", str(folder / name), str(TRACEGEN),
                        "script", str(script)], check=True, stdout=subprocess.DEVNULL)
        return folder / name
    return run


def heat(read, step=300, folder="/home/me/heat", moved=0, lock=400, dot=200):
    """The functions and C calls of a run of something like examples/heat."""
    functions = {
        ("main", folder + "/heat.py", 80): (1, 1000, 20),
        ("Stepper.advance", folder + "/explicit.py", 31): (4000, step, step),
        ("Sensor.read", folder + "/sensors.py", 32 + moved): (32000, read, read),
        ("array", "/usr/lib/python3/dist-packages/numpy/core.py", 7): (10, 5, 5),
    }
    return functions, {"numpy.dot": (4000, dot), "_thread.lock.acquire": (20, lock)}


@pytest.fixture(scope="module")
def runs(make):
    """Three runs of three versions: a; b, whose Sensor.read is 20 % slower; and same, which is as a."""
    made = {}
    for i, (a, same, step, lock) in enumerate([(200, 203, 300, 400), (204, 199, 290, 430), (198, 202, 315, 410)]):
        made["a%d" % i] = make("a%d" % i, *heat(a, step, lock=lock))
        made["same%d" % i] = make("same%d" % i, *heat(same, step + 4, lock=lock - 3))
        made["b%d" % i] = make("b%d" % i, *heat(a * 1.2 + i, step + 2, "/scratch/me/heat20", 5, lock + 140))
    return lambda version: [made["%s%d" % (version, i)] for i in range(3)]


def test_the_slower_function_is_first(runs):
    told = diff(*runs("a"), "--to", *runs("b"))
    assert told["noise_known"] and told["notes"] == []
    assert [row["name"] for row in told["rows"][:2]] == ["Sensor.read", "_thread.lock.acquire"]
    assert changes(told) == [("Sensor.read", "more"), ("_thread.lock.acquire", "more")]
    assert (told["changes"], told["waiting_changes"]) == (1, 1)
    row = told["rows"][0]
    assert row["kind"] == "function" and not row["waits"] and row["self_ns"]["beyond_noise"]
    assert row["a"] == {"file": "/home/me/heat/sensors.py", "line": 32, "runs": 3}
    assert row["b"] == {"file": "/scratch/me/heat20/sensors.py", "line": 37, "runs": 3}
    assert row["calls"]["change"] == 0 and row["calls"]["a"]["median"] == 32000
    # Against the numbers of `pinsight report`, put together here.
    for side, version in (("a", "a"), ("b", "b")):
        own = []
        for folder in runs(version):
            report = json.loads(command("report", "--format", "json", folder).stdout)
            own.append(next(row["self_ns"] for row in report["functions"] if row["name"] == "Sensor.read"))
        assert row["self_ns"][side]["runs"] == own
        assert row["self_ns"][side]["median"] == statistics.median(own)
        assert (row["self_ns"][side]["min"], row["self_ns"][side]["max"]) == (min(own), max(own))
    assert row["self_ns"]["change_percent"] == pytest.approx(20, abs=1.5)
    back = diff(*runs("b"), "--to", *runs("a"))
    assert changes(back) == [("Sensor.read", "less"), ("_thread.lock.acquire", "less")]
    assert back["rows"][0]["self_ns"]["change"] == -row["self_ns"]["change"]


def test_equal_versions_have_no_change(runs):
    for sides in ((runs("a"), runs("same")), (runs("same"), runs("a"))):
        told = diff(*sides[0], "--to", *sides[1])
        assert changes(told) == [] and told["changes"] == told["waiting_changes"] == 0
        assert "No change." in command("diff", *sides[0], "--to", *sides[1]).stdout
    mixed = diff(runs("a")[0], runs("same")[1], runs("a")[2], "--to", runs("same")[0], runs("a")[1], runs("same")[2])
    assert changes(mixed) == []


def test_one_run_a_side(runs):
    told = diff(runs("a")[0], runs("b")[0])
    assert not told["noise_known"] and told["rule"]["range_factor"] is None
    assert "noise and change look alike" in told["notes"][0]
    assert changes(told)[0] == ("Sensor.read", "unclear") and told["rows"][0]["self_ns"]["beyond_noise"] is None
    text = command("diff", runs("a")[0], runs("b")[0]).stdout
    assert "noise and change look alike" in " ".join(text.split()) and "Changes" not in text


def test_text(runs):
    folder = str(runs("a")[0].parent)

    def screen():
        words = ["diff", *runs("a"), "--to", *runs("b"), "--all"]
        text = command(*words, width=300).stdout.replace(folder + "/", "")
        # How long recording took is the machine's; the times of the rows are ours.
        lines = [line.split(" (")[0].split()[0] + "  DURATION" + line[line.rindex(", 3 runs"):]
                 if ", 3 runs" in line else line for line in text.splitlines()]
        return "\n".join(lines) + "\n"
    compare("diff", screen)


def test_new_gone_and_below_the_least(make):
    before = [make("new-a%d" % i, {("main", "/app.py", 1): (1, 900, 900), ("old", "/app.py", 9): (5, 80, 80),
                                   ("little", "/app.py", 20): (1, 1, 1)}) for i in range(2)]
    after = [make("new-b%d" % i, {("main", "/app.py", 1): (1, 900, 900), ("young", "/app.py", 9): (5, 60, 60),
                                  ("few", "/app.py", 30): (1, 2, 2)}) for i in range(2)]
    told = diff(*before, "--to", *after)
    assert changes(told) == [("old", "gone"), ("young", "new")]
    assert row_of(told, "old")["b"] is None and row_of(told, "young")["a"] is None
    assert row_of(told, "few")["verdict"] == "same"
    assert changes(diff(*before, "--to", *after, "--min-share", "0.1"))[2:] == [("few", "new"), ("little", "gone")]
    assert [row["name"] for row in diff(*before, "--to", *after, "--limit", "1")["rows"]] == ["old"]
    assert [row["name"] for row in diff(*before, "--to", *after, "--sort", "name")["rows"]] == [
        "old", "young", "few", "little", "main"]


def test_files_are_matched_by_their_modules_and_functions(make):
    """One copy of a package is installed and the other one is not; a notebook's cells have other files each time."""
    installed = make("installed", {("step", "/opt/venv/lib/python3.12/site-packages/pk/core.py", 2): (10, 50, 50)})
    beside = make("beside", {("step", "/home/me/pk/solver.py", 2): (10, 80, 80)})
    told = diff(installed, "--to", beside)
    assert [(row["name"], row["a"]["runs"], row["b"]["runs"]) for row in told["rows"]] == [("step", 1, 1)]
    cells = {"first": {("step", "/tmp/ipykernel_1/11.py", 1): (10, 50, 50), ("draw", "/tmp/ipykernel_1/12.py", 1): (1, 70, 70)},
             "second": {("draw", "/tmp/ipykernel_2/98.py", 1): (1, 90, 90), ("step", "/tmp/ipykernel_2/99.py", 1): (10, 80, 80)}}
    first, second = (make(name, functions, module="__main__") for name, functions in cells.items())
    told = diff(first, "--to", second)
    assert {row["name"]: (row["a"]["file"], row["b"]["file"]) for row in told["rows"]} == {
        "step": ("/tmp/ipykernel_1/11.py", "/tmp/ipykernel_2/99.py"),
        "draw": ("/tmp/ipykernel_1/12.py", "/tmp/ipykernel_2/98.py")}


def test_domains_that_differ_are_said(make, runs):
    functions = heat(200)[0]
    alone = make("alone", functions)
    told = diff(*runs("a"), "--to", alone)
    assert any("C calls: in A alone, not compared" in note for note in told["notes"])
    assert changes(told) == [] and not row_of(told, "numpy.dot")["compared"]
    with_openmp = make("openmp", functions, more=(
        "domain 0 OpenMP LLVM OMPT\nnative 0 1 0x1000 /usr/lib/libx.so.1 0x10 work\n"
        "profile 0 4711 0 2 1 work /usr/lib/libx.so.1 16 100 50000000 50000000\n"))
    told = diff(alone, with_openmp)
    assert any("OpenMP: in B alone, not compared" in note for note in told["notes"])
    assert not any(row["kind"] == "region" and row["compared"] for row in told["rows"])


@pytest.mark.parametrize("words, mentioned", [
    ([], "which two traces"),
    (["a0"], "which two traces"),
    (["a0", "same0", "b0"], "put --to before"),
    (["--to", "a0"], "no trace before --to"),
    (["a0", "--to"], "no trace after --to"),
    (["a0", "--to", "b0", "--to", "b1"], "once"),
    (["a0", "a0"], "the same trace"),
    (["a0", "a1", "--to", "b0", "./a1/"], "the same trace"),
    (["a0", "b0", "--min-share", "lots"], "--min-share"),
    (["a0", "b0", "--format", "csv"], "text"),
    (["a0", "b0", "--sideways"], "--sideways"),
])
def test_wrong_words(runs, words, mentioned):
    done = command("diff", *words, status=2, cwd=runs("a")[0].parent)
    assert mentioned in done.stderr.lower() and len(done.stderr.splitlines()) == 1 and not done.stdout


def test_traces_that_cannot_be_compared(runs, make, tmp_path):
    good = runs("a")[0]
    (tmp_path / "empty").mkdir()
    for bad, mentioned in ((tmp_path / "missing", "missing"), (tmp_path / "empty", "empty"),
                           (make("nothing", {}), "nothing in it")):
        for words in ((good, bad), (bad, good), (*runs("a"), "--to", *runs("b"), bad)):
            done = command("diff", *words, status=1)
            assert mentioned in done.stderr and not done.stdout, done
            assert len(done.stderr.splitlines()) == 1, done


def test_damaged_trace(runs, tmp_path):
    damaged = tmp_path / "damaged"
    shutil.copytree(str(runs("b")[0]), str(damaged))
    streams = sorted((path for path in damaged.rglob("*") if path.is_file() and path.name != "metadata"
                      and path.suffix != ".txt" and path.suffix != ".idx"), key=lambda path: path.stat().st_size)
    with open(str(streams[-1]), "r+b") as file:
        file.truncate(streams[-1].stat().st_size - 100)
    done = command("diff", runs("a")[0], damaged, status=1)
    assert str(damaged) in done.stderr
    assert done.stdout == "" or "is damaged" in " ".join(done.stdout.split())


# Real programs: single calls are known where they were recorded.

CALLS = """
def often(n):
    for _ in (None,) * n:
        inner()

def inner():
    pass

def seldom():
    pass

def yields():
    for i in range(150):
        yield i

for i in range(400):
    often(i % 40)
for i in range(99):
    seldom()
for _ in yields():
    pass
"""


def self_times(folder):
    """The self times of the slices of each function of app.py, from the rows that `pinsight export` writes."""
    rows = csv.DictReader(io.StringIO(command("export", "--to", "csv", "-q", folder, "-o", "-").stdout))
    inside, times = {}, {}
    for row in rows:
        depth, took = int(row["depth"]), int(row["duration_ns"])
        within = inside.setdefault(row["tid"], {})
        if row["file"].endswith("app.py"):
            times.setdefault(row["name"], []).append(took - within.get(depth + 1, 0))
        within[depth + 1] = 0
        within[depth] = within.get(depth, 0) + took
    return times


@pytest.fixture(scope="module", params=["TRACING", "MONITORING"])
def recorded(request, tmp_path_factory):
    python = pythons()[-1] if pythons() else places.missing("a CPython that an extension was built for")
    folder = tmp_path_factory.mktemp("calls")
    (folder / "app.py").write_text(CALLS)
    for name in "ab":
        subprocess.run([places.COMMAND, "run", "-q", "--lossless", "--mode", request.param, "--no-summary", "-o",
                        str(folder / name), "--", python.path, "app.py"], cwd=str(folder), check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return request.param, folder


def test_single_calls(recorded):
    mode, folder = recorded
    told = diff(folder / "a", folder / "b", "--min-share", "0")
    assert told["rule"]["steady"] is None
    assert {row["judged_by"] for row in told["rows"]} == {"total"}
    if mode == "MONITORING":
        assert all(row["steady_ns"] is None for row in told["rows"])
        return
    times = {side: self_times(folder / side) for side in "ab"}
    # Of a whole run the time in which it had no processor is not compared.
    ready = {side: {row["name"]: row.get("ready_ns", 0) for row in json.loads(command(
        "report", "-q", "--limit", "0", "--format", "json", folder / side).stdout)["functions"]} for side in "ab"}
    for name, calls in (("often", 400), ("inner", 7800), ("yields", 151)):
        row = row_of(told, name)
        for side in "ab":
            every = sorted(times[side][name])
            assert len(every) == calls
            assert row["self_ns"][side]["runs"] == [sum(every) - ready[side][name]]
            fastest = every[:calls // 4]
            assert row["steady_ns"][side]["runs"][0] == pytest.approx(calls * sum(fastest) / len(fastest), rel=0.02)
    assert row_of(told, "seldom")["steady_ns"] is None


# Runs whose calls take what is written here, to the nanosecond.

OTHERS = ["other_%d" % number for number in range(5)]


def made_run(folder, fast, middle, slow):
    """400 calls of one function, in us: the fastest quarter, the middle half, the slowest quarter; and of others that
    are the same in each run."""
    trace = made.Trace(folder, known=("core", "python"))
    process = trace.process(70)
    thread = process.thread(70)
    for number, name in enumerate(["main", "changes", *OTHERS], 1):
        process.code(number, name, "/app.py", 10 * number)
    now = 1000
    thread.python(now, "begin", 1)
    for i in range(400):
        took = (fast, middle, middle, slow)[i % 4] * 1000 + i
        for number, took in ((2, took), *((3 + other, (100 + 20 * other) * 1000 + i) for other in range(len(OTHERS)))):
            thread.function(now, now + took, number)
            now += took + 100
    thread.python(now, "end", 1)
    return trace.write()


@pytest.mark.parametrize("slower, by", [
    ((160, 320, 480), "relative"),
    ((160, 190, 900), "total"),  # the fastest quarter and the sum say so, and the middle half does not
    ((100, 320, 480), "total"),
])
def test_a_change_of_single_calls_is_one_of_most(tmp_path, slower, by):
    sides = [[made_run(tmp_path / (side + str(run)), *(us + run for us in times)) for run in range(3)]
             for side, times in (("a", (100, 200, 300)), ("b", slower))]
    told = diff(*sides[0], "--to", *sides[1])
    row = row_of(told, "changes")
    assert row["self_ns"]["b"]["runs"][0] > 1.3 * row["self_ns"]["a"]["runs"][0]
    assert (row["verdict"], row["judged_by"]) == ("more", by)
    assert {row_of(told, name)["verdict"] for name in OTHERS} == {"same"}


# The heat example, and a copy in which one function does a fifth more.

EXAMPLE = places.ROOT / "examples" / "heat"
FUNCTION = "Sensor.interpolate"
# A fifth of the time that a recorded call takes without what it calls: some 330 of 1650 ns.
SLOWER = "    def interpolate(self, field):\n        for _ in (None,) * 80:\n            pass\n"


@pytest.fixture
def record_heat(tmp_path):
    """record_heat(set) gives three runs each of a, slow and same, recorded in turn; paths are of one length."""
    python = pythons()[-1] if pythons() else places.missing("a CPython that an extension was built for")
    path = python.with_packages("numpy")
    folders = {"a": "base", "slow": "slow", "same": "same"}
    for name in folders.values():
        shutil.copytree(str(EXAMPLE), str(tmp_path / name))
    file = tmp_path / folders["slow"] / "sensors.py"
    text = file.read_text()
    assert text.count("    def interpolate(self, field):\n") == 1
    file.write_text(text.replace("    def interpolate(self, field):\n", SLOWER))

    def record(number):
        runs = {name: [] for name in folders}
        for i in range(3):
            for name, traces in runs.items():
                trace = tmp_path / ("%s-%d-%d" % (folders[name], number, i))
                subprocess.run([places.COMMAND, "run", "-q", "--lossless", "--no-summary", "-o", str(trace), "--",
                                path, "heat.py", "--n", "96", "--steps", "4000"], cwd=str(tmp_path / folders[name]),
                               check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                traces.append(trace)
        return runs
    return record


def outcome(runs):
    """Whether the slower function was named first, whether equal versions had no change, and what was said."""
    slow, same = diff(*runs["a"], "--to", *runs["slow"]), diff(*runs["a"], "--to", *runs["same"])
    for folders in runs.values():
        for folder in folders:
            shutil.rmtree(str(folder))
    work = [(row["name"], row["verdict"], row["judged_by"]) for row in slow["rows"]
            if row["verdict"] != "same" and not row["waits"]]
    own = row_of(slow, FUNCTION)
    said = {"work": work, "alarms": changes(same),
            "change": own["relative_ns"] and own["relative_ns"]["change_percent"],
            "steady": own["steady_ns"] and own["steady_ns"]["change_percent"],
            "total": own["self_ns"]["change_percent"],
            "totals": [own["self_ns"][side]["runs"] for side in ("a", "b")],
            "slower": [[round(run["slower_percent"] or 0) for run in told[side]]
                       for told in (slow, same) for side in "ab"]}
    print("\nset", json.dumps(said))
    return [name for name, verdict, _ in work[:1] if verdict == "more"] == [FUNCTION], not changes(same), said


@pytest.mark.alone
@pytest.mark.long
def test_the_heat_example(record_heat):
    """Named first, and no change of equal versions: in two sets of runs, or in two of three."""
    outcomes = [outcome(record_heat(0)), outcome(record_heat(1))]
    if not all(first and none for first, none, _ in outcomes):
        outcomes.append(outcome(record_heat(2)))
    assert sum(first for first, _, _ in outcomes) >= 2, outcomes
    assert sum(none for _, none, _ in outcomes) >= 2, outcomes
