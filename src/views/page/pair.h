/* A page of two versions of a program: what `pinsight diff` says of them, and a run of each. */
#ifndef PINSIGHT_VIEWS_PAGE_PAIR_H
#define PINSIGHT_VIEWS_PAGE_PAIR_H

#include "views/diff/diff.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes it: a finished comparison, and the traces of a run of A and one of B. Returns 0, or -1
 * with *error set, to be freed; errors of writing are looked for by who calls. */
int page_pair_write(const struct pinsight_diff *diff, const char *const traces[2], bool progress,
                    const volatile sig_atomic_t *stop, FILE *out, char **error);

#endif
