"""What is recorded of CUDA, and when: modes, windows, devices, kinds of events; switched in mid-run. On the fakes of
tests/fakes/cuda, which log what they were asked for."""
import collections
import os
import subprocess

import pytest

from support import fake_cuda, places
from support.ctl import ctl
from support.fake_cuda import Run, assert_calls, assert_launches, assert_no_misuse, assert_records, environment
from test_cuda_recorder import BOTH, OPTIONS, traced  # noqa: F401

KERNELS = ("_Z3addPfS_", "scale")


def launched(run):
    """{kernel: launches in the trace}"""
    return collections.Counter(run.kernels[begin.vpid, begin.fields["kernel"]] for begin, _ in run.calls("cudaKernelLaunch"))


def worked(run):
    return collections.Counter(run.kernels[event.vpid, event.fields["kernel"]] for event in run.by_name["cudaKernelActivity"])


def assert_whole(run, under_way=0):
    """Every piece of work is of a call that is in the trace; or of one that was `under_way` when the mode changed."""
    known = {(begin.vpid, begin.fields["correlationId"]) for begin, _ in run.calls(switched=True)}
    assert len({(event.vpid, event.fields["correlationId"]) for event in run.activities()} - known) <= under_way


@BOTH
def test_off(traced):
    """CUPTI is not even opened."""
    run = traced("launches", config="[CUDA]\n    trace_mode = OFF\n")
    assert not run.calls() and not run.activities()
    assert not run.log["subscribed"] and not run.log["cupti_call"]


@BOTH
def test_not_a_domain_that_is_wanted(traced):
    run = traced("launches", options=["--domains", "python"])
    assert not run.log["injection"] and not run.calls()


@BOTH
def test_standby(traced):
    run = traced("launches", "synchronize", config="[CUDA]\n    trace_mode = STANDBY\n")
    assert not run.calls() and not run.activities() and not run.by_name["lexgion_profile"]
    assert not run.log["callback"] and not run.log["enabled"]


@BOTH
def test_monitoring(traced):
    """Calls are counted, launches by their kernels; devices tell nothing."""
    run = traced("launches", "10", "everything", "synchronize", config="[CUDA]\n    trace_mode = MONITORING\n")
    assert not run.calls() and not run.activities() and not run.log["enabled"]
    assert_no_misuse(run)
    counted, wanted = collections.Counter(), collections.Counter()
    for event in run.by_name["lexgion_profile"]:
        if event.fields["domain"] == "CUDA":
            counted[event.fields["name"]] += event.fields["calls"]
    for call in run.log.calls():
        wanted[call["symbol"] or fake_cuda.NAMES[call["name"]]] += 1
    assert counted == wanted and counted["scale"] == 10
    told = {one["name"]: one["calls"] for one in run.result.report("--limit", "0")["cuda"]["functions"]}
    assert told == {{"_Z3addPfS_": "add"}.get(name, name): calls for name, calls in wanted.items()}


@BOTH
def test_switched_by_the_program(traced):
    modes = ["STANDBY", "TRACING", "OFF", "MONITORING", "TRACING", "OFF", "TRACING", "STANDBY"]
    run = traced("modes", *modes)
    assert run.result.stdout.split() == modes
    assert_no_misuse(run)
    assert launched(run) == {"switched": 5 * modes.count("TRACING")} == worked(run)
    assert_calls(run, [call for call in run.log.calls() if in_tracing(run, call)])
    assert_records(run)
    assert_launches_are_balanced(run)
    words = [line.what for line in run.log.lines if line.what in ("subscribed", "unsubscribed")]
    assert words == ["subscribed", "unsubscribed"] * modes.count("OFF") + ["subscribed"]
    kinds = {line["kind"] for line in run.log["enabled"]}
    assert kinds == {line["kind"] for line in run.log["disabled"]} >= {1, 2, 10, 22, 38, 51}


def in_tracing(run, call):
    """Its callbacks came, and its begin is in the trace."""
    return any(begin.fields["correlationId"] == call["corr"] for begin, _ in run.calls())


def assert_launches_are_balanced(run):
    assert all(end is not None for _, end in run.calls())


class Steps:
    """A program that goes on when a file is there, under pinsight."""

    def __init__(self, folder, python, files, options=(), do="steps"):
        self.folder = folder
        env = dict(os.environ, PYTHONPATH=str(places.PACKAGES), **environment(folder))
        self.run = subprocess.Popen(
            [places.COMMAND, "run", "-o", str(folder / "trace"), *OPTIONS, *options, "--", python.path, str(fake_cuda.PROGRAM),
             str(folder / "notes"), do, str(folder), *files],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=env)
        self.pid = int(self.run.stdout.readline())

    def step(self, file):
        (self.folder / file).write_text("")
        return self.run.stdout.readline()

    def finish(self):
        _, said = self.run.communicate(timeout=60)
        assert self.run.returncode == 0, said
        Result = collections.namedtuple("Result", "stderr folder")
        return Run(Result(said, self.folder / "trace"), self.folder)


