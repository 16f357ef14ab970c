/*
 * Executions that wait while others run on the same thread's stack: those of greenlets. They pause
 * as generators do, and go on later. Part of the balance; see balance.h.
 *
 * Where the switch itself is seen (greenlets.c), all that is open is taken away and put back. Where
 * it is not, it shows when a call ends that is not on top.
 */
#ifndef PINSIGHT_PYTHON_STACK_SUSPEND_H
#define PINSIGHT_PYTHON_STACK_SUSPEND_H

#include "domains/python/balance.h"

/* ---- where the switch is seen; all hold the GIL ---- */

/* What is open in a thread while another greenlet runs. */
struct pinsight_suspended_stack;

/* All that is open in the thread pauses. Returns it, for pinsight_stack_resume; NULL where
 * nothing is open, or memory is short: then it was closed as lost. */
struct pinsight_suspended_stack *pinsight_stack_suspend(struct pinsight_python_thread *thread);

/* It goes on, in the thread that it was taken from; `away` may be NULL, and is gone. What else is
 * open waits: its switch was not seen. */
void pinsight_stack_resume(struct pinsight_python_thread *thread,
                           struct pinsight_suspended_stack *suspended);

/* ---- where it is not ---- */

/* What stands above waits, where there are greenlets; else it is lost. */
void pinsight_stack_suspend_above(struct pinsight_python_thread *thread, uint32_t down_to);

/* The end of an entry that waits was seen: it and its callers go on, and it is on top. `lexgion` is
 * NULL for a call of C. False if there is no such entry. */
bool pinsight_stack_resume_entry(struct pinsight_python_thread *thread,
                                 const struct pinsight_python_lexgion *lexgion, const void *frame);

/* ---- both ---- */

/* How many executions of the thread wait. */
uint32_t pinsight_stack_suspended_count(const struct pinsight_python_thread *thread);

/* They are not waited for. */
void pinsight_stack_drop_suspended(struct pinsight_python_thread *thread);

/* In a forked child: they are the parent's. */
void pinsight_stack_suspended_fork_child(struct pinsight_python_thread *thread);

/* The thread has ended, and its greenlets with it. Needs no GIL. */
void pinsight_stack_suspended_free(struct pinsight_python_thread *thread);

#endif
