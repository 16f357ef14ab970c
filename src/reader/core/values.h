/* Values that the program marks: the counters of a process, by name. Part of the model; not
 * thread-safe. */
#ifndef PINSIGHT_READER_CORE_VALUES_H
#define PINSIGHT_READER_CORE_VALUES_H

#include "base/map.h"
#include "reader/ctf/event.h"

#include <stddef.h>
#include <stdint.h>

struct pinsight_model;
struct pinsight_process;

/* The values of a name in a process. */
struct pinsight_counter {
    const struct pinsight_process *process;
    uint32_t name; /* string number */
    uint64_t count;
    double min, max, sum, last; /* `min` and `max` are NAN if no value is a number */
    uint64_t first_ns, last_ns;
};

struct pinsight_counters {
    struct pinsight_counter *counters; /* in the order of their first values */
    size_t count, capacity;
    struct pinsight_map map;
};

/* Takes a value. */
void pinsight_values_take(struct pinsight_model *model, const struct pinsight_event *event);

#endif
