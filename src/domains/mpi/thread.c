/* What the MPI domain keeps for a thread; see thread.h. */
#include "domains/mpi/thread.h"

#include "core/control.h"
#include "core/info.h"
#include "core/watchdog.h"
#include "domains/mpi/count.h"

#include <stdio.h>
#include <stdlib.h>

bool pinsight_mpi_lossless;

struct pinsight_mpi_thread *pinsight_mpi_thread_new(void) {
    struct pinsight_thread *core = pinsight_thread_get();
    struct pinsight_mpi_thread *thread = core ? calloc(1, sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    thread->core = core;
    core->state[pinsight_mpi_domain.slot] = thread;
    if (core->python_thread_id < 0 && !*core->name) {
        char name[32];
        if (core->tid == (uint32_t)pinsight_process.pid)
            snprintf(name, sizeof name, "main");
        else
            snprintf(name, sizeof name, "MPI-%u", (unsigned)core->tid);
        pinsight_info_thread(core, name);
    }
    pinsight_mpi_describe();
    pinsight_watchdog_start(); /* a forked child has none, */
    pinsight_control_start();  /* nor this */
    return thread;
}

void pinsight_mpi_thread_end(struct pinsight_thread *core, void *state) {
    (void)core;
    pinsight_mpi_count_flush_thread(state);
    pinsight_mpi_add_totals(state);
}

void pinsight_mpi_thread_free(void *state) {
    struct pinsight_mpi_thread *thread = state;
    pinsight_mpi_thread_room_free(thread->room);
    free(thread->counts);
    free(thread);
}
