/*
 * Adds up calling contexts by function; see context_sums.h.
 *
 * The tree is walked once, depth first. A segment is a part of the tree that runs in one thread,
 * below a root or below a remote node. For each frame and each arc, the walk keeps the segment in
 * which it is open above the current node. Only the outermost one of a segment adds its time, so
 * that no time counts twice.
 */
#include "views/profile/context_sums.h"

#include "base/memory.h"

#include <stdlib.h>

#define NONE PINSIGHT_NONE

struct node_times {
    uint64_t own_ns;     /* time of the node and of its descendants in the same segment */
    uint64_t threads_ns; /* own_ns, and time of other segments beneath */
    uint32_t segment;    /* its topmost node */
    uint32_t arc;
    uint32_t frame_was, arc_was; /* former values of frame_open and arc_open, restored when the walk
                                    leaves the node */
};

struct walk {
    const struct pinsight_contexts *contexts;
    struct pinsight_context_sums *sums;
    struct node_times *nodes;
    uint32_t *frame_open; /* by frame: the segment of the innermost open node plus 1, or 0 */
    uint32_t *arc_open;
};

static uint32_t same_frame(const struct pinsight_contexts *contexts, uint32_t frame) {
    return frame == NONE ? NONE : contexts->frames[frame].same;
}

static bool is_arc(const struct pinsight_context_arc *arc, const struct pinsight_context *node,
                   uint32_t caller, uint32_t callee) {
    return arc->caller == caller && arc->callee == callee && arc->line == node->line &&
           arc->remote == node->remote &&
           ((caller != NONE && !node->remote) || arc->root == node->root);
}

/* Finds or makes an arc. Arcs with one caller and callee differ by line and root, and form a chain
 * of probes in the map. */
static uint32_t arc_of(struct pinsight_context_sums *sums, struct pinsight_map *map,
                       const struct pinsight_contexts *contexts, uint32_t index) {
    const struct pinsight_context *node = &contexts->nodes[index];
    uint32_t caller = same_frame(contexts, contexts->nodes[node->parent].frame);
    uint32_t callee = same_frame(contexts, node->frame);
    uint32_t probe =
        (caller == NONE || node->remote ? node->root : (uint32_t)node->line) << 1 | node->remote;
    uint32_t arc;

    for (;; probe += UINT32_C(0x9E3779B1)) {
        arc = pinsight_map_number(map, caller, callee, probe, sums->arc_count);
        if (arc == sums->arc_count) {
            *PINSIGHT_ADD(sums->arcs, sums->arc_count, sums->arc_capacity) =
                (struct pinsight_context_arc){.caller = caller,
                                              .callee = callee,
                                              .root = node->root,
                                              .line = node->line,
                                              .remote = node->remote};
            return arc;
        }
        if (is_arc(&sums->arcs[arc], node, caller, callee))
            return arc;
    }
}

/* Adds up times with their descendants', and makes the arcs. Children have higher indices than
 * their parents. */
static void add_up(struct walk *walk) {
    const struct pinsight_context *nodes = walk->contexts->nodes;
    struct pinsight_map map = {0};
    size_t count = walk->contexts->node_count;

    for (size_t i = 0; i < count; i++) {
        walk->nodes[i].own_ns = walk->nodes[i].threads_ns = nodes[i].self_ns;
        walk->nodes[i].segment = nodes[i].remote || nodes[i].parent == NONE
                                     ? (uint32_t)i
                                     : walk->nodes[nodes[i].parent].segment;
        if (walk->contexts->roots[nodes[i].root].device)
            walk->sums->device_ns += nodes[i].self_ns;
        else
            walk->sums->self_ns += nodes[i].self_ns;
        if (nodes[i].parent != NONE)
            walk->nodes[i].arc = arc_of(walk->sums, &map, walk->contexts, (uint32_t)i);
    }
    for (size_t i = count; i-- > 0;) {
        struct node_times *above = nodes[i].parent != NONE ? &walk->nodes[nodes[i].parent] : NULL;

        if (!above)
            continue;
        above->threads_ns += walk->nodes[i].threads_ns;
        if (!nodes[i].remote)
            above->own_ns += walk->nodes[i].own_ns;
    }
    pinsight_map_clear(&map);
}

