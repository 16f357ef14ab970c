/*
 * MPI in the model: the calls of each rank, communicators joined over all their processes, matched
 * messages and collective operations, and wait states. Not thread-safe. All times are nanoseconds
 * of the trace's clock. Times between hosts are as exact as the agreement of their clocks.
 *
 * The input is calls (a begin and an end in a thread), completed requests, and descriptions of
 * communicators. The model keeps unfinished activities: messages until both sides are done with
 * them, and collective operations until their last member has left. Everything else is summed up by
 * call site (a function, a rank, a Python call path).
 *
 * Wait states are those of Scalasca, with these definitions. A call that may wait has an interval,
 * from its begin to its end. A non-blocking operation has the interval of the call that completes
 * it.
 *
 *   late sender      of a receive (or a blocking probe): until the matching send begins
 *   late receiver    of a send: until the matching receive is posted
 *   wait at barrier  until the last member enters the barrier
 *   wait at NxN      until the last member enters an operation in which each member needs data of
 *                    all others
 *   early reduce     of the root of an n-to-1 operation: until the last other member enters it
 *   late broadcast   of the others in a 1-to-n operation: until the root enters it
 *
 * and of one-sided communication:
 *
 *   wait at fence, wait at create, wait at free   until the last member enters that call
 *   late post        of a call in an access epoch: until the target posts its exposure epoch
 *   early wait       of MPI_Win_wait: until the last access of an origin is over
 *   late complete    of MPI_Win_wait: from then until that origin begins MPI_Win_complete
 *   lock contention  of a call in a lock epoch: until another holder of the lock has unlocked
 *
 * No time of a call counts twice, even if the call completes many operations.
 */
#ifndef PINSIGHT_READER_MPI_MPI_H
#define PINSIGHT_READER_MPI_MPI_H

#include "reader/model.h"
#include "reader/mpi/function.h"

/* Special ranks in a communicator (MPI 4.0 section 3.2.4, 3.10, 6.6). */
enum { PINSIGHT_MPI_ANY = -1, PINSIGHT_MPI_PROC_NULL = -2, PINSIGHT_MPI_ROOT = -3 };
#define PINSIGHT_MPI_NO_RANK UINT32_MAX /* before MPI_Init */
#define PINSIGHT_MPI_WORLD 1            /* the number of MPI_COMM_WORLD in each process */

enum pinsight_mpi_wait_kind {
    PINSIGHT_MPI_LATE_SENDER,
    PINSIGHT_MPI_LATE_RECEIVER,
    PINSIGHT_MPI_WAIT_BARRIER,
    PINSIGHT_MPI_WAIT_NXN,
    PINSIGHT_MPI_EARLY_REDUCE,
    PINSIGHT_MPI_LATE_BROADCAST,
    PINSIGHT_MPI_WAIT_FENCE,
    PINSIGHT_MPI_WAIT_CREATE,
    PINSIGHT_MPI_WAIT_FREE,
    PINSIGHT_MPI_LATE_POST,
    PINSIGHT_MPI_EARLY_WAIT,
    PINSIGHT_MPI_LATE_COMPLETE,
    PINSIGHT_MPI_LOCK_CONTENTION,
    PINSIGHT_MPI_WAIT_COUNT,
};

/* Classes of message sizes: class 0 is 0 bytes, and class n is 2^(n-1) up to 2^n - 1 bytes. */
#define PINSIGHT_MPI_SIZES 65

/* A call site of MPI: a function, in one rank, from one Python call path or place of native
 * code. */
struct pinsight_mpi_site {
    uint32_t rank; /* index */
    uint32_t function;
    uint32_t path;   /* see paths.h; PINSIGHT_NONE without Python */
    uint32_t native; /* see native.h; PINSIGHT_NONE if unknown */
    uint64_t calls, failed, total_ns;
    uint64_t min_ns, max_ns;           /* of one call; undefined while calls is 0 */
    struct pinsight_monitored counted; /* counted by MONITORING */
    uint64_t sent_bytes, received_bytes;
    uint64_t wait_ns[PINSIGHT_MPI_WAIT_COUNT]; /* its own wait states */
    uint64_t caused_ns;                        /* wait states of others that it caused */
    int32_t failure;                           /* result of the last failed call */
    uint64_t open;                             /* calls that had not ended at the trace's end */
    uint64_t open_ns; /* the longest of them, until the end of the recording */
};

