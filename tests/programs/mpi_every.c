/*
 * Calls what MPI's C API has, with results that are known, on two ranks: mpi_every FILE, which it
 * writes and deletes. Ends with status 0 where every call succeeded and every result was right.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"

static int other, a[64], b[64];
static MPI_Comm world;
static MPI_Request q;
static MPI_Status status;

#define OK(call) CHECK((call) == MPI_SUCCESS)
#define INT MPI_INT
#define NONE MPI_INFO_NULL

static void fill(void) {
    for (int i = 0; i < 64; i++) {
        a[i] = 100 * rank + i;
        b[i] = -1;
    }
}

static void wait_for(void) {
    OK(MPI_Wait(&q, &status));
    CHECK(q == MPI_REQUEST_NULL);
}

static void start(void) {
    OK(MPI_Start(&q));
    OK(MPI_Wait(&q, &status));
    OK(MPI_Request_free(&q));
}

/* Rank 0 sends by `send`, rank 1 receives; the other way round with persistent and started ones. */
#define SEND(Name, name)                                                                           \
    do {                                                                                           \
        fill();                                                                                    \
        if (rank) {                                                                                \
            OK(MPI_Irecv(b, 3, INT, 0, 5, world, &q));                                             \
            OK(MPI_Barrier(world));                                                                \
            wait_for();                                                                            \
            CHECK(b[2] == 2 && status.MPI_SOURCE == 0 && status.MPI_TAG == 5);                     \
            OK(MPI_Recv_init(b, 3, INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &q));                  \
            OK(MPI_Start(&q));                                                                     \
            OK(MPI_Barrier(world));                                                                \
            OK(MPI_Wait(&q, &status));                                                             \
            OK(MPI_Request_free(&q));                                                              \
            CHECK(b[0] == 7 && status.MPI_TAG == 6);                                               \
            OK(MPI_Irecv(b, 3, INT, 0, 7, world, &q));                                             \
            OK(MPI_Barrier(world));                                                                \
            wait_for();                                                                            \
        } else {                                                                                   \
            OK(MPI_Barrier(world));                                                                \
            OK(MPI_##Name(a, 3, INT, 1, 5, world));                                                \
            OK(MPI_##Name##_init(a + 7, 1, INT, 1, 6, world, &q));                                 \
            OK(MPI_Barrier(world));                                                                \
            start();                                                                               \
            OK(MPI_Barrier(world));                                                                \
            OK(MPI_I##name(a, 3, INT, 1, 7, world, &q));                                           \
            wait_for();                                                                            \
        }                                                                                          \
    } while (0)

static void p2p(void) {
    static char space[4096];
    void *where;
    int size, flag = 0;
    MPI_Message found;
    OK(MPI_Buffer_attach(space, sizeof space));
    SEND(Send, send);
    SEND(Bsend, bsend);
    SEND(Ssend, ssend);
    SEND(Rsend, rsend);
    OK(MPI_Buffer_detach(&where, &size));
    CHECK(where == space && size == sizeof space);
    OK(MPI_Sendrecv(a, 1, INT, other, 1, b, 1, INT, other, 1, world, &status));
    CHECK(b[0] == 100 * other);
    OK(MPI_Sendrecv_replace(b, 1, INT, other, 1, other, 1, world, MPI_STATUS_IGNORE));
    CHECK(b[0] == 100 * rank);
    for (int turn = 0; turn < 4; turn++) {
        OK(MPI_Isend(a, 4, INT, other, turn, world, &q));
        flag = 0;
        if (turn == 0) {
            OK(MPI_Probe(MPI_ANY_SOURCE, 0, world, &status));
            OK(MPI_Recv(b, 4, INT, other, 0, world, &status));
        } else if (turn == 1) {
            while (!flag)
                OK(MPI_Iprobe(other, MPI_ANY_TAG, world, &flag, &status));
            OK(MPI_Recv(b, 4, INT, other, 1, world, MPI_STATUS_IGNORE));
        } else if (turn == 2) {
            OK(MPI_Mprobe(other, 2, world, &found, &status));
            OK(MPI_Mrecv(b, 4, INT, &found, MPI_STATUS_IGNORE));
        } else {
            MPI_Request received;
            while (!flag)
                OK(MPI_Improbe(other, 3, world, &flag, &found, &status));
            OK(MPI_Imrecv(b, 4, INT, &found, &received));
            OK(MPI_Wait(&received, &status));
        }
        CHECK(status.MPI_SOURCE == other && status.MPI_TAG == turn && b[3] == 100 * other + 3);
        OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    }
#ifdef MPI_SESSION_NULL /* Open MPI 5.0 has these, and says that it is MPI 3.1 */
    OK(MPI_Isendrecv(a, 1, INT, other, 8, b, 1, INT, other, 8, world, &q));
    wait_for();
    CHECK(b[0] == 100 * other);
    OK(MPI_Isendrecv_replace(b, 1, INT, other, 8, other, 8, world, &q));
    wait_for();
    CHECK(b[0] == 100 * rank);
#endif
}

/* Blocking and not blocking; `right` of what came. Persistent ones hang in MPICH 4.0. */
#define COLLECTIVE_ONE(call, right)                                                                \
    do {                                                                                           \
        fill();                                                                                    \
        OK(call);                                                                                  \
        if (q != MPI_REQUEST_NULL)                                                                 \
            wait_for();                                                                            \
        CHECK(right);                                                                              \
    } while (0)
#define COLLECTIVE(Name, name, right, ...)                                                         \
    COLLECTIVE_ONE(MPI_##Name(__VA_ARGS__), right);                                                \
    COLLECTIVE_ONE(MPI_I##name(__VA_ARGS__, &q), right)

static void collectives(void) {
    const int ones[2] = {1, 1}, places[2] = {0, 1}, bytes[2] = {0, sizeof(int)};
    const MPI_Aint spots[2] = {0, sizeof(int)};
    const MPI_Datatype types[2] = {INT, INT};
    const int size[1] = {2}, periods[1] = {1};
    MPI_Comm line;
    q = MPI_REQUEST_NULL;
    COLLECTIVE(Barrier, barrier, 1, world);
    COLLECTIVE(Bcast, bcast, a[1] == 1, a, 4, INT, 0, world);
    COLLECTIVE(Gather, gather, rank || b[1] == 100, a, 1, INT, b, 1, INT, 0, world);
    COLLECTIVE(Gatherv, gatherv, rank || b[1] == 100, a, 1, INT, b, ones, places, INT, 0, world);
    COLLECTIVE(Scatter, scatter, b[0] == rank, a, 1, INT, b, 1, INT, 0, world);
    COLLECTIVE(Scatterv, scatterv, b[0] == rank, a, ones, places, INT, b, 1, INT, 0, world);
    COLLECTIVE(Allgather, allgather, b[1] == 100, a, 1, INT, b, 1, INT, world);
    COLLECTIVE(Allgatherv, allgatherv, b[1] == 100, a, 1, INT, b, ones, places, INT, world);
    COLLECTIVE(Alltoall, alltoall, b[1] == 100 + rank, a, 1, INT, b, 1, INT, world);
    COLLECTIVE(Alltoallv, alltoallv, b[1] == 100 + rank, a, ones, places, INT, b, ones, places, INT,
               world);
    COLLECTIVE(Alltoallw, alltoallw, b[1] == 100 + rank, a, ones, bytes, types, b, ones, bytes,
               types, world);
    COLLECTIVE(Reduce, reduce, rank || b[1] == 102, a, b, 2, INT, MPI_SUM, 0, world);
    COLLECTIVE(Allreduce, allreduce, b[1] == 102, a, b, 2, INT, MPI_SUM, world);
    COLLECTIVE(Scan, scan, b[1] == (rank ? 102 : 1), a, b, 2, INT, MPI_SUM, world);
    COLLECTIVE(Exscan, exscan, b[1] == (rank ? 1 : -1), a, b, 2, INT, MPI_SUM, world);
    COLLECTIVE(Reduce_scatter, reduce_scatter, b[0] == 100 + 2 * rank, a, b, ones, INT, MPI_SUM,
               world);
    COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, b[0] == 100 + 2 * rank, a, b, 1, INT,
               MPI_SUM, world);
    OK(MPI_Cart_create(world, 1, size, periods, 0, &line));
    COLLECTIVE(Neighbor_allgather, neighbor_allgather, b[1] == 100 * other, a, 1, INT, b, 1, INT,
               line);
    COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv, b[1] == 100 * other, a, 1, INT, b, ones,
               places, INT, line);
    COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, b[0] / 100 == other, a, 1, INT, b, 1, INT,
               line);
    COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, b[0] / 100 == other, a, ones, places, INT, b,
               ones, places, INT, line);
    COLLECTIVE(Neighbor_alltoallw, neighbor_alltoallw, b[0] / 100 == other, a, ones, spots, types,
               b, ones, spots, types, line);
    OK(MPI_Comm_free(&line));
    OK(MPI_Reduce_local(a, b, 1, INT, MPI_MAX));
}

static void windows(void) {
    int *base, flag = 0, zero = 0, got[4];
    MPI_Win win, more;
    MPI_Group all, peer;
    OK(MPI_Win_allocate(64 * sizeof(int), sizeof(int), NONE, world, &base, &win));
    memset(base, 0, 64 * sizeof(int));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(a, 4, INT, other, 0, 4, INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK(base[3] == 100 * other + 3);
    OK(MPI_Get(b, 4, INT, other, 0, 4, INT, win));
    OK(MPI_Accumulate(a, 1, INT, other, 10, 1, INT, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK(b[3] == 100 * rank + 3 && base[10] == 100 * other);
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(a, 1, INT, other, 20, 1, INT, win, &q));
    wait_for();
    OK(MPI_Win_flush(other, win));
    OK(MPI_Rget(b, 1, INT, other, 20, 1, INT, win, &q));
    wait_for();
    CHECK(b[0] == 100 * rank);
    OK(MPI_Raccumulate(a + 1, 1, INT, other, 20, 1, INT, MPI_SUM, win, &q));
    wait_for();
    OK(MPI_Win_flush_local(other, win));
    OK(MPI_Win_flush_local_all(win));
    OK(MPI_Win_flush_all(win));
    OK(MPI_Win_sync(win));
    OK(MPI_Get_accumulate(&zero, 1, INT, got, 1, INT, other, 20, 1, INT, MPI_NO_OP, win));
    OK(MPI_Win_flush(other, win));
    CHECK(got[0] == 200 * rank + 1);
    OK(MPI_Rget_accumulate(&zero, 1, INT, got, 1, INT, other, 20, 1, INT, MPI_SUM, win, &q));
    wait_for();
    OK(MPI_Fetch_and_op(&zero, got, INT, other, 20, MPI_SUM, win));
    OK(MPI_Compare_and_swap(&zero, &zero, got, INT, other, 30, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(world));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win));
    OK(MPI_Win_unlock(other, win));
    OK(MPI_Comm_group(world, &all));
    OK(MPI_Group_incl(all, 1, &other, &peer));
    for (int turn = 0; turn < 2; turn++) {
        OK(MPI_Win_post(peer, 0, win));
        OK(MPI_Win_start(peer, 0, win));
        OK(MPI_Put(a, 1, INT, other, 40 + turn, 1, INT, win));
        OK(MPI_Win_complete(win));
        if (turn == 0)
            OK(MPI_Win_wait(win));
        while (turn && !flag)
            OK(MPI_Win_test(win, &flag));
        CHECK(base[40 + turn] == 100 * other);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(b, sizeof b, sizeof(int), NONE, world, &win));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), NONE, world, &base, &win));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(NONE, world, &more));
    OK(MPI_Win_attach(more, b, sizeof b));
    OK(MPI_Win_detach(more, b));
    OK(MPI_Win_free(&more));
    MPI_Group_free(&all);
    MPI_Group_free(&peer);
}

