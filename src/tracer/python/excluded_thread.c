/* Events of an excluded thread; see excluded_thread.h. */
#include "tracer/python/excluded_thread.h"

#include "tracer/python/code.h"
#include "tracer/python/code_owner.h"
#include "tracer/python/cpython/current_frame.h"
#include "tracer/python/cpython/frame.h"
#include "tracer/python/importing.h"
#include "tracer/python/modules.h"
#include "tracer/python/qualname.h"
#include "tracer/python/serial.h"
#include "tracer/python/stack_suspend.h"
#include "tracer/python/text.h"
#include "tracer/python/watched.h"

#include <stdlib.h>

/* The number of unrecorded functions after which the thread checks whether the import is still
 * open. */
#define LOOK_AFTER 1024

/* ---- the owner of code ---- */

/* Returns whether code without a lexgion is the user's. Slow path. Leaves no exception set. */
static bool find_owner(PyCodeObject *code) {
    char *file = pinsight_utf8_copy(code->co_filename);
    /* Code without a file is classified by its module and name. */
    PyObject *globals = file && file[0] == '<' ? pinsight_globals_of(code) : NULL;
    char *module = globals ? pinsight_module_name(globals) : NULL;
    char *name = globals ? pinsight_qualname(code, globals) : NULL;
    bool users = file && pinsight_code_owner_is_user(file, module ? module : "", name ? name : "");
    free(file);
    free(module);
    free(name);
    return users;
}

/* Returns the lexgion of code that is the user's or watched. Returns NULL for other code, and notes
 * that. Keeps a pending exception. */
static struct pinsight_python_lexgion *lexgion_of_interest(PyCodeObject *code) {
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    if (PINSIGHT_LIKELY(lexgion != NULL)) {
        if (PINSIGHT_LIKELY(!lexgion->users && !lexgion->imports && !lexgion->schedules)) {
            lexgion->some = true;
            return NULL;
        }
        return lexgion;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (find_owner(code) || pinsight_is_watched(code))
        lexgion = pinsight_code_lexgion_new(code, pinsight_globals_of(code));
    else
        pinsight_code_of_library(code);
    PyErr_Restore(type, value, traceback);
    return lexgion;
}

/* ---- imports whose end went unseen ---- */

/* Returns whether the frame of the thread's import is still open. */
static bool goes_on(const struct pinsight_python_thread *thread) {
    return pinsight_frame_goes_on(thread->import_frame);
}

/* The import's end was not seen, because of another profiler, or because another greenlet runs. */
static void is_over(struct pinsight_python_thread *thread) {
    uint32_t depth = thread->depth;
    while (depth > 0 && thread->entries[depth - 1].frame != thread->import_frame)
        depth--;
    if (depth > 0)
        pinsight_stack_suspend_above(thread, depth - 1);
    else
        pinsight_importing_leave_parents(thread);
}

/* ---- events ---- */

static void begin(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame, int how,
                  enum pinsight_flavour flavour) {
    if (thread->is_out_of_range)
        return;
    if (PINSIGHT_UNLIKELY(++thread->passed_over % LOOK_AFTER == 0) && !goes_on(thread))
        is_over(thread);
    struct pinsight_python_lexgion *lexgion = lexgion_of_interest(code);
    if (!lexgion)
        return;
    pinsight_begin(thread, lexgion, frame, how, 0, flavour);
    struct pinsight_entry *top = thread->depth ? &thread->entries[thread->depth - 1] : NULL;
    if (!lexgion->users || !thread->import_frame || !top || top->frame != frame ||
        pinsight_entry_lexgion(top) != lexgion || (top->tag & PINSIGHT_ENTRY_C))
        return;
    top->notes = (top->tag & PINSIGHT_ENTRY_NOTED ? top->notes : 0) | PINSIGHT_NOTE_USERS;
    top->tag |= PINSIGHT_ENTRY_NOTED;
    pinsight_importing_set(thread, NULL);
}

void pinsight_excluded_begin(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame,
                             int how, enum pinsight_flavour flavour) {
    pinsight_serial_begin();
    begin(thread, code, frame, how, flavour);
    pinsight_serial_end();
}

static bool ends(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame, int how) {
    if (!thread->import_frame)
        return thread->depth > 0;
    if (frame == thread->import_frame) {
        const struct pinsight_entry *top =
            thread->depth ? &thread->entries[thread->depth - 1] : NULL;
        if (top && top->frame == frame && !(top->tag & PINSIGHT_ENTRY_C)) {
            pinsight_stack_close_top(thread, how);
        } else { /* the import of a forked child's parent */
            pinsight_end_drop(thread);
            pinsight_importing_leave_parents(thread);
        }
        return false;
    }
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    if (!lexgion || lexgion->state.in_flight == 0)
        return false;
    lexgion->some = true; /* it may be an execution that was not recorded */
    return true;
}

bool pinsight_excluded_ends(struct pinsight_python_thread *thread, PyCodeObject *code, void *frame,
                            int how) {
    pinsight_serial_begin();
    bool more = ends(thread, code, frame, how);
    pinsight_serial_end();
    return more;
}

bool pinsight_excluded_calls(struct pinsight_python_thread *thread, PyCodeObject *code) {
    /* If functions are not observed, it was not noticed that one of the user's functions runs. */
    if (thread->is_out_of_range || !thread->import_frame || pinsight_python.functions || !code)
        return false;
    pinsight_serial_begin();
    const struct pinsight_python_lexgion *lexgion = lexgion_of_interest(code);
    pinsight_serial_end();
    return lexgion && lexgion->users;
}

bool pinsight_excluded_call_ends(const struct pinsight_python_thread *thread, const void *frame) {
    if (!thread->depth || !thread->import_frame)
        return thread->depth > 0;
    const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    return (top->tag & PINSIGHT_ENTRY_C) && top->frame == frame;
}
