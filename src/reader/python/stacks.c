/* Call stacks, and the times that follow from them.
 *
 * A thread's stack holds what has begun and not ended. For each function, call site, callee and
 * group a thread keeps how many of its frames are open: a frame adds to a total only when it is the
 * last open one of its kind, so that recursion, direct or mutual, counts once. */
#include "reader/python/stacks.h"
#include "base/memory.h"
#include "reader/model.h"
#include "reader/python/imports.h"
#include "reader/python/names.h"
#include "reader/stack.h"

#include <stdlib.h>
#include <string.h>

/* Past this many nodes the call tree counts deeper calls with their caller. */
#define MAX_NODES (1u << 18)

enum { ACTIVE_FUNCTION, ACTIVE_SITE, ACTIVE_CALLEE, ACTIVE_GROUP };

/* The count of open frames of one number; the array grows to hold it. */
static uint32_t *active(struct pinsight_thread *thread, int which, uint32_t id) {
    thread->active[which] = pinsight_reach(thread->active[which], id, &thread->active_count[which],
                                           sizeof(*thread->active[which]));
    return &thread->active[which][id];
}

static enum pinsight_kind kind_of(const struct pinsight_slice *frame) {
    return frame->kind == PINSIGHT_SLICE_FUNCTION ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL;
}

static void place_in_tree(struct pinsight_model *model, struct pinsight_thread *thread,
                          struct pinsight_slice *frame) {
    const struct pinsight_slice *outer = pinsight_chain_outer(thread, frame);
    uint32_t parent = outer ? outer->node : PINSIGHT_NONE;
    enum pinsight_kind kind = kind_of(frame);
    uint32_t id = kind == PINSIGHT_FUNCTION ? frame->id : model->sites[frame->id].callee;
    uint32_t node = pinsight_map_get(&model->node_map, parent, id, kind);

    if (node == PINSIGHT_MAP_NONE) {
        if (model->node_count >= MAX_NODES) {
            frame->node = parent;
            frame->folded = true;
            model->folded_nodes++;
            return;
        }
        model->nodes = pinsight_grow(model->nodes, model->node_count, &model->node_capacity,
                                     sizeof(*model->nodes));
        node = (uint32_t)model->node_count++;
        model->nodes[node] = (struct pinsight_node){.parent = parent, .kind = kind, .id = id};
        pinsight_map_set(&model->node_map, parent, id, kind, node);
    }
    frame->node = node;
    if (frame->how == PINSIGHT_HOW_START)
        model->nodes[node].calls++;
}

static void count_begin(struct pinsight_model *model, struct pinsight_thread *thread,
                        struct pinsight_slice *frame) {
    bool call = frame->how == PINSIGHT_HOW_START;
    enum pinsight_kind kind = kind_of(frame);

    if (kind == PINSIGHT_FUNCTION) {
        model->functions[frame->id].stats.calls += call;
        (*active(thread, ACTIVE_FUNCTION, frame->id))++;
    } else {
        struct pinsight_site *site = &model->sites[frame->id];

        site->stats.calls += call;
        model->callees[site->callee].stats.calls += call;
        (*active(thread, ACTIVE_SITE, frame->id))++;
        (*active(thread, ACTIVE_CALLEE, site->callee))++;
    }
    thread->calls[kind] += call;
    if (model->options.group_by == PINSIGHT_BY_NOTHING)
        return;
    frame->group = kind == PINSIGHT_FUNCTION ? pinsight_names_function_group(model, frame->id)
                                             : pinsight_names_site_group(model, frame->id);
    (*active(thread, ACTIVE_GROUP, frame->group))++;
    if (kind == PINSIGHT_FUNCTION)
        model->groups[frame->group].calls += call;
    else
        model->groups[frame->group].c_calls += call;
}

uint64_t pinsight_stacks_time(struct pinsight_thread *thread, uint64_t ns) {
    if (ns < thread->last_ns) {
        thread->process->model->late_events++;
        return thread->last_ns;
    }
    if (!thread->last_ns)
        thread->first_ns = ns;
    thread->last_ns = ns;
    return ns;
}

uint64_t pinsight_stacks_end_time(struct pinsight_thread *thread, unsigned how, uint64_t ns) {
    if (how == PINSIGHT_HOW_LOST)
        thread->process->lost_frames++;
    return pinsight_stacks_time(thread, ns);
}

void pinsight_model_begin(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                          unsigned how, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_slice *frame;

    if (!thread->selected || model->options.names_only)
        return;
    ns = pinsight_stacks_time(thread, ns);
    frame = pinsight_chain_push(
        thread, READER_PYTHON,
        kind == PINSIGHT_FUNCTION ? PINSIGHT_SLICE_FUNCTION : PINSIGHT_SLICE_C_CALL, id, ns);
    frame->how = (uint8_t)how;
    frame->node = frame->group = PINSIGHT_NONE;
    count_begin(model, thread, frame);
    if (model->options.tree)
        place_in_tree(model, thread, frame);
    if (++thread->depth > thread->max_depth)
        thread->max_depth = thread->depth;
    pinsight_stack_told(thread);
}

