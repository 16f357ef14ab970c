/* The unfinished activities of MPI. Shared by mpi.c (ranks and sums), comm.c, call.c (calls of a
 * thread), message.c, collective.c, request.c and wait.c. */
#ifndef PINSIGHT_READER_MPI_STATE_H
#define PINSIGHT_READER_MPI_STATE_H

#include "base/slab.h"
#include "reader/hosts/bounds.h"
#include "reader/mpi/mpi.h"

/* The interval of a call that may wait. It is kept while it has references. */
struct pinsight_mpi_interval {
    uint32_t refs;
    uint32_t site;
    bool ended;
    uint8_t who; /* threads whose wait_ns it counts for; PINSIGHT_MPI_NOBODY: none */
    uint64_t begin_ns, end_ns;
    uint64_t charged_ns;               /* its time until here is accounted for */
    struct pinsight_mpi_cause *causes; /* kept until it ends */
};

struct pinsight_mpi_cause {
    struct pinsight_mpi_cause *next;
    uint8_t kind;
    uint32_t site;
    uint64_t ns;
};

/* A message, from the begin of its send until it is received and the sender is done. */
struct pinsight_mpi_message {
    struct pinsight_mpi_message *next;    /* in its channel, while it is unmatched */
    struct pinsight_mpi_channel *channel; /* NULL if it has left its channel */
    uint32_t site, edge;
    uint64_t begin_ns, bytes;
    struct pinsight_track *track; /* the sender's track, and the number as a flow: see timeline.h */
    uint64_t flow;
    bool sent;                              /* the sender is done */
    bool matched;                           /* a receive took it */
    struct pinsight_mpi_interval *interval; /* interval in which the sender may have waited */
    uint32_t receive_site;                  /* of the receive that took it */
    uint64_t posted_ns;
};

/* A message of a matching probe, until MPI_Mrecv (MPI 4.0 section 3.8.2). */
struct pinsight_mpi_probed_message {
    struct pinsight_mpi_probed_message *next;
    struct pinsight_mpi_message *message; /* NULL if its send was not seen */
    uint32_t comm, from, me;
    int32_t source, tag;
    uint64_t bytes;
};

/* A receive, from its begin to its completion. */
struct pinsight_mpi_receive {
    struct pinsight_mpi_receive *next;    /* in its channel */
    struct pinsight_mpi_channel *channel; /* NULL if source or tag is any */
    struct pinsight_mpi_rank *rank;
    bool is_probed; /* it receives a message of a matching probe, and has no communicator */
    uint32_t site, comm, me, remote;
    uint64_t posted_ns, order;
    int32_t source, tag;
    uint64_t request;  /* 0: none */
    uint32_t function; /* the function that receives */
};

/* The arrival of a message whose send may still come. */
struct pinsight_mpi_owed {
    struct pinsight_mpi_owed *next; /* in its channel */
    uint64_t ns, bytes;
};

/* Messages between two members with one tag, in order. */
struct pinsight_mpi_channel {
    struct pinsight_pool_item item; /* communicator and tag, source and destination */
    struct pinsight_mpi_message *first, **last;
    struct pinsight_mpi_receive *receives, **last_receive;
    /* Messages received before their sends, by another host's clock. */
    struct pinsight_mpi_owed *owed, **last_owed;
};

/* A message of this host that was received before its send was seen. */
struct pinsight_mpi_early {
    uint64_t a, b; /* its channel */
    uint64_t received_ns, posted_ns, bytes;
    struct pinsight_mpi_interval *interval; /* of the receive, or NULL */
    uint32_t site;                          /* of the receive, or PINSIGHT_NONE */
};

#define PINSIGHT_MPI_MOST_EARLY 16

struct pinsight_mpi_party {
    uint32_t site;
    int32_t root;
    bool entered, left;
    bool empty; /* it takes part without data */
    uint64_t begin_ns;
    uint64_t end_ns; /* UINT64_MAX: unknown */
    struct pinsight_mpi_interval *interval;
};

/* A collective operation. */
struct pinsight_mpi_instance {
    struct pinsight_pool_item item; /* communicator, and number in it */
    uint32_t comm, function;
    uint32_t entered, left;
    uint32_t last;                      /* the member that entered last, or PINSIGHT_NONE */
    struct pinsight_mpi_party *parties; /* by member */
};

