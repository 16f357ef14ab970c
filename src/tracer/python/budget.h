/*
 * A budget limits the cost of recording a process: a share of the program's own processor time.
 * The cost is the number of callbacks times their measured price (tracer/core/callback_cost.h), and
 * the interpreter's part of it (base/callback_price.h).
 *
 * The hot path has no part in this. The callbacks that are timed, about one in 1,024, are a sample
 * of all callbacks. After some of them, the cost is compared with the budget. If it is too high,
 * the functions and C callables with the most samples are recorded no more, and the interpreter no
 * longer reports them. If many rare functions cost too much, Python's calls are recorded no more.
 * All functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_BUDGET_H
#define PINSIGHT_PYTHON_BUDGET_H

#include "tracer/python/thread.h"

/* Takes the budget of the settings. A Python that cannot report less has none, after a
 * message. */
void pinsight_budget_read_settings(void);

/* Returns whether there is a budget. */
static inline bool pinsight_budget_is_set(void) {
    return pinsight_python.budget != 0;
}

/* Called after a timed callback. `depth` is the depth of the thread's stack before it; `thread` may
 * be NULL. Holds the cost within the budget. Returns whether nothing has begun and the cost is too
 * high: then the callback's place should not be reported again. */
bool pinsight_budget_sample(const struct pinsight_python_thread *thread, uint32_t depth);

/* Forgets a lexgion that is about to be freed. */
void pinsight_budget_forget(const struct pinsight_python_lexgion *lexgion);

/* Begins again without the parent's costs. For a forked child. */
void pinsight_budget_fork_child(void);

#endif
