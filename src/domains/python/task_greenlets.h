/* Greenlets as tasks: each has a number, what it runs, and where it waits. gevent's hub is what an
 * event loop is: no task. All hold the GIL, and keep a pending exception. */
#ifndef PINSIGHT_PYTHON_TASK_GREENLETS_H
#define PINSIGHT_PYTHON_TASK_GREENLETS_H

#include "domains/python/tasks.h"

struct pinsight_python_thread;

/* A greenlet is made in this thread. */
void pinsight_task_greenlet_made(PyObject *greenlet);

/* Its number, 0 for none; and it was freed, which may have let it run once more. */
uint32_t pinsight_task_greenlet(const PyObject *greenlet);
void pinsight_task_greenlet_gone(const PyObject *greenlet, uint32_t number);

/* What a greenlet keeps while others run. */
struct pinsight_task_left {
    const void *greenlet; /* to compare, no reference */
    const void *loop;     /* the same, of a hub of gevent's: what it calls back is this loop's */
    uint32_t number;      /* of the task that it runs, 0 for none */
};

/* The greenlet that runs makes room for another one: `to`, if that begins by it, or NULL. */
void pinsight_task_leave(struct pinsight_task_left *left, PyObject *to);

/* Who does what this thread does now: the greenlet that runs, or who asked the hub for it. There is
 * no pending exception. */
struct pinsight_task_cause pinsight_task_greenlet_cause(struct pinsight_python_thread *thread);

/* It goes on; `raised`: with an exception. */
void pinsight_task_come_back(const struct pinsight_task_left *left, bool raised);

#endif
