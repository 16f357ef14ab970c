"""[Python.punit.process]: processes by number and by name. The program itself says which process did what."""
import json
import re
import subprocess

import pytest

from support import places

PROGRAM = """
import json, multiprocessing, os, sys

def work(path):
    for _ in range(10):
        leaf()
    with open("%s/%d" % (path, os.getpid()), "w") as file:
        file.write(multiprocessing.current_process().name)

def leaf():
    pass

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    path = sys.argv[2]
    names = [None, "loader-1", None, "loader-2"]
    processes = [context.Process(target=work, args=(path,), name=name) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    work(path)
"""


def leaves(traced):
    """{pid: how often leaf() was recorded}"""
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", "--by", "thread", str(traced.folder)], stdout=subprocess.PIPE, check=True)
    found = {}
    for process in json.loads(done.stdout)["processes"]:
        one = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", "--process", str(process["pid"]), str(traced.folder)], stdout=subprocess.PIPE, check=True)
        found[process["pid"]] = sum(row["calls"] for row in json.loads(one.stdout)["functions"] if row["name"].split(".")[-1] == "leaf")
    return {pid: calls for pid, calls in found.items() if calls}


def run(run_traced, python, folder, choice, method, *options, env=None):
    told = folder / "told"
    told.mkdir()
    (folder / "choice.ini").write_text("[Python.punit.process]\nrange = %s\n" % choice)
    traced = run_traced(python, PROGRAM, "-c", str(folder / "choice.ini"), *options, file="work.py", arguments=(method, str(told)), env=env)
    # The name of a process begins with the word of its method.
    return traced, {int(path.name): re.sub("^(Fork|Spawn|ForkServer)Process", "Process", path.read_text()) for path in told.iterdir()}


CHOICES = {"0": {"MainProcess"}, "1": {"Process-1"}, "1-3": {"Process-1", "loader-1", "Process-3"}, "loader-*": {"loader-1", "loader-2"},
           "0, loader-2": {"MainProcess", "loader-2"}, '"*Process-3", 2': {"Process-3", "loader-1"}, "nobody": set(),
           "*": {"MainProcess", "Process-1", "loader-1", "Process-3", "loader-2"}}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_choices(choice, method, one_of_each, run_traced, tmp_path):
    traced, names = run(run_traced, one_of_each, tmp_path, choice, method)
    assert sorted(names.values()) == ["MainProcess", "Process-1", "Process-3", "loader-1", "loader-2"]
    found = leaves(traced)
    assert {names[pid] for pid in found} == CHOICES[choice]
    assert set(found.values()) <= {10}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_every_method_in_every_python(method, python, run_traced, tmp_path):
    traced, names = run(run_traced, python, tmp_path, "2, loader-2", method)
    assert {names[pid]: calls for pid, calls in leaves(traced).items()} == {"loader-1": 10, "loader-2": 10}
    assert "range of processes = 2,loader-2" in " ".join(traced.report_text().split())


def test_counted(one_of_each, run_traced, tmp_path):
    traced, names = run(run_traced, one_of_each, tmp_path, "loader-1", "fork", "--mode", "MONITORING")
    assert {names[pid]: calls for pid, calls in leaves(traced).items()} == {"loader-1": 10}


def test_the_plain_form_says_that_it_cannot(newest, run_traced, tmp_path):
    traced, names = run(run_traced, newest, tmp_path, "loader-1", "fork", env={"PINSIGHT_PLAIN": "1"})
    assert "[Python.punit.process] selects no processes" in traced.stderr


TITLES = """
import os, sys, setproctitle
def before(): pass
def within(): pass
def after(): pass
before()
setproctitle.setproctitle("solver: iterating")
within()
setproctitle.setproctitle("idle")
after()
"""


def test_titles(one_of_each, run_traced, tmp_path):
    (tmp_path / "choice.ini").write_text('[Python.punit.process]\nrange = "solver: *"\n')
    try:
        one_of_each.with_packages("setproctitle")
    except Exception as error:  # whatever pip says
        pytest.skip("setproctitle cannot be installed: %s" % str(error)[-200:])
    traced = run_traced(one_of_each, TITLES, "-c", str(tmp_path / "choice.ini"), packages=("setproctitle",), file="titles.py")
    assert {row["name"] for row in traced.report()["functions"]} & {"before", "within", "after"} == {"within"}


@pytest.mark.parametrize("text, told", [
    ("[Python.punit.process]\nrange = 3-1\n", "the range '3-1' ends before it begins; did you mean '1-3'?"),
    ("[Python.punit.process]\nrange = *, loader\n", "'*' is all, and stands alone in a range"),
    ("[Python.punit.thread]\nrange = loader\n", "'loader' is not a range; write numbers"),
    ("[Python.punit.proces]\nrange = 0\n", "did you mean 'process'?"),
    ("[OpenMP] : Python.process(loader)\ntrace_mode = OFF\n", "a section cannot be limited to a process of Python"),
])
def test_bad_input(text, told, tmp_path):
    (tmp_path / "bad.ini").write_text(text)
    done = subprocess.run([places.COMMAND, "config", "check", str(tmp_path / "bad.ini")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    assert done.returncode != 0 and told in done.stdout, done.stdout


def test_it_is_shown_as_written(tmp_path):
    (tmp_path / "choice.ini").write_text('[Python.punit.process]\nrange = 0, loader-*, "7", "a, b"\n')
    shown = subprocess.run([places.COMMAND, "config", "check", str(tmp_path / "choice.ini")], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    assert 'process 0,loader-*,"7","a, b" only' in shown, shown
