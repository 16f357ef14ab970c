/* The names of functions and C callables, from a trace's definitions, for events that have numbers.
 * Not thread-safe. */
#ifndef PINSIGHT_PLUGIN_NAMES_H
#define PINSIGHT_PLUGIN_NAMES_H

#include "base/map.h"

#include <stdint.h>

enum pinsight_named { PINSIGHT_NAMED_FUNCTION, PINSIGHT_NAMED_CALLEE };

struct pinsight_name {
    char *name;     /* qualified */
    char *filename; /* of a function; "" for a callable */
    int64_t lineno; /* its first line; 0 for a callable */
};

/* All zero is empty. There is one for each process, or for each trace that does not distinguish
 * processes. */
struct pinsight_names {
    struct pinsight_map processes; /* by thread */
    struct pinsight_map numbers;   /* by process, number and kind: an index of `all` */
    struct pinsight_name *all;
    size_t count, capacity;
    int64_t program; /* number of the process's program; 0: unknown */
};

/* Notes the process of a thread. */
void pinsight_names_thread(struct pinsight_names *names, uint32_t tid, uint32_t pid);

/* Defines a name. Copies the texts. A second definition has no effect. */
void pinsight_names_define(struct pinsight_names *names, enum pinsight_named kind, uint32_t pid,
                           uint32_t number, const struct pinsight_name *name);

/* Returns the process of a thread, or -1 if it is unknown. */
int64_t pinsight_names_process(const struct pinsight_names *names, uint32_t tid);

/* Returns the name of a number in a process (-1: unknown), with empty texts if it was not defined.
 * Valid until the next definition or pinsight_names_clear(). */
struct pinsight_name pinsight_names_find(const struct pinsight_names *names,
                                         enum pinsight_named kind, int64_t pid, uint32_t number);

void pinsight_names_clear(struct pinsight_names *names);

#endif
