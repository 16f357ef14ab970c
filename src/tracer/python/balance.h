/*
 * The balance of begins and ends: the actions at each event, for every mechanism that reports
 * events. No function here or in balance.c calls the interpreter.
 *
 * Each thread has a stack of begins, keyed by frame and lexgion. Ends therefore match begins
 * whatever a program does:
 *
 * - A begin whose frame is already on top closes the old entry as lost. Its end was not seen, and
 * the interpreter has reused the frame's memory. An execution without a frame closes none
 * (execution.h).
 * - An end that matches the top is the normal case.
 * - An end that matches a deeper entry closes the entries above as lost.
 * - An end that matches no entry is dropped and counted.
 *
 * An entry knows how its begin was recorded, so that its end is recorded in the same way after a
 * change of mode.
 *
 * The functions are inlined into callbacks with a constant flavour. The normal path has no
 * allocation, lock or look-up.
 */
#ifndef PINSIGHT_PYTHON_BALANCE_H
#define PINSIGHT_PYTHON_BALANCE_H

#include "tracer/core/clock.h"
#include "tracer/python/adopt.h"
#include "tracer/python/execution.h"
#include "tracer/python/mode.h"
#include "tracer/python/thread.h"
#include "tracer/record/python.h"

/* The form in which a callback records. The value is the flag of the entries that it makes. */
enum pinsight_flavour {
    PINSIGHT_INLINE = PINSIGHT_ENTRY_INLINE,
    PINSIGHT_REGISTRY = PINSIGHT_ENTRY_REGISTRY,
    PINSIGHT_COUNT = PINSIGHT_ENTRY_COUNTED,
};

