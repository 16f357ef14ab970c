"""Fixtures of the integration tests, and what the session as a whole has to show.

Everything runs in an LTTng world of its own (tests/isolate): started outside one, pytest starts itself again
inside. A session daemon runs there for the whole session, so that a traced command starts fast.
"""
import collections
import contextlib
import json
import os
import re
import reprlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from support import places  # noqa: E402

# The tests' bytecode is in the build folder. Without it, each worker compiles all tests at its start.
sys.pycache_prefix = str(places.BUILD / "pycache")
sys.dont_write_bytecode = False

from support import decoder, mpi, world  # noqa: E402
from support.daemon import SharedDaemon  # noqa: E402
from support.pythons import Python, every_python, hand_on, pythons as found_pythons  # noqa: E402
from support.traces import Trace  # noqa: E402

DAEMON = pytest.StashKey()
COMPARED = pytest.StashKey()

# What runs within imports is recorded, so that tests may count all of it; those that are about imports take it
# out.
os.environ["PINSIGHT_IMPORT"] = "full"

# A shell without job control ignores these in what it starts in the background, and nohup one of them; every
# program under test would inherit that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


# The session's world.

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if hasattr(config, "workerinput"):
        return
    if os.environ.get("PINSIGHT_ISOLATED"):
        config.pluginmanager.register(DaemonWatch(config))
        return
    if config.option.collectonly or config.option.help:
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture:
        capture.stop_global_capturing()
    isolate = str(places.TESTS / "isolate")
    arguments = config.invocation_params.args
    os.chdir(config.invocation_params.dir)
    hand_on()
    os.execv(isolate, [isolate, sys.executable, "-B", "-m", "pytest", *arguments])


def pytest_sessionstart(session):
    if hasattr(session.config, "workerinput") or session.config.option.collectonly:
        return
    if not os.access(places.COMMAND, os.X_OK):
        pytest.exit("%s is not there; build it first (make build)" % places.COMMAND, 1)
    if session.config.pluginmanager.hasplugin("dsession"):
        hand_on()
    daemon = session.config.stash[DAEMON] = SharedDaemon()
    if not daemon.start():
        pytest.exit("lttng-sessiond does not start", 1)


def pytest_sessionfinish(session):
    daemon = session.config.stash.get(DAEMON, None)
    ended = daemon.end() if daemon else None
    if ended:  # then some test failed without being at fault
        sys.stderr.write("\nthe tests' lttng-sessiond has ended by itself, status %d:\n%s\n" % ended)


class DaemonWatch:
    """Replaces the tests' session daemon when a test has failed because it answers no more: one test fails, not
    all that follow."""

    def __init__(self, config):
        self.config = config

    def pytest_runtest_logreport(self, report):
        daemon = self.config.stash.get(DAEMON, None)
        if report.failed and daemon and not daemon.answers(20):
            print("\nthe tests' lttng-sessiond does not answer, and is replaced:\n%s" % daemon.stacks(), flush=True)
            daemon.replace()


# Which mechanism was covered, at the end.

def pytest_runtest_logreport(report):
    """Says at once what failed, since a run may be cut, and names it in the file that tests/run asks for."""
    if not report.failed or "PYTEST_XDIST_WORKER" in os.environ:
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    reason = crash.message if crash else str(report.longrepr)
    print("\nfailed after %.0f s: %s\n    %s" % (
        report.duration, report.nodeid, "\n    ".join(reason.splitlines()[:6])), flush=True)
    file = os.environ.get("PINSIGHT_TESTS_FAILED")
    if file:
        with open(file, "a", encoding="utf-8") as failed:
            failed.write("tests/%s\n" % report.nodeid)


