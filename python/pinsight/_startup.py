"""Imported by pinsight.pth when a Python starts with PINSIGHT=1: traces the program without a change to it.

Under `pinsight run` the preloaded library does that, a moment later; then there is nothing to do here.
"""
from . import _locate


def start() -> None:
    if _locate.preloaded() or not _locate.python_wanted():
        return
    from . import _extension, activate

    try:
        activate()
    except ValueError as problem:  # a word in the environment
        _extension.say("%s ($PINSIGHT_EVENTS, $PINSIGHT_NAMES); the program runs untraced" % problem)


start()
