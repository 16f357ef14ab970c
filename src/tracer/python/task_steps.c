/* The redirected calls of event loops; see tasks.h. */
#include "tracer/python/task_steps.h"

#include "tracer/core/clock.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/asyncio.h"
#include "tracer/python/cpython/frame.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/extension_modules.h"
#include "tracer/python/modules.h"
#include "tracer/python/task_callback.h"
#include "tracer/python/task_loops.h"
#include "tracer/python/task_wakes.h"
#include "tracer/python/tasks.h"
#include "tracer/python/text.h"
#include "tracer/python/watched.h"

#include <stdlib.h>
#include <string.h>

/* The least duration of a recorded callback. */
#define HELD_NS 1000000u
#define HELD_BYTES 24u

static bool watching;

struct pinsight_python_thread *pinsight_task_thread(void) {
    if (!watching || !pinsight_in_main_interpreter() ||
        pinsight_domain_mode_now(&pinsight_python_domain) != PINSIGHT_MODE_TRACING ||
        !pinsight_record_python_task_switch_enabled() || pinsight_stuck())
        return NULL;
    struct pinsight_python_thread *thread = pinsight_python_thread();
    if (!thread || thread->is_out_of_range)
        return NULL;
    if (thread->name_tries > 0)
        pinsight_python_thread_find_name(thread, false);
    return thread;
}

/* ---- callbacks of event loops that are no steps ---- */

static void record_held(PyObject *callback, uint64_t held_ns) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    struct pinsight_python_thread *thread = pinsight_task_thread();
    callback = pinsight_callback_callee(callback);
    PyCodeObject *code = pinsight_callback_code(callback);
    uint32_t path = thread && code ? pinsight_task_path_of_code(code) : 0;
    char *name = thread ? pinsight_callback_name(callback) : NULL;
    if (name) {
        pinsight_python_progress(thread);
        pinsight_record_python_loop_held(thread->tid, held_ns, name, path);
        pinsight_python_progress(thread);
        pinsight_add_bytes(thread, HELD_BYTES + (uint32_t)strlen(name));
    }
    free(name);
    PyErr_Restore(type, value, traceback);
}

/* ---- contextvars.Context.run(), by which event loops that are written in Python call back ---- */

static PyCFunction own_run;

static PyObject *call_own(PyObject *context, PyObject *const *arguments, Py_ssize_t count,
                          PyObject *names) {
    return ((_PyCFunctionFastWithKeywords)(void (*)(void))own_run)(context, arguments, count,
                                                                   names);
}

static bool is_from_handle(void) {
    const pinsight_frame *frame = pinsight_frame_top(PyThreadState_Get());
    return frame && pinsight_asyncio_is_handle(pinsight_frame_code(frame));
}

static void find_types(void);

static PyObject *context_run(PyObject *context, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *names) {
    struct pinsight_python_thread *thread =
        watching && PyVectorcall_NARGS((size_t)count) > 0 ? pinsight_task_thread() : NULL;
    if (!thread)
        return call_own(context, arguments, count, names);
    find_types();
    PyObject *callback = arguments[0];
    struct pinsight_task_identity task = {.object = pinsight_asyncio_task_of(callback)};
    if (!task.object) {
        task.object = pinsight_asyncio_coroutine_of(callback);
        task.is_coroutine = true;
        if (task.object)
            pinsight_watched_trio();
    }
    if (task.object) {
        struct pinsight_task_step step;
        pinsight_task_step_begin(&step, thread, &task);
        PyObject *result = call_own(context, arguments, count, names);
        pinsight_task_step_end(&step, !result);
        return result;
    }
    if (!is_from_handle())
        return call_own(context, arguments, count, names);
    uint64_t begin_ns = pinsight_clock_ns();
    PyObject *result = call_own(context, arguments, count, names);
    uint64_t held_ns = pinsight_clock_ns() - begin_ns;
    if (held_ns >= HELD_NS)
        record_held(callback, held_ns);
    return result;
}

static void redirect_run(void) {
    PyMethodDef *method = own_run ? NULL : pinsight_method_of(&PyContext_Type, "run");
    if (method)
        pinsight_method_redirect(method, METH_FASTCALL | METH_KEYWORDS,
                                 (PyCFunction)(void (*)(void))context_run, &own_run);
}

/* ---- steps that an event loop calls directly ---- */

static ternaryfunc own_calls[PINSIGHT_ASYNCIO_WRAPPERS];
static PyCFunction own_wakeup;

