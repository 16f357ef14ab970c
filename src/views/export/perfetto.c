/*
 * Writes Perfetto's TrackEvents, for ui.perfetto.dev and trace_processor.
 *
 * These rules of Perfetto (track_event.proto, track_descriptor.proto) shape the output:
 * - Slices of a track nest by the order of their begins and ends, as those of the timeline do.
 * - A flow goes from the earliest event with its number to the event that it terminates on. At its
 *   begin, a region or a sending call gets the numbers of all flows that may leave it. A number
 *   without a second end is not drawn: the team was smaller, or the message was not received. The
 *   part of a team's member takes its own number at its begin. A message is received while the
 *   receiving call is open. Therefore an instant within the call takes the flow, at the time of its
 *   arrival.
 * - Work of a device is written later than events that follow it in time, because readers sort. All
 *   work of one launch has one number, which passes through each piece in turn.
 * - A track is described once for the whole trace, at any place. A thread is described when its
 *   process is known, see adopt.h. Changed names are written again at the end.
 * - Times are those of the trace's clock, which counts in real time.
 */
#include "views/export/formats.h"

#include "reader/mpi/mpi.h"
#include "views/export/perfetto_packet.h"
#include "views/lanes.h"
#include "views/slice_details.h"

struct counter {
    uint64_t uuid; /* 0 before the counter's first value */
    uint64_t value, last_ns;
};

struct perfetto_export {
    struct pinsight_perfetto perfetto;
    struct pinsight_lanes lanes;
    struct pinsight_slice_details details;
    struct counter messages, lost;
    struct pinsight_map values; /* uuids of the program's counters, by their process and name */
    uint64_t uuids;             /* number of uuids in use */
    uint64_t last_ns;           /* the latest time so far */
};

static void describe_process(struct pinsight_export *export, struct pinsight_lane_process *lane) {
    struct perfetto_export *own = export->own;
    char name[256];

    if (!lane->uuid[0])
        lane->uuid[0] = ++own->uuids;
    pinsight_track_process_name(export->model, lane->process, name, sizeof(name));
    if (pinsight_lane_update(&lane->shown, name))
        pinsight_perfetto_process(
            &own->perfetto, lane->uuid[0], lane->pid, pinsight_lane_process_order(lane), name,
            pinsight_strings_text(&export->model->strings, lane->process->command));
}

static void describe_thread(struct pinsight_export *export, struct pinsight_lane *lane) {
    struct perfetto_export *own = export->own;
    /* The thread's process cannot change any more after this description. */
    const struct pinsight_lane_process *in =
        pinsight_lane_process_of(&own->lanes, lane, !lane->shown);
    char name[256];

    pinsight_track_name(export->model, lane->track, name, sizeof(name));
    if (!pinsight_lane_update(&lane->shown, name))
        return;
    if (lane->track->stream)
        pinsight_perfetto_track(&own->perfetto, lane->uuid, in->uuid[0], pinsight_lane_order(lane),
                                name);
    else
        pinsight_perfetto_thread(&own->perfetto, lane->uuid, in->uuid[0], in->pid, lane->tid,
                                 pinsight_lane_order(lane), name);
}

/* Returns the lane of a track. Describes the lane if its process is known. */
static struct pinsight_lane *lane_of(struct pinsight_export *export,
                                     const struct pinsight_track *track) {
    struct perfetto_export *own = export->own;
    struct pinsight_lane *lane = pinsight_lane_of(&own->lanes, track);
    struct pinsight_lane_process *process;

    if (lane->shown || (lane->uuid && pinsight_track_process(track)->orphan))
        return lane;
    if (!lane->uuid)
        lane->uuid = ++own->uuids;
    if (pinsight_track_process(track)->orphan)
        return lane;
    process = pinsight_lane_process_of(&own->lanes, lane, true);
    if (!process->shown)
        describe_process(export, process);
    describe_thread(export, lane);
    return lane;
}

static uint64_t take_time(struct perfetto_export *own, struct pinsight_lane *lane, uint64_t ns) {
    ns = pinsight_lane_time(lane, ns);
    if (!own->last_ns)
        pinsight_perfetto_clock(&own->perfetto, ns);
    if (ns > own->last_ns)
        own->last_ns = ns;
    return ns;
}

static void count(struct perfetto_export *own, struct counter *counter, const char *name,
                  const char *unit, uint64_t value) {
    if (value == counter->value)
        return;
    if (!counter->uuid) {
        counter->uuid = ++own->uuids;
        pinsight_perfetto_counts(&own->perfetto, counter->uuid, 0, name, unit);
    }
    counter->value = value;
    pinsight_perfetto_counter(&own->perfetto, counter->uuid, (int64_t)value, own->last_ns);
}

