"""GCC's OpenMP, seen from before its libgomp: programs that are at its edges.

What each construct records is in test_openmp_programs.py ("gcc"), and which libgomp a call is for in
test_openmp_libgomps.py.
"""
import collections
import shutil
import subprocess

import pytest

from support import openmp, openmp_trace, places, traces
from support.gomp import build, folder, libgomp, openmp_events, regions  # noqa: F401 (fixtures)

EMPTY = r"""
int main(void) {
    for (int i = 0; i < 20; i++)
#pragma omp parallel num_threads(2)
        __asm__ volatile("" ::: "memory");
    return 0;
}
"""


def test_events_of_a_region_are_no_more_than_its_moments(folder, libgomp, run_command):
    """The first thread has four: its part ends with the region. The other one has two; its last part has no end."""
    result = run_command(build(folder, "empty", EMPTY))
    assert result.rc == 0, result.stderr
    counts = collections.defaultdict(collections.Counter)
    for event in openmp_events(result):
        if event.fields.get("parallel_id"):
            counts[event.fields["omp_thread_num"], event.vtid][event.name] += 1
    assert regions(result) == 20
    assert {number: of for (number, _), of in counts.items() if number == 1} == {1: {
        "implicit_task_begin": 1, "implicit_task_next": 19, "barrier_implicit_begin": 20}}
    first = sum((of for (number, _), of in counts.items() if number == 0), collections.Counter())
    assert first == {name: 20 for name in ("parallel_begin", "implicit_task_begin", "barrier_implicit_begin",
                                           "parallel_end")}


SIZES = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
    int all, serial, outer, inner;
#pragma omp parallel
#pragma omp single
    all = omp_get_num_threads();
#pragma omp parallel if (0)
#pragma omp single
    serial = omp_get_num_threads();
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        outer = omp_get_num_threads();
#pragma omp parallel num_threads(2)
#pragma omp single
        inner = omp_get_num_threads();
    }
    printf("%d %d %d %d\n", all, serial, outer, inner);
    return 0;
}
"""


@pytest.mark.parametrize("env", [{"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "2,3", "OMP_MAX_ACTIVE_LEVELS": "2"},
                                 {"OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "64"}, {"OMP_THREAD_LIMIT": "2"}],
                         ids=lambda env: "-".join(env))
def test_teams_are_as_large_as_the_environment_has_them(folder, libgomp, run_command, env):
    """Serial, nested and dynamic teams: the sizes are those that the program is told, and each member has its part."""
    result = run_command(build(folder, "sizes", SIZES), env=env)
    assert result.rc == 0, result.stderr
    teams = collections.defaultdict(list)
    for event in openmp_trace.apart(openmp_events(result)):
        if event.name == "implicit_task_begin" and event.fields["flags"] & openmp_trace.IMPLICIT_TASK:
            teams[event.fields["parallel_id"]].append(event.fields["team_size"])
    assert all(len(sizes) == sizes[0] for sizes in teams.values())
    assert sorted(sizes[0] for sizes in teams.values()) == sorted(map(int, result.stdout.split()))


# As GCC 4.8 compiled them.
OLD = r"""
#include <stdio.h>
#include <stdbool.h>
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);
int omp_get_num_threads(void);
static int members, sum;
static void outlined(void *data) {
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELAXED);
}
static void looped(void *data) {
    long first, last;
    while (GOMP_loop_dynamic_next(&first, &last))
        for (long i = first; i < last; i++)
            __atomic_add_fetch((int *)data, (int)i, __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}
int main(void) {
    for (int turn = 0; turn < 3; turn++) {
        GOMP_parallel_start(outlined, &members, 2);
        outlined(&members);
        GOMP_parallel_end();
    }
    GOMP_parallel_loop_dynamic_start(looped, &sum, 2, 0, 10, 1, 1);
    looped(&sum);
    GOMP_parallel_end();
    printf("%d %d\n", members, sum);
    return 0;
}
"""


def test_regions_of_old_compilers(run_command, folder):
    program = build(folder, "old", OLD)
    result = run_command(program, options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "6 45\n")
    process = openmp_trace.Process(openmp_events(result)[0].vpid, openmp_events(result))
    assert not process.check(idle=True)
    assert regions(result) == 4 and process.count("work_begin") == process.count("work_end") == 2


# A forked child of GCC's OpenMP that goes on with regions (fork_outside) hangs without PInsight, too.
FORKS_AND_ENDS = ["fork_before", "fork_inside", "end_thread_exit", "end_thread_cancel"]


def test_forks_and_threads_that_end(tmp_path_factory):
    """Each process has as many regions as it says, and as many ends as begins."""
    def make(folder):
        built = openmp.build("gcc", FORKS_AND_ENDS)
        return openmp.script(folder, {name: (openmp.environment(name), [built / name]) for name in FORKS_AND_ENDS})
    folder = openmp.run_once(tmp_path_factory, "gomp-ends", make)
    recorded = openmp.recorded_in(folder / "trace")
    for name in FORKS_AND_ENDS:
        for said in openmp.all_said((folder / (name + ".out")).read_text()):
            if said.pid is None:
                continue
            process = openmp_trace.Process(said.pid, recorded[said.pid])
            assert process.count("parallel_begin") == process.count("parallel_end") == said.counts["parallel"], name
            assert not process.check(idle=True, killed=name.startswith("fork")), name


THRICE = r"""
#include <stdio.h>
int main(void) {
    int members = 0;
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
        members++;
    }
    printf("%d\n", members);
    return 0;
}
"""


def test_regions_that_are_counted(run_command, folder):
    """MONITORING counts each thread's parts, the last one of a worker that then waits for ever, too."""
    program = build(folder, "thrice", THRICE)
    result = run_command(program, options=["--domains", "openmp", "--quick"])
    assert (result.rc, result.stdout) == (0, "6\n")
    counted = [(event.fields["part"], event.fields["calls"]) for event in traces.events(result.folder)
               if event.name == "path_profile"]
    assert sorted(counted) == [(0, 3), (1, 3)]


