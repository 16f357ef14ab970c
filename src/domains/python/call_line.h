/* The line from which a Python function is called: that of the caller's instruction, where the
 * caller is what is open in the thread and is recorded. */
#ifndef PINSIGHT_PYTHON_CALL_LINE_H
#define PINSIGHT_PYTHON_CALL_LINE_H

#include "domains/python/code.h"
#include "domains/python/cpython/caller.h"
#include "domains/python/thread.h"

/* The lines of the caller's instructions were not read yet. */
#define PINSIGHT_LINE_UNREAD (-1)

/* Whose lines stand with an event, and with what is counted. */
#define PINSIGHT_CALLERS_TRACED (PINSIGHT_ENTRY_INLINE | PINSIGHT_ENTRY_REGISTRY)
#define PINSIGHT_CALLERS_OF(flavour)                                                               \
    ((flavour) == PINSIGHT_COUNT ? PINSIGHT_ENTRY_COUNTED : PINSIGHT_CALLERS_TRACED)

/* The line of the call that begins in `frame`, which is not in the thread's stack yet; 0 where it
 * is not known: a call of C is open, or who calls it was not begun in one of the ways `how`
 * (PINSIGHT_ENTRY_ flags). Holds the GIL. */
PINSIGHT_ALWAYS_INLINE int32_t pinsight_call_line_quick(const struct pinsight_python_thread *thread,
                                                        const void *frame, uintptr_t how) {
    const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    uintptr_t at = 0;
    if (PINSIGHT_UNLIKELY(!thread->depth) || (top->tag & PINSIGHT_ENTRY_C) || !(top->tag & how) ||
        pinsight_caller_of(frame, &at) != top->frame)
        return 0;
    const struct pinsight_python_lexgion *caller =
        (const struct pinsight_python_lexgion *)(top->tag & ~PINSIGHT_ENTRY_FLAGS);
    size_t index = (size_t)pinsight_frame_offset(caller->code, at) / sizeof(uint16_t);
    if (PINSIGHT_LIKELY(index < pinsight_line_count(caller)))
        return caller->lines[index];
    return caller->lines ? 0 : PINSIGHT_LINE_UNREAD;
}

/* The same; reads the caller's lines where that is still to be done. */
static inline int32_t pinsight_call_line(const struct pinsight_python_thread *thread,
                                         const void *frame, uintptr_t how) {
    int32_t line = pinsight_call_line_quick(thread, frame, how);
    if (line != PINSIGHT_LINE_UNREAD)
        return line;
    struct pinsight_python_lexgion *caller =
        (struct pinsight_python_lexgion *)(thread->entries[thread->depth - 1].tag &
                                           ~PINSIGHT_ENTRY_FLAGS);
    pinsight_code_read_lines(caller, (PyCodeObject *)caller->code);
    line = pinsight_call_line_quick(thread, frame, how);
    return line == PINSIGHT_LINE_UNREAD ? 0 : line;
}

#endif
