"""BLAS and LAPACK: calls and sizes are those that a counting library of the test's own has, and results stay the same."""
import collections
import glob
import json
import os
import subprocess

import pytest

from support import native, places, traces
from support.pythons import pythons

PROGRAM = places.ROOT / "tests" / "programs" / "blas.py"
COUNTER = places.ROOT / "tests" / "programs" / "blas_count.c"
ENUMS = json.loads((places.ROOT / "src" / "events" / "blas.json").read_text())["enums"]
ROUTINES, TYPES = ({number: name for name, number in ENUMS[enum].items()} for enum in ("routine", "type"))
ONE = {"OPENBLAS_NUM_THREADS": "1"}  # its threads spin
EVERYTHING = "[BLAS]\n    shortest_vector = 0\n"


@pytest.fixture(scope="module")
def interpreter():
    """A Python with NumPy's wheel, which carries an OpenBLAS."""
    found = {python.short: python for python in pythons()}
    for short in ("3.14", "3.13", "3.12", "3.11"):
        if short in found and (places.LIBDIR / ("_pinsight_python-%s.so" % short)).exists():
            return found[short].with_packages("numpy")
    places.missing("a CPython that NumPy has a wheel for, and an extension for it")


def count_calls(folder, command, names, env):
    """What a command prints without PInsight, and {(routine, m, n, k): calls} of the libraries with such names."""
    for name in names:
        native.build(folder, "count-%s.so" % name, COUNTER.read_text(), "-D" + name, "-ldl")
    preload = ":".join(str(folder / ("count-%s.so" % name)) for name in names)
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, LD_PRELOAD=preload, BLAS_COUNTS=str(folder / "counts"), **env))
    calls = collections.Counter()
    for line in (folder / "counts").read_text().splitlines():
        name, *numbers = line.split()
        m, n, k, times = map(int, numbers)
        calls[name, m, n, k] += times
    return done.stdout.decode(), calls


def of_counter(trace, calls):
    """The calls in a trace of the routines that a counter knows."""
    routines = {name for name, *_ in calls}
    return {call: times for call, times in recorded(trace).items() if call[0] in routines}


@pytest.fixture(scope="module")
def counted(interpreter, tmp_path_factory):
    """What the program prints by itself, and how often it calls what: {(routine, m, n, k): calls}."""
    printed, calls = count_calls(tmp_path_factory.mktemp("counted"), [interpreter, PROGRAM], ["NUMPY"], ONE)
    assert len(calls) > 8
    return printed, calls


@pytest.fixture
def record(run_command, interpreter, tmp_path):
    def run(rules=""):
        (tmp_path / "rules.ini").write_text(rules)
        done = run_command(interpreter, PROGRAM, options=["-c", tmp_path / "rules.ini"], env=ONE)
        assert done.rc == 0, done.stderr
        return done
    return run


def recorded(trace):
    """The calls in a trace, as counted() has them."""
    begins = [event.fields for event in traces.events(trace) if event.name == "blas_begin"]
    return collections.Counter((TYPES[one["type"]] + ROUTINES[one["routine"]], one["m"], one["n"], one["k"]) for one in begins)


def lines_of(run):
    return {(line["routine"], line["name"]): line["calls"] for line in run.report("--blas")["blas"]["lines"]}


def test_calls_and_sizes_are_those_of_a_counter(record, counted):
    done = record(EVERYTHING)
    printed, calls = counted
    assert done.stdout == printed
    assert of_counter(done.folder, calls) == calls


def test_the_lines_that_call(record):
    done = record(EVERYTHING)
    found = lines_of(done)
    assert found["dgemm", "product"] == 3 and found["dgesv", "system"] == 1
    assert "pthreads" not in done.stderr
    text = done.report_text("--blas")
    assert "60×30×40" in text and "50×50×7" in text
    links = {line["function"]: line["blas"]["calls"] for line in done.report("--links")["links"]["lines"]}
    assert links["product"] == 3 and links["system"] == 1


