/* From the sums of the model to the rows of a report. */
#include "views/blas/blas.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "reader/kit/paths.h"
#include "views/report/attribution.h"

#include <inttypes.h>
#include <stdlib.h>

/* The share of all time from which BLAS is worth a line. */
#define LEAST_SHARE 0.01

bool pinsight_blas_seen(const struct pinsight_report *report) {
    const struct reader_calls *calls = reader_calls_of(report->model, READER_BLAS);

    return calls && calls->function_count;
}

bool pinsight_blas_matters(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;
    const uint64_t ns = view->all[READER_BLAS].wall_ns + view->counted[READER_BLAS].total_ns;

    return (double)ns >= LEAST_SHARE * (double)report->whole_ns;
}

char *pinsight_blas_size_text(const struct pinsight_blas_size *size) {
    char *text = size->batch == 1 ? NULL : pinsight_format("%" PRIu64 " × ", size->batch);

    pinsight_append(&text, "%" PRIu64, size->m);
    if (size->n || size->k)
        pinsight_append(&text, "×%" PRIu64, size->n);
    if (size->k)
        pinsight_append(&text, "×%" PRIu64, size->k);
    if (size->multiplications)
        pinsight_append(&text, " and others");
    return text;
}

enum by { BY_ROUTINE, BY_LINE, BY_OUTER_LINE, BY_LIBRARY, BY_SIZE };

/* Rows that are made. */
struct row_making {
    enum by by;
    const struct pinsight_report *report;
    const struct reader_calls *calls;
    struct pinsight_peak peak;
    bool has_peak;
    struct pinsight_blas_row *rows;
    size_t count, capacity;
    struct pinsight_map places, rows_by_place, times;
    struct size_time {
        uint64_t ns;
    } * size_times; /* of a row and a size, by `times` */
    size_t size_time_count, size_time_capacity;
};

/* Returns the number of a user's line: of functions with the same name in the same file, one. */
static uint32_t place_number(struct row_making *making, uint32_t users) {
    const struct pinsight_model *model = making->report->model;
    const struct pinsight_path *frame = users == PINSIGHT_NONE ? NULL : &model->paths[users];
    const struct pinsight_function *function =
        frame && frame->function != PINSIGHT_NONE ? &model->functions[frame->function] : NULL;

    return function ? pinsight_map_number(&making->places, function->name, function->file,
                                          (uint32_t)frame->line, making->places.used)
                    : PINSIGHT_NONE;
}

static struct pinsight_blas_row *row_of(struct row_making *making, uint32_t function, uint32_t path,
                                        bool by_line, uint32_t up_to) {
    const struct pinsight_model *model = making->report->model;
    uint32_t users =
        by_line && path != PINSIGHT_NONE ? pinsight_path_users_line(model, path) : PINSIGHT_NONE;
    size_t before = making->count;
    struct pinsight_blas_row *row =
        PINSIGHT_KEYED(&making->rows_by_place, function, place_number(making, users), up_to,
                       making->rows, making->count, making->capacity, .function = function,
                       .most_size = PINSIGHT_NONE, .library = PINSIGHT_NONE, .up_to = up_to);

    if (making->count > before)
        row->place = python_call_place_of(making->report, users, users);
    return row;
}

static void add_how(struct pinsight_blas_row *row, const struct pinsight_blas_sum *sum,
                    const struct pinsight_blas_how *how) {
    uint64_t transposed = pinsight_blas_is_transposed(how) ? sum->calls : 0;

    row->library = !row->calls || row->library == how->library ? how->library : PINSIGHT_NONE;
    row->transposed_calls += transposed;
    row->strided_calls += pinsight_blas_is_strided(sum->routine, how) ? sum->calls : 0;
    if (!how->threads)
        return;
    if (!row->least_threads || how->threads < row->least_threads)
        row->least_threads = how->threads;
    if (how->threads > row->most_threads)
        row->most_threads = how->threads;
}

static double peak_ns_of(const struct row_making *making, const struct pinsight_blas_sum *sum) {
    const struct pinsight_report *report = making->report;
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    uint32_t function = making->calls->sites[sum->site].function;

    return pinsight_blas_peak_ns(
        &making->peak, pinsight_report_string(report, making->calls->functions[function].name),
        sum->how == PINSIGHT_NONE ? 0 : blas->hows[sum->how].threads, sum->operations);
}

