"""Coroutines, asyncio.gather, async generators and context managers, cancellation."""
import asyncio
import gc

gc.disable()


async def leaf(number):
    await asyncio.sleep(0)
    return number * 2


async def branch(number):
    return await leaf(number) + await leaf(number + 1)


async def counting(limit):
    for number in range(limit):
        await asyncio.sleep(0)
        yield number


class Resource:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *exception):
        await asyncio.sleep(0)
        return exception[0] is ValueError


async def failing():
    await asyncio.sleep(0)
    raise ValueError("in a coroutine")


async def patient():
    try:
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        raise


async def everything():
    assert sum(await asyncio.gather(*(branch(number) for number in range(5)))) == 50
    assert [number async for number in counting(5)] == [0, 1, 2, 3, 4]
    stopped = counting(10)
    await stopped.__anext__()
    await stopped.aclose()
    async with Resource():
        await failing()
    task = asyncio.ensure_future(patient())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    results = await asyncio.gather(leaf(1), failing(), return_exceptions=True)
    assert results[0] == 2


class Bare:
    def __await__(self):
        yield "suspended"
        return 5


async def by_hand():
    return await Bare() + 1


def drive():
    coroutine = by_hand()
    assert coroutine.send(None) == "suspended"
    try:
        coroutine.send(None)
    except StopIteration as stop:
        assert stop.value == 6


def main():
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(everything())
    finally:
        loop.close()
    drive()


main()
