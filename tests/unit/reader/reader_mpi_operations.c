/* What a view is told that calls of MPI do: messages, requests and collective operations. */
#include "unit.h"

#include "mpi_ranks.h"
#include "told.h"

/* "0 send>1/3 8b r5 @20": rank 0 sends to 1 with tag 3 8 bytes, by request 5, at 20. */
struct fixture {
    struct mpi_ranks *mpi;
    struct told told;
};

static void on_operation(void *data, struct pinsight_track *track,
                         const struct pinsight_mpi_operation *operation, uint64_t ns) {
    static const char *const names[] = {
        [PINSIGHT_MPI_OPERATION_SEND] = "send",
        [PINSIGHT_MPI_OPERATION_SEND_DONE] = "sent",
        [PINSIGHT_MPI_OPERATION_POST] = "post",
        [PINSIGHT_MPI_OPERATION_RECEIVE] = "receive",
        [PINSIGHT_MPI_OPERATION_COLLECTIVE] = "all",
        [PINSIGHT_MPI_OPERATION_COLLECTIVE_DONE] = "all-done",
        [PINSIGHT_MPI_OPERATION_CANCELLED] = "cancelled",
    };

    /* Whatever is told, its call is open. */
    assert_true(track->depth && track->slices[track->depth - 1].kind == PINSIGHT_SLICE_MPI);
    tell(data, "%u %s>%d/%d %db r%d @%d; ", operation->me, names[operation->kind], operation->peer,
         operation->tag, (int)operation->bytes, (int)operation->request, (int)ns);
}

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));

    f->mpi = mpi_ranks_new(2);
    f->told.timeline = (struct pinsight_timeline){.data = &f->told, .operation = on_operation};
    pinsight_model_show(f->mpi->model, &f->told.timeline);
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    void *mpi = f->mpi;

    int result = mpi_ranks_free(&mpi); /* uses the observer, which lies in f */

    free(f);
    return result;
}

static struct pinsight_mpi_call call_of(struct fixture *f, const char *function) {
    return (struct pinsight_mpi_call){PINSIGHT_MPI_CALL,
                                      .function = pinsight_mpi_function(f->mpi->model, function),
                                      .comm = PINSIGHT_MPI_WORLD};
}

static void begin(struct fixture *f, int rank, const struct pinsight_mpi_call *call, uint64_t ns) {
    pinsight_mpi_begin(f->mpi->ranks[rank], call, ns);
}

static void end(struct fixture *f, int rank, const char *function, uint64_t request, uint64_t ns) {
    pinsight_mpi_end(f->mpi->ranks[rank], pinsight_mpi_function(f->mpi->model, function),
                     &(struct pinsight_mpi_result){.request = request}, ns);
}

/* From ns to ns + 1. */
static void done(struct fixture *f, int rank, const struct pinsight_mpi_call *call,
                 uint64_t request, uint64_t ns) {
    begin(f, rank, call, ns);
    pinsight_mpi_end(f->mpi->ranks[rank], call->function,
                     &(struct pinsight_mpi_result){.request = request}, ns + 1);
}

static void blocking(void **state) {
    struct fixture *f = *state;
    struct pinsight_mpi_call call = call_of(f, "MPI_Sendrecv");

    call.dest = 1;
    call.tag = 3;
    call.bytes = 8;
    call.receive_source = PINSIGHT_MPI_ANY;
    begin(f, 0, &call, 10);
    seen_is(&f->told, "0 send>1/3 8b r0 @10; ");
    call.dest = 0;
    call.bytes = 16;
    call.receive_source = 0;
    call.receive_tag = 3;
    begin(f, 1, &call, 11);
    pinsight_mpi_end(
        f->mpi->ranks[1], call.function,
        &(struct pinsight_mpi_result){.has_status = true, .source = 0, .tag = 3, .bytes = 8}, 20);
    pinsight_mpi_end(
        f->mpi->ranks[0], call.function,
        &(struct pinsight_mpi_result){.has_status = true, .source = 1, .tag = 3, .bytes = 16}, 21);
    seen_is(&f->told, "1 send>0/3 16b r0 @11; 1 receive>0/3 8b r0 @20; 0 receive>1/3 16b r0 @21; ");
    call = call_of(f, "MPI_Send"); /* to nobody */
    done(f, 0, &call, 0, 30);
    call = call_of(f, "MPI_Bcast");
    call.root = 1;
    call.tag = 0;
    done(f, 0, &call, 0, 40);
    seen_is(&f->told, "0 all>1/0 0b r0 @40; 0 all-done>1/0 0b r0 @41; ");
}

static void with_requests(void **state) {
    struct fixture *f = *state;
    struct pinsight_mpi_call call = call_of(f, "MPI_Isend");

    call.dest = 1;
    call.tag = 4;
    call.bytes = 8;
    done(f, 0, &call, 5, 10);
    call = call_of(f, "MPI_Irecv");
    call.source = 0;
    call.tag = 4;
    done(f, 1, &call, 6, 12);
    seen_is(&f->told, "0 send>1/4 8b r5 @11; 1 post>0/4 0b r6 @13; ");
    call = call_of(f, "MPI_Ibarrier");
    call.tag = 0;
    done(f, 0, &call, 7, 14);
    seen_is(&f->told, "0 all>-2/0 0b r7 @15; ");
    call = call_of(f, "MPI_Waitall");
    begin(f, 0, &call, 20);
    pinsight_mpi_complete(f->mpi->ranks[0], 5, false, -2, -1, 0, 21);
    pinsight_mpi_complete(f->mpi->ranks[0], 7, false, -2, -1, 0, 22);
    end(f, 0, "MPI_Waitall", 0, 23);
    begin(f, 1, &call, 24);
    pinsight_mpi_complete(f->mpi->ranks[1], 6, false, 0, 4, 8, 25);
    end(f, 1, "MPI_Waitall", 0, 26);
    seen_is(&f->told, "0 sent>1/4 8b r5 @21; 0 all-done>-2/0 0b r7 @22; 1 receive>0/4 8b r6 @25; ");
}

static void persistent_and_cancelled(void **state) {
    struct fixture *f = *state;
    struct pinsight_mpi_call call = call_of(f, "MPI_Recv_init"), start, wait;

    call.source = 1;
    call.tag = 2;
    done(f, 0, &call, 9, 10);
    seen_is(&f->told, ""); /* nothing is received before it is started */
    start = call_of(f, "MPI_Start");
    start.request = 9;
    done(f, 0, &start, 0, 20);
    seen_is(&f->told, "0 post>1/2 0b r9 @20; ");
    wait = call_of(f, "MPI_Wait");
    begin(f, 0, &wait, 30);
    pinsight_mpi_complete(f->mpi->ranks[0], 9, true, -2, -1, 0, 31);
    end(f, 0, "MPI_Wait", 0, 32);
    seen_is(&f->told, "0 cancelled>-2/2 0b r9 @31; ");
    start = call_of(f, "MPI_Startall"); /* its requests have events of their own */
    begin(f, 0, &start, 40);
    pinsight_mpi_start(f->mpi->ranks[0], 9, 41);
    end(f, 0, "MPI_Startall", 0, 42);
    seen_is(&f->told, "0 post>1/2 0b r9 @41; ");
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, blocking, with_requests, persistent_and_cancelled);
}
