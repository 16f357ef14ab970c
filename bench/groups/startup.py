"""`pinsight run` beside its command alone: by LTTng with a session daemon and without one, and by the file recorder."""

import os
import pathlib
import shutil
import statistics
import subprocess
import time

from harness import ChildFailed, in_turns

NAME = "startup"
ABOUT = "start-up with and without a session daemon, and how long a daemon of ours stays"

WITH, WITHOUT, GONE = 0.3, 0.6, 5.0
FILE = {"true": 0.015, "python -c pass": 0.030}  # of the file recorder, above the command alone


def daemons():
    """Session daemons that run in this mount namespace (a container or tests/isolate has its own)."""
    mine = os.readlink("/proc/self/ns/mnt")
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state = (folder / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
            if (
                (folder / "comm").read_text(encoding="utf-8").strip() == "lttng-sessiond"
                and state != "Z"
                and os.readlink(folder / "ns" / "mnt") == mine
            ):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def wait_until_gone(limit):
    """Seconds until no session daemon runs any more, or None."""
    start = time.monotonic()
    while time.monotonic() - start < limit:
        if not daemons():
            return time.monotonic() - start
        time.sleep(0.02)
    return None


def one(bench, command, kind):
    """One run: seconds from start to end, of processor time, and until our daemon was gone."""
    trace = bench.fresh("startup")
    if kind != "plain":
        recorder = "file" if kind == "file" else "lttng"
        command = [bench.pinsight, "run", "--recorder", recorder, "-o", trace, "--"] + command
    outcome = bench.run(command, timeout=60)
    shutil.rmtree(trace, ignore_errors=True)
    if outcome["status"] != 0:
        raise ChildFailed("status %s: %s" % (outcome["status"], outcome["output"].strip()[-160:]))
    gone = wait_until_gone(20) if kind == "without" else None
    return outcome["wall_s"], outcome["cpu_s"], gone


def busy():
    """A remark where the machine has other work: start-up is many processes that wait for each other."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    return "; the machine is busy (load %.1f on %d cores)" % (load, cores) if load > cores else ""


def measure(bench, command, kinds, rounds):
    times, processor = {kind: [] for kind in kinds}, {kind: [] for kind in kinds}
    gone = []
    for _, kind in in_turns(rounds, kinds):
        wall, cpu, left = one(bench, command, kind)
        times[kind].append(wall)
        processor[kind].append(cpu)
        if kind == "without":
            gone.append(left)
    return times, processor, gone


def run_files(bench, python, store):
    """By the file recorder: what is above the command alone.

    The least of many turns is judged. The processes wait for each other, and on a busy machine each of these waits also
    lasts until a processor is free.
    """
    rounds, rows = 5 if bench.quick else 25, []
    for name, command in (("true", ["true"]), ("python -c pass", [python.executable, "-c", "pass"])):
        times, processor, _ = measure(bench, command, ["plain", "file"], rounds)
        plain, whole = (min(times[kind]) for kind in ("plain", "file"))
        added, cpu = whole - plain, min(processor["file"]) - min(processor["plain"])
        median = statistics.median(times["file"]) - statistics.median(times["plain"])
        for metric, value in (("added_s", added), ("added_median_s", median), ("added_cpu_s", cpu)):
            store.value("startup", python.version, "file recorder, " + name, "pinsight", metric, value)
        what = "pinsight run --recorder file -- " + name
        store.budget(what, python.version, "<= %.0f ms more" % (1000 * FILE[name]), "%.1f ms" % (1000 * added),
                     added <= FILE[name], "processor time %.1f ms more, median %.1f ms%s" % (1000 * cpu, 1000 * median, busy()))
        rows.append([name] + ["%.1f" % (1000 * value) for value in (plain, whole, added, cpu, median)])
    store.table("Python %s: start-up by the file recorder, milliseconds, least of %d turns" % (python.version, rounds),
                ["command", "alone", "with pinsight run", "more", "processor time more", "median more"], rows)


def run(bench, python, store):
    rounds = 3 if bench.quick else 9
    if wait_until_gone(10) is None:
        store.failure("startup, %s" % python.version, "a session daemon runs already; use tests/isolate")
        return
    bench.say("start-up, Python %s" % python.version)
    command = [python.executable, "-c", "pass"]
    try:
        run_files(bench, python, store)
        without, _, gone = measure(bench, command, ["plain", "without"], rounds)
        nothing = subprocess.DEVNULL
        daemon = subprocess.Popen(["lttng-sessiond", "--quiet"], stdin=nothing, stdout=nothing, stderr=nothing)
        try:
            time.sleep(1.5)
            present, _, _ = measure(bench, command, ["plain", "present"], rounds)
        finally:
            daemon.terminate()
            daemon.wait()
    except ChildFailed as failure:
        store.failure("startup, %s" % python.version, failure)
        return
    plain = statistics.median(without["plain"])
    plain_present = statistics.median(present["plain"])
    rows = [["python -c pass", "%.3f" % plain, ""]]
    for label, times, base, limit in (
        ("with a session daemon running", present["present"], plain_present, WITH),
        ("without one", without["without"], plain, WITHOUT),
    ):
        added = statistics.median(times) - base
        store.value("startup", python.version, label, "pinsight", "added_s", added)
        rows.append(["pinsight run, " + label, "%.3f" % statistics.median(times), "%.3f" % added])
        what = "pinsight run -- python -c pass, " + label
        note = "least %.3f s%s" % (min(times) - base, busy())
        store.budget(what, python.version, "<= %.1f s more" % limit, "%.3f s" % added, added <= limit, note)
    missing = [one for one in gone if one is None]
    slowest = max((one for one in gone if one is not None), default=0.0)
    ok = not missing and slowest <= GONE
    text = "still there" if missing else "%.2f s" % slowest
    store.budget("a daemon of our own is gone", python.version, "<= 5 s after", text, ok, "slowest of %d" % len(gone))
    rows.append(["a daemon of our own is gone after", text, ""])
    store.table("Python %s: start-up, seconds, median" % python.version, ["", "total", "added"], rows)
