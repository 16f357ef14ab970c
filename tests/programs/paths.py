"""Asks native code for its Python call path in many situations, and writes what Python itself says of each.

    paths.py LIBRARY RESULT [SITUATION...]

RESULT is a file of lines in JSON: the process, the path's number, and the frames, outermost first, each with
name, file, first line and line.
"""
import asyncio
import contextlib
import ctypes
import functools
import json
import os
import re
import sys
import threading

LIBRARY, RESULT = sys.argv[1:3]
library = ctypes.CDLL(LIBRARY)          # calls release the GIL
with_gil = ctypes.PyDLL(LIBRARY).where  # calls keep it
where = library.where
where.restype = with_gil.restype = ctypes.c_uint32
for name in ("where_call_in_thread", "where_forked", "where_for"):
    getattr(library, name).restype = ctypes.c_uint32
assert library.where_find()
CALLBACK = ctypes.CFUNCTYPE(None)

# Written at once and without a lock, which another thread might hold while this one forks.
out = os.open(RESULT, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def frames(frame):
    found = []
    while frame:
        code = frame.f_code
        found.append([getattr(code, "co_qualname", code.co_name), code.co_filename, code.co_firstlineno, frame.f_lineno])
        frame = frame.f_back
    return found[::-1]


def note(path, stack=None):
    """What native code was told on the line where this is called."""
    stack = stack or frames(sys._getframe(1))
    os.write(out, (json.dumps([os.getpid(), path, stack]) + "\n").encode())


def ask():
    note(where()); note(with_gil())  # noqa: E702


def run_threads(threads):
    started = list(threads)
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def simple():
    note(where())
    note(where()); note(with_gil())  # noqa: E702
    for _ in range(3):
        note(where())
        note(where())


def recursive():
    def down(n):
        if n == 0:
            return note(where())
        if n % 3:
            return down(n - 1)
        return down(n - 1)
    for n in (0, 1, 7, 50, 51, 49, 3, 0):
        down(n)
    sys.setrecursionlimit(10000)
    threading.stack_size(256 << 20)
    for n in (2000, 2001, 1500, 5000):
        thread = threading.Thread(target=down, args=(n,))
        thread.start()
        thread.join()
    threading.stack_size(0)


def generators():
    def inner():
        note(where())
        got = yield 1
        note(where())
        yield got
        try:
            yield 3
        except ValueError:
            note(where())
            yield 4
        finally:
            note(where())

    def outer():
        note(where())
        yield from inner()

    def elsewhere(generator, value):
        return generator.send(value)
    generator = outer()
    next(generator)
    elsewhere(generator, 2)
    next(generator)
    generator.throw(ValueError)
    generator.close()
    left = outer()
    next(left)
    del left
    sum(where() and note(where()) is None for _ in range(3))


def coroutines():
    class Context:
        async def __aenter__(self):
            note(where())
            await asyncio.sleep(0)
            note(where())

        async def __aexit__(self, *what):
            note(where())

    async def numbers():
        for i in range(3):
            note(where())
            yield i
            await asyncio.sleep(0)

    async def work(n):
        note(where())
        await asyncio.sleep(0)
        async with Context():
            async for _ in numbers():
                note(where())
        return n

    async def main():
        await work(0)
        await asyncio.gather(*(work(i) for i in range(3)))
        note(where())
    asyncio.run(main())


def c_calls_python():
    class Thing:
        def __init__(self):
            note(where())

        def __enter__(self):
            note(where())

        def __exit__(self, *what):
            note(where())

        def __del__(self):
            note(where())

        def __lt__(self, other):
            note(where())
            return False

        @property
        def value(self):
            note(where())
            return 1

        def __getitem__(self, key):
            note(where())
            return key

        def __add__(self, other):
            note(where())
            return self
    with Thing():
        note(where())
    thing = Thing()
    thing.value, thing[1], thing + 1
    sorted([thing, Thing()])
    del thing
    list(map(lambda n: note(where()), range(2)))
    sorted(range(3), key=lambda n: note(where()) or n)
    functools.reduce(lambda a, b: note(where()), range(3))
    functools.partial(ask)()
    [note(where()) for _ in range(2)]
    {n: note(where()) for n in range(2)}
    re.sub("a", lambda match: note(where()) or "b", "aa")
    type("Made", (Thing,), {})().value


@contextlib.contextmanager
def manager():
    note(where())
    yield
    note(where())


def calling_back():
    def back():
        note(where())
        if level[0] < 5:
            level[0] += 1
            library.where_call(callback)
            note(where())
    level = [0]
    callback = CALLBACK(back)
    library.where_call(callback)
    level[0] = 4
    assert library.where_call_in_thread(callback) == 0  # it has no Python before and after
    level[0] = 4
    library.where_call_in_thread(CALLBACK(lambda: note(where())))
    with manager():
        note(where())


def executed():
    """Code objects whose memory is used again."""
    for i in range(60):
        space = {"note": note, "where": where}
        # The same name, file and first line, and the call elsewhere.
        exec(compile("def same():\n%s    note(where())\n" % ("\n" * (i % 7)), "<string>", "exec"), space)
        space["same"]()
        # Other names, other first lines, other files.
        exec(compile("%sdef name_%02d():\n    note(where())\n" % ("\n" * (i % 5), i), "<string>", "exec"), space)
        space["name_%02d" % i]()
        exec("note(where())", space)
        exec(compile("\nnote(where())", "<%d>" % (i % 3), "exec"), space)
        eval("note(where())", space)
        eval("(lambda: note(where()))()", space)
        (lambda: note(where()))()
    for i in range(300):
        exec("def f():\n%s    return g()\ndef g():\n    note(where())\nf()\n" % ("    0\n" * (i % 100)), {"note": note, "where": where})


def executed_in_threads():
    run_threads(threading.Thread(target=executed) for _ in range(4))


def replaced():
    """Code objects that are odd."""
    def plain():
        note(where())
    code = plain.__code__
    for changes in (
        {"co_name": "n\u00e4me", "co_filename": "/t\u00efme/\u4e16\u754c/\U0001f40d.py"},
        {"co_name": "lone\udc80", "co_filename": "/lone\udcff\ud800.py"},
        {"co_name": "long" * 700, "co_filename": "/" + "deep/" * 600},
        {"co_name": "\u4e16" * 1500, "co_filename": "/\u00e9" * 1500},
        {"co_firstlineno": 70000},
        {"co_firstlineno": 1},
    ):
        if "co_name" in changes and hasattr(code, "co_qualname"):
            changes["co_qualname"] = "q." + changes["co_name"]
        plain.__code__ = code.replace(**changes)
        plain()


def lines():
    """Calls over several lines, long functions, lines that go back."""
    def here(*ignored):
        note(where())
        return here

    here(
        1,
        here(),
        here(
            here()
        )
    )
    here()(
    )()(

    )()
    if here() and not \
            here() or \
            here():
        pass
    for _ in range(2): here(); here()  # noqa: E701, E702
    try:
        here()
        raise KeyError
    except KeyError:
        here()
    finally:
        here()
    space = {"here": here}
    long = "".join("    here()\n%s" % ("\n" * (n * 7 % 300)) for n in range(150))
    exec(compile("def long():\n" + long + "    return [\n" + "here(),\n" * 200 + "]\n", "<long>", "exec"), space)
    space["long"]()
    wide = "here()" + "".join("+%s(here() and 0)" % ("\n" * (n % 2)) for n in range(50))
    exec(compile("def wide():\n    (0 if %s else 1)" % wide.replace("here()+", "here() and 0 +"), "<wide>", "exec"), space)
    with contextlib.suppress(TypeError):
        space["wide"]()


def threads():
    def work(n):
        for _ in range(20):
            ask()
            deeper(n % 4)

    def deeper(n):
        if n:
            deeper(n - 1)
        else:
            note(where())
    for _ in range(2):
        run_threads(threading.Thread(target=work, args=(n,)) for n in range(8))


def forks():
    def child_asks():
        note(where())
        ask()

    def both():
        pid = os.fork()
        child_asks()
        if not pid:
            both_again()
            os._exit(0)
        os.waitpid(pid, 0)

    def both_again():
        pid = os.fork()
        child_asks()
        if not pid:
            os._exit(0)
        os.waitpid(pid, 0)
    child_asks()
    thread = threading.Thread(target=threads)
    thread.start()
    both()
    thread.join()
    here = library.where_forked(); note(with_gil()); assert here and here == library.where_forked()  # noqa: E702
    child_asks()


def greenlets():
    """Stacks that take turns in one thread; only where the package is."""
    import greenlet

    def down(n, others):
        note(where())
        if n:
            for other in others:
                other.switch(n - 1, others)
                note(where())
        else:
            greenlet.getcurrent().parent.switch()
        note(where())

    def in_greenlet(n, others):
        for _ in range(3):
            down(n, others)
            note(where())
    started = [greenlet.greenlet(in_greenlet) for _ in range(4)]
    for n, one in enumerate(started):
        one.switch(n % 2, started[n + 1:])
        note(where())
    for one in started:
        while not one.dead:
            one.switch()
            note(where())


SITUATIONS = [simple, recursive, generators, coroutines, c_calls_python, calling_back, executed, executed_in_threads, replaced, lines, threads,
              forks]

if __name__ == "__main__":
    for situation in SITUATIONS:
        if situation.__name__ in sys.argv[3:] or not sys.argv[3:]:
            situation()
    if "greenlets" in sys.argv[3:]:
        greenlets()
    note(where())
