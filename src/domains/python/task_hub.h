/*
 * Why gevent's hub calls back what it does: a greenlet that sets an event, or ends, asks the loop
 * of the hub for a callback, which goes on with those that wait. The loop calls what it was asked
 * for in that order, so a list by loop says who asked for the one that is under way. Timers and
 * sockets are the loop's own: nobody asked. All hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_TASK_HUB_H
#define PINSIGHT_PYTHON_TASK_HUB_H

#include "domains/python/tasks.h"

/* From now on, for good, where gevent's loop is `module` or, where that is NULL, is loaded. Again
 * does nothing. There is no pending exception. */
void pinsight_task_hub_watch(PyObject *module);

/* Who asked for what this loop, by its address, calls back now; false where nobody did, or that was
 * not seen. There is no pending exception. */
bool pinsight_task_hub_asked(const void *loop, struct pinsight_task_cause *cause);

/* In a forked child. */
void pinsight_task_hub_fork_child(void);

#endif
