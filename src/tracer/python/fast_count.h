/*
 * The fast path of an event in MONITORING. Like fast_path.h: its conditions are that every
 * execution of the lexgion is counted, that the execution around it is counted, and that the stack
 * is balanced. A function does everything that balance.h does for the event and returns true, or
 * does nothing and returns false. The clock is read last at a begin, so that the time of a callback
 * is not the function's. All functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_FAST_COUNT_H
#define PINSIGHT_PYTHON_FAST_COUNT_H

#include "tracer/python/fast_path.h"

/* Makes the next entry and counts it. `end` is the result of pinsight_fast_entries_end(). `flags`
 * are those of the entry beside PINSIGHT_ENTRY_COUNTED. `calls` is 1 for a call, and 0 for a
 * generator that is resumed. Returns NULL if memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *
pinsight_fast_count(struct pinsight_python_thread *thread, uintptr_t end,
                    struct pinsight_python_lexgion *lexgion, void *frame, uintptr_t flags,
                    int32_t lineno, uint64_t calls) {
    struct pinsight_count_tree *tree = &thread->engine.core->counts;
    struct pinsight_count_node *outer = tree->innermost;
    struct pinsight_count_node *node = pinsight_count_child(&pinsight_python.engine, tree, outer,
                                                            &lexgion->state, (uint32_t)lineno);
    if (PINSIGHT_UNLIKELY(!node))
        return NULL;
    struct pinsight_entry *entry = (struct pinsight_entry *)end;
    entry->frame = frame;
    entry->tag = (uintptr_t)lexgion | PINSIGHT_ENTRY_COUNTED | flags;
    entry->node = tree->innermost = node;
    entry->outer = outer;
    pinsight_add(&node->calls, calls);
    pinsight_lexgion_begun(lexgion);
    thread->depth++;
    return entry;
}

/* Like pinsight_begin(). */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_count_begin(struct pinsight_python_thread *thread,
                                                      struct pinsight_python_lexgion *lexgion,
                                                      void *frame, int how, int32_t lineno) {
    uint32_t depth = thread->depth;
    uintptr_t end = pinsight_fast_entries_end(thread, depth);
    if (PINSIGHT_UNLIKELY(depth >= thread->count_room) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(lexgion)) ||
        PINSIGHT_UNLIKELY(depth > 0 && (pinsight_fast_top(end)->frame == frame ||
                                        !(pinsight_fast_top(end)->tag & PINSIGHT_ENTRY_COUNTED))))
        return false;
    struct pinsight_entry *entry = pinsight_fast_count(thread, end, lexgion, frame, 0, lineno,
                                                       how == PINSIGHT_PYTHON_BEGIN_HOW_START);
    if (PINSIGHT_UNLIKELY(!entry))
        return false;
    entry->start = pinsight_clock_ticks();
    return true;
}

/* Like pinsight_end(), for the function of `code`. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_count_end(struct pinsight_python_thread *thread,
                                                    const void *code, void *frame) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_top(pinsight_fast_entries_end(thread, depth));
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY((top->tag & PINSIGHT_ENTRY_FLAGS) != PINSIGHT_ENTRY_COUNTED))
        return false;
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(top);
    if (PINSIGHT_UNLIKELY(lexgion->code != code) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(lexgion)))
        return false;
    pinsight_entry_counted(thread, top);
    pinsight_lexgion_ended(lexgion);
    thread->depth = depth - 1;
    return true;
}

/* Like pinsight_c_begin(). The instruction `index` of `code`, which runs in `frame`, calls
 * `callee`. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_count_c_begin(struct pinsight_python_thread *thread,
                                                        const void *code, void *frame, size_t index,
                                                        struct pinsight_python_lexgion *callee) {
    uint32_t depth = thread->depth, version = pinsight_decision_version();
    uintptr_t end = pinsight_fast_entries_end(thread, depth);
    const struct pinsight_entry *top = pinsight_fast_top(end);
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(depth >= thread->count_room) ||
        PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY((top->tag & PINSIGHT_ENTRY_FLAGS) != PINSIGHT_ENTRY_COUNTED))
        return false;
    struct pinsight_python_lexgion *caller = pinsight_entry_lexgion(top);
    if (PINSIGHT_UNLIKELY(caller->code != code) ||
        PINSIGHT_UNLIKELY(index >= pinsight_line_count(caller)) ||
        PINSIGHT_UNLIKELY(pinsight_accept_version(caller) != version) ||
        PINSIGHT_UNLIKELY(pinsight_accept_version(callee) != version))
        return false;
    int32_t lineno = caller->lines[index];
    struct pinsight_entry *entry =
        pinsight_fast_count(thread, end, callee, frame, PINSIGHT_ENTRY_C, lineno, 1);
    if (PINSIGHT_UNLIKELY(!entry))
        return false;
    entry->caller = caller;
    entry->lineno = lineno;
    pinsight_lexgion_begun(caller);
    entry->start = pinsight_clock_ticks();
    return true;
}

/* Like pinsight_c_end(). */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_count_c_end(struct pinsight_python_thread *thread,
                                                      const void *code, void *frame) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_top(pinsight_fast_entries_end(thread, depth));
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY((top->tag & PINSIGHT_ENTRY_FLAGS) !=
                          (PINSIGHT_ENTRY_COUNTED | PINSIGHT_ENTRY_C)))
        return false;
    struct pinsight_python_lexgion *callee = pinsight_entry_lexgion(top), *caller = top->caller;
    if (PINSIGHT_UNLIKELY(caller->code != code) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(callee)))
        return false;
    pinsight_entry_counted(thread, top);
    pinsight_lexgion_ended(callee);
    pinsight_lexgion_ended(caller);
    thread->depth = depth - 1;
    return true;
}

#endif
