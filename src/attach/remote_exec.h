/*
 * Has a running CPython, 3.14 and later, execute a script (PEP 768): as sys.remote_exec() does, but
 * in whichever thread comes to it first, as the main thread may wait for hours.
 */
#ifndef PINSIGHT_ATTACH_REMOTE_EXEC_H
#define PINSIGHT_ATTACH_REMOTE_EXEC_H

#include "attach/runtime.h"

#include <stdbool.h>

enum pinsight_remote {
    PINSIGHT_REMOTE_DONE,
    PINSIGHT_REMOTE_OFF,      /* the interpreter was told to refuse scripts */
    PINSIGHT_REMOTE_GONE,     /* it has no interpreter, yet or any more */
    PINSIGHT_REMOTE_SILENT,   /* no thread came to it in time; it is not asked any more */
    PINSIGHT_REMOTE_TOO_LONG, /* the script's path */
    PINSIGHT_REMOTE_FAILED,   /* errno */
};

/*
 * Asks the process until `is_done(data)`, for at most `patience_ms`. The script may be executed by
 * several threads, and has to see to it that it does its work once. Afterwards no thread is asked
 * any more; one that was just about to may still open the script's file, which is to stay there
 * for a while.
 */
enum pinsight_remote pinsight_remote_exec(const struct pinsight_runtime *runtime,
                                          const char *script, int64_t patience_ms,
                                          bool (*is_done)(void *data), void *data);

#endif
