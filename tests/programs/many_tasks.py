"""Many tasks of asyncio that wait side by side, more than any window takes."""
import asyncio
import gc

gc.disable()


async def leaf(number):
    await asyncio.sleep(0)
    return number


async def numbers(limit):
    for number in range(limit):
        yield await leaf(number)


async def task(number):
    total = await leaf(number)
    async for part in numbers(3):
        total += part
        await asyncio.sleep(0)
    return total


def step(limit):
    got = 0
    while got < limit:
        got += yield got


def generators():
    waiting = [step(4) for _ in range(60)]
    for generator in waiting:
        next(generator)
    for _ in range(3):
        for generator in waiting:
            generator.send(1)
    for number, generator in enumerate(waiting):
        if number % 3 == 0:
            generator.close()
            continue
        try:
            generator.throw(KeyError) if number % 3 == 1 else generator.send(1)
        except (KeyError, StopIteration):
            pass


async def everything():
    results = await asyncio.gather(*(task(number) for number in range(100)))
    assert sum(results) == sum(range(100)) + 300


def main():
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(everything())
    finally:
        loop.close()
    generators()


main()
