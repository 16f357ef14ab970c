/* Counted executions within traced ones: the time of the counted ones is taken off the traced ones.
 * See core/counted.h. */
#include "base/memory.h"
#include "reader/core/counted.h"
#include "reader/python/names.h"

#include <stdlib.h>

#define NONE PINSIGHT_NONE

/* Returns whether a path is a traced function or callable that counts nothing itself. */
static bool is_traced(const struct pinsight_counted *path) {
    return pinsight_counted_is_python(path) && path->calls == 0 && path->inclusive_ns == 0;
}

static uint32_t group_of(struct pinsight_model *model, const struct pinsight_counted *path) {
    return path->kind == PINSIGHT_FUNCTION ? pinsight_names_function_group(model, path->id)
                                           : pinsight_names_site_group(model, path->site);
}

/* Takes a time off, as far as there is that much. */
static void take(uint64_t *from, uint64_t ns) {
    *from = pinsight_time_rest(*from, ns);
}

static void take_off(struct pinsight_stats *stats, uint64_t ns) {
    take(&stats->self_ns, ns);
    stats->openmp_ns = pinsight_least(stats->openmp_ns, stats->self_ns);
    stats->away_ns = pinsight_least(stats->away_ns, stats->self_ns);
    stats->ready_ns = pinsight_least(stats->ready_ns, stats->away_ns);
}

static void take_off_path(struct pinsight_model *model, const struct pinsight_counted *path,
                          uint64_t ns) {
    const uint32_t group = group_of(model, path);

    if (path->kind == PINSIGHT_FUNCTION) {
        take_off(&model->functions[path->id].stats, ns);
    } else {
        take_off(&model->callees[path->id].stats, ns);
        take_off(&model->sites[path->site].stats, ns);
    }
    if (group != NONE)
        take(&model->groups[group].self_ns[path->kind], ns);
    take(&path->thread->self_ns[path->kind], ns);
    take(&path->thread->busy_ns, ns);
    model->counted_within_ns[path->kind] += ns;
}

void pinsight_counted_take_off(struct pinsight_model *model) {
    /* By path: the innermost traced path around it, or itself. */
    uint32_t *around = pinsight_calloc(model->counted_count + 1, sizeof(*around));

    for (size_t i = 0; i < model->counted_count; i++) {
        const struct pinsight_counted *path = &model->counted[i];
        uint32_t group;

        if (!pinsight_counted_is_python(path)) {
            around[i] = NONE;
            continue;
        }
        around[i] = is_traced(path)        ? (uint32_t)i
                    : path->parent == NONE ? NONE
                                           : around[path->parent];
        if (is_traced(path) && path->own_ns < 0) {
            take_off_path(model, path, (uint64_t)-path->own_ns);
        } else if (around[i] != NONE && (group = group_of(model, path)) != NONE &&
                   group == group_of(model, &model->counted[around[i]])) {
            take(&model->groups[group].total_ns, path->self_ns); /* part of the traced total */
        }
    }
    free(around);
}