/* Adds the work of a stream, which lies in one segment. */
static void add_device(uint64_t *total_ns, uint64_t *self_ns, const struct pinsight_context *node,
                       const struct node_times *times) {
    *self_ns += node->self_ns;
    if (!times->frame_was)
        *total_ns += times->own_ns;
}

static void down(struct walk *walk, uint32_t index) {
    const struct pinsight_context *node = &walk->contexts->nodes[index];
    struct node_times *times = &walk->nodes[index];
    uint32_t segment = times->segment + 1;
    uint32_t number = same_frame(walk->contexts, node->frame);
    struct pinsight_context_sum *frame = &walk->sums->frames[number];
    struct pinsight_context_arc *arc = &walk->sums->arcs[times->arc];

    times->frame_was = walk->frame_open[number];
    times->arc_was = walk->arc_open[times->arc];
    walk->frame_open[number] = walk->arc_open[times->arc] = segment;
    frame->calls += node->calls;
    arc->sum.calls += node->calls;
    if (walk->contexts->roots[node->root].device) {
        add_device(&frame->device_ns, &frame->device_self_ns, node, times);
        add_device(&arc->sum.device_ns, &arc->sum.device_self_ns, node, times);
        return;
    }
    frame->self_ns += node->self_ns;
    arc->sum.self_ns += node->self_ns;
    if (times->frame_was != segment) {
        frame->outermost += node->calls;
        frame->total_ns += times->own_ns;
        arc->sum.total_ns += times->own_ns;
    }
    if (!times->frame_was) {
        frame->threads_ns += times->threads_ns;
        arc->sum.threads_ns += times->threads_ns;
    }
    if (times->arc_was != segment) {
        arc->sum.outermost += node->calls;
        arc->own_ns += times->own_ns;
    }
}

static void up(struct walk *walk, uint32_t index) {
    const struct node_times *times = &walk->nodes[index];

    walk->frame_open[same_frame(walk->contexts, walk->contexts->nodes[index].frame)] =
        times->frame_was;
    walk->arc_open[times->arc] = times->arc_was;
}

/* Walks the tree of a root. */
static void walk_tree(struct walk *walk, const struct pinsight_context_links *links,
                      uint32_t root) {
    uint32_t node = root;

    for (;;) {
        if (links[node].first != NONE) {
            node = links[node].first;
            down(walk, node);
            continue;
        }
        while (node != root && links[node].next == NONE) {
            up(walk, node);
            node = walk->contexts->nodes[node].parent;
        }
        if (node == root)
            return;
        up(walk, node);
        node = links[node].next;
        down(walk, node);
    }
}

static void *zeros(size_t count, size_t size) {
    return pinsight_calloc(count ? count : 1, size);
}

void pinsight_context_sums_make(struct pinsight_context_sums *sums,
                                const struct pinsight_contexts *contexts) {
    struct walk walk = {.contexts = contexts, .sums = sums};
    struct pinsight_context_links *links = pinsight_contexts_links(contexts);

    *sums = (struct pinsight_context_sums){.frames =
                                               zeros(contexts->frame_count, sizeof(*sums->frames))};
    walk.nodes = zeros(contexts->node_count, sizeof(*walk.nodes));
    add_up(&walk);
    walk.frame_open = zeros(contexts->frame_count, sizeof(*walk.frame_open));
    walk.arc_open = zeros(sums->arc_count, sizeof(*walk.arc_open));
    for (size_t i = 0; i < contexts->root_count; i++)
        walk_tree(&walk, links, contexts->roots[i].node);
    PINSIGHT_FREE(walk.arc_open, walk.frame_open, walk.nodes, links);
}

void pinsight_context_sums_clear(struct pinsight_context_sums *sums) {
    free(sums->frames);
    free(sums->arcs);
    *sums = (struct pinsight_context_sums){0};
}
