"""Functions that Cython and Numba compiled, as the program itself counted them."""
import collections
import subprocess

import pytest

from support.places import missing
from support.pythons import pythons

pytestmark = pytest.mark.long

CYTHON = "Cython==3.3.1", "setuptools"
KERNEL = r'''# cython: profile=True, language_level=3
cdef long inner(long x):
    return x * x

cpdef long mid(long n, callback) except? -1:
    cdef long total = 0, i
    for i in range(n):
        total += inner(i)
    callback(total)
    return total

def outer(int rounds, callback):
    total = 0
    for _ in range(rounds):
        total += mid(10, callback)
    return total

def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def counting(n):
    for i in range(n):
        yield i

cpdef fails(callback):
    callback(0)
    raise ValueError("on purpose")

cdef class Box:
    cdef long size
    def __cinit__(self, long size):
        self.size = size
    cdef long get(self):
        return self.size
    def twice(self):
        return 2 * self.get()
'''
USES_KERNEL = r'''
import kernel

def got(value):
    pass

def user(generator):
    return sum(generator)

def main():
    kernel.outer(5, got)
    kernel.mid(10, got)
    kernel.fibonacci(7)
    for _ in range(3):
        try:
            kernel.fails(got)
        except ValueError:
            got(1)
    user(kernel.counting(20))
    generator = kernel.counting(3)
    next(generator)
    try:
        generator.throw(KeyError)
    except KeyError:
        pass
    box = kernel.Box(3)
    for _ in range(4):
        box.twice()

main()
'''
# (caller, function): calls
IN_KERNEL = {("main", "outer"): 1, ("outer", "mid"): 5, ("main", "mid"): 1, ("mid", "inner"): 60, ("mid", "got"): 6,
             ("main", "fibonacci"): 1, ("fibonacci", "fibonacci"): 40, ("main", "fails"): 3, ("fails", "got"): 3,
             ("main", "got"): 3, ("main", "user"): 1, ("user", "counting"): 1, ("main", "counting"): 1,
             ("main", "twice"): 4, ("twice", "get"): 4}
NUMBA = r'''
import numba

@numba.njit
def inner(x):
    return x * 2.0

@numba.njit
def outer(n):
    return inner(n) + inner(1.0)

@numba.njit
def fails(n):
    if n:
        raise ValueError("on purpose")
    return n

@numba.njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

def user(n):
    return outer(n) + inner(n)

def main():
    for _ in range(10):
        user(2.0)
    for _ in range(3):
        try:
            fails(1)
        except ValueError:
            pass
    factorial.py_func(3)

user(1.0), fails(0), factorial(2)
main()
'''
IN_NUMBA = {("main", "user"): 10, ("user", "outer"): 10, ("user", "inner"): 10, ("main", "fails"): 3,
            ("main", "factorial"): 1, ("factorial", "factorial"): 1}

each = pytest.mark.parametrize("events", ["function", "function,c_call"])
each_form = pytest.mark.parametrize("plain", ["0", "1"], ids=["full", "plain"])
each_mode = pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])


def calls(result, mode):
    """{(caller, function): calls} of functions, from main on."""
    found = collections.Counter()
    if mode == "TRACING":
        for thread in result.trace.threads:
            path = []
            for moment in thread.moments:
                if moment.kind == "end":
                    path.pop()
                elif moment.kind == "begin":
                    path.append(moment.name)
                    if moment.how == "start" and "main" in path[:-1]:
                        found[tuple(path[-2:])] += 1
        return found
    names = {event.fields["code"]: event.fields["qualname"] for event in result.trace.infos["code_info"]}
    nodes = {}
    for event in result.trace.infos["path_profile"]:
        fields = event.fields
        key = fields["tid"], fields["node"]
        path = nodes[key] = nodes.get((fields["tid"], fields["parent"]), ()) + (
            () if fields["kind"] else (names[fields["lexgion"]],))
        if not fields["kind"] and "main" in path[:-1]:
            found[path[-2:]] += fields["calls"]
    return +found


def check(result, mode, expected):
    found = calls(result, mode)
    functions = {name for pair in expected for name in pair}
    assert {pair: count for pair, count in found.items() if set(pair) <= functions} == expected
    not_recorded = result.report("--limit", "1")["not_recorded"]
    assert not_recorded["lost_frames"] == 0 and not_recorded["dropped_ends"] == 0


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """kernel(python): the folder with the module, built once for each Python."""
    built = {}

    def build(python):
        if python.short not in built:
            folder = built[python.short] = tmp_path_factory.mktemp("kernel-%s" % python.short)
            (folder / "kernel.pyx").write_text(KERNEL)
            done = subprocess.run([python.with_packages(*CYTHON), "-m", "Cython.Build.Cythonize", "-i", "kernel.pyx"],
                                  cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            if done.returncode:
                missing("a module of Cython for Python %s:\n%s" % (python.short, done.stdout[-2000:]))
        return built[python.short]
    return build


@each
@each_form
@each_mode
@pytest.mark.parametrize("python", [python for python in pythons() if python.version >= (3, 13)], ids=str)
def test_cython(python, events, plain, mode, kernel, run_traced):
    env = {"PYTHONPATH": str(kernel(python)), "PINSIGHT_PLAIN": plain}
    check(run_traced(python, USES_KERNEL, "--events", events, "--mode", mode, env=env), mode, IN_KERNEL)


@each
@each_form
@each_mode
@pytest.mark.parametrize("python", [python for python in pythons() if python.version >= (3, 12)], ids=str)
def test_numba(python, events, plain, mode, run_traced):
    """Without a variable, unless by public interfaces alone."""
    env = {"PINSIGHT_PLAIN": "1", "NUMBA_ENABLE_SYS_MONITORING": "1"} if plain == "1" else {}
    result = run_traced(python, NUMBA, "--events", events, "--mode", mode, file="program.py", packages=("numba",),
                        env=env)
    check(result, mode, IN_NUMBA)
