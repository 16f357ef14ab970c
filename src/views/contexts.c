/*
 * Builds the tree of calling contexts; see contexts.h.
 *
 * Each track has a lane. The lane has the node of each open slice.
 */
#include "views/contexts.h"

#include "views/domain.h"

#include "base/memory.h"
#include "reader/core/counted.h"
#include "reader/kit/paths.h"
#include "reader/mpi/mpi.h"
#include "reader/openmp/openmp.h"

#include <stdlib.h>

#define NONE PINSIGHT_NONE

struct pinsight_context_lane {
    const struct pinsight_track *track;
    uint32_t *open; /* nodes of open slices, by depth */
    size_t capacity;
    uint32_t root;       /* its node */
    uint64_t in;         /* the flow that arrives next */
    uint32_t in_node;    /* the node that the flow comes from */
    uint32_t grafted[2]; /* the last chain that was copied to this root: from, to */
    uint32_t path[2];    /* the last path: number, node */
};

static uint32_t add_node(struct pinsight_contexts *contexts, const struct pinsight_context *node) {
    contexts->nodes = pinsight_grow(contexts->nodes, contexts->node_count, &contexts->node_capacity,
                                    sizeof(*contexts->nodes));
    contexts->nodes[contexts->node_count] = *node;
    return (uint32_t)contexts->node_count++;
}

/* Returns the node of a frame beneath a parent. Returns the parent itself if there are too many
 * nodes. */
static uint32_t enter(struct pinsight_contexts *contexts, uint32_t parent, uint32_t frame,
                      int32_t line, bool remote) {
    uint32_t place = (uint32_t)line << 1 | remote;
    uint32_t node = pinsight_map_get(&contexts->node_map, parent, frame, place);
    const struct pinsight_context *above = &contexts->nodes[parent];

    if (node != PINSIGHT_MAP_NONE)
        return node;
    if (contexts->node_count >= contexts->most && above->parent != NONE)
        return parent;
    node = add_node(
        contexts,
        &(struct pinsight_context){
            .parent = parent, .frame = frame, .root = above->root, .line = line, .remote = remote});
    pinsight_map_set(&contexts->node_map, parent, frame, place, node);
    return node;
}

static uint32_t frame_of(struct pinsight_contexts *contexts, unsigned kind, unsigned native_kind,
                         uint32_t id, uint32_t sample) {
    uint32_t key = kind | native_kind << 8;
    uint32_t frame = pinsight_map_number(&contexts->frame_map, id, key, 0, contexts->frame_count);

    if (frame < contexts->frame_count)
        return frame;
    *PINSIGHT_ADD(contexts->frames, contexts->frame_count, contexts->frame_capacity) =
        (struct pinsight_context_frame){.kind = (uint8_t)kind,
                                        .native_kind = (uint8_t)native_kind,
                                        .id = id,
                                        .sample = sample,
                                        .same = frame};
    return frame;
}

/* A region is identified by its native place, because its starter stands above it. */
static uint32_t frame_of_region(struct pinsight_contexts *contexts, unsigned kind, uint32_t id) {
    const struct pinsight_omp_region *region;

    if (id == NONE)
        return frame_of(contexts, kind, UINT8_MAX, NONE, NONE);
    region = &pinsight_model_openmp(contexts->model)->regions[id];
    return frame_of(contexts, kind, region->kind, region->native, id);
}

static uint32_t frame_of_slice(struct pinsight_contexts *contexts,
                               const struct pinsight_slice *slice) {
    if (slice->kind == PINSIGHT_SLICE_REGION || slice->kind == PINSIGHT_SLICE_PART)
        return frame_of_region(contexts, slice->kind, slice->id);
    return frame_of(contexts, slice->kind, 0, slice_runs(contexts->model, slice), slice->id);
}

