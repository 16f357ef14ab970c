/* What of MPI is under way. Between mpi.c (ranks and sums), comm.c, call.c (calls of a
 * thread), message.c, collective.c, request.c and wait.c. */
#ifndef PINSIGHT_READER_MPI_STATE_H
#define PINSIGHT_READER_MPI_STATE_H

#include "base/slab.h"
#include "reader/mpi/mpi.h"

/* That of one call in which something may wait. It is kept while something refers to it. */
struct pinsight_mpi_interval {
    uint32_t refs;
    uint32_t site;
    bool ended;
    uint8_t who; /* for whose wait_ns of the rank it counts; PINSIGHT_MPI_NOBODY for none */
    uint64_t begin_ns, end_ns;
    uint64_t charged_ns;               /* until then its time is accounted for */
    struct pinsight_mpi_cause *causes; /* until it ends */
};

struct pinsight_mpi_cause {
    struct pinsight_mpi_cause *next;
    uint8_t kind;
    uint32_t site;
    uint64_t ns;
};

/* A message from its send's begin until it is received and the sender is done with it. */
struct pinsight_mpi_message {
    struct pinsight_mpi_message *next;    /* in its channel, while it is not matched */
    struct pinsight_mpi_channel *channel; /* NULL where it is in none any more */
    uint32_t site, edge;
    uint64_t begin_ns, bytes;
    struct pinsight_track *track; /* of who sends, and its number as a flow: see timeline.h */
    uint64_t flow;
    bool sent;                              /* the sender is done */
    bool matched;                           /* a receive took it */
    struct pinsight_mpi_interval *interval; /* in which the sender may have waited */
    uint32_t receive_site;                  /* of the receive that took it */
    uint64_t posted_ns;
};

/* A message that a matching probe took, until MPI_Mrecv (MPI 4.0 section 3.8.2). */
struct pinsight_mpi_taken {
    struct pinsight_mpi_taken *next;
    struct pinsight_mpi_message *message; /* NULL where its send was not seen */
    uint32_t comm, from, me;
    int32_t source, tag;
    uint64_t bytes;
};

/* A receive from its begin to its completion. */
struct pinsight_mpi_receive {
    struct pinsight_mpi_receive *next;    /* in its channel */
    struct pinsight_mpi_channel *channel; /* NULL where source or tag is any */
    struct pinsight_mpi_rank *rank;
    bool taken; /* of a message that a matching probe took: its communicator is not told */
    uint32_t site, comm, me, remote;
    uint64_t posted_ns, order;
    int32_t source, tag;
    uint64_t request;  /* 0 for none */
    uint32_t function; /* that receives */
};

/* Messages between two members with one tag, in order. */
struct pinsight_mpi_channel {
    struct pinsight_pool_item item; /* communicator and tag, source and destination */
    struct pinsight_mpi_message *first, **last;
    struct pinsight_mpi_receive *receives, **last_receive;
    uint32_t owed; /* received before their sends, by another host's clock */
};

/* A message of this host that was received, and whose send was not told yet. */
struct pinsight_mpi_early {
    uint64_t a, b; /* its channel */
    uint64_t received_ns, posted_ns, bytes;
    struct pinsight_mpi_interval *interval; /* of the receive, or NULL */
    uint32_t site;                          /* likewise, PINSIGHT_NONE where it is none */
};

#define PINSIGHT_MPI_MOST_EARLY 16

struct pinsight_mpi_party {
    uint32_t site;
    int32_t root;
    bool entered, left;
    uint64_t begin_ns;
    struct pinsight_mpi_interval *interval;
};

/* A collective operation. */
struct pinsight_mpi_instance {
    struct pinsight_pool_item item; /* communicator, and its number in it */
    uint32_t comm, function;
    uint32_t entered, left;
    struct pinsight_mpi_party *parties; /* by member */
};

struct pinsight_mpi_request {
    struct pinsight_pool_item item; /* its number and the rank */
    struct pinsight_mpi_call call;  /* of a persistent one: how it was made */
    uint32_t site;
    bool persistent, active;
    struct pinsight_mpi_message *message;
    struct pinsight_mpi_receive *receive;
    struct pinsight_mpi_instance *instance;
    uint32_t member;
    uint64_t series, starts; /* of a persistent collective operation */
};

struct pinsight_mpi_locker; /* see lock.c */

/* The members of a window that a group is of. */
struct pinsight_mpi_members {
    uint32_t group; /* its number */
    uint32_t *list;
    size_t count;
};

