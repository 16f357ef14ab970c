/* MPI in the model: messages, requests and who waited for whom, worked out by hand. */
#include "unit.h"

#include "mpi_calls.h"

static void late_sender(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Recv", RECV(0, 5), 1000);
    begin(f, 0, "MPI_Send", SEND(1, 5, 80), 1500);
    end(f, 0, "MPI_Send", OK, 1510);
    end(f, 1, "MPI_Recv", GOT(0, 5, 80), 1520);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_LATE_SENDER, 0), 500);
    assert_int_equal(mpi_ranks_all_waits(f), 500);
    assert_int_equal(mpi_of(f)->matched, 1);
    assert_int_equal(mpi_of(f)->pending, 0);
    assert_int_equal(mpi_of(f)->byte_mismatches, 0);
    assert_int_equal(mpi_of(f)->edge_count, 1);
    assert_int_equal(mpi_of(f)->edges[0].bytes, 80);
    assert_int_equal(mpi_of(f)->size_messages[7], 1);
}

static void late_receiver(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Ssend", SEND(1, 5, 80), 1000);
    begin(f, 1, "MPI_Recv", RECV(PINSIGHT_MPI_ANY, PINSIGHT_MPI_ANY), 1300);
    end(f, 0, "MPI_Ssend", OK, 1310);
    end(f, 1, "MPI_Recv", GOT(0, 5, 80), 1320);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_RECEIVER, 1), 300);
    assert_int_equal(mpi_ranks_all_waits(f), 300);
    /* A send that was buffered has not waited. */
    begin(f, 0, "MPI_Send", SEND(1, 5, 80), 2000);
    end(f, 0, "MPI_Send", OK, 2010);
    begin(f, 1, "MPI_Recv", RECV(0, 5), 3000);
    end(f, 1, "MPI_Recv", GOT(0, 5, 80), 3010);
    assert_int_equal(mpi_ranks_all_waits(f), 300);
    assert_int_equal(mpi_of(f)->matched, 2);
}

/* What ends a wait may be told just before what was waited for; a receive is no wait for a send
 * that comes later than that. */
static void simultaneous(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Recv", RECV(0, 5), 10000);
    end(f, 1, "MPI_Recv", GOT(0, 5, 80), 10500);
    begin(f, 0, "MPI_Send", SEND(1, 5, 80), 10700);
    end(f, 0, "MPI_Send", OK, 10710);
    assert_int_equal(mpi_of(f)->matched, 1);
    assert_int_equal(mpi_of(f)->pending, 0);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_LATE_SENDER, 0), 500);
    /* The send of this one was not recorded. */
    begin(f, 1, "MPI_Recv", RECV(0, 5), 20000);
    end(f, 1, "MPI_Recv", GOT(0, 5, 80), 20500);
    begin(f, 0, "MPI_Send", SEND(1, 5, 80), 20701);
    end(f, 0, "MPI_Send", OK, 20710);
    assert_int_equal(mpi_of(f)->matched, 1);
    assert_int_equal(mpi_of(f)->pending, 1);
    assert_int_equal(mpi_ranks_all_waits(f), 500);
    /* A barrier is left just before the last one comes to it. */
    for (int i = 0; i < RANKS; i++)
        begin(f, i, "MPI_Barrier", PLAIN, i ? 30000 : 31150);
    for (int i = 0; i < RANKS; i++)
        end(f, i, "MPI_Barrier", OK, i ? 31000 : 31200);
    assert_int_equal(mpi_ranks_waited(f, 2, PINSIGHT_MPI_WAIT_BARRIER, 0), 1000);
    assert_int_equal(mpi_ranks_all_waits(f), 3500);
}

