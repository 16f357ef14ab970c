"""Introspection: chunks for a script while the program waits, and programs that are hard to stop."""
import json
import os
import re
import shutil
import subprocess
import time

import pytest

from support import places
from support.introspection import (PROGRAM, Run, chunks_of, counts, each_recorder, functions_of, gaps_of,
    introspections, report, run, steps_of)
from support.quiet import until_quiet
from support.traces import events

# What is not for each recorder is about LTTng's rotations, or about files.
pytestmark = pytest.mark.recorder("lttng")


@pytest.mark.timed
@pytest.mark.usefixtures("each_recorder")
def test_chunk_is_complete_while_the_program_waits(run):
    """The script reads the chunk with two readers, and sees the program stand still meanwhile."""
    seen = run.folder / "seen"
    run.script("""#!/bin/sh
exec > %s 2>&1
echo "$@"
babeltrace2 "$1" > "$0.text" || echo babeltrace2 failed
"$PINSIGHT" report --format json "$1" > "$0.json" || echo report failed
env > "$0.env"
pwd
read line || echo stdin is empty
awk '{print $14}' /proc/$2/stat; sleep 0.3; awk '{print $14}' /proc/$2/stat
""" % seen)
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    result = run(2.0, env={"NOTE": "kept"})
    lines = seen.read_text().splitlines()
    chunk, pid, configuration = lines[0].split()
    assert configuration == str(run.configuration)
    assert chunk == str(chunks_of(result.folder)[0])
    assert lines[1:3] == [str(run.folder), "stdin is empty"]
    assert int(lines[4]) - int(lines[3]) <= 2, "the program ran while it should wait (ticks of 10 ms)"
    text = (run.folder / "look.sh.text").read_text()
    if os.environ["PINSIGHT_RECORDER"] == "lttng":
        assert len(re.findall(r":function_begin: .*qualname = \"step\"", text)) == 50
    assert len(re.findall(r":code_info: .*qualname = \"step\"", text)) == 1
    assert "introspect_begin" in text and "process_info" in text
    functions = json.loads((run.folder / "look.sh.json").read_text())["functions"]
    assert [function["calls"] for function in functions if function["name"] == "step"] == [50]
    environment = (run.folder / "look.sh.env").read_text()
    assert "NOTE=kept" in environment and "PINSIGHT=%s" % os.path.realpath(places.COMMAND) in environment
    assert "LD_PRELOAD" not in environment and "PINSIGHT_" not in environment
    about = introspections(result.folder)
    assert list(about) == [1]
    assert about[1]["how"] == "script_ended" and about[1]["status"] == 0 and about[1]["message"] == "-"
    assert about[1]["pid"] == int(pid) and about[1]["chunk"] == chunk and about[1]["mode"] == "STANDBY"
    assert about[1]["threads_stopped"] == 1 and about[1]["reloaded"] == 0
    gaps = gaps_of(result)
    # The program tells of gaps of 0.4 s and more.
    assert len(gaps) == 1 or about[1]["seconds"] < 0.6, about
    assert all(abs(gap - about[1]["seconds"]) < 0.1 for gap in gaps), (gaps, about)


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_later_chunks_are_whole(run, names):
    """What later events refer to is in each chunk again, and windows are opened again."""
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:TRACING", traces=200)
    run.configuration.write_text("[Python]\n    names = %s\n" % names + run.configuration.read_text())
    result = run(3.0)
    about = introspections(result.folder)
    chunks = chunks_of(result.folder)
    assert len(about) >= 2 and len(chunks) == len(about) + 1
    begin = "function_begin" if names == "inline" else "begin"
    for chunk in chunks[:-1]:
        found = counts(chunk)
        assert found["process_info", None] == 1 and found["thread_info", "MainThread"] >= 1
        assert found["code_info", "step"] >= 1 and found["code_info", "inner"] >= 1
        total = sum(n for (name, _), n in found.items() if name == begin)
        # Until it stops, the program calls what has no window.
        assert 400 <= total <= 500 and found.get((begin, "step"), 200) == 200
    for number, one in about.items():
        assert one["chunk"] == str(chunks[number - 1])


