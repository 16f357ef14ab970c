"""`pinsight export --to ctf`: a trace that tells all that the first one does, with names in its events."""
import collections
import json
import os
import subprocess

import pytest

from support import cuda, everything, made, mpi, openmp, places, traces
from support.decoder import compare, listed, parsed

from test_decoder import PROGRAM, record, rotated



def export(trace, folder, *options):
    return subprocess.run([places.COMMAND, "export", "--to", "ctf", *options, str(trace), "-o", str(folder)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace", timeout=120)


def report(trace, *options):
    done = subprocess.run([places.COMMAND, "report", "--format", "json", *options, str(trace)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.decode("utf-8", "surrogateescape"))
    # What is of the trace's files, not of what happened. Names of earlier chunks are events of the exported one.
    for key in ("path", "bytes", *(("events",) if told["trace"]["later_chunk"] else ())):
        del told["trace"][key]
    return told


TABLES = ([], ["--by", "thread"], ["--by", "module"], ["--tree"], ["--imports"], ["--links"], ["--openmp"], ["--mpi"], ["--gil"], ["--cuda"],
          ["--locks"], ["--tasks"])


def assert_same_tables(trace, folder, tables=TABLES):
    """The exported trace is sound, has no numbers for names, and tells what the first one tells."""
    done = export(trace, folder)
    assert done.returncode == 0, done.stderr
    for options in tables:
        ours, theirs = report(trace, *options), report(folder, *options)
        assert ours.keys() == theirs.keys()
        for key in ours:
            assert ours[key] == theirs[key], (options, key)
    lines, _ = listed(folder)
    assert not {line.split(" ")[1].split(":")[1] for line in lines} & set(traces.REGISTRY)
    assert len(lines) == len(listed(trace)[0])  # names of earlier chunks among them
    return folder


HOW = [["file"], ["lttng", "--names", "inline"], ["lttng", "--names", "registry"]]


@pytest.mark.parametrize("how", HOW, ids="-".join)
def test_python(how, newest, tmp_path):
    """Threads and a forked process; every way to read it agrees, and each event names the code of its function."""
    (tmp_path / "program.py").write_text(PROGRAM + "import json, sys\n[json.dumps(n) for n in range(3)]\n"
                                         "len((lambda: list(map(lambda n: len(str(n)), range(3))))())\n"
                                         "os.execv(sys.executable, [sys.executable, '-c', 'print(len([1]))'])\n")
    trace = record(tmp_path, [newest.path, tmp_path / "program.py"], "--recorder", *how)
    folder = assert_same_tables(trace, tmp_path / "exported")
    compare(folder)
    told = traces.Trace(folder)
    told.assert_balanced(ended_by_force=True)
    assert told.calls("branch") == traces.Trace(trace).calls("branch") > 100
    (text,) = {event.fields["filename"] for event in traces.events(folder)
               if event.name == "function_begin" and event.fields["qualname"] == "branch"}
    assert text == str(tmp_path / "program.py")


@pytest.mark.parametrize("recorder", ["file", "lttng"])
def test_openmp(recorder, tmp_path):
    program = openmp.build("clang", ["tasks"]) / "tasks"
    trace = record(tmp_path, [program], "--recorder", recorder, OMP_NUM_THREADS="3")
    compare(assert_same_tables(trace, tmp_path / "exported"))


@pytest.mark.parametrize("recorder", ["file", "lttng"])
def test_mpi(recorder, flavour, tmp_path):
    program = flavour.compile(places.PROGRAMS / "mpi_patterns.c", tmp_path / "patterns")
    trace = record(tmp_path, flavour.command(2, program, "all"), "--recorder", recorder, **mpi.ENVIRONMENT)
    compare(assert_same_tables(trace, tmp_path / "exported"))


def test_loss(tmp_path):
    """Of each process as many events are said to be lost as before."""
    trace = made.Trace(tmp_path / "trace")
    for pid in (70, 80):
        process = trace.process(pid)
        process.code(1, "work", "/a/program.py", 3)
        thread = process.thread(pid + 1)
        for at in range(100):
            thread.function(100 + 20 * at, 110 + 20 * at, 1)
        trace.loses(pid, pid + 1, 500, 7)
    trace.loses(70, 71, 900, 5)
    folder = assert_same_tables(trace.write(), tmp_path / "exported")
    assert " discarded 19 0 " in listed(folder)[1][0]
    assert traces.discarded(folder) == traces.discarded(tmp_path / "trace") == 19


@pytest.mark.parametrize("seed", range(2))
def test_every_event(seed, tmp_path):
    """With names of any bytes, and of two processes in one buffer. Times of devices are of the exported trace's clock."""
    trace = everything.write(tmp_path / "trace", seed=seed)
    assert export(trace, tmp_path / "exported").returncode == 0
    told = []
    for folder, ahead in ((trace, made.ns(0)), (tmp_path / "exported", 0)):
        events = [parsed(line) for line in listed(folder)[0]]
        for event in events:
            for key in {"start", "end"} & set(event[4]) | ({"time"} if event[1] == "cudaMemPoolActivity" else set()):
                ns = event[4][key] + ahead if event[4][key] else 0
                event[4][key] = ns if ns < 2**63 else 0  # of no clock
        told.append(events)
    named = {"begin": "function_begin", "end": "function_end", "c_begin": "c_call_begin", "c_end": "c_call_end"}
    # What says that a call is open becomes its begin, or nothing where that is known.
    opens = collections.Counter(event[0] for event in told[0] if event[1] in ("open", "c_open"))
    first, second = ([event for event in events if event[0] not in opens] for events in told)
    assert len(first) == len(second) > 3500
    for event, other in zip(first, second):
        if event[1] in named:
            assert other[:2] == (event[0], named[event[1]])
        else:
            assert other == event


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_cuda(names, tmp_path):
    run = cuda.Run(tmp_path / "trace", names=names, later=False)
    assert_same_tables(run.folder, tmp_path / "exported")


def test_a_flight_recorder(newest, tmp_path):
    """Calls that were open before what is kept begin with it."""
    (tmp_path / "program.py").write_text("def f(x):\n    return len(x)\ndef main():\n    for _ in range(100000):\n        f('a')\nmain()\n")
    trace = record(tmp_path, [newest.path, tmp_path / "program.py"], "--ring", "256K")
    assert export(trace, tmp_path / "exported").returncode == 0
    ours, theirs = report(trace), report(tmp_path / "exported")
    assert ours["functions"] == theirs["functions"] and ours["c_calls"] == theirs["c_calls"]
    assert "main" in {row["name"] for row in theirs["functions"]}
    compare(tmp_path / "exported")


def test_a_part(newest, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    trace = record(tmp_path, [newest.path, tmp_path / "program.py"])
    whole = traces.Trace(trace)
    first = whole.infos["process_info"][0].fields["pid"]
    assert export(trace, tmp_path / "process", "--process", str(first)).returncode == 0
    assert {event.vpid for event in traces.events(tmp_path / "process")} == {first}
    assert export(trace, tmp_path / "thread", "--thread", "1").returncode == 0
    told = traces.Trace(tmp_path / "thread")
    assert {thread.number for thread in told.threads} == {1} and told.calls("work") == 1
    assert set(told.infos) >= {"process_info", "thread_info", "code_info"}


def test_the_folder(newest, tmp_path):
    """What is there stays; nothing is left of an export that fails."""
    trace = record(tmp_path, [newest.path, "-c", "len('a')"])
    done = export(trace, tmp_path / "new")
    assert done.returncode == 0 and " events; a folder: babeltrace2" in done.stderr
    assert os.path.exists(tmp_path / "new" / "pinsight-run.txt")
    before = sorted((tmp_path / "new").rglob("*"))
    done = export(trace, tmp_path / "new")
    assert done.returncode == 1 and "there already" in done.stderr and before == sorted((tmp_path / "new").rglob("*"))
    done = subprocess.run([places.COMMAND, "export", "--to", "ctf", "-o", "-", str(trace)], stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"is a folder" in done.stderr
    (tmp_path / "link").mkdir()
    assert export(trace, tmp_path / "link").returncode == 0  # an empty folder is replaced
    if os.geteuid() == 0 and os.path.exists("/dev/full"):
        done = subprocess.run(["bash", "-c", "ulimit -f 8; trap '' XFSZ; exec \"$@\"", "-", places.COMMAND, "export", "--to", "ctf",
                               "-o", str(tmp_path / "small"), str(trace)], stderr=subprocess.PIPE)
        assert done.returncode == 1 and b"cannot write" in done.stderr, done
        assert not list(tmp_path.glob("small*"))


def test_a_chunk(newest, tmp_path):
    """What a later chunk has from earlier ones is with it: names, and the paths of Python that native work refers to."""
    trace = rotated(newest, tmp_path, "registry", ["--quiet", "--recorder", "lttng"])
    assert_same_tables(trace, tmp_path / "whole", TABLES[:3])
    for number, chunk in enumerate(sorted((trace / "archives").iterdir())):
        folder = assert_same_tables(chunk, tmp_path / str(number), TABLES[:3])
        assert {event.fields["qualname"] for event in traces.events(folder) if event.name == "function_begin"} >= {"step"}
