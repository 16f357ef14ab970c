"""The link from native work to Python: the call path that native code is given, beside what Python itself says."""
import json
import subprocess

import pytest

from support import places
from support.traces import events

LONGEST = 2000  # bytes of a name in a trace


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The native code that asks, a library for ctypes."""
    path = tmp_path_factory.mktemp("where") / "where.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, places.PROGRAMS / "where.c", "-ldl", "-lpthread"],
                   check=True)
    return path


@pytest.fixture
def asked(run_traced, library, tmp_path):
    """asked(python, *situations, options=…) gives what paths.py wrote, and the call paths of the trace."""
    def run(python, *situations, options=("--mode", "OFF"), **more):
        result = tmp_path / ("result-%d" % len(list(tmp_path.iterdir())))
        traced = run_traced(python, "paths", *options, arguments=(library, result, *situations), **more)
        said = [json.loads(line) for line in result.read_text().splitlines()]
        return said, Paths(traced.folder)
    return run


def cut(text):
    """A name as a trace has it."""
    return text.encode("utf-8", "backslashreplace")[:LONGEST].decode("utf-8", "ignore")


class Paths:
    """The call paths of a trace, put together from their definitions."""

    def __init__(self, folder):
        self.nodes, self.codes = {}, {}
        self.order = []  # (process, kind, number)
        for event in events(folder):
            if event.name == "path_info":
                key, node = (event.vpid, event.fields["path"]), event.fields
                assert self.nodes.get(key, node) == node, "another path has that number"
                self.nodes[key] = node
                self.order.append((event.vpid, "path", node["path"]))
            elif event.name == "code_info":
                key = (event.vpid, event.fields["code"])
                known = self.codes.setdefault(key, event.fields)
                assert {**known, "module": 0} == {**event.fields, "module": 0}, "another function has that number"
                self.order.append((event.vpid, "code", event.fields["code"]))

    def stack(self, process, path):
        """The frames, outermost first, as paths.py writes them."""
        frames = []
        while path:
            node = self.nodes[process, path]
            assert node["parent"] < path
            code = self.codes[process, node["code"]]
            frames.append([code["qualname"], code["filename"], code["lineno"], node["lineno"]])
            path = node["parent"]
        return frames[::-1]


def check(said, paths):
    """Every number stands for the frames that Python saw, and equal frames for the same number."""
    assert said
    numbers = {}
    for process, path, frames in said:
        assert path, frames
        wanted = [[cut(name), cut(file), first, line] for name, file, first, line in frames]
        key = (process, json.dumps(wanted))
        if numbers.setdefault(key, path) != path:
            # Two code objects that are alive may be equal to a reader, and are not the same.
            assert paths.stack(process, path) == wanted
        elif paths.stack(process, path) != wanted:
            assert paths.stack(process, path) == wanted


@pytest.mark.spread
def test_every_path_is_the_one_that_python_says(asked, python):
    said, paths = asked(python)
    check(said, paths)
    assert len(said) > 2000
    pairs = [(node["parent"], node["code"], node["lineno"]) for node in paths.nodes.values()]
    processes = len({process for process, _ in paths.nodes})
    assert len(pairs) == len(paths.nodes) and processes >= 5


@pytest.mark.spread
@pytest.mark.parametrize("options", [("--mode", "STANDBY"), ("--mode", "MONITORING"), ("--events", "none"),
                                     ("--events", "function,c_call,import", "--names", "registry")], ids=" ".join)
def test_events_of_python_make_no_difference(asked, one_of_each, options):
    situations = ("simple", "generators", "c_calls_python", "executed", "threads", "forks")
    said, paths = asked(one_of_each, *situations, options=options)
    check(said, paths)


def test_a_definition_stands_once(asked, newest):
    said, paths = asked(newest, "simple", "recursive", "generators")
    assert len(set(paths.order)) == len(paths.order)
    check(said, paths)
