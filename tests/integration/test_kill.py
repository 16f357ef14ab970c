"""Anything is killed at any moment: the program never hangs, nothing is left, and what was recorded is there."""
import json
import os
import random
import signal
import subprocess
import time

import pytest

from support import places, world
from support.pythons import pythons

# About LTTng's daemons.
pytestmark = pytest.mark.recorder("lttng")

ROUNDS = int(os.environ.get("PINSIGHT_KILL_ROUNDS", "100"))
SEED = int(os.environ.get("PINSIGHT_KILL_SEED", "0")) or random.randrange(1 << 30)
RUNS_FOR = 3.0
# A lossless run of RUNS_FOR seconds is millions of events, which a busy machine takes long to summarise.
RUN_ENDS = 120.0
SWITCH_PERIOD = 1.0
SLACK = 0.5

# Calls tick for RUNS_FOR seconds, and every 50 ms writes down when it is and how many ticks there were.
PROGRAM = """
import sys, time

def tick():
    pass

def run(log, seconds, pause):
    count, end, noted = 0, time.monotonic() + seconds, 0.0
    with open(log, "w", buffering=1) as file:
        print("0 0", file=file)
        while True:
            now = time.monotonic()
            if now - noted > 0.05:
                print(now, count, file=file)
                noted = now
            if now > end:
                break
            for _ in range(50):
                tick()
            count += 50
            if pause:
                time.sleep(pause)
        print("done", count, file=file)

run(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
"""

VICTIMS = ["run", "supervisor", "program", "sessiond", "consumerd"]


class Round:
    """One command under pinsight run in a world of its own, and who is who in it."""

    def __init__(self, place, folder, lossless, python, pause):
        self.world = place
        self.trace = folder / "trace"
        self.log = folder / "log"
        self.stderr = folder / "stderr"
        source = folder / "ticking.py"
        source.write_text(PROGRAM)
        options = ["--lossless"] if lossless else []
        with open(self.stderr, "wb") as stderr:
            self.process = place.start(
                [places.COMMAND, "run", "-o", self.trace, *options, "--", python.path, source, self.log,
                 RUNS_FOR, pause], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)

    def find(self, victim):
        """The pid of a victim, None while it is not there."""
        if victim == "run":
            return self.process.pid
        if victim in ("sessiond", "consumerd"):
            found = self.world.named("lttng-" + victim)
            return min(found) if found else None
        for pid, line in self.world.processes().items():
            if victim == "program" and "ticking.py" in line and pid != self.process.pid \
                    and not world.process_name(pid).startswith("pinsight"):
                return pid
            if victim == "supervisor" and pid != self.process.pid \
                    and world.process_name(pid).startswith("pinsight") \
                    and not world.process_name(pid).startswith("pinsight-prim"):
                return pid
        return None

    def noted(self):
        """[(time, ticks)] and the ticks at the end, None where the program did not come to its end."""
        notes, done = [], None
        if self.log.exists():
            for line in self.log.read_text().splitlines():
                first, _, second = line.partition(" ")
                if first == "done":
                    done = int(second)
                elif second.isdigit():
                    notes.append((float(first), int(second)))
        return notes, done


def ticks_in_report(place, trace):
    done = place.run([places.COMMAND, "report", trace, "--format", "json", "--limit", "0"], timeout=60)
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
    try:
        told = json.loads(done.stdout.decode())
    except ValueError:
        pytest.fail("no report: %s" % done.stderr.decode(errors="replace"))
    assert done.returncode == 0 or done.stderr, "an error without a message"
    return sum(function["calls"] for function in told["functions"] if function["name"] == "tick")


