"""Traces of the file recorder that are damaged, mixed up, or not ours: a message, and what can be read all the same."""
import fcntl
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import time

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
HEAD = struct.Struct("<I16sIQQQQQQII")  # of a packet; format/layout.h


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


@pytest.mark.parametrize("content", [bytes(range(256)), bytes(5000)], ids=["text", "zeroes"])
def test_all_streams_are_damaged(content, trace):
    """Their description is not: it is not said to be."""
    for path in streams(trace):
        path.write_bytes(content)
    told, said = read(trace, status=1)
    assert told is None and "none of its streams can be read. Record it again" in said and "metadata" not in said, said


def test_the_list_of_streams_is_not_trusted(trace):
    """Lines that are no names, and a last one that was cut off, say nothing."""
    path = inside(trace) / ".streams"
    known = path.read_text().strip().splitlines()
    assert sorted(known) == sorted("%s %d %d" % (stream.name, stream.stat().st_size, len(cut_up(stream.read_bytes()))) for stream in streams(trace))
    path.write_bytes(b"../x\n\n" + b"a" * 5000 + b"\n1-2\n1-2-3 x\n1-2-3 4 x\n1-2-3 4 5 6\n1-2-3 \n" + bytes(range(256)) + b"\n" + known[0][:-2].encode())
    told, said = read(trace, 0)
    assert (calls(told), said) == (CALLS, "")
    path.unlink()
    assert calls(read(trace, 0)[0]) == CALLS
    assert sorted(path.read_text().strip().splitlines()) == sorted(known)
    path.write_text("".join(line.split()[0] + "\n" for line in known))  # as before lengths were noted
    assert (calls(read(trace, 0)[0]), path.read_text().split()[-1]) == (CALLS, known[-1].split()[-1])


def replace(path, how):
    path.unlink()
    if how == "empty":
        path.touch()
    elif how == "a link to nothing":
        path.symlink_to("nothing")
    elif how == "a folder":
        path.mkdir()
    elif how != "missing":
        os.mkfifo(path)


@pytest.mark.parametrize("how", ["empty", "a link to nothing", "a folder", "a pipe or a device"])
def test_what_a_stream_became(how, trace):
    """Nothing is lost without a word, and nothing is waited for."""
    path = streams(trace)[0]
    replace(path, how)
    told, said = read(trace, 1)
    assert calls(told) <= CALLS and told["not_recorded"]["damaged_streams"] == 1
    assert "%s is %s: it was there" % (inside(trace) / path.name, how) in said and said.count("pinsight: ") == 1


