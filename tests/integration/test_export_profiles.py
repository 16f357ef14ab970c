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
from support.profiles import (FORMS, annotated, callgrind_calls, check_speedscope, export, folded, functions_of, pstats_of,
                              pythons_with_pstats, save, speedscope_package, speedscope_stacks)
from support.pythons import pythons

from test_report_control import report_json
from test_report_openmp import START, TRACE  # noqa: F401

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


def record_program(folder, names, mode="TRACING"):
    """(folder, what the report says of it) of PROGRAM, its trace in `trace`."""
    if not pythons():
        places.missing("a CPython that an extension was built for")
    (folder / "program.py").write_text(PROGRAM)
    done = subprocess.run([places.COMMAND, "run", "-o", str(folder / "trace"), "--lossless", "--no-summary", "--names", names, "--mode", mode,
                           "--events", "function,c_call", "--", pythons()[-1].path, str(folder / "program.py")], stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return folder, report_json(folder, "--tree")


@pytest.fixture(scope="module", params=["TRACING", "MONITORING"])
def recorded(request, tmp_path_factory):
    return record_program(tmp_path_factory.mktemp("profiles"), "inline", request.param)


def callees_of(report):
    """{name: (calls, self_ns)} of C callables."""
    found = collections.defaultdict(lambda: [0, 0])
    for row in report["c_calls"]:
        found[row["name"]][0] += row["calls"]
        found[row["name"]][1] += row["self_ns"]
    return {name: tuple(counts) for name, counts in found.items()}


# A program of Python and C calls: every total.

def about(report, ns):
    """Times that MONITORING counted are rounded path by path, and for each function once more."""
    return pytest.approx(ns, abs=1000) if any(row["counted_calls"] for row in report["functions"]) else ns


def test_pstats(recorded):
    folder, report = recorded
    file = save(folder, "pstats")
    rows = pstats_of(file)
    for python in pythons_with_pstats():
        assert pstats_of(file, python) == rows, python
    functions = functions_of(report)
    assert {key for key in rows if key[0] != "~"} == set(functions)
    for key, row in functions.items():
        assert rows[key].calls == row["calls"], key
        assert rows[key][2:4] == (about(report, row["self_ns"]), about(report, row["total_ns"])), key
    callees = callees_of(report)
    assert {key[2] for key in rows if key[0] == "~"} == {"<%s>" % name for name in callees}
    for name, counts in callees.items():
        row = rows["~", 0, "<%s>" % name]
        assert (row.calls, row.self_ns) == (counts[0], about(report, counts[1]))
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


def test_callers_in_other_threads(record):
    """A region calls the parts of its team, in whatever threads they run."""
    rows = pstats_of(save(record(TRACE), "pstats"))
    part, = [row for key, row in rows.items() if key[2] == "<part: parallel in exec_blas>"]
    caller, = part.callers.values()
    assert part.calls > 1 and caller[:4] == part[:4]


def test_callgrind(recorded):
    folder, report = recorded
    file = save(folder, "callgrind")
    own, inclusive = annotated(file, False), annotated(file, True)
    busy = sum(thread["busy_ns"] for thread in report["threads"])
    process = next(name for name in inclusive if name.startswith("process:"))
    assert own.pop("PROGRAM TOTALS") == inclusive.pop("PROGRAM TOTALS") == inclusive[process]
    assert inclusive[process] == (about(report, busy),) * 2
    functions = functions_of(report)
    namesakes = collections.Counter((place, name) for place, _, name in functions)
    calls = collections.Counter()
    for _, callee, count, *_ in callgrind_calls(file.read_bytes()):
        calls[callee] += count
    for (place, line, name), row in functions.items():
        shown = "%s:%s" % (place, name) + (":%d" % line if namesakes[place, name] > 1 else "")
        assert own.pop(shown, (0, 0)) == (about(report, row["self_ns"]),) * 2, shown
        assert inclusive[shown] == (about(report, row["total_ns"]),) * 2, shown
        # A generator that is ended before its first line is not called; the format has no arc without a call.
        assert calls[shown] == row["calls"] or row["calls"] == 0
    assert any(place.endswith("program.py") and name.endswith("<lambda>") for place, name in namesakes)
    for name, (count, self_ns) in callees_of(report).items():
        assert own.pop("C:" + name, (0, 0)) == (about(report, self_ns),) * 2
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
        assert (own[shown], total[shown]) == (about(report, row["self_ns"]), about(report, row["total_ns"]))
    for name, (_, self_ns) in callees_of(report).items():
        assert own[name] == about(report, self_ns)
    assert sum(stacks.values()) == about(report, sum(thread["busy_ns"] for thread in report["threads"]))
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
        assert (own[key], total[key]) == (about(report, row["self_ns"]), about(report, row["total_ns"])), key
    busy = sorted(thread["busy_ns"] for thread in report["threads"])
    assert [about(report, ns) for ns in busy] == sorted(threads.values())
    assert [profile["name"].split(": ")[-1] for profile in file["profiles"]][0] == "MainThread"


def test_names_in_a_registry(tmp_path):
    made = record_program(tmp_path, "registry")
    test_pstats(made)
    test_callgrind(made)
    test_speedscope(made)


def test_speedscope_by_its_schema(recorded, record):
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


def test_snakeviz(record):
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


# What is unusual.

def test_any_name(record):
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


def test_standing_still(record):
    """The time of an introspection, in which the program waits, is in no profile, as it is in no report."""
    folder = record("code 7 7 work /tmp/x.py 5 m\nfb work /tmp/x.py 5 7 0 0\n"
                    "look 0 1 window 0 /tmp/look.sh\nsleep 300000\nlooked 0 1 - 0 0 1 0 0 3 -\n"
                    "fe work /tmp/x.py 5 7 0 0\n")
    function, = report_json(folder)["functions"]
    row, = pstats_of(save(folder, "pstats")).values()
    assert row[:4] == (1, 1, function["self_ns"], function["total_ns"])
    assert function["total_ns"] < 300e6


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