struct pinsight_mpi_request {
    struct pinsight_pool_item item; /* its number and the rank */
    struct pinsight_mpi_call call;  /* for a persistent request: its creation */
    uint32_t site;
    bool persistent, active;
    struct pinsight_mpi_message *message;
    struct pinsight_mpi_receive *receive;
    struct pinsight_mpi_instance *instance;
    uint32_t member;
    uint64_t series, starts; /* of a persistent collective operation */
};

struct pinsight_mpi_locker; /* see lock.c */

/* The members of a window in a group. */
struct pinsight_mpi_members {
    uint32_t group; /* number of the group */
    uint32_t *list;
    size_t count;
};

/* A window of one-sided communication, for one of its members. */
struct pinsight_mpi_win {
    uint32_t rank;     /* index */
    uint32_t comm, me; /* index, and the member */
    uint32_t number;   /* among the windows that the communicator's members made */
    uint32_t fences;   /* collective operations over it that this member began */
    struct pinsight_mpi_members targets, origins; /* of its last MPI_Win_start, MPI_Win_post */
    bool accessing;                               /* an access epoch is open */
    uint32_t accessed_site;                       /* the last access in it, or its start */
    uint64_t accessed_ns;                         /* end of that */
    struct pinsight_mpi_interval *access;         /* of the last call of an access epoch */
    struct pinsight_mpi_interval *exposure;       /* of the last MPI_Win_wait */
    struct pinsight_mpi_locker *lockers;          /* members that lock this one */
};

/* The numbers of epochs' parts between an origin and a target of a window. */
struct pinsight_mpi_pair {
    struct pinsight_pool_item item; /* communicator and window, origin and target */
    uint64_t posts, starts, completes;
};

struct pinsight_mpi_state {
    struct pinsight_slab intervals, causes, messages, receives, probed, lockers, arrivals;
    struct pinsight_pool channels, requests, instances, pairs;
    struct pinsight_mpi_win **wins;
    size_t win_count, win_capacity;
    /* by communicator, number and member */
    struct pinsight_map win_map;
    struct pinsight_bounds *bounds;                           /* of hosts' clocks, or NULL */
    uint64_t parties;                                         /* of all instances */
    uint64_t owed;                                            /* of all channels */
    struct pinsight_mpi_early early[PINSIGHT_MPI_MOST_EARLY]; /* the last ones, a ring */
    uint32_t next_early;
    uint64_t last_early_ns; /* when the last of them was received */
    /* the present call's thread and time, and the flows of its sends */
    struct pinsight_mpi_thread *now;
    uint64_t now_ns, out;
    uint32_t outs;
};

/* An open call of a thread. */
struct pinsight_mpi_frame {
    struct pinsight_mpi_call call;
    uint32_t site;
    uint64_t begin_ns;
    struct pinsight_mpi_interval *interval;
    struct pinsight_mpi_message *message;
    struct pinsight_mpi_receive *receive;
    struct pinsight_mpi_instance *instance;
    uint32_t member;
    uint64_t series;
    uint64_t awaited_ns; /* the end of waits besides the interval's */
    bool unknown;        /* the end of a wait is unknown */
    bool other;          /* it counts among the rank's others_in */
    bool shown;          /* it is a slice of the timeline already */
    bool collective;     /* its collective operation has been passed on */
};

/* Notes that the call waited for others until a time. A time of 0 means that the end of the wait is
 * unknown, or with `nobody` that there was no wait. */
static inline void pinsight_mpi_frame_awaits(struct pinsight_mpi_frame *frame, uint64_t ns,
                                             bool nobody) {
    if (ns > frame->awaited_ns)
        frame->awaited_ns = ns;
    frame->unknown |= !ns && !nobody;
}

#define PINSIGHT_MPI_DEEPEST 16 /* nested calls, for example from a user's reduction */

struct pinsight_mpi_thread {
    struct pinsight_thread *thread;
    struct pinsight_mpi_rank *rank;
    struct pinsight_mpi_frame frames[PINSIGHT_MPI_DEEPEST];
    size_t depth;
    uint64_t calls, mpi_ns;
};

/* mpi.c */
uint32_t pinsight_mpi_site(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                           uint32_t function, uint32_t path, uint32_t native);
/* Returns the sums of messages between two members, valid until the next call. */
struct pinsight_mpi_edge *pinsight_mpi_edge_of(struct pinsight_mpi *mpi, uint32_t comm,
                                               uint32_t source, uint32_t dest);

