"""The page in Chromium: what its elements say is what the report says, nothing of a trace is executed, and nothing is
asked of a network."""
import json
import os
import re
import subprocess
import urllib.parse

import pytest

from support import browser, everything, made, page, places

pytestmark = [pytest.mark.storm, pytest.mark.skipif(not browser.path(), reason="Chromium is not installed (Debian: chromium)")]

SCRIPT = "</script><script>window.executed=1</script>"
EVIL = (SCRIPT, "<img src=x onerror=window.executed=2>", "\"'><svg onload=window.executed=3>", "javascript:window.executed=4",
        "\u202ertl", "two\nlines", "${window.executed=5}", "x" * 10000, "{{7*7}}", "日本")
# Of the made trace: where the boxes of the first track are (src/views/page/web/tracks.js, draw.js, timeline.js).
MS = 1000000
GUTTER, FIRST_ROW, MARGIN = 172, 26 + 4 + 22 + 24 + 2 + 8, 0.005
COUNTER = 40  # above the tracks, where several threads run


def export(trace, file):
    subprocess.run([places.COMMAND, "export", "--to", "html", "-q", "--force", "-o", str(file), str(trace)], check=True)
    return file


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    one = browser.Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@pytest.fixture(autouse=True)
def in_peace(chromium):
    """A page says nothing to the console, violates no policy, and asks for no other file."""
    del chromium.said[:], chromium.happened[:]
    yield
    assert chromium.said == []
    asked = [told["request"]["url"] for method, told in chromium.happened if method == "Network.requestWillBeSent"]
    assert all(url.split(":")[0] in ("file", "blob", "data", "about") and url.endswith(".html") or url.startswith(("blob:", "about:"))
               for url in (url.split("#")[0] for url in asked)), asked
    assert not [method for method, _ in chromium.happened if method == "Page.javascriptDialogOpening"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    trace = everything.write(folder / "trace", names=tuple(everything.SOUND), events=6000)
    return export(trace, folder / "page.html")


def scaled(value, unit):
    return "%.*f %s" % (2 if value < 9.995 else 1 if value < 99.95 else 0, value, unit)


def shown(key, value):
    """A number as the report's text has it."""
    if not key.endswith("_ns"):
        return "{:,}".format(value)
    return ("%d ns" % value if value < 1000 else scaled(value / 1e3, "µs") if value < 999500 else
            scaled(value / 1e6, "ms") if value < 999500000 else scaled(value / 1e9, "s"))


def rows_of(chromium, caption):
    """The table with a caption: dictionaries of the cells' texts by the columns' titles, all rows."""
    return chromium.do("""(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
        return new Promise((done) => setTimeout(() => {
            const tables = [...document.querySelectorAll('table')].filter((table) => table.caption && table.caption.textContent === %s);
            for (let more; tables.length && (more = tables[0].closest('.table').querySelector('.more button'));) more.click();
            done(tables.length ? [...tables[0].tBodies[0].rows].map((row) => Object.fromEntries([...row.cells].map((cell, at) =>
                [tables[0].tHead.rows[0].cells[at].textContent.replace(/[↓↑]/, ''), cell.textContent]))) : null);
        }, 0));
    })()""" % json.dumps(caption))


@pytest.mark.parametrize("caption, key, columns", (
    ("Python functions", "functions", {"Self": "self_ns", "Total": "total_ns", "Calls": "calls", "Max": "max_ns"}),
    ("Calls from Python into C", "c_calls", {"Self": "self_ns", "Calls": "calls", "Mean": "mean_ns"}),
    ("Threads", "threads", {"Busy": "busy_ns", "Self": "self_ns", "Calls": "calls"}),
))
def test_numbers_are_the_reports(chromium, sound, caption, key, columns):
    chromium.open(sound)
    told = page.read(sound).report[key]
    rows = rows_of(chromium, caption)
    assert len(rows) == len(told) > 0
    for title, column in columns.items():
        assert sorted(row[title] for row in rows) == sorted("" if one[column] is None else shown(column, one[column]) for one in told), title


LISTS = (("GIL: gils", "gil", "gils"), ("GIL: functions", "gil", "functions"), ("Locks: locks", "locks", "locks"), ("Locks: waits", "locks", "waits"),
         ("GC", "gc", None), ("Values", "values", None), ("Exceptions", "exceptions", None), ("Thread starts", "thread_starts", None))


def test_every_section_has_its_tables(chromium, newest, run_traced, tmp_path):
    """Of a program with all of them: as many rows as the report's list has, and the table is not empty."""
    done = run_traced(newest, EVERY_SECTION, env={"PINSIGHT_EXCEPTIONS": "on"}, file="program.py")
    file = export(done.folder, tmp_path / "page.html")
    chromium.open(file)
    sections = page.read(file).sections
    for caption, key, inner in LISTS:
        told = sections[key][inner] if inner else sections[key]
        rows = rows_of(chromium, caption)
        assert rows is not None and len(rows) == len(told) > 0, caption
        assert all(any(row.values()) for row in rows), caption
    ((caption, value),) = [(row["Type"], row["Count"]) for row in rows_of(chromium, "Exceptions") if row["Count"] == "70"]
    assert (caption, value) == ("KeyError", "70")


EVERY_SECTION = """
import gc, pinsight, threading, time
lock = threading.Lock()
def work():
    with lock:
        time.sleep(0.02)
    for i in range(70):
        try:
            {}[i]
        except KeyError:
            pinsight.mark("caught", i)
def computes():
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        sum(range(1000))
work()
threads = [threading.Thread(target=of) for of in (computes, computes)]
with lock:
    threads.append(threading.Thread(target=lock.acquire))
    for thread in threads: thread.start()
    time.sleep(0.05)
for thread in threads: thread.join()
gc.collect()
"""


def test_the_answer_is_the_first_screens(chromium, sound):
    chromium.open(sound)
    answer = page.read(sound).sections["answer"]
    table = rows_of(chromium, "Your functions by time")
    rows = {(row["Function"], row["Own"]) for row in table}
    assert "(libraries)" not in [row["Function"] for row in table[:-1]]
    told = json.loads(subprocess.run([places.COMMAND, "report", "-q", "--links", "--format", "json", str(sound.parent / "trace")],
                                     stdout=subprocess.PIPE, check=True).stdout)
    assert 0 < answer["threads"] == len(told["threads"]) - told["links"]["idle"]["threads"]
    assert "%d threads" % answer["threads"] in chromium.do("document.querySelector('.facts').textContent")
    assert rows == {(one["name"], shown("time_ns", one["running_ns"] + one["waiting_ns"])) for one in answer["functions"] if one["name"]} or \
        {name for name, _ in rows} >= {one["name"] for one in answer["functions"] if one["name"]}


def test_boxes_say_what_the_export_has(chromium, tmp_path):
    process = made.Trace(tmp_path / "trace").process(70)
    thread = process.thread(70)
    for number in range(1, 41):
        process.code(number, "f%d" % number, "/app.py", number)
        thread.function(number * 1000000, number * 1000000 + 400000 + number * 1000, number)
    file = export(process.trace.write(), tmp_path / "page.html")
    chromium.open(file)
    read = page.read(file)
    whole = read.timeline["end_ns"] - read.timeline["begin_ns"]
    left, top, width = chromium.do("(() => { document.getElementById('timeline').scrollIntoView({behavior: 'instant'}); const box = document.querySelector('.scroller canvas').getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    for box in read.boxes(0):
        at = GUTTER + ((box["begin"] + box["end"]) / 2 + MARGIN * whole) / ((1 + 2 * MARGIN) * whole) * (width - GUTTER)
        chromium.ask("Input.dispatchMouseEvent", type="mouseMoved", x=left + at, y=top + FIRST_ROW)
        said = chromium.do("document.querySelector('#timeline .tip').textContent")
        assert said.startswith(read.frame_of(box["node"])["name"] + shown("_ns", box["end"] - box["begin"])), (said, box)


def test_a_counter_has_values(chromium, tmp_path):
    process = made.Trace(tmp_path / "trace").process(70)
    thread, other = process.thread(70), process.thread(71, 1, "other")
    process.code(1, "runs", "/app.py", 1)
    thread.function(1000, 9000, 1)
    other.function(4000, 11000, 1)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))
    left, top, width = chromium.do("(() => { document.getElementById('timeline').scrollIntoView({behavior: 'instant'}); const box = document.querySelector('.scroller canvas').getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    for part, value in ((0.1, "1 at"), (0.5, "2 at"), (0.9, "1 at")):
        chromium.ask("Input.dispatchMouseEvent", type="mouseMoved", x=left + GUTTER + (width - GUTTER) * part, y=top + 26 + 4 + 22 + COUNTER / 2)
        told = chromium.do("document.querySelector('#timeline .tip').textContent")
        assert told.startswith("threads running" + value), told


def test_a_box_names_the_other_end_of_its_arrow(chromium, tmp_path):
    process = made.Trace(tmp_path / "trace").process(70)
    thread, other = process.thread(70), process.thread(71, 1, "other")
    process.code(1, "gives", "/app.py", 1)
    process.code(2, "takes", "/app.py", 2)
    thread.python(1000, "begin", 1)
    other.python(1500, "begin", 2)
    other.event(2000, "python", "lock_wait_begin", tid=71, lock=1, is_new=1)
    thread.event(6000, "python", "lock_release", tid=70, lock=1)
    other.event(6100, "python", "lock_wait_end", tid=71, lock=1)
    other.python(9000, "end", 2)
    thread.python(11000, "end", 1)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))
    left, top, width = chromium.do("(() => { document.getElementById('timeline').scrollIntoView({behavior: 'instant'}); const box = document.querySelector('.scroller canvas').getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    for kind in ("mousePressed", "mouseReleased"):
        chromium.ask("Input.dispatchMouseEvent", type=kind, x=left + GUTTER + (width - GUTTER) / 4, y=top + COUNTER + FIRST_ROW, button="left", clickCount=1)
    assert "→ releases the lock for wait: lock, other" in chromium.do("document.querySelector('#timeline .detail').textContent")
    assert "Lock handed over" in chromium.do("document.querySelector('#timeline .legend').textContent")


def test_two_runs_are_side_by_side(chromium, tmp_path):
    traces = [everything.write(tmp_path / name, names=tuple(everything.SOUND), events=4000, seed=name) for name in "ab"]
    with open(tmp_path / "diff.html", "w") as file:
        subprocess.run([places.COMMAND, "diff", "--format", "html", *map(str, traces)], stdout=file, check=True)
    chromium.open(tmp_path / "diff.html")
    assert chromium.do("[...document.querySelectorAll('main section')].map((one) => one.id)") == ["answer", "differences", "timeline", "flame", "source"]
    told = json.loads(page.read(tmp_path / "diff.html", "-a").parts["diff"].decode())
    differ = [row for row in told["rows"] if row["self_ns"]["change"]]
    changed = [row for row in differ if row["verdict"] != "same"] or differ
    rows = rows_of(chromium, "Changes of own time")
    assert len(rows) == len(changed) > 5
    signs = {("−" if row["self_ns"]["change"] < 0 else "+") + shown("_ns", abs(row["self_ns"]["change"])) for row in changed}
    assert {row["Change"] for row in rows} == signs
    for view in ("differences", "flame"):
        chromium.do("document.querySelector('#%s canvas').dispatchEvent(new MouseEvent('click', {clientX: 300, clientY: "
                    "document.querySelector('#%s canvas').getBoundingClientRect().top + 50}))" % (view, view))


def test_single_runs_are_named_by_their_durations(chromium, tmp_path):
    """One run of a side has no known noise: no change is certain, and the head does not say that there is none."""
    traces = []
    for name, took in (("a", 100), ("b", 300)):
        process = made.Trace(tmp_path / name).process(70)
        process.code(1, "solve", "/a/app.py", 1)
        process.thread(70).function(0, took * MS, 1)
        traces.append(str(process.trace.write()))
    with open(tmp_path / "diff.html", "w") as file:
        subprocess.run([places.COMMAND, "diff", "--format", "html", *traces], stdout=file, check=True)
    chromium.open(tmp_path / "diff.html")
    assert chromium.do("document.querySelector('h1').textContent") == "A took 100 ms, B 300 ms"


@pytest.mark.parametrize("names", (EVIL, tuple(everything.HOSTILE)), ids=("markup", "bytes"))
def test_nothing_is_executed_and_all_is_shown(chromium, tmp_path, names):
    trace = everything.write(tmp_path / "trace", names=names, events=3000)
    file = export(trace, tmp_path / "page.html")
    chromium.open(file)
    assert chromium.do("document.documentElement.dataset.failed") is None
    functions = rows_of(chromium, "Python functions")
    # Each view is used: a search, a function, its callers.
    chromium.do("document.getElementById('search').value = 'script'; document.getElementById('search').dispatchEvent(new Event('input'))")
    chromium.do("for (const button of document.querySelectorAll('#found button, td .link')) button.click()")
    assert chromium.do("[typeof window.executed, document.querySelectorAll('img, svg, iframe, object').length, document.scripts.length]") == ["undefined", 0, 1]
    if names is EVIL:
        for name in {one["name"] for one in page.read(file).report["functions"]}:
            start = "".join("\\u{%x}" % ord(letter) if letter in "\u202e\n" else letter for letter in name)[:300]
            assert any(row["Name"].startswith(start) for row in functions), name
    hidden = re.compile("[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
    assert not hidden.search(chromium.do("document.body.innerText").replace("\t", " "))


@pytest.mark.parametrize("width", (390, 820, 1280))
@pytest.mark.parametrize("theme", ("dark", "light"))
def test_it_fits_any_width(chromium, sound, theme, width):
    chromium.size(width, 844, phone=width == 390)
    chromium.open(sound, "#theme=" + theme)
    assert chromium.do("document.documentElement.dataset.theme") == theme
    assert chromium.do("document.documentElement.scrollWidth") <= width
    chromium.size(1280, 900)


# Notes the texts that a page writes on its canvases, and counts its arrows.
WRITTEN = """window.written = [];
window.curves = 0;
const { fillText, bezierCurveTo } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { window.written.push(text); fillText.call(this, text, ...rest); };
CanvasRenderingContext2D.prototype.bezierCurveTo = function (...rest) { window.curves++; bezierCurveTo.call(this, ...rest); };"""


@pytest.fixture
def written(chromium):
    told = chromium.ask("Page.addScriptToEvaluateOnNewDocument", source=WRITTEN)
    yield lambda: set(chromium.do("window.written"))
    chromium.ask("Page.removeScriptToEvaluateOnNewDocument", **told)
    chromium.size(1280, 900)


@pytest.mark.parametrize("width, memory", ((390, {"resident memory · 50.0 MiB to 950 MiB"}), (1280, {"resident memory", "50.0 MiB to 950 MiB"})))
def test_names_are_whole_at_any_width(chromium, written, tmp_path, width, memory):
    """A phone has no place beside the tracks: names stand above them."""
    process = made.Trace(tmp_path / "trace").process(70)
    process.code(1, "runs", "/app.py", 1)
    for number, name in ((70, "MainThread"), (71, "QueueFeederThread")):
        process.thread(number, number - 70, name).function(1000, 9000, 1)
    for at, size in ((2000, 50), (4000, 950)):
        process.main.event(at, "core", "process_memory", resident_bytes=size << 20)
    chromium.size(width, 844, phone=width == 390)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))
    chromium.wait("window.written.length")
    assert memory | {"MainThread", "QueueFeederThread"} <= written(), written()


