/* The slow paths of the balance: stacks that grow, ends that do not match, lost entries. */
#include "tracer/python/balance.h"

#include "tracer/python/serial.h"
#include "tracer/python/stack_suspend.h"

#include <stdlib.h>

bool pinsight_stack_grow(struct pinsight_python_thread *thread) {
    uint32_t room = thread->room ? thread->room * 2 : 256;
    struct pinsight_entry *grown = realloc(thread->entries, room * sizeof *grown);
    if (!grown)
        return false;
    thread->entries = grown;
    thread->room = room;
    pinsight_python_thread_changed(thread);
    return true;
}

void pinsight_stack_close_top(struct pinsight_python_thread *thread, int how) {
    struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(top), *caller = top->caller;
    bool is_c = top->tag & PINSIGHT_ENTRY_C;
    struct pinsight_entry ended = *top; /* the entries above may be overwritten */
    if (top->tag & PINSIGHT_ENTRY_COUNTED) {
        pinsight_entry_counted(thread, top);
        pinsight_python_thread_changed(thread);
    } else if (pinsight_entry_is_within(top)) {
        pinsight_traced_within(top);
    }
    thread->depth--;
    pinsight_python_progress(thread);
    if (pinsight_stuck()) {
        /* The progress is not recorded, because a deep stack would wait for each of its entries. */
    } else if (top->tag & PINSIGHT_ENTRY_REGISTRY) {
        uint32_t number = lexgion->state.id << 2 | (uint32_t)how;
        /* The thread that ends the process closes the other threads' entries. */
        bool is_own = thread->engine.core == pinsight_thread_there();
        if (is_c)
            (is_own ? pinsight_record_python_c_end
                    : pinsight_record_python_c_end_of_another)(thread->tid, number);
        else
            (is_own ? pinsight_record_python_end
                    : pinsight_record_python_end_of_another)(thread->tid, number);
    } else if (top->tag & PINSIGHT_ENTRY_INLINE) {
        if (is_c)
            pinsight_record_python_c_call_end(caller->name, lexgion->name, caller->filename,
                                              top->lineno, caller->code_id, thread->number,
                                              (uint8_t)how);
        else
            pinsight_record_python_function_end(lexgion->name, lexgion->filename, lexgion->lineno,
                                                lexgion->code_id, thread->number, (uint8_t)how);
    }
    pinsight_python_progress(thread);
    if (ended.tag & PINSIGHT_ENTRY_NOTED)
        pinsight_end_noted(thread, &ended, how);
    if (is_c) {
        pinsight_lexgion_ended(caller);
        pinsight_lexgion_collect(&pinsight_python.engine, &caller->state);
    }
    pinsight_lexgion_ended(lexgion);
    pinsight_lexgion_collect(&pinsight_python.engine, &lexgion->state);
}

void pinsight_stack_close_lost(struct pinsight_python_thread *thread, uint32_t down_to) {
    pinsight_serial_begin();
    while (thread->depth > down_to) {
        pinsight_add(&thread->engine.lost_frames,
                     (thread->entries[thread->depth - 1].tag & PINSIGHT_ENTRY_RECORDED) != 0);
        pinsight_stack_close_top(thread, PINSIGHT_PYTHON_END_HOW_LOST);
    }
    pinsight_serial_end();
}

void pinsight_end_drop(struct pinsight_python_thread *thread) {
    if (thread->was_out_of_range)
        return;
    if (thread->inherited)
        thread->inherited--;
    else
        pinsight_add(&thread->engine.dropped_ends, 1);
}

/* Returns whether an entry belongs to an execution of the lexgion. The entry of a counted import
 * has the lexgion of its module. */
static bool is_of(const struct pinsight_entry *entry,
                  const struct pinsight_python_lexgion *lexgion) {
    return pinsight_entry_lexgion(entry) == lexgion ||
           (lexgion->imports && (entry->tag & PINSIGHT_ENTRY_NOTED) &&
            (entry->notes & PINSIGHT_NOTE_IMPORT));
}

