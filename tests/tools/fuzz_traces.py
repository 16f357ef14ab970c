#!/usr/bin/env python3
"""Damages traces in ways that a seed decides, and gives them to the verbs that read traces. Each has to end by
itself with status 0 or 1, wait for nothing for 2 s, take no more than 10 s of processor time and 2 GiB of memory,
leave no file but its output, write text that is UTF-8 and JSON that is JSON, and show a terminal no control character
and no difference that went below 0.
Of a tenth of the traces only whole packets go, come twice or change places: then all events are there, or it is said.

    tests/tools/fuzz_traces.py --seconds 60 --seed 1 TRACE...
    tests/tools/fuzz_traces.py --seed 1 --only 4711 TRACE...      one of them again

What failed is kept in --keep (a folder), with how to do it again. The command is PINSIGHT_COMMAND's, or the build's; it
may have been built with sanitizers. Exit status: 0 nothing failed, 1 something did.
"""
import argparse
import contextlib
import csv
import fcntl
import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import damage  # noqa: E402

PROCESSOR_SECONDS = 10
HANGS_SECONDS = 2
MEMORY = 2 << 30
REPORTS = [[], ["--tree"], ["--imports"], ["--links"], ["--gil"], ["--cuda"], ["--locks"], ["--tasks"], ["--openmp"], ["--openmp", "--tree"], ["--mpi"], ["--matrix"], ["--by", "module"],
           ["--by", "file"], ["--by", "thread"]]
VIEWS = ([["report", "--limit", "0"] + words for words in REPORTS] +
         [["report", "--format", "json"] + words for words in REPORTS] +
         [["report", "--format", "csv"] + words for words in REPORTS if "--tree" not in words] +
         [["report", "--matrix", "--format", "svg"], ["dump"], ["dump", "--format", "json"]])
REPORT_JSON = ["report", "--format", "json"]
PACKETS_ONLY = 0.1  # of the traces: they lack whole packets, and nothing else happened to them
LOCKED = 0.1  # of the traces: somebody holds a lock on each of their folders
FORMS = ["perfetto", "html", "chrome", "csv", "pstats", "callgrind", "speedscope", "folded", "otf2", "parquet",
         "parquet-dataset"]
CONTROLS = set(range(0x20)) - {0x0A} | {0x7F} | set(range(0x80, 0xA0)) | {0x61C, 0x200E, 0x200F, 0xFEFF} | set(range(0x2028, 0x202F)) | \
    set(range(0x2066, 0x206A))
# Forms that quote what they may not have: any character is theirs.
RAW = {"pstats", "parquet", "parquet-dataset", "perfetto", "otf2"}


def is_sanitized(command):
    with open(command, "rb") as file:
        return b"__asan_init" in file.read()


def wrong_text(data, allowed=""):
    """What is wrong with text that a terminal may be shown; None where nothing is."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "is not UTF-8: %s" % error
    for character in set(text.replace("\r\n", "\n")):
        if ord(character) in CONTROLS and character not in allowed:
            at = text.index(character)
            return "has U+%04X: %r" % (ord(character), text[max(0, at - 60):at + 20])
    return None


NEGATIVE = range(1 << 63, (1 << 64) - 1)  # as numbers without a sign; sums of absurd numbers end at 2^64 - 1


def below_0(value, key=""):
    """The first time of JSON that is a negative one without its sign; None if there is none."""
    if isinstance(value, dict):
        return next(filter(None, (below_0(part, name) for name, part in value.items())), None)
    if isinstance(value, list):
        return next(filter(None, (below_0(part, key) for part in value)), None)
    if isinstance(value, int) and value in NEGATIVE and key.endswith("ns"):
        return "has %s %d" % (key, value)
    return None


def below_0_in_table(text):
    """The first time of a table in CSV that is a negative one without its sign; None if there is none."""
    for row in csv.DictReader(io.StringIO(text)):
        for name, value in row.items():
            if name and name.endswith("ns") and isinstance(value, str) and value.isdigit() and int(value) in NEGATIVE:
                return "has %s %s" % (name, value)
    return None


def below_0_in_slices(read):
    """The same, of the lengths of slices, which are microseconds."""
    for slice in read.get("traceEvents", []):
        if slice.get("dur", 0) < 0 or slice.get("dur", 0) >= NEGATIVE.start / 1000:
            return "has dur %s" % slice["dur"]
    return None


def wrong_output(words, data, rc):
    form = words[words.index("--to") + 1] if "--to" in words else words[words.index("--format") + 1] if "--format" in words else "text"
    if form in RAW or not data:
        return None
    if form in ("json", "chrome", "speedscope") and rc == 0:
        try:
            for document in data.decode("utf-8").splitlines() if words[0] == "dump" else [data.decode("utf-8")]:
                read = json.loads(document)
                wrong = below_0(read) if words[0] in ("report", "diff") else below_0_in_slices(read) if form == "chrome" else None
                if wrong:
                    return wrong
        except ValueError as error:
            return "is not JSON: %s" % error
    wrong = wrong_text(data, "\r\t" if form == "csv" and words[0] == "export" else "")
    return wrong or (below_0_in_table(data.decode("utf-8")) if form == "csv" else None)


def limits(sanitized):
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, ((3 if sanitized else 1) * PROCESSOR_SECONDS,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def ran(pid):
    """What a process and its children have had of processors, in ticks, and whether one of them wants more."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            words = file.read().rpartition(")")[2].split()
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            children = [ran(int(child)) for child in file.read().split()]
    except (OSError, ValueError):
        return 0, False
    return (sum(map(int, words[11:15])) + sum(ticks for ticks, _ in children),
            words[0] == "R" or any(wants for _, wants in children))


