/*
 * Which executions are recorded: the slow path of a begin, for code whose settings are to be looked
 * up, and for all code that has a window, is filtered out, or is more than a function.
 */
#include "core/control.h"
#include "core/settings.h"
#include "core/window.h"
#include "domains/python/engine.h"
#include "domains/python/import.h"
#include "record/core_types.h"

#include <stdlib.h>

/* Nothing is put on the stack. */
#define REFUSED (~(uintptr_t)0)

/* Is what a callback was made for still what is recorded, after the interpreter was brought into
 * line? */
static bool still_wanted(enum pinsight_flavour flavour, bool is_c) {
    if (pinsight_python.generation != pinsight_settings_generation())
        pinsight_python_catch_up();
    return pinsight_wanted_now(flavour) &&
           (is_c ? pinsight_python.c_calls : pinsight_python.functions || pinsight_python.imports);
}

/* Nothing of it is wanted, as long as the stamp is this one. */
static void shut(struct pinsight_lexgion *lexgion, uint32_t stamp) {
    if (!lexgion->leaves) /* each call of that is to be noticed */
        lexgion->shut_stamp = stamp;
}

/* An execution begins past the window: how it goes on there. */
static uintptr_t past(struct pinsight_lexgion *lexgion, uintptr_t flavour, uint32_t stamp) {
    if (lexgion->after == PINSIGHT_MODE_TRACING)
        return flavour;
    if (lexgion->after == PINSIGHT_MODE_MONITORING)
        return PINSIGHT_ENTRY_COUNTED;
    shut(lexgion, stamp);
    return REFUSED;
}

/* An execution starts, and its lexgion has a window. */
static uintptr_t start(struct pinsight_python_thread *thread, struct pinsight_lexgion *lexgion,
                       uintptr_t flavour, uint32_t stamp, uint32_t *notes) {
    struct pinsight_window *window = lexgion->window;
    int cause = PINSIGHT_CORE_WINDOW_CAUSE_MAX_NUM_TRACES;
    if (!atomic_load_explicit(&window->ended, memory_order_relaxed) && !lexgion->last_open) {
        switch (pinsight_window_take(window)) {
        case PINSIGHT_TAKE_NOT:
            thread->outside++;
            return 0;
        case PINSIGHT_TAKE:
            return flavour;
        case PINSIGHT_TAKE_LAST:
            *notes |= PINSIGHT_NOTE_LAST;
            lexgion->last_open = true;
            return flavour;
        case PINSIGHT_TAKE_TIMED_OUT:
            cause = PINSIGHT_CORE_WINDOW_CAUSE_WINDOW_TIMEOUT;
            break;
        case PINSIGHT_TAKE_PAST:
            break;
        }
        pinsight_window_end(window, cause);
    }
    thread->outside += lexgion->after != PINSIGHT_MODE_TRACING;
    return past(lexgion, flavour, stamp);
}

/* A generator or coroutine goes on: it is recorded if its start was. */
static uintptr_t go_on(struct pinsight_lexgion *lexgion, void *frame, uintptr_t flavour,
                       uint32_t stamp) {
    if (pinsight_frames_take(lexgion->paused, frame))
        return flavour;
    bool ended = atomic_load_explicit(&lexgion->window->ended, memory_order_relaxed);
    return ended || lexgion->last_open ? past(lexgion, flavour, stamp) : 0;
}

/* The flags of the entry for an execution, or REFUSED; `start` says that it does not go on. */
static uintptr_t admit(struct pinsight_python_thread *thread, struct pinsight_lexgion *lexgion,
                       void *frame, bool starts, enum pinsight_flavour flavour, uint32_t *notes) {
    uint32_t stamp = pinsight_stamp(); /* before anything is looked up */
    if (lexgion->hidden) {
        lexgion->shut_stamp = stamp;
        return REFUSED;
    }
    if (!still_wanted(flavour, lexgion->is_c))
        return REFUSED;
    if (lexgion->resolved != pinsight_python.generation)
        pinsight_lexgion_resolve(lexgion);
    bool off = !lexgion->is_c && !pinsight_python.functions; /* an import alone */
    if (lexgion->leaves)
        pinsight_python_leaving();
    if (lexgion->filtered || off) {
        shut(lexgion, stamp);
        return REFUSED;
    }
    pinsight_lexgion_define(lexgion);
    if (!lexgion->leaves && (flavour == PINSIGHT_COUNT || !lexgion->window))
        lexgion->stamp = stamp;
    if (flavour == PINSIGHT_COUNT || !lexgion->window)
        return flavour;
    if (lexgion->is_generator && flavour != PINSIGHT_COUNT) {
        if (starts)
            pinsight_frames_take(lexgion->paused, frame); /* of one that went unseen */
        *notes |= PINSIGHT_NOTE_KEEP;
    }
    return starts ? start(thread, lexgion, (uintptr_t)flavour, stamp, notes)
                  : go_on(lexgion, frame, (uintptr_t)flavour, stamp);
}

