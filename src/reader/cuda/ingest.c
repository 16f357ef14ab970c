/* Takes events of CUDA: calls of the program, and records of devices' work. */
#include "reader/cuda/state.h"

#include "base/words.h"
#include "reader/ctf/layout.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"

/* Records of devices' work, and definitions. */
enum cuda_moment {
    KERNEL = EVENT_OWN,
    COPIED,
    SET,
    GRAPH,
    WAITED,
    KERNEL_INFO,
    DEVICE_INFO,
    DEVICE_CLOCK,
    DEVICE_LOST,
};

static const char *const others[] = {
    "cudaKernelActivity", "cudaMemcpyActivity", "cudaMemsetActivity",
    "cudaGraphActivity",  "cudaSyncActivity",   "kernel_info",
    "device_info",        "device_clock",       "device_lost"};

enum cuda_field {
    PY_PATH,
    CORRELATION,
    DEVICE,
    CONTEXT,
    STREAM,
    START,
    STOP,
    BYTES,
    KIND,
    NAME,
    GRID_X,
    GRID_Y,
    GRID_Z,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    RETURN_VALUE,
    KERNEL_NUMBER,
    GRAPH_ID,
    UUID,
    SOURCE,
    ERROR,
    RECORDS,
    CAUSE,
    FORWARD_PATH,
    BUS,
    MEMORY,
    MULTIPROCESSORS,
    COMPUTE_MAJOR,
    COMPUTE_MINOR,
    FIELDS,
};

static const char *const field_names[FIELDS] = {
    "py_path", "correlationId", "devId",           "contextId",     "streamId",
    "start",   "end",           "bytes",           "kind",          "name",
    "grid_x",  "grid_y",        "grid_z",          "block_x",       "block_y",
    "block_z", "return_value",  "kernel",          "graph_id",      "uuid",
    "source",  "error_ns",      "records",         "cause",         "forward_path",
    "bus",     "memory",        "multiprocessors", "compute_major", "compute_minor",
};

_Static_assert(FIELDS <= EVENT_LAYOUT_FIELDS, "layouts have room for all fields");

static struct event_layouts layouts = {.fields = field_names,
                                       .field_count = FIELDS,
                                       .moments = others,
                                       .moment_count = sizeof(others) / sizeof(others[0])};

static uint64_t get(const struct pinsight_event *event, const struct event_layout *layout,
                    enum cuda_field field) {
    return (uint64_t)event_layout_get(layout, event, field, 0);
}

static uint32_t get32(const struct pinsight_event *event, const struct event_layout *layout,
                      enum cuda_field field) {
    return (uint32_t)get(event, layout, field);
}

struct pinsight_thread *pinsight_cuda_event_thread(struct pinsight_model *model,
                                                   const struct pinsight_event *event) {
    return event_layout_of(&layouts, event)->moment < EVENT_OWN
               ? pinsight_lookup_native_thread(model, event, 0)
               : NULL;
}

static struct pinsight_launch_shape shape_of(const struct pinsight_event *event,
                                             const struct event_layout *layout) {
    return (struct pinsight_launch_shape){
        {get32(event, layout, GRID_X), get32(event, layout, GRID_Y), get32(event, layout, GRID_Z)},
        {get32(event, layout, BLOCK_X), get32(event, layout, BLOCK_Y),
         get32(event, layout, BLOCK_Z)}};
}

/* Returns a requested direction, from the values of cudaMemcpyKind (enum memcpy_kind). */
static enum pinsight_cuda_direction requested_direction(uint64_t kind) {
    static const uint8_t directions[] = {PINSIGHT_CUDA_ELSEWHERE, PINSIGHT_CUDA_TO_DEVICE,
                                         PINSIGHT_CUDA_FROM_DEVICE, PINSIGHT_CUDA_ON_DEVICE};

    return kind < sizeof(directions) ? (enum pinsight_cuda_direction)directions[kind]
                                     : PINSIGHT_CUDA_ELSEWHERE;
}

/* Returns a kind of copying, from the values of CUpti_ActivityMemcpyKind (enum copy_kind). */
static uint32_t copying(struct pinsight_model *model, uint64_t kind) {
    static const struct pinsight_name_value kinds[] = {
        {"memcpy", PINSIGHT_CUDA_ELSEWHERE},
        {"memcpy host to device", PINSIGHT_CUDA_TO_DEVICE},
        {"memcpy device to host", PINSIGHT_CUDA_FROM_DEVICE},
        {"memcpy host to array", PINSIGHT_CUDA_TO_DEVICE},
        {"memcpy array to host", PINSIGHT_CUDA_FROM_DEVICE},
        {"memcpy array to array", PINSIGHT_CUDA_ON_DEVICE},
        {"memcpy array to device", PINSIGHT_CUDA_ON_DEVICE},
        {"memcpy device to array", PINSIGHT_CUDA_ON_DEVICE},
        {"memcpy device to device", PINSIGHT_CUDA_ON_DEVICE},
        {"memcpy host to host", PINSIGHT_CUDA_ELSEWHERE},
        {"memcpy peer to peer", PINSIGHT_CUDA_ON_DEVICE},
    };

    if (kind >= sizeof(kinds) / sizeof(kinds[0]))
        kind = 0;
    return pinsight_cuda_work(model, PINSIGHT_CUDA_COPY, kinds[kind].name,
                              (enum pinsight_cuda_direction)kinds[kind].value);
}

