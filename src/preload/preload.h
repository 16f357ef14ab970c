/*
 * What the files of libpinsight-preload.so share. Nothing here is seen outside that library, except
 * pinsight_preload_opened().
 *
 * The library is loaded into every process below `pinsight run`, most of which are no Python: what
 * runs before a Python is found is a handful of symbol look-ups.
 */
#ifndef PINSIGHT_PRELOAD_H
#define PINSIGHT_PRELOAD_H

#include "domains/python/cpython/audit_hook.h"

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_EXPORT __attribute__((visibility("default")))

/* ---- extension.c: the Python extension for the interpreter of this process ------------------- */

/*
 * Writes the extension's tag for what Py_GetVersion() said: "3.12", or "3.13t" for a free-threaded
 * build. Returns false, and writes "", where `version` starts with no X.Y or `size` is too small.
 */
bool pinsight_python_tag(const char *version, char *tag, size_t size);

/*
 * Whether the comma separated list names `domain` (case does not matter, blanks around a name
 * neither). NULL and an empty list name every domain.
 */
bool pinsight_domain_wanted(const char *list, const char *domain);

/*
 * Writes the tags of the extensions in `folder`, in no order of meaning, as "3.8, 3.12" or "none".
 */
void pinsight_extensions_there(const char *folder, char *list, size_t size);

/*
 * Opens the extension of `libdir` for the running interpreter and starts it. Called once, in the
 * audit hook, GIL held. Every failure gives one message; the program goes on.
 * `version` is what Py_GetVersion() returned.
 */
void pinsight_extension_start(const char *libdir, const char *version, pinsight_audit_hook hook);

/* ---- forward.c, forks.c, fds.c, threads.c, leader.c, opened.c: processes that a recorder is in */

/* Finds the functions that a signal handler may call (signal-safety(7)) ahead of their first use:
 * looking one up is not safe there. Called in the constructor. */
void pinsight_forward_ready(void);

/*
 * To be called when a domain has been opened in this process, so a recorder has been loaded: from
 * now on fork() and its like, close() and its like go through what guards it (record/recorder.h).
 * Thread-safe, more calls do nothing. Returns 0, or -1 where that is missing.
 */
PINSIGHT_EXPORT int pinsight_preload_opened(void);

/* ---- unload.c ---- */

/* `tell` is called whenever a library may have been unloaded; libpinsight finds this by its name.
 */
PINSIGHT_EXPORT void pinsight_preload_on_unload(void (*tell)(void));

/* Parts of pinsight_preload_opened(). */
struct pinsight_recorder_guards;
void pinsight_forks_guard(const struct pinsight_recorder_guards *guards);
void pinsight_fds_guard(const struct pinsight_recorder_guards *guards);

/* To be called in the parent of a fork that the recorder was told of: for the thread count. */
void pinsight_threads_forked(void);

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

/* ---- stand_in.c, unseen.c, schedule.c: LLVM's OpenMP in place of GCC's ---- */

/* Reads what `pinsight run` has found ($PINSIGHT_LIBOMP): the path of a libomp that may stand in
 * for libgomp, `none` where nothing was known beforehand, `no` where it is settled that libgomp
 * stays. Called in the constructor. */
void pinsight_stand_in_ready(void);

/* The libomp that may stand in; NULL where there is none. */
const char *pinsight_stand_in_path(void);

/* Bits of enum pinsight_runtime_kind: the OpenMP runtimes that are loaded, by their files' names.
 */
unsigned pinsight_runtimes_loaded(void);

/* Says what the process's OpenMP at its start is not seen for, if it has one. In the constructor.
 */
void pinsight_unseen_at_start(void);

/* Says that the OpenMP of `who` is not recorded, whose runtime is `libgomp`: why, and `what` of it;
 * NULL and "": nothing more. */
void pinsight_say_unseen(const char *who, const char *libgomp, const char *why, const char *what);

/* Is called with the tool that a runtime will be given, or NULL, and gives what it is to be given
 * in its place: until that one's initialize() libgomp's default of OMP_SCHEDULE is in force where
 * libomp stands in for it. */
void *pinsight_schedule_lend(void *tool);

/* What ompt_start_tool of the shim does; by a name that no program has. */
PINSIGHT_EXPORT void *pinsight_preload_start_tool(unsigned version, const char *runtime);

/* ---- say.c: messages ------------------------------------------------------------------------- */

/* Notes whether there is a stderr to write to. Called in the constructor. */
void pinsight_say_ready(void);

/*
 * Writes "pinsight: ...\n" to stderr, once for each `topic` (a file name's characters) in the whole
 * run where $PINSIGHT_OUTPUT is a folder that can be written, else once in each process. Writes
 * nothing where stderr was closed when the process started. Keeps errno.
 */
void pinsight_say_once(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what the summary tells too: stderr does not get it with `pinsight run -q`. */
void pinsight_note_once(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
