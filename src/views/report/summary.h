/* The summary at the end of `pinsight run`: the most important lines of a report, and the next
 * command to type. */
#ifndef PINSIGHT_VIEWS_SUMMARY_H
#define PINSIGHT_VIEWS_SUMMARY_H

#include "base/run_info.h"
#include "views/report/report.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* All zero is a summary without colour that takes everything from the trace. */
struct pinsight_summary_options {
    bool quiet;              /* shows only losses, one a line, and nothing without any */
    bool colour;             /* see pinsight_screen_colour */
    unsigned width;          /* in columns; 0: that of the screen behind `out` */
    unsigned height;         /* in lines; 0: that of the screen behind `out` */
    bool progress;           /* shows the progress of reading on stderr */
    enum pinsight_sort sort; /* of the user's functions */
    const char *find;        /* see struct pinsight_report_options */
    const char *command;     /* the command that ran; NULL: that of the trace */
    const char
        /* The word for this command in the next command to type; NULL: pinsight. */
        *pinsight;
    const char *next; /* a line in place of the next commands; "": none; or NULL */
    const struct pinsight_run_info *run; /* or NULL */
    const volatile sig_atomic_t *stop;   /* reading ends soon after this is not 0; or NULL */
};

/* Reads the trace in a folder and writes its summary. Returns 0, or -1 if the trace cannot be read,
 * after a message on `out`. */
int pinsight_summary_print(const char *trace_dir, FILE *out,
                           const struct pinsight_summary_options *options);

/* The two steps of that. The first reads the trace, or returns NULL after a message on `out`. The
 * second writes a summary, and may do so again with another order. The caller frees the report. */
struct pinsight_report *pinsight_summary_read(const char *trace_dir, FILE *out,
                                              const struct pinsight_summary_options *options);
int pinsight_summary_write(struct pinsight_report *report, FILE *out,
                           const struct pinsight_summary_options *options);

#endif
