"""`pinsight export` to profiles: pstats, callgrind, speedscope and folded stacks, each read by something that is not
ours, against what `pinsight report` says."""
import collections
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

import pytest

from support import places
from support.profiles import (FORMS, annotated, callgrind_calls, check_speedscope, export, folded, pstats_of,
                              pythons_with_pstats, speedscope_package, speedscope_stacks)
from support.pythons import pythons

from test_report_control import report_json
from test_report_openmp import APP, LINALG, START, TRACE, record  # noqa: F401
from test_report_openmp_run import built  # noqa: F401

READERS = ("gprof2dot==2024.6.6", "jsonschema==4.17.3", "snakeviz==2.2.0")
PROGRAM = """
import threading

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n != 0 and even(n - 1)

def numbers(n):
    for i in range(n):
        yield abs(-i)

def total(n):
    return sum(numbers(n))

def order(words):
    return sorted(words, key=lambda word: len(word)) + sorted(words, key=lambda word: -len(word))

def raising():
    try:
        [].pop()
    except IndexError:
        return len('raised')

def main():
    fib(9), even(8), odd(8), total(30), order(['a', 'bbb', 'cc']), raising()

thread = threading.Thread(target=main)
thread.start()
main()
thread.join()
even(3)
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """(folder, what the report says of it) of PROGRAM."""
    if not pythons():
        places.missing("a CPython that an extension was built for")
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "program.py").write_text(PROGRAM)
    done = subprocess.run([places.COMMAND, "run", "-o", str(folder / "trace"), "--lossless", "--no-summary", "--",
                           pythons()[-1].path, str(folder / "program.py")], stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return folder, report_json(folder, "--tree")


def save(folder, form, *options):
    file = folder / ("out." + form)
    export(folder / "trace", form, "-q", *options, output=file)
    return file


def functions_of(report):
    """{(file, line, name): row}"""
    return {(row["file"], row["line"], row["name"]): row for row in report["functions"]}


def callees_of(report):
    """{name: (calls, self_ns)} of C callables."""
    found = collections.defaultdict(lambda: [0, 0])
    for row in report["c_calls"]:
        found[row["name"]][0] += row["calls"]
        found[row["name"]][1] += row["self_ns"]
    return {name: tuple(counts) for name, counts in found.items()}


# A program of Python and C calls: every total.

def test_pstats(recorded):
    folder, report = recorded
    file = save(folder, "pstats")
    rows = pstats_of(file)
    for python in pythons_with_pstats():
        assert pstats_of(file, python) == rows, python
    functions = functions_of(report)
    assert {key for key in rows if key[0] != "~"} == set(functions)
    for key, row in functions.items():
        assert rows[key][:4] == (row["calls"], rows[key].outermost, row["self_ns"], row["total_ns"]), key
    callees = callees_of(report)
    assert {key[2] for key in rows if key[0] == "~"} == {"<%s>" % name for name in callees}
    for name, counts in callees.items():
        row = rows["~", 0, "<%s>" % name]
        assert (row.calls, row.self_ns) == counts
    by_name = {key[2]: row for key, row in rows.items()}
    assert (by_name["fib"].calls, by_name["fib"].outermost) == (2 * 109, 2)
    assert by_name["fib"].self_ns == by_name["fib"].total_ns
    assert by_name["numbers"].calls == 2


def test_callers_in_pstats(recorded):
    """The report's call tree has the same calls; times of the callers are the function's, where nothing recurs."""
    folder, report = recorded
    rows = pstats_of(save(folder, "pstats"))
    nodes = {node["id"]: node for node in report["tree"]}

    def key(node):
        return (node["file"], node["line"], node["name"]) if node["kind"] == "function" else (
            "~", 0, "<%s>" % node["name"])
    wanted = collections.defaultdict(collections.Counter)
    selfs = collections.defaultdict(collections.Counter)
    for node in report["tree"]:
        if node["parent"] is not None:
            wanted[key(node)][key(nodes[node["parent"]])] += node["calls"]
            selfs[key(node)][key(nodes[node["parent"]])] += node["self_ns"]
    outermost = {key(node) for node in report["tree"] if node["parent"] is None}
    for function, row in rows.items():
        assert {caller: part.calls for caller, part in row.callers.items()} == dict(wanted[function])
        assert {caller: part.self_ns for caller, part in row.callers.items()} == dict(selfs[function])
        if function not in outermost and row.calls == row.outermost:
            assert sum(part.total_ns for part in row.callers.values()) == row.total_ns
    by_name = {key[2]: row for key, row in rows.items()}
    fib = {caller[2]: part for caller, part in by_name["fib"].callers.items()}
    assert set(fib) == {"main", "fib"}
    assert fib["main"].total_ns == by_name["fib"].total_ns > fib["fib"].total_ns
    even = {caller[2]: part.calls for caller, part in by_name["even"].callers.items()}
    assert even == {"main": 2, "odd": 2 * (4 + 4) + 1, "<module>": 1}


def test_callgrind(recorded):
    folder, report = recorded
    file = save(folder, "callgrind")
    own, inclusive = annotated(file, False), annotated(file, True)
    busy = sum(thread["busy_ns"] for thread in report["threads"])
    process = next(name for name in inclusive if name.startswith("process:"))
    assert own.pop("PROGRAM TOTALS") == inclusive.pop("PROGRAM TOTALS") == inclusive[process] == (busy, busy)
    functions = functions_of(report)
    twins = collections.Counter((place, name) for place, _, name in functions)
    calls = collections.Counter()
    for _, callee, count, *_ in callgrind_calls(file.read_bytes()):
        calls[callee] += count
    for (place, line, name), row in functions.items():
        shown = "%s:%s" % (place, name) + (":%d" % line if twins[place, name] > 1 else "")
        assert own.pop(shown, (0, 0)) == (row["self_ns"],) * 2, shown
        assert inclusive[shown] == (row["total_ns"],) * 2, shown
        assert calls[shown] == row["calls"]
    assert any(place.endswith("program.py") and name.endswith("<lambda>") for place, name in twins)
    for name, (count, self_ns) in callees_of(report).items():
        assert own.pop("C:" + name, (0, 0)) == (self_ns,) * 2
        assert calls["C:" + name] == count
    assert set(own) <= {process}
    # A line of Python that calls C.
    assert any(caller.endswith(":raising") and callee == "C:list.pop" and PROGRAM.splitlines()[line - 1].strip() == "[].pop()"
               for caller, callee, _, line, *_ in callgrind_calls(file.read_bytes()))


def test_folded(recorded):
    folder, report = recorded
    stacks = folded(save(folder, "folded").read_bytes())
    own, total = collections.Counter(), collections.Counter()
    for stack, time in stacks.items():
        own[stack[-1]] += time
        for frame in set(stack):
            total[frame] += time
    for name in ("fib", "even", "odd", "total", "main", "order", "raising", "numbers"):
        row = next(row for row in report["functions"] if row["name"] == name)
        shown = "%s (program.py:%d)" % (name, row["line"])
        assert (own[shown], total[shown]) == (row["self_ns"], row["total_ns"])
    for name, (_, self_ns) in callees_of(report).items():
        assert own[name] == self_ns
    assert sum(stacks.values()) == sum(thread["busy_ns"] for thread in report["threads"])
    assert any(stack[-3:-1] == ("even (program.py:7)", "odd (program.py:10)") for stack in stacks)


def test_speedscope(recorded):
    folder, report = recorded
    file = json.loads(save(folder, "speedscope").read_text())
    check_speedscope(file)
    stacks = speedscope_stacks(file)
    own, total, threads = collections.Counter(), collections.Counter(), collections.Counter()
    for (thread, stack), time in stacks.items():
        own[stack[-1]] += time
        threads[thread] += time
        for frame in set(stack):
            total[frame] += time
    for key, row in functions_of(report).items():
        assert (own[key], total[key]) == (row["self_ns"], row["total_ns"]), key
    assert sorted(threads.values()) == sorted(thread["busy_ns"] for thread in report["threads"])
    assert [profile["name"].split(": ")[-1] for profile in file["profiles"]][0] == "MainThread"


def test_speedscope_by_its_schema(recorded, record):  # noqa: F811
    folder, _ = recorded
    package = speedscope_package()
    if not package:
        pytest.skip("speedscope's package cannot be had with npm here; check_speedscope knows the facts of its schema")
    schema, = package.glob("**/file-format-schema.json")
    python = pythons()[-1].with_packages(*READERS)
    files = [save(folder, "speedscope"), save(record(TRACE), "speedscope")]
    check = "import json, jsonschema, sys; s = json.load(open(sys.argv[1])); [jsonschema.Draft7Validator(s).validate(" \
            "json.load(open(file))) for file in sys.argv[2:]]"
    subprocess.run([python, "-c", check, str(schema), *map(str, files)], check=True)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.long
def test_speedscope_itself(recorded, tmp_path):
    """The application shows the first thread."""
    folder, _ = recorded
    package, browser = speedscope_package(), shutil.which("chromium")
    if not package or not browser:
        pytest.skip("speedscope's package, or Chromium, cannot be had here")
    page, = package.glob("**/release/index.html")
    shutil.copytree(str(page.parent), str(tmp_path / "www"))
    shutil.copy(str(save(folder, "speedscope")), str(tmp_path / "www" / "trace.json"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "www")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    where = "http://127.0.0.1:%d/" % server.server_port
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader",
                           "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                           "--user-data-dir=%s" % (tmp_path / "browser"), "--virtual-time-budget=20000", "--dump-dom",
                           where + "index.html#profileURL=" + where + "trace.json"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=120)
    server.shutdown()
    server.server_close()
    assert b": MainThread" in done.stdout and b"(1/2)" in done.stdout.replace(b"<!-- -->", b"")


SNAKEVIZ = """
import json, pstats, sys
from snakeviz.stats import json_stats, table_rows
stats = pstats.Stats(sys.argv[1])
assert len(table_rows(stats)) == len(stats.stats)
print(json.dumps(json_stats(stats)))
"""


def test_snakeviz(record):  # noqa: F811
    folder = record(TRACE)
    python = pythons()[-1].with_packages(*READERS)
    file = save(folder, "pstats")
    told = json.loads(subprocess.run([python, "-c", SNAKEVIZ, str(file)], stdout=subprocess.PIPE, check=True).stdout)
    rows = pstats_of(file)
    assert {name: one["stats"] for name, one in told.items()} == {
        "%s:%d(%s)" % key: [row.outermost, row.calls, row.self_ns / 1e9, row.total_ns / 1e9] for key, row in rows.items()}
    parent = next(name for name in told if "<parallel in exec_blas>" in name)
    assert any("<part: parallel in exec_blas>" in child for child in told[parent]["children"])


def test_gprof2dot(recorded):
    """It reads both forms that it knows, and draws the same calls."""
    folder, _ = recorded
    python = pythons()[-1].with_packages(*READERS)
    for form in ("pstats", "callgrind"):
        done = subprocess.run([python, "-m", "gprof2dot", "-f", form, "-n", "0", "-e", "0", str(save(folder, form))],
                              stdout=subprocess.PIPE, check=True)
        text = done.stdout.decode()
        assert re.search(r'label="[^"]*fib', text) and re.search(r'label="[^"]*list\.pop', text)


# OpenMP, in a trace whose events are written down.

def test_regions_beneath_their_lines(record):  # noqa: F811
    folder = record(TRACE)
    told = report_json(folder, "--openmp")
    regions = {row["python_line"]: row for row in told["regions"] if row["calls"] == 1}
    work = {line: row["thread_work_ns"] for line, row in regions.items()}
    calls = {call[:2]: call[2:] for call in callgrind_calls(save(folder, "callgrind").read_bytes())
             if not call[0].startswith("process:") and not (call[0].startswith("OpenMP:parallel") and not call[4])}
    main, solve, fit = APP + ":main", LINALG + ":solve", APP + ":fit"
    blas, heat = "OpenMP:parallel in exec_blas", "OpenMP:parallel in libheat.so+0x1234"
    count, line, own, threads = calls["C:numpy.linalg.gufunc", blas]
    assert (count, own) == (1, regions[12]["total_ns"])
    # What the other thread of the team did comes on top, but for its wait at the end.
    assert own + work[12][1] <= threads <= own + work[12][1] + own
    assert calls[solve, "C:numpy.linalg.gufunc"][:2] == (1, 409)
    assert calls[fit, heat][:3] == (1, 55, regions[55]["total_ns"])
    assert calls[main, fit][0] == 1
    inclusive = annotated(folder / "out.callgrind", True)
    functions = {row["name"]: row for row in told["functions"]}
    for shown, name in ((main, "main"), (solve, "solve"), (fit, "fit")):
        assert inclusive[shown][0] == functions[name]["total_ns"] < inclusive[shown][1]


def test_self_time_and_regions(record):  # noqa: F811
    """The report counts regions with what started them; profiles have them beneath it."""
    folder = record(TRACE)
    told = report_json(folder)
    rows = pstats_of(save(folder, "pstats"))
    within = collections.Counter()
    for key, row in rows.items():
        for caller, part in row.callers.items():
            if key[2].startswith("<parallel"):
                within[caller] += part.total_ns
    for key, row in functions_of(told).items():
        assert (rows[key].self_ns + within[key], rows[key].total_ns) == (row["self_ns"], row["total_ns"])
    call, = told["c_calls"]
    key = "~", 0, "<numpy.linalg.gufunc>"
    assert (rows[key].self_ns + within[key], rows[key].total_ns) == (call["self_ns"], call["total_ns"])
    part = rows["~", 0, "<part: parallel in exec_blas>"]
    assert (part.calls, list(part.callers)) == (2, [("~", 0, "<parallel in exec_blas>")])


def test_threads_of_a_team(record):  # noqa: F811
    folder = record(TRACE)
    stacks = speedscope_stacks(json.loads(save(folder, "speedscope").read_text()))
    shown = {(thread.split(": ")[-1], ">".join(frame[2] for frame in stack)) for thread, stack in stacks}
    above = "main>solve>numpy.linalg.gufunc>parallel in exec_blas>part: parallel in exec_blas"
    threads = {thread for thread, stack in shown if stack == above}
    assert len(threads) == 2 and "MainThread" in threads
    assert all((thread, above + ">wait: implicit barrier") in shown for thread in threads)
    assert {(thread, "main>fit>parallel in libheat.so+0x1234>part: parallel in libheat.so+0x1234")
            for thread in threads} <= shown
    both = folded(save(folder, "folded").read_bytes())
    assert sum(both.values()) == sum(stacks.values())
    assert {re.sub(r" \([^)]*:\d+\)", "", ">".join(stack)) for stack in both} == {stack for _, stack in shown}


OMP = """import ctypes