/* Begins a step of a task. Returns false if the task has an open step, or is not recorded. */
static bool begins(struct pinsight_task_step *step, PyObject *object) {
    struct pinsight_python_thread *thread = watching && object ? pinsight_task_thread() : NULL;
    struct pinsight_task_identity task = {.object = object};
    if (!thread || pinsight_task_runs(object))
        return false;
    pinsight_task_step_begin(step, thread, &task);
    return true;
}

static PyObject *call_step(PyObject *callback, PyObject *arguments, PyObject *keywords) {
    int number = Py_TYPE(callback) == pinsight_asyncio_wrapper(0) ? 0 : 1;
    struct pinsight_task_step step;
    bool is_step = begins(&step, pinsight_asyncio_task_of(callback));
    PyObject *result = own_calls[number](callback, arguments, keywords);
    if (is_step)
        pinsight_task_step_end(&step, !result);
    return result;
}

static PyObject *call_wakeup(PyObject *task, PyObject *future) {
    struct pinsight_task_step step;
    bool is_step = begins(&step, task);
    PyObject *result = own_wakeup(task, future);
    if (is_step)
        pinsight_task_step_end(&step, !result);
    return result;
}

static void redirect_steps(void) {
    for (int i = 0; i < PINSIGHT_ASYNCIO_WRAPPERS; i++) {
        ternaryfunc own = pinsight_asyncio_redirect_wrapper(i, call_step);
        if (own)
            own_calls[i] = own;
    }
    if (!own_wakeup && pinsight_asyncio_wakeup())
        pinsight_method_redirect(pinsight_asyncio_wakeup(), METH_O, call_wakeup, &own_wakeup);
}

void pinsight_task_seek(PyObject *future) {
    if (!own_calls[0] || own_calls[1] || own_wakeup)
        return; /* no loop requested it, or it is known */
    pinsight_asyncio_seek_wakeup(future);
    redirect_steps();
}

/* ---- new tasks ---- */

static initproc own_init;

/* Returns whether a task is eager. Such a task runs its first step within its initialisation, if
 * its loop runs. */
static bool is_eager(PyObject *keywords) {
    PyObject *eager = keywords && PyDict_CheckExact(keywords)
                          ? PyDict_GetItemString(keywords, "eager_start")
                          : NULL; /* borrowed */
    return eager == Py_True;
}

static PyObject *argument(PyObject *arguments, PyObject *keywords, const char *name) {
    if (strcmp(name, "coro") == 0 && PyTuple_Check(arguments) && PyTuple_GET_SIZE(arguments) > 0)
        return PyTuple_GET_ITEM(arguments, 0);
    return keywords && PyDict_CheckExact(keywords) ? PyDict_GetItemString(keywords, name) : NULL;
}

static int init_eager(struct pinsight_python_thread *thread, PyObject *task, PyObject *arguments,
                      PyObject *keywords) {
    struct pinsight_task_identity identity = {.object = task,
                                              .coroutine = argument(arguments, keywords, "coro"),
                                              .name = argument(arguments, keywords, "name")};
    struct pinsight_task_step step;
    pinsight_task_made(thread, &identity);
    pinsight_task_step_begin(&step, thread, &identity);
    int status = own_init(task, arguments, keywords);
    step.task = (struct pinsight_task_identity){.object = task};
    if (status == 0)
        pinsight_task_step_end(&step, false);
    else
        pinsight_task_step_fail(&step);
    return status;
}

static int task_init(PyObject *task, PyObject *arguments, PyObject *keywords) {
    struct pinsight_python_thread *thread = watching ? pinsight_task_thread() : NULL;
    if (!thread)
        return own_init(task, arguments, keywords);
    if (is_eager(keywords))
        return init_eager(thread, task, arguments, keywords);
    int status = own_init(task, arguments, keywords);
    struct pinsight_task_identity identity = {.object = task};
    if (status == 0 && (thread = pinsight_task_thread())) {
        pinsight_task_made(thread, &identity);
        if (!own_calls[0] && pinsight_asyncio_is_foreign(task)) {
            pinsight_asyncio_seek_step(task);
            redirect_steps();
        }
    }
    return status;
}

static void find_types(void) {
    if (pinsight_asyncio_find_types()) {
        pinsight_asyncio_redirect(task_init, &own_init);
        pinsight_task_wakes_redirect();
    }
}

/* ---- begin and end of the recording ---- */

static void module_loaded(PyObject *module) {
    pinsight_task_loops_watch(module);
    find_types();
}

void pinsight_tasks_watch(bool watch) {
    PyObject *type, *value, *traceback;
    watching = watch;
    if (!watching)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_tasks_start();
    redirect_run();
    pinsight_extension_modules_listen(module_loaded);
    module_loaded(NULL);
    PyErr_Restore(type, value, traceback);
}
