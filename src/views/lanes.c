/* Numbers processes and threads; see lanes.h. */
#include "views/lanes.h"

#include "base/memory.h"
#include "views/domain.h"

#include <stdlib.h>
#include <string.h>

/* Linux gives no numbers from this limit on (PID_MAX_LIMIT). */
#define MADE_UP_PIDS (INT32_C(1) << 22)
#define MADE_UP_TIDS (INT32_C(1) << 24)

/* Lanes without a number come after those with one, in the order of their appearance. */
#define UNNUMBERED (INT32_C(1) << 20)

void pinsight_lanes_clear(struct pinsight_lanes *lanes) {
    for (size_t i = 0; i < lanes->process_count; i++)
        free(lanes->processes[i].shown);
    for (size_t i = 0; i < lanes->thread_count; i++)
        free(lanes->threads[i].shown);
    PINSIGHT_MAPS_CLEAR(&lanes->process_map, &lanes->pids, &lanes->tids);
    free(lanes->processes);
    free(lanes->threads);
    *lanes = (struct pinsight_lanes){0};
}

/* Returns whether a lane in another process has a number that a process wants. */
static bool is_taken_by_thread(const struct pinsight_lanes *lanes, uint32_t number,
                               uint32_t process) {
    uint32_t lane = pinsight_map_get(&lanes->tids, number, 0, 0);

    return lane != PINSIGHT_MAP_NONE && lanes->threads[lane].process != process;
}

static uint32_t find_process(struct pinsight_lanes *lanes, const struct pinsight_process *process) {
    uint32_t found = pinsight_map_get(&lanes->process_map, process->index, 0, 0);
    struct pinsight_lane_process *own;
    uint32_t pid = (uint32_t)process->pid;

    if (found != PINSIGHT_MAP_NONE)
        return found;
    found = (uint32_t)lanes->process_count;
    lanes->processes =
        pinsight_grow(lanes->processes, found, &lanes->process_capacity, sizeof(*lanes->processes));
    lanes->process_count++;
    own = &lanes->processes[found];
    *own = (struct pinsight_lane_process){.process = process};
    pinsight_map_set(&lanes->process_map, process->index, 0, 0, found);
    if (process->pid <= 0 || process->pid >= MADE_UP_PIDS ||
        pinsight_map_get(&lanes->pids, pid, 0, 0) != PINSIGHT_MAP_NONE ||
        is_taken_by_thread(lanes, pid, found))
        pid = (uint32_t)MADE_UP_PIDS + 1 + found;
    own->pid = (int32_t)pid;
    pinsight_map_set(&lanes->pids, pid, 0, 0, found);
    return found;
}

struct pinsight_lane *pinsight_lane_of(struct pinsight_lanes *lanes,
                                       const struct pinsight_track *track) {
    struct pinsight_lane *lane;
    uint32_t index = track->number - 1, tid, owner;

    while (lanes->thread_count <= index) {
        *PINSIGHT_ADD(lanes->threads, lanes->thread_count, lanes->thread_capacity) =
            (struct pinsight_lane){0};
    }
    lane = &lanes->threads[index];
    if (lane->track)
        return lane;
    lane->track = track;
    lane->process = find_process(lanes, pinsight_track_process(track));
    tid = track->thread ? track->thread->tid : 0;
    owner = pinsight_map_get(&lanes->pids, tid, 0, 0);
    if (!tid || tid >= (uint32_t)MADE_UP_PIDS ||
        pinsight_map_get(&lanes->tids, tid, 0, 0) != PINSIGHT_MAP_NONE ||
        (owner != PINSIGHT_MAP_NONE && owner != lane->process))
        tid = (uint32_t)MADE_UP_TIDS + 1 + index;
    lane->tid = (int32_t)tid;
    pinsight_map_set(&lanes->tids, tid, 0, 0, index);
    return lane;
}

struct pinsight_lane_process *pinsight_lane_process_of(struct pinsight_lanes *lanes,
                                                       struct pinsight_lane *lane, bool move) {
    struct pinsight_lane_process *process = &lanes->processes[lane->process];

    if (!move || process->process == pinsight_track_process(lane->track))
        return process;
    process->running -= lane->running;
    lane->process = find_process(lanes, pinsight_track_process(lane->track));
    process = &lanes->processes[lane->process];
    process->running += lane->running;
    return process;
}

struct pinsight_lane_process *pinsight_lane_process_find(struct pinsight_lanes *lanes,
                                                         const struct pinsight_process *process) {
    uint32_t found = pinsight_map_get(&lanes->process_map, process->index, 0, 0);

    return found != PINSIGHT_MAP_NONE ? &lanes->processes[found] : NULL;
}

uint64_t pinsight_lane_time(struct pinsight_lane *lane, uint64_t ns) {
    if (ns > lane->last_ns)
        lane->last_ns = ns;
    return lane->last_ns;
}

struct pinsight_lane_process *pinsight_lane_runs(struct pinsight_lanes *lanes,
                                                 struct pinsight_lane *lane,
                                                 const struct pinsight_slice *innermost) {
    bool running =
        innermost && innermost->kind != PINSIGHT_SLICE_WAIT && innermost->kind < PINSIGHT_SLICE_GIL;
    struct pinsight_lane_process *process;

    if (running == lane->running || lane->track->stream)
        return NULL;
    process = &lanes->processes[lane->process];
    lane->running = running;
    if (running)
        process->running++;
    else
        process->running--;
    if (lane->last_ns > process->last_ns)
        process->last_ns = lane->last_ns;
    return process;
}

int32_t pinsight_lane_process_order(const struct pinsight_lane_process *own) {
    const struct pinsight_process *process = own->process;

    int64_t rank = view_process_rank(process);

    if (rank >= 0)
        return rank < UNNUMBERED ? (int32_t)rank : UNNUMBERED;
    return UNNUMBERED + (int32_t)(process->index % (uint32_t)UNNUMBERED);
}

int32_t pinsight_lane_order(const struct pinsight_lane *lane) {
    const struct pinsight_thread *thread = lane->track->thread;
    const struct pinsight_device_stream *stream = lane->track->stream;
    enum reader_domain_number domain;
    int64_t number;

    if (stream && stream->is_task) /* after the devices' streams */
        return 5 * UNNUMBERED + (int32_t)(stream->number % (uint32_t)UNNUMBERED);
    if (stream && stream->is_ranges) /* last of all */
        return INT32_MAX - UNNUMBERED + (int32_t)(stream->number % (uint32_t)UNNUMBERED);
    if (stream) /* by device, after threads */
        return 3 * UNNUMBERED + (int32_t)(stream->device % 16 * 65536 + stream->number % 65536);
    if (thread->tid && thread->tid == thread->process->pid)
        return 0; /* the main thread */
    if (thread->number >= 0 && thread->number < UNNUMBERED)
        return (int32_t)thread->number;
    number = view_thread_number(thread, &domain);
    if (number >= 0 && number < UNNUMBERED)
        return UNNUMBERED + (int32_t)number;
    return 2 * UNNUMBERED + (int32_t)(lane->track->number % UNNUMBERED);
}

bool pinsight_lane_update(char **shown, const char *name) {
    if (*shown && !strcmp(*shown, name))
        return false;
    free(*shown);
    *shown = pinsight_strdup(name);
    return true;
}
