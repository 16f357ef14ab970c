/*
 * Suspended executions: those of greenlets that do not run, while others use the same thread's
 * stack. They pause like generators, and are resumed later. Part of the balance; see balance.h.
 *
 * If the switch of greenlets is observed (greenlets.c), the whole stack is suspended and resumed.
 * Otherwise a switch becomes apparent when a call ends that is not on top.
 */
#ifndef PINSIGHT_PYTHON_STACK_SUSPEND_H
#define PINSIGHT_PYTHON_STACK_SUSPEND_H

#include "tracer/python/balance.h"

/* ---- if the switch is observed; all hold the GIL ---- */

/* The stack of a greenlet that does not run. */
struct pinsight_suspended_stack;

/* Suspends all open executions of the thread. Returns them for pinsight_stack_resume(). Returns
 * NULL if there are none, or if memory is short; then they were closed as lost. */
struct pinsight_suspended_stack *pinsight_stack_suspend(struct pinsight_python_thread *thread);

/* Resumes and frees a suspended stack, in the thread that it was taken from. `suspended` may be
 * NULL. Other open executions are suspended first, because their switch was not observed. */
void pinsight_stack_resume(struct pinsight_python_thread *thread,
                           struct pinsight_suspended_stack *suspended);

/* ---- if the switch is not observed ---- */

/* Suspends the entries above `down_to` if greenlets are loaded. Otherwise closes them as lost. */
void pinsight_stack_suspend_above(struct pinsight_python_thread *thread, uint32_t down_to);

/* Called at the end of a suspended entry. Resumes the entry and its callers, so that the entry is
 * on top. `lexgion` is NULL for a C call. Returns false if there is no such entry. */
bool pinsight_stack_resume_entry(struct pinsight_python_thread *thread,
                                 const struct pinsight_python_lexgion *lexgion, const void *frame);

/* ---- in both cases ---- */

/* Returns the number of suspended executions of the thread. */
uint32_t pinsight_stack_suspended_count(const struct pinsight_python_thread *thread);

/* Drops all suspended executions of the thread. */
void pinsight_stack_drop_suspended(struct pinsight_python_thread *thread);

/* Drops the suspended executions in a forked child, because they are the parent's. */
void pinsight_stack_suspended_fork_child(struct pinsight_python_thread *thread);

/* Frees the memory of a thread that has ended, with its greenlets. Needs no GIL. */
void pinsight_stack_suspended_free(struct pinsight_python_thread *thread);

#endif