REDUCED = r"""
#include <stdio.h>
int main(void) {
    long sum = 0, members = 0;
    for (int turn = 0; turn < 1030; turn++) {
        if (turn % 100 == 0) {
#pragma omp parallel reduction(task, + : sum) num_threads(2)
#pragma omp task in_reduction(+ : sum)
            sum += 1;
        }
#pragma omp parallel num_threads(2)
#pragma omp atomic
        members++;
    }
    printf("%ld %ld\n", sum, members);
    return 0;
}
"""


def test_regions_that_begin_again_and_again(run_command, folder):
    """Each has a number of its own, and libgomp finds the reductions of tasks in what it gets in place of the data."""
    program = build(folder, "reduced", REDUCED)
    result = run_command(program, options=["--domains", "openmp"], env={"OMP_WAIT_POLICY": "passive"})
    assert (result.rc, result.stdout) == (0, "22 2060\n"), result.stderr
    process = openmp_trace.Process(openmp_events(result)[0].vpid, openmp_events(result))
    assert not process.check(idle=True)
    assert regions(result) == 1041


REDUCED_LOOP = r"""
#include <stdio.h>
int main(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
    for (int turn = 0; turn < 3; turn++)
#pragma omp for reduction(task, + : sum)
        for (int i = 0; i < 8; i++)
#pragma omp task in_reduction(+ : sum)
            sum += 1;
    printf("%ld\n", sum);
    return 0;
}
"""


def test_a_loop_that_reduces_in_tasks_has_its_barriers(run_command, folder):
    """Each loop has two: at its end, and in the call that ends the reduction."""
    result = run_command(build(folder, "reduced_loop", REDUCED_LOOP), options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "24\n"), result.stderr
    recorded = list(openmp_trace.apart(openmp_events(result)))
    assert not openmp_trace.Process(recorded[0].vpid, recorded).check(idle=True)
    workshare = 8
    barriers = [event for event in recorded if event.name == "barrier_implicit_sync_begin" and event.fields["sync_kind"] == workshare]
    assert len(barriers) == 3 * 2 * 2 and len({event.vtid for event in barriers}) == 2


SECTIONS = r"""
int main(void) {
    volatile int done[3] = {0};
    for (int i = 0; i < 5; i++) {
#pragma omp parallel sections num_threads(2)
        {
#pragma omp section
            done[0] = 1;
#pragma omp section
            done[1] = 1;
#pragma omp section
            done[2] = 1;
        }
    }
    return done[0] + done[1] + done[2] == 3 ? 0 : 1;
}
"""


def test_a_region_of_sections_has_its_work(run_command, folder):
    """The call that starts the region has it, and says how many sections there are."""
    result = run_command(build(folder, "sections", SECTIONS), options=["--domains", "openmp"])
    assert result.rc == 0 and regions(result) == 5, result.stderr
    works = [event.fields for event in openmp_events(result) if event.name == "work_begin"]
    assert {(work["work_type"], work["count"]) for work in works} == {(2, 3)} and 5 <= len(works) <= 10


