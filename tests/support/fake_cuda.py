"""Runs on the fake driver and the fake CUPTI (tests/fakes/cuda): what they say that they told the recorder, and whether a
trace has just that."""
import collections
import functools
import json
import re
import time

from . import places, traces

FOLDER = places.BUILD / "tests" / "fakes"
PROGRAM = places.PROGRAMS / "fake_cuda.py"
LINE = re.compile(r'(\w+)=(?:"(.*?)"|(\S*))')  # paths are in quotes
NO_STREAM = 4294967295

# The events that the driver's functions are.
NAMES = {
    "cuLaunchKernel": "cudaKernelLaunch", "cuLaunchKernelEx": "cudaKernelLaunch", "cuGraphLaunch": "cudaGraphLaunch",
    "cuLaunchHostFunc": "cudaLaunchHostFunc", "cuMemcpyHtoD_v2": "cudaMemcpy", "cuMemcpyDtoH_v2": "cudaMemcpy",
    "cuMemcpyHtoDAsync_v2": "cudaMemcpyAsync", "cuMemcpyDtoHAsync_v2": "cudaMemcpyAsync",
    "cuMemcpyDtoDAsync_v2": "cudaMemcpyAsync", "cuMemcpyPeerAsync": "cudaMemcpyAsync", "cuMemsetD8_v2": "cudaMemset",
    "cuMemsetD32Async": "cudaMemsetAsync", "cuMemAlloc_v2": "cudaMalloc", "cuMemFree_v2": "cudaFree",
    "cuMemAllocAsync": "cudaMallocAsync", "cuMemFreeAsync": "cudaFreeAsync", "cuMemHostAlloc": "cudaMallocHost",
    "cuMemFreeHost": "cudaFreeHost", "cuCtxSynchronize": "cudaDeviceSync", "cuStreamSynchronize": "cudaStreamSync",
    "cuEventSynchronize": "cudaEventSync", "cuEventRecord": "cudaEventRecord", "cuStreamWaitEvent": "cudaStreamWaitEvent",
    "cuEventCreate": "cudaEventCreate", "cuEventDestroy_v2": "cudaEventDestroy", "cuEventQuery": "cudaEventQuery",
    "cuStreamCreate": "cudaStreamCreate", "cuStreamDestroy_v2": "cudaStreamDestroy", "cuStreamQuery": "cudaStreamQuery",
    "cuStreamBeginCapture_v2": "cudaStreamBeginCapture", "cuStreamEndCapture": "cudaStreamEndCapture",
    "cuGraphInstantiateWithFlags": "cudaGraphInstantiate", "cuModuleLoadData": "cudaModuleLoad",
    "cuModuleUnload": "cudaModuleUnload",
}
# The directions that the program's calls name, in the numbers of events.
DIRECTIONS = {"cuMemcpyHtoD_v2": 1, "cuMemcpyHtoDAsync_v2": 1, "cuMemcpyDtoH_v2": 2, "cuMemcpyDtoHAsync_v2": 2,
              "cuMemcpyDtoDAsync_v2": 3}
ACTIVITIES = {1: "cudaMemcpyActivity", 2: "cudaMemsetActivity", 10: "cudaKernelActivity", 22: "cudaMemcpyActivity",
              38: "cudaSyncActivity", 51: "cudaGraphActivity"}
KERNEL, SYNC, GRAPH = 10, 38, 51


def available():
    return (FOLDER / "cuda" / "libcuda.so.1").exists() or places.missing("the fakes of CUDA, built")


def cupti(version=13):
    return str(FOLDER / ("cupti-%s" % version) / ("libcupti.so.%s" % version))


def environment(folder, version=13, device="", options=""):
    """`version` of CUPTI, None for none by name; `device` and `options` are those of the driver and of CUPTI."""
    made = {"LD_LIBRARY_PATH": str(FOLDER / "cuda"), "FAKE_CUDA_LOG": str(folder / "log"), "FAKE_CUDA": device,
            "FAKE_CUPTI": options}
    if version is not None:
        made["PINSIGHT_CUPTI"] = cupti(version)
    return made


Line = collections.namedtuple("Line", "what fields")


