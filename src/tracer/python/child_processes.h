/*
 * Processes that Python starts and waits for, and the program's own name of this process, as the
 * events process_start, process_end and process_name. The functions of the modules posix and
 * _posixsubprocess are redirected, which all of the library uses: os, subprocess, multiprocessing,
 * asyncio. Processes that C starts are not seen.
 */
#ifndef PINSIGHT_PYTHON_CHILD_PROCESSES_H
#define PINSIGHT_PYTHON_CHILD_PROCESSES_H

/* Redirects the functions, once. A function that cannot be redirected stays unchanged. Holds the
 * GIL. Leaves no exception set. */
void pinsight_child_processes_start(void);

/* Records the names of this process, at its end. Runs no code of the program. Holds the GIL. Keeps
 * a pending exception. */
void pinsight_child_processes_name(void);

#endif
