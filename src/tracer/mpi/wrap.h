/* Functions for the wrappers, in terms of the flavour's mpi.h. */
#ifndef PINSIGHT_MPI_WRAP_H
#define PINSIGHT_MPI_WRAP_H

#include "tracer/mpi/call.h"
#include "tracer/mpi/comm.h"
#include "tracer/mpi/flavour.h"
#include "tracer/mpi/object.h"
#include "tracer/mpi/real.h"
#include "tracer/mpi/request.h"
#include "tracer/record/mpi.h"

/* Returns a rank in the form of the trace. */
static inline int32_t pinsight_mpi_peer(int rank) {
    if (__builtin_expect(rank >= 0, 1))
        return rank;
    return rank == MPI_PROC_NULL ? PINSIGHT_MPI_PROC_NULL
           : rank == MPI_ROOT    ? PINSIGHT_MPI_ROOT
                                 : PINSIGHT_MPI_ANY;
}

static inline int32_t pinsight_mpi_tag(int tag) {
    return tag == MPI_ANY_TAG ? PINSIGHT_MPI_ANY : tag;
}

/* Returns the bytes of an element, or 0 if they are unknown. Asks the library. */
uint64_t pinsight_mpi_size_asked(MPI_Datatype type) PINSIGHT_COLD;

#ifdef OPEN_MPI
/* Sizes of predefined datatypes, by their handles. An entry is filled in once and never changed. */
struct pinsight_mpi_size {
    _Atomic uint64_t handle;
    uint64_t bytes;
};
#define PINSIGHT_MPI_SIZES 64
extern struct pinsight_mpi_size pinsight_mpi_sizes[PINSIGHT_MPI_SIZES];

static inline struct pinsight_mpi_size *pinsight_mpi_size_place(uint64_t handle) {
    return &pinsight_mpi_sizes[handle * UINT64_C(0x9E3779B97F4A7C15) >> 58];
}
#endif

/* Like pinsight_mpi_size_asked(), for hot paths. */
static inline uint64_t pinsight_mpi_size_of(MPI_Datatype type) {
#ifdef OPEN_MPI
    const struct pinsight_mpi_size *known = pinsight_mpi_size_place(PINSIGHT_MPI_HANDLE(type));
    if (__builtin_expect(atomic_load_explicit(&known->handle, memory_order_acquire) ==
                             PINSIGHT_MPI_HANDLE(type),
                         1))
        return known->bytes;
#else
    /* MPICH's ABI: the handle of a predefined type contains its size */
    if ((unsigned)type >> 30 == 1)
        return ((unsigned)type & 0xff00) >> 8;
#endif
    return pinsight_mpi_size_asked(type);
}

static inline uint64_t pinsight_mpi_count_of(int64_t count) {
    return count > 0 ? (uint64_t)count : 0; /* a negative count is an error of the program */
}

uint32_t pinsight_mpi_op(MPI_Op op);

/* The content of a status. */
struct pinsight_pmpi_result {
    int32_t source, tag;
    uint64_t bytes;
    bool cancelled;
};
static inline struct pinsight_pmpi_result pinsight_mpi_result_of(const MPI_Status *status) {
    struct pinsight_pmpi_result result = {
        .source = pinsight_mpi_peer(status->MPI_SOURCE),
        .tag = pinsight_mpi_tag(status->MPI_TAG),
    };
#ifdef MPICH_VERSION
    result.bytes = (uint64_t)(uint32_t)status->count_lo |
                   (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
    result.cancelled = status->count_hi_and_cancelled & 1;
#else
    result.bytes = status->_ucount;
    result.cancelled = status->_cancelled;
#endif
    return result;
}

/* Adds up the counts of all ranks. */
#define PINSIGHT_MPI_SUM(total, n, counts)                                                         \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (n); i_++)                                                      \
            (total) += pinsight_mpi_count_of((counts)[i_]);                                        \
    } while (0)
#define PINSIGHT_MPI_SUM_TYPED(total, bytes, n, counts, types)                                     \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (n); i_++) {                                                    \
            uint64_t one_ = pinsight_mpi_count_of((counts)[i_]);                                   \
            (total) += one_;                                                                       \
            if (one_)                                                                              \
                (bytes) += one_ * pinsight_mpi_size_of((types)[i_]);                               \
        }                                                                                          \
    } while (0)

/* Registers a request that a call made. `result` is the call's result. Returns the request's
 * number, or 0 if the call is not recorded. */
static inline uint64_t pinsight_mpi_made(const struct pinsight_pmpi_call *call, int result,
                                         const MPI_Request *request, uint32_t how) {
    if (!call->recorded || result != MPI_SUCCESS || *request == MPI_REQUEST_NULL)
        return 0;
    return pinsight_mpi_request_made(PINSIGHT_MPI_HANDLE(*request), how);
}

/* ---- requests that a call waits for, or tests ---- */

