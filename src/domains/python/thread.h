/*
 * The state of a thread in the Python domain: its number, its counts, and its stack of executions
 * that have begun.
 */
#ifndef PINSIGHT_PYTHON_THREAD_H
#define PINSIGHT_PYTHON_THREAD_H

#include "domains/python/domain.h"
#include "domains/python/lexgion.h"

/* One begin that waits for its end. */
struct pinsight_entry {
    void *frame;   /* identity of the execution; for a C call, of its caller's */
    uintptr_t tag; /* the lexgion, and PINSIGHT_ENTRY_ flags */
    union {
        struct pinsight_python_lexgion *caller; /* C calls only */
        char *import; /* PINSIGHT_NOTE_IMPORT only: the module, if it is recorded; owned */
    };
    union {
        int32_t lineno;     /* C calls only: the line of the call */
        uint32_t generator; /* PINSIGHT_NOTE_KEEP only: its number (generators.h); 0 for none */
    };
    union {
        uint32_t notes; /* PINSIGHT_ENTRY_NOTED only: PINSIGHT_NOTE_ flags */
        uint32_t group; /* entries that went away together have the same */
    };
    /* Counted entries only: since when, in ticks; its call path, and what it was counted in. */
    uint64_t start;
    struct pinsight_count_node *node, *outer;
};

#define PINSIGHT_ENTRY_C ((uintptr_t)1)        /* a call of C, not a Python function */
#define PINSIGHT_ENTRY_INLINE ((uintptr_t)2)   /* its begin was recorded with names */
#define PINSIGHT_ENTRY_REGISTRY ((uintptr_t)4) /* its begin was recorded with numbers */
#define PINSIGHT_ENTRY_COUNTED ((uintptr_t)8)  /* it is counted */
#define PINSIGHT_ENTRY_NOTED ((uintptr_t)16)   /* its end does more: see its notes */
/* Without INLINE, REGISTRY and COUNTED it is not recorded: it stands for an execution outside its
 * window, so that its end is known. */
#define PINSIGHT_ENTRY_RECORDED                                                                    \
    (PINSIGHT_ENTRY_INLINE | PINSIGHT_ENTRY_REGISTRY | PINSIGHT_ENTRY_COUNTED)
#define PINSIGHT_ENTRY_FLAGS ((uintptr_t)(PINSIGHT_LEXGION_ALIGN - 1))

#define PINSIGHT_NOTE_LAST 1u   /* the last execution of its window */
#define PINSIGHT_NOTE_KEEP 2u   /* a generator that is kept in mind when it waits */
#define PINSIGHT_NOTE_IMPORT 4u /* it imports a module */
#define PINSIGHT_NOTE_USERS 8u  /* a function of the user's that began within an import */
/* What says whether a thread is within an import; see importing.h. */
#define PINSIGHT_NOTE_IMPORTING (PINSIGHT_NOTE_IMPORT | PINSIGHT_NOTE_USERS)

/* Callables that a thread met last, by hash of their key: finds the lexgion without a lock. */
#define PINSIGHT_CALLEE_CACHE 512
struct pinsight_callee_slot {
    const void *key;
    struct pinsight_python_lexgion *lexgion;
};

struct pinsight_interpreter;
struct pinsight_callables;