static uint32_t root_of(struct pinsight_contexts *contexts, const struct pinsight_track *track) {
    bool own = contexts->by == PINSIGHT_CONTEXTS_BY_THREAD || track->stream;
    uint32_t key = own ? track->number : track->thread->process->index;
    uint32_t root = pinsight_map_get(&contexts->root_map, key, own, 0);

    if (root != PINSIGHT_MAP_NONE)
        return contexts->roots[root].node;
    contexts->roots = pinsight_grow(contexts->roots, contexts->root_count, &contexts->root_capacity,
                                    sizeof(*contexts->roots));
    root = (uint32_t)contexts->root_count++;
    contexts->roots[root].track = track;
    contexts->roots[root].device = track->stream != NULL;
    contexts->roots[root].node =
        add_node(contexts, &(struct pinsight_context){.parent = NONE, .frame = NONE, .root = root});
    pinsight_map_set(&contexts->root_map, key, own, 0, root);
    return contexts->roots[root].node;
}

static struct pinsight_context_lane *lane_of(struct pinsight_contexts *contexts,
                                             struct pinsight_track *track) {
    struct pinsight_context_lane *lane = track->view;

    if (lane)
        return lane;
    lane = track->view = pinsight_calloc(1, sizeof(*lane));
    *PINSIGHT_ADD(contexts->lanes, contexts->lane_count, contexts->lane_capacity) = lane;
    lane->track = track;
    lane->root = root_of(contexts, track);
    lane->in_node = lane->grafted[0] = lane->path[0] = NONE;
    return lane;
}

/* Copies a chain of nodes beneath another root, and returns the innermost copy. */
static uint32_t graft(struct pinsight_contexts *contexts, struct pinsight_context_lane *lane,
                      uint32_t from) {
    uint32_t *chain, to = lane->root;
    size_t count = 0;

    if (contexts->nodes[from].root == contexts->nodes[lane->root].root)
        return from;
    if (lane->grafted[0] == from)
        return lane->grafted[1];
    for (uint32_t node = from; contexts->nodes[node].parent != NONE;
         node = contexts->nodes[node].parent)
        count++;
    chain = pinsight_calloc(count ? count : 1, sizeof(*chain));
    for (uint32_t i = (uint32_t)count, node = from; i-- > 0; node = contexts->nodes[node].parent)
        chain[i] = node;
    for (size_t i = 0; i < count; i++) {
        const struct pinsight_context node = contexts->nodes[chain[i]];

        to = enter(contexts, to, node.frame, node.line, node.remote);
    }
    free(chain);
    lane->grafted[0] = from;
    lane->grafted[1] = to;
    return to;
}

/* Enters a Python call path beneath a lane's root. */
static uint32_t enter_path(struct pinsight_contexts *contexts, struct pinsight_context_lane *lane,
                           uint32_t path) {
    uint32_t *frames, to = lane->root;
    int32_t line = 0;
    size_t count;

    if (lane->path[0] == path)
        return lane->path[1];
    frames = pinsight_path_frames(contexts->model, path, &count);
    for (size_t i = 0; i < count; i++) {
        const struct pinsight_path *at = &contexts->model->paths[frames[i]];
        uint32_t frame = frame_of(contexts, PINSIGHT_SLICE_FUNCTION, 0, at->function, at->function);

        to = enter(contexts, to, frame, line, false);
        line = contexts->lines ? at->line : 0;
    }
    free(frames);
    lane->path[0] = path;
    lane->path[1] = to;
    return to;
}

/* Returns the node that a lane's outermost slice belongs beneath. Sets *remote if this node is in
 * another thread. */
static uint32_t outermost(struct pinsight_contexts *contexts, struct pinsight_context_lane *lane,
                          const struct pinsight_slice *slice, int32_t line, bool *remote) {
    uint32_t above = lane->root;

    *remote = slice->kind == PINSIGHT_SLICE_PART;
    if (*remote && slice->in && slice->in == lane->in && lane->in_node != NONE)
        return graft(contexts, lane, lane->in_node);
    if (slice->path != NONE)
        above = enter_path(contexts, lane, slice->path);
    if (*remote && slice->id != NONE)
        above = enter(contexts, above, frame_of_region(contexts, PINSIGHT_SLICE_REGION, slice->id),
                      line, false);
    *remote = *remote && above != lane->root;
    return above;
}