@pytest.mark.parametrize("width, drawn", ((390, False), (1280, True)))
def test_arrows_that_can_be_distinguished(chromium, written, tmp_path, width, drawn):
    """As many arrows as a wide screen has room for hide what is behind them on a narrow one."""
    process = made.Trace(tmp_path / "trace").process(70)
    process.code(1, "runs", "/app.py", 1)
    threads = [process.thread(70 + number, number, "thread") for number in range(3)]
    for thread in threads:
        thread.python(0, "begin", 1)
    for number in range(70):
        for at, lock, thread in ((10000 * number, 1, threads[1]), (10000 * number + 5000, 2, threads[2])):
            thread.event(at + 2000, "python", "lock_wait_begin", tid=thread.tid, lock=lock, is_new=int(not number))
            threads[0].event(at + 3000, "python", "lock_release", tid=70, lock=lock)
            thread.event(at + 3100, "python", "lock_wait_end", tid=thread.tid, lock=lock)
    for thread in threads:
        thread.python(710000, "end", 1)
    chromium.size(width, 844, phone=width == 390)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))
    chromium.wait("window.written.length")
    assert bool(chromium.do("window.curves")) == drawn, chromium.do("window.curves")


def test_a_findings_share_is_its_sentences(chromium, tmp_path):
    process = made.Trace(tmp_path / "trace").process(70)
    thread = process.thread(70)
    process.code(1, "keep", "/app.py", 1)
    thread.event(0, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
    thread.python(0, "begin", 1)
    thread.event(20 * MS, "python", "gc_begin", generation=2)
    thread.event(50 * MS, "python", "gc_end")
    thread.event(60 * MS, "core", "thread_clock", processor_ns=60 * MS, run_delay_ns=0)
    thread.event(100 * MS, "core", "thread_clock", processor_ns=60 * MS, run_delay_ns=40 * MS)
    thread.python(100 * MS, "end", 1)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))
    share, sentence = chromium.do("[document.querySelector('.findings .share').textContent, document.querySelector('.findings p').textContent]")
    assert share == "30 %" and "30.0 % of all time" in sentence, (share, sentence)


