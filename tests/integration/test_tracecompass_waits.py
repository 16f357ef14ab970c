"""The pinsight.xml that the build writes, over real traces: waits for the GIL, and tasks, as the report has them."""
import pytest

from test_tracecompass import RECORDED, Run, exported

pytestmark = pytest.mark.recorder("lttng")  # as in test_tracecompass


GIL = """
import threading, time
def fights():
    ends = time.monotonic() + .3
    while time.monotonic() < ends:
        sum(range(20000))
threads = [threading.Thread(target=fights) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


@pytest.mark.parametrize("how", list(RECORDED))
def test_waits_for_the_gil(newest, how, run_traced):
    """Each thread's are what the report says of all of them."""
    result = run_traced(newest, GIL, *RECORDED[how], "--lossless", "--no-summary")
    wanted = sum(row["wait_ns"] for row in result.report("--gil")["gil"]["gils"])
    run = Run(exported(result.folder) if how == "exported" else result.folder)
    lines = run.file.view("pinsight.xy.gil", run.provider)
    assert {names[0] for names, _ in lines} >= {"Thread-1 (fights)", "Thread-2 (fights)"}
    assert sum(run.states.states(path)[-1] for _, path in lines) == wanted > 0


# Nothing of asyncio's import is recorded: a test is quick.
TASKS = """
import asyncio, pinsight
pinsight.set_mode("Python", "TRACING")

async def child():
    for turn in range(3):
        await asyncio.sleep(.001)

async def main():
    await asyncio.gather(*(asyncio.ensure_future(child()) for number in range(3)))

asyncio.run(main())
"""


@pytest.mark.parametrize("how", list(RECORDED))
def test_tasks(newest, how, run_traced):
    result = run_traced(newest, TASKS, *RECORDED[how], "--lossless", "--no-summary",
                        env={"PINSIGHT_TRACE_PYTHON": "STANDBY"})
    rows = {row["task"]: row for row in result.report("--tasks")["tasks"]["tasks"]}
    run = Run(exported(result.folder) if how == "exported" else result.folder)
    process, = run.states.at(("Processes",)).children
    shown = {names[1] for names in run.names("tasks") if len(names) > 1}
    assert shown == {row["name"] for row in rows.values()}
    for number, row in rows.items():
        changes = run.states.states(("Processes", process, "Tasks", str(number)))
        assert changes[0] == "ready"
        assert sum(change == row["name"] for change in changes) == row["steps"]
        assert row["coroutine"] != "child" or changes.count("waits") >= 3
