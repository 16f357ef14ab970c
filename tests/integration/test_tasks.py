"""Tasks of asyncio: each is named, with what it ran, what it waited for, where, and what held its loop."""
import collections
import json

import pytest

from support.sections import command, section_forms
from test_locks import line_of

pytestmark = pytest.mark.timed

MANY = """
import asyncio, functools, json, time

done = []

async def worker(number):
    for turn in range(3):
        await asyncio.sleep(.001 * (number % 5))  # pauses
    done.append(asyncio.current_task())

async def hold(lock):
    async with lock:
        await asyncio.sleep(.1)  # so long
    # it is let go above

async def want(lock):
    async with lock:  # wanted
        pass

def compute():
    time.sleep(.2)  # blocks

async def blocker():
    await asyncio.sleep(0)
    compute()

def callback(seconds):
    time.sleep(seconds)  # blocks, too

async def failing():
    await asyncio.sleep(0)
    raise ValueError

async def main():
    lock = asyncio.Lock()
    asyncio.get_running_loop().call_later(.02, functools.partial(callback, .08))
    tasks = [asyncio.ensure_future(hold(lock))]
    await asyncio.sleep(0)
    tasks += [asyncio.ensure_future(want(lock))]  # made here
    forever = asyncio.ensure_future(asyncio.sleep(1000))
    tasks += [asyncio.ensure_future(worker(number)) for number in range(300)]
    tasks += [asyncio.ensure_future(blocker()), asyncio.ensure_future(failing())]
    await asyncio.gather(*tasks, return_exceptions=True)
    forever.cancel()
    try:
        await forever
    except asyncio.CancelledError:
        pass
    print(json.dumps([task.get_name() for task in done]))

asyncio.run(main())
"""


def tasks_report(result, *options):
    return result.report("--tasks", *options)["tasks"]


def by_coroutine(rows, name, key="coroutine"):
    found = [row for row in rows if row[key] and row[key].split(".")[-1] == name]
    assert found, (name, rows)
    return found


@pytest.mark.needs_gil
def test_each_is_named(python, run_traced):
    result = run_traced(python, MANY, file="many.py")
    report = tasks_report(result)

    workers = by_coroutine(report["tasks"], "worker")
    assert len(workers) == 300  # more than the first table of tasks has room for
    assert {row["name"] for row in workers} == set(json.loads(result.stdout))
    main, = by_coroutine(report["tasks"], "main")
    for row in workers:
        assert row["end"] == "returned" and row["parent"] == main["task"]
        assert row["coroutine_line"] == line_of("async def worker", MANY)
        assert row["steps"] == 4
        assert row["wait_line"] in (None, line_of("# pauses", MANY))
        assert row["life_ns"] >= row["run_ns"] + row["wait_ns"] + row["ready_ns"] - 1000
    totals, = by_coroutine(report["coroutines"], "worker")
    assert (totals["tasks"], totals["returned"], totals["open"]) == (300, 300, 0)
    assert totals["run_ns"] == sum(row["run_ns"] for row in workers)
    assert totals["wait_ns"] == sum(row["wait_ns"] for row in workers)

    want, = by_coroutine(report["tasks"], "want")
    assert want["wait_line"] == line_of("# wanted", MANY) and want["wait_through"].split(".")[-1] == "acquire"
    assert want["made_line"] == line_of("# made here", MANY) and want["longest_wait_ns"] > 90e6
    wait, = by_coroutine(report["waits"], "want")
    assert wait["woken_by"] == "hold" and wait["waker_function"] == "hold"
    assert line_of("async with lock:", MANY) <= wait["waker_line"] <= line_of("# so long", MANY)

    ends = {row["coroutine"]: row["end"] for row in report["tasks"]}
    assert (ends["failing"], ends["sleep"], ends["main"]) == ("raised", "cancelled", "returned")

    held = by_coroutine(report["held"], "blocker")
    blocker, = by_coroutine(report["tasks"], "blocker")
    assert len(held) == 1 and held[0]["what"] == "task" and held[0]["times"] == 1
    # The time is without the waiting for a processor, which a busy machine makes long.
    assert .1e9 <= held[0]["held_ns"] <= blocker["longest_step_ns"] and held[0]["call"] == "time.sleep"
    assert held[0]["call_line"] == line_of("# blocks", MANY) and held[0]["call_in"] == "compute"
    callback, = by_coroutine(report["held"], "callback")
    assert callback["what"] == "callback" and callback["held_ns"] >= .04e9
    assert callback["call_line"] == line_of("# blocks, too", MANY)
    # Whatever waited meanwhile was ready.
    assert sum(row["ready_ns"] for row in report["tasks"]) > .2e9


