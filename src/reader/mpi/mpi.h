/* What MPI did: the calls of each rank, communicators as one thing over all their processes,
 * messages and collective operations matched, and who waited for whom. Part of the model; not
 * thread-safe. All times are nanoseconds of the trace's clock; what spans hosts is as good as their
 * clocks agree.
 *
 * The model is told calls (a begin and an end in a thread), what a call completes, and what
 * communicators are. It keeps what is under way: messages until both sides are done with them,
 * collective operations until their last member has left; and sums of everything else, by call site
 * (a function, a rank, a Python call path).
 *
 * Wait states are those of Scalasca, with these definitions. A call that may wait has an interval,
 * its begin to its end; of a non-blocking operation it is that of the call that completes it.
 *   late sender      of a receive (or a blocking probe): until the matching send begins
 *   late receiver    of a send: until the matching receive is posted
 *   wait at barrier  until the last member enters the barrier
 *   wait at NxN      likewise in operations in which each member needs data of all others
 *   early reduce     of the root of an n-to-1 operation: until the last other member enters it
 *   late broadcast   of the others in a 1-to-n operation: until the root enters it
 * and of one-sided communication:
 *   wait at fence, wait at create, wait at free   until the last member enters that call
 *   late post        of a call in an access epoch: until the target posts its exposure epoch
 *   early wait       of MPI_Win_wait: until the last access of an origin is over
 *   late complete    of MPI_Win_wait: from then until that origin begins MPI_Win_complete
 *   lock contention  of a call in a lock epoch: until another that had the lock has unlocked
 * What one call waited is never counted twice, also where it completes many operations. */
#ifndef PINSIGHT_READER_MPI_MPI_H
#define PINSIGHT_READER_MPI_MPI_H

#include "reader/model.h"
#include "reader/mpi/function.h"

/* Ranks in a communicator that are none (MPI 4.0 section 3.2.4, 3.10, 6.6); -1 is any source. */
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

/* Classes of message sizes: 0 bytes, then one for each power of two: class n is 2^(n-1) up to
 * 2^n - 1. */
#define PINSIGHT_MPI_SIZES 65

/* Where in a program MPI is called: a function, in one rank, from one Python call path or place of
 * native code. */
struct pinsight_mpi_site {
    uint32_t rank; /* index */
    uint32_t function;
    uint32_t path;   /* see paths.h; PINSIGHT_NONE without Python */
    uint32_t native; /* see native.h; PINSIGHT_NONE where it is not known */
    uint64_t calls, failed, total_ns;
    uint64_t min_ns, max_ns;           /* of one call; not set while calls is 0 */
    struct pinsight_monitored counted; /* what MONITORING counted of it */
    uint64_t sent_bytes, received_bytes;
    uint64_t wait_ns[PINSIGHT_MPI_WAIT_COUNT]; /* that it suffered */
    uint64_t caused_ns;                        /* that others waited for it */
    int32_t failure;                           /* what the last that failed returned */
    uint64_t open;    /* of calls: those that had not ended at the trace's end */
    uint64_t open_ns; /* the longest of them, until the recording ended */
};

/* What was waited at one site for another one. */
struct pinsight_mpi_wait_row {
    uint8_t kind;             /* enum pinsight_mpi_wait_kind */
    uint32_t suffers, causes; /* sites */
    uint64_t count, total_ns, max_ns;
    uint64_t longest_at_ns; /* when the longest began */
};

/* Messages from one member of a communicator to another. */
struct pinsight_mpi_edge {
    uint32_t comm;              /* index */
    uint32_t source, dest;      /* members */
    uint64_t messages, bytes;   /* sent */
    uint64_t received, matched; /* received; and those whose send was seen */
    uint64_t gathers, gathered; /* collective operations to a root, and their bytes */
};

/* A communicator, in all its processes. The members of an intercommunicator are those of one group
 * and then those of the other. */
struct pinsight_mpi_member {
    uint32_t rank;  /* index, PINSIGHT_NONE where nothing of it is in the trace (yet) */
    uint32_t world; /* its rank in MPI_COMM_WORLD, PINSIGHT_MPI_NO_RANK where not known */
    uint32_t sequence, persistent; /* collective operations that it began, and made */
    uint32_t windows;              /* that it made over the communicator */
    uint64_t each, each_bytes; /* operations in which it gave to each other member; what each got */
};

struct pinsight_mpi_comm {
    uint64_t context;
    uint32_t name;
    uint32_t sizes[2]; /* the second is 0 but for an intercommunicator */
    uint32_t group;    /* the first one's ranks, as who told first had them: a string */
    uint32_t world;    /* of these, index of their MPI_COMM_WORLD, PINSIGHT_NONE where not known */
    struct pinsight_mpi_member *members;
    uint32_t member_count;
    uint64_t collectives; /* matched */
    uint32_t open;        /* under way */
    bool given_up;        /* its collective operations are not matched any more */
    bool begins_late;     /* so does the recording of a member: nothing of it is matched */
};

/* A communicator as a process knows it. */
struct pinsight_mpi_handle {
    uint32_t comm;   /* index */
    uint32_t me;     /* this process's member */
    uint32_t remote; /* the member that destination and source 0 are */
};