def one_round(tmp_path, number):
    chance = random.Random(SEED * 1000 + number)
    victim = VICTIMS[number % len(VICTIMS)]
    lossless = bool(number // len(VICTIMS) % 2)
    daemon = chance.random() < 0.3 and victim not in ("sessiond", "consumerd")
    python = chance.choice(pythons())
    delay = chance.uniform(0.05, 0.5) if chance.random() < 0.2 else chance.uniform(0.5, RUNS_FOR)
    how = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]) if victim == "run" else signal.SIGKILL
    pause = 0.0 if lossless else 0.002
    told = "round %d (seed %d): %s of %s after %.2f s, %s, %s, python %s" % (
        number, SEED, how.name, victim, delay, "lossless" if lossless else "dropping",
        "a daemon runs" if daemon else "no daemon", python)
    print(told)
    with world.World(daemon=daemon) as place:
        round_ = Round(place, tmp_path, lossless, python, pause)
        start = time.monotonic()
        time.sleep(delay)
        found = []
        if world.wait_until(lambda: found.append(round_.find(victim)) or found[-1], RUNS_FOR + 2):
            killed_at = time.monotonic()
            world.kill(found[-1], how)
        else:
            killed_at = None
        ran_before = round_.log.exists()

        program_ends = world.wait_until(lambda: round_.find("program") is None, RUNS_FOR + 20)
        assert program_ends, "the program hangs"
        run_ends = world.wait_until(lambda: round_.process.poll() is not None, RUN_ENDS)
        assert run_ends, "pinsight run hangs"
        took = time.monotonic() - start
        notes, done = round_.noted()
        if victim not in ("program", "run") or (victim == "run" and how == signal.SIGKILL and ran_before):
            assert done is not None, "the program did not go on"
        left = place.left_over(12)
        assert not left, "left over: %s" % left
        said = round_.stderr.read_text(errors="replace")
        assert took < RUNS_FOR + 60
        if killed_at is None or not round_.trace.is_dir() or not any(round_.trace.iterdir()):
            return
        # LTTng writes events and their descriptions once a second: a younger trace may hold nothing.
        began = [when for when, _ in notes if when]
        if not began or killed_at - began[0] < SWITCH_PERIOD + SLACK:
            report = place.run([places.COMMAND, "report", round_.trace], timeout=60)
            assert report.returncode in (0, 1) and (report.returncode == 0 or report.stderr), said
            return
        expected = max([count for when, count in notes if when < killed_at - SWITCH_PERIOD - SLACK] or [0])
        seen = ticks_in_report(place, round_.trace)
        assert seen >= expected, "the trace holds %d of the %d ticks of before the kill" % (seen, expected)


@pytest.mark.parametrize("number", range(3))
def test_supervisor_killed_while_it_makes_the_session(number, tmp_path):
    """In a daemon that lives on, the half of a session that it made does not stay."""
    with world.World(daemon=True) as place:
        round_ = Round(place, tmp_path, False, pythons()[0], 0.01)
        assert world.wait_until(place.sessions, RUNS_FOR)
        supervisor = round_.find("supervisor")
        world.kill(supervisor, signal.SIGKILL)
        assert world.wait_until(lambda: round_.process.poll() is not None, RUN_ENDS), "pinsight run hangs"
        left = place.left_over(12)
        assert not left, "left over: %s" % left
        _, done = round_.noted()
        assert done is not None and round_.process.returncode == 0
        said = round_.stderr.read_text()
        assert said.count("the supervisor of the session has ended") == 1, said


@pytest.mark.parametrize("number", range(10))
def test_killed(number, tmp_path):
    one_round(tmp_path, number)


