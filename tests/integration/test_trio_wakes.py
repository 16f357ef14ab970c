"""What wakes a task of trio is known whatever is recorded of trio's own functions."""
import pytest

from test_locks import line_of
from test_tasks import TRIO_FAMILY, by_coroutine, tasks_report
from test_windows import configured

pytestmark = pytest.mark.timed

FILTERS = {
    "excluded": "[Python]\nmodule_exclude = trio\n",
    "own module alone": "[Python]\nmodule_filter = __main__\n",
    "functions off": "[Lexgion(Python:_run.py:*)]\nmax_num_traces = 0\n",
    "all off": "[Lexgion.default]\nmax_num_traces = 0\n",
    "no functions": "[Python]\nevents = c_call, task\n",
    "no calls": "[Python]\nevents = task\n",
    "no calls, but imports": "[Python]\nevents = import, task\n",
}


def check(result):
    waits = tasks_report(result, "--limit", "0")["waits"]
    wait, = by_coroutine(waits, "waits")
    assert (wait["waker_line"], wait["woken_by"]) == (line_of("# sets", TRIO_FAMILY), "child")


@pytest.mark.needs_gil
@pytest.mark.parametrize("text", list(FILTERS.values()), ids=list(FILTERS))
def test_whatever_is_filtered(python, text, tmp_path, run_traced):
    result = run_traced(python, TRIO_FAMILY, *configured(tmp_path, text), packages=["trio"])
    check(result)
    report = result.report("--limit", "0")
    assert all(report["not_recorded"][key] == 0 for key in ("lost_frames", "dropped_ends"))
    if text not in (FILTERS["no calls, but imports"],):
        assert not [row for row in report["functions"] if row["file"].endswith("/trio/_core/_run.py")]


@pytest.mark.parametrize("options", [["--names", "inline"], ["--names", "registry"], ["--recorder", "lttng", "--lossless"]], ids=" ".join)
def test_however_it_is_recorded(one_of_each, options, tmp_path, run_traced):
    text = FILTERS["excluded"]
    check(run_traced(one_of_each, TRIO_FAMILY, *configured(tmp_path, text), *options, packages=["trio"]))
    text = FILTERS["no calls"]
    check(run_traced(one_of_each, TRIO_FAMILY, *configured(tmp_path, text), *options, packages=["trio"]))


AGAIN = """
import os, signal, sys, time
import trio

async def child(event):
    await trio.sleep(.001)
    event.set()  # sets

async def waits(event):
    await event.wait()

async def waits_again(event):
    await event.wait()

async def one(function):
    event = trio.Event()
    async with trio.open_nursery() as group:
        group.start_soon(function, event)
        group.start_soon(child, event)

async def main():
    await one(waits)
    with open(sys.argv[1], "w") as file:
        file.write(sys.argv[2].replace(";", "\\n") + "\\n")
    os.kill(os.getpid(), signal.SIGUSR1)
    await trio.sleep(.3)
    await one(waits_again)

trio.run(main)
"""


@pytest.mark.parametrize("before, after", [
    ("[Python];events = function, task", "[Python];events = task"),
    ("[Python];events = task", "[Python];module_exclude = trio")], ids=["to none", "from none"])
def test_when_that_changes(one_of_each, before, after, tmp_path, run_traced):
    file = tmp_path / "changes.ini"
    file.write_text(before.replace(";", "\n") + "\n")
    program = tmp_path / "again.py"
    program.write_text(AGAIN)
    result = run_traced(one_of_each, program, "-c", str(file), arguments=[str(file), after], packages=["trio"])
    waits = tasks_report(result, "--limit", "0")["waits"]
    for coroutine in "waits", "waits_again":
        wait, = by_coroutine(waits, coroutine)
        assert (wait["waker_line"], wait["woken_by"]) == (line_of("# sets", AGAIN), "child")
