/*
 * A library that computes with OpenMP and talks by MPI, for a Python program that calls it: one
 * run has all domains in it. start() first, step() as often as one likes, finish() last.
 */
#include <mpi.h>

#define CALLED __attribute__((visibility("default"), noinline))

CALLED int start(void) {
    int rank;

    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

CALLED double step(int threads) {
    double sum = 0, all = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp for
        for (int i = 0; i < 1000; i++)
            sum += i;
#pragma omp critical
        sum += 1;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

CALLED void finish(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
