"""Snapshots of the flight recorder from within the program, such as after a slow request."""
import os
import time

from . import _extension
from ._region import region

_said = set()


def _report_once(text):
    if text not in _said and os.environ.get("PINSIGHT_QUIET") != "1":
        _said.add(text)
        _extension.report(text)


def snapshot() -> bool:
    """Copies the present content of the flight recorder into a new folder beside the trace.

    Returns at once: another process makes the copy, and names the folder on stderr. The copy has
    all events before this call, of all processes of the run on this host. Returns whether a copy
    is made: False if this process is not traced or has no flight recorder (`pinsight run --ring`,
    or activate(ring=...)).
    """
    return _request() != "no ring"


def _request():
    if _extension.extension is None or not _extension.extension.is_active():
        return "no ring"
    answer = _extension.extension.snapshot(os.environ.get("PINSIGHT_OUTPUT", ""))
    if answer == "no ring":
        _report_once("no snapshot is made, because there is no flight recorder: run the program with `pinsight run --ring 30s`")
    return answer


class keep_if(region):
    """Keeps the content of the flight recorder if a span of time was long.

        with pinsight.keep_if(seconds=1.0):
            handle(request)

        @pinsight.keep_if(seconds=1.0, name="checkout")
        def checkout(request): ...

    The span is a region of that name. If it takes `seconds` or longer, a mark says so, and a
    snapshot is made: see snapshot(). After `most` snapshots in this process, slow spans of that
    name have their mark only. An exception in the span passes through. Each `with` needs an object
    of its own. A decorated function may run in several threads and tasks.
    """

    __slots__ = ("seconds", "most", "about", "_began")
    _kept: "dict[str, int]" = {}

    def __init__(self, seconds: float, name: str = "request", most: int = 10, about: str = "") -> None:
        super().__init__(name)
        self.seconds, self.most, self.about, self._began = float(seconds), int(most), about, None

    def span(self) -> "keep_if":
        return keep_if(self.seconds, self.name, self.most, self.about)

    def __enter__(self) -> "keep_if":
        self._began = time.perf_counter()
        return super().__enter__()

    def __exit__(self, *exception) -> None:
        took = time.perf_counter() - self._began
        super().__exit__(*exception)
        if took >= self.seconds:
            self._keep(took)

    def _keep(self, took):
        from . import mark

        kept = self._kept.get(self.name, 0)
        if _extension.extension is None:
            return
        mark("slow %s: %.3f s%s" % (self.name, took, " " + self.about if self.about else ""))
        if kept >= self.most:
            _report_once("%d snapshots are kept of slow '%s': from now on, slow ones have a mark only" % (kept, self.name))
        elif _request() == "requested":
            self._kept[self.name] = kept + 1

    def __repr__(self) -> str:
        return "pinsight.keep_if(%r, name=%r)" % (self.seconds, self.name)
