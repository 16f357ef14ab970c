/* Takes events of MPI: calls, requests, and definitions of numbers in calls. */
#include "reader/mpi/state.h"

#include "base/memory.h"
#include "reader/ctf/layout.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"

#include <string.h>

/* Events that are not of calls. */
enum moment { COMPLETE = EVENT_OWN, START, COMM_INFO, MPI_INFO, CALL_INFO, WIN_INFO, GROUP_INFO };

static const char *const others[] = {"request_complete", "request_start", "comm_info", "mpi_info",
                                     "call_info",        "win_info",      "group_info"};

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
    WIN,
    GROUP,
    TARGET,
    FIELDS,
};

static const char *const field_names[FIELDS] = {
    "mpirank",      "mpi_codeptr",  "py_path",    "comm",    "dest",    "source",
    "root",         "tag",          "recvsource", "recvtag", "bytes",   "recv_bytes",
    "request",      "return_value", "cancelled",  "size",    "rank",    "remote_size",
    "name",         "ranks",        "context",    "flavour", "library", "standard",
    "thread_level", "lexgion",      "function",   "object",  "offset",  "symbol",
    "win",          "group",        "target",
};

_Static_assert(FIELDS <= EVENT_LAYOUT_FIELDS, "layouts have room for all fields");

static struct event_layouts layouts = {.fields = field_names,
                                       .field_count = FIELDS,
                                       .moments = others,
                                       .moment_count = sizeof(others) / sizeof(others[0])};

struct pinsight_thread *pinsight_mpi_event_thread(struct pinsight_model *model,
                                                  const struct pinsight_event *event) {
    uint8_t moment = event_layout_of(&layouts, event)->moment;

    /* A process without the context counts as one thread. */
    return moment == EVENT_BEGIN || moment == EVENT_END || moment == COMPLETE || moment == START
               ? pinsight_lookup_native_thread(model, event, 0)
               : NULL;
}

static void begin(struct pinsight_mpi_thread *thread, struct pinsight_process *process,
                  const struct pinsight_event *event, const struct event_layout *layout) {
    uint64_t codeptr = (uint64_t)event_layout_get(layout, event, CODEPTR, 0);
    struct pinsight_mpi_call call = {
        .function = pinsight_mpi_function(process->model, layout->function),
        .rank = (uint32_t)event_layout_get(layout, event, MPIRANK, PINSIGHT_MPI_NO_RANK),
        .path = pinsight_path_of(process, (uint32_t)event_layout_get(layout, event, PY_PATH, 0)),
        .native = codeptr ? pinsight_native_at(process, codeptr) : PINSIGHT_NONE,
        .comm = (uint32_t)event_layout_get(layout, event, COMM, 0),
        .dest = (int32_t)event_layout_get(layout, event, DEST, PINSIGHT_MPI_PROC_NULL),
        .source = (int32_t)event_layout_get(layout, event, SOURCE, PINSIGHT_MPI_PROC_NULL),
        .root = (int32_t)event_layout_get(layout, event, ROOT, PINSIGHT_MPI_PROC_NULL),
        .tag = (int32_t)event_layout_get(layout, event, TAG, PINSIGHT_MPI_ANY),
        .receive_source =
            (int32_t)event_layout_get(layout, event, RECVSOURCE, PINSIGHT_MPI_PROC_NULL),
        .receive_tag = (int32_t)event_layout_get(layout, event, RECVTAG, PINSIGHT_MPI_ANY),
        .bytes = (uint64_t)event_layout_get(layout, event, BYTES, 0),
        .receive_bytes = (uint64_t)event_layout_get(layout, event, RECV_BYTES, 0),
        .request = (uint64_t)event_layout_get(layout, event, REQUEST, 0),
        .win = (uint32_t)event_layout_get(layout, event, WIN, 0),
        .group = (uint32_t)event_layout_get(layout, event, GROUP, 0),
        .target = (int32_t)event_layout_get(layout, event, TARGET, PINSIGHT_MPI_PROC_NULL),
    };

    pinsight_mpi_begin(thread, &call, event->ns);
}

static void end(struct pinsight_mpi_thread *thread, struct pinsight_process *process,
                const struct pinsight_event *event, const struct event_layout *layout) {
    struct pinsight_mpi_result result = {
        .value = (int32_t)event_layout_get(layout, event, RETURN_VALUE, 0),
        .has_status = event_layout_has(layout, event, SOURCE),
        .source = (int32_t)event_layout_get(layout, event, SOURCE, PINSIGHT_MPI_PROC_NULL),
        .tag = (int32_t)event_layout_get(layout, event, TAG, PINSIGHT_MPI_ANY),
        .bytes = (uint64_t)event_layout_get(layout, event, BYTES, 0),
        .request = (uint64_t)event_layout_get(layout, event, REQUEST, 0),
    };

    pinsight_mpi_end(thread, pinsight_mpi_function(process->model, layout->function), &result,
                     event->ns);
}

