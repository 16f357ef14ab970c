/* Completing the description of a trace before the program starts. */
#ifndef PINSIGHT_SESSION_PRIME_H
#define PINSIGHT_SESSION_PRIME_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "session/session.h"

/* `<libdir>/pinsight-primer` at work: it has registered every provider, and waits. */
struct pinsight_primer {
    char path[PATH_MAX];
    pid_t pid; /* 0: not running */
    int gate;  /* it stays until this is closed */
    /* A further provider, set before the start: a file beside the primer; NULL for none. */
    const char *provider;
};

/*
 * Starts it; with a daemon there, and best before the session is made, since it takes as long as
 * that. `join` is the name of the socket to join the session by, NULL if that is done otherwise.
 */
void pinsight_primer_start(struct pinsight_primer *primer, const char *libdir, const char *join);

/*
 * Waits until the description of all events of a started session is on disk, and lets the primer
 * end; one that was killed is started again, once. False after 5 s, or if the primer cannot run:
 * then the trace is complete only if the daemon lives until its end.
 */
bool pinsight_primer_finish(struct pinsight_primer *primer, const struct pinsight_session *session,
                            const char *libdir, const char *join);

/* Ends it, whatever it is doing. */
void pinsight_primer_stop(struct pinsight_primer *primer);

#endif
