#!/usr/bin/env python3
"""Records solve.py with a build that has the domain Toy, and looks at what every verb makes of it.

    check.py BUILD
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
SOLVE_LINE, WAIT_LINE = (1 + HERE.joinpath("solve.py").read_text().split("\n").index("        toy.toy_solve(10 * (turn + 1))"),
                         1 + HERE.joinpath("solve.py").read_text().split("\n").index("    toy.toy_wait(5)"))


def pinsight(*words, status=0, **environment):
    done = subprocess.run([str(BUILD / "bin" / "pinsight"), *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, env=dict(os.environ, **environment))
    assert done.returncode == status, done.stderr
    return done


def record(folder, *options, **environment):
    done = pinsight("run", "-o", folder, *options, "--", sys.executable, HERE / "solve.py",
                    BUILD / "examples" / "libtoy.so", **environment)
    assert done.stdout == "solved\n"
    return done.stderr


def report(folder, *options):
    return json.loads(pinsight("report", folder, "--format", "json", *options).stdout)


def functions(folder):
    return {row["name"]: row for row in report(folder)["toy"]["functions"]}


def begins(folder, function):
    return sum("  " + function + "_begin " in line for line in pinsight("dump", folder).stdout.splitlines())


def check_report(trace, summary):
    """The summary's bar and line, the table, and the lines of Python that caused the calls."""
    assert "Toy waiting" in summary and " in 21 calls, of it " in summary, summary
    assert "Toy calls" in pinsight("report", trace).stdout
    told = functions(trace)
    assert (told["toy_solve"]["calls"], told["toy_solve"]["waits"]) == (20, False)
    assert (told["toy_wait"]["calls"], told["toy_wait"]["waits"]) == (1, True)
    lines = {(line["line"], line["toy"]["calls"]) for line in report(trace, "--links")["links"]["lines"] if line["toy"]["calls"]}
    assert lines == {(SOLVE_LINE, 20), (WAIT_LINE, 1)}


def check_exports(trace, folder):
    pinsight("export", "--to", "csv", "-o", folder / "t.csv", trace)
    with open(folder / "t.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["category"] == "toy"]
    assert [row["name"] for row in rows] == 20 * ["toy_solve"] + ["toy_wait"]
    assert {int(row["line"]) for row in rows} == {SOLVE_LINE, WAIT_LINE}
    pinsight("export", "--to", "perfetto", "-o", folder / "t.pftrace", trace)
    assert b"toy_solve" in (folder / "t.pftrace").read_bytes()
    pinsight("export", "--to", "folded", "-o", folder / "t.folded", trace)
    assert ";refine (solve.py:9);ctypes.toy_solve;toy_solve " in (folder / "t.folded").read_text()


def check_configuration(folder):
    """--domains, a window of the domain's and one of a function's, a mode, and a mistake."""
    record(folder / "toy", "-q", "--domains", "toy")
    assert begins(folder / "toy", "toy_solve") == 20 and begins(folder / "toy", "function") == 0
    record(folder / "python", "-q", "--domains", "python")
    assert begins(folder / "python", "toy_solve") == 0
    rules = folder / "toy.ini"
    rules.write_text("[Toy]\n    events = solve\n[Lexgion.Toy]\n    max_num_traces = 7\n")
    record(folder / "window", "-q", "-c", rules)
    assert begins(folder / "window", "toy_solve") == 7 and begins(folder / "window", "toy_wait") == 0
    rules.write_text("[Lexgion(Toy:toy_solve)]\n    max_num_traces = 3\n")
    record(folder / "function", "-q", "-c", rules)
    assert begins(folder / "function", "toy_solve") == 3 and begins(folder / "function", "toy_wait") == 1
    rules.write_text("[Toy]\n    trace_mode = MONITORING\n")
    record(folder / "counted", "-q", "-c", rules)
    assert begins(folder / "counted", "toy_solve") == 0
    assert functions(folder / "counted")["toy_solve"]["calls"] == 20
    record(folder / "off", "-q", PINSIGHT_TRACE_TOY="OFF")
    assert begins(folder / "off", "toy_wait") == 0
    rules.write_text("[Toy]\n    events = slove\n")
    assert "did you mean 'solve'?" in pinsight("config", "check", rules, status=1).stderr


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    summary = record(folder / "trace")
    check_report(folder / "trace", summary)
    check_exports(folder / "trace", folder)
    check_configuration(folder)
