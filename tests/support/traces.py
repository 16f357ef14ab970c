"""A reader of traces that knows nothing of PInsight's: the text of babeltrace2, taken apart.

`events` gives every event; `threads` gives per Python thread what was recorded, in one form for both ways
to write names, so that they can be compared with each other and with the oracle (tests/oracle).
"""
import collections
import functools
import os
import pathlib
import re
import subprocess

Event = collections.namedtuple("Event", "ts name vpid vtid fields")
Moment = collections.namedtuple("Moment", "kind name how ts fields")

HEAD = re.compile(r"(?:\S+ )??\w+:(\w+)")
FIELD = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|\( [^:]*? : container = -?\d+ \)|[^,\s]+)', re.S)
ESCAPED = re.compile(r"\\(x[0-9a-f]{2}|.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}

# Events of calls, in the two forms that names have.
REGISTRY = ("begin", "end", "c_begin", "c_end")
INLINE = ("function_begin", "function_end", "c_call_begin", "c_call_end")
BEGIN = ("start", "resume", "throw")
END = ("return", "yield", "unwind", "lost")
# Calls that a process does not come back from.
ENDING = ("posix._exit", "posix.execv", "posix.execve", "os.abort")
C_END = ("return", "raise", "?", "lost")


def value_of(text):
    if text[0] == '"':
        return ESCAPED.sub(lambda match: ESCAPES.get(match[1]) or (chr(int(match[1][1:], 16)) if len(match[1]) > 1 else match[1]), text[1:-1])
    if text[0] == "(":
        return int(text.split("container = ")[1].split()[0])
    try:
        return int(text, 0)
    except ValueError:
        return text


# Most events say what others said before: that is taken apart once.
@functools.lru_cache(maxsize=1 << 14)
def name_in(head):
    """The event's name in "host provider:name"; None where there is none."""
    match = HEAD.fullmatch(head)
    return match and match.group(1)


@functools.lru_cache(maxsize=1 << 14)
def fields_in(text):
    """(vpid, vtid, the other fields); the same dictionary for the same text."""
    fields = {key: value_of(value) for key, value in FIELD.findall(text)}
    return fields.pop("vpid", None), fields.pop("vtid", None), fields


def babeltrace(trace, *options):
    """Starts babeltrace2 on a trace, with its text on a pipe."""
    return subprocess.Popen(["babeltrace2", "--clock-seconds", "--no-delta", *options, str(trace)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                            errors="surrogateescape", env=dict(os.environ, LC_ALL="C"))


def matches(trace, pattern, whole=False):
    """The matches of a pattern in the lines of babeltrace2's text, each with its line. With `whole`, nothing may have
    been discarded."""
    process = babeltrace(trace)
    for line in process.stdout:
        match = pattern.search(line)
        if match:
            yield match, line
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0, said
    assert not whole or "iscarded" not in said


def events(trace, complete=True):
    """Every event of a trace as an Event, in the order of time. With `complete`, a damaged trace raises.

    Events may share a dictionary of fields: it is not to be changed.
    """
    if (pathlib.Path(trace) / "pinsight-run.txt").exists() and not any(pathlib.Path(trace).rglob("metadata")):
        return  # a run that recorded no process
    process = babeltrace(trace)
    try:
        for line in process.stdout:
            stamp, _, rest = line.partition("] ")
            head, _, text = rest.partition(": ")
            name = name_in(head)
            if name and stamp[0] == "[" and stamp[1].isdigit():
                vpid, vtid, fields = fields_in(text)
                yield Event(int(stamp[1:].replace(".", "")), name, vpid, vtid, fields)
    finally:
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        code = process.wait()
    if complete and code != 0:
        raise AssertionError("babeltrace2 failed on %s: %s" % (trace, said))


def discarded(trace):
    """How many events babeltrace2 says that full buffers discarded. Differences of counts: one that is below 0 wraps."""
    done = subprocess.run(["babeltrace2", "-o", "dummy", str(trace)], stderr=subprocess.PIPE)
    said = subprocess.run(["babeltrace2", str(trace)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    text = (done.stderr + said.stderr).decode(errors="replace")
    return sum(int(count) for count in re.findall(r"Tracer (?:may have )?discarded (\d+)", text)) % 2 ** 64


class Thread:
    """What one Python thread did: `moments`, in the order in which it did them."""

    def __init__(self, pid, number, tid):
        self.pid = pid
        self.number = number
        self.tid = tid
        self.moments = []

    def lost(self):
        return sum(1 for moment in self.moments if moment.how == "lost")

    def unbalanced(self, ended_by_force=False, selected=False):
        """What is wrong with the nesting of begins and ends, in words; None where all is right.

        `ended_by_force`: the process may have ended, or become another, in the C call that is innermost;
        with "killed", anywhere. `selected`: a function that is not recorded may call what is.
        """
        open_ones = []
        functions = not selected and any(moment.kind == "begin" for moment in self.moments)
        for index, moment in enumerate(self.moments):
            if moment.kind in ("begin", "c_begin"):
                if functions and moment.kind == "c_begin" and "caller_qualname" in moment.fields and open_ones:
                    inner = open_ones[-1]
                    if inner.kind != "begin" or inner.fields["code_id"] != moment.fields["code_id"]:
                        return "event %d, %s: the caller is not the innermost open function, %s" % (
                            index, moment[:3], inner[:3])
                open_ones.append(moment)
                continue
            if not open_ones:
                return "event %d, %s: no begin is open" % (index, moment[:3])
            begun = open_ones.pop()
            same = begun.kind == ("begin" if moment.kind == "end" else "c_begin") and begun.name == moment.name
            if same and moment.fields.get("code_id") != begun.fields.get("code_id"):
                same = False
            if not same:
                return "event %d, %s: ends %s" % (index, moment[:3], begun[:3])
        killed = ended_by_force == "killed"
        if open_ones and not killed and not (ended_by_force and open_ones[-1].name in ENDING):
            return "never ended: %s" % [moment[:3] for moment in open_ones]
        return None


class Numbered:
    """What numbers stand for: a process that executes another program counts anew."""

    def __init__(self):
        self.known = collections.defaultdict(list)

    def define(self, number, event):
        self.known[number].append((event.ts, event.fields))

    def at(self, number, ts):
        known = self.known[number]
        before = [fields for since, fields in known if since <= ts] if len(known) > 1 else None
        return before[-1] if before else known[0][1]


class Trace:
    """A whole trace: `threads` (in order of appearance), `infos` ({event name: [Event]})."""

    def __init__(self, trace):
        self.infos = collections.defaultdict(list)
        self.threads = []
        self.counts = collections.Counter()
        codes, callees, numbers = Numbered(), Numbered(), {}
        recorded = []
        for event in events(trace):
            self.counts[event.name] += 1
            if event.name in REGISTRY + INLINE:
                recorded.append(event)
                continue
            self.infos[event.name].append(event)
            fields = event.fields
            if event.name == "code_info":
                codes.define((event.vpid, fields["code"]), event)
            elif event.name == "callee_info":
                callees.define((event.vpid, fields["callee"]), event)
            elif event.name == "thread_info":
                numbers[fields["tid"]] = (fields["pid"], fields["python_thread_id"])
        current = {}
        for event in recorded:
            fields = event.fields
            if event.name in REGISTRY:
                tid = fields.get("tid", event.vtid)  # in each event, or of all in a packet
                pid, number = numbers[tid]
                key = (pid, number) if number >= 0 else tid
                moment = from_registry(event, pid, codes, callees)
            else:
                pid, tid, number = event.vpid, event.vtid, fields["python_thread_id"]
                key = (pid, number)
                moment = from_inline(event)
            thread = current.get(key)
            another = thread and thread.tid != tid and moment.how != "lost" and moment.kind[-3:] != "end"
            if thread is None or (another and thread.unbalanced() is None):
                thread = current[key] = Thread(pid, number, tid)
                self.threads.append(thread)
            thread.moments.append(moment)

    def main(self, pid=None):
        return next(thread for thread in self.threads
                    if thread.number == 0 and (pid is None or thread.pid == pid))

    def lost(self):
        return sum(thread.lost() for thread in self.threads)

    def totals(self, key):
        """A count of domain_totals, over processes: each one's last event counts."""
        last = {}
        for event in self.infos["domain_totals"]:
            last[event.fields["pid"], event.fields["domain"]] = event.fields[key]
        return sum(last.values())

    def calls(self, name):
        return sum(1 for thread in self.threads for moment in thread.moments
                   if moment.kind == "begin" and moment.how == "start" and moment.name == name)

    def assert_balanced(self, ended_by_force=False, selected=False):
        for thread in self.threads:
            wrong = thread.unbalanced(ended_by_force, selected)
            assert wrong is None, "thread %d of process %d: %s" % (thread.number, thread.pid, wrong)


def from_registry(event, pid, codes, callees):
    fields = event.fields
    if event.name in ("begin", "end"):
        number, how = divmod(fields["code_how"], 4)
        about = codes.at((pid, number), event.ts)
        hows = BEGIN if event.name == "begin" else END
        return Moment(event.name, about["qualname"], hows[how], event.ts, {"code_id": about["code_id"]})
    number, how = divmod(fields["callee_how"], 4)
    name = callees.at((pid, number), event.ts)["callee_name"]
    return Moment(event.name, name, None if event.name == "c_begin" else C_END[how], event.ts, {})


def from_inline(event):
    fields = event.fields
    name = event.name
    if name == "function_begin":
        return Moment("begin", fields["qualname"], BEGIN[fields["how"]], event.ts, fields)
    if name == "function_end":
        return Moment("end", fields["qualname"], END[fields["how"]], event.ts, fields)
    if name == "c_call_begin":
        return Moment("c_begin", fields["callee_name"], None, event.ts, fields)
    return Moment("c_end", fields["callee_name"], C_END[fields["how"]], event.ts, fields)


def count_events(trace):
    """{event name: how often} by awk over babeltrace2's text: for traces of millions of events."""
    script = ("babeltrace2 --clock-seconds --no-delta \"$1\" | LC_ALL=C awk '{ for (i = 2; i <= 4; i++)"
              " if ($i ~ /^[a-z_]+_lttng_ust:/) { n[$i]++; break } }"
              " END { for (e in n) print e, n[e] }'")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", script, "count", str(trace)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    counts = collections.Counter()
    for line in done.stdout.decode().splitlines():
        name, count = line.split()
        counts[name.rstrip(":").split(":")[1]] += int(count)
    return counts
