/* Events of MPI. There are some hundreds, made from one table: what an event is and where its
 * fields are follows from its name and theirs, and is worked out once, at the first event of any.
 */
#include "reader/ingest_mpi.h"

#include "reader/lookup.h"
#include "reader/mem.h"
#include "reader/mpi.h"
#include "reader/native.h"
#include "reader/paths.h"

#include <stdio.h>
#include <string.h>

enum moment { NOTHING, BEGIN, END, COMPLETE, START, COMM_INFO, MPI_INFO, CALL_INFO };

enum field {
    MPIRANK,
    CODEPTR,
    PY_PATH,
    COMM,
    DEST,
    SOURCE,
    ROOT,
    TAG,
    RECVSOURCE,
    RECVTAG,
    BYTES,
    RECV_BYTES,
    REQUEST,
    RETURN_VALUE,
    CANCELLED,
    SIZE,
    RANK,
    REMOTE_SIZE,
    NAME,
    RANKS,
    CONTEXT,
    FLAVOUR,
    LIBRARY,
    STANDARD,
    THREAD_LEVEL,
    LEXGION,
    FUNCTION,
    OBJECT,
    OFFSET,
    SYMBOL,
    FIELDS,
};

static const char *const field_names[FIELDS] = {
    "mpirank",      "mpi_codeptr",  "py_path",    "comm",    "dest",    "source",
    "root",         "tag",          "recvsource", "recvtag", "bytes",   "recv_bytes",
    "request",      "return_value", "cancelled",  "size",    "rank",    "remote_size",
    "name",         "ranks",        "context",    "flavour", "library", "standard",
    "thread_level", "lexgion",      "function",   "object",  "offset",  "symbol",
};

/* Of each event that the reader knows. */
struct layout {
    uint8_t moment;
    char function[60];     /* of a begin or an end */
    int8_t fields[FIELDS]; /* where each is, -1 without */
};

static struct layout layouts[PINSIGHT_EVENT_COUNT];

static bool take_suffix(struct layout *layout, const char *name, const char *suffix) {
    size_t length = strlen(name), more = strlen(suffix);

    if (strncmp(name, "MPI_", 4) != 0 || length <= more || strcmp(name + length - more, suffix) ||
        length - more >= sizeof(layout->function))
        return false;
    memcpy(layout->function, name, length - more);
    layout->function[length - more] = '\0';
    return true;
}

static void describe(struct layout *layout, const struct pinsight_event_desc *desc) {
    static const struct {
        const char *name;
        uint8_t moment;
    } others[] = {
        {"request_complete", COMPLETE}, {"request_start", START}, {"comm_info", COMM_INFO},
        {"mpi_info", MPI_INFO},         {"call_info", CALL_INFO},
    };

    if (take_suffix(layout, desc->name, "_begin"))
        layout->moment = BEGIN;
    else if (take_suffix(layout, desc->name, "_end"))
        layout->moment = END;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!strcmp(desc->name, others[i].name))
            layout->moment = others[i].moment;
    for (size_t f = 0; f < FIELDS; f++) {
        layout->fields[f] = -1;
        for (size_t i = 0; i < desc->field_count && i < INT8_MAX; i++)
            if (!strcmp(desc->fields[i].name, field_names[f]))
                layout->fields[f] = (int8_t)i;
    }
}

static const struct layout *layout_of(const struct pinsight_event *event) {
    struct layout *layout = &layouts[event->binding->id];

    if (layout->moment == NOTHING)
        describe(layout, &pinsight_event_descs[event->binding->id]);
    return layout;
}

static bool has(const struct pinsight_event *event, const struct layout *layout, enum field field) {
    return layout->fields[field] >= 0 && event->binding->fields[layout->fields[field]].index >= 0;
}

/* The value of a field, or what stands for one that is missing. */
static int64_t get(const struct pinsight_event *event, const struct layout *layout,
                   enum field field, int64_t otherwise) {
    return has(event, layout, field)
               ? pinsight_event_integer(event, (unsigned)layout->fields[field])
               : otherwise;
}

