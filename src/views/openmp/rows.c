/* Makes rows from the model. Regions or functions with one name and place share a row, from all
 * processes. */
#include "views/openmp/keys.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/words.h"
#include "reader/kit/native.h"
#include "reader/kit/native_lines.h"
#include "reader/kit/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *pinsight_omp_wait_word(unsigned wait) {
    return PINSIGHT_WORD(wait, "?", "implicit_barrier", "explicit_barrier", "taskwait", "taskgroup",
                         "lock", "critical", "atomic", "ordered");
}

const char *pinsight_omp_kind_word(unsigned kind) {
    return PINSIGHT_WORD(kind, "?", "parallel", "teams", "target");
}

const char *pinsight_omp_thread_word(unsigned type) {
    return PINSIGHT_WORD(type, NULL, NULL, "initial", "worker", "other", "unknown");
}

double pinsight_omp_imbalance(const struct pinsight_omp_region *sums) {
    return sums->joined && sums->mean_ns ? (double)sums->longest_ns / (double)sums->mean_ns : 0;
}

bool pinsight_omp_seen(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    if (!pinsight_model_openmp(model))
        return false;
    if (pinsight_model_openmp(model)->region_count)
        return true;
    for (size_t i = 0; i < report->thread_count; i++)
        if (pinsight_thread_openmp(report->threads[i].thread))
            return true;
    return false;
}

const char *pinsight_omp_none(const struct pinsight_report *report) {
    if (pinsight_report_has_domain(report, "OpenMP"))
        return "OpenMP was there, and no parallel region was recorded: the program started none, "
               "or its mode or a window left all of them out.";
    return "No OpenMP was recorded: it was not asked for (--domains python,openmp), or the program "
           "used no runtime that PInsight sees (GCC's libgomp, LLVM's libomp, Intel's "
           "libiomp5); a BLAS on pthreads is none.";
}

static void add_sums(struct pinsight_omp_region *to, const struct pinsight_omp_region *from) {
    if (from->calls)
        pinsight_extremes_add(&to->min_ns, &to->max_ns, !to->calls, from->min_ns, from->max_ns);
    if (from->threads > to->threads)
        to->threads = from->threads;
    to->calls += from->calls;
    to->total_ns += from->total_ns;
    to->nested += from->nested;
    to->tasks += from->tasks;
    to->measured += from->measured;
    to->joined += from->joined;
    to->work_ns += from->work_ns;
    to->imbalance_ns += from->imbalance_ns;
    to->longest_ns += from->longest_ns;
    to->mean_ns += from->mean_ns;
    to->fork_ns += from->fork_ns;
    to->join_ns += from->join_ns;
    for (size_t i = 0; i < PINSIGHT_OMP_WAIT_COUNT; i++)
        to->wait_ns[i] += from->wait_ns[i];
    if (from->thread_work_count > to->thread_work_count) {
        to->thread_work_ns = pinsight_realloc(to->thread_work_ns, from->thread_work_count,
                                              sizeof(*to->thread_work_ns));
        memset(to->thread_work_ns + to->thread_work_count, 0,
               (from->thread_work_count - to->thread_work_count) * sizeof(*to->thread_work_ns));
        to->thread_work_count = from->thread_work_count;
    }
    for (uint32_t i = 0; i < from->thread_work_count; i++)
        to->thread_work_ns[i] += from->thread_work_ns[i];
    to->caller.calls += from->caller.calls;
    to->caller.total_ns += from->caller.total_ns;
    to->caller.work_ns += from->caller.work_ns;
    to->caller.imbalance_ns += from->caller.imbalance_ns;
    to->caller.waiting_ns += from->caller.waiting_ns;
    to->caller.runtime_ns += from->caller.runtime_ns;
}

/* Adds the counts of a region. Each process adds its largest count. */
static void add_counts(const struct pinsight_openmp *openmp,
                       const struct pinsight_omp_region *region, struct pinsight_omp_row *row) {
    struct pinsight_map largest = {0}, threads = {0};

    for (uint32_t at = region->last_count; at; at = openmp->counts[at - 1].before) {
        const struct pinsight_omp_count *count = &openmp->counts[at - 1];
        uint32_t other, n;

        other = pinsight_map_get(&largest, count->process, 0, 0);
        n = pinsight_map_get(&threads, count->process, 0, 0);
        n = n == PINSIGHT_MAP_NONE ? 1 : n + 1;
        pinsight_map_set(&threads, count->process, 0, 0, n);
        if (n > row->counted_threads)
            row->counted_threads = n;
        if (other == PINSIGHT_MAP_NONE ||
            openmp->counts[other].counted.total_ns < count->counted.total_ns)
            pinsight_map_set(&largest, count->process, 0, 0, at - 1);
    }
    for (uint32_t i = 0; largest.entries && i <= largest.mask; i++) {
        if (largest.entries[i].value == PINSIGHT_MAP_NONE)
            continue;
        pinsight_monitored_add(&row->counted, &openmp->counts[largest.entries[i].value].counted);
    }
    pinsight_map_clear(&largest);
    pinsight_map_clear(&threads);
}

