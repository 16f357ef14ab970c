"""What `pinsight report` and `pinsight dump` say of control and of imports, in traces whose events are written
down here."""
import csv
import io
import json
import os
import subprocess

import pytest

from support import places

from test_golden import compare, normalised

START = "process 0 python3%20app.py\nthread 0 4711 0 MainThread\ndomain 0 Python CPython%203.12.1 sys.monitoring\n"


def report(folder, *options):
    done = subprocess.run([places.COMMAND, "report", "trace", *options], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=dict(os.environ, COLUMNS="220"))
    assert done.returncode == 0, done.stderr
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def report_json(folder, *options):
    return json.loads(report(folder, "--format", "json", *options)[0])


CONTROL = """
code 1 1 step /home/me/heat/solver.py 10 solver
fb step /home/me/heat/solver.py 10 1 0 0
sleep 1000
fe step /home/me/heat/solver.py 10 1 0 0
fb step /home/me/heat/solver.py 10 1 0 0
sleep 1000
fe step /home/me/heat/solver.py 10 1 0 0
window 0 Python 0 3 third /home/me/heat/solver.py 50 200 40 1 /home/me/hpc.ini:20 MONITORING
window 0 Python 1 3 numpy.dot <C> 0 7 7 0 default Python:STANDBY
mode 0 Python 2 api
config 0 2 /home/me/hpc.ini signal 0 module_filter,%20max_num_traces
config 0 2 /home/me/hpc.ini signal 1 hpc.ini:3:5:%20unknown%20key%20%22max_traces%22
config 0 2 /home/me/hpc.ini signal 1 hpc.ini:3:5:%20unknown%20key%20%22max_traces%22
look 0 1 step 5000000000 ./look.sh
sleep 20000
looked 0 1 /x/archives/20261121T002906+0000-20261121T002907+0000-0 0 0 4 1 1 3 -
look 0 2 ctl 0 ./look.sh
looked 0 2 - 4 -1000 0 0 0 3 the%20rotation%20took%20longer%20than%2010%20s
look 0 3 ctl -1 -
profile 0 4711 0 0 1 step /home/me/heat/solver.py 10 400 1000000 900000
profile 0 4711 0 0 3 third /home/me/heat/solver.py 50 40 2000000 900000
totals 0 Python 0 0 0 0 20
""" + "".join("window 0 Python 0 %d f%d /home/me/heat/many.py %d 110 100 0 /home/me/hpc.ini:12 STANDBY\n" % (n, n, n)
              for n in range(10, 310))


@pytest.mark.alone
def test_screen(record):
    folder = record(CONTROL)

    def screen():
        return normalised(report(folder)[0], "python3", str(folder))
    compare("control", screen)


def test_windows(record):
    told = report_json(record(CONTROL))
    assert len(told["windows"]) == 302
    assert told["windows"][0] == {
        "time_ns": told["windows"][0]["time_ns"], "pid": told["processes"][0]["pid"], "domain": "Python",
        "kind": "function", "name": "third", "file": "/home/me/heat/solver.py", "line": 50, "executions": 200,
        "recorded": 40, "cause": "window_timeout", "rule": "/home/me/hpc.ini:20", "after": "MONITORING"}
    assert (told["windows"][1]["kind"], told["windows"][1]["file"]) == ("c_call", None)
    assert told["not_recorded"]["outside_windows"] == 20
    assert told["not_recorded"]["windows_ended"] == 302


def test_counted_beside_traced(record):
    rows = {row["name"]: row for row in report_json(record(CONTROL))["functions"]}
    step, third = rows["step"], rows["third"]
    assert (step["calls"], step["counted_calls"]) == (402, 400)
    assert (step["counted_total_ns"], step["counted_self_ns"]) == (1000000, 900000)
    assert step["total_ns"] - step["counted_total_ns"] >= 2 * 1000000
    assert (third["calls"], third["counted_calls"], third["min_ns"]) == (40, 40, None)


def test_changes(record):
    told = report_json(record(CONTROL))
    changes = told["changes"]
    assert [change["kind"] for change in changes] == ["mode"] + 3 * ["configuration"] + 3 * ["introspection"]
    times = [change["time_ns"] for change in changes]
    assert times == sorted(times) and times[0] >= told["trace"]["begin_ns"]
    assert (changes[0]["from"], changes[0]["to"], changes[0]["reason"]) == ("TRACING", "MONITORING", "api")
    assert (changes[2]["failed"], changes[2]["message"]) == (True, 'hpc.ini:3:5: unknown key "max_traces"')
    first, second, third = changes[4:]
    assert 20e6 <= first["duration_ns"] < 5e9
    assert (first["end"], first["status"], first["mode"], first["reloaded"]) == ("script_ended", 0, "TRACING", True)
    assert (first["threads_stopped"], first["threads_running"]) == (4, 1)
    assert (second["end"], second["status"], second["chunk"]) == ("failed", None, None)
    assert (third["end"], third["pause_limit_ns"], third["script"]) == (None, -1, None)


