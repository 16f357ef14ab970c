"""A program that has a profiler of its own, and threads one after another: both want the interpreter's one
profile function on versions before 3.12."""
import os
import re
import subprocess

import pytest

from support import places
from support.traces import Trace

PROFILED = """
import cProfile, io, pstats, sys, time
def add(v): return v + 1
def work(n):
    for i in range(n): add(i)
def after(): pass
work(10)
own = cProfile.Profile()
own.enable(); work(100); own.disable()
text = io.StringIO()
pstats.Stats(own, stream=text).print_stats("add")
assert " 100 " in text.getvalue(), text.getvalue()
end = time.monotonic() + 0.5
while time.monotonic() < end: time.sleep(0.01)
for i in range(5): after()
print("the profile is right")
"""


def test_the_programs_own_profiler_works_and_tracing_comes_back(python, run_traced):
    result = run_traced(python, PROFILED)
    assert result.stdout == "the profile is right\n"
    trace = result.trace
    trace.assert_balanced()
    assert trace.calls("after") == 5
    if python.mechanism == "sys.monitoring":
        assert trace.calls("add") == 110
        assert "profiler of its own" not in result.stderr
    else:
        assert trace.calls("add") == 10
        assert result.stderr.count("starts a profiler of its own") == 1


TAKEN_AWAY = """
import sys, threading
def first(): pass
def after(): pass
def take():
    first(); sys.setprofile(None)
    for i in range(10): after()
    sys.setprofile(lambda *arguments: None); len(""); sys.setprofile(None)
    for i in range(10): after()
    try: sys.setprofile()
    except TypeError: after()
take()
thread = threading.Thread(target=take)
thread.start(); thread.join()
"""

USED_IN_BETWEEN = """
import cProfile
def first(): pass
def after(): pass
for i in range(3):
    first()
    with cProfile.Profile() as own: len("")
    after()
    cProfile.Profile().runcall(len, "")
    after()
"""


@pytest.mark.parametrize("events", ["function", "function,c_call"])
@pytest.mark.parametrize("program, calls", [(TAKEN_AWAY, 42), (USED_IN_BETWEEN, 6)], ids=["setprofile", "cProfile"])
def test_we_are_back_when_a_profiler_has_gone(python, program, calls, events, run_traced):
    """At once, and whether or not calls of C are observed."""
    result = run_traced(python, program, "--events", events)
    assert result.trace.calls("after") == calls
    assert result.stderr.count("starts a profiler of its own") == (python.mechanism != "sys.monitoring")


def test_no_profiler_is_seen_where_none_came(python, run_traced):
    """sys.setprofile(None) takes ours away, up to 3.11."""
    result = run_traced(python, "import sys\ndef after(): pass\nsys.setprofile(None)\nafter()\n")
    assert result.trace.calls("after") == 1
    assert "profiler of its own" not in result.stderr


ONE_AFTER_ANOTHER = """
import _thread, threading, time
ran = []
def sole(i): ran.append(i)
for i in range(30):
    thread = threading.Thread(target=sole, args=(i,)); thread.start(); thread.join()
for i in range(30):
    _thread.start_new_thread(sole, (i,))
    while len(ran) < 31 + i or _thread._count(): time.sleep(0.001)
"""


def test_threads_one_after_another_are_all_seen(python, run_traced):
    """The interpreter may put a thread's state where that of one that ended lay."""
    trace = run_traced(python, ONE_AFTER_ANOTHER).trace
    trace.assert_balanced()
    assert trace.calls("sole") == 60
    assert len(trace.threads) == 61


ALONE = """
import _thread, pinsight
pinsight.activate(output="trace")
ran = []
def inner(): ran.append(1)
def run(): inner()
_thread.start_new_thread(run, ())
while not ran: pass
"""


