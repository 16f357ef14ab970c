"""Programs that wait, collect garbage and switch tasks, each in a way that PInsight records apart from calls."""

import asyncio
import queue
import threading


class Node:
    """In a cycle: only a collection frees it."""

    def __init__(self, number):
        self.number = number
        self.me = self


def garbage(n):
    total = 0
    for number in range(n):
        total += Node(number).number
    return total


def compute(number):
    total = 0
    for value in range(number % 7 + 20):
        total += value * number
    return total


def fight(n):
    """Four threads that compute, and want the GIL all the time."""
    sums = [0] * 4

    def work(which):
        for number in range(n // 4):
            sums[which] += compute(number)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(len(sums))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(sums)


def queues(n):
    """Two threads that hand work to each other; each waits for the other's every answer."""
    work, answers = queue.Queue(1), queue.Queue(1)

    def answer():
        for number in iter(work.get, None):
            answers.put(compute(number))

    thread = threading.Thread(target=answer)
    thread.start()
    total = 0
    for number in range(n):
        work.put(number)
        total += answers.get()
    work.put(None)
    thread.join()
    return total


async def consume(lock, events, turns):
    total = 0
    for number in range(turns):
        async with lock:
            total += compute(number)
        events.set()
        await asyncio.sleep(0)
    return total


async def consumers(n):
    lock, events = asyncio.Lock(), asyncio.Event()
    return sum(await asyncio.gather(*[consume(lock, events, n // 100) for _ in range(100)]))


def tasks(n):
    """A hundred tasks, which wait for a lock in turns."""
    return asyncio.run(consumers(n))
