"""`pinsight report --lines`: time by the user's line, with what it calls, and its text. The oracle knows the calls that the
test made."""
import csv
import io
import json
import os
import random
import subprocess

import pytest

from support import everything, made, places
from support.pythons import pythons as found_pythons

pytestmark = pytest.mark.timed

# Functions by number: qualname, file, and whether they are the user's; each starts at ten times its number.
LIBRARY = "/usr/lib/python3.11/site-packages/pandas/frame.py"
FUNCTIONS = {1: ("main", "app.py", True), 2: ("Model.step", "app.py", True), 3: ("hook", "other.py", True),
             4: ("DataFrame.get", LIBRARY, False), 5: ("send", LIBRARY, False)}
TEXT = {"app.py": "".join("    line(%d)  \n" % at for at in range(1, 60)), "other.py": "\n\tfoo = [1,\t2]\n"}


class Call:
    """Of a function by a line of the one that calls it, with its calls in turn, or a launch of a kernel in its place."""

    def __init__(self, chance, at, depth, line):
        self.function, self.line, self.begin, self.calls = chance.choice(tuple(FUNCTIONS)), line, at, []
        at += chance.randrange(1, 9)
        for _ in range(chance.randrange(0, 4) if depth else 0):
            if chance.random() < 0.2:
                self.calls.append(Launch(chance, at, self.function))
            else:
                self.calls.append(Call(chance, at, depth - 1, 10 * self.function + chance.randrange(1, 4)))
            at = self.calls[-1].end + chance.randrange(1, 9)
        self.end = at + chance.randrange(1, 9)

    def record(self, thread, codes):
        name = dict(codes[self.function], code_id=self.function, python_thread_id=0)
        thread.event(self.begin, "python", "function_begin", caller_lineno=self.line, **name)
        for call in self.calls:
            call.record(thread, codes)
        thread.event(self.end, "python", "function_end", **name)


class Launch:
    """By the path of one frame, with the number of its function and 4 as line."""

    def __init__(self, chance, at, function):
        self.function, self.begin, self.end, self.calls = function, at, at + chance.randrange(1, 9), []

    def record(self, thread, codes):
        with thread.call(self.begin, self.end, "cudaKernelLaunch", correlationId=self.begin, py_path=self.function):
            pass


def trace(tmp_path, seed):
    chance = random.Random(seed)
    of = made.Trace(tmp_path / "made")
    process = of.process(70)
    thread = process.thread(70)
    for number, (name, file, users) in FUNCTIONS.items():
        process.code(number, name, str(tmp_path / file) if users else file, 10 * number)
        process.path(number, 0, number, 10 * number + 4)
    calls, at = [], 100
    while at < 5000:
        calls.append(Call(chance, at, 6, 0))
        at = calls[-1].end + 3
    for call in calls:
        call.record(thread, process.codes)
    return of.write(packet=50), calls


def expected(calls):
    """{(name, line or None of what is the function's own): [ns, calls, total_ns, wall of CUDA]} of the user's."""
    lines = {}

    def add(function, line, ns=0, count=0, total=0, cuda=0):
        row = lines.setdefault((FUNCTIONS[function][0], line), [0, 0, 0, 0])
        for place, more in enumerate((ns, count, total, cuda)):
            row[place] += more

    def walk(call, users, line):
        """`users` is the function of the user's that is innermost, `line` its line whose call this is in; or None."""
        if isinstance(call, Launch):
            # The work of a domain is of the user's frame in its path; where a library stands there alone, of that.
            if FUNCTIONS[call.function][2]:
                add(call.function, 10 * call.function + 4, call.end - call.begin, cuda=call.end - call.begin)
            return
        own = call.end - call.begin - sum(inner.end - inner.begin for inner in call.calls)
        if FUNCTIONS[call.function][2]:
            if users is not None and line is None:
                add(users, call.line, count=1, total=call.end - call.begin)
            add(call.function, None, own)
            for inner in call.calls:
                walk(inner, call.function, None)
            return
        if users is not None and line is None:
            line = call.line
            add(users, line, count=1, total=call.end - call.begin)
        if users is not None:
            add(users, line, own)
        for inner in call.calls:
            walk(inner, users, line)

    for call in calls:
        walk(call, None, None)
    return lines


