#include "mpi_ranks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "made_model.h"

void mpi_ranks_join(struct mpi_ranks *ranks, uint32_t count) {
    char numbers[16];

    snprintf(numbers, sizeof(numbers), "0-%u", count - 1);
    pinsight_mpi_of(ranks->model);
    for (uint32_t i = 0; i < count; i++) {
        struct pinsight_process *process = pinsight_model_process(ranks->model, 0, 200 + i);

        ranks->ranks[i] =
            pinsight_mpi_thread_of(pinsight_model_thread(process, 0, 200 + i), process);
        pinsight_mpi_comm_info(pinsight_mpi_rank_of(process),
                               &(struct pinsight_mpi_comm_info){.number = PINSIGHT_MPI_WORLD,
                                                                .size = count,
                                                                .rank = i,
                                                                .name = "MPI_COMM_WORLD",
                                                                .ranks = numbers,
                                                                .context = 7});
    }
}

struct mpi_ranks *mpi_ranks_new(uint32_t count) {
    struct mpi_ranks *ranks = pinsight_calloc(1, sizeof(*ranks));

    ranks->model = made_model();
    mpi_ranks_join(ranks, count);
    return ranks;
}

int mpi_ranks_free(void **state) {
    struct mpi_ranks *ranks = *state;

    pinsight_model_free(ranks->model);
    free(ranks);
    return 0;
}

uint64_t mpi_ranks_waited(const struct mpi_ranks *ranks, int rank, enum pinsight_mpi_wait_kind kind,
                          int cause) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(ranks->model);
    uint64_t sum = 0;

    for (size_t i = 0; i < mpi->wait_count; i++) {
        const struct pinsight_mpi_wait_row *row = &mpi->waits[i];

        if (row->kind == kind && mpi->sites[row->suffers].rank == (uint32_t)rank &&
            mpi->sites[row->causes].rank == (uint32_t)cause)
            sum += row->total_ns;
    }
    return sum;
}

uint64_t mpi_ranks_all_waits(const struct mpi_ranks *ranks) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(ranks->model);
    uint64_t sum = 0;

    for (size_t i = 0; i < mpi->wait_count; i++)
        sum += mpi->waits[i].total_ns;
    return sum;
}
