/*
 * Calls that end the process, or the program in it, past every exit function (os._exit, os.exec*):
 * the accounts are written before them. Where C calls are observed, they are seen as such; where
 * they are not, nothing tells us, so the entries of the interpreter's method table lead here first.
 */
#ifndef PINSIGHT_PYTHON_EXIT_CALLS_H
#define PINSIGHT_PYTHON_EXIT_CALLS_H

/* Lead these functions over here, once; where that cannot be, they stay as they are. Holds the GIL;
 * leaves no exception set. */
void pinsight_exit_calls_start(void);

#endif
