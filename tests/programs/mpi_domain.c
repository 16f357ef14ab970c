/*
 * What the tests of the MPI domain trace: mpi_domain PART... runs the parts that are named, on two
 * ranks or more. Each checks what it receives; a rank with a wrong result ends with status 1. At
 * the end rank r prints "rank r ok".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"

static int size;

static void p2p(void) {
    double data[100];
    MPI_Status status;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in = -1;
    for (int i = 0; i < 100; i++)
        data[i] = rank;
    if (rank == 0)
        MPI_Send(data, 100, MPI_DOUBLE, 1, 42, MPI_COMM_WORLD);
    else if (rank == 1) {
        MPI_Recv(data, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 42 && data[99] == 0);
    }
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 5, &in, 1, MPI_INT, previous, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(in == previous);
    MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && in == previous);
    if (rank == 0)
        MPI_Ssend("hello", 6, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    else if (rank == 1) {
        MPI_Message message;
        char text[6];
        int count;
        MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_CHAR, &count);
        MPI_Mrecv(text, count, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        CHECK(count == 6 && strcmp(text, "hello") == 0);
    }
}

/* 20 rounds of requests that are waited for in each way. */
static void requests(void) {
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int round = 0; round < 20; round++) {
        MPI_Request all[6];
        MPI_Status statuses[6];
        int in[3] = {-1, -1, -1}, out = rank, flag = 0, index, count, indices[6];
        for (int i = 0; i < 3; i++) {
            MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &all[i]);
            MPI_Isend(&out, 1, MPI_INT, next, i, MPI_COMM_WORLD, &all[3 + i]);
        }
        switch (round % 5) {
        case 0:
            MPI_Waitall(6, all, round ? statuses : MPI_STATUSES_IGNORE);
            break;
        case 1:
            for (int i = 0; i < 6; i++)
                MPI_Wait(&all[i], MPI_STATUS_IGNORE);
            break;
        case 2:
            for (int i = 0; i < 6; i++)
                MPI_Waitany(6, all, &index, MPI_STATUS_IGNORE);
            MPI_Waitany(6, all, &index, MPI_STATUS_IGNORE);
            CHECK(index == MPI_UNDEFINED);
            break;
        case 3:
            for (int done = 0; done < 6; done += count)
                MPI_Waitsome(6, all, &count, indices, MPI_STATUSES_IGNORE);
            break;
        default:
            while (!flag)
                MPI_Testall(6, all, &flag, MPI_STATUSES_IGNORE);
        }
        CHECK(in[0] == previous && in[1] == previous && in[2] == previous);
        for (int i = 0; i < 6; i++)
            CHECK(all[i] == MPI_REQUEST_NULL);
    }
    MPI_Request request;
    int unused, cancelled;
    MPI_Status status;
    MPI_Irecv(&unused, 1, MPI_INT, previous, 999, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* of nothing */
}

static void persistent(void) {
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in, out;
    MPI_Request pair[2];
    MPI_Recv_init(&in, 1, MPI_INT, previous, 11, MPI_COMM_WORLD, &pair[0]);
    MPI_Send_init(&out, 1, MPI_INT, next, 11, MPI_COMM_WORLD, &pair[1]);
    for (int i = 0; i < 5; i++) {
        in = -1;
        out = rank * 10 + i;
        if (i % 2) {
            MPI_Start(&pair[0]);
            MPI_Start(&pair[1]);
        } else {
            MPI_Startall(2, pair);
        }
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE); /* of requests that are not active */
        CHECK(in == previous * 10 + i);
    }
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
}

static void collectives(void) {
    int one = rank + 1, sum = 0, all[64], counts[64], displs[64], mine[64];
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = i * (i + 1) / 2;
        mine[i] = rank;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(mine, 10, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Reduce(&one, rank ? NULL : &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank || sum == size * (size + 1) / 2);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(one == size);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(all, 1, MPI_INT, rank ? (void *)&one : MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size * (size + 1) / 2; i++)
        all[i] = rank;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
    CHECK(all[0] == 0 && all[1] == 1);
    MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == size * (size - 1) / 2);
}

static void comms(void) {
    MPI_Comm copy, half, cart, inter, merged, later, group_comm;
    MPI_Request request;
    MPI_Group world, some;
    int dims[1] = {size}, periods[1] = {1}, in[2], out = rank, first[1] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "copy");
    MPI_Barrier(copy);
    MPI_Comm_split(copy, rank % 2, -rank, &half);
    MPI_Barrier(half);
    MPI_Comm_split(copy, rank ? MPI_UNDEFINED : 0, 0, &later);
    if (later != MPI_COMM_NULL)
        MPI_Comm_free(&later);
    MPI_Cart_create(copy, 1, dims, periods, 0, &cart);
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, cart);
    CHECK(in[0] == (rank + size - 1) % size && in[1] == (rank + 1) % size);
    MPI_Comm_idup(copy, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(later);
    MPI_Intercomm_create(half, 0, copy, rank % 2 ? (size - 1) / 2 * 2 : size - 1 - size % 2, 3,
                         &inter);
    MPI_Barrier(inter);
    MPI_Bcast(&out, 1, MPI_INT,
              rank % 2                     ? 0
              : rank == (size - 1) / 2 * 2 ? MPI_ROOT
                                           : MPI_PROC_NULL,
              inter);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Barrier(merged);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, first, &some);
    if (rank == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 4, &group_comm);
        MPI_Barrier(group_comm);
        MPI_Comm_free(&group_comm);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&some);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&later);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
}

static void rma(void) {
    int *base, got = -1;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, 4 * sizeof(int));
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(base[0] == (rank + size - 1) % size);
    MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(got == rank);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
}

static void io(void) {
    const char *name = getenv("MPI_DOMAIN_FILE");
    char text[8] = "0123456", back[8] = "";
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 8, text, 8, MPI_CHAR, &status);
    MPI_File_sync(file);
    MPI_File_read_at(file, rank * 8, back, 8, MPI_CHAR, MPI_STATUS_IGNORE);
    CHECK(strcmp(text, back) == 0);
    MPI_File_iread_at(file, rank * 8, back, 4, MPI_CHAR, &request);
    MPI_Wait(&request, &status);
    MPI_File_close(&file);
}

static void errors(void) {
    int in;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(&in, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK(MPI_Send(&in, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK(MPI_Send(&in, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"p2p", p2p},
                 {"requests", requests},
                 {"persistent", persistent},
                 {"comms", comms},
                 {"collectives", collectives},
                 {"rma", rma},
                 {"io", io},
                 {"errors", errors}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "exit") == 0)
            _exit(0); /* MPI_Finalize is never called */
        if (strcmp(argv[i], "abort") == 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
            if (strcmp(argv[i], parts[part].name) == 0)
                parts[part].run();
    }
    MPI_Finalize();
    if (!wrong)
        printf("rank %d ok\n", rank);
    return wrong;
}
