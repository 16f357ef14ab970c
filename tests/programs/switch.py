"""Switches tracing on and off in mid-run, in the tracer and in its twin alike."""
import sys


def switch_on():
    if "pinsight_twin" in sys.modules:
        sys.modules["pinsight_twin"].start()
    else:
        sys.modules["pinsight"].set_mode("Python", "TRACING")


def switch_off():
    if "pinsight_twin" in sys.modules:
        sys.modules["pinsight_twin"].stop()
    else:
        sys.modules["pinsight"].set_mode("Python", "OFF")


def switch_adopt():
    """Called by a thread that was there before: a profile function set from Python is per thread."""
    if "pinsight_twin" in sys.modules:
        sys.modules["pinsight_twin"].adopt()


if "pinsight_twin" not in sys.modules:
    import pinsight  # noqa: F401
