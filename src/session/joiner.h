/* The process that lets the processes of a run into its session (join.h). */
#ifndef PINSIGHT_SESSION_JOINER_H
#define PINSIGHT_SESSION_JOINER_H

#include <sys/types.h>

struct pinsight_joiner {
    pid_t pid;
    char name[100]; /* of the socket: what goes into PINSIGHT_JOIN */
};

/*
 * Starts it for the session of that name; it ends with this process, or with pinsight_joiner_stop.
 * It is a process of its own because the session daemon may hang while it is asked. Returns 0, or
 * an errno.
 */
int pinsight_joiner_start(struct pinsight_joiner *joiner, const char *session_name);
void pinsight_joiner_stop(struct pinsight_joiner *joiner);

#endif
