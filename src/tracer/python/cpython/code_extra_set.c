/* Code extras beside those of other libraries; see code_extra_set.h. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#else
#include <internal/pycore_interp.h>
#endif

#include "tracer/python/code.h"
#include "tracer/python/cpython/code_extra_set.h"

/* The most other libraries that can have one. */
#define EACH(X)                                                                                    \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

static freefunc given[16];

#define GUARD(n)                                                                                   \
    static void guard_##n(void *extra) {                                                           \
        if (extra)                                                                                 \
            given[n](extra);                                                                       \
    }
EACH(GUARD)

#define NAME(n) guard_##n,
static const freefunc guards[] = {EACH(NAME)};
#define GUARDS ((Py_ssize_t)(sizeof guards / sizeof *guards))

/* Puts a guard before each new free function, before room is made for its extras. */
static void guard(PyInterpreterState *interpreter) {
    static Py_ssize_t guarded;
    Py_ssize_t count = interpreter->co_extra_user_count;
    if (count == guarded || interpreter != PyInterpreterState_Main())
        return;
    /* Our index must be where these headers say. */
    if (count <= 0 || count > MAX_CO_EXTRA_USERS || pinsight_code_extra_index >= count ||
        interpreter->co_extra_freefuncs[pinsight_code_extra_index] != pinsight_code_gone)
        return;
    for (Py_ssize_t i = 0; i < count && i < GUARDS; i++) {
        freefunc *place = &interpreter->co_extra_freefuncs[i];
        if (!*place || *place == guards[i] || i == pinsight_code_extra_index)
            continue;
        given[i] = *place;
        *place = guards[i];
    }
    guarded = count;
}

int pinsight_code_extra_set(PyCodeObject *code, Py_ssize_t index, void *extra) {
    guard(PyThreadState_Get()->interp);
    return PyUnstable_Code_SetExtra((PyObject *)code, index, extra);
}