static const char *text(const struct pinsight_event *event, const struct layout *layout,
                        enum field field) {
    return has(event, layout, field) ? pinsight_event_text(event, (unsigned)layout->fields[field])
                                     : "";
}

bool pinsight_is_mpi(const struct pinsight_event *event) {
    const char *domain = pinsight_event_descs[event->binding->id].domain;

    return domain && domain[0] == 'm' && !strcmp(domain, "mpi");
}

bool pinsight_is_mpi_call(const struct pinsight_event *event) {
    uint8_t moment;

    if (!pinsight_is_mpi(event))
        return false;
    moment = layout_of(event)->moment;
    return moment == BEGIN || moment == END || moment == COMPLETE || moment == START;
}

struct pinsight_thread *pinsight_mpi_event_thread(struct pinsight_model *model,
                                                  const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    int64_t tid = pinsight_event_vtid(event);
    struct pinsight_thread *thread;

    if (tid < 0) /* without the context a process has one thread, as far as can be told */
        return pinsight_model_thread(process, -1, 0);
    thread = pinsight_model_thread_by_tid(model, event->binding->host, (uint32_t)tid, process);
    if (thread->process == process || thread->process->orphan)
        return thread;
    /* The number was that of a thread of a process that is gone. */
    return pinsight_model_thread(process, -1, (uint32_t)tid);
}

static void begin(struct pinsight_mpi_thread *thread, struct pinsight_process *process,
                  const struct pinsight_event *event, const struct layout *layout) {
    uint64_t codeptr = (uint64_t)get(event, layout, CODEPTR, 0);
    struct pinsight_mpi_call call = {
        .function = pinsight_mpi_function(process->model, layout->function),
        .rank = (uint32_t)get(event, layout, MPIRANK, PINSIGHT_MPI_NO_RANK),
        .path = pinsight_path_of(process, (uint32_t)get(event, layout, PY_PATH, 0)),
        .native = codeptr ? pinsight_native_at(process, codeptr) : PINSIGHT_NONE,
        .comm = (uint32_t)get(event, layout, COMM, 0),
        .dest = (int32_t)get(event, layout, DEST, PINSIGHT_MPI_PROC_NULL),
        .source = (int32_t)get(event, layout, SOURCE, PINSIGHT_MPI_PROC_NULL),
        .root = (int32_t)get(event, layout, ROOT, PINSIGHT_MPI_PROC_NULL),
        .tag = (int32_t)get(event, layout, TAG, PINSIGHT_MPI_ANY),
        .receive_source = (int32_t)get(event, layout, RECVSOURCE, PINSIGHT_MPI_PROC_NULL),
        .receive_tag = (int32_t)get(event, layout, RECVTAG, PINSIGHT_MPI_ANY),
        .bytes = (uint64_t)get(event, layout, BYTES, 0),
        .receive_bytes = (uint64_t)get(event, layout, RECV_BYTES, 0),
        .request = (uint64_t)get(event, layout, REQUEST, 0),
    };

    pinsight_mpi_begin(thread, &call, event->ns);
}

static void end(struct pinsight_mpi_thread *thread, struct pinsight_process *process,
                const struct pinsight_event *event, const struct layout *layout) {
    struct pinsight_mpi_result result = {
        .value = (int32_t)get(event, layout, RETURN_VALUE, 0),
        .has_status = has(event, layout, SOURCE),
        .source = (int32_t)get(event, layout, SOURCE, PINSIGHT_MPI_PROC_NULL),
        .tag = (int32_t)get(event, layout, TAG, PINSIGHT_MPI_ANY),
        .bytes = (uint64_t)get(event, layout, BYTES, 0),
        .request = (uint64_t)get(event, layout, REQUEST, 0),
    };

    pinsight_mpi_end(thread, pinsight_mpi_function(process->model, layout->function), &result,
                     event->ns);
}

