/* The end of a run: closes the session, and reports the result to the user. */
#ifndef PINSIGHT_CLI_RUN_END_H
#define PINSIGHT_CLI_RUN_END_H

#include <stdbool.h>
#include <stdint.h>

#include "base/run_info.h"
#include "session/launch.h"
#include "session/recorder.h"

struct pinsight_ending {
    struct pinsight_recording recording;
    bool unstarted; /* the command did not start, so that there is nothing to report */
    bool quiet;
    bool no_summary;
    bool several_hosts;             /* the folder is that of one host, in the folder of the job */
    uint64_t wall_ns, processor_ns; /* see run_info.h */
    int told_to_end;                /* see run_info.h */
};

/* Removes the files of a run that has recorded nothing. */
void pinsight_ending_clear(const struct pinsight_ending *ending);

/*
 * Ends the session, completes the run's file, and prints the summary with the commands to type
 * next. `status` is the wait status of the command. A deadly signal (Ctrl-C) ends the wait; the
 * recorder then continues by itself.
 */
void pinsight_ending_finish(struct pinsight_ending *ending, const struct pinsight_signals *signals,
                            struct pinsight_run_info *info, int status);

#endif
