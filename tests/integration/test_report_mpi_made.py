"""`pinsight report --mpi` of jobs that are made up: what a real MPI does at chance, or not in each run."""
import json
import os
import re
import resource
import subprocess

import pytest

from support import made, places


class Job:
    """Ranks of one host, a process each, without Python; job.ranks[0].call(100, 200, "Barrier")."""

    def __init__(self, folder, size, comm_context=7, flavour="made", known=("core", "python", "mpi")):
        self.folder = folder
        self.trace = made.Trace(folder, known=known)
        self.ranks = [Rank(self, number, size, comm_context, flavour) for number in range(size)]

    def write(self):
        self.trace.write()
        return self.folder


class Rank:
    def __init__(self, job, number, size, context, flavour):
        self.number, self.pid = number, 70 + 10 * number
        self.process = job.trace.process(self.pid, rank=number, program="/a/solver")
        self.thread = self.process.main
        self.thread.event(0, "core", "domain_info", pid=self.pid, domain="MPI", runtime="Made", mechanism="PMPI", mode=3)
        self.thread.event(1, "mpi", "mpi_info", pid=self.pid, rank=number, size=size, flavour=flavour, library="made", standard="3.1")
        self.thread.event(1, "mpi", "comm_info", pid=self.pid, comm=1, size=size, rank=number, context=context,
                          name="MPI_COMM_WORLD", ranks="0-%d" % (size - 1))

    def begin(self, at, name, **fields):
        self.thread.event(at, "mpi", "MPI_%s_begin" % name, mpirank=self.number, mpi_codeptr=0x1000 + sum(name.encode()), **fields)

    def end(self, at, name, **fields):
        self.thread.event(at, "mpi", "MPI_%s_end" % name, **fields)

    def call(self, begin, end, name, back=(), **fields):
        self.begin(begin, name, **fields)
        self.end(end, name, **dict(back))


def report(folder, *options, width=160):
    return subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8", env=dict(os.environ, COLUMNS=str(width), LC_ALL="C.UTF-8")).stdout


def report_json(folder, *options):
    return json.loads(report(folder, *(options or ("--mpi",)), "--format", "json"))


def half_done(folder, ended):
    """Requests of which one is under way at the end; `ended`: because MPI's recording is over."""
    job = Job(folder, 2)
    for rank in job.ranks:
        rank.call(100, 200, "Init")
        for number in (1, 2):
            rank.call(300 + 10 * number, 305 + 10 * number, "Isend", {"request": number}, comm=1, dest=1 - rank.number, tag=number)
        rank.begin(400, "Wait", request=1)
        rank.thread.event(410, "mpi", "request_complete", request=1, source=-1, tag=-1)
        rank.end(411, "Wait")
        if ended:
            rank.thread.event(420, "core", "mode_change", pid=rank.pid, domain="MPI", from_mode=3, to_mode=2, reason="size_limit")
    return job.write()


def test_recording_that_ended(tmp_path):
    """What was under way when the recording ended is not the program's fault, and is not said as if it were."""
    for ended in (False, True):
        folder = half_done(tmp_path / str(ended), ended)
        text = " ".join(report(folder, "--mpi").split())
        matching = report_json(folder)["mpi"]["matching"]
        assert (matching["requests_started"], matching["requests_completed"]) == (4, 2)
        assert matching["recording_ended_in"] == (2 if ended else 0)
        assert ("4 requests started, 2 completed, 2 under way when the recording ended" in text) == ended
        assert ("The recording of MPI ended in 2 processes before the program did: 4 messages were sent" in text) == ended


def test_messages_that_miss_a_side(tmp_path):
    """Sends and receives that find no partner are counted each for itself."""
    job = Job(tmp_path / "job", 2)
    sender, receiver = job.ranks
    for rank in job.ranks:
        rank.call(100, 200, "Init")
    for number, tag in enumerate((1, 2, 3, 4, 5)):
        sender.call(300 + 10 * number, 305 + 10 * number, "Send", comm=1, dest=1, tag=tag)
    for number, tag in enumerate((1, 2, 3, 8)):
        receiver.call(400 + 10 * number, 405 + 10 * number, "Recv", {"source": 0, "tag": tag}, comm=1,
                      source=0, tag=tag)
    folder = job.write()
    text = " ".join(report(folder, "--mpi").split())
    assert "2 messages were sent and not seen to be received, 1 received whose sending was not seen" in text, text
    ranks = report_json(folder)["mpi"]["ranks"]
    assert [(row["sent_messages"], row["received_messages"]) for row in ranks] == [(5, 0), (0, 4)]


