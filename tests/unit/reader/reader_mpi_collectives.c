/* Collective operations and communicators of MPI in the model: who waited for whom, worked out by
 * hand. */
#include "unit.h"

#include "mpi_calls.h"

/* Persistent collective operations are matched by what they are, wherever they are started. */
static void persistent_collective(void **state) {
    struct mpi_ranks *f = *state;

    for (int i = 0; i < RANKS; i++) {
        begin(f, i, "MPI_Barrier_init", PLAIN, 1);
        end(f, i, "MPI_Barrier_init", MADE(1), 2);
    }
    for (int i = 0; i < RANKS; i++) {
        uint64_t t = 1000 + 100 * (uint64_t)i;

        begin(f, i, "MPI_Start", CALL(.request = 1), t);
        end(f, i, "MPI_Start", OK, t + 1);
        begin(f, i, "MPI_Wait", CALL(.request = 1), t + 10);
    }
    for (int i = 0; i < RANKS; i++) {
        complete(f, i, 1, -1, -1, 0, 2000);
        end(f, i, "MPI_Wait", OK, 2001);
    }
    assert_int_equal(mpi_of(f)->collectives, 1);
    assert_int_equal(mpi_of(f)->misaligned, 0);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_WAIT_BARRIER, 3), 290);
    assert_int_equal(mpi_of(f)->sites[mpi_of(f)->waits[0].causes].function,
                     pinsight_mpi_function(f->model, "MPI_Start"));
}

/* An operation of one process needs no others: it counts also where recording began late. */
static void alone(void **state) {
    struct mpi_ranks *f = *state;
    const struct pinsight_mpi_comm_info info = {
        .number = 50, .size = 1, .name = "own", .ranks = "0", .is_partial = true};

    pinsight_mpi_comm_info(pinsight_mpi_rank_of(f->model->processes[0]), &info);
    begin(f, 0, "MPI_Barrier", CALL(.comm = 50), 1000);
    end(f, 0, "MPI_Barrier", OK, 1001);
    assert_int_equal(mpi_of(f)->collectives, 1);
    assert_int_equal(mpi_ranks_all_waits(f), 0);
}

/* All enter, one after the other, and leave at 2000. */
static void collective(struct mpi_ranks *f, const char *name, int root) {
    for (int i = 0; i < RANKS; i++)
        begin(f, i, name, CALL(.comm = WORLD, .root = root), 1000 + 100 * (uint64_t)i);
    for (int i = 0; i < RANKS; i++)
        end(f, i, name, OK, 2000);
}

/* What each of the first ranks waited for the rank `cause`; nobody else waited. */
#define ASSERT_WAITED(f, kind, cause, ...)                                                         \
    waited_are(f, kind, cause, (const uint64_t[]){__VA_ARGS__},                                    \
               sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void waited_are(struct mpi_ranks *f, enum pinsight_mpi_wait_kind kind, int cause,
                       const uint64_t *ns, size_t ranks) {
    uint64_t all = 0;

    for (size_t i = 0; i < ranks; all += ns[i++])
        assert_int_equal(mpi_ranks_waited(f, (int)i, kind, cause), ns[i]);
    assert_int_equal(mpi_ranks_all_waits(f), all);
}

static void barrier(void **state) {
    struct mpi_ranks *f = *state;

    collective(f, "MPI_Barrier", 0);
    ASSERT_WAITED(f, PINSIGHT_MPI_WAIT_BARRIER, 3, 300, 200, 100);
    assert_int_equal(mpi_of(f)->collectives, 1);
}

static void n_to_n(void **state) {
    struct mpi_ranks *f = *state;

    collective(f, "MPI_Allreduce", 0);
    ASSERT_WAITED(f, PINSIGHT_MPI_WAIT_NXN, 3, 300, 200, 100);
}

static void late_broadcast(void **state) {
    struct mpi_ranks *f = *state;

    collective(f, "MPI_Bcast", 2);
    ASSERT_WAITED(f, PINSIGHT_MPI_LATE_BROADCAST, 2, 200, 100);
}

static void early_reduce(void **state) {
    struct mpi_ranks *f = *state;

    collective(f, "MPI_Reduce", 1);
    ASSERT_WAITED(f, PINSIGHT_MPI_EARLY_REDUCE, 3, 0, 200);
    collective(f, "MPI_Gather", 3); /* the root is the last: nothing to wait for */
    assert_int_equal(mpi_ranks_all_waits(f), 200);
}

/* What goes from member to member, by what an operation means. */
static void spread(void **state) {
    struct mpi_ranks *f = *state;
    const struct pinsight_mpi_comm *world = &mpi_of(f)->comms[0];
    static const char *const names[] = {"MPI_Alltoall", "MPI_Bcast", "MPI_Gather"};

    for (size_t i = 0; i < 3; i++)
        for (int rank = 0; rank < RANKS; rank++) {
            begin(f, rank, names[i], CALL(.comm = WORLD, .root = 1, .bytes = 40), 1000);
            if (rank == RANKS - 1)
                for (int other = 0; other < RANKS; other++)
                    end(f, other, names[i], OK, 1100);
        }
    assert_int_equal(world->members[0].each, 1);
    assert_int_equal(world->members[0].each_bytes, 10);
    assert_int_equal(world->members[1].each, 2);
    assert_int_equal(world->members[1].each_bytes, 50);
    assert_int_equal(mpi_of(f)->edge_count, 3);
    assert_int_equal(mpi_of(f)->edges[0].gathered, 40);
}

/* It is the wait that waits, and the call that started the operation that is late. */
static void nonblocking_collective(void **state) {
    struct mpi_ranks *f = *state;

    for (int i = 0; i < RANKS; i++) {
        begin(f, i, "MPI_Iallreduce", PLAIN, 1000 + 100 * (uint64_t)i);
        end(f, i, "MPI_Iallreduce", MADE(9), 1001 + 100 * (uint64_t)i);
    }
    for (int i = 0; i < RANKS; i++) {
        begin(f, i, "MPI_Wait", CALL(.request = 9), i ? 1300 : 1150);
        complete(f, i, 9, -1, -1, 0, 1400);
        end(f, i, "MPI_Wait", OK, 1401);
    }
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_WAIT_NXN, 3), 150);
    assert_int_equal(mpi_ranks_all_waits(f), 150);
}

