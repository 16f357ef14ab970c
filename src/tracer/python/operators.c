/* Begins and ends of operators and properties of types written in C; see operators.h. */
#include "tracer/python/operators.h"

#include "tracer/python/balance.h"
#include "tracer/python/callable.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/getsets.h"
#include "tracer/python/cpython/instruction.h"
#include "tracer/python/cpython/profile_hook.h"
#include "tracer/python/cpython/slots.h"
#include "tracer/python/fast_path.h"
#include "tracer/python/profile.h"

#include <string.h>

enum pinsight_flavour pinsight_operators_flavour = PINSIGHT_INLINE;

/* The called function: an operator of a type, or a property. */
struct called {
    struct pinsight_python_lexgion **callee; /* its place; NULL there until it is known */
    struct pinsight_operator *op;            /* or NULL */
    struct pinsight_property *property;      /* or NULL */
    unsigned way;
};

/* Returns the lexgion, with the first name that the type has for the slot. */
static struct pinsight_python_lexgion *operator_callee(struct pinsight_python_thread *thread,
                                                       const struct pinsight_operator *op,
                                                       unsigned way) {
    PyObject *descriptor = op->descriptors[way];
    return pinsight_callable_lexgion(thread, descriptor ? descriptor : op->descriptors[0]);
}

static struct pinsight_python_lexgion *property_callee(const struct pinsight_property *property,
                                                       unsigned way) {
    static const char *const ways[] = {"", ".__set__", ".__delete__"};
    struct pinsight_callable_name name = {0};
    pinsight_name_property((PyDescrObject *)property->descriptor, ways[way], &name);
    return pinsight_lexgion_new(true, name.name, strdup("<C>"), name.module, 0);
}

static __attribute__((noinline)) struct pinsight_python_lexgion *
find_callee(struct pinsight_python_thread *thread, const struct called *called) {
    return *called->callee = called->op ? operator_callee(thread, called->op, called->way)
                                        : property_callee(called->property, called->way);
}

/* Called when the operators' flavour is not that of the current mode any more. */
static __attribute__((noinline)) bool is_wanted_otherwise(void) {
    pinsight_python_catch_up();
    return pinsight_python.observing && pinsight_python.sees_c_calls &&
           pinsight_wanted_now(pinsight_operators_flavour);
}

PINSIGHT_ALWAYS_INLINE void begin(struct pinsight_python_thread *thread,
                                  struct pinsight_python_lexgion *callee,
                                  const struct pinsight_instruction *where,
                                  struct pinsight_operator_call *call,
                                  enum pinsight_flavour flavour) {
    struct pinsight_python_lexgion *caller = pinsight_code_lexgion(where->code);
    if (PINSIGHT_UNLIKELY(!caller))
        return;
    int32_t lineno = 0;
    if (flavour != PINSIGHT_COUNT)
        lineno = pinsight_code_line(caller, where->code, where->offset);
    pinsight_c_begin(thread, caller, callee, call->frame, lineno, flavour);
    const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    call->is_open = thread->depth && top->frame == call->frame && (top->tag & PINSIGHT_ENTRY_C);
}

/* The fast path of an operator (fast_path.h). Its caller is open, so thread and interpreter are
 * observed. */
PINSIGHT_ALWAYS_INLINE bool fast_begin(uint64_t now, struct pinsight_python_lexgion *callee,
                                       const struct pinsight_instruction *where,
                                       struct pinsight_operator_call *call) {
    struct pinsight_python_thread *thread = pinsight_fast_thread();
    if (PINSIGHT_UNLIKELY(!thread || !callee || thread->operator_frame == call->frame ||
                          pinsight_operators_flavour != PINSIGHT_REGISTRY ||
                          !pinsight_is_always_recorded(callee)))
        return false;
    size_t index = (size_t)where->offset / sizeof(uint16_t);
    if (PINSIGHT_UNLIKELY(
            !pinsight_fast_c_begin(now, thread, where->code, call->frame, index, callee)))
        return false;
    call->outer = thread->operator_frame;
    thread->operator_frame = call->frame;
    call->is_open = true;
    return true;
}

static __attribute__((noinline)) bool unusual_begin(const struct called *called,
                                                    const struct pinsight_instruction *where,
                                                    struct pinsight_operator_call *call) {
    if (!pinsight_in_main_interpreter())
        return false;
#if !PINSIGHT_HAS_MONITORING
    /* While the program has a profiler of its own, its functions are not observed. */
    if (!pinsight_profile_is_ours(pinsight_profile_hook_own()))
        return false;
#endif
    struct pinsight_python_thread *thread = pinsight_python_thread();
    /* Within an operator of the same instruction, C calls C. */
    if (!thread || thread->operator_frame == call->frame || thread->is_excluded)
        return false;
    if (!pinsight_wanted_now(pinsight_operators_flavour) && !is_wanted_otherwise())
        return false;
    call->outer = thread->operator_frame;
    thread->operator_frame = call->frame;
    struct pinsight_python_lexgion *callee = *called->callee;
    if (!callee && !(callee = find_callee(thread, called)))
        return true;
    if (pinsight_lexgion_is_shut(callee)) {
        thread->engine.outside += !callee->state.filtered && !callee->hidden;
        return true;
    }
    switch (pinsight_operators_flavour) {
    case PINSIGHT_COUNT:
        begin(thread, callee, where, call, PINSIGHT_COUNT);
        break;
    case PINSIGHT_REGISTRY:
        begin(thread, callee, where, call, PINSIGHT_REGISTRY);
        break;
    default:
        begin(thread, callee, where, call, PINSIGHT_INLINE);
        break;
    }
    return true;
}

