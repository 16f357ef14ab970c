"""`pinsight store`: what it keeps of a run, the run at which a function got slower, and files that are no stores."""
import collections
import copy
import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys

import pytest

from support import made, places

sys.path.insert(0, str(places.PACKAGES))
import pinsight  # noqa: E402
from pinsight import _store, _store_shown, _trend  # noqa: E402

MAIN, SOLVE, LOAD = 1, 2, 3
MS = 10**6


def run_of(folder, ranks=2):
    """A made run: main calls solve three times, and load, which calls solve."""
    trace = made.Trace(folder)
    for rank in range(ranks):
        process = trace.process(70 + rank, rank)
        thread = process.thread(70 + rank)
        for code, name, line in ((MAIN, "main", 1), (SOLVE, "Solver.solve", 10), (LOAD, "load", 20)):
            process.code(code, name, "/a/solver.py", line)
        thread.python(1000, "begin", MAIN)
        for turn in range(3):
            thread.function((2 + turn * 10) * MS, (10 + turn * 10 + rank) * MS, SOLVE)
        thread.python(40 * MS, "begin", LOAD)
        thread.function(41 * MS, 42 * MS, SOLVE)
        thread.python(45 * MS, "end", LOAD)
        thread.python(50 * MS, "end", MAIN)
    return trace.write()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_of(tmp_path_factory.mktemp("store") / "run")


def store(action, file, *words, rc=0, cwd=None):
    """The output, or the message of a command that fails."""
    done = subprocess.run([places.COMMAND, "store", action, "--python", sys.executable, "--file", file, *map(str, words)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=cwd)
    assert done.returncode == rc, done.stderr
    return done.stderr if rc else done.stdout


def test_what_a_run_says(run, tmp_path):
    """Functions, contexts and findings are those of the trace, with all processes together."""
    file = tmp_path / "runs.db"
    assert store("add", file, "--param", "size=9", "--param", "how=a=b", "--commit", "abc", run) == "%s is run 1 of %s\n" % (run, file)
    assert store("add", file, run) == "%s is run 1 of %s already\n" % (run, file)
    database = sqlite3.connect(str(file))
    told = json.loads(store("list", file, "--format", "json"))
    assert [(row["run"], row["commit_id"], row["host"], row["ranks"], row["processes"], row["trace"], row["parameters"]) for row in told] == [
        (1, "abc", "made", 2, 2, str(run), {"size": "9", "how": "a=b"})]
    functions = {row[1]: tuple(row[6:9]) for row in pinsight.open(run).functions.rows()}
    assert functions == {name: tuple(row) for name, *row in database.execute(
        "select function, calls, total_ns, self_ns from functions join codes using (code)")}
    paths = database.execute(
        "with recursive paths (node, path, calls, self_ns) as ("
        "select node, function, calls, self_ns from contexts join codes using (code) where parent = -1 union all "
        "select below.node, paths.path || '/' || function, below.calls, below.self_ns from contexts below "
        "join paths on below.parent = paths.node join codes using (code)) select path, calls, self_ns from paths").fetchall()
    assert {path: calls for path, calls, _ in paths} == {
        "": 0, "/main": 2, "/main/Solver.solve": 6, "/main/load": 2, "/main/load/Solver.solve": 2}
    assert sum(own for _, _, own in paths) == sum(row[8] for row in pinsight.open(run).functions.rows())
    report = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--format", "json", run], stdout=subprocess.PIPE, check=True).stdout)
    assert [tuple(row[key] for key in ("rule", "text", "ns")) for row in report["stands_out"]] == database.execute(
        "select rule, text, ns from findings").fetchall()


def test_the_commit_is_gits(run, tmp_path):
    """That of the present folder, with a + if it was changed, and none without git."""
    def git(*words):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=tmp_path, check=True, stdout=subprocess.PIPE,
                              encoding="utf-8").stdout.strip()
    program = "import sys; sys.path.insert(0, sys.argv[1]); from pinsight import _store; print(_store._commit())"

    def commit(**environment):
        return subprocess.run([sys.executable, "-c", program, places.PACKAGES], cwd=tmp_path, check=True, stdout=subprocess.PIPE,
                              encoding="utf-8", env=environment or None).stdout.strip()
    git("init", "-q")
    (tmp_path / "file").write_text("a")
    git("add", "file")
    git("commit", "-q", "-m", "m")
    assert commit() == git("rev-parse", "HEAD")
    (tmp_path / "file").write_text("b")
    assert commit() == git("rev-parse", "HEAD") + "+"
    assert commit(PATH="/nowhere") == ""