@pytest.mark.long
@pytest.mark.parametrize("number", range(ROUNDS))
def test_killed_at_random(number, tmp_path):
    one_round(tmp_path, 1000 + number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("whom", ["run", "group"])
def test_ended_by_a_signal(number, whom, own_world, tmp_path):
    """Ctrl-C (the whole group) or a signal to pinsight run alone: status, trace and nothing left."""
    trace = tmp_path / "trace"
    process = own_world.start([places.COMMAND, "run", "-o", trace, "--", pythons()[-1].path, "-c",
                               "import time\nprint('ready', flush=True)\ntime.sleep(30)"], cwd=tmp_path,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    if whom == "group":
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode in (-number, 128 + number), err
    assert own_world.left_over(10) == {}
    assert ticks_in_report(own_world, trace) == 0


def test_how_the_daemon_ended_is_said(own_world, tmp_path):
    """Of a daemon of ours; the program goes on, and one line says what happened."""
    process = own_world.start([places.COMMAND, "run", "-q", "-o", tmp_path / "trace", "--", pythons()[-1].path, "-c",
                               "print('ready', flush=True); print(input())"], cwd=tmp_path,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    world.kill(min(own_world.named("lttng-sessiond")), signal.SIGABRT)
    said = process.stderr.readline().decode()
    out, err = process.communicate(b"still here\n", timeout=60)
    assert (process.returncode, out) == (0, b"still here\n")
    assert said.startswith("pinsight: LTTng's session daemon has ended (signal 6, Aborted); the program continues"), said + err.decode()


@pytest.mark.parametrize("lossless", [False, True], ids=["dropping", "lossless"])
def test_stopped_consumer(lossless, own_world, tmp_path):
    """A consumer daemon that is stopped, not dead: the program goes on (after at most some waiting)."""
    round_ = Round(own_world, tmp_path, lossless, pythons()[-1], 0.0)
    assert world.wait_until(round_.log.exists, 20)
    consumer = round_.find("consumerd")
    os.kill(consumer, signal.SIGSTOP)
    try:
        assert world.wait_until(lambda: round_.find("program") is None, RUNS_FOR + 15), "the program hangs"
        assert round_.noted()[1] is not None
    finally:
        world.kill(consumer, signal.SIGCONT)
    assert world.wait_until(lambda: round_.process.poll() is not None, 30), "pinsight run hangs"
    assert own_world.left_over(12) == {}


# Nobody reads from `go` on. All on one processor, because each has buffers of its own, which may have room.
STOPPED = """
import os, pathlib, sys, threading, time

folder = pathlib.Path(sys.argv[1])

def tick():
    pass

def wait_until_stopped():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    (folder / "ready").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)

def fill():
    for _ in range(200000):
        tick()

%s
(folder / "done").touch()
"""
STOPPED_AT = {
    "a deep stack": (["--lossless"], """
def deep(levels):
    if levels:
        deep(levels - 1)
    else:
        wait_until_stopped()
        fill()

deep(100)
"""),
    "many threads": (["--lossless"], """
wait = threading.Event()

def idle():
    tick()
    wait.wait()

threads = [threading.Thread(target=idle) for _ in range(80)]
for thread in threads:
    thread.start()
wait_until_stopped()
fill()
wait.set()
"""),
    "many counts": (["--mode", "MONITORING"], """
space = {}
exec("".join("def a_function_with_quite_a_long_name_%d(): pass\\n" % number for number in range(20000)), space)
for function in list(space.values()):
    if hasattr(function, "__code__"):
        function()
wait_until_stopped()
"""),
    "many marks": (["--lossless", "--events", "none"], """
import pinsight
wait_until_stopped()
for _ in range(50000):
    pinsight.mark(2000 * "m")
"""),
}


@pytest.mark.parametrize("where", list(STOPPED_AT))
def test_stopped_consumer_is_waited_for_once(where, own_world, tmp_path):
    """One event may wait, not each of a stack, a list of counts or a loop; however many threads there are."""
    options, body = STOPPED_AT[where]
    source = tmp_path / "stopped.py"
    source.write_text(STOPPED % body)
    process = own_world.start(
        [places.COMMAND, "run", "--no-summary", "-o", tmp_path / "trace", *options, "--", pythons()[-1].path, source,
         tmp_path], cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(places.PACKAGES)), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert world.wait_until((tmp_path / "ready").exists, 30)
    consumer = min(own_world.named("lttng-consumerd"))
    os.kill(consumer, signal.SIGSTOP)
    try:
        (tmp_path / "go").touch()
        program = [pid for pid, line in own_world.processes().items()
                   if "stopped.py" in line and not world.process_name(pid).startswith("pinsight")]
        assert world.wait_until(lambda: all(world.process_state(pid) == "X" for pid in program), 15), \
            "the program hangs"
        assert (tmp_path / "done").exists()
    finally:
        world.kill(consumer, signal.SIGCONT)
    assert world.wait_until(lambda: process.poll() is not None, 30), "pinsight run hangs"