def pytest_assertrepr_compare(op, left, right):
    """Of long lists that should be equal, the first difference: the difference as a whole takes pytest hours."""
    if op != "==" or not isinstance(left, list) or not isinstance(right, list) or len(left) + len(right) < 1000:
        return None
    at = next((at for at, (one, other) in enumerate(zip(left, right)) if one != other), min(len(left), len(right)))
    return ["lists of %d and %d items are equal up to item %d:" % (len(left), len(right), at),
            *("    %s" % reprlib.repr(items[at:at + 1]) for items in (left, right))]


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    covered = collections.defaultdict(set)
    for report in terminalreporter.stats.get("passed", []):
        for key, value in report.user_properties:
            if key == "traced":
                mechanism, version = value.split("; ")
                covered[mechanism].add(version)
    compared = config.stash.get(COMPARED, {}).get("count")
    if compared:
        terminalreporter.write_line("both decoders gave the same of %d traces" % compared)
    terminalreporter.section("mechanisms covered")
    for mechanism, versions in (("sys.monitoring", "CPython 3.12 and later"),
                                ("profile function", "CPython 3.8 to 3.11")):
        if covered[mechanism]:
            seen = sorted(covered[mechanism], key=lambda text: [int(part) for part in text.split(".")])
            terminalreporter.write_line("%s: %s" % (mechanism, ", ".join(seen)))
        else:
            terminalreporter.write_line("%s: NOT COVERED; no %s here" % (mechanism, versions))


# The parts of the tests.

PARTS = ("quick", "lttng", "pythons", "storm", "wheel", "long")
# Fixtures of worlds in which LTTng's daemons run.
LTTNG_FIXTURES = {"world_with_daemon", "listening"}


def pytest_addoption(parser):
    parser.addoption("--part", choices=PARTS, help="run this part of the tests alone; without it, all but the long ones")
    parser.addoption("--python", action="append", metavar="X.Y",
                     help="run the tests with this Python alone (3.14, 3.13t), or those with none (none); repeatable")


def uses_lttng(item, parameters):
    """By its mark, its fixtures, or a parameter that is LTTng's or has it among its words; names = inline is LTTng's."""
    marker = item.get_closest_marker("recorder")
    words = set()
    for value in parameters.values():
        words.update(value if isinstance(value, (list, tuple)) else [value] if isinstance(value, str) else [])
    return bool(words & {"lttng", "inline", "names=inline"} or LTTNG_FIXTURES & set(item.fixturenames)
                or marker and "lttng" in marker.args and len(marker.args) == 1)


def part_of(item, newest, left):
    """The part that a test belongs to; CONTRIBUTING.md has what each is for."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    for part in ("long", "wheel", "storm", "pythons"):
        if item.get_closest_marker(part):
            return part
    if uses_lttng(item, parameters) and not item.get_closest_marker("smoke"):
        return "lttng"
    python = parameters.get("python") or parameters.get("any_python")
    if not hasattr(python, "version"):  # of a list of none, whose test is skipped
        python = None
    if python and not item.get_closest_marker("every_python") and python.version not in newest or item in left:
        return "pythons"
    return "quick"


def thinned(items, newest):
    """The items that a test with several cases leaves to the part pythons: make test runs each case with the newest Python,
    and every third with the newest of the other mechanism."""
    cases = collections.defaultdict(list)
    for item in items:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        python = next((value for value in values if isinstance(value, Python)), None)
        if python and python.version in newest[:-1] and not item.get_closest_marker("every_python"):
            cases[item.nodeid.split("[")[0], python.version].append(item)
    return {item for found in cases.values() for at, item in enumerate(found) if at % 3}


def python_of(item):
    """The version of the Python that a test's parameters name, or "none"."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    found = next((value.short for value in parameters if isinstance(value, Python)), None)
    return found or next((value for value in parameters if isinstance(value, str)
                          and re.fullmatch(r"3\.\d+t?", value)), "none")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(config, items):
    """Selects the part that is asked for. Of tests marked thrifty, few are run with names = registry. Tests marked
    alone go to one worker, after the others of it, and share its time with nobody's daemons."""
    newest = {python.mechanism: python for python in found_pythons()}.values()
    versions = sorted(python.version for python in newest)
    left = thinned(items, versions)
    wanted = config.option.part

    def is_elsewhere(item):
        part = part_of(item, versions, left)
        return part != wanted if wanted else part == "long" and "::" not in " ".join(config.args)

    def is_left_out(item):
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        return (is_elsewhere(item) or config.option.python and python_of(item) not in config.option.python
                or item.get_closest_marker("thrifty") and parameters.get("names") == "registry" and parameters.get("python") not in newest
                or item.get_closest_marker("needs_gil") and not getattr(parameters.get("python"), "has_gil", True))

    chosen, left_out = [], []
    for item in items:
        (left_out if is_left_out(item) else chosen).append(item)
    items[:] = chosen
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    for item in items:
        if item.get_closest_marker("alone"):
            item.add_marker(pytest.mark.xdist_group("alone"))


