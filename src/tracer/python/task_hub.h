/*
 * The causes of callbacks by gevent's hub. A greenlet that sets an event, or that ends, requests a
 * callback from the hub's loop. The callback resumes waiting greenlets. The loop makes the
 * callbacks in the order of the requests. A list for each loop therefore identifies who requested
 * the current callback. Callbacks of timers and sockets have no requester. All functions hold the
 * GIL.
 */
#ifndef PINSIGHT_PYTHON_TASK_HUB_H
#define PINSIGHT_PYTHON_TASK_HUB_H

#include "tracer/python/tasks.h"

/* Begins to watch gevent's loop, for good. `module` has just been loaded; NULL checks the loaded
 * modules. Repeated calls do nothing. There is no pending exception. */
void pinsight_task_hub_watch(PyObject *module);

/* Fills in the cause of the current callback of a loop, given by its address. Returns false if
 * there is no requester, or if the request was not observed. There is no pending exception. */
bool pinsight_task_hub_asked(const void *loop, struct pinsight_task_cause *cause);

/* Resets the state in a forked child. */
void pinsight_task_hub_fork_child(void);

#endif
