/* Writes OTF2 for Vampir and Scalasca, through the OTF2 library. The output is a folder. Each
 * thread and each stream of a device has a file of events, which is written while the trace is
 * read. The definitions follow at the end. OTF2_Events.h and OTF2_Definitions.h of OTF2 3.0
 * describe the records. */
#include "views/export/otf2.h"
#include "base/memory.h"
#include "reader/mpi/mpi.h"
#include "views/domain.h"
#include "views/export/formats.h"
#include "views/export/otf2_archive.h"

#include <stdlib.h>
#include <string.h>

void pinsight_otf2_check(struct pinsight_otf2 *otf2, OTF2_ErrorCode code) {
    if (code == OTF2_SUCCESS || otf2->failed != OTF2_SUCCESS)
        return;
    otf2->failed = code;
    otf2->export->stop = true;
    if (!otf2->export->error)
        otf2->export->error = pinsight_format("writing failed: %s: %s", otf2->folder.path,
                                              OTF2_Error_GetDescription(code));
}

uint32_t pinsight_otf2_comm(struct pinsight_otf2 *otf2, enum pinsight_otf2_comm kind,
                            uint32_t index) {
    uint32_t number = pinsight_map_get(&otf2->comm_map, kind, index, 0);

    if (number != PINSIGHT_MAP_NONE)
        return number;
    number = otf2->comm_count++;
    pinsight_map_set(&otf2->comm_map, kind, index, 0, number);
    return number;
}

OTF2_LocationRef pinsight_otf2_location_id(struct pinsight_otf2 *otf2, int64_t rank,
                                           uint32_t process, uint32_t thread) {
    uint32_t low = rank >= 0 && rank < INT32_MAX ? (uint32_t)rank : UINT32_C(0x80000000) + process;

    /* Another job may have the same ranks. */
    if (pinsight_map_get(&otf2->ids, low, thread, 0) != PINSIGHT_MAP_NONE)
        for (low = UINT32_MAX - 1;
             pinsight_map_get(&otf2->ids, low, thread, 0) != PINSIGHT_MAP_NONE;)
            low--;
    pinsight_map_set(&otf2->ids, low, thread, 0, 0);
    return (uint64_t)thread << 32 | low;
}

static OTF2_LocationRef id_of(struct pinsight_otf2 *otf2, const struct pinsight_process *process) {
    uint32_t thread = pinsight_map_get(&otf2->threads, process->index, 0, 0);

    thread = thread == PINSIGHT_MAP_NONE ? 0 : thread;
    pinsight_map_set(&otf2->threads, process->index, 0, 0, thread + 1);
    return pinsight_otf2_location_id(otf2, view_process_rank(process), process->index, thread);
}

/* Returns the location of a track, and makes it at its first event. */
static struct pinsight_otf2_location *location_of(struct pinsight_otf2 *otf2,
                                                  struct pinsight_track *track) {
    struct pinsight_otf2_location *location;
    size_t number = (size_t)(uintptr_t)track->view;

    if (number)
        return &otf2->locations[number - 1];
    location = PINSIGHT_ADD(otf2->locations, otf2->location_count, otf2->location_capacity);
    *location = (struct pinsight_otf2_location){.id = id_of(otf2, pinsight_track_process(track)),
                                                .track = track,
                                                .stream = track->stream,
                                                .team = PINSIGHT_NONE};
    track->view = (void *)(uintptr_t)otf2->location_count; /* NOLINT: a number, not a place */
    location->writer = pinsight_otf2_writer(otf2, location->id);
    if (!location->writer)
        pinsight_otf2_check(otf2, OTF2_ERROR_MEM_ALLOC_FAILED);
    return location;
}

void pinsight_otf2_note_time(struct pinsight_otf2 *otf2, uint64_t ns) {
    if (!otf2->first_ns || ns < otf2->first_ns)
        otf2->first_ns = ns;
    if (ns > otf2->last_ns)
        otf2->last_ns = ns;
}

/* Notes a time at which the track has something to write. Returns its location, or NULL after an
 * error. */
static struct pinsight_otf2_location *at(struct pinsight_export *export,
                                         struct pinsight_track *track, uint64_t ns) {
    struct pinsight_otf2 *otf2 = export->own;
    struct pinsight_otf2_location *location;

    if (otf2->failed != OTF2_SUCCESS)
        return NULL;
    location = location_of(otf2, track);
    pinsight_otf2_note_time(otf2, ns);
    return location->writer ? location : NULL;
}

/* Returns the team of a process's threads. One communicator stands for all its regions. */
static uint32_t team_of(struct pinsight_otf2 *otf2, struct pinsight_otf2_location *location) {
    if (location->team == PINSIGHT_NONE)
        location->team =
            pinsight_otf2_comm(otf2, PINSIGHT_OTF2_TEAM, location->track->thread->process->index);
    return location->team;
}

