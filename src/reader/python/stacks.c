/* Call stacks: the work that few frames need. frames.h has the rest. */
#include "reader/python/frames.h"
#include "reader/python/garbage.h"
#include "reader/python/imports.h"

/* With more nodes than this, the call tree counts deeper calls in their caller. */
#define MAX_NODES (1u << 18)

/* Returns the number that the tree has for a function, or for a call site. */
static uint32_t callee_of(const struct pinsight_model *model, enum pinsight_kind kind,
                          uint32_t id) {
    return kind == PINSIGHT_FUNCTION ? id : model->sites[id].callee;
}

/* Returns the node of a function or callee below another node. Makes it if there is none. Returns
 * PINSIGHT_MAP_NONE if there are too many. */
static uint32_t make_node(struct pinsight_model *model, uint32_t parent, enum pinsight_kind kind,
                          uint32_t id) {
    uint32_t node = pinsight_map_get(&model->node_map, parent, id, kind);

    if (node != PINSIGHT_MAP_NONE || model->node_count >= MAX_NODES)
        return node;
    model->nodes = pinsight_grow(model->nodes, model->node_count, &model->node_capacity,
                                 sizeof(*model->nodes));
    node = (uint32_t)model->node_count++;
    model->nodes[node] = (struct pinsight_node){.parent = parent, .kind = kind, .id = id};
    pinsight_map_set(&model->node_map, parent, id, kind, node);
    return node;
}

bool pinsight_stacks_has_node(const struct pinsight_thread *thread, enum pinsight_kind kind,
                              uint32_t id) {
    const struct pinsight_slice *outer = pinsight_chain_top(thread, READER_PYTHON);
    const struct pinsight_model *model = thread->process->model;

    return pinsight_map_get(&model->node_map, outer ? outer->node : PINSIGHT_NONE,
                            callee_of(model, kind, id), kind) != PINSIGHT_MAP_NONE;
}

bool pinsight_stacks_has_group(const struct pinsight_thread *thread, enum pinsight_kind kind,
                               uint32_t id) {
    const struct pinsight_model *model = thread->process->model;
    uint32_t function = kind == PINSIGHT_FUNCTION ? id : model->sites[id].caller;

    if (kind == PINSIGHT_C_CALL && model->options.group_by == PINSIGHT_BY_MODULE)
        return model->callees[model->sites[id].callee].group != PINSIGHT_NONE;
    return function != PINSIGHT_NONE && model->functions[function].group != PINSIGHT_NONE;
}

void pinsight_stacks_place_in_tree(struct pinsight_thread *thread, struct pinsight_slice *frame) {
    struct pinsight_model *model = thread->process->model;
    const struct pinsight_slice *outer = pinsight_chain_outer(thread, frame);
    uint32_t parent = outer ? outer->node : PINSIGHT_NONE;
    enum pinsight_kind kind = frames_kind(frame);
    uint32_t node = make_node(model, parent, kind, callee_of(model, kind, frame->id));

    if (node == PINSIGHT_MAP_NONE) {
        frame->node = parent;
        frame->folded = true;
        model->folded_nodes++;
        return;
    }
    frame->node = node;
    if (frame->how == PINSIGHT_HOW_START)
        model->nodes[node].calls++;
}

void pinsight_stacks_count_group(struct pinsight_thread *thread, struct pinsight_slice *frame) {
    struct pinsight_model *model = thread->process->model;
    bool function = frames_kind(frame) == PINSIGHT_FUNCTION;
    bool call = frame->how == PINSIGHT_HOW_START;

    frame->group = function ? pinsight_names_function_group(model, frame->id)
                            : pinsight_names_site_group(model, frame->id);
    (*frames_active(thread, ACTIVE_GROUP, frame->group))++;
    if (function)
        model->groups[frame->group].calls += call;
    else
        model->groups[frame->group].c_calls += call;
}

void pinsight_stacks_add_group(struct pinsight_thread *thread, const struct pinsight_slice *frame,
                               const struct pinsight_frame_times *times) {
    struct pinsight_group *group = &thread->process->model->groups[frame->group];

    group->self_ns[frames_kind(frame)] += times->self_ns;
    if (--thread->active[ACTIVE_GROUP][frame->group] == 0)
        group->total_ns += times->total_ns;
}

void pinsight_stacks_add_node(struct pinsight_model *model, const struct pinsight_slice *frame,
                              const struct pinsight_frame_times *times) {
    model->nodes[frame->node].self_ns += times->self_ns;
    model->nodes[frame->node].away_ns += times->away_ns;
    if (!frame->folded)
        model->nodes[frame->node].total_ns += times->total_ns;
}

