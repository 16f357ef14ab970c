/* The domain BLAS in a traced process: libpinsight-blas.so, which the preloaded trampolines open.
 */
#include "describe/blas.h"
#include "tracer/blas/decode.h"
#include "tracer/core/calls.h"
#include "tracer/core/resolve.h"
#include "tracer/record/blas.h"

#include <stdlib.h>

static struct pinsight_calls blas;
/* Elements; calls of level 1 with fewer are counted. */
static _Atomic uint64_t shortest_vector;

/* Returns the library with a number, or NULL. */
static const struct pinsight_blas_opened *(*library_with)(unsigned number);
static _Atomic bool is_defined[PINSIGHT_BLAS_LIBRARIES]; /* by number */

static void define_library(const struct pinsight_blas_opened *library) {
    if (!pinsight_record_blas_library_info_enabled())
        return;
    atomic_store(&is_defined[library->number], true);
    PINSIGHT_INFO_TIMED(pinsight_record_blas_library_info(
        pinsight_process.pid, (uint8_t)library->number, library->path, !library->left_out));
}

static void describe(void) {
    const struct pinsight_blas_opened *library;
    pinsight_native_describe(&blas.native, "BLAS", "preloaded functions", 0);
    for (unsigned i = 1; library_with && (library = library_with(i)); i++)
        define_library(library);
}

static void define(const struct pinsight_lexgion *state) {
    const struct pinsight_native_lexgion *lexgion = (const struct pinsight_native_lexgion *)state;
    if (!pinsight_record_blas_call_info_enabled())
        return;
    uint64_t before = pinsight_info_before();
    pinsight_record_blas_call_info(pinsight_process.pid, state->id, lexgion->codeptr,
                                   lexgion->called, lexgion->object, lexgion->offset,
                                   lexgion->symbol);
    pinsight_info_after(before);
}

static void take_settings(void) {
    atomic_store(&shortest_vector, pinsight_resolve_shortest_vector(&blas.domain));
    pinsight_calls_take_settings(&blas);
}

static struct pinsight_calls blas = {PINSIGHT_CALLS_INIT(
    blas, BLAS, define, describe, take_settings, pinsight_record_blas_call_info_enabled)};

/* Returns the number of the call's library, and defines the library at its first call. */
static uint8_t library_of(const struct pinsight_blas_call *call) {
    const struct pinsight_blas_opened *library = call->library;
    if (!library)
        return 0;
    if (!atomic_load_explicit(&is_defined[library->number], memory_order_relaxed))
        define_library(library);
    return (uint8_t)library->number;
}

static uint16_t threads_of(const struct pinsight_blas_call *call) {
    int threads = call->library && call->library->threads ? call->library->threads() : 0;
    return (uint16_t)(threads < 0 ? 0 : threads > UINT16_MAX ? UINT16_MAX : threads);
}

/* Records a begin whose arguments have been read. */
static void record_begin(const struct pinsight_blas_shape *shape,
                         const struct pinsight_blas_call *call,
                         struct pinsight_record_blas_blas_begin *event) {
    event->codeptr = (uintptr_t)call->frame->caller;
    event->routine = shape->routine;
    event->type = shape->type;
    event->library = library_of(call);
    event->threads = threads_of(call);
    event->py_path = pinsight_link_here();
    pinsight_record_blas_blas_begin(event);
}

/* The innermost call of the thread is one of ours: BLAS's own calls are not observed. */
static bool begin(const struct pinsight_blas_call *call) {
    const struct pinsight_blas_shape *shape = pinsight_blas_shape_of(call->function);
    struct pinsight_record_blas_blas_begin event;

    if (pinsight_domain_mode_now(&blas.domain) <= PINSIGHT_MODE_STANDBY ||
        !pinsight_blas_decode(call->function, call->frame, &event))
        return false;
    if (shape->kind == PINSIGHT_BLAS_KIND_LEVEL1 &&
        event.m < atomic_load_explicit(&shortest_vector, memory_order_relaxed)) {
        pinsight_calls_count(&blas, shape->kind, shape->name, call->frame->caller);
    } else if (pinsight_calls_begin(&blas, shape->kind, shape->name, call->frame->caller)) {
        record_begin(shape, call, &event);
        pinsight_calls_recorded(&blas);
    }
    return true;
}

static void end(void) {
    if (pinsight_calls_end(&blas)) {
        pinsight_record_blas_blas_end();
        pinsight_calls_recorded(&blas);
    }
    pinsight_calls_ended(&blas);
}

/* Libraries without recorded calls are defined last, so that a report names them. */
static void at_exit(void) {
    const struct pinsight_blas_opened *library;
    for (unsigned i = 1; (library = library_with(i)); i++)
        if (library->left_out)
            define_library(library);
    pinsight_calls_stop(&blas);
}

PINSIGHT_API const struct pinsight_blas_handlers *
pinsight_blas_start(const struct pinsight_blas_opened *(*library)(unsigned number));
const struct pinsight_blas_handlers *
pinsight_blas_start(const struct pinsight_blas_opened *(*library)(unsigned number)) {
    static const struct pinsight_blas_handlers handlers = {begin, end};

    library_with = library;
    if (pinsight_calls_start(&blas) != 0)
        return NULL;
    atexit(at_exit);
    return &handlers;
}