/* Half of the ranks in a communicator each, which each process numbers as it likes. */
static void communicators(void **state) {
    struct mpi_ranks *f = *state;
    uint32_t world;

    for (uint32_t i = 0; i < RANKS; i++)
        pinsight_mpi_comm_info(f->ranks[i] ? pinsight_mpi_rank_of(f->model->processes[i]) : NULL,
                               &(struct pinsight_mpi_comm_info){.number = 3 + i,
                                                                .size = 2,
                                                                .rank = i / 2,
                                                                .name = "-",
                                                                .ranks = i % 2 ? "1,3" : "0,2",
                                                                .context = 20 + i % 2});
    assert_int_equal(mpi_of(f)->comm_count, 3);
    assert_int_equal(pinsight_mpi_member(mpi_of(f), 2, 1, &world), 3);
    assert_int_equal(world, 3);
    begin(f, 3, "MPI_Recv", CALL(.comm = 6, .source = 0, .tag = 0), 100);
    begin(f, 1, "MPI_Send", CALL(.comm = 4, .dest = 1, .tag = 0), 150);
    end(f, 1, "MPI_Send", OK, 151);
    end(f, 3, "MPI_Recv", GOT(0, 0, 0), 160);
    assert_int_equal(mpi_ranks_waited(f, 3, PINSIGHT_MPI_LATE_SENDER, 1), 50);
    /* Each half has a barrier of its own. */
    for (uint32_t i = 0; i < RANKS; i++)
        begin(f, (int)i, "MPI_Barrier", CALL(.comm = 3 + i), 1000 + 100 * i);
    for (uint32_t i = 0; i < RANKS; i++)
        end(f, (int)i, "MPI_Barrier", OK, 2000);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_WAIT_BARRIER, 2), 200);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_WAIT_BARRIER, 3), 200);
    assert_int_equal(mpi_of(f)->collectives, 2);
}

/* Two groups of two; the ranks of the other group are what is sent to. */
static void intercommunicator(void **state) {
    struct mpi_ranks *f = *state;

    for (uint32_t i = 0; i < RANKS; i++)
        pinsight_mpi_comm_info(
            pinsight_mpi_rank_of(f->model->processes[i]),
            &(struct pinsight_mpi_comm_info){.number = 3,
                                             .size = 2,
                                             .remote_size = 2,
                                             .rank = i % 2,
                                             .name = "-",
                                             .ranks = i < 2 ? "0-1|2-3" : "2-3|0-1",
                                             .context = 99});
    begin(f, 3, "MPI_Recv", CALL(.comm = 3, .source = 0, .tag = 0), 100);
    begin(f, 0, "MPI_Send", CALL(.comm = 3, .dest = 1, .tag = 0), 150);
    end(f, 0, "MPI_Send", OK, 151);
    end(f, 3, "MPI_Recv", GOT(0, 0, 0), 160);
    assert_int_equal(mpi_ranks_waited(f, 3, PINSIGHT_MPI_LATE_SENDER, 0), 50);
    /* Rank 1 broadcasts to the other group. */
    for (int i = 0; i < RANKS; i++)
        begin(f, i, "MPI_Bcast",
              CALL(.comm = 3, .root = i == 0   ? PINSIGHT_MPI_PROC_NULL
                                      : i == 1 ? PINSIGHT_MPI_ROOT
                                               : 1),
              i == 1 ? 1500 : 1000);
    for (int i = 0; i < RANKS; i++)
        end(f, i, "MPI_Bcast", OK, 1600);
    assert_int_equal(mpi_ranks_waited(f, 2, PINSIGHT_MPI_LATE_BROADCAST, 1), 500);
    assert_int_equal(mpi_ranks_waited(f, 3, PINSIGHT_MPI_LATE_BROADCAST, 1), 500);
    assert_int_equal(mpi_ranks_all_waits(f), 1050);
}

/* Different functions in one place of a communicator's order: some were not recorded. */
static void misaligned(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Barrier", PLAIN, 1000);
    begin(f, 1, "MPI_Allreduce", PLAIN, 1000);
    end(f, 1, "MPI_Allreduce", OK, 1100);
    end(f, 0, "MPI_Barrier", OK, 1100);
    collective(f, "MPI_Barrier", 0);
    assert_int_equal(mpi_of(f)->misaligned, 1);
    assert_int_equal(mpi_ranks_all_waits(f), 0);
}

int main(void) {
    return RUN_TESTS_EACH(setup, mpi_ranks_free, persistent_collective, alone, barrier, n_to_n,
                          late_broadcast, early_reduce, spread, nonblocking_collective,
                          communicators, intercommunicator, misaligned);
}
