/*
 * Programs that keep an account of what they send, receive, start and do together, to be compared
 * with a trace: mpi_accounts PROGRAM, on three ranks or more. Rank r writes into account.r, a line
 * each:
 *
 *   sent COMM FROM TO TAG BYTES      received COMM FROM TO TAG BYTES     (ranks in MPI_COMM_WORLD)
 *   collective COMM FUNCTION         started                             completed
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static char in[8][4096], out[8][4096];
static FILE *account;
static MPI_Comm world;

static void message(const char *what, const char *comm, int from, int to, int tag, int bytes) {
    fprintf(account, "%s %s %d %d %d %d\n", what, comm, from, to, tag, bytes); /* in one piece */
}
#define SENT(to, tag, bytes) message("sent", "MPI_COMM_WORLD", rank, to, tag, bytes)
#define RECEIVED(from, tag, bytes) message("received", "MPI_COMM_WORLD", from, rank, tag, bytes)
#define TOGETHER(comm, function) fprintf(account, "collective %s MPI_%s\n", comm, #function)

static void note(const char *what, int times) {
    while (times-- > 0)
        fprintf(account, "%s\n", what);
}

static void got(const MPI_Status *status) {
    int bytes;
    MPI_Get_count(status, MPI_CHAR, &bytes);
    RECEIVED(status->MPI_SOURCE, status->MPI_TAG, bytes);
}

/* Before it is tested again: the other ranks may need the processor. */
static void rest(void) {
    usleep(300);
}

static int next(int step) {
    return (rank + step + size) % size;
}

/* Even ranks send first. */
static void ring(void) {
    MPI_Status status;
    for (int turn = 0; turn < 10; turn++)
        for (int half = 0; half < 2; half++) {
            if ((rank % 2 == 0) == (half == 0) || (rank == size - 1 && size % 2 && half == 0)) {
                MPI_Ssend(out, 10 * turn, MPI_CHAR, next(1), turn, world);
                SENT(next(1), turn, 10 * turn);
            }
            if ((next(-1) % 2 == 0) == (half == 0) ||
                (next(-1) == size - 1 && size % 2 && half == 0)) {
                MPI_Recv(in, 4096, MPI_CHAR, next(-1), turn, world, &status);
                got(&status);
            }
        }
}

/* A grid with borders, by persistent requests. */
static void halo(void) {
    int sizes[2] = {0, 0}, periods[2] = {0, 1}, at[4];
    MPI_Request requests[8];
    MPI_Comm grid;
    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(world, 2, sizes, periods, 0, &grid);
    MPI_Comm_set_name(grid, "grid");
    MPI_Cart_shift(grid, 0, 1, &at[0], &at[1]);
    MPI_Cart_shift(grid, 1, 1, &at[2], &at[3]);
    for (int i = 0; i < 4; i++) {
        MPI_Recv_init(in[i], 50 + i / 2, MPI_DOUBLE, at[i], i ^ 1, grid, &requests[i]);
        MPI_Send_init(out[i], 50 + i / 2, MPI_DOUBLE, at[i], i, grid, &requests[4 + i]);
    }
    for (int turn = 0; turn < 7; turn++) {
        if (turn % 2)
            MPI_Startall(8, requests);
        else
            for (int i = 0; i < 8; i++)
                MPI_Start(&requests[i]);
        note("started", 8);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        note("completed", 8);
        for (int i = 0; i < 4; i++)
            if (at[i] != MPI_PROC_NULL) {
                message("sent", "grid", rank, at[i], i, 8 * (50 + i / 2));
                message("received", "grid", at[i], rank, i ^ 1, 8 * (50 + i / 2));
            }
        MPI_Barrier(grid);
        TOGETHER("grid", Barrier);
    }
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&requests[i]);
    MPI_Comm_free(&grid);
}

