"""The call tree on a screen: frames of libraries in one row, depth in the user's levels, and rows for what is left out.
The oracle folds the calls that the test made, without PInsight's numbers."""
import json
import os
import random
import re
import subprocess

import pytest

from support import made, places
from support.pythons import pythons as found_pythons

# Functions by number: qualname, file, package; without a package they are the user's.
FUNCTIONS = {1: ("main", "/home/u/app.py", None), 2: ("Model.step", "/home/u/model.py", None), 3: ("hook", "/home/u/app.py", None),
             4: ("get", "/usr/lib/python3.11/site-packages/requests/api.py", "requests"),
             5: ("send", "/usr/lib/python3.11/site-packages/urllib3/pool.py", "urllib3"),
             6: ("loads", "/usr/lib/python3.11/json/decoder.py", "json"),
             7: ("run", "/usr/lib/python3.11/asyncio/runners.py", "asyncio")}


class Call:
    """A call that was made: its function, its calls in turn, begin and end."""

    def __init__(self, chance, at, depth, among):
        self.function, self.begin, self.calls = chance.choice(among), at, []
        at += chance.randrange(1, 3)
        for _ in range(chance.randrange(0, 4) if depth else 0):
            if at < 800:
                self.calls.append(Call(chance, at, depth - 1, among))
                at = self.calls[-1].end + 1
        self.end = at + chance.randrange(1, 4)

    def record(self, thread):
        thread.python(self.begin, "begin", self.function)
        for call in self.calls:
            call.record(thread)
        thread.python(self.end, "end", self.function)


def tree(tmp_path, seed, among=tuple(FUNCTIONS)):
    """The folder of a trace of less than a microsecond, so that each time is whole on a screen; and its outermost calls."""
    chance = random.Random(seed)
    trace = made.Trace(tmp_path / "made")
    process = trace.process(70)
    thread = process.thread(70)
    for number, (name, file, _) in FUNCTIONS.items():
        process.code(number, name, file, 10 * number)
    calls, at = [], 10
    while at < 800:
        calls.append(Call(chance, at, 7, among))
        at = calls[-1].end + 1
    for call in calls:
        call.record(thread)
    return trace.write(packet=50), calls


def package(call):
    return FUNCTIONS[call.function][2]


def folded(calls):
    """Rows as [name, calls, total, self, children], the larger first, of calls that one row made."""
    groups = {}
    for call in calls:
        groups.setdefault(call.function, []).append(call)
    rows = []
    for function, of in groups.items():
        if FUNCTIONS[function][2] is None:
            frames = of
            below, nodes, packages = [inner for call in of for inner in call.calls], set(), {}
        else:
            below, frames, nodes, packages = [], [], set(), {}
            for call in of:
                gather(call, (), below, frames, nodes, packages)
        name = FUNCTIONS[function][0]
        if len(nodes) > 1:
            name = Folded(len(nodes), packages, name)
        total = sum(call.end - call.begin for call in of)
        own = sum(call.end - call.begin - sum(inner.end - inner.begin for inner in call.calls) for call in frames)
        rows.append([name, len(of), total, own, folded(below)])
    return sorted(rows, key=lambda row: -row[2])


class Folded:
    """The name of a row of several frames: of the two packages that take most, in either order where they take the same."""

    def __init__(self, frames, packages, name):
        self.frames, self.packages, self.name = frames, packages, name

    def __eq__(self, other):
        row = re.fullmatch(r"… (\d+) frames of (.*?)(?: and (\d+) more)?: (.*)", other)
        named = row.group(2).split(", ")
        took = [self.packages[name] for name in named]
        return (int(row.group(1)) == self.frames and row.group(4) == self.name and took == sorted(self.packages.values(), reverse=True)[:2]
                and len(self.packages) == len(named) + int(row.group(3) or 0))


def gather(call, path, below, frames, nodes, packages):
    """The frames of libraries from one on, and the calls of the user's code that they make."""
    path += (call.function,)
    nodes.add(path)
    frames.append(call)
    own = call.end - call.begin - sum(inner.end - inner.begin for inner in call.calls)
    packages[package(call)] = packages.get(package(call), 0) + own
    for inner in call.calls:
        if package(inner) is None:
            below.append(inner)
        else:
            gather(inner, path, below, frames, nodes, packages)


