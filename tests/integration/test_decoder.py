"""The decoder of traces against babeltrace2: event by event the same, of traces of every kind."""
import os
import random
import re
import shutil
import struct
import subprocess

import pytest

from support import damage, everything, made, mpi, openmp, places, traces
from support.decoder import compare, in_order, listed, parsed
from support.rotation import rotated

PROGRAM = """
import os, threading
def leaf(text):
    return len(text)
def branch(depth):
    return depth and branch(depth - 1) + leaf("x" * depth)
def work():
    for i in range(50):
        branch(i % 7)
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
work()
[thread.join() for thread in threads]
if not os.fork():
    work()
    os._exit(0)
os.wait()
"""


def record(folder, words, *options, **variables):
    trace = folder / "trace"
    done = subprocess.run([places.COMMAND, "run", "--quiet", *options, "-o", str(trace), "--", *map(str, words)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          env=dict(os.environ, **variables))
    assert done.returncode == 0, done.stdout
    return trace


@pytest.mark.smoke
@pytest.mark.parametrize("how", [["file"], ["lttng", "--names", "inline"], ["lttng", "--names", "registry"]], ids="-".join)
def test_python(how, newest, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    trace = record(tmp_path, [newest.path, tmp_path / "program.py"], "--recorder", *how)
    assert len(compare(trace)) > 2000


@pytest.mark.parametrize("recorder", ["file", "lttng"])
def test_openmp(recorder, tmp_path):
    folder = openmp.build("clang", ["loop_dynamic", "tasks"])
    for name in ("loop_dynamic", "tasks"):
        (tmp_path / name).mkdir()
        trace = record(tmp_path / name, [folder / name], "--recorder", recorder, OMP_NUM_THREADS="3")
        assert len(compare(trace)) > 50


@pytest.mark.parametrize("recorder", ["file", "lttng"])
def test_mpi(recorder, flavour, tmp_path):
    program = flavour.compile(places.PROGRAMS / "mpi_patterns.c", tmp_path / "patterns")
    trace = record(tmp_path, flavour.command(2, program, "all"), "--recorder", recorder, **mpi.ENVIRONMENT)
    assert len(compare(trace)) > 20


def test_chunks(newest, tmp_path):
    """Whole and by its chunks, of which later ones have names from earlier ones."""
    trace = rotated(newest, tmp_path, "registry", ["--quiet", "--recorder", "lttng"])
    events = compare(trace)
    chunks = sorted((trace / "archives").iterdir())
    assert len(chunks) == 3 and len(events) == sum(len(compare(chunk)) for chunk in chunks)


def compact(number, time, payload=b""):
    return struct.pack("<I", (time & 2 ** 27 - 1) << 5 | number) + payload


def extended(number, time, payload=b""):
    return struct.pack("<BIQ", 31, number, time) + payload


def of_a_thread(sequence, begin, end, tid, *events):
    """A packet as the file recorder writes it: process and thread are in its head."""
    body = b"".join(events)
    bits = 8 * (24 + 56 + len(body))
    return (struct.pack("<I16sI", 0xC1FC1FC1, bytes(range(1, 17)), 0)
            + struct.pack("<QQQQQQII", begin, end, bits, bits, sequence, 0, 70, tid) + body)


@pytest.mark.parametrize("frequency, offset", [(1000000000, 0), (2100000000, 0), (24000000, 7)])
def test_what_the_file_recorder_writes(frequency, offset, tmp_path):
    """Events in both forms of heads, times that go round, and packets of several threads in a file."""
    description = (places.TESTS / "fuzz" / "corpus" / "tsdl" / "file").read_text()
    (tmp_path / "metadata").write_text(re.sub(r"freq = \d+ *; offset_s = \d+ *; offset = \d+;",
                                              "freq = %d      ; offset_s = 1700000000  ; offset = %d;" % (frequency, offset), description))
    wide = 2 ** 27
    mark = b"name \xc3\xa9\0" + struct.pack("<HBB", 2, 1, 2) + struct.pack("<d", 1.5) + b"\4"
    (tmp_path / "70-1f-0").write_bytes(
        of_a_thread(0, wide - 3, 2 * wide, 71, compact(0, wide - 2, struct.pack("<I", 4)), compact(0, wide + 5, struct.pack("<I", 8)),
                    extended(40, wide + 9, mark), compact(0, 2 * wide - 1, struct.pack("<I", 12)))
        + of_a_thread(1, 3 * wide, 4 * wide, 72, extended(0, 3 * wide, struct.pack("<I", 16)), compact(0, 4 * wide - 1, struct.pack("<I", 2 ** 32 - 1))))
    (tmp_path / "80-2e-0").write_bytes(of_a_thread(0, wide, wide + 9, 80, compact(0, wide + 9, struct.pack("<I", 4))))
    (tmp_path / ".70-1f-1").write_bytes(b"not finished")
    lines, said = listed(tmp_path)
    events = [parsed(line) for line in lines]
    assert [event[3] for event in events] == [71, 71, 71, 80, 71, 72, 72] and {event[2] for event in events} == {70}, lines
    assert events[2][4] == {"name": "name é"} and events[6][4] == {"code_how": 2 ** 32 - 1}
    # The text has no process and thread of them. Of clocks that do not tick in nanoseconds babeltrace2 rounds with fractions.
    told = in_order([(event.ts, event.name, None, None, event.fields) for event in traces.events(tmp_path)])
    for ours, text in zip(in_order(events), told):
        assert ours[1] == text[1] and abs(ours[0] - text[0]) <= (frequency != 1000000000)
        assert all(text[4][key] == value for key, value in ours[4].items())
    assert len(events) == len(told) == 7 and len(said) == 2


@pytest.mark.parametrize("seed", range(3))
def test_every_event(seed, tmp_path):
    """With names of any bytes."""
    assert len(compare(everything.write(tmp_path / "trace", seed=seed))) > 4000


def test_discards(tmp_path):
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    process.code(1, "work", "/a/program.py", 3)
    thread = process.thread(71)
    for at in range(100):
        thread.function(100 + 20 * at, 110 + 20 * at, 1)
    trace.loses(70, 71, 150, 7)
    trace.loses(70, 71, 900, 5)
    _, said = listed(trace.write())
    # babeltrace2 leaves out those of the first packet.
    assert " discarded 12 0 " in said[0] and traces.discarded(tmp_path / "trace") == 5


@pytest.mark.parametrize("seed", range(30))
def test_damaged(seed, tmp_path):
    """No more events than there were, but for a stream that is there twice."""
    trace = everything.write(tmp_path / "trace", seed=1, events=400, names=everything.SOUND)
    sound, _ = listed(trace)
    damage.damage(random.Random(seed), str(trace))
    lines, _ = listed(trace)
    assert len(lines) <= 2 * len(sound)


def test_a_stream_that_is_there_twice(tmp_path):
    """Packets that were read are not read again, and it is said."""
    trace = everything.write(tmp_path / "trace", seed=2, events=400)
    lines, _ = listed(trace)
    shutil.copy(trace / "events_1", trace / "events_90")
    again, said = listed(trace)
    assert sorted(again) == sorted(lines)
    (warning,) = [line for line in said if line.startswith("warning")]
    assert "events_90 is a copy of" in warning
