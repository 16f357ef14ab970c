"""What the definition of a window says, worked out from the oracle's record of a program.

Execution i of a region (from 0, in the whole process) is recorded if i is not below `starts_at`, i - starts_at is a
multiple of `rate`, and fewer than `most` were recorded before it. An execution that pauses is recorded whenever it
goes on, if its start was.
"""
import collections
import json
import os
import subprocess

from . import places

Window = collections.namedtuple("Window", "starts_at rate most", defaults=(0, 1, -1))


def takes(window, execution):
    at = execution - window.starts_at
    if at < 0 or at % window.rate:
        return False
    return window.most < 0 or at // window.rate < window.most


def lines(window):
    return "trace_starts_at = %d\ntracing_rate = %d\nmax_num_traces = %d\n" % window


def run_oracle(python, program, folder, packages=()):
    """The oracle's record of a program in a file: a list of threads."""
    output = folder / "oracle.json"
    path = python.with_packages(*packages) if packages else python.path
    done = subprocess.run([path, str(places.ORACLE), str(output), str(program)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, cwd=folder,
                          env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    assert done.returncode == 0, done.stdout.decode(errors="replace")
    return json.loads(output.read_text(encoding="utf-8", errors="surrogatepass"))["threads"]


class Selector:
    """Follows the executions of a process; `window_of(name)` gives the window of a region, None for none."""

    def __init__(self, window_of, file):
        self.window_of = window_of
        self.file = str(file)
        self.executions = collections.Counter()
        self.recorded = collections.Counter()
        self.taken = {}

    def functions(self, moments):
        """The begins and ends of functions of the file that are recorded, as (kind, name, how)."""
        stack = []
        for moment in moments:
            kind, name, how = moment[:3]
            if kind == "begin":
                file, line, execution = moment[3:]
                mine = file == self.file
                if mine and how == "start":
                    self.taken[execution] = self.start((name, line))
                stack.append(mine and self.taken.get(execution, False))
                if stack[-1]:
                    yield kind, name, how
            elif kind == "end" and stack.pop():
                yield kind, name, how

    def start(self, key):
        window = self.window_of(key[0])
        number = self.executions[key]
        self.executions[key] += 1
        if window is None or not takes(window, number):
            return False
        self.recorded[key] += 1
        return True