static void add_slice(struct pinsight_stats *stats, const struct pinsight_frame_times *times,
                      uint64_t openmp, bool outermost) {
    uint64_t time = times->total_ns;

    if (!stats->slices || time < stats->min_ns)
        stats->min_ns = time;
    if (time > stats->max_ns)
        stats->max_ns = time;
    stats->slices++;
    stats->sum_ns += time;
    stats->self_ns += times->self_ns;
    stats->openmp_ns += openmp;
    if (outermost)
        stats->total_ns += time;
}

/* Takes the top frame off a stack and adds its time to everything that it belongs to. */
static void pop(struct pinsight_model *model, struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_frame_times times;
    const struct pinsight_slice *frame = pinsight_chain_pop(thread, READER_PYTHON, ns, &times);
    enum pinsight_kind kind = kind_of(frame);
    uint64_t openmp = frame->openmp_ns < times.self_ns ? frame->openmp_ns : times.self_ns;

    if (!--thread->depth)
        thread->busy_ns += times.total_ns;
    thread->self_ns[kind] += times.self_ns;
    if (kind == PINSIGHT_FUNCTION) {
        bool outermost = --thread->active[ACTIVE_FUNCTION][frame->id] == 0;

        add_slice(&model->functions[frame->id].stats, &times, openmp, outermost);
        if (model->options.spreads)
            pinsight_spread_add(&model->functions[frame->id].spread, times.self_ns);
    } else {
        struct pinsight_site *site = &model->sites[frame->id];
        bool outermost = --thread->active[ACTIVE_SITE][frame->id] == 0;

        add_slice(&site->stats, &times, openmp, outermost);
        if (model->options.spreads)
            pinsight_spread_add(&site->spread, times.self_ns);
        outermost = --thread->active[ACTIVE_CALLEE][site->callee] == 0;
        add_slice(&model->callees[site->callee].stats, &times, openmp, outermost);
    }
    if (frame->group != PINSIGHT_NONE) {
        struct pinsight_group *group = &model->groups[frame->group];

        group->self_ns[kind] += times.self_ns;
        if (--thread->active[ACTIVE_GROUP][frame->group] == 0)
            group->total_ns += times.total_ns;
    }
    if (frame->node != PINSIGHT_NONE) {
        model->nodes[frame->node].self_ns += times.self_ns;
        if (!frame->folded)
            model->nodes[frame->node].total_ns += times.total_ns;
    }
}

/* Whether a frame of this kind and number is open in a thread: the innermost, and any. */
static bool is_top(const struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id) {
    const struct pinsight_slice *top = pinsight_chain_top(thread, READER_PYTHON);

    return top && top->id == id && kind_of(top) == kind;
}

static bool is_open(const struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id) {
    int which = kind == PINSIGHT_FUNCTION ? ACTIVE_FUNCTION : ACTIVE_SITE;

    return id < thread->active_count[which] && thread->active[which][id] > 0;
}

void pinsight_model_end(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                        unsigned how, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    if (!thread->selected || model->options.names_only)
        return;
    ns = pinsight_stacks_end_time(thread, how, ns);
    if (!is_top(thread, kind, id)) {
        if (!is_open(thread, kind, id)) {
            model->unmatched_ends++;
            model->ends_of_nothing += thread->depth == 0;
            return;
        }
        do {
            model->unmatched_begins++;
            pop(model, thread, ns);
        } while (!is_top(thread, kind, id));
    }
    pop(model, thread, ns);
}

const struct pinsight_slice *pinsight_model_top_frame(const struct pinsight_thread *thread) {
    const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON);

    while (frame && kind_of(frame) != PINSIGHT_FUNCTION)
        frame = pinsight_chain_outer(thread, frame);
    return frame;
}

uint32_t pinsight_model_top_function(const struct pinsight_thread *thread) {
    const struct pinsight_slice *frame = pinsight_model_top_frame(thread);

    return frame ? frame->id : PINSIGHT_NONE;
}

uint64_t pinsight_stacks_close(struct pinsight_thread *thread, uint64_t ns) {
    uint64_t closed = thread->depth + pinsight_imports_close(thread, ns);

    if (thread->depth && ns > thread->last_ns)
        thread->last_ns = ns;
    while (thread->depth)
        pop(thread->process->model, thread, thread->last_ns);
    return closed;
}

/* Moves one open frame from one number to another. */
static void move_active(struct pinsight_thread *thread, int which, uint32_t from, uint32_t to) {
    (*active(thread, which, from))--;
    (*active(thread, which, to))++;
}

void pinsight_stacks_translate(struct pinsight_thread *thread, const struct pinsight_map *functions,
                               const struct pinsight_map *sites) {
    const struct pinsight_model *model = thread->process->model;

    for (struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON); frame;
         frame = pinsight_chain_outer(thread, frame)) {
        bool function = kind_of(frame) == PINSIGHT_FUNCTION;
        uint32_t to = pinsight_map_get(function ? functions : sites, frame->id, 0, 0);

        if (to == PINSIGHT_MAP_NONE)
            continue;
        move_active(thread, function ? ACTIVE_FUNCTION : ACTIVE_SITE, frame->id, to);
        if (!function)
            move_active(thread, ACTIVE_CALLEE, model->sites[frame->id].callee,
                        model->sites[to].callee);
        frame->id = to;
    }
}
