"""Run one case in this interpreter and say what it took: the child that the benchmark times.

    run.py CASE N[,N...] [TOOL]

For each N the case runs once, after a short run that warms the interpreter up. The result goes as JSON
into the file named by PINSIGHT_BENCH_RESULT: for each N the time on the wall and the processor time of
this thread and of the process; what the process's memory peaked at; and when the last line ran. TOOL is one that works
from inside: cprofile, cprofile-python, setprofile-c, callbacks, callbacks-calls, setprofile-python,
viztracer, viztracer-save.
"""

import os
import sys
import time


def find_case(name):
    import cases

    if name in cases.CASES:
        return cases.CASES[name], 2000
    module, _, function = name.partition(".")
    return getattr(__import__(module), function or "run"), 60


def load_floor():
    """The module of C callbacks that do nothing, from the folder that PINSIGHT_BENCH_FLOOR names."""
    sys.path.insert(0, os.environ["PINSIGHT_BENCH_FLOOR"])
    import pinsight_floor

    return pinsight_floor


def nothing(frame, event, argument):
    pass


class Tool:
    """No tool. `start` and `stop` surround what is timed; `save` is timed too, apart."""

    def start(self):
        pass

    def stop(self):
        pass

    def save(self):
        pass


class CProfile(Tool):
    def __init__(self, builtins):
        import cProfile

        self.make = lambda: cProfile.Profile(builtins=builtins)

    def start(self):
        self.profile = self.make()
        self.profile.enable()

    def stop(self):
        self.profile.disable()


class SetProfileC(Tool):
    def __init__(self):
        self.floor = load_floor()

    def start(self):
        self.floor.profile("noop")

    def stop(self):
        self.floor.profile(None)


class Callbacks(Tool):
    """Callbacks that do nothing, for functions or for call sites; before 3.12 a profile function has both."""

    FUNCTIONS = ("PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND")
    CALLS = ("CALL", "C_RETURN", "C_RAISE")

    def __init__(self, names):
        self.floor = load_floor()
        self.monitoring = getattr(sys, "monitoring", None)
        self.names = names

    def start(self):
        if not self.monitoring:
            self.floor.profile("noop")
            return
        self.monitoring.use_tool_id(4, "pinsight_floor")
        mask = 0
        for name in self.names:
            event = getattr(self.monitoring.events, name)
            self.monitoring.register_callback(4, event, self.floor.noop)
            mask |= event
        self.monitoring.set_events(4, mask)

    def stop(self):
        if not self.monitoring:
            self.floor.profile(None)
            return
        self.monitoring.set_events(4, 0)
        self.monitoring.free_tool_id(4)


class SetProfilePython(Tool):
    def start(self):
        sys.setprofile(nothing)

    def stop(self):
        sys.setprofile(None)


class VizTracer(Tool):
    def __init__(self, saves):
        import viztracer

        self.make = lambda: viztracer.VizTracer(tracer_entries=4_000_000, verbose=0)
        self.saves = saves

    def start(self):
        self.tracer = self.make()
        self.tracer.start()

    def stop(self):
        self.tracer.stop()

    def save(self):
        if self.saves:
            name = os.environ["PINSIGHT_BENCH_RESULT"] + ".viztracer.json"
            self.tracer.save(name)
            os.unlink(name)
        self.tracer.clear()


TOOLS = {
    "none": Tool,
    "cprofile": lambda: CProfile(True),
    "cprofile-python": lambda: CProfile(False),
    "setprofile-c": SetProfileC,
    "callbacks": lambda: Callbacks(Callbacks.FUNCTIONS),
    "callbacks-calls": lambda: Callbacks(Callbacks.CALLS),
    "setprofile-python": SetProfilePython,
    "viztracer": lambda: VizTracer(False),
    "viztracer-save": lambda: VizTracer(True),
}


def measure(case, n, tool):
    tool.start()
    try:
        wall = time.perf_counter_ns()
        process = time.process_time_ns()
        cpu = time.thread_time_ns()
        value = case(n)
        cpu = time.thread_time_ns() - cpu
        process = time.process_time_ns() - process
        wall = time.perf_counter_ns() - wall
    finally:
        tool.stop()
    saving = time.perf_counter_ns()
    tool.save()
    saving = time.perf_counter_ns() - saving
    return {"n": n, "wall_ns": wall, "cpu_ns": cpu, "process_ns": process, "save_ns": saving, "value": value}


def memory():
    """Peak of this process's memory, and how much is shared now (LTTng's buffers are); KiB.

    ru_maxrss is of no use: it includes the process that this one was forked from.
    """
    found = {}
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key in ("VmHWM", "RssShmem"):
                found[key] = int(value.split()[0])
    return found.get("VmHWM", 0), found.get("RssShmem", 0)


def main():
    name, numbers = sys.argv[1], [int(part) for part in sys.argv[2].split(",")]
    case, warm_up = find_case(name)
    tool = TOOLS[sys.argv[3] if len(sys.argv) > 3 else "none"]()
    case(min(warm_up, numbers[0]))
    pause = float(os.environ.get("PINSIGHT_BENCH_PAUSE", "0"))
    runs = []
    for n in numbers:
        runs.append(measure(case, n, tool))
        if pause:
            time.sleep(pause)
    import json

    peak_kb, shared_kb = memory()
    result = {"case": name, "runs": runs, "peak_kb": peak_kb, "shared_kb": shared_kb}
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        result["end_monotonic"] = time.clock_gettime(time.CLOCK_MONOTONIC)
        json.dump(result, file)


if __name__ == "__main__":
    main()
