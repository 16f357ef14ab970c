/*
 * Writes Chrome's Trace Event Format, for chrome://tracing, ui.perfetto.dev, Speedscope and other
 * readers: JSON, one event a line.
 *
 * `ts` is in microseconds, with three digits after the point. The time counts from the second in
 * which the trace begins, which otherData contains. Readers keep it as a double, which cannot hold
 * nanoseconds since 1970. Begins and ends (B, E) nest in the order of the lines.
 *
 * A flow has both ends or none. The start of a flow (s) belongs to the slice that is open in its
 * thread at its time. The end (f) does so, too (bp e). The names of threads and processes (M) may
 * stand anywhere. Here names stand at the end, when they are known. Readers sort by time. Therefore
 * the work of a device, and the flow to it, may be written late.
 */
#include "views/domain.h"
#include "views/export/formats.h"

#include "base/json.h"
#include "reader/mpi/mpi.h"
#include "views/lanes.h"
#include "views/slice_details.h"

#include <inttypes.h>
#include <math.h>

#define SECOND UINT64_C(1000000000)

/* Flows of launches have numbers from here on. All numbers are exact as a double. */
#define LAUNCHES (UINT64_C(1) << 52)

struct chrome_export {
    struct pinsight_lanes lanes;
    struct pinsight_slice_details details;
    FILE *out;
    uint64_t base_ns, last_ns;
    uint64_t messages, lost; /* last written values of the counters */
    uint64_t launches;       /* number of flows to work of devices */
    bool begun;              /* base_ns is set and written */
    bool detailed;           /* the open event has a detail */
    bool counted;            /* the whole run has a counter */
};

static void write_head(struct chrome_export *own, uint64_t ns) {
    own->begun = true;
    own->base_ns = ns - ns % SECOND;
    own->last_ns = ns;
    fprintf(own->out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"PInsight\","
            "\"seconds_since_1970\":%" PRIu64 "},\"traceEvents\":[",
            own->base_ns / SECOND);
}

/* Writes the start of an event's line, up to its time. */
static void write_event(struct chrome_export *own, char phase, int32_t pid, int32_t tid,
                        uint64_t ns) {
    bool first = !own->begun, before;
    uint64_t since;

    if (first)
        write_head(own, ns);
    before = ns < own->base_ns;
    since = before ? own->base_ns - ns : ns - own->base_ns;
    if (ns > own->last_ns)
        own->last_ns = ns;
    fprintf(own->out,
            "%s\n{\"ph\":\"%c\",\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"ts\":%s%" PRIu64 ".%03u",
            first ? "" : ",", phase, pid, tid, before ? "-" : "", since / 1000,
            (unsigned)(since % 1000));
}

static void write_at(struct chrome_export *own, char phase, struct pinsight_lane *lane,
                     uint64_t ns) {
    write_event(own, phase, pinsight_lane_process_of(&own->lanes, lane, false)->pid, lane->tid, ns);
}

static void write_name(struct chrome_export *own, const char *category, const char *name) {
    fprintf(own->out, ",\"cat\":\"%s\",\"name\":", category);
    pinsight_json_quote(own->out, name);
}

static void add_detail(void *data, const struct pinsight_slice_detail *detail) {
    struct chrome_export *own = data;
    FILE *out = own->out;

    fprintf(out, "%s\"%s\":", own->detailed ? "," : ",\"args\":{", detail->key);
    own->detailed = true;
    switch (detail->kind) {
    case PINSIGHT_DETAIL_TEXT:
        pinsight_json_quote(out, detail->text);
        break;
    case PINSIGHT_DETAIL_NUMBER:
        fprintf(out, "%" PRId64, (int64_t)detail->number);
        break;
    case PINSIGHT_DETAIL_SIZE:
        fprintf(out, "%" PRIu64, detail->number);
        break;
    case PINSIGHT_DETAIL_ADDRESS:
        fprintf(out, "\"0x%" PRIx64 "\"", detail->number);
        break;
    case PINSIGHT_DETAIL_FLAG:
        fputs("true", out);
    }
}

static void add_size(struct chrome_export *own, const char *key, uint64_t size) {
    pinsight_detail(&own->details, key, PINSIGHT_DETAIL_SIZE, size);
}

static void end_event(struct chrome_export *own) {
    fputs(own->detailed ? "}}" : "}", own->out);
    own->detailed = false;
}

/* Writes a counter of the whole run, which belongs to a made-up process 0. */
static void count(struct chrome_export *own, const char *name, uint64_t *shown, uint64_t value) {
    if (*shown == value)
        return;
    *shown = value;
    own->counted = true;
    write_event(own, 'C', 0, 0, own->last_ns);
    write_name(own, "counter", name);
    add_size(own, "count", value);
    end_event(own);
}