def many(file, facts, count, slower, seed=1):
    """A store with runs of one program. From run `slower` on, Solver.solve takes a quarter more time. Each run differs by a
    few percent, and one in 20 was disturbed and takes three times as long."""
    chance = random.Random(seed)
    connection = _store.open_store(str(file), write=True)
    connection.execute("pragma synchronous = off")
    for number in range(1, count + 1):
        one = copy.deepcopy(facts)
        one.update(identity=str(number), commit_id="%08x" % number)
        disturbed = 3 if chance.random() < 0.05 else 1
        one["functions"] = [row[:6] + tuple(
            int(value * disturbed * chance.uniform(0.97, 1.03) * (1.25 if row[1] == "Solver.solve" and number >= slower else 1))
            for value in row[6:]) for row in facts["functions"]]
        assert _store.add(connection, one) == (number, True)
    connection.close()


def test_the_run_that_got_slower(run, tmp_path):
    """200 runs, of which run 120 is the first slower one. Another function has no change."""
    file = tmp_path / "runs.db"
    many(file, _store.facts_of(str(run), "commit"), 200, 120)
    text = store("trend", file, "Solver.solve")
    assert "Solver.solve (Python, solver.py)  self time in 200 runs" in text
    assert text.splitlines()[-1].startswith("Slower from run 120 on, +2") and text.endswith("commit 00000078\n"), text
    (trend,) = json.loads(store("trend", file, "--format", "json", "Solver.solve"))
    assert [(level["first_run"], level["last_run"], level["runs"]) for level in trend["levels"]] == [(1, 119, 119), (120, 200, 81)]
    (change,) = trend["changes"]
    assert change["after"] / change["before"] == pytest.approx(1.25, rel=0.02) and change["also"] == []
    assert len(store("trend", file, "--format", "csv", "Solver.solve").splitlines()) == 201
    assert store("trend", file, "main").endswith("No change.\n")
    rows = store("diff", file, "100-119", "120-140", "--format", "json", "--by", "mean")
    assert store("diff", file, "1,3", "4", "--by", "calls").count("no change beyond the noise") == 1
    assert {row["function"] for row in json.loads(rows)} <= {"Solver.solve"}
    # Some of these runs were disturbed, and took three times as long.
    (row,) = json.loads(store("diff", file, "100-119", "120-140", "--format", "json"))
    assert row["function"] == "Solver.solve" and row["percent"].startswith("+2")
    store("diff", file, "100-119", "120-140", "--fail-above", "5", rc=3)
    assert store("diff", file, "1-20", "21-40", "--fail-above", "0").count("no change beyond the noise") == 1


