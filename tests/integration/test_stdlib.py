"""The standard library's own tests pass under pinsight run as they do without, and their trace is balanced."""
import re
import subprocess

import pytest

from support import counted, traces
from support.places import ROOT, missing
from support.pythons import every_python

QUICK = ["test_generators", "test_functools", "test_exceptions", "test_coroutines"]
SLOW = ["test_threading", "test_asyncio"]
EXCLUDED = ["-u", "none"]
# CPython 3.15 crashes there with any tool that listens to PY_UNWIND, one in Python too.
CRASHING = {
    "test_exceptions": ["test_memory_error_in_PyErr_PrintEx", "test_exec_set_nomemory_hang"],
    "test_code": ["test_invalid_bytecode"],
}


def regrtest(path, version, module, *options):
    """The words that run a module of the standard library's tests, without those that crash."""
    left_out = CRASHING.get(module, ()) if version >= (3, 15) else ()
    return [path, "-m", "test", *options, *EXCLUDED, *[word for name in left_out for word in ("-i", name)], module]


def outcome(text):
    """What regrtest says of its tests, without times."""
    counts = re.findall(r"^Total tests: (?:\S+) .*$|^Ran (\d+) tests", text, re.M)
    verdict = re.findall(r"^Result: (.*)$|^== Tests result: (.*?) ==$", text, re.M)
    failed = re.findall(r"^(?:FAIL|ERROR): .*$", text, re.M)
    return sorted(failed), verdict, counts


def check(python, module, run_command, request, timeout, options=(), least=1000):
    has = subprocess.run([python.path, "-c", "import test.%s" % module], stderr=subprocess.DEVNULL)
    if has.returncode != 0:
        missing("test.%s of Python %s" % (module, python.short))
    argv = regrtest(python.path, python.version, module)
    plain = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=timeout)
    traced = run_command("bash", "-c", 'exec "$@" 2>&1', "bash", *argv, timeout=3 * timeout,
                         options=["--no-summary", "--lossless", "--names", "registry", *options])
    if traced.rc != plain.returncode:
        pytest.fail("%s ends with %d, %d under pinsight run:\n%s" % (
            module, plain.returncode, traced.rc, traced.stdout[-6000:]), pytrace=False)
    assert outcome(traced.stdout)[:2] == outcome(plain.stdout.decode(errors="replace"))[:2]
    report = traced.report("--limit", "1")["not_recorded"]
    assert report["discarded_events"] == 0
    counts = traces.count_events(traced.folder)
    assert counts["end"] > least
    # Children that the module's tests abort, or that leave by os._exit, have calls open; nothing else has.
    still_open = counts["begin"] - counts["end"] + counts["c_begin"] - counts["c_end"]
    assert still_open == report["open_at_end"]
    return report


@pytest.mark.parametrize("module", [QUICK[0], pytest.param(QUICK[1], marks=pytest.mark.storm)])
def test_quick(one_of_each, module, run_command, request):
    check(one_of_each, module, run_command, request, 120)


@pytest.mark.long
@pytest.mark.parametrize("module", QUICK + SLOW)
def test_everything(python, module, run_command, request):
    check(python, module, run_command, request, 1200)


# Windows that sample and end, and a filter: the program's own results, and balance, are the same.
SELECTED = """
[Python]
module_filter = test, unittest, asyncio, threading, functools, __main__
module_exclude = test.libregrtest
[Lexgion.default]
tracing_rate = 3
max_num_traces = 50
[Lexgion(Python:c:*)]
trace_mode_after = MONITORING
"""


def check_selected(python, module, run_command, request, tmp_path, timeout):
    file = tmp_path / "selected.ini"
    file.write_text(SELECTED)
    check(python, module, run_command, request, timeout, ["-c", str(file)], 100)


def test_windows_and_filters(one_of_each, run_command, request, tmp_path):
    check_selected(one_of_each, "test_generators", run_command, request, tmp_path, 120)


@pytest.mark.long
@pytest.mark.parametrize("module", QUICK + SLOW)
def test_everything_with_windows_and_filters(python, module, run_command, request, tmp_path):
    check_selected(python, module, run_command, request, tmp_path, 1200)


# Tests of CPython's that look at what a tracer could disturb: profilers, debuggers, audit hooks, signals, descriptors
# and children. Each has the same outcome without us, but for the differences in docs/limits.md
# ("Changes that a program can notice").
LOOKING = ["test_sys_setprofile", "test_profile", "test_audit"]
LOOKING_LONG = ["test_cprofile", "test_pdb", "test_signal", "test_os", "test_posix", "test_subprocess", "test_threading",
                "test_faulthandler", "test_code", "test_resource", "test_multiprocessing_fork",
                "test_multiprocessing_spawn", "test_multiprocessing_forkserver"]
