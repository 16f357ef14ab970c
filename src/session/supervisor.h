/*
 * The keeper: a process beside `pinsight run` that owns the LTTng session, and the session daemon
 * if it was started for it.
 *
 * It has a session of its own (setsid(2)), so that neither the terminal nor a signal to the job
 * reaches it, and a socket to `pinsight run`. When that closes, `pinsight run` was killed: the
 * keeper ends the LTTng session, and the program goes on unrecorded. The daemon is the keeper's
 * child and dies with it (PR_SET_PDEATHSIG).
 *
 * Packets from the keeper: DAEMON when it has started one, NAMED before it makes the session, READY
 * or FAILED once, NOTICE any time, ENDED once. To the keeper: END.
 */
#ifndef PINSIGHT_SESSION_SUPERVISOR_H
#define PINSIGHT_SESSION_SUPERVISOR_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"
#include "base/spawn.h"
#include "session/joiner.h"
#include "session/session.h"
#include "session/team.h"

struct pinsight_supervisor_config {
    struct pinsight_session session; /* the name is made by the keeper */
    char program[64];                /* for the name */
    char libdir[PATH_MAX];
    bool made_output;          /* the trace folder was not there before */
    struct pinsight_team team; /* the processes of a job on this host that share the session */
};

enum pinsight_word {
    PINSIGHT_WORD_READY = 1, /* session, join */
    PINSIGHT_WORD_FAILED,    /* text: nothing can be recorded, and why */
    PINSIGHT_WORD_NOTICE,    /* text: something that the user must know */
    PINSIGHT_WORD_ENDED,     /* result, daemon_died, consumer_died: the trace can be read */
    PINSIGHT_WORD_DAEMON,    /* daemon: to be looked after if the keeper dies */
    PINSIGHT_WORD_NAMED,     /* session, foreign_daemon: likewise */
    PINSIGHT_WORD_END,       /* the command has ended */
};

struct pinsight_keeper_message {
    enum pinsight_word word;
    char session[PINSIGHT_SESSION_NAME_MAX];
    char join[sizeof(((struct pinsight_joiner *)0)->name)];
    struct pinsight_session_result result;
    bool daemon_died;
    bool consumer_died;
    bool foreign_daemon; /* the daemon was there before, and stays */
    struct pinsight_proc daemon;
    char text[1500];
};

/* Starts the keeper; its descriptor is -1 once it is gone. Returns 0 or an errno. Not for processes
 * with more than one thread. */
int pinsight_keeper_start(struct pinsight_worker *keeper,
                          const struct pinsight_supervisor_config *config);

/*
 * Takes one packet: 1 if there was one within `wait_ms`, 0 if not, -1 if the keeper is gone (its
 * descriptor is closed then).
 */
int pinsight_keeper_receive(struct pinsight_worker *keeper, struct pinsight_keeper_message *message,
                            int wait_ms);

/* Tells the keeper that the command has ended. */
void pinsight_keeper_end(struct pinsight_worker *keeper);

/* The keeper's main function: never returns. `fd` is its end of the socket. */
void pinsight_supervisor_main(int fd, const struct pinsight_supervisor_config *config)
    __attribute__((noreturn));

#endif
