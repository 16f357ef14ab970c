"""A traced program that runs while its configuration is edited and SIGUSR1 is sent."""
import os
import re
import signal
import subprocess
import sys
import time

from . import places
from .world import kill, wait_until

# The first lines of each such program: it goes on until the file `stop` appears, looked for rarely.
HEAD = """
import math, mmap, os, sys, threading, time, ctypes
HERE = os.path.dirname(os.path.abspath(__file__))
END = time.time() + float(os.environ.get("LONGEST", "100"))
SPIN = int(os.environ.get("SPIN", "4000"))
REST = float(os.environ.get("REST", "0"))  # seconds that a turn waits, in place of computing
with open(os.path.join(HERE, "turns"), "r+b") as file:
    TURNS = memoryview(mmap.mmap(file.fileno(), 8)).cast("Q")
def work(n):
    return n
def other(n):
    return math.hypot(n, 4)
def ended():
    return os.path.exists(os.path.join(HERE, "stop")) or time.time() > END
def turn():
    TURNS[0] += 1
    for _ in range(20):
        work(1)
        other(2)
        for number in range(0 if REST else SPIN):
            number * 2
    if REST:
        time.sleep(REST)
def ready():
    with open(os.path.join(HERE, "pid.new"), "w") as file:
        file.write(str(os.getpid()))
    os.rename(os.path.join(HERE, "pid.new"), os.path.join(HERE, "pid"))
"""


class Running:
    def __init__(self, python, folder, text, config, options=(), env=None, packages=()):
        self.folder = folder
        self.config = folder / "live.ini"
        self.output = folder / "trace"
        self.asked = []  # ns since the epoch, as the times of events are: when each reload was asked for
        self.config.write_text(config)
        program = folder / "live.py"
        program.write_text(HEAD + text)
        (folder / "turns").write_bytes(bytes(8))
        path = python.with_packages(*packages) if packages else python.path
        self.process = subprocess.Popen(
            [places.COMMAND, "run", "-o", str(self.output), "-c", str(self.config), "--lossless", "--no-summary",
             *options, "--", path, str(program)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=str(folder),
            env=dict(os.environ, **dict({"PYTHONPATH": str(places.PACKAGES)}, **(env or {}))))
        assert wait_until(lambda: (folder / "pid").exists() or self.process.poll() is not None, 60)
        if self.process.poll() is not None:
            raise AssertionError(self.process.stderr.read().decode(errors="replace"))
        self.pid = int((folder / "pid").read_text())

    def write(self, config):
        new = self.config.with_suffix(".new")
        new.write_text(config)
        os.replace(str(new), str(self.config))

    def reload(self, config=None):
        if config is not None:
            self.write(config)
        self.asked.append(time.time_ns())
        os.kill(self.pid, signal.SIGUSR1)

    def generation(self):
        """The number of the configuration in force."""
        done = subprocess.run([places.COMMAND, "ctl", str(self.pid), "status"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        found = re.search(rb"generation\D*(\d+)", done.stdout)
        assert found, done
        return int(found.group(1))

    def reload_and_wait(self, config):
        """Returns when the configuration was read, however busy the machine is."""
        before = self.generation()
        self.reload(config)
        assert wait_until(lambda: self.generation() != before, 60, 0.01)

    def turns(self):
        return int.from_bytes((self.folder / "turns").read_bytes(), sys.byteorder)

    def go_on(self, seconds, turns=4):
        """Waits for these seconds, and then for so many turns, however busy the machine is."""
        time.sleep(seconds)
        first = self.turns()
        assert wait_until(lambda: self.turns() >= first + turns or self.process.poll() is not None, 60, 0.005)
        time.sleep(0.07)

    def end(self, rc=0, timeout=120):
        """Lets the program end; gives (stdout, stderr)."""
        (self.folder / "stop").write_text("")
        out, err = self.process.communicate(timeout=timeout)
        assert rc is None or self.process.returncode == rc, err.decode(errors="replace")
        err = "".join(line for line in err.decode(errors="replace").splitlines(True)
                      if not line.startswith("pinsight: the trace is in"))
        return out.decode(errors="replace"), err

    def clean(self):
        """After a test that failed: nothing is left running."""
        if self.process.poll() is None:
            kill(self.pid)
            try:
                self.process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.communicate()
