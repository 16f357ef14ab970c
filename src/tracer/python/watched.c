/* Watched code; see watched.h. */
#include "tracer/python/watched.h"

#include "tracer/python/cpython/trio.h"
#include "tracer/python/import.h"
#include "tracer/python/mode.h"

PyCodeObject *pinsight_watched(enum pinsight_watched what) {
    if (what == PINSIGHT_WATCHED_IMPORT)
        return pinsight_python.imports || pinsight_python.imports_apart ? pinsight_import_code()
                                                                        : NULL;
    return pinsight_python.tasks ? pinsight_trio_scheduler() : NULL;
}

bool pinsight_is_watched(const PyCodeObject *code) {
    for (int what = 0; what < PINSIGHT_WATCHED; what++)
        if (pinsight_watched((enum pinsight_watched)what) == code)
            return true;
    return false;
}

void pinsight_watched_trio(void) {
    static bool is_seen;
    if (is_seen || !pinsight_watched(PINSIGHT_WATCHED_SCHEDULE))
        return;
    is_seen = true;
    if (!pinsight_python.functions)
        pinsight_python_catch_up();
}
