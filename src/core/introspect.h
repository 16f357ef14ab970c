/*
 * Introspection: the trace so far is closed as a chunk on disk, and a script of the user's looks at
 * it while the program waits, or while it goes on. All on the control thread, but for
 * pinsight_introspect_resume and pinsight_introspect_fork_child.
 */
#ifndef PINSIGHT_CORE_INTROSPECT_H
#define PINSIGHT_CORE_INTROSPECT_H

#include "core/order.h"

#include <stdint.h>

/*
 * One introspection: records introspect_begin; stops the program's threads; closes the chunk; runs
 * the script, and waits for its end, the time or pinsight_introspect_resume; reloads the
 * configuration if the file has changed meanwhile; sets the mode; lets the threads go; records
 * introspect_end. The time counts from the stop, so a slow disk cannot make the pause longer.
 *
 * Without a pause it returns as soon as the chunk is being made, and pinsight_introspect_tend does
 * the rest. While such a one goes on, another introspection is refused (its mode is set).
 */
void pinsight_introspect(const struct pinsight_introspection *how, struct pinsight_answer *answer);

/* End the pause if there is one. Any thread; async-signal-safe. */
void pinsight_introspect_resume(void);

/* For introspections without a pause: when to look again, in ns from now, -1 if there is nothing to
 * look for; and that look. */
int64_t pinsight_introspect_due(void);
void pinsight_introspect_tend(void);

/* How many introspections began in this process. Any thread. */
uint32_t pinsight_introspect_count(void);

/* How many ended. Any thread. */
uint32_t pinsight_introspect_ended(void);

/* In a forked child, in its only thread: what goes on is the parent's. */
void pinsight_introspect_fork_child(void);

#endif
