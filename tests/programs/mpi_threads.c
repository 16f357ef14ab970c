/* Threads that send to each other: request handles that one gives back another gets at once. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int rank, size;
static void *run(void *a) {
    int t = (int)(long)a;
    int in, out = rank * 100 + t, peer = (rank + 1) % size, prev = (rank + size - 1) % size;
    for (int i = 0; i < 60; i++) {
        MPI_Request r[2];
        int k, flag = 0;
        MPI_Irecv(&in, 1, MPI_INT, prev, t, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(&out, 1, MPI_INT, peer, t, MPI_COMM_WORLD, &r[1]);
        if (i % 3 == 0)
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        else if (i % 3 == 1) {
            MPI_Waitany(2, r, &k, MPI_STATUS_IGNORE);
            MPI_Waitany(2, r, &k, MPI_STATUS_IGNORE);
        } else
            while (!flag)
                MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
        if (in != prev * 100 + t) /* never */
            printf("WRONG %d\n", in);
    }
    return 0;
}
int main(int c, char **v) {
    int p;
    MPI_Init_thread(&c, &v, MPI_THREAD_MULTIPLE, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_t th[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&th[i], 0, run, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(th[i], 0);
    MPI_Finalize();
    printf("rank %d ok\n", rank);
    return 0;
}
