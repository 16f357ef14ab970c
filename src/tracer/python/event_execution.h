/* The execution that an event of sys.monitoring is about (execution.h). Holds the GIL. */
#ifndef PINSIGHT_PYTHON_EVENT_EXECUTION_H
#define PINSIGHT_PYTHON_EVENT_EXECUTION_H

#include "tracer/python/balance.h"
#include "tracer/python/cpython/current_frame.h"

/* Returns the identity of the caller of a C call (execution.h). `code` may be NULL. */
PINSIGHT_ALWAYS_INLINE void *pinsight_what_calls(const PyCodeObject *code) {
    void *frame = pinsight_current_frame();
    return PINSIGHT_LIKELY(frame && (!code || pinsight_frame_runs(frame, code)))
               ? frame
               : pinsight_frameless(frame);
}

/* Returns the identity of the execution that begins. A compiled function may be called by the same
 * function, uncompiled, and have its code: at a start, then the frame is at another instruction. */
PINSIGHT_ALWAYS_INLINE void *pinsight_what_begins(const struct pinsight_python_thread *thread,
                                                  PyObject *const *arguments, int how) {
    void *frame = pinsight_current_frame();
    if (PINSIGHT_UNLIKELY(!frame || !pinsight_frame_runs(frame, arguments[0])))
        return pinsight_frameless(frame);
    if (PINSIGHT_UNLIKELY(thread->depth > 0 && thread->entries[thread->depth - 1].frame == frame) &&
        how == PINSIGHT_PYTHON_BEGIN_HOW_START &&
        pinsight_current_offset(frame) != PyLong_AsLong(arguments[1]))
        return pinsight_frameless(frame);
    return frame;
}

/* Returns the identity of the execution that ends. */
PINSIGHT_ALWAYS_INLINE void *pinsight_what_ends(const struct pinsight_python_thread *thread,
                                                const void *code) {
    void *frame = pinsight_current_frame();
    if (PINSIGHT_UNLIKELY(!frame || !pinsight_frame_runs(frame, code)))
        return pinsight_frameless(frame);
    const struct pinsight_entry *top = thread->depth ? &thread->entries[thread->depth - 1] : NULL;
    if (PINSIGHT_UNLIKELY(top && top->frame == pinsight_frameless(frame)) &&
        !(top->tag & PINSIGHT_ENTRY_C) && pinsight_entry_lexgion(top)->code == code)
        return top->frame;
    return frame;
}

#endif
