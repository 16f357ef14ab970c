"""A made run with CUDA: two ranks, each with a thread of Python that calls CUDA, streams that work beside each
other, a graph, and records that come late, out of order, for no call, or never. What a view has to make of it is
worked out here, by the rules that docs/viewers.md states, from the same lists that the trace is written from."""
import collections
import random

from . import made

SCRIPT, LIBRARY = "/home/u/train.py", "/usr/lib/python3/dist-packages/cupy/core.py"
MAIN, STEP, INSIDE = 1, 2, 3
GEMM, MANGLED = "void gemm<float>(float*)", "_Z4gemmIfEvPT_"
LINES = {1: 10, 2: 21, 3: 30}  # of the user's functions, by path
KINDS = {1: "host to device", 2: "device to host", 8: "device to device"}
SAID = {1: 1, 2: 2, 8: 3}  # how the program's own enum has them

Call = collections.namedtuple("Call", "pid tid name begin end path bytes correlation depth")
Work = collections.namedtuple("Work", "pid device context stream name begin end bytes correlation path type")


class Run:
    """`calls` and `works` as views have them; `links`: the correlation of each piece of work whose call is known."""

    def __init__(self, folder, turns=40, seed=1, ranks=2, names="inline", later=True):
        """`later`: with events that a later version may have."""
        self.later = later
        self.random = random.Random(seed)
        self.calls, self.works, self.linked, self.unanswered = [], [], [], 0
        self.functions, self.waits, self.arrived = [], collections.defaultdict(list), {}
        trace = made.Trace(folder, names=names, later={"cupti_pinsight_lttng_ust:cudaLaterCall_begin": [("streamId", "u32")],
                                          "cupti_pinsight_lttng_ust:cudaLaterActivity": [("start", "u64"), ("what", "string")]})
        for rank in range(ranks):
            self.rank(trace, 70 + 10 * rank, rank, turns)
        self.folder = trace.write()

    def rank(self, trace, pid, rank, turns):
        process = trace.process(pid, rank, SCRIPT)
        thread = process.thread(pid)
        process.code(MAIN, "main", SCRIPT, 8)
        process.code(STEP, "step", SCRIPT, 20)
        process.code(INSIDE, "launch", LIBRARY, 300)
        process.path(1, 0, MAIN, LINES[1])
        process.path(2, 1, STEP, LINES[2])
        process.path(3, 2, INSIDE, 305)  # a library's: the user's line is that of path 2
        self.now, self.correlation, self.records = 1000, 0, []
        self.free = collections.defaultdict(int)  # when a stream is
        begin = self.now
        thread.python(begin, "begin", MAIN)
        for turn in range(turns):
            self.now += 50
            thread.python(self.now, "begin", STEP)
            step = self.now
            self.turn(thread, turn)
            self.now += 30
            thread.python(self.now, "end", STEP)
            self.functions.append(("step", pid, step, self.now))
        self.now += 100000
        thread.python(self.now, "end", MAIN)
        self.functions.append(("main", pid, begin, self.now))
        self.hand_over(trace, pid)

    def turn(self, thread, turn):
        stream = 7 + turn % 3
        self.copy(thread, "cudaMemcpyAsync", stream, 4096 + turn, 1, path=2)
        self.launch(thread, stream, GEMM, path=3)
        self.launch(thread, 7 + (turn + 1) % 3, 'odd "name",\n日本', path=2)
        if turn % 5 == 0:
            self.call(thread, "cudaMalloc", 40, 1, bytes=1 << 20)
            self.graph(thread, stream)
        if turn % 7 == 0:  # its record never comes
            self.call(thread, "cudaKernelLaunch", 20, 2, streamId=stream, name="lost")
            self.unanswered += 1
        if turn % 9 == 0:  # it fails: there is nothing to come
            self.call(thread, "cudaMemsetAsync", 20, 2, return_value=1, bytes=64)
        self.copy(thread, "cudaMemcpy", 7, 100, 2, path=2, wait=True)
        self.call(thread, "cudaStreamSync", 500, 2, streamId=stream)
        if turn % 10 == 0:  # of a call that was before the recording
            self.work(thread.process.pid, stream, "before", 0, None, 200, 0, "kernel", correlation=900000 + turn)

    def call(self, thread, function, took, path, /, return_value=0, **fields):
        self.correlation += 1
        self.now += 20
        begin = self.now
        fields = dict(fields, contextId=1, correlationId=self.correlation, py_path=path)
        if "name" in fields:
            fields["kernel"] = self.kernel(thread.process, begin, fields.pop("name"))
        with thread.call(begin, begin + took, function, return_value, **fields):
            self.now = begin + took
        if function == "cudaStreamSync":
            self.waits[thread.process.pid, fields["streamId"]].append((begin, self.now))
        self.calls.append(Call(thread.process.pid, thread.tid, function, begin, self.now, path, fields.get("bytes", 0),
                               self.correlation, 2))
        return begin

    @staticmethod
    def kernel(process, at, name):
        return process.kernel(at, MANGLED if name == GEMM else name)

    def copy(self, thread, name, stream, size, kind, path, wait=False):
        fields = {} if wait else {"streamId": stream}
        begin = self.call(thread, name, 700 if wait else 60, path, bytes=size, kind=SAID[kind], **fields)
        self.work(thread.process.pid, stream, "memcpy " + KINDS[kind], begin, path, 300, size, "copy", kind=kind)

    def launch(self, thread, stream, name, path):
        shape = dict(grid_x=turn_of(self.now), grid_y=2, grid_z=1, block_x=128, block_y=1, block_z=1)
        begin = self.call(thread, "cudaKernelLaunch", 30, path, streamId=stream, name=name, **shape)
        self.work(thread.process.pid, stream, name, begin, path, 900, 0, "kernel", **shape)

    def graph(self, thread, stream):
        begin = self.call(thread, "cudaGraphLaunch", 45, 1, streamId=stream)
        for node in range(3):
            self.work(thread.process.pid, stream, "node %d" % node, begin, 1, 150, 0, "kernel")
        self.work(thread.process.pid, stream, "memset", begin, 1, 80, 512, "set")

    def work(self, pid, stream, name, call, path, took, size, what, /, correlation=None, **fields):
        device = 0 if stream != 9 else 1
        start = max(self.free[stream], (call or self.now) + self.random.randrange(20, 400))
        self.free[stream] = start + took
        one = Work(pid, device, 1, stream, name, start, start + took, size, correlation or self.correlation, path, what)
        self.works.append(one)
        if path is not None:
            self.linked.append((pid, one.correlation))
        self.records.append((one, fields))

    def hand_over(self, trace, pid):
        """The records, some at once: those of a stream nearly in order, all after their work."""
        moved = list(self.records)
        for at in range(0, len(moved) - 3, 4):
            part = moved[at:at + 4]
            self.random.shuffle(part)
            moved[at:at + 4] = part
        latest, later = 0, 0
        for at, (one, fields) in enumerate(moved):
            if at % 50 == 0:  # a buffer is handed over when all in it is done
                latest = max([latest] + [work.end for work, _ in moved[at:at + 50]])
            latest += 3
            self.arrived[one] = latest
            common = dict(devId=one.device, contextId=one.context, streamId=one.stream, correlationId=one.correlation,
                          start=one.begin, end=one.end)
            if one.type == "kernel":
                trace.event(latest, pid, pid + 5, "cuda", "cudaKernelActivity", **common,
                            kernel=self.kernel(trace.processes[pid], latest, one.name), **fields)
            elif one.type == "copy":
                trace.event(latest, pid, pid + 5, "cuda", "cudaMemcpyActivity", **common, bytes=one.bytes, **fields)
            else:
                trace.event(latest, pid, pid + 5, "cuda", "cudaMemsetActivity", **common, bytes=one.bytes, value=0)
            if at % 20 == 0 and self.later:
                trace.event(latest, pid, pid + 5, "later", "cudaLaterCall_begin", streamId=later)
                trace.event(latest, pid, pid + 5, "later", "cudaLaterActivity", start=1, what="new")
                later += 1
        trace.event(latest + 1, pid, pid + 5, "cuda", "cudaSyncActivity", devId=0, contextId=1, streamId=made.NO_STREAM,
                    correlationId=self.correlation, start=latest - 500, end=latest - 100, kind=4)

    # What a report and exports have to say.

    def late(self):
        """Of the pieces of work whose thread had waited for their stream, after it asked for them, when the record came:
        how long after that each ended. (No made call waits for as long as it would have to.)"""
        begins = {(call.pid, call.correlation): call.begin for call in self.calls}
        found = [(one, min((end for begin, end in self.waits[one.pid, one.stream]
                            if begin >= begins[one.pid, one.correlation] and end <= self.arrived[one]), default=None))
                 for one in self.works if one.path is not None]
        return [max(one.end - end, 0) for one, end in found if end is not None]

    def line_of(self, path):
        """The user's line, and its function."""
        return {None: None, 1: ("main", LINES[1]), 2: ("step", LINES[2]), 3: ("step", LINES[2])}[path]

    def links(self):
        """{(function, line) or None: [calls, host ns, device ns, waiting ns, bytes to devices, from devices]}"""
        rows = collections.defaultdict(lambda: [0] * 6)
        for one in self.calls:
            row = rows[self.line_of(one.path)]
            row[0] += 1
            row[1] += one.end - one.begin
            row[3] += one.end - one.begin if "Sync" in one.name else 0
        for one in self.works:
            row = rows[self.line_of(one.path)]
            row[2] += one.end - one.begin
            row[4] += one.bytes if one.name == "memcpy host to device" else 0
            row[5] += one.bytes if one.name == "memcpy device to host" else 0
        return dict(rows)


def turn_of(now):
    return 1 + now % 64
