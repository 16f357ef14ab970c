"""Which libgomp a call of GCC's OpenMP is for, where there are several, newer ones, or none that can be seen."""
import os
import re
import shutil
import subprocess

import pytest

from support import native, openmp, places
from support.gomp import build, folder, libgomp, openmp_events, regions, team_sizes  # noqa: F401 (fixtures)


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
