/* The tasks that live, found by their object and by what they wait for. All hold the GIL. */
#ifndef PINSIGHT_PYTHON_TASK_TABLE_H
#define PINSIGHT_PYTHON_TASK_TABLE_H

#include "domains/python/tasks.h"

/* A task that lives: it is known by its address, which another one may have once it is gone. No
 * reference is held. */
struct pinsight_living_task {
    const void *object;
    const void *awaited; /* the future that it waits for, or NULL */
    struct pinsight_living_task *next, *next_awaited;
    struct pinsight_task_place place; /* where it waited last */
    const void *name;                 /* that was recorded, to compare */
    bool has_run;
    bool ran_eagerly; /* and not since: its loop may have named it after that */
    uint32_t number, parent;
    uint32_t session_version; /* at which its begin was recorded, and */
    uint64_t recorded_ns;     /* when, where that may be dropped */
};

/* The task that an object is, NULL for none; and one more, which has its number, or NULL where
 * memory is short. */
struct pinsight_living_task *pinsight_living_task_find(const void *object);
struct pinsight_living_task *pinsight_living_task_add(const void *object);

/* It lives no more. */
void pinsight_living_task_drop(struct pinsight_living_task *task);

/* From now on it waits for this future, or for none where it is NULL. */
void pinsight_living_task_waits_for(struct pinsight_living_task *task, const void *future);

/* The first task that waits for `future`, and the one after it; NULL without. */
struct pinsight_living_task *pinsight_living_task_waiting(const void *future);
struct pinsight_living_task *pinsight_living_task_waiting_next(struct pinsight_living_task *task);

/* None lives, and numbers begin anew. */
void pinsight_living_tasks_forget(void);

#endif
