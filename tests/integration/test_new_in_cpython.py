"""What CPython 3.14 and 3.15 brought: counts stay exact, and programs do what they do without PInsight.
docs/newer-cpython.md has what each of these means for a trace."""
import subprocess

import pytest

SINCE = {"3.14": (3, 14), "3.15": (3, 15)}


@pytest.fixture
def since(python):
    """since("3.15") skips the test for a Python that is older."""
    def skip(version):
        if python.version < SINCE[version]:
            pytest.skip("CPython has this from %s on" % version)
    return skip


def calls(report, file=None):
    """{function: calls}, of one file where one is named."""
    return {row["name"].split(".")[-1]: row["calls"] for row in report["functions"]
            if file is None or row["file"].endswith(file)}


def assert_nothing_is_missing(report):
    assert all(report["not_recorded"][key] == 0 for key in ("lost_frames", "dropped_ends", "discarded_events"))


HOT = """
import sys
print(sys._jit.is_enabled())
def compiled(count):
    found = 0
    for _ in range(count):
        found += sys._jit.is_active()
    return found > 0
print(compiled(20000))
def even(number):
    return number % 2 == 0
def numbers(count):
    for number in range(count):
        yield number
def raises(number):
    raise ValueError(number)
def hot(count):
    found = 0
    for number in numbers(count):
        found += even(number)
        try:
            raises(number)
        except ValueError as error:
            found += len(str(error)) > 9
    return found
print(hot(20000))
"""


def test_just_in_time_compiler(python, since, run_traced):
    since("3.14")
    ask = [python.path, "-c", "import sys; print(sys._jit.is_available())"]
    if subprocess.run(ask, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout != "True\n":
        pytest.skip("this CPython was built without it")
    on = {"PYTHON_JIT": "1"}
    functions = run_traced(python, HOT, "--events", "function", env=on)
    assert functions.stdout == "True\nTrue\n10000\n" and calls(functions.report("--limit", "0"))["even"] == 20000
    # The calls of C in a loop that has them are seen by the interpreter alone.
    result = run_traced(python, HOT, env=on)
    assert result.stdout == "True\nFalse\n10000\n"
    report = result.report("--limit", "0")
    assert_nothing_is_missing(report)
    told = calls(report)
    assert {name: told[name] for name in ("even", "raises", "hot")} == {"even": 20000, "raises": 20000, "hot": 1}
    assert [row["calls"] for row in report["c_calls"] if (row["name"], row["caller"]) == ("len", "hot")] == [20000]


CONTEXTS = """
import contextvars, sys, threading, warnings
kept = contextvars.ContextVar("kept", default="its own")
kept.set("the starter's")
print(sys.flags.thread_inherit_context, sys.flags.context_aware_warnings)
def warns(number):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        together.wait()
        warnings.warn("of %d" % number)
        together.wait()
        seen[number] = (kept.get(), [str(one.message) for one in caught])
seen, together = {}, threading.Barrier(4)
threads = [threading.Thread(target=warns, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(seen.items()))
"""


def test_threads_with_their_starters_context(python, since, run_traced, tmp_path):
    """Since 3.14 each thread runs in a context, as a task's step does: a thread is no task."""
    since("3.14")
    program = tmp_path / "contexts.py"
    program.write_text(CONTEXTS)
    words = ["-X", "thread_inherit_context=1", "-X", "context_aware_warnings=1", str(program)]
    plain = subprocess.run([python.path, *words], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    result = run_traced(python, words)
    assert result.stdout == plain and plain.startswith("1 1\n") and plain.count("the starter's") == 4
    report = result.report("--tasks", "--limit", "0")
    assert_nothing_is_missing(report)
    assert calls(report, "contexts.py")["warns"] == 4
    assert not (report.get("tasks") or {}).get("tasks")


LAZY = """
import late
def uses():
    return late.value
def begins():
    return 1
begins()
uses()
"""


def test_all_imports_are_lazy(python, since, run_traced, tmp_path):
    """The module's body runs in whatever uses the name first."""
    since("3.15")
    (tmp_path / "late.py").write_text("value = len('late')\n")
    program = tmp_path / "lazy.py"
    program.write_text(LAZY)
    result = run_traced(python, ["-X", "lazy_imports=all", str(program)])
    moments = [moment for moment in result.trace.main().moments if moment.kind == "begin"]
    (late,) = [event for event in result.trace.infos["import_begin"] if event.fields["module"] == "late"]
    when = {moment.name: moment.ts for moment in moments if moment.name in ("begins", "uses")}
    assert when["begins"] < when["uses"] < late.ts


INTERPRETERS = """
from concurrent import interpreters
def square(number):
    return number * number
if __name__ == "__main__":
    interpreter = interpreters.create()
    queue = interpreters.create_queue()
    interpreter.prepare_main(queue=queue)
    interpreter.exec('''
def answers(count):
    for number in range(count):
        queue.put(len("x" * number))
answers(300)
''')
    print(sum(queue.get() for _ in range(300)))
    interpreter.close()
"""


def test_interpreters_of_the_standard_library(python, since, run_traced, tmp_path):
    since("3.14")
    program = tmp_path / "several.py"
    program.write_text(INTERPRETERS)
    result = run_traced(python, program)
    assert result.stdout == "44850\n"
    report = result.report("--limit", "0")
    assert_nothing_is_missing(report)
    assert calls(report)["answers"] == 1
    assert report["not_recorded"]["interpreters"] == 0


PROFILED = """
def leaf(number):
    return number + 1
def work(count):
    for number in range(count):
        leaf(number)
work(700)
"""


def test_tracing_profiler(python, since, run_traced, tmp_path):
    """Each counts what it counts alone."""
    since("3.15")
    program = tmp_path / "work.py"
    program.write_text(PROFILED)
    result = run_traced(python, ["-m", "profiling.tracing", str(program)])
    counted = {line.split("(")[-1].rstrip(")\n"): line.split()[0] for line in result.stdout.splitlines() if "work.py" in line}
    assert (counted["leaf"], counted["work"]) == ("700", "1")
    report = result.report("--limit", "0")
    assert_nothing_is_missing(report)
    told = calls(report, "work.py")
    assert (told["leaf"], told["work"]) == (700, 1)


SAMPLED = PROFILED + """
import time
end = time.monotonic() + .5
while time.monotonic() < end:
    work(100)
time.sleep(.5)
print("ended")
"""


def test_sampling_profiler(python, since, run_traced, tmp_path):
    """It reads the memory of the process that it starts, which is traced, too."""
    since("3.15")
    program = tmp_path / "sampled.py"
    program.write_text(SAMPLED)
    words = ["-m", "profiling.sampling", "run", "--collapsed", "-o", str(tmp_path / "stacks"), str(program)]
    alone = subprocess.run([python.path, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                           timeout=60, check=False)
    if alone.returncode != 0 or not (tmp_path / "stacks").exists():
        pytest.skip("it does not work here: %s" % alone.stdout[-300:])
    (tmp_path / "stacks").unlink()
    result = run_traced(python, words)
    assert "ended" in result.stdout
    stacks = (tmp_path / "stacks").read_text()
    assert "sampled.py:work" in stacks
    report = result.report("--limit", "0")
    assert_nothing_is_missing(report)
    told = calls(report, "sampled.py")
    assert told["work"] > 1 and told["leaf"] == 700 + 100 * (told["work"] - 1)
