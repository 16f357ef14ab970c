/* Threads that stop because of a signal; see frozen_by_signal.h. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif

#include "tracer/python/cpython/frozen_by_signal.h"

#if PINSIGHT_FREEZES_BY_SIGNALS

bool pinsight_signal_waits(void) {
    struct _ceval_state *state = &PyInterpreterState_Main()->ceval;
    return _Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending) &&
           _Py_atomic_load_relaxed(&state->eval_breaker) &&
           !_Py_atomic_load_relaxed(&state->gil_drop_request);
}

#endif