def report(*words, columns=200):
    done = subprocess.run([places.COMMAND, "report", "-q", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, COLUMNS=str(columns), LC_ALL="C.UTF-8"), encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(folder, *words):
    """The rows of the screen, as those of folded(); a row that is left out as [None, rows, total, why]."""
    text = report("--tree", *words, folder)
    lines = text[text.index("\nCall tree"):].split("\n\n")[0].splitlines()[2:]
    at = lines[0].index("call ")
    stack, rest = [(-1, [])], []
    for line in lines[1:]:
        numbers, lead, name, where = re.match("(.{%d})([│├└ ]*)(.*?)(?:  +(\\S.*))?$" % at, line).groups()
        total, own, calls = re.fullmatch(r" *(\d+) ns +[\d.<]+(?: +(\d+) ns +(\d+))? *", numbers).groups()
        left = re.fullmatch(r"… (\d+) rows?", name)
        entry = [None, int(left.group(1)), int(total), where] if left else [name, int(calls), int(total), int(own), []]
        depth = len(lead) // 2
        if left and not depth:
            rest.append(entry)
            continue
        while stack[-1][0] >= depth:
            stack.pop()
        stack[-1][1].append(entry)
        if not left:
            stack.append((depth, entry[4]))
    return stack[0][1], rest


def by_time(row):
    return -row[2], str(row[0] if isinstance(row[0], (str, type(None))) else row[0].name).split(": ")[-1]


def same(rows, expected):
    """Rows of one time may stand in either order."""
    times = [row[2] for row in rows if row[0] is not None]
    assert times == sorted(times, reverse=True) and None not in [row[0] for row in rows[:-1]]
    rows, expected = sorted(rows, key=by_time), sorted(expected, key=by_time)
    assert len(rows) == len(expected), (rows, expected)
    for row, other in zip(rows, expected):
        assert other[0] == row[0] and row[1:3] == other[1:3], (row, other)
        if row[0] is None:
            assert row[3].startswith(other[3])
        else:
            assert row[3] == other[3], (row, other)
            same(row[4], other[4])


def count(rows):
    return sum(1 + count(row[4]) for row in rows)


def any_folded(rows):
    return any(isinstance(row[0], Folded) or any_folded(row[4]) for row in rows)


@pytest.mark.parametrize("seed", range(6))
def test_folded(tmp_path, seed):
    folder, calls = tree(tmp_path, seed)
    rows, rest = shown(folder, "--threshold", "0", "--depth", "0")
    expected = folded(calls)
    same(rows, expected)
    assert rest == [] and any_folded(expected)


def names(rows):
    return [name for row in rows for name in [row[0]] + names(row[4])]


def test_unfolded(tmp_path):
    """As JSON has it, which is never folded."""
    folder, calls = tree(tmp_path, 1)
    data = json.loads(report("--tree", "--format", "json", folder))["tree"]
    assert json.loads(report("--unfold", "--format", "json", folder))["tree"] == data
    rows, rest = shown(folder, "--unfold", "--threshold", "0", "--depth", "0")
    assert rest == [] and names(rows) == [node["name"] for node in data]
    users = {name for name, _, of in FUNCTIONS.values() if of is None}
    assert {node["name"] for node in data if node["users"]} == users & {node["name"] for node in data}
    assert all(node["users"] == (node["name"] in users) for node in data)


def test_nothing_of_the_users(tmp_path):
    """Then nothing is folded."""
    folder, _ = tree(tmp_path, 2, among=(4, 5, 6))
    data = json.loads(report("--tree", "--format", "json", folder))["tree"]
    rows, _ = shown(folder, "--threshold", "0", "--depth", "0")
    assert names(rows) == [node["name"] for node in data]


def cut(rows, levels, least):
    """What is to be shown of rows, with what is left out: [None, rows, total, why]; and what has no row of its own."""
    kept, left, deep, rest = [], [0, 0], False, [0, 0]
    for row in rows:
        is_users = isinstance(row[0], str) and row[0] in USERS
        too_deep = is_users and levels == 0
        if row[2] < least or too_deep:
            left[0] += 1 + count(row[4])
            left[1] += row[2]
            deep |= too_deep
            continue
        below, rest_below = cut(row[4], levels - is_users, least)
        kept.append(row[:4] + [below])
        rest = [rest[0] + rest_below[0], rest[1] + rest_below[1]]
    if left[0] and (deep or left[1] >= least):
        kept.append([None, *left, "deeper (--depth)" if deep else "below"])
    else:
        rest = [rest[0] + left[0], rest[1] + left[1]]
    return kept, rest


USERS = {name for name, _, of in FUNCTIONS.values() if of is None}


@pytest.mark.parametrize("depth,threshold", [(1, 0), (2, 0), (3, 2.5), (100, 5), (2, 10)])
@pytest.mark.parametrize("seed", [0, 3])
def test_cut(tmp_path, seed, depth, threshold):
    folder, calls = tree(tmp_path, seed)
    expected, rest = cut(folded(calls), depth, sum(call.end - call.begin for call in calls) * threshold / 100)
    rows, told = shown(folder, "--depth", depth, "--threshold", threshold)
    if expected and expected[-1][0] is None:  # it stands at the margin, as what has no row of its own does
        told = told[1:]
        expected = expected[:-1]
    same(rows, expected)
    assert told == ([[None, *rest, "below %g %% (--threshold)" % threshold]] if rest[0] else [])


def test_limit(tmp_path):
    folder, calls = tree(tmp_path, 4)
    whole = folded(calls)
    for limit in (1, 3, 10):
        rows, told = shown(folder, "--threshold", "0", "--depth", "0", "--limit", limit)
        assert count(rows) == limit and [row[0] for row in told] == [None]
        assert told[0][1] == count(whole) - limit and told[0][3] == "further (--limit)"
    # What was shown last has not called all that is left out; the outermost of that are counted once.
    rows, told = shown(folder, "--threshold", "0", "--depth", "0", "--limit", 1)
    first = rows[0]
    of_first = next(row for row in whole if row[1:4] == first[1:4])
    assert told[0][2] == sum(row[2] for row in of_first[4] + [row for row in whole if row is not of_first])


def test_narrow(tmp_path):
    """A row of several frames has the function that is called, however narrow the screen is."""
    trace = made.Trace(tmp_path / "made")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/me/app.py", 1)
    process.code(2, "run_once", "/usr/lib/python3.13/asyncio/base_events.py", 20)
    process.code(3, "select", "/usr/lib/python3.13/selectors.py", 30)
    for number in 1, 2, 3:
        thread.python(10 * number, "begin", number)
    for number in 3, 2, 1:
        thread.python(100 - 10 * number, "end", number)
    folder = trace.write()
    names = {}
    for width in 120, 80, 66:
        (names[width],) = re.findall(r"(?m)└ (….*?)  ", report("--tree", folder, columns=width))
    assert names == {120: "… 2 frames of selectors, asyncio: run_once", 80: "… run_once", 66: "… run_once"}


def test_options():
    done = subprocess.run([places.COMMAND, "report", "--mpi", "--unfold", "trace"], stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"--mpi does not go with --unfold" in done.stderr


PROGRAM = """
import asyncio, json

def hook(pairs):
    return dict(pairs)

async def child():
    await asyncio.sleep(0.001)
    return json.loads('{"a": 1}', object_pairs_hook=hook)

async def main():
    for _ in range(3):
        await child()

asyncio.run(main())
"""


@pytest.mark.parametrize("python", found_pythons(), ids=str)
def test_program(tmp_path, python):
    """asyncio is one row between the module and main; json's hook is below it."""
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--", python.path, "program.py"], cwd=tmp_path,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    text = report("--tree", "--threshold", "0", tmp_path / "trace")
    lines = text[text.index("\nCall tree"):].split("\n\n")[0].splitlines()[2:]
    label = lines[0].index("call ")
    order = [next(at for at, line in enumerate(lines) if re.search(what, line)) for what in (
        r"  <module>  ", r" \d+ frames of .*asyncio.*: run", r" main  ", r" child  ", r" \d+ frames of json.*: loads", r" hook  ")]
    assert order == sorted(order), text
    indent = [re.match("[│├└ ]*", lines[at][label:]).end() for at in order]
    assert indent == sorted(set(indent)), text
    assert not re.search(r"run_until_complete|raw_decode", text)
    assert re.search(r"run_until_complete", report("--unfold", "--threshold", "0", "--depth", "0", tmp_path / "trace"))


def test_imports(tmp_path):
    """The tree of imports says what it leaves out, too: here by JSON's list, which leaves nothing out."""
    chance = random.Random(7)
    trace = made.Trace(tmp_path / "made")
    thread = trace.process(70).thread(70)
    now = [10]

    def load(name, depth):
        thread.event(now[0], "python", "import_begin", module=name)
        for number in range(chance.randrange(0, 4) if depth else 0):
            now[0] += chance.randrange(1, 4)
            load("%s.m%d" % (name, number), depth - 1)
        now[0] += chance.randrange(1, 4)
        thread.event(now[0], "python", "import_end", module=name)

    for number in range(4):
        load("top%d" % number, 4)
    folder = trace.write(packet=50)
    assert now[0] < 1000

    def screen(*words):
        text = report("--imports", *words, folder)
        return text[text.index("\n\nImports ") + 2:].split("\n\n")[0].splitlines()[2:]

    data = json.loads(report("--imports", "--format", "json", folder))["imports"]
    tops = [row for row in data if row["parent"] is None]
    below = {row["id"]: [inner for inner in data if inner["parent"] == row["id"]] for row in data}
    under = lambda row: sum(1 + under(inner) for inner in below[row["id"]])
    lines = screen("--threshold", "0", "--depth", "1")
    expected = []
    for row in tops:
        expected.append((row["total_ns"], row["module"]))
        if below[row["id"]]:
            left = under(row)
            expected.append((sum(inner["total_ns"] for inner in below[row["id"]]), "└ … %d import%s deeper (--depth)" % (left, "s"[:left > 1])))
    assert [(int(line.split()[0]), re.search(r"└ .*|\S+$", line).group()) for line in lines] == expected
    last = screen("--threshold", "0", "--depth", "0", "--limit", "1")[-1]
    assert "… %d imports further (--limit)" % (len(data) - 1) in last
    assert int(last.split()[0]) == sum(row["total_ns"] for row in below[tops[0]["id"]] + tops[1:])
    whole = sum(row["total_ns"] for row in tops)
    shown = [row for row in data if row["total_ns"] * 5 >= whole]
    lines = screen("--threshold", "20", "--depth", "0")
    assert len([line for line in lines if "…" not in line]) == len(shown)
    assert sum(int(re.search(r"… (\d+) import", line).group(1)) for line in lines if "…" in line) == len(data) - len(shown)
