"""Generators, coroutines and asynchronous generators of one function that take turns, in several threads.

Each is given a serial number. What the program sees is printed: for each thread, in order, every start and resumption
as [function, serial, certain]. Where it is not certain, some Pythons run the execution, and others do not (an exception
that nobody handles in it, as a dropped one gets). What delegates cannot see that it goes on: who resumes it notes it.
"""
import gc
import itertools
import json
import random
import threading
import time

gc.disable()
serials = itertools.count(1)
seen = {}
by_chance = random.Random(7)


def note(name, me, certain=True):
    seen.setdefault(threading.get_native_id(), []).append([name, me, certain])


def counting(me, limit):
    note("counting", me)
    for number in range(limit):
        yield number
        note("counting", me)


def guarded(me):
    note("guarded", me)
    while True:
        try:
            yield me
            note("guarded", me)
        except ValueError:
            note("guarded", me)
        except GeneratorExit:
            note("guarded", me, False)
            raise


def delegating(inner):
    yield from inner


class Turn:
    """Waits once, in C."""

    def __await__(self):
        return iter((None,))


async def waiting(turns):
    for _ in range(turns):
        await Turn()


async def outer(inner):
    await inner


async def streaming(me, limit):
    note("streaming", me)
    for number in range(limit):
        try:
            yield number
            note("streaming", me)
        except ValueError:
            note("streaming", me)
        except GeneratorExit:
            note("streaming", me, False)
            raise


def step(execution, names, value=None):
    """Resumes one; the names are of those that do not note themselves, outermost first. True: it goes on."""
    for name, me in names:
        note(name, me)
    try:
        execution.send(value)
    except StopIteration:
        return False
    return True


def take_turns(executions):
    """Each is (execution, names); they go on in any order until all have ended."""
    while executions:
        at = by_chance.randrange(len(executions))
        if not step(*executions[at]):
            del executions[at]


def generators():
    take_turns([(counting(next(serials), by_chance.randrange(1, 6)), ()) for _ in range(100)])


def coroutines():
    made = []
    for number in range(100):
        me = next(serials)
        one, names = waiting(number % 5), [("waiting", me)]
        for _ in range(number % 3):
            one, names = outer(one), [("outer", next(serials))] + names
        made.append((one, names))
    take_turns(made)


def delegations():
    made = []
    for number in range(30):
        one, names = counting(next(serials), 3), []
        for _ in range(1 + number % 2):
            one, names = delegating(one), [("delegating", next(serials))] + names
        made.append((one, names))
    take_turns(made)


def send(awaitable):
    try:
        awaitable.send(None)
    except (StopIteration, StopAsyncIteration):
        return True
    return False


def asynchronous():
    made = [streaming(next(serials), 20) for _ in range(30)]
    for turn in range(10):
        for one in by_chance.sample(made, 20):
            assert send(one.athrow(ValueError("thrown in")) if turn == 5 else one.__anext__())
    for one in made:
        assert send(one.aclose())


def thrown_into():
    made = [guarded(next(serials)) for _ in range(20)]
    for one in made:
        next(one)
    for turn in range(4):
        for one in by_chance.sample(made, 15):
            if turn % 2:
                one.throw(ValueError("thrown in"))
            else:
                next(one)
    for one in made:
        one.close()


def dropped():
    """Where one lay, others begin: by a call, or by an exception."""
    for turn in range(30):
        first, second, third = next(serials), next(serials), next(serials)
        one = counting(first, 3)
        next(one)
        note("counting", first, False)
        if turn % 3:
            one.close()
        del one
        other = counting(second, 3)
        if turn % 2:
            note("counting", second)
            try:
                other.throw(ValueError("before its first line"))
            except ValueError:
                pass
        else:
            next(other)
            note("counting", second, False)
        del other
        last = counting(third, 1)
        next(last)
        assert next(last, None) is None


def through():
    """An exception that is thrown into a delegation comes to the innermost one first."""
    me, inner = next(serials), next(serials)
    one = delegating(guarded(inner))
    step(one, [("delegating", me)])
    one.throw(ValueError("handled within"))
    step(one, [("delegating", me)])
    note("guarded", inner, False)
    note("delegating", me, False)
    try:
        one.throw(KeyError("not handled"))
    except KeyError:
        pass


def in_threads():
    """Whoever is free takes one and resumes it."""
    left = [counting(next(serials), 30) for _ in range(20)]
    lock, together = threading.Lock(), threading.Barrier(3)

    def run():
        together.wait()
        while True:
            with lock:
                one = left.pop(0) if left else None
            if one is None:
                return
            if next(one, None) is not None:
                with lock:
                    left.append(one)
            time.sleep(.0005)  # somebody else's turn

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    for part in (generators, coroutines, delegations, asynchronous, thrown_into, dropped, through, in_threads):
        part()
    print(json.dumps(seen))


main()
