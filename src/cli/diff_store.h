/* `pinsight diff STORE:RUNS STORE:RUNS`: compares runs that `pinsight store` keeps. */
#ifndef PINSIGHT_CLI_DIFF_STORE_H
#define PINSIGHT_CLI_DIFF_STORE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether one of the words names runs of a store, like history.db:1-5. A trace whose name
 * ends like this goes before. */
bool cli_diff_has_stored(const char *const *words, size_t count);

/* Compares the runs of two such words as `pinsight store diff` does, in a format of it.
 * `fail_above` is in percent; a negative one is no limit. Returns the exit status: 2 after a
 * message if they are of two stores, or one is a trace. Not thread-safe. */
int cli_diff_stored(const char *a, const char *b, const char *format, double fail_above);

#endif
