/* What the parts of the supervisor share; for them alone. */
#ifndef PINSIGHT_SESSION_LTTNG_SUPERVISOR_PARTS_H
#define PINSIGHT_SESSION_LTTNG_SUPERVISOR_PARTS_H

#include "session/lttng/daemon.h"
#include "session/lttng/lock.h"
#include "session/lttng/session.h"
#include "session/lttng/supervisor.h"
#include "session/lttng/tracker.h"

enum {
    PINSIGHT_DAEMON_PATIENCE_MS = 2500, /* for a daemon that was told to end */
    PINSIGHT_ORPHAN_PATIENCE_MS = 2000, /* for consumers whose daemon is gone */
    PINSIGHT_WATCHES = 1 + PINSIGHT_CONSUMERS_MAX,
};

struct pinsight_supervisor {
    struct pinsight_supervisor_config config;
    struct pinsight_session session;
    int run;     /* socket to `pinsight run`, -1 once it is gone */
    int signals; /* signalfd */
    struct pinsight_daemon daemon;
    struct pinsight_locks locks;
    struct pinsight_tracker tracker;
    int watches[PINSIGHT_WATCHES]; /* pidfds of the daemon and its consumers, -1 */
    size_t watch_count;
    bool daemon_died;
    int daemon_status; /* of a daemon that is our child, as wait(2) gives it; -1 while it lives */
    bool consumer_died;
    bool asked_to_end;
    bool hung; /* the daemon does not answer */
};

/* The supervisor's main function (library.h). */
void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config)
    __attribute__((noreturn));

/* Removes what LTTng recorded from an output folder (library.h). */
void pinsight_lttng_discard(const char *output);

/*
 * Finds or starts a daemon and makes the session in it. On false `why` says what happened and what
 * to do, and nothing is left but perhaps a daemon of ours, which pinsight_supervisor_retire ends.
 */
bool pinsight_supervisor_set_up(struct pinsight_supervisor *supervisor, char *why, size_t room);

/*
 * Waits for our turn to make a session, and until a daemon that gave another run no answer gives
 * one or is gone. False if that takes too long; `why` says what to do. The turn ends with
 * pinsight_locks_end_turn.
 */
bool pinsight_supervisor_begin(struct pinsight_supervisor *supervisor, char *why, size_t room);
/* The same for the end of a session; false if the daemon is silent: then it cannot be ended. */
bool pinsight_supervisor_begin_end(struct pinsight_supervisor *supervisor);

/* In our turn: the daemon gave no answer within its time. Tells those who come after us. */
void pinsight_supervisor_note_silence(struct pinsight_supervisor *supervisor);

/* Tells `pinsight run` of a session that is about to be made, should we be killed meanwhile. */
void pinsight_supervisor_send_name(struct pinsight_supervisor *supervisor);

/* Opens and closes the descriptors that tell of the end of the daemon and its consumers. */
void pinsight_supervisor_watch(struct pinsight_supervisor *supervisor);
void pinsight_supervisor_unwatch(struct pinsight_supervisor *supervisor);

/* Takes signals, and children that have ended. */
void pinsight_supervisor_reap(struct pinsight_supervisor *supervisor);

/* Waits until nobody uses the daemon that we started, if we did, and ends it. */
void pinsight_supervisor_retire(struct pinsight_supervisor *supervisor);

#endif
