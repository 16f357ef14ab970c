"""Workers that are killed: each call is in the trace, or what is missing is said with its number.

Each process writes down by itself, in memory of a file, how many calls it has begun and how many it has done. So
it is known of a killed one to the last call, without asking PInsight.
"""
import collections
import json
import os
import platform
import re
import resource
import struct
import subprocess

import pytest

from support import places, traces

# About what LTTng's buffers lose, and its numbers; test_file_recorder.py has the file recorder.
pytestmark = pytest.mark.recorder("lttng")

# What is in a trace and is not counted.
UNCOUNTED = ("event_count", "thread_clock", "process_memory")

ROUNDS = int(os.environ.get("PINSIGHT_KILLED_ROUNDS", "100"))
# What a process records beside its calls, above all while Python starts.
OTHERS = 20000

TICKING = """
import mmap, os, pathlib, signal, subprocess, sys, threading, time

notes = pathlib.Path(sys.argv[1])

def tick():
    pass

def work(batches, name=None):
    file = os.open(str(notes / (name or str(os.getpid()))), os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(file, 16)
    calls = memoryview(mmap.mmap(file, 16)).cast("Q")
    os.close(file)
    for _ in range(100 * batches):
        calls[0] += 1
        tick()
        calls[1] += 1
    return batches
"""

PROGRAMS = {
    "terminated pool": """
import multiprocessing
if __name__ == "__main__":
    work(20)
    with multiprocessing.Pool(3) as pool:
        results = [pool.apply_async(work, (1000000,)) for _ in range(3)]
        while len(list(notes.iterdir())) < 4:
            time.sleep(0.01)
        time.sleep(0.2)
    work(200)
""",
    "executor that fails": """
import concurrent.futures, concurrent.futures.process
def fail():
    work(30)
    os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    work(20)
    with concurrent.futures.ProcessPoolExecutor(3) as pool:
        futures = [pool.submit(work, 50), pool.submit(work, 50), pool.submit(fail)]
        try:
            for future in futures:
                future.result()
        except concurrent.futures.process.BrokenProcessPool:
            pass
    work(200)
""",
    "half under timeout": """
if __name__ == "__main__":
    if len(sys.argv) > 2:
        work(int(sys.argv[2]))
    else:
        work(20)
        own = [sys.executable, __file__, str(notes)]
        workers = [subprocess.Popen(["timeout", "-s", "KILL", "0.8"] + own + ["1000000"]) for _ in range(2)]
        workers += [subprocess.Popen(own + ["50"]) for _ in range(2)]
        for worker in workers:
            worker.wait()
        work(200)
""",
}


def noted(notes):
    """(begun, done) by name."""
    return {note.name: struct.unpack("QQ", note.read_bytes()) for note in notes.iterdir()}


def ticking(folder, program):
    """The words of a program, and where it writes down its calls."""
    notes = folder / "notes"
    notes.mkdir(parents=True)
    path = folder / "ticking.py"
    path.write_text(TICKING + program)
    return [path, notes], notes


def ticks_in(trace):
    """By process. babeltrace2 reads nothing where one process's events are not described."""
    described = [metadata.parent for metadata in trace.rglob("metadata") if metadata.stat().st_size]
    return collections.Counter(event.vpid for folder in described for event in traces.events(folder)
                               if event.name in ("function_begin", "begin") and event.fields.get("qualname") == "tick")


def missing_in(told):
    missing = {of["pid"]: of["events"] for of in told["missing_of"]}
    assert sum(missing.values()) == told["missing_events"]
    assert not any(of["at_least"] for of in told["missing_of"]), told
    return missing