/* Writes the counters of the whole run. */
static void count_all(struct pinsight_export *export) {
    struct perfetto_export *own = export->own;

    if (pinsight_model_mpi(export->model))
        count(own, &own->messages, "MPI messages in flight", "messages",
              pinsight_model_mpi(export->model)->pending);
    count(own, &own->lost, "events lost", "events", export->source.discarded_events);
}

/* Writes the open event of a lane, whose innermost slice is `innermost` from now on, or NULL. If
 * the number of running threads changed, it is written with the event. */
static void write_running(struct pinsight_export *export, struct pinsight_lane *lane,
                          const struct pinsight_slice *innermost) {
    struct perfetto_export *own = export->own;
    struct pinsight_lane_process *process = pinsight_lane_runs(&own->lanes, lane, innermost);
    bool described = process && process->uuid[1];

    if (!process || process->process->orphan) {
        pinsight_perfetto_write(&own->perfetto);
    } else if (described && process->last_ns == lane->last_ns) {
        pinsight_perfetto_counter_value(&own->perfetto, process->uuid[1], process->running);
        pinsight_perfetto_write(&own->perfetto);
    } else {
        pinsight_perfetto_write(&own->perfetto);
        if (!described) {
            process->uuid[1] = ++own->uuids;
            pinsight_perfetto_counts(&own->perfetto, process->uuid[1], process->uuid[0],
                                     "threads running", "threads");
        }
        pinsight_perfetto_counter(&own->perfetto, process->uuid[1], process->running,
                                  process->last_ns);
    }
}

static void write_begin(void *data, struct pinsight_track *track,
                        const struct pinsight_slice *slice) {
    struct pinsight_export *export = data;
    struct perfetto_export *own = export->own;
    struct pinsight_lane *lane = lane_of(export, track);
    struct pinsight_slice_text text;

    pinsight_slice_text(&export->texts, slice, &text);
    pinsight_perfetto_event(&own->perfetto, PINSIGHT_PERFETTO_SLICE_BEGIN, lane->uuid,
                            take_time(own, lane, slice->begin_ns));
    pinsight_perfetto_name(&own->perfetto, text.category, text.name);
    pinsight_slice_details(export->model, slice, &text, &own->details);
    /* A region's first number belongs to its starter. The starter's part lies within the region,
     * and needs no flow. */
    for (uint32_t i = slice->kind == PINSIGHT_SLICE_REGION; slice->out && i < slice->outs; i++)
        pinsight_perfetto_leaves(&own->perfetto, slice->out + i);
    if (track->stream && slice->in)
        pinsight_perfetto_leaves(&own->perfetto, slice->in);
    else if (lane->arrives && lane->arrives == slice->in)
        pinsight_perfetto_arrives(&own->perfetto, lane->arrives);
    lane->arrives = 0;
    write_running(export, lane, slice);
    count_all(export);
    export->slices++;
}

static void write_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                      uint64_t ns) {
    struct pinsight_export *export = data;
    struct perfetto_export *own = export->own;
    struct pinsight_lane *lane = lane_of(export, track);

    pinsight_perfetto_event(&own->perfetto, PINSIGHT_PERFETTO_SLICE_END, lane->uuid,
                            take_time(own, lane, ns));
    pinsight_slice_end_details(slice, &own->details);
    write_running(export, lane, track->depth > 1 ? slice - 1 : NULL);
    count_all(export);
}

/* Returns whether a flow has the number that write_begin() leaves out of its region. In a damaged
 * trace, the first member of a team may be another thread than the region's starter. */
static bool is_first_of_region(const struct pinsight_flow *flow) {
    for (size_t i = 0; i < flow->from->depth; i++)
        if (flow->from->slices[i].kind == PINSIGHT_SLICE_REGION &&
            flow->from->slices[i].out == flow->number)
            return true;
    return false;
}

static void show_flow(void *data, const struct pinsight_flow *flow) {
    struct pinsight_export *export = data;
    struct perfetto_export *own = export->own;
    struct pinsight_lane *lane = lane_of(export, flow->to);

    if (flow->kind == PINSIGHT_FLOW_LAUNCH)
        return; /* the work that follows has the flow's number */
    if (flow->kind == PINSIGHT_FLOW_TEAM) {
        lane->arrives = is_first_of_region(flow) ? 0 : flow->number;
        return;
    }
    pinsight_perfetto_event(&own->perfetto, PINSIGHT_PERFETTO_INSTANT, lane->uuid,
                            take_time(own, lane, flow->to_ns));
    pinsight_perfetto_name(&own->perfetto, "mpi", "message received");
    pinsight_detail(&own->details, "bytes", PINSIGHT_DETAIL_SIZE, flow->bytes);
    pinsight_perfetto_arrives(&own->perfetto, flow->number);
    pinsight_perfetto_write(&own->perfetto);
}

