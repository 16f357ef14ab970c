/*
 * All that the shim changes of libc's doings in a process: functions of libc that it stands in
 * front of, the environment, and the end of threads. Nothing else of PInsight's does such things,
 * and docs/in-your-process.md has a line for each.
 *
 * ready.c has what the rest of the shim calls; none.c has the same for the shim of
 * PINSIGHT_PLAIN=1, which has nothing else of this folder.
 *
 *   forward.[ch]  the functions, and where each leads
 *   execs.c       execve() and its like, for environ.c: the variables of the run
 *   forks.c       fork() and its like, for the recorder
 *   fds.c         close() and its like: the recorder's descriptors stay open
 *   threads.c     fopen(): CPython does not count the tracer's threads
 *   leader.c      a process ends with the program's last thread
 *   opened.c      from when on these four do that
 *   backtrace.c   backtrace(): ours is not in it
 *   waits.c       what CPython waits in: condition variables and semaphores
 *   unload.c      dlclose(): code addresses that come to mean something else
 */
#ifndef PINSIGHT_PRELOAD_LIBC_H
#define PINSIGHT_PRELOAD_LIBC_H

#include "preload/preload.h"
#include "record/recorder.h"

/* ---- ready.c ---- */

/* In the constructor, while there is one thread. */
void pinsight_libc_ready(void);

/* The process is a Python that will be observed; also in the constructor. */
void pinsight_libc_python_starts(void);

/* It is about to run its program. GIL held. */
void pinsight_libc_python_runs(void);

/* ---- processes that a recorder is in ---- */

/* Finds the functions that a signal handler may call (signal-safety(7)) ahead of their first use:
 * looking one up is not safe there. Called in the constructor. */
void pinsight_forward_ready(void);

/*
 * To be called when a domain has been opened in this process, so a recorder has been loaded: from
 * now on fork() and its like, close() and its like go through what guards it (record/recorder.h).
 * Thread-safe, more calls do nothing. Returns 0, or -1 where that is missing.
 */
PINSIGHT_EXPORT int pinsight_preload_opened(void);

/* ---- forks.c ---- */

/* `tell` is called around what the program does that the recorder has to know of
 * (record/recorder.h). libpinsight finds this by its name. */
PINSIGHT_EXPORT void pinsight_preload_on_leave(void (*listener)(enum pinsight_leave leave));

/* Tells the recorder. As safe in a signal handler as what it does then. */
void pinsight_tell_leave(enum pinsight_leave leave);

/* ---- backtrace.c ---- */

/* What backtrace() excludes from now on: code from `begin` to before `end`. The extension of
 * Python finds this by its name. Thread-safe; the same again does nothing. */
PINSIGHT_EXPORT void pinsight_preload_hide_code(const void *begin, const void *end);

/* ---- waits.c ---- */

/* Finds libc's functions. Called in the constructor. */
void pinsight_waits_ready(void);

/* ---- unload.c ---- */

/* `tell` is called whenever a library may have been unloaded; libpinsight finds this by its name.
 */
PINSIGHT_EXPORT void pinsight_preload_on_unload(void (*listener)(void));

/* Parts of pinsight_preload_opened(). */
struct pinsight_recorder_guards;
void pinsight_forks_follow(void);
void pinsight_forks_guard(const struct pinsight_recorder_guards *guards);
void pinsight_fds_guard(const struct pinsight_recorder_guards *guards);

/* To be called in the parent of a fork that the recorder was told of: for the thread count. */
void pinsight_threads_forked(bool in_child);

/* Whether a thread of this process, named as in /proc/self/task, is the recorder's or PInsight's.
 */
bool pinsight_task_is_tracers(const char *task);

/* Whether it has ended (a process's first thread is listed until the process ends). False where
 * that cannot be read. */
bool pinsight_task_has_ended(const char *task);

/* From now on a process ends with the program's last thread, not with the tracer's. Called once. */
void pinsight_leader_ready(void);

/* To be called in the child of a fork: the calling thread is its first. As safe in a signal handler
 * as pthread_setspecific(), for which glibc allocates nothing up to a process's 32nd key. */
void pinsight_leader_is_this(void);

#endif
