/*
 * The calls of BLAS. A thread keeps the places that call a function, with all that does not change
 * from call to call, so that a call finds it at once.
 *
 * Only the outermost call of a thread is observed, because LAPACK calls BLAS by names that lead
 * here, too.
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
    const struct pinsight_blas_shape *shape;
    pinsight_blas_reader *read;
    const struct pinsight_blas_opened *library; /* NULL: not known */
    int64_t words;                              /* to copy, as in struct pinsight_blas_way */
};

enum { PLACES = 64 };

struct blas_thread {
    /* The frame of the observed call. If the frame of another call is not below it, the program has
     * left the observed call by a jump. NULL without one. */
    const struct pinsight_blas_frame *outermost;
    struct blas_place places[PLACES];
};

_Static_assert(sizeof(struct blas_thread) <= PINSIGHT_BLAS_THREAD_BYTES, "as the domain says");

/* ---- places ---- */

static inline struct blas_place *place_in(struct blas_thread *thread, const void *caller,
                                          unsigned entry) {
    return &thread->places[((uintptr_t)caller / 4 + entry) % PLACES];
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
    int on_stack = words[function] - PINSIGHT_BLAS_REGISTERS;
    uint32_t closed = atomic_load(&pinsight_blas_handlers.closed);
    struct pinsight_blas_found found = pinsight_blas_shim->find(entry, caller);
    *place = (struct blas_place){
        .caller = caller,
        .entry = entry,
        .closed = closed,
        .to = found.to,
        .shape = pinsight_blas_shape_of(function),
        .read = pinsight_blas_reader_of(function),
        .library = found.library,
        .words = on_stack > 0 ? on_stack + (on_stack & 1) : 0,
    };
}

/* ---- calls ---- */

static uint16_t threads_of(const struct pinsight_blas_opened *library) {
    int threads = library && library->threads ? library->threads() : 0;
    return (uint16_t)(threads < 0 ? 0 : threads > UINT16_MAX ? UINT16_MAX : threads);
}

/* Records a begin whose arguments have been read. */
static void record_begin(const struct blas_place *place,
                         struct pinsight_record_blas_blas_begin *event) {
    if (place->library)
        pinsight_blas_define(place->library);
    event->codeptr = (uintptr_t)place->caller;
    event->routine = place->shape->routine;
    event->type = place->shape->type;
    event->library = place->library ? (uint8_t)place->library->number : 0;
    event->threads = threads_of(place->library);
    event->py_path = pinsight_link_here();
    pinsight_record_blas_blas_begin(event);
}

static void returned(void) {
    struct blas_thread *thread = pinsight_calls_own(&pinsight_blas);
    if (thread)
        thread->outermost = NULL;
    if (pinsight_calls_end(&pinsight_blas)) {
        pinsight_record_blas_blas_end();
        pinsight_calls_recorded(&pinsight_blas);
    }
    pinsight_calls_ended(&pinsight_blas);
}

/* Begins a call, which may be within an observed one. Returns whether it is observed. */
static bool begin(struct blas_thread *thread, const struct blas_place *place,
                  const struct pinsight_blas_frame *frame) {
    const struct pinsight_blas_shape *shape = place->shape;
    struct pinsight_record_blas_blas_begin event;
    if (thread->outermost && (uintptr_t)frame < (uintptr_t)thread->outermost)
        return false;
    if (thread->outermost) /* left by a jump */
        returned();
    if (pinsight_domain_mode_now(&pinsight_blas.domain) <= PINSIGHT_MODE_STANDBY ||
        !place->read(frame, &event))
        return false;
    thread->outermost = frame;
    if (shape->kind == PINSIGHT_BLAS_KIND_LEVEL1 &&
        event.m < atomic_load_explicit(&pinsight_blas_shortest_vector, memory_order_relaxed)) {
        pinsight_calls_count(&pinsight_blas, shape->kind, shape->name, place->caller);
    } else if (pinsight_calls_begin(&pinsight_blas, shape->kind, shape->name, place->caller)) {
        record_begin(place, &event);
        pinsight_calls_recorded(&pinsight_blas);
    }
    return true;
}

static struct pinsight_blas_way called(struct pinsight_blas_frame *frame, unsigned entry) {
    bool is_on = pinsight_domain_mode_now(&pinsight_blas.domain) > PINSIGHT_MODE_STANDBY;
    struct blas_thread *thread = is_on ? pinsight_calls_own(&pinsight_blas) : NULL;
    if (!thread)
        return pass(frame, entry);
    struct blas_place *place = place_in(thread, frame->caller, entry);
    if (PINSIGHT_UNLIKELY(!is_place(place, frame->caller, entry)))
        fill(place, frame->caller, entry);
    return (struct pinsight_blas_way){place->to, begin(thread, place, frame) ? place->words : -1};
}

struct pinsight_blas_handlers pinsight_blas_handlers = {called, returned, 0};
