"""Five traces and their pages in Chromium: each number in a table's cell is the one in the report's JSON, and what the
timeline says at fifty places are the slices that the CSV export has at that time."""
import collections
import csv
import json
import os
import random
import subprocess

import pytest

from support import browser, cuda, everything, made, page, places
from support.pythons import pythons
from test_page_browser import EVERY_SECTION, GUTTER, chromium, export, in_peace, rows_of, shown  # noqa: F401: fixtures, too
from test_report_ranks import job

pytestmark = [pytest.mark.storm, pytest.mark.skipif(not browser.path(), reason="Chromium is not installed (Debian: chromium)")]

# Caption of a table, and its list in the report.
TABLES = (("Python functions", "functions"), ("Calls from Python into C", "c_calls"), ("Threads", "threads"), ("Processes", "processes"),
          ("OpenMP regions", "regions"), ("MPI functions", "mpi.functions"), ("MPI by line", "mpi.lines"), ("What threads waited for", "waits"),
          ("CUDA: functions", "cuda.functions"), ("CUDA: work", "cuda.work"), ("CUDA: streams", "cuda.streams"), ("CUDA: idle", "cuda.idle"))
MADE = ("everything", "cuda", "ranks", "threads")
NUMBERS, SIGHTS = 200, 50  # of all five