/* Written, and read again, by all that there is. */
#define AT(seek, write, read)                                                                      \
    do {                                                                                           \
        fill();                                                                                    \
        OK(seek);                                                                                  \
        OK(write);                                                                                 \
        if (q != MPI_REQUEST_NULL)                                                                 \
            wait_for();                                                                            \
        OK(MPI_File_sync(file));                                                                   \
        OK(MPI_Barrier(world));                                                                    \
        OK(seek);                                                                                  \
        OK(read);                                                                                  \
        if (q != MPI_REQUEST_NULL)                                                                 \
            wait_for();                                                                            \
        CHECK(b[1] % 100 == 1);                                                                    \
        OK(MPI_Barrier(world));                                                                    \
    } while (0)
#define WRITE_READ(write, read) AT(MPI_File_seek(file, 8 * rank, MPI_SEEK_SET), write, read)
#define SHARED(write, read) AT(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), write, read)

static void files(const char *name) {
    MPI_File file;
    MPI_Offset size, at = 8 * rank;
    OK(MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_RDWR, NONE, &file));
    OK(MPI_File_set_size(file, 64));
    OK(MPI_File_preallocate(file, 64));
    OK(MPI_File_get_size(file, &size));
    CHECK(size >= 64);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", NONE));
    OK(MPI_File_set_atomicity(file, 0));
    WRITE_READ(MPI_File_write(file, a, 2, INT, &status), MPI_File_read(file, b, 2, INT, &status));
    WRITE_READ(MPI_File_write_all(file, a, 2, INT, &status),
               MPI_File_read_all(file, b, 2, INT, &status));
    WRITE_READ(MPI_File_write_at(file, at, a, 2, INT, &status),
               MPI_File_read_at(file, at, b, 2, INT, &status));
    WRITE_READ(MPI_File_write_at_all(file, at, a, 2, INT, &status),
               MPI_File_read_at_all(file, at, b, 2, INT, &status));
    WRITE_READ(MPI_File_iwrite(file, a, 2, INT, &q), MPI_File_iread(file, b, 2, INT, &q));
    WRITE_READ(MPI_File_iwrite_all(file, a, 2, INT, &q), MPI_File_iread_all(file, b, 2, INT, &q));
    WRITE_READ(MPI_File_iwrite_at(file, at, a, 2, INT, &q),
               MPI_File_iread_at(file, at, b, 2, INT, &q));
    WRITE_READ(MPI_File_iwrite_at_all(file, at, a, 2, INT, &q),
               MPI_File_iread_at_all(file, at, b, 2, INT, &q));
    WRITE_READ(
        (MPI_File_write_all_begin(file, a, 2, INT), MPI_File_write_all_end(file, a, &status)),
        (MPI_File_read_all_begin(file, b, 2, INT), MPI_File_read_all_end(file, b, &status)));
    WRITE_READ((MPI_File_write_at_all_begin(file, at, a, 2, INT),
                MPI_File_write_at_all_end(file, a, &status)),
               (MPI_File_read_at_all_begin(file, at, b, 2, INT),
                MPI_File_read_at_all_end(file, b, &status)));
    SHARED(MPI_File_write_shared(file, a, 2, INT, &status),
           MPI_File_read_shared(file, b, 2, INT, &status));
    SHARED(MPI_File_iwrite_shared(file, a, 2, INT, &q), MPI_File_iread_shared(file, b, 2, INT, &q));
    SHARED(MPI_File_write_ordered(file, a, 2, INT, &status),
           MPI_File_read_ordered(file, b, 2, INT, &status));
    SHARED((MPI_File_write_ordered_begin(file, a, 2, INT),
            MPI_File_write_ordered_end(file, a, &status)),
           (MPI_File_read_ordered_begin(file, b, 2, INT),
            MPI_File_read_ordered_end(file, b, &status)));
    OK(MPI_File_get_position_shared(file, &size));
    OK(MPI_File_close(&file));
    if (rank == 0)
        OK(MPI_File_delete(name, NONE));
}

