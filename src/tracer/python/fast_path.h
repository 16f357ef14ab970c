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

/* Returns whether an event may be excluded: by a range of threads, a filter, or an import. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_excludes(void) {
    return PINSIGHT_HAS_GIL ? pinsight_python.excludes : PINSIGHT_GET(pinsight_python.excludes);
}

/* Returns the time of the event, which is read first of all (tracer/record/stream.h). Returns 0 if
 * the event may turn out to be unwanted, so that an unwanted event does not pay for the clock. */
PINSIGHT_ALWAYS_INLINE uint64_t pinsight_fast_now(void) {
    return PINSIGHT_LIKELY(!pinsight_fast_excludes()) ? pinsight_stream_ticks() : 0;
}

/* Returns whether every execution is recorded. It is false while threads are to wait, in another
 * mode, and before the lexgion is defined, because each of these changes the version. */
PINSIGHT_ALWAYS_INLINE bool
pinsight_is_always_recorded(const struct pinsight_python_lexgion *lexgion) {
    return pinsight_accept_version(lexgion) == pinsight_decision_version();
}

/* Returns the address behind the thread's last entry: the next entry, which may not exist. The
 * caller compares the depth before it reads an entry. The address is computed as an integer,
 * because C does not define a pointer to before an array. It is computed once: the compiler, which
 * would multiply again for the next entry, does not see how. */
PINSIGHT_ALWAYS_INLINE uintptr_t
pinsight_fast_entries_end(const struct pinsight_python_thread *thread, uint32_t depth) {
    uintptr_t end = (uintptr_t)thread->entries + (uintptr_t)depth * sizeof(struct pinsight_entry);
    __asm__("" : "+r"(end));
    return end;
}

/* Returns the last entry. `end` is the result of pinsight_fast_entries_end(). */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *pinsight_fast_top(uintptr_t end) {
    return (struct pinsight_entry *)(end - sizeof(struct pinsight_entry));
}

/* Returns whether an event can have the line. Others are unread (call_line.h), or too large. */
PINSIGHT_ALWAYS_INLINE bool pinsight_is_fast_line(int32_t lineno) {
    return PINSIGHT_LIKELY((uint32_t)lineno < UINT16_MAX);
}

/* Like pinsight_begin(), for a line of pinsight_is_fast_line(). */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_begin(uint64_t now, struct pinsight_python_thread *thread,
                                                struct pinsight_python_lexgion *lexgion,
                                                void *frame, int how, int32_t lineno) {
    uint32_t depth = thread->depth;
    uintptr_t end = pinsight_fast_entries_end(thread, depth);
    struct pinsight_entry *entry = (struct pinsight_entry *)end;
    if (PINSIGHT_UNLIKELY(depth >= thread->fast_room) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(lexgion)) ||
        PINSIGHT_UNLIKELY(depth > 0 && pinsight_fast_top(end)->frame == frame))
        return false;
    /* The entry counts only when the depth includes it. */
    entry->frame = frame;
    entry->tag = (uintptr_t)lexgion | PINSIGHT_ENTRY_REGISTRY;
    if (PINSIGHT_UNLIKELY(!pinsight_record_python_begin_stored(
            now, thread->tid, lexgion->state.id << 2 | (uint32_t)how, (uint16_t)lineno)))
        return false;
    thread->depth = depth + 1;
    pinsight_lexgion_begun(lexgion);
    pinsight_add_bytes(thread, PINSIGHT_REGISTRY_BYTES);
    return true;
}

/* Like pinsight_end(), for the function of `code`. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_end(uint64_t now, struct pinsight_python_thread *thread,
                                              const void *code, void *frame, int how) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_top(pinsight_fast_entries_end(thread, depth));
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
    return true;
}

/* Returns the lexgion of a callable if every call is recorded, or NULL. A callee past its window is
 * the most frequent reason for NULL, so nothing else is looked at before. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *
pinsight_fast_callee(struct pinsight_python_lexgion *callee) {
    return PINSIGHT_LIKELY(callee != NULL) && PINSIGHT_LIKELY(pinsight_is_always_recorded(callee))
               ? callee
               : NULL;
}

/* Like pinsight_c_begin(). The instruction `index` of `code`, which runs in `frame`, calls
 * `callee`, of which every call is recorded. */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_c_begin(uint64_t now,
                                                  struct pinsight_python_thread *thread,
                                                  const void *code, void *frame, size_t index,
                                                  struct pinsight_python_lexgion *callee) {
    uint32_t depth = thread->depth;
    uintptr_t end = pinsight_fast_entries_end(thread, depth);
    const struct pinsight_entry *top = pinsight_fast_top(end);
    if (PINSIGHT_UNLIKELY(depth == 0) || PINSIGHT_UNLIKELY(depth >= thread->fast_room) ||
        PINSIGHT_UNLIKELY(top->frame != frame) ||
        PINSIGHT_UNLIKELY((top->tag & (PINSIGHT_ENTRY_C | PINSIGHT_ENTRY_REGISTRY)) !=
                          PINSIGHT_ENTRY_REGISTRY))
        return false;
    struct pinsight_python_lexgion *caller = pinsight_entry_lexgion(top);
    if (PINSIGHT_UNLIKELY(caller->code != code) ||
        PINSIGHT_UNLIKELY(index >= pinsight_line_count(caller)))
        return false;
    int32_t lineno = caller->lines[index];
    if (PINSIGHT_UNLIKELY(!pinsight_is_fast_line(lineno)) ||
        PINSIGHT_UNLIKELY(!pinsight_is_always_recorded(caller)))
        return false;
    /* The entry counts only when the depth includes it. */
    struct pinsight_entry *entry = (struct pinsight_entry *)end;
    entry->frame = frame;
    entry->tag = (uintptr_t)callee | PINSIGHT_ENTRY_REGISTRY | PINSIGHT_ENTRY_C;
    entry->caller = caller;
    entry->lineno = lineno;
    if (PINSIGHT_UNLIKELY(!pinsight_record_python_c_begin_stored(
            now, thread->tid, callee->state.id << 2, (uint16_t)lineno)))
        return false;
    thread->depth = depth + 1;
    pinsight_lexgion_begun(callee);
    pinsight_lexgion_begun(caller);
    pinsight_add_bytes(thread, PINSIGHT_REGISTRY_BYTES);
    return true;
}

/* Like pinsight_c_end(). */
PINSIGHT_ALWAYS_INLINE bool pinsight_fast_c_end(uint64_t now, struct pinsight_python_thread *thread,
                                                const void *code, void *frame, int how) {
    uint32_t depth = thread->depth;
    const struct pinsight_entry *top = pinsight_fast_top(pinsight_fast_entries_end(thread, depth));
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
    return true;
}

#endif
