/*
 * What the files of libpinsight-preload.so share. Nothing here is seen outside that library, except
 * pinsight_preload_opened().
 *
 * The library is loaded into every process below `pinsight run`, most of which are no Python: what
 * runs before a Python is found is a handful of symbol look-ups.
 */
#ifndef PINSIGHT_PRELOAD_H
#define PINSIGHT_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_EXPORT __attribute__((visibility("default")))

/* A C audit hook, as PySys_AddAuditHook() takes it (Python/C API reference, PySys_AddAuditHook). */
typedef int (*pinsight_audit_hook)(const char *event, void *args, void *user_data);

/* ---- audit.c: a hook in CPython's list that can be taken out again -------------------------- */

/*
 * Registers `hook` with the CPython of this process, before or after its start. To be called in a
 * constructor, while there is one thread. `add` is the address of PySys_AddAuditHook.
 * Returns false where CPython refused it.
 */
bool pinsight_audit_add(int (*add)(pinsight_audit_hook, void *), pinsight_audit_hook hook);

/*
 * Takes the hook out of CPython's list. The entry itself stays in memory, so it is safe to call
 * from inside the hook. GIL held. A second call does nothing. Where the list's head could not be
 * found, the hook stays.
 */
void pinsight_audit_remove(void);

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

/* ---- forward.c, forks.c, fds.c, threads.c, leader.c, opened.c: processes that LTTng-UST is in
 * -----------
 */

/* Finds the functions that a signal handler may call (signal-safety(7)) ahead of their first use:
 * looking one up is not safe there. Called in the constructor. */
void pinsight_forward_ready(void);

/*
 * To be called when a domain has been opened in this process, so LTTng-UST has been loaded: from
 * now on fork() and its like go through liblttng-ust-fork.so, close() and its like through
 * liblttng-ust-fd.so (lttng-ust(3), "Using LTTng-UST with daemons" and "Closing of file
 * descriptors"). Thread-safe, more calls do nothing. Returns 0, or -1 where one is missing.
 */
PINSIGHT_EXPORT int pinsight_preload_opened(void);

/* ---- unload.c ---- */

/* `tell` is called whenever a library may have been unloaded; libpinsight finds this by its name.
 */
PINSIGHT_EXPORT void pinsight_preload_on_unload(void (*tell)(void));

/* Its parts; `library` is a handle of dlopen(). */
void pinsight_forks_lead_into(void *library);
void pinsight_fds_lead_into(void *library);

/* To be called in the parent of a fork that LTTng-UST was told of: for the thread count. */
void pinsight_threads_forked(void);

/* Whether a thread of this process, named as in /proc/self/task, is LTTng-UST's or PInsight's. */
bool pinsight_task_is_tracers(const char *task);

/* Whether it has ended (a process's first thread is listed until the process ends). False where
 * that cannot be read. */
bool pinsight_task_has_ended(const char *task);

/* From now on a process ends with the program's last thread, not with the tracer's. Called once. */
void pinsight_leader_ready(void);

/* To be called in the child of a fork: the calling thread is its first. As safe in a signal handler
 * as pthread_setspecific(), for which glibc allocates nothing up to a process's 32nd key. */
void pinsight_leader_is_this(void);

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

#endif
