/* Sums of regions and marks; see marked_sums.h. */
#include "reader/core/marked_sums.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/core/counted.h"
#include "reader/lookup.h"
#include "reader/model.h"

#include <stdlib.h>
#include <string.h>

/* The most open regions of a thread that are kept. A program that never ends its regions has
 * more. */
enum { MOST_OPEN = 4096 };

struct pinsight_open_region {
    uint32_t name;
    uint64_t ns;
};

/* The open regions of a thread, outermost first. */
struct pinsight_open_regions {
    const struct pinsight_process *process;
    struct pinsight_open_region *open;
    size_t count, capacity;
};

static struct pinsight_marked *row_of(struct pinsight_model *model, uint32_t kind, uint32_t name) {
    struct pinsight_marked_sums *all = &model->marked;

    return PINSIGHT_KEYED(&all->map, kind, name, 0, all->rows, all->count, all->capacity,
                          .name = name, .kind = kind);
}

static void took(struct pinsight_marked *row, uint64_t ns, bool nested) {
    row->recorded++;
    row->total_ns += nested ? 0 : ns;
    if (row->max_ns < ns)
        row->max_ns = ns;
}

/* A thread's address is its key, because its numbers may change while the trace is read. */
static struct pinsight_open_regions *regions_of(const struct pinsight_thread *thread) {
    struct pinsight_marked_sums *all = &thread->process->model->marked;
    uint64_t key = (uintptr_t)thread;

    return PINSIGHT_KEYED(&all->thread_map, (uint32_t)key, (uint32_t)(key >> 32), 0, all->threads,
                          all->thread_count, all->thread_capacity, .process = thread->process);
}

static void take_out(struct pinsight_open_regions *regions, size_t at) {
    regions->count--;
    memmove(&regions->open[at], &regions->open[at + 1],
            (regions->count - at) * sizeof(*regions->open));
}

/* Returns the index of the innermost open region of a name plus one, below an index; 0 if there is
 * none. */
static size_t innermost(const struct pinsight_open_regions *regions, size_t below, uint32_t name) {
    while (below > 0 && regions->open[below - 1].name != name)
        below--;
    return below;
}

void pinsight_marked_sums_begin(struct pinsight_thread *thread, uint32_t name, uint64_t ns) {
    struct pinsight_open_regions *regions;

    if (!thread->selected || thread->process->model->options.names_only)
        return;
    regions = regions_of(thread);
    if (regions->count == MOST_OPEN)
        take_out(regions, 0);
    *PINSIGHT_ADD(regions->open, regions->count, regions->capacity) =
        (struct pinsight_open_region){.name = name, .ns = ns};
}

static void end_at(struct pinsight_open_regions *regions, size_t at, uint64_t ns) {
    const struct pinsight_open_region region = regions->open[at];

    took(row_of(regions->process->model, PINSIGHT_MARKED_REGION, region.name),
         ns > region.ns ? ns - region.ns : 0, innermost(regions, at, region.name) > 0);
    take_out(regions, at);
}

void pinsight_marked_sums_end(struct pinsight_thread *thread, uint32_t name, uint64_t ns) {
    struct pinsight_open_regions *regions;
    size_t at;

    if (!thread->selected || thread->process->model->options.names_only)
        return;
    regions = regions_of(thread);
    at = innermost(regions, regions->count, name);
    if (at)
        end_at(regions, at - 1, ns);
}

void pinsight_marked_sums_moment(struct pinsight_model *model, enum pinsight_marked_kind kind,
                                 uint32_t name) {
    if (!model->options.names_only)
        row_of(model, kind, name)->recorded++;
}

void pinsight_marked_sums_range(struct pinsight_model *model, uint32_t name, uint64_t ns) {
    if (!model->options.names_only)
        took(row_of(model, PINSIGHT_MARKED_REGION, name), ns, false);
}

static uint32_t kind_named(const char *word) {
    return !strcmp(word, "mark")    ? PINSIGHT_MARKED_MARK
           : !strcmp(word, "value") ? PINSIGHT_MARKED_VALUE
                                    : PINSIGHT_MARKED_REGION;
}

void pinsight_marked_sums_profile(struct pinsight_thread *thread,
                                  const struct pinsight_event *event,
                                  const struct pinsight_monitored *counted) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_marked_sums *all = &model->marked;
    struct pinsight_marked *row;

    if (!thread->selected || model->options.names_only)
        return;
    row = row_of(model,
                 kind_named(pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_FILENAME)),
                 pinsight_lookup_text(model, event, PINSIGHT_CORE_LEXGION_PROFILE_NAME));
    row->counted += counted->calls;
    row->total_ns += counted->total_ns;
    pinsight_map_set(&all->lexgion_map, thread->process->index,
                     (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LEXGION),
                     0, (uint32_t)(row - all->rows));
}

void pinsight_marked_sums_outside(struct pinsight_model *model,
                                  const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_LEXGION_OUTSIDE_PID);
    struct pinsight_marked_sums *all = &model->marked;
    uint64_t now =
        (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_OUTSIDE_EXECUTIONS);
    uint64_t *before;

    pinsight_model_touch(process, event->ns);
    if (!process->selected || model->options.names_only)
        return;
    before = PINSIGHT_KEYED(
        &all->outside_map, process->index,
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_OUTSIDE_LEXGION), 0,
        all->outside, all->outside_count, all->outside_capacity, 0);
    row_of(model, kind_named(pinsight_event_text(event, PINSIGHT_CORE_LEXGION_OUTSIDE_FILENAME)),
           pinsight_lookup_text(model, event, PINSIGHT_CORE_LEXGION_OUTSIDE_NAME))
        ->outside += now > *before ? now - *before : 0;
    *before = now;
}

/* Adds the longest counted executions, which only the counts by path have. */
static void add_longest(struct pinsight_model *model) {
    for (size_t i = 0; i < model->counted_count; i++) {
        const struct pinsight_counted *path = &model->counted[i];
        uint32_t at = path->domain == READER_CORE
                          ? pinsight_map_get(&model->marked.lexgion_map,
                                             path->thread->process->index, path->lexgion, 0)
                          : PINSIGHT_MAP_NONE;

        if (at != PINSIGHT_MAP_NONE && model->marked.rows[at].max_ns < path->max_ns)
            model->marked.rows[at].max_ns = path->max_ns;
    }
}

ORDER(longest_first, struct pinsight_marked,
      BY(b->total_ns, a->total_ns) ?: BY(b->recorded + b->counted + b->outside,
                                         a->recorded + a->counted + a->outside)
          ?: BY(a->name, b->name) ?: BY(a->kind, b->kind))

void pinsight_marked_sums_finish(struct pinsight_model *model) {
    struct pinsight_marked_sums *all = &model->marked;

    for (size_t i = 0; i < all->thread_count; i++)
        while (all->threads[i].count)
            end_at(&all->threads[i], all->threads[i].count - 1, all->threads[i].process->last_ns);
    add_longest(model);
    PINSIGHT_SORT(all->rows, all->count, longest_first);
}

void pinsight_marked_sums_free(struct pinsight_model *model) {
    struct pinsight_marked_sums *all = &model->marked;

    for (size_t i = 0; i < all->thread_count; i++)
        free(all->threads[i].open);
    PINSIGHT_MAPS_CLEAR(&all->map, &all->thread_map, &all->outside_map, &all->lexgion_map);
    PINSIGHT_FREE(all->rows, all->threads, all->outside);
}
