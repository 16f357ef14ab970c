/*
 * The supervisor: a process beside `pinsight run` that owns the LTTng session, and the session
 * daemon if it was started for it.
 *
 * It has a session of its own (setsid(2)), so that neither the terminal nor a signal to the job
 * reaches it, and a socket to `pinsight run`. When that closes, `pinsight run` was killed: the
 * supervisor ends the LTTng session, and the program goes on unrecorded. The daemon is the
 * supervisor's child and dies with it (PR_SET_PDEATHSIG).
 *
 * Packets from the supervisor: DAEMON when it has started one, NAMED before it makes the session,
 * READY or FAILED once, NOTICE any time, ENDED once. To the supervisor: END.
 */
#ifndef PINSIGHT_SESSION_SUPERVISOR_H
#define PINSIGHT_SESSION_SUPERVISOR_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"
#include "base/spawn.h"
#include "session/node_group.h"
#include "session/session.h"
#include "session/tracker.h"

struct pinsight_supervisor_config {
    struct pinsight_session session; /* the name is made by the supervisor */
    char program[64];                /* for the name */
    char libdir[PATH_MAX];
    bool made_output; /* the trace folder was not there before */
    struct pinsight_node_group
        group; /* the processes of a job on this host that share the session */
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
    char join[sizeof(((struct pinsight_tracker *)0)->name)];
    struct pinsight_session_result result;
    bool daemon_died;
    bool consumer_died;
    bool foreign_daemon; /* the daemon was there before, and stays */
    struct pinsight_proc daemon;
    char text[1500];
};

/* Starts the supervisor; its descriptor is -1 once it is gone. Returns 0 or an errno. Not for
 * processes with more than one thread. */
int pinsight_supervisor_start(struct pinsight_worker *supervisor,
                              const struct pinsight_supervisor_config *config);

/*
 * Takes one packet: 1 if there was one within `wait_ms`, 0 if not, -1 if the supervisor is gone
 * (its descriptor is closed then).
 */
int pinsight_supervisor_receive(struct pinsight_worker *supervisor,
                                struct pinsight_supervisor_message *message, int wait_ms);

/* Tells the supervisor that the command has ended. */
void pinsight_supervisor_end(struct pinsight_worker *supervisor);

/* The supervisor's main function: never returns. `fd` is its end of the socket. */
void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config)
    __attribute__((noreturn));

#endif
