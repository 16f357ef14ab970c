/* BLAS to the reader: a domain of calls whose events say which routine and which sizes. */
#include "reader/blas/blas.h"

#include "base/memory.h"
#include "reader/frame.h"

#include <string.h>

/* Past this many different works the sizes of further calls are not kept. */
#define MOST_WORKS (1u << 18)

enum {
    ROUTINE = READER_CALLS_FIELDS,
    TYPE,
    M,
    N,
    K,
    BATCH,
    MULTIPLICATIONS,
    ROWS,
    TRANSA,
    TRANSB,
    LDA,
    LDB,
    LDC,
    LIBRARY,
    THREADS,
    PATH,
    RECORDED
};
static const char *const fields[] = {
    READER_CALLS_FIELD_NAMES,
    "routine",
    "type",
    "m",
    "n",
    "k",
    "batch",
    "multiplications",
    "order",
    "transa",
    "transb",
    "lda",
    "ldb",
    "ldc",
    "library",
    "threads",
    "path",
    "recorded",
};
static const char *const moments[] = {"call_info", "library_info"};

/* Numbers of the enum trans. */
enum { TRANSPOSED = 2, CONJUGATED };

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

static struct pinsight_blas *blas_of(struct reader_calls *calls) {
    return calls->own = calls->own ?: pinsight_calloc(1, sizeof(struct pinsight_blas));
}

/* The key of a process in maps. */
#define OF_PROCESS(process) (uint32_t)(uintptr_t)(process), (uint32_t)((uintptr_t)(process) >> 32)

static void define(struct reader_calls *calls, struct pinsight_process *process,
                   const struct event_layout *layout, const struct pinsight_event *event) {
    struct pinsight_blas *blas = blas_of(calls);
    const char *path = event_layout_text(layout, event, PATH);
    uint32_t name = pinsight_strings_add(&process->model->strings, path, strlen(path));
    uint32_t library = PINSIGHT_NUMBERED(&blas->library_map, name, 0, 0, blas->libraries,
                                         blas->library_count, blas->library_capacity, name, false);

    blas->libraries[library].left_out |= !event_layout_get(layout, event, RECORDED, 1);
    pinsight_map_set(&blas->library_numbers, OF_PROCESS(process), number_of(layout, event, LIBRARY),
                     library);
}

static uint32_t how_of(struct pinsight_blas *blas, const struct pinsight_process *process,
                       const struct event_layout *layout, const struct pinsight_event *event) {
    struct pinsight_blas_how how = {
        .order = (uint8_t)event_layout_get(layout, event, ROWS, 0),
        .transa = (uint8_t)event_layout_get(layout, event, TRANSA, 0),
        .transb = (uint8_t)event_layout_get(layout, event, TRANSB, 0),
        .lda = event_layout_get(layout, event, LDA, 0),
        .ldb = event_layout_get(layout, event, LDB, 0),
        .ldc = event_layout_get(layout, event, LDC, 0),
        .library = pinsight_map_get(&blas->library_numbers, OF_PROCESS(process),
                                    (uint32_t)event_layout_get(layout, event, LIBRARY, 0)),
        .threads = (uint32_t)event_layout_get(layout, event, THREADS, 0),
    };
    uint32_t distances = pinsight_map_number(
        &blas->distance_map, number(blas, (uint64_t)how.lda), number(blas, (uint64_t)how.ldb),
        number(blas, (uint64_t)how.ldc), blas->distance_map.used);
    uint32_t words =
        how.order | (uint32_t)how.transa << 2 | (uint32_t)how.transb << 4 | (how.library + 1) << 8;

    return PINSIGHT_NUMBERED(&blas->how_map, distances, words, how.threads, blas->hows,
                             blas->how_count, blas->how_capacity, how.order, how.transa, how.transb,
                             how.lda, how.ldb, how.ldc, how.library, how.threads);
}

