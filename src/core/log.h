/* What PInsight says about itself: on stderr, each thing once, never while it may not. */
#ifndef PINSIGHT_CORE_LOG_H
#define PINSIGHT_CORE_LOG_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A thing that is said at most once in a process; a static variable at the place that says it. */
struct pinsight_log_once {
    atomic_flag said;
};

#define PINSIGHT_LOG_ONCE_INIT                                                                     \
    { ATOMIC_FLAG_INIT }

/*
 * Write "pinsight: " and the formatted text and a newline to stderr, in one write(2), if `once` was
 * not used before. The text says what happened, where, and what to do. Thread-safe; keeps errno;
 * may be called in a forked child. Says nothing when PINSIGHT_QUIET=1, or without a stderr.
 */
PINSIGHT_API void pinsight_log_once(struct pinsight_log_once *once, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The process was started without a stderr: what has its number now may be a file of the program's.
 * Nothing is said from now on. Any thread. */
PINSIGHT_API void pinsight_log_without_stderr(void);

/* Is there a stderr, as far as is known? */
bool pinsight_log_has_stderr(void);

#endif
