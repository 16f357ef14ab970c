/*
 * PINSIGHT_PLAIN=1: the traced program is observed by public interfaces alone. What that costs is
 * told where it costs something: each loss that happened is a mark in the output folder
 * (reported.h). A Python that PInsight does not know is observed likewise, without being asked for.
 */
#ifndef PINSIGHT_BASE_PLAIN_H
#define PINSIGHT_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_PLAIN_VARIABLE "PINSIGHT_PLAIN"

enum pinsight_plain_loss {
    PINSIGHT_PLAIN_PATHS,      /* a native event asked which Python caused it */
    PINSIGHT_PLAIN_FORKS,      /* the process forked */
    PINSIGHT_PLAIN_PROFILER,   /* the program's own profiler took the place of ours */
    PINSIGHT_PLAIN_OPERATORS,  /* the process had types whose operators are recorded otherwise */
    PINSIGHT_PLAIN_PROPERTIES, /* and such whose properties are */
    PINSIGHT_PLAIN_TASKS,      /* the process had asyncio */
    PINSIGHT_PLAIN_LOSSES,
};

/* Does this value of the variable (NULL: it is not set) ask for it? */
bool pinsight_plain_is_asked(const char *value);

/* May the variable have this value? */
bool pinsight_plain_is_known(const char *value);

/* Has an interpreter of this version (Py_GetVersion()) other insides than the release's headers
 * say: an alpha or a beta, or a debug build? */
bool pinsight_plain_is_needed(const char *version);
bool pinsight_plain_is_debug_build(void);

/* Write that it happened into the folder `output`; the first process that has it to say does so.
 * False without such a folder. As safe in a forked child as snprintf() is. */
bool pinsight_plain_write(const char *output, enum pinsight_plain_loss loss);

/* Likewise why, where nobody asked for it: a sentence of its own without its full stop, such as
 * "CPython 3.16 is newer than this PInsight". *first: no process has said it before. */
bool pinsight_plain_write_why(const char *output, const char *why, bool *first);

/* What a Python that is observed so lacks, as a part of a sentence. */
#define PINSIGHT_PLAIN_LACKS                                                                       \
    "operators, properties, tasks, greenlets, waits, allocations and the Python that caused "      \
    "native events"

/* What is missing, as a part of a sentence. */
extern const char *const pinsight_plain_missing[PINSIGHT_PLAIN_LOSSES];

/* Join what happened in the run of that folder; "" where nothing did. */
void pinsight_plain_read(const char *output, char *text, size_t room);

/* Why; "" where it was asked for. */
void pinsight_plain_read_why(const char *output, char *why, size_t room);

#endif
