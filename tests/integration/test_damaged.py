"""Damaged traces: no view of them crashes, goes round for ever or leaves a file behind."""
import json
import os
import shutil
import signal
import struct
import subprocess

import pytest

from support import damage, everything, made, places, world
from tools import fuzz_traces as views


def environment(folder, **more):
    """A folder for temporary files, to see what stays in it."""
    folder.mkdir(exist_ok=True)
    return dict(os.environ, LC_ALL="C.UTF-8", TMPDIR=str(folder), **more)


def run(*words, **how):
    return subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, **how)


def calls_of(folder, count=100, threads=2):
    """A trace of `threads` threads in which each calls `work` so often. Stream files: events_0 and up."""
    trace = made.Trace(folder)
    process = trace.process(70)
    process.code(1, "work", "/a/program.py", 3)
    for number in range(threads):
        thread = process.thread(70 + number, number)
        for at in range(count):
            thread.function(100 + 20 * at, 110 + 20 * at, 1)
    return trace.write()


def change(path, packet, **fields):
    """Other numbers in the head of a stream's packet."""
    data = bytearray(path.read_bytes())
    for name, value in fields.items():
        at, size = damage.PACKET[name]
        at += damage.packets(data)[packet]
        data[at:at + size] = value.to_bytes(size, "little")
    path.write_bytes(data)


def calls(folder, tmp_path):
    """How many calls of `work` a damaged trace still has, and what is said of it."""
    temporary = tmp_path / "tmp"
    done = run("report", "--format", "json", folder, env=environment(temporary))
    assert done.returncode == 1 and os.listdir(temporary) == [], done
    said = done.stderr.decode()
    assert all(line.startswith("pinsight: ") for line in said.splitlines()), said
    rows = json.loads(done.stdout)["functions"] if done.stdout else []
    return sum(row["calls"] for row in rows if row["name"] == "work"), said


# Heads of packets.

@pytest.mark.parametrize("fields", [{"size": 0}, {"size": 0, "content": 0}, {"size": 80}, {"size": 8}, {"content": 0},
                                    {"content": 2 ** 64 - 1}, {"begin": 2 ** 64 - 1}, {"begin": 2 ** 63, "end": 1},
                                    {"begin": 2 ** 64 - 1, "end": 2 ** 64 - 1}, {"magic": 0}], ids=str)
def test_first_packet(fields, tmp_path):
    """The stream is left out, and the other one is reported."""
    folder = calls_of(tmp_path / "trace")
    change(folder / "events_1", 0, **fields)
    count, said = calls(folder, tmp_path)
    assert count == 100
    assert "events_1 is not a stream of a trace, or its start is damaged; it is left out" in said


@pytest.mark.parametrize("fields", [{"size": 0}, {"content": 2 ** 64 - 1}, {"end": 2 ** 64 - 1, "begin": 2 ** 64 - 1}, {"magic": 0}],
                         ids=str)
def test_a_later_packet(fields, tmp_path):
    """What stands before it is reported: 10 packets of 8 events, of which 2 are no calls."""
    folder = calls_of(tmp_path / "trace")
    change(folder / "events_1", 10, **fields)
    count, said = calls(folder, tmp_path)
    assert 135 <= count <= 145
    assert "events_1" in said


@pytest.mark.parametrize("size", [2 ** 63, 2 ** 50, 2 ** 43, 10 ** 6])
def test_packet_that_is_larger_than_its_file(size, tmp_path):
    """No file of that size is made for it, which would be read for ever, and its events are read."""
    folder = calls_of(tmp_path / "trace")
    last = len(damage.packets((folder / "events_1").read_bytes())) - 1
    change(folder / "events_1", last, size=size)
    assert calls(folder, tmp_path)[0] == 200


def test_a_file_with_a_hostile_name(tmp_path):
    """A message names the file, in a folder of somebody else's."""
    folder = everything.write(tmp_path / "trace", events=100)
    (folder / "ev\x1b[31mil\n_7").write_bytes(b"\xc1\x1f\xfc\xc1" + bytes(200))
    for verb in ("report", "dump"):
        done = run(verb, folder)
        assert views.wrong_text(done.stderr) is None
        assert b"ev\\x1b[31mil\\x0a_7" in done.stderr, done.stderr