/* Rank 0 gives work to whoever asks. */
static void master(void) {
    MPI_Status status;
    int left = 40, working = size - 1;
    if (rank == 0) {
        while (working) {
            MPI_Recv(in, 4096, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
            got(&status);
            int tag = left > 0 ? 1 + left % 3 : 0, bytes = left > 0 ? 100 + left : 0;
            MPI_Send(out, bytes, MPI_CHAR, status.MPI_SOURCE, tag, world);
            SENT(status.MPI_SOURCE, tag, bytes);
            working -= left-- <= 0;
        }
        return;
    }
    for (int done = 0;; done++) {
        MPI_Send(out, 3 * rank + done, MPI_CHAR, 0, 10 + done % 2, world);
        SENT(0, 10 + done % 2, 3 * rank + done);
        MPI_Recv(in, 4096, MPI_CHAR, 0, MPI_ANY_TAG, world, &status);
        got(&status);
        if (status.MPI_TAG == 0)
            return;
    }
}

/* What is received is looked at before, in each way. */
static void probe(void) {
    for (int turn = 0; turn < 12; turn++) {
        MPI_Request sent, request;
        MPI_Message found;
        MPI_Status status;
        int there = 0, bytes = 7 * turn + rank;
        MPI_Isend(out, bytes, MPI_CHAR, next(1), turn, world, &sent);
        SENT(next(1), turn, bytes);
        note("started", 1);
        switch (turn % 4) {
        case 0:
            MPI_Probe(MPI_ANY_SOURCE, turn, world, &status);
            MPI_Recv(in, 4096, MPI_CHAR, status.MPI_SOURCE, turn, world, &status);
            break;
        case 1:
            for (; !there; rest())
                MPI_Iprobe(next(-1), MPI_ANY_TAG, world, &there, &status);
            MPI_Recv(in, 4096, MPI_CHAR, next(-1), status.MPI_TAG, world, &status);
            break;
        case 2:
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &found, MPI_STATUS_IGNORE);
            MPI_Mrecv(in, 4096, MPI_CHAR, &found, &status);
            break;
        default:
            for (; !there; rest())
                MPI_Improbe(MPI_ANY_SOURCE, turn, world, &there, &found, MPI_STATUS_IGNORE);
            MPI_Imrecv(in, 4096, MPI_CHAR, &found, &request);
            MPI_Wait(&request, &status);
            note("started", 1);
            note("completed", 1);
        }
        got(&status);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        note("completed", 1);
        MPI_Barrier(world); /* any source and any tag are this turn's */
        TOGETHER("MPI_COMM_WORLD", Barrier);
    }
}

/* Requests complete in any order, in each way. */
static void mix(void) {
    static char space[1 << 16];
    MPI_Buffer_attach(space, sizeof space);
    for (int turn = 0; turn < 18; turn++) {
        MPI_Request all[8];
        MPI_Status status, statuses[8];
        int index, flag = 0, count, indices[8], left = 8;
        for (int i = 0; i < 4; i++)
            MPI_Irecv(in[i], 4096, MPI_CHAR, next(-1), i, world, &all[i]);
        MPI_Isend(out[0], turn, MPI_CHAR, next(1), 0, world, &all[4]);
        MPI_Issend(out[1], turn + 1, MPI_CHAR, next(1), 1, world, &all[5]);
        MPI_Ibsend(out[2], turn + 2, MPI_CHAR, next(1), 2, world, &all[6]);
        MPI_Isend(out[3], turn + 3, MPI_CHAR, next(1), 3, world, &all[7]);
        note("started", 8);
        for (int i = 0; i < 4; i++)
            SENT(next(1), i, turn + i);
        while (left) {
            index = MPI_UNDEFINED;
            count = 0;
            switch (turn % 6) {
            case 0:
                MPI_Waitany(8, all, &index, &status);
                break;
            case 1:
                MPI_Testany(8, all, &index, &flag, &status);
                index = flag ? index : MPI_UNDEFINED;
                break;
            case 2:
                MPI_Waitsome(8, all, &count, indices, statuses);
                break;
            case 3:
                MPI_Testsome(8, all, &count, indices, statuses);
                break;
            case 4:
                MPI_Testall(8, all, &flag, statuses);
                for (int i = 0; flag && i < 8; i++)
                    indices[count++] = i;
                break;
            default:
                for (index = 0; all[index] == MPI_REQUEST_NULL;)
                    index++;
                MPI_Test(&all[index], &flag, &status);
                index = flag ? index : MPI_UNDEFINED;
            }
            if (index != MPI_UNDEFINED) {
                indices[count++] = index;
                statuses[0] = status;
            }
            for (int i = 0; i < count; i++)
                if (indices[i] < 4)
                    got(&statuses[i]);
            note("completed", count);
            left -= count;
            if (count == 0)
                rest();
        }
    }
    int bytes;
    void *buffer;
    MPI_Buffer_detach(&buffer, &bytes);
}

