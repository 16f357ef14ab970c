/*
 * Processes of one parallel job on one host (mpirun, srun) that share an LTTng session.
 *
 * The process with local rank 0 keeps the session; the others wait until it is there, run their
 * command with the same environment, and the keeper ends the session when all have ended. They meet
 * in a folder of the user's runtime folder, named for the job:
 *   keeper   locked (flock, exclusive) by the keeper as long as the session can be joined
 *   ranks    locked (shared) by every process of the job that is at work; one byte is appended by
 *            each that has come
 *   session  what a process needs to join: name, socket, output folder, one a line
 */
#ifndef PINSIGHT_SESSION_TEAM_H
#define PINSIGHT_SESSION_TEAM_H

#include <limits.h>
#include <stdbool.h>

#include "session/job.h"

struct pinsight_team {
    struct pinsight_job
        job; /* job.local_size < 2: there is no team, and all of this does nothing */
    char folder[PATH_MAX];
    char output[PATH_MAX];
    int keeper; /* descriptors, -1 */
    int ranks;
};

/* What a process learns from the one that keeps the session. */
struct pinsight_team_session {
    char session[128];
    char join[128];
    char output[PATH_MAX];
};

/*
 * For a job whose launcher does not place its ranks (job.unplaced): whether this process is the
 * first of the job on this host, and so the one that keeps the session. It holds a lock for that
 * until it ends. The file is removed with pinsight_team_unclaim, by the one that has it.
 */
bool pinsight_team_claim(const struct pinsight_job *job);
void pinsight_team_unclaim(const struct pinsight_job *job);

/* False, after a message, where there is a job but no folder to meet in (pinsight_path_runtime):
 * then the process is alone. */
bool pinsight_team_init(struct pinsight_team *team, const struct pinsight_job *job,
                        const char *output);

/* For the keeper: makes the session known. */
void pinsight_team_open(struct pinsight_team *team, const char *session, const char *join);
/* For the keeper: waits until all others have ended, and closes the team. */
void pinsight_team_wait(struct pinsight_team *team);

/* For the others: waits until the session is there; false after `patience_ms`. */
bool pinsight_team_join(struct pinsight_team *team, struct pinsight_team_session *session,
                        int patience_ms);
/* For the others: the command has ended. */
void pinsight_team_leave(struct pinsight_team *team);

#endif
