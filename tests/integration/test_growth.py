"""What a program has had many of, one after the other: it costs little of each, in its trace and in who reads that."""
import json
import re
import subprocess
import sys

import pytest

from support import otf2, places

THREADS = """
import sys, threading
def f(): pass
for _ in range(int(sys.argv[1])):
    thread = threading.Thread(target=f)
    thread.start()
    thread.join()
"""


MEASURE = """
import os, sys
status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)[1:]
print(status, used.ru_maxrss << 10, used.ru_minflt)
"""


def used(*words):
    """The most that a command had, in bytes, and how often the system gave it a page. What starts it is counted until then,
    and is small."""
    told = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, str(places.COMMAND), *map(str, words)],
                          stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    status, most, pages = map(int, told.splitlines()[-1].split())
    assert status == 0
    return most, pages


def memory(*words):
    return used(*words)[0]


@pytest.fixture
def threads(newest, run_command, tmp_path):
    file = tmp_path / "threads.py"
    file.write_text(THREADS)
    def run(count, *options):  # noqa: E306
        result = run_command(newest.path, file, count, options=("--no-summary", *options))
        assert result.rc == 0, result.stderr
        return result
    return run


def test_readers_need_little_for_a_thread_that_was(threads, tmp_path):
    """The stack of one that is gone serves the next one."""
    few, many = threads(100).folder, threads(3100).folder
    for words, most in ((("report",), 5500), (("export", "-q", "--to", "csv"), 5500)):
        outputs = [["-o", tmp_path / name] if words[0] == "export" else [] for name in ("few", "many")]
        more = memory(*words, *outputs[1], many) - memory(*words, *outputs[0], few)
        assert more / 3000 < most, (words, more / 3000)


def test_otf2_needs_little_for_a_thread_that_was(threads, tmp_path):
    """The library fills a buffer for each with zeros."""
    if not otf2.is_built():
        places.missing("OTF2")
    folder = threads(200).folder
    assert memory("export", "-q", "--to", "otf2", "-o", tmp_path / "out", folder) < 40 << 20


def test_otf2_takes_few_pages_for_a_thread_that_was(threads, tmp_path):
    """The library asks for 256 KB for each one's events and 4 MB for its definitions, and fills both with zeros, twice."""
    if not otf2.is_built():
        places.missing("OTF2")
    few, many = (used("export", "-q", "--to", "otf2", "-o", tmp_path / str(count), threads(count).folder)[1] for count in (50, 350))
    assert (many - few) / 300 < 200


EVALS = """
import collections, sys
def again(number):
    eval("len('a') + %d" % number)
    exec("\\n" * (number % 3) + "abs(1)")
    collections.namedtuple("Point", "x y")
for number in range(int(sys.argv[1])):
    again(number)
"""


@pytest.fixture
def evals(one_of_each, run_command, tmp_path):
    file = tmp_path / "evals.py"
    file.write_text(EVALS)
    def run(count, *options):  # noqa: E306
        result = run_command(one_of_each.path, file, count, options=("--no-summary", *options))
        assert result.rc == 0, result.stderr
        return result
    return run


def size(folder):
    return sum(file.stat().st_size for file in folder.rglob("*"))


def test_code_that_is_made_anew_is_counted_as_one(evals):
    few, many = (evals(count, "--mode", "MONITORING") for count in (20, 1020))
    assert size(many.folder) - size(few.folder) < 20 * 1000
    calls = {(row["name"], row["caller_line"]): row["calls"] for row in many.report("--limit", "0")["c_calls"]
             if (row["caller"], row["caller_file"]) == ("<module>", "<string>")}
    assert {name: calls[name] for name in calls if name[0] in ("abs", "len")} == {
        ("len", 1): 1020, ("abs", 1): 340, ("abs", 2): 340, ("abs", 3): 340}


def test_flight_recorder_does_not_grow_with_code_that_is_made_anew(evals):
    few, many = (evals(count, "--ring", "256K") for count in (20, 2020))
    assert size(many.folder) < size(few.folder) + (1 << 20)
    kept = min((file for file in many.folder.rglob("*-1") if not file.name.startswith(".")), key=lambda file: file.stat().st_size)
    assert kept.stat().st_size < 100_000


def test_flight_recorder_does_not_grow_with_threads(threads):
    """The name of a thread goes with its last events. Those that are there have theirs."""
    few, many = (threads(count, "--ring", "256K") for count in (2000, 8000))
    # Its last file may be full or empty.
    assert size(many.folder) < size(few.folder) + (128 << 10)
    told = many.report()
    names = [row["name"] for row in told["threads"] if row["calls"] and row["python_thread_id"]]
    numbers = [int(re.match(r"Thread-(\d+)( \(f\))?$", name).group(1)) for name in names]
    assert sorted(numbers) == list(range(8001 - len(numbers), 8001)) and 20 < len(numbers) < 4000, names[:5]
    # Nor does what reads it.
    assert len(told["threads"]) < len(numbers) + 20


def test_folded_stacks_of_deep_recursion_have_a_limit(newest, run_command, tmp_path):
    """Each level has a line that repeats all those above it."""
    program = tmp_path / ("deep_" + 80 * "x" + ".py")
    program.write_text("import sys\nsys.setrecursionlimit(9000)\ndef down(n):\n    if n: down(n - 1)\ndown(1500)\n")
    folder = run_command(newest.path, program, options=("--no-summary",)).folder
    folded = tmp_path / "folded"
    done = subprocess.run([places.COMMAND, "export", "--to", "folded", "-o", str(folded), str(folder)], stderr=subprocess.PIPE,
                          check=True, universal_newlines=True)
    assert folded.stat().st_size < 17 << 20
    lines = folded.read_text().splitlines()
    deepest = max(line.count(";") + 1 for line in lines)
    assert " stacks are deeper than %d frames" % deepest in done.stderr and "more than 16 MiB" in done.stderr
    told = folder_total(folder)
    assert abs(sum(int(line.rpartition(" ")[2]) for line in lines) - told) < 0.02 * told


def folder_total(folder):
    told = subprocess.run([places.COMMAND, "report", "--format", "json", "--limit", "0", str(folder)], stdout=subprocess.PIPE, check=True)
    return sum(row["self_ns"] for key in ("functions", "c_calls") for row in json.loads(told.stdout)[key])