STARTS = """
import threading, time
def step():
    return sum(range(50))
def inner():
    end = time.monotonic() + 2
    while time.monotonic() < end:
        step()
        time.sleep(0.0005)
def leads():
    threading.Thread(target=inner, name="the inner").start()  # INNER
leader = threading.Thread(target=leads, name="the leader")
leader.start()
leader.join()
inner()
print("no child 0")
"""


@pytest.mark.usefixtures("each_recorder")
def test_later_chunks_have_the_starts_of_threads(run, tmp_path):
    """Each by itself, without the chunks before it: what a thread runs, who started it, and from which line."""
    run.program.write_text(STARTS)
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:TRACING", traces=200)
    result = run()
    later = chunks_of(result.folder)[1:-1]
    line = 1 + next(number for number, line in enumerate(STARTS.splitlines()) if line.endswith("# INNER"))
    assert later
    for number, chunk in enumerate(later):
        alone = shutil.copytree(chunk, tmp_path / ("alone-%d" % number))
        told = json.loads(subprocess.check_output([places.COMMAND, "report", "--format", "json", "--starts", str(alone)]))
        for start in told["thread_starts"]:
            assert (start["name"], start["starter"], start["function"], start["line"], start["runs"]) == (
                "the inner", "the leader", "leads", line, "inner"), told["thread_starts"]
        assert told["thread_starts"]


@pytest.mark.recorder("file")
def test_with_every_python(python, run_traced, tmp_path):
    run = Run(tmp_path, run_traced, python)
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    result = run(0.3)
    (about,) = introspections(result.folder).values()
    assert (about["how"], about["status"], about["mode"]) == ("script_ended", 0, "STANDBY")
    assert [functions_of(chunk)["step"] for chunk in chunks_of(result.folder)] == [50]


@pytest.mark.recorder("file")
def test_chunks_of_files(run):
    """Each chunk has what was recorded since the last one, with its definitions; the trace itself has all, once."""
    seen = run.folder / "seen"
    run.script("""#!/bin/sh
babeltrace2 "$1" > "$0.text" || echo babeltrace2 failed >> %s
"$PINSIGHT" report --format json "$1" > "$0.json" || echo report failed >> %s
echo "$1" >> %s
""" % (seen, seen, seen))
    run.configure("INTROSPECT:20:look.sh:TRACING", traces=200)
    result = run(3.0)
    chunks = chunks_of(result.folder)
    assert len(chunks) >= 2 and seen.read_text().split() == [str(chunk) for chunk in chunks]
    steps = 0
    for chunk in chunks:
        found = counts(chunk)
        assert found["process_info", None] == 1 and found["thread_info", "MainThread"] >= 1
        assert found["code_info", "step"] >= 1 and found["code_info", "inner"] >= 1
        # Until it stops, the program calls what has no window.
        assert 400 <= found["begin", None] <= 500
        calls = functions_of(chunk)
        assert calls["step"] == 200 and calls["inner"] >= 200
        steps += calls["step"]
    assert report(chunks[0])["trace"]["bytes"] < report(result.folder)["trace"]["bytes"] == sum(
        path.stat().st_size for path in chunks[0].parent.parent.iterdir() if path.is_file() and path.name[0] != ".")
    (whole,) = [row["calls"] for row in result.report()["functions"] if row["name"] == "step"]
    assert steps <= whole <= steps + 200
    begins = subprocess.check_output(["babeltrace2", str(result.folder)], universal_newlines=True).count(":begin:")
    trace = subprocess.check_output(["babeltrace2", str(chunks[0].parent.parent)], universal_newlines=True).count(":begin:")
    assert begins == trace


@pytest.mark.recorder("file")
def test_a_chunk_of_files_without_a_pause(run):
    """What is in buffers is in it, too: nothing waits, and nothing has to be flushed."""
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:0:look.sh:STANDBY", traces=20)
    result = run(3.0)
    found = counts(chunks_of(result.folder)[0])
    assert found["code_info", "step"] == 1 and found["begin", None] >= 40