def threads(folder):
    """Four threads, in which functions call others by chance."""
    chance, process = random.Random(5), made.Trace(folder).process(70)
    for number in range(1, 20):
        process.code(number, "f%d" % number, "/app.py", number)

    def call(thread, begin, end, depth):
        number = chance.randrange(1, 20)
        thread.python(begin, "begin", number)
        at = begin + chance.randrange(1, 50)
        while depth < 5 and at + 200 < end:
            inner = min(end - 10, at + chance.randrange(50, 1 + (end - begin) * 2 // 3))
            call(thread, at, inner, depth + 1)
            at = inner + chance.randrange(5, 500)
        thread.python(end, "end", number)

    for tid in range(70, 74):
        thread = process.thread(tid, tid - 70, "thread %d" % tid)
        call(thread, 1000 + tid, 40000 + tid, 0)
    return process.trace.write()


@pytest.fixture(scope="module")
def traces(newest_trace, tmp_path_factory):
    """{name: (trace, page)}"""
    folder = tmp_path_factory.mktemp("five")
    found = {"program": newest_trace, "everything": everything.write(folder / "everything", names=tuple(everything.SOUND), events=6000),
             "cuda": cuda.Run(folder / "cuda").folder, "ranks": job(folder / "ranks", workers=True), "threads": threads(folder / "threads")}
    return {name: (trace, export(trace, folder / (name + ".html"))) for name, trace in found.items()}


@pytest.fixture(scope="module")
def newest_trace(tmp_path_factory):
    """A recorded program with calls, locks, garbage and values."""
    if not pythons():
        places.missing("a CPython that an extension was built for")
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.py").write_text(EVERY_SECTION)
    subprocess.run([places.COMMAND, "run", "-q", "-o", str(folder / "trace"), "--", pythons()[-1].path, "program.py"], cwd=folder, check=True,
                   env=dict(os.environ, PYTHONPATH=str(places.PACKAGES)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "trace"


def heading(key, keys=()):
    """The title of a report's key in a table with others: a ratio and a time may have one name."""
    same = any(other != key and heading(other) == heading(key) for other in keys)
    for end, unit in (("_ns", " time"), ("_bytes", " size")):
        if key.endswith(end):
            return key[:-len(end)].replace("_", " ").capitalize() + same * unit
    return key.replace("_", " ").capitalize()


def bytes_of(value):
    if value < 1024:
        return "%d byte%s" % (value, "" if value == 1 else "s")
    unit = 0
    while value >= 999.5 and unit < 6:
        value, unit = value / 1024, unit + 1
    return "%.*f %s" % (2 if value < 9.995 else 1 if value < 99.95 else 0, value, ["", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][unit])


def cell(key, value):
    """A number as a table has it."""
    if value is None:
        return ""
    if key.endswith("bytes"):
        return bytes_of(value)
    if isinstance(value, float):
        return "%g" % float("%.3g" % value) if value < 100 and value != int(value) else "{:,}".format(round(value))
    if not key.endswith("_ns") and key.endswith(("pid", "tid", "line", "rank", "_id", "device", "stream", "context", "task")):
        return str(value)
    if key.endswith("_ns") and value >= 99950000000:  # in minutes: times since 1970
        return None
    return shown(key, value)


def at(told, words):
    for word in words.split("."):
        told = (told or {}).get(word)
    return told or []


def checked(chromium, trace, file):
    """The number of cells that were compared."""
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--format", "json", str(trace)], stdout=subprocess.PIPE, check=True).stdout)
    chromium.open(file)
    seen = 0
    for caption, words in TABLES:
        listed = at(told, words)
        if not listed:
            continue
        rows = rows_of(chromium, caption)
        assert rows is not None and len(rows) == len(listed), caption
        titles = {key: heading(key, listed[0]) for key in listed[0]}
        assert len(set(titles.values())) == len(titles), titles
        keys = [key for key in listed[0] if titles[key] in rows[0] and key not in ("begin_ns", "end_ns")
                and all((row.get(key) is None or isinstance(row[key], (int, float))) and not isinstance(row.get(key), bool) and cell(key, row.get(key)) is not None for row in listed)]
        expected = collections.Counter(tuple(cell(key, row.get(key)) for key in keys) for row in listed)
        assert collections.Counter(tuple(row[titles[key]] for key in keys) for row in rows) == expected, (caption, keys)
        seen += len(keys) * len(rows)
    return seen


def test_two_hundred_numbers_are_the_reports(chromium, traces):  # noqa: F811
    numbers = {name: checked(chromium, *traces[name]) for name in traces}
    print(numbers)
    assert min(numbers.values()) >= 20 and sum(numbers.values()) >= NUMBERS, numbers


def test_lines_have_the_reports_times(chromium, traces):  # noqa: F811
    trace, file = traces["program"]
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--lines", "--format", "json", str(trace)], stdout=subprocess.PIPE, check=True).stdout)
    expected = collections.Counter()
    for row in told["lines"]:
        if row["file"].endswith("program.py") and row["total_ns"]:
            expected[row["line"] or row["function_line"]] += row["total_ns"]
    chromium.open(file)
    rows = chromium.do("[...document.querySelectorAll('table.source tbody tr')].map((row) => [row.id, row.cells[3].textContent])")
    assert {int(name.split("-")[1]): text for name, text in rows if text} == {line: shown("_ns", total) for line, total in expected.items()}
    assert len(expected) > 8


# Opens all tracks, points at each place above each other at a time, and returns the lines of the boxes' tips.
SCAN = """(() => {
    [...document.querySelectorAll('#timeline .buttons button')].find((one) => one.textContent === 'Open').click();
    const canvas = document.querySelector('.scroller canvas'), scroller = canvas.closest('.scroller'), said = new Set();
    const tip = document.querySelector('#timeline .tip'), whole = scroller.scrollHeight;
    for (let top = 0; top < whole; top += scroller.clientHeight - 60) {
        scroller.scrollTop = top;
        scroller.dispatchEvent(new Event('scroll'));
        const bounds = canvas.getBoundingClientRect();
        for (let y = 2; y < bounds.height; y += 4) {
            canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: bounds.left + %d + (bounds.width - %d) / 2, clientY: bounds.top + y, pointerId: 1}));
            if (!tip.hidden && tip.querySelectorAll('span').length > 1) said.add(tip.querySelector('b').textContent + '\\n' + tip.querySelectorAll('span')[0].textContent.split(' · at ')[0]);
        }
    }
    return [...said];
})()""" % (GUTTER, GUTTER)


def slices_of(trace, folder):
    subprocess.run([places.COMMAND, "export", "--to", "csv", "-q", "--force", "-o", str(folder / "slices.csv"), str(trace)], check=True)
    with open(folder / "slices.csv", newline="", encoding="utf-8") as file:
        return [dict(row, begin=int(row["begin_ns"]), end=int(row["begin_ns"]) + int(row["duration_ns"]), depth=int(row["depth"])) for row in csv.DictReader(file)]


def test_boxes_at_fifty_places_are_the_exports_slices(chromium, traces, tmp_path):  # noqa: F811
    chance, looked, boxes = random.Random(11), 0, 0
    for name, (trace, file) in traces.items():
        slices = slices_of(trace, tmp_path)
        timeline = page.read(file).timeline
        origin = timeline["begin_ns"]
        edges = sorted({edge for one in slices for edge in (one["begin"], one["end"])})
        # Places with something to see, and no edge of a slice within two pixels.
        between = [(a, b) for a, b in zip(edges, edges[1:]) if b - a >= 4]
        chance.shuffle(between)
        for a, b in between:
            there = [one for one in slices if one["begin"] <= a and one["end"] >= b]
            if not there:
                continue
            middle = (a + b) // 2 - origin
            half = min(25 * (b - a), middle, timeline["end_ns"] - origin - middle)  # what is in sight is in the run
            if half < 10:
                continue
            chromium.open(file, "#sight=%d~%d" % (middle - half, middle + half))
            said = {tuple(line.split("\n")) for line in chromium.do(SCAN)}
            expected = {(("import " if one["category"] == "import" else "") + one["name"].replace("\n", "\\x0a"), shown("_ns", one["end"] - one["begin"])): one["depth"]
                        for one in there}
            if name == "everything":  # the page's names of regions say more: compares the times
                said, expected = {told[1:] for told in said}, {told[1:]: depth for told, depth in expected.items()}
            assert said <= set(expected), (name, a, said, expected)
            # A page hides a thread's deepest rows at first.
            hidden = [expected[told] for told in set(expected) - said]
            assert min(hidden, default=9) >= 3, (name, a, said, expected)
            looked += 1
            boxes += len(said)
            if looked % (SIGHTS // len(traces)) == 0:
                break
    print("%d places, %d boxes" % (looked, boxes))
    assert looked == SIGHTS and boxes >= 2 * SIGHTS