@pytest.mark.parametrize("times", [0, 12])
def test_a_screen_has_blas_that_takes_time(times, run_command, interpreter, tmp_path):
    """NumPy itself makes some calls when it is imported: they are worth no line."""
    program = tmp_path / "program.py"
    program.write_text("import numpy\na = numpy.ones((700, 700))\nfor _ in range(%d):\n    a @ a\n" % times)
    screen = run_command(interpreter, program, env=ONE).stderr
    assert ("\nBLAS " in screen and "GFLOP/s" in screen and "--blas" in screen) == (times > 0), screen
    assert times or "BLAS" not in screen, screen
    assert ("GFLOP/s: dgemm program.py:4 " in " ".join(screen.split())) == (times > 0), screen
    assert "pthreads" not in screen


def test_short_vectors_are_counted(record):
    done = record()
    rows = {row["routine"]: row for row in done.report("--blas")["blas"]["routines"]}
    assert rows["ddot"]["calls"] == 1 and rows["ddot"]["short_calls"] == 20
    assert rows["dgemm"]["short_calls"] == 0


def test_operations(record):
    done = record(EVERYTHING)
    rows = {row["routine"]: row for row in done.report("--blas")["blas"]["routines"]}
    assert rows["zgemm"]["operations"] == 8 * 60 * 30 * 40
    assert rows["dgesv"]["operations"] == pytest.approx(2 / 3 * 50 ** 3 + 2 * 50 ** 2 * 7)
    assert rows["dgesv"]["gflops"] == pytest.approx(rows["dgesv"]["operations"] / rows["dgesv"]["total_ns"], abs=1e-3)


@pytest.mark.recorder("file", "lttng")
def test_operands_threads_and_library(record):
    """NumPy's matrices have rows of 40 and 30 numbers, and its library one thread."""
    done = record(EVERYTHING)
    begins = [event.fields for event in traces.events(done.folder) if event.name == "blas_begin"]
    product = next(one for one in begins if ROUTINES[one["routine"]] == "gemm" and TYPES[one["type"]] == "d")
    assert (product["order"], product["transa"], product["transb"]) == (1, 1, 1)
    assert (product["lda"], product["ldb"], product["ldc"]) == (40, 30, 30)
    assert {one["threads"] for one in begins} == {1}
    blas = done.report("--blas")["blas"]
    rows = {row["routine"]: row for row in blas["routines"]}
    assert rows["dgemm"]["transposed_calls"] == 0
    assert rows["dsyrk"]["transposed_calls"] == 1  # a.T @ a, and not square @ square.T
    assert rows["dgemv"]["strided_calls"] == 1  # b[:, 0]
    assert rows["dgemm"]["least_threads"] == rows["dgemm"]["most_threads"] == 1
    assert [os.path.basename(one["library"])[:14] for one in blas["libraries"]] == ["libscipy_openb"]
    assert blas["libraries"][0]["calls"] == blas["calls"]
    assert {(row["routine"], row["up_to"]): row["calls"] for row in blas["size_classes"]}["dgemm", 64] == 3
    assert sum(row["calls"] for row in blas["size_classes"]) == blas["calls"]
    text = done.report_text("--blas")
    assert "libscipy_openb" in text and "sizes up to" in text


def test_modes_and_windows(record, counted):
    done = record("[BLAS]\n    trace_mode = MONITORING\n")
    assert done.stdout == counted[0] and not recorded(done.folder)
    rows = {row["routine"]: row for row in done.report("--blas")["blas"]["routines"]}
    assert rows["dgesv"]["short_calls"] == 1 and rows["dgesv"]["calls"] == 0
    done = record("[BLAS]\n    trace_mode = OFF\n")
    assert done.stdout == counted[0] and "blas" not in done.report()
    done = record("[Lexgion(BLAS:dgemm)]\n    max_num_traces = 2\n")
    assert sum(times for (name, *_), times in recorded(done.folder).items() if name == "dgemm") == 2
    done = record("[BLAS]\n    events = lapack\n")
    assert {name for name, *_ in recorded(done.folder)} == {"dgesv", "dpotrf", "dsyevd", "dgesdd"}


BATCHES = places.ROOT / "tests" / "programs" / "blas_batch.c"
GROUPS = ("gemm_batch", 20, 30, 40, 5, 3 * 20 * 30 * 40 + 2 * 4 * 5 * 6)
OF_ONE_SIZE = ("gemm_batch_strided", 110, 120, 130, 3, 0)