/* A thread has such a state for each interpreter that it runs in (interpreters.h). */
struct pinsight_python_thread {
    struct pinsight_engine_thread engine;
    struct pinsight_entry *entries; /* the stack; grows, never shrinks */
    uint32_t depth, room;
    uint32_t
        fast_room; /* `room`; 0 while a begin has more to do than to be recorded (fast_path.h) */
    uint32_t callee_version;     /* the callable cache below is of this version */
    bool is_excluded;            /* it is out, or within an import: an event is looked at twice */
    bool is_out_of_range;        /* of the range of threads: nothing begins in it */
    bool was_out_of_range;       /* now or earlier: some ends have no begin */
    uint32_t passed_over;        /* functions within imports that were not recorded */
    void *import_frame;          /* of the import that it is within (importing.h); or NULL */
    void *parents_import;        /* the same, that a forked child's parent was within; or NULL */
    const void *excluded_callee; /* the C callable whose call was excluded last, for its end; an
                             address to compare, no reference */
    struct pinsight_suspended_stack
        *suspended_stacks;            /* what is open in greenlets that wait, and */
    struct pinsight_entry *suspended; /* where their switch was not seen; see stack_suspend.h */
    uint32_t suspended_count, suspended_group;
    void *operator_frame; /* in which an operator is under way, the innermost; or NULL */
    uint32_t tid;
    int32_t number; /* Python thread number */
    bool adopts;    /* what was under way when recording began is not on its stack yet; adopt.h */
    uint32_t
        inherited; /* executions that a forked child has from its parent: ends without begins */
    int32_t
        name_tries; /* how often its name may still be looked for; 0 and less: found or given up */
    struct pinsight_python_thread *home; /* of another interpreter: the main one's; else NULL */
    /* Whose it is; NULL: the main one's, or with a `home` that of one which ended. */
    _Atomic(struct pinsight_interpreter *) interpreter;
    struct pinsight_callables *callables; /* its interpreter's */
    struct pinsight_callee_slot callees[PINSIGHT_CALLEE_CACHE];
#if !PINSIGHT_HAS_GIL
    int32_t callbacks_left, callbacks_period; /* as in struct pinsight_callback_cost */
#endif
    /* The number of the state that got our function when the thread took the GIL (profile.c); a
     * thread of C's may have another one for each call. */
    uint64_t profiled_state;
};

/* Counts a callback. Returns whether to time it (core/callback_cost.h). */
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

/* The calling thread's state, made if there is none; NULL when memory is short. Holds the GIL. */
struct pinsight_python_thread *pinsight_python_thread_new(void);

/* Another state of the calling thread, beside `home`, for an interpreter; without a place in it.
 * NULL when memory is short. Holds the GIL. */
struct pinsight_python_thread *pinsight_python_thread_new_in(struct pinsight_python_thread *home);

/* The first state of a thread, and the next one, of which the calling thread holds the GIL. */
struct pinsight_python_thread *pinsight_python_state(const struct pinsight_core_thread *core);
struct pinsight_python_thread *
pinsight_python_state_next(const struct pinsight_python_thread *thread);
#define PINSIGHT_EACH_STATE(thread, core)                                                          \
    for ((thread) = pinsight_python_state(core); (thread);                                         \
         (thread) = pinsight_python_state_next(thread))

/* The calling thread, numbered as one of Python's and named in the trace, whether it has state of
 * this domain or not. NULL when memory is short and when the thread has ended. With or without the
 * GIL. */
struct pinsight_core_thread *pinsight_python_core_thread(void);

/* Makes `thread` the state of the calling thread, whose core's state is `core`. */
static inline void pinsight_python_thread_attach(struct pinsight_python_thread *thread,
                                                 struct pinsight_core_thread *core) {
    pinsight_thread_number(core);
    thread->engine.core = core;
    thread->tid = core->tid;
    thread->number = core->python_thread_id;
    pinsight_thread_set_domain(core, pinsight_python_domain.slot, thread);
}

/* To be called when `room`, `out`, `import_frame` or `name_tries` was changed. */
static inline void pinsight_python_thread_changed(struct pinsight_python_thread *thread) {
    thread->is_excluded = thread->is_out_of_range || thread->import_frame;
    thread->fast_room = thread->is_excluded || thread->name_tries > 0 ? 0 : thread->room;
}

/* Look for the thread's name and record it once it is there; slow path. `in_c`: a call of C begins,
 * of which more are waited for than of others. Holds the GIL. */
void pinsight_python_thread_find_name(struct pinsight_python_thread *thread, bool in_c);

/* Look whether the thread is in the range of threads. */
void pinsight_python_thread_place(struct pinsight_python_thread *thread);

/* Add what the thread recorded to the process's account; at the size limit the domain goes on in
 * MONITORING. Slow path. Holds the GIL. */
void pinsight_python_account(struct pinsight_python_thread *thread);

/* For the domain's descriptor. */
void pinsight_python_thread_end(struct pinsight_core_thread *thread, void *state);
void pinsight_python_thread_free(void *state);

#endif