def test_from_how_long_on(newest, run_traced):
    result = run_traced(newest, MANY)
    names = [row["coroutine"] for row in tasks_report(result, "--held-ms", "150")["held"]]
    assert names == ["blocker"]
    assert "Nothing held an event loop for as long as 10.0 s." in command(result, "report", "--tasks", "--held-ms", "10000")


def test_forms(newest, run_traced):
    result = run_traced(newest, MANY)
    rows = tasks_report(result)["tasks"]
    section_forms(result, "--tasks", rows, "life_ns", "What held an event loop", "What tasks waited for")


def test_each_has_a_track(newest, run_traced, tmp_path):
    result = run_traced(newest, MANY)
    rows = tasks_report(result)["tasks"]
    command(result, "export", "--to", "chrome", "-o", str(tmp_path / "tasks.json"))
    events = json.loads((tmp_path / "tasks.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    tracks = {tid: name for tid, name in names.items() if name.startswith("task ")}
    assert sorted(tracks.values()) == sorted("task %d %s" % (row["task"], row["name"]) for row in rows)
    by_track = collections.defaultdict(list)
    for event in events:
        by_track[tracks.get(event.get("tid"))].append(event)
    for row in rows:
        own = by_track["task %d %s" % (row["task"], row["name"])]
        begins = [event for event in own if event["ph"] == "B"]
        assert sum(event["cat"] == "task" for event in begins) == row["steps"]
        assert {event["name"] for event in begins if event["cat"] == "task"} <= {row["coroutine"]}
        if row["coroutine"] == "want":
            assert "Lock.acquire" in {event["name"] for event in begins if event["cat"] == "await"}
        assert sum(event["ph"] == "E" for event in own) == len(begins)
    assert command(result, "export", "--to", "perfetto", "-o", str(tmp_path / "tasks.pftrace")) is not None


NONE = """
import contextvars
context = contextvars.copy_context()
print(sum(context.run(len, "ab") for turn in range(1000)))
"""


def test_nothing_where_there_are_none(both_mechanisms, run_traced):
    for python in both_mechanisms:
        result = run_traced(python, NONE)
        assert result.stdout == "2000\n"
        assert tasks_report(result) == {"held": [], "coroutines": [], "waits": [], "tasks": []}
        assert "task_" not in command(result, "dump")


@pytest.mark.parametrize("options", [["--events", "function,c_call"], ["--mode", "MONITORING"]], ids=" ".join)
def test_not_asked_for(one_of_each, options, run_traced):
    assert tasks_report(run_traced(one_of_each, MANY, *options))["tasks"] == []


def test_plain(one_of_each, run_traced):
    result = run_traced(one_of_each, MANY, env={"PINSIGHT_PLAIN": "1"})
    assert tasks_report(result)["tasks"] == []
    assert "tasks of asyncio" in " ".join(command(result, "report").split())


def test_with_lttng(one_of_each, run_traced):
    report = tasks_report(run_traced(one_of_each, MANY, "--recorder", "lttng", "--lossless"))
    assert len(by_coroutine(report["tasks"], "worker")) == 300


LASTING = """
import asyncio, time

def busy():
    return sum(len("ab") for number in range(100))

async def lasting(number):
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        busy()
        await asyncio.sleep(.001)

async def main():
    await asyncio.gather(*(asyncio.ensure_future(lasting(number)) for number in range(3)))

asyncio.run(main())
"""


def test_a_flight_recorder_has_their_names(newest, run_traced):
    result = run_traced(newest, LASTING, "--ring", "2M")
    rows = by_coroutine(tasks_report(result)["tasks"], "lasting")
    assert len(rows) == 3 and {row["end"] for row in rows} == {"returned"}


KINDS = """
import asyncio, sys

class Own(asyncio.Task):
    pass

class Named(asyncio.Task):
    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
    def get_name(self):
        raise RuntimeError("not to be asked")
    @property
    def _coro(self):
        raise RuntimeError("not to be asked")

async def inner():
    await asyncio.sleep(0)

async def numbers():
    for number in range(2):
        await asyncio.sleep(0)
        yield number

async def generator():
    async for number in numbers():
        pass

async def at_once():
    return 1

async def main():
    loop = asyncio.get_running_loop()
    for kind in Own, Named, asyncio.tasks._PyTask:
        await kind(inner(), loop=loop)
    await asyncio.ensure_future(generator())
    if hasattr(asyncio, "TaskGroup"):
        async with asyncio.TaskGroup() as group:
            group.create_task(inner(), name="in a group")
    loop.set_task_factory(lambda loop, coroutine, **keywords: Own(coroutine, loop=loop, **keywords))
    await asyncio.ensure_future(inner())
    loop.set_task_factory(None)
    if hasattr(asyncio, "eager_task_factory"):
        loop.set_task_factory(asyncio.eager_task_factory)
        await asyncio.create_task(at_once(), name="eager")
        await asyncio.create_task(inner(), name="eager, too")
    dropped = asyncio.ensure_future(asyncio.sleep(1000))

asyncio.run(main())
print(sys.getrefcount(asyncio.Task) < 1000)
"""


@pytest.mark.needs_gil
def test_kinds_of_tasks(python, run_traced):
    result = run_traced(python, KINDS)
    assert result.stdout == "True\n"
    report = tasks_report(result)
    inner = by_coroutine(report["tasks"], "inner")
    assert len(inner) == 4 + (python.version >= (3, 11)) + (python.version >= (3, 12))
    assert all(row["steps"] == 2 and row["end"] == "returned" for row in inner)
    generator, = by_coroutine(report["tasks"], "generator")
    assert generator["steps"] == 3
    waits = by_coroutine(report["waits"], "generator")
    assert any(row["function"] == "numbers" for row in waits)
    if python.version >= (3, 12):
        eager, = by_coroutine(report["tasks"], "at_once")
        name = "eager" if python.version >= (3, 14) else "at_once"  # before, its loop names it when it is done
        assert (eager["name"], eager["steps"], eager["end"], eager["wait_ns"]) == (name, 1, "returned", 0)
        assert {"in a group", "eager, too"} <= {row["name"] for row in inner}


FORK = """
import asyncio, os, sys

async def pauses():
    for turn in range(5):
        await asyncio.sleep(.001)

async def main():
    task = asyncio.ensure_future(pauses())
    await asyncio.sleep(.002)
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    await task

asyncio.run(main())
child = os.fork()
if not child:
    asyncio.run(main())
    sys.exit(0)
os.waitpid(child, 0)
"""


def test_forked(one_of_each, run_traced):
    report = tasks_report(run_traced(one_of_each, FORK, env={"PYTHONWARNINGS": "ignore"}))
    rows = [row for row in by_coroutine(report["tasks"], "pauses") if row["end"] == "returned"]
    assert len(rows) == 2 and len({row["pid"] for row in rows}) == 2


# A lock that one has for a tenth of a second, a blocker of a tenth, in a loop of each kind; and how to run it.
OTHERS = """
import time
%s
async def child(number, lock):
    await module.sleep(.001 * number)  # pauses
    async with lock:  # wanted
        await module.sleep(.01)

def compute():
    time.sleep(.1)  # blocks

async def blocker():
    await module.sleep(.005)
    compute()

async def main():
    lock = module.Lock()
    async with group() as tasks:
        for number in range(10):
            tasks.start_soon(child, number, lock)
        tasks.start_soon(blocker)

%s
"""
TRIO = OTHERS % ("import trio as module; group = module.open_nursery", "module.run(main)")
ANYIO = OTHERS % ("import anyio as module; group = module.create_task_group", "module.run(main, backend='%s')")
UVLOOP = OTHERS % ("""
import asyncio as module, uvloop
class group:
    async def __aenter__(self):
        self.tasks = []
        return self
    def start_soon(self, function, *arguments):
        self.tasks.append(module.ensure_future(function(*arguments)))
    async def __aexit__(self, *error):
        await module.gather(*self.tasks)
""", "uvloop.install(); module.run(main())")


@pytest.mark.parametrize("program, packages, wrapped", [
    (TRIO, ["trio"], False), (ANYIO % "asyncio", ["anyio"], True), (ANYIO % "trio", ["anyio", "trio"], True),
    (UVLOOP, ["uvloop"], False)], ids=["trio", "anyio-asyncio", "anyio-trio", "uvloop"])
def test_other_loops(one_of_each, program, packages, wrapped, run_traced):
    report = tasks_report(run_traced(one_of_each, program, packages=packages, env={"PYTHONWARNINGS": "ignore"}),
                          "--held-ms", "50")
    if not wrapped:  # anyio runs a coroutine in one of its own
        children, blocker = by_coroutine(report["tasks"], "child"), by_coroutine(report["tasks"], "blocker")
        assert len(children) == 10 and len(blocker) == 1
        assert blocker[0]["longest_step_ns"] >= .1e9
        assert all(row["end"] == "returned" for row in children + blocker)
        assert [row["coroutine"] for row in report["held"]] == ["blocker"]
    assert [(row["call"], row["call_line"]) for row in report["held"]] == [("time.sleep", line_of("# blocks", program))]
    waits = by_coroutine(report["waits"], "child", "function")
    assert {line_of("# pauses", program), line_of("# wanted", program)} < {row["line"] for row in waits}
    assert sum(row["wait_ns"] for row in waits if row["line"] == line_of("# wanted", program)) > .1e9


CLIENT = """
import asyncio, time
from aiohttp import ClientSession, web

async def quick(request):
    await asyncio.sleep(.001)
    return web.Response(text="quick")

async def slow(request):
    time.sleep(.1)  # blocks
    return web.Response(text="slow")

async def get(session, path):
    async with session.get("http://127.0.0.1:%d/%s" % (port, path)) as answer:  # asks
        return await answer.text()

async def main():
    global port
    app = web.Application()
    app.router.add_get("/quick", quick)
    app.router.add_get("/slow", slow)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    async with ClientSession() as session:
        print(await asyncio.gather(*(get(session, path) for path in ["quick"] * 8 + ["slow"])))
    await runner.cleanup()

asyncio.run(main())
"""


@pytest.mark.storm
def test_a_web_service(one_of_each, run_traced):
    report = tasks_report(run_traced(one_of_each, CLIENT, packages=["aiohttp"]))
    held, = [row for row in report["held"] if row["call"] == "time.sleep"]
    assert held["call_line"] == line_of("# blocks", CLIENT) and held["call_in"] == "slow"
    assert len(by_coroutine(report["tasks"], "get")) == 9
    assert sum(row["waits"] for row in by_coroutine(report["waits"], "get", "function")
               if row["line"] == line_of("# asks", CLIENT)) >= 9


UVLOOP_CALLBACKS = """
import asyncio, time, uvloop

def callback(seconds):
    time.sleep(seconds)  # blocks

class Protocol(asyncio.Protocol):
    def __init__(self, done):
        self.done = done

    def data_received(self, data):
        time.sleep(.07)  # blocks, too
        self.done.set_result(None)

async def main():
    loop = asyncio.get_running_loop()
    loop.call_soon(callback, .06)
    loop.call_soon(callback, .001)
    await asyncio.sleep(.1)
    done = loop.create_future()
    server = await loop.create_server(lambda: Protocol(done), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"x")
    await done
    writer.close()
    server.close()
    callback(.08)

uvloop.install()
asyncio.run(main())
"""


def test_callbacks_of_a_loop_in_c(python, run_traced):
    """Before CPython 3.12 the interpreter does not report what runs such a loop."""
    result = run_traced(python, UVLOOP_CALLBACKS, packages=["uvloop"], env={"PYTHONWARNINGS": "ignore"})
    held = {(row["what"], row["coroutine"], row["call"], row["call_line"]) for row in tasks_report(result)["held"]
            if row["longest_ns"] > .05e9 and row["call"] == "time.sleep"}
    callbacks = {("callback", "callback", "time.sleep", line_of("# blocks", UVLOOP_CALLBACKS)),
                 ("callback", "Protocol.data_received", "time.sleep", line_of("# blocks, too", UVLOOP_CALLBACKS))}
    main = {("task", "main", "time.sleep", line_of("# blocks", UVLOOP_CALLBACKS))}
    assert held == main | callbacks
    report = result.report("--limit", "0")
    # Once for the program, twice by asyncio.run() at the end.
    runs = [row["calls"] for row in report["c_calls"] if row["name"].startswith("uvloop.loop.Loop.run_")]
    assert sum(runs) == (2 if python.version < (3, 9) else 3)
    assert report["not_recorded"]["lost_frames"] == report["not_recorded"]["dropped_ends"] == 0


TRIO_FAMILY = """
import trio

async def child(number, event):
    await trio.sleep(.001 * number)  # pauses
    if number == 2:
        event.set()  # sets

async def waits(event):
    await event.wait()

async def outer(event):
    async with trio.open_nursery() as group:
        for number in range(3):
            group.start_soon(child, number, event, name="child %d" % number)
        group.start_soon(waits, event)

async def fails():
    raise ValueError

async def main():
    async with trio.open_nursery() as group:
        group.start_soon(outer, trio.Event())
    try:
        async with trio.open_nursery() as group:
            group.start_soon(fails)
    except BaseException:
        pass  # trio may put it into a group of exceptions

trio.run(main)
"""


@pytest.mark.needs_gil
def test_tasks_of_trio(python, run_traced):
    """Each has its name, its nursery's task as its parent, its end, and what woke it."""
    report = tasks_report(run_traced(python, TRIO_FAMILY, packages=["trio"]), "--limit", "0")
    tasks = {row["name"]: row for row in report["tasks"]}
    names = {row["task"]: row["name"] for row in report["tasks"]}
    parents = {name: names.get(row["parent"]) for name, row in tasks.items()}
    assert {name: parents[name] for name in ("__main__.main", "__main__.outer", "child 0", "child 1", "child 2",
                                             "__main__.waits")} == {
        "__main__.main": "<init>", "__main__.outer": "__main__.main", "child 0": "__main__.outer",
        "child 1": "__main__.outer", "child 2": "__main__.outer", "__main__.waits": "__main__.outer"}
    ends = {row["coroutine"].split(".")[-1]: row["end"] for row in report["tasks"]}
    assert (ends["fails"], ends["child"], ends["main"]) == ("raised", "returned", "returned")
    wait, = by_coroutine(report["waits"], "waits")
    assert (wait["waker_line"], wait["woken_by"]) == (line_of("# sets", TRIO_FAMILY), "child")
    assert all(row["woken_by"] is None for row in by_coroutine(report["waits"], "child"))
