/*
 * Decides which executions are recorded: the slow path of a begin. It serves code whose settings
 * must be looked up, and all code that has a window, is filtered out, or is watched.
 */
#include "tracer/core/settings.h"
#include "tracer/python/balance.h"
#include "tracer/python/generators.h"
#include "tracer/python/import.h"
#include "tracer/python/importing.h"
#include "tracer/python/serial.h"
#include "tracer/python/spans.h"
#include "tracer/python/task_wakes.h"
#include "tracer/python/thread_name.h"

#include <stdlib.h>

/* Returns whether the flavour of a callback is still current, after the interpreter was brought to
 * the current settings. */
static bool still_wanted(enum pinsight_flavour flavour, bool is_c) {
    if (pinsight_python.engine.config_version != pinsight_config_version())
        pinsight_python_catch_up();
    return pinsight_wanted_now(flavour) &&
           (is_c ? pinsight_python.c_calls
                 : pinsight_python.functions || pinsight_python.imports ||
                       pinsight_python.imports_apart);
}

static void look_for_c_call(struct pinsight_core_thread *core, void *found) {
    struct pinsight_python_thread *thread;
    PINSIGHT_EACH_STATE(thread, core) {
        for (uint32_t i = 0; i < thread->depth; i++)
            *(bool *)found = *(bool *)found || (thread->entries[i].tag & PINSIGHT_ENTRY_C);
    }
}

bool pinsight_python_looks_at_c_calls(enum pinsight_mode mode) {
    bool open = false;
    if (!pinsight_python.c_calls || mode != PINSIGHT_MODE_TRACING || !pinsight_python.no_c_calls)
        return pinsight_python.c_calls;
    pinsight_each_thread_stopped(look_for_c_call, &open);
    return open;
}

/* Refuses all executions as long as the version does not change. */
static struct pinsight_decision refuse(struct pinsight_python_lexgion *lexgion, uint32_t version) {
    if (!lexgion->state.ask_each)
        lexgion->state.refuse_version = version;
    return (struct pinsight_decision){.shut = true};
}

/* Finds out how the execution begins. A paused generator of this frame is forgotten: it is resumed,
 * or its end was not seen. *number gets its number. */
static enum pinsight_begin beginning(struct pinsight_python_lexgion *lexgion, void *frame,
                                     bool starts, enum pinsight_mode mode, uint32_t *number) {
    bool recorded = false;
    if (lexgion->is_generator && mode == PINSIGHT_MODE_TRACING) {
        pinsight_lexgion_resolve(&pinsight_python.engine, &lexgion->state);
        recorded = pinsight_frames_take(lexgion->paused, frame, number);
    }
    return starts ? PINSIGHT_STARTS : recorded ? PINSIGHT_RESUMES_RECORDED : PINSIGHT_RESUMES;
}

/* Decides about an execution. `starts` means that it is not resumed. *number as in beginning(). */
static struct pinsight_decision should_record(struct pinsight_python_thread *thread,
                                              struct pinsight_python_lexgion *lexgion, void *frame,
                                              bool starts, enum pinsight_flavour flavour,
                                              uint32_t *number) {
    enum pinsight_mode mode =
        flavour == PINSIGHT_COUNT ? PINSIGHT_MODE_MONITORING : PINSIGHT_MODE_TRACING;
    uint32_t version = pinsight_decision_version(); /* read before any look-up */
    if (lexgion->hidden)
        return refuse(lexgion, version);
    if (!still_wanted(flavour, lexgion->is_c))
        return (struct pinsight_decision){.shut = true};
    if (lexgion->leaves)
        pinsight_python_leaving();
    if (!lexgion->is_c && !pinsight_python.functions) {
        if (!lexgion->bootstrap)
            PINSIGHT_PUT(pinsight_python.excludes, true);
        return refuse(lexgion, version); /* only an import */
    }
    struct pinsight_decision how =
        pinsight_should_record_slow(&pinsight_python.engine, &lexgion->state, mode,
                                    beginning(lexgion, frame, starts, mode, number), version);
    thread->engine.outside += how.outside;
    if (!(how.traced || how.counted || lexgion->bootstrap))
        PINSIGHT_PUT(pinsight_python.excludes, true);
    return how;
}

/* Returns the flags of an execution's entry. */
static uintptr_t flags_of(struct pinsight_decision how, enum pinsight_flavour flavour) {
    return how.traced ? (uintptr_t)flavour : how.counted ? PINSIGHT_ENTRY_COUNTED : 0;
}

/* Returns the notes of an execution's entry. */
static uint32_t notes_of(const struct pinsight_python_lexgion *lexgion, const void *frame,
                         struct pinsight_decision how) {
    /* Without a frame, a paused execution is not known again. */
    bool keep = lexgion->is_generator && how.traced && !pinsight_is_frameless(frame) &&
                (lexgion->state.window || pinsight_python.generators);
    return (how.last ? PINSIGHT_NOTE_LAST : 0) | (keep ? PINSIGHT_NOTE_KEEP : 0);
}

