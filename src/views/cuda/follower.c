/* Passes the states of threads from the walk over slices to idle.h. */
#include "views/cuda/idle.h"

#include "base/memory.h"

#include <stdlib.h>

static void *start(struct pinsight_model *model) {
    struct pinsight_idle_walk *walk = pinsight_calloc(1, sizeof(*walk));

    pinsight_idle_walk_start(walk, model);
    return walk;
}

static void *follow(void *own, const struct pinsight_track *track, uint64_t since_ns) {
    struct pinsight_idle_walk *walk = own;

    walk->hosts.since_ns = since_ns;
    return pinsight_host_new(&walk->hosts, track);
}

static void call(void *own, void *thread, const struct pinsight_track *track, bool python) {
    const struct pinsight_host *host = thread;

    if (!host->calls)
        pinsight_idle_walk_call(own, track, python);
}

static void begin(void *thread, enum pinsight_slice_kind kind, uint32_t id, uint32_t path,
                  uint32_t users, uint64_t ns) {
    pinsight_host_begin(thread, kind, id, path, users, ns);
}

static void end(void *thread, uint64_t ns) {
    pinsight_host_end(thread, ns);
}

static void idle(void *own, const struct pinsight_idle *gap) {
    pinsight_idle_walk_gap(own, gap);
}

static void *finish(void *own) {
    struct pinsight_idle_view *view = pinsight_idle_walk_end(own);

    free(own);
    return view;
}

static void free_view(void *view) {
    pinsight_idle_free(view);
}

const struct view_follower pinsight_idle_follower = {
    .kind = PINSIGHT_SLICE_DEVICE_CALL,
    .start = start,
    .thread = follow,
    .call = call,
    .begin = begin,
    .end = end,
    .idle = idle,
    .finish = finish,
    .free = free_view,
};
