/* MPI's functions by name, from the table for the wrappers: src/tracer/mpi/functions.txt. */
#include "reader/mpi/function.h"

#include <stdlib.h>
#include <string.h>

struct function_row {
    const char *name;
    struct pinsight_mpi_function function;
};

static const struct function_row rows[] = {
#include "reader/mpi_functions.inc"
};

static int compare(const void *name, const void *row) {
    return strcmp(name, ((const struct function_row *)row)->name);
}

void pinsight_mpi_describe(struct pinsight_mpi_function *function, const char *name) {
    const struct function_row *row =
        bsearch(name, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), compare);
    uint32_t number = function->name;

    *function = row ? row->function
                    : (struct pinsight_mpi_function){.kind = PINSIGHT_MPI_KIND_ENVIRONMENT,
                                                     .role = PINSIGHT_MPI_PLAIN};
    function->name = number;
}