def check_batches(done, groups):
    """A run of blas_batch.c, whose batches of groups are so many calls."""
    begins = [event.fields for event in traces.events(done.folder) if event.name == "blas_begin"]
    assert [(ROUTINES[one["routine"]], *(one[name] for name in ("m", "n", "k", "batch", "multiplications"))) for one in begins] == \
        groups * [GROUPS] + 2 * [OF_ONE_SIZE]
    assert {TYPES[one["type"]] for one in begins} == {"d"}
    rows = {row["routine"]: row for row in done.report("--blas")["blas"]["routines"]}
    assert rows["dgemm_batch"]["operations"] == groups * 2 * GROUPS[-1]
    assert rows["dgemm_batch_strided"]["operations"] == 2 * 3 * 2 * 110 * 120 * 130
    assert (rows["dgemm_batch_strided"]["batch"], rows["dgemm_batch_strided"]["m"]) == (3, 110)
    text = done.report_text("--blas")
    assert " 3 × 110×120×130" in text and " 5 × 20×30×40 and others" in text and max(map(len, text.splitlines())) <= 80, text


def test_batches(run_command, interpreter, tmp_path):
    """Those of the OpenBLAS in NumPy's wheel."""
    packages = os.path.dirname(os.path.dirname(interpreter)) + "/lib/python*/site-packages/numpy.libs"
    folder, = glob.glob(packages)
    library, = glob.glob(folder + "/libscipy_openblas64_*.so")
    native.build(tmp_path, "program", BATCHES.read_text(), "-DWIDE", library, "-Wl,--allow-shlib-undefined")
    env = dict(ONE, LD_LIBRARY_PATH=folder)
    plain = subprocess.run([str(tmp_path / "program")], stdout=subprocess.PIPE, encoding="utf-8", check=True, env=dict(os.environ, **env))
    done = run_command(tmp_path / "program", options=["--no-summary"], env=env)
    assert done.rc == 0 and done.stdout == plain.stdout, done.stderr
    check_batches(done, 1)


PRELOADED = "import os; print([os.path.basename(one) for one in os.environ['LD_PRELOAD'].split(':') if one.endswith('blas.so')])"


def test_nothing_is_preloaded_without_a_blas(run_traced, run_command, newest, interpreter):
    assert run_traced(newest, PRELOADED, "--no-summary").stdout == "[]\n"
    assert run_command(interpreter, "-c", PRELOADED, options=["--no-summary"]).stdout == "['libpinsight-preload-blas.so']\n"
    assert run_command(interpreter, "-c", PRELOADED, options=["--no-summary", "--domains", "python"]).stdout == "[]\n"


MAPPED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    printf("%s\n", getenv("LD_PRELOAD"));
    while (fgets(line, sizeof line, maps))
        if (strchr(line, '/') && strstr(line, " r-xp "))
            fputs(strchr(line, '/'), stdout);
    return 0;
}
"""


def test_a_program_without_a_blas_is_as_without_the_domain(run_command, tmp_path):
    """The same libraries are preloaded and mapped, and none of them is BLAS's."""
    native.build(tmp_path, "mapped", MAPPED)
    printed = [run_command(tmp_path / "mapped", options=["--no-summary", *more]).stdout
               for more in ((), ("-c", tmp_path / "off.ini")) if not more or (tmp_path / "off.ini").write_text("[BLAS]\n    trace_mode = OFF\n")]
    assert "libpinsight-preload.so" in printed[0] and "-blas" not in printed[0]
    assert printed[0] == printed[1]


TIMED = """
import time
import numpy
n = 2000
a, b, c = (numpy.full((n, n), x) for x in (0.5, 0.25, 0.0))
for _ in range(4):
    begin = time.perf_counter_ns()
    numpy.dot(a, b, out=c)
    print(time.perf_counter_ns() - begin)
"""


def test_gflops_are_those_of_the_programs_own_timing(run_command, interpreter, tmp_path):
    """A call without a disturbance has the same time in the trace, within 3 %."""
    (tmp_path / "program.py").write_text(TIMED)
    done = run_command(interpreter, tmp_path / "program.py", options=["--no-summary"], env=ONE)
    own = [int(word) for word in done.stdout.split()]
    moments = [event for event in traces.events(done.folder) if event.name in ("blas_begin", "blas_end")]
    begins = [number for number, event in enumerate(moments) if event.name == "blas_begin" and event.fields["m"] == 2000]
    ours = [moments[number + 1].ts - moments[number].ts for number in begins]
    assert len(own) == len(ours) == 4 and all(mine < its for mine, its in zip(ours, own)), (own, ours)
    assert max(mine / its for mine, its in zip(ours, own)) > 0.97, (own, ours)
    row, = (row for row in done.report("--blas")["blas"]["lines"] if row["m"] == 2000)
    assert row["total_ns"] == pytest.approx(sum(ours), rel=1e-3) and row["gflops"] == pytest.approx(4 * 2 * 2000 ** 3 / sum(ours), rel=1e-3)


