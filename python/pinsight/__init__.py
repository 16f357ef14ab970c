"""PInsight from inside a program: switch tracing on and off, name regions, set marks.

    import pinsight

    pinsight.activate()                # trace from here on
    with pinsight.region("assembly"):  # a span of your own on the timeline
        ...
    pinsight.mark("converged")         # a point of your own on the timeline
    pinsight.deactivate()

Nothing here is needed to trace a program with `pinsight run` or `python -m pinsight`. With activate(output=DIR), or
PINSIGHT_RECORDER=file, a program records without either. Where the recorder is LTTng and no session listens, all of it
works and records nothing. Where the extension for this Python is missing, activate() says so once
on stderr, returns False, and everything else does nothing: the program never fails for want of PInsight.
"""
import os

from . import _extension, _output
from ._region import recordable as _recordable
from ._region import region

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Optional, Union

__version__ = "0.1.0"
__all__ = ["activate", "deactivate", "get_mode", "is_active", "mark", "region", "set_mode"]

_MODES = ("OFF", "STANDBY", "MONITORING", "TRACING")
_DOMAINS = ("python",)


def activate(events: "Union[str, Iterable[str], None]" = None, names: "Optional[str]" = None,
             output: "Union[str, os.PathLike[str], None]" = None, ring: "Optional[str]" = None) -> bool:
    """Starts to trace this process; does nothing where that has been done. Returns whether it is traced now.

    events: which events of Python, as "function,c_call", a list of such words, or "none"; by default what
        $PINSIGHT_EVENTS says, or else all.
    names: "inline" (each event carries its names) or "registry" (each name is recorded once, and events are
        small); by default what $PINSIGHT_NAMES says, or else inline.
    output: the folder into which this process, and its children that are traced, record by themselves; by default
        $PINSIGHT_OUTPUT, or else pinsight-<program>-<pid> where PINSIGHT_RECORDER is file. Under `pinsight run` it is
        the run's. It stays what it was at the first call.
    ring: how much this process, and each child, keeps of its last events, as "64M" or "30s"; by default what
        $PINSIGHT_RING says, or else all. It stays what it was at the first call, too.

    Raises ValueError for a word that is neither.
    """
    extension = _extension.load()
    if extension is None:
        return False
    said = _output.settle(output, extension.recorder(), ring)
    if said and os.environ.get("PINSIGHT_QUIET") != "1":
        _extension.say(said)
    if events is not None and not isinstance(events, str):
        events = ",".join(events)
    extension.activate(events, names)
    return extension.is_active()


def deactivate() -> None:
    """Stops to trace this process. What runs is closed in the trace; activate() starts again."""
    if _extension.extension is not None:
        _extension.extension.deactivate()


def is_active() -> bool:
    """Whether this process is traced, by activate(), by `pinsight run` or by PINSIGHT=1."""
    return _extension.extension is not None and _extension.extension.is_active()


def set_mode(domain: str, mode: str) -> None:
    """Puts a domain, such as "Python", into a mode: "OFF", "STANDBY", "MONITORING" or "TRACING".

    Holds for all threads of this process. In a process that is not traced it does nothing. Where a domain refuses
    the mode (TRACING, when the trace is as large as --max-size lets it be) it stays in the one it is in, which is
    said once on stderr. Raises ValueError for another domain or mode.
    """
    if _extension.extension is not None:
        _extension.extension.set_mode(domain, mode)
    elif mode.upper() not in _MODES:
        raise ValueError("'%s' is not a mode (%s)" % (mode, ", ".join(_MODES)))
    else:
        _check_domain(domain)


def get_mode(domain: str) -> str:
    """The mode that a domain, such as "Python", is in; "OFF" in a process that is not traced."""
    if _extension.extension is not None:
        return _extension.extension.get_mode(domain)
    _check_domain(domain)
    return "OFF"


def _check_domain(domain):
    if domain.lower() not in _DOMAINS:
        raise ValueError("there is no domain '%s' (%s)" % (domain, ", ".join(_DOMAINS)))


def mark(name: str) -> None:
    """Records a point in time with a name of your own."""
    name = _recordable(name)
    if _extension.extension is not None:
        _extension.extension.mark(name)