@BOTH
def test_switched_from_outside(newest, tmp_path):
    """pinsight ctl: off, on, off; what is launched meanwhile is recorded where it is on."""
    fake_cuda.available()
    steps = Steps(tmp_path, newest, ["a", "b", "c", "d"])
    for file, mode in (("a", "OFF"), ("b", "TRACING"), ("c", "STANDBY"), ("d", "TRACING")):
        ctl(steps.pid, "mode", "CUDA=" + mode)
        steps.step(file)
    run = steps.finish()
    assert_no_misuse(run)
    assert launched(run) == {"step": 1 + 3 + 5} == worked(run)
    assert_whole(run)
    assert_launches_are_balanced(run)


@BOTH
def test_switched_at_any_time(newest, tmp_path):
    """Threads launch without a pause while the mode changes: what is in the trace is whole, and nothing of CUPTI's is misused."""
    fake_cuda.available()
    steps = Steps(tmp_path, newest, ["4"], do="busy")
    for mode in ["OFF", "TRACING", "MONITORING", "STANDBY", "TRACING", "OFF", "STANDBY", "TRACING"] * 2:
        ctl(steps.pid, "mode", "CUDA=" + mode)
    (tmp_path / "stop").write_text("")
    run = steps.finish()
    assert_no_misuse(run)
    at_once = 4 * 16  # threads, switches
    assert len([end for _, end in run.calls(switched=True) if end is None]) <= at_once
    assert_whole(run, under_way=at_once)
    work = collections.Counter((one["pid"], one["corr"], one["kind"]) for one in run.log["record"])
    recorded = [event for event in run.by_name["cudaKernelActivity"]]
    assert len(recorded) > 100 and len({event.fields["correlationId"] for event in recorded}) == len(recorded)
    assert all((event.vpid, event.fields["correlationId"], fake_cuda.KERNEL) in work for event in recorded)


@BOTH
def test_configuration_read_again(newest, tmp_path):
    """device_activity and kinds of events change in mid-run."""
    fake_cuda.available()
    file = tmp_path / "live.ini"
    file.write_text("[CUDA]\n    device_activity = off\n")
    steps = Steps(tmp_path, newest, ["a", "b", "c"], ["-c", str(file)])
    for name, text in (("a", "device_activity = on"), ("b", "events = sync"), ("c", "events = launch, device")):
        file.write_text("[CUDA]\n    %s\n" % text)
        ctl(steps.pid, "reload")
        steps.step(name)
    run = steps.finish()
    assert_no_misuse(run)
    assert launched(run) == {"step": 1 + 2 + 4} and worked(run) == {"step": 2 + 4}
    assert len(run.calls("cudaDeviceSync")) == 2
    assert_launches_are_balanced(run)


@BOTH
@pytest.mark.parametrize("selector, calls", [("scale", {"scale": 7, KERNELS[0]: 30}), ("_Z3add*", {"scale": 30, KERNELS[0]: 7}),
                                             ("nothing", {"scale": 30, KERNELS[0]: 30})])
def test_windows_of_kernels(traced, selector, calls):
    """A launch is selected by the name of its kernel, and with it what the device does for it."""
    run = traced("launches", "30", "synchronize", config="[Lexgion(CUDA:%s)]\n    max_num_traces = 7\n" % selector)
    assert launched(run) == calls == worked(run)
    assert_whole(run)
    assert_launches(run) if selector == "nothing" else None
    ended = [event.fields["name"] for event in run.by_name["window_end"]]
    assert len(ended) == (selector != "nothing") and all(name in KERNELS for name in ended)


@BOTH
def test_window_of_a_call(traced):
    """Other calls are selected by the names of their events."""
    run = traced(*["everything"] * 4, "synchronize", config="[Lexgion(CUDA:cudaMemcpyAsync)]\n    max_num_traces = 5\n")
    assert len(run.calls("cudaMemcpyAsync")) == 5 and len(run.calls("cudaMemcpy")) == 8
    assert_whole(run)
    asynchronous = {begin.fields["correlationId"] for begin, _ in run.calls("cudaMemcpyAsync")}
    copies = [event.fields["correlationId"] for event in run.by_name["cudaMemcpyActivity"]]
    assert len(copies) == 5 + 8 and asynchronous <= set(copies)


def test_window_of_all_launches(traced):
    """Selected as what they are calls of, launches have a window for each kernel."""
    run = traced("launches", "30", "everything", "synchronize", config="[Lexgion(CUDA:cudaKernelLaunch)]\n    max_num_traces = 3\n")
    assert_no_misuse(run)
    assert launched(run) == worked(run) and launched(run)["scale"] == launched(run)[KERNELS[0]] == 3 == max(launched(run).values())
    assert len(run.calls("cudaMemcpyAsync")) == 3