def test_a_program_in_a_shell(run_command, interpreter):
    done = run_command("sh", "-c", "exec '%s' '%s'" % (interpreter, PROGRAM))
    assert done.rc == 0 and recorded(done.folder)["dgesv", 50, 50, 7] == 1


TWO = r"""
#include <dlfcn.h>
#include <stdio.h>
double call(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    double (*use)(void) = library ? (double (*)(void))dlsym(library, "use") : 0;
    return use ? use() : -1;
}
int main(int count, char **paths) {
    printf("%g %g\n", call(paths[1]), call(paths[2]));
    return count != 3;
}
"""
USER = "double cblas_ddot(int, double *, int, double *, int);\ndouble use(void) { double x[] = {1}; return cblas_ddot(1, x, 1, x, 1); }\n"


LENDER = """typedef double function(int, double *, int, double *, int);
function cblas_ddot;
function *pointer(void) { return cblas_ddot; }
__attribute__((optimize("O2"))) double jump(int n, double *x, int i, double *y, int j) { return cblas_ddot(n, x, i, y, j); }
"""
BORROWER = r"""
#include <dlfcn.h>
#include <stdio.h>
typedef double function(int, double *, int, double *, int);
int main(int count, char **paths) {
    double x[] = {1};
    void *library = dlopen(paths[1], RTLD_NOW | RTLD_LOCAL);
    function *jump = (function *)dlsym(library, "jump"), *pointer = ((function * (*)(void)) dlsym(library, "pointer"))();
    printf("%g %g\n", (count == 2 ? pointer : jump)(1, x, 1, x, 1), jump(1, x, 1, x, 1));
    return 0;
}
"""


def test_a_function_that_the_caller_is_not_linked_with(run_command, tmp_path):
    """As SciPy lends its functions to other packages. Each order: the first call finds the function for the second."""
    native.build(tmp_path, "libblas-1.so", "double cblas_ddot(int n, double *x, int i, double *y, int j) { return 1; }\n")
    native.build(tmp_path, "lender.so", LENDER, "-L%s" % tmp_path, "-l:libblas-1.so", "-Wl,-rpath,%s" % tmp_path)
    native.build(tmp_path, "borrower", BORROWER, "-ldl")
    for more in ("", "jump"):
        done = run_command("sh", "-c", "'%s' '%s' %s" % (tmp_path / "borrower", tmp_path / "lender.so", more), options=["--no-summary"])
        assert done.stdout == "1 1\n", done.stderr


def test_each_caller_gets_its_own_library(run_command, tmp_path):
    """Two libraries with the same functions, each behind an object that is linked with it."""
    for number in (1, 2):
        native.build(tmp_path, "libblas-%d.so" % number,
                     "double cblas_ddot(int n, double *x, int i, double *y, int j) { return %d; }\n" % number)
        native.build(tmp_path, "user-%d.so" % number, USER, "-L%s" % tmp_path, "-l:libblas-%d.so" % number, "-Wl,-rpath,%s" % tmp_path)
    native.build(tmp_path, "two", TWO, "-ldl")
    native.build(tmp_path, "with-blas", TWO, "-Wl,--no-as-needed", "-L%s" % tmp_path, "-l:libblas-1.so", "-Wl,-rpath,%s" % tmp_path,
                 "-ldl")
    users = [tmp_path / "user-1.so", tmp_path / "user-2.so"]
    plain = subprocess.run([str(tmp_path / "with-blas"), *map(str, users)], stdout=subprocess.PIPE, check=True)
    done = run_command(tmp_path / "with-blas", *users, options=["--no-summary"])
    assert plain.stdout == b"1 1\n" and done.stdout == "1 1\n"  # that of the program comes first
    done = run_command("sh", "-c", "'%s' '%s' '%s'" % (tmp_path / "two", *users), options=["--no-summary"])
    assert done.stdout == "1 2\n"


