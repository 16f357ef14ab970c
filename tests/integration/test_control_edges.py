"""Control where it is not usual: several interpreters, children that record nothing, a full trace, a new start."""
import os
import time

import pytest

from support import places
from support.ctl import Traced, ctl, status, wait_for
from support.traces import Trace


INTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
run = getattr(interpreters, "exec", None) or interpreters.run_string
other = interpreters.create()
run(other, "x = sum([1, 2])")
say(os.getpid())
while not os.path.exists("stop"):
    work()
    time.sleep(0.002)
interpreters.destroy(other)
say("end")
"""


def test_several_interpreters(tmp_path, python):
    """PyGILState_Check() says nothing any more once there was another interpreter."""
    with Traced(tmp_path, python, INTERPRETERS) as traced:
        pid = traced.pid()
        for mode in ("STANDBY", "MONITORING", "OFF", "TRACING", "STANDBY", "TRACING"):
            assert "in effect after" in ctl(pid, "mode", "Python=" + mode)
        out, err = traced.finish()
        assert out == "end\n" and err == ""


INSIDE_ANOTHER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import pinsight
make = interpreters.create
try:
    other = make("legacy")
except (TypeError, ValueError):
    try: other = make(isolated=False)
    except TypeError: other = make()
run = getattr(interpreters, "exec", None) or interpreters.run_string
run(other, "import sys; sys.path[:] = %r" % sys.path)
run(other, "import pinsight; pinsight.set_mode('Python', 'STANDBY')")
for _ in range(200):
    work()
    time.sleep(0.002)
run(other, "import pinsight; pinsight.set_mode('Python', 'TRACING')")
for _ in range(200):
    time.sleep(0.002)
def after():
    pass
after()
print(pinsight.get_mode("Python"))
"""


def test_a_mode_from_another_interpreter(tmp_path, python, run_traced):
    program = tmp_path / "program.py"
    program.write_text("import os, time\ndef f(): pass\ndef work(): f()\n" + INSIDE_ANOTHER)
    result = run_traced(python, program, "--no-summary", "--lossless")
    assert result.stdout == "TRACING\n"
    trace = result.trace
    trace.assert_balanced()
    assert trace.calls("after") == 1
    assert trace.calls("work") < 150, "the main interpreter went into STANDBY"


CHILD = """
child = os.fork()
say(os.getpid())
while not os.path.exists("stop"):
    work()
    time.sleep(0.002)
if child:
    os.waitpid(child, 0)
"""


def test_a_child_that_records_nothing(tmp_path, newest):
    """It can be told to."""
    with Traced(tmp_path, newest, CHILD, env={"PINSIGHT_TRACE_PYTHON": "STANDBY"}) as traced:
        pids = {traced.pid(), traced.pid()}
        wait_for(lambda: {process["pid"] for process in status(traced.trace)} == pids)
        assert ctl(traced.trace, "mode", "Python=TRACING").count("in effect after") == 2
        traced.finish()


FULL = """
say(os.getpid())
while not os.path.exists("go"):
    work()
    time.sleep(0.002)
def later():
    pass
while not os.path.exists("stop"):
    later()
    time.sleep(0.002)
"""


def test_a_full_trace(tmp_path, newest):
    """It stays full, which is said; all else that a reload changes counts."""
    file = tmp_path / "full.ini"
    file.write_text("[Python]\nevents = function\nmodule_filter = __main__\n")
    with Traced(tmp_path, newest, FULL, ["-c", str(file), "--max-size", "200K"]) as traced:
        pid = traced.pid()
        wait_for(lambda: status(pid)[0]["Python"] == "MONITORING")
        said = ctl(pid, "mode", "Python=TRACING", rc=1)
        assert "Python refuses TRACING: the trace is as large as --max-size lets it be" in said
        file.write_text("[Python]\nevents = function\nmodule_filter = numpy\n")
        said = ctl(pid, "reload")
        assert "Python MONITORING -> TRACING is refused: the trace is as large as --max-size lets it be" in said
        assert "in effect after" in said
        (tmp_path / "go").write_text("")
        time.sleep(0.5)
        file.write_text("[Python]\nevents = function\nmodule_filter = __main__\n")
        assert "in effect after" in ctl(pid, "reload")
        time.sleep(0.5)
        traced.finish()
    counted = {event["name"] for event in profiles(traced.trace)}
    assert "later" in counted


def profiles(folder):
    return [event.fields for event in Trace(folder).infos["lexgion_profile"]]


NEXT_TOOL = """
import sys, pinsight
def f(): pass
def g(): f()
pinsight.activate()
for _ in range(5): g()
pinsight.deactivate()
seen = []
monitoring = sys.monitoring
for tool in (4, 3, 5, 1, 0, 2):
    monitoring.use_tool_id(tool, "next")
    monitoring.register_callback(tool, monitoring.events.PY_START, lambda code, _: seen.append(code.co_name))
    monitoring.set_events(tool, monitoring.events.PY_START)
    g()
    monitoring.set_events(tool, 0)
    monitoring.free_tool_id(tool)
print(len(seen))
"""


def test_the_next_tool_is_told_of_all(tmp_path, newest, run_traced):
    """What PInsight asked not to be told of any more, whoever has its tool id after it is told of."""
    program, file = tmp_path / "next.py", tmp_path / "next.ini"
    program.write_text(NEXT_TOOL)
    file.write_text("[Python]\nevents = function\nmodule_filter = numpy\n")
    assert run_traced(newest, program, "--no-summary", "-c", str(file)).stdout == "12\n"