def test_a_thread_is_seen_from_its_start(python, tmp_path):
    """Nothing is preloaded, C calls are not observed, and the thread's starter calls nothing afterwards."""
    (tmp_path / "functions.ini").write_text("[Python]\nevents = function\n")
    subprocess.run([python.path, "-c", ALONE], cwd=str(tmp_path), check=True, timeout=60,
                   env=dict(os.environ, PYTHONPATH=str(places.PACKAGES), PINSIGHT_CONFIG=str(tmp_path / "functions.ini")))
    # The process may end while the thread ends. A reader of PInsight's then completes the thread's stream.
    subprocess.run([places.COMMAND, "report", "-q", str(tmp_path / "trace")], check=True, stdout=subprocess.DEVNULL)
    trace = Trace(tmp_path / "trace")
    assert trace.calls("run") == trace.calls("inner") == 1


AUDITED = """
import sys, threading
sys.setswitchinterval(1e-6)
seen = []
def hook(event, arguments):
    if event == "sys.setprofile": seen.append(event)
sys.addaudithook(hook)
def work():
    for i in range(20): len("x")
for i in range(20):
    threads = [threading.Thread(target=work) for j in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print(len(seen))
"""


def test_an_audit_hook_of_the_program_sees_nothing_of_us(python, run_traced):
    """Up to 3.11 a profile function goes into each new thread; the interpreter's own way to put it there tells
    the audit hooks, and fails in the new thread if another thread runs one at that moment."""
    result = run_traced(python, AUDITED)
    assert (result.stdout, result.stderr.count("Error")) == ("0\n", 0)
    trace = result.trace
    trace.assert_balanced()
    assert trace.calls("work") == 400


IN_ANOTHER_INTERPRETER = """
try: import _xxsubinterpreters as interpreters
except ImportError: import _interpreters as interpreters
program = '''
import sys, time
%s
def nothing(): pass
best = 9e9
for i in range(25):
    start = time.thread_time()
    for j in range(4000): nothing()
    best = min(best, time.thread_time() - start)
print(best, flush=True)
'''
other = interpreters.create()
interpreters.run_string(other, program % "")
interpreters.run_string(other, program % "sys.setprofile(None)")
"""


def test_another_interpreter_is_not_observed_after_a_profiler(python, run_traced):
    """Its calls cost what they did before: each would be looked at, and nothing recorded."""
    before, after = map(float, run_traced(python, IN_ANOTHER_INTERPRETER).stdout.split())
    assert after < 5 * before


WHAT_IT_IS_TOLD = """
import sys, threading
events = []
def note(frame, event, argument):
    name = argument.__name__ if event.startswith("c_") else frame.f_code.co_name
    events.append((event, name))
def other(frame, event, argument):
    events.append("other")
    note(frame, event, argument)
def inner(i):
    return len("x" * i)
def setter(function):
    sys.setprofile(function)
    inner(1)
    return 1
# By itself, from within calls of C, in place of another, and what raises.
def plainly(): setter(note); sys.setprofile(None)
def within(): sorted([3], key=lambda i: setter(note)); len(""); sys.setprofile(None)
def executed(): exec("setter(note)"); max(1, 2); sys.setprofile(None)
def in_place(): setter(note); sys.setprofile(other); inner(2); sys.setprofile(None); sys.setprofile(note); len(""); \\
    sys.setprofile(None)
def raises():
    sys.setprofile(note)
    try: len()
    except TypeError: pass
    sys.setprofile(None)
for way in plainly, within, executed, in_place, raises, plainly:
    del events[:]
    way()
    print(way.__name__, events, sys.getprofile())
del events[:]
threading.setprofile(note)
thread = threading.Thread(target=inner, args=(3,)); thread.start(); thread.join()
threading.setprofile(None)
print([event for event in events if event[1] in ("inner", "len", "setprofile")])
if hasattr(threading, "setprofile_all_threads"):
    del events[:]
    threading.setprofile_all_threads(note); inner(1); sys.setprofile(None); threading.setprofile_all_threads(None)
    print(events)
"""


