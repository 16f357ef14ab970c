/* Profilers of the program that replace PInsight's; see profiler_replaced.h. */
#include "tracer/python/profiler_replaced.h"

#include "tracer/python/versions.h"

#if !PINSIGHT_HAS_MONITORING

#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/core/watchdog.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/profile_hook.h"
#include "tracer/python/cpython/program_profiler.h"
#include "tracer/python/generators.h"
#include "tracer/python/listen.h"
#include "tracer/python/modules.h"
#include "tracer/python/path.h"
#include "tracer/python/profile.h"
#include "tracer/record/python.h"

static PyCFunction own_setprofile, own_enable, own_disable;

static bool always(void) {
    return true;
}

/* Records that the program has a profiler, once for a process. */
static void record(void) {
    static int32_t recorded; /* pid */
    if (recorded == pinsight_process.pid || !pinsight_record_python_profiler_replaced_enabled() ||
        pinsight_stuck())
        return;
    recorded = pinsight_process.pid;
    pinsight_record_python_profiler_replaced(pinsight_process.pid, pinsight_path_here());
}

/* Called when a profiler may have been set or removed. While there is one, a thread waits for its
 * end, because not every removal is seen here. */
static void look(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (!pinsight_profile_come_back())
        return;
    pinsight_generators_forget();
    pinsight_log_once(
        &once, "the program starts a profiler of its own (sys.setprofile or cProfile); while it "
               "runs, its thread is not traced (CPython 3.12 and later trace both)");
    record();
    pinsight_listen_start(always, look);
}

/* Like look(), in the observed interpreter alone. The method tables are common to all interpreters
 * of the process. */
static void look_here(void) {
    if (pinsight_in_main_interpreter())
        look();
}

static PyObject *on_setprofile(PyObject *self, PyObject *function) {
    PyThreadState *state = PyThreadState_Get();
    Py_tracefunc there = pinsight_profile_hook_own();
    bool first = !there || pinsight_profile_is_ours(there);
    bool goes_on = pinsight_program_profiler_is_balanced(state);
    PyObject *result = own_setprofile(self, function);
    if (result && (first || goes_on) && pinsight_in_main_interpreter())
        pinsight_program_profiler_balance(state, first);
    look_here();
    return result;
}

static PyObject *on_enable(PyObject *self, PyObject *arguments, PyObject *keywords) {
    PyObject *result =
        ((PyCFunctionWithKeywords)(void (*)(void))own_enable)(self, arguments, keywords);
    look_here();
    return result;
}

static PyObject *on_disable(PyObject *self, PyObject *nothing) {
    PyObject *result = own_disable(self, nothing);
    look_here();
    return result;
}

static void redirect_sys(void) {
    PyObject *function = PySys_GetObject("setprofile");
    pinsight_function_redirect(function, METH_O, on_setprofile, &own_setprofile);
}

static void redirect_method(PyObject *type, const char *name, int flags, PyCFunction to,
                            PyCFunction *own) {
    PyObject *method = PyDict_GetItemString(((PyTypeObject *)type)->tp_dict, name);
    if (method && Py_TYPE(method) == &PyMethodDescr_Type)
        pinsight_method_redirect(((PyMethodDescrObject *)method)->d_method, flags, to, own);
}

static void redirect_profiler(void) {
    PyObject *module = pinsight_module_there("_lsprof");
    PyObject *type = module ? PyDict_GetItemString(PyModule_GetDict(module), "Profiler") : NULL;
    if (!type || !PyType_Check(type))
        return;
    redirect_method(type, "enable", METH_VARARGS | METH_KEYWORDS,
                    (PyCFunction)(void (*)(void))on_enable, &own_enable);
    redirect_method(type, "disable", METH_NOARGS, on_disable, &own_disable);
}

void pinsight_profiler_replaced_start(void) {
    if (!own_setprofile)
        redirect_sys();
    if (!own_enable)
        redirect_profiler();
}

#endif
