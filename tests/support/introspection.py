"""Programs that are introspected: a program and its configuration, and what traces, chunks and scripts say."""
import json
import os
import re
import subprocess

import pytest

from . import places
from .traces import events

# Steps until the time is over, and for some time after it first stood still for long. Says when it did, and whether it ever
# had a child.
PROGRAM = """
import os, signal, sys, threading, time
signalled = []
signal.signal(signal.SIGCHLD, lambda number, frame: signalled.append(number))
def inner():
    return sum(range(50))
def step():
    inner()
def run(seconds):
    gaps, last = [], time.monotonic()
    end = last + seconds
    while last < end:
        step()
        time.sleep(0.0005)
        now = time.monotonic()
        if now - last > 0.4:
            if not gaps:
                end = max(end, now + 0.4)
            gaps.append(round(now - last, 3))
        last = now
    return gaps
gaps = run(float(sys.argv[1]))
try:
    os.wait()
    children = "a child"
except ChildProcessError:
    children = "no child"
print("gaps", gaps)
print(children, len(signalled))
"""

ENDS = ["script_ended", "time_out", "resumed", "not_waited", "failed"]
MODES = ["OFF", "STANDBY", "MONITORING", "TRACING"]


class Run:
    """A program under a configuration whose function `step` is introspected after some executions."""

    def __init__(self, tmp_path, run_traced, python):
        self.folder, self.run_traced, self.python = tmp_path, run_traced, python
        self.configuration = tmp_path / "introspect.ini"
        self.program = tmp_path / "program.py"
        self.program.write_text(PROGRAM)

    def script(self, text, name="look.sh", mode=0o755):
        file = self.folder / name
        file.write_text(text)
        file.chmod(mode)
        return file

    def configure(self, after, traces=50, more=""):
        self.configuration.write_text(
            "[Python]\n    events = function\n    module_filter = __main__\n[Lexgion(Python:program.py:step)]\n"
            "    max_num_traces = %d\n    trace_mode_after = %s\n%s" % (traces, after, more))

    def __call__(self, seconds=0.8, **more):
        result = self.run_traced(self.python, [str(self.program), str(seconds)], "-c", str(self.configuration),
                                 **more)
        if more.get("rc", 0) == 0:
            assert "no child 0" in result.stdout, result.stdout
        return result


def gaps_of(result):
    return json.loads(re.search(r"gaps (\[.*\])", result.stdout).group(1))


def chunks_of(folder):
    """The chunks of a trace in their order. LTTng's last one is what followed the last introspection; of files, that
    is in the trace alone."""
    if (folder / "archives").exists():
        return sorted((folder / "archives").iterdir(), key=lambda path: int(path.name.rsplit("-", 1)[1]))
    chunks = folder / "trace" / os.uname().nodename / ".chunks"
    return sorted((path for path in chunks.iterdir() if path.is_dir()), key=lambda path: int(path.name))


def report(chunk):
    return json.loads(subprocess.check_output([places.COMMAND, "report", "--format", "json", str(chunk)]))


def steps_of(folder):
    """Calls of `step` up to each introspection, and after the last."""
    steps = [functions_of(chunk).get("step", 0) for chunk in chunks_of(folder)]
    if (folder / "archives").exists():
        return steps
    return steps + [functions_of(folder).get("step", 0) - sum(steps)]


def functions_of(chunk):
    """Calls by name, as a script sees them."""
    return {row["name"]: row["calls"] for row in report(chunk)["functions"]}


def events_of(folder):
    """Of a whole run. A trace of files is whole beside its chunks."""
    for part in chunks_of(folder) if (folder / "archives").exists() else [folder / "trace"]:
        yield from events(part)


def introspections(folder):
    """What the trace says of each introspection, as {number: {…}}, with the times of both events."""
    found = {}
    for event in events_of(folder):
        if event.name in ("introspect_begin", "introspect_end"):
            one = found.setdefault(event.fields["number"], {})
            one.update(event.fields)
            one[event.name] = event.ts
    for one in found.values():
        if "how" in one:
            one["how"], one["mode"] = ENDS[one["how"]], MODES[one["mode"]]
            one["seconds"] = (one["introspect_end"] - one["introspect_begin"]) / 1e9
    return found


def counts(chunk):
    """How often each event with a name is in a chunk."""
    found = {}
    for event in events(chunk):
        key = (event.name, event.fields.get("qualname", event.fields.get("name")))
        found[key] = found.get(key, 0) + 1
    return found


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@pytest.fixture(params=["lttng", "file"])
def each_recorder(request, monkeypatch, recorder):
    """Runs a test with both, whatever the module's mark says."""
    monkeypatch.setenv("PINSIGHT_RECORDER", request.param)


@pytest.fixture
def run(tmp_path, run_traced, newest):
    return Run(tmp_path, run_traced, newest)
