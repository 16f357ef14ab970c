/*
 * Exceptions that MONITORING counts: by type, by the call path that raised them, and by the handler
 * that took them for good. Each state of a thread has its own counts. Their rules are those of the
 * reader (reader/python/exceptions.h).
 *
 * All functions hold the GIL, except for the last one.
 */
#ifndef PINSIGHT_PYTHON_EXCEPTION_COUNTS_H
#define PINSIGHT_PYTHON_EXCEPTION_COUNTS_H

#include "tracer/python/exception_types.h"
#include "tracer/python/thread.h"

/* An exception is raised. `exception` identifies its object. */
void pinsight_exception_count_raised(struct pinsight_python_thread *thread,
                                     struct pinsight_exception_type *type, uint32_t exception,
                                     uint32_t path);

/* A handler takes an exception. `line` is 0 if it is unknown. */
void pinsight_exception_count_handled(struct pinsight_python_thread *thread, uint32_t exception,
                                      uint32_t path, int32_t line);

/* A handler lets an exception go on. */
void pinsight_exception_count_reraised(struct pinsight_python_thread *thread, uint32_t exception);

/* Counts the exceptions of all threads that may still go on, because no more events of them come.
 */
void pinsight_exception_counts_settle(void);

/* Records the counts of all threads since the last call. */
void pinsight_exception_counts_write(void);

/* Like the last two for one thread that ends. Needs no GIL. */
void pinsight_exception_counts_end(struct pinsight_python_thread *thread);

/* Forgets the counts of a forked child's parent. */
void pinsight_exception_counts_fork_child(struct pinsight_python_thread *thread);

/* Frees the counts of a thread. Needs no GIL. */
void pinsight_exception_counts_free(struct pinsight_python_thread *thread);

#endif
