/*
 * Processes of one parallel job on one host (mpirun, srun) that share a recording session.
 *
 * The process with local rank 0 keeps the session. The others wait for it and run their command
 * with the same environment. The supervisor, or its equivalent, ends the session when all have
 * ended. They share a folder in the user's runtime folder, named after the job:
 *
 *   supervisor   locked (flock, exclusive) by the supervisor as long as the session can be joined
 *   ranks        locked (shared) by every process of the job that is at work; each process appends
 *                a byte when it comes
 *   session      the data for joining: name, socket, output folder, one a line
 */
#ifndef PINSIGHT_SESSION_NODE_GROUP_H
#define PINSIGHT_SESSION_NODE_GROUP_H

#include <limits.h>
#include <stdbool.h>

#include "session/job.h"

struct pinsight_node_group {
    struct pinsight_job job; /* job.local_size < 2: no group, all functions do nothing */
    char folder[PATH_MAX];
    char output[PATH_MAX];
    int supervisor; /* descriptors, or -1 */
    int ranks;
};

/* The data that a process gets from the one that keeps the session. */
struct pinsight_node_group_session {
    char session[128];
    char join[128];
    char output[PATH_MAX];
};

/*
 * Returns whether this process is the first one of the job on this host, and therefore keeps the
 * session. For a job whose launcher does not report local ranks (job.unplaced). The process holds a
 * lock until it ends. It removes the lock's file with pinsight_node_group_unclaim().
 */
bool pinsight_node_group_claim(const struct pinsight_job *job);
void pinsight_node_group_unclaim(const struct pinsight_job *job);

/* Returns false after a message if there is a job but no shared folder (pinsight_path_runtime). The
 * process then records alone. */
bool pinsight_node_group_init(struct pinsight_node_group *group, const struct pinsight_job *job,
                              const char *output);

/* Publishes the session. For the supervisor. */
void pinsight_node_group_open(struct pinsight_node_group *group, const char *session,
                              const char *join);
/* Waits until all other processes have ended, and closes the group. Returns false if is_over(data)
 * ended the wait; the group is then unchanged. `is_over` may be NULL. For the supervisor. */
bool pinsight_node_group_wait(struct pinsight_node_group *group, bool (*is_over)(void *data),
                              void *data);

/* Waits for the session. Returns false after `patience_ms`. For the other processes. */
bool pinsight_node_group_join(struct pinsight_node_group *group,
                              struct pinsight_node_group_session *session, int patience_ms);
/* Called when the command has ended. For the other processes. */
void pinsight_node_group_leave(struct pinsight_node_group *group);

#endif
