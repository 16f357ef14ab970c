"""Everything at once, on two ranks: mpi4py, NumPy on a BLAS that runs on OpenMP, and Python threads."""
import threading

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def solve(n):
    matrix = np.eye(n) * n + 1.0 / (1.0 + np.arange(n * n).reshape(n, n))
    # Many right-hand sides: for one, newer OpenBLAS (0.3.29) starts no threads.
    return np.linalg.solve(matrix, np.eye(n)).sum(axis=0)


def exchange(part):
    got = np.empty_like(part)
    world.Sendrecv(part, (rank + 1) % size, 3, got, (rank - 1) % size, 3)
    return got


def count(n):
    return sum(number for number in numbers(n))


def numbers(n):
    for number in range(n):
        yield number


def step(n):
    part = exchange(solve(n))
    return world.allreduce(float(part.sum()))


def main():
    threads = [threading.Thread(target=count, args=(50 * (i + 1),), name="counter %d" % i) for i in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        step(300)
    for thread in threads:
        thread.join()
    world.Barrier()


if __name__ == "__main__":
    main()