/* Sets the notes of an entry; `entry` is NULL if memory is short. */
static void note(struct pinsight_python_thread *thread, struct pinsight_python_lexgion *lexgion,
                 struct pinsight_entry *entry, uint32_t notes, char *import) {
    if (!entry) {
        if (notes & PINSIGHT_NOTE_LAST)
            lexgion->state.last_open = false;
        if (import)
            pinsight_import_end(thread, import, PINSIGHT_PYTHON_IMPORT_END_HOW_LOST);
    } else if (notes) {
        entry->notes = (entry->tag & PINSIGHT_ENTRY_NOTED ? entry->notes : 0) | notes;
        entry->tag |= PINSIGHT_ENTRY_NOTED;
        if (notes & PINSIGHT_NOTE_IMPORT)
            entry->import = import;
    }
}

/* Begins a function with these flags. */
static struct pinsight_entry *begin(struct pinsight_python_thread *thread,
                                    struct pinsight_python_lexgion *lexgion, void *frame, int how,
                                    int32_t lineno, uintptr_t flags) {
    if (flags & PINSIGHT_ENTRY_COUNTED) {
        struct pinsight_entry *entry =
            pinsight_begin_now(thread, lexgion, frame, how, lineno, PINSIGHT_COUNT);
        pinsight_python_thread_changed(thread);
        return entry;
    }
    if (flags & PINSIGHT_ENTRY_REGISTRY)
        return pinsight_begin_now(thread, lexgion, frame, how, lineno, PINSIGHT_REGISTRY);
    if (flags & PINSIGHT_ENTRY_INLINE)
        return pinsight_begin_now(thread, lexgion, frame, how, lineno, PINSIGHT_INLINE);
    return pinsight_push(thread, lexgion, frame, 0);
}

/* Begins a function with these flags and notes. `number` is that of the paused frame. */
static void begin_noted(struct pinsight_python_thread *thread,
                        struct pinsight_python_lexgion *lexgion, void *frame, int how,
                        int32_t lineno, uintptr_t flags, uint32_t notes, char *import,
                        uint32_t number) {
    struct pinsight_entry *entry = begin(thread, lexgion, frame, how, lineno, flags);
    note(thread, lexgion, entry, notes, import);
    if (entry && (notes & PINSIGHT_NOTE_KEEP))
        pinsight_generator_begun(thread, entry, how, number);
    if (entry && (notes & PINSIGHT_NOTE_IMPORT))
        pinsight_importing_look(thread);
}

/* Returns whether the execution is an import that has an entry. *module gets the module's name if
 * the import is recorded. */
static bool begins_import(struct pinsight_python_thread *thread, const void *frame,
                          enum pinsight_flavour flavour, char **module) {
    if (!pinsight_wanted_now(flavour))
        return false;
    const struct pinsight_entry *top = thread->depth ? &thread->entries[thread->depth - 1] : NULL;
    if (top && top->frame == frame && !(top->tag & PINSIGHT_ENTRY_C)) /* the old entry ends first */
        pinsight_stack_close_lost(thread, thread->depth - 1);
    if (pinsight_python.imports && flavour != PINSIGHT_COUNT)
        *module = pinsight_import_begin(thread);
    pinsight_python.imported++;
    return *module || pinsight_python.imports_apart;
}

/* Returns the lexgion of the imported module, for a counted import. */
static struct pinsight_python_lexgion *counted_import(struct pinsight_python_lexgion *lexgion,
                                                      struct pinsight_decision *decision,
                                                      enum pinsight_flavour flavour) {
    struct pinsight_python_lexgion *of =
        flavour == PINSIGHT_COUNT && decision->shut ? pinsight_import_lexgion() : NULL;
    if (!of || !pinsight_python_define(of))
        return lexgion;
    decision->counted = true;
    return of;
}

