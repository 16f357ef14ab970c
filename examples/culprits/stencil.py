"""A stencil on a strip for each rank. The fault: one rank has three times the work of the others.

    mpirun -n 4 python3 stencil.py
"""
import sys

import numpy
from mpi4py import MPI

COLUMNS = 1000
ROWS = 150


class Strip:
    def __init__(self, comm, rows):
        self.comm = comm
        self.cells = numpy.zeros((rows + 2, COLUMNS))
        self.cells[:, 0] = 1.0
        self.above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
        self.below = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL

    def exchange(self):
        self.comm.Sendrecv(self.cells[1], self.above, recvbuf=self.cells[-1], source=self.below)
        self.comm.Sendrecv(self.cells[-2], self.below, recvbuf=self.cells[0], source=self.above)

    def step(self):
        old = self.cells
        self.cells = old.copy()
        self.cells[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        return numpy.abs(self.cells - old).max()


def solve(strip, steps):
    for _ in range(steps):
        strip.exchange()
        change = strip.step()
        change = strip.comm.allreduce(change, MPI.MAX)
    return change


def main():
    comm = MPI.COMM_WORLD
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    strip = Strip(comm, ROWS * 3 if comm.rank == comm.size - 1 else ROWS)
    change = solve(strip, steps)
    if comm.rank == 0:
        print(change > 0)


main()
