"""Heat in a plate, by Jacobi's iteration: a square grid, cut into one block for each rank of MPI."""
import argparse

import numpy as np
from mpi4py import MPI

from block import Block

HOT, COLD = 100.0, 0.0


def work_more(block, times):
    """What a rank does that has more to do than the others: the same step again, for nothing."""
    for _ in range(times):
        block.average()


def solve(block, steps, check_every, extra):
    """Steps until the plate hardly changes; how many, and the change of the last look."""
    change = np.inf
    for step in range(1, steps + 1):
        block.exchange()
        work_more(block, extra)
        largest = block.step()
        if step % check_every == 0 or step == steps:
            change = block.comm.allreduce(largest, op=MPI.MAX)
            if change < 1e-6:
                break
    return step, change


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=800, help="points in each direction (800)")
    parser.add_argument("--steps", type=int, default=200, help="steps at the most (200)")
    parser.add_argument("--check-every", type=int, default=10, help="steps between two looks at the change (10)")
    parser.add_argument("--slow-rank", type=int, default=0, help="the rank that has more to do (0)")
    parser.add_argument("--imbalance", type=int, default=1, help="how many times the work of the others it has (1)")
    options = parser.parse_args()

    world = MPI.COMM_WORLD
    shape = MPI.Compute_dims(world.size, 2)
    comm = world.Create_cart(shape, periods=[False, False])
    comm.Set_name("plate")
    block = Block(comm, options.n, HOT, COLD)
    extra = options.imbalance - 1 if comm.rank == options.slow_rank else 0
    start = MPI.Wtime()
    steps, change = solve(block, options.steps, options.check_every, extra)
    heat = comm.reduce(block.total(), op=MPI.SUM, root=0)
    if comm.rank == 0:
        print("%d x %d points on %d x %d ranks, %d steps in %.2f s: mean %.6f, last change %.2g" % (
            options.n, options.n, *shape, steps, MPI.Wtime() - start, heat / options.n ** 2, change))


if __name__ == "__main__":
    main()
