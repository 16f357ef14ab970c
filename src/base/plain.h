/*
 * PINSIGHT_PLAIN=1: PInsight observes the program by public interfaces alone. Some data is then
 * missing. Each kind of loss that occurs is noted by a mark in the output folder (reported.h). A
 * Python that PInsight does not know is observed in this way, too.
 */
#ifndef PINSIGHT_BASE_PLAIN_H
#define PINSIGHT_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_PLAIN_VARIABLE "PINSIGHT_PLAIN"

enum pinsight_plain_loss {
    PINSIGHT_PLAIN_PATHS,      /* a native event needed the Python code that caused it */
    PINSIGHT_PLAIN_FORKS,      /* the process forked */
    PINSIGHT_PLAIN_PROFILER,   /* the program's own profiler replaced PInsight's */
    PINSIGHT_PLAIN_OPERATORS,  /* types whose operators only the full form records */
    PINSIGHT_PLAIN_PROPERTIES, /* types whose properties only the full form records
                                */
    PINSIGHT_PLAIN_TASKS,      /* the process made tasks of asyncio */
    PINSIGHT_PLAIN_LOSSES,
};

/* Returns whether this value of the variable (NULL if it is not set) asks for the plain form. */
bool pinsight_plain_is_asked(const char *value);

/* Returns whether the variable may have this value. */
bool pinsight_plain_is_known(const char *value);

/* Returns whether an interpreter's internals differ from the release's headers: an alpha, a beta,
 * or a debug build. `version` is the result of Py_GetVersion(). */
bool pinsight_plain_is_needed(const char *version);
bool pinsight_plain_is_debug_build(void);

/* Notes a loss in the folder `output`. Only the first process that calls this writes the mark.
 * Returns false without such a folder. As safe in a forked child as snprintf(). */
bool pinsight_plain_write(const char *output, enum pinsight_plain_loss loss);

/* Notes the reason why the plain form is used although the user did not ask for it. `why` is a
 * sentence without its full stop, such as "CPython 3.16 is newer than this PInsight". Sets *first
 * if no other process has noted it. Returns false without such a folder. */
bool pinsight_plain_write_why(const char *output, const char *why, bool *first);

/* The data that the plain form never has, as a part of a sentence. */
#define PINSIGHT_PLAIN_LACKS                                                                       \
    "operators, properties, tasks, greenlets, waits, allocations and the Python that caused "      \
    "native events"

/* The data that each loss makes incomplete, as a part of a sentence. */
extern const char *const pinsight_plain_missing[PINSIGHT_PLAIN_LOSSES];

/* Joins the losses that the run in `output` noted. Writes "" if there are none. */
void pinsight_plain_read(const char *output, char *text, size_t room);

/* Writes the reason for the plain form, or "" if the user asked for it. */
void pinsight_plain_read_why(const char *output, char *why, size_t room);

#endif
