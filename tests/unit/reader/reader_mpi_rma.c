/* One-sided communication in the model: who waited for whom where ranks synchronise, by hand. */
#include "unit.h"

#include "mpi_ranks.h"

#define RANKS 3
#define WIN 4 /* each rank has a number of its own for the window: 4 + rank */
#define GROUP 9

static int setup(void **state) {
    struct mpi_ranks *f = *state = mpi_ranks_new(RANKS);

    for (uint32_t i = 0; i < RANKS; i++) {
        struct pinsight_process *process = pinsight_model_process(f->model, 0, 200 + i);
        struct pinsight_mpi_rank *rank = pinsight_mpi_rank_of(process);

        pinsight_mpi_win_info(rank, WIN + i, 1);
        pinsight_mpi_group_info(rank, GROUP, "0");
        pinsight_mpi_group_info(rank, GROUP + 1, "1-2");
    }
    return 0;
}

static void begin(struct mpi_ranks *f, int rank, const char *name, struct pinsight_mpi_call call,
                  uint64_t ns) {
    call.function = pinsight_mpi_function(f->model, name);
    if (!call.comm)
        call.win = WIN + (uint32_t)rank;
    pinsight_mpi_begin(f->ranks[rank], &call, ns);
}

static void end(struct mpi_ranks *f, int rank, const char *name, uint64_t ns) {
    struct pinsight_mpi_result ok = {0};

    pinsight_mpi_end(f->ranks[rank], pinsight_mpi_function(f->model, name), &ok, ns);
}

#define PLAIN CALL(.comm = 0)
#define AT(number) CALL(.target = number)
#define TO(number) CALL(.group = number)

static void one_after_the_other(struct mpi_ranks *f, const char *name,
                                struct pinsight_mpi_call call, uint64_t ns) {
    for (int i = 0; i < RANKS; i++)
        begin(f, i, name, call, ns + 100 * (uint64_t)i);
    for (int i = 0; i < RANKS; i++)
        end(f, i, name, ns + 500);
}

/* What is collective over a window or makes one: until the last member comes. */
static void collective(void **state) {
    struct mpi_ranks *f = *state;

    one_after_the_other(f, "MPI_Win_allocate", CALL(.comm = 1), 1000);
    one_after_the_other(f, "MPI_Win_fence", PLAIN, 2000);
    one_after_the_other(f, "MPI_Win_fence", PLAIN, 3000);
    one_after_the_other(f, "MPI_Win_free", PLAIN, 4000);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_WAIT_CREATE, 2), 200);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_WAIT_CREATE, 2), 100);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_WAIT_FENCE, 2), 400);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_WAIT_FENCE, 2), 200);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_WAIT_FREE, 2), 200);
    assert_int_equal(mpi_ranks_all_waits(f), 4 * 300);
    assert_int_equal(pinsight_model_mpi(f->model)->collectives, 4);
    assert_int_equal(pinsight_model_mpi(f->model)->misaligned, 0);
}

/* A fence that does not synchronise (MPI_MODE_NOPRECEDE) waits for nobody; a window is known by
 * what the communicator's members made over it, and two of them are two. */
static void windows_apart(void **state) {
    struct mpi_ranks *f = *state;
    struct pinsight_mpi_call call = PLAIN;

    for (int i = 0; i < RANKS; i++)
        pinsight_mpi_win_info(pinsight_mpi_rank_of(f->model->processes[i]), 77, 1);
    for (int i = 0; i < RANKS; i++) {
        begin(f, i, "MPI_Win_fence", PLAIN, 1000 + 100 * (uint64_t)i);
        end(f, i, "MPI_Win_fence", 1010 + 100 * (uint64_t)i);
    }
    assert_int_equal(mpi_ranks_all_waits(f), 0);
    /* Rank 0 fences the one, rank 1 the other. */
    begin(f, 0, "MPI_Win_fence", PLAIN, 2000);
    call.win = 77;
    call.function = pinsight_mpi_function(f->model, "MPI_Win_fence");
    pinsight_mpi_begin(f->ranks[1], &call, 2100);
    end(f, 0, "MPI_Win_fence", 2200);
    end(f, 1, "MPI_Win_fence", 2200);
    assert_int_equal(mpi_ranks_all_waits(f), 0);
    pinsight_model_finish(f->model);
    assert_int_equal(pinsight_model_mpi(f->model)->incomplete, 2);
    assert_int_equal(pinsight_model_mpi(f->model)->misaligned, 0);
}

