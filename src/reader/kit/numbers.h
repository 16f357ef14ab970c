/* From the numbers that a trace gives things to those that the model has for them. Programs number
 * from 1 on: such numbers are places of an array, any other ones are looked up. Not thread-safe. */
#ifndef PINSIGHT_READER_KIT_NUMBERS_H
#define PINSIGHT_READER_KIT_NUMBERS_H

#include "base/map.h"

#include <stddef.h>

/* All zero is empty. */
struct pinsight_numbers {
    struct pinsight_map map; /* all of them */
    uint32_t *at;            /* of small numbers the value plus one; 0 where it is not known */
    size_t count;
};

/* The value that was set, or PINSIGHT_MAP_NONE, of one that is not in the array. */
uint32_t pinsight_numbers_find(struct pinsight_numbers *numbers, uint32_t number);

static inline uint32_t pinsight_numbers_get(struct pinsight_numbers *numbers, uint32_t number) {
    if (number < numbers->count && numbers->at[number])
        return numbers->at[number] - 1;
    return pinsight_numbers_find(numbers, number);
}

/* The value is not PINSIGHT_MAP_NONE. */
void pinsight_numbers_set(struct pinsight_numbers *numbers, uint32_t number, uint32_t value);

void pinsight_numbers_clear(struct pinsight_numbers *numbers);

#endif