/* Selects one of three variants by a flavour. The variants are named after the flavours. */
#define PINSIGHT_VARIANT(of, flavour)                                                              \
    ((flavour) == PINSIGHT_COUNT      ? of##_count                                                 \
     : (flavour) == PINSIGHT_REGISTRY ? of##_registry                                              \
                                      : of##_inline)

/* Bytes of a begin and its end with numbers, which the begin adds, so that the end has less to do.
 */
#define PINSIGHT_REGISTRY_BYTES (16u + 14u)
#define PINSIGHT_GIL_WAIT_BYTES 62u

/* Returns a line in the form of events. */
PINSIGHT_ALWAYS_INLINE uint16_t pinsight_line_of_event(int32_t lineno) {
    return (uint16_t)(lineno < UINT16_MAX ? lineno : UINT16_MAX);
}

/* ---- slow paths: should_record.c ---- */

/* The begin of a lexgion whose executions are not all recorded, or whose settings must be looked
 * up. The first returns true if no execution of the lexgion is wanted any more. */
bool pinsight_begin_slow(struct pinsight_python_thread *thread,
                         struct pinsight_python_lexgion *lexgion, void *frame, int how,
                         int32_t lineno, enum pinsight_flavour flavour);
void pinsight_c_begin_slow(struct pinsight_python_thread *thread,
                           struct pinsight_python_lexgion *caller,
                           struct pinsight_python_lexgion *callee, void *frame, int32_t lineno,
                           enum pinsight_flavour flavour);
/* Called for an entry with notes that has ended and has been removed. `how` as in the event. */
void pinsight_end_noted(struct pinsight_python_thread *thread, const struct pinsight_entry *entry,
                        int how);

/* ---- slow paths: balance.c ---- */

bool pinsight_stack_grow(struct pinsight_python_thread *thread);
/* Ends the top entry in the form in which it was begun. `how` as in the event. */
void pinsight_stack_close_top(struct pinsight_python_thread *thread, int how);
void pinsight_stack_close_lost(struct pinsight_python_thread *thread, uint32_t down_to);
/* Closes all open entries of a thread's state as lost. The thread holds the GIL of the state's
 * interpreter. */
void pinsight_stack_close_thread(struct pinsight_python_thread *thread);
/* Closes all open entries of every thread whose GIL the calling thread holds. */
void pinsight_stack_close_all(void);
/* Records the open executions of the calling thread that were recorded; see tracer/core/link.h. */
void pinsight_stack_record_open(void);
/* The end of a function that is not the top entry. */
void pinsight_end_unmatched(struct pinsight_python_thread *thread,
                            struct pinsight_python_lexgion *lexgion, void *frame, int how);
/* Looks for the entry of a C call from `frame` that ends and is not the top entry. Returns false if
 * there is none. */
bool pinsight_c_end_find(struct pinsight_python_thread *thread, void *frame, int how);
/* An end without a begin. It is counted, unless the begin was the parent's before a fork, or
 * nothing begins in this thread. */
void pinsight_end_drop(struct pinsight_python_thread *thread);

/* ---- slow paths: counted_within.c, for executions within ones that are recorded otherwise ---- */

/* Returns the node to whose children the top entry, which is counted, adds its time. The entry
 * below is not counted. */
struct pinsight_count_node *pinsight_count_around(const struct pinsight_python_thread *thread);
/* Called for the top entry, which is traced, if begins need the slow path. If a counted execution
 * is open around it, the time of the entry is no part of that execution's own time. */
void pinsight_trace_within(struct pinsight_python_thread *thread, struct pinsight_entry *entry);
/* Called when an entry with PINSIGHT_NOTE_WITHIN ends. */
void pinsight_traced_within(const struct pinsight_entry *entry);

/* ---- slow paths: unmatched.c, which asks the interpreter ---- */

/* The end of a C call that is not the top entry. `code` and `callable` are those of
 * pinsight_c_end(). */
void pinsight_c_end_unmatched(struct pinsight_python_thread *thread, void *code, void *frame,
                              void *callable, int how);
/* Returns whether the module of greenlets is loaded. */
bool pinsight_there_are_greenlets(void);

PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *
pinsight_entry_lexgion(const struct pinsight_entry *entry) {
    return (struct pinsight_python_lexgion *)(entry->tag & ~PINSIGHT_ENTRY_FLAGS);
}

PINSIGHT_ALWAYS_INLINE struct pinsight_python_thread *pinsight_python_thread(void) {
    struct pinsight_python_thread *thread = pinsight_thread_domain(pinsight_python_domain.slot);
    return PINSIGHT_LIKELY(thread != NULL) ? thread : pinsight_python_thread_new();
}

/* Called before an event that may block, and after it. */
PINSIGHT_ALWAYS_INLINE void pinsight_python_progress(struct pinsight_python_thread *thread) {
    pinsight_progress(&pinsight_python.engine, &thread->engine);
}

PINSIGHT_ALWAYS_INLINE void pinsight_add_bytes(struct pinsight_python_thread *thread,
                                               uint32_t bytes) {
    if (PINSIGHT_UNLIKELY(pinsight_add(&thread->engine.bytes, bytes) >= PINSIGHT_ACCOUNT_BYTES))
        pinsight_python_account(thread);
}

PINSIGHT_ALWAYS_INLINE bool pinsight_wanted_now(enum pinsight_flavour flavour) {
    int mode = pinsight_domain_mode_now(&pinsight_python_domain);
    if (flavour == PINSIGHT_COUNT)
        return mode == PINSIGHT_MODE_MONITORING;
    if (mode != PINSIGHT_MODE_TRACING)
        return false;
    if (flavour == PINSIGHT_REGISTRY
            ? pinsight_record_python_begin_enabled() || pinsight_record_python_c_begin_enabled()
            : pinsight_record_python_function_begin_enabled() ||
                  pinsight_record_python_c_call_begin_enabled())
        return true;
    return (pinsight_python.imports && pinsight_record_python_import_begin_enabled()) ||
           (pinsight_python.tasks && pinsight_record_python_task_wake_enabled());
}

/* Returns whether the actions of this callback are still wanted. If not, the thread waits if
 * threads are paused, and the interpreter is brought to the current settings. */
PINSIGHT_ALWAYS_INLINE bool pinsight_wanted(enum pinsight_flavour flavour) {
    if (PINSIGHT_LIKELY(pinsight_wanted_now(flavour)))
        return true;
    pinsight_python_catch_up();
    return pinsight_wanted_now(flavour);
}

/* Pushes an entry. Returns NULL if memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *pinsight_push(struct pinsight_python_thread *thread,
                                                            struct pinsight_python_lexgion *lexgion,
                                                            void *frame, uintptr_t flags) {
    if (PINSIGHT_UNLIKELY(thread->name_tries > 0)) {
        pinsight_adopt(thread, frame, (flags & PINSIGHT_ENTRY_C) != 0);
        pinsight_python_thread_find_name(thread, (flags & PINSIGHT_ENTRY_C) != 0);
    }
    if (PINSIGHT_LIKELY(thread->depth > 0)) {
        const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
        if (PINSIGHT_UNLIKELY(top->frame == frame &&
                              (top->tag & PINSIGHT_ENTRY_C) == (flags & PINSIGHT_ENTRY_C)) &&
            !pinsight_is_frameless(frame))
            pinsight_stack_close_lost(thread, thread->depth - 1);
    }
    if (PINSIGHT_UNLIKELY(thread->depth == thread->room) && !pinsight_stack_grow(thread))
        return NULL;
    struct pinsight_entry *entry = &thread->entries[thread->depth++];
    entry->frame = frame;
    entry->tag = (uintptr_t)lexgion | flags;
    pinsight_lexgion_begun(lexgion);
    return entry;
}

/* Begins to count an entry, which is called from a line of the outer counted entry. `start` means a
 * call; false means that a generator is resumed. */
PINSIGHT_ALWAYS_INLINE void pinsight_entry_count(struct pinsight_python_thread *thread,
                                                 struct pinsight_entry *entry,
                                                 struct pinsight_python_lexgion *lexgion,
                                                 int32_t lineno, bool start) {
    struct pinsight_count_tree *tree = &thread->engine.core->counts;
    struct pinsight_count_node *outer = tree->innermost;
    if (PINSIGHT_UNLIKELY(thread->depth > 1 && !(entry[-1].tag & PINSIGHT_ENTRY_COUNTED)))
        outer = pinsight_count_around(thread);
    struct pinsight_count_node *node = pinsight_count_child(&pinsight_python.engine, tree, outer,
                                                            &lexgion->state, (uint32_t)lineno);
    if (PINSIGHT_UNLIKELY(!node)) {
        entry->tag &= ~PINSIGHT_ENTRY_COUNTED;
        return;
    }
    pinsight_add(&node->calls, start);
    entry->node = tree->innermost = node;
    entry->outer = outer;
    entry->start = pinsight_clock_ticks();
}

/* Adds the top entry to the counts. Does not pop the entry. */
PINSIGHT_ALWAYS_INLINE void pinsight_entry_counted(struct pinsight_python_thread *thread,
                                                   const struct pinsight_entry *entry) {
    uint64_t ticks = pinsight_clock_ticks() - entry->start;
    struct pinsight_count_node *outer = entry->outer;
    pinsight_count_took(entry->node, ticks);
    pinsight_add(&outer->children, ticks);
    while (PINSIGHT_UNLIKELY(outer->place & PINSIGHT_COUNT_TRACED))
        outer = outer->parent;
    thread->engine.core->counts.innermost = outer;
}

/* Begins an execution that is to be recorded. Returns its entry, or NULL if memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *
pinsight_begin_now(struct pinsight_python_thread *thread, struct pinsight_python_lexgion *lexgion,
                   void *frame, int how, int32_t lineno, enum pinsight_flavour flavour) {
    struct pinsight_entry *entry = pinsight_push(thread, lexgion, frame, (uintptr_t)flavour);
    if (PINSIGHT_UNLIKELY(!entry))
        return NULL;
    if (flavour == PINSIGHT_COUNT) {
        pinsight_entry_count(thread, entry, lexgion, lineno,
                             how == PINSIGHT_PYTHON_BEGIN_HOW_START);
        return entry;
    }
    if (PINSIGHT_UNLIKELY(!thread->fast_room))
        pinsight_trace_within(thread, entry);
    pinsight_python_progress(thread);
    if (flavour == PINSIGHT_REGISTRY) {
        pinsight_record_python_begin(thread->tid, lexgion->state.id << 2 | (uint32_t)how,
                                     pinsight_line_of_event(lineno));
        pinsight_add_bytes(thread, PINSIGHT_REGISTRY_BYTES);
    } else {
        pinsight_record_python_function_begin(lexgion->name, lexgion->filename, lexgion->lineno,
                                              lexgion->code_id, thread->number, (uint8_t)how,
                                              lineno);
        pinsight_add_bytes(thread, lexgion->begin_bytes + (uint32_t)sizeof lineno);
    }
    pinsight_python_progress(thread);
    return entry;
}

/* A Python function begins or is resumed in `frame`. `how` and `lineno` as in the event. Returns
 * true if no execution of the function is wanted any more. */
PINSIGHT_ALWAYS_INLINE bool pinsight_begin(struct pinsight_python_thread *thread,
                                           struct pinsight_python_lexgion *lexgion, void *frame,
                                           int how, int32_t lineno, enum pinsight_flavour flavour) {
    if (PINSIGHT_UNLIKELY(pinsight_accept_version(lexgion) != pinsight_decision_version()))
        return pinsight_begin_slow(thread, lexgion, frame, how, lineno, flavour);
    pinsight_begin_now(thread, lexgion, frame, how, lineno, flavour);
    return false;
}

/* A Python function ends or pauses. Returns true if no execution of the function is wanted any
 * more. */
PINSIGHT_ALWAYS_INLINE bool pinsight_end(struct pinsight_python_thread *thread,
                                         struct pinsight_python_lexgion *lexgion, void *frame,
                                         int how, enum pinsight_flavour flavour) {
    struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    if (PINSIGHT_UNLIKELY(!thread->depth || top->frame != frame ||
                          top->tag != ((uintptr_t)lexgion | (uintptr_t)flavour))) {
        pinsight_end_unmatched(thread, lexgion, frame, how);
        return pinsight_lexgion_is_done(lexgion);
    }
    pinsight_lexgion_ended(lexgion);
    if (flavour == PINSIGHT_COUNT) {
        pinsight_entry_counted(thread, top);
        thread->depth--;
        return false;
    }
    thread->depth--;
    pinsight_python_progress(thread);
    if (flavour == PINSIGHT_REGISTRY) {
        pinsight_record_python_end(thread->tid, lexgion->state.id << 2 | (uint32_t)how);
    } else {
        pinsight_record_python_function_end(lexgion->name, lexgion->filename, lexgion->lineno,
                                            lexgion->code_id, thread->number, (uint8_t)how);
        pinsight_add_bytes(thread, lexgion->begin_bytes);
    }
    pinsight_python_progress(thread);
    return false;
}

/* Returns the line of a C call from `frame`, if the line belongs to the entry below; otherwise 0.
 */
PINSIGHT_ALWAYS_INLINE int32_t pinsight_counted_line(const struct pinsight_python_thread *thread,
                                                     const void *frame, int32_t lineno) {
    const struct pinsight_entry *below = &thread->entries[thread->depth - 2];
    return PINSIGHT_LIKELY(thread->depth > 1 && below->frame == frame &&
                           (below->tag & PINSIGHT_ENTRY_RECORDED))
               ? lineno
               : 0;
}

/* Returns whether a reader takes the innermost traced function for another one than the caller of
 * the top entry, because the caller itself is not traced. What importlib calls is its callers'. */
PINSIGHT_ALWAYS_INLINE bool
pinsight_caller_is_hidden(const struct pinsight_python_thread *thread,
                          const struct pinsight_python_lexgion *caller) {
    const struct pinsight_entry *below = &thread->entries[thread->depth - 2];
    if (thread->depth > 1 &&
        (below->tag & ~PINSIGHT_ENTRY_NOTED) == ((uintptr_t)caller | PINSIGHT_ENTRY_REGISTRY))
        return false;
    return !caller->bootstrap;
}

/* Begins a C call that is to be recorded. `how` as in the event. Returns its entry, or NULL if
 * memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_entry *
pinsight_c_begin_now(struct pinsight_python_thread *thread, struct pinsight_python_lexgion *caller,
                     struct pinsight_python_lexgion *callee, void *frame, int32_t lineno, int how,
                     enum pinsight_flavour flavour) {
    struct pinsight_entry *entry =
        pinsight_push(thread, callee, frame, (uintptr_t)flavour | PINSIGHT_ENTRY_C);
    if (PINSIGHT_UNLIKELY(!entry))
        return NULL;
    pinsight_lexgion_begun(caller);
    entry->caller = caller;
    entry->lineno = lineno;
    if (flavour == PINSIGHT_COUNT) {
        pinsight_entry_count(thread, entry, callee, pinsight_counted_line(thread, frame, lineno),
                             how == PINSIGHT_PYTHON_C_BEGIN_HOW_START);
        return entry;
    }
    if (PINSIGHT_UNLIKELY(!thread->fast_room))
        pinsight_trace_within(thread, entry);
    pinsight_python_progress(thread);
    if (flavour == PINSIGHT_REGISTRY &&
        PINSIGHT_UNLIKELY(pinsight_caller_is_hidden(thread, caller)) &&
        pinsight_record_python_c_call_begin_enabled())
        entry->tag ^= PINSIGHT_ENTRY_REGISTRY | PINSIGHT_ENTRY_INLINE; /* names its caller */
    if (entry->tag & PINSIGHT_ENTRY_REGISTRY) {
        pinsight_record_python_c_begin(thread->tid, callee->state.id << 2 | (uint32_t)how,
                                       pinsight_line_of_event(lineno));
        pinsight_add_bytes(thread, PINSIGHT_REGISTRY_BYTES);
    } else {
        pinsight_record_python_c_call_begin(caller->name, callee->name, caller->filename, lineno,
                                            caller->code_id, thread->number, (uint8_t)how);
        pinsight_add_bytes(thread, caller->call_bytes + callee->begin_bytes + 1);
    }
    pinsight_python_progress(thread);
    return entry;
}

