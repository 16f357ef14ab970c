/* Wait states that are programmed. Rank 0 prints how long ranks had to wait, in nanoseconds, by the
 * times at which each rank came: rank 1 for the sender, rank 0 for the broadcast, for the barrier
 * and for the others' part of the reduction. At least two ranks, on one host. */
#define _GNU_SOURCE
#include <mpi.h>

#include <stdio.h>
#include <time.h>

enum { MESSAGES = 4, BROADCAST = MESSAGES, BARRIER, REDUCE, TIMES };

static long long now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void nap(long milliseconds) {
    struct timespec t = {0, milliseconds * 1000000};

    nanosleep(&t, NULL);
}

static long long times[TIMES], all[64][TIMES];

static long long last(int size, int what) {
    long long latest = 0;

    for (int rank = 1; rank < size; rank++)
        if (all[rank][what] > latest)
            latest = all[rank][what];
    return latest;
}

int main(int argc, char **argv) {
    int rank, size, number = 0;
    long long sender = 0;
    double in[8] = {0}, out[8];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES; i++) { /* a late sender: rank 0, 50 ms */
        if (rank == 0)
            nap(50);
        times[i] = now();
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) /* a late broadcast */
        nap(60);
    times[BROADCAST] = now();
    MPI_Bcast(&number, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    nap(rank == 1 ? 80 : 40); /* an imbalance of 2:1 */
    times[BARRIER] = now();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) /* a root that comes too early */
        nap(30);
    times[REDUCE] = now();
    MPI_Reduce(in, out, 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gather(times, TIMES, MPI_LONG_LONG, all, TIMES, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < MESSAGES; i++)
            sender += all[0][i] - all[1][i];
        printf("waited %lld %lld %lld %lld\n", sender, all[size - 1][BROADCAST] - all[0][BROADCAST],
               last(size, BARRIER) - all[0][BARRIER], last(size, REDUCE) - all[0][REDUCE]);
    }
    MPI_Finalize();
    return 0;
}
