/* From the model's MPI to the rows of a view. What its files share; nobody else's. */
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
    uint32_t *rank_rows; /* of each rank of the model */
};

/* Ranks, in the order of their numbers; those of which the trace has nothing too, where messages
 * went to them. First of all. */
void pinsight_mpi_ranks_make(struct pinsight_mpi_maker *maker);

/* What went from rank to rank: the communication matrix. */
void pinsight_mpi_flows_make(struct pinsight_mpi_maker *maker);

#endif
