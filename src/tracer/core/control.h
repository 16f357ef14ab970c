/*
 * Only the control thread changes the configuration and the modes of a running process. It sleeps
 * until SIGUSR1, `pinsight ctl` or the end of a window wakes it, or until one of its timers is due.
 * It blocks every signal, has no file descriptor, and never holds the GIL.
 */
#ifndef PINSIGHT_CORE_CONTROL_H
#define PINSIGHT_CORE_CONTROL_H

#include "tracer/core/order.h"

/* Starts the control thread and the listener for `pinsight ctl`, unless the process has them. A
 * forked child starts its own at its first event. Any thread. */
PINSIGHT_API void pinsight_control_start(void);

/*
 * Gives an order and waits until it has taken effect, for at most `wait_ms` (0: until the control
 * thread has carried it out, without waiting for the runtimes). Orders are carried out one at a
 * time. Any thread except the control thread, without the GIL.
 */
PINSIGHT_API void pinsight_control_ask(const struct pinsight_order *order, unsigned wait_ms,
                                       struct pinsight_answer *answer);

/* Gives an order without waiting. Takes only locks that are held briefly; may allocate. Any thread.
 */
PINSIGHT_API void pinsight_control_send(const struct pinsight_order *order);

/* Makes the control thread check its timers. Any thread; safe in a signal handler. */
PINSIGHT_API void pinsight_control_wake(void);

/* Returns whether the caller is the control thread, which must never wait for a runtime. */
PINSIGHT_API bool pinsight_control_is_this(void);

/* For a forked child, which has no control thread. */
void pinsight_control_fork_child(void);

/* Called before (`begins`) and after the program does something that only a process with one thread
 * may do. Before, the control thread and the listener end if they can do so at once. After, they
 * start again. The calling thread waits for that. Does nothing in the child of vfork(). Keeps
 * errno. Any thread. */
void pinsight_control_alone(bool begins);

/* Ends the control thread and the listener, until pinsight_control_start. Waits up to a second for
 * them. Any other thread; it may hold the GIL. */
void pinsight_control_stop(void);

/* Called before the process ends. No order is carried out afterwards. Any thread without the GIL.
 */
PINSIGHT_API void pinsight_control_end(void);

#endif
