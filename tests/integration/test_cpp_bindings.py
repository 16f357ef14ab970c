"""Callables that pybind11 and nanobind made of C++ functions: each has the name that a user writes, with its class."""
import collections
import os
import pathlib
import shutil
import subprocess

import pytest

from support.places import missing
from support.pythons import pythons

pytestmark = pytest.mark.wheel

PACKAGES = "pybind11", "nanobind"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or "c++"

COMMON = r"""
#include <functional>
#include <memory>
#include <string>
struct Counter {
    int n = 0;
    int add(int m) { return n += m; }
    int text(std::string text) { return n += (int)text.size(); }
    static int zero() { return 0; }
    struct Part {
        int get() { return 1; }
    };
};
struct Derived : Counter {
    int twice() { return 2 * n; }
};
static int plain(int x) { return x; }
static int alive;
struct Alive {
    Alive() { alive++; }
    Alive(const Alive &) { alive++; }
    ~Alive() { alive--; }
};
static std::function<int(int)> make(int k) {
    Alive one;
    return [k, one](int x) { return x + k; };
}
"""
DEFINITIONS = r"""
    m.def("plain", &plain);
    m.def("make", &make);
    m.def("alive", [] { return alive; });
    LIBRARY::class_<Counter> counter(m, "Counter");
    counter.def(LIBRARY::init<>()).def("add", &Counter::add).def("add", &Counter::text).def_static("zero", &Counter::zero);
    LIBRARY::class_<Counter::Part>(counter, "Part").def(LIBRARY::init<>()).def("get", &Counter::Part::get);
    LIBRARY::class_<Derived, Counter>(m, "Derived").def(LIBRARY::init<>()).def("twice", &Derived::twice);
}
"""
SOURCES = {
    "pybind11": "#include <pybind11/pybind11.h>\n#include <pybind11/functional.h>\n" + COMMON
                + "PYBIND11_MODULE(with_pybind11, m) {" + DEFINITIONS.replace("LIBRARY", "pybind11"),
    "nanobind": "#include <nanobind/nanobind.h>\n#include <nanobind/stl/function.h>\n#include <nanobind/stl/string.h>\n"
                + COMMON + "NB_MODULE(with_nanobind, m) {" + DEFINITIONS.replace("LIBRARY", "nanobind"),
}

PROGRAM = r"""
import gc, sys
module = __import__(sys.argv[1])

def main():
    counter, derived, part = module.Counter(), module.Derived(), module.Counter.Part()
    for _ in range(5):
        counter.add(1)
    for _ in range(2):
        counter.add("two")
    add = counter.add
    for _ in range(3):
        add(2)
    for _ in range(7):
        derived.add(1)
    for _ in range(6):
        derived.twice()
    for _ in range(4):
        module.Counter.zero()
    for _ in range(9):
        part.get()
    for _ in range(8):
        module.plain(1)
    for number in range(300):
        assert module.make(number)(1) == number + 1
    assert (counter.n if hasattr(counter, "n") else counter.add(0)) == 5 + 6 + 6 and derived.twice() == 14

main()
gc.collect()
print(module.alive())
"""
# What the program does, and what it makes of the classes; in addition, the assertions' own calls.
COUNTS = {"Counter.add": 5 + 2 + 3 + 7 + 1, "Derived.twice": 6 + 1, "Counter.zero": 4, "Counter.Part.get": 9, "plain": 8,
          "make": 300, "alive": 1}


def build(library, python, folder):
    interpreter = python.with_packages(*PACKAGES)
    ask = ("import importlib.util, sysconfig; print(sysconfig.get_path('include'), sysconfig.get_config_var('EXT_SUFFIX'), "
           "importlib.util.find_spec('%s').submodule_search_locations[0], sep='\\n')")
    told = subprocess.run([interpreter, "-c", ask % library], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    include, suffix, package = told.stdout.splitlines()
    package = pathlib.Path(package)
    source = folder / ("with_%s.cpp" % library)
    source.write_text(SOURCES[library])
    files = [source, package / "src" / "nb_combined.cpp"] if library == "nanobind" else [source]
    words = [COMPILER, "-std=c++17", "-O0", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing",
             # What stays alive at the end makes the process fail. Without a GIL, functions stay by themselves.
             *(["-DNB_ABORT_ON_LEAK"] if python.has_gil else []), "-I" + include, "-I%s" % (package / "include"),
             "-I%s" % (package / "ext" / "robin_map" / "include"), "-o", folder / ("with_" + library + suffix), *files]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode != 0:
        missing("a C++ compiler that does: %s\n%s" % (" ".join(map(str, words)), done.stdout[-3000:]))
    return interpreter


@pytest.mark.parametrize("library", PACKAGES)
def test_names(library, python, run_traced, tmp_path):
    """The calls of each function, and none under another name. What the program frees is freed."""
    if library == "nanobind" and python.version < (3, 9):
        pytest.skip("nanobind needs CPython 3.9")
    interpreter = build(library, python, tmp_path)
    module = "with_" + library
    env = {"PYTHONPATH": str(tmp_path)}
    alone = subprocess.run([interpreter, "-c", PROGRAM, module], env=dict(os.environ, **env), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, encoding="utf-8")
    assert alone.returncode == 0, alone.stderr
    traced = run_traced(python, PROGRAM, arguments=[module], packages=PACKAGES, env=env)
    assert traced.stdout == alone.stdout and ("leak" in traced.stderr) == ("leak" in alone.stderr), traced.stderr
    names = collections.Counter(moment.name for moment in traced.trace.main().moments if moment.kind == "c_begin")
    found = {name[len(module) + 1:]: count for name, count in names.items() if name.startswith(module + ".")}
    if library == "nanobind" and python.version < (3, 12):
        assert not found  # these versions report calls of built-in functions only, as pybind11 makes them
        return
    # Before 3.11, calls through bound methods are not among them.
    expected = {name: COUNTS[name] for name in COUNTS if python.version >= (3, 11) or name in ("Counter.zero", "plain", "make", "alive")}
    assert {name: found.pop(name, None) for name in expected} == expected
    assert names["pybind11.cpp_function" if library == "pybind11" else "nanobind.nb_func"] == 300  # what C++ returns has no name
    if python.version >= (3, 12):
        classes = {"Counter": 1, "Derived": 1, "Counter.Part": 1}
        assert {name: found.pop(name, None) for name in classes} == classes
    assert not found, found
