"""Switches tracing on and off in mid-run, in the tracer and in its oracle alike."""
import sys


def switch_on():
    if "pinsight_oracle" in sys.modules:
        sys.modules["pinsight_oracle"].start()
    else:
        sys.modules["pinsight"].set_mode("Python", "TRACING")


def switch_off():
    if "pinsight_oracle" in sys.modules:
        sys.modules["pinsight_oracle"].stop()
    else:
        sys.modules["pinsight"].set_mode("Python", "OFF")


def switch_adopt():
    """Called by a thread that was there before: a profile function set from Python is per thread."""
    if "pinsight_oracle" in sys.modules:
        sys.modules["pinsight_oracle"].adopt()


if "pinsight_oracle" not in sys.modules:
    import pinsight  # noqa: F401