def test_events_that_take_no_room(tmp_path):
    """By the metadata an event has no head and no fields, so that there is no end of them."""
    folder = calls_of(tmp_path / "trace")
    head = (folder / "metadata").read_text().split("stream { id = 1")[0]
    head = head[:head.index("event.header")] + "};\n"
    (folder / "metadata").write_text(head + 'event { name = "core_pinsight_lttng_ust:mark"; fields := struct { }; };\n')
    for verb in ("report", "dump"):
        done = run(verb, folder)
        assert done.returncode == 1 and b"damaged" in done.stderr, done.stderr


def test_an_index_with_times_that_cannot_be(tmp_path):
    folder = calls_of(tmp_path / "trace")
    data = (folder / "events_1").read_bytes()
    entries = b"".join(struct.pack(">QQQQQQQQQ", at, *struct.unpack_from("<QQ", data, at + 56)[:1], struct.unpack_from("<Q", data, at + 48)[0],
                                   2 ** 64 - 1, 2 ** 64 - 1, 0, 0, 1, number)
                       for number, at in enumerate(damage.packets(data)))
    (folder / "index").mkdir()
    (folder / "index" / "events_1.idx").write_bytes(struct.pack(">IIII", 0xC1F1DCC1, 1, 1, 72) + entries)
    done = run("report", "--format", "json", folder)
    assert done.returncode == 0 and json.loads(done.stdout)["not_recorded"]["damaged_streams"] == 0
    assert sum(row["calls"] for row in json.loads(done.stdout)["functions"] if row["name"] == "work") == 200


def test_the_last_packet_is_missing(tmp_path):
    """No packet behind it has a number; LTTng's index of the stream has one more."""
    folder = calls_of(tmp_path / "trace")
    data = (folder / "events_1").read_bytes()
    entries = b""
    for number, at in enumerate(damage.packets(data)):
        begin, end, content, size = struct.unpack_from("<QQQQ", data, at + 32)
        entries += struct.pack(">QQQQQQQQQ", at, size, content, begin, end, 0, 1, 1, number)
    (folder / "index").mkdir()
    (folder / "index" / "events_1.idx").write_bytes(struct.pack(">IIII", 0xC1F1DCC1, 1, 1, 72) + entries)
    assert run("report", folder).returncode == 0
    os.truncate(folder / "events_1", damage.packets(data)[-1])
    _, said = calls(folder, tmp_path)
    assert "events_1 is %d bytes shorter than it was" % (len(data) - damage.packets(data)[-1]) in said


# Descriptions.

def test_metadata_that_is_damaged_in_the_middle(tmp_path):
    """What it describes before that is reported, and each stream ends at its first other event."""
    folder = calls_of(tmp_path / "trace")
    metadata = (folder / "metadata").read_text()
    last = metadata.rindex("event {")
    (folder / "metadata").write_text(metadata[:last] + metadata[last:].replace("{", "(", 1))
    count, said = calls(folder, tmp_path)
    assert count == 200
    assert said == "pinsight: the metadata of %s is damaged; the events that it still describes are reported\n" % folder


def test_metadata_that_is_damaged_at_its_start(tmp_path):
    folder = calls_of(tmp_path / "trace")
    metadata = (folder / "metadata").read_text()
    (folder / "metadata").write_text(metadata.replace("byte_order", "byte order", 1))
    for verb in ("report", "dump"):
        done = run(verb, folder)
        assert done.returncode == 1 and done.stdout == b"" and len(done.stderr.splitlines()) == 1, done
        assert b"its metadata, which describes the events, is damaged, or another program's" in done.stderr
        assert b"`babeltrace2 %s`" % os.fsencode(folder) in done.stderr


