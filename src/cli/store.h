/* Comparisons for `pinsight diff` and `pinsight compare`, as `pinsight store diff` makes them. */
#ifndef PINSIGHT_CLI_STORE_H
#define PINSIGHT_CLI_STORE_H

#include <stddef.h>

#define CLI_STORE_TO "--to" /* between the sides of a comparison */

/* Compares two sides of a store in `file`. Each of the words is a list of runs like 1-5,9, or a
 * trace. `format` is one of `pinsight store`. `fail_above` is in percent; a negative one is no
 * limit. Returns the exit status. Not thread-safe. */
int cli_store_diff(const char *file, const char *format, double fail_above,
                   const char *const *words, size_t count);

#endif
