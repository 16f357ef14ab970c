/*
 * The supervisor: a process beside `pinsight run` that owns the recording session, and its daemon
 * if PInsight started it. This file has the protocol between the two. The supervisor's work is in
 * the library that links LTTng's (library.h).
 *
 * The supervisor has a session of its own (setsid(2)), so that neither the terminal nor a signal to
 * the job reaches it, and a socket to `pinsight run`. If the socket closes, `pinsight run` was
 * killed. The supervisor then ends the recording session, and the program continues unrecorded.
 *
 * Packets from the supervisor: DAEMON after it has started one, NAMED before it makes the session,
 * READY or FAILED once, NOTICE at any time, ENDED once. To the supervisor: END.
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
    struct pinsight_node_group group; /* processes of a job on this host that share the session */
};

/* The result of a session. */
struct pinsight_session_result {
    int error;      /* 0, or the recorder's error; -1: no answer */
    char text[400]; /* description of the error */
    uint64_t discarded_events;
    uint64_t lost_packets;
    bool incomplete; /* some data was not written in time */
};

enum pinsight_word {
    PINSIGHT_WORD_READY = 1, /* session and join are set */
    PINSIGHT_WORD_FAILED,    /* text: why nothing can be recorded */
    PINSIGHT_WORD_NOTICE,    /* text: a message for the user */
    PINSIGHT_WORD_ENDED,     /* result, daemon_died, consumer_died: the trace can be read */
    PINSIGHT_WORD_DAEMON,    /* daemon: to end if the supervisor dies */
    PINSIGHT_WORD_NAMED,     /* session, foreign_daemon: to end if the supervisor dies */
    PINSIGHT_WORD_END,       /* the command has ended */
};

struct pinsight_supervisor_message {
    enum pinsight_word word;
    char session[PINSIGHT_SESSION_NAME_MAX];
    char join[PINSIGHT_JOIN_MAX]; /* the value of PINSIGHT_JOIN */
    struct pinsight_session_result result;
    bool daemon_died;
    bool consumer_died;
    bool foreign_daemon; /* the daemon existed before, and continues */
    struct pinsight_proc daemon;
    char text[1500];
};

/* Starts the supervisor, with its main function. Its descriptor becomes -1 when it is gone. Returns
 * 0 or an errno. Only for processes with one thread. */
int pinsight_supervisor_start(struct pinsight_worker *supervisor,
                              void (*work)(int fd, void *config),
                              const struct pinsight_supervisor_config *config);

/*
 * Receives one packet. Returns 1 if one arrived within `wait_ms`, and 0 if none did. Returns -1 if
 * the supervisor has ended; its descriptor is then closed.
 */
int pinsight_supervisor_receive(struct pinsight_worker *supervisor,
                                struct pinsight_supervisor_message *message, int wait_ms);

/* Notifies the supervisor that the command has ended. */
void pinsight_supervisor_end(struct pinsight_worker *supervisor);

#endif