def note(turn):
    return sum(range(200))

def compute(library):
    library.run(4, ctypes.CFUNCTYPE(None, ctypes.c_int)(note))  # here

compute(ctypes.CDLL(%r))
"""


def test_a_program_with_openmp(newest, built, run_traced, tmp_path):  # noqa: F811
    """Native code that calls Python back, recorded; with Python's events, and without."""
    program = tmp_path / "program.py"
    program.write_text(OMP % str(built[1]))
    line = 1 + next(i for i, text in enumerate(OMP.splitlines()) if "# here" in text)
    for domains in ("python,openmp", "openmp"):
        trace = run_traced(newest, str(program), "--domains", domains, "--no-summary", "--lossless").folder
        stacks = folded(export(trace, "folded", "-q"))
        python = {stack for stack in stacks if stack[-1].startswith("part: ")}
        assert python and all(stack[:2] == ("<module> (program.py:1)", "compute (program.py:6)") for stack in python)
        calls = [call for call in callgrind_calls(export(trace, "callgrind", "-q"))
                 if call[1].startswith("OpenMP:parallel")]
        assert sum(call[2] for call in calls) == 4
        if domains == "openmp":
            assert {call[0].rsplit(":", 1)[-1] for call in calls} == {"compute"}
            assert {call[3] for call in calls} == {line}
        else:
            assert any(stack[-1] == "note (program.py:3)" and stack[-2].startswith("part: ") for stack in stacks)


