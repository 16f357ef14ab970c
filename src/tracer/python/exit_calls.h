/*
 * Calls that end the process or its program without exit functions (os._exit, os.exec*). The counts
 * are recorded before them. If C calls are observed, these calls are seen as such. Otherwise the
 * entries of the interpreter's method tables are redirected.
 */
#ifndef PINSIGHT_PYTHON_EXIT_CALLS_H
#define PINSIGHT_PYTHON_EXIT_CALLS_H

/* Redirects these functions, once. A function that cannot be redirected stays unchanged. Holds the
 * GIL. Leaves no exception set. */
void pinsight_exit_calls_start(void);

#endif
