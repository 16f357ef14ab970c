/* The living tasks, found by their object and by the future that they wait for. All functions hold
 * the GIL. */
#ifndef PINSIGHT_PYTHON_TASK_TABLE_H
#define PINSIGHT_PYTHON_TASK_TABLE_H

#include "tracer/python/tasks.h"

/* A living task. It is identified by its address, which another task may have later. No reference
 * is held. */
struct pinsight_living_task {
    const void *object;
    const void *awaited; /* the future that it waits for, or NULL */
    struct pinsight_living_task *next, *next_awaited;
    struct pinsight_task_place place; /* its last place of waiting */
    const void *name;                 /* its recorded name, only compared */
    bool has_run;
    bool ran_eagerly; /* and not since then: its loop may have named it later */
    uint32_t number, parent;
    uint32_t session_version; /* version at which its begin was recorded */
    uint64_t recorded_ns;     /* time of that, for traces whose old events may be dropped */
};

/* The first returns the task of an object, or NULL. The second adds a task with a new number, or
 * returns NULL if memory is short. */
struct pinsight_living_task *pinsight_living_task_find(const void *object);
struct pinsight_living_task *pinsight_living_task_add(const void *object);

/* Removes a task that has ended. */
void pinsight_living_task_drop(struct pinsight_living_task *task);

/* Sets the future that a task waits for; NULL for none. */
void pinsight_living_task_waits_for(struct pinsight_living_task *task, const void *future);

/* Return the first task that waits for `future`, and the next one; NULL if there is none. */
struct pinsight_living_task *pinsight_living_task_waiting(const void *future);
struct pinsight_living_task *pinsight_living_task_waiting_next(struct pinsight_living_task *task);

/* Removes all tasks, and restarts their numbers. */
void pinsight_living_tasks_forget(void);

#endif
