"""As mpi_accounts.c, with mpi4py: mpi_accounts.py PROGRAM."""
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
after, before = (rank + 1) % size, (rank - 1) % size
account = open("account.%d" % rank, "w")


def note(*words):
    print(*words, file=account)


def sent(comm, to, tag, length):
    note("sent", comm, rank, to, tag, length)


def received(comm, source, tag, length):
    note("received", comm, source, rank, tag, length)


def length_of(thing):
    return len(MPI.pickle.dumps(thing))


def objects():
    """Objects, pickled: what is received is looked at first, by a matching probe."""
    for turn in range(10):
        mine, theirs = [turn] * (rank + 1) * turn, [turn] * (before + 1) * turn
        request = world.isend(mine, dest=after, tag=turn)
        note("started")
        sent("MPI_COMM_WORLD", after, turn, length_of(mine))
        if turn % 2:
            assert world.recv(source=before, tag=turn) == theirs
        else:
            arriving = world.irecv(source=MPI.ANY_SOURCE, tag=turn)
            note("started")
            assert arriving.wait() == theirs
            note("completed")
        received("MPI_COMM_WORLD", before, turn, length_of(theirs))
        request.wait()
        note("completed")


def arrays():
    """Arrays and vectors, in each way to wait; and collective operations."""
    copy = world.Dup()
    copy.Set_name("copy")
    column = MPI.DOUBLE.Create_vector(4, 1, 4).Commit()
    matrix = np.zeros((4, 4))
    for turn in range(9):
        got = [np.zeros(turn + 1), np.zeros(turn + 2)]
        requests = [copy.Irecv(got[i], source=before, tag=i) for i in range(2)]
        requests += [copy.Isend(np.zeros(turn + 1 + i), dest=after, tag=i) for i in range(2)]
        for _ in range(4):
            note("started")
        for i in range(2):
            sent("copy", after, i, 8 * (turn + 1 + i))
        if turn % 3 == 0:
            MPI.Request.Waitall(requests)
        elif turn % 3 == 1:
            while MPI.Request.Waitany(requests) != MPI.UNDEFINED:
                pass
        else:
            while MPI.Request.Waitsome(requests) is not None:
                pass
        for _ in range(4):
            note("completed")
        for i in range(2):
            received("copy", before, i, 8 * (turn + 1 + i))
        copy.Sendrecv([matrix, 1, column], dest=after, sendtag=7, recvbuf=matrix, source=before, recvtag=7)
        sent("copy", after, 7, 32)
        received("copy", before, 7, 32)
        copy.Allreduce(MPI.IN_PLACE, got[0])
        note("collective copy MPI_Allreduce")
        copy.Ibarrier().Wait()
        note("collective copy MPI_Ibarrier")
        note("started")
        note("completed")
    column.Free()
    copy.Free()


def persistent():
    """Persistent requests and a topology."""
    grid = world.Create_cart([size], periods=[True])
    grid.Set_name("grid")
    left, right = grid.Shift(0, 1)
    mine, theirs = np.full(16, float(rank)), np.zeros(16)
    requests = [grid.Recv_init(theirs, source=left, tag=1), grid.Send_init(mine, dest=right, tag=1)]
    for turn in range(6):
        MPI.Prequest.Startall(requests)
        note("started")
        note("started")
        MPI.Request.Waitall(requests)
        note("completed")
        note("completed")
        sent("grid", right, 1, 128)
        received("grid", left, 1, 128)
        assert theirs[0] == left
        around = np.zeros(2 * 16)
        grid.Neighbor_allgather(mine, around)
        note("collective grid MPI_Neighbor_allgather")
    for request in requests:
        request.Free()
    grid.Free()


{"objects": objects, "arrays": arrays, "persistent": persistent}[sys.argv[1]]()
account.close()
