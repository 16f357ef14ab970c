/*
 * Facts about this process: its number, its rank, its host, and versions. The session version
 * increases in a forked child, so that the child records its parent's definitions again.
 */
#ifndef PINSIGHT_CORE_PROCESS_H
#define PINSIGHT_CORE_PROCESS_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_own_process {
    int32_t pid;
    int32_t rank; /* MPI rank in the launcher's environment, or -1 */
    /* A number of the program that the process executes. It differs after an exec and in a forked
     * child. Not 0. */
    uint64_t program_number;
    /* Increases in a forked child, when a session begins to listen, and when a session is rotated.
     * A definition that was recorded at an older session version is recorded again before its use.
     * Never 0. */
    _Atomic uint32_t session_version;
    /* Increases with the session version and with every new configuration (settings.h). Results of
     * look-ups at another decision version are looked up again. Hot paths compare only this
     * version. Never 0. */
    _Atomic uint32_t decision_version;
    /* Increases when libraries were unloaded, because addresses of code can then get another
     * meaning. Never 0. */
    _Atomic uint32_t objects;
    uint64_t max_size; /* bytes of trace that this process may record; 0: no limit */
    bool lossless;     /* full buffers make threads wait; the watchdog is needed */
    bool silent;       /* a forked child that the recorder does not know: it never records */
    /* The buffers have no reader. Events that may wait are not recorded, because each would wait
     * for its whole time. Cleared when a mode with events is requested
     * (pinsight_domain_set_mode). */
    _Atomic bool stuck;
    bool plain; /* PINSIGHT_PLAIN=1 is set (plain.h); constant */
};

extern PINSIGHT_API struct pinsight_own_process pinsight_process;

/*
 * Fills in pinsight_process and registers for forks. Only the first call has an effect. Records
 * nothing. Thread-safe.
 */
PINSIGHT_API void pinsight_process_start(void);

/*
 * Begins to record into the folder `output`, an absolute path, in place of the folder in the
 * environment. `ring` is the limit of the flight recorder, or "". For a process that is attached
 * while it runs. Also starts the process like pinsight_process_start(). Returns NULL, or the reason
 * for a failure as static text, for example that it is recorded already. Calls must not overlap.
 */
PINSIGHT_API const char *pinsight_process_begin(const char *output, const char *ring);

/* Ends a recording that pinsight_process_begin() began. Afterwards the recording is complete, and
 * the process has no thread, descriptor or mapping of it. No domain may record meanwhile. Waits up
 * to a second for the control thread and the listener, and must not be called by one of them. */
PINSIGHT_API void pinsight_process_end(void);

/* Returns the folder of pinsight_process_begin(), or "" without a recording of that kind. */
PINSIGHT_API const char *pinsight_process_output(void);

/* Returns the MPI rank in the launcher's environment, or -1. */
int32_t pinsight_process_find_rank(void);

static inline bool pinsight_stuck(void) {
    return atomic_load_explicit(&pinsight_process.stuck, memory_order_relaxed);
}

static inline uint32_t pinsight_session_version(void) {
    return atomic_load_explicit(&pinsight_process.session_version, memory_order_relaxed);
}

static inline uint32_t pinsight_decision_version(void) {
    return atomic_load_explicit(&pinsight_process.decision_version, memory_order_relaxed);
}

static inline uint32_t pinsight_objects(void) {
    return atomic_load_explicit(&pinsight_process.objects, memory_order_relaxed);
}

/* Called when libraries were unloaded. Any thread. */
void pinsight_objects_unloaded(void);

/* Increases only the decision version. Any thread. */
PINSIGHT_API void pinsight_decision_version_next(void);

/* Increases the session version, so that every definition is recorded again. Any thread. */
PINSIGHT_API void pinsight_session_version_next(void);

#endif