/* Waits of one site for another. */
struct pinsight_mpi_wait_row {
    uint8_t kind;             /* enum pinsight_mpi_wait_kind */
    uint32_t suffers, causes; /* sites */
    uint64_t count, total_ns, max_ns;
    uint64_t longest_at_ns; /* begin of the longest wait */
};

/* Messages from one member of a communicator to another. */
struct pinsight_mpi_edge {
    uint32_t comm;              /* index */
    uint32_t source, dest;      /* members */
    uint64_t messages, bytes;   /* sent */
    uint64_t received, matched; /* received messages, and those with a known send */
    uint64_t gathers, gathered; /* collective operations to a root, and their bytes */
    uint64_t timed;             /* matched messages with a known begin and arrival */
    int64_t shortest_ns;        /* their shortest time from the begin of the send to the arrival */
};

/* A communicator in all its processes. The members of an intercommunicator are those of one group,
 * and then those of the other. */
struct pinsight_mpi_member {
    uint32_t rank;                 /* index; PINSIGHT_NONE if it is not in the trace (yet) */
    uint32_t world;                /* rank in MPI_COMM_WORLD; PINSIGHT_MPI_NO_RANK if unknown */
    uint32_t sequence, persistent; /* collective operations that it began, and made */
    uint32_t windows;              /* windows that it made over the communicator */
    /* operations in which it gave data to each other member; bytes for each */
    uint64_t each, each_bytes;
};

struct pinsight_mpi_comm {
    uint64_t context;
    uint32_t name;
    uint32_t sizes[2]; /* the second is 0 except for an intercommunicator */
    uint32_t group;    /* string: ranks of the first group, from the first description */
    uint32_t world;    /* index of their MPI_COMM_WORLD; PINSIGHT_NONE if unknown */
    struct pinsight_mpi_member *members;
    uint32_t member_count;
    uint64_t collectives; /* matched operations */
    uint32_t open;        /* unfinished operations */
    bool given_up;        /* its collective operations are not matched any more */
    bool is_partial;      /* the recording of a member begins late: nothing of it is matched */
};

/* A communicator in one process. */
struct pinsight_mpi_handle {
    uint32_t comm;   /* index */
    uint32_t me;     /* this process's member */
    uint32_t remote; /* member of destination and source 0 */
};

/* The threads of a rank. */
enum pinsight_mpi_who {
    PINSIGHT_MPI_MAIN, /* the thread that initialised MPI */
    PINSIGHT_MPI_OTHERS,
    PINSIGHT_MPI_WHO,
    PINSIGHT_MPI_NOBODY = PINSIGHT_MPI_WHO
};

/* A process that uses MPI. */
struct pinsight_mpi_rank {
    struct pinsight_process *process;
    uint32_t index;
    uint32_t rank;                       /* in its MPI_COMM_WORLD, or PINSIGHT_MPI_NO_RANK */
    uint32_t world;                      /* index of that communicator; PINSIGHT_NONE if unknown */
    uint32_t flavour, library, standard; /* strings; 0: unknown */
    int32_t thread_level;                /* 0 (single) to 3 (multiple); -1: unknown */
    struct pinsight_mpi_thread *main;    /* the thread of the first call */
    uint64_t first_ns, last_ns;          /* of its events */
    uint64_t begin_ns, end_ns; /* from MPI_Init's end to MPI_Finalize's begin, else of its events */
    bool initialised, finalised;
    bool is_partial; /* its recording: its earlier use of communicators is unknown */
    bool sessions;   /* it has sessions, which end without MPI_Finalize */
    uint64_t calls;
    /* Sums between begin_ns and end_ns, for the main thread and for all others together. */
    uint64_t made[PINSIGHT_MPI_WHO]; /* calls */
    /* time in which at least one of the threads was in a call */
    uint64_t mpi_ns[PINSIGHT_MPI_WHO];
    /* the part of it in wait states; of other threads it may overlap */
    uint64_t wait_ns[PINSIGHT_MPI_WHO];
    uint32_t others_in;       /* number of other threads that are in calls now, */
    uint64_t others_since_ns; /* begin of that state, */
    uint64_t others_held_ns;  /* and the pause that was last excluded */
    uint64_t requests_started, requests_completed, requests_freed, requests_cancelled;
    uint64_t open;                      /* calls that had not ended at the trace's end, */
    uint64_t open_ns[PINSIGHT_MPI_WHO]; /* and the longest of them */
    uint32_t last_site;                 /* of the last call that began */
    uint32_t abort_site;                /* of MPI_Abort; PINSIGHT_NONE without a call */
    uint64_t aborted_ns, finalised_ns;  /* times of MPI_Abort and MPI_Finalize */
    uint8_t in_kind; /* innermost Python of its main thread at the trace's end: */
    uint32_t in;     /* a function or call site by enum pinsight_kind, or PINSIGHT_NONE */
    uint64_t posted; /* number of receives so far, for their order */
    struct pinsight_mpi_probed_message *probed; /* messages of matching probes */
    struct pinsight_mpi_handle *handles;        /* the communicators that it knows */
    size_t handle_count, handle_capacity;
    struct pinsight_map handle_map; /* by its number */
    struct pinsight_map win_map;    /* its windows by number, to those of state.h */
    struct pinsight_map group_map;  /* its groups by number, to strings */
};

