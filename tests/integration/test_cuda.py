"""CUDA in every view, on made traces. What has to come out is worked out in support/cuda.py."""
import collections
import csv
import io
import json
import os
import random
import shutil
import subprocess

import pytest

from support import cuda, made, places, traces
from support.pythons import pythons

from test_export_chrome import form as chrome_form  # noqa: F401
from test_export_perfetto import form as perfetto_form, interpreter  # noqa: F401
import test_view_api


def run(*words, rc=0, **how):
    done = subprocess.run([places.COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    assert done.returncode == rc, done.stderr
    return done.stdout.decode("utf-8", "surrogateescape")


def rows_of(folder, *options):
    rows = list(csv.DictReader(io.StringIO(run("export", "-q", "--to", "csv", "-o", "-", *options, folder), newline="")))
    for row in rows:
        row.update({key: int(value) for key, value in row.items() if key not in ("category", "name", "file")})
    return rows


def report(folder, *options):
    return json.loads(run("report", "-q", "--format", "json", "--links", *options, folder))


@pytest.fixture(scope="module")
def the_run(tmp_path_factory):
    return cuda.Run(tmp_path_factory.mktemp("cuda") / "made")


def test_another_reader_reads_what_was_made(the_run):
    names = collections.Counter(event.name for event in traces.events(the_run.folder))
    assert names["cudaKernelActivity"] + names["cudaMemcpyActivity"] + names["cudaMemsetActivity"] == len(the_run.works)
    assert sum(count for name, count in names.items() if name.endswith("_end") and name.startswith("cuda")) == len(the_run.calls)
    assert names["cudaLaterCall_begin"] and names["cudaSyncActivity"] == 2


def check_rows(the_run, rows):
    calls = {(row["pid"], row["tid"], row["name"], row["begin_ns"], row["begin_ns"] + row["duration_ns"], row["bytes"],
              row["correlation"], row["depth"], row["file"], row["line"]) for row in rows if row["category"] == "cuda"}
    assert calls == {(one.pid, one.tid, one.name, made.ns(one.begin), made.ns(one.end), one.bytes, one.correlation, one.depth,
                      cuda.SCRIPT, the_run.line_of(one.path)[1]) for one in the_run.calls}
    works = {(row["pid"], row["device"], row["context"], row["stream"], row["name"], row["begin_ns"],
              row["begin_ns"] + row["duration_ns"], row["bytes"], row["correlation"], row["line"])
             for row in rows if row["category"] == "device"}
    assert works == {(one.pid, one.device, one.context, one.stream, one.name, made.ns(one.begin), made.ns(one.end), one.bytes,
                      one.correlation, the_run.line_of(one.path)[1] if one.path else 0) for one in the_run.works}
    last = {}
    for row in rows:  # in each track in the order of time, and in a stream one after the other
        track = row["pid"], row["tid"], row["device"], row["context"], row["stream"]
        assert row["begin_ns"] + row["duration_ns"] >= last.get(track, 0)
        if row["category"] == "device":
            assert row["depth"] == 0 and row["tid"] == 0 and row["begin_ns"] >= last.get(track, 0)
        else:
            assert row["device"] == row["context"] == row["stream"] == -1
        last[track] = row["begin_ns"] + row["duration_ns"]


def test_rows(the_run):
    rows = rows_of(the_run.folder)
    check_rows(the_run, rows)
    python = [(row["name"], row["pid"], row["begin_ns"], row["begin_ns"] + row["duration_ns"]) for row in rows
              if row["category"] == "python"]
    assert sorted(python) == sorted((name, pid, made.ns(begin), made.ns(end)) for name, pid, begin, end in the_run.functions)


@pytest.mark.wheel
def test_parquet(the_run, tmp_path):
    """Device time of each stream, by DuckDB."""
    run("export", "-q", "--to", "parquet", "-o", tmp_path / "a.parquet", the_run.folder)
    reader = pythons()[-1].with_packages("duckdb", "pyarrow")
    query = ("import duckdb, json, sys; print(json.dumps(duckdb.sql(\"select pid, device, stream, count(*), sum(duration_ns)::bigint "
             "from '%s' where category = 'device' group by all\" % sys.argv[1]).fetchall()))")
    found = json.loads(subprocess.run([reader, "-c", query, str(tmp_path / "a.parquet")], stdout=subprocess.PIPE, check=True).stdout)
    told = report(the_run.folder)["cuda"]["streams"]
    assert sorted(found) == sorted([one["pid"], one["device"], one["stream"], one["kernels"] + one["copies"] + one["sets"],
                                    one["busy_ns"]] for one in told)


def test_the_report_adds_up(the_run):
    """The numbers of the model are those of the rows."""
    told, rows = report(the_run.folder)["cuda"], rows_of(the_run.folder)
    assert told["calls"] == len(the_run.calls)
    assert {one["name"]: (one["calls"], one["total_ns"]) for one in told["functions"]} == sums(
        (row["name"], row["duration_ns"]) for row in rows if row["category"] == "cuda")
    assert {one["name"]: (one["count"], one["total_ns"]) for one in told["work"]} == sums(
        (row["name"], row["duration_ns"]) for row in rows if row["category"] == "device")
    assert sum(one["device_ns"] for one in told["functions"]) == sum(one.end - one.begin for one in the_run.works if one.path)
    assert {one["name"]: one["failed"] for one in told["functions"] if one["failed"]} == {"cudaMemsetAsync": 10}
    late = the_run.late()
    assert told["records"] == {
        "work": len(the_run.works), "without_call": len(the_run.works) - len(the_run.linked), "without_times": 0,
        "shortened": 0, "shortened_ns": 0, "calls_without": the_run.unanswered, "calls_captured": 0, "calls_awaited": 0,
        "calls_unclear": 0, "waits": 2, "waits_ns": 800, "dropped": 0, "taken_over": 0, "kept_back": 0, "calibrated": 0,
        "clock_error_ns": 0, "begins_checked": len(the_run.linked), "early": 0, "early_ns": 0,
        "ends_checked": len(late), "late": sum(ns > 0 for ns in late), "late_ns": max(late)}


def sums(pairs):
    found = collections.defaultdict(lambda: [0, 0])
    for name, ns in pairs:
        found[name][0] += 1
        found[name][1] += ns
    return {name: tuple(row) for name, row in found.items()}


def test_links(the_run):
    told = report(the_run.folder)["links"]
    expected = the_run.links()
    rows = {(row["function"], row["line"]): row["cuda"] for row in told["lines"]}
    rows[None] = told["no_python"]["cuda"]
    keys = ("calls", "wall_ns", "thread_ns", "waiting_ns", "sent_bytes", "received_bytes")
    assert {line: [row[key] for key in keys] for line, row in rows.items() if any(row.values())} == expected
    assert [told["native"]["cuda"][key] for key in keys] == [sum(row[at] for row in expected.values()) for at in range(6)]
    assert told["recorded_ns"] == told["python_ns"] + told["c_ns"] + told.get("gc_ns", 0) + told["native"]["cuda"]["wall_ns"]
    main = sum(end - begin for name, _, begin, end in the_run.functions if name == "main")
    assert told["recorded_ns"] == main
    assert {thread["pid"] for thread in told["threads"]} == {70, 80} and len(told["threads"]) == 2
    screen = run("report", "-q", "--links", the_run.folder, env=dict(os.environ, COLUMNS="140"))
    assert "CUDA with no Python above it: 0 ns, on devices" in screen and "train.py:21" in screen
    text = run("report", "-q", "--links", "--format", "csv", the_run.folder)
    found = [row for row in csv.DictReader(io.StringIO(text, newline="")) if row["domain"] == "cuda"]
    assert sum(int(row["thread_ns"]) for row in found) == sum(one.end - one.begin for one in the_run.works)


def test_the_screen(the_run):
    screen = run("report", "-q", the_run.folder, env=dict(os.environ, COLUMNS="100"))
    assert "╳ CUDA " in screen and "Work of devices" in screen and " gemm<float>\n" in screen
    screen = " ".join(screen.split())
    assert "Of %d CUDA calls there is no record" % the_run.unanswered in screen
    assert "Of 8 records of devices' work the call is not in the trace" in screen


def check_timeline(the_run, timeline):
    calls = [one for one in timeline.slices if one.category == "cuda"]
    works = [one for one in timeline.slices if one.category == "device"]
    assert len(calls) == len(the_run.calls) and len(works) == len(the_run.works)
    assert all(one.parent.name == "step" for one in calls)
    names = collections.Counter(timeline.threads[key]["name"] for key in {one.thread for one in works})
    assert names == {"GPU 0 stream 7": 2, "GPU 0 stream 8": 2, "GPU 1 stream 9": 2}
    pids = {key: one["pid"] for key, one in timeline.processes.items()}

    def pid(one):
        return pids[timeline.threads[one.thread]["process"]]

    # A flow from each call to each piece of work that it caused.
    found = collections.Counter()
    for number, targets in timeline.launched.items():
        source = timeline.leaving[number]
        for one in targets:
            assert source.details["correlation"] == one.details["correlation"] and pid(source) == pid(one)
            assert source.details.get("file") == one.details.get("file") == cuda.SCRIPT
            assert source.details["line"] == one.details["line"]
            found[pid(one), one.details["correlation"]] += 1
    assert found == collections.Counter(the_run.linked)
    by_number = {(one.pid, one.correlation, one.name): one for one in the_run.works}
    for one in works:
        work = by_number[pid(one), one.details["correlation"], one.name]
        assert (one.begin % 10 ** 9, one.end % 10 ** 9, one.details.get("bytes", 0)) == (work.begin, work.end, work.bytes)
        if one.name == cuda.GEMM:
            assert (one.details["grid_y"], one.details["block_x"]) == (2, 128)
    orders = [(timeline.threads[key]["order"], timeline.threads[key]["name"]) for key in timeline.threads]
    assert [name for _, name in sorted(orders)][:2] == ["MainThread"] * 2
    running = [one["values"] for one in timeline.counters if one["name"] == "threads running"]
    assert len(running) == 2 and all(max(value for _, value in one) == 1 for one in running)


def test_perfetto(the_run, perfetto_form):
    check_timeline(the_run, perfetto_form(the_run.folder))


def test_chrome(the_run, chrome_form):
    check_timeline(the_run, chrome_form(the_run.folder))


def test_the_view_library(tmp_path):
    """Each slice of each stream, and a link to each piece of work whose call is known."""
    plain = made.Trace(tmp_path / "made")
    thread = plain.process(70).thread(70)
    for at, name in ((100, "cudaKernelLaunch"), (200, "cudaGraphLaunch")):
        with thread.call(at, at + 20, name, correlationId=at):
            pass
    for at, correlation in ((300, 100), (400, 200), (500, 200), (600, 5)):
        record(plain, 1000 + at, at, at + 50, correlation)
    rows, counts = test_view_api.rows_of(plain.write(), tmp_path)
    assert [row[:16] for row in rows] == test_view_api.exported_rows(plain.folder) and len(rows) == 6
    assert {row[17] for row in rows} == {"MainThread", "GPU 0 stream 7"}
    assert counts == "6 begins 0 parts 0 messages 3 launches 0 marks 0 damages".split()


def test_a_part_of_it(the_run):
    """One process, and one thread: of devices' work that which it asked for."""
    rows = rows_of(the_run.folder, "--process", "80")
    assert {row["pid"] for row in rows} == {80} and {row["category"] for row in rows} == {"python", "cuda", "device"}
    rows = rows_of(the_run.folder, "--thread", "70")
    works = [row for row in rows if row["category"] == "device"]
    assert {row["pid"] for row in rows} == {70} and len(works) == len([one for one in the_run.linked if one[0] == 70])
    told = report(the_run.folder, "--thread", "70")
    assert told["cuda"]["records"]["work"] == len(works)
    assert told["links"]["native"]["cuda"]["thread_ns"] == sum(row["duration_ns"] for row in works)


def test_dump(the_run):
    text = run("dump", the_run.folder)
    assert "cudaKernelLaunch_begin" in text and 'name="%s"' % cuda.MANGLED in text and "kind=host_to_device" in text
    assert text.count("cudaMemcpyActivity") == len([one for one in the_run.works if one.type == "copy"])


def small(folder):
    trace = made.Trace(folder)
    process = trace.process(70)
    return trace, process.thread(70)


def record(trace, at, start, end, correlation=1, stream=7, name="k", **fields):
    trace.event(at, 70, 75, "cuda", "cudaKernelActivity", **{
        **dict(devId=0, contextId=1, streamId=stream, correlationId=correlation, start=start, end=end,
               kernel=trace.processes[70].kernel(0, name)), **fields})


TORCH = "/v/lib/python3.12/site-packages/torch/"


class Training:
    """Steps as PyTorch makes them: two operations in the user's lines, then a backward pass, which threads without
    Python do. What each line causes is added up beside it."""

    def __init__(self, folder, calls, threads=1, steps=5, names="inline"):
        self.trace = made.Trace(folder, names=names)
        self.process, self.calls, self.steps = self.trace.process(70), calls, steps
        codes = {1: ("train", "/u/train.py", 40), 2: ("Net.forward", "/u/model.py", 10),
                 3: ("Tensor.backward", TORCH + "_tensor.py", 570), 4: ("backward", TORCH + "autograd/__init__.py", 250),
                 5: ("_make_grads", TORCH + "autograd/__init__.py", 90),
                 6: ("_engine_run_backward", TORCH + "autograd/graph.py", 810)}
        for number, (name, file, line) in codes.items():
            self.process.code(number, name, file, line)
        self.codes = codes
        for number, parent, code, line in ((1, 0, 1, 50), (2, 1, 2, 12), (3, 1, 2, 14), (4, 0, 1, 51), (5, 4, 3, 647), (6, 5, 4, 342),
                                           (7, 6, 5, 218)):
            self.process.path(number, parent, code, line)
        self.mains = [self.process.thread(71 + at, at, "MainThread" if not at else "second") for at in range(threads)]
        self.worker = made.Thread(self.process, 80)
        self.now, self.number, self.records, self.unclear = 1000, 0, [], 0
        self.rows = collections.defaultdict(int)  # device time by line, and by line of the forward pass
        for main in self.mains:
            self.python(main, "begin", 1)
        for _ in range(steps):
            self.step()
        for main in self.mains:
            self.python(main, "end", 1)
        for at, fields in enumerate(self.records):
            record(self.trace, self.now + at, **fields)
        self.folder = self.trace.write()

    def python(self, thread, what, code):
        self.now += 10
        thread.python(self.now, what, code)

    def call(self, thread, what):
        self.now += 10
        fields = dict(caller_qualname="_engine_run_backward", callee_name="torch._C._EngineBase.run_backward",
                      caller_filename=self.codes[6][1], caller_lineno=824, code_id=6, python_thread_id=thread.number)
        thread.event(self.now, "python", "c_call_" + what, **fields)

    def launch(self, thread, path, line, forward=0, forward_line=None):
        self.now += 20
        self.number += 1
        with thread.call(self.now, self.now + 5, "cudaKernelLaunch", correlationId=self.number, py_path=path,
                         forward_path=forward, streamId=7):
            pass
        took = 3 + self.number % 4
        self.records.append(dict(start=self.now + 7, end=self.now + 7 + took, correlation=self.number))
        self.rows[line, forward_line] += took

    def step(self):
        main = self.mains[0]
        self.python(main, "begin", 2)
        self.launch(main, 2, 12)
        self.launch(main, 3, 14)
        self.python(main, "end", 2)
        for thread in self.mains:
            for code in (3, 4, 5):
                self.python(thread, "begin", code)
            self.launch(thread, 7, 51)
            self.python(thread, "end", 5)
            self.python(thread, "begin", 6)
            if self.calls:
                self.call(thread, "begin")
        alone = len(self.mains) == 1
        for forward, line in ((3, 14), (2, 12), (2, 12), (0, None)):
            self.launch(self.worker, 0, 51 if alone else None, forward, line)
            self.unclear += not alone
        for thread in self.mains:
            if self.calls:
                self.call(thread, "end")
            for code in (6, 4, 3):
                self.python(thread, "end", code)


@pytest.mark.parametrize("names, calls", [("inline", True), ("inline", False), ("registry", False)])
def test_a_backward_pass(names, calls, tmp_path):
    """Work of threads of C++ is of the line that waits for it, and of the operation that it is the gradient of."""
    training = Training(tmp_path / "made", calls, names=names)
    told = report(training.folder)
    found = {(row["line"], row["forward_line"]): row["cuda"]["thread_ns"] for row in told["links"]["lines"]
             if row["cuda"]["thread_ns"]}
    assert found == dict(training.rows)
    assert {(row["file"], row["forward_file"], row["forward_function"]) for row in told["links"]["lines"] if row["forward_line"]} == {
        ("/u/train.py", "/u/model.py", "Net.forward")}
    assert told["links"]["no_python"]["cuda"]["thread_ns"] == 0
    assert told["cuda"]["records"]["calls_awaited"] == 4 * training.steps and told["cuda"]["records"]["calls_unclear"] == 0
    screen = " ".join(run("report", "-q", "--links", training.folder, env=dict(os.environ, COLUMNS="200")).split())
    assert "backward of" in screen and "/u/train.py:51 /u/model.py:12" in screen
    text = run("report", "-q", "--links", "--format", "csv", training.folder)
    assert {(int(row["line"]), int(row["forward_line"] or 0)): int(row["thread_ns"])
            for row in csv.DictReader(io.StringIO(text, newline="")) if row["domain"] == "cuda" and int(row["thread_ns"] or 0)} == {
                (line, forward or 0): ns for (line, forward), ns in training.rows.items()}
    threads = [row for row in told["links"]["threads"] if row["tid"] == 80]
    assert threads and threads[0]["alone_ns"]["cuda"] == 4 * 5 * training.steps  # it has no Python


def test_several_backward_passes(tmp_path):
    """Two threads wait for one: whose the work is is not known, and said."""
    training = Training(tmp_path / "made", True, threads=2)
    told = report(training.folder)
    assert told["links"]["no_python"]["cuda"]["thread_ns"] == sum(
        ns for (line, _), ns in training.rows.items() if line is None)
    assert told["cuda"]["records"]["calls_unclear"] == training.unclear == 20 and told["cuda"]["records"]["calls_awaited"] == 0
    assert "20 CUDA calls were made for a backward pass while several threads waited" in " ".join(
        run("report", "-q", training.folder).split())


def test_a_forward_pass_in_timelines(tmp_path, chrome_form):
    timeline = chrome_form(Training(tmp_path / "made", True, steps=1).folder)
    found = collections.Counter((one.details.get("line"), one.details.get("forward_file"), one.details.get("forward_line"))
                                for one in timeline.slices if one.category in ("cuda", "device"))
    assert found == {(12, None, None): 2, (14, None, None): 2, (51, None, None): 4, (51, "/u/model.py", 14): 2,
                     (51, "/u/model.py", 12): 4}


def test_capture(tmp_path):
    """What is captured into a graph is not done, and its records are not missing. The graph's are those of its launch."""
    trace, thread = small(tmp_path / "made")
    at = 0
    for number, (name, graph) in enumerate([
            ("cudaKernelLaunch", 0), ("cudaStreamBeginCapture", 0), ("cudaKernelLaunch", 0), ("cudaKernelLaunch", 0),
            ("cudaStreamEndCapture", 0), ("cudaGraphInstantiate", 9), ("cudaGraphLaunch", 9), ("cudaGraphLaunch", 9)], 1):
        at += 100
        with thread.call(at, at + 10, name, correlationId=number, **({"graph": graph} if graph else {"streamId": 7})):
            pass
    record(trace, 2000, 650, 660, correlation=1)
    record(trace, 2001, 720, 730, correlation=7, graph_id=4, graph_node_id=1)
    record(trace, 2002, 730, 740, correlation=7, graph_id=4, graph_node_id=2)
    trace.event(2003, 70, 75, "cuda", "cudaGraphActivity", devId=0, contextId=1, streamId=7, correlationId=8, start=820, end=850, graph_id=4)
    told = report(trace.write())["cuda"]
    assert (told["records"]["calls_captured"], told["records"]["calls_without"], told["records"]["without_call"]) == (2, 0, 0)
    assert {(one["type"], one["name"]): (one["count"], one["total_ns"]) for one in told["work"]} == {
        ("kernel", "k"): (3, 30), ("graph", "graph 4"): (1, 30)}
    assert {one["name"]: (one["works"], one["device_ns"]) for one in told["functions"] if one["works"]} == {
        "cudaKernelLaunch": (1, 10), "cudaGraphLaunch": (3, 50)}
    assert told["streams"][0]["graphs"] == 1
    assert "there is no record" not in " ".join(run("report", "-q", trace.folder).split())


def device_rows(folder):
    return [(row["name"], row["begin_ns"] - made.ns(0), row["duration_ns"]) for row in rows_of(folder) if row["category"] == "device"]


def test_times_that_cannot_be(tmp_path):
    """Work that overlaps is shortened, work before its call and after its record likewise; what has no times is left out."""
    trace, thread = small(tmp_path / "made")
    with thread.call(100, 120, "cudaKernelLaunch", correlationId=1):
        pass
    record(trace, 900, 200, 300, name="a")
    record(trace, 901, 250, 400, name="overlaps")
    record(trace, 902, 260, 390, name="within")
    record(trace, 903, 90, 180, name="early")
    record(trace, 904, 800, 2000, name="future")
    record(trace, 905, 0, 0, name="none")
    record(trace, 906, 700, 600, name="backwards")
    record(trace, 907, 2 ** 63, 2 ** 64 - 1, name="wild")
    assert device_rows(trace.write()) == [("early", 100, 80), ("a", 200, 100), ("overlaps", 300, 100), ("within", 400, 0),
                                          ("future", 800, 104)]
    told = report(trace.folder)["cuda"]
    assert told["records"]["without_times"] == 3 and told["records"]["shortened"] == 4
    assert told["records"]["shortened_ns"] == 50 + 130 + 10 + 1096
    assert told["streams"][0]["busy_ns"] == 80 + 100 + 100 + 104


def test_what_the_recorder_says_of_itself(tmp_path):
    """What of devices it has not, and by which clock; none of that is work."""
    trace, thread = small(tmp_path / "made")
    with thread.call(100, 120, "cudaKernelLaunch", correlationId=1):
        pass
    record(trace, 900, 200, 300)
    for pid, source, error in ((70, 1, 40), (80, 2, 1500), (90, 2, 300)):
        trace.event(50, pid, pid, "cuda", "device_clock", pid=pid, source=source, error_ns=error)
    for records, cause in ((7, 1), (5, 1), (0, 2), (0, 3)):
        trace.event(500, 70, 75, "cuda", "device_lost", pid=70, records=records, cause=cause)
    told = report(trace.write())["cuda"]["records"]
    assert (told["work"], told["without_times"]) == (1, 0)
    assert [told[key] for key in ("dropped", "taken_over", "kept_back", "calibrated", "clock_error_ns")] == [12, 1, 1, 2, 1500]
    screen = " ".join(run("report", "-q", "--cuda", trace.folder).split())
    for text in ("CUPTI had no room for 12 records of devices' work", "The program's own profiler took CUPTI over: from there on",
                 "A process ended before CUPTI had handed over all", "they may be off by 1.50 µs"):
        assert text in screen, text


def test_the_clock_of_a_device(tmp_path):
    """Work before its launch, and after the call that waited for it: how far the clocks are apart is said."""
    trace, thread = small(tmp_path / "made")
    for number, (at, name) in enumerate(((1000, "cudaKernelLaunch"), (2000, "cudaKernelLaunch"), (3000, "cudaStreamSync"),
                                         (9000, "cudaKernelLaunch")), 1):
        with thread.call(at, at + 500, name, correlationId=number, contextId=1, streamId=7):
            pass
    record(trace, 20000, 1400, 1900, correlation=1)
    record(trace, 20001, 1970, 3600, correlation=2)
    record(trace, 20002, 8000, 8900, correlation=4)
    told = report(trace.write())["cuda"]["records"]
    assert [told[key] for key in ("begins_checked", "early", "early_ns", "ends_checked", "late", "late_ns", "without_call")] == [
        3, 2, 1000, 2, 1, 100, 0]
    assert ("Devices' times are off by up to 1.00 µs: of 3 pieces of work 2 began before they were asked for, of 2 1 ended after"
            in " ".join(run("report", "-q", trace.folder).split()))


def test_far_out_of_order(tmp_path):
    """More records than are held back: the timeline holds, and what cannot be put in order is counted."""
    trace, thread = small(tmp_path / "made")
    with thread.call(100, 120, "cudaGraphLaunch", correlationId=1):
        pass
    count = 20000
    for at in range(count):
        record(trace, 10 ** 6 + at, 1000 + 10 * (count - at), 1005 + 10 * (count - at), name="n%d" % at)
    rows = device_rows(trace.write(packet=100))
    told = report(trace.folder)["cuda"]
    assert len(rows) == count and told["records"]["without_call"] == 0
    assert all(one[1] + one[2] <= other[1] for one, other in zip(rows, rows[1:]))
    assert 0 < told["records"]["shortened"] < count
    assert told["records"]["shortened_ns"] + sum(took for *_, took in rows) == 5 * count


def test_contexts_are_told_apart(tmp_path, chrome_form):
    trace, _ = small(tmp_path / "made")
    for context in (1, 2):
        record(trace, 500, 100, 200, contextId=context)
    record(trace, 501, 100, 200, devId=1)
    timeline = chrome_form(trace.write())
    assert sorted(one["name"] for one in timeline.threads.values()) == [
        "GPU 0 context 1 stream 7", "GPU 0 context 2 stream 7", "GPU 1 stream 7"]


def test_numbers_that_come_again(tmp_path):
    """A number of a call, after the first is done: each record goes to the call that it can be of."""
    trace, thread = small(tmp_path / "made")
    for at in (100, 1000):
        with thread.call(at, at + 10, "cudaKernelLaunch", correlationId=1):
            pass
        record(trace, at + 500, at + 50, at + 90)
    record(trace, 1600, 120, 140, stream=8)  # of the first: forgotten
    told = report(trace.write())["cuda"]
    assert told["records"]["without_call"] == 1 and told["functions"][0]["works"] == 2


def test_the_call_was_lost(tmp_path):
    """Events lost in the middle: begins without ends, ends without begins, work without calls."""
    trace, thread = small(tmp_path / "made")
    thread.event(100, "cuda", "cudaKernelLaunch_begin", correlationId=1)
    thread.event(150, "cuda", "cudaMemcpy_begin", correlationId=2, bytes=8, kind=1)
    thread.event(200, "cuda", "cudaKernelLaunch_end", correlationId=1)
    thread.event(250, "cuda", "cudaFree_end", correlationId=9)
    thread.event(300, "cuda", "cudaDeviceSync_begin", correlationId=3)
    record(trace, 400, 210, 220)
    trace.loses(70, 70, 300, 5)
    folder = trace.write()
    rows = [(row["name"], row["begin_ns"] - made.ns(0), row["duration_ns"]) for row in rows_of(folder) if row["category"] == "cuda"]
    assert rows == [("cudaMemcpy", 150, 50), ("cudaKernelLaunch", 100, 100), ("cudaDeviceSync", 300, 100)]
    told = report(folder)
    assert told["not_recorded"]["discarded_events"] == 5
    assert told["not_recorded"]["lost_frames"] == 1 and told["not_recorded"]["dropped_ends"] == 1
    assert {one["name"]: one["open"] for one in told["cuda"]["functions"]} == {
        "cudaKernelLaunch": 0, "cudaMemcpy": 1, "cudaDeviceSync": 1}


def test_without_python(tmp_path):
    """A program in C: its calls have no Python, and nothing else is there."""
    trace = made.Trace(tmp_path / "made")
    thread = trace.process(70).main
    with thread.call(100, 300, "cudaMemcpy", correlationId=4, bytes=10, kind=1):
        pass
    folder = trace.write()
    told = report(folder)["links"]
    assert told["no_python"]["cuda"]["wall_ns"] == 200 and told["no_python"]["cuda"]["sent_bytes"] == 10
    assert "CUDA" in run("report", "-q", folder)


def test_damage(the_run, tmp_path):
    """Streams that were cut, or have other bytes in them: an error or what could be read, in every form."""
    choose = random.Random(3)
    for turn in range(12):
        folder = tmp_path / str(turn)
        shutil.copytree(the_run.folder, folder)
        files = sorted(path for path in folder.iterdir() if path.name.startswith("events_"))
        victim = choose.choice(files)
        data = bytearray(victim.read_bytes())
        if turn % 3 == 0:
            data = data[:choose.randrange(len(data))]
        else:
            for _ in range(choose.choice((1, 5, 100))):
                data[choose.randrange(200, len(data))] = choose.randrange(256)
        victim.write_bytes(bytes(data))
        for words in (("report", "-q", "--links"), ("export", "-q", "-o", "-", "--to", "csv"),
                      ("export", "-q", "-o", "/dev/null", "--to", "perfetto")):
            done = subprocess.run([places.COMMAND, *words, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert done.returncode in (0, 1), (words, turn, done.stderr)
