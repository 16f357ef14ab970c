"""What is compared: how each tool runs a case of work/run.py."""

import shutil
from dataclasses import dataclass, replace
from typing import Optional

from harness import WORK


@dataclass(frozen=True)
class Tool:
    """One row of the tables.

    `recorder` is PInsight's. `inside` is the word for work/run.py where the tool works from inside the process; `mode`, `names` and
    `events` are PInsight's, and so is `config`, the text of a configuration file that says all that they say
    (`emits`: it records most calls); `ring` is how much it keeps; `needs` is a package that has to be in the environment.
    """

    name: str
    label: str
    inside: str = "none"
    mode: Optional[str] = None
    names: str = "inline"
    events: Optional[str] = None
    needs: Optional[str] = None
    config: Optional[str] = None
    emits: bool = False
    recorder: str = "lttng"
    ring: Optional[str] = None

    @property
    def is_pinsight(self):
        return self.mode is not None or self.config is not None

    @property
    def records(self):
        return self.mode == "TRACING" or self.emits


def _pinsight(name, label, mode, names="inline", events=None, recorder="lttng"):
    return Tool(name, "PInsight " + ("LTTng, " if recorder == "lttng" and mode == "TRACING" else "") + label, mode=mode, names=names, events=events, recorder=recorder)


ALL = [
    Tool("none", "no tool"),
    Tool("control", "no tool, once more (control)"),
    _pinsight("off", "OFF", "OFF"),
    _pinsight("standby", "STANDBY", "STANDBY"),
    _pinsight("monitoring-f", "MONITORING, functions", "MONITORING", events="function"),
    _pinsight("monitoring", "MONITORING", "MONITORING"),
    _pinsight("file-f", "TRACING, functions", "TRACING", "registry", "function", "file"),
    _pinsight("file", "TRACING", "TRACING", "registry", recorder="file"),
    # Some files in each run are dropped.
    replace(_pinsight("ring", "TRACING --ring 2M", "TRACING", "registry", recorder="file"), ring="2M"),
    _pinsight("registry-f", "TRACING registry, functions", "TRACING", "registry", "function"),
    _pinsight("registry", "TRACING registry", "TRACING", "registry"),
    _pinsight("inline-f", "TRACING inline, functions", "TRACING", "inline", "function"),
    _pinsight("inline", "TRACING inline", "TRACING", "inline"),
    Tool("cprofile-python", "cProfile, functions", inside="cprofile-python"),
    Tool("cprofile", "cProfile", inside="cprofile"),
    Tool("setprofile-c", "profile function in C, does nothing", inside="setprofile-c"),
    Tool("setprofile-python", "sys.setprofile in Python, does nothing", inside="setprofile-python"),
    Tool("py-spy", "py-spy, 100 samples a second", needs="py-spy"),
    Tool("viztracer", "VizTracer, in memory", inside="viztracer", needs="viztracer"),
    Tool("viztracer-save", "VizTracer, with its save", inside="viztracer-save", needs="viztracer"),
]
# For cases with generators.
NUMBERED = [
    _pinsight("numbered-f", "TRACING, functions, generators by number", "TRACING", "registry", "function,generator", "file"),
]
BY_NAME = {tool.name: tool for tool in ALL + NUMBERED}


def pinsight_run(bench, tool, trace, extra=()):
    """The words before the command that `pinsight run` is given, and the environment."""
    command = [bench.pinsight, "run", "-q", "--no-summary", "--recorder", tool.recorder, "-o", trace]
    if tool.config is not None:
        return command + ["-c", bench.configuration(tool.name, tool.config)] + list(extra) + ["--"], {}
    command += ["--names", tool.names]
    if tool.events:
        command += ["--events", tool.events]
    if tool.ring:
        command += ["--ring", tool.ring]
    return command + list(extra) + ["--"], {"PINSIGHT_TRACE_PYTHON": tool.mode}


def with_floor(bench, recorder, domain, words):
    """The command of a program that records a floor's events itself and is linked with libpinsight.

    For LTTng it finds the libpinsight that has LTTng, and the session is told of the floor's provider, which
    `pinsight run` does not know.
    """
    script = 'exec "$@"'
    if recorder == "lttng":
        script = (
            "lttng -q enable-event -u -s $PINSIGHT_SESSION -c events 'pinsight_floor_%s:*' >/dev/null 2>&1; "
            "export LD_PRELOAD='%s':$LD_PRELOAD; %s"
            % (domain, bench.preloaded(bench.libdir / "lttng" / "libpinsight.so.0"), script)
        )
    return ["sh", "-c", script, "sh", *words]


def command_for(bench, python, tool, case, numbers, trace, extra=()):
    """The command that runs a case under a tool, and its environment."""
    work = [python.executable, WORK / "run.py", case, ",".join(map(str, numbers)), tool.inside]
    environment = {"PINSIGHT_BENCH_FLOOR": str(python.floor)}
    work = bench.pinned(work)
    if tool.is_pinsight:
        before, more = pinsight_run(bench, tool, trace, extra)
        environment.update(more)
        if tool.records:
            environment["PINSIGHT_BENCH_PAUSE"] = "0.1"
        return before + work, environment
    if tool.name == "py-spy":
        before = [python.pyspy, "record", "--rate", "100", "--format", "raw", "-o", bench.fresh("py-spy"), "--"]
        return before + work, environment
    return work, environment


def usable(python, tool):
    """None if the tool can be measured with this Python, else why not."""
    if tool.needs and tool.needs not in python.packages:
        return "%s could not be installed" % tool.needs
    if tool.inside == "setprofile-c" and not python.floor.exists():
        return "the floor's module was not built (make bench builds it)"
    return None


def run_case(bench, python, tool, case, numbers, extra=()):
    """Run a case once under a tool: the child's report, and the trace's folder where there is one."""
    trace = bench.fresh("trace")
    command, environment = command_for(bench, python, tool, case, numbers, trace, extra)
    try:
        outcome = bench.child(command, environment)
    except Exception:
        shutil.rmtree(trace, ignore_errors=True)
        raise
    outcome["trace"] = trace
    return outcome