/* Returns the line of a slice's call in its caller, or 0 if it is unknown. */
static int32_t line_of(const struct pinsight_contexts *contexts,
                       const struct pinsight_slice *slice) {
    const struct pinsight_model *model = contexts->model;

    if (!contexts->lines)
        return 0;
    if (slice->kind == PINSIGHT_SLICE_C_CALL)
        return model->sites[slice->id].line;
    return slice->path != NONE ? model->paths[slice->path].line : 0;
}

static bool is_call(const struct pinsight_slice *slice) {
    return (slice->kind != PINSIGHT_SLICE_FUNCTION && slice->kind != PINSIGHT_SLICE_C_CALL) ||
           slice->how == PINSIGHT_HOW_START;
}

/* Returns whether the node above is a Python function, which has lines. */
static bool calls_from_lines(const struct pinsight_contexts *contexts, uint32_t above) {
    uint32_t frame = contexts->nodes[above].frame;

    return frame != NONE && contexts->frames[frame].kind == PINSIGHT_SLICE_FUNCTION;
}

/* Returns the node beneath which the callees of a node are entered. */
static uint32_t callees_of(const struct pinsight_contexts *contexts, uint32_t node) {
    const struct pinsight_context *nodes = contexts->nodes;

    if (!contexts->marked_most || contexts->node_count < contexts->marked_most)
        return node;
    while (nodes[node].frame != NONE && nodes[node].parent != NONE &&
           contexts->frames[nodes[node].frame].kind == PINSIGHT_SLICE_MARKED)
        node = nodes[node].parent;
    return node;
}

static void on_begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct pinsight_contexts *contexts = data;
    struct pinsight_context_lane *lane = lane_of(contexts, track);
    size_t depth = track->depth - 1;
    int32_t line = line_of(contexts, slice);
    uint32_t frame = frame_of_slice(contexts, slice), above, node;
    bool remote = false;

    lane->open = pinsight_grow(lane->open, depth, &lane->capacity, sizeof(*lane->open));
    above = depth ? callees_of(contexts, lane->open[depth - 1])
                  : outermost(contexts, lane, slice, line, &remote);
    if (!calls_from_lines(contexts, above))
        line = 0;
    node = enter(contexts, above, frame, line, remote && !contexts->flat);
    if (node == above)
        contexts->merged++;
    else
        contexts->nodes[node].calls += is_call(slice);
    lane->open[depth] = node;
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct pinsight_contexts *contexts = data;
    const struct pinsight_context_lane *lane = track->view;

    (void)ns;
    contexts->slices++;
    contexts->nodes[lane->open[track->depth - 1]].self_ns += slice->self_ns;
}

/* Notes the origin of a region's part: the node of the region in the thread that started it. */
static void on_flow(void *data, const struct pinsight_flow *flow) {
    struct pinsight_contexts *contexts = data;
    const struct pinsight_context_lane *from = flow->from->view;
    struct pinsight_context_lane *to;

    if (flow->kind != PINSIGHT_FLOW_TEAM || !from)
        return;
    to = lane_of(contexts, flow->to);
    to->in = flow->number;
    to->in_node = NONE;
    for (size_t i = flow->from->depth; i-- > 0;) {
        const struct pinsight_slice *slice = &flow->from->slices[i];

        if (slice->out && flow->number >= slice->out && flow->number - slice->out < slice->outs) {
            to->in_node = from->open[i];
            return;
        }
    }
}

