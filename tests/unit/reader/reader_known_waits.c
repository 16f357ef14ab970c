/* Waits that are known count before a thread's clock, and each once. */
#include "unit.h"

#include "mpi_ranks.h"
#include "reader/clock.h"
#include "reader/frame.h"

#define RANKS 3
#define WORLD PINSIGHT_MPI_WORLD

static int setup(void **state) {
    static struct pinsight_timeline nobody;
    struct mpi_ranks *ranks = mpi_ranks_new(RANKS);

    nobody = (struct pinsight_timeline){0};
    pinsight_model_show(ranks->model, &nobody);
    *state = ranks;
    return 0;
}

static struct pinsight_thread *thread_of(const struct mpi_ranks *f, int rank) {
    return pinsight_model_thread(f->model->processes[rank], 0, 200 + (uint32_t)rank);
}

static uint64_t waiting(const struct mpi_ranks *f, int rank) {
    return thread_of(f, rank)->clock.waiting_ns;
}

static uint64_t cause(const struct mpi_ranks *f, enum pinsight_slice_kind kind) {
    return f->model->waits ? f->model->waits->ns[PINSIGHT_WAIT_SLICE + kind] : 0;
}

static void read_clock(struct mpi_ranks *f, uint64_t ns, uint64_t processor, uint64_t delay) {
    pinsight_clock_read(thread_of(f, 0), 200, ns, processor, delay);
}

static void wait_from(struct mpi_ranks *f, uint64_t ns) {
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_WAIT, 0, 1);

    slice.waited_ns = PINSIGHT_WAITS_ALWAYS;
    pinsight_slice_begin(thread_of(f, 0), &slice, ns);
}

static void wait_until(struct mpi_ranks *f, uint64_t ns) {
    pinsight_slice_end(thread_of(f, 0), PINSIGHT_SLICE_WAIT, 1, ns);
}

static void whether_it_has_a_processor_or_not(void **state) {
    struct mpi_ranks *f = *state;
    uint64_t before = 0;

    read_clock(f, 1000, 1000, 0);
    for (unsigned i = 0; i < 3; i++) {
        static const uint64_t ran[] = {4000, 1000, 0}, delay[] = {0, 0, 3000};
        uint64_t from = 1000 + i * 4000;

        before += ran[i];
        wait_from(f, from);
        read_clock(f, from + 4000, 1000 + before, delay[i]);
        wait_until(f, from + 4000);
        assert_int_equal(waiting(f, 0), (i + 1) * 4000);
        assert_int_equal(cause(f, PINSIGHT_SLICE_WAIT), (i + 1) * 4000);
    }
    assert_int_equal(thread_of(f, 0)->clock.ready_ns, 0);
}

static void a_wait_between_two_readings(void **state) {
    struct mpi_ranks *f = *state;

    read_clock(f, 1000, 1000, 0);
    wait_from(f, 1000);
    wait_until(f, 2000);
    assert_int_equal(waiting(f, 0), 1000);
    wait_from(f, 5900);
    wait_until(f, 5900);
    read_clock(f, 6000, 1000 + 3500, 0); /* for 1500 without a processor */
    assert_int_equal(waiting(f, 0), 1500);
    /* What was before the reading is no part of the next. */
    read_clock(f, 9000, 4500, 0);
    assert_int_equal(waiting(f, 0), 1500 + 3000);
}

static void no_more_than_its_own_time(void **state) {
    struct mpi_ranks *f = *state;
    struct pinsight_slice inner = pinsight_slice_of(PINSIGHT_SLICE_TASK, PINSIGHT_NONE, 2);

    wait_from(f, 1000);
    pinsight_slice_begin(thread_of(f, 0), &inner, 1500);
    pinsight_slice_end(thread_of(f, 0), PINSIGHT_SLICE_TASK, 2, 1800);
    wait_until(f, 2000);
    assert_int_equal(waiting(f, 0), 700);
}

/* ---- calls of MPI ---- */

static void begin(struct mpi_ranks *f, int rank, const char *name, struct pinsight_mpi_call call,
                  uint64_t ns) {
    call.function = pinsight_mpi_function(f->model, name);
    call.comm = call.comm ? call.comm : WORLD;
    pinsight_mpi_begin(f->ranks[rank], &call, ns);
}

static void end(struct mpi_ranks *f, int rank, const char *name, struct pinsight_mpi_result result,
                uint64_t ns) {
    pinsight_mpi_end(f->ranks[rank], pinsight_mpi_function(f->model, name), &result, ns);
}

#define OK ((struct pinsight_mpi_result){0})
#define GOT(from, label)                                                                           \
    ((struct pinsight_mpi_result){.has_status = true, .source = from, .tag = label, .bytes = 8})

