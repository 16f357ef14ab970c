/* The options of `pinsight run`. */
#ifndef PINSIGHT_CLI_RUN_OPTIONS_H
#define PINSIGHT_CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_run_options {
    const char *output; /* as typed; NULL: a name is made */
    char domains[128];  /* "": all */
    char events[64];    /* "function", "c_call", both with a comma, or "none" */
    const char *names;  /* inline or registry */
    const char *mode;   /* NULL: given neither here nor in PINSIGHT_TRACE_PYTHON */
    bool lossless;
    uint64_t buffer_size; /* 0: not given */
    uint64_t max_size;    /* 0: no limit */
    bool no_summary;
    bool quiet;
    bool help;
    char **command; /* within argv, ends with NULL */
};

extern const char pinsight_run_help[];

/*
 * Reads argv (argv[0] is "run"). Returns true, or false with one message in `complaint` that names
 * what is wrong and the cure; the exit status is 2 then. `note` gets a message about a value that
 * was taken otherwise than typed, else "". Calls getopt_long(3): not for several threads.
 */
bool pinsight_run_options_read(struct pinsight_run_options *options, int argc, char **argv,
                               char *complaint, size_t complaint_room, char *note,
                               size_t note_room);

#endif
