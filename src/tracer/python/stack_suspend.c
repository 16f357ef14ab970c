/* Suspended executions; see stack_suspend.h. */
#include "tracer/python/stack_suspend.h"

#include "tracer/python/generators.h"
#include "tracer/python/import.h"
#include "tracer/python/importing.h"

#include <stdlib.h>
#include <string.h>

/* The most suspended entries of a thread. Each search reads all of them. */
#define SUSPENDED_MAX 4096

/* The suspended stacks are in a list of their thread. */
struct pinsight_suspended_stack {
    struct pinsight_suspended_stack *next, **here;
    uint32_t count, room;
    struct pinsight_entry *entries;
};
static struct pinsight_suspended_stack *free_stacks; /* for reuse */
/* the parent's, in a forked child; they are empty */
static struct pinsight_suspended_stack *parents;

/* ---- one entry ---- */

/* A suspended execution stays in flight. */
static void keep_in_flight(const struct pinsight_entry *entry) {
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

/* Frees the module's name of an import. */
static void forget_import(struct pinsight_entry *entry) {
    if (!is_import(entry))
        return;
    free(entry->import);
    entry->import = NULL;
}

static void release(struct pinsight_entry *entry) {
    forget_import(entry);
    if (entry->tag & PINSIGHT_ENTRY_C) {
        pinsight_lexgion_ended(entry->caller);
        pinsight_lexgion_collect(&pinsight_python.engine, &entry->caller->state);
    }
    pinsight_lexgion_ended(pinsight_entry_lexgion(entry));
    pinsight_lexgion_collect(&pinsight_python.engine, &pinsight_entry_lexgion(entry)->state);
}

/* Copies the open entries, and pauses them. */
static void pause_down_to(struct pinsight_python_thread *thread, uint32_t down_to,
                          struct pinsight_entry *into) {
    uint32_t count = thread->depth - down_to;
    memcpy(into, &thread->entries[down_to], count * sizeof *into);
    for (uint32_t i = 0; i < count; i++) {
        keep_in_flight(&into[i]);
        if (is_import(&into[i])) /* the pause records its end */
            into[i].import = into[i].import ? strdup(into[i].import) : NULL;
    }
    while (thread->depth > down_to)
        pinsight_stack_close_top(thread, thread->entries[thread->depth - 1].tag & PINSIGHT_ENTRY_C
                                             ? PINSIGHT_PYTHON_C_END_HOW_YIELD
                                             : PINSIGHT_PYTHON_END_HOW_YIELD);
}

static void begin(struct pinsight_python_thread *thread, const struct pinsight_entry *suspended,
                  enum pinsight_flavour flavour) {
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(suspended);
    if (suspended->tag & PINSIGHT_ENTRY_C) {
        pinsight_c_begin_now(thread, suspended->caller, lexgion, suspended->frame,
                             suspended->lineno, PINSIGHT_PYTHON_C_BEGIN_HOW_RESUME, flavour);
        return;
    }
    int32_t lineno = flavour == PINSIGHT_COUNT ? (int32_t)(uint32_t)suspended->node->place : 0;
    struct pinsight_entry *entry = pinsight_begin_now(
        thread, lexgion, suspended->frame, PINSIGHT_PYTHON_BEGIN_HOW_RESUME, lineno, flavour);
    if (entry)
        pinsight_generator_goes_on(thread, entry);
}

/* Records that an import is resumed. Returns the name of its module if the import is to be
 * recorded. */
static char *resume_import(struct pinsight_python_thread *thread,
                           const struct pinsight_entry *suspended) {
    if (!is_import(suspended) || !suspended->import ||
        pinsight_domain_mode_now(&pinsight_python_domain) != PINSIGHT_MODE_TRACING)
        return NULL;
    return pinsight_import_resume(thread, suspended->import);
}

/* Called for the resumed entry of an import, or of a user's function that began in one; see
 * importing.h. */
static void note_importing(struct pinsight_python_thread *thread,
                           const struct pinsight_entry *suspended, char *import) {
    struct pinsight_entry *top = thread->depth ? &thread->entries[thread->depth - 1] : NULL;
    if (!is_noted(suspended, PINSIGHT_NOTE_IMPORTING))
        return;
    if (!top || top->frame != suspended->frame || (top->tag & PINSIGHT_ENTRY_C)) {
        if (import) /* memory is short */
            pinsight_import_end(thread, import, PINSIGHT_PYTHON_IMPORT_END_HOW_LOST);
        return;
    }
    top->notes = (top->tag & PINSIGHT_ENTRY_NOTED ? top->notes : 0) |
                 (suspended->notes & PINSIGHT_NOTE_IMPORTING);
    top->tag |= PINSIGHT_ENTRY_NOTED;
    if (is_import(suspended))
        top->import = import;
}

/* Begins an entry again in its flavour. If that is not wanted any more, the entry only stands for
 * the execution, so that its end has a begin. */
static void resume(struct pinsight_python_thread *thread, struct pinsight_entry *suspended) {
    enum pinsight_flavour flavour =
        (enum pinsight_flavour)(suspended->tag & PINSIGHT_ENTRY_RECORDED);
    char *import = resume_import(thread, suspended);
    if (!flavour || !pinsight_wanted_now(flavour)) {
        struct pinsight_entry *entry =
            pinsight_push(thread, pinsight_entry_lexgion(suspended), suspended->frame,
                          suspended->tag & PINSIGHT_ENTRY_C);
        if (entry && (suspended->tag & PINSIGHT_ENTRY_C)) {
            entry->caller = suspended->caller;
            entry->lineno = suspended->lineno;
            pinsight_lexgion_begun(entry->caller);
        }
    } else if (flavour == PINSIGHT_COUNT) {
        begin(thread, suspended, PINSIGHT_COUNT);
    } else if (flavour == PINSIGHT_REGISTRY) {
        begin(thread, suspended, PINSIGHT_REGISTRY);
    } else {
        begin(thread, suspended, PINSIGHT_INLINE);
    }
    note_importing(thread, suspended, import);
    release(suspended);
}

/* ---- if the switch is observed ---- */

/* Makes a stack with room for `count` entries. Returns NULL if memory is short. */
static struct pinsight_suspended_stack *make(uint32_t count) {
    struct pinsight_suspended_stack *suspended = free_stacks;
    if (suspended)
        free_stacks = suspended->next;
    else
        suspended = calloc(1, sizeof *suspended);
    if (suspended && suspended->room < count) {
        uint32_t room = count < 16 ? 16 : count * 2;
        struct pinsight_entry *entries = realloc(suspended->entries, room * sizeof *entries);
        if (!entries) {
            suspended->next = free_stacks;
            free_stacks = suspended;
            return NULL;
        }
        suspended->entries = entries;
        suspended->room = room;
    }
    return suspended;
}

struct pinsight_suspended_stack *pinsight_stack_suspend(struct pinsight_python_thread *thread) {
    struct pinsight_suspended_stack *suspended = thread->depth ? make(thread->depth) : NULL;
    if (!suspended) {
        pinsight_stack_close_lost(thread, 0);
        return NULL;
    }
    suspended->count = thread->depth;
    suspended->next = thread->suspended_stacks;
    suspended->here = &thread->suspended_stacks;
    if (suspended->next)
        suspended->next->here = &suspended->next;
    thread->suspended_stacks = suspended;
    pause_down_to(thread, 0, suspended->entries);
    pinsight_importing_moved(thread);
    return suspended;
}

void pinsight_stack_resume(struct pinsight_python_thread *thread,
                           struct pinsight_suspended_stack *suspended) {
    pinsight_stack_suspend_above(thread, 0);
    if (!suspended)
        return;
    for (uint32_t i = 0; i < suspended->count; i++)
        resume(thread, &suspended->entries[i]);
    pinsight_importing_moved(thread);
    *suspended->here = suspended->next;
    if (suspended->next)
        suspended->next->here = suspended->here;
    suspended->next = free_stacks;
    free_stacks = suspended;
}

void pinsight_stack_suspended_fork_child(struct pinsight_python_thread *thread) {
    for (struct pinsight_suspended_stack *suspended = thread->suspended_stacks; suspended;
         suspended = suspended->next)
        while (suspended->count > 0)
            forget_import(&suspended->entries[--suspended->count]);
    if (thread->suspended_stacks)
        thread->suspended_stacks->here = &parents;
    parents = thread->suspended_stacks;
    thread->suspended_stacks = NULL;
}

uint32_t pinsight_stack_suspended_count(const struct pinsight_python_thread *thread) {
    uint32_t count = thread->suspended_count;
    for (const struct pinsight_suspended_stack *suspended = thread->suspended_stacks; suspended;
         suspended = suspended->next)
        count += suspended->count;
    return count;
}

/* ---- if the switch is not observed ---- */

void pinsight_stack_suspend_above(struct pinsight_python_thread *thread, uint32_t down_to) {
    uint32_t count = thread->depth - down_to;
    if (count == 0)
        return;
    if (thread->suspended_count + count > SUSPENDED_MAX || !pinsight_there_are_greenlets() ||
        (!thread->suspended &&
         !(thread->suspended = malloc(SUSPENDED_MAX * sizeof *thread->suspended)))) {
        pinsight_stack_close_lost(thread, down_to);
        return;
    }
    struct pinsight_entry *suspended = &thread->suspended[thread->suspended_count];
    pause_down_to(thread, down_to, suspended);
    thread->suspended_count += count;
    thread->suspended_group++;
    for (uint32_t i = 0; i < count; i++) {
        forget_import(&suspended[i]);
        suspended[i].tag &= ~PINSIGHT_ENTRY_NOTED; /* the group uses the memory of the notes */
        suspended[i].group = thread->suspended_group;
    }
    pinsight_importing_moved(thread);
}

bool pinsight_stack_resume_entry(struct pinsight_python_thread *thread,
                                 const struct pinsight_python_lexgion *lexgion, const void *frame) {
    uint32_t at = thread->suspended_count;
    while (at > 0) {
        const struct pinsight_entry *entry = &thread->suspended[at - 1];
        if (entry->frame == frame &&
            (lexgion ? !(entry->tag & PINSIGHT_ENTRY_C) && pinsight_entry_lexgion(entry) == lexgion
                     : (entry->tag & PINSIGHT_ENTRY_C) != 0))
            break;
        at--;
    }
    if (at == 0)
        return false;
    uint32_t first = at - 1;
    while (first > 0 && thread->suspended[first - 1].group == thread->suspended[at - 1].group)
        first--;
    for (uint32_t i = first; i < at; i++)
        resume(thread, &thread->suspended[i]);
    memmove(&thread->suspended[first], &thread->suspended[at],
            (thread->suspended_count - at) * sizeof *thread->suspended);
    thread->suspended_count -= at - first;
    return true;
}

void pinsight_stack_drop_suspended(struct pinsight_python_thread *thread) {
    for (struct pinsight_suspended_stack *suspended = thread->suspended_stacks; suspended;
         suspended = suspended->next)
        while (suspended->count > 0)
            release(&suspended->entries[--suspended->count]);
    while (thread->suspended_count > 0)
        release(&thread->suspended[--thread->suspended_count]);
}

void pinsight_stack_suspended_free(struct pinsight_python_thread *thread) {
    while (thread->suspended_stacks) {
        struct pinsight_suspended_stack *suspended = thread->suspended_stacks;
        thread->suspended_stacks = suspended->next;
        while (suspended->count > 0)
            forget_import(&suspended->entries[--suspended->count]);
        free(suspended->entries);
        free(suspended);
    }
    free(thread->suspended);
}
