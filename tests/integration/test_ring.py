"""The flight recorder: the last part of what each process recorded is there without a gap, however it ended.

The programs count aloud: a number is a call of `n`, and then of one function for each digit. So a trace that begins in
the middle tells by itself which numbers are in it. They note the last one in a file of their own, too.
"""
import collections
import json
import os
import random
import re
import signal
import struct
import subprocess
import time

import pytest

from support import launchers, places, world

ROUNDS = int(os.environ.get("PINSIGHT_RING_ROUNDS", "6"))
# A program that runs so many seconds and then crashes leaves so many of them.
RUNS, KEEPS = (int(os.environ.get(name, usual)) for name, usual in
               (("PINSIGHT_RING_RUNS", "5"), ("PINSIGHT_RING_KEEPS", "2")))

COUNTING = """
import ctypes, mmap, os, signal, sys, threading, time
counts = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4096)
view = memoryview(counts).cast("Q")
def n(): pass
%s
digits = [%s]
def say(number):
    n()
    digits[number >> 20 & 15]()
    digits[number >> 16 & 15]()
    digits[number >> 12 & 15]()
    digits[number >> 8 & 15]()
    digits[number >> 4 & 15]()
    digits[number & 15]()
def count(place, until):
    number = 0
    while not until(number):
        say(number)
        view[place] = number
        number += 1
def up_to(last):
    return lambda number: number > last
def for_seconds(seconds):
    end = time.monotonic() + seconds
    return lambda number: number %% 100 == 0 and time.monotonic() > end
""" % ("\n".join("def d%x(): pass" % digit for digit in range(16)), ", ".join("d%x" % digit for digit in range(16)))

DIGITS = 6
BEGIN = re.compile(r"^\s*[\d.]+\s+(\d+):(\S+)\s+function_begin\s+(\w+) ")


def command(tmp_path, program, *words, options=("--ring", "1M"), name="trace", python="python3"):
    file = tmp_path / "program.py"
    file.write_text(COUNTING + program)
    (tmp_path / "counts").write_bytes(b"\0" * 4096)
    return [str(places.COMMAND), "run", *options, "-o", str(tmp_path / name), "--", python, str(file),
            str(tmp_path / "counts"), *words]


