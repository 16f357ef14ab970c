/* BLAS to the reader: a domain of calls whose events say which routine and which sizes. */
#include "reader/blas/blas.h"

#include "base/memory.h"

/* Past this many different works the sizes of further calls are not kept. */
#define MOST_WORKS (1u << 18)

enum { ROUTINE = READER_CALLS_FIELDS, TYPE, M, N, K };
static const char *const fields[] = {
    READER_CALLS_FIELD_NAMES, "routine", "type", "m", "n", "k",
};

static unsigned number_of(const struct event_layout *layout, const struct pinsight_event *event,
                          unsigned field) {
    return (unsigned)event_layout_get(layout, event, field, -1);
}

static const char *function(const struct event_layout *layout, const struct pinsight_event *event) {
    static char name[PINSIGHT_BLAS_NAME_ROOM];

    pinsight_blas_name(number_of(layout, event, ROUTINE), number_of(layout, event, TYPE), name);
    return name;
}

/* Numbers for 64-bit numbers, in their order of appearance. */
static uint32_t number(struct pinsight_blas *blas, uint64_t value) {
    return pinsight_map_number(&blas->numbers, (uint32_t)value, (uint32_t)(value >> 32), 0,
                               blas->numbers.used);
}

/* Returns the number of the routine's work with the call's sizes, or PINSIGHT_NONE. */
static uint32_t begun(struct reader_calls *calls, const struct event_layout *layout,
                      const struct pinsight_event *event) {
    struct pinsight_blas *blas = calls->own = calls->own ?: pinsight_calloc(1, sizeof(*blas));
    struct pinsight_blas_size size = {(uint64_t)event_layout_get(layout, event, M, 0),
                                      (uint64_t)event_layout_get(layout, event, N, 0),
                                      (uint64_t)event_layout_get(layout, event, K, 0)};
    unsigned routine = number_of(layout, event, ROUTINE), type = number_of(layout, event, TYPE);
    uint32_t at;

    if (blas->work_count >= MOST_WORKS)
        return PINSIGHT_NONE;
    at = PINSIGHT_NUMBERED(&blas->size_map, number(blas, size.m), number(blas, size.n),
                           number(blas, size.k), blas->sizes, blas->size_count, blas->size_capacity,
                           size.m, size.n, size.k);
    return PINSIGHT_NUMBERED(&blas->work_map, routine, type, at, blas->works, blas->work_count,
                             blas->work_capacity, at,
                             pinsight_blas_operations(routine, type, &size));
}

static void ended(struct reader_calls *calls, uint32_t site, uint32_t own, uint64_t ns) {
    struct pinsight_blas *blas = calls->own;
    const struct pinsight_blas_work *work = own == PINSIGHT_NONE ? NULL : &blas->works[own];
    struct pinsight_blas_sum *sum =
        PINSIGHT_KEYED(&blas->sum_map, site, own, 0, blas->sums, blas->sum_count,
                       blas->sum_capacity, site, work ? work->size : PINSIGHT_NONE, 0, 0, 0);

    sum->calls++;
    sum->total_ns += ns;
    sum->operations += work ? work->operations : 0;
}

const struct pinsight_blas_size *pinsight_blas_size_of(const struct pinsight_model *model,
                                                       const struct pinsight_slice *slice) {
    const struct pinsight_blas *blas = pinsight_model_blas(model);

    return blas && slice->own < blas->work_count ? &blas->sizes[blas->works[slice->own].size]
                                                 : NULL;
}

static void calls_free(struct pinsight_model *model) {
    struct reader_calls *calls = reader_calls_of(model, READER_BLAS);
    struct pinsight_blas *blas = calls ? calls->own : NULL;

    if (blas) {
        PINSIGHT_MAPS_CLEAR(&blas->numbers, &blas->size_map, &blas->work_map, &blas->sum_map);
        PINSIGHT_FREE(blas->sizes, blas->sums, blas->works, blas);
    }
    reader_calls_free(READER_BLAS, model);
}

static const char *const waiting[] = {NULL};
static struct reader_calls_domain calls_domain = {
    .number = READER_BLAS,
    .waiting = waiting,
    .layouts = {.fields = fields,
                .field_count = sizeof(fields) / sizeof(*fields),
                .moments = reader_calls_moments,
                .moment_count = 1},
    .function = function,
    .begun = begun,
    .ended = ended,
};

READER_CALLS_FUNCTIONS(BLAS, blas, "BLAS");
