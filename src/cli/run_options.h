/* The options of `pinsight run`. */
#ifndef PINSIGHT_CLI_RUN_OPTIONS_H
#define PINSIGHT_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/recorder.h"

struct pinsight_run_options {
    const struct pinsight_session_recorder *recorder; /* as typed, or PINSIGHT_RECORDER's */
    const char *output;                               /* as typed; NULL: a name is made */
    bool force;                                       /* an older trace there goes */
    const char *config; /* the configuration file as typed; NULL: PINSIGHT_CONFIG, or none */
    char domains[128];  /* "": not given */
    char events[64];    /* kinds of event with commas, or "none"; "": not given */
    const char *names;  /* inline or registry; NULL: not given */
    const char *mode;   /* NULL: not given */
    bool lossless;
    uint64_t buffer_size;    /* 0: not given */
    uint64_t max_size;       /* 0: no limit */
    const char *ring_signal; /* by which a dump is asked for; NULL: none */
    const char *ring; /* a size or a time that can be read, or PINSIGHT_RING's; NULL: all is kept */
    bool leave_environments; /* of children that are given one of their own */
    bool no_summary;
    bool quiet;
    char **command; /* within argv, ends with NULL */
};

/*
 * Reads argv (argv[0] is "run"). Returns true; or false with the exit status where all is done:
 * help was printed, or a message. `note` gets a message about a value that was taken otherwise than
 * typed, else "". Calls getopt_long(3): not for several threads.
 */
bool pinsight_run_options_read(struct pinsight_run_options *options, int argc, char **argv,
                               int *status, char *note, size_t note_room);

#endif
