"""The decorator pinsight.region(): functions, generators and asynchronous generators behave as without it."""
import collections
import json
import subprocess

import pytest

from support import places

PROGRAM = """
import asyncio, inspect, sys
import pinsight

def plain(function):
    return function

def program(mark):
    seen = []

    @mark("numbers")
    def numbers(count):
        got = []
        try:
            for number in range(count):
                try:
                    got.append((yield number))
                except KeyError as error:
                    got.append(error.args)
                    yield "caught"
            return got
        finally:
            seen.append("finally")

    @mark("delegates")
    def delegates():
        result = yield from numbers(2)
        seen.append(result)

    @mark("fails")
    def fails():
        yield 1
        raise LookupError("f")

    @mark("sends")
    async def sends(count):
        try:
            for number in range(count):
                await asyncio.sleep(0)
                seen.append((yield number))
        finally:
            seen.append("closed")

    seen.append(list(numbers(3)))
    generator = numbers(3)
    seen += [next(generator), generator.send("x"), generator.throw(KeyError("k")), next(generator)]
    generator.close()
    try:
        next(generator)
    except StopIteration as stop:
        seen.append(stop.value)
    list(delegates())
    try:
        list(fails())
    except LookupError as error:
        seen.append(repr(error))
    never = numbers(1)
    never.close()
    seen.append(inspect.isgeneratorfunction(numbers))
    seen.append(inspect.isasyncgenfunction(sends))
    seen.append([numbers.__name__, numbers.__qualname__])

    async def main():
        seen.append([number async for number in sends(3)])
        generator = sends(3)
        seen.append(await generator.__anext__())
        seen.append(await generator.asend("y"))
        try:
            await generator.athrow(ValueError("t"))
        except ValueError as error:
            seen.append(repr(error))
        generator = sends(3)
        await generator.__anext__()
        await generator.aclose()

    asyncio.run(main())
    return seen

without, within = program(lambda name: plain), program(pinsight.region)
print(without == within)
if without != within:
    print(without, within, sep="\\n")
"""


def counts(folder):
    found = collections.Counter()
    done = subprocess.run([places.COMMAND, "dump", "-q", "--format", "json", str(folder)], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event["event"].split(":")[-1] in ("region_begin", "region_end"):
            found[event["event"].split(":")[-1], event["fields"]["name"]] += 1
    return found


def test_the_decorator(python, run_traced):
    traced = run_traced(python, PROGRAM, file="regions.py")
    assert traced.stdout == "True\n"
    found = counts(traced.folder)
    names = {name for _, name in found}
    assert names == {"numbers", "delegates", "fails", "sends"}
    assert all(found["region_begin", name] == found["region_end", name] for name in names)
    # Each part of a generator has one: to its value, and from there to its error.
    assert found["region_begin", "fails"] == 2


PAUSED = """
import time
import pinsight
@pinsight.region("part")
def produce():
    for _ in range(3):
        yield
for _ in produce():
    time.sleep(0.05)
"""


def test_the_consumers_time_is_not_in_it(newest, run_traced, tmp_path):
    traced = run_traced(newest, PAUSED, file="paused.py")
    subprocess.run([places.COMMAND, "export", "--to", "chrome", "-q", "-o", tmp_path / "out.json", traced.folder], check=True)
    begun, whole = 0, 0
    for event in json.loads((tmp_path / "out.json").read_text())["traceEvents"]:
        if event["ph"] == "B" and event["name"] == "part":
            begun = event["ts"]
        elif event["ph"] == "E" and begun:
            whole, begun = whole + event["ts"] - begun, 0
    assert whole < 100e3, whole
