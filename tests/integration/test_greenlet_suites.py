"""greenlet's own tests, and gevent's, go as they go without PInsight, and the trace is balanced.

Each runs twice; all of a Python take four minutes.
"""
import os
import re
import subprocess

import pytest

from support import traces

pytestmark = pytest.mark.long

# Without test_leaks, which allocates for minutes to measure memory.
GREENLET = ["contextvars", "cpp", "extension_interface", "gc", "generator", "generator_nested", "greenlet",
            "greenlet_trash", "interpreter_shutdown", "stack_saved", "throw", "tracing", "weakref"]
GEVENT = ["event", "queue", "pool", "semaphore", "greenlet", "hub", "lock", "local", "greenletset", "util",
          "core_watcher", "core_callback", "core_async", "timeout", "exc_info", "order", "joinall", "loop_callback",
          "threadpool", "threading_2", "select", "hub_join", "greenness", "iwait", "refcount_core", "contextvars"]
# Up to 3.11 the interpreter reports the end of each call that began while there was any profile function to the one
# that is there then: these fail in the same way under a profile function of Python's that does nothing.
PROFILED = {"test_trace_events_from_greenlet_func_sets_profiler",
            "test_trace_events_multiple_greenlets_switching_siblings"}


@pytest.fixture(autouse=True)
def every_part(monkeypatch):
    """All that is recorded of threads, tasks and memory is on."""
    monkeypatch.setenv("PINSIGHT_EVENTS", "function,c_call,gc,gil,lock,task,generator")
    monkeypatch.setenv("PINSIGHT_ALLOCATIONS", "live")


def outcomes(text):
    """{test: how it went}; what a test prints itself may stand before that."""
    found = {}
    for part in re.split(r"^(?=test\w* \()", text, flags=re.MULTILINE):
        name = re.match(r"test\w* \([\w.]+\)", part)
        how = re.search(r"(ok|FAIL|ERROR|skipped|expected failure)\b[^\n]*$", part.split("\n=====")[0], re.MULTILINE)
        if name and how and " ... " in part:
            found[name.group(0)] = how.group(1)
    return found


def check(python, modules, packages, run_command, tmp_path):
    path = python.with_packages(*packages)
    there = subprocess.run([path, "-c", "import importlib.util, sys; print(*(name for name in sys.argv[1:] "
                                        "if importlib.util.find_spec(name)))", *modules],
                           stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout.split()
    argv = [path, "-m", "unittest", "-v", *there]
    env = {"GREENLET_SKIP_LEAKCHECKS": "1"}
    plain = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=600, env={**os.environ, **env}, cwd=str(tmp_path))
    traced = run_command("bash", "-c", 'exec "$@" 2>&1', "bash", *argv, timeout=1800, env=env,
                         options=["--no-summary", "--names", "registry", "--lossless"])
    before, after = outcomes(plain.stdout.decode(errors="replace")), outcomes(traced.stdout)
    assert before
    differ = {name: (before.get(name), after.get(name)) for name in before.keys() | after.keys()
              if before.get(name) != after.get(name)}
    known = PROFILED if python.version < (3, 12) else set()
    assert {name for name in differ if name.split(" ")[0] not in known} == set(), differ
    if not differ:
        assert traced.rc == plain.returncode
    return traced


def test_greenlets_own(python, run_command, tmp_path):
    modules = ["greenlet.tests.test_" + name for name in GREENLET]
    traced = check(python, modules, ["greenlet", "psutil", "objgraph"], run_command, tmp_path)
    assert traced.report("--limit", "1")["not_recorded"]["discarded_events"] == 0
    counts = traces.count_events(traced.folder)
    assert counts["begin"] > 10000 and counts["task_begin"] > 1000


@pytest.mark.parametrize("name", GEVENT)
def test_gevents_own(python, name, run_command, tmp_path):
    """Each file alone, as gevent runs them."""
    traced = check(python, ["gevent.tests.test__" + name], ["gevent", "psutil"], run_command, tmp_path)
    assert traced.report("--limit", "1")["not_recorded"]["discarded_events"] == 0
