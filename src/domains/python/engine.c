/* The engine's slow paths: stacks that grow, ends that do not match, entries that are lost. */
#include "domains/python/engine.h"

#include "domains/python/callable.h"
#include "domains/python/code.h"

#include <stdlib.h>

bool pinsight_stack_grow(struct pinsight_python_thread *thread) {
    uint32_t room = thread->room ? thread->room * 2 : 256;
    struct pinsight_entry *grown = realloc(thread->entries, room * sizeof *grown);
    if (!grown)
        return false;
    thread->entries = grown;
    thread->room = room;
    return true;
}

/* End the top entry the way it was begun. */
static void close_top(struct pinsight_python_thread *thread, int how) {
    struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    struct pinsight_lexgion *lexgion = pinsight_entry_lexgion(top), *caller = top->caller;
    bool is_c = top->tag & PINSIGHT_ENTRY_C;
    if (top->tag & PINSIGHT_ENTRY_COUNTED)
        pinsight_count_end(thread, top);
    thread->depth--;
    pinsight_progress(thread);
    if (pinsight_stuck()) {
        /* Not recorded: a deep stack would wait for each of its entries. */
    } else if (top->tag & PINSIGHT_ENTRY_REGISTRY) {
        uint32_t number = lexgion->id << 2 | (uint32_t)how;
        if (is_c)
            pinsight_record_python_c_end(thread->tid, number);
        else
            pinsight_record_python_end(thread->tid, number);
    } else if (top->tag & PINSIGHT_ENTRY_INLINE) {
        if (is_c)
            pinsight_record_python_c_call_end(caller->name, lexgion->name, caller->filename,
                                              top->lineno, caller->code_id, thread->number,
                                              (uint8_t)how);
        else
            pinsight_record_python_function_end(lexgion->name, lexgion->filename, lexgion->lineno,
                                                lexgion->code_id, thread->number, (uint8_t)how);
    }
    pinsight_progress(thread);
    if (is_c) {
        caller->in_flight--;
        pinsight_lexgion_collect(caller);
    }
    lexgion->in_flight--;
    pinsight_lexgion_collect(lexgion);
}

void pinsight_stack_close_lost(struct pinsight_python_thread *thread, uint32_t down_to) {
    while (thread->depth > down_to) {
        thread->lost_frames++;
        close_top(thread, PINSIGHT_PYTHON_END_HOW_LOST);
    }
}

/* An end without a begin: counted, unless the begin was the parent's before a fork. */
static void drop(struct pinsight_python_thread *thread) {
    if (thread->inherited)
        thread->inherited--;
    else
        thread->dropped_ends++;
}

void pinsight_end_unmatched(struct pinsight_python_thread *thread, struct pinsight_lexgion *lexgion,
                            void *frame, int how) {
    for (uint32_t depth = thread->depth; depth > 0; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (entry->frame == frame && !(entry->tag & PINSIGHT_ENTRY_C) &&
            pinsight_entry_lexgion(entry) == lexgion) {
            pinsight_stack_close_lost(thread, depth);
            close_top(thread, how);
            return;
        }
    }
    if (!lexgion->hidden)
        drop(thread);
}

void pinsight_c_end_unmatched(struct pinsight_python_thread *thread, PyCodeObject *code,
                              void *frame, PyObject *callable, int how) {
    for (uint32_t depth = thread->depth; depth > 0; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (entry->frame != frame)
            continue;
        if (!(entry->tag & PINSIGHT_ENTRY_C))
            break; /* the function itself: no call of its is open */
        pinsight_stack_close_lost(thread, depth);
        close_top(thread, how);
        return;
    }
    /* The interpreter reports the end of some calls of Python callables too; those have no begin.
     * What is hidden has none either. */
    struct pinsight_lexgion *callee = pinsight_callable_lexgion(thread, callable);
    struct pinsight_lexgion *caller = callee ? pinsight_code_lexgion(code) : NULL;
    if (caller && !callee->hidden && !caller->hidden)
        drop(thread);
}

static void close_thread(struct pinsight_thread *core, void *unused) {
    (void)unused;
    struct pinsight_python_thread *thread = core->state[pinsight_python_domain.slot];
    if (thread)
        pinsight_stack_close_lost(thread, 0);
}

void pinsight_stack_close_all(void) {
    pinsight_thread_each(close_thread, NULL);
}
