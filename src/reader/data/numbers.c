/* Numbers of a trace; see numbers.h. */
#include "reader/data/numbers.h"

#include "base/memory.h"

#include <stdlib.h>

/* Sets a value in the array, if the array stays in proportion to the number of values. A trace may
 * have any numbers. */
static void place(struct pinsight_numbers *numbers, uint32_t number, uint32_t value) {
    if (number / 4 > numbers->map.used + 64u)
        return;
    numbers->at = pinsight_reach(numbers->at, number, &numbers->count, sizeof(*numbers->at));
    numbers->at[number] = value + 1;
}

uint32_t pinsight_numbers_find(struct pinsight_numbers *numbers, uint32_t number) {
    uint32_t value = pinsight_map_get(&numbers->map, number, 0, 0);

    if (value != PINSIGHT_MAP_NONE)
        place(numbers, number, value);
    return value;
}

void pinsight_numbers_set(struct pinsight_numbers *numbers, uint32_t number, uint32_t value) {
    pinsight_map_set(&numbers->map, number, 0, 0, value);
    place(numbers, number, value);
}

void pinsight_numbers_clear(struct pinsight_numbers *numbers) {
    pinsight_map_clear(&numbers->map);
    free(numbers->at);
    *numbers = (struct pinsight_numbers){0};
}
