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


class region:
    """A span of time with a name of your own, in the thread that enters it.

        with pinsight.region("assembly"):
            ...

        @pinsight.region("solver step")
        def step(): ...

    One object may be entered many times, also recursively and from several threads. On a coroutine
    function the span lasts until the coroutine has ended. On a generator function it lasts only
    until the generator is made.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = recordable(name)

    def __enter__(self) -> "region":
        if _extension.extension is not None:
            _extension.extension.region_begin(self.name)
        return self

    def __exit__(self, *exception) -> None:
        if _extension.extension is not None:
            _extension.extension.region_end(self.name)

    def __call__(self, function):
        # inspect.iscoroutinefunction() checks the same flag. Importing inspect would cost time.
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & 0x80:
            @functools.wraps(function)
            async def spanned(*args, **kwargs):
                with self:
                    return await function(*args, **kwargs)
        else:
            @functools.wraps(function)
            def spanned(*args, **kwargs):
                with self:
                    return function(*args, **kwargs)
        return spanned

    def __repr__(self) -> str:
        return "pinsight.region(%r)" % self.name
