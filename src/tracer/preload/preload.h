/*
 * Declarations that the files of libpinsight-preload.so share. Only functions with PINSIGHT_EXPORT
 * are visible outside the library.
 *
 * The library is loaded into every process of `pinsight run`, of which most are no Python. Until a
 * Python is found, it only looks up a handful of symbols.
 */
#ifndef PINSIGHT_PRELOAD_H
#define PINSIGHT_PRELOAD_H

#include "tracer/python/cpython/audit_hook.h"

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_EXPORT __attribute__((visibility("default")))

/* ---- extension.c: the Python extension for the interpreter of this process ------------------- */

/*
 * Writes the extension's tag for the result of Py_GetVersion(): "3.12", or "3.13t" for a
 * free-threaded build. Returns false, and writes "", if `version` does not begin with X.Y or `size`
 * is too small.
 */
bool pinsight_python_tag(const char *version, char *tag, size_t size);

/*
 * Returns whether the comma separated list names `domain`. Ignores case, and blanks around a name.
 * NULL and an empty list name every domain.
 */
bool pinsight_domain_wanted(const char *list, const char *domain);

/* Writes the tags of the extensions in `folder`, by version, as "3.8, 3.12" or "none". */
void pinsight_extensions_there(const char *folder, char *list, size_t size);

/*
 * Opens and starts the extension in `libdir` for the running interpreter. `version` is the result
 * of Py_GetVersion(). Called once, in the audit hook, with the GIL. On a failure it writes one
 * message, and the program continues.
 */
void pinsight_extension_start(const char *libdir, const char *version, pinsight_audit_hook hook);

/* ---- openmp.c ---- */

/* The shim's ompt_start_tool(), under a name that no program uses. */
PINSIGHT_EXPORT void *pinsight_preload_start_tool(unsigned version, const char *runtime);

/* Reports a tool of the program's own for its OpenMP runtime. Called in the constructor. */
void pinsight_openmp_ready(void);

/* ---- openmp_library.c ---- */

/* Opens libpinsight in the folder `libdir`. Returns its function of this name, which stays valid.
 * Returns NULL, with one message, if there is none. Any thread that may wait for the dynamic
 * linker. */
void *pinsight_preload_openmp(const char *libdir, const char *function);

/* ---- cure.c ---------------------------------------------------------------------------------- */

/* Returns the cure for a library that cannot be opened, as the end of a message. `error` is the
 * text of dlerror(). The result is static. */
const char *pinsight_load_cure(const char *error);

/* ---- messages.c ------------------------------------------------------------------------------ */

/* Notes whether the process has a stderr. Called in the constructor. */
void pinsight_message_ready(void);

/*
 * Writes "pinsight: ...\n" to stderr, once for each `topic` in the whole run. The topic consists of
 * characters of a file name. If $PINSIGHT_OUTPUT is no writable folder, it writes once in each
 * process. Writes nothing if stderr was closed when the process started. Keeps errno.
 */
void pinsight_message_once(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like pinsight_message_once(), for messages that the summary contains, too. `pinsight run -q` does
 * not write them to stderr. */
void pinsight_note_once(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
