"""BLAS from package registries: of wheels, where NumPy and SciPy carry a library each, and scikit-learn borrows SciPy's by
pointers; and of Debian, where a program and NumPy run on reference BLAS and on both forms of OpenBLAS. The calls and sizes are
those that a counting library of the test's own has, and results are the same bits.

The virtual environment is made once, under build/venv.
"""
import glob
import os
import shutil
import subprocess

import pytest

from support import native, places, traces
from support.pythons import pythons
from test_blas import BATCHES, PROGRAM as NUMPY_PROGRAM, check_batches, count_calls, of_counter

pytestmark = pytest.mark.wheel
ENV = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # results do not depend on the number of threads

PROGRAM = """
import hashlib
import numpy as np
import scipy.linalg as la
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import Lasso, LogisticRegression

results = hashlib.sha256()
rng = np.random.default_rng(3)
square, wide = rng.random((70, 70)), rng.random((600, 12))

def keep(*arrays):
    for array in arrays:
        results.update(np.ascontiguousarray(array).tobytes())

def factor():
    return la.lu_factor(square)

def solve(factors):
    return la.lu_solve(factors, square[:, :3])

def cholesky():
    return la.cholesky(square @ square.T + 70 * np.eye(70))

def singular():
    return la.svd(square)

def product():
    return la.blas.dgemm(1.0, square[:, :20], square[:20, :], trans_a=0, trans_b=0)

def cluster():
    return KMeans(4, n_init=2, random_state=0).fit(wide).cluster_centers_

def lasso():
    return Lasso(alpha=0.01).fit(wide, wide[:, 0]).coef_

factors = factor()
keep(*factors)
for _ in range(5):
    keep(solve(factors))
keep(cholesky(), *singular(), product(), cluster(), lasso(), PCA(3, svd_solver="full").fit_transform(wide))
keep(LogisticRegression().fit(wide, wide[:, 0] > 0.5).coef_)
print(results.hexdigest())
"""
# What lines of the program call, by the documentation of SciPy: {(line, routine): (calls, m, n, k)}.
CALLED = {
    ("factor", "dgetrf"): (1, 70, 70, 0),
    ("solve", "dgetrs"): (5, 70, 70, 3),
    ("cholesky", "dpotrf"): (1, 70, 70, 0),
    ("singular", "dgesdd"): (1, 70, 70, 70),
    ("product", "dgemm"): (1, 70, 70, 20),
}


EACH = pytest.mark.parametrize("short", ["3.%d" % minor for minor in range(8, 16)])


def with_packages(short, *packages):
    """The interpreter of a virtual environment with the wheels of the packages."""
    python = next((one for one in pythons() if one.short == short), None)
    if not python or not (places.LIBDIR / ("_pinsight_python-%s.so" % short)).exists():
        pytest.skip("no CPython %s, or no extension for it" % short)
    return python.with_packages(*packages)


@EACH
def test_scipy_and_scikit_learn(short, run_command, tmp_path):
    interpreter = with_packages(short, "scikit-learn")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "rules.ini").write_text("[BLAS]\n    shortest_vector = 0\n")
    printed, calls = count_calls(tmp_path, [interpreter, tmp_path / "program.py"], ["NUMPY", "OLD_NUMPY", "SCIPY", "PLAIN"], ENV)
    done = run_command(interpreter, tmp_path / "program.py", options=["-c", tmp_path / "rules.ini"], env=ENV)
    assert done.rc == 0 and done.stdout == printed, done.stderr
    assert {"ddot", "dgemm", "dgemv", "dgesdd", "dgetrf", "dgetrs", "dpotrf", "dsyrk"} <= {name for name, *_ in calls}
    assert of_counter(done.folder, calls) == calls
    blas = done.report("--blas", "--limit", "0")["blas"]
    lines = {(line["name"], line["routine"]): line for line in blas["lines"]}
    for key, expected in CALLED.items():
        assert tuple(lines[key][name] for name in ("calls", "m", "n", "k")) == expected, key
    packages = {key: os.path.basename(os.path.dirname(row["library"])) for key, row in lines.items() if row["library"]}
    assert all(packages[key] == "scipy.libs" for key in CALLED)
    assert packages["cholesky", "dsyrk"] == "numpy.libs"  # square @ square.T
    assert packages["lasso", "daxpy"] == "scipy.libs"  # scikit-learn has no library of its own
    assert lines["cluster", "dgemm"]["calls"] > 1
    assert {os.path.basename(os.path.dirname(row["library"])) for row in blas["libraries"]} == {"numpy.libs", "scipy.libs"}


