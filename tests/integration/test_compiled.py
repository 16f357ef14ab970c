"""Compiled functions that report their calls to sys.monitoring and have no frame: Cython's and Numba's."""
import collections
import re
import subprocess

import pytest

from support import native, places
from support.pythons import pythons

# The functions by which compiled code reports.
pytestmark = pytest.mark.parametrize("python", [python for python in pythons() if python.version >= (3, 13)], ids=str)

# Each compiled function has code of its own in solver.pyx. What main does is written down in EXPECTED.
PROGRAM = r'''
import solver
from compiled_call import call, throw

def code(name, line):
    return (lambda: None).__code__.replace(co_name=name.split(".")[-1], co_qualname=name, co_filename="solver.pyx",
                                           co_firstlineno=line)

OUTER, INNER, RAISES = code("Solver.outer", 3), code("inner", 7), code("raises", 11)

def leaf(*ignored):
    pass

def fails():
    raise ValueError

def recursing(n):
    call(INNER, recursing, n - 1) if n else leaf()

def itself(n):
    if n:
        call(itself.__code__, leaf)
    call(itself.__code__, itself, n - 1) if n else None

def generating():
    yield 1
    call(INNER, leaf)
    yield 2

def caught():
    try:
        call(OUTER, call, RAISES, fails)
    except ValueError:
        call(INNER, leaf)
    try:
        throw(RAISES, KeyError)
    except KeyError:
        leaf()

def main():
    call(OUTER, call, INNER, leaf)
    for _ in range(3):
        call(INNER, abs, -1)
    call(INNER, call, INNER, call, INNER, leaf)
    recursing(2)
    itself(2)
    generator = generating()
    call(OUTER, next, generator)
    next(generator)
    list(generator)
    caught()
    call(OUTER, list, map(leaf, [1, 2]))

main()
'''
# name(what it calls); ! stands where an exception ends it, ~ where it pauses, and + where it goes on.
EXPECTED = """
main(
 Solver.outer(inner(leaf()))
 inner() inner() inner()
 inner(inner(inner(leaf())))
 recursing(inner(recursing(inner(recursing(leaf())))))
 itself(itself(leaf()) itself(itself(itself(leaf()) itself(itself()))))
 Solver.outer(generating(~))
 generating(+inner(leaf())~)
 generating(+)
 caught(Solver.outer(raises(fails(!)!)!) inner(leaf()) raises(+!) leaf())
 Solver.outer(leaf() leaf())
)
""".split()
EXPECTED = "".join(EXPECTED)
ENDS = {"return": ")", "unwind": "!)", "yield": "~)", "lost": "?)"}


@pytest.fixture
def folder(python, tmp_path):
    """Where the module compiled_call is for `python`."""
    include = subprocess.run([python.base, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()
    (tmp_path / "solver.py").write_text("")
    native.build(tmp_path, "compiled_call.so", (places.PROGRAMS / "compiled_call.c").read_text(), "-I" + include)
    return tmp_path


def outline(thread):
    """What a thread did from main on, functions alone, in the form of EXPECTED."""
    text, within = "", 0
    for moment in thread.moments:
        within += moment.kind == "begin" and (moment.name == "main" or within > 0)
        if not within or moment.kind not in ("begin", "end"):
            continue
        if moment.kind == "begin":
            text += "%s(%s" % (moment.name, "+" if moment.how == "resume" else "")
        else:
            text += ENDS[moment.how]
        within -= moment.kind == "end"
    return text


def nothing_is_lost(result):
    not_recorded = result.report("--limit", "1")["not_recorded"]
    assert not_recorded["lost_frames"] == 0 and not_recorded["dropped_ends"] == 0


FORMS = [["--events", "function"], ["--events", "function,c_call"],
         ["--recorder", "lttng", "--names", "inline"], ["--recorder", "lttng", "--names", "registry"]]


@pytest.mark.parametrize("plain", ["0", "1"], ids=["full", "plain"])
@pytest.mark.parametrize("options", FORMS, ids=" ".join)
def test_nesting(python, options, plain, folder, run_traced):
    result = run_traced(python, PROGRAM, *options, file="program.py", env={"PINSIGHT_PLAIN": plain})
    trace = result.trace
    assert outline(trace.main()) == EXPECTED
    trace.assert_balanced()
    nothing_is_lost(result)


def paths(text):
    """{path: calls} of an outline; a path is the names of functions."""
    found, path = collections.Counter(), []
    for name, mark in re.findall(r"([\w.]+)\((\+?)|\)", text):
        path = path + [name] if name else path[:-1]
        if name and not mark:
            found[tuple(path)] += 1
    return found


def counted_paths(trace):
    """{path: calls} that MONITORING counted, of functions, from main on."""
    names = {event.fields["code"]: event.fields["qualname"] for event in trace.infos["code_info"]}
    nodes, found = {0: ()}, collections.Counter()
    for event in trace.infos["path_profile"]:
        fields = event.fields
        own = () if fields["kind"] else (names[fields["lexgion"]],)
        path = nodes[fields["node"]] = nodes[fields["parent"]] + own
        if own and "main" in path:
            found[path[path.index("main"):]] += fields["calls"]
    return found


@pytest.mark.parametrize("plain", ["0", "1"], ids=["full", "plain"])
@pytest.mark.parametrize("events", ["function", "function,c_call"])
def test_counted(python, events, plain, folder, run_traced):
    result = run_traced(python, PROGRAM, "--mode", "MONITORING", "--events", events, file="program.py",
                        env={"PINSIGHT_PLAIN": plain})
    assert +counted_paths(result.trace) == paths(EXPECTED)
    nothing_is_lost(result)


def test_places(python, folder, run_traced):
    """A compiled function has its file and line, and is called from a line of the user's."""
    result = run_traced(python, PROGRAM, "--events", "function", file="program.py")
    line = 1 + PROGRAM.splitlines().index("        call(INNER, abs, -1)")
    links = result.report("--links", "--limit", "0")["links"]["calls"]
    assert [row["calls"] for row in links
            if (row["function"], row["line"], row["callee"]) == ("main", line, "inner")] == [3]
    infos = {event.fields["qualname"]: event.fields for event in result.trace.infos["code_info"]}
    place = infos["Solver.outer"]
    assert (place["filename"], place["lineno"], place["module"]) == ("solver.pyx", 3, "solver")


def test_modules(python, folder, run_traced, tmp_path):
    """Filters take the module of the compiled code, and not that of its caller."""
    config = tmp_path / "modules.ini"
    called = {"filter": {"Solver.outer", "inner", "raises"}, "exclude": {"main", "leaf", "fails", "recursing", "itself"}}
    for key, expected in called.items():
        config.write_text("[Python]\nevents = function\nmodule_%s = solver\n" % key)
        result = run_traced(python, PROGRAM, "-c", str(config), file="program.py")
        names = {moment.name for thread in result.trace.threads for moment in thread.moments}
        assert names >= expected and not names & called["exclude" if key == "filter" else "filter"]
        result.trace.assert_balanced(selected=True)
        nothing_is_lost(result)
