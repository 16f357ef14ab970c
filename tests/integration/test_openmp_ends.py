"""OpenMP programs that end abruptly, fork, become others or close what they use, in one traced session.

The program ends as it does without PInsight, and what happened up to there is in the trace.
"""
import collections
import shutil
import subprocess

import pytest

from support import openmp, openmp_trace, places

# Name: (words after the program, exit status).
RUNS = {
    "end_thread_exit": ([], 0), "end_thread_cancel": ([], 0), "end_thread_left": ([], 0), "end_exec": ([], 0),
    "end-exit-0": (["exit", "0"], 3), "end-exit-1": (["exit", "1"], 3), "end-quick_exit": (["quick_exit", "0"], 4),
    "end-abort": (["abort", "1"], 134), "end-kill": (["kill", "1"], 137), "fork_outside": ([], 0),
    "fork_before": ([], 0), "fork_inside": ([], 0), "imbalance": (["2", "20", "10", "sleep"], 0),
}
# What does not come to its end, or has threads that do not.
CUT = {"end_thread_left", "end-exit-0", "end-exit-1", "end-quick_exit", "end-abort", "end-kill", "end_exec",
       "fork_outside"}


def program(label):
    return label.partition("-")[0]


def libraries():
    """Two libraries with the same code, so that the loader may put one where the other was."""
    one = openmp.build_library("called")
    other = one.with_name("libcalled_again.so")
    if not other.exists() or other.stat().st_mtime < one.stat().st_mtime:
        shutil.copy(one, other)
    return one, other


@pytest.fixture
def folder(tmp_path_factory):
    def make(folder):
        built = openmp.build("clang", sorted({program(label) for label in RUNS} | {"closing"}))
        commands = {label: ([], [built / program(label), *words]) for label, (words, _) in RUNS.items()}
        commands["closing"] = ([], [built / "closing", *libraries()])
        commands["stripped"] = ([], [stripped(built / "imbalance", folder / "stripped-program"), "2", "1", "3"])
        return openmp.script(folder, commands)
    return openmp.run_once(tmp_path_factory, "ends", make)


def stripped(path, target):
    shutil.copy(path, target)
    subprocess.run(["strip", str(target)], check=True)
    return target


def process_of(folder, pid):
    return openmp_trace.Process(pid, openmp.recorded_in(folder / "trace")[pid])


def said_by(folder, label):
    return openmp.all_said((folder / (label + ".out")).read_text())


@pytest.mark.parametrize("label", RUNS)
def test_ends_as_without(folder, label):
    assert int((folder / (label + ".rc")).read_text()) == RUNS[label][1]
    errors = (folder / (label + ".err")).read_text()
    assert "pinsight" not in errors
    assert all(said.done for said in said_by(folder, label))


@pytest.mark.parametrize("label", sorted(set(RUNS) - {"end_exec"}))
def test_what_happened_is_there(folder, label):
    for said in said_by(folder, label):
        process = process_of(folder, said.pid)
        begun = process.count("parallel_begin")
        assert begun == said.counts["parallel"] + sum(int(note[0]) for note in said.notes["begun"])
        inside = [(event.vtid, event.fields["omp_thread_num"], event.fields["team_size"])
                  for event in process.of("implicit_task_begin") if event.fields["flags"] & openmp_trace.IMPLICIT_TASK]
        assert not said.members - collections.Counter(inside)
        wrong = process.check(killed=label in CUT)
        assert not wrong, "\n".join(wrong[:20])


def test_what_a_process_becomes(folder):
    """After exec() it is another program, with numbers of its own, in the same process."""
    before, after = said_by(folder, "end_exec")
    assert before.pid == after.pid
    recorded = openmp.recorded_in(folder / "trace")[before.pid]
    starts = [index for index, event in enumerate(recorded)
              if event.name == "thread_begin" and event.fields["global_thread_num"] == 0]
    assert len(starts) == 2
    # Threads of before may have recorded their last at that time; definitions come before what they define.
    explained = [index for index, event in enumerate(recorded) if event.name == "region_info"]
    assert explained
    assert sum(event.name == "parallel_begin" for event in recorded) == 2
    second = openmp_trace.Process(after.pid, recorded[starts[1]:])
    assert second.ends_equal_begins()


def test_forked_children(folder):
    """A child's events are its own, numbered from the beginning, and the parent's are not repeated in it."""
    for label in ("fork_outside", "fork_before"):
        child, parent = said_by(folder, label)
        assert child.pid != parent.pid
        for said in (child, parent):
            process = process_of(folder, said.pid)
            assert process.count("parallel_begin") == process.count("parallel_end") == said.counts["parallel"]


def test_fork_in_a_region(folder):
    """Children that leave at once record nothing."""
    said, = said_by(folder, "fork_inside")
    assert process_of(folder, said.pid).count("parallel_begin") == 2


def test_libraries_that_are_closed(folder):
    """Regions of a library that is closed are the library's, also where another is loaded in its place."""
    assert (folder / "closing.rc").read_text().strip() == "0"
    said, = openmp.all_said((folder / "closing.out").read_text().split("\npid")[0] + "\n")
    paths = libraries()
    opened = [str(paths[int(note[0]) - 1]) for note in said.notes["opened"]]
    assert len(opened) == 6
    pid = int((folder / "closing.out").read_text().split("\npid ")[1].split()[0])
    regions, objects = {}, []
    for event in openmp.recorded_in(folder / "trace")[pid]:
        if event.name == "region_info":
            regions[event.fields["codeptr"]] = event.fields["object"]
        elif event.name == "parallel_begin":
            objects.append(regions[event.fields["parallel_codeptr"]])
    assert objects == [name for name in opened for _ in range(2)]
    process = process_of(folder, pid)
    assert process.count("parallel_end") == 12


def test_no_symbols(folder):
    """Of a program without symbols the place in the file is known."""
    said, = said_by(folder, "stripped")
    process = process_of(folder, said.pid)
    lines = openmp_trace.source_lines(places.BUILD / "openmp-programs" / "clang" / "imbalance",
                                {region["offset"] for region in process.regions.values()})
    for begun in process.of("parallel_begin"):
        region = process.regions[begun.fields["parallel_codeptr"]]
        assert region["object"] == str(folder / "stripped-program")
        assert lines[region["offset"]][1] in said.lines["parallel"]


def test_imbalance(folder):
    """How long each thread worked, from its part's begin to the barrier, is what the program measured."""
    said, = said_by(folder, "imbalance")
    process = process_of(folder, said.pid)
    worked = collections.Counter()
    begun = {}
    for event in process.events:
        number = event.fields.get("omp_thread_num")
        if event.name == "implicit_task_begin":
            begun[event.vtid] = event.ts
        elif event.name == "barrier_implicit_sync_begin":
            worked[number] += event.ts - begun[event.vtid]
    measured = {int(number): float(seconds) for number, _, seconds in said.notes["work"]}
    assert set(measured) == set(worked) == {0, 1}
    for number, seconds in measured.items():
        assert abs(worked[number] / 1e9 / seconds - 1) < 0.05, (worked, measured)