@pytest.mark.timed
@pytest.mark.usefixtures("each_recorder")
def test_threads_wait_too(run):
    """Python threads stop; one that sleeps runs on, and is counted as that."""
    run.program.write_text(PROGRAM.replace("gaps = run(float(sys.argv[1]))", """
stop = False
def work():
    while not stop:
        step()
        sum(range(5000))
def sleep():
    time.sleep(5)
threads = [threading.Thread(target=sleep)] + [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
    time.sleep(0.1)
gaps = run(3.0)
stop = True
for thread in threads: thread.join()
"""))
    run.script("#!/bin/sh\n%s\n" % "awk '{print $14}' /proc/$2/stat >> $0.time; sleep 0.3;" * 2)
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    run.configuration.write_text(run.configuration.read_text().replace("max_num_traces = 50", "window_timeout = 1"))
    result = run(2.0)
    one = introspections(result.folder)[1]
    assert (one["threads_stopped"], one["threads_running"]) == (4, 1), one
    before, after = (run.folder / "look.sh.time").read_text().split()
    assert int(after) - int(before) <= 1


@pytest.mark.usefixtures("each_recorder")
def test_a_child_forked_in_a_pause(tmp_path, run_traced, one_of_each):
    """It does not wait: nobody would ever tell it that the pause is over."""
    run = Run(tmp_path, run_traced, one_of_each)
    run.program.write_text(PROGRAM.replace("gaps = run(float(sys.argv[1]))", """
def steps():
    time.sleep(0.3)
    run(2.0)
# In C and without the GIL from the call of fork to the fork: the one way for a thread to fork in a pause.
import functools
os.register_at_fork(before=functools.partial(time.sleep, 1))
thread = threading.Thread(target=steps)
thread.start()
child = os.fork()
if child == 0:
    step()
    os._exit(7)
end, ended = time.monotonic() + 20, (0, 0)
while ended[0] == 0 and time.monotonic() < end:
    ended = os.waitpid(child, os.WNOHANG)
    time.sleep(0.05)
if ended[0] == 0:
    os.kill(child, signal.SIGKILL)
print("status", ended[1] >> 8)
signalled.clear()
thread.join()
gaps = []
"""))
    run.configure("INTROSPECT:3:-:TRACING")
    result = run(2.0)
    assert "status 7" in result.stdout, result.stdout
    assert introspections(result.folder)[1]["how"] == "time_out"


@pytest.mark.usefixtures("each_recorder")
def test_a_program_that_closes_all_descriptors(run):
    """And one that asked for orphans as its children: neither has a child, nor loses the introspection."""
    run.program.write_text(PROGRAM.replace("gaps = run", """
import ctypes
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) # PR_SET_CHILD_SUBREAPER
def closing():
    while True:
        os.closerange(3, 300)
        time.sleep(0.5)
threading.Thread(target=closing, daemon=True).start()
gaps = run"""))
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:TRACING", traces=200)
    result = run(4.0)
    for one in introspections(result.folder).values():
        assert one["how"] in ("script_ended", "failed"), one
        assert one["how"] == "script_ended" or "closed the descriptor" in one["message"]


def test_several_processes(run):
    """One process introspects; the others' later events can be read in the next chunk all the same."""
    run.program.write_text("""
import subprocess, sys, time, os
def step(): pass
def other(): pass
if len(sys.argv) > 2:
    end = time.monotonic() + 4
    while time.monotonic() < end:
        other(); time.sleep(0.01)
else:
    child = subprocess.Popen([sys.executable, __file__, "x", "child"])
    time.sleep(1.5)
    for _ in range(60): step()
    child.wait()
    print("no child 0")
""")
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    run.configuration.write_text(run.configuration.read_text().replace("[Python]", "[Python]\n    names = registry"))
    result = run(2.0)
    first, second = chunks_of(result.folder)
    (child,) = {event.fields["pid"] for event in events(first) if event.name == "process_info"} - {
        introspections(result.folder)[1]["pid"]}
    defined = [event for event in events(second) if event.fields.get("pid") == child or event.vpid == child]
    names = {event.name for event in defined}
    assert {"process_info", "thread_info", "code_info"} <= names, names
    assert "other" in {event.fields["qualname"] for event in defined if event.name == "code_info"}


