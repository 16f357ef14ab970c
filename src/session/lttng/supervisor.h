/*
 * The supervisor: a process beside `pinsight run` that owns the recording session, and a daemon if
 * one was started for it. This is the talk between the two. What the supervisor does is in the
 * library that links LTTng's (library.h).
 *
 * It has a session of its own (setsid(2)), so that neither the terminal nor a signal to the job
 * reaches it, and a socket to `pinsight run`. When that closes, `pinsight run` was killed: the
 * supervisor ends the recording session, and the program goes on unrecorded.
 *
 * Packets from the supervisor: DAEMON when it has started one, NAMED before it makes the session,
 * READY or FAILED once, NOTICE any time, ENDED once. To the supervisor: END.
 */
#ifndef PINSIGHT_SESSION_LTTNG_SUPERVISOR_H
#define PINSIGHT_SESSION_LTTNG_SUPERVISOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process.h"
#include "base/spawn.h"
#include "session/node_group.h"
#include "session/recorder.h"

struct pinsight_supervisor_config {
    struct pinsight_session_config wanted;
    struct pinsight_node_group group; /* the processes of a job on this host that share it */
};

/* What came of a session. */
struct pinsight_session_result {
    int error;      /* 0, or the recorder's; -1: no answer */
    char text[400]; /* if there was an error: what happened */
    uint64_t discarded_events;
    uint64_t lost_packets;
    bool incomplete; /* not everything was written in time */
};

enum pinsight_word {
    PINSIGHT_WORD_READY = 1, /* session, join */
    PINSIGHT_WORD_FAILED,    /* text: nothing can be recorded, and why */
    PINSIGHT_WORD_NOTICE,    /* text: something that the user must know */
    PINSIGHT_WORD_ENDED,     /* result, daemon_died, consumer_died: the trace can be read */
    PINSIGHT_WORD_DAEMON,    /* daemon: to be looked after if the supervisor dies */
    PINSIGHT_WORD_NAMED,     /* session, foreign_daemon: likewise */
    PINSIGHT_WORD_END,       /* the command has ended */
};

struct pinsight_supervisor_message {
    enum pinsight_word word;
    char session[PINSIGHT_SESSION_NAME_MAX];
    char join[PINSIGHT_JOIN_MAX]; /* what goes into PINSIGHT_JOIN */
    struct pinsight_session_result result;
    bool daemon_died;
    bool consumer_died;
    bool foreign_daemon; /* the daemon was there before, and stays */
    struct pinsight_proc daemon;
    char text[1500];
};

/* Starts the supervisor, with its main function; its descriptor is -1 once it is gone. Returns 0 or
 * an errno. Not for processes with more than one thread. */
int pinsight_supervisor_start(struct pinsight_worker *supervisor,
                              void (*work)(int fd, void *config),
                              const struct pinsight_supervisor_config *config);

/*
 * Receives one packet. Returns 1 if one arrived within `wait_ms`, 0 if none did, and -1 if the
 * supervisor has ended, in which case its descriptor is closed.
 */
int pinsight_supervisor_receive(struct pinsight_worker *supervisor,
                                struct pinsight_supervisor_message *message, int wait_ms);

/* Tells the supervisor that the command has ended. */
void pinsight_supervisor_end(struct pinsight_worker *supervisor);

#endif