/* Two groups: ranks 0, 2, ... and 1, 3, ...; each rank sends to all of the other group. */
static void inter(void) {
    MPI_Comm half, both;
    int others = rank % 2 ? (size + 1) / 2 : size / 2, sum = 0;
    MPI_Comm_split(world, rank % 2, rank, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Intercomm_create(half, 0, world, rank % 2 ? 0 : 1, 9, &both);
    MPI_Comm_set_name(both, "both");
    for (int other = 0; other < others; other++) {
        MPI_Status status;
        int there = 2 * other + !(rank % 2), bytes;
        MPI_Sendrecv(out, 5 + rank, MPI_CHAR, other, 20 + rank % 2, in, 4096, MPI_CHAR, other,
                     21 - rank % 2, both, &status);
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        message("sent", "both", rank, there, 20 + rank % 2, 5 + rank);
        message("received", "both", there, rank, status.MPI_TAG, bytes);
    }
    MPI_Barrier(both);
    TOGETHER("both", Barrier);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both);
    TOGETHER("both", Allreduce);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    TOGETHER("half", Allreduce);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* Communicators of communicators, with other ranks than the world's. */
static void split(void) {
    MPI_Comm at = world, made[4];
    char name[16];
    int colours[4] = {0, rank / 2, rank % 2, 0};
    for (int level = 0; level < 4; level++) {
        MPI_Comm over = level == 3 ? world : at;
        int mine, many, peer[1], from[1], to[1], theirs;
        MPI_Group group, all;
        MPI_Comm_split(over, colours[level], -rank, &made[level]);
        snprintf(name, sizeof name, "level%d", level);
        MPI_Comm_set_name(made[level], name);
        MPI_Comm_rank(made[level], &mine);
        MPI_Comm_size(made[level], &many);
        from[0] = (mine + many - 1) % many;
        to[0] = (mine + 1) % many;
        MPI_Sendrecv(out, 30 + level, MPI_CHAR, to[0], level, in, 4096, MPI_CHAR, from[0], level,
                     made[level], MPI_STATUS_IGNORE);
        MPI_Comm_group(made[level], &group);
        MPI_Comm_group(world, &all);
        MPI_Group_translate_ranks(group, 1, to, all, peer);
        MPI_Group_translate_ranks(group, 1, from, all, &theirs);
        message("sent", name, rank, peer[0], level, 30 + level);
        message("received", name, theirs, rank, level, 30 + level);
        MPI_Group_free(&group);
        MPI_Group_free(&all);
        for (int i = 0; i <= level; i++) {
            MPI_Barrier(made[level]);
            TOGETHER(name, Barrier);
        }
        at = made[level];
    }
    for (int level = 0; level < 4; level++)
        MPI_Comm_free(&made[level]);
}

/* Receives that never come, and requests that nobody waits for. */
static void cancel(void) {
    for (int turn = 0; turn < 5; turn++) {
        MPI_Request requests[2];
        MPI_Status status;
        int flag = 0;
        MPI_Irecv(in[0], 10, MPI_CHAR, next(-1), 99, world, &requests[0]);
        MPI_Irecv(in[1], 4096, MPI_CHAR, next(-1), 1, world, &requests[1]);
        note("started", 2);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        note("completed", 1);
        MPI_Send(out, turn, MPI_CHAR, next(1), 1, world);
        SENT(next(1), 1, turn);
        for (; !flag; rest())
            MPI_Request_get_status(requests[1], &flag, &status);
        got(&status);
        note("completed", 1);
        if (turn % 2)
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        else
            MPI_Request_free(&requests[1]);
    }
}

/* Collective operations under way together, and messages among them. */
static void overlap(void) {
    int numbers[64], sums[64];
    memset(numbers, 0, sizeof numbers);
    for (int turn = 0; turn < 8; turn++) {
        MPI_Request requests[7];
        MPI_Status statuses[7];
        MPI_Ibcast(in[0], 100, MPI_CHAR, turn % size, world, &requests[0]);
        MPI_Irecv(in[1], 4096, MPI_CHAR, next(-1), 4, world, &requests[1]);
        MPI_Iallreduce(numbers, sums, 1, MPI_INT, MPI_SUM, world, &requests[2]);
        MPI_Isend(out[1], 11, MPI_CHAR, next(1), 4, world, &requests[3]);
        MPI_Igather(&rank, 1, MPI_INT, sums + 1, 1, MPI_INT, 0, world, &requests[4]);
        MPI_Ialltoall(out[2], 2, MPI_CHAR, in[2], 2, MPI_CHAR, world, &requests[5]);
        MPI_Ibarrier(world, &requests[6]);
        note("started", 7);
        SENT(next(1), 4, 11);
        TOGETHER("MPI_COMM_WORLD", Ibcast);
        TOGETHER("MPI_COMM_WORLD", Iallreduce);
        TOGETHER("MPI_COMM_WORLD", Igather);
        TOGETHER("MPI_COMM_WORLD", Ialltoall);
        TOGETHER("MPI_COMM_WORLD", Ibarrier);
        MPI_Waitall(7, requests, statuses);
        got(&statuses[1]);
        note("completed", 7);
    }
}

/* Neighbours in a graph: each rank has the next one, and rank 0 has all. */
static void neighbours(void) {
    int sources[64], targets[64], sizes[64], places[64], degree = 0, from = 0;
    MPI_Request request;
    MPI_Comm graph;
    targets[degree++] = next(1);
    for (int other = 2; rank == 0 && other < size; other++)
        targets[degree++] = other;
    sources[from++] = next(-1);
    if (rank >= 2)
        sources[from++] = 0;
    MPI_Dist_graph_create_adjacent(world, from, sources, MPI_UNWEIGHTED, degree, targets,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_set_name(graph, "graph");
    for (int i = 0; i < 64; i++) {
        sizes[i] = 3;
        places[i] = 3 * i;
    }
    for (int turn = 0; turn < 3; turn++) {
        MPI_Neighbor_allgather(out[0], 5, MPI_CHAR, in[0], 5, MPI_CHAR, graph);
        TOGETHER("graph", Neighbor_allgather);
        MPI_Neighbor_alltoallv(out[1], sizes, places, MPI_CHAR, in[1], sizes, places, MPI_CHAR,
                               graph);
        TOGETHER("graph", Neighbor_alltoallv);
        MPI_Ineighbor_alltoall(out[2], 4, MPI_CHAR, in[2], 4, MPI_CHAR, graph, &request);
        TOGETHER("graph", Ineighbor_alltoall);
        note("started", 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        note("completed", 1);
    }
    MPI_Comm_free(&graph);
}

/* Four threads, each with a tag of its own. */
static void *thread(void *argument) {
    int tag = (int)(long)argument;
    for (int turn = 0; turn < 25; turn++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(in[tag], 4096, MPI_CHAR, next(-1), tag, world, &requests[0]);
        MPI_Isend(out[tag], turn + tag, MPI_CHAR, next(1), tag, world, &requests[1]);
        note("started", 2);
        SENT(next(1), tag, turn + tag);
        MPI_Waitall(2, requests, statuses);
        got(&statuses[0]);
        note("completed", 2);
    }
    return NULL;
}

static void threads(void) {
    pthread_t all[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, thread, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {
        {"ring", ring},       {"halo", halo},       {"master", master},        {"probe", probe},
        {"mix", mix},         {"inter", inter},     {"split", split},          {"cancel", cancel},
        {"overlap", overlap}, {"threads", threads}, {"neighbours", neighbours}};
    char file[32];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    snprintf(file, sizeof file, "account.%d", rank);
    account = fopen(file, "w");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (argc > 1 && strcmp(argv[1], programs[i].name) == 0)
            programs[i].run();
    MPI_Finalize();
    return account && fclose(account) == 0 ? 0 : 1;
}
