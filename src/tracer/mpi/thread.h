/* The MPI domain's data of a thread. Only the thread itself uses it, except where a comment says
 * otherwise. */
#ifndef PINSIGHT_MPI_THREAD_H
#define PINSIGHT_MPI_THREAD_H

#include "tracer/core/link.h"
#include "tracer/core/native.h"
#include "tracer/mpi/comm.h"
#include "tracer/mpi/domain.h"
#include "tracer/record/table.h"

struct pinsight_pmpi_thread {
    struct pinsight_native_thread native;
    struct pinsight_pmpi_comm *comm; /* communicator of the last call; never NULL */
    /* buffers for requests that are waited for together; completion.c */
    void *room;
};

/* The domain's lexgions and their definition, for domain.c. */
extern struct pinsight_native_table pinsight_mpi_lexgions;
bool pinsight_mpi_is_library(const char *object);
void pinsight_mpi_lexgion_define(const struct pinsight_lexgion *state);

/* Makes the calling thread's state. Returns NULL if memory is short, and while the thread ends. */
struct pinsight_pmpi_thread *pinsight_mpi_thread_new(void);

/* Returns the calling thread's state, and makes it if there is none. */
static inline struct pinsight_pmpi_thread *pinsight_mpi_thread(void) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    struct pinsight_pmpi_thread *thread = core ? core->state[pinsight_mpi_domain.slot] : NULL;
    return __builtin_expect(thread != NULL, 1) ? thread : pinsight_mpi_thread_new();
}

/* ---- recording ---- */

/* Approximate bytes of an event: the recorder's head, and the usual fields. */
#define PINSIGHT_MPI_EVENT_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 40)

/* ---- for the domain's descriptor ---- */

void pinsight_mpi_thread_end(struct pinsight_core_thread *thread, void *state);
void pinsight_mpi_thread_free(void *state);
void pinsight_mpi_thread_room_free(void *room);

#endif