# What is unusual.

def test_any_name(record):  # noqa: F811
    """Names of any bytes are valid text on one line, in each form the same."""
    strange = "a;b%09%22%5c%0ac%ff%ed%a0%80(1)%20%c3%a4"
    folder = record("code 7 7 %s /tmp/x;%%0ay.py 5 m\nfb %s /tmp/x;%%0ay.py 5 7 0 0\nsleep 100\n"
                    "fe %s /tmp/x;%%0ay.py 5 7 0 0\n" % ((strange,) * 3))
    shown = 'a;b\\x09"\\\\x0ac\\xff\\xed\\xa0\\x80(1) \u00e4'
    file = "/tmp/x;\\x0ay.py"
    assert set(pstats_of(save(folder, "pstats"))) == {(file, 5, shown)}
    assert file + ":" + shown in annotated(save(folder, "callgrind"), False)
    speedscope = json.loads(save(folder, "speedscope").read_text())
    check_speedscope(speedscope)
    assert speedscope["shared"]["frames"] == [{"name": shown, "file": file, "line": 5}]
    stack, = folded(save(folder, "folded").read_bytes())
    assert stack == ((shown + " (x;\\x0ay.py:5)").replace(";", "\\x3b"),)


def test_standard_output(recorded):
    folder, _ = recorded
    for form in FORMS:
        assert export(folder / "trace", form) == save(folder, form).read_bytes()