/* Types of so many integers. */
static void type(MPI_Datatype made, int integers) {
    int size;
    OK(MPI_Type_commit(&made));
    OK(MPI_Type_size(made, &size));
    CHECK(size == integers * (int)sizeof(int));
    OK(MPI_Type_free(&made));
}

#define TYPE(call, integers)                                                                       \
    do {                                                                                           \
        OK(call);                                                                                  \
        type(made, integers);                                                                      \
    } while (0)

static void types(void) {
    const int two[2] = {2, 2}, ones[2] = {1, 1}, zeros[2] = {0, 0}, far[2] = {0, 4};
    const int block[1] = {MPI_DISTRIBUTE_BLOCK}, usual[1] = {MPI_DISTRIBUTE_DFLT_DARG};
    const MPI_Aint far_bytes[2] = {0, 16};
    const MPI_Datatype kinds[2] = {INT, INT};
    MPI_Datatype made;
    char packed[64];
    int at = 0, back[4] = {0};
    MPI_Aint place = 0;
    TYPE(MPI_Type_contiguous(3, INT, &made), 3);
    TYPE(MPI_Type_vector(2, 2, 4, INT, &made), 4);
    TYPE(MPI_Type_create_hvector(2, 2, 16, INT, &made), 4);
    TYPE(MPI_Type_indexed(2, two, far, INT, &made), 4);
    TYPE(MPI_Type_create_hindexed(2, two, far_bytes, INT, &made), 4);
    TYPE(MPI_Type_create_indexed_block(2, 2, far, INT, &made), 4);
    TYPE(MPI_Type_create_hindexed_block(2, 2, far_bytes, INT, &made), 4);
    TYPE(MPI_Type_create_struct(2, two, far_bytes, kinds, &made), 4);
    TYPE(MPI_Type_create_subarray(2, two, ones, zeros, MPI_ORDER_C, INT, &made), 1);
    TYPE(MPI_Type_create_darray(2, rank, 1, two, block, usual, two, MPI_ORDER_C, INT, &made), 1);
    TYPE(MPI_Type_create_resized(INT, 0, 16, &made), 1);
    TYPE(MPI_Type_dup(INT, &made), 1);
    OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &made));
    OK(MPI_Pack(a, 4, INT, packed, sizeof packed, &at, world));
    at = 0;
    OK(MPI_Unpack(packed, sizeof packed, &at, back, 4, INT, world));
    CHECK(back[3] == a[3]);
    OK(MPI_Pack_external("external32", a, 4, INT, packed, sizeof packed, &place));
    place = 0;
    OK(MPI_Unpack_external("external32", packed, sizeof packed, &place, back, 4, INT));
    CHECK(back[3] == a[3]);
}

