"""examples/culprits: each program has one planted fault, which the first screen names with its line."""
import os
import re
import shutil
import subprocess

import pytest

from support import mpi, mpi4py_source, openmp, places, screen
from support.pythons import pythons
from support.quiet import until_quiet

FOLDER = places.ROOT / "examples" / "culprits"
SCREEN = {"COLUMNS": "80", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def line_of(name, text):
    lines = (FOLDER / name).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


# The rule that finds the same where other workers are busy meanwhile.
OTHERWISE = {"slow_worker": "slow_task"}


def check(run, rule, name, text, word, is_silent=lambda report: False):
    """A sentence of the rule is on the screen, with the line, and with what it is about. On a busy machine threads
    and ranks are late for other reasons than their own: then once more. `is_silent` tells of a report whether the rule
    may say nothing for that."""
    place = "%s:%d" % (os.path.basename(name), line_of(name, text))

    def once():
        result = run()
        assert result.rc == 0, result.stderr
        assert len(result.stderr.splitlines()) < 24, result.stderr
        report = result.report()
        told = [row for row in report["stands_out"] if row["rule"] in (rule, OTHERWISE.get(rule))]
        if not told and is_silent(report):
            return
        assert told and told[0]["line"] == line_of(name, text) and told[0]["file"].endswith("/" + name), result.stderr
        found = [sentence for sentence in screen.sentences(result.stderr) if place in sentence]
        assert found and any(word in sentence for sentence in found), result.stderr

    until_quiet(once, 3)


@pytest.fixture
def run_command(run_command):
    """Holds the numbers of each first screen against the JSON."""
    def run(*words, **how):
        result = run_command(*words, **how)
        if result.rc == 0:
            screen.check(result.stderr, result.report)
        return result
    return run


def rows(text):
    """Those of the table of a first screen."""
    part = re.search(r"\nYour functions.*?\n.*?\n(.*?)\n\n", text, re.S)
    return part.group(1).splitlines() if part else []


# The packages, the rule, the program, a text of the line, and a word of the sentence.
ALONE = {
    "service": ((), "loop_held", "service.py", "return hashlib.pbkdf2_hmac(", "_hashlib.pbkdf2_hmac in digest"),
    "prices": ((), "gil", "prices.py", "def price(", "waits for the GIL"),
}
# With arguments that make it short: the rules with the text of the line and a word of the sentence, and what the first
# row or the first sentence has where calls are only counted.
SHORT = {
    "quotes.py": ("24", [("loop_held", "def legacy_factor(", "Prices.legacy_factor")], "Prices.legacy_factor"),
    "bank.py": ("60", [("lock", "with self.lock", "in Bank.book for a lock")], "Bank.book"),
    "tiles.py": ("12", [("pickling", "pool.map(work", "Pool.map"), ("slow_worker", "def smooth(", "smooth tiles.py")],
                 "tiles.py:27"),
    "library.py": ("20000", [("many_calls", "select name from author", "sqlite3.Connection.execute 20,000")],
                   "library.py:16"),
    "nested.py": ("16", [("processors", "def hash_block(", "in hash_block")], "nested.py:10"),
    "graph.py": ("300000", [("garbage", "node = Node(number)", "most strike")], "graph.py:"),
    "audit.py": ("600", [("syncing", "os.fsync(", "posix.fsync")], "audit.py:13"),
    "readings.py": ("300000", [("exceptions", "return float(text)", "262,500 of 300,000 calls of float raise an exception")],
                    "readings.py:7"),
    "mails.py": ("20000", [("slow_call", "ADDRESS.match(", "one of 20,000 calls of re.Pattern.match")], "mails.py:9"),
}
# Without a finding: the first row says it.
FIRST_ROW = {
    "routes.py": ("10", "routes", "routes.py:5"),
    "start/start.py": ("100", "build_table", "taxes.py:7"),
}
PACKAGED = {
    "orders": (("pandas",), "many_calls", "orders.py", "mine = orders[", "DataFrame.__getitem__ 3,000 times"),
    "series": (("numpy",), "growth", "series.py", "numpy.append(", "numpy.append"),
    "authors": (("sqlalchemy",), "many_calls", "authors.py", "book.author.name", "InstrumentedAttribute.__get__"),
    "shop": (("flask",), "lock", "shop.py", "with stock_lock", "lock"),
    "train": (("torch", "numpy"), "starved", "train.py", "def collate(", "train"),
}


@pytest.mark.alone
@pytest.mark.parametrize("name", ALONE)
def test_alone(name, newest, run_command):
    _, rule, program, text, word = ALONE[name]
    check(lambda: run_command(newest.path, FOLDER / program, env=SCREEN), rule, program, text, word)


@pytest.mark.alone
@pytest.mark.parametrize("name", SHORT)
def test_short(name, newest, run_command):
    argument, rules, _ = SHORT[name]
    for rule, text, word in rules:
        check(lambda: run_command(newest.path, FOLDER / name, argument, env=SCREEN), rule, name, text, word)


@pytest.mark.alone
@pytest.mark.parametrize("name", SHORT)
def test_short_quick(name, newest, run_command):
    argument, _, place = SHORT[name]
    for _ in range(3):  # on a busy machine what waits, waits longer
        result = run_command(newest.path, FOLDER / name, argument, options=["--quick"], env=SCREEN)
        told = (screen.sentences(result.stderr) + [""])[0] + rows(result.stderr)[0]
        if place in told:
            break
    assert place in told, result.stderr


@pytest.mark.alone
def test_one_slow_call_is_none_of_many(newest, run_command):
    """Counts tell the longest call: that the sum of all is mostly one of them is not said of each."""
    result = run_command(newest.path, FOLDER / "mails.py", "20000", options=["--quick"], env=SCREEN)
    assert "calls re.Pattern.match" not in result.stderr, result.stderr
    (row,) = [row for row in result.report("--links")["links"]["functions"] if row["name"] == "is_address"]
    assert row["max_ns"] > row["mean_ns"] * 1000


@pytest.mark.alone
@pytest.mark.parametrize("options", [[], ["--quick"]], ids=["traced", "quick"])
@pytest.mark.parametrize("name", FIRST_ROW)
def test_first_row(name, options, newest, run_command):
    argument, function, place = FIRST_ROW[name]
    result = run_command(newest.path, FOLDER / name, argument, options=options, env=SCREEN)
    assert function in rows(result.stderr)[0] and place in rows(result.stderr)[0], result.stderr
    # On a machine with others its calls, or the import of its module, may stand out, too: of the same file. And the cost of
    # looking may be above its threshold.
    assert all(place.split(":")[0] in sentence or "looking cost" in sentence for sentence in screen.sentences(result.stderr)), \
        result.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", PACKAGED)
def test_with_packages(name, newest, run_command):
    packages, rule, program, text, word = PACKAGED[name]
    python = next((one for one in pythons() if one.short == "3.11"), newest) if name == "train" else newest
    path = python.with_packages(*packages)
    check(lambda: run_command(path, FOLDER / program, env=SCREEN, timeout=300), rule, program, text, word)


QUERIES = """
import sqlite3

def total_of(rows):
    db = sqlite3.connect(":memory:")
    db.execute("create table t (a int)")
    db.executemany("insert into t values (?)", [(i,) for i in range(500)])
    return sum_of(db, rows)

def sum_of(db, rows):
    total = 0
    for row in rows:
        total += db.execute("select sum(a) from t where a > ?", (row % 400,)).fetchone()[0]
    return total

print(total_of(range(4000)))
"""


def test_quick(newest, run_command, tmp_path):
    """Counts by call path have the line, the calls and the caller."""
    program = tmp_path / "queries.py"
    program.write_text(QUERIES)
    result = run_command(newest.path, program, options=["--quick"], env=SCREEN)
    assert result.rc == 0, result.stderr
    assert "queries.py:13 calls sqlite3.Connection.execute 4,000 times (all in one call of sum_of)" in screen.sentences(result.stderr)[0]
    assert re.search(r" \d\S+ \S+ +1 +sum_of +queries.py:13 → Connect", result.stderr)
    (told,) = [row for row in result.report()["stands_out"] if row["rule"] == "many_calls"]
    assert (told["file"], told["line"]) == (str(program), 13)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("name", ["orders", "authors"])
def test_quick_with_packages(name, newest, run_command):
    packages, rule, program, text, word = PACKAGED[name]
    path = newest.with_packages(*packages)
    check(lambda: run_command(path, FOLDER / program, options=["--quick"], env=SCREEN, timeout=300), rule, program, text, word)


@pytest.mark.alone
@pytest.mark.parametrize("options", [[], ["--quick"]], ids=["traced", "quick"])
def test_append(options, newest, run_command):
    path = newest.with_packages("mpi4py", "numpy")  # as for ranks
    check(lambda: run_command(path, FOLDER / "series.py", "12000", options=options, env=SCREEN), "growth", "series.py", "numpy.append(",
          "numpy.append")


def lacked_processors(report):
    """Whether MONITORING cannot say which rank is slow: it wanted a processor, or waited, for longer than it may differ."""
    parts = {part["name"]: part["ns"] for part in report["bar"]["parts"]}
    return parts.get("No free CPU", 0) > 0.2 * sum(parts.values())


@pytest.mark.alone
@pytest.mark.parametrize("flavour, name, ranks, options, rule, text, word", [
    ("openmpi", "stencil.py", 4, [], "slow_rank", "def step(", "rank 3 computes"),
    ("mpich", "stencil.py", 2, ["--quick"], "slow_rank", "def step(", "rank 1 spends"),
    ("openmpi", "particles.py", 2, [], "small_messages", "comm.Send(", "messages of 48 bytes"),
    # The others, which take longer.
    pytest.param("mpich", "stencil.py", 4, [], "slow_rank", "def step(", "rank 3 computes", marks=pytest.mark.storm),
    pytest.param("openmpi", "stencil.py", 2, ["--quick"], "slow_rank", "def step(", "rank 1 spends", marks=pytest.mark.storm),
    pytest.param("mpich", "particles.py", 2, [], "small_messages", "comm.Send(", "messages of 48 bytes", marks=pytest.mark.storm),
])
def test_ranks(flavour, name, ranks, options, rule, text, word, run_command, tmp_path):
    flavour = next((one for one in mpi.flavours() if one.is_there and one.flavour == flavour), None) or places.missing(flavour)
    path = pythons()[-1].with_packages("mpi4py", "numpy")
    env = dict(mpi.ENVIRONMENT, **SCREEN, **mpi4py_source.environment(flavour, tmp_path / "lib"))
    words = flavour.command(ranks, path, FOLDER / name)
    check(lambda: run_command(*words, options=options, env=env, timeout=180), rule, name, text, word,
          lacked_processors if options else lambda report: False)


@pytest.mark.alone
def test_team(newest, run_command, tmp_path):
    clang = shutil.which("clang") or places.missing("clang")
    done = subprocess.run([clang, "-O2", "-fopenmp", "-fPIC", "-shared", str(FOLDER / "weights" / "weights.c"), "-lm", "-o",
                           str(tmp_path / "libweights.so")], stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        places.missing("clang with libomp: " + done.stderr)
    env = dict(SCREEN, WEIGHTS=str(tmp_path), OMP_NUM_THREADS="2")
    check(lambda: run_command(newest.path, FOLDER / "weights" / "weights.py", env=env), "imbalance", "weights/weights.py",
          "library.weigh(values", "the 2 threads of", openmp.lacked_processors)


@pytest.mark.long
def test_start(newest, run_command):
    result = run_command(newest.with_packages("pandas"), FOLDER / "convert.py", env=SCREEN)
    told = [row for row in result.report()["stands_out"] if row["rule"] == "imports"]
    assert told and "convert.py:4 imports pandas: " in told[0]["text"], result.stderr
