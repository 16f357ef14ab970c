/* What `pinsight run` says at its end: the most important lines of a report, and what to type next.
 */
#ifndef PINSIGHT_VIEWS_SUMMARY_H
#define PINSIGHT_VIEWS_SUMMARY_H

#include "base/run_info.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* All zero is a summary without colour that reads everything from the trace. */
struct pinsight_summary_options {
    bool quiet;          /* only what was lost, in one line each; nothing where all is well */
    bool colour;         /* see pinsight_screen_colour */
    unsigned width;      /* columns; 0 for those of the screen that out is */
    bool progress;       /* show how far the reading is, on stderr */
    const char *command; /* the command that ran, or NULL for what the trace says */
    const char
        *pinsight; /* the word to call this command by in what to type next; NULL: pinsight */
    const struct pinsight_run_info *run; /* or NULL */
    const volatile sig_atomic_t *stop;   /* reading ends soon after this is not 0; or NULL */
};

/* Reads the trace in a folder and prints its summary. Returns 0, or -1 where the trace cannot be
 * read, after a message on out. */
int pinsight_summary_print(const char *trace_dir, FILE *out,
                           const struct pinsight_summary_options *options);

#endif
