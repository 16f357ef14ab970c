"""Two ranks that wait for each other in MPI, where each spins. Each says when it begins and ends what: a JSON line
{name: [begin, end]}, in nanoseconds of CLOCK_MONOTONIC, which both have.

    waiting_mpi.py
"""
import json
from time import CLOCK_MONOTONIC, clock_gettime_ns

from mpi4py import MPI

BUSY = 100_000_000
world = MPI.COMM_WORLD
me = world.Get_rank()
large, small = bytearray(1_000_000), bytearray(8)
said = {}


def now():
    return clock_gettime_ns(CLOCK_MONOTONIC)


def works():
    until = now() + BUSY
    while now() < until:
        pass


def meet(name, late, calls):
    """Rank `late` works, and comes then; each makes its call."""
    world.Barrier()
    if me == late:
        works()
    begin = now()
    calls[me]()
    said[name] = [begin, now()]


def recv():
    world.Recv(small, 0)


def ssend():
    world.Ssend(large, 1)


def probe():
    world.Probe(0)


def wait():
    world.Irecv(small, 0).Wait()


def barrier():
    world.Barrier()


def allreduce():
    world.Allreduce(small, bytearray(8))


def bcast():
    world.Bcast(small, 0)


def send():
    world.Send(small, 1)


meet("recv", 0, [send, recv])
meet("ssend", 1, [ssend, lambda: world.Recv(large, 0)])
meet("probe", 0, [send, probe])
if me:
    world.Recv(small, 0)
meet("wait", 0, [send, wait])
meet("barrier", 0, [barrier, barrier])
meet("allreduce", 0, [allreduce, allreduce])
meet("bcast", 0, [bcast, bcast])
print(json.dumps({"rank": me, **said}), flush=True)
