/* Callbacks of sys.monitoring; see callbacks.h. They are written to the interpreter's own table,
 * whose place its headers define. Another patch release may have another place. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING

#undef _PyGC_FINALIZED
#include <internal/pycore_interp.h>

#include "tracer/python/cpython/callbacks.h"

/* Returns whether the tool's name is where these headers say. The callbacks lie directly before the
 * names. */
static bool place_is_known(PyObject *module, long tool) {
    PyInterpreterState *interpreter = PyThreadState_Get()->interp;
    PyObject *name = module ? PyObject_CallMethod(module, "get_tool", "l", tool) : NULL;
    bool known = name && name != Py_None && interpreter->monitoring_tool_names[tool] == name;
    Py_XDECREF(name);
    PyErr_Clear();
    return known;
}

#if !PINSIGHT_HAS_GIL
/* Keeps the callback for good, because another thread may be about to call it when it is replaced.
 * A shared reference count would slow the threads down. */
static void make_immortal(PyObject *callback) {
    PyObject_GC_UnTrack(callback);
    callback->ob_tid = _Py_UNOWNED_TID;
    callback->ob_ref_shared = 0;
    __atomic_store_n(&callback->ob_ref_local, _Py_IMMORTAL_REFCNT_LOCAL, __ATOMIC_RELAXED);
}
#endif

bool pinsight_callback_put(PyObject *module, long tool, long mask, PyObject *callback) {
    int event = __builtin_ctzl((unsigned long)mask);
    if (mask <= 0 || event >= _PY_MONITORING_EVENTS || !place_is_known(module, tool))
        return false;
#if !PINSIGHT_HAS_GIL
    if (callback)
        make_immortal(callback);
#endif
    PyObject **place = &PyThreadState_Get()->interp->monitoring_callables[tool][event];
    PyObject *before = *place;
    Py_XINCREF(callback);
    __atomic_store_n(place, callback, __ATOMIC_RELEASE);
    Py_XDECREF(before);
    return true;
}

void pinsight_callback_direct(PyObject *callback, vectorcallfunc function) {
    ((PyCFunctionObject *)callback)->vectorcall = function;
}

bool pinsight_calls_are_watched(long tool) {
    PyObject *module = PySys_GetObject("monitoring"); /* borrowed */
    if (!place_is_known(module, tool))
        return false;
    unsigned tools = PyThreadState_Get()->interp->monitors.tools[PY_MONITORING_EVENT_CALL];
    return (tools & ~(1u << tool)) != 0;
}

#endif
