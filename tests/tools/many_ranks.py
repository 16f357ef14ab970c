#!/usr/bin/env python3
"""Makes the trace of a job of many ranks, of which everything is known: messages, waits, and how uneven the work is.

    tests/tools/many_ranks.py FOLDER RANKS [STEPS]
    job = ManyRanks(folder, 1000).write()      # in a test

A rank's step is a function of Python, and has four parts: pack(), a message to the next rank, solve(), and an Allreduce. The
rank `late` packs for longer, so that the next rank waits for its message in each step. The rank `slow` solves for longer, so
that all others wait in each Allreduce. All other times differ a little between ranks and steps. Each host has a folder of its
own, and the ranks of each host have process ids of their own.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import made  # noqa: E402

SCRIPT = "/home/u/many.py"
MAIN, STEP, PACK, SOLVE = 1, 2, 3, 4
CODES = ((MAIN, "main", 40), (STEP, "step", 20), (PACK, "pack", 5), (SOLVE, "solve", 10))
SEND_LINE, RECEIVE_LINE, REDUCE_LINE = 22, 23, 25
US = 1000
START, STEP_NS = 1000 * US, 20000 * US
LATE_NS, SLOW_NS = 3000 * US, 5000 * US


class ManyRanks:
    """The job, and what is true of it.

    messages    for each one (from_rank, to_rank, bytes, sent_ns, received_ns)
    late        {rank: ns} by which its receives waited for late senders
    blocked     {rank: ns} by which its sends waited for late receivers
    reduced     {rank: ns} by which it waited in Allreduce for the last rank
    solved      {rank: ns} in solve()
    """

    def __init__(self, folder, ranks, steps=10, ranks_per_host=100, ahead=None, clocks=None):
        """The clocks of the hosts in `ahead`, {number: ns}, are ahead, and those in `clocks`, {number: function}, show what it
        returns. All that is known is by the others' clocks."""
        self.ahead, self.clocks = ahead or {}, clocks or {}
        self.folder, self.size, self.steps, self.per_host = pathlib.Path(folder), ranks, steps, ranks_per_host
        self.slow_rank, self.late_rank = ranks // 3, ranks * 2 // 3
        self.messages = []
        self.late, self.blocked, self.reduced, self.solved = ([0] * ranks for _ in range(4))
        self.times = [self.step(number) for number in range(steps)]

    def sent(self, rank, step, begin):
        """Begin of a send, after pack()."""
        return begin + (200 + 13 * (rank * 7 + step * 5) % 90) * US + (LATE_NS if rank == self.late_rank else 0)

    def arrives(self, rank, step, begin):
        """End of solve()."""
        return begin + (10000 + 11 * (rank * 3 + step) % 160) * US + (SLOW_NS if rank == self.slow_rank else 0)

    def step(self, number):
        """The times of a step for each rank: begin of the send, begin and end of the receive, end of solve(), and the end of the
        Allreduce for all."""
        begin = START + number * STEP_NS
        sent = [self.sent(rank, number, begin) for rank in range(self.size)]
        arrives = [self.arrives(rank, number, begin) for rank in range(self.size)]
        together = max(arrives) + 1 * US
        rows = []
        for rank in range(self.size):
            source = (rank - 1) % self.size
            wanted = sent[rank] + 11 * US
            received = max(wanted + 2 * US, sent[source] + 20 * US)
            self.late[rank] += max(sent[source] - wanted, 0)
            if sent[source] < wanted <= sent[source] + 10 * US:  # else the send had returned before
                self.blocked[source] += wanted - sent[source]
            self.reduced[rank] += together - (arrives[rank] + 1 * US)
            self.solved[rank] += arrives[rank] - received - 1 * US
            self.messages.append((source, rank, 1000 + number, made.ns(sent[source]), made.ns(received)))
            rows.append((sent[rank], wanted, received, arrives[rank]))
        return begin, rows, together + 30 * US

    def write(self):
        """Writes a folder for each host. Only one host's events are in memory at a time."""
        for host in range((self.size + self.per_host - 1) // self.per_host):
            trace = made.Trace(self.folder / ("host%d" % host), known=("core", "python", "mpi"), host="host%d" % host, names="registry",
                               ahead=self.ahead.get(host, 0), clock=self.clocks.get(host))
            for rank in range(host * self.per_host, min((host + 1) * self.per_host, self.size)):
                self.rank(trace, rank)
            trace.write(packet=256)
        return self

    def rank(self, trace, rank):
        pid = 1000 + rank % self.per_host
        process = trace.process(pid, rank, SCRIPT)
        thread = process.thread(pid)
        for number, name, line in CODES:
            process.code(number, name, SCRIPT, line)
        process.path(1, 0, MAIN, 41)
        for line in SEND_LINE, RECEIVE_LINE, REDUCE_LINE:
            process.path(line, 1, STEP, line)
        thread.event(0, "core", "domain_info", pid=pid, domain="MPI", runtime="Made", mechanism="PMPI", mode=3)
        thread.event(1, "mpi", "mpi_info", pid=pid, rank=rank, size=self.size, flavour="made", library="made", standard="3.1")
        thread.event(1, "mpi", "comm_info", pid=pid, comm=1, size=self.size, rank=rank, context=7, name="MPI_COMM_WORLD",
                     ranks="0-%d" % (self.size - 1))
        self.call(thread, rank, 100, 200, "Init", 0)
        thread.python(START - 10 * US, "begin", MAIN)
        source, to = (rank - 1) % self.size, (rank + 1) % self.size
        for number, (begin, rows, leaves) in enumerate(self.times):
            sent, wanted, received, arrives = rows[rank]
            thread.python(begin, "begin", STEP)
            thread.function(begin + 1 * US, sent - 1 * US, PACK)
            self.call(thread, rank, sent, sent + 10 * US, "Send", SEND_LINE, comm=1, dest=to, tag=number, count=1000 + number, datatype_size=1,
                      bytes=1000 + number)
            self.call(thread, rank, wanted, received, "Recv", RECEIVE_LINE, {"source": source, "tag": number, "bytes": 1000 + number}, comm=1,
                      source=source, tag=number, count=1000 + number, datatype_size=1, recv_bytes=1000 + number)
            thread.function(received + 1 * US, arrives, SOLVE)
            self.call(thread, rank, arrives + 1 * US, leaves, "Allreduce", REDUCE_LINE, comm=1, count=1, datatype_size=8, bytes=8, recv_bytes=8)
            thread.python(leaves + 1 * US, "end", STEP)
        end = START + self.steps * STEP_NS
        thread.python(end, "end", MAIN)
        self.call(thread, rank, end + 1 * US, end + 10 * US, "Finalize", 0)

    @staticmethod
    def call(thread, rank, begin, end, name, path, back=(), **fields):
        thread.event(begin, "mpi", "MPI_%s_begin" % name, mpirank=rank, mpi_codeptr=0x1000 + path, py_path=path, **fields)
        thread.event(end, "mpi", "MPI_%s_end" % name, **dict(back))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: tests/tools/many_ranks.py FOLDER RANKS [STEPS]")
    job = ManyRanks(sys.argv[1], *map(int, sys.argv[2:])).write()
    print("%d ranks, %d messages; slow rank %d, late sender %d" % (job.size, len(job.messages), job.slow_rank, job.late_rank))
