/*
 * The names of regions and marks of the program, as lexgions of the domain User: one for each name
 * and kind of event. A lexgion is looked up once in a thread and never freed. Without windows and
 * in TRACING, no name is looked up (user.c).
 */
#ifndef PINSIGHT_CORE_USER_NAMES_H
#define PINSIGHT_CORE_USER_NAMES_H

#include "tracer/core/lexgion.h"

#include <stdatomic.h>
#include <stdint.h>

/* The most names of a process. Programs may make a name for each step. */
#define PINSIGHT_USER_NAMES_MOST 65536u

struct pinsight_user_name {
    struct pinsight_lexgion state; /* first */
    struct pinsight_user_name *next;
    unsigned kind;            /* enum pinsight_user_kind */
    _Atomic uint64_t outside; /* executions outside the window, in all threads */
    uint64_t outside_written; /* the recorded part of them; under the lock of the names */
    char text[];
};

/* The recent names of a thread, by the address of the text. All zero is empty. */
#define PINSIGHT_USER_CACHE 64
struct pinsight_user_cache {
    struct {
        const char *address;
        struct pinsight_user_name *name;
    } at[PINSIGHT_USER_CACHE];
};

/* Returns the lexgion of a name, which it makes at the first call. Returns NULL if the process has
 * PINSIGHT_USER_NAMES_MOST already, or without memory. Any thread, with its own cache. Takes a lock
 * for a name that is not in the cache. */
struct pinsight_user_name *pinsight_user_name(struct pinsight_user_cache *cache, unsigned kind,
                                              const char *text);

/* Calls `visit` with each name, under the lock of the names. */
void pinsight_user_names_each(void (*visit)(struct pinsight_user_name *name));

/* Forgets the parent's executions, in a forked child's only thread. */
void pinsight_user_names_fork_child(void);

#endif