/* A window of one-sided communication, as one of its members knows it. */
struct pinsight_mpi_win {
    uint32_t rank;     /* index */
    uint32_t comm, me; /* index, and the member of it */
    uint32_t number;   /* among those that the communicator's members made over it */
    uint32_t fences;   /* collective operations over it that this member began */
    struct pinsight_mpi_members targets, origins; /* of its last MPI_Win_start, MPI_Win_post */
    bool accessing;                               /* an access epoch is open */
    uint32_t accessed_site;                       /* the last access in it, or its start */
    uint64_t accessed_ns;                         /* when that was over */
    struct pinsight_mpi_interval *access;         /* of the last call of an access epoch */
    struct pinsight_mpi_interval *exposure;       /* of the last MPI_Win_wait */
    struct pinsight_mpi_locker *lockers;          /* those that lock this member */
};

/* Of an origin and a target of a window: how often which part of an epoch began. */
struct pinsight_mpi_pair {
    struct pinsight_pool_item item; /* communicator and window, origin and target */
    uint64_t posts, starts, completes;
};

struct pinsight_mpi_state {
    struct pinsight_slab intervals, causes, messages, receives, taken, lockers;
    struct pinsight_pool channels, requests, instances, pairs;
    struct pinsight_mpi_win **wins;
    size_t win_count, win_capacity;
    struct pinsight_map win_map;                              /* communicator, number and member */
    uint64_t parties;                                         /* of all instances */
    uint64_t owed;                                            /* of all channels */
    struct pinsight_mpi_early early[PINSIGHT_MPI_MOST_EARLY]; /* the last ones, going round */
    uint32_t next_early;
    uint64_t last_early_ns;          /* when the last of them was received */
    struct pinsight_mpi_thread *now; /* who calls now; when; and what it sent, as flows */
    uint64_t now_ns, out;
    uint32_t outs;
};

/* A call that a thread is in. */
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
    uint64_t awaited_ns; /* until then others were waited for, besides what the interval has */
    bool unknown;        /* something was waited for, and it is not known until when */
    bool other;          /* it counts among the rank's others_in */
    bool shown;          /* it is a slice of the timeline already */
    bool collective;     /* and its collective operation was told of */
};

/* The call waited until then for others. Where that is 0, it waited for nobody (`nobody`), or it is
 * not known how long. */
static inline void pinsight_mpi_frame_awaits(struct pinsight_mpi_frame *frame, uint64_t ns,
                                             bool nobody) {
    if (ns > frame->awaited_ns)
        frame->awaited_ns = ns;
    frame->unknown |= !ns && !nobody;
}

#define PINSIGHT_MPI_DEEPEST 16 /* calls within calls: from a user's reduction, say */

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
/* The sums of messages from one member to another; until the next call. */
struct pinsight_mpi_edge *pinsight_mpi_edge_of(struct pinsight_mpi *mpi, uint32_t comm,
                                               uint32_t source, uint32_t dest);

/* The communicator with a number of a process, or NULL. */
const struct pinsight_mpi_handle *pinsight_mpi_handle_of(const struct pinsight_mpi_rank *rank,
                                                         uint32_t number);

/* wait.c: a call's interval, with one reference; more; and giving one back. */
struct pinsight_mpi_interval *pinsight_mpi_interval_new(struct pinsight_mpi *mpi, uint32_t site,
                                                        enum pinsight_mpi_who who, uint64_t ns);
struct pinsight_mpi_interval *pinsight_mpi_interval_ref(struct pinsight_mpi_interval *interval);
void pinsight_mpi_interval_unref(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval);
/* A place that refers to an interval refers to another one, or to none (NULL). */
void pinsight_mpi_interval_set(struct pinsight_mpi *mpi, struct pinsight_mpi_interval **place,
                               struct pinsight_mpi_interval *interval);
void pinsight_mpi_interval_end(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval,
                               uint64_t ns);

/* What a call waited for: something that a site did at a time. */
void pinsight_mpi_charge(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval,
                         enum pinsight_mpi_wait_kind kind, uint32_t site, uint64_t ns);

/* message.c: whose calls the following are of, and when, for the timeline. */
void pinsight_mpi_now(struct pinsight_mpi_thread *thread, uint64_t ns);

/* A message is sent; its sender is done with it, in an interval or (NULL) without
 * waiting. */
struct pinsight_mpi_message *pinsight_mpi_send(struct pinsight_mpi *mpi,
                                               const struct pinsight_mpi_rank *rank, uint32_t site,
                                               const struct pinsight_mpi_call *call, uint64_t ns);
void pinsight_mpi_sent(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message,
                       struct pinsight_mpi_interval *interval);

