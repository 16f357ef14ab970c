"""The solver of examples/mpi, timed: heat.py REPEATS N,STEPS...

Rank 0 writes the seconds of each grid's solutions, from a barrier to a barrier.
"""

import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "mpi"))

from block import Block  # noqa: E402
from jacobi import COLD, HOT, solve  # noqa: E402
from mpi4py import MPI  # noqa: E402


def main():
    world = MPI.COMM_WORLD
    comm = world.Create_cart(MPI.Compute_dims(world.size, 2), periods=[False, False])
    seconds = {}
    for word in sys.argv[2:]:
        n, steps = map(int, word.split(","))
        seconds[word] = []
        block = Block(comm, n, HOT, COLD)
        for _ in range(int(sys.argv[1])):
            comm.Barrier()
            start = time.perf_counter()
            solve(block, steps, 10, 0)
            comm.Barrier()
            seconds[word].append(time.perf_counter() - start)
    if comm.rank == 0:
        with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
            json.dump(seconds, file)


if __name__ == "__main__":
    main()