/* While the trace is read, only threads that were found to be others are removed. */
static void on_gone(void *data, struct pinsight_track *track) {
    struct pinsight_contexts *contexts = data;
    struct pinsight_context_lane *lane = track->view;

    if (lane)
        lane->track = NULL;
    for (size_t i = 0; i < contexts->root_count; i++)
        if (contexts->roots[i].track == track)
            contexts->roots[i].track = NULL;
}

void pinsight_contexts_make(struct pinsight_contexts *contexts, const struct pinsight_model *model,
                            struct pinsight_timeline *timeline) {
    *contexts = (struct pinsight_contexts){.model = model, .most = PINSIGHT_CONTEXTS_MOST};
    *timeline = (struct pinsight_timeline){
        .data = contexts, .begin = on_begin, .end = on_end, .flow = on_flow, .gone = on_gone};
}

uint32_t pinsight_contexts_open(const struct pinsight_track *track, size_t place) {
    const struct pinsight_context_lane *lane = track->view;

    return lane->open[place];
}

/* Enters a counted path, and returns its node. A path outside Python has the node of its caller. */
static uint32_t enter_counted(struct pinsight_contexts *contexts, const uint32_t *nodes,
                              const struct pinsight_counted *path) {
    const bool is_function = path->kind == PINSIGHT_FUNCTION;
    const uint32_t above = path->parent != NONE
                               ? nodes[path->parent]
                               : root_of(contexts, pinsight_track_of(path->thread));
    const int32_t line = contexts->lines && calls_from_lines(contexts, above) ? path->line : 0;
    uint32_t frame, node;

    if (!pinsight_counted_is_python(path))
        return above;
    frame = frame_of(contexts, is_function ? PINSIGHT_SLICE_FUNCTION : PINSIGHT_SLICE_C_CALL, 0,
                     path->id, is_function ? path->id : path->site);
    node = enter(contexts, above, frame, line, false);
    if (node == above)
        contexts->merged += path->calls;
    else
        contexts->nodes[node].calls += path->calls;
    contexts->nodes[node].self_ns += path->self_ns;
    return node;
}

void pinsight_contexts_add_counted(struct pinsight_contexts *contexts) {
    const struct pinsight_model *model = contexts->model;
    uint32_t *nodes;

    if (!pinsight_counted_is_all(model))
        return;
    nodes = pinsight_calloc(model->counted_count, sizeof(*nodes));
    for (size_t i = 0; i < model->counted_count; i++) {
        nodes[i] = enter_counted(contexts, nodes, &model->counted[i]);
        contexts->slices += model->counted[i].calls;
    }
    free(nodes);
}

void pinsight_contexts_clear(struct pinsight_contexts *contexts) {
    for (size_t i = 0; i < contexts->frame_count; i++) {
        free(contexts->frames[i].name);
        free(contexts->frames[i].file);
    }
    for (size_t i = 0; i < contexts->lane_count; i++) {
        free(contexts->lanes[i]->open);
        free(contexts->lanes[i]);
    }
    PINSIGHT_MAPS_CLEAR(&contexts->node_map, &contexts->frame_map, &contexts->root_map);
    PINSIGHT_FREE(contexts->lanes, contexts->frames, contexts->nodes, contexts->roots);
    *contexts = (struct pinsight_contexts){0};
}

struct pinsight_context_links *pinsight_contexts_links(const struct pinsight_contexts *contexts) {
    size_t count = contexts->node_count;
    struct pinsight_context_links *links = pinsight_calloc(count ? count : 1, sizeof(*links));

    for (size_t i = count; i-- > 0;) {
        uint32_t parent = contexts->nodes[i].parent;

        /* Node 0 is a root, and therefore never a child. 0 means that nothing is set yet. */
        if (!links[i].first)
            links[i].first = NONE;
        links[i].next = NONE;
        if (parent == NONE)
            continue;
        if (links[parent].first)
            links[i].next = links[parent].first;
        links[parent].first = (uint32_t)i;
    }
    return links;
}