static void comm_info(struct pinsight_process *process, const struct pinsight_event *event,
                      const struct layout *layout) {
    pinsight_mpi_comm_info(pinsight_mpi_rank_of(process),
                           &(struct pinsight_mpi_comm_info){
                               .number = (uint32_t)get(event, layout, COMM, 0),
                               .size = (uint32_t)get(event, layout, SIZE, 0),
                               .rank = (uint32_t)get(event, layout, RANK, 0),
                               .remote_size = (uint32_t)get(event, layout, REMOTE_SIZE, 0),
                               .name = text(event, layout, NAME),
                               .ranks = text(event, layout, RANKS),
                               .context = (uint64_t)get(event, layout, CONTEXT, 0)});
}

static void mpi_info(struct pinsight_process *process, const struct pinsight_event *event,
                     const struct layout *layout) {
    struct pinsight_strings *strings = &process->model->strings;
    struct pinsight_mpi_rank *rank = pinsight_mpi_rank_of(process);
    const char *flavour = text(event, layout, FLAVOUR), *library = text(event, layout, LIBRARY);
    const char *standard = text(event, layout, STANDARD);

    rank->flavour = pinsight_strings_add(strings, flavour, strlen(flavour));
    rank->library = pinsight_strings_add(strings, library, strlen(library));
    rank->standard = pinsight_strings_add(strings, standard, strlen(standard));
    rank->thread_level = (int32_t)get(event, layout, THREAD_LEVEL, -1);
    if (rank->thread_level > 3)
        rank->thread_level = -1;
    if (has(event, layout, RANK))
        rank->rank = (uint32_t)get(event, layout, RANK, 0);
}

/* What stands for nothing in a definition is "?". */
static const char *known(const char *text) {
    return strcmp(text, "?") != 0 ? text : "";
}

/* A place that calls MPI. Numbers of OpenMP's places are others, see region_info. */
static void call_info(struct pinsight_process *process, const struct pinsight_event *event,
                      const struct layout *layout) {
    pinsight_native_info(
        process, PINSIGHT_MPI_PLACES | (uint32_t)get(event, layout, LEXGION, 0),
        (uint64_t)get(event, layout, CODEPTR, 0), known(text(event, layout, OBJECT)),
        (uint64_t)get(event, layout, OFFSET, 0), known(text(event, layout, SYMBOL)));
}

void pinsight_ingest_mpi(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    const struct layout *layout = layout_of(event);
    struct pinsight_mpi_thread *thread;

    switch (layout->moment) {
    case COMM_INFO:
        comm_info(process, event, layout);
        return;
    case MPI_INFO:
        mpi_info(process, event, layout);
        return;
    case CALL_INFO:
        call_info(process, event, layout);
        return;
    case BEGIN:
    case END:
    case COMPLETE:
    case START:
        break;
    default:
        return;
    }
    pinsight_model_touch(process, event->ns);
    if (model->options.names_only)
        return;
    pinsight_mpi_of(model);
    thread = pinsight_mpi_thread_of(pinsight_mpi_event_thread(model, event), process);
    if (layout->moment == BEGIN)
        begin(thread, process, event, layout);
    else if (layout->moment == END)
        end(thread, process, event, layout);
    else if (layout->moment == START)
        pinsight_mpi_start(thread, (uint64_t)get(event, layout, REQUEST, 0), event->ns);
    else
        pinsight_mpi_complete(thread, (uint64_t)get(event, layout, REQUEST, 0),
                              get(event, layout, CANCELLED, 0) != 0,
                              (int32_t)get(event, layout, SOURCE, PINSIGHT_MPI_PROC_NULL),
                              (int32_t)get(event, layout, TAG, PINSIGHT_MPI_ANY),
                              (uint64_t)get(event, layout, BYTES, 0), event->ns);
}