/* Rank 0 posts late; the origins begin their epochs and one wants to put. */
static void late_post(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Win_start", TO(GROUP), 1000); /* waits by itself */
    begin(f, 2, "MPI_Win_start", TO(GROUP), 1000); /* returns; the put waits */
    end(f, 2, "MPI_Win_start", 1010);
    begin(f, 2, "MPI_Put", AT(0), 1100);
    begin(f, 0, "MPI_Win_post", TO(GROUP + 1), 1500);
    end(f, 0, "MPI_Win_post", 1505);
    end(f, 1, "MPI_Win_start", 1510);
    end(f, 2, "MPI_Put", 1510);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_LATE_POST, 0), 500);
    assert_int_equal(mpi_ranks_waited(f, 2, PINSIGHT_MPI_LATE_POST, 0), 400);
    assert_int_equal(mpi_ranks_all_waits(f), 900);
    for (int i = 1; i < 3; i++) {
        begin(f, i, "MPI_Win_complete", PLAIN, 1600);
        end(f, i, "MPI_Win_complete", 1610);
    }
    begin(f, 0, "MPI_Win_wait", PLAIN, 1700);
    end(f, 0, "MPI_Win_wait", 1701);
    /* A post that comes first lets nobody wait; one for another rank neither. */
    begin(f, 0, "MPI_Win_post", TO(GROUP + 1), 2000);
    end(f, 0, "MPI_Win_post", 2010);
    begin(f, 1, "MPI_Win_start", TO(GROUP), 2100);
    begin(f, 2, "MPI_Win_post", TO(GROUP), 2200);
    end(f, 2, "MPI_Win_post", 2210);
    end(f, 1, "MPI_Win_start", 2300);
    assert_int_equal(mpi_ranks_all_waits(f), 900);
}

/* Ranks 1 and 2 begin epochs to rank 0, which waits from 1000 on. */
static void open_epochs(struct mpi_ranks *f) {
    begin(f, 0, "MPI_Win_post", TO(GROUP + 1), 900);
    end(f, 0, "MPI_Win_post", 901);
    for (int i = 1; i < 3; i++) {
        begin(f, i, "MPI_Win_start", TO(GROUP), 910);
        end(f, i, "MPI_Win_start", 920);
    }
    begin(f, 0, "MPI_Win_wait", PLAIN, 1000);
}

/* The target waits while an origin accesses, and then because it does not complete. */
static void late_complete(void **state) {
    struct mpi_ranks *f = *state;

    open_epochs(f);
    begin(f, 1, "MPI_Put", AT(0), 1050);
    end(f, 1, "MPI_Put", 1100);
    begin(f, 2, "MPI_Put", AT(0), 1050);
    end(f, 2, "MPI_Put", 1250);
    begin(f, 1, "MPI_Win_complete", PLAIN, 1400);
    end(f, 1, "MPI_Win_complete", 1410);
    begin(f, 2, "MPI_Win_complete", PLAIN, 1700);
    end(f, 2, "MPI_Win_complete", 1710);
    end(f, 0, "MPI_Win_wait", 1720);
    /* Until 1100 rank 1 accesses; then rank 2, until 1250; until 1400 rank 1 is late, and until
     * 1700 rank 2 is. */
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_EARLY_WAIT, 1), 100);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_EARLY_WAIT, 2), 150);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_COMPLETE, 1), 150);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_COMPLETE, 2), 300);
    assert_int_equal(mpi_ranks_all_waits(f), 700);
}

/* An origin that is early with its next epoch is no reason for a wait that is over. */
static void early_next_epoch(void **state) {
    struct mpi_ranks *f = *state;

    open_epochs(f);
    for (int i = 1; i < 3; i++) {
        begin(f, i, "MPI_Win_complete", PLAIN, 1080 + 20 * (uint64_t)i);
        end(f, i, "MPI_Win_complete", 1085 + 20 * (uint64_t)i);
    }
    begin(f, 1, "MPI_Win_start", TO(GROUP), 1150);
    end(f, 1, "MPI_Win_start", 1160);
    end(f, 0, "MPI_Win_wait", 1310);
    begin(f, 0, "MPI_Win_post", TO(GROUP + 1), 1400);
    end(f, 0, "MPI_Win_post", 1401);
    begin(f, 1, "MPI_Win_complete", PLAIN, 1500);
    end(f, 1, "MPI_Win_complete", 1510);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_COMPLETE, 1), 100);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_COMPLETE, 2), 20);
    assert_int_equal(mpi_ranks_all_waits(f), 120);
}