PINSIGHT_ALWAYS_INLINE bool begin_at(uint64_t now, const struct called *called,
                                     const struct pinsight_instruction *where,
                                     struct pinsight_operator_call *call) {
    call->frame = where->frame;
    call->code = where->code;
    call->is_open = false;
    return PINSIGHT_LIKELY(fast_begin(now, *called->callee, where, call)) ||
           unusual_begin(called, where, call);
}

/* ---- about one in 1,024 is timed in a second call (tracer/core/callback_cost.h) ---- */

#define TIMED(call)                                                                                \
    pinsight_callback_timing(&pinsight_python.cost);                                               \
    uint64_t start = pinsight_clock_ticks();                                                       \
    call;                                                                                          \
    pinsight_callback_timed(&pinsight_python.cost, PINSIGHT_CALLBACK_OPERATOR,                     \
                            pinsight_clock_ticks() - start)

static PINSIGHT_COLD bool timed_operator(struct pinsight_operator *op,
                                         struct pinsight_operator_call *call, unsigned way) {
    TIMED(bool begun = pinsight_operator_begin(op, call, way));
    return begun;
}

static PINSIGHT_COLD bool timed_property(struct pinsight_property *property,
                                         struct pinsight_operator_call *call, unsigned way) {
    TIMED(bool begun = pinsight_property_begin(property, call, way));
    return begun;
}

static PINSIGHT_COLD void timed_end(const struct pinsight_operator_call *call, bool raised) {
    TIMED(pinsight_operator_end(call, raised));
}

bool pinsight_operator_begin(struct pinsight_operator *op, struct pinsight_operator_call *call,
                             unsigned way) {
    if (pinsight_python_is_due())
        return timed_operator(op, call, way);
    uint64_t now = pinsight_fast_now();
    const PyThreadState *state = PyThreadState_Get();
    struct pinsight_instruction where;
    if (!pinsight_instruction_is(state, op->slot->operation, &where))
        return false;
    struct called called = {.callee = &op->callees[way], .op = op, .way = way};
    return begin_at(now, &called, &where, call);
}

bool pinsight_property_begin(struct pinsight_property *property,
                             struct pinsight_operator_call *call, unsigned way) {
    if (pinsight_python_is_due())
        return timed_property(property, call, way);
    uint64_t now = pinsight_fast_now();
    const PyThreadState *state = PyThreadState_Get();
    struct pinsight_instruction where;
    if (!pinsight_instruction_accesses(state, way != PINSIGHT_PROPERTY_GET,
                                       PyDescr_NAME(property->descriptor), &where))
        return false;
    struct called called = {.callee = &property->callees[way], .property = property, .way = way};
    return begin_at(now, &called, &where, call);
}

PINSIGHT_ALWAYS_INLINE bool end(struct pinsight_python_thread *thread, void *frame, int how,
                                enum pinsight_flavour flavour) {
    const struct pinsight_entry *top = &thread->entries[thread->depth - 1];
    if (PINSIGHT_UNLIKELY(!thread->depth || top->frame != frame ||
                          (top->tag & PINSIGHT_ENTRY_FLAGS) !=
                              ((uintptr_t)flavour | PINSIGHT_ENTRY_C)))
        return false;
    pinsight_c_end(thread, NULL, frame, NULL, how, flavour);
    return true;
}

static bool end_of_flavour(struct pinsight_python_thread *thread, void *frame, int how) {
    switch (pinsight_operators_flavour) {
    case PINSIGHT_COUNT:
        return end(thread, frame, how, PINSIGHT_COUNT);
    case PINSIGHT_REGISTRY:
        return end(thread, frame, how, PINSIGHT_REGISTRY);
    default:
        return end(thread, frame, how, PINSIGHT_INLINE);
    }
}

static __attribute__((noinline)) void end_raised(struct pinsight_python_thread *thread,
                                                 void *frame) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!end_of_flavour(thread, frame, PINSIGHT_PYTHON_C_END_HOW_RAISE))
        pinsight_c_end_find(thread, frame, PINSIGHT_PYTHON_C_END_HOW_RAISE);
    PyErr_Restore(type, value, traceback);
}

static __attribute__((noinline)) void unusual_end(struct pinsight_python_thread *thread,
                                                  void *frame) {
    if (!end_of_flavour(thread, frame, PINSIGHT_PYTHON_C_END_HOW_RETURN))
        pinsight_c_end_find(thread, frame, PINSIGHT_PYTHON_C_END_HOW_RETURN);
}

void pinsight_operator_end(const struct pinsight_operator_call *call, bool raised) {
    if (pinsight_python_is_due()) {
        timed_end(call, raised);
        return;
    }
    uint64_t now = pinsight_fast_now();
    struct pinsight_python_thread *thread = pinsight_python_thread();
    if (PINSIGHT_UNLIKELY(!thread))
        return;
    /* If another operator is open, greenlets were switched in between without being observed. */
    thread->operator_frame = thread->operator_frame == call->frame ? call->outer : NULL;
    if (!call->is_open)
        return;
    if (PINSIGHT_UNLIKELY(raised))
        end_raised(thread, call->frame);
    else if (PINSIGHT_UNLIKELY(!pinsight_fast_c_end(now, thread, call->code, call->frame,
                                                    PINSIGHT_PYTHON_C_END_HOW_RETURN)))
        unusual_end(thread, call->frame);
}
