/*
 * The fast path of an event. Its conditions are: every execution of the lexgion is recorded, the
 * stack is balanced, and the file recorder stores the event without a call. Nearly all events
 * fulfil them. The fast path has no call and few branches.
 *
 * Each function does everything that balance.h does for the event and returns true. Or it does
 * nothing and returns false; then balance.h must handle the event. `now` is the result of
 * pinsight_fast_now(). Only for events with numbers (PINSIGHT_REGISTRY). All functions hold the
 * GIL.
 */
#ifndef PINSIGHT_PYTHON_FAST_PATH_H
#define PINSIGHT_PYTHON_FAST_PATH_H

#include "tracer/python/balance.h"
#include "tracer/record/stream.h"

/* Returns the calling thread's state, or NULL if there is none. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_thread *pinsight_fast_thread(void) {
    return pinsight_thread_domain(pinsight_python_domain.slot);
}

/* Returns the time of the event, which is read first of all (tracer/record/stream.h). Returns 0 if
 * the event may turn out to be unwanted, so that an unwanted event does not pay for the clock. */
PINSIGHT_ALWAYS_INLINE uint64_t pinsight_fast_now(void) {
    bool excludes =
        PINSIGHT_HAS_GIL ? pinsight_python.excludes : PINSIGHT_GET(pinsight_python.excludes);
    return PINSIGHT_LIKELY(!excludes) ? pinsight_stream_ticks() : 0;
}

/* Returns whether every execution is recorded. It is false while threads are to wait, in another
 * mode, and before the lexgion is defined, because each of these changes the version. */
PINSIGHT_ALWAYS_INLINE bool
pinsight_is_always_recorded(const struct pinsight_python_lexgion *lexgion) {
    return pinsight_accept_version(lexgion) == pinsight_decision_version();
}

/* Returns the address of an entry, which may not exist. The caller compares the depth before it
 * reads the entry. The address is computed as an integer, because C does not define a pointer to
 * before an array. */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *
pinsight_fast_entry(const struct pinsight_python_thread *thread, uint32_t index) {
    return (struct pinsight_entry *)((uintptr_t)thread->entries +
                                     (uintptr_t)index * sizeof(struct pinsight_entry));
}

/* Like pinsight_begin(). */
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

/* Like pinsight_end(), for the function of `code`. */
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

/* Returns the lexgion of `code`, which runs in `frame` and calls C. Returns NULL if it is not the
 * top entry. */
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

/* Like pinsight_c_begin(). `caller` is the result of pinsight_fast_caller(). */
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

/* Like pinsight_c_end(). */
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
