"""Jobs of many ranks, of which all is known: messages and waits are exact, the two planted ranks are named, few files are open at
a time, and time grows with the ranks and not with their square."""
import collections
import json
import os
import resource
import subprocess
import sys

import pytest

from support import places

sys.path.insert(0, str(places.PACKAGES))
import pinsight  # noqa: E402
from test_data import readers_of  # noqa: E402

MANY = places.module(places.TESTS / "tools" / "many_ranks.py")
FILES = 64


@pytest.fixture(scope="module", params=[1000, pytest.param(10000, marks=pytest.mark.long)])
def job(request, tmp_path_factory):
    return MANY.ManyRanks(tmp_path_factory.mktemp("many") / "job", request.param, steps=4).write()


def report(job, *options):
    return subprocess.run([places.COMMAND, "report", "-q", *options, str(job.folder)], stdout=subprocess.PIPE, check=True, encoding="utf-8",
                          env=dict(os.environ, COLUMNS="120", LC_ALL="C.UTF-8"),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))).stdout


def test_matching_is_exact(job):
    told = json.loads(report(job, "--mpi", "--format", "json", "--limit", "0"))["mpi"]
    matching, count = told["matching"], job.size * job.steps
    assert [matching[key] for key in ("sends", "receives", "matched", "collectives")] == [count, count, count, job.steps]
    assert {key for key, value in matching.items() if value} == {"sends", "receives", "matched", "collectives"}
    waited = {"late_sender": sum(job.late), "wait_at_nxn": sum(job.reduced), "late_receiver": sum(job.blocked)}
    assert {kind: ns for kind, ns in told["wait_ns"].items() if ns} == {kind: ns for kind, ns in waited.items() if ns}
    assert {rank["rank"]: rank["wait_ns"] for rank in told["ranks"]} == {
        rank: job.late[rank] + job.reduced[rank] + job.blocked[rank] for rank in range(job.size)}
    pairs = collections.Counter((sender, receiver) for sender, receiver, *_ in job.messages)
    assert {(row["from"], row["to"]): row["matched"] for row in told["matrix"] if row["messages"]} == pairs
    late = next(row for row in told["wait_states"] if row["kind"] == "late_sender")
    assert (late["causes"]["rank"], late["suffers"]["rank"]) == (job.late_rank, job.late_rank + 1)
    assert {row["causes"]["rank"] for row in told["wait_states"] if row["kind"] == "wait_at_nxn"} == {job.slow_rank}


def test_the_messages(job):
    rows = pinsight.open(job.folder).messages.rows()
    assert collections.Counter((row[1], row[4], row[8], row[6], row[7]) for row in rows) == collections.Counter(job.messages)


def test_few_mappings(job):
    """The system allows 65,530 mappings in a process. Each of 2,000 streams had two."""
    rows = pinsight.open(job.folder).calls.rows()
    next(rows)
    (reader,) = readers_of(job.folder)
    with open("/proc/%d/maps" % reader) as file:
        assert sum(1 for _ in file) < 500
    rows.close()


def test_planted_ranks_are_named(job):
    (finding,) = [row for row in json.loads(report(job, "--format", "json"))["stands_out"] if row["rule"] == "slow_rank"]
    assert finding["text"].startswith("rank %d computes " % job.slow_rank) and " in solve " in finding["text"]
    text = report(job, "--mpi")
    late = next(line for line in text.splitlines() if " late sender " in line).split()
    assert str(job.late_rank) in late and str(job.late_rank + 1) in late
    assert len(text.splitlines()) < 100  # distributions and outliers, and no row for each rank
    assert text[text.index("\nRanks"):].splitlines()[3].split()[0] == str(job.slow_rank)


def seconds(folder):
    """Processor time of a report, the least of two."""
    times = []
    for _ in range(2):
        process = subprocess.Popen([places.COMMAND, "report", "-q", "--mpi", str(folder)], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0
        times.append(usage.ru_utime)
    return min(times)


@pytest.mark.storm
@pytest.mark.alone
def test_time_grows_with_the_ranks(tmp_path):
    """Eight times as many ranks took 70 times as long when each file was compared with each other one, and each member of an
    operation searched for the last one. Now it is 25 times: the merge has more streams than a cache holds."""
    few, many = (MANY.ManyRanks(tmp_path / str(ranks), ranks, steps=3).write().folder for ranks in (1000, 8000))
    assert seconds(many) < 45 * seconds(few)


def test_more_hosts_than_files(tmp_path):
    """The folders of hosts are not all kept open: none of them is missing where a process may open few files."""
    job = MANY.ManyRanks(tmp_path / "job", FILES + 10, steps=1, ranks_per_host=1).write()
    assert len(json.loads(report(job, "--format", "json"))["processes"]) == job.size