static void on_begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct pinsight_export *export = data;
    struct pinsight_otf2 *otf2 = export->own;
    uint64_t ns = slice->begin_ns;
    struct pinsight_otf2_location *location = at(export, track, ns);
    OTF2_EvtWriter *writer = location ? location->writer : NULL;

    if (!writer)
        return;
    if (slice->kind == PINSIGHT_SLICE_MPI)
        location->mpi = track->thread;
    if (slice->kind == PINSIGHT_SLICE_PART)
        pinsight_otf2_check(
            otf2, OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, ns, team_of(otf2, location)));
    pinsight_otf2_check(otf2,
                        OTF2_EvtWriter_Enter(writer, NULL, ns, pinsight_otf2_region(otf2, slice)));
    if (slice->kind == PINSIGHT_SLICE_REGION)
        pinsight_otf2_check(
            otf2, OTF2_EvtWriter_ThreadFork(writer, NULL, ns, OTF2_PARADIGM_OPENMP, slice->outs));
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct pinsight_export *export = data;
    struct pinsight_otf2 *otf2 = export->own;
    struct pinsight_otf2_location *location = at(export, track, ns);
    OTF2_EvtWriter *writer = location ? location->writer : NULL;

    if (!writer)
        return;
    export->slices++;
    if (slice->kind == PINSIGHT_SLICE_REGION)
        pinsight_otf2_check(otf2,
                            OTF2_EvtWriter_ThreadJoin(writer, NULL, ns, OTF2_PARADIGM_OPENMP));
    pinsight_otf2_check(otf2,
                        OTF2_EvtWriter_Leave(writer, NULL, ns, pinsight_otf2_region(otf2, slice)));
    if (slice->kind == PINSIGHT_SLICE_PART)
        pinsight_otf2_check(
            otf2, OTF2_EvtWriter_ThreadTeamEnd(writer, NULL, ns, team_of(otf2, location)));
}

/* Finds the operation of an MPI function. The function may block, or be non-blocking (MPI_Ibcast),
 * persistent (MPI_Bcast_init), or for large counts (MPI_Bcast_c). Returns false for functions of
 * neighbourhoods, which have no operation in OTF2. */
