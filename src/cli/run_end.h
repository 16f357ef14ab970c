/* The end of a run: the session is closed, the user is told what came of it. */
#ifndef PINSIGHT_CLI_RUN_END_H
#define PINSIGHT_CLI_RUN_END_H

#include <stdbool.h>
#include <stdint.h>

#include "base/run_info.h"
#include "session/launch.h"
#include "session/recorder.h"

struct pinsight_ending {
    struct pinsight_recording recording;
    bool unstarted; /* there is no command, so that there is nothing to tell */
    bool quiet;
    bool no_summary;
    bool several_hosts;             /* the folder is one host's, in the job's */
    uint64_t wall_ns, processor_ns; /* see run_info.h */
    int told_to_end;                /* see run_info.h */
};

/* For a run of which nothing is recorded: sees to it that nothing of one stays. */
void pinsight_ending_clear(const struct pinsight_ending *ending);

/*
 * Ends the session, completes the file with what is known of the run, prints the summary and what
 * to type next. `status` is the command's wait status. A signal that would end us (Ctrl-C) ends the
 * waiting: the recorder goes on by itself.
 */
void pinsight_ending_finish(struct pinsight_ending *ending, const struct pinsight_signals *signals,
                            struct pinsight_run_info *info, int status);

#endif
