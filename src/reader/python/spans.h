/* Stretches of time that may overlap, and their total time. A limited number is kept: the closest
 * ones are joined if there are more. Not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_SPANS_H
#define PINSIGHT_READER_PYTHON_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct pinsight_span {
    uint64_t begin_ns, end_ns;
};

/* All zero is empty. */
struct pinsight_spans {
    struct pinsight_span *spans;
    size_t count, capacity;
    size_t sorted; /* the first ones, which are in order and do not touch each other */
};

void pinsight_spans_add(struct pinsight_spans *spans, uint64_t begin_ns, uint64_t end_ns);

/* Returns the time that is in any of them, in ns. */
uint64_t pinsight_spans_time(struct pinsight_spans *spans);

void pinsight_spans_clear(struct pinsight_spans *spans);

#endif