def test_a_description_that_moves_sizes(tmp_path):
    """The metadata has packets' sizes elsewhere than they are, so that a size is 0."""
    folder = calls_of(tmp_path / "trace")
    metadata = (folder / "metadata").read_text()
    moved = "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;"
    assert moved in metadata
    (folder / "metadata").write_text(metadata.replace(moved, moved.replace("align = 8", "align = 128")))
    done = run("report", folder)
    assert done.returncode == 1 and done.stdout == b"" and b"cannot be read" in done.stderr, done


KERNEL = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { domain = "kernel"; tracer_name = "lttng-modules"; };
stream { id = 0; packet.context := struct { uint64_t content_size; uint64_t packet_size; };
  event.header := struct { uint32_t id; }; };
event { name = "net_if_receive_skb"; id = 0; stream_id = 0; fields := struct { integer { size = 4; align = 4; } _version; }; };
"""


def test_a_trace_of_the_kernel(tmp_path):
    """Beside PInsight's it does not matter; a message says what reads it where it is alone."""
    folder = tmp_path / "trace"
    calls_of(folder / "ust")
    (folder / "kernel").mkdir()
    (folder / "kernel" / "metadata").write_text(KERNEL)
    (folder / "kernel" / "channel0_0").write_bytes(struct.pack("<IIQQI", 0xC1FC1FC1, 0, 28 * 8, 28 * 8, 0))
    done = run("report", "--format", "json", folder)
    assert done.returncode == 0 and done.stderr == b"", done
    assert sum(row["calls"] for row in json.loads(done.stdout)["functions"] if row["name"] == "work") == 200
    shutil.rmtree(folder / "ust")
    for verb in ("report", "dump"):
        done = run(verb, folder)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == ("pinsight: the trace in %s has no event of PInsight, and is of a form that PInsight does not "
                                        "read; read it with `babeltrace2 %s`\n" % (folder, folder))


def test_a_run_whose_summary_cannot_be_made(newest, tmp_path):
    """The program's exit status is the run's all the same."""
    other = calls_of(tmp_path / "other")
    (other / "metadata").write_text("/* CTF 1.8 */ trace { nonsense };")
    done = run("run", "-o", tmp_path / "trace", "--", newest.path, "-c", "import shutil, sys; shutil.copytree(%r, %r); sys.exit(7)" % (
        str(other), str(tmp_path / "trace" / "other")), env=environment(tmp_path / "tmp"))
    assert done.returncode == 7 and "cannot be read: its metadata" in done.stderr.decode(), done
    assert os.listdir(tmp_path / "tmp") == []


# A signal ends the command in the middle.

def end_by_signal(arguments, part, number, env):
    """Runs the command, and ends it by a signal as soon as `part` is there. Returns its exit status and stderr, or None if it
    was faster than the signal."""
    process = subprocess.Popen([places.COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    assert world.wait_until(lambda: part.exists() or process.poll() is not None, 60, 0.001)
    while process.poll() is None:  # the second Ctrl-C ends it
        process.send_signal(number)
    said = process.communicate()[1]
    return None if process.returncode == 1 and part.with_suffix("").exists() else (process.returncode, said)


def test_left_files_of_signals(tmp_path):
    folder = calls_of(tmp_path / "trace", 150000, 1)
    with open(folder / "events_0", "ab") as file:
        file.write(b"\xc1\x1f\xfc\xc1 and no more")
    temporary, out = tmp_path / "tmp", tmp_path / "out"
    for form in ("csv", "otf2"):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGABRT):
            ended = None
            while not ended:
                subprocess.run(["rm", "-rf", str(out)], check=True)
                out.mkdir()
                ended = end_by_signal(["export", "-q", "--to", form, "-o", str(out / "x"), str(folder)], out / "x.part", number,
                                      environment(temporary))
            assert ended[0] in {signal.SIGINT: (130,)}.get(number, (-number,)), (form, number, ended)
            assert os.listdir(temporary) == []
            assert (form, number, [name for name in os.listdir(out) if name.endswith(".part")]) == (form, number, [])
