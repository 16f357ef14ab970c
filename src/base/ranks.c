/* Lists of ranks; see ranks.h. */
#include "base/ranks.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

const char *pinsight_ranks_next(const char *at, int64_t *first, int64_t *last) {
    char *end;

    if (*at < '0' || *at > '9') {
        return NULL;
    }
    errno = 0;
    *first = *last = strtol(at, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
        *last = strtol(end + 1, &end, 10);
    }
    if (errno != 0 || *first > *last || *last > INT_MAX) {
        return NULL;
    }
    if (*end == '\0') {
        return end;
    }
    return *end == ',' && end[1] != '\0' ? end + 1 : NULL;
}

bool pinsight_ranks_are(const char *text) {
    const char *at = text;
    int64_t first, last;

    do {
        at = pinsight_ranks_next(at, &first, &last);
    } while (at && *at != '\0');
    return at != NULL;
}

bool pinsight_ranks_have(const char *ranks, int64_t rank) {
    const char *at = ranks;
    int64_t first, last;

    while (at && *at != '\0') {
        at = pinsight_ranks_next(at, &first, &last);
        if (at && rank >= first && rank <= last) {
            return true;
        }
    }
    return false;
}