SEEN = {
    # A traced child that looks at its descriptors finds that of `pinsight ctl`.
    "test_subprocess": {"test_pass_fds_redirected"},
}
# In 3.9 and 3.10 a profile function, cProfile's too, makes an object of the method for each `queue.put(next(count))`,
# behind the call of next: a collection comes there, which puts something first.
PROFILED = {"test_queue": {"test_reentrancy"}}


def failures(text):
    """The names of the tests that failed, and how many ran (sub-tests count with their test)."""
    failed = set(re.findall(r"^(?:FAIL|ERROR): (\w+)", text, re.M))
    return failed, re.findall(r"^Ran (\d+) tests? in ", text, re.M)


def with_test(python, module):
    """The path of an interpreter of Python's version that has the module, which an installation may lack; or None."""
    others = [other.base for other in every_python() if other.short == python.short]
    for path in [python.base, *others]:
        if subprocess.run([path, "-c", "import test.%s" % module], stderr=subprocess.DEVNULL).returncode == 0:
            return path
    return None


def same_outcome(python, module, run_command, timeout):
    # Not in a virtual environment, which some of these tests skip much in.
    path = with_test(python, module) or missing("test.%s of Python %s" % (module, python.short))
    argv = regrtest(path, python.version, module, "-v")
    plain = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=timeout)
    traced = run_command("bash", "-c", 'exec "$@" 2>&1', "bash", *argv, timeout=5 * timeout,
                         options=["--no-summary", "--lossless"])
    failed, ran = failures(plain.stdout.decode(errors="replace"))
    failed_too, ran_too = failures(traced.stdout)
    more = failed_too - failed - SEEN.get(module, set())
    if (3, 9) <= python.version[:2] <= (3, 10):
        more -= PROFILED.get(module, set())
    assert not more, "%s\n%s" % (sorted(more), traced.stdout[-6000:])
    assert ran_too == ran
    if not failed_too:
        assert traced.rc == plain.returncode
    assert counted.streams(traced.folder)
    assert traced.report("--limit", "1")["not_recorded"]["discarded_events"] == 0


@pytest.mark.storm
@pytest.mark.parametrize("module", LOOKING)
def test_what_looks_at_tracers_sees_none(one_of_each, module, run_command):
    same_outcome(one_of_each, module, run_command, 120)


@pytest.mark.long
@pytest.mark.parametrize("module", LOOKING + LOOKING_LONG)
def test_what_looks_at_tracers_sees_none_anywhere(python, module, run_command):
    if module == "test_posix" and python.version >= (3, 15):
        pytest.skip("runs with test_os")
    same_outcome(python, module, run_command, 900)


# They look at parts that PInsight has to use. docs/in-your-process.md has the reason of each, in "Differences in CPython's
# own tests". Of test_monitoring nearly all differ: it wants to be the only tool.
DIFFERENT = {
    "test_dis": {"test_binary_specialize", "test_call_specialize", "test_load_attr_specialize", "test_loop_quicken",
                 "test_show_caches", "test_super_instructions"},
    "test_tracemalloc": {"test_get_traced_memory"},
    "test_capi": {"test_set_nomemory"},
    "test_monitoring": set(),
}


@pytest.mark.storm
@pytest.mark.parametrize("module", DIFFERENT)
def test_differences_are_those_of_the_page(python, module, run_command):
    if python.version < (3, 12):
        pytest.skip("nothing differs")
    page = (ROOT / "docs" / "in-your-process.md").read_text(encoding="utf-8")
    assert "| `%s`" % module in page.split("## Differences in CPython's own tests")[1]
    path = with_test(python, module) or missing("test.%s of Python %s" % (module, python.short))
    one = [word for name in DIFFERENT[module] for word in ("-m", name)] if module in ("test_tracemalloc", "test_capi") else []
    traced = run_command("bash", "-c", 'exec "$@" 2>&1', "bash", path, "-m", "test", "-v", *EXCLUDED, *one, module,
                         timeout=300, options=["--no-summary"])
    failed, ran = failures(traced.stdout)
    assert ran and traced.rc == (2 if failed else 0), traced.stdout[-6000:]
    if module == "test_monitoring":
        assert failed
    else:
        assert failed <= DIFFERENT[module]


# What threads, tasks, queues and collections do, with all on that records it.
EVERY_PART = {"PINSIGHT_EVENTS": "function,c_call,gc,gil,lock,task,generator", "PINSIGHT_ALLOCATIONS": "live"}
WITH_EVERY_PART = ["test_threading", "test_asyncio", "test_gc", "test_queue", "test_thread", "test_concurrent_futures"]


@pytest.mark.long
@pytest.mark.parametrize("module", WITH_EVERY_PART)
def test_what_waits_has_the_same_outcome_with_every_part_on(python, module, run_command, monkeypatch):
    for name, value in EVERY_PART.items():
        monkeypatch.setenv(name, value)
    if not with_test(python, module):
        pytest.skip("no Python %s has test.%s" % (python.short, module))
    same_outcome(python, module, run_command, 900)
