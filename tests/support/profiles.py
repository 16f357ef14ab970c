"""Profiles that `pinsight export` writes, as readers that know nothing of PInsight see them."""
import collections
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

from . import places
from .pythons import every_python

FORMS = ("pstats", "callgrind", "speedscope", "folded")
SPEEDSCOPE = "speedscope@1.25.0"

Row = collections.namedtuple("Row", "calls outermost self_ns total_ns callers")


def export(trace, form, *options, output="-", rc=0):
    """What a form of a trace is, as bytes."""
    done = subprocess.run([places.COMMAND, "export", str(trace), "--to", form, "--force", "-o", str(output), *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == rc, done.stderr.decode(errors="replace")
    return done.stdout


def save(folder, form, *options):
    file = folder / ("out." + form)
    export(folder / "trace", form, "-q", *options, output=file)
    return file


def functions_of(report):
    """{(file, line, name): row}"""
    return {(row["file"], row["line"], row["name"]): row for row in report["functions"]}


# pstats

LOAD = """
import json, pstats, sys
stats = pstats.Stats(sys.argv[1])
assert abs(stats.total_tt - sum(one[2] for one in stats.stats.values())) < 1e-9
json.dump([[key, list(one[:4]), [[caller, list(part)] for caller, part in one[4].items()]]
           for key, one in stats.stats.items()] + [stats.total_calls, stats.prim_calls], sys.stdout)
"""


def ns(seconds):
    return round(seconds * 1e9)


def pstats_of(file, python=None):
    """{(file, line, name): Row} as a Python's pstats loads them; callers are {key: Row}."""
    done = subprocess.run([python.base if python else sys.executable, "-I", "-c", LOAD, str(file)],
                          stdout=subprocess.PIPE, check=True)
    *rows, calls, outermost = json.loads(done.stdout.decode())
    found = {}
    for key, (cc, nc, tt, ct), callers in rows:
        assert tuple(key) not in found
        found[tuple(key)] = Row(nc, cc, ns(tt), ns(ct), {
            tuple(caller): Row(nc2, cc2, ns(tt2), ns(ct2), None) for caller, (nc2, cc2, tt2, ct2) in callers})
    assert calls == sum(row.calls for row in found.values())
    assert outermost == sum(row.outermost for row in found.values())
    return found


def pythons_with_pstats():
    """One of each version that is here."""
    return list({python.short: python for python in every_python()}.values())


# callgrind

COUNT = r"([\d,]+|\.)(?: \( ?[\d.]+%\))?"


def annotated(file, inclusive, events=2):
    """{"file:function": (ns, threads_ns)}, or with three events device_ns too, as callgrind_annotate prints them, and
    "PROGRAM TOTALS"."""
    if not shutil.which("callgrind_annotate"):
        places.missing("callgrind_annotate (Debian: valgrind)")
    done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no",
                           "--inclusive=" + ("yes" if inclusive else "no"), str(file)], cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0 and not done.stderr, done.stderr.decode(errors="replace")
    found = {}
    for line in done.stdout.decode().splitlines():
        match = re.match(r" *%s +(\S.*)$" % " +".join([COUNT] * events), line)
        if match:
            counts = [0 if count == "." else int(count.replace(",", "")) for count in match.groups()[:events]]
            name = re.sub(r" \[\]$", "", match.group(events + 1))
            assert name not in found
            found[name] = tuple(counts)
    return found


def callgrind_calls(text):
    """[(caller, callee, count, line, ns, threads_ns)] of the format's lines, names uncompressed."""
    names, found, place = {}, [], {}
    lines = iter(text.decode().splitlines())
    for line in lines:
        match = re.match(r"(fl|fn|cfi|cfn)=\((\d+)\)(?: (.*))?$", line)
        if match:
            tag, number, name = match.groups()
            kind = {"cfi": "fl", "cfn": "fn"}.get(tag, tag)
            if name is not None:
                assert (kind, number) not in names
                names[kind, number] = name
            place[tag] = names[kind, number]
        elif line.startswith("calls="):
            count = int(line[len("calls="):].split()[0])
            where, own, threads = map(int, next(lines).split())
            found.append((place["fl"] + ":" + place["fn"], place["cfi"] + ":" + place["cfn"], count, where, own,
                          threads))
    return found


# Folded stacks

def folded(text):
    """{stack of frames: self time}."""
    found = collections.Counter()
    for line in text.decode().splitlines():
        stack, _, time = line.rpartition(" ")
        found[tuple(stack.split(";"))] += int(time)
    return found


# Speedscope

def speedscope_package():
    """The folder of speedscope's npm package, fetched once into the build folder; None where it cannot be had."""
    folder = places.BUILD / "npm" / SPEEDSCOPE
    if not shutil.which("npm"):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "package").exists() and not (folder / "failed").exists():
            done = subprocess.run(["npm", "pack", SPEEDSCOPE, "--silent"], cwd=str(folder), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
            packed = list(folder.glob("*.tgz"))
            if done.returncode or not packed:
                (folder / "failed").write_text("")
                return None
            with tarfile.open(str(packed[0])) as archive:
                archive.extractall(str(folder / "new"), **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
            os.rename(str(folder / "new" / "package"), str(folder / "package"))
    return folder / "package" if (folder / "package").exists() else None


def check_speedscope(file):
    """What speedscope's file format demands, and what it does not say and its reader relies on."""
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = file["shared"]["frames"]
    for frame in frames:
        assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str)
        assert isinstance(frame.get("file", ""), str) and isinstance(frame.get("line", 1), int)
    for profile in file["profiles"]:
        assert profile["type"] == "evented" and isinstance(profile["name"], str)
        assert profile["unit"] in ("bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds")
        at, stack = profile["startValue"], []
        for event in profile["events"]:
            assert set(event) == {"type", "frame", "at"} and event["at"] >= at
            at = event["at"]
            if event["type"] == "O":
                assert 0 <= event["frame"] < len(frames)
                stack.append(event["frame"])
            else:
                assert event["type"] == "C" and stack.pop() == event["frame"]
        assert not stack and profile["endValue"] >= at


def speedscope_stacks(file):
    """{(profile, stack of frames): self time}; modules have their file behind their name."""
    frames = [(frame.get("file", ""), frame.get("line", 0), re.sub("^<module> .*", "<module>", frame["name"]))
              for frame in file["shared"]["frames"]]
    found = collections.Counter()
    for profile in file["profiles"]:
        stack, at = [], 0
        for event in profile["events"]:
            if stack:
                found[profile["name"], tuple(stack)] += event["at"] - at
            at = event["at"]
            if event["type"] == "O":
                stack.append(frames[event["frame"]])
            else:
                stack.pop()
    return found
