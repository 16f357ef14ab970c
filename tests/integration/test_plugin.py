"""The plugin of babeltrace2: `filter.pinsight.names` puts names into traces with numbers, and changes nothing else."""
import os
import struct
import subprocess

import pytest

from support import places
from support.traces import Trace, events

PLUGINS = places.LIBDIR / "babeltrace2"
FILTER = ["--plugin-path", str(PLUGINS), "--component", "filter.pinsight.names"]
PROGRAM = """
import math, threading
def generating():
    yield math.hypot(4, 6)
def raising():
    raise ValueError
def work():
    list(generating())
    try:
        raising()
    except ValueError:
        pass
thread = threading.Thread(target=work)
thread.start()
work()
thread.join()
"""


# Names are in LTTng's events alone.
NAMED = {"inline": ("--recorder", "lttng", "--names", "inline"), "registry": ("--recorder", "file")}


def babeltrace(*words):
    return subprocess.run(["babeltrace2", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, LC_ALL="C"))


@pytest.fixture(scope="module", autouse=True)
def plugin():
    if not (PLUGINS / "babeltrace-plugin-pinsight.so").exists():
        places.missing("the plugin of babeltrace2")


@pytest.fixture
def traced(newest, run_traced):
    """traced(names) gives the folder of the program's trace."""
    return lambda names: run_traced(newest, PROGRAM, *NAMED[names], "--lossless", "--no-summary").folder


def written(trace, folder):
    """The trace with its names, as babeltrace2 writes it: in CTF 1.8, which newer ones (2.1) have to be asked for."""
    version = [int(part) for part in babeltrace("--version").stdout.split()[1].split(b".")[:2]]
    to = ["--output-format", "ctf", "--output", folder]
    if version >= [2, 1]:
        to = ["--component", "sink.ctf.fs", "--params", 'path="%s",ctf-version="1"' % folder]
    done = babeltrace(*FILTER, *to, trace)
    assert done.returncode == 0, done.stderr
    return folder


def test_names_are_those_of_the_definitions(traced, tmp_path):
    """Names, files and what happened, against a reader that looks the numbers up by itself."""
    trace = traced("registry")
    wanted = [moment for thread in Trace(trace).threads for moment in thread.moments]
    wanted = sorted((moment.ts, moment.name, moment.how or "") for moment in wanted)
    found, files = [], set()
    for event in events(written(trace, tmp_path / "named")):
        fields = event.fields
        if event.name in ("begin", "end", "c_begin", "c_end"):
            found.append((event.ts, fields["qualname" if "qualname" in fields else "callee_name"], fields["how"]))
            files.add((fields.get("qualname"), fields.get("filename"), fields.get("first_lineno")))
    assert sorted(found) == wanted and len(wanted) > 50
    assert {("generating", "<string>", 3), ("raising", "<string>", 5), ("work", "<string>", 7)} <= files


def test_all_else_stays_as_it_is(traced):
    """Each event, its time and its fields; of events with numbers those that they had."""
    for names in ("inline", "registry"):
        trace = traced(names)
        plain, after = babeltrace(trace).stdout, babeltrace(*FILTER, trace).stdout
        if names == "inline":
            assert after == plain
            continue
        without = [line.split(b", pid = ")[0] + b" }" if b"_ust:" in line and b"_how = " in line else line
                   for line in after.splitlines()]
        assert without == plain.splitlines() and len(without) == len(list(events(trace)))


def test_what_is_written_can_be_read(traced, tmp_path):
    """By PInsight itself, with the same totals, and by the filter once more, which finds nothing to add."""
    trace = traced("registry")
    once = written(trace, tmp_path / "once")
    twice = written(once, tmp_path / "twice")
    assert babeltrace(once).stdout == babeltrace(twice).stdout

    def calls(folder):
        return subprocess.run([places.COMMAND, "report", "-q", "--limit", "0", "--format", "csv", str(folder)],
                              stdout=subprocess.PIPE, check=True).stdout
    assert calls(once) == calls(trace)


METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := time;
stream {
  packet.context := struct { time timestamp_begin; time timestamp_end; };
  event.header := struct { u8 id; time timestamp; };
};
event { name = "of:another"; id = 0; fields := struct { u8 number; %s }; };
"""
PACKET = struct.pack("<QQ", 50, 200)  # without its times babeltrace2 2.1.1 ends by an assertion of its own


@pytest.mark.parametrize("field, rest, can", [("u64 big;", struct.pack("<Q", 7), True),
                                              ("u8 many[number];", bytes(2), False)])
def test_foreign_traces(field, rest, can, tmp_path):
    """A trace of another program goes through, or is refused with a reason."""
    (tmp_path / "metadata").write_text(METADATA % field)
    (tmp_path / "stream").write_bytes(PACKET + struct.pack("<BQB", 0, 100, 2) + rest)
    plain, done = babeltrace(tmp_path), babeltrace(*FILTER, tmp_path)
    assert plain.returncode == 0 and b"of:another" in plain.stdout
    if can:
        assert (done.returncode, done.stdout) == (0, plain.stdout)
        return
    assert done.returncode != 0
    assert b"without filter.pinsight.names" in done.stderr