#define PINSIGHT_MPI_FEW 4
struct pinsight_mpi_waited {
    uint32_t count;
    uint64_t *handles;
    struct pinsight_pmpi_request *requests; /* as removed from the table; id 0: finished */
    MPI_Status *statuses;                   /* the program's or our own; one or `count` */
    uint64_t few_handles[PINSIGHT_MPI_FEW];
    struct pinsight_pmpi_request few_requests[PINSIGHT_MPI_FEW];
    MPI_Status few_statuses[PINSIGHT_MPI_FEW];
};

/* Begins a call that waits. Removes all requests from the table, because another thread may get a
 * handle as soon as the library has freed it. `ignored` means that the program wants no statuses.
 * If any request is known, `own_count` statuses in waited->statuses take their place. */
void pinsight_mpi_wait_begins(struct pinsight_mpi_waited *waited, struct pinsight_pmpi_call *call,
                              int64_t count, MPI_Request *requests, MPI_Status *statuses,
                              bool ignored, uint32_t own_count);

/* Ends the wait for a request: request `at` is complete with `status`.
 * pinsight_mpi_wait_gives_back() returns the others to the table. */
void pinsight_mpi_completed(struct pinsight_mpi_waited *waited, struct pinsight_pmpi_call *call,
                            int64_t at, const MPI_Status *status);
void pinsight_mpi_wait_gives_back(struct pinsight_mpi_waited *waited);

/* Ends the wait for all requests if `flag` is true, or for none. If `result` is an error, ends it
 * for those whose handles are gone. */
void pinsight_mpi_wait_ends(struct pinsight_mpi_waited *waited, struct pinsight_pmpi_call *call,
                            int result, bool flag, const MPI_Request *requests);

/* ---- objects that are made and freed ---- */

/* Registers a communicator that all members of `parent` made; NULL: not collectively. Returns its
 * number. */
uint32_t pinsight_mpi_new_comm(int result, const MPI_Comm *comm, struct pinsight_pmpi_comm *parent,
                               enum pinsight_mpi_made how);

#ifdef MPI_SESSION_NULL
/* Called when a session was made, with the call's result, which is returned; and before a session
 * ends. */
int pinsight_mpi_session_began(int result, const MPI_Session *session);
void pinsight_mpi_session_ends(const MPI_Session *session);
#endif

/* State of a call that starts processes. The library gets `infos`. See spawn.c. */
struct pinsight_mpi_spawn {
    const MPI_Info *infos; /* the program's or `own` */
    MPI_Info *own;         /* NULL, `one`, or allocated */
    MPI_Info one;
    int count;
};
void pinsight_mpi_spawn_begins(struct pinsight_mpi_spawn *spawn,
                               const struct pinsight_pmpi_comm *comm, int root, int count,
                               const MPI_Info *infos);
void pinsight_mpi_spawn_ends(struct pinsight_mpi_spawn *spawn);

/* Further state of such a call. The library gets `commands` and `words` (MPI's argv). See
 * spawn_command.c. */
struct pinsight_mpi_spawn_command {
    char **commands; /* the program's or our own */
    char ***words;
    char **own_commands; /* NULL or allocated */
    char ***own_words;
    int count;
    char number[16]; /* number of this process */
    char path[4096]; /* path of pinsight-spawned */
};
void pinsight_mpi_spawn_command_begins(struct pinsight_mpi_spawn_command *spawn,
                                       const struct pinsight_pmpi_comm *comm, int root, int count,
                                       char **commands, char ***words);
void pinsight_mpi_spawn_command_ends(struct pinsight_mpi_spawn_command *spawn);

/* Register objects if nothing is recorded. Return `result`. */
static inline int pinsight_mpi_comm_unseen(int result, const MPI_Comm *comm,
                                           struct pinsight_pmpi_comm *parent,
                                           enum pinsight_mpi_made how) {
    pinsight_mpi_new_comm(result, comm, parent, how);
    return result;
}
static inline int pinsight_mpi_renamed_unseen(int result, MPI_Comm comm) {
    if (result == MPI_SUCCESS)
        pinsight_mpi_comm_named(pinsight_mpi_comm_of(PINSIGHT_MPI_HANDLE(comm)));
    return result;
}
#define PINSIGHT_MPI_UNSEEN(word, type)                                                            \
    static inline int pinsight_mpi_##word##_unseen(int result, const type *object, MPI_Comm comm,  \
                                                   const char *name) {                             \
        if (result == MPI_SUCCESS)                                                                 \
            pinsight_mpi_object_made(&pinsight_mpi_##word##s, PINSIGHT_MPI_HANDLE(*object),        \
                                     pinsight_mpi_comm_of(PINSIGHT_MPI_HANDLE(comm))->id, name);   \
        return result;                                                                             \
    }
PINSIGHT_MPI_UNSEEN(win, MPI_Win)
PINSIGHT_MPI_UNSEEN(file, MPI_File)

/* Returns the number of a group, or 0 if its processes are unknown. Records its definition if a
 * session listens. */
uint32_t pinsight_mpi_group(MPI_Group group);

/* Marks persistent requests that are started together as active. */
void pinsight_mpi_start_all(struct pinsight_pmpi_call *call, int count, MPI_Request *requests);

#endif
