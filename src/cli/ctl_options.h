/* The command line of `pinsight ctl`. */
#ifndef PINSIGHT_CLI_CTL_OPTIONS_H
#define PINSIGHT_CLI_CTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pinsight_ctl_action {
    PINSIGHT_CTL_STATUS,
    PINSIGHT_CTL_RELOAD,
    PINSIGHT_CTL_MODE,
    PINSIGHT_CTL_INTROSPECT,
    PINSIGHT_CTL_RESUME,
    PINSIGHT_CTL_STOP,
    PINSIGHT_CTL_DUMP, /* needs files alone, and asks no process */
};

struct pinsight_ctl_options {
    char **whats; /* process numbers and trace folders, as typed */
    size_t what_count;
    enum pinsight_ctl_action action;
    const char *ranks;   /* a list such as "0,4-7"; NULL for all */
    const char *output;  /* of a dump, as typed; NULL for a folder beside the trace */
    int64_t wait_ms;     /* limit for an answer, in ms; -1 without limit */
    char request[16384]; /* for each process, lines of base/ctl.h */
};

/*
 * Reads argv; argv[0] is "ctl". Returns true, or false with the exit status after help or a
 * message. Calls getopt_long(3), so that only one thread may call it.
 */
bool pinsight_ctl_options_read(struct pinsight_ctl_options *options, int argc, char **argv,
                               int *status);

#endif