/* Returns true if no call of the callable is wanted. This call then gets no entry, and its end does
 * nothing. */
PINSIGHT_ALWAYS_INLINE bool pinsight_c_exclude(struct pinsight_python_thread *thread,
                                               const struct pinsight_python_lexgion *callee,
                                               const void *callable) {
    if (PINSIGHT_LIKELY(!pinsight_lexgion_is_shut(callee)))
        return false;
    thread->excluded_callee = callable;
    thread->engine.outside += !callee->state.filtered && !callee->hidden;
    return true;
}

/* Returns true if this end belongs to the call that was excluded last. If a C call is on top, the
 * end may be that call's, and pinsight_c_end() decides. */
PINSIGHT_ALWAYS_INLINE bool pinsight_c_was_excluded(struct pinsight_python_thread *thread,
                                                    const void *callable) {
    if (PINSIGHT_LIKELY(thread->excluded_callee != callable))
        return false;
    if (thread->depth && (thread->entries[thread->depth - 1].tag & PINSIGHT_ENTRY_C))
        return false;
    thread->excluded_callee = NULL;
    return true;
}

/* The function `caller`, which runs in `frame`, calls C. */
PINSIGHT_ALWAYS_INLINE void pinsight_c_begin(struct pinsight_python_thread *thread,
                                             struct pinsight_python_lexgion *caller,
                                             struct pinsight_python_lexgion *callee, void *frame,
                                             int32_t lineno, enum pinsight_flavour flavour) {
    if (PINSIGHT_UNLIKELY(pinsight_accept_version(caller) != pinsight_decision_version()) &&
        !(pinsight_lexgion_calls(caller) && pinsight_python_define(caller)))
        return;
    if (PINSIGHT_UNLIKELY(pinsight_accept_version(callee) != pinsight_decision_version()))
        pinsight_c_begin_slow(thread, caller, callee, frame, lineno, flavour);
    else
        pinsight_c_begin_now(thread, caller, callee, frame, lineno,
                             PINSIGHT_PYTHON_C_BEGIN_HOW_START, flavour);
}

