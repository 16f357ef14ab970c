"""GCC's programs while LLVM's OpenMP stands in for their own: they do what they do without PInsight, and the trace tells
what they did.
"""
import os
import shutil
import subprocess

import pytest

from support import native, openmp_trace, places, traces


@pytest.fixture
def run_command(run_command):
    """LLVM's OpenMP in the place of GCC's is a request."""
    def run(*words, options=(), **more):
        if "--libomp" not in options:
            options = ["--libomp", "auto", *options]
        return run_command(*words, options=options, **more)
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    native.libomp()
    return tmp_path_factory.mktemp("gcc")


def build(folder, name, source, *options):
    path = native.build(folder, name, source, "-fopenmp", "-g", *options)
    if "libgomp" not in subprocess.run(["ldd", str(path)], stdout=subprocess.PIPE, encoding="utf-8").stdout:
        places.missing("a compiler whose -fopenmp is libgomp (gcc)")
    return path


SINGLE = r"""
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int n = 0;
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp single
            {
                n++;
                usleep(20000);
            }
#pragma omp single nowait
            n++;
        }
    }
    printf("%d\n", n);
    return 0;
}
"""


def test_a_single_ends_with_what_comes_next(run_command, folder):
    """libomp tells where a single construct of GCC's begins and not where it ends."""
    result = run_command(build(folder, "single", SINGLE), options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "6\n")
    assert "Nothing was lost" in result.stderr, result.stderr
    events = [event for event in traces.events(result.folder) if event.name in openmp_trace.NAMES]
    assert not openmp_trace.Process(events[0].vpid, events).check()
    assert sum(event.name == "work_end" and event.fields["work_type"] == 3 for event in events) == 6
    # Who was in the construct has worked, and who was not has waited for it.
    row = [line.split() for line in result.stderr.splitlines() if "single.c:" in line][0]
    assert "-" not in row, row


DETACHED = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
    int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
        {
            done = 1;
            omp_fulfill_event(event);
        }
#pragma omp taskwait
    }
    printf("%d\n", done);
    return 0;
}
"""
TEAMS = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
    omp_set_num_teams(1);
    omp_set_teams_thread_limit(1);
    int threads = 0;
#pragma omp teams
#pragma omp parallel
#pragma omp atomic
    threads++;
    printf("%d\n", threads);
    return 0;
}
"""
SCAN = r"""
#include <stdio.h>
int main(void) {
    int sum = 0, at[100];
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < 100; i++) {
        sum += i;
#pragma omp scan inclusive(sum)
        at[i] = sum;
    }
    printf("%d %d\n", sum, at[50]);
    return 0;
}
"""
LAST = r"""
#include <stdio.h>
int last;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp sections lastprivate(conditional : last)
    {
#pragma omp section
        last = 1;
#pragma omp section
        last = 2;
    }
    printf("%d\n", last);
    return 0;
}
"""


@pytest.mark.parametrize("name, source, prints, symbol", [
    ("detached", DETACHED, "1\n", "omp_fulfill_event@OMP_5.0.1"),
    ("teams", TEAMS, "1\n", "@OMP_5.1"),
    ("scan", SCAN, "4950 1275\n", "GOMP_loop_start@GOMP_5.0"),
    ("last", LAST, "2\n", "GOMP_sections2_start@GOMP_5.0"),
])
def test_what_libomp_does_not_serve_keeps_libgomp(run_command, folder, name, source, prints, symbol):
    """libomp has these names in another version, so the program would get half of each runtime; or it aborts."""
    result = run_command(build(folder, name, source))
    assert (result.rc, result.stdout) == (0, prints), result.stderr
    said = [line for line in result.stderr.splitlines() if line.startswith("pinsight: the OpenMP of ")]
    assert len(said) == 1 and symbol in said[0] and "--libomp PATH" in said[0]
    assert symbol in result.stderr.replace(said[0], ""), "not in the summary"


def test_what_libomp_lacks_is_not_forced(run_command, folder):
    result = run_command(build(folder, "detached", DETACHED), options=["--libomp", native.libomp()])
    assert (result.rc, result.stdout) == (2, "") and "omp_fulfill_event@OMP_5.0.1" in result.stderr


def test_libomp_aborts(run_command, folder):
    """Whoever names a libomp gets it, and is told what may be wrong."""
    result = run_command("sh", "-c", 'ulimit -c 0; exec "$0"', build(folder, "scan", SCAN),
                         options=["--libomp", native.libomp()])
    assert result.rc == 128 + 6 or result.rc == -6
    said = [line for line in result.stderr.splitlines() if line.startswith("pinsight: ") and "SIGABRT" in line]
    assert len(said) == 1 and "--libomp no" in said[0]


SCHEDULE = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
static void *show(void *where) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    printf("%s: %d %d\n", (const char *)where, (int)kind, chunk);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_get_schedule(&kind, &chunk);
        printf("%s, in a region: %d %d\n", (const char *)where, (int)kind, chunk);
    }
    return NULL;
}
int main(int count, char **arguments) {
    pthread_t thread;
    show("main");
    pthread_create(&thread, NULL, show, "thread");
    pthread_join(thread, NULL);
    printf("variable: %s\n", getenv("OMP_SCHEDULE") ? getenv("OMP_SCHEDULE") : "none");
    fflush(stdout);
    return count > 1 ? system(arguments[1]) : 0;
}
"""


@pytest.mark.parametrize("schedule", [None, "guided,4"])
def test_schedule_runtime_is_that_of_libgomp(run_command, folder, schedule):
    """libgomp's default is dynamic,1, and libomp's is static; neither the program nor its children see how it is set."""
    program = build(folder, "schedule", SCHEDULE, "-pthread")
    env = {"OMP_SCHEDULE": schedule} if schedule else {}
    for words in ([program], [program, "printenv OMP_SCHEDULE || echo not set"]):
        plain = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, env=dict(os.environ, **env))
        traced = run_command(*words, env=env, options=["--domains", "openmp"])
        assert traced.rc == plain.returncode == 0
        assert traced.stdout == plain.stdout.decode()
        assert "in place of libgomp" in traced.stderr and " in 2 regions" in traced.stderr


def test_schedule_runtime_of_llvm_stays(run_command, folder):
    """A program of clang's, also as the child of one of GCC's, has LLVM's default."""
    if not shutil.which("clang"):
        places.missing("clang")
    gcc = build(folder, "schedule", SCHEDULE, "-pthread")
    own = folder / "schedule-clang"
    subprocess.run(["clang", "-fopenmp", "-pthread", "-o", str(own), str(folder / "schedule.c")], check=True)
    plain = subprocess.run([str(gcc), str(own)], stdout=subprocess.PIPE).stdout.decode()
    assert "main: 2 1" in plain and "main: 1 0" in plain
    traced = run_command(gcc, own, options=["--no-summary"])
    assert traced.rc == 0 and traced.stdout == plain


def test_schedule_of_a_run_within_a_run(run_command, folder):
    program = build(folder, "schedule", SCHEDULE, "-pthread")
    plain = subprocess.run([str(program)], stdout=subprocess.PIPE).stdout.decode()
    traced = run_command(places.COMMAND, "run", "-q", "--no-summary", "-o", "inner", "--libomp", "auto", "--", program,
                         options=["-q", "--libomp", native.libomp()])
    assert traced.rc == 0 and traced.stdout == plain
    # A libomp that the user preloads is the user's choice, with its own default.
    own = run_command(program, env={"LD_PRELOAD": native.libomp()}, options=["-q"])
    assert "main: 1 0" in own.stdout