struct pinsight_mpi {
    struct pinsight_mpi_function *functions;
    size_t function_count, function_capacity;
    struct pinsight_map function_map; /* by name */
    struct pinsight_mpi_rank **ranks;
    size_t rank_count, rank_capacity;
    struct pinsight_mpi_site *sites;
    size_t site_count, site_capacity;
    struct pinsight_map site_map, path_map;
    uint32_t path_count;
    struct pinsight_mpi_wait_row *waits;
    size_t wait_count, wait_capacity;
    struct pinsight_map wait_map;
    struct pinsight_mpi_comm *comms;
    size_t comm_count, comm_capacity;
    struct pinsight_mpi_edge *edges;
    size_t edge_count, edge_capacity;
    struct pinsight_map edge_map;
    struct pinsight_map comm_map;     /* by context */
    struct pinsight_mpi_state *state; /* unfinished activities, see state.h */
    uint64_t size_messages[PINSIGHT_MPI_SIZES], size_bytes[PINSIGHT_MPI_SIZES];
    uint64_t sends, receives, matched; /* messages, by their senders and receivers */
    uint64_t byte_mismatches;          /* matched messages with more bytes received than sent */
    uint64_t pending;                  /* messages that are kept */
    uint64_t unkept;                   /* sends that were not kept, because there were too many */
    uint64_t collectives;              /* operations whose members were all seen */
    uint64_t incomplete;               /* operations that lack members */
    uint64_t misaligned;               /* operations whose members called different functions */
    uint64_t unmatched_begins, unmatched_ends;
    uint64_t late_ranks; /* ranks whose recording begins late */
    uint64_t members;    /* members of all communicators together */
    bool finished;
};

READER_STATE(pinsight_model_mpi, struct pinsight_mpi, struct pinsight_model, MPI)
READER_STATE(pinsight_process_mpi, struct pinsight_mpi_rank, struct pinsight_process, MPI)
READER_STATE(pinsight_thread_mpi, struct pinsight_mpi_thread, struct pinsight_thread, MPI)

/* Returns the model's MPI. Makes it at the first call. */
struct pinsight_mpi *pinsight_mpi_of(struct pinsight_model *model);
void pinsight_mpi_free(struct pinsight_model *model);

/* Returns the MPI rank of a process. Makes it at the first call. */
struct pinsight_mpi_rank *pinsight_mpi_rank_of(struct pinsight_process *process);

/* Returns the MPI state of a thread. Makes it at the first call. `process` is the event's. */
struct pinsight_mpi_thread *pinsight_mpi_thread_of(struct pinsight_thread *thread,
                                                   struct pinsight_process *process);
/* Moves the open calls of a thread to another, which has no MPI state. */
void pinsight_mpi_move(struct pinsight_thread *from, struct pinsight_thread *to);
void pinsight_mpi_thread_free(struct pinsight_thread *thread);

/* Returns the function with a name such as "MPI_Send". Makes it at the first call. */
uint32_t pinsight_mpi_function(struct pinsight_model *model, const char *name);

/* Returns the threads whose time in MPI represents the rank: the main thread, or the others if they
 * made more calls. */
static inline enum pinsight_mpi_who pinsight_mpi_who(const struct pinsight_mpi_rank *rank) {
    return rank->made[PINSIGHT_MPI_OTHERS] > rank->made[PINSIGHT_MPI_MAIN] ? PINSIGHT_MPI_OTHERS
                                                                           : PINSIGHT_MPI_MAIN;
}

/* Adds counts of MONITORING for a function at a place of native code. */
void pinsight_mpi_count(struct pinsight_process *process, const char *function, uint32_t native,
                        const struct pinsight_monitored *counted);

