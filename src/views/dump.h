/* Writes every event of a trace, one a line, in order of time. Names replace numbers. */
#ifndef PINSIGHT_VIEWS_DUMP_H
#define PINSIGHT_VIEWS_DUMP_H

#include "reader/ctf/result.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pinsight_dump_options {
    const char *trace; /* path of its folder */
    bool json;         /* one JSON object a line */
    bool colour;
    int64_t thread;                    /* Python thread number or OS thread id; -1: all */
    int64_t process;                   /* process id; -1: all */
    uint64_t limit;                    /* most events; 0: all */
    const volatile sig_atomic_t *stop; /* see struct pinsight_source_options; may be NULL */
};

/* Prints events as they are read, and sets *shown to the number of printed events. Returns 0, or -1
 * with result->error set. If `out` cannot be written, returns 0 and leaves the error in errno and
 * ferror(). The caller clears `result`. */
int pinsight_dump(const struct pinsight_dump_options *options, FILE *out, uint64_t *shown,
                  struct pinsight_source_result *result);

#endif
