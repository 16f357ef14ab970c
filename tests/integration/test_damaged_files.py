"""Traces of the file recorder that are damaged, mixed up, or not ours: a message, and what can be read all the same."""
import json
import os
import random
import re
import shutil
import struct
import subprocess

import pytest

from support import places

PROGRAM = """
import threading
def work(n):
    return n
def run():
    for n in range(3000):
        work(n)
threads = [threading.Thread(target=run) for _ in range(2)]
[thread.start() for thread in threads]
run()
[thread.join() for thread in threads]
"""
CALLS = 9000
HEAD = struct.Struct("<I16sIQQQQQQII")  # of a packet; record/file/layout.h


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A trace of three threads, of which each has several packets."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "program.py").write_text(PROGRAM)
    python = places_python()
    for name in ("first", "second"):
        done = subprocess.run([places.COMMAND, "run", "--no-summary", "--events", "function", "-o", str(folder / name), "--", python,
                               str(folder / "program.py")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
    return folder


def places_python():
    from support.pythons import pythons
    found = pythons()
    if not found:
        places.missing("a CPython that an extension was built for")
    return found[-1].path


@pytest.fixture
def trace(original, tmp_path):
    shutil.copytree(original / "first", tmp_path / "trace", symlinks=True)
    return tmp_path / "trace"


def inside(trace):
    return trace / "trace" / os.uname().nodename


def streams(trace):
    return sorted((path for path in inside(trace).iterdir() if re.fullmatch(r"\d+-[0-9a-f]+-\d+", path.name)),
                  key=lambda path: -path.stat().st_size)


def read(trace, status=None):
    """(report as JSON or None, messages)"""
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", "--limit", "0", str(trace)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=60)
    assert done.returncode in ((0, 1) if status is None else (status,)), done
    assert all(line.startswith("pinsight: ") for line in done.stderr.splitlines()), done.stderr
    assert done.stderr or not done.returncode
    return json.loads(done.stdout) if done.stdout else None, done.stderr


def calls(told):
    return sum(row["calls"] for row in told["functions"] if row["name"] == "work") if told else 0


def packets(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        yield at, HEAD.unpack_from(data, at)
        at += HEAD.unpack_from(data, at)[6] // 8


def test_whole(trace):
    told, said = read(trace, 0)
    assert (calls(told), said) == (CALLS, "")
    assert any(len(list(packets(path))) > 1 for path in streams(trace))


@pytest.mark.parametrize("seed", range(4))
def test_cut_off(seed, trace):
    """At any byte: what stands before is there."""
    path = streams(trace)[0]
    chance, size = random.Random(seed), path.stat().st_size
    ends = {at for at, _ in packets(path)} | {0}
    before = CALLS
    for length in sorted({chance.randrange(size) for _ in range(10)} | {1, HEAD.size - 1, HEAD.size}, reverse=True):
        os.truncate(path, length)
        told, said = read(trace, int(length not in ends))
        assert calls(told) <= before
        before = calls(told)
        assert length in ends or str(path) in said


@pytest.mark.parametrize("seed", range(4))
def test_any_bit(seed, trace):
    """No more calls than there were, and no end but with a message."""
    chance = random.Random(seed)
    for path in [*streams(trace), inside(trace) / "metadata", inside(trace) / ".control"]:
        sound = path.read_bytes()
        for _ in range(6):
            data = bytearray(sound)
            at = chance.randrange(min(len(data), 4000) if path.name == "metadata" else len(data))
            data[at] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
            told, _ = read(trace)
            assert calls(told) <= CALLS + 1, (path, at)
        path.write_bytes(sound)
    assert calls(read(trace, 0)[0]) == CALLS


@pytest.mark.parametrize("number", range(2))
def test_a_stream_is_missing(number, trace):
    """What the others have is there, and the missing one is named, also in a copy of the folder."""
    whole = read(trace, 0)[0]
    gone = streams(trace)[number]
    gone.unlink()
    shutil.copytree(trace, trace.with_name("copy"), symlinks=True)
    for folder in (trace, trace.with_name("copy")):
        told, said = read(folder, 1)
        assert 0 < told["trace"]["events"] < whole["trace"]["events"] and calls(told) <= CALLS
        assert "%s is missing" % (inside(folder) / gone.name) in said and said.count("pinsight: ") == 1


def test_all_streams_of_a_process_are_missing(trace, original):
    """A process of which nothing is left is missed, too."""
    shutil.copytree(inside(original / "second"), inside(trace).with_name("other"), symlinks=True)
    for path in streams(trace):
        path.unlink()
    told, said = read(trace, 1)
    assert "streams of the trace in %s are missing" % inside(trace) in said and calls(told) == CALLS


def test_the_list_of_streams_is_not_trusted(trace):
    """Lines that are no names, and a last one that was cut off, say nothing."""
    path = inside(trace) / ".streams"
    known = path.read_text().split()
    assert sorted(known) == sorted(stream.name for stream in streams(trace))
    path.write_bytes(b"../x\n\n" + b"a" * 5000 + b"\n1-2\n" + bytes(range(256)) + b"\n" + known[0][:-2].encode())
    told, said = read(trace, 0)
    assert (calls(told), said) == (CALLS, "")
    path.unlink()
    assert calls(read(trace, 0)[0]) == CALLS
    assert sorted(path.read_text().split()) == sorted(known)


def test_a_trace_of_a_newer_form(trace):
    """Nothing is guessed: the versions are named."""
    path = inside(trace) / "metadata"
    path.write_text(path.read_text().replace("pinsight_format = 1;", "pinsight_format = 2;").replace('pinsight_version = "', 'pinsight_version = "9.'))
    told, said = read(trace, 1)
    assert told is None and said.count("pinsight: ") == 1
    assert re.search(r"was recorded by PInsight 9\.\S+ in form 2, and this pinsight, \S+, knows forms up to 1; read it with that version", said)


def test_a_stream_is_there_twice(trace):
    path = streams(trace)[0]
    shutil.copy(path, path.with_name(path.name.rpartition("-")[0] + "-99"))
    told, said = read(trace, 1)
    assert calls(told) == CALLS and "is a copy of" in said and said.count("pinsight: ") == 1


def test_a_stream_of_another_trace(trace, original):
    other = streams(original / "second")[0]
    shutil.copy(other, inside(trace) / other.name)
    told, said = read(trace, 1)
    assert calls(told) == CALLS
    assert str(inside(trace) / other.name) in said and said.count("pinsight: ") == 1


def test_two_traces_in_one_folder(trace, original):
    """One beside the other is two traces of one host; one over the other is damage."""
    shutil.copytree(inside(original / "second"), inside(trace).with_name("again"))
    assert calls(read(trace, 0)[0]) == 2 * CALLS
    for path in streams(original / "second"):
        shutil.copy(path, inside(trace) / path.name)
    told, said = read(trace, 1)
    assert calls(told) == 2 * CALLS and str(inside(trace) / path.name) in said


def test_metadata_of_another_trace(trace, original):
    shutil.copy(inside(original / "second") / "metadata", inside(trace) / "metadata")
    told, said = read(trace, 1)
    assert told is None and "can be read" in said


def test_metadata_that_is_not_ours(trace):
    (inside(trace) / "metadata").write_text("/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n")
    told, said = read(trace, 1)
    assert told is None and str(trace) in said


@pytest.mark.parametrize("ticks, nanoseconds", [(1, 2**62), (2**63, 1), (0, 1), (1, 0)])
def test_a_rate_that_no_clock_has(ticks, nanoseconds, trace):
    """Which two moments on the control page say."""
    path = inside(trace) / ".control"
    data = bytearray(path.read_bytes())
    first = struct.unpack_from("<QQQ", data, 16)
    last = [(number + more) % 2**64 for number, more in zip(first, (ticks, nanoseconds, nanoseconds))]
    struct.pack_into("<QQQQ", data, 40, *last, sum(last) % 2**64)
    path.write_bytes(data)
    read(trace)


def test_a_clock_that_jumps(trace):
    """Packets whose times are before those of the packets before, or far behind."""
    path = streams(trace)[0]
    sound = path.read_bytes()
    (at, head), *_ = list(packets(path))[1:]
    for begin in (1, head[3] // 2, head[3] + 2**50, 2**64 - 1):
        data = bytearray(sound)
        struct.pack_into("<QQ", data, at + 24, begin, begin)
        path.write_bytes(data)
        told, _ = read(trace)
        assert 0 < calls(told) <= CALLS


def test_a_buffer_of_a_newer_version(trace):
    """It is left out, with a message; what was finished is there."""
    name = streams(trace)[0].name
    head = struct.pack("<QIIQiIQQ64sQQ", 0x31667542736e4950, 99, 4096, 4096, 2**22, 0, 1, 0, b"", 0, 0)
    (inside(trace) / ("." + name)).write_bytes(head.ljust(8192, b"\0"))
    told, said = read(trace, 1)
    assert "the buffer of" in said and "left out" in said
    assert calls(told) == CALLS


def test_a_stream_that_was_taken_from_its_buffer(trace, original):
    """What the buffer of an ended process has is appended where the stream ends: no hole is made."""
    path = streams(trace)[0]
    data = path.read_bytes()
    *_, (at, head) = packets(path)
    host = os.uname().nodename.encode()
    space = os.stat("/proc/self/ns/pid").st_ino
    packet = bytearray(data[at:])
    struct.pack_into("<QQ", packet, 24 + 16, 0, 0)
    page = struct.pack("<QIIQiIQQ64sQQ", 0x31667542736e4950, 1, 4096, len(packet), 2**22 + 1, 0, 1, space, host, at, 0)
    page = page.ljust(128, b"\0") + struct.pack("<QQ", len(data), head[4])
    (inside(trace) / ("." + path.name)).write_bytes(page.ljust(4096, b"\0") + bytes(packet))
    path.unlink()
    told, _ = read(trace)
    assert path.stat().st_size == len(packet) and told["trace"]["events"] > 1000
    assert not (inside(trace) / ("." + path.name)).exists()
