/*
 * Waits for the GIL. A waiting thread only notes its wait, because the interpreter holds a mutex
 * meanwhile. Before the thread's next event, the note is recorded (gil_wait). Events without a
 * preceding wait must not pay for a check, so the note hides the thread's state
 * (tracer/core/thread.h).
 *
 *   gil_note.c   notes the waits of threads
 *   gil.c        records them
 */
#ifndef PINSIGHT_PYTHON_GIL_H
#define PINSIGHT_PYTHON_GIL_H

#include "tracer/python/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A wait of a thread, and the holder of the GIL. Times are of CLOCK_MONOTONIC. */
struct pinsight_gil_wait {
    uint64_t end_ns, wait_ns;
    uint32_t waits;     /* see the event gil_wait */
    uint32_t gil;       /* number of the GIL */
    const void *holder; /* the holder's PyThreadState, which may be freed by now */
    uint64_t holder_id; /* the holder's id, which is never reused */
    uint32_t holder_tid;
    unsigned long switches;   /* number of times that the GIL had changed hands, at the end */
    const void *frame, *code; /* of the waiting function; only compared */
    uintptr_t at;
};

/* The notes of one thread. */
struct pinsight_gil_notes {
    atomic_flag busy; /* in use: by the thread itself, or by a thread that records the notes */
    bool known;       /* the trace has the thread's name */
    uint32_t tid;
    uint32_t count, room;
    struct pinsight_gil_wait *waits;
    bool goes_on; /* the last wait may continue */
    bool forced;  /* the last wait is in drop_gil(): an immediate next one belongs to it */
    struct pinsight_gil_notes *next, *previous;
};

/* Returns the calling thread's notes, or NULL if it never waited. */
struct pinsight_gil_notes *pinsight_gil_noted(void);

/* Calls `visit` with the notes of all threads, including the calling one. No thread changes its
 * notes meanwhile. */
void pinsight_gil_each(void (*visit)(struct pinsight_gil_notes *notes));

/* Replacements of libc's functions, for the shim. The interpreter calls them. */
int pinsight_gil_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pinsight_gil_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                const struct timespec *until);

int pinsight_gil_cond_signal(pthread_cond_t *cond);

/* The time during which the main interpreter's GIL was held, within the time since the first wait
 * for it. */
struct pinsight_gil_load {
    uint64_t seen_ns, held_ns;
};

/* Fills in *load. Returns false before the first wait. Holds the GIL. */
bool pinsight_gil_load(struct pinsight_gil_load *load);

/* Begins or ends the notes of waits. Holds the GIL. */
void pinsight_gil_note(bool on);

/* Notes the OS thread of the calling thread's state. Holds the GIL. */
void pinsight_gil_thread_seen(uint32_t tid);

/* Records the calling thread's notes. Holds the GIL. */
void pinsight_gil_record(struct pinsight_python_thread *thread);

/* Records the calling thread's notes when it ends, without the GIL and without names of functions.
 */
void pinsight_gil_record_end(uint32_t tid);

/* Records all notes, and ends the recording of waits. Holds the GIL. */
void pinsight_gil_end(void);

/* Resets the notes in a forked child. */
void pinsight_gil_fork_child(void);

#endif
