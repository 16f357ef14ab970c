"""Programs of GCC's OpenMP that tests build, and what their traces have."""
import collections
import subprocess

import pytest

from . import native, openmp_trace, places, traces


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gomp")


@pytest.fixture(scope="module")
def libgomp(folder):
    """The file of the system's libgomp."""
    program = build(folder, "any", "int main(void) { return 0; }\n", "-Wl,--no-as-needed")
    lines = subprocess.run(["ldd", str(program)], stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines()
    found = [line.split()[2] for line in lines if "libgomp" in line]
    if not found:
        places.missing("a compiler whose -fopenmp is libgomp (gcc)")
    return found[0]


def build(folder, name, source, *options):
    return native.build(folder, name, source, "-fopenmp", "-g", *options)


def openmp_events(result):
    return [event for event in traces.events(result.folder) if event.name in openmp_trace.NAMES]


def regions(result):
    """How many regions began and ended, how many threads' parts there were, and how many in teams of each size."""
    counts = collections.Counter(event.name for event in openmp_trace.apart(openmp_events(result)))
    assert counts["parallel_begin"] == counts["parallel_end"]
    return counts["parallel_begin"]


def team_sizes(result):
    """{region's symbol: sizes of its teams}"""
    names = {event.fields["codeptr"]: event.fields["symbol"] for event in openmp_events(result) if event.name == "region_info"}
    sizes = collections.defaultdict(set)
    for event in openmp_trace.apart(openmp_events(result)):
        if event.name == "implicit_task_begin" and event.fields["flags"] & openmp_trace.IMPLICIT_TASK:
            sizes[names[event.fields["parallel_codeptr"]]].add(event.fields["team_size"])
    return dict(sizes)
