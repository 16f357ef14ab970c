/* Events of CUDA. What one is follows from its name, and where its fields are from theirs: that is
 * worked out once, at the first event of each. */
#include "reader/ingest_cuda.h"

#include "reader/cuda.h"
#include "reader/ingest_mpi.h"
#include "reader/lookup.h"
#include "reader/native.h"
#include "reader/paths.h"

#include <stdio.h>
#include <string.h>

enum moment { NOTHING, BEGIN, END, KERNEL, COPIED, SET, WAITED };

enum field {
    PY_PATH,
    CODEPTR,
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
    FIELDS,
};

static const char *const field_names[FIELDS] = {
    "py_path", "codeptr", "correlationId", "devId",   "contextId", "streamId",
    "start",   "end",     "bytes",         "kind",    "name",      "grid_x",
    "grid_y",  "grid_z",  "block_x",       "block_y", "block_z",   "return_value",
};

/* Of each event that the reader knows. */
struct layout {
    int8_t fields[FIELDS]; /* the field's number in the event, -1 without */
    uint8_t moment;
    char function[32];
};

enum { FIRST = PINSIGHT_EVENT_CUDA_CUDAMEMCPY_BEGIN, LAST = PINSIGHT_EVENT_CUDA_CUDASYNCACTIVITY };

static struct layout layouts[LAST - FIRST + 1];

static bool take_suffix(struct layout *layout, const char *name, const char *suffix) {
    size_t length = strlen(name), of_suffix = strlen(suffix);

    if (length <= of_suffix || strcmp(name + length - of_suffix, suffix) != 0)
        return false;
    snprintf(layout->function, sizeof(layout->function), "%.*s", (int)(length - of_suffix), name);
    return true;
}

static void describe(struct layout *layout, const struct pinsight_event_desc *desc) {
    static const struct {
        const char *name;
        enum moment moment;
    } records[] = {{"cudaKernelActivity", KERNEL},
                   {"cudaMemcpyActivity", COPIED},
                   {"cudaMemsetActivity", SET},
                   {"cudaSyncActivity", WAITED}};

    if (take_suffix(layout, desc->name, "_begin"))
        layout->moment = BEGIN;
    else if (take_suffix(layout, desc->name, "_end"))
        layout->moment = END;
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
        if (!strcmp(desc->name, records[i].name))
            layout->moment = (uint8_t)records[i].moment;
    for (size_t f = 0; f < FIELDS; f++) {
        layout->fields[f] = -1;
        for (size_t i = 0; i < desc->field_count && i < INT8_MAX; i++)
            if (!strcmp(desc->fields[i].name, field_names[f]))
                layout->fields[f] = (int8_t)i;
    }
}

static const struct layout *layout_of(const struct pinsight_event *event) {
    struct layout *layout = &layouts[event->binding->id - FIRST];

    if (layout->moment == NOTHING)
        describe(layout, &pinsight_event_descs[event->binding->id]);
    return layout;
}

static uint64_t get(const struct pinsight_event *event, const struct layout *layout,
                    enum field field) {
    return layout->fields[field] < 0
               ? 0
               : (uint64_t)pinsight_event_integer(event, (unsigned)layout->fields[field]);
}

static uint32_t get32(const struct pinsight_event *event, const struct layout *layout,
                      enum field field) {
    return (uint32_t)get(event, layout, field);
}

static uint64_t time_of(const struct pinsight_event *event, const struct layout *layout,
                        enum field field) {
    return layout->fields[field] < 0 ? 0
                                     : pinsight_event_time(event, (unsigned)layout->fields[field]);
}

static const char *name_in(const struct pinsight_event *event, const struct layout *layout) {
    const char *name =
        layout->fields[NAME] < 0 ? "" : pinsight_event_text(event, (unsigned)layout->fields[NAME]);

    return *name ? name : "kernel";
}

bool pinsight_is_cuda(const struct pinsight_event *event) {
    return (int)event->binding->id >= (int)FIRST && (int)event->binding->id <= (int)LAST;
}

bool pinsight_is_cuda_call(const struct pinsight_event *event) {
    return pinsight_is_cuda(event) && layout_of(event)->moment <= END;
}

