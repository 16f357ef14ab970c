/*
 * Waits for the GIL. A thread that waits for it notes so, and nothing more: the interpreter holds a
 * mutex then. Its next event of Python's records what was noted, ahead of itself (gil_wait). So
 * that events which no wait came before are not asked, the thread's state is put aside
 * (core/thread.h).
 *
 * gil_note.c   the waits that a thread noted
 * gil.c        what records them
 */
#ifndef PINSIGHT_PYTHON_GIL_H
#define PINSIGHT_PYTHON_GIL_H

#include "domains/python/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A thread waited, and for whom. Times are of CLOCK_MONOTONIC. */
struct pinsight_gil_wait {
    uint64_t end_ns, wait_ns;
    uint32_t waits;     /* see the event gil_wait */
    uint32_t gil;       /* its number */
    const void *holder; /* its PyThreadState, which may be gone */
    uint64_t holder_id; /* and id, never another's */
    uint32_t holder_tid;
    unsigned long switches;   /* how often the GIL had gone to another thread, at the end */
    const void *frame, *code; /* that waited; compared, and not looked at before */
    uintptr_t at;
};

/* What a thread noted. */
struct pinsight_gil_notes {
    atomic_flag busy; /* somebody looks at it: the thread itself, or who tells its waits */
    bool known;       /* the trace has the thread's name */
    uint32_t tid;
    uint32_t count, room;
    struct pinsight_gil_wait *waits;
    bool goes_on; /* the last wait may not be over */
    bool forced;  /* it is one of drop_gil(): what follows at once is the same wait */
    struct pinsight_gil_notes *next, *previous;
};

/* The calling thread's; NULL where it never waited. */
struct pinsight_gil_notes *pinsight_gil_noted(void);

/* Calls `visit` with those of all threads, the calling one's too; no thread notes anything
 * meanwhile. */
void pinsight_gil_each(void (*visit)(struct pinsight_gil_notes *notes));

/* For the shim: as the functions of libc, called by the interpreter. */
int pinsight_gil_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pinsight_gil_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                const struct timespec *until);

int pinsight_gil_cond_signal(pthread_cond_t *cond);

/* How long the main interpreter's GIL was held, of the time since the first wait for it. */
struct pinsight_gil_load {
    uint64_t seen_ns, held_ns;
};

/* Holds the GIL. False before the first wait. */
bool pinsight_gil_load(struct pinsight_gil_load *load);

/* Waits are noted from now on, or no more. Holds the GIL. */
void pinsight_gil_note(bool on);

/* Remember the OS thread of a thread's state, the calling one's. Holds the GIL. */
void pinsight_gil_thread_seen(uint32_t tid);

/* Record what the calling thread noted. Holds the GIL. */
void pinsight_gil_record(struct pinsight_python_thread *thread);

/* The same without the GIL, and without the names of functions, when the thread ends. */
void pinsight_gil_record_end(uint32_t tid);

/* The recording of waits ends: what is known now is recorded. Holds the GIL. */
void pinsight_gil_end(void);

/* In a forked child. */
void pinsight_gil_fork_child(void);

#endif
