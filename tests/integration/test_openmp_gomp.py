"""GCC's OpenMP, seen from before its libgomp: which libgomp a call is for, and programs that are at its edges.

What each construct records is in test_openmp_programs.py ("gcc").
"""
import collections
import os
import re
import shutil
import subprocess

import pytest

from support import native, openmp, openmp_trace, places, traces


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


def team_sizes(result):
    """{region's symbol: sizes of its teams}"""
    names = {event.fields["codeptr"]: event.fields["symbol"] for event in openmp_events(result) if event.name == "region_info"}
    sizes = collections.defaultdict(set)
    for event in openmp_trace.apart(openmp_events(result)):
        if event.name == "implicit_task_begin" and event.fields["flags"] & openmp_trace.IMPLICIT_TASK:
            sizes[names[event.fields["parallel_codeptr"]]].add(event.fields["team_size"])
    return dict(sizes)


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


def test_the_table_has_every_function(libgomp):
    """What a newer libgomp has beyond the table goes past PInsight; what is here is in it."""
    table = (places.ROOT / "src" / "tracer" / "openmp" / "gomp_functions.def").read_text()
    known = re.findall(r"(?m)^(?:OUTLINED|CALL|WATCHED|PASSED)\((GOMP_\w+)\)", table)
    assert len(known) == len(set(known))
    there = subprocess.run(["nm", "-D", "--defined-only", libgomp], stdout=subprocess.PIPE, encoding="utf-8").stdout
    names = {name for name in re.findall(r" [TtiW] (GOMP_\w+)", there) if not name.startswith("GOMP_PLUGIN_")}
    assert names <= set(known)


# A library whose libgomp is to make teams of `size` threads, and no other.
CARRIED = r"""
#include <omp.h>
#include <stdio.h>
void prepare_%(name)s(int size) { omp_set_num_threads(size); }
int work_%(name)s(void) {
    int members = 0;
#pragma omp parallel
#pragma omp atomic
    members++;
    return members;
}
"""
PYTHON = """
import ctypes, os, sys
libraries = {}
for word in sys.argv[1:]:
    name, flags = word.split("=")
    libraries[name] = ctypes.CDLL(os.path.join(%r, name + ".so"), mode=getattr(os, flags) | os.RTLD_NOW)
for size, (name, library) in enumerate(libraries.items(), 2):
    getattr(library, "prepare_" + name)(size)
def first_caller():
    return [getattr(library, "work_" + name)() for name, library in libraries.items()]
print(first_caller(), first_caller())
"""


@pytest.fixture(scope="module")
def carried(folder, libgomp):
    """Libraries that each have a libgomp of their own, under names of their own as in wheels; gives their folder."""
    place = folder / "carried"
    place.mkdir()
    with open(libgomp, "rb") as file:
        content = file.read()
    for number, name in enumerate(("one", "two", "three")):
        own = "libgom%d.so.1" % number
        (place / own).write_bytes(content.replace(b"libgomp.so.1\0", own.encode() + b"\0"))
        build(place, name + ".so", CARRIED % {"name": name}, "-L%s" % place, "-l:" + own, "-Wl,-rpath,$ORIGIN",
              "-Wl,--as-needed")
        needed = subprocess.run(["readelf", "-d", str(place / (name + ".so"))], stdout=subprocess.PIPE,
                                encoding="utf-8").stdout
        assert own in needed and "libgomp" not in needed
    return place


@pytest.fixture
def python(newest, carried, tmp_path, run_command):
    """python(word…) runs PYTHON traced with the libraries, each NAME=RTLD_FLAGS; gives what it did and printed."""
    file = tmp_path / "program.py"
    file.write_text(PYTHON % str(carried))

    def run(*words, options=(), **more):
        plain = subprocess.run([newest.path, str(file), *words], stdout=subprocess.PIPE, encoding="utf-8")
        result = run_command(newest.path, file, *words, options=["--events", "function", *options], **more)
        assert (result.rc, result.stdout) == (plain.returncode, plain.stdout), result.stderr
        return result
    return run


def test_each_caller_has_its_own_libgomp(python):
    """Three libraries with three libgomps, each of which was told another number of threads."""
    result = python("one=RTLD_LOCAL", "two=RTLD_LOCAL", "three=RTLD_LOCAL")
    assert result.stdout == "[2, 3, 4] [2, 3, 4]\n"
    assert team_sizes(result) == {"work_one": {2}, "work_two": {3}, "work_three": {4}}
    assert regions(result) == 6 and "Nothing was lost" in result.stderr
    rows = result.report("--openmp")["regions"]
    assert {row["python_function"].rpartition(".")[2] for row in rows} <= {"first_caller", "<listcomp>"}
    lines = {row["python_line"] for row in rows}
    assert lines == {[number for number, line in enumerate(PYTHON.splitlines(), 1) if "return [" in line][0]}


def test_one_that_is_opened_for_all_is_everybodys(python):
    """libgomp in the global scope is found first by what comes later, as without PInsight."""
    result = python("two=RTLD_GLOBAL", "one=RTLD_LOCAL")
    assert regions(result) == 4
    assert team_sizes(result) == {"work_two": {3}, "work_one": {3}}


def test_its_own_names_first(python):
    """RTLD_DEEPBIND leads past whatever is preloaded: the program does what it does without, and is not recorded."""
    result = python("one=RTLD_DEEPBIND", "two=RTLD_LOCAL")
    assert result.stdout == "[2, 3] [2, 3]\n"
    assert team_sizes(result) == {"work_two": {3}}


