/*
 * All changes that the shim makes to libc's behaviour in a process: replaced functions, the
 * environment, and the end of threads. No other part of PInsight changes these.
 * docs/in-your-process.md has a line for each.
 *
 * ready.c has the functions that the rest of the shim calls. none.c has them for the shim of
 * PINSIGHT_PLAIN=1, which has nothing else of this folder.
 *
 *   forward.[ch]  the replaced functions, and their targets
 *   execs.c       execve() and others, for environ.c: the variables of the run
 *   forks.c       fork() and others, for the recorder
 *   fds.c         close() and others: the recorder's descriptors stay open
 *   threads.c     fopen(): CPython does not count the tracer's threads
 *   leader.c      a process ends with the program's last thread
 *   creates.c     pthread_create(): tells who starts a thread, waits for memory of threads that end
 *   opened.c      switches these five on when a recorder is opened
 *   backtrace.c   backtrace(): without frames of PInsight
 *   waits.c       functions that CPython waits in: condition variables and semaphores
 *   unload.c      dlclose(): the recorder forgets code addresses of the library
 */
#ifndef PINSIGHT_PRELOAD_LIBC_H
#define PINSIGHT_PRELOAD_LIBC_H

#include "tracer/preload/preload.h"
#include "tracer/record/recorder.h"

/* ---- ready.c ---- */

/* Called in the constructor, while there is one thread. */
void pinsight_libc_ready(void);

/* Called in the constructor, if the process is a Python that will be observed. */
void pinsight_libc_python_starts(void);

/* Called before the Python runs its program, with the GIL. */
void pinsight_libc_python_runs(void);

/* ---- processes that have a recorder ---- */

/* Looks up the functions that a signal handler may call (signal-safety(7)) before their first use,
 * because looking up is unsafe there. Called in the constructor. */
void pinsight_forward_ready(void);

/*
 * Called when a domain, and with it a recorder, has been opened in this process. From then on
 * fork(), close() and the related functions call the recorder's guards (tracer/record/recorder.h).
 * Further calls do nothing. Returns 0, or -1 if the guards are missing. Thread-safe.
 */
PINSIGHT_EXPORT int pinsight_preload_opened(void);

/* ---- forks.c ---- */

/* Sets the function that is called around actions of the program that the recorder must know
 * (tracer/record/recorder.h). libpinsight finds this function by its name. */
PINSIGHT_EXPORT void
pinsight_preload_on_restriction(void (*listener)(enum pinsight_restriction restriction));

/* Notifies the recorder. As safe in a signal handler as the recorder's function. */
void pinsight_notify_restriction(enum pinsight_restriction restriction);

/* From now on, signals do not wait for forks. Called before the program forbids itself to block
 * signals (seccomp(2)). */
void pinsight_forks_block_no_signals(void);

/* ---- backtrace.c ---- */

/* Excludes the code from `begin` to before `end` from backtrace(). A range that is excluded already
 * is ignored. The Python extension finds this function by its name. Thread-safe. */
PINSIGHT_EXPORT void pinsight_preload_hide_code(const void *begin, const void *end);

/* ---- waits.c ---- */

/* Looks up libc's functions. Called in the constructor. */
void pinsight_waits_ready(void);

/* ---- unload.c ---- */

/* Sets the function that is called whenever a library may have been unloaded. libpinsight finds
 * this function by its name. */
PINSIGHT_EXPORT void pinsight_preload_on_unload(void (*listener)(void));

/* ---- creates.c ---- */

/* Sets the functions that are called around the start of each thread of the program. libpinsight
 * finds this function by its name. */
struct pinsight_thread_starts;
PINSIGHT_EXPORT void pinsight_preload_on_thread(const struct pinsight_thread_starts *listener);

/* Parts of pinsight_preload_opened(). */
struct pinsight_recorder_guards;
void pinsight_forks_follow(void);
void pinsight_forks_guard(const struct pinsight_recorder_guards *guards);
void pinsight_fds_guard(const struct pinsight_recorder_guards *guards);

/* Called in the parent and the child of a fork that the recorder was notified of, for the thread
 * count. */
void pinsight_threads_forked(bool in_child);

/* From now on, programs see PInsight's threads in /proc/self/stat. Called before the program
 * forbids itself to look for them. */
void pinsight_threads_show_all(void);

/* Returns whether a thread of this process belongs to the recorder or to PInsight. `task` is its
 * name in /proc/self/task. */
bool pinsight_task_is_tracers(const char *task);

/* Returns whether a thread has ended: the first thread of a process is listed until the process
 * ends. Returns false if that cannot be read. */
bool pinsight_task_has_ended(const char *task);

/* Sets whether pthread_create() is repeated for a while if memory or threads are scarce.
 * Thread-safe. */
void pinsight_creates_wait(bool wait);

/* From now on the process ends with the program's last thread, not with the tracer's. Called
 * once. */
void pinsight_leader_ready(void);

/* Called in the child of a fork, whose first thread is the calling thread. As safe in a signal
 * handler as pthread_setspecific(), for which glibc allocates nothing up to a process's 32nd
 * key. */
void pinsight_leader_is_this(void);

#endif
