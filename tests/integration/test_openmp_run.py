"""LLVM's OpenMP in place of GCC's: where pinsight run preloads it, where not, and what it says."""
import os
import shlex
import shutil
import subprocess

import pytest

from support import native, places

SAID = "is preloaded in place of libgomp"


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
    return tmp_path_factory.mktemp("native")


@pytest.fixture(scope="module")
def program(folder):
    """A program that GCC's libgomp belongs to."""
    native.libomp()
    path = native.build(folder, "program", native.PROGRAM, "-fopenmp", "-ldl")
    if "libgomp" not in subprocess.run(["ldd", str(path)], stdout=subprocess.PIPE, encoding="utf-8").stdout:
        places.missing("a compiler whose -fopenmp is libgomp (gcc)")
    return path


def messages(result):
    return [line for line in result.stderr.splitlines() if line.startswith("pinsight: ") and "the trace is in" not in line]


def provider(result):
    lines = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    assert lines["sum"] == "499500"
    return os.path.basename(lines["GOMP_parallel"])


def test_libgomp_gives_way(run_command, program):
    result = run_command(program, options=["--no-summary"])
    assert result.rc == 0
    assert provider(result).startswith("libomp")
    said = messages(result)
    assert len(said) == 1 and SAID in said[0] and "libgomp" in said[0] and "--libomp no" in said[0]


@pytest.mark.parametrize("options", [["--domains", "python"], ["-c", "off.ini"]], ids=" ".join)
def test_left_where_refused_or_not_wanted(run_command, program, tmp_path, options):
    (tmp_path / "off.ini").write_text("[OpenMP]\ntrace_mode = OFF\n")
    result = run_command(program, options=["--no-summary", *options])
    assert result.rc == 0 and provider(result).startswith("libgomp")
    assert messages(result) == []


def test_quiet_says_nothing(run_command, program):
    result = run_command(program, options=["-q"])
    assert result.rc == 0 and provider(result).startswith("libomp") and result.stderr == ""


def test_a_named_one_is_taken(run_command, program):
    named = native.libomp()
    result = run_command("sh", "-c", 'exec "$0"', program, options=["--no-summary", "--libomp", named])
    assert result.rc == 0 and provider(result) == os.path.basename(named)
    assert SAID in messages(result)[0]
    # What a shell starts is not known beforehand.
    result = run_command("sh", "-c", 'exec "$0"', program, options=["--no-summary"])
    assert provider(result).startswith("libgomp")


def test_a_program_that_a_shell_starts_says_that_it_is_not_seen(run_command, program):
    result = run_command("sh", "-c", '"$0" && "$0"', program)
    assert result.rc == 0 and "GOMP_parallel /" in result.stdout
    said = messages(result)
    assert len(said) == 1 and str(program) in said[0] and "--libomp PATH" in said[0]
    summary = " ".join(result.stderr.replace(said[0], "").split())
    assert "The OpenMP of %s is not recorded" % program in summary
    quiet = run_command("sh", "-c", '"$0"', program, options=["-q"])
    assert quiet.stderr == ""
    for options in (["--libomp", "no"], ["--domains", "python"]):
        assert messages(run_command("sh", "-c", '"$0"', program, options=["--no-summary", *options])) == []


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
    declined = run_command(own, options=["--domains", "openmp"], env={"DECLINE": "1"})
    assert declined.stdout == "2\n" and " in 1 region" in declined.stderr


def test_libgomp_with_a_tool_that_nobody_calls(run_command, folder):
    """With libomp in its place the program's own tool would be called, which it natively is not."""
    path = native.build(folder, "nobody", OWN_TOOL, "-fopenmp", "-rdynamic")
    result = run_command(path)
    assert (result.rc, result.stdout) == (0, "2\n")
    assert len(messages(result)) == 1 and "ompt_start_tool" in messages(result)[0]


def test_past_other_commands(run_command, program):
    for words in (["env", "A=1", program], ["nice", "-n", "0", program], ["timeout", "60", program]):
        result = run_command(*words, options=["--no-summary"])
        assert result.rc == 0 and provider(result).startswith("libomp"), words


def test_own_preloads_stay(run_command, program, folder):
    other = native.build(folder, "libother.so", "int other_there = 1;")
    result = run_command("sh", "-c", 'echo "$LD_PRELOAD"', env={"LD_PRELOAD": str(other)},
                         options=["--no-summary", "--libomp", native.libomp()])
    listed = [path for path in result.stdout.strip().split(":") if "preload-mpi" not in path]
    assert [os.path.basename(path) for path in listed] == [
        "libpinsight-preload.so", os.path.basename(native.libomp()), "libother.so"]
    # One that the user preloads is the user's choice.
    result = run_command(program, env={"LD_PRELOAD": native.libomp()}, options=["--no-summary"])
    assert provider(result).startswith("libomp") and messages(result) == []