@EACH
def test_numpy_of_each_python(short, run_command, tmp_path):
    """Wheels of several years have their functions under several names."""
    python = with_packages(short, "numpy")
    (tmp_path / "rules.ini").write_text("[BLAS]\n    shortest_vector = 0\n")
    printed, calls = count_calls(tmp_path, [python, NUMPY_PROGRAM], ["NUMPY", "OLD_NUMPY", "SCIPY", "PLAIN"], ENV)
    done = run_command(python, NUMPY_PROGRAM, options=["-c", tmp_path / "rules.ini"], env=ENV)
    assert done.rc == 0 and done.stdout == printed, done.stderr
    assert {"ddot", "dgemm", "dgesv", "dgesdd", "dpotrf", "dsyevd"} <= {name for name, *_ in calls}
    assert of_counter(done.folder, calls) == calls


DEBIAN = r"""
#include <stdio.h>
void dgemm_(const char *, const char *, int *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *);
void dgesv_(int *, int *, double *, int *, int *, double *, int *, int *);
double cblas_ddot(int, double *, int, double *, int);
static double a[60 * 60], b[60 * 60], c[60 * 60], x[9000];
int main(void) {
    int m = 20, n = 30, k = 40, ld = 60, one = 1, info, pivots[60];
    double alpha = 1, beta = 0, sum = 0;
    for (int i = 0; i < 60 * 60; i++) {
        a[i] = 1.0 / (1 + i % 61) + (i % 61 == 0) * 60;
        b[i] = 1.0 / (3 + i % 17);
    }
    for (int i = 0; i < 9000; i++)
        x[i] = 1.0 / (1 + i);
    for (int i = 0; i < 3; i++)
        dgemm_("N", "T", &m, &n, &k, &alpha, a, &ld, b, &ld, &beta, c, &ld);
    dgesv_(&ld, &one, a, &ld, pivots, b, &ld, &info);
    for (int i = 0; i < 60 * 60; i++)
        sum += c[i] * (i + 1) + b[i];
    printf("%a %a %d\n", sum, cblas_ddot(4500, x, 2, x, 1), info);
    return 0;
}
"""


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    """Debian's libraries, unpacked and not installed, and a program that is linked with them."""
    folder = tmp_path_factory.mktemp("debian")
    names = ["python3-numpy", "libblas3", "liblapack3", "libopenblas0-pthread", "libopenblas0-openmp", "libgfortran5", "libquadmath0", "libgomp1"]
    apt = shutil.which("apt-get") and shutil.which("dpkg")
    done = subprocess.run(["apt-get", "download", "-q", *names], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) if apt else None
    if not done or done.returncode:
        places.missing("an apt-get that downloads %s\n%s" % (" ".join(names), done.stdout.decode() if done else ""))
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)
    at = {kind: [path for part in parts for path in glob.glob(str(folder / "root" / "usr" / "lib" / "*-linux-gnu" / part))]
          for kind, parts in (("reference", ("blas", "lapack", "")), ("pthread", ("openblas-pthread", "")),
                              ("openmp", ("openblas-openmp", "")))}
    native.build(folder, "program", DEBIAN, *("-L" + path for path in at["reference"]), "-l:libblas.so.3", "-l:liblapack.so.3",
                 "-Wl,--allow-shlib-undefined")
    return folder / "program", at