def test_nothing_recorded(recorded, tmp_path):
    """Readers open it."""
    folder, _ = recorded
    for form in FORMS:
        export(folder / "trace", form, "--process", "1", output=tmp_path / form)
    row, = pstats_of(tmp_path / "pstats").items()
    assert row[0] == ("~", 0, "<nothing was recorded>") and row[1][:4] == (0, 0, 0, 0)
    assert list(annotated(tmp_path / "callgrind", False).values()) == [(0, 0)]
    check_speedscope(json.loads((tmp_path / "speedscope").read_text()))
    assert (tmp_path / "folded").read_bytes() == b""


def test_damaged(recorded, tmp_path):
    folder, _ = recorded
    shutil.copytree(str(folder / "trace"), str(tmp_path / "trace"))
    largest, names = None, []
    for where, _, files in os.walk(str(tmp_path / "trace")):
        names += [os.path.join(where, name) for name in files]
    largest = max((name for name in names if not re.search("metadata|index|idx", name)), key=os.path.getsize)
    os.truncate(largest, os.path.getsize(largest) * 2 // 3)
    for name in names:
        if name.endswith(".idx"):
            os.unlink(name)
    for form in FORMS:
        export(tmp_path / "trace", form, "-q", output=tmp_path / form, rc=1)
    rows = pstats_of(tmp_path / "pstats")
    assert rows
    total = sum(row.self_ns for row in rows.values())
    assert annotated(tmp_path / "callgrind", False)["PROGRAM TOTALS"] == (total, total)
    assert sum(folded((tmp_path / "folded").read_bytes()).values()) == total
    speedscope = json.loads((tmp_path / "speedscope").read_text())
    check_speedscope(speedscope)
    assert sum(speedscope_stacks(speedscope).values()) == total
