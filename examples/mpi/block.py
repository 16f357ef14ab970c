"""A rank's part of the grid, with a row or column of each neighbour around it: the halo."""
import numpy as np
from mpi4py import MPI


def share(points, parts, part):
    """How many of the points a part has: as equal as can be."""
    return points // parts + (part < points % parts)


class Block:
    def __init__(self, comm, n, hot, cold):
        self.comm = comm
        (rows, columns), _, (row, column) = comm.Get_topo()
        self.up, self.down = comm.Shift(0, 1)
        self.left, self.right = comm.Shift(1, 1)
        height, width = share(n, rows, row), share(n, columns, column)
        self.now = np.full((height + 2, width + 2), cold)
        if self.up == MPI.PROC_NULL:
            self.now[0, :] = hot  # the upper edge of the plate is heated
        self.next = self.now.copy()

    def trade(self, edge, to, halo, source):
        """Gives the neighbour `to` an edge, and takes what `source` has for the halo opposite."""
        sent = np.ascontiguousarray(self.now[edge])
        taken = np.empty_like(sent)
        self.comm.Sendrecv(sent, to, recvbuf=taken, source=source)
        if source != MPI.PROC_NULL:
            self.now[halo] = taken

    def exchange(self):
        inner = slice(1, -1)
        self.trade((1, inner), self.up, (-1, inner), self.down)
        self.trade((-2, inner), self.down, (0, inner), self.up)
        self.trade((inner, 1), self.left, (inner, -1), self.right)
        self.trade((inner, -2), self.right, (inner, 0), self.left)

    def average(self):
        """Each point becomes the mean of its four neighbours."""
        now, inner = self.now, self.next[1:-1, 1:-1]
        np.add(now[:-2, 1:-1], now[2:, 1:-1], out=inner)
        inner += now[1:-1, :-2]
        inner += now[1:-1, 2:]
        inner *= 0.25

    def step(self):
        self.average()
        largest = float(np.abs(self.next[1:-1, 1:-1] - self.now[1:-1, 1:-1]).max(initial=0.0))
        self.now, self.next = self.next, self.now
        return largest

    def total(self):
        return float(self.now[1:-1, 1:-1].sum())
