/* Executions that wait; see away.h. */
#include "domains/python/away.h"

#include "domains/python/generators.h"
#include "domains/python/import.h"
#include "domains/python/importing.h"

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
    pinsight_lexgion_begun(pinsight_entry_lexgion(entry));
    if (entry->tag & PINSIGHT_ENTRY_C)
        pinsight_lexgion_begun(entry->caller);
}

static bool is_noted(const struct pinsight_entry *entry, uint32_t notes) {
    return (entry->tag & PINSIGHT_ENTRY_NOTED) && (entry->notes & notes);
}

static bool is_import(const struct pinsight_entry *entry) {
    return is_noted(entry, PINSIGHT_NOTE_IMPORT);
}

/* Its module's name is not needed any more. */
static void forget_import(struct pinsight_entry *entry) {
    if (!is_import(entry))
        return;
    free(entry->import);
    entry->import = NULL;
}

static void let_go(struct pinsight_entry *entry) {
    forget_import(entry);
    if (entry->tag & PINSIGHT_ENTRY_C) {
        pinsight_lexgion_ended(entry->caller);
        pinsight_lexgion_collect(&pinsight_python.engine, &entry->caller->state);
    }
    pinsight_lexgion_ended(pinsight_entry_lexgion(entry));
    pinsight_lexgion_collect(&pinsight_python.engine, &pinsight_entry_lexgion(entry)->state);
}

/* Copies what is open, for it to wait. */
static void pause_down_to(struct pinsight_python_thread *thread, uint32_t down_to,
                          struct pinsight_entry *into) {
    uint32_t count = thread->depth - down_to;
    memcpy(into, &thread->entries[down_to], count * sizeof *into);
    for (uint32_t i = 0; i < count; i++) {
        hold(&into[i]);
        if (is_import(&into[i])) /* the pause is its end */
            into[i].import = into[i].import ? strdup(into[i].import) : NULL;
    }
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
    int32_t lineno = flavour == PINSIGHT_COUNT ? (int32_t)(uint32_t)away->node->place : 0;
    struct pinsight_entry *entry = pinsight_begin_now(
        thread, lexgion, away->frame, PINSIGHT_PYTHON_BEGIN_HOW_RESUME, lineno, flavour);
    if (entry)
        pinsight_generator_goes_on(thread, entry);
}

/* Records that an import goes on: its module's name, if that was to be recorded. */
static char *resume_import(struct pinsight_python_thread *thread,
                           const struct pinsight_entry *away) {
    if (!is_import(away) || !away->import ||
        pinsight_domain_mode_now(&pinsight_python_domain) != PINSIGHT_MODE_TRACING)
        return NULL;
    return pinsight_import_resume(thread, away->import);
}

/* The entry that went on is that of an import, or of a function of the user's that began in one;
 * see importing.h. */
static void note_importing(struct pinsight_python_thread *thread, const struct pinsight_entry *away,
                           char *import) {
    struct pinsight_entry *top = thread->depth ? &thread->entries[thread->depth - 1] : NULL;
    if (!is_noted(away, PINSIGHT_NOTE_IMPORTING))
        return;
    if (!top || top->frame != away->frame || (top->tag & PINSIGHT_ENTRY_C)) {
        if (import) /* memory is short */
            pinsight_import_end(thread, import, PINSIGHT_PYTHON_IMPORT_END_HOW_LOST);
        return;
    }
    top->notes = (top->tag & PINSIGHT_ENTRY_NOTED ? top->notes : 0) |
                 (away->notes & PINSIGHT_NOTE_IMPORTING);
    top->tag |= PINSIGHT_ENTRY_NOTED;
    if (is_import(away))
        top->import = import;
}

/* Begins an entry again, the way it was begun at first. Where that is not wanted any more it stands
 * for itself, so that its end is known. */
static void resume(struct pinsight_python_thread *thread, struct pinsight_entry *away) {
    enum pinsight_flavour flavour = (enum pinsight_flavour)(away->tag & PINSIGHT_ENTRY_RECORDED);
    char *import = resume_import(thread, away);
    if (!flavour || !pinsight_wanted_now(flavour)) {
        struct pinsight_entry *entry = pinsight_push(thread, pinsight_entry_lexgion(away),
                                                     away->frame, away->tag & PINSIGHT_ENTRY_C);
        if (entry && (away->tag & PINSIGHT_ENTRY_C)) {
            entry->caller = away->caller;
            entry->lineno = away->lineno;
            pinsight_lexgion_begun(entry->caller);
        }
    } else if (flavour == PINSIGHT_COUNT) {
        begin(thread, away, PINSIGHT_COUNT);
    } else if (flavour == PINSIGHT_REGISTRY) {
        begin(thread, away, PINSIGHT_REGISTRY);
    } else {
        begin(thread, away, PINSIGHT_INLINE);
    }
    note_importing(thread, away, import);
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
    pinsight_importing_moved(thread);
    return away;
}

void pinsight_stack_put_back(struct pinsight_python_thread *thread, struct pinsight_away *away) {
    pinsight_stack_set_aside(thread, 0);
    if (!away)
        return;
    for (uint32_t i = 0; i < away->count; i++)
        resume(thread, &away->entries[i]);
    pinsight_importing_moved(thread);
    *away->here = away->next;
    if (away->next)
        away->next->here = away->here;
    away->next = spare;
    spare = away;
}

void pinsight_stack_away_fork_child(struct pinsight_python_thread *thread) {
    for (struct pinsight_away *away = thread->taken; away; away = away->next)
        while (away->count > 0)
            forget_import(&away->entries[--away->count]);
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
    for (uint32_t i = 0; i < count; i++) {
        forget_import(&away[i]);
        away[i].tag &= ~PINSIGHT_ENTRY_NOTED; /* the group takes the notes' place */
        away[i].group = thread->away_group;
    }
    pinsight_importing_moved(thread);
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
        while (away->count > 0)
            forget_import(&away->entries[--away->count]);
        free(away->entries);
        free(away);
    }
    free(thread->away);
}
