"""Two ranks whose lines call one function of MPI each, timed and counted by the program itself. Each rank prints its
accounts as JSON on a line: {name: {line, wall_ns, calls, sent, received}}.

    links_mpi.py TURNS
"""
import json
import sys
import time
from time import CLOCK_MONOTONIC, clock_gettime_ns

from mpi4py import MPI

PAUSE = 0.03
world = MPI.COMM_WORLD
me = world.Get_rank()
turns = int(sys.argv[1])
small, large = bytearray(1000), bytearray(300000)
numbers, sums = bytearray(8 * 512), bytearray(8 * 512)
accounts = {}


class timed:
    """The time of a block, and what the program knows that it sent and received."""

    def __init__(self, name, sent=0, received=0):
        self.account = accounts.setdefault(name, {"wall_ns": 0, "calls": 0, "sent": 0, "received": 0})
        self.account["sent"] += sent
        self.account["received"] += received

    def __enter__(self):
        self.begin = clock_gettime_ns(CLOCK_MONOTONIC)

    def __exit__(self, *_):
        self.account["wall_ns"] += clock_gettime_ns(CLOCK_MONOTONIC) - self.begin
        self.account["calls"] += 1


def late_receiver():
    """The line waits for who has not come yet."""
    if me == 0:
        with timed("ssend", sent=len(large)):
            world.Ssend(large, 1, 7)  # ssend
    else:
        time.sleep(PAUSE)
        world.Recv(large, 0, 7)


def late_sender():
    if me == 0:
        time.sleep(PAUSE)
        world.Send(small, 1, 8)
    else:
        with timed("recv", received=len(small)):
            world.Recv(small, 0, 8)  # recv


def late_all(rank):
    if me == rank:
        time.sleep(PAUSE)
        world.Allreduce([numbers, MPI.DOUBLE], [sums, MPI.DOUBLE])
    else:
        with timed("allreduce"):
            world.Allreduce([numbers, MPI.DOUBLE], [sums, MPI.DOUBLE])  # allreduce


def late_wait():
    if me == 0:
        time.sleep(PAUSE)
        world.Send(large, 1, 9)
    else:
        request = world.Irecv(large, 0, 9)
        with timed("wait"):
            request.Wait()  # wait


world.Barrier()
for turn in range(turns):
    late_receiver()
    late_sender()
    late_all(turn % 2)
    late_wait()
world.Barrier()
with open(__file__, encoding="utf-8") as file:
    for number, text in enumerate(file, 1):
        name = text.split("  # ")[1].strip() if "  # " in text else None
        if name in accounts:
            accounts[name]["line"] = number
told = world.gather(accounts)
if me == 0:
    for one in told:
        print(json.dumps(one))
