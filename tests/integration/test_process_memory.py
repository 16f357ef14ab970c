"""The resident memory of processes: the counter of timelines, and the most of each in the report."""
import json
import re
import subprocess
import sys

import pytest

from support import made, otf2, page, places

sys.path.insert(0, str(places.PACKAGES))
import pinsight.data  # noqa: E402

MIB = 1 << 20
MS = 1000000

# Each part lasts longer than two readings. The program reads its own memory after each call that may move it.
WORK = """
import json, mmap, sys, time
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE
def part():
    before = resident()
    for _ in range(20):
        time.sleep(0.005)
    said.append(max(before, resident()))
said = []
part()
data = bytearray(200 << 20)
data[::4096] = b"x" * len(range(0, len(data), 4096))
part()
del data
part()
json.dump(said, open(sys.argv[1], "w"))
"""


def run(*words):
    return subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          universal_newlines=True, timeout=120, check=True).stdout


def counter_of(folder, out):
    run("export", "--to", "html", "-q", "--force", "-o", out, folder)
    return page.read(out).counters()["resident memory", None]["points"]


@pytest.fixture(params=["file", "lttng"])
def each_recorder(request, monkeypatch, recorder):
    monkeypatch.setenv("PINSIGHT_RECORDER", request.param)


@pytest.mark.usefixtures("each_recorder")
def test_memory_that_is_held_for_a_while(newest, script, run_command, tmp_path):
    done = run_command(newest.path, str(script), str(tmp_path / "said"))
    assert done.rc == 0
    before, during, after = json.loads((tmp_path / "said").read_text())
    values = [last for _, _, _, last in counter_of(done.folder, tmp_path / "page.html")]
    most = values.index(max(values))
    assert abs(values[most] - during) < 8 * MIB and during - before > 190 * MIB
    assert values[0] < before + 8 * MIB and abs(values[-1] - after) < 8 * MIB
    assert sum(value > during - 8 * MIB for value in values) >= 3  # of 100 ms
    (process,) = done.report()["processes"]
    assert process["resident_most_bytes"] == values[most]
    rows = [size for *_, size, _ in pinsight.data.open(done.folder).memory.rows()]
    assert abs(max(rows) - during) < 8 * MIB and abs(rows[-1] - after) < 8 * MIB


@pytest.fixture
def two_ranks(tmp_path):
    """Two ranks, of which the second one has ever more memory."""
    trace = made.Trace(tmp_path / "trace")
    for rank in range(2):
        process = trace.process(70 + rank, rank=rank)
        thread = process.thread(70 + rank)
        process.code(1, "f", "/app.py", 1)
        for at in range(10):
            thread.function(at * 20 * MS + 1000, at * 20 * MS + 10 * MS, 1)
            thread.event(at * 20 * MS + 2000, "core", "process_memory", resident_bytes=(50 + at * 100 * rank) * MIB)
    return trace.write()


def test_the_most_of_each_rank(two_ranks):
    told = json.loads(run("report", "--by", "rank", "--format", "json", two_ranks))
    assert [row["resident_most_bytes"] // MIB for row in told["by_rank"]] == [50, 950]
    assert {row["rank"]: row["resident_most_bytes"] // MIB for row in told["processes"]} == {0: 50, 1: 950}
    head, *rows = [line for line in run("report", "--by", "rank", two_ranks).splitlines() if "MiB" in line or " memory " in line]
    assert " memory " in head and "50.0 MiB" in rows[0] and "950 MiB" in rows[1]


def test_without_readings_there_is_no_column(tmp_path):
    process = made.Trace(tmp_path / "trace").process(70, rank=0)
    process.code(1, "f", "/app.py", 1)
    process.thread(70).function(1000, 2000, 1)
    folder = process.trace.write()
    assert " memory " not in run("report", "--by", "rank", folder)
    assert json.loads(run("report", "--by", "rank", "--format", "json", folder))["by_rank"][0]["resident_most_bytes"] is None


def readings(pid, rank):
    """What two_ranks() has of a process: time and bytes."""
    return [(made.ns(at * 20 * MS + 2000), (50 + at * 100 * rank) * MIB) for at in range(10)]


def test_readings_are_a_table(two_ranks):
    trace = pinsight.data.open(two_ranks)
    (process, rank, pid, size, at) = trace.memory.columns
    assert [(column.name, column.type, column.unit) for column in (size, at)] == [("resident_bytes", "int64", "bytes"), ("at_ns", "int64", "ns")]
    wanted = sorted((rank, rank, 70 + rank, size, at) for rank in range(2) for at, size in readings(70 + rank, rank))
    assert sorted(trace.memory.rows()) == wanted
    assert list(trace.memory.filter(rank=1).rows()) == [row for row in wanted if row[1] == 1]
    begin, end = wanted[3][4], wanted[6][4]
    assert sorted(trace.memory.filter(time=(begin, end)).rows()) == [row for row in wanted if begin <= row[4] < end]


def test_readings_are_a_metric_of_otf2(two_ranks, tmp_path):
    """As otf2-print has them: each process's memory is a location of the process."""
    if not otf2.is_built():
        places.missing("OTF2's library")
    run("export", "--to", "otf2", "-q", "-o", tmp_path / "a.otf2", two_ranks)
    archive = otf2.Archive(tmp_path / "a.otf2")
    found = {}
    for event in archive.named("METRIC"):
        assert "METRIC" in archive.locations[event.location] and '"resident memory"' in event.fields, event
        value = int(re.search(r"UINT64; (\d+)", event.fields).group(1))
        found.setdefault(archive.rank_of(event.location), []).append((event.ts, value))
    assert found == {rank: readings(70 + rank, rank) for rank in range(2)}
    # Threads keep their numbers: the rank, as Score-P has them.
    assert {0, 1} == {at for at, text in archive.locations.items() if "METRIC" not in text}
