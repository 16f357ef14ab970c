/* Lexgions of the MPI domain: the return addresses of calls of MPI. */
#include "tracer/core/info.h"
#include "tracer/mpi/thread.h"
#include "tracer/record/mpi.h"

#include <string.h>

struct pinsight_native_table pinsight_mpi_lexgions = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns whether an object is the MPI library or one of its plug-ins. */
bool pinsight_mpi_is_library(const char *object) {
    static const char *const names[] = {"libmpi",  "mca_",     "libmca_",
                                        "libpmpi", "libopen-", "libromio"};
    const char *slash = strrchr(object, '/'), *name = slash ? slash + 1 : object;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void pinsight_mpi_lexgion_define(const struct pinsight_lexgion *state) {
    const struct pinsight_native_lexgion *lexgion = (const struct pinsight_native_lexgion *)state;
    if (!pinsight_record_mpi_call_info_enabled())
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_mpi_call_info(
        pinsight_process.pid, state->id, lexgion->codeptr, lexgion->called, lexgion->object,
        lexgion->offset, lexgion->symbol));
}
