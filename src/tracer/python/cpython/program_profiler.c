/* Ends of C calls that a profiler must not see; see program_profiler.h. */
#include "tracer/python/cpython/program_profiler.h"

/* The function of sys.setprofile, equal for all threads. */
static Py_tracefunc behind;
/* Number of profilers that were set. Open calls belong to one of them. */
static _Atomic uint32_t profilers;

static __thread uint32_t counted; /* the profiler that `open_calls` belongs to */
static __thread uint32_t open_calls;

static int balanced(PyObject *self, PyFrameObject *frame, int what, PyObject *argument) {
    uint32_t now = profilers;
    if (counted != now) {
        counted = now;
        open_calls = 0;
    }
    if (what == PyTrace_C_CALL) {
        open_calls++;
    } else if (what == PyTrace_C_RETURN || what == PyTrace_C_EXCEPTION) {
        if (open_calls == 0)
            return 0;
        open_calls--;
    }
    return behind(self, frame, what, argument);
}

bool pinsight_program_profiler_is_balanced(const PyThreadState *state) {
    return state->c_profilefunc == balanced;
}

void pinsight_program_profiler_balance(PyThreadState *state, bool anew) {
    if (!state->c_profilefunc)
        return;
    if (state->c_profilefunc != balanced)
        behind = state->c_profilefunc;
    if (anew)
        profilers++;
    state->c_profilefunc = balanced;
}
