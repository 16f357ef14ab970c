"""Made runs in which devices are idle for known reasons. A test writes down what threads do, in the order of their own
time; why each device was idle in each nanosecond is worked out here, slowly, by the rules of docs/devices.md.

    run = cuda_idle.Run(folder)
    main = run.process(70).thread(70)
    with main.function("train", line=10):
        main.launch(12, took=5 * MS)
        main.c_call("sleep", 13, 30 * MS)
        …
    run.write()
    run.devices(), run.rows()
"""
import collections
import contextlib
import random

from . import made

US, MS = 10 ** 3, 10 ** 6
SHORT = 100 * US
SCRIPT = "/home/u/train.py"
LIBRARIES = {"gemm": "/usr/lib/python3/dist-packages/torch/functional.py",
             "__next__": "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py"}
SYNC = {"cudaStreamSync", "cudaDeviceSync", "cudaEventSync"}
CAUSES = {"cudaMalloc": "memory", "cudaFree": "memory", "cudaMemcpy": "copy", "cudaMemcpyAsync": "copy",
          "cudaModuleLoad": "loading kernels"}
NOTHING = ("not known", None, None, None)

Work = collections.namedtuple("Work", "begin end asked order device pid stream call correlation")
Call = collections.namedtuple("Call", "thread begin name function line")


class State:
    """`where` is a list with the line, which those that are within share. In a library's function a second one is the
    line from which it is called, which is not known before something within tells it."""

    def __init__(self, cause, function, where, callee):
        self.cause, self.function, self.where, self.callee = cause, function, where, callee

    def but(self, **other):
        return State(**{**vars(self), **other})

    def key(self):
        return self.cause, self.function, self.where[0], self.callee


class Thread:
    def __init__(self, process, tid, number, start):
        self.process, self.run, self.tid = process, process.run, tid
        self.made = process.made.thread(tid, number)
        self.now, self.stack, self.changes, self.known = start, [], [], False

    # What it does.

    def wait(self, ns):
        self.now += ns

    @contextlib.contextmanager
    def slice(self, state):
        self.stack.append((self.now, state))
        self.changes.append((self.now, state))
        yield
        self.stack.pop()
        self.changes.append((self.now, self.stack[-1][1] if self.stack else None))

    @property
    def state(self):
        return self.stack[-1][1] if self.stack else State(*NOTHING[:2], [None], None)

    @contextlib.contextmanager
    def function(self, name, line=1, at=0):
        """One of the user's, or of LIBRARIES, which the user calls in the line `at`."""
        code, file = self.process.code(name, line)
        state = self.state
        if file == SCRIPT:
            state = State("Python", name, [None], None)
        else:
            if state.callee is None:
                state = state.but(callee=name, where=[None, at])
            if state.cause == "Python" and "/torch/utils/data/" in file:
                state = state.but(cause="data loader")
        self.made.python(self.now, "begin", code)
        with self.slice(state):
            yield
        self.made.python(self.now, "end", code)

    def c_call(self, name, line, ns):
        """From the user's function that is innermost, or from a library's."""
        function = self.process.innermost(self)
        fields = dict(caller_qualname=function, callee_name=name, caller_filename=self.process.codes[function][1],
                      caller_lineno=line, code_id=self.process.codes[function][0], python_thread_id=self.made.number)
        self.made.event(self.now, "python", "c_call_begin", **fields)
        state = self.state
        if state.callee is None:
            state = state.but(callee=name, where=[line])
        with self.slice(state):
            self.now += ns
        self.made.event(self.now, "python", "c_call_end", **fields)

    def line(self, line):
        """Of the user's function that is innermost. In a library's it is that of the call, which is known from now on."""
        where = self.state.where
        if len(where) == 1:
            return line
        if self.known and line is not None:
            where[0] = where[1]
            self.run.lines[self.state.function, self.state.callee].add(where[1])
        return where[1]

    def path(self, line):
        return 0 if line is None else self.process.path(self.state.function, line)

    def lock(self, line, ns):
        line = self.line(line)
        path = self.path(line)
        self.made.event(self.now, "python", "lock_wait_begin", tid=self.tid, lock=1, py_path=path)
        state = self.state.but(where=[line])
        with self.slice(state if state.cause == "data loader" else state.but(cause="lock")):
            self.now += ns
        self.made.event(self.now, "python", "lock_wait_end", tid=self.tid, lock=1)

    def gil(self, ns):
        with self.slice(self.state.but(cause="GIL")):
            self.now += ns
        self.made.event(self.now, "python", "gil_wait", tid=self.tid, wait_ns=ns, waits=1)

    def collect(self, line, ns):
        line = self.line(line)
        self.made.event(self.now, "python", "gc_begin", generation=2, python_thread_id=self.made.number, py_path=self.path(line))
        with self.slice(self.state.but(cause="garbage collection", where=[line])):
            self.now += ns
        self.made.event(self.now, "python", "gc_end", generation=2, python_thread_id=self.made.number)

    def waited_for(self):
        """The function and the line of the thread that is in a backward pass, of this thread without Python."""
        for thread in self.run.threads:
            state = next((state for at, state in reversed(thread.changes) if at <= self.now), None)
            if not self.stack and thread.process is self.process and state and state.callee == "run_backward":
                return state.function, state.where[0]
        return None, None

    def call(self, name, line, took, /, **fields):
        """A call of CUDA; `line` None: from no Python. What the line is told to be."""
        if not self.known:  # from here on the thread is looked at, and what is open in it
            self.known, self.changes = True, list(self.stack)
            if self.stack:
                self.process.callers.append((self.now, self))
        line = self.line(line)
        path = self.path(line)
        correlation = self.process.correlation = self.process.correlation + 1
        call = Call(self, self.now, name, *(self.waited_for() if line is None else (self.state.function, line)))
        state = self.state.but(cause="synchronisation" if name in SYNC else CAUSES.get(name, "CUDA call"), callee=name)
        if line is not None:
            state = state.but(where=[line])
        with self.made.call(self.now, self.now + took, name, py_path=path, correlationId=correlation, **fields):
            with self.slice(state):
                self.now += took
        return call, correlation

    def launch(self, line, took, stream=7, device=0, delay=5 * US, call=4 * US, name="k"):
        kernel = self.process.made.kernel(self.now, name)
        call, correlation = self.call("cudaKernelLaunch", line, call, streamId=stream, kernel=kernel)
        self.process.work(call, correlation, stream, device, delay, took, kernel=kernel)

    def copy(self, line, took, stream=7, device=0, delay=5 * US, bytes=1 << 20):
        """One that waits."""
        begin = max(self.now + delay, self.process.free[device, stream])
        call, correlation = self.call("cudaMemcpy", line, begin + took + 2 * US - self.now, bytes=bytes, kind=1)
        self.process.work(call, correlation, stream, device, delay, took, bytes=bytes, kind=1)

    def sync(self, line, stream=7, device=0, late=3 * US):
        self.call("cudaStreamSync", line, max(0, self.process.free[device, stream] - self.now) + late, streamId=stream)