@pytest.mark.parametrize("width", (1280, 820, 390))
def test_the_line_where_most_time_goes_is_in_sight(chromium, sound, width):
    """Other columns leave a narrow page, as a notebook's or a phone's, before the function, its time and its line do."""
    chromium.size(width, 900, phone=width < 500)
    chromium.open(sound)
    shown, needed = chromium.do("(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.querySelector('#answer .scroll'))")
    titles = chromium.do("[...document.querySelectorAll('#answer th')].filter((one) => one.offsetWidth).map((one) => one.innerText.replace(/[^A-Za-z ]/g, '').trim())")
    chromium.size(1280, 900)
    assert needed <= shown, titles
    assert {"Function", "Own", "Where most goes"} <= set(titles)
    assert ("Longest" in titles, "Calls" in titles) == (width > 900, width > 700)


def press(chromium, key, kind="keydown"):
    chromium.do("document.dispatchEvent(new KeyboardEvent('%s', {key: '%s', bubbles: true}))" % (kind, key))


def wait_for_sight(chromium, begin, end):
    """Until the address has a visible time, in ns. It gets the time when it has stayed the same for a moment."""
    chromium.wait("((sight) => sight && Math.abs(sight[1] - %d) <= 1 && Math.abs(sight[2] - %d) <= 1)(/sight=([0-9]+)~([0-9]+)/.exec(location.hash))"
                  % (begin, end))


