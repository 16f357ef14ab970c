/* A page of two versions of a program: their comparison, and a run of each. */
#ifndef PINSIGHT_VIEWS_PAGE_PAIR_H
#define PINSIGHT_VIEWS_PAGE_PAIR_H

#include "views/diff/diff.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the page from a finished comparison, and the traces of a run of A and of B. Returns 0, or
 * -1 with *error set, which the caller frees. The caller looks for errors of writing. */
int page_pair_write(const struct pinsight_diff *diff, const char *const traces[2], bool progress,
                    const volatile sig_atomic_t *stop, FILE *out, char **error);

#endif
