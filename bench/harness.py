"""Start children, take their times in turns, and boil numbers down."""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / "work"


class ChildFailed(Exception):
    """A child ended badly; the text is what the table shows."""


class Bench:
    """Where everything is, and how children are started."""

    def __init__(self, build, scratch, core, quick, verbose):
        self.build = pathlib.Path(build).resolve()
        self.pinsight = self.build / "bin" / "pinsight"
        self.libdir = self.build / "lib" / "pinsight"
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=scratch))
        self.core = core
        self.quick = quick
        self.verbose = verbose
        self.serial = 0

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    def fresh(self, stem):
        """A path in the scratch folder that does not exist yet."""
        self.serial += 1
        return self.scratch / ("%s-%d" % (stem, self.serial))

    def configuration(self, name, text):
        """A configuration file of that text."""
        path = self.scratch / (name + ".ini")
        path.write_text(text, encoding="utf-8")
        return path

    def preloaded(self, library):
        """The library's path through a link to its folder: LD_PRELOAD is divided at blanks."""
        link = self.scratch / ("preload-" + library.parent.name)
        if not link.is_symlink():
            link.symlink_to(library.parent)
        return link / library.name

    def pinned(self, command):
        """`command` on one core, which leaves the others to LTTng's consumer."""
        if self.core is None or not shutil.which("taskset"):
            return command
        return ["taskset", "-c", str(self.core)] + command

    def run(self, command, environment=None, timeout=600, peak=False):
        """Run `command` to its end. Returns its status, times, output and, if asked for, its peak memory."""
        env = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")
        for key in ("PINSIGHT", "PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD"):
            env.pop(key, None)
        env.update(environment or {})
        log = self.fresh("log")
        with open(log, "wb") as output:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            child = subprocess.Popen(
                [str(part) for part in command], env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
            try:
                status, peak_kb = wait_for(child, timeout, peak)
            finally:
                end = time.monotonic()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        text = log.read_text(encoding="utf-8", errors="replace")
        log.unlink()
        return {"status": status, "wall_s": end - start, "cpu_s": cpu, "end": end, "peak_kb": peak_kb, "output": text}

    def child(self, command, environment=None, timeout=600):
        """Run a command whose last part is one of work/: returns run()'s result with the child's report."""
        report = self.fresh("result")
        env = dict(environment or {}, PINSIGHT_BENCH_RESULT=str(report))
        outcome = self.run(command, env, timeout)
        try:
            outcome["report"] = json.loads(report.read_text(encoding="utf-8"))
            report.unlink()
        except (OSError, ValueError):
            lines = outcome["output"].strip().splitlines() or ["no output"]
            text = "status %s: %s" % (outcome["status"], lines[-1][:160])
            if self.verbose:
                self.say("failed: %s\n%s" % (" ".join(map(str, command)), outcome["output"]))
            raise ChildFailed(text) from None
        return outcome

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)


def wait_for(child, timeout, peak):
    """Wait for a child with a limit: (exit status, peak resident memory in KiB or 0).

    The peak is read from /proc while the child runs: what wait4() gives has this process's own in it.
    """
    late = threading.Event()

    def end():
        late.set()
        child.kill()

    timer = threading.Timer(timeout, end)
    timer.start()
    highest = 0
    try:
        while peak and child.poll() is None:
            highest = max(highest, peak_of(child.pid))
            time.sleep(0.005)
        status = child.wait()
    finally:
        timer.cancel()
    if late.is_set():
        raise ChildFailed("no end after %d s" % timeout)
    return status, highest


def peak_of(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def in_turns(rounds, items):
    """`items` over and over, forwards and backwards, so that drift hits all alike: (round, item)."""
    for number in range(rounds):
        for item in items if number % 2 == 0 else list(reversed(items)):
            yield number, item


def fit_line(points):
    """Least squares through (x, y): slope and intercept."""
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    if len(set(xs)) < 2:
        return ys[0] / xs[0], 0.0
    mean_x, mean_y = statistics.fmean(xs), statistics.fmean(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x in xs)
    return slope, mean_y - slope * mean_x


def slope_of_medians(samples):
    """Cost per iteration: `samples` maps N to times; a line is fitted through the median of each N."""
    return fit_line([(n, statistics.median(times)) for n, times in sorted(samples.items())])[0]


def folder_size(path):
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            total += os.lstat(os.path.join(folder, name)).st_size
    return total
