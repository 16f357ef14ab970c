/*
 * The calls of BLAS. A thread keeps the places that call a function, with all that does not change
 * from call to call, so that a call finds it at once.
 *
 * LAPACK calls BLAS by names that lead here, too. Such a nested call is observed only if the
 * configuration asks for it and the call around it is recorded.
 */
#include "tracer/blas/decode.h"
#include "tracer/blas/domain.h"
#include "tracer/record/blas.h"

#include "blas/count.h"

/* The words of arguments of each function. */
static const uint8_t words[PINSIGHT_BLAS_FUNCTIONS] = {
#include "blas/words.inc"
};

/* A function that is called at an address. */
struct blas_place {
    const void *caller; /* NULL: none */
    unsigned entry;     /* of the trampoline */
    uint32_t closed;    /* of the handlers, when the function was found */
    void *to;
    pinsight_blas_reader *read;
    int (*threads)(void); /* returns the library's threads; NULL: it does not say */
    struct pinsight_native_lexgion *lexgion; /* NULL before the first recorded call */
    const char *name;
    uint8_t routine, type, kind; /* of its shape */
    uint8_t library;             /* its number; 0: not known */
    uint8_t words;               /* to copy, as in struct pinsight_blas_way */
};

enum { PLACES = 64 };

/* An observed call that is open. */
struct blas_open {
    /* If the frame of another call is not below it, the program has left this call by a jump. */
    const struct pinsight_blas_frame *frame;
    enum { OBSERVED, RECORDED, QUICK /* recorded, and the core does not know it */ } how;
};

struct blas_thread {
    struct blas_place places[PLACES];
    uint64_t depth; /* open calls, the outermost first */
    struct blas_open open[PINSIGHT_CALLS_DEEPEST];
};

_Static_assert(sizeof(struct blas_thread) <= PINSIGHT_BLAS_THREAD_BYTES, "as the domain says");

/* ---- places ---- */

static inline struct blas_place *place_in(struct blas_thread *thread, const void *caller,
                                          unsigned entry) {
    struct blas_place *place = &thread->places[((uintptr_t)caller / 4 + entry) % PLACES];
    __asm__("" : "+r"(place)); /* or GCC computes the address at each use, from the index */
    return place;
}

/* Returns whether a place is that of a call. */
static inline bool is_place(const struct blas_place *place, const void *caller, unsigned entry) {
    return place->caller == caller && place->entry == entry &&
           place->closed ==
               atomic_load_explicit(&pinsight_blas_handlers.closed, memory_order_relaxed);
}

/* Returns where the call goes, for a thread without data. */
static struct pinsight_blas_way pass(const struct pinsight_blas_frame *frame, unsigned entry) {
    return (struct pinsight_blas_way){pinsight_blas_shim->find(entry, frame->caller).to, -1};
}

static void fill(struct blas_place *place, const void *caller, unsigned entry) {
    unsigned function = entry % PINSIGHT_BLAS_FUNCTIONS;
    const struct pinsight_blas_shape *shape = pinsight_blas_shape_of(function);
    int on_stack = words[function] - PINSIGHT_BLAS_REGISTERS;
    uint32_t closed = atomic_load(&pinsight_blas_handlers.closed);
    struct pinsight_blas_found found = pinsight_blas_shim->find(entry, caller);
    *place = (struct blas_place){
        .caller = caller,
        .entry = entry,
        .closed = closed,
        .to = found.to,
        .read = pinsight_blas_reader_of(function),
        .threads = found.library ? found.library->threads : NULL,
        .name = shape->name,
        .routine = shape->routine,
        .type = shape->type,
        .kind = shape->kind,
        .library = found.library ? (uint8_t)found.library->number : 0,
        .words = (uint8_t)(on_stack > 0 ? on_stack + (on_stack & 1) : 0),
    };
}

/* ---- calls ---- */

static uint16_t threads_now(int (*threads)(void)) {
    int number = threads();
    return (uint16_t)(number < 0 ? 0 : number > UINT16_MAX ? UINT16_MAX : number);
}

/* Records a begin whose arguments have been read, and whose library has been defined. */
static inline void record_begin(const struct blas_place *place,
                                struct pinsight_record_blas_blas_begin *event) {
    event->codeptr = (uintptr_t)place->caller;
    event->routine = place->routine;
    event->type = place->type;
    event->library = place->library;
    event->threads = place->threads ? threads_now(place->threads) : 0;
    event->py_path = pinsight_link_here();
    pinsight_record_blas_blas_begin(event);
}

static struct blas_thread *own_of(struct pinsight_calls_thread *thread) {
    return (struct blas_thread *)thread->own;
}

static void end_innermost(struct blas_thread *thread) {
    bool is_quick = thread->open[--thread->depth].how == QUICK;
    if (is_quick || pinsight_calls_end(&pinsight_blas)) {
        pinsight_record_blas_blas_end();
        pinsight_calls_recorded(&pinsight_blas);
    }
    if (!is_quick)
        pinsight_calls_ended(&pinsight_blas);
}

/* Ends a call that the core knows, a nested one, or one of a thread whose state is hidden. The
 * program has left calls within it by a jump if they are still open. */
static __attribute__((noinline)) void end(const struct pinsight_blas_frame *frame) {
    struct blas_thread *thread = pinsight_calls_own(&pinsight_blas);
    while (thread && thread->depth &&
           (uintptr_t)thread->open[thread->depth - 1].frame <= (uintptr_t)frame)
        end_innermost(thread);
}