static bool operation_of(const char *function, unsigned kind, OTF2_CollectiveOp *operation) {
    static const struct {
        const char *name;
        OTF2_CollectiveOp operation;
    } operations[] = {
        {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
        {"bcast", OTF2_COLLECTIVE_OP_BCAST},
        {"gather", OTF2_COLLECTIVE_OP_GATHER},
        {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
        {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
        {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
        {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
        {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
        {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
        {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
        {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
        {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
        {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
        {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
        {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
        {"scan", OTF2_COLLECTIVE_OP_SCAN},
        {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
    };
    const char *start = strncmp(function, "MPI_", 4) == 0 ? function + 4 : function;
    size_t length = strlen(start);

    if (start[0] == 'I' && start[1] >= 'a')
        start++, length--;
    if (length > 2 && !strcmp(start + length - 2, "_c"))
        length -= 2;
    if (length > 5 && !strncmp(start + length - 5, "_init", 5))
        length -= 5;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strlen(operations[i].name) != length ||
            strncasecmp(start, operations[i].name, length) != 0)
            continue;
        *operation = operations[i].operation;
        return true;
    }
    *operation = OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    return kind == PINSIGHT_MPI_KIND_COMM;
}

/* Returns the root of an operation in OTF2's form, also for an intercommunicator (MPI 4.0 section
 * 6.2.3). */
static uint32_t root_of(const struct pinsight_mpi_function *function, int32_t root) {
    if (function->role != PINSIGHT_MPI_TO_ROOT && function->role != PINSIGHT_MPI_FROM_ROOT)
        return OTF2_COLLECTIVE_ROOT_NONE;
    if (root == PINSIGHT_MPI_ROOT)
        return OTF2_COLLECTIVE_ROOT_SELF;
    return root >= 0 ? (uint32_t)root : OTF2_COLLECTIVE_ROOT_THIS_GROUP;
}

static void write_collective(struct pinsight_otf2 *otf2, OTF2_EvtWriter *writer,
                             const struct pinsight_mpi_operation *operation, uint64_t ns) {
    const struct pinsight_model *model = otf2->export->model;
    const struct pinsight_mpi_function *function =
        &pinsight_model_mpi(model)->functions[operation->function];
    uint32_t root = root_of(function, operation->peer), comm;
    OTF2_CollectiveOp collective;
    bool begins = operation->kind == PINSIGHT_MPI_OPERATION_COLLECTIVE;

    if (!operation_of(pinsight_strings_text(&model->strings, function->name), function->kind,
                      &collective))
        return;
    comm = pinsight_otf2_comm(otf2, PINSIGHT_OTF2_MPI, operation->comm);
    if (begins && operation->request)
        pinsight_otf2_check(otf2, OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, ns,
                                                                              operation->request));
    else if (begins)
        pinsight_otf2_check(otf2, OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, ns));
    else if (operation->request)
        pinsight_otf2_check(otf2, OTF2_EvtWriter_NonBlockingCollectiveComplete(
                                      writer, NULL, ns, collective, comm, root, operation->bytes,
                                      operation->received, operation->request));
    else
        pinsight_otf2_check(otf2, OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, ns, collective,
                                                                  comm, root, operation->bytes,
                                                                  operation->received));
}

static OTF2_ErrorCode write_message(struct pinsight_otf2 *otf2, OTF2_EvtWriter *writer,
                                    const struct pinsight_mpi_operation *operation, uint64_t ns) {
    uint32_t comm = pinsight_otf2_comm(otf2, PINSIGHT_OTF2_MPI, operation->comm);
    uint32_t peer = (uint32_t)operation->peer, tag = (uint32_t)operation->tag;

    if (operation->kind == PINSIGHT_MPI_OPERATION_SEND)
        return operation->request
                   ? OTF2_EvtWriter_MpiIsend(writer, NULL, ns, peer, comm, tag, operation->bytes,
                                             operation->request)
                   : OTF2_EvtWriter_MpiSend(writer, NULL, ns, peer, comm, tag, operation->bytes);
    return operation->request
               ? OTF2_EvtWriter_MpiIrecv(writer, NULL, ns, peer, comm, tag, operation->bytes,
                                         operation->request)
               : OTF2_EvtWriter_MpiRecv(writer, NULL, ns, peer, comm, tag, operation->bytes);
}

static void on_operation(void *data, struct pinsight_track *track,
                         const struct pinsight_mpi_operation *operation, uint64_t ns) {
    struct pinsight_export *export = data;
    struct pinsight_otf2 *otf2 = export->own;
    const struct pinsight_otf2_location *location = at(export, track, ns);
    OTF2_EvtWriter *writer = location ? location->writer : NULL;

    if (!writer)
        return;
    switch (operation->kind) {
    case PINSIGHT_MPI_OPERATION_SEND:
    case PINSIGHT_MPI_OPERATION_RECEIVE:
        pinsight_otf2_check(otf2, write_message(otf2, writer, operation, ns));
        break;
    case PINSIGHT_MPI_OPERATION_SEND_DONE:
        pinsight_otf2_check(otf2,
                            OTF2_EvtWriter_MpiIsendComplete(writer, NULL, ns, operation->request));
        break;
    case PINSIGHT_MPI_OPERATION_POST:
        pinsight_otf2_check(otf2,
                            OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, ns, operation->request));
        break;
    case PINSIGHT_MPI_OPERATION_CANCELLED:
        pinsight_otf2_check(
            otf2, OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, ns, operation->request));
        break;
    default:
        write_collective(otf2, writer, operation, ns);
    }
}

static void on_instant(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    const struct pinsight_otf2_location *location = at(data, track, ns);

    if (location)
        pinsight_otf2_mark(((struct pinsight_export *)data)->own, location->id, name, ns);
}

static void on_memory(void *data, const struct pinsight_process *process, uint64_t bytes,
                      uint64_t ns) {
    pinsight_otf2_memory(((struct pinsight_export *)data)->own, process, bytes, ns);
}

/* Forgets a track, but keeps its data for the definitions. */
static void on_gone(void *data, struct pinsight_track *track) {
    struct pinsight_export *export = data;
    struct pinsight_otf2 *otf2 = export->own;
    size_t number = (size_t)(uintptr_t)track->view;
    struct pinsight_otf2_location *location;
    char name[256];

    if (!otf2 || !number)
        return;
    location = &otf2->locations[number - 1];
    location->name = pinsight_strdup(pinsight_track_name(export->model, track, name, sizeof(name)));
    location->process = pinsight_track_process(track);
    location->track = NULL;
}

static int begin(struct pinsight_export *export) {
    struct pinsight_otf2 *otf2 = export->own;

    otf2->export = export;
    otf2->failed = OTF2_SUCCESS;
    return pinsight_otf2_open(otf2);
}

static int finish(struct pinsight_export *export) {
    struct pinsight_otf2 *otf2 = export->own;

    for (size_t i = 0; i < otf2->location_count; i++) {
        struct pinsight_otf2_location *location = &otf2->locations[i];

        if (location->writer)
            pinsight_otf2_check(
                otf2, OTF2_EvtWriter_GetNumberOfEvents(location->writer, &location->events));
    }
    if (otf2->failed == OTF2_SUCCESS)
        pinsight_otf2_define(otf2);
    return pinsight_otf2_close(otf2);
}

static void clear(struct pinsight_export *export) {
    struct pinsight_otf2 *otf2 = export->own;

    pinsight_otf2_abandon(otf2);
    for (size_t i = 0; i < otf2->location_count; i++)
        free(otf2->locations[i].name);
    PINSIGHT_MAPS_CLEAR(&otf2->ids, &otf2->threads, &otf2->memories, &otf2->region_map,
                        &otf2->comm_map);
    PINSIGHT_FREE(otf2->locations, otf2->absent, otf2->regions);
}

const struct pinsight_export_format pinsight_export_otf2 = {
    PINSIGHT_EXPORT_FORM("otf2", ".otf2", "a folder: Vampir, Scalasca", struct pinsight_otf2),
    .folder = true,
    .entries = "traces traces.*",
    .timeline = {.streams = true,
                 .begin = on_begin,
                 .end = on_end,
                 .operation = on_operation,
                 .instant = on_instant,
                 .memory = on_memory,
                 .gone = on_gone},
};
