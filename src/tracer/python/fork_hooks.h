/*
 * Hooks around the interpreter's forks. Windows begin again in a forked child, so the interpreter
 * must report code again that the parent had finished with. Signals are blocked until the child's
 * interpreter is ready (tracer/core/fork_signals.h).
 */
#ifndef PINSIGHT_PYTHON_FORK_HOOKS_H
#define PINSIGHT_PYTHON_FORK_HOOKS_H

/*
 * Calls `begins` in every child of os.fork(), os.forkpty() and subprocess's preexec_fn, with the
 * GIL held, before the program continues. Blocks signals around these forks. Later calls do
 * nothing. Returns 0, or -1 with an exception set.
 */
int pinsight_fork_hooks_start(void (*begins)(void));

#endif
