"""The decoder of traces beside libbabeltrace2. With PINSIGHT_CHECK_DECODER=1 every trace that a test leaves is read
both ways, and a test fails where they do not give the same events (tests/conftest.py)."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import places

LIST = places.BUILD / "tests" / "tracelist"
REFUSED = {"PINSIGHT_DECODER": "babeltrace2"}
# Larger ones take too long to be compared after each test.
MOST_BYTES = 16 << 20


def listed(trace, **variables):
    """What the decoder gives of a trace: lines of events, and what else it says."""
    if not LIST.exists():
        places.missing("tests/tools/tracelist, built")
    done = subprocess.run([LIST, str(trace)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          env=dict(os.environ, **variables))
    assert done.returncode in (0, 1) and not done.stderr, done
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    end = next(number for number, line in enumerate(lines) if line.startswith("events "))
    return lines[:end], lines[end:]


def rounding(trace):
    """How far times may be from each other: babeltrace2 takes those of a processor's counter as fractions."""
    for metadata in trace.rglob("metadata"):
        if not re.search(rb"freq = *1000000000\b", metadata.read_bytes()):
            return 1
    return 0


def hosts(trace):
    """The folders of several hosts, each to be read alone: the decoder alone brings their clocks together."""
    folders = sorted(metadata.parent for form in ("*/metadata", "trace/*/metadata") for metadata in trace.glob(form))
    return folders if len(folders) > 1 else [trace]


def difference(trace):
    """The first event that the two ways do not give alike; None where all are, or where the trace is damaged."""
    return next(filter(None, map(difference_of_one, hosts(trace))), None)


def difference_of_one(trace):
    """Likewise of one. Of a flight recorder's trace the decoder leaves out what is earlier than its begin, which a file
    beside the streams says: without that both give everything."""
    if not any(trace.rglob("*-ring")):
        return difference_of_streams(trace)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "trace"
        shutil.copytree(trace, copy, symlinks=True, ignore=shutil.ignore_patterns("*-ring"))
        return difference_of_streams(copy)


def difference_of_streams(trace):
    (lines, said), (others, also) = listed(trace), listed(trace, **REFUSED)
    if any(line.startswith(("warning ", "error ")) for line in (*said, *also)):
        return None
    most = rounding(trace)
    told, also_told = ([line.partition(" ")[::2] for line in some] for some in (lines, others))
    for ours, theirs in zip(sorted(told, key=lambda event: event[::-1]), sorted(also_told, key=lambda event: event[::-1])):
        if ours[1] != theirs[1] or abs(int(ours[0]) - int(theirs[0])) > most:
            return ours, theirs
    return (said, also) if len(lines) != len(others) or (not most and said != also) else None


def traces_in(folder):
    """What was written by runs, and other folders with a trace: the outermost ones."""
    for top, folders, files in os.walk(folder):
        if "pinsight-run.txt" in files or "metadata" in files:
            folders.clear()
            yield type(folder)(top)
        elif "trace" in folders and any(name.startswith(".pinsight") for name in files):
            folders.clear()


def is_finished(trace):
    """No process goes on recording, and it is not too large."""
    size = 0
    for top, _, files in os.walk(trace):
        for name in files:
            if re.fullmatch(r"\.\d+-[0-9a-f]+-\d+", name):
                return False
            size += os.lstat(os.path.join(top, name)).st_size
    text = (trace / "pinsight-run.txt")
    return size <= MOST_BYTES and (not text.exists() or "\nended" in text.read_text(errors="replace"))