@pytest.mark.parametrize("reduced", (False, True))
def test_a_key(chromium, sound, reduced):
    """A key makes one step, to 0.7 of the time, or by 0.15 of it. One that is held goes on without a repeated event."""
    chromium.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce" if reduced else ""}])
    chromium.open(sound, "#sight=1000~31000")
    press(chromium, "w")
    press(chromium, "w", "keyup")
    wait_for_sight(chromium, 5500, 26500)
    chromium.open(sound, "#sight=1000~31000")
    press(chromium, "d")
    chromium.do("window.dispatchEvent(new Event('blur'))")  # no key is released in a page that is left
    wait_for_sight(chromium, 5500, 35500)
    if not reduced:
        chromium.open(sound, "#sight=1000~31000")
        press(chromium, "w")
        wait_for_sight(chromium, 15990, 16010)  # the least visible time
        press(chromium, "w", "keyup")


def test_a_link_keeps_the_view(chromium, sound):
    chromium.open(sound, "#sight=1000~30000&time=5000~20000&theme=light")
    said = chromium.do("document.querySelector('#flame .said').textContent")
    assert said.startswith("Selected: ")
    press(chromium, "w")
    press(chromium, "w", "keyup")
    chromium.wait("!location.hash.includes('sight=1000~30000')")
    kept = urllib.parse.urlsplit(chromium.do("location.href")).fragment
    assert "time=5000~20000" in kept
    chromium.open(sound, "#" + kept)
    assert chromium.do("document.querySelector('#flame .said').textContent") == said
    chromium.do("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    assert chromium.do("document.querySelector('#flame .said').textContent").startswith("The whole run")


def test_a_source_line_leads_to_callers_and_callees(chromium, tmp_path):
    """At its head a function's, and beside a line those of what it calls, if one function alone has that name."""
    source = tmp_path / "app.py"
    source.write_text("def main():\n    solve()\n\ndef solve():\n    check(); time.sleep(1)\n\ndef check():\n    pass\n")
    os.utime(str(source), ns=(made.ns(-10 ** 18),) * 2)
    process = made.Trace(tmp_path / "trace", names="registry").process(70)
    thread = process.thread(70)
    for number, (name, line) in enumerate((("main", 1), ("solve", 4), ("check", 7)), 1):
        process.code(number, name, str(source), line)
    thread.python(0, "begin", 1)
    thread.python(10 * MS, "begin", 2)
    thread.function(20 * MS, 25 * MS, 3)
    process.main.event(0, "python", "callee_info", callee=1, callee_name="time.sleep", module="time")
    thread.event(30 * MS, "python", "c_begin", tid=70, callee_how=4, lineno=5)
    thread.event(40 * MS, "python", "c_end", tid=70, callee_how=4)
    thread.python(50 * MS, "end", 2)
    thread.python(100 * MS, "end", 1)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))
    chromium.do("document.querySelector('#source #line-4 .callee button').click()")
    assert [row["Called by"] for row in rows_of(chromium, "Callers")] == ["main"]
    called = "[...document.querySelectorAll('#flame .pair > div:last-child tbody tr')].map((row) => row.children[0].textContent)"
    assert chromium.do(called) == ["time.sleep", "check"]
    chromium.do("[...document.querySelectorAll('#source .callee button')].find((one) => one.textContent === 'time.sleep').click()")
    assert sorted(row["Called by"] for row in rows_of(chromium, "Callers")) == ["solve"]