class Log:
    """What the fakes wrote: Lines in order, and by their word."""

    def __init__(self, path):
        self.lines, self.by_word = [], collections.defaultdict(list)
        text = path.read_text() if path.exists() else ""
        for line in text.splitlines():
            word = line.partition(" ")[0]
            fields = {key: int(value) if re.fullmatch(r"-?\d+", value) else value
                      for key, quoted, bare in LINE.findall(line) for value in [quoted or bare]}
            self.lines.append(Line(word, fields))
            self.by_word[word].append(fields)

    def __getitem__(self, word):
        return self.by_word[word]

    def calls(self, told=True):
        """Calls of the driver; `told`: those whose enter and exit were told to the recorder."""
        sites = {(one["pid"], one["corr"], one["site"]) for one in self["callback"]}
        return [call for call in self["call"] if not told or {(call["pid"], call["corr"], site) for site in (0, 1)} <= sites]


@functools.lru_cache(maxsize=None)
def clock_offset():
    """What is to be added to CLOCK_MONOTONIC for the times of events; the best of some tries, as others may run between
    two readings."""
    def compare():
        before, now, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        return after - before, now - (before + after) // 2
    return min(compare() for _ in range(50))[1]


class Clock:
    """The trace's: times in fields of events as those of CLOCK_MONOTONIC."""

    def __init__(self, folder):
        text = b"".join(path.read_bytes() for path in list(folder.rglob("metadata"))[:1])
        found = [re.search(rb"\n\s*%s\s*=\s*(\d+);" % name, text) for name in (b"freq", b"offset_s", b"offset")]
        self.frequency, self.seconds, self.ticks = [int(one.group(1)) if one else 0 for one in found]
        self.offset = clock_offset()

    def monotonic(self, value):
        if not value or self.frequency in (0, 1000000000):
            return value
        return self.seconds * 1000000000 + (value + self.ticks) * 1000000000 // self.frequency - self.offset


class Run:
    """A run: `result`, `log`, `notes` of the program, and the trace's events."""

    def __init__(self, result, folder, read=True):
        self.result = result
        self.log = Log(folder / "log")
        notes = folder / "notes"
        self.notes = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
        self.events, self.by_name = [], collections.defaultdict(list)
        clock = Clock(result.folder)
        for event in traces.events(result.folder) if read else ():
            if event.name in ACTIVITIES.values():
                times = {name: clock.monotonic(event.fields[name]) for name in ("start", "end")}
                event = event._replace(fields={**event.fields, **times})
            self.events.append(event)
            self.by_name[event.name].append(event)
        self.kernels = {(event.vpid, event.fields["kernel"]): event.fields["name"] for event in self.by_name["kernel_info"]}
        self.codes = {(event.vpid, event.fields["code"]): event.fields for event in self.by_name["code_info"]}
        self.paths = {(event.vpid, event.fields["path"]): event.fields for event in self.by_name["path_info"]}

    def calls(self, name=None, switched=False):
        """(begin, end) of each call in the trace, in the order of the begins; the end may be None. `switched`: callbacks may
        have been switched off within a call."""
        made, opened = [], {}
        for event in self.events:
            base, _, edge = event.name.rpartition("_")
            if not base.startswith("cuda") or edge not in ("begin", "end") or base not in NAMES.values():
                continue
            key = event.vpid, event.vtid
            if edge == "begin":
                assert switched or key not in opened, "within %s: %s" % (opened.get(key), event)
                opened[key] = len(made)
                made.append((event, None))
            else:
                assert key in opened, "no begin: %s" % (event,)
                begin = made[opened[key]][0]
                assert begin.name == base + "_begin" and begin.fields["correlationId"] == event.fields["correlationId"], event
                made[opened.pop(key)] = begin, event
        return [pair for pair in made if name in (None, pair[0].name[:-len("_begin")])]

    def activities(self):
        return [event for event in self.events if event.name in ACTIVITIES.values()]

    def place(self, event):
        """The innermost frame of its Python call path: function and line."""
        path = self.paths[event.vpid, event.fields["py_path"]]
        return self.codes[event.vpid, path["code"]]["qualname"], path["lineno"]

    def stack(self, event):
        path, found = event.fields["py_path"], []
        while path:
            node = self.paths[event.vpid, path]
            found.append((self.codes[event.vpid, node["code"]]["qualname"], node["lineno"]))
            path = node["parent"]
        return found


def assert_no_misuse(run):
    assert not run.log["misuse"], run.log["misuse"]


