/* Requests that are waited for or tested, in terms of the flavour's mpi.h; see wrap.h. */
#include "tracer/mpi/wrap.h"

#include <stdlib.h>

/* Buffers for `count` requests in the thread's state. */
struct room {
    uint32_t count;
    uint64_t *handles;
    struct pinsight_pmpi_request *requests;
    MPI_Status *statuses;
};

void pinsight_mpi_thread_room_free(void *data) {
    struct room *room = data;
    if (!room)
        return;
    free(room->handles);
    free(room->requests);
    free(room->statuses);
    free(room);
}

static struct room *room_for(struct pinsight_pmpi_thread *thread, uint32_t count) {
    struct room *room = thread->room;
    if (room && room->count >= count)
        return room;
    pinsight_mpi_thread_room_free(room);
    thread->room = room = calloc(1, sizeof *room);
    if (!room)
        return NULL;
    uint32_t more = count < 64 ? 64 : count + count / 2;
    room->handles = malloc(more * sizeof *room->handles);
    room->requests = malloc(more * sizeof *room->requests);
    room->statuses = malloc(more * sizeof *room->statuses);
    if (!room->handles || !room->requests || !room->statuses) {
        pinsight_mpi_thread_room_free(room);
        thread->room = NULL;
        return NULL;
    }
    room->count = more;
    return room;
}

void pinsight_mpi_wait_begins(struct pinsight_mpi_waited *waited, struct pinsight_pmpi_call *call,
                              int64_t count, MPI_Request *requests, MPI_Status *statuses,
                              bool ignored, uint32_t own_count) {
    bool any = false;
    waited->count = count > 0 && requests ? (uint32_t)count : 0;
    waited->handles = waited->few_handles;
    waited->requests = waited->few_requests;
    MPI_Status *own = waited->few_statuses;
    if (waited->count > PINSIGHT_MPI_FEW) {
        /* A call within another one comes from a user's function that MPI calls. The outer call may
         * use the buffers, so the inner call's requests are not followed. */
        struct room *room =
            call->thread->native.inside == 1 ? room_for(call->thread, waited->count) : NULL;
        if (!room) {
            waited->count = 0;
        } else {
            waited->handles = room->handles;
            waited->requests = room->requests;
            own = room->statuses;
        }
    }
    for (uint32_t i = 0; i < waited->count; i++) {
        waited->handles[i] = PINSIGHT_MPI_HANDLE(requests[i]);
        waited->requests[i] = (struct pinsight_pmpi_request){0};
        if (requests[i] != MPI_REQUEST_NULL)
            waited->requests[i] = pinsight_mpi_request_take(waited->handles[i]);
        any = any || waited->requests[i].id != 0;
    }
    waited->statuses =
        ignored && any && own_count <= (waited->count ? waited->count : 1) ? own : statuses;
}

/* Returns whether the status of such a request describes a message. That of an exchange describes
 * the received one (MPI 4.0, 3.10), but MPICH leaves an earlier request's data in it. */
static bool tells_of_message(uint32_t what) {
#ifndef MPICH_VERSION
    if (what == PINSIGHT_MPI_STARTS_EXCHANGE)
        return true;
#endif
    return what == PINSIGHT_MPI_STARTS_RECV;
}

void pinsight_mpi_completed(struct pinsight_mpi_waited *waited, struct pinsight_pmpi_call *call,
                            int64_t at, const MPI_Status *status) {
    if (at < 0 || at >= waited->count)
        return;
    struct pinsight_pmpi_request taken = waited->requests[at], *request = &taken;
    waited->requests[at].id = 0;
    if (!request->id || !pinsight_record_mpi_request_complete_enabled() ||
        !pinsight_mpi_kind_is_on(PINSIGHT_MPI_KIND_COMPLETION))
        return;
    struct pinsight_pmpi_result result = {-1, -1, 0, false};
    uint32_t what = request->how & PINSIGHT_MPI_REQUEST_WHAT;
    if (status) {
        struct pinsight_pmpi_result told = pinsight_mpi_result_of(status);
        if (tells_of_message(what))
            result = told;
        if (what == PINSIGHT_MPI_STARTS_IO)
            result.bytes = told.bytes;
        result.cancelled = told.cancelled &&
                           (what == PINSIGHT_MPI_STARTS_RECV || what == PINSIGHT_MPI_STARTS_SEND ||
                            what == PINSIGHT_MPI_STARTS_OTHER);
    }
    pinsight_mpi_progress(call);
    pinsight_record_mpi_request_complete(request->id, result.source, result.tag, result.bytes,
                                         result.cancelled);
    pinsight_mpi_recorded(call);
}

void pinsight_mpi_start_all(struct pinsight_pmpi_call *call, int count, MPI_Request *requests) {
    for (int i = 0; requests && i < count; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        uint64_t id = pinsight_mpi_request_started(PINSIGHT_MPI_HANDLE(requests[i]));
        if (!id || !call->recorded || !pinsight_record_mpi_request_start_enabled())
            continue;
        pinsight_mpi_progress(call);
        pinsight_record_mpi_request_start(id);
        pinsight_mpi_recorded(call);
    }
}

void pinsight_mpi_wait_gives_back(struct pinsight_mpi_waited *waited) {
    for (uint32_t i = 0; i < waited->count; i++)
        pinsight_mpi_request_put_back(waited->handles[i], waited->requests[i]);
}

void pinsight_mpi_wait_ends(struct pinsight_mpi_waited *waited, struct pinsight_pmpi_call *call,
                            int result, bool flag, const MPI_Request *requests) {
    bool ignored = waited->statuses == MPI_STATUSES_IGNORE;
    for (uint32_t i = 0; i < waited->count; i++) {
        if (!waited->requests[i].id)
            continue;
        bool complete = flag && (result == MPI_SUCCESS || requests[i] == MPI_REQUEST_NULL);
        if (complete)
            pinsight_mpi_completed(waited, call, i, ignored ? NULL : &waited->statuses[i]);
    }
    pinsight_mpi_wait_gives_back(waited);
}
