/* Greenlets; see greenlets.h. */
#include "tracer/python/greenlets.h"

#include "tracer/python/cpython/greenlet.h"
#include "tracer/python/extension_modules.h"
#include "tracer/python/modules.h"
#include "tracer/python/stack_suspend.h"
#include "tracer/python/task_greenlets.h"
#include "tracer/python/task_hub.h"

static struct pinsight_greenlet_ways own;

/* The state of a greenlet while others run. It is on the stack of the greenlet, so that nothing may
 * refer to it. */
struct left {
    struct pinsight_python_thread *thread; /* NULL if nothing is recorded */
    struct pinsight_suspended_stack *suspended;
    void *operator_frame;
    struct pinsight_task_left task;
};

/* `to` is a greenlet that may begin, or NULL. */
static void leave(struct left *left, PyObject *to) {
    *left = (struct left){0};
    if (!pinsight_python.active || !pinsight_in_main_interpreter())
        return;
    struct pinsight_python_thread *thread = left->thread = pinsight_python_thread();
    if (!thread)
        return;
    left->operator_frame = thread->operator_frame;
    thread->operator_frame = NULL;
    left->suspended = pinsight_stack_suspend(thread);
    pinsight_task_leave(&left->task, to);
}

static void come_back(const struct left *left, bool raised) {
    struct pinsight_python_thread *thread = left->thread;
    if (!thread)
        return;
    pinsight_task_come_back(&left->task, raised);
    pinsight_stack_resume(thread, left->suspended);
    thread->operator_frame = left->operator_frame;
}

/* ---- functions that switch ---- */

/* Makes a call in which other greenlets may run. `to` as in leave(). */
#define SWITCHES(to, call)                                                                         \
    struct left left;                                                                              \
    leave(&left, to);                                                                              \
    PyObject *result = call;                                                                       \
    come_back(&left, !result);                                                                     \
    return result

static PyObject *switch_to(PyObject *greenlet, PyObject *arguments, PyObject *keywords) {
    SWITCHES(greenlet, own.switch_to(greenlet, arguments, keywords));
}

static PyObject *throw_into(PyObject *greenlet, PyObject *arguments) {
    SWITCHES(NULL, own.throw_into(greenlet, arguments));
}

static PyObject *c_switch(PyObject *greenlet, PyObject *arguments, PyObject *keywords) {
    SWITCHES(greenlet, own.c_switch(greenlet, arguments, keywords));
}

static PyObject *c_throw(PyObject *greenlet, PyObject *type, PyObject *value, PyObject *traceback) {
    SWITCHES(NULL, own.c_throw(greenlet, type, value, traceback));
}

static void dealloc(PyObject *greenlet) {
    struct left left;
    bool switches = pinsight_greenlet_is_active(greenlet) && !pinsight_greenlet_is_main(greenlet);
    uint32_t number = pinsight_task_greenlet(greenlet);
    if (switches)
        leave(&left, NULL);
    own.dealloc(greenlet);
    if (switches)
        come_back(&left, false);
    if (number)
        pinsight_task_greenlet_gone(greenlet, number);
}

static int init(PyObject *greenlet, PyObject *arguments, PyObject *keywords) {
    int status = own.init(greenlet, arguments, keywords);
    if (status == 0 && pinsight_python.active && pinsight_in_main_interpreter())
        pinsight_task_greenlet_made(greenlet);
    return status;
}

/* ---- finding the module ---- */

static const struct pinsight_greenlet_ways ways = {switch_to, throw_into, c_switch,
                                                   c_throw,   dealloc,    init};

static void loaded(PyObject *module) {
    pinsight_greenlet_redirect(module, &ways, &own);
    if (pinsight_python.tasks)
        pinsight_task_hub_watch(module);
}

void pinsight_greenlets_watch(void) {
    PyObject *type, *value, *traceback;
    bool may_stand = true;
#ifdef Py_GIL_DISABLED
    may_stand = false;
#endif
    if (!may_stand)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_extension_modules_listen(loaded);
    loaded(NULL);
    PyErr_Restore(type, value, traceback);
}