AGAIN = """
import pinsight
def f(): pass
for events, calls in (("import", 3), ("function", 5), ("c_call", 3), ("function", 7)):
    pinsight.activate(events=events)
    for _ in range(calls): f()
    if calls != 5: pinsight.deactivate()
"""


def test_other_events_at_a_new_start(tmp_path, python, run_traced):
    """What was not wanted before is looked at again, after an end and without one."""
    program = tmp_path / "again.py"
    program.write_text(AGAIN)
    trace = run_traced(python, program, "--no-summary", "--lossless", env={"PINSIGHT_EVENTS": "none"}).trace
    trace.assert_balanced(selected=True)
    assert trace.calls("f") == 12


WINDOWS_AGAIN = """
import pinsight
def f(): pass
for _ in range(3):
    pinsight.activate()
    for _ in range(10): f()
    pinsight.deactivate()
"""


def test_windows_at_a_new_start(tmp_path, newest, run_traced):
    program, file = tmp_path / "again.py", tmp_path / "again.ini"
    program.write_text(WINDOWS_AGAIN)
    file.write_text("[Lexgion.default]\nmax_num_traces = 4\n")
    trace = run_traced(newest, program, "--no-summary", "--lossless", "-c", str(file)).trace
    assert trace.calls("f") == 3 * 4


CHANGES_ENVIRONMENT = """
say(os.getpid())
number = 0
while not os.path.exists("stop"):
    os.environ["PINSIGHT_TRACE_PYTHON"] = "nonsense"
    for _ in range(300):
        number += 1
        os.environ["V%d" % number] = "x" * 100
say("end")
"""


def test_a_program_that_changes_its_environment(tmp_path, newest):
    """The environment is what it was at the start: to look at it later is not safe, and would change what is in force."""
    file = tmp_path / "f.ini"
    file.write_text("[Python]\nevents = function\n")
    with Traced(tmp_path, newest, CHANGES_ENVIRONMENT, ["-c", str(file)]) as traced:
        pid = traced.pid()
        for _ in range(60):
            assert "is in force" in ctl(pid, "reload")
        out, err = traced.finish()
        assert out == "end\n" and err == ""


SELECTED = """
import json, threading
def f(n): return json.loads(json.dumps([n]))
f(1)
"""


def test_the_report_says_what_was_selected(tmp_path, newest, run_traced):
    """Who reads it later has not the file in mind."""
    program, file = tmp_path / "selected.py", tmp_path / "selected.ini"
    program.write_text(SELECTED)
    file.write_text("[Python]\nmodule_filter = json\nmodule_exclude = json.scanner\n[Python.punit.thread]\nrange = 0-3,7\n")
    result = run_traced(newest, program, "-c", str(file))
    said = " ".join(result.stderr.split())
    selection = "module_filter = json; module_exclude = json.scanner; range of threads = 0-3,7"
    assert ("Only the selection of the configuration: %s. The time of other calls counts with the function around them."
            % selection) in said
    [process] = result.report()["processes"]
    assert [domain["selection"] for domain in process["domains"]] == [selection]
    result = run_traced(newest, program)
    assert "configuration selects" not in result.stderr
    assert [domain["selection"] for domain in result.report()["processes"][0]["domains"]] == [None]


@pytest.mark.recorder("lttng")
def test_a_session_that_wants_imports_alone(tmp_path, newest, world_with_daemon):
    folder = tmp_path / "trace"
    program = tmp_path / "imports.py"
    program.write_text("import pinsight\npinsight.activate(events='import')\nimport this_is_not_there_yet\n")
    (tmp_path / "this_is_not_there_yet.py").write_text("")
    for words in (["create", "imports", "-o", str(folder)],
                  ["enable-event", "-u", "python_pinsight_lttng_ust:import_*"],
                  ["add-context", "-u", "-t", "vpid", "-t", "vtid"], ["start"]):
        assert world_with_daemon.run(["lttng", *words]).returncode == 0
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PINSIGHT", "PYTHON"))}
    env.update(PYTHONPATH=str(places.PACKAGES), LTTNG_UST_REGISTER_TIMEOUT="-1", PINSIGHT_RECORDER="lttng")
    assert world_with_daemon.run([newest.path, str(program)], env=env).returncode == 0
    world_with_daemon.run(["lttng", "destroy"])
    trace = Trace(folder)
    assert "this_is_not_there_yet" in [event.fields["module"] for event in trace.infos["import_begin"]]
    assert trace.counts["import_begin"] == trace.counts["import_end"]


GENERATORS = """
def generating(n):
    for i in range(n): yield i
for _ in range(5): assert sum(generating(10)) == 45
"""


def test_what_was_seen_outside_are_executions(tmp_path, newest, run_traced):
    """A generator that goes on is not one more."""
    program, file = tmp_path / "generators.py", tmp_path / "generators.ini"
    program.write_text(GENERATORS)
    file.write_text("[Python]\nevents = function\nmodule_filter = __main__\n[Lexgion(Python:*:generating)]\n"
                    "tracing_rate = 5\n")
    trace = run_traced(newest, program, "--no-summary", "--lossless", "-c", str(file)).trace
    trace.assert_balanced()
    assert trace.calls("generating") == 1 and trace.totals("outside") == 4
