/* The results of the walk for each thread; see attribution_walk.h. */
#include "views/attribution_track.h"

#include "base/memory.h"
#include "views/domain.h"

#include <stdlib.h>

/* Returns the wall time of a caller. A main thread has the wall time of its process. */
static uint64_t wall_of(const struct pinsight_walk_track *own) {
    const struct pinsight_thread *thread = own->sums.thread;
    const struct pinsight_process *process = thread->process;
    uint64_t from = own->first_ns, to = own->last_ns;

    if (thread->number == 0 || thread->tid == process->pid) {
        from = pinsight_process_since(process, from);
        if (process->last_ns > to)
            to = process->last_ns;
    }
    return to > from ? to - from : 0;
}

bool pinsight_attribution_walk_thread(const struct pinsight_attribution_walk *walk, size_t number,
                                      struct pinsight_attribution_thread *thread) {
    uint64_t recorded;

    if (number >= walk->track_count)
        return false;
    *thread = walk->tracks[number]->sums;
    thread->wall_ns = walk->tracks[number]->caller ? wall_of(walk->tracks[number]) : 0;
    thread->python = walk->tracks[number]->python;
    thread->users = walk->tracks[number]->users;
    recorded = thread->python_ns + thread->c_ns + thread->gc_ns;
    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        recorded += thread->under_ns[d] + thread->alone_ns[d];
    thread->gap_ns = thread->wall_ns > recorded ? thread->wall_ns - recorded : 0;
    return true;
}

void pinsight_attribution_walk_clear(struct pinsight_attribution_walk *walk) {
    if (walk->following)
        walk->follower->free(pinsight_attribution_walk_followed(walk));
    for (size_t i = 0; i < walk->track_count; i++) {
        pinsight_stack_pool_drop(&walk->rooms, &walk->tracks[i]->room);
        free(walk->tracks[i]);
    }
    pinsight_stack_pool_clear(&walk->rooms);
    for (size_t i = 0; i < walk->process_count; i++)
        free(walk->processes[i].python_at);
    PINSIGHT_MAPS_CLEAR(&walk->python_map, &walk->call_map, &walk->import_map, &walk->native_map,
                        &walk->body_map);
    PINSIGHT_FREE(walk->tracks, walk->pythons, walk->calls, walk->imports, walk->bodies,
                  walk->natives, walk->users, walk->sites, walk->processes, walk->call_at);
}