static uint32_t size_of(struct pinsight_blas *blas, const struct event_layout *layout,
                        const struct pinsight_event *event) {
    uint64_t m = (uint64_t)event_layout_get(layout, event, M, 0);
    uint64_t n = (uint64_t)event_layout_get(layout, event, N, 0);
    uint64_t k = (uint64_t)event_layout_get(layout, event, K, 0);
    uint64_t batch = (uint64_t)event_layout_get(layout, event, BATCH, 1);
    uint64_t multiplications = (uint64_t)event_layout_get(layout, event, MULTIPLICATIONS, 0);
    uint32_t shape = pinsight_map_number(&blas->shape_map, number(blas, m), number(blas, n),
                                         number(blas, k), blas->shape_map.used);

    return PINSIGHT_NUMBERED(&blas->size_map, shape, number(blas, batch),
                             number(blas, multiplications), blas->sizes, blas->size_count,
                             blas->size_capacity, m, n, k, batch, multiplications);
}

/* Returns the number of the routine's work with the call's sizes, or PINSIGHT_NONE. */
static uint32_t begun(struct reader_calls *calls, const struct pinsight_process *process,
                      const struct event_layout *layout, const struct pinsight_event *event) {
    struct pinsight_blas *blas = blas_of(calls);
    unsigned routine = number_of(layout, event, ROUTINE), type = number_of(layout, event, TYPE);
    uint32_t at, how;

    if (blas->work_count >= MOST_WORKS)
        return PINSIGHT_NONE;
    at = size_of(blas, layout, event);
    how = how_of(blas, process, layout, event);
    return PINSIGHT_NUMBERED(&blas->work_map, routine | type << 8, how, at, blas->works,
                             blas->work_count, blas->work_capacity, at, how, (uint8_t)routine,
                             pinsight_blas_operations(routine, type, &blas->sizes[at]));
}

static void ended(struct reader_calls *calls, uint32_t site, uint32_t own,
                  const struct pinsight_frame_times *times, bool is_nested) {
    struct pinsight_blas *blas = calls->own;
    const struct pinsight_blas_work *work = own == PINSIGHT_NONE ? NULL : &blas->works[own];
    struct pinsight_blas_sum *sum = PINSIGHT_KEYED(
        &blas->sum_map, site, own, is_nested, blas->sums, blas->sum_count, blas->sum_capacity, site,
        work ? work->size : PINSIGHT_NONE, work ? work->how : PINSIGHT_NONE,
        work ? work->routine : UINT8_MAX, is_nested, 0, 0, 0, 0);

    sum->calls++;
    sum->total_ns += times->total_ns;
    sum->self_ns += times->self_ns;
    sum->operations += work ? work->operations : 0;
}

const struct pinsight_blas_size *pinsight_blas_size_of(const struct pinsight_model *model,
                                                       const struct pinsight_slice *slice) {
    const struct pinsight_blas *blas = pinsight_model_blas(model);

    return blas && slice->own < blas->work_count ? &blas->sizes[blas->works[slice->own].size]
                                                 : NULL;
}

const struct pinsight_blas_how *pinsight_blas_how_of(const struct pinsight_model *model,
                                                     const struct pinsight_slice *slice) {
    const struct pinsight_blas *blas = pinsight_model_blas(model);

    return blas && slice->own < blas->work_count ? &blas->hows[blas->works[slice->own].how] : NULL;
}

bool pinsight_blas_is_transposed(const struct pinsight_blas_how *how) {
    return how->transa == TRANSPOSED || how->transa == CONJUGATED || how->transb == TRANSPOSED ||
           how->transb == CONJUGATED;
}

static void calls_free(struct pinsight_model *model) {
    struct reader_calls *calls = reader_calls_of(model, READER_BLAS);
    struct pinsight_blas *blas = calls ? calls->own : NULL;

    if (blas) {
        PINSIGHT_MAPS_CLEAR(&blas->numbers, &blas->shape_map, &blas->size_map, &blas->distance_map,
                            &blas->how_map, &blas->work_map, &blas->sum_map, &blas->library_map,
                            &blas->library_numbers);
        PINSIGHT_FREE(blas->sizes, blas->hows, blas->libraries, blas->sums, blas->works, blas);
    }
    reader_calls_free(READER_BLAS, model);
}

static const char *const waiting[] = {NULL};
static struct reader_calls_domain calls_domain = {
    .number = READER_BLAS,
    .waiting = waiting,
    .layouts = {.fields = fields,
                .field_count = sizeof(fields) / sizeof(*fields),
                .moments = moments,
                .moment_count = sizeof(moments) / sizeof(*moments)},
    .function = function,
    .begun = begun,
    .ended = ended,
    .define = define,
};

READER_CALLS_FUNCTIONS(BLAS, blas, "BLAS");
