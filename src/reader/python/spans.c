/* Stretches of time; see spans.h. */
#include "reader/python/spans.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

/* The most spans that are kept: 2 MiB. */
#define MOST ((size_t)1 << 17)

ORDER(by_begin, struct pinsight_span, BY(a->begin_ns, b->begin_ns))

/* Joins spans that overlap, or that are at most `gap_ns` apart. The spans are in order. */
static void join(struct pinsight_spans *spans, uint64_t gap_ns) {
    struct pinsight_span *last = spans->spans;

    for (size_t i = 1; i < spans->count; i++) {
        const struct pinsight_span span = spans->spans[i];

        if (span.begin_ns > last->end_ns && span.begin_ns - last->end_ns > gap_ns)
            *++last = span;
        else if (span.end_ns > last->end_ns)
            last->end_ns = span.end_ns;
    }
    spans->count = spans->count ? (size_t)(last - spans->spans) + 1 : 0;
    spans->sorted = spans->count;
}

static void put_in_order(struct pinsight_spans *spans) {
    if (spans->sorted == spans->count)
        return;
    PINSIGHT_SORT(spans->spans, spans->count, by_begin);
    join(spans, 0);
}

void pinsight_spans_add(struct pinsight_spans *spans, uint64_t begin_ns, uint64_t end_ns) {
    if (begin_ns >= end_ns)
        return;
    if (spans->count == MOST) {
        put_in_order(spans);
        for (uint64_t gap_ns = 1000; spans->count > MOST / 2; gap_ns *= 2)
            join(spans, gap_ns);
    }
    *PINSIGHT_ADD(spans->spans, spans->count, spans->capacity) =
        (struct pinsight_span){begin_ns, end_ns};
}

uint64_t pinsight_spans_time(struct pinsight_spans *spans) {
    uint64_t time = 0;

    put_in_order(spans);
    for (size_t i = 0; i < spans->count; i++)
        time += spans->spans[i].end_ns - spans->spans[i].begin_ns;
    return time;
}

void pinsight_spans_clear(struct pinsight_spans *spans) {
    free(spans->spans);
    *spans = (struct pinsight_spans){0};
}