@pytest.mark.parametrize("stopped, running, told", [
    (0, 0, "status 0; then"), (1, 0, "; 1 thread stopped; then"), (3, 0, "; 3 threads stopped; then"),
    (1, 2, "; 1 thread stopped, 2 ran on; then"), (0, 1, "; 0 threads stopped, 1 ran on; then")])
def test_threads_of_an_introspection(stopped, running, told, record):
    text = report(record("look 0 1 ctl 5000000000 ./look.sh\nlooked 0 1 - 0 0 %d %d 0 3 -\n" % (stopped, running)))[0]
    (line,) = [line for line in text.splitlines() if "introspection 1 (ctl)" in line]
    assert told in line


@pytest.mark.parametrize("sort, first, told", [
    ("self", "slow", "with their libraries"), ("calls", "often", "with their libraries, by calls"),
    ("name", "often", "with their libraries, by name"), ("min", "slow", "with their libraries")])
def test_your_functions_are_sorted(sort, first, told, record):
    """The shortest call is in no column of this table, which stays in its own order."""
    call = "fb {0} /home/me/app.py {1} {1} 0 0\nsleep {2}\nfe {0} /home/me/app.py {1} {1} 0 0\n"
    text = report(record(call.format("slow", 3, 20000) + 3 * call.format("often", 9, 10)), "--sort", sort)[0]
    table = text.split("Your functions")[1].split("\n\n")[0].splitlines()
    assert table[0].strip() == told and " %s " % first in table[2], table


def test_processes_that_change_alike(record):
    """A reload in each of 20 processes is one line."""
    folder = record("".join("process %d python3%%20app.py\nconfig %d 2 hpc.ini signal 0 module_filter\n"
                            "mode %d Python 1 config\n" % (pid, pid, pid) for pid in range(1000, 1020)))
    text = report(folder)[0]
    assert text.count("came into force") == 1
    assert "20 processes: configuration hpc.ini came into force (signal): module_filter" in text
    assert "20 processes: Python: TRACING → STANDBY (config)" in text


IMPORTS = """
ib numpy 0
sleep 80000
ib numpy._core 0
sleep 3000
ie numpy._core 0 0
ib numpy.missing 0
ie numpy.missing 0 1
sleep 500
ie numpy 0 0
ib json 0
sleep 1000
ie json 0 0
"""


def test_imports(record):
    folder = record(IMPORTS)
    rows = report_json(folder, "--imports")["imports"]
    assert sorted((row["module"], row["depth"], row["failed"]) for row in rows) == [
        ("json", 0, 0), ("numpy", 0, 0), ("numpy._core", 1, 0), ("numpy.missing", 1, 1)]
    # The longest first, and each before those within it; a sleep may take longer than it was asked to.
    assert [row["total_ns"] for row in rows if not row["depth"]] == sorted((row["total_ns"] for row in rows if not row["depth"]), reverse=True)
    assert [row["module"] for row in rows if row["module"] != "json"] == ["numpy", "numpy._core", "numpy.missing"]
    by_name = {row["module"]: row for row in rows}
    numpy, core, missing = (by_name[name] for name in ("numpy", "numpy._core", "numpy.missing"))
    assert core["parent"] == missing["parent"] == numpy["id"] and numpy["parent"] is None
    assert numpy["self_ns"] == numpy["total_ns"] - core["total_ns"] - missing["total_ns"]
    assert 3e6 <= core["self_ns"] == core["total_ns"] < 1e9
    table = list(csv.DictReader(io.StringIO(report(folder, "--imports", "--format", "csv")[0])))
    assert [row["module"] for row in table] == [row["module"] for row in rows]
    assert [int(row["self_ns"]) for row in table] == [row["self_ns"] for row in rows]

    def screen():
        text = report(folder, "--imports", "--threshold", "0")[0]
        return normalised(text, "python3", str(folder))
    compare("imports", screen)
    assert "imports" not in report_json(folder)


