"""The page: its data, decoded by Python, against the report and the CSV export of the same trace; what is around the
data; and `pinsight view`."""
import base64
import collections
import csv
import hashlib
import json
import math
import os
import re
import subprocess

import pytest

from support import everything, made, page, places


def run(*words, rc=0, env=None, cwd=None):
    done = subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=120, env=env, cwd=cwd)
    assert done.returncode == rc, done
    return done


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A made trace, the page of it, and its folder."""
    folder = tmp_path_factory.mktemp("page")
    trace = everything.write(folder / "trace", names=tuple(everything.SOUND), events=6000)
    run("export", "--to", "html", "-q", "-o", folder / "page.html", trace)
    return trace, page.read(folder / "page.html"), folder


def test_its_report_is_the_reports(sound):
    trace, read, _ = sound
    assert read.report == json.loads(run("report", "--format", "json", trace).stdout)


@pytest.mark.parametrize("option, key", (("links", "links"), ("lines", "lines"), ("imports", "imports"), ("by rank", "by_rank")))
def test_its_sections_are_those_of_the_report(sound, option, key):
    trace, read, _ = sound
    asked = json.loads(run("report", "--format", "json", *("--" + option).split(), trace).stdout)
    assert read.sections.get(key) == asked.get(key)


def test_boxes_are_the_slices_of_the_csv_export(sound):
    """Without the process: it may be known better when the trace is read than when the slice ended, which CSV has."""
    trace, read, folder = sound
    run("export", "--to", "csv", "-q", "-o", folder / "slices.csv", trace)
    begin = read.timeline["begin_ns"]
    slices = collections.Counter()
    with open(folder / "slices.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            slices[int(row["depth"]), int(row["begin_ns"]) - begin, int(row["duration_ns"]), row["category"]] += 1
    boxes = collections.Counter()
    for box in read.boxes(0):
        if box["track"].get("kind") == "task":  # has in a track of its own what is in a thread, too
            continue
        assert box["slices"] == 1 and read.timeline["levels"][0]["resolution_ns"] == 0
        boxes[box["depth"], box["begin"], box["end"] - box["begin"], read.frame_of(box["node"])["category"]] += 1
    assert boxes == slices and len(boxes) > 1000


@pytest.fixture
def made_thread(tmp_path):
    """A process of a made trace, and its main thread."""
    process = made.Trace(tmp_path / "trace").process(70)
    return process, process.thread(70)


def test_levels_have_all_slices(made_thread, tmp_path):
    process, thread = made_thread
    for number in range(1, 4):
        process.code(number, "f%d" % number, "/app.py", number)
    for at in range(4000):
        thread.function(1000 + at * 10000, 1000 + at * 10000 + 100 + at, at % 3 + 1)
    run("export", "--to", "html", "-q", "-o", tmp_path / "page.html", process.trace.write(packet=500))
    read = page.read(tmp_path / "page.html")
    whole = [sum(box[key] for box in read.boxes(0)) for key in ("slices", "busy")]
    assert whole[0] == 4000 and len(read.timeline["levels"]) > 1
    for level in range(1, len(read.timeline["levels"])):
        boxes, resolution = read.boxes(level), read.timeline["levels"][level]["resolution_ns"]
        assert [sum(box[key] for box in boxes) for key in ("slices", "busy")] == whole
        assert all(box["slices"] == 1 or box["end"] - box["begin"] <= resolution for box in boxes)
    assert len(boxes) < 1100


def test_the_gils_load_is_a_counter(made_thread, tmp_path):
    """Each record is about the time since the record before it, and the first one about that since the first wait."""
    process, thread = made_thread
    process.code(1, "f", "/app.py", 1)
    for at in range(0, 100000, 10000):
        thread.function(at, at + 9000, 1)
    for at, seen, held in ((30000, 20000, 15000), (60000, 50000, 45000), (99000, 89000, 45000)):
        thread.event(at, "python", "gil_load", tid=70, seen_ns=seen, held_ns=held)
    run("export", "--to", "html", "-q", "-o", tmp_path / "page.html", process.trace.write())
    counter = page.read(tmp_path / "page.html").counters()["GIL held, %", None]
    assert counter["points"] == [(10000, 75, 75, 75), (30000, 100, 100, 100), (60000, 0, 0, 0)]


def arrows_of(trace, folder, kind):
    run("export", "--to", "html", "-q", "--force", "-o", folder / "page.html", trace)
    read = page.read(folder / "page.html")
    begin = read.timeline["begin_ns"] - made.ns(0)
    return [(flow["from"] + begin, flow["leaves"]["tid"], flow["to"] + begin, flow["arrives"]["tid"])
            for flow in read.flows() if flow["kind"] == kind]


def test_a_lock_is_handed_over(made_thread, tmp_path):
    """From the thread that released it last, at that time; none where the wait timed out, or nobody released it."""
    process, thread = made_thread
    others = [process.thread(tid, tid - 70, "other") for tid in (71, 72)]
    for other in others:
        other.event(2000, "python", "lock_wait_begin", tid=other.tid, lock=1, is_new=int(other.tid == 71))
    thread.event(3000, "python", "lock_release", tid=70, lock=1)
    others[0].event(3100, "python", "lock_wait_end", tid=71, lock=1)
    others[0].event(4000, "python", "lock_release", tid=71, lock=1)
    others[1].event(4200, "python", "lock_wait_end", tid=72, lock=1)
    others[1].event(5000, "python", "lock_wait_begin", tid=72, lock=1)
    others[1].event(6000, "python", "lock_wait_end", tid=72, lock=1, how=1)
    assert arrows_of(process.trace.write(), tmp_path, 3) == [(3000, 70, 3100, 71), (4000, 71, 4200, 72)]


@pytest.fixture
def starts(tmp_path):
    """A trace with numbers for names, and a function that lets a thread call one of the named starts."""
    trace = made.Trace(tmp_path / "trace", names="registry")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/app.py", 1)
    process.code(2, "work", "/app.py", 9)
    callees = ("_thread.start_joinable_thread", "posix.fork", "_posixsubprocess.fork_exec", "time.sleep")
    for number, name in enumerate(callees, 1):
        process.main.event(0, "python", "callee_info", callee=number, callee_name=name, module="m")

    def call(begin, end, name, of=thread):
        of.event(begin, "python", "c_begin", tid=of.tid, callee_how=4 * (callees.index(name) + 1), lineno=3)
        of.event(end, "python", "c_end", tid=of.tid, callee_how=4 * (callees.index(name) + 1))
    thread.python(1000, "begin", 1)
    return process, call


def test_threads_are_started_by_a_call(starts, tmp_path):
    """In the order of the calls. A call without a thread stands for none after it: the thread that made it calls again."""
    process, call = starts
    call(1100, 1200, "_thread.start_joinable_thread")
    call(1300, 1400, "time.sleep")
    call(2000, 2100, "_thread.start_joinable_thread")
    first = process.thread(71, 1, "first")
    first.python(2050, "begin", 2)
    call(2060, 2070, "_thread.start_joinable_thread", first)
    call(2200, 2300, "_thread.start_joinable_thread")
    for tid, at in ((72, 2400), (73, 2500), (74, 2600)):
        process.thread(tid, tid - 70, "more").function(at, at + 100, 2)
    assert arrows_of(process.trace.write(), tmp_path, 4) == [(2000, 70, 2050, 71), (2060, 71, 2400, 72), (2200, 70, 2500, 73)]


def test_processes_are_started_by_a_call(starts, tmp_path):
    """A forked one by the call that is open; others by the first call without a process, unless that is long ago."""
    process, call = starts
    long = 6 * 10 ** 9
    children = {71: ("_posixsubprocess.fork_exec", 2000, 1500000), 72: ("_posixsubprocess.fork_exec", 3000, 1600000),
                73: ("posix.fork", 1700000, 1700050), 74: ("_posixsubprocess.fork_exec", 1800000, long)}
    for pid, (name, at, began) in children.items():
        call(at, at + 100, name)
        child = process.trace.process(pid, parent=70, began=began)
        child.main.event(began, "core", "thread_info", pid=pid, tid=pid, python_thread_id=0, name="MainThread")
        child.main.event(began, "python", "code_info", code=1, code_id=1, module="m", qualname="f", filename="/f.py", lineno=1)
        child.main.python(began + 10, "begin", 1)
    assert arrows_of(process.trace.write(), tmp_path, 4) == [
        (at, 70, began + 10, pid) for pid, (_, at, began) in children.items() if began < long]


def test_a_region_has_a_page_of_its_own(made_thread, tmp_path):
    """What ran outside of it is not in it, nor the waits before it; names are from the whole trace."""
    process, thread = made_thread
    process.code(1, "f", "/app.py", 1)
    for at, name in ((10000, "one"), (30000, "two"), (50000, "one")):
        thread.event(at - 5000, "core", "thread_clock", processor_ns=at // 10, run_delay_ns=3000)
        thread.function(at - 900, at - 800, 1)
        thread.event(at, "core", "region_begin", name=name)
        thread.python(at + 100, "begin", 1)
        thread.event(at + 3900, "core", "thread_clock", processor_ns=at // 10 + 900, run_delay_ns=3000)
        thread.python(at + 4100, "end", 1)
        thread.event(at + 5000, "core", "region_end", name=name)
    trace = process.trace.write()
    for name, begin, end, calls in (("two", 30000, 35000, 1), ("one", 10000, 55000, 5)):
        run("view", "--no-open", "-q", "--region", name, "-o", tmp_path / "page.html", trace)
        read = page.read(tmp_path / "page.html")
        assert (read.timeline["begin_ns"], read.timeline["end_ns"]) == (made.ns(begin), made.ns(end))
        assert read.index["region"] == name and [(row["name"], row["calls"]) for row in read.report["functions"]] == [("f", calls)]
        if name == "two":
            assert [box["waiting"] for box in read.boxes(0) if box["depth"] == 1] == [48]
    done = run("export", "--to", "csv", "--region", "three", "-o", tmp_path / "three.csv", trace, rc=1)
    assert "no region 'three'" in done.stderr


MANY_REGIONS = """
import pinsight
exec("\\n".join("def f%d():\\n    return None" % number for number in range(100)))
functions = [globals()["f%d" % number] for number in range(100)]
def test():
    for function in functions:
        function()