/* The begin of a call. PINSIGHT_MPI_CALL initialises members that the function does not have. */
struct pinsight_mpi_call {
    uint32_t function;
    uint32_t rank;   /* in MPI_COMM_WORLD */
    uint32_t path;   /* see paths.h */
    uint32_t native; /* see native.h */
    uint32_t comm;   /* the process's number; 0: none */
    int32_t dest, source, root, tag;
    int32_t receive_source, receive_tag; /* for the receive of a function that sends and receives */
    uint32_t win;                        /* the process's number; 0: none */
    /* the process's number, for MPI_Win_post and MPI_Win_start */
    uint32_t group;
    int32_t target; /* member of the window */
    uint64_t bytes, receive_bytes;
    uint64_t request; /* that it starts, or waits for; 0: none */
};
#define PINSIGHT_MPI_CALL                                                                          \
    .rank = PINSIGHT_MPI_NO_RANK, .path = PINSIGHT_NONE, .native = PINSIGHT_NONE,                  \
    .dest = PINSIGHT_MPI_PROC_NULL, .source = PINSIGHT_MPI_PROC_NULL,                              \
    .root = PINSIGHT_MPI_PROC_NULL, .tag = PINSIGHT_MPI_ANY,                                       \
    .receive_source = PINSIGHT_MPI_PROC_NULL, .receive_tag = PINSIGHT_MPI_ANY,                     \
    .target = PINSIGHT_MPI_PROC_NULL

/* The end of a call. */
struct pinsight_mpi_result {
    int32_t value;   /* 0 is MPI_SUCCESS */
    bool has_status; /* source, tag and bytes describe a received or probed message */
    int32_t source, tag;
    uint64_t bytes;
    uint64_t request; /* the new request; 0: none */
};

void pinsight_mpi_begin(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_call *call,
                        uint64_t ns);
void pinsight_mpi_end(struct pinsight_mpi_thread *thread, uint32_t function,
                      const struct pinsight_mpi_result *result, uint64_t ns);

/* Note within a call that a persistent request starts, and that a request is completed. */
void pinsight_mpi_start(struct pinsight_mpi_thread *thread, uint64_t request, uint64_t ns);
void pinsight_mpi_complete(struct pinsight_mpi_thread *thread, uint64_t request, bool cancelled,
                           int32_t source, int32_t tag, uint64_t bytes, uint64_t ns);

/* The description of a communicator by one of its processes. */
struct pinsight_mpi_comm_info {
    uint32_t number; /* the process's number */
    uint32_t size, rank;
    uint32_t remote_size; /* of an intercommunicator; 0 for others */
    const char *name;
    /* The group's ranks in MPI_COMM_WORLD, as "0,2,4-7"; for an intercommunicator followed by "|"
     * and the remote group's. "?" for an unknown rank. */
    const char *ranks;
    uint64_t context; /* equal in all its processes; 0: unknown */
    /* The recording of the process begins late, so that its n-th operation is not the
     * communicator's n-th. */
    bool is_partial;
};
void pinsight_mpi_comm_info(struct pinsight_mpi_rank *rank,
                            const struct pinsight_mpi_comm_info *info);

/* Takes a process's description of a window, by the process's numbers. Its communicator must be
 * known. */
void pinsight_mpi_win_info(struct pinsight_mpi_rank *rank, uint32_t number, uint32_t comm);

/* Takes a process's description of a group, with `ranks` as for a communicator. */
void pinsight_mpi_group_info(struct pinsight_mpi_rank *rank, uint32_t number, const char *ranks);

/* Returns whether a thread of a process is in a call of MPI. */
bool pinsight_mpi_hangs(const struct pinsight_process *process);

/* Notes the Python code of a rank's main thread at the end of the trace. */
void pinsight_mpi_note_end(struct pinsight_mpi_rank *rank);

/* Ends the open calls of a thread when its process is gone or the trace ends. The calls count until
 * then. */
uint64_t pinsight_mpi_close(struct pinsight_thread *thread, uint64_t ns);

/* Excludes a pause of the program: open calls from before a time begin later by the pause. */
void pinsight_mpi_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

/* Counts and frees unfinished activities at the end of the trace. */
void pinsight_mpi_finish(struct pinsight_model *model);

/* Returns the rank of a communicator's member as an index, or PINSIGHT_NONE if it is not in the
 * trace. Sets *world to its rank in MPI_COMM_WORLD, or PINSIGHT_MPI_NO_RANK. */
uint32_t pinsight_mpi_member(const struct pinsight_mpi *mpi, uint32_t comm, uint32_t member,
                             uint32_t *world);

#endif
