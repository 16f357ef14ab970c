/*
 * The state of a thread in the Python domain: its number, its counts, and its stack of open
 * executions.
 */
#ifndef PINSIGHT_PYTHON_THREAD_H
#define PINSIGHT_PYTHON_THREAD_H

#include "tracer/python/domain.h"
#include "tracer/python/lexgion.h"

/* A begin that waits for its end. */
struct pinsight_entry {
    void *frame;   /* identity of the execution (execution.h); for a C call, of the caller */
    uintptr_t tag; /* the lexgion, with PINSIGHT_ENTRY_ flags */
    union {
        struct pinsight_python_lexgion *caller; /* C calls only */
        char *import; /* PINSIGHT_NOTE_IMPORT only: the module's name if it is recorded; owned */
    };
    union {
        int32_t lineno;     /* C calls only: the line of the call */
        uint32_t generator; /* PINSIGHT_NOTE_KEEP only: its number (generators.h), or 0 */
    };
    union {
        uint32_t notes; /* PINSIGHT_ENTRY_NOTED only: PINSIGHT_NOTE_ flags */
        uint32_t group; /* entries that were suspended together have the same */
    };
    /* For counted entries: the begin in ticks, the node of the call path, and the node around it.
     * PINSIGHT_NOTE_WITHIN: the begin and the node around it. */
    uint64_t start;
    struct pinsight_count_node *node, *outer;
};

#define PINSIGHT_ENTRY_C ((uintptr_t)1)        /* a call of C, not a Python function */
#define PINSIGHT_ENTRY_INLINE ((uintptr_t)2)   /* its begin was recorded with names */
#define PINSIGHT_ENTRY_REGISTRY ((uintptr_t)4) /* its begin was recorded with numbers */
#define PINSIGHT_ENTRY_COUNTED ((uintptr_t)8)  /* MONITORING counts it */
#define PINSIGHT_ENTRY_NOTED ((uintptr_t)16)   /* its notes describe further actions at its end */
/* An entry without INLINE, REGISTRY and COUNTED is not recorded. It stands for an execution outside
 * its window, so that the end has a begin. */
#define PINSIGHT_ENTRY_RECORDED                                                                    \
    (PINSIGHT_ENTRY_INLINE | PINSIGHT_ENTRY_REGISTRY | PINSIGHT_ENTRY_COUNTED)
#define PINSIGHT_ENTRY_FLAGS ((uintptr_t)(PINSIGHT_LEXGION_ALIGN - 1))

#define PINSIGHT_NOTE_LAST 1u    /* last execution of its window */
#define PINSIGHT_NOTE_KEEP 2u    /* a generator that is noted when it pauses */
#define PINSIGHT_NOTE_IMPORT 4u  /* it imports a module */
#define PINSIGHT_NOTE_USERS 8u   /* a function of the user that began within an import */
#define PINSIGHT_NOTE_WITHIN 16u /* a traced execution within a counted one */
/* The notes that determine whether a thread is within an import; see importing.h. */
#define PINSIGHT_NOTE_IMPORTING (PINSIGHT_NOTE_IMPORT | PINSIGHT_NOTE_USERS)

/* Returns whether a traced execution began within a counted one. */
PINSIGHT_ALWAYS_INLINE bool pinsight_entry_is_within(const struct pinsight_entry *entry) {
    return (entry->tag & PINSIGHT_ENTRY_NOTED) && (entry->notes & PINSIGHT_NOTE_WITHIN);
}

/* A thread's cache of callables, by the hash of their key. It gives the lexgion without a lock. */
#define PINSIGHT_CALLEE_CACHE 512
struct pinsight_callee_slot {
    const void *key;
    struct pinsight_python_lexgion *lexgion;
};

struct pinsight_interpreter;
struct pinsight_callables;
struct pinsight_exception_counts;

/* The open executions of a thread whose lines are measured, innermost last. */
struct pinsight_line_stack {
    struct pinsight_line_entry {
        void *frame;
        struct pinsight_line_counts *counts;
        struct pinsight_line_count *line; /* NULL before its first line */
        uint64_t start;                   /* of the line, in ticks */
    } * entries;
    uint32_t depth, room;
    uint32_t version; /* of the measurement in which it was made */
};

