"""Programs whose comments name what each of their lines calls, operators or properties of NumPy's types, and what a
report says of them."""
import collections
import re

import pytest

from . import places
from .pythons import pythons

TIMES = 20
# Nothing of NumPy's import is recorded: a test is quick.
WITHOUT_IMPORTS = {"PINSIGHT_TRACE_PYTHON": "STANDBY"}

# What is run with the module `program`, as CommentedProgram.start has it. This is as coverage.py does on 3.12 and later,
# and a debugger that steps: events of lines and of each instruction.
LINES = """
sys.monitoring.use_tool_id(1, "lines")
for event in (sys.monitoring.events.LINE, sys.monitoring.events.INSTRUCTION):
    sys.monitoring.register_callback(1, event, lambda *arguments: None)
sys.monitoring.set_events(1, sys.monitoring.events.LINE | %s)
program.main(10)
"""
SWITCHED = """
for mode in ("TRACING", "OFF", "STANDBY", "MONITORING", "TRACING"):
    pinsight.set_mode("Python", mode)
    program.main(10)
"""
FORKS = """
import os, threading
threads = [threading.Thread(target=program.main, args=(5,)) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
child = os.fork()
program.main(5)
if child: os.waitpid(child, 0)
"""
# Behind a function look(): what it finds while calls are recorded, and while they are not.
LOOKED = """
import pinsight
print(look()); pinsight.set_mode("Python", "STANDBY"); print(look())
pinsight.set_mode("Python", "TRACING"); print(look()); pinsight.deactivate(); print(look())
"""


def beside_a_tool_of_lines(test):
    """A test of LINES with `python` and `more`."""
    newer = pytest.mark.parametrize("python", [python for python in pythons() if python.version >= (3, 12)], ids=str)
    more = pytest.mark.parametrize("more", ["0", "sys.monitoring.events.INSTRUCTION"], ids=["lines", "instructions"])
    return newer(more(test))


class CommentedProgram:
    """A program of tests/programs. `comment` is the pattern of a comment, whose group is the names; `call` that of the
    names that count; at least so many lines have such a comment."""

    def __init__(self, name, comment, call, least):
        self.name = name
        self.path = places.PROGRAMS / (name + ".py")
        self.comment = re.compile(comment, re.MULTILINE)
        self.call = call
        self.least = least
        self.start = """
import sys
sys.path.insert(0, %r)
import %s as program, pinsight
pinsight.set_mode("Python", "TRACING")
""" % (str(places.PROGRAMS), name)
        self.main = "program.main(%d)\n" % TIMES
        # Without `pinsight run`.
        self.by_itself = """
import sys
sys.path.insert(0, %r)
import pinsight
pinsight.activate()
import %s as program
program.main(3)
pinsight.deactivate()
""" % (str(places.PROGRAMS), name)

    def expected(self, times=TIMES):
        """{line: {name: count}} by the comments of the program."""
        found = {}
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            match = self.comment.search(line)
            if match:
                names = collections.Counter(match.group(1).split())
                found[number] = {"numpy." + name: count * times for name, count in names.items()}
        assert len(found) > self.least
        return found

    def told(self, report, file=None, types="numpy"):
        """The same by a report, of this file and these types."""
        found = collections.defaultdict(dict)
        for call in report["c_calls"]:
            name = call["name"].replace("numpy.bool_.", "numpy.bool.")  # before NumPy 2
            if (call["caller_file"] or "").endswith(file or self.path.name) and re.match(self.call % types, name):
                found[call["caller_line"]][name] = call["calls"] + call["counted_calls"]
        return dict(found)

    def check_modes(self, result, name, counted):
        """A run of SWITCHED; what has this name is counted so often."""
        report = result.report("--limit", "0")
        assert sum(call["counted_calls"] for call in report["c_calls"] if call["name"] == name) == counted
        # What is counted has no line.
        assert {line: counts for line, counts in self.told(report).items() if line} == self.expected(20)

    def check(self, result, mechanism, unseen):
        """A run of `start` and `main` has each call with its line, and says what records it and what it does not see."""
        report = result.report("--limit", "0")
        assert self.told(report) == self.expected()
        domain, = (domain for domain in report["processes"][0]["domains"] if domain["name"] == "Python")
        assert domain["mechanism"] == mechanism
        missing = report["not_recorded"]
        assert unseen in missing["unseen"]
        assert (missing["lost_frames"], missing["dropped_ends"]) == (0, 1)  # the module's
        for thread in result.trace.threads:
            assert thread.unbalanced() is None
