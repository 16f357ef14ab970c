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

/* ---- openmp.c ---- */

/* What ompt_start_tool of the shim does; by a name that no program has. */
PINSIGHT_EXPORT void *pinsight_preload_start_tool(unsigned version, const char *runtime);

/* Says so where the program has a tool of its own for its OpenMP runtime. In the constructor. */
void pinsight_openmp_ready(void);

/* ---- cure.c ---------------------------------------------------------------------------------- */

/* What to do where a library cannot be opened, for which dlopen() says `error`: the end of a
 * message. */
const char *pinsight_load_cure(const char *error);

/* ---- messages.c
 * ---------------------------------------------------------------------------------- */

/* Notes whether there is a stderr to write to. Called in the constructor. */
void pinsight_message_ready(void);

/*
 * Writes "pinsight: ...\n" to stderr, once for each `topic` (a file name's characters) in the whole
 * run where $PINSIGHT_OUTPUT is a folder that can be written, else once in each process. Writes
 * nothing where stderr was closed when the process started. Keeps errno.
 */
void pinsight_message_once(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what the summary tells too: stderr does not get it with `pinsight run -q`. */
void pinsight_note_once(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
