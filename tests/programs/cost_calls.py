"""Calls of each kind, N times; with `count`, how many callbacks N more of them make, by the interpreter's own tools.

    cost_calls.py N [count]
"""
import sys


def returns(value):
    return value


def pauses():
    yield 1
    yield 2


def raises():
    raise KeyError


class Thing:
    def method(self):
        return len("abc")


def part(n):
    thing = Thing()
    for _ in range(n):
        returns(1)
        thing.method()
        for _ in pauses():
            pass
        try:
            raises()
        except KeyError:
            pass
        try:
            int("x")
        except ValueError:
            pass


class Counter:
    """Counts the callbacks of its body."""

    def __init__(self):
        self.count = 0

    def callback(self, *_):
        self.count += 1

    def __enter__(self):
        if not hasattr(sys, "monitoring"):
            sys.setprofile(self.callback)
            return self
        self.monitoring = sys.monitoring
        self.monitoring.use_tool_id(3, "oracle")
        mask = 0
        for name in "PY_START PY_RESUME PY_THROW PY_RETURN PY_YIELD PY_UNWIND CALL C_RETURN C_RAISE".split():
            event = getattr(self.monitoring.events, name)
            self.monitoring.register_callback(3, event, self.callback)
            mask |= event
        self.monitoring.set_events(3, mask)
        return self

    def __exit__(self, *_):
        if not hasattr(sys, "monitoring"):
            sys.setprofile(None)
        else:
            self.monitoring.set_events(3, 0)
            self.monitoring.free_tool_id(3)


def counted(n):
    counter = Counter()
    with counter:
        part(n)
    return counter.count


N = int(sys.argv[1])
if sys.argv[2:] == ["count"]:
    print(counted(2 * N) - counted(N))
else:
    part(N)
