/* Moves orphans to their processes. The orphan may have known functions and callees only by
 * numbers. The counts of these move to the functions and callees of the process. */
#include "reader/adopt.h"

#include "reader/core/counted.h"
#include "reader/python/names.h"
#include "reader/python/stacks.h"
#include "reader/stack.h"

#include <stdlib.h>

/* From the orphan's own numbers of functions, callees and sites to those that remain. */
struct translation {
    struct pinsight_map functions, callees, sites;
};

static uint32_t translate(const struct pinsight_map *map, uint32_t id) {
    uint32_t found = id == PINSIGHT_NONE ? PINSIGHT_MAP_NONE : pinsight_map_get(map, id, 0, 0);

    return found == PINSIGHT_MAP_NONE ? id : found;
}

/* Adds the statistics of `from` to those of `to` and clears `from`. */
static void move_stats(struct pinsight_stats *from, struct pinsight_stats *to) {
    pinsight_stats_add(to, from);
    *from = (struct pinsight_stats){0};
}

static void move_histogram(struct pinsight_histogram **from, struct pinsight_histogram **to) {
    pinsight_histogram_merge(to, *from);
    pinsight_histogram_free(*from);
    *from = NULL;
}

/* Adds the orphan's numbers to those of the process. Notes the numbers that both have. */
static void join_numbers(const struct pinsight_numbers *from, struct pinsight_numbers *to,
                         struct pinsight_map *both) {
    for (uint32_t i = 0; from->map.entries && i <= from->map.mask; i++) {
        const struct pinsight_map_entry *entry = &from->map.entries[i];
        uint32_t there;

        if (entry->value == PINSIGHT_MAP_NONE)
            continue;
        there = pinsight_numbers_get(to, entry->a);
        if (there == PINSIGHT_MAP_NONE)
            pinsight_numbers_set(to, entry->a, entry->value);
        else if (there != entry->value)
            pinsight_map_set(both, entry->value, 0, 0, there);
    }
}

static void move_sites(struct pinsight_model *model, struct translation *translation) {
    size_t count = model->site_count;

    for (uint32_t i = 0; i < count; i++) {
        struct pinsight_site site = model->sites[i];
        uint32_t callee = translate(&translation->callees, site.callee);
        uint32_t caller = translate(&translation->functions, site.caller);
        uint32_t moved;

        if (callee == site.callee && caller == site.caller)
            continue;
        moved = pinsight_names_site(model, callee, caller, site.line);
        move_stats(&model->sites[i].stats, &model->sites[moved].stats);
        move_histogram(&model->sites[i].histogram, &model->sites[moved].histogram);
        pinsight_map_set(&translation->sites, i, 0, 0, moved);
    }
}

static void move_counts(struct pinsight_model *model, struct translation *translation) {
    for (uint32_t i = 0; i < model->function_count; i++) {
        uint32_t to = translate(&translation->functions, i);

        if (to == i)
            continue;
        move_stats(&model->functions[i].stats, &model->functions[to].stats);
        move_histogram(&model->functions[i].histogram, &model->functions[to].histogram);
    }
    for (uint32_t i = 0; i < model->callee_count; i++) {
        uint32_t to = translate(&translation->callees, i);

        if (to != i)
            move_stats(&model->callees[i].stats, &model->callees[to].stats);
    }
    for (size_t i = 0; i < model->node_count; i++) {
        struct pinsight_node *node = &model->nodes[i];

        node->id = translate(node->kind == PINSIGHT_FUNCTION ? &translation->functions
                                                             : &translation->callees,
                             node->id);
    }
}

/* Moves the times of the orphan's process to its new one. */
static void move_times(struct pinsight_process *from, struct pinsight_process *to) {
    if (from->events) {
        if (!to->events || from->first_ns < to->first_ns)
            to->first_ns = from->first_ns;
        if (from->last_ns > to->last_ns)
            to->last_ns = from->last_ns;
        to->events += from->events;
    }
    to->lost_frames += from->lost_frames;
    from->events = from->lost_frames = 0;
}

bool pinsight_adopt(struct pinsight_process *process, int64_t number,
                    struct pinsight_thread *orphan) {
    struct pinsight_model *model = process->model;
    struct pinsight_process *alone = orphan->process;
    struct pinsight_thread *there = pinsight_model_thread(process, number, orphan->tid);
    struct translation translation = {{0}, {0}, {0}};
    bool taken = there->last_ns || there->counted[0].calls || there->counted[1].calls ||
                 pinsight_thread_has_state(there) || pinsight_stack_has_frames(there);

    for (size_t i = 0; there->track && i < READER_DOMAINS; i++)
        taken |= reader_domains[i]->keeps_tracks && reader_domains[i]->keeps_tracks(process);
    if (taken)
        return false;
    join_numbers(&alone->codes, &process->codes, &translation.functions);
    join_numbers(&alone->callees, &process->callees, &translation.callees);
    move_sites(model, &translation);
    pinsight_stacks_translate(orphan, &translation.functions, &translation.sites);
    move_counts(model, &translation);
    move_times(alone, process);
    PINSIGHT_MAPS_CLEAR(&translation.functions, &translation.callees, &translation.sites);

    orphan->process = process;
    orphan->number = number;
    orphan->name = there->name;
    orphan->os_threads = there->os_threads ? there->os_threads : 1;
    orphan->selected = pinsight_model_selects(process, number, orphan->tid);
    for (size_t i = 0; i < process->thread_count; i++)
        if (process->thread_list[i] == there)
            process->thread_list[i] = orphan;
    pinsight_counted_move(model, there, orphan);
    pinsight_model_unbind(model, there);
    pinsight_thread_free(there);
    pinsight_model_forget_recent(model);
    process->last_thread = NULL;
    alone->last_thread = NULL;
    alone->thread_count = 0;
    model->adopted_count++;
    return true;
}