/* One Waitall completes several receives: its time is shared out, and not counted twice. */
static void waitall(void **state) {
    struct mpi_ranks *f = *state;

    for (int i = 0; i < 3; i++) {
        begin(f, 0, "MPI_Irecv", RECV(i + 1, 1), 100 + 10 * (uint64_t)i);
        end(f, 0, "MPI_Irecv", MADE(11 + (uint64_t)i), 105 + 10 * (uint64_t)i);
    }
    begin(f, 0, "MPI_Waitall", CALL(.comm = 0), 1000);
    for (int i = 3; i >= 1; i--) {
        begin(f, i, "MPI_Isend", SEND(0, 1, 8), 1000 + 100 * (uint64_t)(4 - i));
        end(f, i, "MPI_Isend", MADE(1), 1005 + 100 * (uint64_t)(4 - i));
    }
    complete(f, 0, 11, 1, 1, 8, 1350);
    complete(f, 0, 12, 2, 1, 8, 1350);
    complete(f, 0, 13, 3, 1, 8, 1350);
    end(f, 0, "MPI_Waitall", OK, 1360);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_SENDER, 3), 100);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_SENDER, 2), 100);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_SENDER, 1), 100);
    assert_int_equal(mpi_ranks_all_waits(f), 300);
    for (int i = 1; i <= 3; i++) {
        begin(f, i, "MPI_Wait", CALL(.request = 1), 2000);
        complete(f, i, 1, -1, -1, 0, 2001);
        end(f, i, "MPI_Wait", OK, 2002);
        assert_int_equal(mpi_of(f)->ranks[i]->requests_completed, 1);
    }
    assert_int_equal(mpi_of(f)->ranks[0]->requests_started, 3);
    assert_int_equal(mpi_of(f)->ranks[0]->requests_completed, 3);
    assert_int_equal(mpi_of(f)->matched, 3);
}

/* Receives take messages in the order in which they are posted, whichever completes first. */
static void order(void **state) {
    struct mpi_ranks *f = *state;

    for (uint64_t i = 0; i < 2; i++) {
        begin(f, 1, "MPI_Irecv", RECV(0, 5), 100 + i);
        end(f, 1, "MPI_Irecv", MADE(1 + i), 100 + i);
    }
    begin(f, 0, "MPI_Send", SEND(1, 5, 10), 200);
    end(f, 0, "MPI_Send", OK, 201);
    begin(f, 0, "MPI_Send", SEND(1, 5, 20), 300);
    end(f, 0, "MPI_Send", OK, 301);
    begin(f, 1, "MPI_Wait", CALL(.request = 2), 210);
    complete(f, 1, 2, 0, 5, 20, 310);
    end(f, 1, "MPI_Wait", OK, 311);
    begin(f, 1, "MPI_Wait", CALL(.request = 1), 320);
    complete(f, 1, 1, 0, 5, 10, 321);
    end(f, 1, "MPI_Wait", OK, 322);
    assert_int_equal(mpi_of(f)->byte_mismatches, 0);
    assert_int_equal(mpi_ranks_all_waits(f), 90);
    /* An any-source receive that was posted between two takes the second message. */
    begin(f, 1, "MPI_Irecv", RECV(0, 6), 400);
    end(f, 1, "MPI_Irecv", MADE(3), 400);
    begin(f, 1, "MPI_Irecv", RECV(PINSIGHT_MPI_ANY, 6), 401);
    end(f, 1, "MPI_Irecv", MADE(4), 401);
    for (uint64_t i = 0; i < 2; i++) {
        begin(f, 0, "MPI_Send", SEND(1, 6, 10 + i), 410);
        end(f, 0, "MPI_Send", OK, 411);
    }
    begin(f, 1, "MPI_Waitall", CALL(.comm = 0), 420);
    complete(f, 1, 4, 0, 6, 11, 421);
    complete(f, 1, 3, 0, 6, 10, 421);
    end(f, 1, "MPI_Waitall", OK, 422);
    assert_int_equal(mpi_of(f)->byte_mismatches, 0);
    assert_int_equal(mpi_of(f)->matched, 4);
    assert_int_equal(mpi_of(f)->pending, 0);
}

/* mpi4py's recv(): a matching probe waits, MPI_Mrecv does not. */
static void probed(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 1, "MPI_Mprobe", RECV(0, 5), 1000);
    begin(f, 0, "MPI_Send", SEND(1, 5, 80), 1700);
    end(f, 0, "MPI_Send", OK, 1701);
    end(f, 1, "MPI_Mprobe", GOT(0, 5, 80), 1710);
    begin(f, 1, "MPI_Mrecv", CALL(.tag = -1), 1720);
    end(f, 1, "MPI_Mrecv", GOT(0, 5, 80), 1730);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_LATE_SENDER, 0), 700);
    assert_int_equal(mpi_ranks_all_waits(f), 700);
    assert_int_equal(mpi_of(f)->matched, 1);
}

