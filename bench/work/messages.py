"""Messages of 8 bytes with mpi4py, between two ranks: what PInsight adds to one, beside what the link costs.

    messages.py BATCH ROUNDS

It must run on two ranks under `pinsight run` with the Python domain OFF, or without it. In turns, in one pair of
processes, for "message" (half of a round trip) and "nobody" (an MPI_Send to MPI_PROC_NULL): PInsight's MPI domain
OFF and TRACING. "link" is the Python call path alone, asked for as often from C at the same place.
"""

import ctypes
import json
import os
import sys
import time

import numpy
from mpi4py import MPI
from run import load_floor

MODES = {"OFF": 0, "TRACING": 3}


def message(world, peer, sent, got, n):
    if world.rank == 0:
        for _ in range(n // 2):
            world.Send(sent, peer)
            world.Recv(got, peer)
    else:
        for _ in range(n // 2):
            world.Recv(got, peer)
            world.Send(sent, peer)


def nobody(world, peer, sent, got, n):
    for _ in range(n):
        world.Send(sent, MPI.PROC_NULL)


def main():
    n, rounds = int(sys.argv[1]), int(sys.argv[2])
    world = MPI.COMM_WORLD
    sent, got = [numpy.ones(8, "b"), MPI.BYTE], [numpy.zeros(8, "b"), MPI.BYTE]
    peer = 1 - world.rank
    ours = ctypes.CDLL(os.path.join(os.environ["PINSIGHT_LIBDIR"], "libpinsight.so.0"))
    floor = load_floor() if os.environ.get("PINSIGHT_BENCH_FLOOR") else None
    ns = {case.__name__: {mode: [] for mode in MODES} for case in (message, nobody)}
    ns["link"] = {"same": []}
    for number in range(rounds):
        for case in (message, nobody):
            for mode in MODES if number % 2 else reversed(MODES):
                if ours.pinsight_set_mode(b"MPI", MODES[mode]) != 0:
                    sys.exit("messages.py: no mode %s" % mode)
                for times in (n // 4, n):
                    world.Barrier()
                    start = time.perf_counter_ns()
                    case(world, peer, sent, got, times)
                    took = (time.perf_counter_ns() - start) / times
                ns[case.__name__][mode].append(took)
                time.sleep(0.0015)
        ours.pinsight_set_mode(b"MPI", MODES["OFF"])
        if floor:
            floor.link(20)
            ns["link"]["same"].append(floor.link(n) / n)
    if world.rank == 0:
        with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
            json.dump(ns, file)


if __name__ == "__main__":
    main()