static bool begin_slow(struct pinsight_python_thread *thread,
                       struct pinsight_python_lexgion *lexgion, void *frame, int how,
                       int32_t lineno, enum pinsight_flavour flavour) {
    bool starts = how == PINSIGHT_PYTHON_BEGIN_HOW_START;
    uint32_t number = 0;
    if (lexgion->numbered_version == pinsight_decision_version()) {
        pinsight_frames_take(lexgion->paused, frame, &number);
        begin_noted(thread, lexgion, frame, how, lineno, (uintptr_t)flavour, PINSIGHT_NOTE_KEEP,
                    NULL, number);
        return false;
    }
    struct pinsight_decision decision =
        should_record(thread, lexgion, frame, starts, flavour, &number);
    char *import = NULL;
    if (lexgion->is_generator && pinsight_python.generators && decision.traced &&
        !pinsight_is_frameless(frame) &&
        lexgion->state.accept_version == pinsight_decision_version()) {
        lexgion->numbered_version = lexgion->state.accept_version;
        lexgion->state.accept_version = 0; /* so that each execution takes the slow path */
    }
    bool imports =
        PINSIGHT_UNLIKELY(lexgion->imports) && begins_import(thread, frame, flavour, &import);
    if (PINSIGHT_UNLIKELY(lexgion->schedules) && starts)
        pinsight_task_scheduled();
    if (PINSIGHT_UNLIKELY(lexgion->renames) && starts)
        pinsight_thread_renamed(thread);
    if (PINSIGHT_UNLIKELY(lexgion->span) && starts)
        pinsight_span_called((enum pinsight_span_code)lexgion->span);
    struct pinsight_python_lexgion *of =
        imports ? counted_import(lexgion, &decision, flavour) : lexgion;
    if (imports || !decision.shut)
        begin_noted(thread, of, frame, how, lineno, flags_of(decision, flavour),
                    notes_of(lexgion, frame, decision) | (imports ? PINSIGHT_NOTE_IMPORT : 0),
                    import, number);
    return starts ? pinsight_lexgion_is_shut(lexgion) : pinsight_lexgion_is_done(lexgion);
}

bool pinsight_begin_slow(struct pinsight_python_thread *thread,
                         struct pinsight_python_lexgion *lexgion, void *frame, int how,
                         int32_t lineno, enum pinsight_flavour flavour) {
    pinsight_serial_begin();
    bool shut = begin_slow(thread, lexgion, frame, how, lineno, flavour);
    pinsight_serial_end();
    return shut;
}

/* Begins a C call with these flags. */
static struct pinsight_entry *c_begin(struct pinsight_python_thread *thread,
                                      struct pinsight_python_lexgion *caller,
                                      struct pinsight_python_lexgion *callee, void *frame,
                                      int32_t lineno, uintptr_t flags) {
    if (flags & PINSIGHT_ENTRY_COUNTED) {
        struct pinsight_entry *entry =
            pinsight_c_begin_now(thread, caller, callee, frame, lineno,
                                 PINSIGHT_PYTHON_C_BEGIN_HOW_START, PINSIGHT_COUNT);
        pinsight_python_thread_changed(thread);
        return entry;
    }
    if (flags & PINSIGHT_ENTRY_REGISTRY)
        return pinsight_c_begin_now(thread, caller, callee, frame, lineno,
                                    PINSIGHT_PYTHON_C_BEGIN_HOW_START, PINSIGHT_REGISTRY);
    if (flags & PINSIGHT_ENTRY_INLINE)
        return pinsight_c_begin_now(thread, caller, callee, frame, lineno,
                                    PINSIGHT_PYTHON_C_BEGIN_HOW_START, PINSIGHT_INLINE);
    struct pinsight_entry *entry = pinsight_push(thread, callee, frame, PINSIGHT_ENTRY_C);
    if (entry) {
        entry->caller = caller;
        entry->lineno = lineno;
        pinsight_lexgion_begun(caller);
    }
    return entry;
}

void pinsight_c_begin_slow(struct pinsight_python_thread *thread,
                           struct pinsight_python_lexgion *caller,
                           struct pinsight_python_lexgion *callee, void *frame, int32_t lineno,
                           enum pinsight_flavour flavour) {
    uint32_t number = 0; /* a C call has none */
    pinsight_serial_begin();
    struct pinsight_decision decision =
        should_record(thread, callee, frame, true, flavour, &number);
    /* An unwanted call has an entry, too, because the interpreter reports its end. */
    if (!callee->hidden && pinsight_python.c_calls && !pinsight_lexgion_is_shut(callee))
        note(thread, callee,
             c_begin(thread, caller, callee, frame, lineno, flags_of(decision, flavour)),
             decision.last ? PINSIGHT_NOTE_LAST : 0, NULL);
    pinsight_serial_end();
}

void pinsight_end_noted(struct pinsight_python_thread *thread, const struct pinsight_entry *entry,
                        int how) {
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(entry);
    if (entry->notes & PINSIGHT_NOTE_IMPORT)
        pinsight_import_end(
            thread, entry->import,
            how == PINSIGHT_PYTHON_END_HOW_UNWIND ? PINSIGHT_PYTHON_IMPORT_END_HOW_RAISE
            : how == PINSIGHT_PYTHON_END_HOW_LOST ? PINSIGHT_PYTHON_IMPORT_END_HOW_LOST
                                                  : PINSIGHT_PYTHON_IMPORT_END_HOW_RETURN);
    if (entry->notes & PINSIGHT_NOTE_IMPORTING)
        pinsight_importing_look(thread);
    if ((entry->notes & PINSIGHT_NOTE_KEEP) && how == PINSIGHT_PYTHON_END_HOW_YIELD)
        pinsight_frames_put(&lexgion->paused, entry->frame, entry->generator);
    if (entry->notes & PINSIGHT_NOTE_LAST)
        pinsight_lexgion_last_ended(&pinsight_python.engine, &lexgion->state);
}
