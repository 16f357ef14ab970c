/* The parts of the balance that call the interpreter, for ends of C calls without a matching begin,
 * and for generators. */
#include "tracer/python/balance.h"
#include "tracer/python/callable.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/started.h"
#include "tracer/python/generators.h"
#include "tracer/python/modules.h"
#include "tracer/python/serial.h"

/* Returns whether the end is that of a call of a Python class. The interpreter reports these too.
 */
static bool was_no_c_call(const struct pinsight_python_thread *thread, const void *frame,
                          void *callable) {
    const struct pinsight_entry *top = thread->depth ? &thread->entries[thread->depth - 1] : NULL;
    return top && top->frame == frame && !(top->tag & PINSIGHT_ENTRY_C) && !thread->adopts &&
           !pinsight_callable_is_c(callable);
}

static void c_end_unmatched(struct pinsight_python_thread *thread, void *code, void *frame,
                            void *callable, int how) {
    if (PINSIGHT_UNLIKELY(thread->adopts)) {
        pinsight_adopt(thread, frame, true);
        thread->inherited++; /* its begin was before */
    }
    struct pinsight_python_lexgion *callee = pinsight_callable_lexgion(thread, callable);
    if (callee && callee->state.in_flight == 0 && pinsight_lexgion_is_shut(callee))
        return; /* the call was excluded (pinsight_c_exclude) */
    if (pinsight_c_end_find(thread, frame, how))
        return;
    /* The interpreter also reports the ends of some calls of Python callables, which have no begin.
     * Hidden callables have none either. */
    callee = pinsight_callable_lexgion(thread, callable);
    struct pinsight_python_lexgion *caller = callee ? pinsight_code_lexgion(code) : NULL;
    if (caller && pinsight_lexgion_calls(caller) && !pinsight_lexgion_selects(callee))
        pinsight_end_drop(thread);
}

void pinsight_c_end_unmatched(struct pinsight_python_thread *thread, void *code, void *frame,
                              void *callable, int how) {
    if (was_no_c_call(thread, frame, callable))
        return;
    pinsight_serial_begin();
    c_end_unmatched(thread, code, frame, callable, how);
    pinsight_serial_end();
}

bool pinsight_generator_has_started(const void *code, void *frame) {
    return code && (pinsight_is_frameless(frame) || pinsight_has_started(code, frame));
}

bool pinsight_there_are_greenlets(void) {
    static bool found;
    if (!found) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        found = pinsight_module_there("greenlet._greenlet") || pinsight_module_there("greenlet");
        PyErr_Restore(type, value, traceback);
    }
    return found;
}