/* Returns the communicator with a process's number, or NULL. */
const struct pinsight_mpi_handle *pinsight_mpi_handle_of(const struct pinsight_mpi_rank *rank,
                                                         uint32_t number);

/* wait.c. Make a call's interval with one reference; add a reference; and release one. */
struct pinsight_mpi_interval *pinsight_mpi_interval_new(struct pinsight_mpi *mpi, uint32_t site,
                                                        enum pinsight_mpi_who who, uint64_t ns);
struct pinsight_mpi_interval *pinsight_mpi_interval_ref(struct pinsight_mpi_interval *interval);
void pinsight_mpi_interval_unref(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval);
/* Sets a reference to another interval, or to none (NULL). */
void pinsight_mpi_interval_set(struct pinsight_mpi *mpi, struct pinsight_mpi_interval **place,
                               struct pinsight_mpi_interval *interval);
void pinsight_mpi_interval_end(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval,
                               uint64_t ns);

/* Charges a wait of a call: for the site `site`, until a time. */
void pinsight_mpi_charge(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval,
                         enum pinsight_mpi_wait_kind kind, uint32_t site, uint64_t ns);

/* message.c. Sets the thread and the time of the following calls, for the timeline. */
void pinsight_mpi_now(struct pinsight_mpi_thread *thread, uint64_t ns);

/* Begin the send of a message; and note that its sender is done with it, in an interval or (NULL)
 * without waiting. */
struct pinsight_mpi_message *pinsight_mpi_send(struct pinsight_mpi *mpi,
                                               const struct pinsight_mpi_rank *rank, uint32_t site,
                                               const struct pinsight_mpi_call *call, uint64_t ns);
void pinsight_mpi_sent(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message,
                       struct pinsight_mpi_interval *interval);

/* Withdraws the message of a cancelled send. `message` may be NULL. */
void pinsight_mpi_withdraw(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message);

/* Post a receive; end it with a message or without; and take a probed message. The results are
 * whether its send was seen. */
struct pinsight_mpi_receive *pinsight_mpi_post(struct pinsight_mpi *mpi,
                                               struct pinsight_mpi_rank *rank, uint32_t site,
                                               uint32_t comm, int32_t source, int32_t tag,
                                               uint64_t ns);
bool pinsight_mpi_received(struct pinsight_mpi *mpi, struct pinsight_mpi_receive *receive,
                           int32_t source, int32_t tag, uint64_t bytes,
                           struct pinsight_mpi_interval *interval);
void pinsight_mpi_unpost(struct pinsight_mpi *mpi, struct pinsight_mpi_receive *receive);
bool pinsight_mpi_probed(struct pinsight_mpi *mpi, struct pinsight_mpi_rank *rank, uint32_t comm,
                         const struct pinsight_mpi_result *result, bool removes,
                         struct pinsight_mpi_interval *interval);
/* Returns the time since which the receive of a finished send has been posted, or 0 if unknown. */
uint64_t pinsight_mpi_posted_ns(const struct pinsight_mpi_message *message);
/* Posts a receive of a message of a matching probe. */
struct pinsight_mpi_receive *pinsight_mpi_post_probed(struct pinsight_mpi *mpi,
                                                      struct pinsight_mpi_rank *rank, uint32_t site,
                                                      uint64_t ns);

/* collective.c. Let a member enter an operation (NULL if it cannot be matched), and leave it.
 * `series` is 0, or that of a persistent operation, with the number of this start. */
struct pinsight_mpi_instance *
pinsight_mpi_enter(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank, uint32_t site,
                   const struct pinsight_mpi_call *call, uint64_t series, uint64_t start,
                   uint64_t ns, uint32_t *member);
void pinsight_mpi_leave(struct pinsight_mpi *mpi, struct pinsight_mpi_instance *instance,
                        uint32_t member, struct pinsight_mpi_interval *interval);
/* Returns the time until which a member waits in an operation, if all members that it needs have
 * entered; 0 if unknown. */
uint64_t pinsight_mpi_awaited(const struct pinsight_mpi *mpi,
                              const struct pinsight_mpi_instance *instance, uint32_t member);
/* Returns the series of a persistent operation that a member makes, or 0 if it cannot be
 * matched. */
uint64_t pinsight_mpi_series(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                             const struct pinsight_mpi_call *call);
void pinsight_mpi_instance_free(void *instance, void *mpi);