static void count_all(struct pinsight_export *export) {
    struct chrome_export *own = export->own;

    if (pinsight_model_mpi(export->model))
        count(own, "MPI messages in flight", &own->messages,
              pinsight_model_mpi(export->model)->pending);
    count(own, "events lost", &own->lost, export->source.discarded_events);
}

static void count_running(struct chrome_export *own, struct pinsight_lane *lane,
                          const struct pinsight_slice *innermost) {
    const struct pinsight_lane_process *process = pinsight_lane_runs(&own->lanes, lane, innermost);

    if (!process)
        return;
    write_event(own, 'C', process->pid, 0, process->last_ns);
    write_name(own, "counter", "threads running");
    add_size(own, "threads", process->running);
    end_event(own);
}

/* Writes one end of a flow, and the size of a message. */
static void write_flow(struct chrome_export *own, char phase, const struct pinsight_flow *flow,
                       struct pinsight_lane *lane, uint64_t ns) {
    write_at(own, phase, lane, ns);
    if (flow->kind == PINSIGHT_FLOW_TEAM)
        write_name(own, "openmp", "team");
    else if (flow->kind == PINSIGHT_FLOW_LAUNCH)
        write_name(own, slice_view_of(PINSIGHT_SLICE_DEVICE_CALL)->category, "launch");
    else
        write_name(own, "mpi", "message");
    fprintf(own->out, ",\"id\":%" PRIu64 "%s", flow->number, phase == 'f' ? ",\"bp\":\"e\"" : "");
    if (flow->kind == PINSIGHT_FLOW_MESSAGE)
        add_size(own, "bytes", flow->bytes);
    end_event(own);
}

static void write_slice(struct pinsight_export *export, struct pinsight_lane *lane,
                        const struct pinsight_slice *slice, uint64_t ns) {
    struct chrome_export *own = export->own;
    struct pinsight_slice_text text;

    pinsight_slice_text(&export->texts, slice, &text);
    write_at(own, 'B', lane, ns);
    write_name(own, text.category, text.name);
    pinsight_slice_details(export->model, slice, &text, &own->details);
    end_event(own);
    export->slices++;
}

/* With a threshold, a slice is written when it or a slice within it turns out to be long enough. */
static void write_begin(void *data, struct pinsight_track *track,
                        const struct pinsight_slice *slice) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    struct pinsight_lane *lane = pinsight_lane_of(&own->lanes, track);
    struct pinsight_flow flow = {.kind = track->stream ? PINSIGHT_FLOW_LAUNCH : PINSIGHT_FLOW_TEAM,
                                 .number = lane->arrives};
    uint64_t ns = pinsight_lane_time(lane, slice->begin_ns);

    if (!export->options->threshold_ns)
        write_slice(export, lane, slice, ns);
    lane->arrives = 0;
    if (flow.number && (flow.number == slice->in || track->stream))
        write_flow(own, 'f', &flow, lane, ns);
    count_running(own, lane, slice);
    count_all(export);
}

/* Returns whether a slice that ends is long enough. If so, writes it and the unwritten slices
 * around it. The written slices of a lane are always the outermost ones. */
static bool is_long_enough(struct pinsight_export *export, const struct pinsight_track *track,
                           struct pinsight_lane *lane, const struct pinsight_slice *slice,
                           uint64_t ns) {
    size_t inner = track->depth - 1;
    bool is_long = lane->written > inner || ns - slice->begin_ns >= export->options->threshold_ns;

    for (size_t i = lane->written; is_long && i <= inner; i++)
        write_slice(export, lane, slice - (inner - i), (slice - (inner - i))->begin_ns);
    if (is_long)
        lane->written = inner;
    return is_long;
}

static void write_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                      uint64_t ns) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    struct pinsight_lane *lane = pinsight_lane_of(&own->lanes, track);

    ns = pinsight_lane_time(lane, ns);
    if (!export->options->threshold_ns || is_long_enough(export, track, lane, slice, ns)) {
        write_at(own, 'E', lane, ns);
        pinsight_slice_end_details(slice, &own->details);
        end_event(own);
    }
    count_running(own, lane, track->depth > 1 ? slice - 1 : NULL);
    count_all(export);
}

static void show_flow(void *data, const struct pinsight_flow *flow) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    struct pinsight_flow shown = *flow;
    struct pinsight_lane *to;

    /* All work of one launch has one number. Here each piece of work is a flow of its own. */
    if (flow->kind == PINSIGHT_FLOW_LAUNCH)
        shown.number = LAUNCHES + own->launches++;
    write_flow(own, 's', &shown, pinsight_lane_of(&own->lanes, flow->from), flow->from_ns);
    to = pinsight_lane_of(&own->lanes, flow->to);
    if (flow->kind != PINSIGHT_FLOW_MESSAGE)
        to->arrives = shown.number;
    else
        write_flow(own, 'f', flow, to, pinsight_lane_time(to, flow->to_ns));
}

