"""PInsight from inside a program: switch tracing on and off, name regions, set marks.

    import pinsight

    pinsight.activate()                # trace from here on
    with pinsight.region("assembly"):  # a span of your own on the timeline
        ...
    pinsight.mark("converged")         # a point of your own on the timeline
    pinsight.mark("residual", 1e-3)    # a value of your own: a counter
    pinsight.deactivate()
    with pinsight.recording():         # these two in one
        ...
    with pinsight.keep_if(seconds=1):  # keep the flight recorder's content if it was slow
        handle(request)

    trace = pinsight.open("pinsight-app-1")   # a trace as tables: see pinsight.data
    trace.functions.to_pandas()

`pinsight run` and `python -m pinsight` trace a program without this package. With
activate(output=DIR) or PINSIGHT_RECORDER=file, a program records itself without either command. If
the recorder is LTTng and no session listens, all functions work and record nothing. If the
extension for this Python is missing, activate() reports it once on stderr and returns False, and
all other functions do nothing. The program never fails because PInsight is missing.
"""
import os

from . import _extension, _output
from ._keep import keep_if, snapshot
from ._region import recordable as _recordable
from ._region import region

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Optional, Union

    from .data import Trace

__version__ = "0.1.0"
__all__ = ["activate", "deactivate", "get_mode", "is_active", "keep_if", "mark", "open", "recording", "region", "set_mode",
           "snapshot"]

_MODES = ("OFF", "STANDBY", "MONITORING", "TRACING")
_DOMAINS = ("python", "user")


def activate(events: "Union[str, Iterable[str], None]" = None, names: "Optional[str]" = None,
             output: "Union[str, os.PathLike[str], None]" = None, ring: "Optional[str]" = None) -> bool:
    """Starts to trace this process, unless it is traced already. Returns whether it is traced now.

    events: the kinds of Python events, as "function,c_call", a list of such words, or "none". The
        default is $PINSIGHT_EVENTS, or else all kinds.
    names: "inline" (each event has its names) or "registry" (each name is recorded once, and events
        are small). The default is $PINSIGHT_NAMES, or else inline.
    output: the folder into which this process and its traced children record. The default is
        $PINSIGHT_OUTPUT, or else pinsight-<program>-<pid> if the recorder is the file recorder.
        Under `pinsight run` it is the run's folder. Only the first call can set it.
    ring: the amount of recent events that this process and each child keep, as "64M" or "30s". The
        default is $PINSIGHT_RING, or else all events. Only the first call can set it.

    Raises ValueError for an unknown word.
    """
    extension = _extension.load()
    if extension is None:
        return False
    message = _output.settle(output, extension.recorder(), ring)
    if message and os.environ.get("PINSIGHT_QUIET") != "1":
        _extension.report(message)
    if events is not None and not isinstance(events, str):
        events = ",".join(events)
    extension.activate(events, names)
    return extension.is_active()


def deactivate() -> None:
    """Stops to trace this process. Open calls are closed in the trace. activate() starts again."""
    if _extension.extension is not None:
        _extension.extension.deactivate()


class recording:
    """Traces a part of the program: activate() at its begin, with these arguments, and deactivate()
    at its end.

    If the process is traced already, the part changes nothing. Parts may be nested.
    """

    def __init__(self, events: "Union[str, Iterable[str], None]" = None, names: "Optional[str]" = None,
                 output: "Union[str, os.PathLike[str], None]" = None, ring: "Optional[str]" = None) -> None:
        self._arguments, self._began = (events, names, output, ring), []

    def __enter__(self) -> "recording":
        self._began.append(not is_active() and activate(*self._arguments))
        return self

    def __exit__(self, *exception) -> None:
        if self._began.pop():
            deactivate()


def is_active() -> bool:
    """Returns whether this process is traced, by activate(), `pinsight run` or PINSIGHT=1."""
    return _extension.extension is not None and _extension.extension.is_active()


def set_mode(domain: str, mode: str) -> None:
    """Sets the mode of a domain, such as "Python": "OFF", "STANDBY", "MONITORING" or "TRACING".

    The mode holds for all threads of this process. In an untraced process the call does nothing. A
    domain can refuse a mode, for example TRACING after the trace has reached --max-size. It then
    stays in its mode, and one message on stderr reports that. Raises ValueError for an unknown
    domain or mode.
    """
    if _extension.extension is not None:
        _extension.extension.set_mode(domain, mode)
    elif mode.upper() not in _MODES:
        raise ValueError("'%s' is not a mode (%s)" % (mode, ", ".join(_MODES)))
    else:
        _check_domain(domain)


def get_mode(domain: str) -> str:
    """Returns the mode of a domain, such as "Python"; "OFF" in an untraced process."""
    if _extension.extension is not None:
        return _extension.extension.get_mode(domain)
    _check_domain(domain)
    return "OFF"


def _check_domain(domain):
    if domain.lower() not in _DOMAINS:
        raise ValueError("there is no domain '%s' (%s)" % (domain, ", ".join(_DOMAINS)))


def mark(name: str, value: "Optional[float]" = None) -> None:
    """Records a point in time with a name of your own; with a value, a point of a counter.

    The values of one name make a counter of the process, which a timeline draws as a curve. Any
    object with __float__ is a value, such as a NumPy scalar.
    """
    name = _recordable(name)
    if value is not None:
        value = float(value)
    if _extension.extension is None:
        return
    if value is None:
        _extension.extension.mark(name)
    else:
        _extension.extension.mark_value(name, value)


def open(trace: "Union[str, os.PathLike[str]]") -> "Trace":  # noqa: A001
    """Opens a trace, the folder that `pinsight run` wrote, as tables: see pinsight.data.Trace."""
    from . import data

    return data.open(trace)


def load_ipython_extension(ipython) -> None:
    """Adds %pinsight and %%pinsight to IPython, at `%load_ext pinsight`."""
    from . import _notebook

    _notebook.load(ipython)
