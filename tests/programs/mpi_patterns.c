/* Messages whose numbers and sizes are known: mpi_patterns ring|halo|all|collective. */
#include <mpi.h>

#include <string.h>

static char in[1 << 16], out[1 << 16];
static int rank, size;

/* Three turns, each rank to the next: 100 bytes. */
static void ring(void) {
    for (int turn = 0; turn < 3; turn++)
        MPI_Sendrecv(out, 100, MPI_CHAR, (rank + 1) % size, turn, in, 100, MPI_CHAR,
                     (rank + size - 1) % size, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Five turns of a halo of two dimensions, periodic in the second: 64 doubles to rows, 32 to
 * columns. */
static void halo(void) {
    int sizes[2] = {0, 0}, periods[2] = {0, 1}, neighbours[4];
    MPI_Request requests[8];
    MPI_Comm grid;

    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
    for (int turn = 0; turn < 5; turn++) {
        for (int i = 0; i < 4; i++)
            MPI_Irecv(in + 4096 * i, i < 2 ? 64 : 32, MPI_DOUBLE, neighbours[i], i ^ 1, grid,
                      &requests[i]);
        for (int i = 0; i < 4; i++)
            MPI_Isend(out + 4096 * i, i < 2 ? 64 : 32, MPI_DOUBLE, neighbours[i], i, grid,
                      &requests[4 + i]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&grid);
}

/* Each rank to each other one: as many integers as its rank and one. */
static void all(void) {
    for (int step = 1; step < size; step++)
        MPI_Sendrecv(out, rank + 1, MPI_INT, (rank + step) % size, 5, in, 1000, MPI_INT,
                     (rank + size - step) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collective(void) {
    MPI_Alltoall(out, 10, MPI_INT, in, 10, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(out, 7, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(out, 5, MPI_CHAR, in, 5, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Allgather(out, 2, MPI_CHAR, in, 2, MPI_CHAR, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(argv[1], "ring"))
        ring();
    else if (!strcmp(argv[1], "halo"))
        halo();
    else if (!strcmp(argv[1], "all"))
        all();
    else
        collective();
    MPI_Finalize();
    return 0;
}
