"""Generators: run dry, closed, thrown into, sent to, delegating, dropped half-way."""
import gc

gc.disable()


def count(limit):
    for number in range(limit):
        yield number


def listening():
    got = []
    try:
        while True:
            got.append((yield len(got)))
    except ValueError:
        yield "caught"
    finally:
        got.clear()


def delegating(limit):
    result = yield from returning(limit)
    yield result


def returning(limit):
    for number in range(limit):
        yield number
    return "done"


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        tidy()
        raise


def tidy():
    return None


def failing():
    yield 1
    raise KeyError("in a generator")


def tree(depth):
    if depth:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


def main():
    assert sum(count(50)) == 1225
    assert list(delegating(5)) == [0, 1, 2, 3, 4, "done"]
    assert len(list(tree(5))) == 31
    listener = listening()
    next(listener)
    for number in range(5):
        listener.send(number)
    assert listener.throw(ValueError("thrown in")) == "caught"
    listener.close()
    closed = stubborn()
    next(closed)
    closed.close()
    never_started = stubborn()
    never_started.close()
    thrown = count(10)
    next(thrown)
    try:
        thrown.throw(OSError("not caught"))
    except OSError:
        tidy()
    unstarted = count(3)
    try:
        unstarted.throw(OSError("before its first line"))
    except OSError:
        tidy()
    try:
        list(failing())
    except KeyError:
        tidy()
    half_way = [count(10)]
    next(half_way[0])
    half_way.clear()
    assert sum(number * 2 for number in count(10)) == 90
    inner = delegating(3)
    next(inner)
    try:
        inner.throw(KeyError("through the delegation"))
    except KeyError:
        tidy()


main()