def test_full_disk(own_world, run, newest):
    """The disk is full when the session is rotated: the program goes on."""
    disk = own_world.mount(run.folder / "disk", "size=3m")
    run.program.write_text(PROGRAM.replace("gaps = run", "gaps = run(1.0)\nopen(%r, 'wb').write(bytes(1))\n"
                                           "file = open(%r, 'wb', buffering=0)\n"
                                           "try:\n    while file.write(bytes(4096)): pass\n"
                                           "except OSError: pass\ngaps = run" % (str(disk / "a"), str(disk / "full"))))
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:STANDBY", traces=3000, more="[Lexgion.default]\n    max_num_traces = -1\n")
    started = time.monotonic()
    done = own_world.run([places.COMMAND, "run", "--max-size", "0", "-c", run.configuration, "-o", disk / "trace", "--",
                          newest.path, run.program, "8"], timeout=100)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert b"no child 0" in done.stdout
    assert "introspection 1 of process" in said and "there is no chunk to look at" in said, said
    assert time.monotonic() - started < 60


STAGES = [{"tokens", "number", "checksum"}, {"force", "drift", "wrap"}, {"bucket", "quantile", "entropy"}]


def narrowed(example, run_command, newest):
    """Runs examples/introspect in the folder `example`; returns the run, and what it chose in each stage."""
    shutil.copytree(str(places.ROOT / "examples" / "introspect"), str(example))
    # Longer looks than the example's, for a machine that does other things too.
    configuration = example / "introspect.ini"
    configuration.write_text(configuration.read_text().replace("max_num_traces   = 200", "max_num_traces   = 1000"))
    env = {"PATH": "%s:%s" % (os.path.dirname(newest.path), os.environ["PATH"]), "NARROW_FOR": "1"}
    result = run_command(newest.path, example / "stages.py", options=["-c", str(configuration), "-q"],
                         cwd=example, timeout=200, env=env)
    assert result.rc == 0, result.stderr
    chosen = [set(line.split(", ")) for line in re.findall(r"only (.*) from now on", result.stderr)]
    assert chosen == STAGES
    assert result.stderr.count("looking at every function again") >= 2 # the last one may meet the program's end
    return result, chosen


@pytest.mark.timed
@pytest.mark.usefixtures("each_recorder")
def test_example_narrows_and_narrows_again(run, run_command, newest):
    """examples/introspect: the three hottest functions of each stage, and no others, are recorded."""
    example = run.folder / "example"

    def once():
        """On a busy machine, time without a processor may make another function one of the hottest."""
        shutil.rmtree(str(example), ignore_errors=True)
        return narrowed(example, run_command, newest)

    result, chosen = until_quiet(once, 3)
    chunks = chunks_of(result.folder)
    assert len(chunks) >= 2 * len(STAGES) - 1 # of files, the last narrow part is no chunk
    for index, names in enumerate(chosen):
        look, *narrow = (set(functions_of(chunk)) for chunk in chunks[2 * index:2 * index + 2])
        assert look > names | {"step"}
        assert narrow in ([names | {"step"}], []) and (narrow or index == 2)
    about = introspections(result.folder)
    for number in range(1, 6):
        assert about[number]["how"] == "script_ended" and about[number]["reloaded"] == 1
        assert about[number]["threads_stopped"] + about[number]["threads_running"] == 1
    # A thread that gets no processor in time is not waited for.
    assert sum(about[number]["threads_stopped"] for number in range(1, 6)) >= 3


@pytest.mark.usefixtures("each_recorder")
def test_windows_that_end_together(run):
    """Several functions end their windows before the program stops: one introspection does for them."""
    run.script("#!/bin/sh\nexit 0\n")
    run.configuration.write_text(
        "[Python]\n    events = function\n    module_filter = __main__\n[Lexgion.default]\n    max_num_traces = 50\n"
        "    trace_mode_after = INTROSPECT:20:look.sh:STANDBY\n")
    run.program.write_text(PROGRAM.replace("    inner()", "    inner(); other(); another()").replace(
        "def step", "def other(): pass\ndef another(): pass\ndef step"))
    result = run(2.0)
    assert list(introspections(result.folder)) == [1]
    assert len(steps_of(result.folder)) == 2


@pytest.mark.usefixtures("each_recorder")
def test_the_run_of_a_chunk(run):
    """A report of a chunk knows how the command of its run ended."""
    run.script("#!/bin/sh\nexit 0\n")
    run.configure("INTROSPECT:20:look.sh:STANDBY", traces=20)
    run.program.write_text(PROGRAM + "sys.exit(3)\n")
    result = run(1.0, rc=3)
    told = subprocess.check_output([places.COMMAND, "report", str(chunks_of(result.folder)[0])], universal_newlines=True)
    assert "exit status 3" in told