static void exchange(void **state) {
    struct mpi_ranks *f = *state;

    for (int i = 0; i < 2; i++)
        begin(f, i, "MPI_Sendrecv",
              CALL(.dest = !i, .tag = 1, .receive_source = !i, .receive_tag = 1, .bytes = 16),
              1000 + 200 * (uint64_t)i);
    for (int i = 0; i < 2; i++)
        end(f, i, "MPI_Sendrecv", GOT(!i, 1, 16), 1250);
    assert_int_equal(mpi_ranks_waited(f, 0, PINSIGHT_MPI_LATE_SENDER, 1), 200);
    assert_int_equal(mpi_ranks_all_waits(f), 200); /* not the late receiver as well */
    assert_int_equal(mpi_of(f)->matched, 2);
}

static void nobody(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Send", SEND(PINSIGHT_MPI_PROC_NULL, 1, 8), 1);
    end(f, 0, "MPI_Send", OK, 2);
    begin(f, 0, "MPI_Recv", RECV(PINSIGHT_MPI_PROC_NULL, 1), 3);
    end(f, 0, "MPI_Recv", GOT(PINSIGHT_MPI_PROC_NULL, -1, 0), 4);
    assert_int_equal(mpi_of(f)->sends, 0);
    assert_int_equal(mpi_of(f)->receives, 0);
    assert_int_equal(mpi_of(f)->edge_count, 0);
}

static void persistent(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Send_init", SEND(1, 5, 80), 1);
    end(f, 0, "MPI_Send_init", MADE(1), 2);
    begin(f, 1, "MPI_Recv_init", RECV(0, 5), 1);
    end(f, 1, "MPI_Recv_init", MADE(1), 2);
    for (uint64_t t = 1000; t < 4000; t += 1000) {
        begin(f, 1, "MPI_Start", CALL(.request = 1), t);
        end(f, 1, "MPI_Start", OK, t + 1);
        begin(f, 1, "MPI_Wait", CALL(.request = 1), t + 10);
        begin(f, 0, "MPI_Startall", CALL(.comm = 0), t + 110);
        pinsight_mpi_start(f->ranks[0], 1, t + 110);
        end(f, 0, "MPI_Startall", OK, t + 111);
        complete(f, 1, 1, 0, 5, 80, t + 120);
        end(f, 1, "MPI_Wait", OK, t + 121);
        begin(f, 0, "MPI_Wait", CALL(.request = 1), t + 130);
        complete(f, 0, 1, -1, -1, 0, t + 130);
        end(f, 0, "MPI_Wait", OK, t + 131);
    }
    begin(f, 0, "MPI_Request_free", CALL(.request = 1), 5000);
    end(f, 0, "MPI_Request_free", OK, 5001);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_LATE_SENDER, 0), 300);
    assert_int_equal(mpi_of(f)->matched, 3);
    assert_int_equal(mpi_of(f)->ranks[0]->requests_started, 3);
    assert_int_equal(mpi_of(f)->ranks[0]->requests_completed, 3);
    /* Who was late is the call that started it, and no site has a name that was not called there.
     */
    for (size_t i = 0; i < mpi_of(f)->site_count; i++)
        assert_true(mpi_of(f)->sites[i].calls > 0);
    assert_int_equal(mpi_of(f)->wait_count, 1);
    assert_int_equal(mpi_of(f)->sites[mpi_of(f)->waits[0].causes].function,
                     pinsight_mpi_function(f->model, "MPI_Startall"));
    /* Bytes were sent each time, and not where the request was made. */
    assert_int_equal(mpi_of(f)->sites[mpi_of(f)->waits[0].causes].sent_bytes, 240);
    assert_int_equal(mpi_of(f)->sites[0].sent_bytes, 0);
}