def not_recorded(folder):
    """What the report has of that; LTTng's daemon may leave a process's trace without a description of its events."""
    done = subprocess.run([places.COMMAND, "report", str(folder), "--format", "json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 0 or "its metadata, which describes the events, is empty" in done.stderr, done.stderr
    return json.loads(done.stdout)["not_recorded"]


def check(name, processors, python, run_command, folder):
    words, notes = ticking(folder, PROGRAMS[name])
    result = run_command("taskset", "-c", processors, python.path, *words, options=["--lossless"], timeout=120)
    assert result.rc == 0, result.stderr
    told = not_recorded(result.folder)
    ticks = ticks_in(result.folder)
    missing = missing_in(told)
    written = {int(pid): calls for pid, calls in noted(notes).items()}
    assert len(written) >= 2
    assert told["unsaid_processes"] == 0, told
    for pid, (begun, done) in written.items():
        assert ticks[pid] <= begun, "process %d: calls that it never made" % pid
        # A process may be killed after an event is in the trace and before it is counted.
        assert 2 * (done - ticks[pid]) - 1 <= missing.get(pid, 0) + told["discarded_events"], (pid, begun, done, ticks[pid], told)
        assert missing.get(pid, 0) <= 2 * (begun - ticks[pid]) + OTHERS, (pid, begun, done, ticks[pid], told)
        named = re.search(r"events of process %d( \([^)]+\))? are missing" % pid, " ".join(result.stderr.split()))
        assert not missing.get(pid) or named or len(missing) > 3
    first = min(written)
    assert ticks[first] == written[first][1] or missing.get(first) or told["discarded_events"], "the parent lost calls: %s" % told
    return sum(missing.values())


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_killed_workers(name, newest, run_command, tmp_path):
    check(name, "0", newest, run_command, tmp_path)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("processors", ["0", "0,1"])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_killed_workers_many_times(name, processors, one_of_each, run_command, tmp_path):
    """Processors are those of the machine that the test may use."""
    for number in range(ROUNDS // 2):
        check(name, processors, one_of_each, run_command, tmp_path / str(number))


FIRST = """
import os, signal, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
def other(): pass
def hot(): pass
for _ in range(6):
    end, begin = os.pipe()
    pid = os.fork()
    if pid == 0:
        for _ in range(2000): hot()
        os.write(begin, b"x")
        while True: hot()
    os.read(end, 1)
    time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
for _ in range(20000): other()
"""


def test_a_killed_process_does_not_silence_others(newest, run_traced):
    """One is killed in the middle of an event, as likely as not; with six, nearly for sure."""
    result = run_traced(newest, FIRST, "--lossless")
    report = result.report("--limit", "0")
    other = sum(function["calls"] for function in report["functions"] if function["name"] == "other")
    missing = report["not_recorded"]
    assert other == 20000 or missing["discarded_events"], missing
    assert missing["unsaid_processes"] == 0


def test_a_process_that_ends_has_nothing_missing(python, run_traced):
    """However it ends, what it recorded is what is there. LTTng names a trace by program, process and second, and one
    that executes its program again within that second would write over what it recorded before."""
    program = """
import os, subprocess, sys, threading, time
def f(): pass
def work():
    for _ in range(3000): f()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
pid = os.fork()
if pid == 0:
    work()
    os._exit(0)
os.waitpid(pid, 0)
pid = os.fork()
if pid == 0:
    work()
    os.execv(sys.executable, [sys.executable, "-c", "def f(): pass\\nfor _ in range(100): f()"])
os.waitpid(pid, 0)
"""
    result = run_traced(python, program, "--lossless")
    missing = result.report()["not_recorded"]
    assert missing["missing_events"] == 0 and missing["unsaid_processes"] == 0, missing
    assert "Nothing was lost" in result.stderr
    assert result.trace.calls("f") == 5 * 3000 + 100


def test_a_stream_that_is_gone_is_counted(newest, run_traced):
    """The reader finds what is missing by the process's own count, whoever lost it."""
    result = run_traced(newest, "def f(): pass\nfor _ in range(5000): f()\n", "--lossless", "--no-summary")
    there = traces.count_events(result.folder)
    gone = [path for path in result.folder.rglob("events_*") if path.is_file() and path.suffix != ".idx"]
    for path in gone:
        path.unlink()
        (path.parent / "index" / (path.name + ".idx")).unlink()
    left = traces.count_events(result.folder)
    lost = sum(there.values()) - sum(left.values())
    told = result.report()["not_recorded"]
    assert lost >= 10000 and told["missing_events"] == lost, (lost, told)
    said = subprocess.run([places.COMMAND, "report", str(result.folder)], stdout=subprocess.PIPE).stdout.decode()
    assert "{:,} events of process".format(lost) in said, said


KILLED = """
pid = os.fork()
if pid == 0:
    work(20)
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(pid, 0)
work(10)
"""


@pytest.mark.parametrize("how", ["gone", "not described"])
def test_a_killed_process_has_its_number(newest, run_command, tmp_path, how):
    """Of one whose whole trace is gone, or cannot be read, it is known how much that was, to the last event."""
    words, notes = ticking(tmp_path, KILLED)
    result = run_command(newest.path, *words, options=["--lossless"])
    told = result.report()["not_recorded"]
    assert missing_in(told) == {} and told["unsaid_processes"] == 0, told
    assert "Nothing was lost" in result.stderr
    (child,) = [int(pid) for pid, (begun, done) in noted(notes).items() if done == 2000]
    assert ticks_in(result.folder)[child] == 2000
    there = sum(1 for event in traces.events(result.folder) if event.vpid == child and event.name not in UNCOUNTED)
    (gone,) = [path for path in (result.folder / "ust" / "pid").iterdir() if "-%d-" % child in path.name]
    if how == "gone":
        gone.rename(tmp_path / "gone")
    else:
        (gone / "metadata").write_bytes(b"")
    told = not_recorded(result.folder)
    assert missing_in(told) == {child: there} and told["unsaid_processes"] == 0, (there, told)
    said = subprocess.run([places.COMMAND, "report", str(result.folder)], stdout=subprocess.PIPE).stdout.decode()
    assert "{:,} events of process {} are missing, which did not come to its end".format(there, child) in said, said


THREADS = """
def one(number):
    work(3, str(number))
    ready.wait()
    work(3, str(number))
    done.wait()
    time.sleep(60)
ready, done = threading.Barrier(100), threading.Barrier(101)
threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(100)]
for thread in threads: thread.start()
done.wait()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_many_threads_of_a_killed_process(newest, run_command, tmp_path):
    """More than there are places in one page."""
    words, notes = ticking(tmp_path, THREADS)
    result = run_command(newest.path, *words, options=["--lossless"])
    assert result.rc == -9
    told = result.report()["not_recorded"]
    calls = sum(done for begun, done in noted(notes).values())
    assert calls == 60000
    short = calls - sum(ticks_in(result.folder).values())
    if tuple(int(part) for part in platform.release().split(".")[:2]) >= (5, 14):
        missing = sum(missing_in(told).values())
        assert told["unsaid_processes"] == 0, told
        assert 2 * short <= missing + 100 + told["discarded_events"] and missing <= 2 * short + OTHERS, (short, told)
    else:
        assert told["unsaid_processes"] == 1, told


def test_threads_hand_on_their_places(newest, run_command, tmp_path):
    """Counts of threads that have ended stay, however many there were."""
    words, _ = ticking(tmp_path, """
for number in range(100):
    thread = threading.Thread(target=work, args=(1,))
    thread.start()
    thread.join()
os.kill(os.getpid(), signal.SIGKILL)
""")
    result = run_command(newest.path, *words, options=["--lossless"])
    told = result.report()["not_recorded"]
    assert told["unsaid_processes"] == 0 and missing_in(told) == {}, told
    assert sum(ticks_in(result.folder).values()) == 10000
    events = sum(1 for event in traces.events(result.folder) if event.name not in UNCOUNTED)
    (line,) = [line.split() for line in (result.folder / "pinsight-counts.txt").read_text().splitlines()]
    assert 0 <= events - int(line[2]) <= 1 and line[3] == "1", (events, line)


def test_without_memory_to_count_in(newest, run_command, tmp_path):
    """The file in which processes count is larger than this allows: then they say what they counted now and then."""
    words, _ = ticking(tmp_path, KILLED)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 29, hard))
    try:
        result = run_command(newest.path, *words, options=["--lossless"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not (result.folder / "pinsight-counts.txt").exists()
    told = result.report()["not_recorded"]
    assert told["unsaid_processes"] == 1 and told["missing_events"] == 0, told
    assert "1 process was killed, or left without a word" in result.stderr


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"1 2 3\n" * 100, b"1 -1 99999999999999999999999999 7\n", b"x" * (2 << 20),
                                     b"4294967295 1 18446744073709551615 1\n" * 1000],
                         ids=["empty", "zeros", "short lines", "too large", "too long", "another's"])
def test_damaged_counts(newest, run_traced, tmp_path, content):
    """What is no line of that file is passed over."""
    result = run_traced(newest, "def f(): pass\nf()\n", "--no-summary")
    (result.folder / "pinsight-counts.txt").write_bytes(content)
    told = result.report()["not_recorded"]
    if content.startswith(b"4294967295"):
        assert {of["pid"] for of in told["missing_of"]} == {1}
    else:
        assert told["missing_events"] == 0 and told["unsaid_processes"] == 0, told