static void write_instant(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    struct pinsight_export *export = data;
    struct perfetto_export *own = export->own;
    struct pinsight_lane *lane = lane_of(export, track);

    pinsight_perfetto_event(&own->perfetto, PINSIGHT_PERFETTO_INSTANT, lane->uuid,
                            take_time(own, lane, ns));
    pinsight_perfetto_name(&own->perfetto, "region", *name ? name : "?");
    pinsight_perfetto_write(&own->perfetto);
}

/* Writes a value that the program marked, in a counter of the process. */
static void write_value(void *data, struct pinsight_track *track, const char *name, double value,
                        uint64_t ns) {
    struct pinsight_export *export = data;
    struct perfetto_export *own = export->own;
    struct pinsight_lane *lane = lane_of(export, track);
    uint64_t process = pinsight_lane_process_of(&own->lanes, lane, false)->uuid[0];
    /* Equal names have one address. */
    uint64_t key = (uint64_t)(uintptr_t)name ^ process << 48;
    uint32_t uuid = pinsight_map_get64(&own->values, key);

    if (uuid == PINSIGHT_MAP_NONE) {
        uuid = (uint32_t)++own->uuids;
        pinsight_map_set64(&own->values, key, uuid);
        pinsight_perfetto_counts(&own->perfetto, uuid, process, *name ? name : "?", "");
    }
    pinsight_perfetto_real(&own->perfetto, uuid, value, take_time(own, lane, ns));
}

static void write_memory(void *data, const struct pinsight_process *process, uint64_t bytes,
                         uint64_t ns) {
    struct pinsight_export *export = data;
    struct perfetto_export *own = export->own;
    struct pinsight_lane_process *lane = pinsight_lane_process_find(&own->lanes, process);

    if (!lane || !lane->uuid[0])
        return;
    if (!lane->uuid[2]) {
        lane->uuid[2] = ++own->uuids;
        pinsight_perfetto_counts(&own->perfetto, lane->uuid[2], lane->uuid[0], "resident memory",
                                 "bytes");
    }
    pinsight_perfetto_counter(&own->perfetto, lane->uuid[2], (int64_t)bytes, ns);
}

/* Describes a track for the last time. */
static void describe_at_last(struct pinsight_export *export, struct pinsight_lane *lane) {
    struct perfetto_export *own = export->own;

    if (!lane->shown)
        describe_process(export, pinsight_lane_process_of(&own->lanes, lane, true));
    describe_thread(export, lane);
}

static void write_gone(void *data, struct pinsight_track *track) {
    struct pinsight_export *export = data;
    struct pinsight_lane *lane;

    if (!export->out)
        return; /* everything was written already */
    lane = lane_of(export, track);
    describe_at_last(export, lane);
    lane->track = NULL;
}

static void add_detail(void *data, const struct pinsight_slice_detail *detail) {
    pinsight_perfetto_detail(data, detail);
}

static int begin(struct pinsight_export *export) {
    struct perfetto_export *own = export->own;

    own->lanes.model = export->model;
    own->details = (struct pinsight_slice_details){.data = &own->perfetto, .add = add_detail};
    pinsight_perfetto_open(&own->perfetto, export->out);
    pinsight_perfetto_ordered(&own->perfetto);
    return 0;
}

/* Describes tracks that were unknown before, and names that changed. */
static int finish(struct pinsight_export *export) {
    struct perfetto_export *own = export->own;

    count_all(export);
    for (size_t i = 0; i < own->lanes.thread_count; i++)
        if (own->lanes.threads[i].track)
            describe_at_last(export, &own->lanes.threads[i]);
    for (size_t i = 0; i < own->lanes.process_count; i++)
        if (own->lanes.processes[i].uuid[0])
            describe_process(export, &own->lanes.processes[i]);
    pinsight_perfetto_flush(&own->perfetto);
    return 0;
}

static void clear(struct pinsight_export *export) {
    struct perfetto_export *own = export->own;

    pinsight_perfetto_clear(&own->perfetto);
    pinsight_map_clear(&own->values);
    pinsight_lanes_clear(&own->lanes);
}

const struct pinsight_export_format pinsight_export_perfetto = {
    PINSIGHT_EXPORT_FORM("perfetto", ".pftrace", "ui.perfetto.dev, trace_processor",
                         struct perfetto_export),
    PINSIGHT_EXPORT_TIMELINE,
};