def cut_up(data):
    """Its packets."""
    found, at = [], 0
    while at < len(data):
        found.append(data[at:at + HEAD.unpack_from(data, at)[6] // 8])
        at += len(found[-1])
    return found


def longest(trace):
    path = max(streams(trace), key=lambda path: len(cut_up(path.read_bytes())))
    parts = cut_up(path.read_bytes())
    assert len(parts) > 3
    return path, parts


def report_text(trace):
    return " ".join(subprocess.run([places.COMMAND, "report", str(trace)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8").stdout.split())


@pytest.mark.parametrize("gone", [[0], [1], [-1], [1, 2], [1, -1], [0, -1], [0, 1, -1], [-2, -1]], ids=str)
def test_packets_are_missing(gone, trace):
    """At the begin, in the middle, and at the end, where only the list of streams tells: a report says where, and how many."""
    whole = read(trace, 0)[0]
    path, parts = longest(trace)
    middle = [at for at in gone if at >= 0]
    lost = sum(len(parts[at]) for at in gone)
    path.write_bytes(b"".join(part for at, part in enumerate(parts) if at not in gone and at - len(parts) not in gone))
    told, said = read(trace, 1)
    missing = told["not_recorded"]
    # Threads may share a stream, one after the other: a packet may have no call of the function.
    assert calls(told) <= CALLS and missing["damaged_streams"] == 1 and missing["missing_packets"] == len(gone)
    assert "%s is %d bytes shorter than it was: it lacks %d packet" % (inside(trace) / path.name, lost, len(gone)) in said
    assert said.count("pinsight: ") == 1
    places_of = {"up to ": 0 in gone, "for ": 1 in gone and 0 not in gone, ", from ": gone == [-1] or gone == [-2, -1],
                 "; from ": bool(middle) and -1 in gone}
    assert {place: place in said.split(" recorded")[-1] for place in places_of} == places_of, said
    assert "its end" not in said
    text = report_text(trace)
    assert "Nothing was lost" not in text and "what stands before and behind is in the numbers" in text
    for gap in missing["gaps"]:
        assert gap["stream"] == str(inside(trace) / path.name)
        at_end = gap["until_ns"] is None
        assert gap["packets"] == (len(gone) - len(middle) if at_end else len(middle))
        assert (gap["from_ns"] is None) == (0 in gone and not at_end)
        # A last packet may begin behind the last call.
        assert max(gap["from_ns"] or 0, whole["trace"]["begin_ns"]) <= (gap["until_ns"] or whole["trace"]["end_ns"] + 10**9)
    assert len(missing["gaps"]) == bool(middle) + (-1 in gone)
    (inside(trace) / ".streams").unlink()  # without it, the numbers of packets
    told, said = read(trace, 1 if middle else 0)
    assert ("lacks %d packet" % len(middle) in said) == bool(middle) and (" shorter " not in said)


@pytest.mark.parametrize("how", ["missing", "empty", "a folder", "a pipe or a device", "a link to nothing"])
def test_a_host_without_metadata(how, trace, original):
    """Its streams cannot be read, which is said; those of the other hosts are there."""
    other = trace / "trace" / "other"
    shutil.copytree(inside(original / "second"), other)
    replace(other / "metadata", how)
    told, said = read(trace, 1)
    assert calls(told) == CALLS
    assert "%s cannot be read: its metadata, which describes the events, is %s" % (other, how) in said
    shutil.rmtree(inside(trace))
    told, said = read(trace, 1)
    assert told is None and "its metadata, which describes the events, is %s" % how in said


def test_a_link_to_itself(trace):
    path = streams(trace)[0]
    path.unlink()
    path.symlink_to(path.name)
    assert "it is a link that leads to itself" in read(trace, 1)[1]


def test_packets_of_another_trace_are_not_called_out_of_their_place(trace, original):
    path = streams(trace)[0]
    path.write_bytes(path.read_bytes() + streams(original / "second")[0].read_bytes())
    said = read(trace, 1)[1]
    assert "a packet of another trace" in said and "out of their place" not in said


def test_a_packet_twice_does_not_hide_a_missing_one(trace):
    path, parts = longest(trace)
    end = parts.pop()
    path.write_bytes(b"".join([parts[0], *parts, parts[1]]))
    said = read(trace, 1)[1]
    assert "2 twice" in said and "%d bytes shorter than it was: it lacks 1 packet" % len(end) in said


@pytest.mark.parametrize("how", ["a link to nothing", "a folder", "a pipe or a device"])
def test_what_a_stream_became_before_the_trace_was_finished(how, trace):
    """The list of streams, which would miss it, is not there yet."""
    path = streams(trace)[0]
    (inside(trace) / ".streams").unlink()
    replace(path, how)
    told, said = read(trace, 1)
    assert told["not_recorded"]["damaged_streams"] == 1 and "%s is %s, in the place of a stream" % (inside(trace) / path.name, how) in said
    assert "Nothing was lost" not in report_text(trace)


@pytest.mark.parametrize("order, said_of_it", [
    ([0, 2, 1, 3], "0 twice, 1 behind"), ([0, 1, 1, 2, 3], "1 twice, 0 behind"), ([0, 1, 2, 3, 0, 1], "2 twice, 0 behind"),
    ([3, 2, 1, 0], "0 twice, 3 behind")])
def test_packets_twice_or_in_another_order(order, said_of_it, trace):
    """Each is read once, at its place: no event is lost or told twice."""
    whole = read(trace, 0)[0]
    path, parts = longest(trace)
    path.write_bytes(b"".join([parts[at] for at in order] + parts[4:]))
    told, said = read(trace, 1)
    assert said_of_it in said and said.count("pinsight: ") == 1 and told["not_recorded"]["damaged_streams"] == 1
    assert told["trace"]["events"] == whole["trace"]["events"] and told["functions"] == whole["functions"]


def test_a_hole_takes_no_memory(trace):
    """Behind packets out of order, which are copied: the hole is not."""
    whole = read(trace, 0)[0]
    path, parts = longest(trace)
    path.write_bytes(b"".join([parts[0], *parts]))
    os.truncate(path, 1 << 32)

    def limited():
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", "--limit", "0", str(trace)], preexec_fn=limited,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert done.returncode == 1 and "1 twice" in done.stderr, done.stderr
    assert json.loads(done.stdout)["trace"]["events"] == whole["trace"]["events"]


@pytest.mark.parametrize("to", ["trace/copy", "trace/HOST/copy", "trace"])
def test_a_folder_of_a_host_was_copied_into_the_trace(to, trace):
    copy = trace / to.replace("HOST", os.uname().nodename)
    shutil.copytree(inside(trace), trace.with_name("aside"))
    shutil.copytree(trace.with_name("aside"), copy / "again" if copy.exists() else copy)
    told, said = read(trace, 1)
    assert calls(told) == CALLS and "is a copy of" in said and said.count("pinsight: ") == 1


@pytest.mark.parametrize("name", ["pinsight-run.txt", "pinsight-counts.txt", "HOST/metadata", "HOST/.streams", "HOST/.control", "HOST/9-9-9", "HOST/.9-9-9",
                                  "HOST/.9-9-ring"])
@pytest.mark.parametrize("kind", ["pipe", "hole"])
def test_nothing_is_waited_for(kind, name, trace):
    """A pipe without a writer, and a file of a terabyte in which nothing is, wherever a reader looks."""
    path = trace / (name if "/" not in name else "trace/" + name.replace("HOST", os.uname().nodename))
    if kind == "pipe":
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    else:
        with open(path, "ab") as file:
            file.truncate(1 << 40)
    done = subprocess.run([places.COMMAND, "report", "--format", "json", str(trace)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=20)
    assert done.returncode in (0, 1)
    if name not in ("HOST/metadata",):
        assert calls(json.loads(done.stdout)) == CALLS, done.stderr


def test_locks_are_waited_for_once(trace):
    """A lock that somebody holds is waited for, but not in each host's folder again."""
    def took():
        begin = time.monotonic()
        assert calls(read(trace)[0]) == CALLS
        return time.monotonic() - begin

    def held(folder):
        descriptors.append(os.open(folder, os.O_RDONLY))
        fcntl.flock(descriptors[-1], fcntl.LOCK_EX)
    descriptors = []
    held(inside(trace))
    one = took()
    for number in range(9):
        folder = trace / "trace" / ("host-%d" % number)
        shutil.copytree(inside(trace), folder)
        held(folder)
    try:
        assert took() < 5 * one
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def test_a_trace_of_another_user(trace):
    """It is read as it is, to the last event of its buffers, and nothing in it changes; a link that its owner made is not followed."""
    if os.getuid() != 0:
        pytest.skip("needs root")
    path = streams(trace)[0]
    aside = trace.with_name("aside")
    shutil.move(str(path), str(aside))
    path.symlink_to(aside)
    assert calls(read(trace, 0)[0]) == CALLS  # one's own
    (inside(trace) / ".streams").unlink()
    for entry in [trace, *trace.rglob("*")]:
        os.chown(entry, 65534, 65534, follow_symlinks=False)
    before = sorted((entry.name, entry.lstat().st_mtime_ns) for entry in inside(trace).iterdir())
    told, said = read(trace, 1)
    assert "%s cannot be read: it is a link that another user made, and not followed" % (inside(trace) / path.name) in said
    assert calls(told) < CALLS and told["not_recorded"]["damaged_streams"] == 1 and "Nothing was lost" not in report_text(trace)
    assert sorted((entry.name, entry.lstat().st_mtime_ns) for entry in inside(trace).iterdir()) == before


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
    copies = [inside(trace) / path.name for path in streams(original / "second")]
    for copy in copies:
        shutil.copy(inside(original / "second") / copy.name, copy)
    told, said = read(trace, 1)
    assert calls(told) == 2 * CALLS and any(str(copy) in said for copy in copies)


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


@pytest.mark.parametrize("count, said", [(1, "1 event was lost"), (2, "2 events were lost")])
def test_one_is_no_plural(count, said, trace):
    """Of the events that interrupted another one: the page of the folder has their number."""
    path = inside(trace) / ".control"
    page = bytearray(path.read_bytes())
    struct.pack_into("<Q", page, 96, count)  # `refused` of struct pinsight_control
    path.write_bytes(page)
    assert said in report_text(trace)