/* The threads of a rank. */
enum pinsight_mpi_who {
    PINSIGHT_MPI_MAIN, /* that initialised MPI */
    PINSIGHT_MPI_OTHERS,
    PINSIGHT_MPI_WHO,
    PINSIGHT_MPI_NOBODY = PINSIGHT_MPI_WHO
};

/* A process that uses MPI. */
struct pinsight_mpi_rank {
    struct pinsight_process *process;
    uint32_t index;
    uint32_t rank;  /* in its MPI_COMM_WORLD, or PINSIGHT_MPI_NO_RANK */
    uint32_t world; /* index of that communicator, PINSIGHT_NONE where not known */
    uint32_t flavour, library, standard; /* strings, 0 where not known */
    int32_t thread_level;                /* 0 (single) to 3 (multiple), -1 where not known */
    struct pinsight_mpi_thread *main;    /* the thread with the first call */
    uint64_t first_ns, last_ns;          /* of its events */
    uint64_t begin_ns, end_ns; /* from MPI_Init's end to MPI_Finalize's begin; else of its events */
    bool initialised, finalised;
    bool begins_late; /* its recording: what it did with communicators before is not known */
    bool sessions;    /* it has some, which end without MPI_Finalize */
    uint64_t calls;
    /* Between begin_ns and end_ns; of the main thread, and of all others together. */
    uint64_t made[PINSIGHT_MPI_WHO];    /* calls */
    uint64_t mpi_ns[PINSIGHT_MPI_WHO];  /* the thread was in calls; at least one of them was */
    uint64_t wait_ns[PINSIGHT_MPI_WHO]; /* of that, in wait states; of others it may overlap */
    uint32_t others_in;                 /* other threads that are in calls now, */
    uint64_t others_since_ns;           /* since then, */
    uint64_t others_held_ns;            /* and the pause that was excluded last */
    uint64_t requests_started, requests_completed, requests_freed, requests_cancelled;
    uint64_t open;                      /* calls that had not ended at the trace's end, */
    uint64_t open_ns[PINSIGHT_MPI_WHO]; /* and the longest of them */
    uint32_t last_site;                 /* of the last call that began */
    uint32_t abort_site;                /* of MPI_Abort, PINSIGHT_NONE where it was not called */
    uint64_t aborted_ns, finalised_ns;  /* when MPI_Abort and MPI_Finalize were */
    uint8_t in_kind; /* what was innermost of its main thread's Python at the trace's end: */
    uint32_t in;     /* a function or call site by enum pinsight_kind, or PINSIGHT_NONE */
    uint64_t posted; /* receives so far: their order */
    struct pinsight_mpi_taken *taken;    /* messages that matching probes took */
    struct pinsight_mpi_handle *handles; /* the communicators that it knows */
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
    struct pinsight_mpi_state *state; /* what is under way, see state.h */
    uint64_t size_messages[PINSIGHT_MPI_SIZES], size_bytes[PINSIGHT_MPI_SIZES];
    uint64_t sends, receives, matched; /* messages, as their senders and receivers tell */
    uint64_t byte_mismatches;          /* matched, and received more than was sent */
    uint64_t pending;                  /* messages that are kept */
    uint64_t unkept;                   /* sends that were not, because there were too many */
    uint64_t collectives;              /* whose members all were seen */
    uint64_t incomplete;               /* that lack members */
    uint64_t misaligned;               /* whose members called different functions */
    uint64_t unmatched_begins, unmatched_ends;
    uint64_t late_ranks; /* whose recording begins late */
    uint64_t members;    /* of all communicators together */
    bool finished;
};

READER_STATE(pinsight_model_mpi, struct pinsight_mpi, struct pinsight_model, MPI)
READER_STATE(pinsight_process_mpi, struct pinsight_mpi_rank, struct pinsight_process, MPI)
READER_STATE(pinsight_thread_mpi, struct pinsight_mpi_thread, struct pinsight_thread, MPI)

/* The model's MPI, made at its first mention. */
struct pinsight_mpi *pinsight_mpi_of(struct pinsight_model *model);
void pinsight_mpi_free(struct pinsight_model *model);

/* What MPI is in a process, made at its first mention. */
struct pinsight_mpi_rank *pinsight_mpi_rank_of(struct pinsight_process *process);

/* What MPI does in a thread, made at its first mention. process is the one that the event is of. */
struct pinsight_mpi_thread *pinsight_mpi_thread_of(struct pinsight_thread *thread,
                                                   struct pinsight_process *process);
/* What is open in a thread goes to another, which has nothing of MPI. */
void pinsight_mpi_move(struct pinsight_thread *from, struct pinsight_thread *to);
void pinsight_mpi_thread_free(struct pinsight_thread *thread);

/* The function with a name such as "MPI_Send", made at its first mention. */
uint32_t pinsight_mpi_function(struct pinsight_model *model, const char *name);

/* Whose time in MPI stands for that of the rank: its main thread's, or where the others made more
 * calls, theirs. */
