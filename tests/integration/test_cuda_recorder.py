"""The CUDA recorder on the fake driver and the fake CUPTI: what is in the trace, against what the fakes say they told it."""
import collections
import json
import os
import subprocess

import pytest

from support import fake_cuda, native, places
from support.fake_cuda import (Run, assert_calls, assert_launches, assert_no_misuse, assert_records, assert_same, environment)

OPTIONS = ["--no-summary", "--lossless"]


@pytest.fixture
def traced(run_traced, newest, tmp_path):
    """traced(words…): a run of programs/fake_cuda.py."""
    def run(*words, options=(), config=None, version=13, device="", cupti="", env=None, rc=0, python=None, read=True):
        fake_cuda.available()
        words_of_run = [*OPTIONS, *options]
        if config is not None:
            (tmp_path / "test.ini").write_text(config)
            words_of_run += ["-c", str(tmp_path / "test.ini")]
        for name in ("log", "notes"):
            if (tmp_path / name).exists():
                (tmp_path / name).unlink()
        result = run_traced(python or newest, "fake_cuda", *words_of_run, arguments=(tmp_path / "notes", *words), rc=rc,
                            env=dict(environment(tmp_path, version, device, cupti), **(env or {})))
        return Run(result, tmp_path, read)
    return run


BOTH = pytest.mark.recorder("file", "lttng")


@BOTH
def test_calls_of_every_kind(traced):
    run = traced("everything", "synchronize")
    assert run.result.stderr.count("pinsight:") <= 1, run.result.stderr
    assert_same(run)
    assert {call["name"] for call in run.log.calls()} >= set(fake_cuda.NAMES) - {
        "cuLaunchKernelEx", "cuGraphLaunch", "cuLaunchHostFunc", "cuMemcpyPeerAsync", "cuStreamBeginCapture_v2",
        "cuStreamEndCapture", "cuGraphInstantiateWithFlags"}
    (info,) = run.by_name["device_info"]
    assert info.fields["name"] == "Fake Device 0" and info.fields["memory"] == 80 << 30
    assert info.fields["uuid"] == "".join("%02x" % (0xa0 + i) for i in range(16)) and info.fields["bus"] == "0000:17:00.0"
    assert (info.fields["multiprocessors"], info.fields["compute_major"], info.fields["compute_minor"]) == (132, 9, 0)
    (clock,) = run.by_name["device_clock"]
    assert clock.fields["source"] == 1 and clock.fields["error_ns"] < 1000000
    assert not run.by_name["device_lost"]


@BOTH
@pytest.mark.parametrize("version", [12, 13, 14])
def test_versions(traced, version):
    """CUPTI of CUDA 12 and 13, and one with a number that nobody knows."""
    run = traced("launches", "synchronize", version=version, device="driver=%d000" % max(version, 13))
    assert_same(run)
    assert_launches(run, 20)
    assert len(run.by_name["cudaKernelActivity"]) == 20
    assert run.log["cupti"][0]["file"] == fake_cuda.cupti(version)


@BOTH
def test_threads(traced):
    """Threads that launch at one time, each into a stream of its own."""
    run = traced("threads", "4", "50")
    assert_same(run)
    assert_launches(run, 200)
    streams = collections.Counter(begin.fields["streamId"] for begin, _ in run.calls("cudaKernelLaunch"))
    assert sorted(streams.values()) == [50] * 4
    assert len({begin.vtid for begin, _ in run.calls("cudaKernelLaunch")}) == 4


@pytest.mark.recorder("file", "lttng")
@pytest.mark.parametrize("activity", ["on", "one_per_node", "off"])
def test_graphs(traced, activity):
    run = traced("graph", "3", config="[CUDA]\n    device_activity = %s\n" % activity)
    assert_same(run)
    graphs = run.by_name["cudaGraphActivity"]
    nodes = [event for event in run.activities() if event.fields.get("graph_node_id")]
    launches = [begin.fields["correlationId"] for begin, _ in run.calls("cudaGraphLaunch")]
    assert len(launches) == 3
    if activity == "on":
        assert [event.fields["correlationId"] for event in graphs] == launches and not nodes
    elif activity == "one_per_node":
        assert not graphs and collections.Counter(event.fields["correlationId"] for event in nodes) == {
            launch: 5 for launch in launches}
    else:
        assert not run.activities() and not run.log["record"] and not run.log["enabled"]


@pytest.mark.parametrize("options", [
    "late=100", "out_of_order", "records_per_buffer=1", "records_per_buffer=3,together", "unknown", "null_names", "zero_times=5",
    "late=50,out_of_order,records_per_buffer=7,together,unknown,zero_times=3"])
def test_orders_of_records(traced, options):
    """However CUPTI hands records over, each is in the trace."""
    run = traced("launches", "20", "everything", "graph", "pause", cupti=options)
    assert_no_misuse(run)
    assert_records(run, order="together" not in options)
    assert len(run.log["record"]) >= 40 + 12
    if "null_names" in options:
        assert set(run.kernels.values()) == {"?"}
    else:
        assert_calls(run)
        assert_launches(run, 41)


