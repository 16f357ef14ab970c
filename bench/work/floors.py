"""Measure PInsight and its floor side by side in one process, by the recorder of the run.

    floors.py CASE N REPEATS NAMES EVENTS

CASE is call or ccall, NAMES inline or registry, EVENTS what `pinsight run --events` was given. It must
run under `pinsight run`. In turns, each for n iterations of the case:

  none         PInsight OFF, nothing else on
  noop         callbacks that do nothing for the same interpreter events, in C
  noop_python  the same without CALL, where EVENTS has c_call
  joined       those callbacks, each emitting the floor's event with fields that are at hand
  tracing, monitoring, standby       PInsight in that mode
  cprofile     the standard library's profiler, which sees what EVENTS says
  events       n pairs of the floor's events in a C loop, by the same recorder

The floor of a call is what noop adds to none, plus events. Times are processor times of this thread: other
work on the machine does not count. Events go through real buffers to a real file, so with LTTng its consumer is
given time to empty them after each turn that emits any. The file recorder needs none, and a turn after a rest
would begin with cold caches, which the turns beside it would not.
"""

import cProfile
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import time

import cases
from run import load_floor

SWITCH = {"tracing": "TRACING", "monitoring": "MONITORING", "standby": "STANDBY"}


def extension():
    """The extension that the shim has started in this process."""
    tag = "%d.%d" % sys.version_info[:2] + ("" if getattr(sys, "_is_gil_enabled", lambda: True)() else "t")
    path = os.path.join(os.environ["PINSIGHT_LIBDIR"], "_pinsight_python-%s.so" % tag)
    loader = importlib.machinery.ExtensionFileLoader("_pinsight_python", path)
    spec = importlib.util.spec_from_file_location("_pinsight_python", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def listen(floor, kind, channel):
    """Let the session of this run record the floor's events, in the channel of ours. The file recorder needs none."""
    if floor.listening(kind):
        return
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "PINSIGHT")}
    subprocess.run(
        ["lttng", "enable-event", "-u", "-s", os.environ["PINSIGHT_SESSION"], "-c", channel, "pinsight_floor:*"],
        check=True,
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    limit = time.monotonic() + 5
    while not floor.listening(kind):
        if time.monotonic() > limit:
            raise SystemExit("floors.py: the session does not record the floor's events")
        time.sleep(0.01)


class Callbacks:
    """Callbacks of the floor in sys.monitoring (3.12 and later) or as a profile function."""

    def __init__(self, floor, kind, c_calls):
        self.floor = floor
        self.kind = kind
        self.c_calls = c_calls
        self.monitoring = getattr(sys, "monitoring", None)
        if self.monitoring:
            self.id = next(i for i in (4, 3, 5, 1, 0) if self.monitoring.get_tool(i) is None)
            self.monitoring.use_tool_id(self.id, "pinsight_floor")

    def on(self, emit, with_c):
        if not self.monitoring:
            self.floor.profile(self.kind if emit else "noop")
            return
        events = self.monitoring.events
        begin, end = (getattr(self.floor, "%s_%s" % (part, self.kind)) for part in ("begin", "end"))
        noop = self.floor.noop
        of_c = self.kind.startswith("c_")
        mask = 0
        table = [(name, begin if emit and not of_c else noop) for name in ("PY_START", "PY_RESUME", "PY_THROW")]
        table += [(name, end if emit and not of_c else noop) for name in ("PY_RETURN", "PY_YIELD", "PY_UNWIND")]
        if with_c:
            table += [("CALL", begin if emit and of_c else noop)]
            table += [(name, end if emit and of_c else noop) for name in ("C_RETURN", "C_RAISE")]
        for name, callback in table:
            event = getattr(events, name)
            self.monitoring.register_callback(self.id, event, callback)
            mask |= event
        self.monitoring.set_events(self.id, mask)

    def off(self):
        if not self.monitoring:
            self.floor.profile(None)
            return
        self.monitoring.set_events(self.id, 0)


def main():
    name, n, repeats, names, events = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    case = cases.CASES[name]
    c_calls = "c_call" in events
    kind = ("c_" if name == "ccall" else "") + names
    floor = load_floor()
    ours = extension()
    listen(floor, kind, "registry" if names == "registry" else "events")
    if name == "ccall":
        floor.use_payload("ccall", cases.__file__, "len", case.__code__.co_firstlineno + 5)
    else:
        floor.use_payload("add", cases.__file__, "", cases.add.__code__.co_firstlineno)
    callbacks = Callbacks(floor, kind, c_calls)
    profiler = None

    def turn_on(turn):
        nonlocal profiler
        if turn in SWITCH:
            ours.set_mode("Python", SWITCH[turn])
        elif turn == "cprofile":
            profiler = cProfile.Profile(builtins=c_calls)
            profiler.enable()
        elif turn != "none":
            callbacks.on(turn == "joined", c_calls and turn != "noop_python")

    def turn_off(turn):
        if turn in SWITCH:
            ours.set_mode("Python", "OFF")
        elif turn == "cprofile":
            profiler.disable()
        elif turn != "none":
            callbacks.off()

    def once(turn):
        if turn == "events":
            floor.events(kind, n // 20)
            start = time.thread_time_ns()
            floor.events(kind, n)
            return time.thread_time_ns() - start
        turn_on(turn)
        try:
            case(n // 20)
            start = time.thread_time_ns()
            case(n)
            return time.thread_time_ns() - start
        finally:
            turn_off(turn)

    turns = ["none", "noop", "joined", "tracing", "events", "monitoring", "cprofile", "standby"]
    if c_calls and callbacks.monitoring:
        turns.insert(1, "noop_python")
    ours.set_mode("Python", "OFF")
    results = {turn: [] for turn in turns}
    pause = 0.05 if "PINSIGHT_SESSION" in os.environ else 0
    for repeat in range(repeats):
        for turn in turns if repeat % 2 == 0 else reversed(turns):
            results[turn].append(once(turn) / n)
            if pause and turn in ("joined", "tracing", "events"):
                time.sleep(pause)
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump({"n": n, "ns": results}, file)


if __name__ == "__main__":
    main()
