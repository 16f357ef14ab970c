/*
 * Forked children, seen by the interpreter: windows begin anew in them, so code that the parent was
 * done with, and that the interpreter reports no more, is to be reported again.
 */
#ifndef PINSIGHT_PYTHON_CHILD_H
#define PINSIGHT_PYTHON_CHILD_H

/*
 * Let `begins` be called in every child that os.fork() or os.forkpty() makes, with the GIL held,
 * before the program goes on. Once; later calls do nothing. Returns 0, or -1 with an exception set.
 */
int pinsight_child_start(void (*begins)(void));

#endif