def wait(process):
    """Its status; or what is wrong, where it waits for something for 2 s, or has no end."""
    end, last, since = time.monotonic() + 180, None, time.monotonic()
    while True:
        try:
            return process.wait(0.2)
        except subprocess.TimeoutExpired:
            now, (ticks, wants) = time.monotonic(), ran(process.pid)
        if ticks != last or wants:
            last, since = ticks, now
        if now - since > HANGS_SECONDS or now > end:
            process.kill()
            process.wait()
            return "no end: it has waited for %.1f s" % (now - since)


@contextlib.contextmanager
def locks(trace):
    """Locks on the folders of a trace, as a reader that was stopped holds them."""
    held = []
    for folder, _, _ in os.walk(trace):
        held.append(os.open(folder, os.O_RDONLY))
        fcntl.flock(held[-1], fcntl.LOCK_EX)
    try:
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)


class Fuzzer:
    def __init__(self, command, traces, seed, keep, folder):
        self.command, self.traces, self.seed, self.keep, self.folder = command, traces, seed, keep, folder
        self.sanitized = is_sanitized(command)
        self.failed, self.runs, self.ends, self.packets, self.sound = [], 0, {}, 0, {}
        self.longest = (0, "")  # the processor time of a run in seconds, and which

    def environment(self, temporary):
        return dict(os.environ, TMPDIR=temporary, LC_ALL="C.UTF-8", COLUMNS="100",
                    ASAN_OPTIONS="exitcode=99:detect_leaks=0:hard_rss_limit_mb=2048:allocator_may_return_null=0:handle_segv=2:handle_abort=0",
                    UBSAN_OPTIONS="exitcode=99:print_stacktrace=1")

    def taken(self):
        """The processor time of all processes that have ended, in seconds."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def run(self, words, what):
        """One verb over a damaged trace; returns what is wrong with how it went, or None."""
        temporary, out = os.path.join(self.folder, "tmp"), os.path.join(self.folder, "out")
        for path in (temporary, out):
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)
        if words[0] == "export":
            words = words + ["-o", os.path.join(out, "exported")]
        with tempfile.TemporaryFile() as shown, tempfile.TemporaryFile() as said:
            process = subprocess.Popen([self.command, *words, "-q", *what], stdin=subprocess.DEVNULL, stdout=shown, stderr=said,
                                       env=self.environment(temporary), preexec_fn=lambda: limits(self.sanitized))
            before = self.taken()
            rc = wait(process)
            self.longest = max(self.longest, (self.taken() - before, "--only %s, %s" % (self.number, " ".join(words))))
            for file in (shown, said):
                file.seek(0)
            data, messages = shown.read(), said.read()
        self.runs += 1
        return self.judge(words, rc, data, messages, temporary, out)

    def judge(self, words, rc, data, messages, temporary, out):
        said = messages.decode("utf-8", "replace")
        if b"Sanitizer" in messages or b"runtime error" in messages or b"exit status 99" in messages:
            return said[:4000]
        if rc not in (0, 1):
            return "ended with %s: %s" % (signal.Signals(-rc).name if isinstance(rc, int) and rc < 0 else rc, said[-500:])
        kind = "sound" if rc == 0 else "damaged" if data or os.listdir(out) else "refused"
        self.ends[kind] = self.ends.get(kind, 0) + 1
        if os.listdir(temporary):
            return "left %s" % os.listdir(temporary)
        left = [name for name in os.listdir(out) if name != "exported"]
        if left:
            return "left %s" % left
        path = os.path.join(out, "exported")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                data = file.read()
        wrong = wrong_output(words, data, rc)
        if wrong:
            return "what it wrote " + wrong
        if rc == 1 and not said:
            return "ended with 1 and no word"
        odd = [line for line in said.splitlines() if not line.startswith("pinsight: ")]
        if odd:
            return "said %r" % odd[0]
        wrong = wrong_text(messages)
        return "what it said " + wrong if wrong else None

    def told(self, trace):
        done = subprocess.run([self.command, *REPORT_JSON, "-q", trace], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.environment(self.folder), timeout=180)
        self.runs += 1
        try:
            return json.loads(done.stdout.decode("utf-8")), done
        except ValueError:
            return None, done

    def unsaid(self, base, trace):
        """A trace with packets missing, twice or in another order: the same events, or it is said."""
        if base not in self.sound:
            self.sound[base] = self.told(base)[0]["trace"]["events"]
        told, done = self.told(trace)
        if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr or done.returncode not in (0, 1):
            return "ended with %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")[:4000])
        if told is None:
            return None if done.stderr else "ended with %d and no word" % done.returncode
        missing = told["not_recorded"]
        if any(missing[key] for key in ("discarded_events", "discarded_packets", "missing_events", "damaged_streams", "warnings",
                                        "discarded_unknown")):
            return None
        if told["trace"]["events"] != self.sound[base]:
            return "%d events in place of %d, and nothing is said" % (told["trace"]["events"], self.sound[base])
        return None

    def one(self, number, views):
        """The number-th damaged trace, given to some verbs."""
        self.number = number
        chance = random.Random("%s/%d" % (self.seed, number))
        base = chance.choice(self.traces)
        trace = os.path.join(self.folder, "trace")
        shutil.rmtree(trace, ignore_errors=True)
        shutil.copytree(base, trace, symlinks=True)
        if chance.random() < PACKETS_ONLY:
            did = damage.packets_missing(chance, trace)
            if did:
                wrong = self.unsaid(base, trace)
                self.packets += 1
                if wrong:
                    self.note(number, base, [did], REPORT_JSON, wrong)
                return
        did = damage.damage(chance, trace)
        is_locked = chance.random() < LOCKED
        did += ["somebody holds locks"] * is_locked
        every = [(words, [trace]) for words in VIEWS] + [(["export", "--to", form], [trace]) for form in FORMS] * 2
        every += [(["diff"] + words, pair) for words in ([], ["--all"], ["--format", "json"]) for pair in ([trace, base], [base, trace])]
        with locks(trace) if is_locked else contextlib.nullcontext():
            for words, what in chance.sample(every, min(views, len(every))):
                wrong = self.run(words, what)
                if wrong:
                    self.note(number, base, did, words, wrong)

    def note(self, number, base, did, words, wrong):
        self.failed.append((number, words, wrong))
        print("\nFAILED: %s\n  --seed %s --only %d, of %s:\n    %s\n  %s" % (
            " ".join(words), self.seed, number, base, "\n    ".join(did), wrong.replace("\n", "\n  ")), flush=True)
        if self.keep:
            to = os.path.join(self.keep, "%s-%d" % (self.seed, number))
            if not os.path.exists(to):
                subprocess.run(["cp", "-a", os.path.join(self.folder, "trace"), to], check=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--count", type=int, default=10 ** 9, help="damaged traces at most")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--only", type=int, help="this damaged trace alone, in every view")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--views", type=int, default=4, help="views of each damaged trace")
    parser.add_argument("--keep", help="folder for the traces that fail")
    parser.add_argument("--command", default=os.environ.get("PINSIGHT_COMMAND"))
    options = parser.parse_args(arguments)
    if not options.command:
        from support import places
        options.command = places.COMMAND
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pinsight-fuzz-") as folder:
        fuzzer = Fuzzer(options.command, [os.path.abspath(trace) for trace in options.traces], options.seed, options.keep, folder)
        print("seed %s, %s" % (options.seed, options.command), flush=True)
        end, number = time.monotonic() + options.seconds, options.first
        if options.only is not None:
            fuzzer.one(options.only, 10 ** 9)
        while options.only is None and time.monotonic() < end and number - options.first < options.count:
            fuzzer.one(number, options.views)
            number += 1
        print("%d damaged traces, %d of them by whole packets, %d runs: %s; %d failed" % (
            number - options.first, fuzzer.packets, fuzzer.runs, ", ".join("%d %s" % (count, kind) for kind, count in sorted(fuzzer.ends.items())),
            len(fuzzer.failed)))
        print("the longest took %.1f s of processor time: %s" % fuzzer.longest)
    return 1 if fuzzer.failed else 0


if __name__ == "__main__":
    sys.exit(main())