TARGETS = r"""
#include <stdio.h>
int main(void) {
    int at[10] = {0};
#pragma omp target map(tofrom : at)
    at[0] = 1;
#pragma omp target data map(tofrom : at)
    {
#pragma omp target nowait map(tofrom : at)
        at[1] = 2;
#pragma omp taskwait
#pragma omp target update from(at)
    }
#pragma omp target enter data map(to : at)
#pragma omp target exit data map(from : at)
    printf("%d\n", at[0] + at[1]);
    return 0;
}
"""


def test_target_constructs_as_the_host_sees_them(run_command, folder):
    """Two kernels, a region of data with its end, an update, and what is entered and left."""
    program = build(folder, "targets", TARGETS)
    result = run_command(program, options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "3\n"), result.stderr
    kinds = {"target": 1, "enter_data": 2, "exit_data": 3, "update": 4}
    for moment in ("begin", "end"):
        found = collections.Counter(event.fields["target_kind"] for event in openmp_events(result)
                                    if event.name == "target_" + moment)
        assert found == {kinds["target"]: 2, kinds["enter_data"]: 2, kinds["exit_data"]: 2, kinds["update"]: 1}


JUMPS = r"""
#include <omp.h>
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
int main(void) {
    volatile int left = 0;
    for (volatile int turn = 0; turn < 3; turn++)
        if (!setjmp(out)) {
#pragma omp parallel num_threads(1)
            longjmp(out, 1);
        } else {
            left++;
        }
    int members = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    members++;
    printf("%d %d\n", left, members);
    return 0;
}
"""
THROWS = r"""
#include <cstdio>
#include <stdexcept>
int main(int count, char **) {
    int caught = 0;
#pragma omp parallel num_threads(2) reduction(+ : caught)
    {
        try {
            throw std::runtime_error("within");
        } catch (const std::exception &) {
            caught++;
        }
    }
    std::printf("%d\n", caught);
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    if (count > 1)
        throw std::runtime_error("out of it");
    return 0;
}
"""


def test_who_jumps_out_of_a_region(run_command, folder):
    """It is undefined, and what it does without PInsight it does with it."""
    program = build(folder, "jumps", JUMPS)
    plain = subprocess.run([str(program)], stdout=subprocess.PIPE, encoding="utf-8")
    for options in (["--domains", "openmp"], ["--domains", "openmp", "--quick"]):
        result = run_command(program, options=options)
        assert (result.rc, result.stdout) == (plain.returncode, plain.stdout), result.stderr
        assert "pinsight: internal" not in result.stderr


def test_exceptions_in_regions(run_command, folder):
    if not shutil.which("g++"):
        places.missing("g++")
    source = folder / "throws.cc"
    source.write_text(THROWS)
    program = folder / "throws"
    subprocess.run(["g++", "-O1", "-fopenmp", "-o", str(program), str(source)], check=True)
    for words in (["exec \"$0\"", program], ["exec \"$0\" out", program]):
        words = ["sh", "-c", "ulimit -c 0; " + words[0], words[1]]
        plain = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        result = run_command(*words, options=["--domains", "openmp"])
        assert result.stdout == plain.stdout.decode() == "2\n"
        assert result.rc in (plain.returncode, 128 - plain.returncode)
        assert "terminate called" in result.stderr or result.rc == 0


LIBRARY = r"""
void smooth(int n) {
    for (int i = 0; i < n; i++)
#pragma omp parallel num_threads(2)
        __asm__ volatile("" ::: "memory");
}
"""
LOADED = r"""
#include <dlfcn.h>
#include <unistd.h>
int main(void) {
    void (*smooth)(int) = (void (*)(int))dlsym(dlopen("./libsmooth.so", RTLD_NOW), "smooth");
    if (chdir("/") != 0)
        return 1;
    smooth(3);
    return 0;
}
"""


def test_a_library_from_a_relative_path_has_names(run_command, folder):
    """The program has left the folder when the name is looked for."""
    build(folder, "libsmooth.so", LIBRARY, "-shared", "-fPIC")
    result = run_command(build(folder, "loaded", LOADED), cwd=str(folder))
    assert result.rc == 0 and regions(result) == 3, result.stderr
    (info,) = [event.fields for event in openmp_events(result) if event.name == "region_info"]
    assert info["symbol"] == "smooth" and str((folder / "libsmooth.so").resolve()) in info.values(), info
