/* Shared by the parts of the supervisor. */
#ifndef PINSIGHT_SESSION_LTTNG_SUPERVISOR_PARTS_H
#define PINSIGHT_SESSION_LTTNG_SUPERVISOR_PARTS_H

#include "session/lttng/daemon.h"
#include "session/lttng/lock.h"
#include "session/lttng/session.h"
#include "session/lttng/supervisor.h"
#include "session/lttng/tracker.h"

enum {
    PINSIGHT_DAEMON_PATIENCE_MS = 2500, /* for a daemon that was asked to end */
    PINSIGHT_ORPHAN_PATIENCE_MS = 2000, /* for consumers whose daemon is gone */
    PINSIGHT_WATCHES = 1 + PINSIGHT_CONSUMERS_MAX,
};

struct pinsight_supervisor {
    struct pinsight_supervisor_config config;
    struct pinsight_session session;
    int run;     /* socket to `pinsight run`; -1 when it is gone */
    int signals; /* signalfd */
    struct pinsight_daemon daemon;
    struct pinsight_locks locks;
    struct pinsight_tracker tracker;
    int watches[PINSIGHT_WATCHES]; /* pidfds of the daemon and its consumers, or -1 */
    size_t watch_count;
    bool daemon_died;
    int daemon_status; /* wait(2) status of a daemon that is a child; -1 while it runs */
    bool consumer_died;
    bool asked_to_end;
    bool hung; /* the daemon does not answer */
};

/* The supervisor's main function (library.h). */
void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config)
    __attribute__((noreturn));

/* Removes LTTng's data from an output folder (library.h). */
void pinsight_lttng_discard(const char *output);

/*
 * Finds or starts a daemon and makes the session in it. On failure, returns false with the reason
 * and a remedy in `why`, and undoes everything except for an own daemon, which
 * pinsight_supervisor_retire() ends.
 */
bool pinsight_supervisor_set_up(struct pinsight_supervisor *supervisor, char *why, size_t room);

/*
 * Waits for the turn to make a session, and until a daemon that gave another run no answer gives
 * one or is gone. Returns false with a remedy in `why` if that takes too long.
 * pinsight_locks_end_turn() ends the turn.
 */
bool pinsight_supervisor_begin(struct pinsight_supervisor *supervisor, char *why, size_t room);
/* Waits for the turn to end a session. Returns false if the daemon does not answer; the session can
 * then not be ended. */
bool pinsight_supervisor_begin_end(struct pinsight_supervisor *supervisor);

/* Notes for later runs that the daemon gave no answer within its time. Called in this run's
 * turn. */
void pinsight_supervisor_note_silence(struct pinsight_supervisor *supervisor);

/* Sends `pinsight run` the name of a session that is about to be made, in case this process is
 * killed meanwhile. */
void pinsight_supervisor_send_name(struct pinsight_supervisor *supervisor);

/* Open and close the descriptors that signal the end of the daemon and its consumers. */
void pinsight_supervisor_watch(struct pinsight_supervisor *supervisor);
void pinsight_supervisor_unwatch(struct pinsight_supervisor *supervisor);

/* Takes signals, and reaps children that have ended. */
void pinsight_supervisor_reap(struct pinsight_supervisor *supervisor);

/* Waits until an own daemon has no users, and ends it. */
void pinsight_supervisor_retire(struct pinsight_supervisor *supervisor);

#endif