/*
 * The C call from `frame` has ended. A function makes one call at a time, so a top entry from this
 * frame is the entry of the call. `code` and `callable` are used only if there is no such entry.
 */
PINSIGHT_ALWAYS_INLINE void pinsight_c_end(struct pinsight_python_thread *thread, void *code,
                                           void *frame, void *callable, int how,
                                           enum pinsight_flavour flavour) {
    struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    if (PINSIGHT_UNLIKELY(!thread->depth || top->frame != frame ||
                          (top->tag & PINSIGHT_ENTRY_FLAGS) !=
                              ((uintptr_t)flavour | PINSIGHT_ENTRY_C))) {
        pinsight_c_end_unmatched(thread, code, frame, callable, how);
        return;
    }
    struct pinsight_python_lexgion *callee = pinsight_entry_lexgion(top), *caller = top->caller;
    pinsight_lexgion_ended(callee);
    pinsight_lexgion_ended(caller);
    if (flavour == PINSIGHT_COUNT) {
        pinsight_entry_counted(thread, top);
        thread->depth--;
        return;
    }
    int32_t lineno = top->lineno;
    thread->depth--;
    pinsight_python_progress(thread);
    if (flavour == PINSIGHT_REGISTRY) {
        pinsight_record_python_c_end(thread->tid, callee->state.id << 2 | (uint32_t)how);
    } else {
        pinsight_record_python_c_call_end(caller->name, callee->name, caller->filename, lineno,
                                          caller->code_id, thread->number, (uint8_t)how);
        pinsight_add_bytes(thread, caller->call_bytes + callee->begin_bytes + 1);
    }
    pinsight_python_progress(thread);
}

#endif
