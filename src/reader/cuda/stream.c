/* Streams of devices: passes on their records in the order of time. */
#include "reader/cuda/state.h"

#include "base/memory.h"

#include <stdlib.h>

/* Marks the streams of a device whose contexts must be distinguished, because a process has
 * several. */
static void mark_contexts(const struct pinsight_cuda *cuda, struct pinsight_device_stream *added) {
    for (size_t i = 0; i < cuda->stream_count; i++) {
        struct pinsight_device_stream *stream = &cuda->streams[i]->base;

        if (stream->process == added->process && stream->device == added->device &&
            stream->context != added->context)
            stream->other_contexts = added->other_contexts = true;
    }
}

static struct pinsight_cuda_stream *stream_of(struct pinsight_process *process, uint32_t device,
                                              uint32_t context, uint32_t number) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);
    /* A map's key has three numbers, so that device and context get a number from a map of their
     * own. */
    uint32_t place =
        pinsight_map_number(&cuda->place_map, process->index, device, context, cuda->places);
    struct pinsight_cuda_stream *stream;
    uint32_t index;

    cuda->places += place == cuda->places;
    index = pinsight_map_get(&cuda->stream_map, place, number, 0);
    if (index != PINSIGHT_MAP_NONE)
        return cuda->streams[index];
    stream = pinsight_calloc(1, sizeof(*stream));
    stream->base = (struct pinsight_device_stream){
        .process = process, .device = device, .context = context, .number = number};
    mark_contexts(cuda, &stream->base);
    stream->device = pinsight_cuda_device_of(process, device);
    pinsight_map_set(&cuda->stream_map, place, number, 0, (uint32_t)cuda->stream_count);
    *PINSIGHT_ADD(cuda->streams, cuda->stream_count, cuda->stream_capacity) = stream;
    return stream;
}

static bool is_before(const struct pinsight_cuda_held *a, const struct pinsight_cuda_held *b) {
    return a->from_ns != b->from_ns ? a->from_ns < b->from_ns : a->order < b->order;
}

static void push(struct pinsight_cuda_stream *stream, const struct pinsight_cuda_held *record) {
    size_t at = stream->held_count;

    stream->held = pinsight_grow(stream->held, at, &stream->held_capacity, sizeof(*stream->held));
    stream->held_count++;
    for (; at && is_before(record, &stream->held[(at - 1) / 2]); at = (at - 1) / 2)
        stream->held[at] = stream->held[(at - 1) / 2];
    stream->held[at] = *record;
}

static struct pinsight_cuda_held pop(struct pinsight_cuda_stream *stream) {
    struct pinsight_cuda_held first = stream->held[0], *held = stream->held, moved;
    size_t at = 0, count = --stream->held_count;

    moved = held[count];
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(&held[child + 1], &held[child]))
            child++;
        if (!is_before(&held[child], &moved))
            break;
        held[at] = held[child];
        at = child;
    }
    held[at] = moved;
    return first;
}

static void add_to_sums(struct pinsight_cuda_stream *stream,
                        const struct pinsight_cuda_held *record, uint64_t ns) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(stream->base.process->model);
    struct pinsight_cuda_work *work = &cuda->works[record->work];

    pinsight_extremes_add(&work->min_ns, &work->max_ns, !work->count, ns, ns);
    work->count++;
    work->total_ns += ns;
    work->bytes += record->bytes;
    stream->count[work->type]++;
    stream->busy_ns[work->type] += ns;
    if (work->type == PINSIGHT_CUDA_COPY)
        stream->bytes[work->direction] += record->bytes;
    if (record->site == PINSIGHT_NONE)
        return;
    cuda->sites[record->site].works++;
    cuda->sites[record->site].device_ns += ns;
    if (work->type == PINSIGHT_CUDA_COPY)
        cuda->sites[record->site].recorded[work->direction] += record->bytes;
}

/* Returns the number of pieces of work in a stream that were requested earlier and had not begun at
 * a time. */