void pinsight_stacks_stand_apart(struct pinsight_thread *thread,
                                 const struct pinsight_slice *ended) {
    struct pinsight_slice *within = pinsight_chain_top(thread, READER_PYTHON);

    if (within) {
        within->like_ns += ended->self_ns;
        within->like_away_ns += ended->self_away_ns;
    }
}

uint32_t pinsight_stacks_counted_node(struct pinsight_model *model, uint32_t parent,
                                      enum pinsight_kind kind, uint32_t id,
                                      const struct pinsight_monitored *counted) {
    uint32_t node = make_node(model, parent, kind, id);

    if (node == PINSIGHT_MAP_NONE) {
        model->folded_nodes += counted->calls;
        if (parent != PINSIGHT_NONE)
            model->nodes[parent].self_ns += counted->self_ns;
        return parent;
    }
    model->nodes[node].calls += counted->calls;
    model->nodes[node].total_ns += counted->total_ns;
    model->nodes[node].self_ns += counted->self_ns;
    return node;
}

uint64_t pinsight_stacks_time(struct pinsight_thread *thread, uint64_t ns) {
    return frames_time(thread, ns);
}

uint64_t pinsight_stacks_end_time(struct pinsight_thread *thread, unsigned how, uint64_t ns) {
    if (how == PINSIGHT_HOW_LOST)
        thread->process->lost_frames++;
    return frames_time(thread, ns);
}

void pinsight_model_begin(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                          unsigned how, uint64_t ns) {
    frames_begin(thread, kind, id, how, 0, ns);
}

void pinsight_model_called(struct pinsight_thread *thread, uint32_t function, unsigned how,
                           int32_t line, uint64_t ns) {
    frames_begin(thread, PINSIGHT_FUNCTION, function, how, line, ns);
}

/* Removes the top frame, whose end is missing. The inner slices of the frame end with it. */
static void pop(struct pinsight_thread *thread, uint64_t ns) {
    const struct pinsight_chain *own = &thread->track->chains[READER_PYTHON];

    if (!pinsight_chain_top(thread, READER_PYTHON)->cut)
        pinsight_track_cut(thread->track, own->top, pinsight_track_time(thread->track, ns));
    frames_pop(thread->process->model, thread,
               frames_kind(pinsight_chain_top(thread, READER_PYTHON)), PINSIGHT_HOW_LOST, ns);
}

bool pinsight_stacks_make_top(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                              uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    int which = kind == PINSIGHT_FUNCTION ? ACTIVE_FUNCTION : ACTIVE_SITE;

    if (id >= thread->active_count[which] || !thread->active[which][id]) {
        model->unmatched_ends++;
        model->ends_of_nothing += thread->depth == 0;
        return false;
    }
    do {
        model->unmatched_begins++;
        pop(thread, ns);
    } while (!frames_is_top(thread, kind, id));
    return true;
}

void pinsight_model_end(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                        unsigned how, uint64_t ns) {
    frames_end(thread, kind, id, how, ns);
}

const struct pinsight_slice *pinsight_model_top_frame(const struct pinsight_thread *thread) {
    return frames_top(thread);
}

uint32_t pinsight_model_top_function(const struct pinsight_thread *thread) {
    return frames_top_function(thread);
}

void pinsight_stacks_set_generator(struct pinsight_thread *thread, uint32_t function,
                                   uint32_t number) {
    if (frames_is_top(thread, PINSIGHT_FUNCTION, function))
        pinsight_chain_top(thread, READER_PYTHON)->generator = number;
}

uint64_t pinsight_stacks_close(struct pinsight_thread *thread, uint64_t ns) {
    uint64_t closed =
        thread->depth + pinsight_imports_close(thread, ns) + pinsight_garbage_close(thread, ns);

    if (thread->depth && ns > thread->last_ns)
        thread->last_ns = ns;
    while (thread->depth)
        pop(thread, thread->last_ns);
    return closed;
}

/* Moves an open frame from one number to another. */
static void move_active(struct pinsight_thread *thread, int which, uint32_t from, uint32_t to) {
    (*frames_active(thread, which, from))--;
    (*frames_active(thread, which, to))++;
}

void pinsight_stacks_translate(struct pinsight_thread *thread, const struct pinsight_map *functions,
                               const struct pinsight_map *sites) {
    const struct pinsight_model *model = thread->process->model;

    for (struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON); frame;
         frame = pinsight_chain_outer(thread, frame)) {
        bool function = frames_kind(frame) == PINSIGHT_FUNCTION;
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
