/* Executions that wait; see away.h. */
#include "domains/python/away.h"

#include "domains/python/generators.h"

#include <stdlib.h>
#include <string.h>

/* So many entries of a thread may be set aside; each search looks at them all. */
#define AWAY_MAX 4096

/* What is open in greenlets that wait is in a list of its thread. */
struct pinsight_away {
    struct pinsight_away *next, **here;
    uint32_t count, room;
    struct pinsight_entry *entries;
};
static struct pinsight_away *spare;   /* what can be used again */
static struct pinsight_away *parents; /* of a forked child's: nothing is in it */

/* ---- one entry ---- */

/* What waits is in flight. */
static void hold(const struct pinsight_entry *entry) {
    pinsight_entry_lexgion(entry)->state.in_flight++;
    if (entry->tag & PINSIGHT_ENTRY_C)
        entry->caller->state.in_flight++;
}

static void let_go(const struct pinsight_entry *entry) {
    if (entry->tag & PINSIGHT_ENTRY_C) {
        entry->caller->state.in_flight--;
        pinsight_lexgion_collect(&pinsight_python.engine, &entry->caller->state);
    }
    pinsight_entry_lexgion(entry)->state.in_flight--;
    pinsight_lexgion_collect(&pinsight_python.engine, &pinsight_entry_lexgion(entry)->state);
}

/* Copies what is open, for it to wait. */
static void pause_down_to(struct pinsight_python_thread *thread, uint32_t down_to,
                          struct pinsight_entry *into) {
    uint32_t count = thread->depth - down_to;
    memcpy(into, &thread->entries[down_to], count * sizeof *into);
    for (uint32_t i = 0; i < count; i++)
        hold(&into[i]);
    while (thread->depth > down_to)
        pinsight_stack_close_top(thread, thread->entries[thread->depth - 1].tag & PINSIGHT_ENTRY_C
                                             ? PINSIGHT_PYTHON_C_END_HOW_YIELD
                                             : PINSIGHT_PYTHON_END_HOW_YIELD);
}

static void begin(struct pinsight_python_thread *thread, const struct pinsight_entry *away,
                  enum pinsight_flavour flavour) {
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(away);
    if (away->tag & PINSIGHT_ENTRY_C) {
        pinsight_c_begin_now(thread, away->caller, lexgion, away->frame, away->lineno,
                             PINSIGHT_PYTHON_C_BEGIN_HOW_RESUME, flavour);
        return;
    }
    struct pinsight_entry *entry =
        pinsight_begin_now(thread, lexgion, away->frame, PINSIGHT_PYTHON_BEGIN_HOW_RESUME, flavour);
    if (entry)
        pinsight_generator_goes_on(thread, entry);
}

/* Begins an entry again, the way it was begun at first. Where that is not wanted any more it stands
 * for itself, so that its end is known. */
static void resume(struct pinsight_python_thread *thread, const struct pinsight_entry *away) {
    enum pinsight_flavour flavour = (enum pinsight_flavour)(away->tag & PINSIGHT_ENTRY_RECORDED);
    if (!flavour || !pinsight_wanted_now(flavour)) {
        struct pinsight_entry *entry = pinsight_push(thread, pinsight_entry_lexgion(away),
                                                     away->frame, away->tag & PINSIGHT_ENTRY_C);
        if (entry && (away->tag & PINSIGHT_ENTRY_C)) {
            entry->caller = away->caller;
            entry->lineno = away->lineno;
            entry->caller->state.in_flight++;
        }
    } else if (flavour == PINSIGHT_COUNT) {
        begin(thread, away, PINSIGHT_COUNT);
    } else if (flavour == PINSIGHT_REGISTRY) {
        begin(thread, away, PINSIGHT_REGISTRY);
    } else {
        begin(thread, away, PINSIGHT_INLINE);
    }
    let_go(away);
}

/* ---- where the switch is seen ---- */

/* One with room for so many entries; NULL where memory is short. */
static struct pinsight_away *make(uint32_t count) {
    struct pinsight_away *away = spare;
    if (away)
        spare = away->next;
    else
        away = calloc(1, sizeof *away);
    if (away && away->room < count) {
        uint32_t room = count < 16 ? 16 : count * 2;
        struct pinsight_entry *entries = realloc(away->entries, room * sizeof *entries);
        if (!entries) {
            away->next = spare;
            spare = away;
            return NULL;
        }
        away->entries = entries;
        away->room = room;
    }
    return away;
}

struct pinsight_away *pinsight_stack_take_away(struct pinsight_python_thread *thread) {
    struct pinsight_away *away = thread->depth ? make(thread->depth) : NULL;
    if (!away) {
        pinsight_stack_close_lost(thread, 0);
        return NULL;
    }
    away->count = thread->depth;
    away->next = thread->taken;
    away->here = &thread->taken;
    if (away->next)
        away->next->here = &away->next;
    thread->taken = away;
    pause_down_to(thread, 0, away->entries);
    return away;
}

void pinsight_stack_put_back(struct pinsight_python_thread *thread, struct pinsight_away *away) {
    pinsight_stack_set_aside(thread, 0);
    if (!away)
        return;
    for (uint32_t i = 0; i < away->count; i++)
        resume(thread, &away->entries[i]);
    *away->here = away->next;
    if (away->next)
        away->next->here = away->here;
    away->next = spare;
    spare = away;
}

void pinsight_stack_away_fork_child(struct pinsight_python_thread *thread) {
    for (struct pinsight_away *away = thread->taken; away; away = away->next)
        away->count = 0;
    if (thread->taken)
        thread->taken->here = &parents;
    parents = thread->taken;
    thread->taken = NULL;
}

uint32_t pinsight_stack_away_count(const struct pinsight_python_thread *thread) {
    uint32_t count = thread->away_count;
    for (const struct pinsight_away *away = thread->taken; away; away = away->next)
        count += away->count;
    return count;
}

/* ---- where it is not ---- */

void pinsight_stack_set_aside(struct pinsight_python_thread *thread, uint32_t down_to) {
    uint32_t count = thread->depth - down_to;
    if (count == 0)
        return;
    if (thread->away_count + count > AWAY_MAX || !pinsight_there_are_greenlets() ||
        (!thread->away && !(thread->away = malloc(AWAY_MAX * sizeof *thread->away)))) {
        pinsight_stack_close_lost(thread, down_to);
        return;
    }
    struct pinsight_entry *away = &thread->away[thread->away_count];
    pause_down_to(thread, down_to, away);
    thread->away_count += count;
    thread->away_group++;
    for (uint32_t i = 0; i < count; i++)
        away[i].group = thread->away_group;
}

bool pinsight_stack_come_back(struct pinsight_python_thread *thread,
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
    for (uint32_t i = first; i < at; i++)
        resume(thread, &thread->away[i]);
    memmove(&thread->away[first], &thread->away[at],
            (thread->away_count - at) * sizeof *thread->away);
    thread->away_count -= at - first;
    return true;
}

void pinsight_stack_let_go(struct pinsight_python_thread *thread) {
    for (struct pinsight_away *away = thread->taken; away; away = away->next)
        while (away->count > 0)
            let_go(&away->entries[--away->count]);
    while (thread->away_count > 0)
        let_go(&thread->away[--thread->away_count]);
}

void pinsight_stack_away_free(struct pinsight_python_thread *thread) {
    while (thread->taken) {
        struct pinsight_away *away = thread->taken;
        thread->taken = away->next;
        free(away->entries);
        free(away);
    }
    free(thread->away);
}