def test_imports_that_are_not_there(record):
    folder = record("fb f a.py 1 1 0 0\nfe f a.py 1 1 0 0\n")
    text, _ = report(folder, "--imports")
    assert "No import was recorded" in text.replace("\n   ", " ")
    text, said = report(folder, "--imports", "--format", "json")
    assert json.loads(text)["imports"] == [] and "No import was recorded" in said
    done = subprocess.run([places.COMMAND, "report", "trace", "--imports", "--tree"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"--imports does not go with --tree" in done.stderr


def test_dump(record):
    folder = record(CONTROL + IMPORTS)
    lines = subprocess.run([places.COMMAND, "dump", "trace"], cwd=folder, stdout=subprocess.PIPE, check=True,
                           encoding="utf-8").stdout.splitlines()

    def one(*words):
        found = [line for line in lines if all(word in line for word in words)]
        assert found, words
        return found[0]
    one("window_end", 'kind=function', 'name="third"', "cause=window_timeout", 'after="MONITORING"')
    one("config_change", "failed=1", "unknown key")
    one("introspect_begin", "number=1", "pause_ns=5000000000", 'script="./look.sh"')
    one("introspect_end", "how=script_ended", "threads_stopped=4", "mode=TRACING")
    one("domain_totals", "outside=20")
    one(":0  import_begin", 'module="numpy._core"')
    one("import_end", 'module="numpy.missing"', "how=raise")
    events = [json.loads(line) for line in subprocess.run(
        [places.COMMAND, "dump", "trace", "--format", "json", "--thread", "0"], cwd=folder, stdout=subprocess.PIPE,
        check=True).stdout.splitlines()]
    assert [event["fields"]["module"] for event in events if event["event"] == "import_begin"] == [
        "numpy", "numpy._core", "numpy.missing", "json"]


NAMES = [("step", "/home/me/heat/solver.py"), ("Solver.step.<locals>.<lambda>", "/home/me/heat/solver.py"),
         ("<module>", "<frozen importlib._bootstrap>"), ("f", "/a b/c(d.py"), ("f", "/x/[1]/e.py"), ("f", "/x/1/e.py"),
         ("g*", "/x/?.py"), ("g", "/x/y.py"), ("h", '/x/"quoted"#;,=.py'), ("h", "/x/back\\slash.py"),
         ("ü.ñ", "/x/ß.py"), ("a:b", "C:/x.py"), ("i", "<string>"), ("j", "/x/it's.py")]
CALLEES = ["numpy.dot", "list.append", "weird.[a*]", "with space", "a:b"]


def coded(text):
    return "".join("%%%02x" % byte if byte in b' %"' or byte > 126 else chr(byte) for byte in text.encode())


def test_names_that_go_into_a_configuration(record, tmp_path):
    """`lexgion` of the report, put between parentheses, selects that function and no other."""
    script = "".join("fb {0} {1} 3 {2} 0 0\nfe {0} {1} 3 {2} 0 0\n".format(coded(name), coded(file), number)
                     for number, (name, file) in enumerate(NAMES, 1))
    script += "".join("cb main {0} /m.py 5 99 0\nce main {0} /m.py 5 99 0 0\n".format(coded(name)) for name in CALLEES)
    script += "fb bad%01 /x.py 3 98 0 0\nfe bad%01 /x.py 3 98 0 0\n"
    told = report_json(record(script))
    regions = {"%s:%s" % (row["file"], row["name"]): row["lexgion"] for row in told["functions"]}
    assert regions.pop("/x.py:bad\x01") is None
    regions.update(("c:" + row["name"], row["lexgion"]) for row in told["c_calls"])
    assert len(regions) == len(NAMES) + len(CALLEES)
    assert regions["/home/me/heat/solver.py:step"] == "Python:/home/me/heat/solver.py:step"
    assert regions["c:numpy.dot"] == "Python:c:numpy.dot"
    file = tmp_path / "narrow.ini"
    file.write_text("[Lexgion.default]\nmax_num_traces = 7\n" + "".join(
        "[Lexgion(%s)]\nmax_num_traces = %d\n" % (lexgion, 1000 + number)
        for number, lexgion in enumerate(regions.values())))
    done = subprocess.run([places.COMMAND, "config", "check", str(file)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    for number, region in enumerate(regions):
        if region.endswith(":a:b") and not region.startswith("c:"):
            continue  # what --for takes for the file's end
        shown = subprocess.run([places.COMMAND, "config", "show", "-c", str(file), "--for", "Python:" + region],
                               stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
        line, = [line for line in shown.splitlines() if line.split()[:1] == ["max_num_traces"]]
        assert " %d " % (1000 + number) in line + " ", (region, shown)