static uint64_t queued(const struct pinsight_cuda_stream *stream, uint64_t ns) {
    uint64_t first = 0, end = stream->begun_count;

    if (end > PINSIGHT_CUDA_BEGUN)
        first = end - PINSIGHT_CUDA_BEGUN;
    while (first < end) {
        uint64_t middle = first + (end - first) / 2;

        if (stream->begun[middle % PINSIGHT_CUDA_BEGUN] > ns)
            end = middle;
        else
            first = middle + 1;
    }
    return stream->begun_count - first;
}

static void note_begin(struct pinsight_cuda_stream *stream, const struct pinsight_cuda_held *record,
                       uint64_t from) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(stream->base.process->model);

    if (!stream->begun)
        stream->begun = pinsight_calloc(PINSIGHT_CUDA_BEGUN, sizeof(*stream->begun));
    if (record->first)
        pinsight_cuda_device_queue(cuda, stream->device, queued(stream, record->flow.from_ns));
    stream->begun[stream->begun_count++ % PINSIGHT_CUDA_BEGUN] = from;
}

static void deliver(struct pinsight_cuda_stream *stream, struct pinsight_cuda_held *record) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(stream->base.process->model);
    const struct pinsight_cuda_site *site =
        record->site == PINSIGHT_NONE ? NULL : &cuda->sites[record->site];
    struct pinsight_slice slice;
    uint64_t from = record->from_ns, to = record->to_ns;

    record->work = cuda->works[record->work].same;
    slice = pinsight_slice_of(PINSIGHT_SLICE_WORK, record->work, 0);
    if (stream->last_ns > from) { /* last_ns is 0 for a stream without work */
        from = stream->last_ns;
        to = to > from ? to : from;
        cuda->shortened++;
        cuda->shortened_ns += pinsight_time_rest(record->to_ns - record->from_ns, to - from);
    }
    if (!stream->first_ns)
        stream->first_ns = from;
    stream->last_ns = to;
    note_begin(stream, record, from);
    add_to_sums(stream, record, to - from);
    slice.bytes = record->bytes;
    slice.path = site ? site->path : PINSIGHT_NONE;
    slice.forward = site ? site->forward : PINSIGHT_NONE;
    slice.for_other = site && site->for_other;
    slice.correlation = record->correlation;
    slice.shape = record->shape;
    pinsight_stream_work(&stream->base, &slice, &record->flow, from, to);
}

void pinsight_cuda_flush(struct pinsight_cuda_stream *stream) {
    while (stream->held_count) {
        struct pinsight_cuda_held record = pop(stream);

        deliver(stream, &record);
    }
    free(stream->held);
    stream->held = NULL;
    stream->held_capacity = 0;
}

/* Corrects impossible times: a record comes after its work, and work begins after its request. The
 * conversion of devices' clocks has some error. */
static void bound(struct pinsight_cuda *cuda, struct pinsight_cuda_held *held, uint64_t earliest,
                  uint64_t latest) {
    uint64_t from = held->from_ns < latest ? held->from_ns : latest;
    uint64_t to = held->to_ns < latest ? held->to_ns : latest;

    from = from > earliest ? from : earliest;
    to = to > from ? to : from;
    if (from == held->from_ns && to == held->to_ns)
        return;
    cuda->shortened++;
    cuda->shortened_ns += pinsight_time_rest(held->to_ns - held->from_ns, to - from);
    held->from_ns = from;
    held->to_ns = to;
}

