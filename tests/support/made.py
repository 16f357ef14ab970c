"""Traces that no program made: CTF as LTTng-UST lays it out, of events that a test writes down.

    trace = made.Trace(folder)
    process = trace.process(70, rank=0)
    thread = process.thread(71)
    with thread.call(100, 200, "cudaKernelLaunch", correlationId=9, kernel=1):   # begin and end
        …
    trace.event(300, 70, 71, "cuda", "cudaKernelActivity", devId=0, …)
    trace.write()

Events and fields are those of src/events; fields that are not given are 0 or empty. Each thread writes a
stream of its own, in packets of a few events, so that a stream can say that it lost some; events of the channel
`registry` go into another one, without contexts, as they do in a session.
"""
import contextlib
import functools
import json
import struct
import subprocess
import sys
import uuid

from . import places

# Times are nanoseconds since this one, in seconds since 1970.
EPOCH = 1700000000
WIDTHS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f64": "d"}
NO_STREAM = 2 ** 32 - 1  # in a record of waiting for a device
HEAD = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
trace { major = 1; minor = 8; uuid = "%s"; byte_order = le;
  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; }; };
env { hostname = "%s"; domain = "ust"; tracer_name = "lttng-ust"; };
clock { name = "monotonic"; freq = 1000000000; offset_s = %d; offset = %d; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := clock_t;
stream { id = 0;
  packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };
  event.header := struct { uint32_t id; clock_t timestamp; };
  event.context := struct { int32_t _vpid; int32_t _vtid; }; };
stream { id = 1;
  packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };
  event.header := struct { uint32_t id; clock_t timestamp; }; };