/* "+1lock0@1000 -1lock@1010": rank 1 calls MPI_Win_lock for rank 0's window from 1000 to 1010. */
static void locks(struct mpi_ranks *f, const char *script) {
    char sign, name[16], function[32];
    int rank, target;
    unsigned ns;

    for (int used; *script; script += used) {
        if (sscanf(script, " %c%d%15[a-z]%d@%u%n", &sign, &rank, name, &target, &ns, &used) != 5 &&
            sscanf(script, " %c%d%15[a-z]@%u%n", &sign, &rank, name, &ns, &used) != 4)
            fail_msg("%s", script);
        snprintf(function, sizeof(function), "MPI_Win_%s", name);
        if (sign == '+')
            begin(f, rank, function, AT(target), ns);
        else
            end(f, rank, function, ns);
    }
}

/* MPI_Win_lock waits until the one before has unlocked. */
static void lock(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Win_lock", AT(0), 1000);
    end(f, 1, "MPI_Win_lock", 1010);
    begin(f, 2, "MPI_Win_lock", AT(0), 1100);
    begin(f, 0, "MPI_Win_lock", AT(1), 1100); /* at another target */
    begin(f, 1, "MPI_Win_unlock", AT(0), 1500);
    end(f, 2, "MPI_Win_lock", 1505); /* before the other's unlock returns */
    locks(f, "-1unlock@1520 -0lock@1530 +2unlock0@1600 -2unlock@1610 +0unlock1@1700 -0unlock@1710");
    assert_int_equal(mpi_ranks_waited(f, 2, PINSIGHT_MPI_LOCK_CONTENTION, 1), 405);
    assert_int_equal(mpi_ranks_all_waits(f), 405);
}

/* The next one has had the lock before the other's unlock returns. */
static void slow_unlock(void **state) {
    struct mpi_ranks *f = *state;

    locks(f, "+1lock0@1000 -1lock@1010 +2lock0@1100 +1unlock0@1500 -2lock@1505 +2unlock0@1510 "
             "-2unlock@1515 -1unlock@1520");
    assert_int_equal(mpi_ranks_waited(f, 2, PINSIGHT_MPI_LOCK_CONTENTION, 1), 405);
    assert_int_equal(mpi_ranks_all_waits(f), 405);
}

/* A library that locks at the first access, or in MPI_Win_unlock: who unlocks later has waited. */
static void lazy_lock(void **state) {
    struct mpi_ranks *f = *state;

    for (int i = 1; i < 3; i++) {
        begin(f, i, "MPI_Win_lock", AT(0), 1000);
        end(f, i, "MPI_Win_lock", 1001);
    }
    locks(f,
          "+1flush0@1100 +2unlock0@1200 -1flush@1300 +1unlock0@1400 -1unlock@1450 -2unlock@1480");
    assert_int_equal(mpi_ranks_waited(f, 2, PINSIGHT_MPI_LOCK_CONTENTION, 1), 250);
    assert_int_equal(mpi_ranks_all_waits(f), 250);
}

/* Windows, targets and groups that mean nothing. */
static void damaged(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Win_fence", CALL(.comm = 1, .win = 99), 10);
    end(f, 0, "MPI_Win_fence", 11);
    begin(f, 0, "MPI_Win_unlock", AT(0), 20);
    end(f, 0, "MPI_Win_unlock", 21);
    begin(f, 0, "MPI_Win_lock", AT(99), 30);
    end(f, 0, "MPI_Win_lock", 31);
    begin(f, 0, "MPI_Win_post", TO(88), 40);
    end(f, 0, "MPI_Win_post", 41);
    begin(f, 0, "MPI_Win_complete", PLAIN, 50);
    end(f, 0, "MPI_Win_complete", 51);
    begin(f, 1, "MPI_Win_lock", AT(0), 60);
    begin(f, 2, "MPI_Win_start", TO(GROUP), 60);
    begin(f, 0, "MPI_Win_wait", PLAIN, 60);
    pinsight_model_finish(f->model);
    assert_int_equal(mpi_ranks_all_waits(f), 0);
}

int main(void) {
    return RUN_TESTS_EACH(setup, mpi_ranks_free, collective, windows_apart, late_post,
                          late_complete, early_next_epoch, lock, slow_unlock, lazy_lock, damaged);
}
