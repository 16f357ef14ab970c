/*
 * Processes of one parallel job on one host (mpirun, srun) that share a recording session.
 *
 * The process with local rank 0 keeps the session; the others wait until it is there, run their
 * command with the same environment, and the supervisor (or what stands for it) ends the session
 * when all have ended. They meet in a folder of the user's runtime folder, named for the job:
 *
 *   supervisor   locked (flock, exclusive) by the supervisor as long as the session can be joined
 *   ranks        locked (shared) by every process of the job that is at work; one byte is appended
 *                by each that has come
 *   session      what a process needs to join: name, socket, output folder, one a line
 */
#ifndef PINSIGHT_SESSION_NODE_GROUP_H
#define PINSIGHT_SESSION_NODE_GROUP_H

#include <limits.h>
#include <stdbool.h>

#include "session/job.h"

struct pinsight_node_group {
    struct pinsight_job
        job; /* job.local_size < 2: there is no group, and all of this does nothing */
    char folder[PATH_MAX];
    char output[PATH_MAX];
    int supervisor; /* descriptors, -1 */
    int ranks;
};

/* What a process learns from the one that keeps the session. */
struct pinsight_node_group_session {
    char session[128];
    char join[128];
    char output[PATH_MAX];
};

/*
 * For a job whose launcher does not place its ranks (job.unplaced): whether this process is the
 * first of the job on this host, and so the one that keeps the session. It holds a lock for that
 * until it ends. The file is removed with pinsight_node_group_unclaim, by the one that has it.
 */
bool pinsight_node_group_claim(const struct pinsight_job *job);
void pinsight_node_group_unclaim(const struct pinsight_job *job);

/* False, after a message, where there is a job but no folder to meet in (pinsight_path_runtime):
 * then the process is alone. */
bool pinsight_node_group_init(struct pinsight_node_group *group, const struct pinsight_job *job,
                              const char *output);

/* For the supervisor: makes the session known. */
void pinsight_node_group_open(struct pinsight_node_group *group, const char *session,
                              const char *join);
/* For the supervisor: waits until all others have ended, and closes the group. False where
 * is_over(data), which may be NULL, ended the wait: then the group is as it was. */
bool pinsight_node_group_wait(struct pinsight_node_group *group, bool (*is_over)(void *data),
                              void *data);

/* For the others: waits until the session is there; false after `patience_ms`. */
bool pinsight_node_group_join(struct pinsight_node_group *group,
                              struct pinsight_node_group_session *session, int patience_ms);
/* For the others: the command has ended. */
void pinsight_node_group_leave(struct pinsight_node_group *group);

#endif