# Programs under trace.

Result = collections.namedtuple("Result", "rc stdout stderr folder")


class Traced(Result):
    """What a traced command did; `trace` is read when it is asked for, `report()` is pinsight's own."""

    __slots__ = ()

    @property
    def trace(self):
        return Trace(self.folder)

    def report_text(self, *options):
        done = subprocess.run([places.COMMAND, "report", str(self.folder), *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def report(self, *options):
        done = subprocess.run([places.COMMAND, "report", str(self.folder), "--format", "json", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return json.loads(done.stdout.decode("utf-8", "surrogateescape"))


@pytest.fixture(autouse=True)
def recorder(request, monkeypatch):
    """Which recorder `pinsight run` has where a test does not say it: the file recorder; the one that a test is
    marked with, or each of them; LTTng in a test with names = inline, which LTTng alone records."""
    marker = request.node.get_closest_marker("recorder")
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if marker:
        monkeypatch.setenv("PINSIGHT_RECORDER", getattr(request, "param", marker.args[0]))
    elif parameters.get("names") == "inline":
        monkeypatch.setenv("PINSIGHT_RECORDER", "lttng")


@pytest.fixture(autouse=True)
def before_others(request):
    """A test that measures time has the processors before what else runs on this machine, unless it needs LTTng's
    daemons, which other tests started. Root may do that."""
    node = request.node
    first = (any(node.get_closest_marker(name) for name in ("timed", "alone"))
             and not uses_lttng(node, node.callspec.params if hasattr(node, "callspec") else {}))
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    if first and os.geteuid() == 0:
        with contextlib.suppress(OSError):  # a container may not let it
            os.setpriority(os.PRIO_PROCESS, 0, -20)
    yield
    if os.getpriority(os.PRIO_PROCESS, 0) != usual:
        os.setpriority(os.PRIO_PROCESS, 0, usual)


@pytest.fixture(autouse=True)
def decoders_agree(request, tmp_path_factory):
    """With PINSIGHT_CHECK_DECODER=1: of every trace that a test left, and that is finished, the decoder and babeltrace2 give the same."""
    asked = os.environ.get("PINSIGHT_CHECK_DECODER")
    if asked:
        request.getfixturevalue("tmp_path")  # goes after this fixture
    yield
    if not asked:
        return
    seen = request.config.stash.setdefault(COMPARED, {})
    for folder in tmp_path_factory.getbasetemp().iterdir():
        if folder.is_symlink() or not folder.is_dir():
            continue
        for trace in decoder.traces_in(folder):
            stamp = trace.stat().st_mtime_ns
            if seen.get(trace) == stamp or not decoder.is_finished(trace):
                continue
            seen[trace] = stamp
            different = decoder.difference(trace)
            assert not different, "%s: %s" % (trace, different)
            seen["count"] = seen.get("count", 0) + 1


@pytest.fixture
def script(request, tmp_path):
    """A file with the program WORK of the test's module."""
    file = tmp_path / "work.py"
    file.write_text(request.module.WORK)
    return file


@pytest.fixture
def record(request, tmp_path):
    """record(script) gives a folder with the trace of those events, behind START of the test's module; see
    tests/tools/tracegen.c."""
    tracegen = places.BUILD / "tests" / "tracegen"
    if not tracegen.exists():
        places.missing("tests/tools/tracegen, built")

    def run(script, start=request.module.START):
        (tmp_path / "script").write_text(start + script)
        subprocess.run([str(places.TESTS / "tools" / "record-with"), "--alone", str(tmp_path / "trace"), str(tracegen),
                        "script", str(tmp_path / "script")], check=True)
        return tmp_path
    return run


@pytest.fixture(scope="session")
def pinsight():
    """The path of the pinsight command under test."""
    return places.COMMAND


@pytest.fixture
def run_command(tmp_path):
    """run_command(argv…, options=[…], env={…}) traces any command and gives a Traced."""
    count = [0]

    def run(*argv, options=(), env=None, timeout=120, cwd=None, stdin=subprocess.DEVNULL, input=None):
        count[0] += 1
        folder = tmp_path / ("trace-%d" % count[0])
        words = [places.COMMAND, "run", "-o", str(folder), *options, "--", *[str(word) for word in argv]]
        how = {"input": input} if input is not None else {"stdin": stdin}
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                              env=dict(os.environ, **(env or {})), cwd=cwd or tmp_path, **how)
        return Traced(done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
                      done.stderr.decode("utf-8", "surrogateescape"), folder)
    return run


@pytest.fixture
def run_traced(request, run_command, tmp_path):
    """run_traced(python, program, *options) traces a program; it has to succeed unless rc says otherwise.

    `program` is a path, a name in tests/programs, source text, or a list of words. Keywords: arguments, env, rc (None for
    any), packages (of its virtual environment), file (where source text is put, else it is an argument), and what
    run_command takes.
    """
    def run(python, program, *options, arguments=(), env=None, rc=0, packages=(), file=None, **more):
        if file:
            tmp_path.joinpath(file).write_text(program)
            program = tmp_path / file
        path = python.with_packages(*packages) if packages else python.path
        env = dict({"PYTHONPATH": str(places.PACKAGES)}, **(env or {}))
        result = run_command(path, *program_words(program), *arguments, options=options, env=env, **more)
        assert rc is None or result.rc == rc, result.stderr
        request.node.user_properties.append(
            ("traced", "%s; %s" % (python.mechanism, ".".join(map(str, python.version)))))
        return result
    return run


def program_words(program):
    if isinstance(program, list):
        return program
    program = str(program)
    if os.path.isabs(program):
        return [program]
    if "\n" in program or " " in program:
        return ["-c", program]
    if os.sep not in program:
        program = str(places.PROGRAMS / (program + ".py"))
    return [program]


@pytest.fixture(params=found_pythons() or [None], ids=str)
def python(request):
    """Each Python that an extension was built for, the newest patch of each version."""
    if request.param is None:
        places.missing("a CPython that an extension was built for")
    return request.param


@pytest.fixture(scope="module", params=mpi.flavours(), ids=repr)
def flavour(request):
    """Each flavour of MPI."""
    if not request.param.is_there:
        places.missing("%s with its compiler, and PInsight built with it" % request.param)
    return request.param


@pytest.fixture
def newest():
    """The newest Python that an extension was built for."""
    if not found_pythons():
        places.missing("a CPython that an extension was built for")
    return found_pythons()[-1]


@pytest.fixture
def both_mechanisms():
    """Two Pythons, the newest of each mechanism that is here."""
    newest = {python.mechanism: python for python in found_pythons()}
    return list(newest.values())


def pytest_generate_tests(metafunc):
    """`one_of_each` runs a test once for each mechanism, `any_python` once for every interpreter found; a test that
    is marked with several recorders runs with each."""
    marker = metafunc.definition.get_closest_marker("recorder")
    if marker and len(marker.args) > 1:
        metafunc.parametrize("recorder", marker.args, indirect=True)
    if "one_of_each" in metafunc.fixturenames:
        newest = {python.mechanism: python for python in found_pythons()}
        metafunc.parametrize("one_of_each", list(newest.values()), ids=str)
    if "any_python" in metafunc.fixturenames:
        metafunc.parametrize("any_python", every_python(), ids=lambda python: python.base)


@pytest.fixture
def own_world():
    """An LTTng world in which no session daemon runs."""
    with world.World() as made:
        yield made


@pytest.fixture
def world_with_daemon():
    """An LTTng world with a session daemon of its own, to be killed at will."""
    with world.World(daemon=True) as made:
        yield made
