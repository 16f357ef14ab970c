"""The same small OpenMP programs, as libraries that a Python program calls by ctypes.

What they do is in the trace as it is without Python, and every region that Python's thread starts knows the line.
"""
import collections
import functools

import pytest

from support import openmp, openmp_trace, traces
from test_openmp_programs import PROGRAMS, counted, expected

# A process of its own is what these look at, or their threads outlive the library's user.
NOT_AS_LIBRARY = {"own_threads"}
NAMES = [name for name in PROGRAMS if name not in NOT_AS_LIBRARY]
HOST = openmp.SOURCES / "host.py"
LINE = 1 + next(number for number, line in enumerate(HOST.read_text().splitlines()) if "run_program" in line)


def run_all(tmp_path_factory, python):
    def make(folder):
        openmp.build("clang", ["barrier"])  # says what is missing
        return openmp.script(folder, {
            name: (openmp.environment(name), [python.path, HOST, openmp.build_program_as_library(name)])
            for name in NAMES})
    return openmp.run_once(tmp_path_factory, "ctypes-%d.%d" % tuple(python.version[:2]), make)


@functools.lru_cache(maxsize=None)
def definitions(trace):
    """{pid: [event]} of what explains paths, from one reading of the trace."""
    found = collections.defaultdict(list)
    for event in traces.events(trace):
        if event.name in ("code_info", "path_info"):
            found[event.vpid].append(event)
    return found


def paths_of(trace, pid):
    """{path: (function, file, line, parent)} of a process."""
    codes, paths = {}, {}
    for event in definitions(trace)[pid]:
        if event.name == "code_info":
            codes[event.fields["code"]] = event.fields["qualname"], event.fields["filename"]
        else:
            paths[event.fields["path"]] = (event.fields["code"], event.fields["lineno"], event.fields["parent"])
    return {path: codes[code] + (line, parent) for path, (code, line, parent) in paths.items()}


@pytest.mark.parametrize("name", NAMES)
def test_as_a_library(newest, name, tmp_path_factory):
    folder = run_all(tmp_path_factory, newest)
    assert (folder / (name + ".rc")).read_text().strip() == "0", (folder / (name + ".err")).read_text()
    said = openmp.Said((folder / (name + ".out")).read_text())
    process = openmp_trace.Process(said.pid, openmp.recorded_in(folder / "trace")[said.pid])
    assert said.done
    # When a process ends, libraries that came later end later: threads of a runtime that came after LTTng still wait
    # for work in their last barrier when nothing is recorded any more.
    wrong = process.check(untied=name == "tasks_untied", killed=True)
    assert not wrong, "\n".join(wrong[:20])
    told, excluded = expected(said, "clang")
    found = counted(process, "clang")
    different = {key: (told[key], found[key]) for key in found if key not in excluded and told[key] != found[key]}
    assert not different, "key: (program, trace): %s" % different

    # Python's thread knows its line, the others have none.
    paths = paths_of(folder / "trace", said.pid)
    started = collections.Counter(
        (event.vtid == said.pid, event.fields["py_path"]) for event in process.events if "py_path" in event.fields)
    assert started or not told["parallel"]
    for (is_pythons, path), _ in started.items():
        if not is_pythons:
            assert path == 0
            continue
        function, file, line, parent = paths[path]
        assert (function.rsplit(".", 1)[-1], file, line) == ("start", str(HOST), LINE)
        assert paths[parent][0] == "<module>" and paths[parent][3] == 0
