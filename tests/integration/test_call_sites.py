"""Calls of C of which none could be wanted: the interpreter does not report call sites, and nothing else changes."""
import pytest

from support.running import Running
from support.traces import Trace
from support.world import wait_until
from test_windows import begun, configured, profiled

NOTHING = "[Lexgion.default]\nmax_num_traces = 0\n"

# Whether a C callable could be wanted, at whatever call site.
CONFIGURATIONS = {
    "": True,
    NOTHING: False,
    NOTHING + "[Lexgion(Python:sites.py:*)]\nmax_num_traces = -1\n": False,
    NOTHING + "[Lexgion(Python:c:math.*)]\nmax_num_traces = 1\n": True,
    NOTHING + "trace_mode_after = MONITORING\n": True,
    NOTHING + "[Python]\ntrace_mode = MONITORING\n": True,
    NOTHING + "[Python]\nevents = c_call\n": False,
    "[Lexgion(Python:c:*)]\nmax_num_traces = 0\n": False,
    "[Lexgion.default]\nmax_num_traces = 100\n": True,
    "[Python]\nevents = function\n": False,
    # An lru_cache of the module would be one, and may be made at any time.
    "[Python]\nmodule_filter = nowhere\n": True,
}

SITES = """
import sys
def reported():
    monitoring = sys.monitoring
    own = [tool for tool in range(6) if monitoring.get_tool(tool) == "PInsight"]
    assert len(own) == 1
    return bool(monitoring.get_events(own[0]) & monitoring.events.CALL)
print(reported())
"""


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=range(len(CONFIGURATIONS)))
def test_call_sites_are_reported_where_something_could_be_wanted(newest, run_traced, tmp_path, text):
    if newest.mechanism != "sys.monitoring":
        pytest.skip("a profile function is told of every call")
    program = tmp_path / "sites.py"
    program.write_text(SITES)
    result = run_traced(newest, program, *configured(tmp_path, text))
    assert result.stdout == "%s\n" % CONFIGURATIONS[text]


ONE_SITE = """
import kept
def plain(number): return number
def site(function, times):
    for number in range(times):
        function(number)
site(plain, 1000)
site(kept.cached, 5)
site(plain, 10)
"""


def test_a_callable_that_is_wanted_comes_late(newest, run_traced, tmp_path):
    """A module filter leaves out what a site has called so far, and not what it calls then."""
    if newest.mechanism != "sys.monitoring":
        pytest.skip("a profile function is not told of such callables")
    (tmp_path / "kept.py").write_text("import functools\n@functools.lru_cache(None)\ndef cached(number): return number\n")
    program = tmp_path / "one_site.py"
    program.write_text(ONE_SITE)
    result = run_traced(newest, program, *configured(tmp_path, "[Python]\nmodule_filter = kept\n"))
    assert begun(result.trace, "c_begin")["kept.cached", 0] == 5
    assert begun(result.trace) == {("<module>", 0): 1, ("cached", 0): 5}


MODES = """
import math, pinsight
def work(n):
    for _ in range(n): math.hypot(n, 4)
def inner(n):
    pinsight.set_mode("Python", "TRACING")
    work(7)
    return n
work(5)
pinsight.set_mode("Python", "MONITORING")
work(30)
sorted([1], key=inner)
work(11)
pinsight.set_mode("Python", "MONITORING")
work(400)
"""


def test_they_are_counted_in_monitoring(one_of_each, run_traced, tmp_path):
    """MONITORING counts without windows, all of them; and what it began is ended in TRACING."""
    program = tmp_path / "modes.py"
    program.write_text(MODES)
    trace = run_traced(one_of_each, program, *configured(tmp_path, NOTHING)).trace
    trace.assert_balanced(selected=True)
    assert not begun(trace, "c_begin")
    counted = profiled(trace, 1)
    assert (counted["math.hypot", 0], counted["sorted", 0]) == (430, 1)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0


CALLS = "[Python]\nevents = c_call\n"
RELOADED = """
def waits(item):
    open(os.path.join(HERE, "pid.new"), "w").write(str(os.getpid()))
    os.rename(os.path.join(HERE, "pid.new"), os.path.join(HERE, "pid"))
    while not os.path.exists(os.path.join(HERE, "go")):
        turn()
    return item
sorted([1], key=waits)
open(os.path.join(HERE, "ended"), "w").close()
while not os.path.exists(os.path.join(HERE, "stop")):
    turn()
"""


def test_a_call_that_is_open_while_the_windows_close(one_of_each, tmp_path):
    """It ends in the trace; and when a reload opens windows again, calls are recorded again."""
    running = Running(one_of_each, tmp_path, RELOADED, CALLS)
    try:
        running.reload_and_wait(CALLS + NOTHING)
        running.go_on(0.1)
        (tmp_path / "go").write_text("")
        assert wait_until((tmp_path / "ended").exists, 60)
        running.reload_and_wait(CALLS + NOTHING + "tracing_rate = 2\n")
        running.go_on(0.1)
        running.reload_and_wait(CALLS + NOTHING + "[Lexgion(Python:c:math.hypot)]\nmax_num_traces = 3\n")
        running.go_on(0.1)
        running.end()
    finally:
        running.clean()
    trace = Trace(running.output)
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == trace.totals("dropped_ends") == 0
    main = trace.main().moments
    assert [moment.how for moment in main if moment.kind == "c_end" and moment.name == "sorted"] == ["return"]
    changes = [event.ts for event in trace.infos["config_change"]]
    assert len(changes) == 3
    again = [moment.name for moment in main if moment.kind == "c_begin" and moment.ts > changes[2]]
    assert again == ["math.hypot"] * 3