def test_off_leads_to_libgomp(python, tmp_path):
    (tmp_path / "off.ini").write_text("[OpenMP]\ntrace_mode = STANDBY\n")
    result = python("one=RTLD_LOCAL", "two=RTLD_LOCAL", options=["-c", "off.ini"])
    assert not openmp_events(result)


CLOSES = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **names) {
    for (int turn = 0; turn < 4; turn++) {
        const char *name = names[1 + turn % (count - 1)];
        char function[64];
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        snprintf(function, sizeof(function), "work_%s", turn % (count - 1) ? "two" : "one");
        int (*work)(void) = library ? (int (*)(void))dlsym(library, function) : NULL;
        if (!work)
            return 1;
        printf("%d\n", work());
        if (dlclose(library) != 0)
            return 1;
    }
    return 0;
}
"""


def test_a_libgomp_that_is_closed(run_command, folder, carried):
    """What comes to the addresses of a library that is gone is looked up again."""
    program = native.build(folder, "closes", CLOSES, "-ldl")
    words = [program, carried / "one.so", carried / "two.so"]
    env = {"OMP_NUM_THREADS": "1"}  # libgomp's threads would be left without their code
    plain = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, env=dict(os.environ, **env))
    assert plain.returncode == 0
    result = run_command(*words, env=env, options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, plain.stdout.decode())
    assert regions(result) == 4


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


BOTH = r"""
#include <stdio.h>
int work_llvm(void);
int main(void) {
    int members = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    members++;
    printf("%d\n", members + work_llvm());
    return 0;
}
"""


def test_both_runtimes_at_once(run_command, folder):
    """A program of GCC's with a library of clang's: OMPT tells of the one, and the other is seen from before it."""
    if not shutil.which("clang"):
        places.missing("clang")
    openmp.libomp()
    source = CARRIED % {"name": "llvm"}
    subprocess.run(["clang", "-fopenmp", "-g", "-shared", "-fPIC", "-x", "c", "-o", str(folder / "libllvm-part.so"), "-"],
                   input=source.encode(), check=True)
    both = build(folder, "both", BOTH, "-L%s" % folder, "-lllvm-part", "-Wl,-rpath," + str(folder))
    result = run_command(both, options=["--domains", "openmp"], env={"OMP_NUM_THREADS": "3"})
    assert (result.rc, result.stdout) == (0, "5\n"), result.stderr
    assert regions(result) == 2 and sorted(map(sorted, team_sizes(result).values())) == [[2], [3]]


def test_llvm_with_libgomps_names_is_recorded_once(run_command, folder):
    """The user preloads LLVM's runtime, which has libgomp's entry points, and tells of what they do."""
    program = native.build(folder, "program", native.PROGRAM, "-fopenmp", "-ldl")
    result = run_command(program, options=["--domains", "openmp"], env={"LD_PRELOAD": openmp.libomp()})
    assert result.rc == 0 and "sum 499500" in result.stdout
    assert regions(result) == 1


OWN = r"""
#include <stdio.h>
int calls;
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    calls += threads == 2 && !flags;
    function(data);
}
int main(void) {
    int members = 0;
#pragma omp parallel num_threads(2)
    members++;
    printf("%d %d\n", members, calls);
    return 0;
}
"""


def test_a_program_with_a_function_of_its_own(run_command, folder):
    program = build(folder, "own", OWN, "-rdynamic")
    result = run_command(program, options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "1 1\n")
    assert not openmp_events(result)


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


# A libgomp of the future, as far as the program needs it: teams have one thread.
FUTURE = r"""
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    if (threads && !flags)
        function(data);
}
int omp_get_max_threads(void) { return 1; }
int GOMP_from_the_future(int value) { return value + 1; }
int GOMP_nobody_calls(void) { return 1; }
"""
CALLS_FUTURE = r"""
#include <stdio.h>
int GOMP_from_the_future(int value);
int main(void) {
    int sum = 0;
    for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
        sum++;
        sum = GOMP_from_the_future(sum);
    }
    printf("%d\n", sum);
    return 0;
}
"""


@pytest.mark.parametrize("binding", ["lazy", "now"])
def test_a_function_that_is_newer_than_the_table(run_command, folder, binding):
    """It is passed through, counted from the first region on, and named among what is not recorded."""
    place = folder / ("future-" + binding)
    native.build(place, "libgomp.so.1", FUTURE, "-Wl,-soname,libgomp.so.1")
    program = build(place, "program", CALLS_FUTURE, str(place / "libgomp.so.1"), "-Wl,-z," + binding,
                    "-Wl,-rpath," + str(place))
    result = run_command(program, options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "6\n"), result.stderr
    said = [line for line in result.stderr.splitlines() if line.startswith("pinsight: GCC's OpenMP here is newer")]
    assert len(said) == 1 and "GOMP_from_the_future (3 calls)" in said[0]
    assert "GOMP_nobody_calls" not in result.stderr
    summary = " ".join(result.stderr.replace(said[0], "").split())
    assert "GOMP_from_the_future (3 calls)" in summary and " in 3 regions" in summary


def test_a_static_libgomp(run_command, folder):
    """It is out of reach, and the program does what it does without."""
    place = folder / "static"
    link = ["-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic", "-pthread", "-ldl"]
    program = native.build(place, "program", native.PROGRAM, "-fopenmp", "-fno-lto", *link)
    if "libgomp" in subprocess.run(["ldd", str(program)], stdout=subprocess.PIPE, encoding="utf-8").stdout:
        places.missing("a libgomp.a that is linked")
    result = run_command(program, options=["--domains", "openmp"])
    assert result.rc == 0 and "sum 499500" in result.stdout and not openmp_events(result)
    assert "No OpenMP was seen" in " ".join(result.stderr.split())


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
