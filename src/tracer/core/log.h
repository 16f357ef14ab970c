/* Messages of PInsight on stderr, each of them once in a process. */
#ifndef PINSIGHT_CORE_LOG_H
#define PINSIGHT_CORE_LOG_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A message that is written at most once in a process: a static variable at the place that writes
 * it. */
struct pinsight_log_once {
    atomic_flag reported;
};

#define PINSIGHT_LOG_ONCE_INIT                                                                     \
    { ATOMIC_FLAG_INIT }

/*
 * Writes "pinsight: ", the formatted text and a newline to stderr, with one write(2), unless `once`
 * was used before. The text says what happened, where, and what to do. Writes nothing with
 * PINSIGHT_QUIET=1 or without a stderr. Keeps errno. Any thread, also in a forked child.
 */
PINSIGHT_API void pinsight_log_once(struct pinsight_log_once *once, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Called in a process that was started without a stderr, where the descriptor may be a file of the
 * program. No message is written afterwards. Any thread. */
PINSIGHT_API void pinsight_log_without_stderr(void);

/* Returns whether the process has a stderr, as far as is known. */
bool pinsight_log_has_stderr(void);

#endif
