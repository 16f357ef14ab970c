/* Ranges of a process; see ranges.h. A range is reported at its end, in the first track of its
 * process without other ranges in that time. */
#include "reader/core/ranges.h"

#include "base/memory.h"

#include <stdlib.h>

/* The most open ranges. Another one ends the oldest. */
enum { MOST_OPEN = 4096 };

struct open_range {
    uint64_t id, begin_ns;
    uint32_t name;
};

struct ranges {
    struct open_range *open; /* in the order of the begins */
    size_t open_count, open_capacity;
    struct pinsight_device_stream **lanes;
    size_t lane_count, lane_capacity;
};

static struct ranges *ranges_of(struct pinsight_process *process) {
    if (!process->state[READER_CORE])
        process->state[READER_CORE] = pinsight_calloc(1, sizeof(struct ranges));
    return process->state[READER_CORE];
}

/* Returns the first track without ranges since a time. Returns NULL if no view asks for ranges. */
static struct pinsight_track *lane_since(struct pinsight_process *process, uint64_t ns) {
    struct ranges *ranges = process->state[READER_CORE];
    struct pinsight_device_stream *lane;

    for (size_t i = 0; i < ranges->lane_count; i++)
        if (ranges->lanes[i]->track->last_ns <= ns)
            return ranges->lanes[i]->track;
    lane = pinsight_calloc(1, sizeof(*lane));
    *lane = (struct pinsight_device_stream){
        .process = process, .number = (uint32_t)ranges->lane_count, .is_ranges = true};
    if (!pinsight_stream_track(lane)) {
        free(lane);
        return NULL;
    }
    *PINSIGHT_ADD(ranges->lanes, ranges->lane_count, ranges->lane_capacity) = lane;
    return lane->track;
}

static void report(struct pinsight_process *process, const struct open_range *range, uint64_t ns,
                   bool cut) {
    struct pinsight_slice slice =
        pinsight_slice_of(PINSIGHT_SLICE_MARKED, range->name, range->name);
    struct pinsight_track *track = lane_since(process, range->begin_ns);

    pinsight_marked_sums_range(process->model, range->name,
                               pinsight_time_rest(ns, range->begin_ns));
    if (!track)
        return;
    pinsight_track_push(track, &slice, range->begin_ns);
    if (cut)
        pinsight_track_cut(track, 0, pinsight_track_time(track, ns));
    else
        pinsight_track_pop(track, ns);
}

static void take_out(struct ranges *ranges, size_t place) {
    ranges->open_count--;
    for (size_t i = place; i < ranges->open_count; i++)
        ranges->open[i] = ranges->open[i + 1];
}

void pinsight_ranges_begin(struct pinsight_process *process, uint64_t id, uint32_t name,
                           uint64_t ns) {
    struct ranges *ranges = ranges_of(process);

    if (ranges->open_count == MOST_OPEN) {
        report(process, &ranges->open[0], ns, true);
        take_out(ranges, 0);
    }
    *PINSIGHT_ADD(ranges->open, ranges->open_count, ranges->open_capacity) =
        (struct open_range){.id = id, .begin_ns = ns, .name = name};
}

void pinsight_ranges_end(struct pinsight_process *process, uint64_t id, uint64_t ns) {
    struct ranges *ranges = process->state[READER_CORE];

    for (size_t i = ranges ? ranges->open_count : 0; i-- > 0;) {
        if (ranges->open[i].id != id)
            continue;
        report(process, &ranges->open[i], ns, false);
        take_out(ranges, i);
        return;
    }
}

void pinsight_ranges_close(struct pinsight_process *process) {
    struct ranges *ranges = process->state[READER_CORE];

    for (size_t i = 0; ranges && i < ranges->open_count; i++)
        report(process, &ranges->open[i], process->last_ns, true);
    if (ranges)
        ranges->open_count = 0;
}

void pinsight_ranges_free(struct pinsight_model *model) {
    for (size_t i = 0; i < model->process_count; i++) {
        struct ranges *ranges = model->processes[i]->state[READER_CORE];

        if (!ranges)
            continue;
        for (size_t j = 0; j < ranges->lane_count; j++) {
            pinsight_stream_track_free(ranges->lanes[j]);
            free(ranges->lanes[j]);
        }
        PINSIGHT_FREE(ranges->open, ranges->lanes, ranges);
        model->processes[i]->state[READER_CORE] = NULL;
    }
}
