/* Greenlets as tasks. Each has a number, a function, and a waiting place. gevent's hub corresponds
 * to an event loop, and is no task. All functions hold the GIL, and keep a pending exception. */
#ifndef PINSIGHT_PYTHON_TASK_GREENLETS_H
#define PINSIGHT_PYTHON_TASK_GREENLETS_H

#include "tracer/python/tasks.h"

struct pinsight_python_thread;

/* Called when a greenlet is made in this thread. */
void pinsight_task_greenlet_made(PyObject *greenlet);

/* The first returns a greenlet's number, or 0. The second is called when a greenlet was freed,
 * which may have resumed it once more. */
uint32_t pinsight_task_greenlet(const PyObject *greenlet);
void pinsight_task_greenlet_gone(const PyObject *greenlet, uint32_t number);

/* The state of a greenlet while others run. */
struct pinsight_task_left {
    const void *greenlet; /* only compared; no reference */
    const void *loop;     /* gevent's hub, whose loop makes the callbacks */
    uint32_t number;      /* number of its current task, 0 for none */
};

/* Called when the running greenlet switches to another one. `to` is that greenlet if it starts now,
 * or NULL. */
void pinsight_task_leave(struct pinsight_task_left *left, PyObject *to);

/* Returns the cause of this thread's current action: the running greenlet, or the task that
 * requested the hub's callback. There is no pending exception. */
struct pinsight_task_cause pinsight_task_greenlet_cause(struct pinsight_python_thread *thread);

/* Called when the greenlet is resumed. `raised` means by an exception. */
void pinsight_task_come_back(const struct pinsight_task_left *left, bool raised);

#endif
