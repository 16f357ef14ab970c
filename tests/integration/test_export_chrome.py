"""`pinsight export --to chrome`: what a JSON reader makes of it, by the description of Chrome's Trace Event Format."""
import collections
import decimal
import json
import subprocess

import pytest

from support import exported, places

import test_export_perfetto as like
from test_export_perfetto import (  # noqa: F401: the same is true of this form
    test_generators, test_memory, test_mpi, test_openmp, test_python, test_values)

ORDERS = {"process_sort_index": "order", "thread_sort_index": "order", "process_name": "name", "thread_name": "name"}


def nanoseconds(event):
    exact = event["ts"] * 1000
    assert exact == int(exact), event
    return int(exact)


class Reader:
    """Takes the events apart into what support/exported.py looks at."""

    def __init__(self, text):
        told = json.loads(text, parse_float=decimal.Decimal)
        assert text.endswith("\n]}\n") and told["displayTimeUnit"] == "ns"
        assert int(told["otherData"]["seconds_since_1970"]) >= 0
        self.processes, self.threads, self.counters = {}, {}, {}
        self.events, self.begun = [], collections.defaultdict(list)
        self.flows = collections.defaultdict(dict)
        for event in told["traceEvents"]:
            getattr(self, "on_" + event["ph"])(event)
        self.bind()

    def thread(self, event):
        return "%d/%d" % (event["pid"], event["tid"])

    def on_M(self, event):
        what = event["name"]
        if what.startswith("process"):
            place = self.processes.setdefault(str(event["pid"]), {"pid": event["pid"]})
        else:
            place = self.threads.setdefault(self.thread(event), {"process": str(event["pid"]), "tid": event["tid"]})
        assert ORDERS[what] not in place, "told twice: %s" % event
        place[ORDERS[what]] = event["args"][what.split("_", 1)[1]]

    def on_B(self, event):
        self.take(event, event.get("args", {}))

    def on_i(self, event):
        assert event["s"] == "t"
        self.take(event, event.get("args", {}))

    def on_E(self, event):
        assert "name" not in event
        self.take(event, event.get("args", {}))

    def take(self, event, details):
        self.events.append([self.thread(event), event["ph"], nanoseconds(event), event.get("name"), event.get("cat"),
                            details, [], []])

    def on_C(self, event):
        (value,) = event["args"].values()
        process = None if event["pid"] == 0 else str(event["pid"])
        self.counters.setdefault((event["name"], process), []).append([nanoseconds(event), value])

    def on_s(self, event):
        self.flow(event)

    def on_f(self, event):
        assert event["bp"] == "e"
        self.flow(event)
        if event["cat"] == "mpi":  # it arrives within a slice, and not with one
            self.take(dict(event, ph="i"), event["args"])
            self.events[-1][7].append(event["id"])

    def flow(self, event):
        ends = self.flows[event["cat"], event["name"], event["id"]]
        assert event["ph"] not in ends, event
        ends[event["ph"]] = (self.thread(event), nanoseconds(event), len(self.events))

    def bind(self):
        """Gives the flows to the slices that are open in their threads at their times. A viewer has the events in the
        order of time, those of one time in that of the file."""
        lines = {}
        for at, event in enumerate(self.events):
            lines.setdefault(event[0], []).append((event[2], at, event))
        ends = sorted((thread, ns, at, phase, flow) for flow, found in self.flows.items()
                      for phase, (thread, ns, at) in found.items())
        for flow, found in self.flows.items():
            assert set(found) == {"s", "f"}, flow
        for thread, ns, at, phase, (category, _, number) in ends:
            if phase == "f" and category == "mpi":
                continue
            opened = []
            for when, place, event in lines[thread]:
                if (when, place) >= (ns, at):
                    break
                if event[1] == "B":
                    opened.append(event)
                elif event[1] == "E":
                    opened.pop()
            opened[-1][6 if phase == "s" else 7].append(number)

    def told(self):
        whole = self.processes.pop("0", None)
        assert (whole is not None) == any(process is None for _, process in self.counters)
        counters = [{"name": name, "process": process, "values": values}
                    for (name, process), values in self.counters.items()]
        return {"processes": self.processes, "threads": self.threads, "counters": counters, "events": self.events}


def read(file):
    return exported.Timeline(Reader(file.read_bytes().decode("utf-8")).told())


@pytest.fixture
def form():
    def make(trace, *options, output=None):
        made = output or trace.parent / (trace.name + ".json")
        if not output:
            like.export(trace, "--to", "chrome", "-o", str(made), *options)
        return read(made)
    return make


@pytest.mark.recorder("lttng")
def test_standard_output_and_damage(form, run_traced, newest, tmp_path):
    run = run_traced(newest, like.python_program(tmp_path), "--lossless")
    piped = tmp_path / "piped"
    with open(piped, "wb") as file:
        assert not like.export(run.folder, "--to", "chrome", "-q", "-o", "-", stdout=file).stderr
    assert form(run.folder, output=piped).slices
    with open("/dev/full", "w") as file:
        done = like.export(run.folder, "--to", "chrome", "-o", "-", stdout=file, rc=1)
    assert "No space left on device" in done.stderr and done.stderr.count("\n") == 1
    like.cut(run.folder)
    like.export(run.folder, "--to", "chrome", "-o", str(piped), rc=1)
    assert form(run.folder, output=piped).slices


def test_nothing_in_it(run_command, tmp_path):
    run = run_command("true", options=["--no-summary"])
    made = tmp_path / "made"
    subprocess.run([places.COMMAND, "export", "--to", "chrome", "-o", str(made), str(run.folder)], check=True,
                   stderr=subprocess.DEVNULL)
    assert json.loads(made.read_text())["traceEvents"] == []