/* Reports a device's work from its record. A record without a call counts for the device alone. */
static void report_device(const struct pinsight_cuda_stream *stream,
                          const struct pinsight_cuda_held *record) {
    struct pinsight_model *model = stream->base.process->model;
    struct pinsight_cuda *cuda = pinsight_model_cuda(model);
    bool is_asked = record->site != PINSIGHT_NONE;
    unsigned type = cuda->works[record->work].type;
    const struct pinsight_cuda_pending work = {
        .begin_ns = record->from_ns,
        .end_ns = record->to_ns,
        .asked_ns = is_asked ? record->flow.from_ns : record->from_ns,
        .track = record->flow.from ? record->flow.from->number : 0,
        .site = record->site,
        .process = stream->base.process->index};

    if (model->options.thread >= 0)
        return;
    pinsight_cuda_device_worked(model, stream->device, &work);
    if (record->first && (type == PINSIGHT_CUDA_KERNEL || type == PINSIGHT_CUDA_GRAPH))
        pinsight_cuda_device_latency(cuda, stream->device,
                                     pinsight_time_rest(work.begin_ns, work.asked_ns));
}

/* The largest credible error of a device's clock. */
#define MOST_ERROR_NS UINT64_C(1000000)

/* Times that are so far behind the record's own are not corrected: they are none. */
#define FAR_NS UINT64_C(60000000000)

/* Returns whether a record of the time `ns` has valid times. */
static bool has_times(const struct pinsight_cuda_record *record, uint64_t ns) {
    return record->from_ns && record->to_ns >= record->from_ns &&
           pinsight_time_rest(record->to_ns, ns) <= FAR_NS;
}

static void check(struct pinsight_cuda_error *error, uint64_t earlier_ns, uint64_t later_ns) {
    error->checked++;
    if (later_ns >= earlier_ns)
        return;
    error->count++;
    if (earlier_ns - later_ns > error->most_ns)
        error->most_ns = earlier_ns - later_ns;
}

/* Compares the times of a device with those of the thread that requested its work. */
static void check_clock(const struct pinsight_process *process,
                        const struct pinsight_cuda_record *record,
                        const struct pinsight_cuda_request *call) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);
    uint64_t done_ns = pinsight_cuda_done_by(process, record->context, record->stream, call);

    check(&cuda->early, call->from_ns, record->from_ns);
    if (done_ns != UINT64_MAX)
        check(&cuda->late, record->to_ns, done_ns);
}

void pinsight_cuda_worked(struct pinsight_process *process,
                          const struct pinsight_cuda_record *record, uint64_t ns) {
    struct pinsight_model *model = process->model;
    struct pinsight_cuda *cuda = pinsight_cuda_of(model);
    struct pinsight_cuda_request *call;
    struct pinsight_cuda_stream *stream;
    struct pinsight_cuda_held held = {.from_ns = record->from_ns,
                                      .to_ns = record->to_ns,
                                      .order = cuda->records,
                                      .bytes = record->bytes,
                                      .work = record->work,
                                      .correlation = record->correlation,
                                      .site = PINSIGHT_NONE,
                                      .shape = record->shape};

    if (!process->selected)
        return;
    call = record->correlation ? pinsight_cuda_request_find(process, record->correlation) : NULL;
    /* With a selected thread, only the work of its calls counts. */
    if (!call && model->options.thread >= 0)
        return;
    cuda->records++;
    if (!has_times(record, ns)) {
        cuda->without_times++;
        return;
    }
    if (call && record->to_ns < call->from_ns &&
        (call->again || call->from_ns - record->to_ns > MOST_ERROR_NS))
        call = NULL; /* an earlier call with the number */
    if (call) {
        check_clock(process, record, call);
        held.site = call->site;
        held.first = !call->worked;
        call->worked = true;
        held.flow = (struct pinsight_flow){.number = call->number,
                                           .from_ns = call->from_ns < ns ? call->from_ns : ns,
                                           .bytes = record->bytes,
                                           .from = call->from,
                                           .kind = PINSIGHT_FLOW_LAUNCH};
    } else {
        cuda->without_call++;
    }
    bound(cuda, &held, call ? held.flow.from_ns : 0, ns);
    stream = stream_of(process, record->device, record->context, record->stream);
    report_device(stream, &held);
    if (stream->held_count == PINSIGHT_CUDA_HELD) {
        struct pinsight_cuda_held first = pop(stream);

        deliver(stream, &first);
    }
    push(stream, &held);
}
