/*
 * Introspection: the trace so far is closed as a chunk on disk, and a script of the user looks at
 * it while the program waits or continues. All functions run in the control thread, except for
 * pinsight_introspect_resume() and pinsight_introspect_fork_child().
 */
#ifndef PINSIGHT_CORE_INTROSPECT_H
#define PINSIGHT_CORE_INTROSPECT_H

#include "tracer/core/order.h"

#include <stdint.h>

/*
 * Makes one introspection. It records introspect_begin, stops the program's threads and closes the
 * chunk. It runs the script, and waits for its end, for the end of the time or for
 * pinsight_introspect_resume(). Then it reloads the configuration if the file has changed, sets the
 * mode, releases the threads, and records introspect_end. The time counts from the stop, so that a
 * slow disk cannot prolong the pause.
 *
 * Without a pause, it returns as soon as the chunk is being made, and pinsight_introspect_tend()
 * does the rest. During that, another introspection is refused, but its mode is set.
 */
void pinsight_introspect(const struct pinsight_introspection *how, struct pinsight_answer *answer);

/* Ends the pause if there is one. Any thread; async-signal-safe. */
void pinsight_introspect_resume(void);

/* For introspections without a pause. pinsight_introspect_due() returns the time until the next
 * look in ns, or -1 if none is needed. pinsight_introspect_tend() takes the look. */
int64_t pinsight_introspect_due(void);
void pinsight_introspect_tend(void);

/* Returns how many introspections have begun in this process. Any thread. */
uint32_t pinsight_introspect_count(void);

/* Returns how many have ended. Any thread. */
uint32_t pinsight_introspect_ended(void);

/* Forgets the parent's introspection in a forked child. Called in the child's only thread. */
void pinsight_introspect_fork_child(void);

#endif