def report(*words, columns=120, locale="C.UTF-8"):
    done = subprocess.run([places.COMMAND, "report", "-q", "--lines", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, COLUMNS=str(columns), LC_ALL=locale), encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(*words):
    return json.loads(report("--format", "json", *words))["lines"]


@pytest.mark.parametrize("seed", range(5))
def test_made(tmp_path, seed):
    folder, calls = trace(tmp_path, seed)
    rows = rows_of(folder)
    told = {(row["function"], row["line"]): [row["ns"], row["calls"] + row["c_calls"], row["total_ns"], row["cuda"]["wall_ns"]]
            for row in rows}
    assert len(told) == len(rows) and all(row["own"] == (row["line"] is None) for row in rows)
    assert told == expected(calls)
    assert [row["ns"] for row in rows] == sorted((row["ns"] for row in rows), reverse=True)
    assert any(row["cuda"]["wall_ns"] for row in rows)


def test_csv(tmp_path):
    folder, _ = trace(tmp_path, 1)
    rows = rows_of(folder)
    told = list(csv.DictReader(io.StringIO(report("--format", "csv", folder))))
    assert len(told) == len(rows)
    for row, other in zip(told, rows):
        assert row["function"] == other["function"] and row["line"] == str(other["line"] or "")
        assert [int(row[key]) for key in ("ns", "calls", "total_ns")] == [other[key] for key in ("ns", "calls", "total_ns")]
        assert int(row["cuda_ns"]) == other["cuda"]["wall_ns"] and row["callee"] == (other["callee"] or "")


def test_source(tmp_path):
    """A file's text is there where it was last changed before the trace; what is no line, or no file, has none."""
    before = made.EPOCH - 100
    for name, text in TEXT.items():
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (before, before))
    folder, _ = trace(tmp_path, 2)
    rows = [row for row in rows_of(folder) if row["line"]]
    for row in rows:
        assert row["source"] == ("line(%d)" % row["line"] if row["file"].endswith("app.py") else None), row
    text = report(folder)
    assert "  line(22)\n" in text and "Without text" not in text
    os.utime(tmp_path / "app.py", (made.EPOCH + 1, made.EPOCH + 1))
    assert all(row["source"] is None for row in rows_of(folder))
    text = report(folder)
    assert "line(22)" not in text and "Without text: 1 source file is not here, or changed since the run" in text and "→ DataFrame.get" in text


def test_source_is_no_file(tmp_path):
    """What a trace names may be anything: a fifo is not waited for, a folder and a device are not read."""
    os.mkfifo(tmp_path / "app.py")
    (tmp_path / "other.py").mkdir()
    folder, _ = trace(tmp_path, 2)
    assert all(row["source"] is None for row in rows_of(folder))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_adds_up(tmp_path, seed):
    """The lines of a function are all that it took; and their native work is that of --links."""
    folder = everything.write(tmp_path / "made", seed)
    links = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--links", "--format", "json", folder], stdout=subprocess.PIPE).stdout)["links"]
    functions = {(of["name"], of["file"], of["line"]): of["all_ns"] for of in links["functions"] if of["name"] is not None}
    named = {(name, file or "", line): ns for (name, file, line), ns in functions.items()}
    sums, works, linked = {}, {}, {}
    for row in rows_of(folder):
        key = row["function"], row["file"] or "", row["function_line"]
        if key in named or row["ns"] > row["own_ns"]:  # else a measured line of a function without recorded calls
            sums[key] = sums.get(key, 0) + row["ns"]
        assert row["waiting_ns"] + row["ready_ns"] <= row["ns"]
        for domain in ("openmp", "mpi", "cuda"):
            works[key, row["line"], domain] = works.get((key, row["line"], domain), 0) + row[domain]["thread_ns"]
    for line in links["lines"]:
        key = line["function"], line["file"] or "", line["function_line"]
        for domain in ("openmp", "mpi", "cuda"):
            linked[key, line["line"] or None, domain] = linked.get((key, line["line"] or None, domain), 0) + line[domain]["thread_ns"]
    assert sums and all(ns == named[key] for key, ns in sums.items() if key[0] is not None)
    assert {key: ns for key, ns in works.items() if ns} == {key: ns for key, ns in linked.items() if ns and key[0] in sums}


def test_nothing(tmp_path):
    of = made.Trace(tmp_path / "made")
    of.process(70).thread(70)
    assert "No call of a Python function was recorded" in report(of.write())


PROGRAM = """import json, time

def work(n):
    time.sleep(0.02)
    return [json.dumps(i) for i in range(n)]

def main():
    for _ in range(3):
        work(50)
    return sorted(range(100000), key=lambda x: -x)

main()
"""


@pytest.mark.parametrize("python", found_pythons(), ids=str)
def test_program(tmp_path, python):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--", python.path, str(tmp_path / "program.py")], cwd=tmp_path,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    every = [row for row in rows_of(tmp_path / "trace") if row["line"]]
    rows = {row["line"]: row for row in every if "<listcomp>" not in row["function"]}
    lines = PROGRAM.splitlines()
    assert all(row["source"] == lines[line - 1].strip() for line, row in rows.items())
    assert rows[4]["c_calls"] == 3 and rows[4]["callee"] == "time.sleep" and rows[4]["waiting_ns"] + rows[4]["ready_ns"] >= 59e6
    # Before 3.12 a list comprehension is a function, which is called by the line that it has.
    inner = next((row for row in every if row["line"] == 5 and "<listcomp>" in row["function"]), rows[5])
    assert inner["calls"] == 150 and inner["callee"].endswith("dumps")
    assert rows[9]["calls"] == 3 and rows[9]["ns"] == 0 and rows[9]["total_ns"] >= rows[4]["total_ns"]
    assert rows[12]["calls"] == 1
    text = report(tmp_path / "trace", columns=60)
    assert "time.sleep(0.02)" in text and "(work itself)" in text and all(len(line) <= 60 for line in text.splitlines() if "/" not in line)
