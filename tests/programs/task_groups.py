"""asyncio task groups, timeouts and except* (3.11 and later)."""
import asyncio
import gc

gc.disable()


async def worker(number):
    for _ in range(number):
        await asyncio.sleep(0)
    return number


async def failing():
    await asyncio.sleep(0)
    raise ValueError("in a task")


async def grouped():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker(number)) for number in range(4)]
    assert sum(task.result() for task in tasks) == 6
    caught = 0
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(worker(50))
            group.create_task(failing())
    except* ValueError as errors:
        caught += len(errors.exceptions)
    assert caught == 1


def main():
    with asyncio.Runner() as runner:
        runner.run(grouped())


main()
