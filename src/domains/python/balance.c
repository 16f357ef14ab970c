/* The balance's slow paths: stacks that grow, ends that do not match, entries that are lost. */
#include "domains/python/balance.h"

#include <stdlib.h>
#include <string.h>

/* So many entries of a thread may be away; each search looks at them all. */
#define AWAY_MAX 4096

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

/* End the top entry the way it was begun. */
static void close_top(struct pinsight_python_thread *thread, int how) {
    struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(top), *caller = top->caller;
    bool is_c = top->tag & PINSIGHT_ENTRY_C;
    struct pinsight_entry ended = *top; /* what stands above may come anew meanwhile */
    if (top->tag & PINSIGHT_ENTRY_COUNTED)
        pinsight_entry_counted(thread, top);
    thread->depth--;
    pinsight_python_progress(thread);
    if (pinsight_stuck()) {
        /* Not recorded: a deep stack would wait for each of its entries. */
    } else if (top->tag & PINSIGHT_ENTRY_REGISTRY) {
        uint32_t number = lexgion->state.id << 2 | (uint32_t)how;
        /* Whoever ends the process closes what other threads have open. */
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
        caller->state.in_flight--;
        pinsight_lexgion_collect(&pinsight_python.engine, &caller->state);
    }
    lexgion->state.in_flight--;
    pinsight_lexgion_collect(&pinsight_python.engine, &lexgion->state);
}

void pinsight_stack_close_lost(struct pinsight_python_thread *thread, uint32_t down_to) {
    while (thread->depth > down_to) {
        pinsight_add(&thread->engine.lost_frames,
                     (thread->entries[thread->depth - 1].tag & PINSIGHT_ENTRY_RECORDED) != 0);
        close_top(thread, PINSIGHT_PYTHON_END_HOW_LOST);
    }
}

/*
 * Greenlets switch the C stack inside a call of C, and the interpreter's frames with it; no event
 * tells. It shows when a call ends that is not on top: what is above belongs to executions that
 * wait. They are set aside as if they yielded, and go on when an end of theirs is seen.
 */
static void set_aside(struct pinsight_python_thread *thread, uint32_t down_to) {
    uint32_t count = thread->depth - down_to;
    if (count == 0)
        return;
    if (thread->away_count + count > AWAY_MAX || !pinsight_there_are_greenlets()) {
        pinsight_stack_close_lost(thread, down_to);
        return;
    }
    if (!thread->away && !(thread->away = malloc(AWAY_MAX * sizeof *thread->away))) {
        pinsight_stack_close_lost(thread, down_to);
        return;
    }
    struct pinsight_entry *away = &thread->away[thread->away_count];
    memcpy(away, &thread->entries[down_to], count * sizeof *away);
    thread->away_count += count;
    thread->away_group++;
    for (uint32_t i = 0; i < count; i++) {
        away[i].group = thread->away_group;
        pinsight_entry_lexgion(&away[i])->state.in_flight++;
        if (away[i].tag & PINSIGHT_ENTRY_C)
            away[i].caller->state.in_flight++;
    }
    while (thread->depth > down_to)
        close_top(thread, thread->entries[thread->depth - 1].tag & PINSIGHT_ENTRY_C
                              ? PINSIGHT_PYTHON_C_END_HOW_RETURN
                              : PINSIGHT_PYTHON_END_HOW_YIELD);
}

/* What an entry that is away holds on to. */
static void let_go(const struct pinsight_entry *away) {
    if (away->tag & PINSIGHT_ENTRY_C) {
        away->caller->state.in_flight--;
        pinsight_lexgion_collect(&pinsight_python.engine, &away->caller->state);
    }
    pinsight_entry_lexgion(away)->state.in_flight--;
    pinsight_lexgion_collect(&pinsight_python.engine, &pinsight_entry_lexgion(away)->state);
}