/* Like pinsight_mpi_enter(), for an operation with its own number in a communicator. All members
 * call the same function. Returns NULL if it cannot be matched. */
struct pinsight_mpi_instance *pinsight_mpi_enter_numbered(struct pinsight_mpi *mpi, uint32_t comm,
                                                          uint32_t me, uint64_t number,
                                                          uint32_t function, uint32_t site,
                                                          uint64_t ns);

/* A step that the begin or the end of a call causes for its window. */
typedef void pinsight_mpi_win_step(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                                   struct pinsight_mpi_frame *frame, uint64_t ns);

/* window.c. Begin and end a call that names a window. */
void pinsight_mpi_win_begin(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                            uint64_t ns);
void pinsight_mpi_win_end(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                          uint64_t ns);
/* Returns the same window for another member, or NULL if it is unknown. */
struct pinsight_mpi_win *pinsight_mpi_win_at(const struct pinsight_mpi *mpi,
                                             const struct pinsight_mpi_win *win, uint32_t member);
void pinsight_mpi_wins_free(struct pinsight_mpi_state *state);

/* hosts.c, where state->bounds is set. Returns the host of a communicator's member, or
 * PINSIGHT_NONE if it is unknown. */
uint32_t pinsight_mpi_host(const struct pinsight_mpi *mpi, uint32_t comm, uint32_t member);
/* Notes that events may be related wrongly: no clock is corrected by them. */
static inline void pinsight_mpi_unsure(const struct pinsight_mpi *mpi) {
    if (mpi->state->bounds)
        mpi->state->bounds->unsure = true;
}
/* Notes that something on a host precedes something on another one. Both may be unknown. */
void pinsight_mpi_precedes(const struct pinsight_mpi *mpi, uint32_t from, uint64_t from_ns,
                           uint32_t to, uint64_t to_ns);
/* Notes the bounds of hosts' clocks from a finished collective operation. `root` is a member, or
 * PINSIGHT_NONE for an operation without one. */
void pinsight_mpi_relate(struct pinsight_mpi *mpi, const struct pinsight_mpi_instance *instance,
                         uint32_t root);

/* lock.c. Steps for calls that name a window and a target. */
size_t pinsight_mpi_locker_size(void);
pinsight_mpi_win_step pinsight_mpi_lock_begin, pinsight_mpi_lock_access;
pinsight_mpi_win_step pinsight_mpi_unlock_begin, pinsight_mpi_unlock_end;

/* request.c. Note the request for the activities of a call; and that a request was freed. */
void pinsight_mpi_request_made(struct pinsight_mpi_thread *thread,
                               const struct pinsight_mpi_frame *frame, uint64_t request);
void pinsight_mpi_request_freed(struct pinsight_mpi_thread *thread, uint64_t request);
/* Returns the call for which a request is active, or NULL. */
const struct pinsight_mpi_call *pinsight_mpi_request_call(struct pinsight_mpi_thread *thread,
                                                          uint64_t request);

/* operations.c. Pass on to the timeline the activities of calls, see struct pinsight_mpi_operation.
 * The first function reports the begin of a blocking call, and returns whether it is a collective
 * operation. */
bool pinsight_mpi_report_begin(struct pinsight_mpi_thread *thread,
                               const struct pinsight_mpi_call *call);
/* Reports an activity that a call begins with a request (0: it is done without one). */
void pinsight_mpi_report_request(struct pinsight_mpi_thread *thread,
                                 const struct pinsight_mpi_call *call, uint64_t request);
/* Reports that a collective operation, or a request, is done. pinsight_mpi_report_received()
 * reports a received message. */
void pinsight_mpi_report_done(struct pinsight_mpi_thread *thread,
                              const struct pinsight_mpi_call *call, uint64_t request,
                              bool cancelled);
void pinsight_mpi_report_received(const struct pinsight_mpi *mpi,
                                  const struct pinsight_mpi_receive *receive, uint32_t comm,
                                  uint32_t me, uint32_t from, int32_t tag, uint64_t bytes);

/* ---- ingest.c ---- */

struct pinsight_event;

/* Takes any event of the domain MPI. */
void pinsight_ingest_mpi(struct pinsight_model *model, const struct pinsight_event *event);

/* Returns the thread of an event of MPI; NULL for definitions. */
struct pinsight_thread *pinsight_mpi_event_thread(struct pinsight_model *model,
                                                  const struct pinsight_event *event);

#endif
