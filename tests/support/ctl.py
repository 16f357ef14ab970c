"""Programs that `pinsight ctl` finds, and what it says of them."""
import os
import re
import signal
import subprocess

from . import places, world


def ctl(*words, rc=0, command=(places.COMMAND,), **how):
    """Runs `pinsight ctl`; returns stdout where it has to do well, else stderr."""
    done = subprocess.run([*command, "ctl", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=60, **how)
    assert done.returncode == rc, done
    if rc == 0:
        assert done.stderr == ""
        return done.stdout
    return done.stderr


def free_pid():
    done = subprocess.Popen(["true"])
    done.wait()
    return done.pid


def wait_for(what, seconds=20):
    assert world.wait_until(what, seconds)


PROGRAM = """\
import os, sys, threading, time

def f():
    pass

def work():
    for _ in range(100):
        f()

def say(*what):
    os.write(1, (" ".join(map(str, what)) + "\\n").encode())  # whole, beside what other processes say
"""

STEADY = """
say(os.getpid())
while not os.path.exists("stop"):
    work()
    time.sleep(0.002)
say("end")
"""

RANKS = """\
for rank in 0 1 2; do
    OMPI_COMM_WORLD_RANK=$rank "$@" &
done
wait
"""


class Traced:
    """A program under `pinsight run`, in the folder `path`, with its trace in trace/."""

    def __init__(self, path, python, text, options=(), before=(), env=None):
        self.path = path
        (path / "program.py").write_text(PROGRAM + text)
        self.run = subprocess.Popen(
            [places.COMMAND, "run", "-o", "trace", "--no-summary", "-q", *options, "--", *before, python.path, "program.py"],
            cwd=path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            env=dict(os.environ, **(env or {})))
        self.trace = path / "trace"
        self.pids = []

    def __enter__(self):
        return self

    def line(self):
        return self.run.stdout.readline().strip()

    def pid(self):
        """The number that the program prints."""
        self.pids.append(int(self.line()))
        return self.pids[-1]

    def finish(self, rc=0):
        (self.path / "stop").write_text("")
        out, err = self.run.communicate(timeout=60)
        assert self.run.returncode == rc, err
        return out, err

    def __exit__(self, *exception):
        if self.run.poll() is None:
            (self.path / "stop").write_text("")
            for pid in [*self.pids, self.run.pid]:
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
            try:
                self.run.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                for pid in [*self.pids, self.run.pid]:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                self.run.communicate(timeout=20)


def status(what, *options):
    """What status says, as a list with a dictionary for each process; its number is `pid`."""
    found = []
    for line in ctl(what, "status", *options).splitlines():
        head = re.match(r"(\d+)(?:, rank (\d+))?: (.*)", line)
        if head:
            found.append({"pid": int(head[1]), "rank": head[2] and int(head[2]), "command": head[3]})
        else:
            found[-1][line[:18].strip()] = line[18:]
    return found
