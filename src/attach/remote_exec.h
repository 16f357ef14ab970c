/*
 * Makes a running CPython of version 3.14 or later execute a script (PEP 768). The function
 * sys.remote_exec() asks the main thread alone, which may wait for hours. PInsight asks further
 * threads, too, and the first that responds executes the script.
 */
#ifndef PINSIGHT_ATTACH_REMOTE_EXEC_H
#define PINSIGHT_ATTACH_REMOTE_EXEC_H

#include "attach/runtime.h"

#include <stdbool.h>

enum pinsight_remote {
    PINSIGHT_REMOTE_DONE,
    PINSIGHT_REMOTE_OFF,      /* the interpreter was started with scripts forbidden */
    PINSIGHT_REMOTE_GONE,     /* the process has no interpreter yet, or none any more */
    PINSIGHT_REMOTE_SILENT,   /* no thread responded in time; the request is withdrawn */
    PINSIGHT_REMOTE_TOO_LONG, /* the script's path */
    PINSIGHT_REMOTE_FAILED,   /* with errno */
};

/*
 * Asks the process until `is_done(data)` returns true, for at most `patience_ms` milliseconds.
 * `script` is the path of a file. Several threads may execute it, so it must do its work only once.
 * After the return no thread is asked any more. A thread that was about to start may still open the
 * file, so the caller keeps the file for a while.
 */
enum pinsight_remote pinsight_remote_exec(const struct pinsight_runtime *runtime,
                                          const char *script, int64_t patience_ms,
                                          bool (*is_done)(void *data), void *data);

#endif