def check_program(run_command, program, folders, threads, folder):
    """The program's calls, and its results as without PInsight. Returns the folders of the libraries that it called."""
    env = {"LD_LIBRARY_PATH": ":".join(folders)}
    env.update((name, "2") for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"))
    printed, calls = count_calls(folder, [program], ["PLAIN"], env)
    assert calls == {("dgemm", 20, 30, 40): 3, ("dgesv", 60, 60, 1): 1, ("ddot", 4500, 0, 0): 1}
    done = run_command(program, options=["--no-summary"], env=env)
    assert done.rc == 0 and done.stdout == printed, done.stderr
    assert of_counter(done.folder, calls) == calls
    begins = [event.fields for event in traces.events(done.folder) if event.name == "blas_begin"]
    assert [tuple(one[name] for name in ("m", "n", "k", "transa", "transb", "lda", "ldb", "ldc")) for one in begins] == \
        3 * [(20, 30, 40, 1, 2, 60, 60, 60)] + [(60, 60, 1, 0, 0, 60, 60, 0), (4500, 0, 0, 0, 0, 0, 2, 1)]
    assert {one["threads"] for one in begins} == {threads}
    return {os.path.dirname(row["library"]) for row in done.report("--blas")["blas"]["libraries"]}


@pytest.mark.parametrize("kind, threads", [("reference", 0), ("pthread", 2), ("openmp", 2)])
def test_debians_libraries(kind, threads, run_command, debian, tmp_path):
    program, at = debian
    assert check_program(run_command, program, at[kind], threads, tmp_path) == set(at[kind][:-1])


@pytest.mark.parametrize("kind", ["reference", "pthread"])
def test_nested_calls_of_debians_libraries(kind, run_command, debian, tmp_path):
    """LAPACK calls BLAS by names that a counter and PInsight replace, at least in the reference implementation."""
    program, at = debian
    env = dict(ENV, LD_LIBRARY_PATH=":".join(at[kind]))
    (tmp_path / "rules.ini").write_text("[BLAS]\n    shortest_vector = 0\n    nested = on\n")
    _, calls = count_calls(tmp_path, [program], ["PLAIN"], dict(env, BLAS_COUNTS_NESTED="1"))
    done = run_command(program, options=["--no-summary", "-c", tmp_path / "rules.ini"], env=env)
    assert of_counter(done.folder, calls) == calls
    assert kind != "reference" or {"dgetrf", "dgetrs", "dscal"} <= {name for name, *_ in calls}
    blas = done.report("--blas")["blas"]
    outer = {row["routine"]: row["calls"] - row["nested_calls"] for row in blas["routines"]}
    assert {name: times for name, times in outer.items() if times} == {"dgemm": 3, "dgesv": 1, "ddot": 1}
    solver, = (row for row in blas["routines"] if row["routine"] == "dgesv")
    assert sum(row["self_ns"] for row in blas["routines"]) == sum(row["self_ns"] for row in blas["libraries"])
    assert solver["self_ns"] < solver["total_ns"] or kind != "reference"


@pytest.mark.parametrize("kind", ["reference", "pthread", "openmp"])
def test_debians_numpy(kind, run_command, debian, tmp_path):
    """It finds its libraries by their names, as all of Debian's programs do."""
    _, at = debian
    python = shutil.which("python3", path="/usr/bin") or places.missing("Debian's python3")
    packages, = glob.glob(str(debian[0].parent / "root" / "usr" / "lib" / "python3" / "dist-packages"))
    env = dict(ENV, LD_LIBRARY_PATH=":".join(at[kind]), PYTHONPATH=packages)
    (tmp_path / "rules.ini").write_text("[BLAS]\n    shortest_vector = 0\n")
    printed, calls = count_calls(tmp_path, [python, NUMPY_PROGRAM], ["PLAIN"], env)
    done = run_command(python, NUMPY_PROGRAM, options=["-c", tmp_path / "rules.ini"], env=env)
    assert done.rc == 0 and done.stdout == printed, done.stderr
    assert {"ddot", "dgemm", "dgesv", "dgesdd", "dpotrf", "dsyevd"} <= {name for name, *_ in calls}
    assert of_counter(done.folder, calls) == calls
    assert {os.path.dirname(row["library"]) for row in done.report("--blas")["blas"]["libraries"]} == set(at[kind][:-1])


def test_mkl(run_command, tmp_path):
    """MKL from PyPI, which is only there for x86-64."""
    if os.uname().machine != "x86_64":
        places.missing("MKL for this processor")
    found = {python.short: python for python in pythons()}
    python = next((found[short] for short in ("3.14", "3.13", "3.12", "3.11") if short in found), None) or places.missing("a CPython")
    folder = os.path.join(os.path.dirname(os.path.dirname(python.with_packages("mkl"))), "lib")
    library, = glob.glob(folder + "/libmkl_rt.so*")
    native.build(tmp_path, "batches", BATCHES.read_text(), library, "-Wl,--allow-shlib-undefined")
    env = dict(ENV, LD_LIBRARY_PATH=folder, MKL_NUM_THREADS="1")
    plain = subprocess.run([str(tmp_path / "batches")], stdout=subprocess.PIPE, encoding="utf-8", check=True, env=dict(os.environ, **env))
    done = run_command(tmp_path / "batches", options=["--no-summary"], env=env)
    assert done.stdout == plain.stdout, done.stderr
    check_batches(done, 2)
    native.build(tmp_path, "program", DEBIAN, library, "-Wl,--allow-shlib-undefined")
    assert check_program(run_command, tmp_path / "program", [folder], 2, tmp_path) == {folder}
