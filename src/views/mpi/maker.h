/* Makes the rows of a view from the model's MPI. Only the files that make the rows share it. */
#ifndef PINSIGHT_VIEWS_MPI_MAKER_H
#define PINSIGHT_VIEWS_MPI_MAKER_H

#include "views/mpi/mpi.h"
#include "views/openmp/keys.h"

struct pinsight_mpi_maker {
    const struct pinsight_report *report;
    const struct pinsight_model *model;
    const struct pinsight_mpi *mpi;
    struct pinsight_mpi_view *view;
    struct pinsight_omp_keys keys;
    struct pinsight_map places, functions, lines, callers, ranks, flows;
    uint32_t *rank_rows; /* row of each rank of the model */
};

/* Makes the rows of ranks, in the order of their numbers. A rank outside the trace has a row, too,
 * if messages went to it. Must be called before the other functions. */
void pinsight_mpi_ranks_make(struct pinsight_mpi_maker *maker);

/* Makes the flows from rank to rank, which are the communication matrix. */
void pinsight_mpi_flows_make(struct pinsight_mpi_maker *maker);

#endif
