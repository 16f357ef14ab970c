"""The small cases: each runs n iterations and returns something that shows that it ran.

`loop` and `call` are the two cases by which the paper on Score-P's Python bindings measures a tracer:
a loop that does nothing but add, and a loop that calls a function that adds.
"""


def loop(n):
    result = 0
    for _ in range(n):
        result += 1
    return result


def add(value):
    return value + 1


def call(n):
    result = 0
    for _ in range(n):
        result = add(result)
    return result


def ccall(n):
    """A call of a built-in function."""
    items = (1, 2, 3)
    result = 0
    for _ in range(n):
        result = len(items)
    return result * n // 3


def append(n):
    """A call of a built-in type's method; the list is emptied on the way, as memory is not the point."""
    items = []
    count = 0
    for _ in range(n):
        items.append(count)
        if len(items) == 1000:
            count += 1000
            items.clear()
    return count + len(items)


def numbers():
    number = 0
    while True:
        yield number
        number += 1


def generator(n):
    """A generator that goes on, and pauses."""
    for number in numbers():
        if number == n:
            return number


def raise_(n):
    """A call that raises, which is caught."""
    result = 0
    for _ in range(n):
        try:
            fail()
        except ValueError:
            result += 1
    return result


def fail():
    raise ValueError


CASES = {"loop": loop, "call": call, "ccall": ccall, "append": append, "generator": generator, "raise": raise_}
