/* The interpreter's list of thread states; see thread_list.h. */
#define Py_BUILD_CORE 1
#include "domains/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_pystate.h>
#endif

#include "domains/python/thread_list.h"

void pinsight_thread_list_lock(void) {
    PyThread_acquire_lock(_PyRuntime.interpreters.mutex, WAIT_LOCK);
}

void pinsight_thread_list_unlock(void) {
    PyThread_release_lock(_PyRuntime.interpreters.mutex);
}

#endif