static inline enum pinsight_mpi_who pinsight_mpi_who(const struct pinsight_mpi_rank *rank) {
    return rank->made[PINSIGHT_MPI_OTHERS] > rank->made[PINSIGHT_MPI_MAIN] ? PINSIGHT_MPI_OTHERS
                                                                           : PINSIGHT_MPI_MAIN;
}

/* Adds to what MONITORING counted of a function at a place of native code. */
void pinsight_mpi_count(struct pinsight_process *process, const char *function, uint32_t native,
                        const struct pinsight_monitored *counted);

/* What a call begins with. Fields that the function has not got are as PINSIGHT_MPI_CALL has them.
 */
struct pinsight_mpi_call {
    uint32_t function;
    uint32_t rank;   /* in MPI_COMM_WORLD */
    uint32_t path;   /* see paths.h */
    uint32_t native; /* see native.h */
    uint32_t comm;   /* the process's number; 0 for none */
    int32_t dest, source, root, tag;
    int32_t receive_source, receive_tag; /* the second half of a send and receive */
    uint32_t win;                        /* the process's number; 0 for none */
    uint32_t group;                      /* likewise, of MPI_Win_post and MPI_Win_start */
    int32_t target;                      /* member of the window */
    uint64_t bytes, receive_bytes;
    uint64_t request; /* that it starts, or waits for; 0 for none */
};
#define PINSIGHT_MPI_CALL                                                                          \
    .rank = PINSIGHT_MPI_NO_RANK, .path = PINSIGHT_NONE, .native = PINSIGHT_NONE,                  \
    .dest = PINSIGHT_MPI_PROC_NULL, .source = PINSIGHT_MPI_PROC_NULL,                              \
    .root = PINSIGHT_MPI_PROC_NULL, .tag = PINSIGHT_MPI_ANY,                                       \
    .receive_source = PINSIGHT_MPI_PROC_NULL, .receive_tag = PINSIGHT_MPI_ANY,                     \
    .target = PINSIGHT_MPI_PROC_NULL

/* What it ends with. */
struct pinsight_mpi_result {
    int32_t value;   /* 0 is MPI_SUCCESS */
    bool has_status; /* source, tag and bytes are of a message that was received or probed */
    int32_t source, tag;
    uint64_t bytes;
    uint64_t request; /* that was made, 0 for none */
};

void pinsight_mpi_begin(struct pinsight_mpi_thread *thread, const struct pinsight_mpi_call *call,
                        uint64_t ns);
void pinsight_mpi_end(struct pinsight_mpi_thread *thread, uint32_t function,
                      const struct pinsight_mpi_result *result, uint64_t ns);

/* Within a call: a request starts (a persistent one), and is completed. */
void pinsight_mpi_start(struct pinsight_mpi_thread *thread, uint64_t request, uint64_t ns);
void pinsight_mpi_complete(struct pinsight_mpi_thread *thread, uint64_t request, bool cancelled,
                           int32_t source, int32_t tag, uint64_t bytes, uint64_t ns);

/* A communicator as one of its processes knows it. */
struct pinsight_mpi_comm_info {
    uint32_t number; /* the process's */
    uint32_t size, rank;
    uint32_t remote_size; /* of an intercommunicator, 0 for others */
    const char *name;
    /* Of its group in MPI_COMM_WORLD: "0,2,4-7", of an intercommunicator the remote group's after a
     * "|"; "?" for one that is not known. */
    const char *ranks;
    uint64_t context; /* equal in all its processes; 0 where not known */
    /* The recording of the process begins later: the n-th operation there is not the n-th of the
     * communicator. */
    bool begins_late;
};
void pinsight_mpi_comm_info(struct pinsight_mpi_rank *rank,
                            const struct pinsight_mpi_comm_info *info);

/* A window as one of its processes knows it, by the numbers of that; known after its communicator.
 */
void pinsight_mpi_win_info(struct pinsight_mpi_rank *rank, uint32_t number, uint32_t comm);

/* A group of processes, by its ranks in MPI_COMM_WORLD as of communicators. */
void pinsight_mpi_group_info(struct pinsight_mpi_rank *rank, uint32_t number, const char *ranks);

/* Whether a thread of a process is in a call of MPI. */
bool pinsight_mpi_hangs(const struct pinsight_process *process);

/* The trace ends: what Python of a rank's main thread is in. */
void pinsight_mpi_note_end(struct pinsight_mpi_rank *rank);

/* Ends what is open in a thread: its process is gone, or the trace ends. The calls count until
 * then.
 */
uint64_t pinsight_mpi_close(struct pinsight_thread *thread, uint64_t ns);

/* The program was held: what began before a time begins later by a pause. */
void pinsight_mpi_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

/* The end of the trace: what is under way is counted and let go. */
void pinsight_mpi_finish(struct pinsight_model *model);

/* The rank that a member of a communicator is: an index of ranks, or PINSIGHT_NONE where nothing of
 * it is in the trace; *world is its number in MPI_COMM_WORLD, or PINSIGHT_MPI_NO_RANK. */
uint32_t pinsight_mpi_member(const struct pinsight_mpi *mpi, uint32_t comm, uint32_t member,
                             uint32_t *world);

#endif
