/* The line from which a Python function is called. It is the line of the caller's current
 * instruction, if the caller is the innermost open execution of the thread and is recorded. */
#ifndef PINSIGHT_PYTHON_CALL_LINE_H
#define PINSIGHT_PYTHON_CALL_LINE_H

#include "tracer/python/code.h"
#include "tracer/python/cpython/caller.h"
#include "tracer/python/execution.h"
#include "tracer/python/thread.h"

/* The lines of the caller's instructions have not been read yet. */
#define PINSIGHT_LINE_UNREAD (-1)

/* The callers whose lines are recorded with an event, and with a count, which has a node of its
 * caller in any case (counted_within.c). */
#define PINSIGHT_CALLERS_TRACED (PINSIGHT_ENTRY_INLINE | PINSIGHT_ENTRY_REGISTRY)
#define PINSIGHT_CALLERS_OF(flavour)                                                               \
    ((flavour) == PINSIGHT_COUNT ? PINSIGHT_ENTRY_RECORDED : PINSIGHT_CALLERS_TRACED)

/* Returns the line of the call that begins, and is not on the thread's stack yet. It begins in
 * `frame`, or with `frameless` while its caller's frame runs, which is `frame` then. `how` as
 * below. */
PINSIGHT_ALWAYS_INLINE int32_t pinsight_line_of_top(const struct pinsight_python_thread *thread,
                                                    const void *frame, bool frameless,
                                                    uintptr_t how) {
    const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    uintptr_t at = 0;
    if (PINSIGHT_UNLIKELY(!thread->depth) || (top->tag & PINSIGHT_ENTRY_C) || !(top->tag & how) ||
        (frameless ? pinsight_caller_that_runs(frame, &at) : pinsight_caller_of(frame, &at)) !=
            top->frame)
        return 0;
    const struct pinsight_python_lexgion *caller =
        (const struct pinsight_python_lexgion *)(top->tag & ~PINSIGHT_ENTRY_FLAGS);
    size_t index = (size_t)pinsight_frame_offset(caller->code, at) / sizeof(uint16_t);
    if (PINSIGHT_LIKELY(index < pinsight_line_count(caller)))
        return caller->lines[index];
    return caller->lines ? 0 : PINSIGHT_LINE_UNREAD;
}

/* Returns the line of the call that begins in `frame`. Returns 0 if the line is unknown, because a
 * C call is open, or because the caller's entry has none of the flags `how` (PINSIGHT_ENTRY_).
 * Returns PINSIGHT_LINE_UNREAD if the lines must be read first. Holds the GIL. */
PINSIGHT_ALWAYS_INLINE int32_t pinsight_call_line_quick(const struct pinsight_python_thread *thread,
                                                        const void *frame, uintptr_t how) {
    return pinsight_line_of_top(thread, frame, false, how);
}

static inline int32_t pinsight_call_line_read(const struct pinsight_python_thread *thread,
                                              const void *identity, uintptr_t how) {
    return PINSIGHT_UNLIKELY(pinsight_is_frameless(identity))
               ? pinsight_line_of_top(thread, pinsight_frame_of_execution(identity), true, how)
               : pinsight_line_of_top(thread, identity, false, how);
}

/* Like pinsight_call_line_quick(), for an execution with or without a frame (execution.h). Reads
 * the caller's lines if necessary. */
static inline int32_t pinsight_call_line(const struct pinsight_python_thread *thread,
                                         const void *identity, uintptr_t how) {
    int32_t line = pinsight_call_line_read(thread, identity, how);
    if (line != PINSIGHT_LINE_UNREAD)
        return line;
    struct pinsight_python_lexgion *caller =
        (struct pinsight_python_lexgion *)(thread->entries[thread->depth - 1].tag &
                                           ~PINSIGHT_ENTRY_FLAGS);
    pinsight_code_read_lines(caller, (PyCodeObject *)caller->code);
    line = pinsight_call_line_read(thread, identity, how);
    return line == PINSIGHT_LINE_UNREAD ? 0 : line;
}

#endif
