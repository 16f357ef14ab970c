/* Completing the description of a trace before the program starts. */
#ifndef PINSIGHT_SESSION_PRIME_H
#define PINSIGHT_SESSION_PRIME_H

#include <stdbool.h>

#include "session/session.h"

/*
 * Runs `<libdir>/pinsight-primer` in a started session, and waits until the description of all
 * events is on disk. `join` is the name of the socket to join by, NULL if the session is not
 * limited to its processes. False after 5 s, or if the primer cannot run: then the trace is
 * complete only if the daemon lives until its end.
 */
bool pinsight_prime(const struct pinsight_session *session, const char *libdir, const char *join);

#endif
