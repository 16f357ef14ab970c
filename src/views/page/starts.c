/* Finds starts of threads and processes; see starts.h. */
#include "views/page/starts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum page_start_kind kind;
} CALLS[] = {
    {"_thread.start_new_thread", PAGE_STARTS_THREAD},
    {"_thread.start_joinable_thread", PAGE_STARTS_THREAD},
    {"posix.fork", PAGE_STARTS_FORK},
    {"posix.forkpty", PAGE_STARTS_FORK},
    {"_posixsubprocess.fork_exec", PAGE_STARTS_EXEC},
    {"posix.posix_spawn", PAGE_STARTS_EXEC},
    {"posix.posix_spawnp", PAGE_STARTS_EXEC},
};

void page_starts_clear(struct page_starts *starts) {
    PINSIGHT_FREE(starts->kinds, starts->open);
    *starts = (struct page_starts){0};
}

/* Returns the kind of a callee, whose name is compared once. */
static enum page_start_kind kind_of(struct page_starts *starts, const struct pinsight_model *model,
                                    uint32_t callee) {
    if (callee >= model->callee_count)
        return PAGE_STARTS_NOTHING;
    starts->kinds = pinsight_reach(starts->kinds, callee, &starts->kind_count, 1);
    if (!starts->kinds[callee]) {
        const char *name = pinsight_callee_name(model, callee);

        starts->kinds[callee] = PAGE_STARTS_NOTHING + 1;
        for (size_t i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++)
            if (!strcmp(name, CALLS[i].name))
                starts->kinds[callee] = (uint8_t)(CALLS[i].kind + 1);
    }
    return starts->kinds[callee] - 1;
}

static void take_out(struct page_starts *starts, size_t at) {
    starts->count--;
    memmove(&starts->open[at], &starts->open[at + 1], (starts->count - at) * sizeof(*starts->open));
}

/* Removes starts that nothing can belong to any more. */
static void forget(struct page_starts *starts, const struct page_start *by) {
    for (size_t i = starts->count; i-- > 0;) {
        const struct page_start *old = &starts->open[i];

        if (old->kind == PAGE_STARTS_EXEC ? by->ns > old->ns + PAGE_STARTS_NS
                                          : old->kind == by->kind && old->track == by->track)
            take_out(starts, i);
    }
}

void page_starts_note(struct page_starts *starts, const struct pinsight_track *track,
                      const struct pinsight_slice *slice) {
    const struct pinsight_process *process = pinsight_track_process(track);
    struct page_start start = {process, slice->begin_ns, track->number - 1, PAGE_STARTS_NOTHING};

    if (slice->kind != PINSIGHT_SLICE_C_CALL || slice->id >= process->model->site_count)
        return;
    start.kind = (uint8_t)kind_of(starts, process->model, process->model->sites[slice->id].callee);
    if (start.kind == PAGE_STARTS_NOTHING)
        return;
    forget(starts, &start);
    *PINSIGHT_ADD(starts->open, starts->count, starts->capacity) = start;
}

/* Takes an open start of a kind in a process out of the list: the first, or the last. */
static bool take(struct page_starts *starts, const struct pinsight_process *process,
                 enum page_start_kind kind, bool last, struct page_start *found) {
    for (size_t i = 0; i < starts->count; i++) {
        const size_t at = last ? starts->count - 1 - i : i;

        if (starts->open[at].process != process || starts->open[at].kind != kind)
            continue;
        *found = starts->open[at];
        take_out(starts, at);
        return true;
    }
    return false;
}

bool page_starts_find(struct page_starts *starts, const struct pinsight_track *track,
                      bool first_of_process, uint64_t ns, struct page_start *found) {
    const struct pinsight_process *process = pinsight_track_process(track), *parent;

    if (!starts->count || !track->thread)
        return false;
    if (!first_of_process)
        return track->thread->number > 0 && take(starts, process, PAGE_STARTS_THREAD, false, found);
    forget(starts, &(struct page_start){.ns = ns, .track = PINSIGHT_NONE});
    parent = pinsight_model_parent(process);
    return parent && (take(starts, parent, PAGE_STARTS_FORK, true, found) ||
                      take(starts, parent, PAGE_STARTS_EXEC, false, found));
}