def assert_calls(run, wanted=None, killed=False):
    """The trace has those calls of the log, each as the driver had it; by default all that the recorder was told."""
    wanted = run.log.calls() if wanted is None else wanted
    pairs = run.calls()
    offset, slack = clock_offset(), 1000000
    known = {(call["pid"], call["corr"]): call for call in wanted}
    assert {(begin.vpid, begin.fields["correlationId"]) for begin, _ in pairs} == set(known)
    assert len(pairs) == len(known)
    for begin, end in pairs:
        call = known[begin.vpid, begin.fields["correlationId"]]
        assert begin.name == NAMES[call["name"]] + "_begin" and begin.vtid == call["tid"]
        assert call["entered"] - slack <= begin.ts - offset <= call["left"] + slack, (begin, call)
        assert begin.fields["contextId"] == call["context"]
        if "streamId" in begin.fields:
            assert begin.fields["streamId"] == call["stream"], (begin, call)
        if "bytes" in begin.fields:
            assert begin.fields["bytes"] == call["bytes"], (begin, call)
        if call["name"] in DIRECTIONS:
            assert begin.fields["kind"] == DIRECTIONS[call["name"]]
        if "kernel" in begin.fields:
            assert run.kernels[begin.vpid, begin.fields["kernel"]] == call["symbol"]
        if end is None:
            assert killed
            continue
        assert begin.ts <= end.ts and end.ts - offset <= call["left"] + slack
        assert end.fields["return_value"] == call["result"]
        for one in (begin, end):
            for name in ("address", "event_handle"):
                if name in one.fields:
                    assert one.fields[name] == (call["address"] if call["result"] == 0 else 0), (one, call)


def assert_records(run, wanted=None, order=True, times=True):
    """The trace has those records of the log, by default all; in the order in which the recorder was told them."""
    wanted = run.log["record"] if wanted is None else wanted
    recorded = run.activities()
    by_process = collections.defaultdict(list)
    for record in wanted:
        by_process[record["pid"]].append(record)
    assert len(recorded) == len(wanted), (collections.Counter(event.name for event in recorded),
                                          collections.Counter(record["kind"] for record in wanted))
    done = {(one["pid"], one["corr"], one["kind"], one["node"]): one for one in run.log["work"]}
    for pid, records in by_process.items():
        events = [event for event in recorded if event.vpid == pid]
        if not order:
            records.sort(key=lambda one: (one["corr"], one["start"], one["kind"]))
            events.sort(key=lambda one: (one.fields["correlationId"], one.fields["start"], one.name))
        for event, record in zip(events, records):
            assert event.name == ACTIVITIES[record["kind"]], (event, record)
            fields = event.fields
            assert [fields[name] for name in ("devId", "contextId", "streamId", "correlationId")] == [
                record[name] for name in ("device", "context", "stream", "corr")], (event, record)
            work = done[pid, record["corr"], record["kind"], record["node"]]
            if record["end"] and times:  # on the events' clock, whichever CUPTI has
                assert abs(fields["start"] - work["start"]) < 1000000 and abs(fields["end"] - work["end"]) < 1000000, (
                    event, work)
            elif not record["end"]:
                assert fields["start"] == fields["end"] == 0
            if "bytes" in fields:
                assert fields["bytes"] == record["bytes"]
            if "kind" in fields:
                assert fields["kind"] == record["what"]
            if "value" in fields:
                assert fields["value"] == record["what"]
            if "graph_id" in fields:
                assert fields["graph_id"] == record["graph"]
            if "graph_node_id" in fields:
                assert fields["graph_node_id"] == record["node"]
            if record["kind"] == KERNEL:
                assert run.kernels[pid, fields["kernel"]] == (record["name"] or "?")
                assert ["%d,%d,%d" % tuple(fields[side + axis] for axis in "xyz") for side in ("grid_", "block_")] == [
                    work["grid"], work["block"]]


def assert_launches(run, count=None):
    """Each launch that the program noted has its Python line in the trace, and a kernel behind it."""
    launches = {(begin.vpid, begin.fields["correlationId"]): begin for begin, _ in run.calls("cudaKernelLaunch")}
    noted = [note for note in run.notes if note[2] == "launch"]
    assert count is None or len(noted) == count
    for pid, correlation, _, function, line in noted:
        begin = launches[pid, correlation]
        stack = run.stack(begin)
        assert [(name.rpartition(".")[2], at) for name, at in stack[:2]] == [("launch", stack[0][1]), (function, line)], (stack, function)
    for event in run.by_name["cudaKernelActivity"]:
        begin = launches.get((event.vpid, event.fields["correlationId"]))
        if begin and event.fields["start"]:
            assert begin.ts - clock_offset() <= event.fields["start"] + 100000
            assert event.ts - clock_offset() + 1000000 >= event.fields["end"]


def assert_same(run):
    """All of it."""
    assert_no_misuse(run)
    assert_calls(run)
    assert_records(run)
    assert_launches(run)
