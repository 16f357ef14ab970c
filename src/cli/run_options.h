/* The options of `pinsight run`. */
#ifndef PINSIGHT_CLI_RUN_OPTIONS_H
#define PINSIGHT_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/recorder.h"

struct pinsight_run_options {
    const struct pinsight_session_recorder *recorder; /* as typed, or from PINSIGHT_RECORDER */
    const char *output;                               /* as typed; NULL to make a name */
    bool force;                                       /* removes an older trace in the folder */
    const char *config; /* file as typed; NULL for PINSIGHT_CONFIG, or none */
    char domains[128];  /* "" if not given */
    char events[64];    /* kinds of events with commas, or "none"; "" if not given */
    const char *names;  /* inline or registry; NULL if not given */
    const char *mode;   /* NULL if not given */
    const char *lines;  /* code whose lines are measured; NULL if not given */
    char budget[16];    /* share of the processor time for recording, such as 10%; or "" */
    bool limits_size;   /* max_size is the default, which the free space limits further */
    bool lossless;
    uint64_t buffer_size;    /* in bytes; 0 if not given */
    uint64_t max_size;       /* in bytes; 0 without limit */
    const char *ring_signal; /* signal that requests a dump; NULL if there is none */
    /* A valid size or time, as typed or from PINSIGHT_RING; NULL to keep all events. */
    const char *ring;
    bool leave_environments; /* does not add variables to the environments of children */
    bool no_summary;
    bool quiet;
    char **command; /* words in argv, ended by NULL */
};

/*
 * Reads argv; argv[0] is "run". Returns true, or false with the exit status after help or a
 * message. Writes a message about values that differ from the typed ones to `note`, or "". Calls
 * getopt_long(3), so that only one thread may call it.
 */
bool pinsight_run_options_read(struct pinsight_run_options *options, int argc, char **argv,
                               int *status, char *note, size_t note_room);

#endif