def test_counted_calls_have_no_waits(tmp_path):
    """What MONITORING does not know is no time of 0 on the screen."""
    job = Job(tmp_path / "job", 2)
    for rank in job.ranks:
        rank.thread.event(900, "core", "lexgion_profile", pid=rank.pid, tid=rank.pid, python_thread_id=-1, domain="MPI", kind=2,
                          lexgion=1, name="MPI_Barrier", calls=250, inclusive_ns=4000, exclusive_ns=4000)
    folder = job.write()
    text = report(folder, "--mpi")
    assert "2 ranks, made · how long each waits, and for whom, needs TRACING" in text
    assert not re.search(r" 0 ns|Wait states|messages", text), text
    (row,) = report_json(folder)["mpi"]["functions"]
    assert (row["calls"], row["counted_calls"], row["total_ns"]) == (500, 500, 8000)


@pytest.mark.parametrize("flavour, value, error", [
    ("openmpi", 15, "MPI_ERR_TRUNCATE (15)"), ("mpich", 0x2f0e, "MPI_ERR_TRUNCATE (12046)"), ("openmpi", 6, "MPI_ERR_RANK (6)"),
    ("mpich", 6, "MPI_ERR_RANK (6)"), ("openmpi", 77, "77"), ("other", 15, "15")])
def test_names_of_errors(tmp_path, flavour, value, error):
    """The classes of errors have other numbers in each family of libraries."""
    job = Job(tmp_path / "job", 1, flavour=flavour)
    job.ranks[0].call(100, 200, "Init")
    job.ranks[0].call(300, 305, "Recv", {"return_value": value}, comm=1)
    assert "1 of 1 call returned an error, %s: MPI_Recv" % error in " ".join(report(job.write(), "--mpi").split())


def test_ranks_by_computing(tmp_path):
    """The rank that computes longest comes first, and a screen shows up to 16 of them."""
    for count in (16, 20):
        job = Job(tmp_path / str(count), count)
        for rank in job.ranks:
            rank.call(100, 200, "Init")
            arrived = 300 + 10 * ((7 * rank.number) % count)  # each other
            rank.call(arrived, 900, "Barrier", comm=1)
            rank.call(1000, 1100, "Finalize")
        text = report(job.write(), "--mpi")
        title = text[text.index("\nRanks"):].split("\n\n")[0]
        shown = [int(line.split()[0]) for line in title.splitlines()[3:] if line.split()[0].isdigit()]
        assert shown == sorted(range(count), key=lambda rank: -((7 * rank) % count))[:16], title


def job_that_hangs(folder, died=(), left=(), aborts=(), computes=(), **run):
    """Four ranks; those that are named nowhere are in a barrier for ever. `run` is what `pinsight run` knew."""
    job = Job(folder / "ust", 4)
    for rank in job.ranks:
        rank.call(100, 200, "Init")
        rank.call(300 + rank.number, 400, "Barrier", comm=1)
        if rank.number in died or rank.number in computes:
            continue
        if rank.number in aborts:
            rank.begin(600, "Abort", comm=1)
        else:
            rank.begin(500, "Finalize" if rank.number in left else "Barrier", **({} if rank.number in left else {"comm": 1}))
    other = job.trace.process(999, program="/a/other")
    other.main.event(10_000, "core", "mark", name="the last that was recorded")
    job.write()
    if run:
        (folder / "pinsight-run.txt").write_text("".join("%s %s\n" % row for row in run.items()))
    return folder


def told_deaths(folder):
    return [(death["rank"], death["how"], death["function"]) for death in report_json(folder)["mpi"]["deaths"]]


ENDED = {"ended": "yes", "exit_status": 137, "signal": 0}


