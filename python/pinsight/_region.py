"""region(): a span with a name of the program's own, as a context manager and as a decorator."""
import functools

from . import _extension


def recordable(name: str) -> str:
    """Returns the name in the form of the trace: UTF-8 without zero bytes. Other bytes become
    escapes.
    """
    if not isinstance(name, str):
        raise TypeError("a name is a str, not %s" % type(name).__name__)
    return name.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


# Flags of code objects, as in inspect.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


def _parts(span, generator):
    """Runs a generator like `yield from`, with a span around each part."""
    step, value = generator.send, None
    while True:
        try:
            with span:
                item = step(value)
        except StopIteration as stop:
            return stop.value
        try:
            step, value = generator.send, (yield item)
        except GeneratorExit:
            with span:
                generator.close()
            raise
        except BaseException as error:
            step, value = generator.throw, error


class region:
    """A span of time with a name of your own, in the thread that enters it.

        with pinsight.region("assembly"):
            ...

        @pinsight.region("solver step")
        def step(): ...

    One object may be entered many times, also recursively and from several threads. On a coroutine
    function the span lasts until the coroutine has ended. A generator has a span for each part that
    runs, without the time of its consumer.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = recordable(name)

    def span(self) -> "region":
        """Returns the context manager of one call of a decorated function."""
        return self

    def __enter__(self) -> "region":
        if _extension.extension is not None:
            _extension.extension.region_begin(self.name)
        return self

    def __exit__(self, *exception) -> None:
        if _extension.extension is not None:
            _extension.extension.region_end(self.name)

    def __call__(self, function):
        # inspect checks the same flags. Importing inspect would cost time.
        code = getattr(function, "__code__", None)
        flags = 0 if code is None else code.co_flags
        if flags & _GENERATOR:
            @functools.wraps(function)
            def spanned(*args, **kwargs):
                return (yield from _parts(self.span(), function(*args, **kwargs)))
        elif flags & _ASYNC_GENERATOR:
            @functools.wraps(function)
            async def spanned(*args, **kwargs):
                generator = function(*args, **kwargs)
                step, value = generator.asend, None
                try:
                    while True:
                        with self.span():
                            item = await step(value)
                        try:
                            step, value = generator.asend, (yield item)
                        except GeneratorExit:
                            with self.span():
                                await generator.aclose()
                            raise
                        except BaseException as error:
                            step, value = generator.athrow, error
                except StopAsyncIteration:
                    pass
        elif flags & _COROUTINE:
            @functools.wraps(function)
            async def spanned(*args, **kwargs):
                with self.span():
                    return await function(*args, **kwargs)
        else:
            @functools.wraps(function)
            def spanned(*args, **kwargs):
                with self.span():
                    return function(*args, **kwargs)
        return spanned

    def __repr__(self) -> str:
        return "pinsight.region(%r)" % self.name
