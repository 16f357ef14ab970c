/*
 * Greenlets switch the C stack within a C call, and the interpreter's frames with it, without an
 * event. PInsight redirects the functions that switch. The open executions of the greenlet that
 * switches are paused, and are resumed with it.
 */
#ifndef PINSIGHT_PYTHON_GREENLETS_H
#define PINSIGHT_PYTHON_GREENLETS_H

/* Begins to watch greenlets, also if the module is loaded later. Cannot be undone. Repeated calls
 * do nothing. Keeps a pending exception. Holds the GIL. Does nothing in a build of CPython without
 * a GIL. */
void pinsight_greenlets_watch(void);

#endif