static void write_instant(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    struct pinsight_lane *lane = pinsight_lane_of(&own->lanes, track);

    write_at(own, 'i', lane, pinsight_lane_time(lane, ns));
    fputs(",\"s\":\"t\"", own->out);
    write_name(own, "region", *name ? name : "?");
    end_event(own);
}

/* Writes a value that the program marked, in a counter of the process. JSON has no infinity. */
static void write_value(void *data, struct pinsight_track *track, const char *name, double value,
                        uint64_t ns) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    struct pinsight_lane *lane = pinsight_lane_of(&own->lanes, track);

    if (!isfinite(value))
        return;
    write_event(own, 'C', pinsight_lane_process_of(&own->lanes, lane, false)->pid, 0,
                pinsight_lane_time(lane, ns));
    write_name(own, "value", *name ? name : "?");
    fprintf(own->out, ",\"args\":{\"value\":%.17g}", value);
    end_event(own);
}

static void write_memory(void *data, const struct pinsight_process *process, uint64_t bytes,
                         uint64_t ns) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    const struct pinsight_lane_process *lane = pinsight_lane_process_find(&own->lanes, process);

    if (!lane) /* a process without slices has no name */
        return;
    write_event(own, 'C', lane->pid, 0, ns);
    write_name(own, "counter", "resident memory");
    add_size(own, "bytes", bytes);
    end_event(own);
}

/* Writes the name of a process or thread, and its position. */
static void write_meta(struct chrome_export *own, const char *what, int32_t pid, int32_t tid,
                       const char *name, int32_t order) {
    write_event(own, 'M', pid, tid, own->base_ns);
    fprintf(own->out, ",\"name\":\"%s_name\",\"args\":{\"name\":", what);
    pinsight_json_quote(own->out, name);
    fputs("}}", own->out);
    write_event(own, 'M', pid, tid, own->base_ns);
    fprintf(own->out, ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%" PRId32 "}}", what,
            order);
}

static void write_names(struct pinsight_export *export, struct pinsight_lane *lane) {
    struct chrome_export *own = export->own;
    struct pinsight_lane_process *process = pinsight_lane_process_of(&own->lanes, lane, false);
    struct pinsight_lane_process known = *process;
    char name[256];

    /* The process that the track belongs to may be known only now, see adopt.h. */
    known.process = pinsight_track_process(lane->track);
    pinsight_track_process_name(export->model, known.process, name, sizeof(name));
    if (pinsight_lane_update(&process->shown, name))
        write_meta(own, "process", process->pid, process->pid, name,
                   pinsight_lane_process_order(&known));
    pinsight_track_name(export->model, lane->track, name, sizeof(name));
    write_meta(own, "thread", process->pid, lane->tid, name, pinsight_lane_order(lane));
}

static void write_gone(void *data, struct pinsight_track *track) {
    struct pinsight_export *export = data;
    struct chrome_export *own = export->own;
    struct pinsight_lane *lane;

    if (!export->out)
        return; /* everything was written already */
    lane = pinsight_lane_of(&own->lanes, track);
    write_names(export, lane);
    lane->track = NULL;
}

static int begin(struct pinsight_export *export) {
    struct chrome_export *own = export->own;

    own->out = export->out;
    own->lanes.model = export->model;
    own->details = (struct pinsight_slice_details){.data = own, .add = add_detail};
    return 0;
}

static int finish(struct pinsight_export *export) {
    struct chrome_export *own = export->own;

    if (own->begun)
        count_all(export);
    for (size_t i = 0; i < own->lanes.thread_count; i++)
        if (own->lanes.threads[i].track)
            write_names(export, &own->lanes.threads[i]);
    if (own->counted)
        write_meta(own, "process", 0, 0, "the whole run", -1);
    if (!own->begun)
        write_head(own, 0);
    fputs("\n]}\n", own->out);
    return 0;
}

static void clear(struct pinsight_export *export) {
    pinsight_lanes_clear(&((struct chrome_export *)export->own)->lanes);
}

const struct pinsight_export_format pinsight_export_chrome = {
    PINSIGHT_EXPORT_FORM("chrome", ".json", "chrome://tracing, ui.perfetto.dev, Speedscope",
                         struct chrome_export),
    .threshold = true,
    PINSIGHT_EXPORT_TIMELINE,
};