static int gives_status(void *state, MPI_Status *of) {
    MPI_Status_set_elements(of, INT, 1);
    MPI_Status_set_cancelled(of, 0);
    of->MPI_SOURCE = MPI_UNDEFINED;
    of->MPI_TAG = MPI_UNDEFINED;
    return *(int *)state == 7 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int is_freed(void *state) {
    (void)state;
    return MPI_SUCCESS;
}

static int is_cancelled(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void requests(void) {
    MPI_Request all[2];
    int flag = 0, index, count, indices[2], seven = 7;
    for (int turn = 0; turn < 7; turn++) {
        fill();
        OK(MPI_Irecv(b, 1, INT, other, turn, world, &all[0]));
        OK(MPI_Isend(a, 1, INT, other, turn, world, &all[1]));
        flag = 0;
        switch (turn) {
        case 0:
            OK(MPI_Waitall(2, all, MPI_STATUSES_IGNORE));
            break;
        case 1:
            while (!flag)
                OK(MPI_Testall(2, all, &flag, MPI_STATUSES_IGNORE));
            break;
        case 2:
            for (int i = 0; i < 2; i++)
                OK(MPI_Waitany(2, all, &index, &status));
            break;
        case 3:
            for (int left = 2; left > 0; left -= flag)
                OK(MPI_Testany(2, all, &index, &flag, &status));
            break;
        case 4:
            for (int left = 2; left > 0; left -= count)
                OK(MPI_Waitsome(2, all, &count, indices, MPI_STATUSES_IGNORE));
            break;
        case 5:
            for (int left = 2; left > 0; left -= count)
                OK(MPI_Testsome(2, all, &count, indices, MPI_STATUSES_IGNORE));
            break;
        default:
            for (int i = 0; i < 2; i++) {
                for (flag = 0; !flag;)
                    OK(MPI_Request_get_status(all[i], &flag, &status));
                for (flag = 0; !flag;)
                    OK(MPI_Test(&all[i], &flag, &status));
            }
        }
        CHECK(b[0] == 100 * other && all[0] == MPI_REQUEST_NULL && all[1] == MPI_REQUEST_NULL);
    }
    OK(MPI_Irecv(b, 1, INT, other, 99, world, &q));
    OK(MPI_Cancel(&q));
    wait_for();
    OK(MPI_Recv_init(b, 1, INT, MPI_PROC_NULL, 0, world, &all[0]));
    OK(MPI_Send_init(b, 1, INT, MPI_PROC_NULL, 0, world, &all[1]));
    OK(MPI_Startall(2, all));
    OK(MPI_Waitall(2, all, MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&all[0]));
    OK(MPI_Request_free(&all[1]));
    OK(MPI_Grequest_start(gives_status, is_freed, is_cancelled, &seven, &q));
    OK(MPI_Grequest_complete(q));
    wait_for();
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    other = 1 - rank;
    p2p();
    requests();
    collectives();
    windows();
    files(argv[1]);
    types();
    MPI_Finalize();
    return wrong;
}