def test_run_within_a_run(run_command, program):
    result = run_command(places.COMMAND, "run", "-q", "--libomp", "auto", "--no-summary", "-o", "inner", "--", program,
                         options=["-q"])
    assert result.rc == 0 and provider(result).startswith("libomp")


@pytest.mark.parametrize("value, mentioned", [
    ("auo", "auo"), ("/no/such/libomp.so", "no such file"), ("/bin/true", "no OpenMP runtime"), ("", "auto"),
    (".", "no OpenMP runtime"),
])
def test_bad_values(run_command, value, mentioned):
    result = run_command("echo", "ran", options=["--libomp", value])
    assert (result.rc, result.stdout) == (2, "")
    assert len(messages(result)) == 1 and mentioned in result.stderr


def test_libgomp_itself_is_no_libomp(run_command, program):
    libgomp = [line.split()[2] for line in subprocess.run(
        ["ldd", str(program)], stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines() if "libgomp" in line]
    result = run_command("echo", "ran", options=["--libomp", libgomp[0]])
    assert result.rc == 2 and result.stdout == ""


def hidden(words, replacement, cwd):
    """Runs words where another file lies over every libomp that is here."""
    if os.getuid() != 0:
        pytest.skip("needs root, to mount a file over another")
    binds = "".join("mount --bind %s %s && " % (shlex.quote(str(replacement)), shlex.quote(str(path)))
                    for path in native.libomp_files())
    done = subprocess.run(["unshare", "-m", "sh", "-c", binds + 'exec "$@"', "sh", *map(str, words)], cwd=str(cwd),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if "unshare" in done.stderr or "mount:" in done.stderr:
        places.missing("the right to make a mount namespace: " + done.stderr)
    return done


def test_no_libomp(program, tmp_path):
    done = hidden([places.COMMAND, "run", "-o", "trace", "--libomp", "auto", "--no-summary", "--", program], "/dev/null", tmp_path)
    assert done.returncode == 0 and "sum 499500" in done.stdout and "libgomp" in done.stdout
    said = [line for line in done.stderr.splitlines() if "cannot be recorded" in line]
    assert len(said) == 1 and "there is no LLVM libomp" in said[0] and "apt install libomp" in said[0]


def test_libomp_without_ompt(program, folder, tmp_path):
    bare = native.build(folder, "libbare.so", "void __kmpc_fork_call(void) {}\nvoid GOMP_parallel(void) {}\n")
    done = hidden([places.COMMAND, "run", "-o", "trace", "--libomp", "auto", "--no-summary", "--", program], bare, tmp_path)
    assert done.returncode == 0 and "sum 499500" in done.stdout and "libgomp" in done.stdout
    assert "built without OMPT" in done.stderr
    done = hidden([places.COMMAND, "run", "-o", "trace", "--libomp", bare, "--", program], bare, tmp_path)
    assert done.returncode == 2 and "has no OMPT" in done.stderr


def test_an_entry_point_that_libomp_lacks(run_command, folder):
    """A program of a newer GCC keeps its libgomp: half of each would be worse than none seen."""
    future = native.build(folder / "future", "libgomp.so.1", "int GOMP_from_the_future(void) { return 42; }\n",
                          "-Wl,-soname,libgomp.so.1")
    path = native.build(folder, "new", "#include <stdio.h>\nint GOMP_from_the_future(void);\n"
                        "int main(void) { printf(\"%d\\n\", GOMP_from_the_future()); return 0; }\n", str(future),
                        "-Wl,-rpath," + str(future.parent))
    result = run_command(path, options=["--no-summary"])
    assert (result.rc, result.stdout) == (0, "42\n")
    assert len(messages(result)) == 1 and "has no GOMP_from_the_future" in messages(result)[0]


def test_never_beside_intels(run_command, folder, program):
    intel = native.build(folder / "intel", "libiomp5.so",
                         "void __kmpc_fork_call(void) {}\nvoid ompt_start_tool(void) {}\nint intel = 1;\n",
                         "-Wl,-soname,libiomp5.so")
    both = native.build(folder, "both", native.PROGRAM.replace("int main", "extern int intel;\nint main").replace(
        "long sum = 0;", "long sum = intel - 1;"), "-fopenmp", str(intel), "-ldl", "-Wl,-rpath," + str(intel.parent))
    result = run_command(both, options=["--no-summary"])
    assert result.rc == 0 and provider(result).startswith("libgomp")
    assert len(messages(result)) == 1 and "libiomp5.so" in messages(result)[0] and "--libomp" in messages(result)[0]
    result = run_command(both, options=["--libomp", native.libomp()])
    assert (result.rc, result.stdout) == (2, "") and "libiomp5" in result.stderr


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
    assert said("env", "-u", "LD_PRELOAD", options=["--no-summary", "--leave-environments"]) == "named, no tool"
    assert said(places.COMMAND, "run", "-q", "--no-summary", "-o", "inner", "--", options=["-q"]) == "named, a tool"
    assert said(options=["--no-summary", "--domains", "python"]) == "not named, no tool"
    assert said(options=["--no-summary"], env={"OMP_TOOL_LIBRARIES": "/no/other.so"}) == "named, no tool"


def test_openmp_disabled_by_its_own_variable(run_command, program):
    result = run_command(program, env={"OMP_TOOL": "disabled"}, options=["--no-summary"])
    assert result.rc == 0 and provider(result).startswith("libgomp")
    assert len(messages(result)) == 1 and "OMP_TOOL=disabled" in messages(result)[0]
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
# What is mapped at the start, and once the library is open.
OPENS = """
import ctypes, os, sys
def mapped():
    with open("/proc/self/maps") as maps:
        names = {line.rstrip().rpartition("/")[2] for line in maps}
        return sorted({name.split(".")[0].split("-")[0] for name in names if "omp" in name and "pinsight" not in name})
print(mapped())
library = ctypes.CDLL(sys.argv[1])
print(mapped(), library.add_up(), os.environ.get("OMP_SCHEDULE"))
"""


@pytest.fixture
def package(program, tmp_path):
    """A package that carries a libgomp of its own, renamed as wheels do it; gives its extension."""
    libgomp = [line.split()[2] for line in subprocess.run(
        ["ldd", str(program)], stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines() if "libgomp" in line][0]
    carried = tmp_path / "packages" / "learn.libs"
    carried.mkdir(parents=True)
    shutil.copy(libgomp, str(carried / "libgomp-a34b3233.so.1.0.0"))
    return native.build(tmp_path / "packages" / "learn", "extension.so", LIBRARY, "-fopenmp", "-Wl,-rpath,$ORIGIN/../learn.libs")


def test_packages_of_a_python(run_command, newest, package, tmp_path):
    """libomp comes when something is opened that needs libgomp, and not because it is installed."""
    env = {"PYTHONPATH": str(package.parent.parent)}
    file = tmp_path / "opens.py"
    file.write_text(OPENS)
    result = run_command(newest.path, file, package, env=env, options=["--domains", "openmp"])
    assert result.stdout == "[]\n['libgomp', 'libomp'] 499500 None\n", result.stderr
    assert len(messages(result)) == 1 and "loaded in place of libgomp" in messages(result)[0]
    assert str(package) in messages(result)[0] and " in 1 region" in result.stderr
    quiet = run_command(newest.path, file, package, env=env, options=["-q"])
    assert quiet.stdout == result.stdout and quiet.stderr == ""
    idle = run_command(newest.path, "-c", "print(len(open('/proc/self/maps').read().split('libomp')))", env=env,
                       options=["--no-summary"])
    assert idle.stdout == "1\n" and messages(idle) == []
    left = run_command(newest.path, file, package, env=env, options=["--no-summary", "--libomp", "no"])
    assert left.stdout == "[]\n['libgomp'] 499500 None\n" and messages(left) == []


def test_llvms_own_code_first(run_command, newest, package, tmp_path):
    """A library that needs libomp by itself is open before one that needs libgomp: one runtime serves both."""
    if not shutil.which("clang"):
        places.missing("clang")
    first = tmp_path / "packages" / "learn" / "first.so"
    subprocess.run(["clang", "-fopenmp", "-shared", "-fPIC", "-x", "c", "-o", str(first), "-"],
                   input=LIBRARY.encode(), check=True)
    code = "import ctypes, sys\nprint([ctypes.CDLL(path).add_up() for path in sys.argv[1:]])"
    result = run_command(newest.path, "-c", code, first, package, env={"PYTHONPATH": str(package.parent.parent)},
                         options=["--domains", "openmp"])
    assert result.stdout == "[499500, 499500]\n" and " in 2 regions" in result.stderr, result.stderr


def test_a_python_behind_a_shell_says_that_it_is_not_seen(run_command, newest, package, tmp_path):
    file = tmp_path / "opens.py"
    file.write_text(OPENS)
    result = run_command("sh", "-c", '"$@"; exit', "sh", newest.path, file, package)
    assert result.stdout == "[]\n['libgomp'] 499500 None\n"
    said = messages(result)
    assert len(said) == 1 and "The OpenMP of %s is not recorded" % package in " ".join(result.stderr.split())


OPENER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *library = dlopen("libby-name.so", RTLD_NOW);
    puts(library ? "found" : dlerror());
    return !library;
}
"""


def test_libraries_are_looked_for_where_their_opener_says(run_command, folder):
    """dlopen() goes by the DT_RUNPATH of whoever calls it, also when it is taken over."""
    native.build(folder / "by-name", "libby-name.so", LIBRARY, "-fopenmp")
    opener = native.build(folder, "opener", OPENER, "-ldl", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/by-name")
    assert subprocess.run([str(opener)], stdout=subprocess.PIPE).stdout == b"found\n"
    for options in ([], ["--libomp", native.libomp()], ["--domains", "python"]):
        result = run_command(opener, options=["--no-summary", *options])
        assert (result.rc, result.stdout) == (0, "found\n"), result.stderr