for number in range(3000):
    with pinsight.region("test %d" % number):
        test()
"""


def test_many_regions_share_a_tree(newest, run_traced, tmp_path):
    """From 131,072 contexts on. Each region still has its box, and each call its place."""
    trace = run_traced(newest, MANY_REGIONS).folder
    run("view", "--no-open", "-q", "-o", tmp_path / "page.html", trace)
    read = page.read(tmp_path / "page.html")
    assert 2**17 <= read.contexts["nodes"] <= 2**17 + 3000 + 1000
    calls, shared, regions = collections.Counter(), collections.Counter(), 0
    for node, (frame, count) in enumerate(zip(read.nodes["frame"], read.nodes["calls"])):
        name = read.frames[frame - 1]["name"] if frame else ""
        calls[name] += count
        regions += name.startswith("test ")
        if name == "test" and not read.frame_of(read.nodes["parent"][node] - 1)["name"].startswith("test "):
            shared[name] += count
    assert regions == 3000 and calls["test"] == 3000 and 1500 < shared["test"] < 2000
    assert all(calls["f%d" % number] == 3000 for number in range(100))
    finest = [box for box in read.boxes(0) if read.frame_of(box["node"])["name"].startswith("test ")]
    assert sum(box["slices"] for box in finest) >= 3000


def test_bins_are_the_contexts_times(sound):
    """But for the pauses of the program, which bins have and own times do not."""
    _, read, _ = sound
    own, calls = collections.Counter(), collections.Counter()
    for (_, node, at), (begun, ns, waiting) in read.bins().items():
        assert at < 1024
        own[node] += ns
        calls[node] += begun
    for node, (self_ns, count) in enumerate(zip(read.nodes["self_ns"], read.nodes["calls"])):
        assert own[node] >= self_ns
        assert calls[node] >= count  # a generator that resumes is no call
    assert sum(own.values()) <= 1.2 * sum(read.nodes["self_ns"])


def test_its_parts_are_the_policys(sound):
    """One script and one style, by their hashes; all else is forbidden."""
    read = sound[1]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', read.frame).group(1)
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'" and "unsafe" not in policy and "http" not in policy
    for element, directive in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall("<%s>(.*?)</%s>" % (element, element), read.frame, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert directives[directive] == "'sha256-%s'" % digest
    assert not re.search(r"(?:src|href)=\"(?!#)|url\(|@import|\bon\w+=", re.sub(r"<script>.*</script>", "", read.frame, flags=re.DOTALL))
    assert "innerHTML" not in read.frame and "insertAdjacentHTML" not in read.frame


def test_nothing_of_a_trace_stands_in_it_as_text(tmp_path):
    """The page around the data is that of any other trace."""
    frames = []
    for name, names in (("one", ["</script><script>alert(1)</script>", "\u202eevil", "x" * 10000, "\x00\x1b[31m\x9b"]), ("other", everything.HOSTILE)):
        names = [one.replace("\x00", "") for one in names]
        trace = everything.write(tmp_path / name, names=tuple(names), events=1500)
        (trace / "pinsight-run.txt").write_text("command </script><img src=x onerror=alert(1)>\nended 1\n")
        run("export", "--to", "html", "-q", "-o", tmp_path / (name + ".html"), trace, rc=1)  # it is no stream of the trace
        read = page.read(tmp_path / (name + ".html"))
        frames.append(read.frame)
        if name == "one":
            assert {"</script><script>alert(1)</script>", "x" * 10000} <= {frame["name"] for frame in read.frames}
            assert read.index["command"] == "</script><img src=x onerror=alert(1)>"
    assert frames[0] == frames[1]


def test_a_page_of_two_has_what_diff_says_and_both_runs(sound, tmp_path):
    trace, read, _ = sound
    other = everything.write(tmp_path / "other", names=tuple(everything.SOUND), events=3000, seed=2)
    (tmp_path / "diff.html").write_text(run("diff", "--format", "html", trace, other).stdout, encoding="utf-8")
    sides = [page.read(tmp_path / "diff.html", suffix) for suffix in ("-a", "-b")]
    assert sides[0].report == read.report and sides[0].data == read.data
    assert sides[1].report == json.loads(run("report", "--format", "json", other).stdout)
    assert json.loads(sides[0].parts["diff"].decode()) == json.loads(run("diff", "--format", "json", trace, other).stdout)
    assert sides[0].frame == read.frame


def test_a_page_of_two_is_made_of_traces():
    done = run("compare", "--format", "html", "--", "true", "--to", "true", rc=2)
    assert "-o DIR" in done.stderr


# ---- pinsight view ----

def without_display(**more):
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    return dict(env, **more)


def test_view_writes_without_a_display(sound, tmp_path):
    done = run("view", sound[0], env=without_display(), cwd=tmp_path)
    assert str(tmp_path / "trace.html") in done.stderr and "open it in a browser" in done.stderr and done.stdout == ""
    page.read(tmp_path / "trace.html")


def test_view_opens_a_browser(sound, tmp_path):
    told = tmp_path / "told"
    os.mkfifo(str(told))
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > "%s"\n' % told)
    browser.chmod(0o755)
    run("view", "-o", tmp_path / "run.html", sound[0], env=without_display(BROWSER="/nowhere/browser:%s %%s" % browser))
    assert told.read_text() == "%s\n" % (tmp_path / "run.html")
    assert "browser opens" not in run("view", "--no-open", "-o", tmp_path / "run.html", sound[0], env=without_display(BROWSER=str(browser))).stderr


def test_view_replaces_pages_alone(sound, tmp_path):
    mine = tmp_path / "trace.html"
    mine.write_text("<!DOCTYPE html>mine")
    assert "--force" in run("view", sound[0], rc=1, env=without_display(), cwd=tmp_path).stderr
    assert mine.read_text() == "<!DOCTYPE html>mine"
    run("view", "--force", sound[0], env=without_display(), cwd=tmp_path)
    run("view", sound[0], env=without_display(), cwd=tmp_path)
    page.read(mine)


@pytest.fixture
def with_libraries(made_thread, tmp_path):
    """A trace of a file of the program's and of two libraries' files, of which the second one ran longer and is large."""
    process, thread = made_thread
    folder = tmp_path / "lib" / "python3.12" / "site-packages"
    folder.mkdir(parents=True)
    files = {tmp_path / "app.py": "app()\n", folder / "short.py": "short()\n", folder / "long.py": "long()  # %s\n" % ("x" * 3 * 2 ** 20),
             folder / "longer.py": "longer()  # %s\n" % ("x" * 3 * 2 ** 20), folder / "unused.py": "unused()\n"}
    for number, (path, text) in enumerate(files.items(), 1):
        path.write_text(text)
        os.utime(str(path), ns=(made.ns(-10 ** 18),) * 2)
        process.code(number, "f%d" % number, str(path), 1)
    thread.python(5000, "begin", 1)
    for number in (2, 3, 4):
        thread.function(number * 10000, number * 10000 + number * 1000, number)
    thread.python(60000, "end", 1)
    return process.trace.write()


@pytest.mark.parametrize("which, there", [
    (None, {"app.py": "app()\n"}), ("user", {"app.py": "app()\n"}), ("none", {"app.py": None}),
    ("all", {"app.py": "app()\n", "longer.py": "longer()", "short.py": "short()\n"})])
def test_sources_of_libraries_on_request(with_libraries, tmp_path, which, there):
    """The files with the most time come first, until the page has 4 MiB of them; a line says how many are left out."""
    done = run("export", "--to", "html", *(["--sources", which] if which else []), "-o", tmp_path / "page.html", with_libraries)
    sources = {os.path.basename(source["file"]): source for source in page.read(tmp_path / "page.html").index["sources"]}
    assert {name: source["text"] if name != "longer.py" else source["text"][:8] for name, source in sources.items()} == there
    assert {name for name, source in sources.items() if source.get("library")} == set(there) - {"app.py"}
    assert ("files of libraries that are not in the page: 1;" in done.stderr) == (which == "all")


def test_sources_belong_to_pages(with_libraries, tmp_path):
    assert "--sources is for --to html, not csv" in run("export", "--to", "csv", "--sources", "all", with_libraries, rc=2, cwd=tmp_path).stderr
    run("view", "--no-open", "--sources", "all", "-o", tmp_path / "view.html", with_libraries, env=without_display())
    assert len(page.read(tmp_path / "view.html").index["sources"]) == 3


def test_sources_are_the_users_and_as_they_were(made_thread, tmp_path):
    """A file of the program's is in the page; one that was changed later, or is no Python, is not."""
    process, thread = made_thread
    names = {"app.py": "print('äö')\n", "later.py": "x\n", "notes.txt": "secret\n"}
    for number, (name, text) in enumerate(names.items(), 1):
        (tmp_path / name).write_text(text, encoding="utf-8")
        changed = made.ns(10 ** 18 if name == "later.py" else -10 ** 18)
        os.utime(str(tmp_path / name), ns=(changed, changed))
        process.code(number, "f%d" % number, str(tmp_path / name), 1)
        thread.function(number * 10, number * 10 + 5, number)
    run("export", "--to", "html", "-q", "-o", tmp_path / "page.html", process.trace.write())
    sources = {os.path.basename(source["file"]): source["text"] for source in page.read(tmp_path / "page.html").index["sources"]}
    assert sources == {"app.py": names["app.py"], "later.py": None, "notes.txt": None}