/* Begin a function with these flags; `notes` may be 0. */
static void begin(struct pinsight_python_thread *thread, struct pinsight_lexgion *lexgion,
                  void *frame, int how, uintptr_t flags, uint32_t notes, char *import) {
    struct pinsight_entry *entry;
    if (flags & PINSIGHT_ENTRY_COUNTED)
        entry = pinsight_begin_now(thread, lexgion, frame, how, PINSIGHT_COUNT);
    else if (flags & PINSIGHT_ENTRY_REGISTRY)
        entry = pinsight_begin_now(thread, lexgion, frame, how, PINSIGHT_REGISTRY);
    else if (flags & PINSIGHT_ENTRY_INLINE)
        entry = pinsight_begin_now(thread, lexgion, frame, how, PINSIGHT_INLINE);
    else
        entry = pinsight_push(thread, lexgion, frame, 0);
    if (!entry) {
        if (notes & PINSIGHT_NOTE_LAST)
            lexgion->last_open = false;
        if (import)
            pinsight_import_end(thread, import, PINSIGHT_PYTHON_IMPORT_END_HOW_LOST);
        return;
    }
    if (!(flags & (PINSIGHT_ENTRY_INLINE | PINSIGHT_ENTRY_REGISTRY)))
        notes &= PINSIGHT_NOTE_IMPORT;
    if (notes) {
        entry->tag |= PINSIGHT_ENTRY_NOTED;
        entry->notes = notes;
        entry->import = import;
    }
}

bool pinsight_begin_admitted(struct pinsight_python_thread *thread,
                             struct pinsight_lexgion *lexgion, void *frame, int how,
                             enum pinsight_flavour flavour) {
    uint32_t notes = 0;
    bool starts = how == PINSIGHT_PYTHON_BEGIN_HOW_START;
    uintptr_t flags = admit(thread, lexgion, frame, starts, flavour, &notes);
    char *import = NULL;
    if (PINSIGHT_UNLIKELY(lexgion->imports)) {
        lexgion->stamp = lexgion->shut_stamp = 0; /* each is to be looked at */
        if (pinsight_python.imports && flavour != PINSIGHT_COUNT && pinsight_wanted_now(flavour))
            import = pinsight_import_begin(thread);
    }
    if (import)
        begin(thread, lexgion, frame, how, flags == REFUSED ? 0 : flags,
              notes | PINSIGHT_NOTE_IMPORT, import);
    else if (flags != REFUSED)
        begin(thread, lexgion, frame, how, flags, notes, NULL);
    return starts ? pinsight_lexgion_is_shut(lexgion) : pinsight_lexgion_is_done(lexgion);
}

void pinsight_c_begin_admitted(struct pinsight_python_thread *thread,
                               struct pinsight_lexgion *caller, struct pinsight_lexgion *callee,
                               void *frame, int32_t lineno, enum pinsight_flavour flavour) {
    uint32_t notes = 0;
    uintptr_t flags = admit(thread, callee, frame, true, flavour, &notes);
    struct pinsight_entry *entry;
    if (callee->hidden || !pinsight_python.c_calls || pinsight_lexgion_is_shut(callee))
        return;
    if (flags == REFUSED)
        flags = 0; /* the interpreter reports its end all the same */
    if (flags & PINSIGHT_ENTRY_COUNTED) {
        entry = pinsight_c_begin_now(thread, caller, callee, frame, lineno, PINSIGHT_COUNT);
    } else if (flags & PINSIGHT_ENTRY_REGISTRY) {
        entry = pinsight_c_begin_now(thread, caller, callee, frame, lineno, PINSIGHT_REGISTRY);
    } else if (flags & PINSIGHT_ENTRY_INLINE) {
        entry = pinsight_c_begin_now(thread, caller, callee, frame, lineno, PINSIGHT_INLINE);
    } else {
        entry = pinsight_push(thread, callee, frame, PINSIGHT_ENTRY_C);
        if (entry) {
            entry->caller = caller;
            entry->lineno = lineno;
            caller->in_flight++;
        }
    }
    if (entry && (notes & PINSIGHT_NOTE_LAST)) {
        entry->tag |= PINSIGHT_ENTRY_NOTED;
        entry->notes = notes;
    }
}

void pinsight_end_noted(struct pinsight_python_thread *thread, const struct pinsight_entry *entry,
                        int how) {
    struct pinsight_lexgion *lexgion = pinsight_entry_lexgion(entry);
    if (entry->notes & PINSIGHT_NOTE_IMPORT)
        pinsight_import_end(
            thread, entry->import,
            how == PINSIGHT_PYTHON_END_HOW_UNWIND ? PINSIGHT_PYTHON_IMPORT_END_HOW_RAISE
            : how == PINSIGHT_PYTHON_END_HOW_LOST ? PINSIGHT_PYTHON_IMPORT_END_HOW_LOST
                                                  : PINSIGHT_PYTHON_IMPORT_END_HOW_RETURN);
    if ((entry->notes & PINSIGHT_NOTE_KEEP) && how == PINSIGHT_PYTHON_END_HOW_YIELD)
        pinsight_frames_put(&lexgion->paused, entry->frame);
    if ((entry->notes & PINSIGHT_NOTE_LAST) && lexgion->last_open) {
        lexgion->last_open = false;
        pinsight_window_end(lexgion->window, PINSIGHT_CORE_WINDOW_CAUSE_MAX_NUM_TRACES);
    }
}