static void end_unmatched(struct pinsight_python_thread *thread,
                          struct pinsight_python_lexgion *lexgion, void *frame, int how) {
    if (PINSIGHT_UNLIKELY(thread->adopts))
        pinsight_adopt(thread, frame, true);
    if (lexgion->state.in_flight == 0 && pinsight_lexgion_is_shut(lexgion))
        return; /* the interpreter reports the end by an exception later */
    for (uint32_t depth = thread->depth; depth > 0; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (entry->frame == frame && !(entry->tag & PINSIGHT_ENTRY_C) && is_of(entry, lexgion)) {
            pinsight_stack_suspend_above(thread, depth);
            pinsight_stack_close_top(thread, how);
            return;
        }
    }
    if (pinsight_stack_resume_entry(thread, lexgion, frame)) {
        const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
        if (thread->depth && top->frame == frame && is_of(top, lexgion))
            pinsight_stack_close_top(thread, how);
    } else if (!(how == PINSIGHT_PYTHON_END_HOW_UNWIND && pinsight_is_frameless(frame)) &&
               !pinsight_lexgion_selects(lexgion)) {
        /* Cython reports twice that an exception leaves a cpdef function that Python called. */
        pinsight_end_drop(thread);
    }
}

void pinsight_end_unmatched(struct pinsight_python_thread *thread,
                            struct pinsight_python_lexgion *lexgion, void *frame, int how) {
    pinsight_serial_begin();
    end_unmatched(thread, lexgion, frame, how);
    pinsight_serial_end();
}

bool pinsight_c_end_find(struct pinsight_python_thread *thread, void *frame, int how) {
    uint32_t depth = thread->depth;
    for (; depth > 0; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (entry->frame != frame)
            continue;
        if (!(entry->tag & PINSIGHT_ENTRY_C))
            return false; /* the end of the function itself, so that none of its calls is open */
        pinsight_stack_suspend_above(thread, depth);
        pinsight_stack_close_top(thread, how);
        return true;
    }
    if (!pinsight_stack_resume_entry(thread, NULL, frame))
        return false;
    pinsight_stack_close_top(thread, how);
    return true;
}

void pinsight_stack_close_thread(struct pinsight_python_thread *thread) {
    uint64_t lost = thread->engine.lost_frames;
    pinsight_stack_close_lost(thread, 0);
    pinsight_add(&thread->engine.under_way, thread->engine.lost_frames - lost);
    pinsight_stack_drop_suspended(thread);
    pinsight_count_break(&thread->engine.core->counts);
}

static void close_thread(struct pinsight_core_thread *core, void *unused) {
    (void)unused;
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core)
    pinsight_stack_close_thread(thread);
}

void pinsight_stack_close_all(void) {
    pinsight_each_thread_stopped(close_thread, NULL);
}

void pinsight_python_each_open(struct pinsight_core_thread *core, pinsight_open_visit visit) {
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core) {
        uint64_t until = thread->waits_since ? thread->waits_since : pinsight_clock_ticks();
        for (uint32_t i = 0; i < thread->depth; i++) {
            const struct pinsight_entry *entry = &thread->entries[i];
            bool is_counted = entry->tag & PINSIGHT_ENTRY_COUNTED;
            if ((is_counted || pinsight_entry_is_within(entry)) && entry->start < until)
                visit(is_counted ? entry->node : NULL, entry->outer, until - entry->start);
        }
    }
}

static uint32_t record_open(const struct pinsight_python_thread *thread, uint32_t told) {
    for (uint32_t i = 0; i < thread->depth; i++) {
        const struct pinsight_entry *entry = &thread->entries[i];
        uint32_t id = pinsight_entry_lexgion(entry)->state.id;
        uint16_t lineno = (uint16_t)(entry->lineno < UINT16_MAX ? entry->lineno : UINT16_MAX);
        if (!(entry->tag & PINSIGHT_ENTRY_REGISTRY))
            continue;
        if (entry->tag & PINSIGHT_ENTRY_C)
            pinsight_record_python_c_open(thread->tid, id << 2, lineno, told++);
        else
            pinsight_record_python_open(thread->tid, id << 2 | PINSIGHT_PYTHON_BEGIN_HOW_RESUME,
                                        told++);
    }
    return told;
}

/* Records the open executions of this thread, also in other interpreters. */
void pinsight_stack_record_open(void) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    const struct pinsight_engine_thread *at =
        core ? core->state[pinsight_python_domain.slot] : NULL;
    uint32_t told = 0;
    for (; at; at = at->more)
        told = record_open((const struct pinsight_python_thread *)at, told);
}