def test_differences_of_runs(run, tmp_path):
    """A function that only one side has, one with more time, and one whose runs differ by as much."""
    file, facts = tmp_path / "runs.db", _store.facts_of(str(run), "commit")
    connection = _store.open_store(str(file), write=True)
    for number, (solve, load) in enumerate([(10, 50), (11, 20), (20, 40), (21, 10)], 1):
        functions = [("function", "Solver.solve", "s", "s.py", 1, 1, solve * MS, solve * MS, 1, 1),
                     ("function", "load", "s", "s.py", 2, 1, load * MS, load * MS, 1, 1)]
        if number > 2:
            functions.append(("c_call", "new", "n", "s.py", 3, 1, 5 * MS, 5 * MS, 1, 1))
        _store.add(connection, dict(facts, identity=str(number), functions=functions))
    connection.close()
    rows = json.loads(store("diff", file, "--format", "json", "1-2", "3,4"))
    assert [(row["function"], row["change"], row["noise"]) for row in rows] == [("Solver.solve", 10 * MS, MS), ("new", 5 * MS, 0)]
    text = store("diff", file, "1", "3")
    assert "One run on each side: noise is unknown" in text and "+10 ms" in text
    assert "run 2 is on both sides" in store("diff", file, "1-2", "2-3", rc=1)
    assert "has no run 9" in store("diff", file, "1", "9", rc=1)
    assert "x: No such file" in store("diff", file, "x", "1", rc=1)
    assert "'1-2-3' is not a list of runs" in store("diff", file, "1-2-3", "1", rc=1)
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]

    def diff(*words):
        done = subprocess.run([places.COMMAND, "diff", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              cwd=tmp_path, env=dict(os.environ, PATH=path))
        return done.returncode, done.stdout or done.stderr

    assert diff("runs.db:1-2", "runs.db:3,4", "--format", "json") == (0, store("diff", file, "--format", "json", "1-2", "3,4"))
    assert diff("runs.db:1", "--to", "runs.db:3") == (0, store("diff", file, "1", "3"))
    # A's medians are 10.5 and 35 ms. The changes are +10 and +5 ms, which is 33 %.
    assert text.count("All of them") == 0 and store("diff", file, "1-2", "3,4").endswith("All of them: +33.0 % of A's time\n")
    for words, status in ((["1-2", "3-4", "--fail-above", "32.9%"], 3), (["1-2", "3-4", "--fail-above", "33"], 0),
                          (["3-4", "1-2", "--fail-above", "0"], 0), (["1", "3", "--fail-above", "0"], 0)):
        assert store("diff", file, *words, rc=status) == (store("diff", file, *words[:2]) if not status else "")
        assert diff(*("runs.db:" + runs for runs in words[:2]), *words[2:])[0] == status
    (tmp_path / "also.db").write_bytes(file.read_bytes())
    assert diff("runs.db:1", "runs.db:2", "--to", "runs.db:3-4") == diff("runs.db:1-2", "runs.db:3,4")
    for words, said in ((["runs.db:1", "also.db:3"], "are of two stores"),
                        (["runs.db:1", "runs.db:3", "--all"], "it has --fail-above, and --format text or json")):
        assert diff(*words)[0] == 2 and said in diff(*words)[1], words


def test_runs_beside_traces(one_of_each, tmp_path):
    """A trace is compared with runs of a store, and so are new runs of a command, without being added to it."""
    app = tmp_path / "app.py"
    app.write_text("import sys, time\ndef solve(): time.sleep(float(sys.argv[1]))\nsolve()\n")
    file = tmp_path / "runs.db"
    environment = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"], TMPDIR=str(tmp_path / "left"))
    (tmp_path / "left").mkdir()

    def pinsight(*words):
        done = subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", cwd=tmp_path, env=environment)
        return done.returncode, done.stdout or done.stderr

    def recorded(name, seconds):
        assert pinsight("run", "-q", "--events", "function", "-o", name, "--", one_of_each.path, app, seconds)[0] == 0
        return name

    for name in ("a-1", "a-2"):
        store("add", file, tmp_path / recorded(name, .01))
    before = store("list", file)
    for sides in ((["runs.db:1-2"], [recorded("slow", .4)]), (["runs.db:1", "a-2"], ["slow"])):
        status, text = pinsight("diff", "--format", "json", *sides[0], "--to", *sides[1])
        solve, = (row for row in json.loads(text) if row["function"] == "solve")
        assert status == 0 and 3e8 < solve["change"] < solve["B"] and solve["B"] >= 4e8 and solve["A"] >= 1e7
    assert "\nB  %s\n" % (tmp_path / "slow") in pinsight("diff", "runs.db:1-2", "slow")[1]
    assert pinsight("store", "diff", "--file", file, "1-2", "slow") == pinsight("diff", "runs.db:1-2", "slow")
    assert "run 1 is on both sides" in pinsight("diff", "runs.db:1", "a-1")[1]
    command = ["compare", "-q", "-n", "2", "--events", "function", "runs.db:1-2", "--to", one_of_each.path, app, ".4"]
    status, text = pinsight(*command)
    assert status == 0 and "A  2 runs: 1 to 2\nB  2 traces: " in text and "solve" in text
    assert pinsight(*command[:1], "--fail-above", "100%", *command[1:])[0] == 3
    assert pinsight(*command[:1], "--all", *command[1:])[0] == 2
    # Nothing was added, and nothing is left.
    assert store("list", file) == before and not list((tmp_path / "left").iterdir())
    for both in ("runs.db:1", "runs.db:2"), ("runs.db:1", "--to", "runs.db:2"):
        assert pinsight("compare", *both) == (0, store("diff", file, "1", "2"))
        assert pinsight("compare", "--all", *both)[0] == 2 and "do not run again" in pinsight("compare", "-n", "3", *both)[1]
    assert "which go before --to" in pinsight("compare", one_of_each.path, app, ".4", "--to", "runs.db:1")[1]
    assert pinsight(*command[:1], "-o", "kept", *command[1:])[0] == 0 and (tmp_path / "kept" / "b-2").is_dir()


def test_what_else_changed(run, tmp_path):
    """The host and a parameter that changed with the function are named, and select runs."""
    file, facts = tmp_path / "runs.db", _store.facts_of(str(run), "commit")
    connection = _store.open_store(str(file), write=True)
    for number in range(20):
        late = number >= 10
        functions = [row[:6] + tuple(value * (2 if late else 1) + number for value in row[6:]) for row in facts["functions"]]
        _store.add(connection, dict(facts, identity=str(number), host="b" if late else "a", parameters={"size": "9" if late else "8"},
                                    functions=functions))
    connection.close()
    text = store("trend", file, "load")
    assert "Slower from run 11 on" in text and "Also changed: host a, then b" in text and "Also changed: size 8, then 9" in text
    assert store("trend", file, "--host", "b", "load").endswith("10 runs are too few to find a change; 13 are needed.\n")
    assert "in 10 runs" in store("trend", file, "--param", "size=8", "load")
    assert "no run of the store has this host" in store("trend", file, "--host", "c", "load", rc=1)
    assert store("trend", file, "solve") == store("trend", file, "Solver.solve")
    assert "no run has the function Solver.solv; did you mean Solver.solve?" in store("trend", file, "Solver.solv", rc=1)
    assert len(json.loads(store("list", file, "--format", "json", "--host", "a"))) == 10


def test_the_end_of_a_name(run, tmp_path):
    """It is enough where no other function has it; a function of just that name goes before."""
    file, facts = tmp_path / "runs.db", _store.facts_of(str(run), "commit")
    row = next(row for row in facts["functions"] if row[1] == "Solver.solve")
    connection = _store.open_store(str(file), write=True)
    names = ["A.step", "B.step", "B.run", "run"]
    _store.add(connection, dict(facts, functions=[(row[0], name, *row[2:]) for name in names]))
    connection.close()
    assert "no run has the function step; did you mean A.step or B.step?" in store("trend", file, "step", rc=1)
    assert store("trend", file, "B.step").startswith("B.step (") and store("trend", file, "run").startswith("run (")


def series(chance, *levels):
    return [level * chance.gauss(1, 0.04) for level, count in levels for _ in range(count)]


def test_changes_of_known_series():
    """Steps are found where they are, and chance makes few."""
    chance = random.Random(5)
    for levels in ([(100, 30), (130, 30)], [(100, 7), (130, 7)], [(100, 40), (80, 20), (110, 40)], [(100, 90), (150, 5)]):
        starts = [sum(count for _, count in levels[:place]) for place in range(1, len(levels))]
        found = _trend.changes(series(chance, *levels))
        assert len(found) == len(starts) and all(abs(one - other) <= 1 for one, other in zip(found, starts)), (levels, found)
    assert _trend.changes([7] * 100) == [] and _trend.changes([100, 130] * 6) == []
    assert _trend.changes(series(chance, (100, 50)) + [900, 900] + series(chance, (100, 50))) == []  # two slow runs are no level
    assert _trend.changes([0] * 20 + [3] * 20) == [20]
    steady, disturbed = [100, 101, 102] * 8, [400, 400]
    assert _trend.changes(steady + disturbed + [130, 131, 132] * 8) == [26]  # a disturbed run begins no level
    assert _trend.changes([130, 131, 132] * 8 + disturbed + steady) == [26]
    wrong = collections.Counter(bool(_trend.changes(series(chance, (100, count)), share=0)) for count in (13, 20, 40, 80) for _ in range(100))
    assert wrong[True] <= 8, wrong


def test_times_have_three_digits():
    assert [_store_shown._time(ns) for ns in (0, 999, 999_900, 1_234_567, 10**9 * 5000)] == ["0 ns", "999 ns", "1000 us", "1.23 ms", "5000 s"]


def test_files_that_are_no_stores(run, tmp_path):
    """One line names the file and the cure, and the file stays as it is."""
    assert "there is no store %s/none.db; `pinsight store add TRACE` makes it" % tmp_path in store("list", tmp_path / "none.db", rc=1)
    assert not (tmp_path / "none.db").exists()
    assert "is not a file" in store("add", tmp_path, run, rc=1)
    assert "cannot be opened; check its folder, and the rights of both" in store("add", tmp_path / "no" / "store.db", run, rc=1)
    text = tmp_path / "text"
    text.write_text("this is a text, and no database. " * 40)
    empty = tmp_path / "empty"
    empty.touch()
    other = tmp_path / "other.db"
    connection = sqlite3.connect(str(other))
    connection.execute("create table mine (a)")
    connection.commit()
    later = tmp_path / "later.db"
    store("add", later, run)
    connection = sqlite3.connect(str(later))
    connection.execute("pragma user_version = 2")
    connection.commit()
    for file, action, message in ((text, "add", "is not a store, or is damaged"), (text, "trend", "is not a store, or is damaged"),
                                  (empty, "list", "is not a store of PInsight"), (other, "add", "is not a store of PInsight"),
                                  (later, "add", "was made by another version of PInsight (form 2; this version has form 1)")):
        before = file.read_bytes()
        said = store(action, file, *({"add": [run], "trend": ["main"], "list": []}[action]), rc=1)
        assert said.startswith("pinsight: %s " % file) and message in said and said.count("\n") == 1, said
        assert file.read_bytes() == before
    assert store("add", empty, run).endswith("is run 1 of %s\n" % empty)


def test_a_file_that_others_use(run, tmp_path):
    """A writer is waited for, and then named; readers see whole runs."""
    file, facts = tmp_path / "runs.db", _store.facts_of(str(run), "commit")
    connection = _store.open_store(str(file), write=True)
    _store.add(connection, facts)
    connection.execute("begin exclusive")
    with pytest.raises(_store.Error, match="another process writes to .*runs.db, for more than 0.05 s; try again"):
        _store.open_store(str(file), write=True, wait_s=0.05)
    connection.execute("rollback")
    broken = dict(facts, identity="broken", findings=[{}])
    with pytest.raises(KeyError):
        _store.add(connection, broken)
    assert [row["run"] for row in json.loads(store("list", file, "--format", "json"))] == [1]
    assert connection.execute("select count(*) from functions where run = 2").fetchone() == (0,)


def test_wrong_words(run, tmp_path):
    def said(*words):
        done = subprocess.run([places.COMMAND, "store", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        return done.stderr
    assert "store does what? add, list, trend or diff" in said()
    assert "did you mean `pinsight store trend`?" in said("trnd")
    assert "store does not know 'x'; it has add, list, trend and diff" in said("x")
    assert "store add needs a trace" in said("add")
    assert "store trend needs one function" in said("trend")
    assert "store diff needs two lists of runs" in said("diff", "1")
    assert "store list takes no arguments" in said("list", "f")
    assert "--param needs NAME=VALUE, and 'size' has no '='" in said("add", "--param", "size", run)
    assert "--fail-above is for self time, which adds up, and not for --by calls" in said("diff", "--by", "calls", "--fail-above", "1", "1", "2")
    for action, option in (("list", "--commit"), ("trend", "--fail-above"), ("add", "--host"), ("add", "--by"), ("add", "--format"), ("diff", "--param")):
        value = {"--by": "calls", "--format": "csv", "--param": "a=b", "--fail-above": "5"}.get(option, "x")
        assert "store %s has no option %s" % (action, option) in said(action, option, value, *{"list": [], "trend": ["f"]}.get(action, ["1", "2"]))
    (tmp_path / "empty").mkdir()
    assert "empty is empty" in store("add", tmp_path / "s.db", tmp_path / "empty", rc=1)


def test_a_job_of_ci(tmp_path):
    """examples/ci/slower, with made runs in place of a program's: the first job has nothing to compare with, equal runs
    pass, slower ones fail and leave the store as it was."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "runs").mkdir()
    wrapper = tmp_path / "bin" / "pinsight"
    wrapper.write_text("#!/bin/sh\n[ \"$1\" = run ] || exec '%s' \"$@\"\nwhile [ \"$1\" != -o ]; do shift; done\nrm -rf \"$2\"\n"
                       "next=$(ls '%s' | head -n 1)\nexec mv '%s'/$next \"$2\"\n" % (places.COMMAND, *2 * [tmp_path / "runs"]))
    wrapper.chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), os.path.dirname(sys.executable), os.environ["PATH"]])

    differences = itertools.count()

    def job(runs, solve_ms):
        for number in range(runs):
            trace = made.Trace(tmp_path / "runs" / str(number))
            process = trace.process(70)
            thread = process.thread(70)
            process.code(SOLVE, "Solver.solve", "/a/solver.py", 10)
            process.code(MAIN, "main", "/a/solver.py", 1)
            thread.python(1000, "begin", MAIN)
            end = (1 + solve_ms) * MS + next(differences)
            thread.function(MS, end, SOLVE)
            thread.python(end + 10 * MS, "end", MAIN)
            trace.write()
        done = subprocess.run([places.ROOT / "examples" / "ci" / "slower", "history.db", "program"], stdout=subprocess.PIPE, encoding="utf-8",
                              cwd=tmp_path, env=dict(os.environ, PATH=path, RUNS=str(runs), BEFORE="4", LIMIT="10%"))
        return done.returncode, done.stdout

    assert job(3, 100) == (0, "")
    status, text = job(2, 101)
    assert status == 0 and text.startswith("A  3 runs: 1 to 3\nB  2 runs: 4 to 5\n") and "no change beyond the noise" in text
    before = (tmp_path / "history.db").read_bytes()
    status, text = job(2, 150)
    assert status == 3 and "A  4 runs: 2 to 5\nB  2 runs: 6 to 7\n" in text and "Solver.solve" in text
    assert (tmp_path / "history.db").read_bytes() == before
    assert job(2, 101)[0] == 0 and len(json.loads(store("list", tmp_path / "history.db", "--format", "json"))) == 7