static void begin(struct pinsight_thread *thread, struct pinsight_process *process,
                  const struct pinsight_event *event, const struct event_layout *layout) {
    struct pinsight_cuda_call call = {
        .function = pinsight_cuda_function(process->model, layout->function),
        .path = pinsight_path_of(process, get32(event, layout, PY_PATH)),
        .forward = pinsight_path_of(process, get32(event, layout, FORWARD_PATH)),
        .context = get32(event, layout, CONTEXT),
        .stream = event_layout_has(layout, event, STREAM) ? get32(event, layout, STREAM)
                                                          : PINSIGHT_CUDA_NO_STREAM,
        .correlation = get32(event, layout, CORRELATION),
        .bytes = get(event, layout, BYTES),
        .direction = (uint8_t)requested_direction(get(event, layout, KIND)),
        .shape = shape_of(event, layout),
    };

    pinsight_cuda_begin(thread, process, &call, event->ns);
}

static void record(struct pinsight_process *process, const struct pinsight_event *event,
                   const struct event_layout *layout) {
    struct pinsight_model *model = process->model;
    struct pinsight_cuda_record record = {
        .device = get32(event, layout, DEVICE),
        .context = get32(event, layout, CONTEXT),
        .stream = get32(event, layout, STREAM),
        .correlation = get32(event, layout, CORRELATION),
        .from_ns = event_layout_time(layout, event, START),
        .to_ns = event_layout_time(layout, event, STOP),
        .bytes = get(event, layout, BYTES),
        .shape = shape_of(event, layout),
    };

    if (layout->moment == KERNEL)
        record.work = pinsight_cuda_kernel(process, get32(event, layout, KERNEL_NUMBER));
    else if (layout->moment == GRAPH)
        record.work = pinsight_cuda_graph(model, get32(event, layout, GRAPH_ID));
    else if (layout->moment == COPIED)
        record.work = copying(model, get(event, layout, KIND));
    else
        record.work =
            pinsight_cuda_work(model, PINSIGHT_CUDA_SET, "memset", PINSIGHT_CUDA_ELSEWHERE);
    pinsight_cuda_worked(process, &record, event->ns);
}

/* Takes a device_lost event. Causes are values of the enum loss_cause. */
static void lost(struct pinsight_cuda *cuda, uint64_t records, uint64_t cause) {
    enum { DROPPED = 1, OTHER_PROFILER, NOT_HANDED_OVER };

    if (cause == DROPPED)
        cuda->dropped += records;
    else if (cause == OTHER_PROFILER)
        cuda->taken_over++;
    else if (cause == NOT_HANDED_OVER)
        cuda->kept_back++;
}

/* Takes a device_clock event (enum clock_source). The largest error of all processes counts. */
static void clock_is(struct pinsight_cuda *cuda, uint64_t source, uint64_t error_ns) {
    enum { CALLBACK = 1, CALIBRATED };

    cuda->clocks++;
    cuda->calibrated += source == CALIBRATED;
    if (error_ns > cuda->clock_error_ns)
        cuda->clock_error_ns = error_ns;
}

static void device_info(struct pinsight_process *process, const struct pinsight_event *event,
                        const struct event_layout *layout) {
    struct pinsight_model *model = process->model;
    const struct pinsight_cuda_device_info info = {
        .name = pinsight_cuda_known_string(model, event_layout_text(layout, event, NAME)),
        .uuid = pinsight_cuda_known_string(model, event_layout_text(layout, event, UUID)),
        .bus = pinsight_cuda_known_string(model, event_layout_text(layout, event, BUS)),
        .multiprocessors = get32(event, layout, MULTIPROCESSORS),
        .compute = {get32(event, layout, COMPUTE_MAJOR), get32(event, layout, COMPUTE_MINOR)},
        .memory = get(event, layout, MEMORY)};

    pinsight_cuda_device_info(process, get32(event, layout, DEVICE), &info);
}

void pinsight_ingest_cuda(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    const struct event_layout *layout = event_layout_of(&layouts, event);
    struct pinsight_thread *thread;

    if (layout->moment == KERNEL_INFO) {
        pinsight_cuda_kernel_info(process, get32(event, layout, KERNEL_NUMBER),
                                  event_layout_text(layout, event, NAME));
        return;
    }
    if (layout->moment == DEVICE_INFO) {
        device_info(process, event, layout);
        return;
    }
    pinsight_model_touch(process, event->ns);
    if (model->options.names_only)
        return;
    switch (layout->moment) {
    case EVENT_BEGIN:
    case EVENT_END:
        thread = pinsight_cuda_event_thread(model, event);
        if (layout->moment == EVENT_BEGIN)
            begin(thread, process, event, layout);
        else
            pinsight_cuda_end(thread, pinsight_cuda_function(model, layout->function),
                              get32(event, layout, CORRELATION),
                              (int32_t)get(event, layout, RETURN_VALUE), event->ns);
        break;
    case DEVICE_CLOCK:
        clock_is(pinsight_cuda_of(model), get(event, layout, SOURCE), get(event, layout, ERROR));
        break;
    case DEVICE_LOST:
        lost(pinsight_cuda_of(model), get(event, layout, RECORDS), get(event, layout, CAUSE));
        break;
    case WAITED:
        pinsight_cuda_waited(process, event_layout_time(layout, event, START),
                             event_layout_time(layout, event, STOP));
        break;
    case KERNEL:
    case COPIED:
    case SET:
    case GRAPH:
        record(process, event, layout);
        break;
    default: /* an event of a later version */
        break;
    }
}