def test_context_that_is_gone(traced):
    """Records come after their context's end."""
    run = traced("contexts", cupti="late=30")
    assert_no_misuse(run)
    assert_records(run)
    kernels = sorted(run.kernels[event.vpid, event.fields["kernel"]] for event in run.by_name["cudaKernelActivity"])
    assert kernels == ["brief_0", "brief_1", "brief_2"]
    assert {event.fields["contextId"] for event in run.by_name["cudaKernelActivity"]} == {1, 2, 3}


@BOTH
def test_dropped_records(traced):
    """What CUPTI dropped is told: in the trace, and the reader says it."""
    run = traced("launches", "10", "synchronize", cupti="dropped=4")
    assert_same(run)
    assert len(run.by_name["cudaKernelActivity"]) == 16
    assert sum(event.fields["records"] for event in run.by_name["device_lost"]) == 4
    assert {event.fields["cause"] for event in run.by_name["device_lost"]} == {1}


@BOTH
def test_clock_without_a_callback(traced):
    """CUPTI's own clock is the time of day, and its times come to the events' clock all the same."""
    run = traced("launches", "pause", "launches", "everything", cupti="no_timestamp_callback")
    assert_same(run)
    (clock,) = run.by_name["device_clock"][-1:]
    assert clock.fields["source"] == 2 and clock.fields["error_ns"] < 1000000


def test_old_cupti(traced):
    """A CUPTI that lacks functions which came later: its own clock, and its own time to hand over."""
    run = traced("launches", "everything", version=11)
    assert_same(run)
    assert run.by_name["device_clock"][-1].fields["source"] == 2


@BOTH
def test_several_devices(traced):
    run = traced("devices", device="devices=2")
    assert_same(run)
    assert {event.fields["devId"]: event.fields["name"] for event in run.by_name["device_info"]} == {
        0: "Fake Device 0", 1: "Fake Device 1"}
    assert sorted((begin.fields["devId"], begin.fields["contextId"]) for begin, _ in run.calls("cudaKernelLaunch")) == [
        (0, 1), (1, 2)]


def test_errors_of_the_program(traced):
    """A launch that CUDA refuses and memory that is not there: their results, and the program's own output."""
    run = traced("fails")
    assert_same(run)
    assert run.result.stdout == "error 1\nerror 2\n"
    assert sorted(end.fields["return_value"] for _, end in run.calls() if end.fields["return_value"]) == [1, 2]


def test_sticky_error(traced):
    """The device breaks: every later call fails, and the recorder's own do no harm."""
    run = traced("sticky", device="sticky=5")
    assert_same(run)
    assert run.result.stdout == "error 700\n"
    assert len(run.by_name["cudaKernelActivity"]) == 5


@BOTH
def test_every_python(traced, python):
    run = traced("launches", "3", "synchronize", python=python)
    assert_same(run)
    assert_launches(run, 6)


# How programs end.

@BOTH
@pytest.mark.parametrize("end, rc", [("synchronize", 0), ("exception", 1), ("leave", 3), ("killed", -9)])
def test_ends(traced, end, rc):
    """With what the recorder had been told; os._exit without synchronising hands over what is done."""
    run = traced("launches", "10", "pause", end, rc=rc)
    assert_no_misuse(run)
    assert_calls(run)
    assert_launches(run, 20)
    if end != "killed":
        assert_records(run)
        assert len(run.by_name["cudaKernelActivity"]) == 20


@BOTH
def test_forked_before(traced):
    """A child that CUDA starts in is a process like any other."""
    run = traced("fork", "synchronize")
    assert_same(run)
    assert_launches(run, 40)
    assert len({event.vpid for event in run.by_name["cudaKernelActivity"]}) == 2


@BOTH
def test_forked_after(traced):
    """In a child that was forked after CUDA had started, CUDA fails; nothing is asked of CUPTI there."""
    run = traced("forked_after", "synchronize")
    assert run.result.stdout == "error 3\n"
    assert_no_misuse(run)
    parent = {note[0] for note in run.notes if note[4]} - {run.log["call"][-1]["pid"] + 0}
    pids = {call["pid"] for call in run.log["call"]}
    assert len(pids) == 2 and parent <= pids
    begun = run.log["call"][0]["pid"]
    assert len([begin for begin, _ in run.calls("cudaKernelLaunch") if begin.vpid == begun]) == 2
    assert len([event for event in run.by_name["cudaKernelActivity"] if event.vpid == begun]) == 2


@BOTH
def test_exec(traced):
    run = traced("launches", "3", "synchronize", "again", "notes2", env={"PYTHONDONTWRITEBYTECODE": "1"})
    assert_no_misuse(run)
    assert len(run.calls("cudaKernelLaunch")) == 10


