/* Greenlets as tasks: each has a number, what it runs, and where it waits. gevent's hub is what an
 * event loop is: no task. All hold the GIL, and keep a pending exception. */
#ifndef PINSIGHT_PYTHON_TASK_GREENLETS_H
#define PINSIGHT_PYTHON_TASK_GREENLETS_H

#include "domains/python/versions.h"

/* A greenlet is made in this thread. */
void pinsight_task_greenlet_made(PyObject *greenlet);

/* Its number, 0 for none; and it was freed, which may have let it run once more. */
uint32_t pinsight_task_greenlet(const PyObject *greenlet);
void pinsight_task_greenlet_gone(const PyObject *greenlet, uint32_t number);

/* What a greenlet keeps while others run. */
struct pinsight_task_left {
    const void *greenlet; /* to compare, no reference */
    uint32_t number;      /* of the task that it runs, 0 for none */
};

/* The greenlet that runs makes room for another one: `to`, if that begins by it, or NULL. */
void pinsight_task_leave(struct pinsight_task_left *left, PyObject *to);

/* It goes on; `raised`: with an exception. */
void pinsight_task_come_back(const struct pinsight_task_left *left, bool raised);

#endif
