/* Maps from the numbers in a trace to those of the model. Programs count from 1 on: such numbers
 * are indexes of an array. Any other number is looked up. Not thread-safe. */
#ifndef PINSIGHT_READER_DATA_NUMBERS_H
#define PINSIGHT_READER_DATA_NUMBERS_H

#include "base/map.h"

#include <stddef.h>

/* All zero is empty. */
struct pinsight_numbers {
    struct pinsight_map map; /* all values */
    uint32_t *at;            /* value plus one of small numbers; 0 if unknown */
    size_t count;
};

/* Returns the value of a number that is not in the array, or PINSIGHT_MAP_NONE. */
uint32_t pinsight_numbers_find(struct pinsight_numbers *numbers, uint32_t number);

/* Returns the value of a number, or PINSIGHT_MAP_NONE. */
static inline uint32_t pinsight_numbers_get(struct pinsight_numbers *numbers, uint32_t number) {
    if (number < numbers->count && numbers->at[number])
        return numbers->at[number] - 1;
    return pinsight_numbers_find(numbers, number);
}

/* Sets the value of a number. The value must not be PINSIGHT_MAP_NONE. */
void pinsight_numbers_set(struct pinsight_numbers *numbers, uint32_t number, uint32_t value);

/* Frees the values, so that the map is empty. */
void pinsight_numbers_clear(struct pinsight_numbers *numbers);

#endif
