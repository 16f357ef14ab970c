/* The stop of all threads, after a fork; see stopped_world.h. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#if !PINSIGHT_HAS_GIL
#undef _PyGC_FINALIZED
#include <internal/pycore_interp.h>

#include <string.h>
#endif

#include "tracer/python/cpython/stopped_world.h"

bool pinsight_stopped_world_fork_child(void) {
#if !PINSIGHT_HAS_GIL
    PyInterpreterState *interpreter = PyInterpreterState_Head();
    for (; interpreter; interpreter = PyInterpreterState_Next(interpreter))
        memset(&interpreter->stoptheworld.mutex, 0, sizeof interpreter->stoptheworld.mutex);
#endif
    return true;
}
