"""pytest --pinsight: tests are recorded in one trace, each as a region of its own.

    pytest --pinsight           # records into pinsight-tests-PID, and writes a page beside it
    pytest --pinsight=DIR
    pytest --pinsight --pinsight-against=OLD_DIR --pinsight-fail-above=10

At the end the slowest tests are listed, each with the function that took most of its time. Only the
calls of tests are recorded, not fixtures and not collection. With pytest-xdist all workers record
into the same trace. If this interpreter has no extension, one line reports it, and the tests run
untraced.

pytest finds this plugin if PInsight is installed. Otherwise use `-p pinsight.pytest_plugin`.
"""
import concurrent.futures
import os
import re
import subprocess

import pytest

import pinsight

from . import _locate

SLOWEST = 5
PLACE = re.compile(r"^(.*) \(([^/]*:\d+)\)$", re.S)  # a file of a package has its folders


def pytest_addoption(parser):
    group = parser.getgroup("pinsight", "recording tests with PInsight")
    group.addoption("--pinsight", nargs="?", const="", metavar="DIR",
                    help="record the tests into this folder (default: pinsight-tests-PID), and write a page")
    group.addoption("--pinsight-against", metavar="DIR", help="compare with what an earlier --pinsight recorded")
    group.addoption("--pinsight-fail-above", type=float, metavar="P",
                    help="with --pinsight-against: fail if the tests of both runs take P percent more time")


def pytest_configure(config):
    if config.option.pinsight is None:
        if config.option.pinsight_against is not None or config.option.pinsight_fail_above is not None:
            raise pytest.UsageError("--pinsight-against and --pinsight-fail-above need --pinsight")
        return
    if config.option.pinsight_fail_above is not None and config.option.pinsight_against is None:
        raise pytest.UsageError("--pinsight-fail-above needs --pinsight-against=DIR")
    config.option.pinsight = os.path.abspath(config.option.pinsight or "pinsight-tests-%d" % os.getpid())
    if not hasattr(config, "workerinput") and os.path.isdir(config.option.pinsight) and os.listdir(config.option.pinsight):
        raise pytest.UsageError("--pinsight: %s is there already and not empty; name another folder" % config.option.pinsight)
    if pinsight.activate(output=config.option.pinsight):
        pinsight.set_mode("Python", "STANDBY")
        config.pluginmanager.register(_Recorder(config), "pinsight-recorder")


def _name(nodeid):
    """Returns the name of a test's region. `;` separates frames in the exported stacks."""
    return nodeid.replace(";", ",")


class _Recorder:
    def __init__(self, config):
        self.folder = config.option.pinsight
        self.against, self.above = config.option.pinsight_against, config.option.pinsight_fail_above
        self.is_worker = hasattr(config, "workerinput")
        self.tests, self.lines = set(), []

    # The innermost wrapper: what others do around a test, such as capturing its output, is no part
    # of the test.
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item):
        pinsight.set_mode("Python", "TRACING")
        try:
            with pinsight.region(_name(item.nodeid)):
                yield
        finally:
            pinsight.set_mode("Python", "STANDBY")

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.tests.add(_name(report.nodeid))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        pinsight.deactivate()
        if self.is_worker:
            return
        command = _locate.command()
        if not command:
            self.lines.append("the command pinsight was not found: the trace is in %s" % self.folder)
            return
        totals = self.times(command, self.folder)
        self.lines += self.slowest(command, totals)
        page = self.folder + ".html"
        written = self.ask(command, "export", "--to", "html", "--force", "-q", "-o", page, self.folder)
        self.lines.append("%s; pinsight report %s" % (page, os.path.relpath(self.folder)) if written.returncode in (0, 1)
                          else written.stderr.strip())
        if self.against is not None:
            self.compare(session, command, totals)

    @staticmethod
    def ask(*words):
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="backslashreplace")

    def stacks(self, command, folder, *options):
        """Yields the stacks of each test: the frames from the test on, and their time in ns."""
        for line in self.ask(command, "export", "--to", "folded", "-q", "-o", "-", *options, folder).stdout.splitlines():
            stack, _, ns = line.rpartition(" ")
            frames = stack.split(";")
            test = next((at for at, frame in enumerate(frames) if frame in self.tests), None)
            if test is not None and ns.isdigit():
                yield frames[test:], int(ns)

    def times(self, command, folder):
        """Returns the time of each test in a trace in ns."""
        totals = {}
        for frames, ns in self.stacks(command, folder):
            totals[frames[0]] = totals.get(frames[0], 0) + ns
        return totals

    def most_in(self, command, name):
        """Returns the function that took most of a test, with its calls of libraries and C, and
        this time in ns.
        """
        functions = {}
        # The test alone: of a whole run with many tests, the reader leaves out the deepest stacks.
        for frames, ns in self.stacks(command, self.folder, "--region", name):
            placed = next((frame for frame in reversed(frames[1:]) if PLACE.match(frame)), None)
            if placed and frames[0] == name:
                functions[placed] = functions.get(placed, 0) + ns
        return max(functions.items(), key=lambda item: item[1], default=None)

    def slowest(self, command, totals):
        names = sorted(totals, key=totals.get, reverse=True)[:SLOWEST]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # a thread waits for its reader
            found = list(pool.map(lambda name: self.most_in(command, name), names))
        return ["%8.3f s  %s%s" % (totals[name] / 1e9, name, "" if most is None or not totals[name] else "  %d %% in %s, %s" % (
            (round(100.0 * most[1] / totals[name]),) + PLACE.match(most[0]).groups())) for name, most in zip(names, found)]

    def compare(self, session, command, totals):
        """Compares the tests that both runs have."""
        before = self.times(command, self.against)
        common = [name for name in totals if name in before]
        then, now = sum(before[name] for name in common), sum(totals[name] for name in common)
        if not then:
            self.lines.append("%s has no time of these tests: nothing is compared" % self.against)
            return
        more = 100.0 * (now - then) / then
        self.lines.append("%d test%s: %.3f s, before %.3f s (%+.0f %%); pinsight diff %s %s" % (
            len(common), "" if len(common) == 1 else "s", now / 1e9, then / 1e9, more, self.against, os.path.relpath(self.folder)))
        if self.above is not None and more > self.above:
            worst = max(common, key=lambda name: totals[name] - before[name])
            self.lines.append("that is more than --pinsight-fail-above=%g allows; most by %s: %.3f s, before %.3f s" % (
                self.above, worst, totals[worst] / 1e9, before[worst] / 1e9))
            session.exitstatus = session.exitstatus or 1

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("pinsight: the slowest tests")
        for line in self.lines:
            terminalreporter.write_line(line)