class Process:
    def __init__(self, run, pid, parent):
        self.run, self.pid, self.made = run, pid, run.trace.process(pid, program=SCRIPT, parent=parent)
        self.codes, self.paths, self.correlation, self.callers = {}, {}, 0, []
        self.free = collections.defaultdict(int)  # when a stream is

    @property
    def first(self):
        """The thread of Python that called CUDA first."""
        return min(self.callers, key=lambda one: one[0])[1] if self.callers else None

    def thread(self, tid, number=0, start=1000):
        thread = Thread(self, tid, number, start)
        self.run.threads.append(thread)
        return thread

    def code(self, name, line):
        if name not in self.codes:
            self.codes[name] = len(self.codes) + 1, LIBRARIES.get(name, SCRIPT)
            self.made.code(self.codes[name][0], name, self.codes[name][1], line)
        return self.codes[name]

    def innermost(self, thread):
        """The Python function that is: the callee of the user's one where that is a library's."""
        state = thread.state
        return state.callee if state.callee in self.codes else state.function

    def path(self, function, line):
        if (function, line) not in self.paths:
            self.paths[function, line] = len(self.paths) + 1
            self.made.path(len(self.paths), 0, self.codes[function][0], line)
        return self.paths[function, line]

    def work(self, call, correlation, stream, device, delay, took, /, **fields):
        begin = max(call.begin + delay, self.free[device, stream])
        self.free[device, stream] = begin + took
        self.run.works.append((Work(begin, begin + took, call.begin, len(self.run.works), device, self.pid, stream, call,
                                    correlation), fields))