static void add(struct row_making *making, struct pinsight_blas_row *row,
                const struct pinsight_blas_sum *sum) {
    const struct pinsight_blas *blas = pinsight_model_blas(making->report->model);
    size_t before = making->size_time_count;
    struct size_time *time =
        PINSIGHT_KEYED(&making->times, (uint32_t)(row - making->rows), sum->size, 0,
                       making->size_times, making->size_time_count, making->size_time_capacity, 0);

    if (sum->how != PINSIGHT_NONE)
        add_how(row, sum, &blas->hows[sum->how]);
    row->level = pinsight_blas_level_of(sum->routine);
    row->calls += sum->calls;
    row->nested_calls += sum->is_nested ? sum->calls : 0;
    row->self_ns += sum->self_ns;
    if (making->by == BY_LIBRARY && sum->is_nested)
        return;
    row->total_ns += sum->total_ns;
    row->operations += sum->operations;
    if (making->has_peak)
        row->peak_ns += peak_ns_of(making, sum);
    row->sizes += making->size_time_count > before;
    time->ns += sum->total_ns;
    if (sum->size != PINSIGHT_NONE &&
        (time->ns > row->most_ns || row->most_size == PINSIGHT_NONE)) {
        row->most_ns = time->ns;
        row->most_size = sum->size;
    }
}

/* Calls that were counted have no size, and no line here. */
static void add_counted(struct row_making *making) {
    for (size_t i = 0; i < making->calls->function_count; i++) {
        const struct pinsight_monitored *counted = &making->calls->functions[i].counted;
        struct pinsight_blas_row *row;

        if (!counted->calls)
            continue;
        row = row_of(making, (uint32_t)i, PINSIGHT_NONE, false, 0);
        row->short_calls += counted->calls;
        row->short_ns += counted->total_ns;
    }
}

ORDER(by_time, struct pinsight_blas_row,
      BY(b->total_ns + b->short_ns, a->total_ns + a->short_ns) ?: BY(a->function, b->function)
          ?: python_call_place_compare(&a->place, &b->place))

ORDER(by_size, struct pinsight_blas_row, BY(a->function, b->function) ?: BY(a->up_to, b->up_to))

static uint32_t library_of(const struct pinsight_blas *blas, const struct pinsight_blas_sum *sum) {
    return sum->how == PINSIGHT_NONE ? PINSIGHT_NONE : blas->hows[sum->how].library;
}

/* The first class of sizes, and the last one with an end. */
#define SMALLEST 16
#define LARGEST (1u << 30)

/* Returns the end of the class of a size, by its largest dimension. */
static uint32_t class_of(const struct pinsight_blas_size *size) {
    uint64_t largest = size->m > size->n ? size->m : size->n;
    uint32_t end = SMALLEST;

    largest = size->k > largest ? size->k : largest;
    while (end < largest && end < LARGEST)
        end *= 4;
    return end;
}

static struct pinsight_blas_row *make(const struct pinsight_report *report, enum by by,
                                      size_t *count) {
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    struct row_making making = {
        .by = by, .report = report, .calls = reader_calls_of(report->model, READER_BLAS)};

    making.has_peak = pinsight_blas_peak(report, &making.peak);
    for (size_t i = 0; blas && i < blas->sum_count; i++) {
        const struct pinsight_blas_sum *sum = &blas->sums[i];
        const struct reader_calls_site *site = &making.calls->sites[sum->site];

        if (by == BY_LIBRARY && library_of(blas, sum) != PINSIGHT_NONE)
            add(&making, row_of(&making, library_of(blas, sum), PINSIGHT_NONE, false, 0), sum);
        else if (by == BY_SIZE && sum->size != PINSIGHT_NONE)
            add(&making,
                row_of(&making, site->function, PINSIGHT_NONE, false,
                       class_of(&blas->sizes[sum->size])),
                sum);
        else if (by == BY_ROUTINE || by == BY_LINE || (by == BY_OUTER_LINE && !sum->is_nested))
            add(&making, row_of(&making, site->function, site->path, by != BY_ROUTINE, 0), sum);
    }
    if (making.calls && by == BY_ROUTINE)
        add_counted(&making);
    if (by == BY_SIZE)
        PINSIGHT_SORT(making.rows, making.count, by_size);
    else
        PINSIGHT_SORT(making.rows, making.count, by_time);
    PINSIGHT_MAPS_CLEAR(&making.places, &making.rows_by_place, &making.times);
    free(making.size_times);
    *count = making.count;
    return making.rows;
}

struct pinsight_blas_row *pinsight_blas_routines(const struct pinsight_report *report,
                                                 size_t *count) {
    return make(report, BY_ROUTINE, count);
}

struct pinsight_blas_row *pinsight_blas_lines(const struct pinsight_report *report, size_t *count) {
    return make(report, BY_LINE, count);
}

struct pinsight_blas_row *pinsight_blas_outer_lines(const struct pinsight_report *report,
                                                    size_t *count) {
    return make(report, BY_OUTER_LINE, count);
}

struct pinsight_blas_row *pinsight_blas_size_classes(const struct pinsight_report *report,
                                                     size_t *count) {
    return make(report, BY_SIZE, count);
}

struct pinsight_blas_row *pinsight_blas_libraries(const struct pinsight_report *report,
                                                  size_t *count) {
    return make(report, BY_LIBRARY, count);
}
