"""Traces a program without a change to it: pinsight.pth imports this if PINSIGHT=1 is set.

Under `pinsight run`, the preloaded library starts tracing a moment later, and this does nothing.
"""
from . import _locate


def start() -> None:
    if _locate.preloaded() or not _locate.python_wanted():
        return
    from . import _extension, activate

    try:
        activate()
    except ValueError as problem:  # a word in the environment
        _extension.report("%s ($PINSIGHT_EVENTS, $PINSIGHT_NAMES); the program runs untraced" % problem)


start()