static void time_in_mpi(void **state) {
    struct mpi_ranks *f = *state;
    const struct pinsight_mpi_rank *rank = mpi_of(f)->ranks[0];

    begin(f, 0, "MPI_Init", CALL(.comm = 0), 100);
    end(f, 0, "MPI_Init", OK, 1000);
    begin(f, 0, "MPI_Send", SEND(1, 0, 1), 2000);
    end(f, 0, "MPI_Send", OK, 2100);
    begin(f, 0, "MPI_Finalize", CALL(.comm = 0), 3000);
    end(f, 0, "MPI_Finalize", OK, 5000);
    assert_int_equal(rank->begin_ns, 1000);
    assert_int_equal(rank->end_ns, 3000);
    assert_int_equal(rank->mpi_ns[PINSIGHT_MPI_MAIN], 100);
    assert_int_equal(rank->calls, 3);
}

static struct pinsight_mpi_thread *other_thread(struct mpi_ranks *f, int rank, uint32_t tid) {
    struct pinsight_process *process = mpi_of(f)->ranks[rank]->process;

    return pinsight_mpi_thread_of(pinsight_model_thread(process, -1, tid), process);
}

static void call_in(struct mpi_ranks *f, struct pinsight_mpi_thread *thread, const char *name,
                    uint64_t from, uint64_t to) {
    struct pinsight_mpi_call call = PLAIN;

    call.function = pinsight_mpi_function(f->model, name);
    if (from)
        pinsight_mpi_begin(thread, &call, from);
    if (to)
        pinsight_mpi_end(thread, call.function, &OK, to);
}

/* The thread that initialised joins; others communicate: the rank's time is theirs, no moment of it
 * counted twice. */
static void other_threads(void **state) {
    struct mpi_ranks *f = *state;
    const struct pinsight_mpi_rank *rank;
    struct pinsight_mpi_thread *a = other_thread(f, 0, 501), *b = other_thread(f, 0, 502);

    begin(f, 0, "MPI_Init_thread", CALL(.rank = 0), 100);
    end(f, 0, "MPI_Init_thread", OK, 200);
    rank = mpi_of(f)->ranks[0];
    call_in(f, a, "MPI_Probe", 300, 0);
    call_in(f, b, "MPI_Probe", 350, 450);
    call_in(f, a, "MPI_Probe", 0, 400);
    call_in(f, b, "MPI_Probe", 500, 600);
    assert_int_equal(rank->mpi_ns[PINSIGHT_MPI_MAIN], 0);
    assert_int_equal(rank->mpi_ns[PINSIGHT_MPI_OTHERS], 150 + 100);
    assert_int_equal(pinsight_mpi_who(rank), PINSIGHT_MPI_OTHERS);
    /* One that waits in a helper while the program communicates itself does not stand for it. */
    for (uint64_t t = 700; t < 1100; t += 100)
        call_in(f, f->ranks[0], "MPI_Probe", t, t + 10);
    call_in(f, a, "MPI_Probe", 1100, 0);
    begin(f, 0, "MPI_Finalize", CALL(.rank = 0), 2000);
    end(f, 0, "MPI_Finalize", OK, 2100);
    assert_int_equal(pinsight_mpi_close(pinsight_model_thread(rank->process, -1, 501), 2100), 1);
    assert_int_equal(rank->mpi_ns[PINSIGHT_MPI_MAIN], 40);
    assert_int_equal(rank->mpi_ns[PINSIGHT_MPI_OTHERS], 250 + 900);
    assert_int_equal(rank->made[PINSIGHT_MPI_MAIN], 4);
    assert_int_equal(rank->made[PINSIGHT_MPI_OTHERS], 4);
    assert_int_equal(pinsight_mpi_who(rank), PINSIGHT_MPI_MAIN);
}

