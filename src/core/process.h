/*
 * What is known of this process: its id, rank and host; a session version that a fork moves on, so
 * that definitions which the parent recorded are recorded again by the child.
 */
#ifndef PINSIGHT_CORE_PROCESS_H
#define PINSIGHT_CORE_PROCESS_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_own_process {
    int32_t pid;
    int32_t rank; /* MPI rank from the launcher's environment, -1 without one */
    /* Of the program that the process executes: after an exec it is another one, and in a forked
     * child. Not 0. */
    uint64_t program_number;
    /* Moves on in a forked child, when a session begins to listen and when one is rotated: a
     * definition that was recorded at an older session version is recorded again before it is used.
     * Never 0. */
    _Atomic uint32_t session_version;
    /* Moves on with it, and with every configuration that comes into force (settings.h): what was
     * looked up at another decision version is looked up again. Never 0. The one that hot paths
     * look at. */
    _Atomic uint32_t decision_version;
    /* Moves on when libraries were unloaded, so that addresses of code may come to mean something
     * else. Never 0. */
    _Atomic uint32_t objects;
    uint64_t max_size; /* bytes of trace that this process may record; 0 is no limit */
    bool lossless;     /* buffers block: the watchdog is wanted */
    bool silent; /* a child whose fork the recorder did not see: it records nothing, for good */
    /* Nobody reads the buffers: what may block is not recorded, for each event would wait for its
     * whole time. Until somebody asks for events again (pinsight_domain_set_mode). */
    _Atomic bool stuck;
    bool plain; /* PINSIGHT_PLAIN=1: by public interfaces alone (plain.h). From the start on. */
};

extern PINSIGHT_API struct pinsight_own_process pinsight_process;

/*
 * Fill in pinsight_process and arrange for forked children. Once; later calls do nothing.
 * Thread-safe. Records nothing.
 */
PINSIGHT_API void pinsight_process_start(void);

/*
 * Begins to record into a folder, an absolute path: for a process that is told so while it runs,
 * and in place of what the environment says. Starts the process as above, if that was not done.
 * Returns NULL; or why it cannot, a static text: it records already, say. One thread at a time.
 */
PINSIGHT_API const char *pinsight_process_begin(const char *output);

/* Ends what pinsight_process_begin() began: what was recorded is complete, and the process has no
 * thread, descriptor or mapping of the recording any more. No domain records meanwhile. Waits up to
 * a second for the threads of the process's control. Must not be called by one of them. */
PINSIGHT_API void pinsight_process_end(void);

/* The folder that pinsight_process_begin() was given; "": none, or it ended. */
PINSIGHT_API const char *pinsight_process_output(void);

/* The MPI rank as the launcher's environment gives it, -1 without one. */
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

/* Libraries were unloaded. Any thread. */
void pinsight_objects_unloaded(void);

/* Moves the decision version on alone. Any thread. */
PINSIGHT_API void pinsight_decision_version_next(void);

/* Moves the session version on, so that every definition is recorded again. Any thread. */
PINSIGHT_API void pinsight_session_version_next(void);

#endif
