/*
 * Forks, seen by the interpreter. In a forked child windows begin anew, so code that the parent was
 * done with, and that the interpreter reports no more, is to be reported again. And signals wait
 * until the child's interpreter is in order (core/fork_signals.h).
 */
#ifndef PINSIGHT_PYTHON_FORK_HOOKS_H
#define PINSIGHT_PYTHON_FORK_HOOKS_H

/*
 * Let `begins` be called in every child that os.fork(), os.forkpty() or a preexec_fn of
 * subprocess's makes, with the GIL held, before the program goes on; from now on signals are held
 * around each of these. Once; later calls do nothing. Returns 0, or -1 with an exception set.
 */
int pinsight_fork_hooks_start(void (*begins)(void));

#endif