/* The send was cancelled: the message never was. `message` may be NULL. */
void pinsight_mpi_withdraw(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message);

/* A receive is posted; it is over, with a message or without; and a probe found one. Returned is
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
/* A send is over: since when its receive has been posted, as far as that is known; or 0. */
uint64_t pinsight_mpi_posted_ns(const struct pinsight_mpi_message *message);
/* A receive of what a matching probe took. */
struct pinsight_mpi_receive *pinsight_mpi_post_taken(struct pinsight_mpi *mpi,
                                                     struct pinsight_mpi_rank *rank, uint32_t site,
                                                     uint64_t ns);

/* collective.c: a member enters an operation, NULL where it cannot be matched; and leaves it.
 * series is 0, or that of a persistent one with the number of this start. */
struct pinsight_mpi_instance *
pinsight_mpi_enter(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank, uint32_t site,
                   const struct pinsight_mpi_call *call, uint64_t series, uint64_t start,
                   uint64_t ns, uint32_t *member);
void pinsight_mpi_leave(struct pinsight_mpi *mpi, struct pinsight_mpi_instance *instance,
                        uint32_t member, struct pinsight_mpi_interval *interval);
/* Until when a member of an operation waits in it, of which all have told that it needs; 0 where
 * that is not known. */
uint64_t pinsight_mpi_awaited(const struct pinsight_mpi *mpi,
                              const struct pinsight_mpi_instance *instance, uint32_t member);
/* The series of a persistent operation that a member makes, 0 where it cannot be matched. */
uint64_t pinsight_mpi_series(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                             const struct pinsight_mpi_call *call);
void pinsight_mpi_instance_free(void *instance, void *mpi);

/* The same for one that has a number of its own in a communicator, of another function for nobody;
 * NULL where it cannot be matched. */
struct pinsight_mpi_instance *pinsight_mpi_enter_numbered(struct pinsight_mpi *mpi, uint32_t comm,
                                                          uint32_t me, uint64_t number,
                                                          uint32_t function, uint32_t site,
                                                          uint64_t ns);

/* What follows from the begin or the end of a call for its window. */
typedef void pinsight_mpi_win_step(struct pinsight_mpi *mpi, struct pinsight_mpi_win *win,
                                   struct pinsight_mpi_frame *frame, uint64_t ns);

/* window.c: a call that names a window begins and ends. */
void pinsight_mpi_win_begin(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                            uint64_t ns);
void pinsight_mpi_win_end(struct pinsight_mpi_thread *thread, struct pinsight_mpi_frame *frame,
                          uint64_t ns);
/* The same window as another member knows it, NULL where that is not known. */
struct pinsight_mpi_win *pinsight_mpi_win_at(const struct pinsight_mpi *mpi,
                                             const struct pinsight_mpi_win *win, uint32_t member);
void pinsight_mpi_wins_free(struct pinsight_mpi_state *state);

/* lock.c: calls that name a window and a target. */
size_t pinsight_mpi_locker_size(void);
pinsight_mpi_win_step pinsight_mpi_lock_begin, pinsight_mpi_lock_access;
pinsight_mpi_win_step pinsight_mpi_unlock_begin, pinsight_mpi_unlock_end;

/* request.c: what a call made is known by a request from now on. */
void pinsight_mpi_request_made(struct pinsight_mpi_thread *thread,
                               const struct pinsight_mpi_frame *frame, uint64_t request);
void pinsight_mpi_request_freed(struct pinsight_mpi_thread *thread, uint64_t request);
/* The call that a request is active for, NULL where it is not. */
const struct pinsight_mpi_call *pinsight_mpi_request_call(struct pinsight_mpi_thread *thread,
                                                          uint64_t request);

/* operations.c: tells the timeline what the calls do, see struct pinsight_mpi_operation. What a
 * blocking call does where it begins; and returns whether that is a collective operation. */
bool pinsight_mpi_report_begin(struct pinsight_mpi_thread *thread,
                               const struct pinsight_mpi_call *call);
/* What a call begins with a request (0: without one, it is done). */
void pinsight_mpi_report_request(struct pinsight_mpi_thread *thread,
                                 const struct pinsight_mpi_call *call, uint64_t request);
/* A collective operation, or what has a request, is done; a message that it received is told by
 * pinsight_mpi_report_received. */
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

/* The thread of an event of MPI; NULL of its definitions. */
struct pinsight_thread *pinsight_mpi_event_thread(struct pinsight_model *model,
                                                  const struct pinsight_event *event);

#endif