static struct pinsight_cuda_shape shape_of(const struct pinsight_event *event,
                                           const struct layout *layout) {
    return (struct pinsight_cuda_shape){
        {get32(event, layout, GRID_X), get32(event, layout, GRID_Y), get32(event, layout, GRID_Z)},
        {get32(event, layout, BLOCK_X), get32(event, layout, BLOCK_Y),
         get32(event, layout, BLOCK_Z)}};
}

/* By the values of the enum memcpy_kind: those of cudaMemcpyKind. */
static enum pinsight_cuda_direction said(uint64_t kind) {
    static const uint8_t directions[] = {PINSIGHT_CUDA_ELSEWHERE, PINSIGHT_CUDA_TO_DEVICE,
                                         PINSIGHT_CUDA_FROM_DEVICE, PINSIGHT_CUDA_ON_DEVICE};

    return kind < sizeof(directions) ? (enum pinsight_cuda_direction)directions[kind]
                                     : PINSIGHT_CUDA_ELSEWHERE;
}

/* A kind of copying, by the values of the enum copy_kind: those of CUpti_ActivityMemcpyKind. */
static uint32_t copying(struct pinsight_model *model, uint64_t kind) {
    static const struct {
        const char *name;
        enum pinsight_cuda_direction direction;
    } kinds[] = {
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
    return pinsight_cuda_work(model, PINSIGHT_CUDA_COPY, kinds[kind].name, kinds[kind].direction);
}

static void begin(struct pinsight_thread *thread, struct pinsight_process *process,
                  const struct pinsight_event *event, const struct layout *layout) {
    uint64_t codeptr = get(event, layout, CODEPTR);
    struct pinsight_cuda_call call = {
        .function = pinsight_cuda_function(process->model, layout->function),
        .path = pinsight_path_of(process, get32(event, layout, PY_PATH)),
        .native = codeptr ? pinsight_native_at(process, codeptr) : PINSIGHT_NONE,
        .correlation = get32(event, layout, CORRELATION),
        .bytes = get(event, layout, BYTES),
        .direction = (uint8_t)said(get(event, layout, KIND)),
        .shape = shape_of(event, layout),
    };

    pinsight_cuda_begin(thread, process, &call, event->ns);
}

static void record(struct pinsight_process *process, const struct pinsight_event *event,
                   const struct layout *layout) {
    struct pinsight_model *model = process->model;
    struct pinsight_cuda_record record = {
        .device = get32(event, layout, DEVICE),
        .context = get32(event, layout, CONTEXT),
        .stream = get32(event, layout, STREAM),
        .correlation = get32(event, layout, CORRELATION),
        .from_ns = time_of(event, layout, START),
        .to_ns = time_of(event, layout, STOP),
        .bytes = get(event, layout, BYTES),
        .shape = shape_of(event, layout),
    };

    if (layout->moment == KERNEL)
        record.work = pinsight_cuda_work(model, PINSIGHT_CUDA_KERNEL, name_in(event, layout),
                                         PINSIGHT_CUDA_ELSEWHERE);
    else if (layout->moment == COPIED)
        record.work = copying(model, get(event, layout, KIND));
    else
        record.work =
            pinsight_cuda_work(model, PINSIGHT_CUDA_SET, "memset", PINSIGHT_CUDA_ELSEWHERE);
    pinsight_cuda_worked(process, &record, event->ns);
}

void pinsight_ingest_cuda(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    const struct layout *layout = layout_of(event);
    struct pinsight_thread *thread;

    pinsight_model_touch(process, event->ns);
    if (model->options.names_only)
        return;
    switch (layout->moment) {
    case BEGIN:
    case END:
        thread = pinsight_mpi_event_thread(model, event);
        if (layout->moment == BEGIN)
            begin(thread, process, event, layout);
        else
            pinsight_cuda_end(thread, pinsight_cuda_function(model, layout->function),
                              get32(event, layout, CORRELATION),
                              (int32_t)get(event, layout, RETURN_VALUE), event->ns);
        break;
    case WAITED:
        pinsight_cuda_waited(process, time_of(event, layout, START), time_of(event, layout, STOP));
        break;
    default:
        record(process, event, layout);
    }
}
