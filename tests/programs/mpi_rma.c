/* Three ranks that wait for each other where they synchronise one-sided communication, in turn,
 * each time for at least so many milliseconds as the name of what is called says: mpi_rma
 * rma|persistent|threads */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int rank, size, value;

static void late(int who, int milliseconds) {
    if (rank == who)
        usleep(milliseconds * 1000);
}

static void post_and_start(MPI_Win win) {
    int others[8], first = 0;
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 1; i < size; i++)
        others[i - 1] = i;
    if (rank == 0) {
        MPI_Group_incl(all, size - 1, others, &group);
        late(0, 200);
        MPI_Win_post(group, 0, win); /* late post */
        MPI_Win_wait(win);           /* waits for complete */
    } else {
        MPI_Group_incl(all, 1, &first, &group);
        MPI_Win_start(group, 0, win); /* waits for post */
        MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        late(2, 200);
        MPI_Win_complete(win); /* late complete */
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void rma(void) {
    int *memory;
    MPI_Win win;
    late(1, 200);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win); /* create */
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    late(2, 200);
    MPI_Win_fence(0, win); /* fence */
    post_and_start(win);
    MPI_Barrier(MPI_COMM_WORLD);
    late(2, 400); /* rank 1 has the lock by then, also on a busy machine */
    if (rank != 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);           /* locks */
        MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win); /* puts */
        MPI_Win_flush(0, win);                                 /* flushes */
        late(1, 800);
        MPI_Win_unlock(0, win); /* unlocks */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    late(0, 200);
    MPI_Win_free(&win); /* free */
}

static void persistent(void) {
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    if (rank == 1)
        MPI_Recv_init(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 2 && rank < 2; i++) {
        late(0, 200);
        MPI_Start(&request); /* starts */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank < 2)
        MPI_Request_free(&request);
}

static void *communicate(void *nothing) {
    (void)nothing;
    late(0, 200);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "rma") == 0)
        rma();
    if (argc > 1 && strcmp(argv[1], "persistent") == 0)
        persistent();
    if (argc > 1 && strcmp(argv[1], "threads") == 0 && provided == MPI_THREAD_MULTIPLE) {
        pthread_t thread;
        pthread_create(&thread, NULL, communicate, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
