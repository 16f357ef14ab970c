/* Lists of MPI's ranks, as options have them: "0,4-7". */
#ifndef PINSIGHT_BASE_RANKS_H
#define PINSIGHT_BASE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the next range of a list; returns where the one after it begins, NULL where none is. */
const char *pinsight_ranks_next(const char *at, int64_t *first, int64_t *last);

bool pinsight_ranks_are(const char *text);

/* Is a rank (-1 for none) in a list? */
bool pinsight_ranks_have(const char *ranks, int64_t rank);

#endif
