"""Hosts whose clocks disagree: where a message arrives before it is sent, the times of a host are corrected, in every form of
export. Messages take equally long in both directions here, so that the corrected times are the true ones. On made traces, with
a folder for each host."""
import collections
import csv
import io
import json
import subprocess

import pytest

from support import made, otf2, places, profiles

from test_export_chrome import form as chrome_form  # noqa: F401
from test_export_perfetto import form as perfetto_form, interpreter  # noqa: F401

pytestmark = pytest.mark.timed

MANY = places.module(places.TESTS / "tools" / "many_ranks.py")
SCRIPT, TURNS = "/home/u/ring.py", 20
FLIGHT = 300  # ns from the begin of a send to the end of its receive


class Host:
    """One rank, with a pid that the other host has too."""

    def __init__(self, folder, rank, ahead):
        self.rank, self.ahead = rank, ahead
        self.trace = made.Trace(folder / ("host%d" % rank), known=("core", "python", "mpi"), host="host%d" % rank, ahead=ahead)
        process = self.trace.process(70, rank, SCRIPT)
        self.thread = process.thread(71)
        process.code(1, "main", SCRIPT, 3)
        process.code(2, "turn", SCRIPT, 8)
        self.thread.event(1, "mpi", "mpi_info", pid=70, rank=rank, size=2, flavour="made", library="made", standard="3.1")
        self.thread.event(1, "mpi", "comm_info", pid=70, comm=1, size=2, rank=rank, context=7, name="MPI_COMM_WORLD", ranks="0-1")
        self.calls = []

    def call(self, begin, end, name, back=(), **fields):
        self.thread.event(begin, "mpi", name + "_begin", mpirank=self.rank, comm=1, **fields)
        self.thread.event(end, "mpi", name + "_end", **dict(back))
        self.calls.append((name, self.time(begin), self.time(end)))

    def time(self, at):
        """As its clock has it; where messages contradict that, the true one."""
        return made.ns(at) + (self.ahead if abs(self.ahead) <= FLIGHT else 0)


def ring(folder, ahead):
    """The message of each turn goes to rank 1 and comes back; then all meet."""
    hosts = [Host(folder, 0, 0), Host(folder, 1, ahead)]
    at = 1000
    for host in hosts:
        host.thread.python(at, "begin", 1)
    for turn in range(TURNS):
        for host in hosts:
            host.thread.python(at + 10, "begin", 2)
        for sender, tag, start in ((0, turn, at + 20), (1, 100 + turn, at + 1020)):
            receiver = 1 - sender
            hosts[sender].call(start, start + 50, "MPI_Send", dest=receiver, tag=tag, count=8, datatype_size=1, bytes=8)
            hosts[receiver].call(start + 5, start + FLIGHT, "MPI_Recv", {"source": sender, "tag": tag, "bytes": 8},
                                 source=sender, tag=tag, count=8, datatype_size=1, recv_bytes=8)
        for host in hosts:
            host.call(at + 2000, at + 2700 + host.rank, "MPI_Barrier")
            host.thread.python(at + 2800, "end", 2)
        at += 3000
    for host in hosts:
        host.thread.python(at, "end", 1)
        host.trace.write()
    return hosts


@pytest.fixture(scope="module", params=[0, 200, -FLIGHT, -700, 700, -5 * 10**9, 5 * 10**9], ids=str)
def the_run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clocks") / "trace"
    hosts = ring(folder, request.param)
    hosts[0].folder = folder
    return hosts


