/* Lists of MPI ranks in options, such as "0,4-7". */
#ifndef PINSIGHT_BASE_RANKS_H
#define PINSIGHT_BASE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the next range of a list. Returns the position behind the range and its comma, or NULL if
 * the text is not a list. */
const char *pinsight_ranks_next(const char *at, int64_t *first, int64_t *last);

bool pinsight_ranks_are(const char *text);

/* Returns whether a list contains a rank. A rank of -1 means that there is none. */
bool pinsight_ranks_have(const char *ranks, int64_t rank);

#endif