/* Begin an entry that was away again, the way it was begun at first. */
static void go_on(struct pinsight_python_thread *thread, const struct pinsight_entry *away) {
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(away);
    int how = PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
    if (away->tag & PINSIGHT_ENTRY_C) {
        if (away->tag & PINSIGHT_ENTRY_COUNTED)
            pinsight_c_begin_now(thread, away->caller, lexgion, away->frame, away->lineno,
                                 PINSIGHT_COUNT);
        else if (away->tag & PINSIGHT_ENTRY_REGISTRY)
            pinsight_c_begin_now(thread, away->caller, lexgion, away->frame, away->lineno,
                                 PINSIGHT_REGISTRY);
        else if (away->tag & PINSIGHT_ENTRY_INLINE)
            pinsight_c_begin_now(thread, away->caller, lexgion, away->frame, away->lineno,
                                 PINSIGHT_INLINE);
    } else if (away->tag & PINSIGHT_ENTRY_COUNTED) {
        pinsight_begin_now(thread, lexgion, away->frame, how, PINSIGHT_COUNT);
    } else if (away->tag & PINSIGHT_ENTRY_REGISTRY) {
        pinsight_begin_now(thread, lexgion, away->frame, how, PINSIGHT_REGISTRY);
    } else if (away->tag & PINSIGHT_ENTRY_INLINE) {
        pinsight_begin_now(thread, lexgion, away->frame, how, PINSIGHT_INLINE);
    }
}

/*
 * The end of an entry that is away was seen: its callers go on. A function goes on itself, for
 * its end to be recorded; the end of a call of C was recorded when it switched. False if there is
 * no such entry.
 */
static bool come_back(struct pinsight_python_thread *thread,
                      const struct pinsight_python_lexgion *lexgion, const void *frame) {
    uint32_t at = thread->away_count;
    while (at > 0) {
        const struct pinsight_entry *entry = &thread->away[at - 1];
        if (entry->frame == frame &&
            (lexgion ? !(entry->tag & PINSIGHT_ENTRY_C) && pinsight_entry_lexgion(entry) == lexgion
                     : (entry->tag & PINSIGHT_ENTRY_C) != 0))
            break;
        at--;
    }
    if (at == 0)
        return false;
    uint32_t first = at - 1;
    while (first > 0 && thread->away[first - 1].group == thread->away[at - 1].group)
        first--;
    for (uint32_t i = first; i < at; i++) {
        if (lexgion || i + 1 < at)
            go_on(thread, &thread->away[i]);
        let_go(&thread->away[i]);
    }
    memmove(&thread->away[first], &thread->away[at],
            (thread->away_count - at) * sizeof *thread->away);
    thread->away_count -= at - first;
    return true;
}

void pinsight_end_drop(struct pinsight_python_thread *thread) {
    if (thread->was_out)
        return;
    if (thread->inherited)
        thread->inherited--;
    else
        pinsight_add(&thread->engine.dropped_ends, 1);
}

void pinsight_end_unmatched(struct pinsight_python_thread *thread,
                            struct pinsight_python_lexgion *lexgion, void *frame, int how) {
    if (lexgion->state.in_flight == 0 && pinsight_lexgion_is_shut(lexgion))
        return; /* the end by an exception, which the interpreter goes on to report */
    for (uint32_t depth = thread->depth; depth > 0; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (entry->frame == frame && !(entry->tag & PINSIGHT_ENTRY_C) &&
            pinsight_entry_lexgion(entry) == lexgion) {
            set_aside(thread, depth);
            close_top(thread, how);
            return;
        }
    }
    if (come_back(thread, lexgion, frame)) {
        const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
        if (thread->depth && top->frame == frame && pinsight_entry_lexgion(top) == lexgion)
            close_top(thread, how);
    } else if (!pinsight_lexgion_selects(lexgion)) {
        pinsight_end_drop(thread);
    }
}

bool pinsight_c_end_find(struct pinsight_python_thread *thread, void *frame, int how) {
    uint32_t depth = thread->depth;
    for (; depth > 0; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (entry->frame != frame)
            continue;
        if (!(entry->tag & PINSIGHT_ENTRY_C))
            return false; /* the function itself: no call of its is open */
        set_aside(thread, depth);
        close_top(thread, how);
        return true;
    }
    return come_back(thread, NULL, frame);
}

static void close_thread(struct pinsight_core_thread *core, void *unused) {
    (void)unused;
    struct pinsight_python_thread *thread = core->state[pinsight_python_domain.slot];
    if (!thread)
        return;
    pinsight_stack_close_lost(thread, 0);
    while (thread->away_count > 0)
        let_go(&thread->away[--thread->away_count]);
}

void pinsight_stack_close_all(void) {
    pinsight_thread_each(close_thread, NULL);
}

void pinsight_stack_tell_open(void) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    const struct pinsight_python_thread *thread =
        core ? core->state[pinsight_python_domain.slot] : NULL;
    uint32_t told = 0;
    for (uint32_t i = 0; thread && i < thread->depth; i++) {
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
}
