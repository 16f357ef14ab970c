/*
 * A hash table of numbers. The hash is stored with the number, so that most other items are
 * rejected without a look at them. Open addressing; at least half of the slots are free.
 */
#ifndef PINSIGHT_PYTHON_PATH_SLOTS_H
#define PINSIGHT_PYTHON_PATH_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct pinsight_path_slot {
    uint32_t hash, number; /* number 0: free */
};

/* Static, zeroed. */
struct pinsight_path_slots {
    struct pinsight_path_slot *at; /* NULL before the first growth */
    uint32_t count, used;          /* count is a power of two, or 0 */
};

/* Doubles the number of slots, from `first` slots at first. Returns false if memory is short. */
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
