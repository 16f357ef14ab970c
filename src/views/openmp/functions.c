/* Makes the rows of Python functions with the regions that they caused. */
#include "views/openmp/keys.h"
#include "views/report/attribution.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/kit/paths.h"

#include <stdlib.h>
#include <string.h>

/* Returns the row of a function, and makes it if it is new. */
static struct pinsight_omp_function *function_row(struct pinsight_omp_view *view,
                                                  struct pinsight_omp_keys *keys,
                                                  struct pinsight_map *map, uint32_t function) {
    const struct pinsight_model *model = keys->model;
    uint32_t row = pinsight_map_get(map, pinsight_omp_function_key(keys, function), 0, 0);
    struct pinsight_omp_function *entry;

    if (row != PINSIGHT_MAP_NONE)
        return &view->functions[row];
    row = (uint32_t)view->function_count++;
    pinsight_map_set(map, pinsight_omp_function_key(keys, function), 0, 0, row);
    entry = &view->functions[row];
    if (function == PINSIGHT_NONE)
        return entry;
    entry->name = pinsight_function_name(model, function);
    entry->file = pinsight_strings_text(&model->strings, model->functions[function].file);
    entry->line = model->functions[function].line;
    return entry;
}

void pinsight_omp_add_caller(struct pinsight_omp_caller *to,
                             const struct pinsight_omp_caller *from) {
    to->calls += from->calls;
    to->total_ns += from->total_ns;
    to->work_ns += from->work_ns;
    to->imbalance_ns += from->imbalance_ns;
    to->waiting_ns += from->waiting_ns;
    to->runtime_ns += from->runtime_ns;
}

struct pinsight_omp_caller pinsight_omp_all(const struct pinsight_report *report) {
    struct pinsight_omp_caller all = {0};

    for (size_t i = 0; i < report->openmp->function_count; i++)
        pinsight_omp_add_caller(&all, &report->openmp->functions[i].regions);
    return all;
}

static void make_functions(const struct pinsight_report *report, struct pinsight_omp_view *view,
                           struct pinsight_omp_keys *keys) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_openmp *openmp = pinsight_model_openmp(model);
    struct pinsight_map map = {0};

    view->functions =
        pinsight_calloc(model->function_count + openmp->region_count + 1, sizeof(*view->functions));
    for (size_t i = 0; i < model->function_count; i++) {
        const struct pinsight_stats *stats = &model->functions[i].stats;

        if (stats->slices)
            function_row(view, keys, &map, (uint32_t)i)->python_ns +=
                pinsight_time_rest(stats->self_ns, stats->openmp_ns);
    }
    for (size_t i = 0; i < model->site_count; i++) {
        const struct pinsight_stats *stats = &model->sites[i].stats;

        if (stats->slices)
            function_row(view, keys, &map, model->sites[i].caller)->c_ns +=
                pinsight_time_rest(stats->self_ns, stats->openmp_ns);
    }
    for (size_t i = 0; i < openmp->region_count; i++) {
        const struct pinsight_omp_region *region = &openmp->regions[i];
        uint32_t users = pinsight_path_users_line(model, region->path);

        if (!region->caller.calls)
            continue;
        pinsight_omp_add_caller(
            &function_row(view, keys, &map,
                          users == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[users].function)
                 ->regions,
            &region->caller);
        view->regions_ns += region->caller.total_ns;
    }
    for (size_t i = 0; i < view->function_count; i++)
        view->recorded_ns += view->functions[i].python_ns + view->functions[i].c_ns +
                             view->functions[i].regions.total_ns;
    pinsight_map_clear(&map);
}

uint64_t pinsight_omp_others(const struct pinsight_report *report) {
    uint64_t recorded = report->attribution->recorded_ns;

    return recorded > report->openmp->recorded_ns ? recorded - report->openmp->recorded_ns : 0;
}

static uint64_t all_of(const struct pinsight_omp_function *row) {
    return row->python_ns + row->c_ns + row->regions.total_ns;
}

ORDER(by_all, struct pinsight_omp_function,
      BY(all_of(b), all_of(a)) ?: strcmp(a->name ? a->name : "", b->name ? b->name : ""))

void pinsight_omp_functions_make(const struct pinsight_report *report,
                                 struct pinsight_omp_view *view, struct pinsight_omp_keys *keys) {
    make_functions(report, view, keys);
    PINSIGHT_SORT(view->functions, view->function_count, by_all);
}