def export(folder, form, *options):
    done = subprocess.run([places.COMMAND, "export", "-q", "--to", form, *options, str(folder)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.decode()


def report(folder):
    return json.loads(subprocess.run([places.COMMAND, "report", "-q", "--mpi", "--format", "json", str(folder)],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode())


def messages(hosts):
    """(begin of the send, end of its receive), by the clocks of their hosts."""
    sends, receives = ({(host.rank, at): one for host in hosts for at, one in enumerate(
        one for one in host.calls if one[0] == name)} for name in ("MPI_Send", "MPI_Recv"))
    return [(begin, receives[1 - rank, at][2]) for (rank, at), (_, begin, _) in sends.items()]


def test_report(the_run):
    """Every message finds its receive, and nobody waits longer than its call took."""
    told = report(the_run[0].folder)
    matching = told["mpi"]["matching"]
    assert [matching[key] for key in ("sends", "receives", "matched", "collectives")] == [2 * TURNS] * 3 + [TURNS]
    assert not any(matching[key] for key in matching if key.startswith(("un", "mis", "incomplete", "byte")))
    expected = collections.defaultdict(lambda: [0, 0])
    for host in the_run:
        for name, begin, end in host.calls:
            expected[name][0] += 1
            expected[name][1] += end - begin
    assert {one["name"]: [one["calls"], one["total_ns"]] for one in told["mpi"]["functions"]} == expected
    for one in told["mpi"]["functions"]:
        assert 0 <= one["wait_ns"] <= one["total_ns"], one


def text_of(folder, *options):
    return " ".join(subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   encoding="utf-8").stdout.replace("µ", "u").split())


def test_the_difference_is_named(the_run):
    """A message takes 300 ns. So a clock that is ahead by more is corrected, and the report says so."""
    folder, ahead = the_run[0].folder, the_run[1].ahead
    told, text = report(folder), text_of(folder)
    if abs(ahead) <= FLIGHT:
        assert "host_clocks" not in told and "corrected" not in text
        return
    assert told["host_clocks"] == [{"host": "host1", "ahead_at_begin_ns": ahead, "ahead_at_end_ns": ahead, "unsure_ns": FLIGHT}]
    size = {700: "700 ns", 5 * 10**9: "5.00 s"}[abs(ahead)]
    assert "The clock of host1 was %s by %s, or messages would arrive before they are sent. The times of this host are corrected, " \
        "to within 300 ns." % ("ahead" if ahead > 0 else "behind", size) in text
    assert "before they are sent: the clock" not in text_of(folder, "--mpi")


def lose(host):
    host.trace.loses(70, 71, 30000, 2)


def damage(host):
    file = max(host.trace.folder.glob("events_*"), key=lambda path: path.stat().st_size)
    file.write_bytes(file.read_bytes()[:-20])


def monitor(host):
    host.thread.event(50000, "core", "lexgion_profile", pid=70, tid=71, domain="MPI", kind=2, lexgion=1, name="MPI_Send", calls=3)


def monitor_by_path(host):
    host.thread.event(50000, "core", "path_profile", pid=70, tid=71, domain="MPI", kind=2, node=1, lexgion=1, calls=3)


def leave_out(host):
    host.thread.event(50000, "core", "domain_totals", pid=70, domain="MPI", outside=1)


def change_mode(host):
    host.thread.event(50000, "core", "mode_change", pid=70, domain="MPI", from_mode=3, to_mode=1, reason="ctl")


def other_bytes(host):
    host.call(60000, 60050, "MPI_Send", dest=0, tag=7, count=9, datatype_size=1, bytes=9)


@pytest.mark.parametrize("fault", [lose, damage, monitor, monitor_by_path, leave_out, change_mode, other_bytes], ids=lambda fault: fault.__name__)
def test_incomplete_events_correct_nothing(fault, tmp_path):
    """Messages may be matched wrongly then. The two hosts are named as they are."""
    hosts = [Host(tmp_path, rank, 700 * rank) for rank in range(2)]
    for tag in range(20):
        for sender in range(2):
            start = 2000 + 2000 * tag + 1000 * sender
            hosts[sender].call(start, start + 50, "MPI_Send", dest=1 - sender, tag=tag, count=8, datatype_size=1, bytes=8)
            hosts[1 - sender].call(start + 5, start + FLIGHT, "MPI_Recv", {"source": sender, "tag": tag, "bytes": 8}, source=sender, tag=tag,
                                   count=8, datatype_size=1, recv_bytes=8)
    if fault is other_bytes:
        hosts[0].call(60000, 60300, "MPI_Recv", {"source": 1, "tag": 7, "bytes": 8}, source=1, tag=7, count=8, datatype_size=1, recv_bytes=8)
    if fault is not damage:
        fault(hosts[1])
    for host in hosts:
        host.trace.write()
    if fault is damage:
        fault(hosts[1])
    assert "host_clocks" not in report(tmp_path)
    assert "Messages from host1 to host0 arrive up to 400 ns before they are sent: the clock of host1 is ahead by" in text_of(tmp_path, "--mpi")


def test_drift_is_named(tmp_path):
    """Where the clock is ahead first and behind later, no upper bound holds."""
    hosts = [Host(tmp_path, rank, 0) for rank in range(2)]
    for tag, ahead in enumerate((5000, -5000)):
        for sender in range(2):
            start = 10000 + 100000 * tag + 20000 * sender
            for rank in range(2):
                at = start + (ahead if rank else 0)
                if rank == sender:
                    hosts[rank].call(at, at + 50, "MPI_Send", dest=1 - sender, tag=tag, count=8, datatype_size=1, bytes=8)
                else:
                    hosts[rank].call(at + 5, at + FLIGHT, "MPI_Recv", {"source": sender, "tag": tag, "bytes": 8}, source=sender, tag=tag,
                                     count=8, datatype_size=1, recv_bytes=8)
    for host in hosts:
        host.trace.write()
    text = " ".join(subprocess.run([places.COMMAND, "report", "-q", "--mpi", str(tmp_path)], stdout=subprocess.PIPE, check=True,
                                   encoding="utf-8").stdout.replace("µ", "u").split())
    assert "arrive up to 4.70 us before they are sent" in text and "but at other times it is not, because their clocks drift." in text
    assert "1 more pair of hosts has such messages." in text


@pytest.mark.parametrize("ahead", [{1: 50 * 10**6}, {0: -3 * 10**9, 2: 10**5}, {3: 7 * 10**15}], ids=str)
def test_some_of_many_hosts(ahead, tmp_path):
    """Waits between hosts are what they are with right clocks; and hosts with right clocks keep their times."""
    job = MANY.ManyRanks(tmp_path, 500, ahead=ahead).write()
    told = report(tmp_path)
    matching = told["mpi"]["matching"]
    assert matching["sends"] == matching["receives"] == matching["matched"] == len(job.messages) == 5000
    assert [row["host"] for row in told["host_clocks"]] == ["host%d" % number for number in ahead]
    for row, (number, ns) in zip(told["host_clocks"], ahead.items()):
        assert row["ahead_at_begin_ns"] == row["ahead_at_end_ns"]
        assert abs(row["ahead_at_begin_ns"] - ns) <= row["unsure_ns"] < 10**6
    waited = sum(row["total_ns"] for row in told["mpi"]["wait_states"] if row["kind"] == "wait_at_nxn")
    assert abs(waited - sum(job.reduced)) < waited / 100


def test_one_of_many_hosts_drifts(tmp_path):
    """By 100 us a second, from 3 ms on: more than messages take. Their order is right at each time, and waits are."""
    job = MANY.ManyRanks(tmp_path, 12, steps=200, ranks_per_host=3, clocks={2: lambda at: at + 3 * 10**6 + at // 10000}).write()
    told = report(tmp_path)
    assert told["mpi"]["matching"]["matched"] == len(job.messages)
    row, = told["host_clocks"]
    assert row["host"] == "host2" and row["unsure_ns"] < 10**6
    assert abs(row["ahead_at_begin_ns"] - 3 * 10**6) < 10**5 and abs(row["ahead_at_end_ns"] - 3 * 10**6 - 4 * 10**5) < 10**5
    text = text_of(tmp_path, "--mpi")
    assert "The clock of host2 was ahead by 3.0" in text and "at the end, or messages" in text and "before they are sent: " not in text


def test_collective_operations_alone(tmp_path):
    """A barrier says which clock is ahead, too: nobody leaves it before all have come."""
    hosts = [Host(tmp_path, 0, 0), Host(tmp_path, 1, 10**6)]
    for turn in range(40):
        at = 10**6 + turn * 10**6
        for host in hosts:
            host.call(at + (turn % 3) * 100 + host.rank * 70, at + 500 + host.rank * 10, "MPI_Barrier")
    for host in hosts:
        host.trace.write()
    row, = report(tmp_path)["host_clocks"]
    assert row["host"] == "host1" and abs(row["ahead_at_begin_ns"] - 10**6) <= row["unsure_ns"] <= 500


@pytest.mark.parametrize("what", ["Bcast", "Reduce", "Allreduce", "Alltoallv", "empty"])
def test_other_collective_operations(what, tmp_path):
    """They bound the clocks in the directions in which data goes, and without data in none."""
    hosts = [Host(tmp_path, 0, 0), Host(tmp_path, 1, 10**6)]
    for turn in range(40):
        at = 10**6 + turn * 10**6
        for host in hosts:
            root = dict(root=turn % 2) if what in ("Bcast", "Reduce") else {}
            sends = what != "empty" and (what != "Bcast" or root["root"] == host.rank)
            fields = dict(count=1, datatype_size=8, bytes=8 if sends else 0, recv_bytes=8) if what != "Alltoallv" else dict(bytes=8)
            host.call(at + host.rank * 70, at + 500, "MPI_" + what.replace("empty", "Allreduce"), **root, **fields)
    for host in hosts:
        host.trace.write()
    rows = report(tmp_path).get("host_clocks", [])
    assert [(row["host"], abs(row["ahead_at_begin_ns"] - 10**6) <= row["unsure_ns"] <= 500) for row in rows] == (
        [("host1", True)] if what not in ("Alltoallv", "empty") else [])


def test_rows(the_run):
    rows = list(csv.DictReader(io.StringIO(export(the_run[0].folder, "csv", "-o", "-"))))
    found = collections.Counter((row["name"], int(row["begin_ns"]), int(row["begin_ns"]) + int(row["duration_ns"]))
                                for row in rows if row["category"] == "mpi")
    assert found == collections.Counter(call for host in the_run for call in host.calls)


@pytest.mark.storm
@pytest.mark.parametrize("name", ["perfetto", "chrome"])
def test_timelines(the_run, name, perfetto_form, chrome_form):  # noqa: F811
    """Time does not run back in a track, and an arrow leads forwards: who received before the send has none."""
    timeline = {"perfetto": perfetto_form, "chrome": chrome_form}[name](the_run[0].folder)
    assert len(timeline.threads) == len(timeline.processes) == 2
    calls = [(timeline.processes[timeline.threads[one.thread]["process"]]["name"], one.name, one.begin, one.end)
             for one in timeline.slices if one.category == "mpi"]
    expected = [("rank %d (ring.py)" % host.rank, *call) for host in the_run for call in host.calls]
    start = min(call[2] for call in expected) - min(call[2] for call in calls)  # Chrome's form counts from a second on
    assert start % 10 ** 9 == 0 and (name == "chrome" or start == 0)
    assert sorted((*one, begin + start, end + start) for *one, begin, end in calls) == sorted(expected)
    flows = timeline.flows("mpi")
    assert len(flows) == sum(begin <= end for begin, end in messages(the_run))
    assert all(one.name == "MPI_Send" and to.parent.name == "MPI_Recv" for one, to in flows)
    assert timeline.counter("MPI messages in flight")[-1][1] == 0


def test_otf2(the_run, tmp_path):
    if not otf2.is_built():
        places.missing("OTF2 (Debian: libopen-trace-format2-dev), when PInsight was built")
    export(the_run[0].folder, "otf2", "-o", str(tmp_path / "a.otf2"))
    archive = otf2.Archive(tmp_path / "a.otf2")  # looks at each location's times and nesting
    calls = collections.Counter((archive.rank_of(at), archive.regions[one.region], one.begin, one.end)
                                for at, slices in archive.slices.items() for one in slices
                                if archive.regions[one.region].startswith("MPI_"))
    assert calls == collections.Counter((host.rank, *call) for host in the_run for call in host.calls)
    assert [len(archive.named(name)) for name in ("MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END")] == [2 * TURNS] * 3
    peers = {archive.rank_of(event.location): otf2.number(event.fields, "Receiver") for event in archive.named("MPI_SEND")}
    assert peers == {0: 1, 1: 0}


def test_profiles(the_run, tmp_path):
    """Times are differences of one clock each."""
    folder = the_run[0].folder
    total = collections.Counter()
    for stack, time in profiles.folded(profiles.export(folder, "folded", "-q")).items():
        total[stack[0]] += time
    whole = TURNS * 3000
    assert total == {"rank 0 (ring.py)": whole, "rank 1 (ring.py)": whole}
    profiles.export(folder, "pstats", "-q", output=tmp_path / "out.pstats")
    rows = profiles.pstats_of(tmp_path / "out.pstats")
    assert rows[SCRIPT, 3, "main"].total_ns == 2 * whole
    file = json.loads(profiles.export(folder, "speedscope", "-q"))
    profiles.check_speedscope(file)
    assert [profile["endValue"] for profile in file["profiles"]] == [whole, whole]
    profiles.export(folder, "callgrind", "-q", output=tmp_path / "out.callgrind")
    assert profiles.annotated(tmp_path / "out.callgrind", True)[SCRIPT + ":main"] == (2 * whole, 2 * whole)
