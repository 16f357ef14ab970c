/* The end of a run: the session is closed, the user is told what came of it. */
#ifndef PINSIGHT_CLI_RUN_END_H
#define PINSIGHT_CLI_RUN_END_H

#include <stdbool.h>
#include <stdint.h>

#include "base/run_info.h"
#include "session/launch.h"
#include "session/recorder.h"

struct pinsight_ending {
    bool recorded;  /* there is a session */
    bool unstarted; /* and no command, so that there is nothing to tell */
    bool quiet;
    bool no_summary;
    bool several_hosts; /* the folder is one host's, in the job's */
    bool supervisor_died;
    struct pinsight_session_left left;
    uint64_t wall_ns; /* how long the command ran */
    int told_to_end;  /* see run_info.h */
    bool answered;    /* `answer` is the supervisor's last word */
    struct pinsight_supervisor_message answer;
};

/*
 * Takes a packet of the supervisor while the command runs, and says what the user must know. False
 * when the supervisor is gone.
 */
bool pinsight_ending_hear(struct pinsight_ending *ending, struct pinsight_worker *supervisor);

/*
 * For a run of which nothing is recorded: sees to it that neither a daemon nor half of a trace
 * stays in `output`.
 */
void pinsight_ending_clear(const struct pinsight_ending *ending, const char *output);

/*
 * Ends the session, completes the file with what is known of the run, prints the summary and what
 * to type next. `status` is the command's wait status. A signal that would end us (Ctrl-C) ends the
 * waiting: the supervisor goes on by itself.
 */
void pinsight_ending_finish(struct pinsight_ending *ending, struct pinsight_worker *supervisor,
                            const struct pinsight_signals *signals, const char *output,
                            struct pinsight_run_info *info, int status);

#endif
