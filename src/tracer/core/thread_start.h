/*
 * The starts of threads: which thread called pthread_create(), and where in Python it was.
 *
 * The shim reports each start (tracer/preload/libc/creates.c). A thread gets its start with its
 * state, and records it with its first thread_info. Threads of PInsight have no start.
 */
#ifndef PINSIGHT_CORE_THREAD_START_H
#define PINSIGHT_CORE_THREAD_START_H

#include <stdint.h>

/* The functions that the shim calls around a thread's start. */
struct pinsight_thread_starts {
    /* Returns data for a thread that is about to be started with these arguments of
     * pthread_create(), or NULL to start the thread without it. Any thread. Keeps errno. */
    void *(*prepare)(void *(*run)(void *), void *data);
    /* The function that the thread runs in place of `run`, with the data, which it frees. */
    void *(*run)(void *start);
    /* Frees the data of a thread that could not be started. */
    void (*forget)(void *start);
};

/* The start of a thread. */
struct pinsight_thread_start {
    uint32_t starter; /* OS thread id of the thread that started it; 0 if unknown */
    uint32_t py_path; /* Python call path of the starter; 0 if there is none */
    char name[64];    /* name of the starter at that time; "" if unknown */
};

/* Asks the shim for the starts of threads, if there is one. Called once. */
void pinsight_thread_starts_follow(void);

/* Returns the start of the calling thread. */
struct pinsight_thread_start pinsight_thread_start_here(void);

/* Forgets the start of the calling thread, which is the only thread of a forked child. */
void pinsight_thread_start_fork_child(void);

#endif
