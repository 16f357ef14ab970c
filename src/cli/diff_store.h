/* `pinsight diff STORE:RUNS …` and `pinsight compare STORE:RUNS …`: compares runs that `pinsight
 * store` keeps with others, or with traces. */
#ifndef PINSIGHT_CLI_DIFF_STORE_H
#define PINSIGHT_CLI_DIFF_STORE_H

#include "views/diff/diff.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns whether one of the words names runs of a store, like history.db:1-5. A trace whose name
 * ends like this goes before. */
bool cli_diff_has_stored(const char *const *words, size_t count);

/* Returns whether a comparison with a store heeds the options, else false after a message. `verb`
 * is the word of the command line. */
bool cli_diff_fits_store(const char *verb, const struct pinsight_diff_options *options);

/* Compares two sides, of runs of one store and of traces, as `pinsight store diff` does. At least
 * one word names runs of a store. `fail_above` is in percent; a negative one is no limit. Returns
 * the exit status: 2 after a message if the words are of two stores. Not thread-safe. */
int cli_diff_stored(const char *const *const words[2], const size_t counts[2],
                    const struct pinsight_diff_options *options, double fail_above);

#endif
