/* The domain BLAS in a traced process: libpinsight-blas.so, which the preloaded trampolines open.
 */
#include "tracer/blas/domain.h"

#include "describe/blas.h"
#include "tracer/core/resolve.h"
#include "tracer/record/blas.h"

#include <stdlib.h>

_Atomic uint64_t pinsight_blas_shortest_vector;
_Atomic bool pinsight_blas_nested;
const struct pinsight_blas_shim *pinsight_blas_shim;

static _Atomic bool is_defined[PINSIGHT_BLAS_LIBRARIES]; /* by number */

static void define_library(const struct pinsight_blas_opened *library) {
    if (!pinsight_record_blas_library_info_enabled())
        return;
    atomic_store(&is_defined[library->number], true);
    PINSIGHT_INFO_TIMED(pinsight_record_blas_library_info(
        pinsight_process.pid, (uint8_t)library->number, library->path, !library->left_out));
}

void pinsight_blas_define(unsigned number) {
    if (!atomic_load_explicit(&is_defined[number], memory_order_relaxed))
        define_library(pinsight_blas_shim->library_with(number));
}

static void describe(void) {
    const struct pinsight_blas_opened *library;
    pinsight_native_describe(&pinsight_blas.native, "BLAS", "preloaded functions", 0);
    for (unsigned i = 1; pinsight_blas_shim && (library = pinsight_blas_shim->library_with(i)); i++)
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
    atomic_store(&pinsight_blas_shortest_vector,
                 pinsight_resolve_shortest_vector(&pinsight_blas.domain));
    atomic_store(&pinsight_blas_nested, pinsight_resolve_nested(&pinsight_blas.domain));
    pinsight_calls_take_settings(&pinsight_blas);
}

struct pinsight_calls pinsight_blas = {PINSIGHT_CALLS_INIT(pinsight_blas, BLAS, define, describe,
                                                           take_settings,
                                                           pinsight_record_blas_call_info_enabled),
                                       .own_bytes = PINSIGHT_BLAS_THREAD_BYTES};

/* Libraries without recorded calls are defined last, so that a report names them. */
static void at_exit(void) {
    const struct pinsight_blas_opened *library;
    for (unsigned i = 1; (library = pinsight_blas_shim->library_with(i)); i++)
        if (library->left_out)
            define_library(library);
    pinsight_calls_stop(&pinsight_blas);
}

PINSIGHT_API struct pinsight_blas_handlers *
pinsight_blas_start(const struct pinsight_blas_shim *shim);
struct pinsight_blas_handlers *pinsight_blas_start(const struct pinsight_blas_shim *shim) {
    pinsight_blas_shim = shim;
    if (pinsight_calls_start(&pinsight_blas) != 0)
        return NULL;
    atexit(at_exit);
    return &pinsight_blas_handlers;
}