"""


@functools.lru_cache(maxsize=None)
def tables():
    """{domain: (provider, {event: ([(field, type)], channel)})} of src/events."""
    folder = places.ROOT / "src" / "events"
    told = subprocess.run(
        [sys.executable, "-B", "-c", "import sys, json; sys.path.insert(0, sys.argv[1]); import generate; "
         "print(json.dumps(generate.load(sys.argv[2:])))", str(folder), *map(str, sorted(folder.glob("*.json")))],
        stdout=subprocess.PIPE, check=True).stdout
    return {table["domain"]: (table["provider"], {
        event["name"]: ([(field["name"], field["type"]) for field in event["fields"]], event["channel"])
        for event in table["events"]})
        for table in json.loads(told)}


def ns(at):
    """A time of a trace, as what reads it has it."""
    return EPOCH * 1000000000 + at


class Thread:
    def __init__(self, process, tid, number=0):
        self.process, self.tid, self.number = process, tid, number

    def event(self, at, domain, name, /, **fields):
        self.process.trace.event(at, self.process.pid, self.tid, domain, name, **fields)

    @contextlib.contextmanager
    def call(self, begin, end, function, /, return_value=0, **fields):
        """A call of CUDA; what is called in it comes between."""
        self.event(begin, "cuda", function + "_begin", **fields)
        yield
        self.event(end, "cuda", function + "_end", return_value=return_value, correlationId=fields.get("correlationId", 0))

    def python(self, at, what, number):
        """A Python function that code() made known begins or ends (`what`), with its name or its number."""
        if self.process.trace.names == "registry":
            self.event(at, "python", what, tid=self.tid, code_how=4 * number)
        else:
            self.event(at, "python", "function_" + what, **self.process.codes[number], code_id=number,
                       python_thread_id=self.number)

    def function(self, begin, end, number):
        self.python(begin, "begin", number)
        self.python(end, "end", number)


    def counts(self, end, ran, delayed, paths, read=None):
        """MONITORING's counts of a thread that begins at 1 ms, with its clock, which was read last after `read` (None: at the
        end). A path is (function or C callable, path around it, calls, own time, longest call)."""
        process, ms = self.process, 1000000
        counts = {"pid": process.pid, "tid": self.tid, "python_thread_id": self.number, "domain": "Python"}
        whole = [own for _, _, _, own, _ in paths]
        for number in reversed(range(len(paths))):
            if paths[number][1]:
                whole[paths[number][1] - 1] += whole[number]
        self.event(ms, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
        self.event(ms + (read or end), "core", "thread_clock", processor_ns=ran, run_delay_ns=delayed)
        for number, (what, parent, calls, own, longest) in enumerate(paths):
            is_c = isinstance(what, str)
            kind, lexgion = (1, 100 + number) if is_c else (0, what)
            if is_c:
                process.main.event(0, "python", "callee_info", callee=lexgion, callee_name=what, module=what.split(".")[0])
            code = dict(qualname=what, filename="", lineno=0) if is_c else process.codes[what]
            self.event(ms + end, "core", "path_profile", node=number + 1, parent=parent, kind=kind, lexgion=lexgion, lineno=11,
                       calls=calls, inclusive_ns=whole[number], self_ns=own, max_ns=longest, **counts)
            self.event(ms + end, "core", "lexgion_profile", kind=kind, lexgion=lexgion, name=code["qualname"], filename=code["filename"],
                       lineno=code["lineno"], calls=calls, inclusive_ns=whole[number], exclusive_ns=own, **counts)


class Process:
    def __init__(self, trace, pid, rank, program, parent, began, command):
        self.trace, self.pid, self.codes, self.kernels, self.main = trace, pid, {}, {}, Thread(self, pid)
        trace.processes[pid] = self
        self.main.event(began, "core", "process_info", pid=pid, ppid=parent, rank=rank, hostname=trace.host, program=program,
                        command=command or "python " + program, version="0", pid_namespace=0, program_number=0)

    def thread(self, tid, number=0, name="MainThread"):
        thread = Thread(self, tid, number)
        thread.event(0, "core", "thread_info", pid=self.pid, tid=tid, python_thread_id=number, name=name)
        return thread

    def code(self, number, qualname, filename, lineno):
        self.codes[number] = dict(qualname=qualname, filename=filename, lineno=lineno)
        self.main.event(0, "python", "code_info", code=number, code_id=number, module="__main__", **self.codes[number])

    def kernel(self, at, name):
        """The number of a kernel, which is told at its first mention."""
        if name not in self.kernels:
            self.kernels[name] = len(self.kernels) + 1
            self.main.event(at, "cuda", "kernel_info", pid=self.pid, kernel=self.kernels[name], name=name)
        return self.kernels[name]

    def path(self, number, parent, code, lineno):
        """A Python call path: `py_path` of native events."""
        self.main.event(0, "python", "path_info", path=number, parent=parent, code=code, lineno=lineno)


class Trace:
    def __init__(self, folder, known=("core", "python", "cuda"), later=(), names="inline",
                 host="made", ahead=0, clock=None):
        """`later` are events that a later version has, {"provider:event": [(field, type), …]}. `names` is how Python's
        events have theirs. The clock of `host` is so many nanoseconds ahead, or behind where it is less than 0. It
        shows clock(at) at each time."""
        self.folder, self.names, self.host, self.ahead, self.clock = folder, names, host, ahead, clock or int
        self.uuid = uuid.uuid5(uuid.NAMESPACE_DNS, host)
        self.numbers, self.fields = {}, []
        for domain in known:
            provider, events = tables()[domain]
            for name, (fields, channel) in events.items():
                self.know(domain, name, provider, fields, int(channel == "registry"))
        for full, fields in dict(later).items():
            provider, name = full.split(":")
            self.know("later", name, provider, fields)
        self.streams, self.processes = {}, {}
        self.lost = {}

    def know(self, domain, name, provider, fields, stream=0):
        self.numbers[domain, name] = len(self.fields)
        self.fields.append(("%s:%s" % (provider, name), fields, stream))

    def process(self, pid, rank=-1, program="/a/program.py", parent=1, began=0, command=None):
        return Process(self, pid, rank, program, parent, began, command)

    def event(self, at, pid, tid, domain, name, /, **fields):
        number, at = self.numbers[domain, name], self.clock(at)
        _, known, stream = self.fields[number]
        assert set(fields) <= {field for field, _ in known}, (name, fields)
        data = struct.pack("<IQ", number, at) if stream else struct.pack("<IQii", number, at, pid, tid)
        for field, kind in known:
            value = fields.get(field, "" if kind == "string" else 0)
            data += value.encode("utf-8", "surrogateescape") + b"\0" if kind == "string" else struct.pack("<" + WIDTHS[kind], value)
        self.streams.setdefault((pid, tid, stream), []).append((at, data))

    def loses(self, pid, tid, at, count):
        """Full buffers discarded so many events of a thread about then."""
        self.lost.setdefault((pid, tid), []).append((at, count))

    def write(self, packet=8):
        """Writes it, `packet` events in each packet. Returns the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = HEAD % (self.uuid, self.host, EPOCH + self.ahead // 10**9, self.ahead % 10**9)
        for number, (full, fields, stream) in enumerate(self.fields):
            members = " ".join("%s _%s;" % (self.type_of(kind), field) for field, kind in fields)
            text += 'event { name = "%s"; id = %d; stream_id = %d; fields := struct { %s }; };\n' % (
                full, number, stream, members)
        (self.folder / "metadata").write_text(text)
        for number, (key, events) in enumerate(sorted(self.streams.items())):
            events = sorted(events, key=lambda event: event[0])  # of one time in the order of writing
            parts = [events[at:at + packet] for at in range(0, len(events), packet)]
            with open(self.folder / ("events_%d" % number), "wb") as file:
                for sequence, part in enumerate(parts):
                    lost = sum(count for at, count in self.lost.get(key[:2], ()) if not key[2] and at <= part[-1][0])
                    file.write(self.packet(key[2], number, sequence, part, lost))
        return self.folder

    @staticmethod
    def type_of(kind):
        return "string" if kind == "string" else "%sint%s_t" % ("u" if kind[0] == "u" else "", kind[1:])

    def packet(self, kind, stream, sequence, events, lost):
        body = b"".join(data for _, data in events)
        head = struct.pack("<I16sIQ", 0xC1FC1FC1, self.uuid.bytes, kind, stream)
        bits = 8 * (len(head) + 6 * 8 + 4 + len(body))
        return head + struct.pack("<QQQQQQI", events[0][0], events[-1][0], bits, bits, sequence, lost, stream) + body