class Run:
    def __init__(self, folder, names="inline"):
        self.trace = made.Trace(folder, names=names)
        self.threads, self.works = [], []
        self.lines = collections.defaultdict(set)  # that were told of calls of libraries, by (function, callee)

    def process(self, pid, parent=1):
        return Process(self, pid, parent)

    def write(self, seed=1, packet=8):
        """The records come at the end, in no order."""
        last = max([thread.now for thread in self.threads] + [work.end for work, _ in self.works]) + 1000
        works = list(self.works)
        random.Random(seed).shuffle(works)
        for at, (work, fields) in enumerate(works):
            self.trace.event(last + at, work.pid, work.pid + 5, "cuda",
                             "cudaKernelActivity" if "kernel" in fields else "cudaMemcpyActivity", devId=work.device,
                             contextId=1, streamId=work.stream, correlationId=work.correlation, start=work.begin, end=work.end,
                             **fields)
        self.folder = self.trace.write(packet)
        return self.folder

    # What has to come out.

    def gaps(self):
        """[(device, begin, end, the work that ends it)]"""
        found = []
        for device in sorted({work.device for work, _ in self.works}):
            busy = None
            for work in sorted((work for work, _ in self.works if work.device == device), key=lambda one: (one.begin, one.asked)):
                if busy is not None and work.begin > busy:
                    found.append((device, busy, work.begin, work))
                busy = max(busy or 0, work.end)
        return found

    def devices(self):
        """{device: (first, last, busy, idle, gaps, longest)}"""
        told = {}
        for device in sorted({work.device for work, _ in self.works}):
            works = [work for work, _ in self.works if work.device == device]
            idle = [end - begin for one, begin, end, _ in self.gaps() if one == device]
            first, last = min(work.begin for work in works), max(work.end for work in works)
            told[device] = (first, last, last - first - sum(idle), sum(idle), len(idle), max(idle, default=0))
        return told

    @staticmethod
    def at(thread, ns):
        """What a thread does."""
        state = None
        for since, one in thread.changes if thread and thread.known else ():
            if since > ns:
                break
            state = one
        return state.key() if state else NOTHING

    def why(self, begin, end, work, ns):
        call = work.call
        told = call.function, call.line, call.name
        if ns >= call.begin:
            return ("launch latency", *told)
        key = self.at(call.thread, ns)
        if key == NOTHING:
            key = self.at(call.thread.process.first, ns)
        if end - begin < SHORT and key[0] in ("Python", "CUDA call", "not known"):
            return ("small launches", *told)
        return ("not known", *told) if key == NOTHING else key

    def rows(self):
        """{(device, cause, function, line, callee): (idle, gaps, longest, before)}"""
        rows = collections.defaultdict(lambda: [0, 0, 0, None])
        for device, begin, end, work in self.gaps():
            turns = {begin, end, min(max(work.asked, begin), end)}
            for thread in work.call.thread, work.call.thread.process.first:
                turns |= {ns for ns, _ in thread.changes if begin < ns < end} if thread else set()
            turns, own = sorted(turns), collections.defaultdict(int)
            for since, until in zip(turns, turns[1:]):
                own[self.why(begin, end, work, since)] += until - since
            for key, ns in own.items():
                row = rows[(device, *key)]
                row[0] += ns
                row[1] += 1
                if ns > row[2]:
                    row[2:] = ns, None if key[2] else work.call.line if work.call.function == key[1] else None
        return self.with_lines(rows)

    def with_lines(self, rows):
        """Where all that is known of a call of a library's function is one line, it is that of other calls too."""
        found = collections.defaultdict(lambda: [0, 0, 0, None])
        for (device, cause, function, line, callee), (ns, gaps, longest, before) in rows.items():
            known = self.lines.get((function, callee), ())
            line = line or (list(known)[0] if len(known) == 1 else None)
            row = found[device, cause, function, line, callee]
            row[:] = row[0] + ns, row[1] + gaps, max(row[2], longest), None if line else before
        return {key: tuple(row) for key, row in found.items()}


def any_run(folder, seed):
    """Threads that do anything, of two processes, for two devices with two streams each."""
    choose = random.Random(seed)
    run = Run(folder)
    for pid in (70, 90)[:choose.choice((1, 2))]:
        process = run.process(pid)
        for number in range(choose.choice((1, 2, 3))):
            thread = process.thread(pid + number, number, start=1000 + choose.randrange(1000))
            if number == 2:
                for _ in range(choose.randrange(20)):  # a thread of a framework
                    thread.wait(choose.randrange(2 * MS))
                    thread.launch(None, choose.randrange(200 * US), choose.choice((7, 8)), choose.choice((0, 0, 1)))
            else:
                with thread.function("main", 1):
                    thread.launch(10, 1000)
                    doings(choose, thread, 3)
    run.write(seed)
    return run


def doings(choose, thread, depth):
    for _ in range(choose.randrange(3, 12)):
        line, took = choose.randrange(10, 16), choose.choice((300, 20 * US, 80 * US, 3 * MS))
        took = 1 + choose.randrange(took)
        stream, device = choose.choice((7, 8)), choose.choice((0, 0, 1))
        what = choose.choice(("function", "function", "launch", "launch", "launch", "copy", "sync", "lock", "gil", "collect",
                              "malloc", "c_call", "wait"))
        thread.wait(choose.randrange(1, 30 * US))
        if what == "function" and depth:
            inner = choose.choice(("step", "load", "gemm", "__next__"))
            if inner in LIBRARIES or thread.state.callee is None:
                with thread.function(inner, 5, at=line):
                    doings(choose, thread, depth - 1)
        elif what == "launch":
            thread.launch(line, took, stream, device, delay=choose.randrange(1, 20 * US), name=choose.choice("ab"))
        elif what == "copy":
            thread.copy(line, took, stream, device)
        elif what == "sync":
            thread.sync(line, stream, device)
        elif what == "lock":
            thread.lock(line, took)
        elif what == "gil":
            thread.gil(took)
        elif what == "collect":
            thread.collect(line, took)
        elif what == "malloc":
            thread.call("cudaMalloc", line, took, bytes=64)
        elif what == "c_call" and thread.state.callee is None:
            thread.c_call(choose.choice(("sleep", "read")), line, took)
        else:
            thread.wait(took)
