/* Walks the call paths that MONITORING counted, for attribution_walk.h. Each path is walked like a
 * slice, once for all its calls. */
#include "views/attribution_track.h"

#include "base/memory.h"
#include "base/users_code.h"
#include "reader/core/counted.h"

#include <stdlib.h>
#include <string.h>

/* The model that is walked, and its tree of paths. */
struct counted {
    const struct pinsight_model *model;
    const struct pinsight_counted_links *links;
    /* By path: the time of each domain's regions within the path's own time. */
    uint64_t (*native_ns)[PINSIGHT_ATTRIBUTION_DOMAINS];
};

/* Returns for each path the time of the regions that are part of it, by domain. Only Python paths
 * have regions. The caller frees the array. */
static uint64_t (
    *native_of_paths(const struct pinsight_model *model))[PINSIGHT_ATTRIBUTION_DOMAINS] {
    uint64_t(*native_ns)[PINSIGHT_ATTRIBUTION_DOMAINS] =
        pinsight_calloc(model->counted_count + 1, sizeof(*native_ns));

    for (size_t i = 0; i < model->counted_count; i++) {
        const struct pinsight_counted *region = &model->counted[i];
        uint32_t above = region->parent;

        if (pinsight_counted_is_python(region) || region->domain >= PINSIGHT_ATTRIBUTION_DOMAINS)
            continue;
        while (above != PINSIGHT_NONE && !pinsight_counted_is_python(&model->counted[above]))
            above = model->counted[above].parent;
        if (above != PINSIGHT_NONE)
            native_ns[above][region->domain] += region->self_ns;
    }
    return native_ns;
}

static const char *text_of(const struct counted *counted, uint32_t string) {
    return pinsight_strings_text(&counted->model->strings, string);
}

/* Returns the module whose body runs first within a path, which is the imported module. Returns 0
 * if there is none. */
static uint32_t module_within(const struct counted *counted, uint32_t path) {
    const struct pinsight_counted *paths = counted->model->counted;

    for (uint32_t at = counted->links[path].first; at != PINSIGHT_NONE;) {
        const struct pinsight_function *function =
            paths[at].kind == PINSIGHT_FUNCTION ? &counted->model->functions[paths[at].id] : NULL;

        if (function && strcmp(text_of(counted, function->name), "<module>") == 0)
            return function->module;
        if (counted->links[at].first != PINSIGHT_NONE) {
            at = counted->links[at].first;
            continue;
        }
        while (at != path && counted->links[at].next == PINSIGHT_NONE)
            at = paths[at].parent;
        at = at == path ? PINSIGHT_NONE : counted->links[at].next;
    }
    return 0;
}

/* Returns the module that a path imports, or PINSIGHT_NONE. With `import = full`, the path is one
 * of importlib outside any other import. */
static uint32_t imported(const struct counted *counted, const struct pinsight_walk_track *own,
                         uint32_t at) {
    const struct pinsight_counted *path = &counted->model->counted[at];
    const struct pinsight_walk_frame *outer = pinsight_walk_innermost(own);
    const struct pinsight_function *function;
    const char *file;

    if (path->kind != PINSIGHT_FUNCTION)
        return PINSIGHT_NONE;
    function = &counted->model->functions[path->id];
    file = text_of(counted, function->file);
    if (strcmp(file, PINSIGHT_IMPORT_FILE) == 0)
        return function->module;
    return pinsight_importlib_file(file) && !(outer && outer->importing)
               ? module_within(counted, at)
               : PINSIGHT_NONE;
}

static struct pinsight_walk_frame *push(struct pinsight_attribution_walk *walk,
                                        struct pinsight_walk_track *own,
                                        const struct counted *counted, uint32_t at) {
    const struct pinsight_counted *path = &counted->model->counted[at];
    const uint32_t module = imported(counted, own, at);
    struct pinsight_walk_frame *frame;

    if (module == PINSIGHT_NONE && path->kind == PINSIGHT_FUNCTION)
        return pinsight_walk_push(walk, own, PINSIGHT_SLICE_FUNCTION, path->id, path->line);
    if (module == PINSIGHT_NONE)
        return pinsight_walk_push(walk, own, PINSIGHT_SLICE_C_CALL, path->site, path->line);
    frame = pinsight_walk_push(walk, own, PINSIGHT_SLICE_IMPORT, module, path->line);
    pinsight_walk_import_begin(walk, frame, module, PINSIGHT_NONE);
    return frame;
}

static void begin(struct pinsight_attribution_walk *walk, const struct counted *counted,
                  uint32_t at) {
    const struct pinsight_counted *path = &counted->model->counted[at];
    struct pinsight_walk_track *own = pinsight_walk_track_of(walk, path->thread);
    struct pinsight_walk_frame *frame;

    if (!own)
        return;
    frame = push(walk, own, counted, at);
    frame->calls *= path->calls;
    if (frame->begins) {
        struct pinsight_walk_call *call = &walk->calls[frame->begins - 1];

        call->calls += path->calls - 1; /* one call is counted already */
        if (call->max_ns < path->max_ns)
            call->max_ns = path->max_ns;
    }
}

/* Ends a path. Counts have no times of day, and therefore the thread's last time grows by the
 * counted time. */
static void end(struct pinsight_attribution_walk *walk, const struct counted *counted,
                uint32_t at) {
    const struct pinsight_counted *path = &counted->model->counted[at];
    struct pinsight_walk_track *own = pinsight_walk_track_of(walk, path->thread);

    if (!own)
        return;
    if (pinsight_walk_innermost(own)->importing)
        own->sums.imported_mpi_ns += counted->native_ns[at][PINSIGHT_ATTRIBUTION_MPI];
    else
        for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
            own->sums.counted_native_ns[d] += counted->native_ns[at][d];
    pinsight_walk_pop(walk, own, path->self_ns, pinsight_least(path->waiting_ns, path->self_ns),
                      path->total_ns);
    if (!own->last_ns)
        own->last_ns = own->first_ns;
    if (path->parent == PINSIGHT_NONE)
        own->last_ns += path->total_ns;
}

void pinsight_attribution_walk_counted(struct pinsight_attribution_walk *walk) {
    const struct pinsight_model *model = walk->model;
    uint32_t first, at;
    struct pinsight_counted_links *links = pinsight_counted_links(model, &first);
    const struct counted counted = {model, links, native_of_paths(model)};

    for (at = first; at != PINSIGHT_NONE;) {
        begin(walk, &counted, at);
        if (links[at].first != PINSIGHT_NONE) {
            at = links[at].first;
            continue;
        }
        end(walk, &counted, at);
        while (links[at].next == PINSIGHT_NONE && model->counted[at].parent != PINSIGHT_NONE) {
            at = model->counted[at].parent;
            end(walk, &counted, at);
        }
        at = links[at].next;
    }
    free(counted.native_ns);
    free(links);
    pinsight_attribution_walk_sure_waits(walk);
}
