/*
 * The usual event: its lexgion is recorded whenever it is executed, the stack is as it should be,
 * and the file recorder stores the event without a call. That is nearly every event, so it has code
 * of its own, without a call and with few branches.
 *
 * Each function does all that balance.h does for the event and returns true; or it does nothing and
 * returns false, and balance.h has to. `now` is what pinsight_fast_now returned. Only for events
 * with numbers (PINSIGHT_REGISTRY). All hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_FAST_PATH_H
#define PINSIGHT_PYTHON_FAST_PATH_H

#include "domains/python/balance.h"
#include "record/stream.h"

/* The calling thread's state; NULL where there is none yet. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_thread *pinsight_fast_thread(void) {
    return pinsight_thread_domain(pinsight_python_domain.slot);
}

/* The time of the event, to be read before all else (record/stream.h); 0 where it may turn out that
 * nothing is recorded: then nothing is spent on it before. */
PINSIGHT_ALWAYS_INLINE uint64_t pinsight_fast_now(void) {
    return PINSIGHT_LIKELY(!pinsight_python.excludes) ? pinsight_stream_ticks() : 0;
}

/* Is each execution recorded? Never while threads are to wait, in another mode, or of what was not
 * defined yet: the version moves on with all of these. */
PINSIGHT_ALWAYS_INLINE bool
pinsight_is_always_recorded(const struct pinsight_python_lexgion *lexgion) {
    return lexgion->state.accept_version == pinsight_decision_version();
}

/* An entry by its address, which may be that of none: the depth is compared before it is read. C
 * does not define a pointer before the first entry, or into a stack that has none. */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *
pinsight_fast_entry(const struct pinsight_python_thread *thread, uint32_t index) {
    return (struct pinsight_entry *)((uintptr_t)thread->entries +
                                     (uintptr_t)index * sizeof(struct pinsight_entry));
}

/* As pinsight_begin. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_begin(uint64_t now, struct pinsight_python_thread *thread,
                                                struct pinsight_python_lexgion *lexgion,
                                                void *frame, int how, int32_t lineno) {
    uint32_t depth = thread->depth;
    struct pinsight_entry *entry = pinsight_fast_entry(thread, depth);
    if (PINSIGHT_UNLIKELY(depth >= thread->fast_room) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(lexgion)) ||
        PINSIGHT_UNLIKELY(depth > 0 && entry[-1].frame == frame) ||
        PINSIGHT_UNLIKELY(!pinsight_record_python_begin_stored(
            now, thread->tid, lexgion->state.id << 2 | (uint32_t)how,
            pinsight_line_of_event(lineno))))
        return false;
    thread->depth = depth + 1;
    entry->frame = frame;
    entry->tag = (uintptr_t)lexgion | PINSIGHT_ENTRY_REGISTRY;
    pinsight_lexgion_begun(lexgion);
    pinsight_add_bytes(thread, PINSIGHT_REGISTRY_CALL_BYTES);
    return true;
}

/* As pinsight_end, for the function of `code`. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_end(uint64_t now, struct pinsight_python_thread *thread,
                                              const void *code, void *frame, int how) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_entry(thread, depth - 1);
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY((top->tag & PINSIGHT_ENTRY_FLAGS) != PINSIGHT_ENTRY_REGISTRY))
        return false;
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(top);
    if (PINSIGHT_UNLIKELY(lexgion->code != code) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(lexgion)) ||
        PINSIGHT_UNLIKELY(!pinsight_record_python_end_stored(
            now, thread->tid, lexgion->state.id << 2 | (uint32_t)how)))
        return false;
    thread->depth = depth - 1;
    pinsight_lexgion_ended(lexgion);
    pinsight_add_bytes(thread, PINSIGHT_REGISTRY_BYTES);
    return true;
}

/* The lexgion of `code`, which runs in `frame` and calls something; NULL where it is not on top. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *
pinsight_fast_caller(const struct pinsight_python_thread *thread, const void *code,
                     const void *frame) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_entry(thread, depth - 1);
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY(top->tag & PINSIGHT_ENTRY_C))
        return NULL;
    struct pinsight_python_lexgion *caller = pinsight_entry_lexgion(top);
    return PINSIGHT_LIKELY(caller->code == code) ? caller : NULL;
}

/* As pinsight_c_begin, with what pinsight_fast_caller returned. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_c_begin(uint64_t now,
                                                  struct pinsight_python_thread *thread,
                                                  struct pinsight_python_lexgion *caller,
                                                  struct pinsight_python_lexgion *callee,
                                                  void *frame, int32_t lineno) {
    uint32_t depth = thread->depth;
    struct pinsight_entry *entry = pinsight_fast_entry(thread, depth);
    if (PINSIGHT_UNLIKELY(depth >= thread->fast_room) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(caller)) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(callee)) ||
        PINSIGHT_UNLIKELY(!pinsight_record_python_c_begin_stored(
            now, thread->tid, callee->state.id << 2, pinsight_line_of_event(lineno))))
        return false;
    thread->depth = depth + 1;
    entry->frame = frame;
    entry->tag = (uintptr_t)callee | PINSIGHT_ENTRY_REGISTRY | PINSIGHT_ENTRY_C;
    entry->caller = caller;
    entry->lineno = lineno;
    pinsight_lexgion_begun(callee);
    pinsight_lexgion_begun(caller);
    pinsight_add_bytes(thread, PINSIGHT_REGISTRY_CALL_BYTES);
    return true;
}

/* As pinsight_c_end. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_c_end(uint64_t now, struct pinsight_python_thread *thread,
                                                const void *code, void *frame, int how) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_entry(thread, depth - 1);
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY((top->tag & PINSIGHT_ENTRY_FLAGS) !=
                          (PINSIGHT_ENTRY_REGISTRY | PINSIGHT_ENTRY_C)))
        return false;
    struct pinsight_python_lexgion *callee = pinsight_entry_lexgion(top), *caller = top->caller;
    if (PINSIGHT_UNLIKELY(caller->code != code) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(callee)) ||
        PINSIGHT_UNLIKELY(!pinsight_record_python_c_end_stored(
            now, thread->tid, callee->state.id << 2 | (uint32_t)how)))
        return false;
    thread->depth = depth - 1;
    pinsight_lexgion_ended(callee);
    pinsight_lexgion_ended(caller);
    pinsight_add_bytes(thread, PINSIGHT_REGISTRY_BYTES);
    return true;
}

#endif