def test_a_filter_by_module(chromium, tmp_path):
    """Functions of other files leave the flame graph and its table; their time counts for those that called them."""
    process = made.Trace(tmp_path / "trace").process(70)
    thread = process.thread(70)
    for number, (name, file) in enumerate((("main", "/a/app.py"), ("solve", "/b/linear.py"), ("check", "/a/app.py")), 1):
        process.code(number, name, file, number)
    thread.python(0, "begin", 1)
    thread.python(10 * MS, "begin", 2)
    thread.function(20 * MS, 25 * MS, 3)
    thread.python(50 * MS, "end", 2)
    thread.python(100 * MS, "end", 1)
    chromium.open(export(process.trace.write(), tmp_path / "page.html"))

    def rows():
        return [(row["Function"], row["Itself"], row["Calls"]) for row in rows_of(chromium, "Functions in the selection")]

    assert rows() == [("main", "60.0 ms", "1"), ("solve", "35.0 ms", "1"), ("check", "5.00 ms", "1")]
    chromium.do("(() => { const field = document.querySelector('#flame input'); field.value = 'APP'; field.dispatchEvent(new Event('input')); })()")
    assert rows() == [("main", "95.0 ms", "1"), ("check", "5.00 ms", "1")]
    said = "document.querySelector('#flame .said').textContent"
    assert "Only functions of APP: 100 ms of 100 ms with what they call" in chromium.do(said)
    chromium.wait("location.hash.includes('module=APP')")
    chromium.open(tmp_path / "page.html", "#module=linear")
    assert rows() == [("solve", "40.0 ms", "1")] and "linear: 40.0 ms of 100 ms" in chromium.do(said)
    assert chromium.do("document.querySelector('#flame input').value") == "linear"
    chromium.do("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    assert len(rows()) == 3 and chromium.do("document.querySelector('#flame input').value") == ""


def test_keys_are_listed(chromium, sound):
    chromium.open(sound)
    chromium.do("document.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))")
    assert "zoom in and out" in chromium.do("document.querySelector('dialog[open]').textContent")


@pytest.mark.parametrize("link", ("#source=%E0%A4%A:1", "#sight=1~x&tracks=9999&function=-1", "#time=~&" + "x" * 5000))
def test_a_broken_link_is_no_harm(chromium, sound, link):
    chromium.open(sound, link)
    assert chromium.do("document.documentElement.dataset.failed") is None


def test_an_old_browser_is_told(chromium, sound):
    added = chromium.ask("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")["identifier"]
    chromium.open(sound)
    chromium.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=added)
    assert "too old" in chromium.do("document.querySelector('[role=alert]').textContent")
    assert len(chromium.said) == 1 and "too old" in chromium.said.pop()


def test_canvases_have_tables(chromium, sound):
    """Who sees no picture has a text for each, and tables with heads and captions."""
    chromium.open(sound)
    assert chromium.do("[...document.querySelectorAll('canvas')].every((one) => one.getAttribute('role') === 'img' && one.getAttribute('aria-label'))")
    assert chromium.do("[...document.querySelectorAll('.table table')].every((one) => one.caption && one.caption.textContent && "
                       "[...one.tHead.rows[0].cells].every((cell) => cell.scope === 'col'))")
    assert chromium.do("[...document.querySelectorAll('button, input, select')].every((one) => one.textContent.trim() || one.getAttribute('aria-label'))")
