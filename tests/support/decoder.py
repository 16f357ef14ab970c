"""The decoder of traces against babeltrace2's text. With PINSIGHT_CHECK_DECODER=1 every trace that a test leaves is read
both ways, and a test fails where they do not give the same events (tests/conftest.py)."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import places, traces

LIST = places.BUILD / "tests" / "tracelist"
# Larger ones take too long to be compared after each test.
MOST_BYTES = 16 << 20


def listed(trace):
    """What the decoder gives of a trace: lines of events, and what else it says."""
    if not LIST.exists():
        places.missing("tests/tools/tracelist, built")
    done = subprocess.run([LIST, str(trace)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert done.returncode in (0, 1) and not done.stderr, done
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    end = next(number for number, line in enumerate(lines) if line.startswith("events "))
    return lines[:end], lines[end:]


def parsed(line):
    ns, name, vpid, vtid, *fields = line.split(" ")
    values = {}
    for field in fields:
        key, value = field.split("=", 1)
        values[key] = bytes.fromhex(value[1:-1]).decode("utf-8", "surrogateescape") if value[0] == '"' else int(value)
    return int(ns), name.split(":")[1], int(vpid), int(vtid), values


def in_order(events, texts=True):
    """By time, name and fields: of one time, the order is the reader's."""
    return sorted(events, key=lambda event: (event[0], event[1], sorted((key, str(value)) for key, value in event[4].items()
                                                                        if texts or not isinstance(value, str)),
                                             event[2] or 0, event[3] or 0))


def text_of(trace):
    """The events as babeltrace2 writes them."""
    return [(event.ts, event.name, event.vpid, event.vtid, {key: value for key, value in event.fields.items() if key != "cpu_id"})
            for event in traces.events(trace)]


def assert_same(events, others, most):
    """Each of them with the same fields, and times no further apart. What the others do not say is a context."""
    assert len(events) == len(others)
    if most:
        assert all(abs(ours - theirs) <= most for ours, theirs in zip(sorted(event[0] for event in events),
                                                                      sorted(event[0] for event in others)))
        events, others = ([(0, *event[1:]) for event in some] for some in (events, others))
    # For an empty text babeltrace2 may write the text that was in its place before.
    empty = any("" in event[4].values() for event in events)
    for ours, theirs in zip(in_order(events, not empty), in_order(others, not empty)):
        fields = {key: "" if ours[4].get(key) == "" else value for key, value in theirs[4].items()}
        assert ours == (*theirs[:2], ours[2] if theirs[2] is None else theirs[2],
                        ours[3] if theirs[3] is None else theirs[3], fields)


def compare(trace):
    """Both ways: the decoder, and the text of babeltrace2. Gives the events."""
    lines, _ = listed(trace)
    # Those without a time are names of earlier chunks.
    events = [parsed(line) for line in lines if not line.startswith("0 ")]
    assert events == sorted(events, key=lambda event: event[0])
    assert_same(events, text_of(trace), rounding(trace))
    return events


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
    _, said = listed(trace)
    if any(line.startswith(("warning ", "error ")) for line in said) or not any(trace.rglob("metadata")):
        return None
    try:
        compare(trace)
    except AssertionError as error:
        return str(error)
    return None


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