static void a_receive_until_its_send(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Recv", CALL(.source = 0, .tag = 5), 1000);
    begin(f, 0, "MPI_Send", CALL(.dest = 1, .tag = 5, .bytes = 8), 1500);
    end(f, 0, "MPI_Send", OK, 1510);
    end(f, 1, "MPI_Recv", GOT(0, 5), 1900);
    assert_int_equal(waiting(f, 1), 500);
    assert_int_equal(waiting(f, 0), 0);
    assert_int_equal(cause(f, PINSIGHT_SLICE_MPI), 500);
    /* One whose message is there copies it. */
    begin(f, 0, "MPI_Send", CALL(.dest = 1, .tag = 5, .bytes = 8), 2000);
    end(f, 0, "MPI_Send", OK, 2010);
    begin(f, 1, "MPI_Recv", CALL(.source = 0, .tag = 5), 3000);
    end(f, 1, "MPI_Recv", GOT(0, 5), 3900);
    assert_int_equal(waiting(f, 1), 500);
    /* Of one whose send was not seen nothing is known: it is for waiting. */
    begin(f, 1, "MPI_Recv", CALL(.source = 2, .tag = 5), 4000);
    end(f, 1, "MPI_Recv", GOT(2, 5), 4300);
    assert_int_equal(waiting(f, 1), 800);
}

/* The sender may be done before the receiver is. */
static void a_send_until_its_receive(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Ssend", CALL(.dest = 1, .tag = 5, .bytes = 8), 1000);
    begin(f, 1, "MPI_Recv", CALL(.source = 0, .tag = 5), 1700);
    end(f, 0, "MPI_Ssend", OK, 1800);
    end(f, 1, "MPI_Recv", GOT(0, 5), 1810);
    assert_int_equal(waiting(f, 0), 700);
    assert_int_equal(waiting(f, 1), 0);
}

static void a_request_until_its_partner(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Irecv", CALL(.source = 0, .tag = 5), 1000);
    end(f, 1, "MPI_Irecv", (struct pinsight_mpi_result){.request = 9}, 1100);
    begin(f, 1, "MPI_Wait", CALL(.request = 9), 2000);
    begin(f, 0, "MPI_Send", CALL(.dest = 1, .tag = 5, .bytes = 8), 2600);
    end(f, 0, "MPI_Send", OK, 2610);
    pinsight_mpi_complete(f->ranks[1], 9, false, 0, 5, 8, 2700);
    end(f, 1, "MPI_Wait", OK, 2700);
    assert_int_equal(waiting(f, 1), 600);
}

static void operations_of_all(void **state) {
    struct mpi_ranks *f = *state;

    for (int rank = 0; rank < RANKS; rank++)
        begin(f, rank, "MPI_Barrier", CALL(.comm = WORLD), 1000 + 100 * (uint64_t)rank);
    for (int rank = 0; rank < RANKS; rank++)
        end(f, rank, "MPI_Barrier", OK, 1500);
    for (int rank = 0; rank < RANKS; rank++)
        assert_int_equal(waiting(f, rank), 200 - 100 * (uint64_t)rank);
    /* The root of a broadcast may leave before others come, and waits for nobody. */
    begin(f, 0, "MPI_Bcast", CALL(.root = 0), 2000);
    end(f, 0, "MPI_Bcast", OK, 2100);
    begin(f, 1, "MPI_Bcast", CALL(.root = 0), 2300);
    end(f, 1, "MPI_Bcast", OK, 2400);
    assert_int_equal(waiting(f, 0), 200);
    assert_int_equal(waiting(f, 1), 100);
    /* So it is with others of a reduction. */
    begin(f, 1, "MPI_Reduce", CALL(.root = 0), 3000);
    end(f, 1, "MPI_Reduce", OK, 3100);
    assert_int_equal(waiting(f, 1), 100);
    /* Who leaves before all have come, as not all are seen, was there for waiting. */
    begin(f, 1, "MPI_Barrier", CALL(.comm = WORLD), 4000);
    end(f, 1, "MPI_Barrier", OK, 4050);
    assert_int_equal(waiting(f, 1), 150);
}

static void what_goes_on_at_the_end(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Recv", CALL(.source = 0, .tag = 5), 1000);
    begin(f, 0, "MPI_Send", CALL(.dest = 2, .tag = 5, .bytes = 8), 1000);
    pinsight_model_touch(thread_of(f, 1)->process, 1000);
    pinsight_model_touch(thread_of(f, 1)->process, 9000);
    pinsight_model_finish(f->model);
    assert_int_equal(cause(f, PINSIGHT_SLICE_MPI), waiting(f, 1));
    assert_true(waiting(f, 1) > 0);
    assert_int_equal(waiting(f, 0), 0);
}

int main(void) {
    return RUN_TESTS_EACH(setup, mpi_ranks_free, whether_it_has_a_processor_or_not,
                          a_wait_between_two_readings, no_more_than_its_own_time,
                          a_receive_until_its_send, a_send_until_its_receive,
                          a_request_until_its_partner, operations_of_all, what_goes_on_at_the_end);
}