static void comm_info(struct pinsight_process *process, const struct pinsight_event *event,
                      const struct event_layout *layout) {
    pinsight_mpi_comm_info(
        pinsight_mpi_rank_of(process),
        &(struct pinsight_mpi_comm_info){
            .number = (uint32_t)event_layout_get(layout, event, COMM, 0),
            .size = (uint32_t)event_layout_get(layout, event, SIZE, 0),
            .rank = (uint32_t)event_layout_get(layout, event, RANK, 0),
            .remote_size = (uint32_t)event_layout_get(layout, event, REMOTE_SIZE, 0),
            .name = event_layout_text(layout, event, NAME),
            .ranks = event_layout_text(layout, event, RANKS),
            .context = (uint64_t)event_layout_get(layout, event, CONTEXT, 0),
            .is_partial = event->partial});
}

static void mpi_info(struct pinsight_process *process, const struct pinsight_event *event,
                     const struct event_layout *layout) {
    struct pinsight_strings *strings = &process->model->strings;
    struct pinsight_mpi_rank *rank = pinsight_mpi_rank_of(process);
    const char *flavour = event_layout_text(layout, event, FLAVOUR),
               *library = event_layout_text(layout, event, LIBRARY);
    const char *standard = event_layout_text(layout, event, STANDARD);

    rank->flavour = pinsight_strings_add(strings, flavour, strlen(flavour));
    rank->library = pinsight_strings_add(strings, library, strlen(library));
    rank->standard = pinsight_strings_add(strings, standard, strlen(standard));
    rank->thread_level = (int32_t)event_layout_get(layout, event, THREAD_LEVEL, -1);
    if (rank->thread_level > 3)
        rank->thread_level = -1;
    if (event_layout_has(layout, event, RANK))
        rank->rank = (uint32_t)event_layout_get(layout, event, RANK, 0);
}

/* Takes a place that calls MPI. */
static void call_info(struct pinsight_process *process, const struct pinsight_event *event,
                      const struct event_layout *layout) {
    pinsight_native_info(process, READER_MPI, (uint32_t)event_layout_get(layout, event, LEXGION, 0),
                         (uint64_t)event_layout_get(layout, event, CODEPTR, 0),
                         pinsight_native_name(event_layout_text(layout, event, OBJECT)),
                         (uint64_t)event_layout_get(layout, event, OFFSET, 0),
                         pinsight_native_name(event_layout_text(layout, event, SYMBOL)));
}

static void win_info(struct pinsight_process *process, const struct pinsight_event *event,
                     const struct event_layout *layout) {
    pinsight_mpi_win_info(pinsight_mpi_rank_of(process),
                          (uint32_t)event_layout_get(layout, event, WIN, 0),
                          (uint32_t)event_layout_get(layout, event, COMM, 0));
}

static void group_info(struct pinsight_process *process, const struct pinsight_event *event,
                       const struct event_layout *layout) {
    pinsight_mpi_group_info(pinsight_mpi_rank_of(process),
                            (uint32_t)event_layout_get(layout, event, GROUP, 0),
                            event_layout_text(layout, event, RANKS));
}

/* Indexed from COMM_INFO on. */
static void (*const infos[])(struct pinsight_process *process, const struct pinsight_event *event,
                             const struct event_layout *layout) = {comm_info, mpi_info, call_info,
                                                                   win_info, group_info};

void pinsight_ingest_mpi(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    const struct event_layout *layout = event_layout_of(&layouts, event);
    struct pinsight_mpi_thread *thread;

    if (layout->moment >= COMM_INFO && layout->moment <= GROUP_INFO)
        infos[layout->moment - COMM_INFO](process, event, layout);
    if (layout->moment < EVENT_BEGIN || layout->moment > START)
        return;
    pinsight_model_touch(process, event->ns);
    if (model->options.names_only)
        return;
    pinsight_mpi_of(model);
    thread = pinsight_mpi_thread_of(pinsight_mpi_event_thread(model, event), process);
    if (layout->moment == EVENT_BEGIN)
        begin(thread, process, event, layout);
    else if (layout->moment == EVENT_END)
        end(thread, process, event, layout);
    else if (layout->moment == START)
        pinsight_mpi_start(thread, (uint64_t)event_layout_get(layout, event, REQUEST, 0),
                           event->ns);
    else
        pinsight_mpi_complete(
            thread, (uint64_t)event_layout_get(layout, event, REQUEST, 0),
            event_layout_get(layout, event, CANCELLED, 0) != 0,
            (int32_t)event_layout_get(layout, event, SOURCE, PINSIGHT_MPI_PROC_NULL),
            (int32_t)event_layout_get(layout, event, TAG, PINSIGHT_MPI_ANY),
            (uint64_t)event_layout_get(layout, event, BYTES, 0), event->ns);
}
