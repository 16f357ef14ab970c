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

static void describe(void) {
    pinsight_native_describe(&blas.native, "BLAS", "preloaded functions", 0);
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

/* The innermost call of the thread is one of ours: BLAS's own calls are not observed. */
static bool begin(const struct pinsight_blas_call *call) {
    const struct pinsight_blas_shape *shape = pinsight_blas_shape_of(call->function);
    struct pinsight_blas_sizes sizes;

    if (pinsight_domain_mode_now(&blas.domain) <= PINSIGHT_MODE_STANDBY ||
        !pinsight_blas_decode(shape, call, &sizes))
        return false;
    if (shape->kind == PINSIGHT_BLAS_KIND_LEVEL1 &&
        sizes.m < atomic_load_explicit(&shortest_vector, memory_order_relaxed)) {
        pinsight_calls_count(&blas, shape->kind, shape->name, call->caller);
    } else if (pinsight_calls_begin(&blas, shape->kind, shape->name, call->caller)) {
        pinsight_record_blas_blas_begin(pinsight_link_here(), (uintptr_t)call->caller,
                                        shape->routine, shape->type, sizes.m, sizes.n, sizes.k);
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

static void at_exit(void) {
    pinsight_calls_stop(&blas);
}

PINSIGHT_API const struct pinsight_blas_handlers *pinsight_blas_start(void);
const struct pinsight_blas_handlers *pinsight_blas_start(void) {
    static const struct pinsight_blas_handlers handlers = {begin, end};

    if (pinsight_calls_start(&blas) != 0)
        return NULL;
    atexit(at_exit);
    return &handlers;
}
