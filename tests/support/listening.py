"""Programs that use the package `pinsight` with no `pinsight run` around them."""
import os

from . import places
from .traces import Trace


def clean(**more):
    """An environment in which nothing points to PInsight but the recorder that the test asks for."""
    env = {key: value for key, value in os.environ.items()
           if key == "PINSIGHT_RECORDER" or not key.startswith(("PINSIGHT", "PYTHON"))}
    env.update(more)
    return env


class Listening:
    """A session in a world of its own that records every event of PInsight, without `pinsight run`."""

    def __init__(self, world, folder):
        self.world = world
        self.folder = folder
        for words in (["create", "listening", "-o", str(folder)],
                      ["enable-channel", "-u", "events", "--blocking-timeout=inf"],
                      ["enable-event", "-u", "-c", "events", "python_pinsight_lttng_ust:*,pinsight_lttng_ust:*"],
                      ["add-context", "-u", "-c", "events", "-t", "vpid", "-t", "vtid"],
                      ["start"]):
            done = world.run(["lttng", *words])
            assert done.returncode == 0, done.stderr

    def run(self, *argv, env=None, **how):
        """The command's result, with text; PYTHONPATH has the package."""
        how.setdefault("timeout", 60)
        # On a busy machine LTTng would not wait for the daemon that is there, and miss the beginning.
        env = dict({"PYTHONPATH": str(places.PACKAGES), "LTTNG_UST_REGISTER_TIMEOUT": "-1",
                    "PINSIGHT_RECORDER": "lttng"}, **(env or {}))
        done = self.world.run(argv, env=clean(**env), **how)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def trace(self):
        self.world.run(["lttng", "destroy"])
        return Trace(self.folder)