static void name_row(const struct pinsight_report *report, struct pinsight_native_lines *lines,
                     struct pinsight_omp_row *row, uint32_t native) {
    const struct pinsight_native_place *entry;
    const char *symbol;

    row->object = row->symbol = "";
    if (native == PINSIGHT_NONE) {
        row->name = pinsight_strdup("(not known)");
        return;
    }
    entry = &report->model->natives[native];
    row->object = pinsight_report_string(report, entry->object);
    row->symbol = pinsight_report_string(report, entry->symbol);
    row->offset = entry->offset;
    if (entry->known && row->object[0]) {
        symbol = pinsight_native_line(lines, row->object, entry->offset, row->symbol, &row->source,
                                      &row->source_line);
        if (symbol)
            row->symbol = symbol;
    }
    if (row->symbol[0])
        row->name = pinsight_strdup(row->symbol);
    else if (row->object[0])
        row->name = pinsight_format("%s+0x%" PRIx64, pinsight_text_file(row->object), row->offset);
    else if (entry->address)
        row->name = pinsight_format("0x%" PRIx64, entry->address);
    else
        row->name = pinsight_strdup("(not known)");
}

static struct pinsight_omp_row *make_rows(const struct pinsight_report *report,
                                          struct pinsight_omp_view *view,
                                          struct pinsight_omp_keys *keys, bool by_path,
                                          size_t *count) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_openmp *openmp = pinsight_model_openmp(model);
    struct pinsight_omp_row *rows = pinsight_calloc(openmp->region_count + 1, sizeof(*rows));
    struct pinsight_map map = {0};

    for (size_t i = 0; i < openmp->region_count; i++) {
        const struct pinsight_omp_region *region = &openmp->regions[i];
        uint32_t users = pinsight_path_users_line(model, region->path);
        uint32_t native = pinsight_omp_native_key(keys, region->native), key, row;

        if (!region->calls && !region->last_count)
            continue;
        /* A frame alone is a key, too, without its callers, which may differ. */
        key = by_path ? pinsight_omp_path_key(keys, region->path)
              : users == PINSIGHT_NONE
                  ? PINSIGHT_NONE
                  : pinsight_omp_key(&keys->paths, PINSIGHT_NONE - 1,
                                     pinsight_omp_function_key(keys, model->paths[users].function),
                                     (uint32_t)model->paths[users].line, &keys->path_count);
        row = pinsight_map_number(&map, native, key, region->kind, (*count));
        if (row == (*count)) {
            (*count)++;
            rows[row].path = region->path;
            rows[row].users = users;
            rows[row].sums.kind = region->kind;
            name_row(report, view->lines, &rows[row], region->native);
        }
        add_sums(&rows[row].sums, region);
        add_counts(openmp, region, &rows[row]);
    }
    pinsight_map_clear(&map);
    return rows;
}

ORDER(by_total, struct pinsight_omp_row,
      BY(b->sums.total_ns + b->counted.total_ns, a->sums.total_ns + a->counted.total_ns)
        ?: strcmp(a->name, b->name) ?: BY(a->path, b->path))

struct pinsight_omp_view *pinsight_omp_view_make(const struct pinsight_report *report) {
    struct pinsight_omp_view *view = pinsight_calloc(1, sizeof(*view));
    struct pinsight_omp_keys keys = {.model = report->model};

    if (!pinsight_model_openmp(report->model))
        return view;
    view->lines = pinsight_native_lines_new(report->model->last_ns);
    view->regions = make_rows(report, view, &keys, true, &view->region_count);
    view->places = make_rows(report, view, &keys, false, &view->place_count);
    pinsight_omp_functions_make(report, view, &keys);
    PINSIGHT_SORT(view->regions, view->region_count, by_total);
    PINSIGHT_SORT(view->places, view->place_count, by_total);
    pinsight_omp_keys_clear(&keys);
    return view;
}

static void free_rows(struct pinsight_omp_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(rows[i].name);
        free(rows[i].sums.thread_work_ns);
    }
    free(rows);
}

void pinsight_omp_view_free(struct pinsight_omp_view *view) {
    if (!view)
        return;
    free_rows(view->regions, view->region_count);
    free_rows(view->places, view->place_count);
    free(view->functions);
    pinsight_native_lines_free(view->lines);
    free(view);
}