COUNTED = """
import math, os, pinsight, threading, time
for i in range(100):
    pinsight.mark("residual", 10.0 ** -(i / 10))
for i in range(10000):
    pinsight.mark("wave", math.sin(i / 100) if i != 5000 else 7)
for odd in (math.nan, math.inf):
    pinsight.mark("odd", odd)
def sleeps(thread):
    return open("/proc/self/task/%d/stat" % thread.native_id).read().rpartition(")")[2].split()[0] == "S"
comes, goes = os.pipe()
threads = [threading.Thread(target=os.read, args=(comes, 1)) for _ in range(2)]
for thread in threads: thread.start()
while not all(map(sleeps, threads)): time.sleep(0.001)
os.write(goes, b"12")
for thread in threads: thread.join()
"""


def test_counters(newest, run_traced, tmp_path):
    """Marked values, whole or as ranges of many; the number of running threads."""
    (tmp_path / "counted.py").write_text(COUNTED)
    done = run_traced(newest, tmp_path / "counted.py")
    run("export", "--to", "html", "-q", "-o", tmp_path / "page.html", done.folder)
    read = page.read(tmp_path / "page.html")
    found = read.counters()
    residual, wave, threads = found["value", "residual"], found["value", "wave"], found["threads running", None]
    assert [(least, most, last) for _, least, most, last in residual["points"]] == [(10.0 ** -(i / 10),) * 3 for i in range(100)]
    assert residual["width_ns"] == 0 and residual["all"] == 100
    assert wave["all"] == 10000 and 500 < len(wave["points"]) <= 2048 and wave["width_ns"] > 0
    assert max(most for _, _, most, _ in wave["points"]) == 7 and wave["points"][-1][3] == math.sin(99.99)
    assert all(least <= last <= most for _, least, most, last in wave["points"])
    assert ("value", "odd") not in found and read.timeline["marks"] == []
    assert max(most for _, _, most, _ in threads["points"]) == 3 and threads["points"][-1][3] == 0
    for counter in found.values():
        times = [point[0] for point in counter["points"]]
        assert times == sorted(times) and 0 <= times[0] and times[-1] <= read.timeline["end_ns"] - read.timeline["begin_ns"]
