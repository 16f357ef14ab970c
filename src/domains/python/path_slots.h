/*
 * Numbers by the hash of what they stand for, which stands with them, so that most others are told
 * apart without a look at what they stand for. Open addressing; at least half of the slots are
 * free.
 */
#ifndef PINSIGHT_PYTHON_PATH_SLOTS_H
#define PINSIGHT_PYTHON_PATH_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct pinsight_path_slot {
    uint32_t hash, number; /* number 0: it is free */
};

/* Static, zeroed. */
struct pinsight_path_slots {
    struct pinsight_path_slot *at; /* NULL before the first grew it */
    uint32_t count, used;          /* count is a power of two, or 0 */
};

/* Twice as many, or `first`; false where memory is short. */
static inline bool pinsight_path_slots_grow(struct pinsight_path_slots *slots, uint32_t first) {
    uint32_t wanted = slots->count ? slots->count * 2 : first, mask = wanted - 1;
    struct pinsight_path_slot *larger = calloc(wanted, sizeof *larger);
    if (!larger)
        return false;
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t at = slots->at[i].hash & mask;
        if (!slots->at[i].number)
            continue;
        while (larger[at].number)
            at = (at + 1) & mask;
        larger[at] = slots->at[i];
    }
    free(slots->at);
    slots->at = larger;
    slots->count = wanted;
    return true;
}

#endif
