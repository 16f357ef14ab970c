/* The names of functions and C callables, as a trace defines them, for events that have numbers.
 * Not thread-safe. */
#ifndef PINSIGHT_PLUGIN_NAMES_H
#define PINSIGHT_PLUGIN_NAMES_H

#include "base/map.h"

#include <stdint.h>

enum pinsight_named { PINSIGHT_NAMED_FUNCTION, PINSIGHT_NAMED_CALLEE };

struct pinsight_name {
    char *name;     /* qualified */
    char *filename; /* of a function; "" of a callable */
    int64_t lineno; /* its first line; 0 of a callable */
};

/* All zero is empty. One for each process, or for each trace that does not tell them apart. */
struct pinsight_names {
    struct pinsight_map processes; /* by thread */
    struct pinsight_map numbers;   /* by process, number and kind: a place in `all` */
    struct pinsight_name *all;
    size_t count, capacity;
    int64_t program; /* the number of what the process executes; 0 where not known */
};

/* Which process a thread is of. */
void pinsight_names_thread(struct pinsight_names *names, uint32_t tid, uint32_t pid);

/* Defines a name; the texts are copied. Defined again, it stays as it is. */
void pinsight_names_define(struct pinsight_names *names, enum pinsight_named kind, uint32_t pid,
                           uint32_t number, const struct pinsight_name *name);

/* The process of a thread, -1 where it is not known. */
int64_t pinsight_names_process(const struct pinsight_names *names, uint32_t tid);

/* The name of a number in a process (-1 for one that is not known); one of empty texts where it was
 * not defined. Lives until the names are cleared, or more are defined. */
struct pinsight_name pinsight_names_find(const struct pinsight_names *names,
                                         enum pinsight_named kind, int64_t pid, uint32_t number);

void pinsight_names_clear(struct pinsight_names *names);

#endif
