"""What pinsight run knows of a command's OpenMP before it starts, and says of OpenMP that is not recorded."""
import os
import shutil
import subprocess

import pytest

from support import native, places


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("native")


@pytest.fixture(scope="module")
def program(folder):
    """A program that GCC's libgomp belongs to."""
    path = native.build(folder, "program", native.PROGRAM, "-fopenmp", "-ldl")
    if "libgomp" not in subprocess.run(["ldd", str(path)], stdout=subprocess.PIPE, encoding="utf-8").stdout:
        places.missing("a compiler whose -fopenmp is libgomp (gcc)")
    return path


def messages(result):
    return [line for line in result.stderr.splitlines() if line.startswith("pinsight: ") and "the trace is in" not in line]


@pytest.mark.parametrize("option", [["--libomp", "auto"], ["--libomp=/usr/lib/libomp.so"]], ids=" ".join)
def test_the_option_that_is_gone(run_command, option):
    result = run_command("echo", "ran", options=option)
    assert (result.rc, result.stdout) == (2, "")
    assert len(messages(result)) == 1 and "GCC's OpenMP is recorded as it is" in result.stderr
    assert "LD_PRELOAD" in result.stderr


def test_the_program_keeps_its_runtime(run_command, program):
    """Whatever LLVM's runtime is here."""
    plain = subprocess.run([str(program)], stdout=subprocess.PIPE, encoding="utf-8")
    for words in ([program], ["sh", "-c", '"$0"; exit', program]):
        result = run_command(*words, options=["--domains", "openmp"])
        assert result.stdout.splitlines()[0] == plain.stdout.splitlines()[0] == "sum 499500"
        assert " in 1 region" in result.stderr and messages(result) == []


@pytest.mark.parametrize("options", [["--domains", "python"], ["-c", "off.ini"]], ids=" ".join)
def test_where_openmp_is_not_wanted_nothing_stands_before_it(run_command, program, tmp_path, options):
    (tmp_path / "off.ini").write_text("[OpenMP]\ntrace_mode = OFF\n")
    result = run_command(program, options=["--no-summary", *options])
    assert result.rc == 0 and "/libgomp" in result.stdout
    assert messages(result) == []


def test_plain_says_why_it_sees_nothing(run_command, program):
    result = run_command(program, env={"PINSIGHT_PLAIN": "1"}, options=["--domains", "openmp"])
    assert result.rc == 0 and "/libgomp" in result.stdout
    assert "with PINSIGHT_PLAIN=1 nothing stands before it" in " ".join(result.stderr.split())


OWN_TOOL = r"""
#include <stdio.h>
#include <stdlib.h>
typedef struct { int (*initialize)(void *, int, void *); void (*finalize)(void *); unsigned long data; } tool;
static int initialize(void *lookup, int device, void *data) { return lookup && data && device >= -1; }
static void finalize(void *data) { (void)data; puts("own tool ends"); }
__attribute__((visibility("default"))) void *ompt_start_tool(unsigned version, const char *runtime) {
    static tool own = {initialize, finalize, 0};
    return version && runtime && !getenv("DECLINE") ? &own : NULL;
}
int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%d\n", sum);
    fflush(stdout);
    return 0;
}
"""


def test_a_program_with_a_tool_of_its_own(run_command, folder):
    if not shutil.which("clang"):
        places.missing("clang")
    source = folder / "own.c"
    source.write_text(OWN_TOOL)
    own = folder / "own"
    subprocess.run(["clang", "-fopenmp", "-rdynamic", "-o", str(own), str(source)], check=True)
    for words in ([own], ["sh", "-c", '"$0"; exit', own]):
        result = run_command(*words, options=["--domains", "openmp"])
        assert (result.rc, result.stdout) == (0, "2\nown tool ends\n")
        said = messages(result)
        assert len(said) == 1 and "%s has a tool of OpenMP's of its own" % own in said[0]
        assert "tool of OpenMP's of its own" in " ".join(result.stderr.replace(said[0], "").split())
    assert messages(run_command(own, options=["--no-summary", "--domains", "python"])) == []
    declined = run_command(own, options=["--domains", "openmp"], env={"DECLINE": "1"})
    assert declined.stdout == "2\n" and " in 1 region" in declined.stderr


def test_libgomp_with_a_tool_that_nobody_calls(run_command, folder):
    path = native.build(folder, "nobody", OWN_TOOL, "-fopenmp", "-rdynamic")
    result = run_command(path, options=["--domains", "openmp"])
    assert (result.rc, result.stdout) == (0, "2\n")
    assert messages(result) == [] and " in 1 region" in result.stderr


def test_own_preloads_stay(run_command, program, folder):
    other = native.build(folder, "libother.so", "int other_there = 1;")
    result = run_command("sh", "-c", 'echo "$LD_PRELOAD"', env={"LD_PRELOAD": str(other)}, options=["--no-summary"])
    listed = [path for path in result.stdout.strip().split(":") if "preload-mpi" not in path]
    assert [os.path.basename(path) for path in listed] == ["libpinsight-preload.so", "libpinsight-gomp.so", "libpinsight-preload-blas.so", "libother.so"]


def test_run_within_a_run(run_command, program):
    result = run_command(places.COMMAND, "run", "-q", "--no-summary", "-o", "inner", "--", program, options=["-q"])
    assert result.rc == 0 and "sum 499500" in result.stdout and result.stderr == ""


ASKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef void *(*start_tool)(unsigned version, const char *runtime);
void __kmpc_fork_call(void) {}
__attribute__((weak)) void *ompt_start_tool(unsigned version, const char *runtime) {
    start_tool next = (start_tool)dlsym(RTLD_NEXT, "ompt_start_tool");
    return next ? next(version, runtime) : 0;
}
void ask(void) {
    void *tool = ompt_start_tool(201811, "a runtime");
    const char *named = getenv("OMP_TOOL_LIBRARIES");
    void *library = !tool && named ? dlopen(named, RTLD_LAZY) : 0;
    if (library)
        tool = ((start_tool)dlsym(library, "ompt_start_tool"))(201811, "a runtime");
    printf("%s, %s\n", named ? "named" : "not named", tool ? "a tool" : "no tool");
}
"""


def test_a_runtime_that_asks_only_itself(run_command, folder):
    """As Ubuntu's libomp is linked: it finds the tool by OpenMP's variable, which is set for that. What the shim was taken
    from has no tool."""
    native.build(folder / "asks", "libomp.so.5", ASKS, "-Wl,-soname,libomp.so.5", "-Wl,-Bsymbolic-functions", "-ldl")
    program = native.build(folder / "asks", "asks", "void ask(void);\nint main(void) { ask(); return 0; }\n",
                           str(folder / "asks" / "libomp.so.5"), "-Wl,-rpath," + str(folder / "asks"))

    def said(*words, **more):
        result = run_command(*words, program, **more)
        assert result.rc == 0, result.stderr
        return result.stdout.strip()
    assert said(options=["--no-summary"]) == "named, a tool"
    # Of one that comes later the dynamic linker's first is looked at.
    assert said("env", "-u", "LD_PRELOAD", options=["--no-summary", "--leave-environments"]) == "named, no tool"
    assert said("sh", "-c", '"$0"; exit', env={"LD_LIBRARY_PATH": str(folder / "asks")},
                options=["--no-summary"]) == "named, a tool"
    assert said(places.COMMAND, "run", "-q", "--no-summary", "-o", "inner", "--", options=["-q"]) == "named, a tool"
    assert said(options=["--no-summary", "--domains", "python"]) == "not named, no tool"
    assert said(options=["--no-summary"], env={"OMP_TOOL_LIBRARIES": "/no/other.so"}) == "named, no tool"


def test_openmp_disabled_by_its_own_variable(run_command, program, folder):
    """It is for runtimes that take tools: libgomp's regions are recorded."""
    result = run_command(program, env={"OMP_TOOL": "disabled"}, options=["--domains", "openmp"])
    assert result.rc == 0 and messages(result) == [] and " in 1 region" in result.stderr
    if not shutil.which("clang"):
        places.missing("clang")
    of_llvm = folder / "of-llvm"
    subprocess.run(["clang", "-fopenmp", "-o", str(of_llvm), str(folder / "program.c"), "-ldl"], check=True)
    result = run_command(of_llvm, env={"OMP_TOOL": "disabled"}, options=["--no-summary"])
    assert result.rc == 0 and len(messages(result)) == 1 and "OMP_TOOL=disabled" in messages(result)[0]
    # Where nothing of OpenMP is there and nobody asked for it, it is nothing to speak of.
    assert messages(run_command("true", env={"OMP_TOOL": "disabled"}, options=["--no-summary"])) == []


def test_a_blas_on_threads_is_in_the_summary(run_traced, newest, tmp_path):
    """A program that uses a NumPy whose BLAS runs on pthreads; here both are pretended."""
    packages = tmp_path / "packages"
    native.build(packages / "numpy.libs", "libscipy_openblas64_-1.so",
                 "#include <pthread.h>\nint start(pthread_t *t, void *(*f)(void *)) "
                 "{ return pthread_create(t, 0, f, 0); }\n", "-lpthread")
    (packages / "numpy").mkdir()
    (packages / "numpy" / "__init__.py").write_text("def dot(a, b):\n    return a * b\n")
    path = os.pathsep.join([str(packages), str(places.PACKAGES)])
    quiet = run_traced(newest, "print(6 * 7)", env={"PYTHONPATH": path})
    assert "pthreads" not in quiet.stderr
    used = run_traced(newest, "import numpy; print(numpy.dot(6, 7))", env={"PYTHONPATH": path})
    assert "1 note in the report" in used.stderr  # it took next to nothing
    said = " ".join(used.report_text().split())
    assert "libscipy_openblas64_-1.so" in said and "pthreads" in said and "libopenblas0-openmp" in said
    asked = run_traced(newest, "print(6 * 7)", "--domains", "python,openmp", env={"PYTHONPATH": path})
    assert "pthreads" in asked.stderr


LIBRARY = r"""
int add_up(void) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 1000; i++)
        sum += i;
    return sum;
}
"""
OPENER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *library = dlopen("libby-name.so", RTLD_NOW);
    int (*add_up)(void) = library ? (int (*)(void))dlsym(library, "add_up") : 0;
    if (!add_up)
        puts(dlerror());
    else
        printf("%d\n", add_up());
    return !library;
}
"""


def test_libraries_are_looked_for_where_their_opener_says(run_command, folder):
    """dlopen() goes by the DT_RUNPATH of whoever calls it: nothing stands between."""
    native.build(folder / "by-name", "libby-name.so", LIBRARY, "-fopenmp")
    opener = native.build(folder, "opener", OPENER, "-ldl", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/by-name")
    assert subprocess.run([str(opener)], stdout=subprocess.PIPE).stdout == b"499500\n"
    for options in (["--domains", "openmp"], ["--domains", "python"]):
        result = run_command(opener, options=options)
        assert (result.rc, result.stdout) == (0, "499500\n"), result.stderr
        assert (" in 1 region" in result.stderr) == ("openmp" in options)