/* A thread has one state for each interpreter that it runs in (interpreters.h). */
struct pinsight_python_thread {
    struct pinsight_engine_thread engine;
    struct pinsight_entry *entries; /* the stack; grows, never shrinks */
    uint32_t depth, room;
    uint32_t fast_room;      /* `room`; 0 while begins need the slow path (fast_path.h) */
    uint32_t count_room;     /* `room`; 0 while begins in MONITORING need it (fast_count.h) */
    uint32_t callee_version; /* version of the callable cache below */
    bool is_excluded;        /* out of range or within an import: events take a slower path */
    bool is_out_of_range;    /* outside the range of threads: nothing begins in it */
    bool was_out_of_range;   /* now or earlier: some ends have no begin */
    uint32_t passed_over;    /* functions within imports that were not recorded */
    void *import_frame;      /* frame of the current import (importing.h), or NULL */
    /* Frame of an import that began in a forked child's parent, or NULL. */
    void *parents_import;
    /* The C callable whose call was excluded last, for the call's end. Only compared. */
    const void *excluded_callee;
    struct pinsight_suspended_stack *suspended_stacks; /* of greenlets whose switch was observed */
    /* Entries whose switch was not observed; see stack_suspend.h. */
    struct pinsight_entry *suspended;
    uint32_t suspended_count, suspended_group;
    void *operator_frame; /* frame of the innermost open operator, or NULL */
    uint32_t tid;
    int32_t number;     /* Python thread number */
    bool adopts;        /* executions from before the recording are not on its stack yet; adopt.h */
    uint32_t inherited; /* open executions from a forked child's parent: ends without begins */
    int32_t name_tries; /* remaining look-ups of its name; 0 or less: found or given up */
    /* NULL in the state for the main interpreter. Otherwise the thread's state for that one. */
    struct pinsight_python_thread *home;
    /* The interpreter of the state. NULL stands for the main one or, with a `home`, for one that
     * has ended. */
    _Atomic(struct pinsight_interpreter *) interpreter;
    struct pinsight_callables *callables; /* of its interpreter */
    /* The function that it runs (thread_runs.h), owned, or NULL; a path of that function alone; and
     * the session version that has them. */
    char *runs;
    uint32_t runs_path, runs_version;
    uint64_t waits_since; /* ticks at which its wait for an introspection began, or 0 (pause.c) */
    struct pinsight_line_stack line_stack; /* of measured functions (lines.h) */
    struct pinsight_callee_slot callees[PINSIGHT_CALLEE_CACHE];
    const void *in_flight; /* the exception that leaves functions (exceptions.c). Only compared. */
    struct pinsight_exception_counts *exception_counts; /* of MONITORING; NULL before the first */
#if !PINSIGHT_HAS_GIL
    int32_t callbacks_left, callbacks_period; /* as in struct pinsight_callback_cost */
#endif
    /* Number of the thread state that got our profile function when the thread took the GIL
     * (profile.c). A thread that C started may have a new thread state for each call. */
    uint64_t profiled_state;
};

/* Counts a callback. Returns whether to time it (tracer/core/callback_cost.h). */
PINSIGHT_ALWAYS_INLINE bool pinsight_python_is_due(void) {
#if PINSIGHT_HAS_GIL
    return PINSIGHT_UNLIKELY(--pinsight_python.cost.left < 0);
#else
    struct pinsight_python_thread *thread = pinsight_thread_domain(pinsight_python_domain.slot);
    return PINSIGHT_LIKELY(thread != NULL) && PINSIGHT_UNLIKELY(--thread->callbacks_left < 0);
#endif
}

/* Begins the next period, before the callback is timed. Slow path. Holds the GIL. */
void pinsight_python_timing(void);

/* Adds the callbacks of all threads to the process's. Holds the GIL. */
void pinsight_python_callbacks_account(void);

/* Returns the calling thread's state, and makes it if there is none. Returns NULL if memory is
 * short. Holds the GIL. */
struct pinsight_python_thread *pinsight_python_thread_new(void);

/* Makes another state of the calling thread, whose main state is `home`, for an interpreter that is
 * set later. Returns NULL if memory is short. Holds the GIL. */
struct pinsight_python_thread *pinsight_python_thread_new_in(struct pinsight_python_thread *home);

/* Return the first state of a thread, and the next one, as far as the calling thread holds their
 * GIL. */
struct pinsight_python_thread *pinsight_python_state(const struct pinsight_core_thread *core);
struct pinsight_python_thread *
pinsight_python_state_next(const struct pinsight_python_thread *thread);
#define PINSIGHT_EACH_STATE(thread, core)                                                          \
    for ((thread) = pinsight_python_state(core); (thread);                                         \
         (thread) = pinsight_python_state_next(thread))

/* Returns the calling thread with a number of Python's and a name in the trace, with or without
 * state of this domain. Returns NULL if memory is short, or if the thread has ended. With or
 * without the GIL. */
struct pinsight_core_thread *pinsight_python_core_thread(void);

/* Sets the state of the calling thread. `core` is the core's state of that thread. */
static inline void pinsight_python_thread_attach(struct pinsight_python_thread *thread,
                                                 struct pinsight_core_thread *core) {
    pinsight_thread_number(core);
    thread->engine.core = core;
    thread->tid = core->tid;
    thread->number = core->python_thread_id;
    pinsight_thread_set_domain(core, pinsight_python_domain.slot, thread);
}

/* Called when `room`, `is_out_of_range`, `import_frame` or `name_tries` was changed, and when an
 * execution that is counted while others are traced has begun or ended. */
static inline void pinsight_python_thread_changed(struct pinsight_python_thread *thread) {
    const struct pinsight_count_tree *counts = &thread->engine.core->counts;
    thread->is_excluded = thread->is_out_of_range || thread->import_frame;
    thread->count_room = thread->is_excluded || thread->name_tries > 0 ? 0 : thread->room;
    thread->fast_room = counts->innermost != &counts->root ? 0 : thread->count_room;
}

/* Looks for the thread's name, and records it when it exists. Slow path. `in_c` means that a C call
 * begins; more look-ups are spent on these. Holds the GIL. */
void pinsight_python_thread_find_name(struct pinsight_python_thread *thread, bool in_c);

/* Finds out whether the thread is in the range of threads. */
void pinsight_python_thread_place(struct pinsight_python_thread *thread);

/* Adds the thread's recorded bytes to the process's. At the size limit, the domain changes to
 * MONITORING. Slow path. Holds the GIL. */
void pinsight_python_account(struct pinsight_python_thread *thread);

/* Functions of the domain's descriptor. */
void pinsight_python_thread_end(struct pinsight_core_thread *thread, void *state);
void pinsight_python_thread_free(void *state);

#endif
