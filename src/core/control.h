/*
 * The control thread: it alone changes configuration and modes of a running process. It sleeps
 * until it is asked, by SIGUSR1, by `pinsight ctl` or by a window that ended, or until a timer of
 * its own is due. It blocks every signal, has no file descriptor, and never holds the GIL.
 */
#ifndef PINSIGHT_CORE_CONTROL_H
#define PINSIGHT_CORE_CONTROL_H

#include "core/order.h"

/* Start the control thread and the listener for `pinsight ctl` in a process that has none; else do
 * nothing. Any thread; a forked child starts its own at its first event. */
PINSIGHT_API void pinsight_control_start(void);

/*
 * Give an order and wait until it has taken effect, at most `wait_ms` (0: until the control thread
 * has carried it out, without waiting for the runtimes). Any thread but the control thread; not
 * with the GIL held. Orders are carried out one after the other.
 */
PINSIGHT_API void pinsight_control_ask(const struct pinsight_order *order, unsigned wait_ms,
                                       struct pinsight_answer *answer);

/* Give an order and do not wait. Takes no lock that is held for long; may allocate. Any thread. */
PINSIGHT_API void pinsight_control_tell(const struct pinsight_order *order);

/* Let the control thread look at its timers again. Any thread; safe in a signal handler. */
PINSIGHT_API void pinsight_control_wake(void);

/* Is the calling thread the control thread? It must not wait for the runtimes. */
PINSIGHT_API bool pinsight_control_is_this(void);

/* In a forked child: the control thread is not there. */
void pinsight_control_fork_child(void);

/* The program is about to do what only a process with one thread may do (`begins`): the control
 * thread and the listener leave, where that is soon; it has done it: they are there again. The
 * calling thread waits. Any thread; does nothing in the child of vfork(). Keeps errno. */
void pinsight_control_alone(bool begins);

/* Before the process ends: no order is carried out any more. Any thread without the GIL. */
PINSIGHT_API void pinsight_control_end(void);

#endif