@pytest.mark.parametrize("slow", [0, 2])
def test_a_rank_that_others_wait_for(slow, tmp_path):
    """Whichever it is, the first one too."""
    ms = 1_000_000
    job = Job(tmp_path / "job", 3)
    for rank in job.ranks:
        rank.process.code(1, "step", "/home/me/solver.py", 7)
        rank.call(1 * ms, 2 * ms, "Init")
        computes = 300 if rank.number == slow else 100
        rank.thread.function(3 * ms, (3 + computes) * ms, 1)
        rank.call((3 + computes) * ms, 304 * ms, "Barrier", comm=1)
        rank.call(305 * ms, 306 * ms, "Finalize")
    (told,) = [row for row in report_json(job.write())["stands_out"] if row["rule"] == "slow_rank"]
    assert told["text"] == "rank %d computes 300 ms in step solver.py:7, the others 100 ms each" % slow
    assert (told["file"], told["line"], told["ns"]) == ("/home/me/solver.py", 7, 400 * ms)


def test_who_died(tmp_path):
    folder = job_that_hangs(tmp_path / "one", died=[2], **ENDED)
    assert told_deaths(folder) == [(2, "silent", "MPI_Barrier")]
    text = " ".join(report(folder).split())
    assert "rank 2 died, or computed until the job was ended: it is outside of MPI and has not called MPI_Finalize. " \
        "Its last event is 400 ns after the start" in text
    assert "The command ended with exit status 137 (signal 9, Killed)." in text
    told = report_json(folder)
    assert [rank["open_ns"] for rank in told["mpi"]["ranks"]] == [9500, 9500, 0, 9500]
    assert told["mpi"]["efficiency"]["runtime_ns"] == 9800
    assert told["trace"]["duration_ns"] == 10_000
    assert next(row for row in told["mpi"]["functions"] if row["name"] == "MPI_Barrier")["total_ns"] > 3 * 9500
    # Every form of export has the time, too.
    rows = subprocess.run([places.COMMAND, "export", "-q", "--to", "csv", "-o", "-", str(folder)], stdout=subprocess.PIPE,
                          check=True, encoding="utf-8").stdout
    assert sum("MPI_Barrier" in row and ",9500," in row for row in rows.splitlines()) == 3, rows


def test_what_python_was_in(tmp_path):
    """The innermost function of the rank that died, where Python was recorded."""
    job = Job(tmp_path / "ust", 2)
    for rank in job.ranks:
        rank.process.thread(rank.pid)
        rank.call(100, 200, "Init")
    job.ranks[0].begin(500, "Barrier", comm=1)
    job.ranks[1].process.code(1, "main", "/a/die.py", 1)
    job.ranks[1].process.code(2, "fail", "/a/die.py", 5)
    job.ranks[1].thread.python(300, "begin", 1)
    job.ranks[1].thread.python(400, "begin", 2)
    job.write()
    (tmp_path / "pinsight-run.txt").write_text("ended yes\nexit_status 3\n")
    assert "It was in fail (/a/die.py:5)." in " ".join(report(tmp_path).split())


def test_several_died(tmp_path):
    folder = job_that_hangs(tmp_path / "two", died=[1, 3], **ENDED)
    assert [death[:2] for death in told_deaths(folder)] == [(1, "silent"), (3, "silent")]
    assert "2 ranks died, or computed until the job was ended: they are outside of MPI and have not called MPI_Finalize. " \
        "The first to fall silent is rank 1" in \
        " ".join(report(folder).split())


def test_who_ended_the_job(tmp_path):
    assert told_deaths(job_that_hangs(tmp_path / "aborts", aborts=[3], died=[1], **ENDED)) == [(3, "aborted", "MPI_Abort")]
    assert told_deaths(job_that_hangs(tmp_path / "left", left=[1], **ENDED)) == [(1, "left", "MPI_Finalize")]
    stopped = dict(ENDED, exit_status=1, told_to_end=15)
    assert told_deaths(job_that_hangs(tmp_path / "stopped", computes=[2], **stopped)) == [(2, "silent", "MPI_Barrier")]


