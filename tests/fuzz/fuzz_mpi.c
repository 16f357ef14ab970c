/* Feeds the model with any sequence of MPI's calls and completions, and checks what must hold of
 * the sums after it. Each step is six bytes: what, rank, peer, tag and communicator, request, and
 * how much later. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "reader/model.h"
#include "reader/mpi/mpi.h"

#define RANKS 3

static const char *const names[] = {
    "MPI_Send",     "MPI_Isend",        "MPI_Recv",     "MPI_Irecv",     "MPI_Sendrecv",
    "MPI_Wait",     "MPI_Waitall",      "MPI_Barrier",  "MPI_Bcast",     "MPI_Reduce",
    "MPI_Ibarrier", "MPI_Mprobe",       "MPI_Mrecv",    "MPI_Send_init", "MPI_Recv_init",
    "MPI_Start",    "MPI_Request_free", "MPI_Alltoall", "MPI_Init",      "MPI_Finalize"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static void check_all(const struct pinsight_mpi *mpi) {
    uint64_t suffered = 0, caused = 0, rows = 0;

    for (size_t i = 0; i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];
        uint64_t waited = 0;

        for (size_t w = 0; w < PINSIGHT_MPI_WAIT_COUNT; w++)
            waited += site->wait_ns[w];
        check(waited <= site->total_ns, "no call waits for longer than it takes");
        check(!site->calls || site->min_ns <= site->max_ns, "min <= max");
        suffered += waited;
        caused += site->caused_ns;
    }
    for (size_t i = 0; i < mpi->wait_count; i++)
        rows += mpi->waits[i].total_ns;
    check(suffered == caused && suffered == rows, "what is waited is waited for");
    check(mpi->matched <= mpi->sends && mpi->matched <= mpi->receives,
          "no more messages match than there are");
    for (size_t i = 0; i < mpi->edge_count; i++)
        check(mpi->edges[i].matched <= mpi->edges[i].messages, "likewise of each pair");
}

static void tell_comm(struct pinsight_mpi_rank *rank, const uint8_t *step) {
    pinsight_mpi_comm_info(rank, &(struct pinsight_mpi_comm_info){.number = step[3] % 4,
                                                                  .size = step[2] % 4,
                                                                  .remote_size = step[4] % 3,
                                                                  .rank = step[5] % 4,
                                                                  .name = "-",
                                                                  .ranks = "0-1,?|2",
                                                                  .context = step[3] % 4});
}

static void take(struct pinsight_model *model, const uint8_t *step, uint64_t ns) {
    struct pinsight_process *process =
        pinsight_model_process(model, step[1] & 8, 1 + step[1] % RANKS);
    struct pinsight_thread *thread = pinsight_model_thread(process, step[1] >> 7, 0);
    struct pinsight_mpi_thread *mpi = pinsight_mpi_thread_of(thread, process);
    uint32_t function = pinsight_mpi_function(model, names[step[0] / 8 % NAMES]);
    int32_t peer = step[2] % 6 - 2, tag = step[3] / 4 % 3 - 1;
    uint64_t request = step[4] % 4;

    switch (step[0] % 8) {
    case 0:
        tell_comm(pinsight_mpi_rank_of(process), step);
        break;
    case 1:
    case 2:
    case 3: {
        struct pinsight_mpi_call call = {.function = function,
                                         .rank = step[1] % RANKS,
                                         .path = PINSIGHT_NONE,
                                         .native = PINSIGHT_NONE,
                                         .comm = step[3] % 4,
                                         .dest = peer,
                                         .source = peer,
                                         .root = peer,
                                         .tag = tag,
                                         .receive_source = tag,
                                         .receive_tag = tag,
                                         .bytes = step[5],
                                         .request = request};

        pinsight_mpi_begin(mpi, &call, ns);
        break;
    }
    case 4:
        pinsight_mpi_complete(mpi, request, step[5] % 5 == 0, peer, tag, step[5], ns);
        break;
    case 5:
        pinsight_mpi_start(mpi, request, ns);
        break;
    default: {
        struct pinsight_mpi_result result = {.value = step[5] % 7 == 0,
                                             .has_status = step[5] % 2,
                                             .source = peer,
                                             .tag = tag,
                                             .bytes = step[5],
                                             .request = request};

        pinsight_mpi_end(mpi, function, &result, ns);
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct pinsight_model_options options = {.thread = -1, .process = -1};
    struct pinsight_model *model = pinsight_model_new(&options);
    uint64_t ns = 1000;

    pinsight_mpi_of(model);
    for (uint32_t i = 0; i < RANKS; i++)
        pinsight_mpi_comm_info(pinsight_mpi_rank_of(pinsight_model_process(model, 0, 1 + i)),
                               &(struct pinsight_mpi_comm_info){.number = PINSIGHT_MPI_WORLD,
                                                                .size = RANKS,
                                                                .rank = i,
                                                                .name = "MPI_COMM_WORLD",
                                                                .ranks = "0-2",
                                                                .context = 1});
    for (size_t at = 0; at + 6 <= size; at += 6) {
        ns += data[at + 5];
        take(model, data + at, ns);
    }
    pinsight_model_finish(model);
    check_all(pinsight_model_mpi(model));
    pinsight_model_free(model);
    return 0;
}
