/*
 * The starts of threads: the starter of each OS thread, its line, and the function of the thread.
 * Python's number of a thread may pass from one OS thread to another, but each has a start of its
 * own. Part of the model; not thread-safe.
 */
#ifndef PINSIGHT_READER_CORE_STARTS_H
#define PINSIGHT_READER_CORE_STARTS_H

#include "reader/ctf/event.h"

#include <stddef.h>
#include <stdint.h>

struct pinsight_model;
struct pinsight_thread;

/* The start of an OS thread. */
struct pinsight_start {
    struct pinsight_thread *thread;
    uint32_t tid;
    uint32_t name;        /* string number of its last name; 0: none */
    uint32_t runs;        /* string number of the function that it runs; 0: not known */
    uint32_t runs_path;   /* a path of that function alone, or PINSIGHT_NONE */
    bool is_earlier;      /* known from an earlier chunk alone */
    bool observed;        /* the members below are known */
    uint32_t starter_tid; /* OS thread id of the starter */
    const struct pinsight_thread *starter; /* NULL if the trace has no event of it */
    uint32_t starter_name;  /* string number of its name at that time; 0: not known */
    uint32_t starter_start; /* index of the starter's start, or PINSIGHT_NONE */
    uint32_t path;          /* of the start in Python, or PINSIGHT_NONE */
};

struct pinsight_starts {
    struct pinsight_start *starts; /* in the order of the threads' first events */
    size_t count, capacity;
};

/* Takes thread_start and thread_runs. */
void pinsight_starts_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Sets the name of the OS thread that has the thread's number now. */
void pinsight_starts_name(struct pinsight_thread *thread);

/* Returns whether the thread is in the trace. A start may be known from an earlier chunk, in which
 * the thread ended. */
bool pinsight_start_is_there(const struct pinsight_start *start);

/* Returns the name of the thread that started another, or NULL if it is not known. */
const char *pinsight_starts_starter(const struct pinsight_model *model,
                                    const struct pinsight_start *start);

#endif