def test_nobody_is_said_to_have_died(tmp_path):
    """A run that is not over, of which something is missing, or in which nobody waits for anybody."""
    assert not told_deaths(job_that_hangs(tmp_path / "runs", died=[2], ended="no"))
    assert not told_deaths(job_that_hangs(tmp_path / "unknown", died=[2]))
    assert not told_deaths(job_that_hangs(tmp_path / "lacks", died=[2], **dict(ENDED, daemon_died="yes")))
    assert not told_deaths(job_that_hangs(tmp_path / "all", computes=range(4), **dict(ENDED, signal=2, exit_status=-1)))
    assert not told_deaths(job_that_hangs(tmp_path / "ended", left=range(4), **dict(ENDED, exit_status=0)))


def test_what_mpi_waited_is_one_number(tmp_path):
    """A rank that sleeps in MPI_Init waits for no rank: that has a name of its own."""
    ms = 1_000_000
    job = Job(tmp_path / "job", 2)
    for rank, arrives in zip(job.ranks, (201, 141)):
        clock = lambda at, ran: rank.thread.event(at * ms, "core", "thread_clock", processor_ns=ran * ms, run_delay_ns=0)  # noqa: E731
        clock(2, 2)
        rank.begin(3 * ms, "Init")
        clock(101, 6)
        rank.end(101 * ms, "Init")
        rank.begin(arrives * ms, "Barrier", comm=1)
        clock(211, 116)
        rank.end(211 * ms, "Barrier")
        rank.call(212 * ms, 213 * ms, "Finalize")
    folder = job.write()
    text = report(folder, "--mpi")
    assert "Waiting for something in MPI 190 ms · MPI 60.0 ms\n" in text, text
    assert "60.0 ms of it waiting for other ranks" in text
    told = report_json(folder, "--links")
    assert {row["cause"]: row["waiting_ns"] // ms for row in told["waits"] if row["cause"] != "idle"} == {
        "something in MPI": 190, "MPI": 60}


def test_a_thousand_ranks(tmp_path):
    """The rank that computes longest and the late sender are named, messages match exactly, and neither files, memory nor rows grow
    with the ranks."""
    size, steps, slow, late, ms = 1000, 5, 617, 345, 10**6
    job = Job(tmp_path / "job", size)
    for rank in job.ranks:
        number, before = rank.number, (rank.number - 1) % size
        rank.call(100, 200, "Init")
        for now in range(1000, 1000 + steps * 100 * ms, 100 * ms):
            sent = now + 100 + (5 * ms if number == late else 0)
            rank.call(sent, sent + 1000, "Send", comm=1, dest=(number + 1) % size, tag=now, bytes=100 + number)
            came = now + 1100 + (5 * ms if before == late else 0)
            rank.call(sent + 1500, max(sent + 1500, came) + 500, "Recv",
                      {"source": before, "tag": now, "bytes": 100 + before}, comm=1, source=before, tag=now)
            rank.call(now + 20 * ms + 7919 * number % 1000 + (20 * ms if number == slow else 0), now + 41 * ms, "Barrier", comm=1)
        rank.call(1000 + steps * 100 * ms, 1100 + steps * 100 * ms, "Finalize")
    folder = job.write()

    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))

    text = subprocess.run([places.COMMAND, "report", "-q", "--mpi", str(folder)], stdout=subprocess.PIPE, check=True, encoding="utf-8",
                          env=dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8"), preexec_fn=limited).stdout
    assert len(text.splitlines()) < 100
    waits = text[text.index("\nWait states"):].split("\n\n")[0].splitlines()[2:]
    assert waits[0].split()[-4:] == ["for", "rank", "to", "reach"], waits
    assert [line.split()[-2] for line in waits[1:]] == [str(slow), str(late)], waits
    assert text[text.index("\nRanks"):].split("\n\n")[0].splitlines()[4].split()[0] == str(slow)
    mpi = report_json(folder)["mpi"]
    assert [mpi["matching"][key] for key in ("sends", "receives", "matched", "byte_mismatches", "collectives", "incomplete_collectives")] == [
        size * steps, size * steps, size * steps, 0, steps, 0]
    assert mpi["wait_ns"]["late_sender"] == steps * (5 * ms - 1500) and len(mpi["ranks"]) == size