@pytest.mark.parametrize("options", [[], ["--events", "function"], ["--mode", "MONITORING"], ["--mode", "STANDBY"]],
                         ids=["all", "functions", "MONITORING", "STANDBY"])
def test_a_profile_function_is_told_what_it_would_be_told_without_us(python, options, run_traced):
    alone = subprocess.run([python.path, "-c", WHAT_IT_IS_TOLD], stdout=subprocess.PIPE, check=True, timeout=60)
    result = run_traced(python, WHAT_IT_IS_TOLD, "--no-summary", *options)
    assert result.stdout == alone.stdout.decode()


def test_python_m_profile(one_of_each, run_traced, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("def f(): pass\nfor i in range(3): f()\nprint('end')\n")
    words = ["-m", "profile", str(program)]
    alone = subprocess.run([one_of_each.path, *words], stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()
    result = run_traced(one_of_each, words, "--no-summary")

    def calls(text):
        rows = [line.split(None, 5) for line in re.sub(" at 0x[0-9a-f]+", "", text).splitlines()]
        return sorted((row[0], row[5]) for row in rows if len(row) == 6 and row[0].isdigit())
    assert calls(result.stdout) == calls(alone) != []


DEBUGGED = """
import io, pdb, sys
def deeper(debugger):
    a = 1
    debugger.set_trace()
    b = 2
    return b
def run():
    deeper(pdb.Pdb(stdin=io.StringIO("where\\nnext\\nwhere\\nstep\\nstep\\ncontinue\\n"), stdout=sys.stdout, nosigint=True,
                   readrc=False))
    return 3
for i in range(3): run()
"""


def test_a_debugger_stops_where_it_would_without_us(python, run_traced, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(DEBUGGED)
    alone = subprocess.run([python.path, str(program)], stdout=subprocess.PIPE, check=True, timeout=60)
    assert run_traced(python, program, "--no-summary").stdout == alone.stdout.decode()


LISTENING = """
import os, sys
seen = []
def hook(event, arguments):
    if not event.startswith(("object.", "import", "open", "os.", "exec", "compile", "marshal.")): seen.append(event)
sys.addaudithook(hook)
try: import pinsight
except ImportError: pinsight = None
for mode in "STANDBY", "TRACING", "MONITORING", "OFF", "TRACING":
    if "LD_PRELOAD" in os.environ: pinsight.set_mode("Python", mode)
pid = os.fork()
if pid == 0: print(seen, flush=True); os._exit(0)
os.waitpid(pid, 0)
import atexit
atexit.register(lambda: None)
class Last:
    def __del__(self): sys.__stdout__.write("%s\\n" % seen); sys.__stdout__.flush()
seen.append(Last())
"""


def test_an_audit_hook_sees_neither_our_modes_nor_our_end(python, run_traced):
    result = run_traced(python, LISTENING, "--no-summary")
    assert "monitoring" not in result.stdout and "setprofile" not in result.stdout
    end = "import sys\nsys.addaudithook(lambda event, arguments: 'sys.monitoring' in event and print(event, flush=True))"
    assert run_traced(python, end, "--no-summary").stdout == ""


PROFILES = """
import cProfile
def work():
    return len("x")
def main():
    profiler = cProfile.Profile()
    profiler.enable()  # PROFILER
    work()
    profiler.disable()
main()
"""


def test_the_report_names_the_profiler(one_of_each, run_traced):
    """A message on stderr is lost when the report is read."""
    traced = run_traced(one_of_each, PROFILES, file="profiles.py")
    text = " ".join(traced.report_text().split())
    replaced = one_of_each.mechanism == "profile function"
    assert ("The program started a profiler of its own (sys.setprofile or cProfile) at" in text) == replaced, text
    assert not replaced or "profiles.py:7: while it ran, its thread was not recorded" in text, text