DDOT = "double cblas_ddot(int n, double *x, int i, double *y, int j) { return %d; }\n"
LENDERS = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef double function(int, double *, int, double *, int);
/* Calls in turn what each lender lends, after all of them are loaded. */
int main(int count, char **words) {
    double x[] = {1};
    function *lent[40];
    int used = 0;
    for (int i = 2; i < count; i++) {
        void *lender = dlopen(words[i], (*words[1] == 'l' ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
        lent[used++] = ((function * (*)(void)) dlsym(lender, "pointer"))();
        lent[used++] = (function *)dlsym(lender, "jump");
        lent[used++] = *(function **)dlsym(lender, "in_data");
    }
    for (int i = 0; i < used; i++)
        printf("%g ", lent[i](1, x, 1, x, 1));
    dlerror();
    void *found = dlsym(RTLD_DEFAULT, "cblas_ddot");
    puts(found ? "there" : dlerror() ? "none" : "no error");
    return 0;
}
"""


@pytest.fixture(scope="module")
def lenders(tmp_path_factory):
    """A program without a BLAS, and objects that lend it functions of the same names, each of a library of its own."""
    folder = tmp_path_factory.mktemp("lenders")
    for number in range(1, 10):
        native.build(folder, "libblas-%d.so" % number, DDOT % number)
        native.build(folder, "lender-%d.so" % number, LENDER + "function *in_data = cblas_ddot;\n", "-L%s" % folder, "-l:libblas-%d.so" % number,
                     "-Wl,-rpath,%s" % folder, *(["-Wl,-z,relro,-z,now"] if number % 2 else ["-Wl,-z,lazy"]))
    native.build(folder, "borrower", LENDERS, "-ldl")
    return folder


def borrow(run_command, folder, binding, numbers, **more):
    words = [folder / "borrower", binding] + [folder / ("lender-%d.so" % number) for number in numbers]
    return run_command("sh", "-c", " ".join("'%s'" % word for word in words), **more)


@pytest.mark.parametrize("binding", ["now", "lazy"])
def test_each_lent_function_is_that_of_its_library(binding, run_command, lenders, tmp_path):
    """The caller's object has no BLAS, so its address does not say which library is meant."""
    (tmp_path / "rules.ini").write_text(EVERYTHING)
    done = borrow(run_command, lenders, binding, (1, 2), options=["-c", tmp_path / "rules.ini"])
    assert done.stdout == "1 1 1 2 2 2 none\n", done.stderr
    assert recorded(done.folder) == {("ddot", 1, 0, 0): 6}
    libraries = {row["library"]: row["calls"] for row in done.report("--blas")["blas"]["libraries"]}
    assert libraries == {str(lenders / ("libblas-%d.so" % number)): 3 for number in (1, 2)}


def test_more_libraries_than_can_be_told_apart(run_command, lenders, tmp_path):
    """The calls go to the right library, and those of the last ones are not recorded."""
    (tmp_path / "rules.ini").write_text(EVERYTHING)
    done = borrow(run_command, lenders, "now", range(1, 10), options=["-c", tmp_path / "rules.ini"])
    assert done.stdout == " ".join("%d %d %d" % (n, n, n) for n in range(1, 10)) + " none\n", done.stderr
    assert recorded(done.folder) == {("ddot", 1, 0, 0): 21}
    assert done.stderr.count("libblas-8.so and of later ones are not recorded") == 1
    assert "Calls of libblas-8.so and of 1 other BLAS library were not recorded" in " ".join(done.stderr.split())


OPERANDS = """
import numpy as np
whole = np.ones((2600, 2600))
other = np.ones((1300, 8))
strided, square = whole[::2, ::2], np.ones((1300, 1300))
transposed = square.T
for _ in range(20):
    np.dot({}, other)
"""


@pytest.mark.parametrize("operand, copied", [("strided", True), ("transposed", False), ("square", False)])
def test_operands_that_numpy_copies(interpreter, run_command, tmp_path, operand, copied):
    """BLAS reads transposed matrices in their place."""
    (tmp_path / "operands.py").write_text(OPERANDS.format(operand))
    done = run_command(interpreter, tmp_path / "operands.py", env=ONE)
    texts = [row["text"] for row in done.report()["stands_out"] if row["rule"] == "copied_operands"]
    assert len(texts) == copied and all("operands.py:8 spends " in text and "outside of BLAS (dgemm, 1300×8×1300)" in text for text in texts), texts
