"""What the report says of tasks, to the nanosecond: of traces that no program made."""
import json
import subprocess

import pytest

from support import made, places

MS = 1000000
FIRST = 1000 * MS


class Loop:
    """The events of a thread with an event loop, one after the other, at milliseconds."""

    def __init__(self, folder):
        self.trace = made.Trace(folder)
        self.process = self.trace.process(70)
        self.process.thread(70)
        self.codes = {}

    def event(self, ms, name, /, **fields):
        tid = {} if name.endswith("_info") else {"tid": 70}
        self.trace.event(FIRST + int(ms * MS), 70, 70, "python", name, **tid, **fields)

    def path(self, number, function, line=1, parent=0, file="/home/u/app.py"):
        """A node of a call path: of what runs in what its parent is."""
        code = self.codes.setdefault((function, file), len(self.codes) + 1)
        self.event(0, "code_info", code=code, code_id=code, qualname=function, filename=file, lineno=line, module="app")
        self.event(0, "path_info", path=number, parent=parent, code=code, lineno=line)

    def begin(self, ms, task, coroutine="work", **fields):
        self.event(ms, "task_begin", task=task, name=fields.pop("name", "Task-%d" % task), coroutine=coroutine, **fields)

    def switch(self, ms, begun, to, **fields):
        self.event(ms, "task_switch", **{"from": begun, "to": to}, **fields)

    def end(self, ms, task, how=0):
        self.event(ms, "task_end", task=task, how=how)

    def clock(self, ms, ran, ready):
        self.trace.event(FIRST + ms * MS, 70, 70, "core", "thread_clock", processor_ns=ran * MS, run_delay_ns=ready * MS)

    def report(self, *options):
        self.trace.write()
        done = subprocess.run([str(places.COMMAND), "report", str(self.trace.folder), "--tasks", "--format", "json", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        return dict(told["tasks"], found=[row["rule"] for row in told["stands_out"]])


@pytest.fixture
def loop(tmp_path):
    return Loop(tmp_path / "trace")


def of(rows, task):
    return next(row for row in rows if row["task"] == task)


def test_times_add_up(loop):
    loop.path(1, "work", 5)
    loop.path(2, "Lock.acquire", 90, 1, "/usr/lib/python3.13/asyncio/locks.py")
    loop.path(3, "give", 20)
    loop.begin(0, 1, coro_path=1, py_path=3)
    loop.switch(2, 0, 1)
    loop.switch(5, 1, 0, py_path=2)
    loop.event(9, "task_wake", task=1, by=0, py_path=3)
    loop.event(10, "task_wake", task=1, by=0, py_path=1)  # it was woken already
    loop.switch(15, 0, 1)
    loop.switch(16, 1, 0)
    loop.end(16, 1)
    report = loop.report("--held-ms", "5")
    row, = report["tasks"]
    assert {key: row[key] // MS for key in ("life_ns", "run_ns", "wait_ns", "ready_ns", "longest_step_ns", "longest_wait_ns")} == {
        "life_ns": 16, "run_ns": 4, "wait_ns": 4, "ready_ns": 8, "longest_step_ns": 3, "longest_wait_ns": 4}
    assert (row["steps"], row["end"], row["made_function"], row["wait_line"]) == (2, "returned", "give", 5)
    wait, = report["waits"]
    assert (wait["function"], wait["through"], wait["waker_function"], wait["waker_line"]) == ("work", "Lock.acquire", "give", 20)
    assert (wait["waits"], wait["wait_ns"]) == (1, 4 * MS)
    total, = report["coroutines"]
    assert (total["tasks"], total["life_ns"], total["run_ns"], total["coroutine_line"]) == (1, 16 * MS, 4 * MS, 5)
    assert report["held"] == []


def test_one_in_another(loop):
    """An eager task begins in a step: the outer one could go on, the inner one waits where it paused."""
    loop.path(1, "sleep", 7)
    loop.begin(0, 1, "outer")
    loop.switch(0, 0, 1)
    loop.begin(10, 2, "inner", parent=1)
    loop.switch(10, 1, 2)
    loop.switch(80, 2, 1, py_path=1)
    loop.switch(90, 1, 0)
    loop.end(90, 1)
    loop.event(100, "task_wake", task=2)
    loop.switch(110, 0, 2)
    loop.switch(111, 2, 0)
    loop.end(111, 2, 1)
    report = loop.report("--held-ms", "5")
    outer, inner = of(report["tasks"], 1), of(report["tasks"], 2)
    assert (outer["run_ns"], outer["wait_ns"], outer["ready_ns"]) == (20 * MS, 0, 70 * MS)
    assert (inner["run_ns"], inner["wait_ns"], inner["ready_ns"]) == (71 * MS, 20 * MS, 10 * MS)
    assert (inner["parent"], inner["end"]) == (1, "raised")
    held, = report["held"]  # from when the loop called until it went on
    assert (held["coroutine"], held["held_ns"], held["times"]) == ("inner", 90 * MS, 1)


def test_callbacks_and_from_how_long_on(loop):
    for number, us in enumerate((900, 1000, 20000, 60000)):
        loop.event(100 * number, "loop_held", held_ns=us * MS // 1000, callback="tick")
    assert [row["held_ns"] for row in loop.report()["held"]] == [81 * MS]
    for least, times in ((1, 3), (20, 2), (61, 0)):
        rows = loop.report("--held-ms", str(least))["held"]
        assert [row["times"] for row in rows] == ([times] if times else [])
        assert all(row["what"] == "callback" and row["coroutine"] == "tick" for row in rows)


def test_without_a_processor(loop):
    """A step that wants a processor and has none does not hold the loop for that time, and nor does a callback."""
    clock = loop.clock
    loop.path(1, "work", 5)
    clock(0, 0, 0)
    loop.begin(0, 1, coro_path=1)
    loop.begin(0, 2, coro_path=1)
    loop.switch(0, 0, 1)
    clock(20, 12, 8)
    loop.switch(20, 1, 0)
    loop.switch(20, 0, 2)
    clock(50, 12, 30)
    loop.switch(50, 2, 0)
    clock(60, 15, 7)
    loop.event(60, "loop_held", held_ns=10 * MS, callback="tick")
    rows = {row["what"]: row for row in loop.report()["held"]}
    assert [(rows[what]["held_ns"], rows[what]["times"], rows[what]["longest_ns"]) for what in ("task", "callback")] == [
        (12 * MS, 1, 12 * MS), (3 * MS, 1, 3 * MS)]


@pytest.mark.parametrize("starved, found", [(0, ["loop_held"]), (900, [])])
def test_a_held_loop_stands_out(starved, found, loop):
    """But not where its process had no processor for most of its time, some of which then seems to be in steps."""
    loop.path(1, "work", 5)
    loop.clock(0, 0, 0)
    for task in (1, 2):
        loop.begin(0, task, coro_path=1)
    loop.switch(0, 0, 1)
    loop.clock(20, 20, 0)
    loop.switch(20, 1, 0)
    loop.clock(100 + starved, 100, starved)
    loop.switch(100 + starved, 0, 2)
    loop.switch(100.5 + starved, 2, 0)
    report = loop.report()
    assert (report["held"][0]["held_ns"], report["found"]) == (20 * MS, found)


def test_a_caller_without_a_processor(loop):
    """The call that is named ran longest: the function around it has no processor for most of its time."""
    loop.path(1, "work", 5)
    for number, name in ((11, "slow"), (12, "around")):
        loop.process.code(number, name, "/home/u/app.py", number)
    thread = loop.process.main
    loop.clock(0, 0, 0)
    loop.begin(0, 1, coro_path=1)
    loop.switch(0, 0, 1)
    thread.python(FIRST, "begin", 12)
    thread.function(FIRST, FIRST + 4 * MS, 11)
    loop.clock(14, 5, 9)
    thread.python(FIRST + 14 * MS, "end", 12)
    loop.switch(14, 1, 0)
    row, = loop.report()["held"]
    assert (row["held_ns"], row["call"]) == (5 * MS, "slow")


def test_what_was_not_seen(loop):
    """A task whose begin is missing, one whose name comes later, one that goes on at the end, and one that was dropped."""
    loop.switch(0, 0, 7)
    loop.switch(1, 7, 0)
    loop.begin(2, 7, "late", name="seen late")
    loop.begin(2, 8, "open")
    loop.switch(3, 0, 8)
    loop.begin(4, 9, "dropped")
    loop.switch(5, 8, 0)
    loop.end(6, 9, 3)
    loop.end(6, 9, 0)  # again
    loop.end(7, 1234567890)  # of nothing
    loop.begin(8, 8, "open", name="renamed")
    loop.switch(10, 0, 0)
    report = loop.report()
    ends = {row["task"]: (row["name"], row["end"]) for row in report["tasks"]}
    assert ends[7] == ("seen late", "open") and ends[8] == ("renamed", "open") and ends[9] == ("Task-9", "dropped")
    assert of(report["tasks"], 7)["run_ns"] == 1 * MS
    assert sum(row["tasks"] for row in report["coroutines"]) == len(report["tasks"]) == 4


@pytest.mark.storm
def test_many(loop):
    """All are in the sums; of those that ended the first ones are kept."""
    count = 70000
    for task in range(1, count + 1):
        loop.begin(task, task)
        loop.end(task + .5, task)
    report = loop.report()
    assert len(report["tasks"]) == 1 << 16
    total, = report["coroutines"]
    assert (total["tasks"], total["returned"], total["life_ns"]) == (count, count, count * MS // 2)