def run(tmp_path, program, *words, **how):
    done = subprocess.run(command(tmp_path, program, *words, **how), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    return done, tmp_path / how.get("name", "trace")


def pinsight(*words):
    done = subprocess.run([str(places.COMMAND), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def report(folder):
    return json.loads(pinsight("report", folder, "--format", "json"))


def flight(folder):
    return report(folder)["trace"]["flight_recorder"]


def counted(tmp_path):
    return struct.unpack("<512Q", (tmp_path / "counts").read_bytes())


def numbers(folder):
    """What each thread said: numbers that begin and end in the trace, by process and thread."""
    said, parts = collections.defaultdict(list), collections.defaultdict(lambda: None)
    for line in pinsight("dump", folder).splitlines():
        match = BEGIN.match(line)
        if not match or not re.fullmatch("n|d[0-9a-f]", match.group(3)):
            continue
        where, name = match.groups()[:2], match.group(3)
        if name == "n":
            parts[where] = ""
        elif parts[where] is not None:
            parts[where] += name[1]
            if len(parts[where]) == DIGITS:
                said[where].append(int(parts[where], 16))
                parts[where] = None
    return said


def is_without_gap(said):
    return said == list(range(said[0], said[-1] + 1))


def left(folder):
    names = os.listdir(folder / "trace" / os.uname().nodename)
    return [name for name in names if name.startswith(".") and name != ".streams" and not name.endswith("-ring")]


ENDS = {"exit": ("", 0), "raise": ("raise ValueError", 1), "kill": ("os.kill(os.getpid(), signal.SIGKILL)", -9),
        "segfault": ("ctypes.string_at(0)", -11), "abort": ("os.abort()", -6), "_exit": ("os._exit(3)", 3)}


@pytest.mark.parametrize("how", ENDS)
def test_the_last_part_has_no_gap(how, tmp_path):
    statement, status = ENDS[how]
    done, folder = run(tmp_path, "count(0, up_to(40000))\n" + statement)
    assert done.returncode == status, done.stderr
    (said,) = numbers(folder).values()
    assert is_without_gap(said) and said[-1] == 40000
    # A number is 8 calls of 16 to 18 bytes; some of the ring is its oldest file, which is dropped as a whole.
    assert (1 << 20) * 0.8 / 144 < len(said) < (1 << 20) / 112
    assert left(folder) == [".control"]
    (process,) = flight(folder)
    assert process["dropped_bytes"] > 4 << 20 and 0 < process["kept_ns"] < process["of_ns"]
    assert "flight recorder: the last " in done.stderr


def test_a_stream_that_is_missing_is_named(tmp_path):
    """Of a process that has ended; one that goes on drops files, and none of those is missed."""
    _, folder = run(tmp_path, """
if os.fork() == 0:
    os.closerange(0, 3)
    count(0, for_seconds(3))
    os._exit(0)
count(0, up_to(40000))
view[10] = 1""")
    host = folder / "trace" / os.uname().nodename
    assert not (host / ".streams").exists() or "is missing" not in pinsight("report", folder)
    time.sleep(4)
    said = subprocess.run([str(places.COMMAND), "report", str(folder)], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                          universal_newlines=True, check=True).stderr
    assert "missing" not in said
    streams = sorted(path for path in host.iterdir() if not path.name.startswith(".") and path.name != "metadata")
    assert len(streams) > 4 and set(path.name for path in streams) <= set((host / ".streams").read_text().split())
    streams[1].unlink()
    done = subprocess.run([str(places.COMMAND), "report", str(folder)], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                          universal_newlines=True, check=False)
    assert done.returncode == 1 and "%s is missing" % streams[1] in done.stderr


def test_calls_that_began_long_ago_are_open(python, tmp_path):
    """Begins that were dropped: those of a main thread that works, and of one that waits in C all the time."""
    done, folder = run(tmp_path, """
def outer():
    inner()
def inner():
    count(0, up_to(20000))
    os.kill(os.getpid(), signal.SIGKILL)
def waits():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
threading.Thread(target=waits, daemon=True).start()
outer()
""", python=python.path)
    assert done.returncode == -9, done.stderr
    shown = json.loads(pinsight("report", folder, "--format", "json", "--tree"))
    span = shown["trace"]["flight_recorder"][0]["kept_ns"]
    rows = {row["name"]: row for row in shown["functions"]}
    for name in ("<module>", "outer", "inner", "count", "waits"):
        assert rows[name]["calls"] == 0 and 0.5 * span < rows[name]["total_ns"] <= span, name
    assert rows["n"]["calls"] > 1000
    missing = shown["not_recorded"]
    assert missing["dropped_ends"] == 0 and missing["began_before"] == 0
    parent = None
    for name in ("<module>", "outer", "inner", "count", "say", "n"):
        (node,) = [node for node in shown["tree"] if (node["name"], node["parent"]) == (name, parent)]
        parent = node["id"]


def test_a_program_that_crashes_leaves_its_last_seconds(tmp_path):
    """Of two threads: one that works all the time, and one that does something now and then."""
    limit = "%ds" % KEEPS
    done, folder = run(tmp_path, """
def now_and_then():
    number = 0
    while True:
        say(number)
        view[1] = number
        number += 1
        time.sleep(0.1)
def at_a_pace(until):
    number = 0
    while not until(number):
        say(number)
        view[0] = number
        number += 1
        time.sleep(0.0005)
threading.Thread(target=now_and_then, daemon=True).start()
at_a_pace(for_seconds(%d))
ctypes.string_at(0)
""" % RUNS, options=("--ring", limit))
    assert done.returncode == -11, done.stderr
    (process,) = flight(folder)
    assert process["kept_ns"] == KEEPS * 1000000000 and process["of_ns"] > RUNS * 1000000000
    assert re.search(r"flight recorder: the last %s of " % ("%.1f s" % KEEPS if KEEPS > 9 else "%.2f s" % KEEPS),
                     done.stderr), done.stderr
    threads = numbers(folder)
    assert len(threads) == 2 and all(is_without_gap(said) for said in threads.values())
    busy, slow = sorted(threads.values(), key=len, reverse=True)
    last = counted(tmp_path)
    assert last[0] <= busy[-1] <= last[0] + 1 and last[1] <= slow[-1] <= last[1] + 1
    # So much of what it said as of its time.
    share = KEEPS * 1e9 / process["of_ns"]
    assert 0.5 * share < len(busy) / last[0] < 2 * share and 0.5 * share < len(slow) / last[1] < 2 * share
    # On the disk there is little more.
    files = [file for file in (folder / "trace").rglob("*-[0-9]*") if file.name[0] != "."]
    assert sum(file.stat().st_size for file in files) < 3 * 16 * 9 * len(busy) + (1 << 20)


def test_threads_keep_their_names(tmp_path):
    """Each file of a thread has the thread's name, its starter and what it runs; the first one is gone long since."""
    _, folder = run(tmp_path, """
meet = threading.Barrier(3)
def work(place):
    count(place, up_to(20000))
    meet.wait()
    say(1)  # in the last part, whoever came first
def start():
    threads = [threading.Thread(target=work, args=(place,), name="worker-%d" % place) for place in (0, 1)]
    for thread in threads: thread.start()
    work(2)
    for thread in threads: thread.join()
threading.current_thread().name = "leader"
start()
""", options=("--ring", "512K"))
    told = report(folder)
    assert sorted(thread["name"] for thread in told["threads"]) == ["leader", "worker-0", "worker-1"]
    assert told["trace"]["flight_recorder"][0]["dropped_bytes"] > 1 << 20
    starts = {row["name"]: row for row in json.loads(pinsight("report", folder, "--starts", "--format", "json"))["thread_starts"]}
    for number in (0, 1):
        assert starts["worker-%d" % number]["starter"] == "leader", starts


def test_the_starter_of_a_thread_has_ended(tmp_path):
    """Its files are gone. The thread knows its name."""
    _, folder = run(tmp_path, """
meet = threading.Barrier(2)
def work(place):
    count(place, up_to(20000))
    meet.wait()
    say(1)
def start():
    threading.Thread(target=work, args=(0,), name="worker").start()  # START
leader = threading.Thread(target=start, name="leader")
leader.start()
leader.join()
work(1)
""", options=("--ring", "512K"))
    (row,) = (row for row in json.loads(pinsight("report", folder, "--starts", "--format", "json"))["thread_starts"] if row["name"] == "worker")
    assert (row["starter"], row["function"], row["runs"]) == ("leader", "start", "work")


def test_processes_have_a_ring_each(tmp_path):
    """Forked ones, and a program that is started; a child that is forked in the middle goes on with its own."""
    done, folder = run(tmp_path, """
import subprocess
if len(sys.argv) > 2:
    count(int(sys.argv[2]), up_to(15000))
    os._exit(0)
count(0, up_to(15000))
pids = []
for place in (1, 2):
    pids.append(os.fork())
    if not pids[-1]:
        count(place, up_to(15000))
        os.kill(os.getpid(), signal.SIGKILL)
[os.waitpid(pid, 0) for pid in pids]
subprocess.run([sys.executable, *sys.argv, "3"])
count(0, up_to(15000))
""", options=("--ring", "512K"))
    assert done.returncode == 0, done.stderr
    said = numbers(folder)
    assert len({pid for pid, _ in said}) == 4 and len(flight(folder)) == 4
    for numbers_of_one in said.values():
        assert is_without_gap(numbers_of_one) and numbers_of_one[-1] == 15000
        assert numbers_of_one[0] > 8000
    assert "of each of 4 processes" in done.stderr and left(folder) == [".control"]


def start(tmp_path, program, *words, **how):
    return subprocess.Popen(command(tmp_path, program, *words, **how), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True)


def wait_for(tmp_path, place, number, run):
    while counted(tmp_path)[place] < number:
        assert run.poll() is None
        time.sleep(0.02)


@pytest.mark.storm
def test_dumps_of_a_program_that_goes_on(tmp_path):
    """By the trace's folder and by a process, of two threads that record all the time; and after it was killed."""
    running = start(tmp_path, """
view[500] = os.getpid()
sys.setswitchinterval(0.0002)
for place in (1, 2):
    threading.Thread(target=count, args=(place, lambda number: False), daemon=True).start()
count(0, lambda number: False)
""", options=("--ring", "2M"))
    dumps = []
    try:
        wait_for(tmp_path, 0, 10000, running)
        for number in range(1, 4):
            before = counted(tmp_path)
            what = tmp_path / "trace" if number % 2 else before[500]
            asked = ("-o", tmp_path / "asked") if number == 2 else ()
            said = pinsight("ctl", what, *asked, "dump")
            after = counted(tmp_path)
            dumps.append(tmp_path / ("asked" if asked else "trace-dump-%d" % (number - (number > 2))))
            assert str(dumps[-1]) in said
            threads = numbers(dumps[-1])
            # One may have had no processor for so long.
            assert len(threads) >= 2 and all(is_without_gap(numbers_of_one) for numbers_of_one in threads.values())
            # Each thread to the moment of the dump, which is one for all.
            for (_, thread), numbers_of_one in threads.items():
                place = int(thread)
                assert before[place] <= numbers_of_one[-1] + 1 and numbers_of_one[-1] - 1 <= after[place]
            assert report(dumps[-1])["trace"]["flight_recorder"]
        # What a dump has stays, whatever the program drops.
        wait_for(tmp_path, 0, counted(tmp_path)[0] + 20000, running)
        assert all(len(numbers(dump)) >= 2 for dump in dumps)
    finally:
        os.kill(counted(tmp_path)[500], signal.SIGKILL)
        _, said = running.communicate(timeout=60)
    assert "flight recorder" in said
    assert all(is_without_gap(numbers_of_one) for numbers_of_one in numbers(tmp_path / "trace").values())
    names = os.listdir(tmp_path / "trace" / "trace" / os.uname().nodename)
    assert not [name for name in names if "dump" in name]


@pytest.mark.storm
def test_a_kill_of_everything_at_any_moment(tmp_path):
    """Of the program and of `pinsight run`: what the program had counted is there, without a gap before it."""
    dice = random.Random(3)
    for number in range(ROUNDS):
        name = "trace-%d" % number
        running = start(tmp_path, """
view[500] = os.getpid()
sys.setswitchinterval(0.0002)
threading.Thread(target=count, args=(1, lambda number: False), daemon=True).start()
count(0, lambda number: False)
""", options=("--ring", "512K"), name=name)
        wait_for(tmp_path, 0, 5000, running)
        time.sleep(dice.uniform(0, 0.1))
        running.kill()
        traced = counted(tmp_path)[500]
        os.kill(traced, signal.SIGKILL)
        running.communicate(timeout=60)
        assert world.wait_until(lambda: not os.path.exists("/proc/%d" % traced), 20)
        threads, last = numbers(tmp_path / name), counted(tmp_path)
        assert threads and all(is_without_gap(said) for said in threads.values())
        assert all(last[int(thread)] <= said[-1] <= last[int(thread)] + 1 for (_, thread), said in threads.items())
        assert left(tmp_path / name) == [".control"] and flight(tmp_path / name)


def test_a_dump_of_all_that_a_program_recorded(tmp_path):
    running = start(tmp_path, "count(0, up_to(3000))\nview[500] = os.getpid()\ntime.sleep(600)", options=())
    try:
        wait_for(tmp_path, 500, 1, running)
        pinsight("ctl", tmp_path / "trace", "dump")
        (said,) = numbers(tmp_path / "trace-dump-1").values()
        assert said == list(range(3001)) and "flight_recorder" not in report(tmp_path / "trace-dump-1")["trace"]
        done = subprocess.run([str(places.COMMAND), "ctl", str(tmp_path / "trace"), "-o", str(tmp_path), "dump"],
                              stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 1 and "name another one with -o" in done.stderr
    finally:
        os.kill(counted(tmp_path)[500], signal.SIGTERM)
        running.communicate(timeout=60)


def start_untraced(tmp_path, program, **variables):
    file = tmp_path / "program.py"
    file.write_text(program)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PINSIGHT_")}
    variables["PYTHONPATH"] = str(places.LIBDIR / "python")
    variables.setdefault("PINSIGHT_OUTPUT", str(tmp_path / "trace"))
    return subprocess.run(["python3", str(file), str(tmp_path / "counts")], env=dict(clean, **variables),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60)


@pytest.mark.parametrize("activate, variables", [("ring='1M'", {}), ("", {"PINSIGHT_RING": "1M"})])
def test_without_a_run(activate, variables, tmp_path):
    (tmp_path / "counts").write_bytes(b"\0" * 4096)
    done = start_untraced(tmp_path, "import pinsight\npinsight.activate(%s)\n" % activate + COUNTING
                          + "count(0, up_to(20000))\nos.kill(os.getpid(), signal.SIGKILL)", **variables)
    assert done.returncode == -9, done.stderr
    (said,) = numbers(tmp_path / "trace").values()
    assert is_without_gap(said) and said[-1] == 20000 and said[0] > 8000 and len(flight(tmp_path / "trace")) == 1


def test_what_activate_is_told(tmp_path):
    program = """
import pinsight
for ring in ("x", "64M "):
    try:
        pinsight.activate(ring=ring)
    except ValueError as problem:
        print(problem)
pinsight.activate(ring="1s")
pinsight.activate(ring="1s")
pinsight.activate(ring="2s")
"""
    done = start_untraced(tmp_path, program)
    assert done.returncode == 0 and done.stdout.count("neither a size nor a time") == 2, done
    assert "ring='2s' has no effect: this process records already" in done.stderr and "'1s'" not in done.stderr
    done = start_untraced(tmp_path, "import pinsight; pinsight.activate()", PINSIGHT_RING="12x")
    assert "PINSIGHT_RING is '12x', and all is kept: it takes a size of 256K or more" in done.stderr


MESSAGES = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 30000; i++) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 10 == 0)
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
"""


def test_ranks_begin_at_different_operations(tmp_path):
    """So nothing says which operation of one belongs to which of the other: none is matched, which is said, and all are
    there, by the ranks that there are."""
    launcher = launchers.mpirun("openmpi", 2)
    (tmp_path / "messages.c").write_text(MESSAGES)
    program = tmp_path / "messages"
    subprocess.run(["mpicc.openmpi", "-o", str(program), str(tmp_path / "messages.c")], check=True)
    done = subprocess.run([str(places.COMMAND), "run", "--ring", "256K", "-o", str(tmp_path / "trace"), "--", *launcher,
                           str(program)], env=launchers.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=120)
    assert done.returncode == 0 and "of each of 2 processes" in done.stderr, done.stderr
    shown = json.loads(pinsight("report", tmp_path / "trace", "--mpi", "--format", "json"))["mpi"]
    totals = {row["name"]: row["calls"] for row in shown["functions"]}
    assert totals["MPI_Send"] > 500 and totals["MPI_Recv"] > 500 and totals["MPI_Finalize"] == 2
    assert [(row["rank"], row["recorded"]) for row in shown["ranks"]] == [(0, True), (1, True)]
    assert [row["name"] for row in shown["communicators"]].count("MPI_COMM_WORLD") == 1
    said = " ".join(pinsight("report", tmp_path / "trace", "--mpi").split())
    assert "0 matched · 0 collective operations" in said
    assert "The recording of 2 ranks begins after the start: messages and collective operations of such ranks are not matched" in said
    assert "not recorded)" not in said and "was not seen" not in said


def test_an_exported_trace_says_the_same(tmp_path):
    """Which part of the run it is, and all tables."""
    run(tmp_path, "count(0, up_to(60000))", options=("--ring", "256K"))
    pinsight("export", "--to", "ctf", tmp_path / "trace", "-o", tmp_path / "exported")
    shown = [json.loads(pinsight("report", tmp_path / name, "--format", "json")) for name in ("trace", "exported")]
    for told in shown:
        # The begins of calls that are open when the part begins are events of the exported one.
        del told["trace"]["path"], told["trace"]["bytes"], told["trace"]["events"]
        for process in told["processes"]:
            del process["events"]
    assert shown[0]["trace"]["flight_recorder"]
    for key in shown[0]:
        assert shown[0][key] == shown[1][key], key
    heads = [pinsight("report", tmp_path / name).splitlines()[1] for name in ("trace", "exported")]
    assert heads[0].startswith("flight recorder: the last") and heads[0].split(" · ")[0] == heads[1].split(" · ")[0]


BY_SIGNAL = """
import os, signal, sys, time
came = []
if sys.argv[2] == "own":
    signal.signal(signal.SIGUSR2, lambda number, frame: came.append(number))
count(0, up_to(20000))
os.kill(os.getpid(), signal.SIGUSR2)
until = time.monotonic() + 60
while not os.path.isdir(sys.argv[3] + "-dump-1/trace") and time.monotonic() < until:
    time.sleep(0.01)
print(len(came), "signals came")
"""


@pytest.mark.parametrize("who", ["own", "nobody"])
def test_a_dump_by_a_signal(who, tmp_path):
    """The program goes on, and a handler of its own is called."""
    words = command(tmp_path, BY_SIGNAL, options=["--ring", "1M", "--ring-signal", "USR2"])
    done = subprocess.run([*words, who, str(tmp_path / "trace")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=120)
    assert (done.returncode, done.stdout) == (0, "%d signals came\n" % (who == "own")), done.stderr
    dump = tmp_path / "trace-dump-1"
    assert "is in %s; next: pinsight report %s" % (dump, dump) in done.stderr
    assert json.loads(pinsight("report", dump, "--format", "json"))["trace"]["events"] > 10000
    assert not (tmp_path / "trace-dump-2").exists()


WRONG = [
    ("--ring 1M --ring-signal KILL", {}, "--ring-signal cannot be 'KILL': write one of HUP, QUIT, USR1, USR2"),
    ("--ring 1M", {"PINSIGHT_RING_SIGNAL": "12"}, "PINSIGHT_RING_SIGNAL cannot be '12'"),
    ("--ring-signal USR2", {}, "add --ring, such as --ring 30s"),
    ("--ring 10", {}, "--ring cannot be '10': write how much to keep of each process: a size of 256K or more"),
    ("--ring 30sec", {}, "--ring cannot be '30sec'"),
    ("--ring 0s", {}, "a time of 1 s or more"),
    ("--ring 1K", {}, "--ring cannot be '1K'"),
    ("--ring 64M --max-size 1G", {}, "leave out one of them"),
    ("--ring 64M --recorder lttng", {}, "leave out --recorder lttng"),
    ("", {"PINSIGHT_RING": "x"}, "PINSIGHT_RING cannot be 'x'"),
]


@pytest.mark.parametrize("options, variables, said", WRONG, ids=lambda value: str(value))
def test_what_cannot_be_is_refused(options, variables, said, tmp_path):
    done = subprocess.run(command(tmp_path, "", options=options.split()), env=dict(os.environ, **variables),
                          stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 2 and said in done.stderr and not (tmp_path / "trace").exists()


def test_the_environment_asks_for_a_ring(tmp_path):
    """The option wins. A run within another one has its own."""
    done = subprocess.run(command(tmp_path, "count(0, up_to(20000))", options=()), stderr=subprocess.PIPE,
                          universal_newlines=True, env=dict(os.environ, PINSIGHT_RING="512K"))
    assert "flight recorder" in done.stderr and len(flight(tmp_path / "trace")) == 1
    inner = command(tmp_path, "count(0, up_to(20000))", options=(), name="inner")
    done = subprocess.run([str(places.COMMAND), "run", "-o", str(tmp_path / "outer"), "--ring", "64M", "--", *inner],
                          stderr=subprocess.PIPE, universal_newlines=True, env=dict(os.environ, PINSIGHT_RING="512K"))
    assert done.returncode == 0 and "flight recorder" not in done.stderr


def test_a_head_that_is_damaged(tmp_path):
    """Of the ring: whatever its numbers are, the trace is read, or nothing of it is late enough."""
    done, folder = run(tmp_path, "count(0, up_to(10000))", options=("--ring", "256K"))
    (head,) = (folder / "trace").rglob("*-ring")
    whole, dice = head.read_bytes(), random.Random(11)
    for number in range(40):
        damaged = bytearray(whole)
        for _ in range(1 + number % 8):
            damaged[dice.randrange(16, len(damaged))] = dice.choice((0, 255, dice.randrange(256)))
        head.write_bytes(damaged[:dice.choice((8, 63))] if number % 10 == 9 else damaged)
        json.loads(pinsight("report", folder, "--format", "json"))
    head.write_bytes(whole)
    assert flight(folder)
    # Other readers of CTF see the files that there are.
    done = subprocess.run(["babeltrace2", "-o", "dummy", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    pinsight("export", folder, "-o", tmp_path / "timeline")


def test_what_fits_is_kept_whole(tmp_path):
    done, folder = run(tmp_path, "count(0, up_to(1000))", options=("--ring", "64M"))
    assert done.returncode == 0 and "flight recorder" not in done.stderr
    (said,) = numbers(folder).values()
    assert said == list(range(1001))
    shown = report(folder)
    assert "flight_recorder" not in shown["trace"] and shown["not_recorded"]["missing_events"] == 0


def test_threads_share_the_limit_and_begin_together(tmp_path):
    done, folder = run(tmp_path, """
more = [threading.Thread(target=count, args=(place, up_to(20000))) for place in (1, 2)]
[thread.start() for thread in more]
[thread.join() for thread in more]
os.kill(os.getpid(), signal.SIGKILL)
""")
    assert done.returncode == -9
    threads = numbers(folder)
    assert all(is_without_gap(said) for said in threads.values())
    assert any(said[-1] == 20000 for said in threads.values())
    assert sum(len(said) for said in threads.values()) < (1 << 20) / 112
    # The main thread waits all the time: a call that began before is there from the first moment on.
    shown = report(folder)
    waiting = sum(row["total_ns"] for row in shown["functions"] if row["name"].endswith("join"))
    assert waiting > 0.5 * shown["trace"]["flight_recorder"][0]["kept_ns"]
    size = sum(file.stat().st_size for file in (folder / "trace").rglob("*-[0-9]*") if file.name[0] != ".")
    assert size < 2 << 20