@BOTH
def test_c_program(run_command, tmp_path):
    """A program in C that is linked with the driver: no Python, no line."""
    fake_cuda.available()
    program = native.build(tmp_path, "program", (places.PROGRAMS / "fake_cuda.c").read_text(),
                           str(fake_cuda.FOLDER / "cuda" / "libcuda.so.1"), "-pthread")
    run = Run(run_command(program, 20, 3, options=OPTIONS, env=environment(tmp_path)), tmp_path)
    assert run.result.rc == 0 and run.result.stdout == "done 60\n", run.result.stderr
    assert_same(run)
    assert len(run.calls("cudaKernelLaunch")) == 60 and len(run.by_name["cudaMemcpyActivity"]) == 60
    assert {begin.fields["py_path"] for begin, _ in run.calls()} == {0}


@BOTH
@pytest.mark.parametrize("cupti", ["", "late=30,out_of_order,records_per_buffer=5,together,unknown", "no_timestamp_callback"])
def test_report(traced, cupti):
    """What pinsight's own report says of calls, work, streams and lines is what the fakes did."""
    run = traced("launches", "10", "everything", "graph", "synchronize", cupti=cupti)
    assert_no_misuse(run)
    report = run.result.report("--links", "--limit", "0")
    names = {call["corr"]: fake_cuda.NAMES.get(call["name"]) for call in run.log["call"]}
    calls = collections.Counter(fake_cuda.NAMES[call["name"]] for call in run.log.calls())
    records = [one for one in run.log["record"] if one["kind"] != fake_cuda.SYNC]
    assert {row["name"]: row["calls"] for row in report["cuda"]["functions"]} == calls
    works, took = collections.Counter(), collections.Counter()
    for one in records:
        works[names[one["corr"]]] += 1
        took[names[one["corr"]]] += one["end"] - one["start"]
    assert {row["name"]: row["works"] for row in report["cuda"]["functions"] if row["works"]} == works
    for row in report["cuda"]["functions"]:
        assert abs(row["device_ns"] - took[row["name"]]) <= 50 * works[row["name"]]
    kernels = collections.Counter(one["name"] for one in records if one["kind"] == fake_cuda.KERNEL)
    kernels["add(float*, float*)"] = kernels.pop("_Z3addPfS_")
    assert {row["name"]: row["count"] for row in report["cuda"]["work"] if row["type"] == "kernel"} == kernels
    streams = collections.defaultdict(collections.Counter)
    for one in records:
        what = {10: "kernels", 1: "copies", 2: "sets", 51: "graphs"}[one["kind"]]
        streams[one["stream"]][what] += 1
        if one["kind"] == 1 and one["what"] in (1, 2):
            streams[one["stream"]]["to_device_bytes" if one["what"] == 1 else "from_device_bytes"] += one["bytes"]
    assert {row["stream"]: {key: row[key] for key in streams[row["stream"]]} for row in report["cuda"]["streams"]} == streams
    (device,) = report["cuda"]["devices"]
    assert device["model"] == "Fake Device 0" and device["works"] == len(records)
    assert report["cuda"]["records"]["without_call"] == report["cuda"]["records"]["dropped"] == 0
    assert report["cuda"]["records"]["waits"] == len(run.log["record"]) - len(records)
    assert report["cuda"]["records"]["calibrated"] == ("no_timestamp" in cupti)
    assert_lines(report, run)


def assert_lines(report, run):
    """The line of Python that each launch stands in has it, with the time of its kernel."""
    lines = {(row["function"], row["line"]): row["cuda"] for row in report["links"]["lines"]}
    (row,) = [row for (function, _), row in lines.items() if function == "launch" and row["calls"]]
    assert row["calls"] == len([note for note in run.notes if note[2] == "launch"]) == 21
    kernels = [one for one in run.log["record"] if one["kind"] == fake_cuda.KERNEL]
    assert abs(row["thread_ns"] - sum(one["end"] - one["start"] for one in kernels)) <= 50 * len(kernels)
    assert lines["graph", next(note[4] for note in run.notes if note[2] == "graph") - 1]["calls"] == 3


def test_activated_from_inside(newest, tmp_path):
    """Without `pinsight run`: the driver is told of the library by the variable alone."""
    fake_cuda.available()
    code = ("import sys; sys.path.insert(0, %r); import pinsight; pinsight.activate(output=%r); sys.argv = ['', %r, 'launches', 'synchronize']; "
            "exec(compile(open(%r).read(), 'fake_cuda.py', 'exec'))" % (
                str(places.LIBDIR / "python"), str(tmp_path / "trace"), str(tmp_path / "notes"), str(fake_cuda.PROGRAM)))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PINSIGHT")}
    subprocess.run([newest.path, "-c", code], check=True, env=dict(clean, **environment(tmp_path),
                   CUDA_INJECTION64_PATH=str(places.LIBDIR / "libpinsight-cuda.so")))
    done = subprocess.run([places.COMMAND, "report", "--format", "json", str(tmp_path / "trace")], stdout=subprocess.PIPE, check=True)
    told = json.loads(done.stdout)["cuda"]
    assert told["calls"] == 21 and sum(one["count"] for one in told["work"]) == 20