static void returned(const struct pinsight_blas_frame *frame) {
    struct pinsight_calls_thread *core = pinsight_calls_thread(&pinsight_blas);
    if (PINSIGHT_UNLIKELY(!core || own_of(core)->depth != 1 ||
                          own_of(core)->open[0].how != QUICK)) {
        end(frame);
        return;
    }
    own_of(core)->depth = 0;
    pinsight_record_blas_blas_end();
    pinsight_native_recorded(&pinsight_blas.native, &core->native, 2 * PINSIGHT_CALLS_EVENT_BYTES);
}

static inline bool is_short(const struct blas_place *place,
                            const struct pinsight_record_blas_blas_begin *event) {
    return place->kind == PINSIGHT_BLAS_KIND_LEVEL1 &&
           event->m < atomic_load_explicit(&pinsight_blas_shortest_vector, memory_order_relaxed);
}

/* Returns whether a call within the innermost one can be observed. It is not counted, because the
 * time of the call around it contains its own. */
static bool may_nest(const struct blas_thread *thread) {
    return atomic_load_explicit(&pinsight_blas_nested, memory_order_relaxed) &&
           thread->depth < PINSIGHT_CALLS_DEEPEST &&
           thread->open[thread->depth - 1].how != OBSERVED &&
           pinsight_domain_mode_now(&pinsight_blas.domain) == PINSIGHT_MODE_TRACING;
}

/* Begins a call, which may be within an observed one. Returns whether it is observed. */
static __attribute__((noinline)) bool begin(struct blas_thread *thread, struct blas_place *place,
                                            const struct pinsight_blas_frame *frame) {
    struct pinsight_record_blas_blas_begin event;
    while (thread->depth && /* left by a jump */
           (uintptr_t)thread->open[thread->depth - 1].frame <= (uintptr_t)frame)
        end_innermost(thread);
    bool is_nested = thread->depth != 0;
    if ((is_nested && !may_nest(thread)) ||
        pinsight_domain_mode_now(&pinsight_blas.domain) <= PINSIGHT_MODE_STANDBY ||
        !place->read(frame, &event) || (is_nested && is_short(place, &event)))
        return false;
    bool is_recorded = false;
    if (is_short(place, &event))
        pinsight_calls_count(&pinsight_blas, place->kind, place->name, place->caller);
    else
        is_recorded = pinsight_calls_begin(&pinsight_blas, place->kind, place->name, place->caller);
    thread->open[thread->depth++] = (struct blas_open){frame, is_recorded ? RECORDED : OBSERVED};
    if (is_recorded) {
        struct pinsight_calls_thread *core = pinsight_calls_thread(&pinsight_blas);
        if (core)
            place->lexgion = pinsight_calls_lexgion(core);
        if (place->library)
            pinsight_blas_define(place->library);
        record_begin(place, &event);
        pinsight_calls_recorded(&pinsight_blas);
    }
    return true;
}

/* Begins a call that is as the last one of its place. Returns false without effect otherwise. */
static inline bool begin_quickly(struct pinsight_calls_thread *core, struct blas_thread *thread,
                                 const struct blas_place *place,
                                 const struct pinsight_blas_frame *frame) {
    struct pinsight_record_blas_blas_begin event;
    if (thread->depth || !place->lexgion || pinsight_blas.native.engine.lossless ||
        !pinsight_calls_is_as_before(&pinsight_blas, core, place->kind, place->lexgion,
                                     pinsight_record_blas_call_info_enabled()) ||
        !place->read(frame, &event) || is_short(place, &event))
        return false;
    thread->open[0].frame = frame;
    thread->open[0].how = QUICK;
    thread->depth = 1;
    record_begin(place, &event);
    return true;
}

/* Handles a call whose place is not known. */
static __attribute__((noinline)) struct pinsight_blas_way
called_anew(const struct pinsight_blas_frame *frame, unsigned entry) {
    bool is_on = pinsight_domain_mode_now(&pinsight_blas.domain) > PINSIGHT_MODE_STANDBY;
    struct blas_thread *thread = is_on ? pinsight_calls_own(&pinsight_blas) : NULL;
    if (!thread)
        return pass(frame, entry);
    struct blas_place *place = place_in(thread, frame->caller, entry);
    fill(place, frame->caller, entry);
    return (struct pinsight_blas_way){place->to, begin(thread, place, frame) ? place->words : -1};
}

static struct pinsight_blas_way called(struct pinsight_blas_frame *frame, unsigned entry) {
    struct pinsight_calls_thread *core = pinsight_calls_thread(&pinsight_blas);
    if (PINSIGHT_UNLIKELY(!core))
        return called_anew(frame, entry);
    struct blas_thread *thread = own_of(core);
    struct blas_place *place = place_in(thread, frame->caller, entry);
    if (PINSIGHT_UNLIKELY(!is_place(place, frame->caller, entry)))
        return called_anew(frame, entry);
    bool is_observed =
        PINSIGHT_LIKELY(begin_quickly(core, thread, place, frame)) || begin(thread, place, frame);
    return (struct pinsight_blas_way){place->to, is_observed ? place->words : -1};
}

struct pinsight_blas_handlers pinsight_blas_handlers = {called, returned, 0};