/* What other threads wait for counts for them. */
static void other_threads_wait(void **state) {
    struct mpi_ranks *f = *state;
    struct pinsight_mpi_thread *a = other_thread(f, 1, 501);
    struct pinsight_mpi_call call = RECV(0, 5);

    call_in(f, f->ranks[1], "MPI_Init", 10, 20);
    call.comm = WORLD;
    call.function = pinsight_mpi_function(f->model, "MPI_Recv");
    pinsight_mpi_begin(a, &call, 1000);
    begin(f, 0, "MPI_Send", SEND(1, 5, 80), 1500);
    end(f, 0, "MPI_Send", OK, 1510);
    pinsight_mpi_end(a, call.function, &GOT(0, 5, 80), 1520);
    assert_int_equal(mpi_ranks_waited(f, 1, PINSIGHT_MPI_LATE_SENDER, 0), 500);
    assert_int_equal(mpi_of(f)->ranks[1]->wait_ns[PINSIGHT_MPI_OTHERS], 500);
    assert_int_equal(mpi_of(f)->ranks[1]->wait_ns[PINSIGHT_MPI_MAIN], 0);
}

/* A rank that waits for one that is gone: what it is in is told. */
static void left_open(void **state) {
    struct mpi_ranks *f = *state;

    begin(f, 0, "MPI_Recv", RECV(1, 0), 1000);
    for (int i = 0; i < RANKS - 1; i++)
        if (i)
            begin(f, i, "MPI_Barrier", PLAIN, 1000);
    assert_int_equal(
        pinsight_mpi_close(pinsight_model_thread(mpi_of(f)->ranks[0]->process, 0, 100), 1500), 1);
    assert_int_equal(mpi_of(f)->sites[0].open, 1);
    assert_int_equal(mpi_of(f)->sites[0].open_ns, 500);
    pinsight_model_finish(f->model);
    assert_int_equal(mpi_of(f)->incomplete, 1);
}

/* Ranks that hang live until the recording ends, and their time counts; one that died has its own
 * end. */
static void hang(void **state) {
    struct mpi_ranks *f = *state;
    const struct pinsight_mpi_rank *rank;

    for (int i = 0; i < RANKS; i++) {
        begin(f, i, "MPI_Init", CALL(.rank = (uint32_t)i), 100);
        end(f, i, "MPI_Init", OK, 200);
        if (i != 2)
            begin(f, i, "MPI_Barrier", PLAIN, 1000);
        pinsight_model_touch(mpi_of(f)->ranks[i]->process, i == 2 ? 1200 : 1000);
    }
    f->model->until_ns = 9000;
    pinsight_model_finish(f->model);
    assert_int_equal(f->model->last_ns, 9000);
    for (int i = 0; i < RANKS; i++) {
        rank = mpi_of(f)->ranks[i];
        assert_int_equal(rank->open, i == 2 ? 0 : 1);
        assert_int_equal(rank->process->last_ns, i == 2 ? 1200 : 9000);
        assert_int_equal(rank->mpi_ns[PINSIGHT_MPI_MAIN], i == 2 ? 0 : 8000);
        assert_int_equal(rank->open_ns[PINSIGHT_MPI_MAIN], i == 2 ? 0 : 8000);
        assert_int_equal(rank->end_ns, i == 2 ? 200 : 9000);
    }
    assert_int_equal(mpi_of(f)->sites[mpi_of(f)->ranks[0]->last_site].total_ns, 8000);
    assert_int_equal(mpi_of(f)->sites[mpi_of(f)->ranks[0]->last_site].calls, 1);
}

/* Ends and begins that are not there; numbers that mean nothing. */
static void damaged(void **state) {
    struct mpi_ranks *f = *state;

    end(f, 0, "MPI_Send", OK, 10);
    complete(f, 0, 77, 0, 0, 0, 11);
    for (uint64_t i = 0; i < 40; i++)
        begin(f, 0, "MPI_Recv", CALL(.comm = 12, .source = 99, .tag = 1), 20 + i);
    end(f, 0, "MPI_Barrier", OK, 100);
    begin(f, 1, "MPI_Send", SEND(99, 0, 8), 100);
    end(f, 1, "MPI_Send", OK, 101);
    begin(f, 1, "MPI_Bcast", CALL(.comm = WORLD, .root = 99), 100);
    pinsight_model_finish(f->model);
    assert_int_equal(mpi_of(f)->unmatched_ends, 2);
}

int main(void) {
    return RUN_TESTS_EACH(setup, mpi_ranks_free, late_sender, late_receiver, simultaneous, waitall,
                          order, probed, exchange, nobody, persistent, time_in_mpi, other_threads,
                          other_threads_wait, left_open, hang, damaged);
}