@BOTH
@pytest.mark.parametrize("after", ["CUDA:STANDBY", "CUDA:OFF", "CUDA:MONITORING", "INTROSPECT:0:-:STANDBY", "INTROSPECT:0.2:-:TRACING"])
def test_after_a_window(traced, after):
    """When the window of a kernel ends, the domain changes; what devices did until then is in the trace, but perhaps of the
    launch that is under way meanwhile. CUPTI does not report its end when the domain is OFF."""
    run = traced("launches", "30", "pause", "synchronize", "launches", "2", "synchronize",
                 config="[Lexgion(CUDA:scale)]\n    max_num_traces = 6\n    trace_mode_after = %s\n" % after)
    assert_no_misuse(run)
    assert sum(end is None for _, end in run.calls()) <= (after == "CUDA:OFF")
    assert sum((launched(run) - worked(run)).values()) <= (not after.endswith("TRACING")) and not worked(run) - launched(run)
    assert_whole(run)
    if after.endswith("TRACING"):  # after an introspection the window opens anew
        assert launched(run)[KERNELS[0]] == 32 and launched(run)["scale"] > 6
    else:
        assert launched(run)["scale"] == 6


@BOTH
def test_plain(traced):
    """With PINSIGHT_PLAIN=1 nothing of the program's is led elsewhere; CUDA is recorded all the same."""
    run = traced("launches", "5", "everything", "synchronize", env={"PINSIGHT_PLAIN": "1"})
    assert_no_misuse(run)
    assert_calls(run)
    assert_records(run)


@pytest.mark.parametrize("end, rc", [("synchronize", 0), ("leave", 3), ("killed", -9)])
def test_flight_recorder(traced, end, rc):
    """A ring that is large enough has all, however the process ends."""
    run = traced("launches", "20", "everything", "pause", *["pause"] * 6, end, options=["--ring", "64M"], rc=rc)
    assert_no_misuse(run)
    assert_calls(run)
    assert_records(run)
    assert len(run.by_name["cudaKernelActivity"]) == 41


def test_window_of_waiting(traced):
    """What is recorded of a thread's waiting goes with its call."""
    run = traced("launches", "5", *["synchronize"] * 6, config="[Lexgion(CUDA:cudaDeviceSync)]\n    max_num_traces = 2\n")
    assert len(run.calls("cudaDeviceSync")) == 2 == len(run.by_name["cudaSyncActivity"])
    assert_whole(run)


def test_rate_and_start(traced):
    text = "[Lexgion.CUDA]\n    trace_starts_at = 10\n    tracing_rate = 5\n    max_num_traces = 3\n"
    run = traced("launches", "50", "synchronize", config=text)
    assert launched(run) == {name: 3 for name in KERNELS} == worked(run)
    lines = {name: [] for name in KERNELS}
    for call in run.log["call"]:
        if call["symbol"]:
            lines[call["symbol"]].append(call["corr"])
    wanted = {corr for name in KERNELS for corr in lines[name][10:21:5]}
    assert {begin.fields["correlationId"] for begin, _ in run.calls("cudaKernelLaunch")} == wanted


@BOTH
def test_devices(traced):
    """[CUDA.punit.device]: calls and work of the devices in range alone."""
    run = traced("devices", device="devices=2", config="[CUDA.punit.device]\n    range = 1\n")
    assert launched(run) == {"on_1": 1} == worked(run)
    assert {event.fields["devId"] for event in run.activities()} == {1}
    assert {begin.fields["devId"] for begin, _ in run.calls()} == {1}


KINDS = {
    "launch": {"cudaKernelLaunch", "cudaGraphLaunch"}, "copy": {"cudaMemcpy", "cudaMemcpyAsync"},
    "set": {"cudaMemset", "cudaMemsetAsync"},
    "memory": {"cudaMalloc", "cudaFree", "cudaMallocAsync", "cudaFreeAsync", "cudaMallocHost", "cudaFreeHost"},
    "sync": {"cudaDeviceSync", "cudaStreamSync", "cudaEventSync"},
    "event": {"cudaEventRecord", "cudaStreamWaitEvent", "cudaEventCreate", "cudaEventDestroy", "cudaEventQuery"},
    "stream": {"cudaStreamCreate", "cudaStreamDestroy", "cudaStreamQuery"},
    "graph": {"cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate"},
    "module": {"cudaModuleLoad", "cudaModuleUnload"}, "device": set(), "none": set(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_events(traced, kind):
    """Each kind alone: its calls are recorded, and CUPTI is asked for no others."""
    run = traced("everything", "graph", "synchronize", config="[CUDA]\n    events = %s\n" % kind)
    names = {begin.name[:-len("_begin")] for begin, _ in run.calls()}
    assert names == KINDS[kind]
    assert {fake_cuda.NAMES[one["name"]] for one in run.log["callback"]} == KINDS[kind]
    assert bool(run.activities()) == bool(run.log["enabled"]) == (kind == "device")
    if kind == "device":
        assert_records(run)


@BOTH
@pytest.mark.parametrize("activity", ["off", "on"])
def test_device_activity_by_environment(traced, activity):
    run = traced("launches", "5", "synchronize", env={"PINSIGHT_DEVICE_ACTIVITY": activity})
    assert len(run.calls("cudaKernelLaunch")) == 10
    assert bool(run.log["enabled"]) == (activity == "on")
    assert worked(run) == ({name: 5 for name in KERNELS} if activity == "on" else {})
