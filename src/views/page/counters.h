/* Counters of a page: values over time. A counter has at most PAGE_POINTS_MOST points. Beyond that,
 * neighbouring points become one, which keeps the least, the greatest and the last of their values.
 * At most PAGE_COUNTERS_MOST counters are kept, half of them for other kinds than memory. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_COUNTERS_H
#define PINSIGHT_VIEWS_PAGE_COUNTERS_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

#define PAGE_POINTS_MOST 2048
#define PAGE_COUNTERS_MOST 256

/* The kinds of counters. The page has their names. */
enum page_counter_kind {
    PAGE_COUNTER_VALUE,    /* values that the program marked */
    PAGE_COUNTER_RUNNING,  /* threads that run */
    PAGE_COUNTER_MESSAGES, /* messages in flight, of the whole run */
    PAGE_COUNTER_GIL,      /* percentage of time in which a thread held the GIL */
    PAGE_COUNTER_MEMORY,   /* resident memory of a process, in bytes */
};

struct page_point {
    uint64_t ns;
    double least, most, last;
};

struct page_counter {
    enum page_counter_kind kind;
    uint32_t process; /* index, or UINT32_MAX for the whole run */
    char *name;       /* of a value; owned; NULL for the other kinds */
    struct page_point *points;
    size_t count, capacity;
    uint64_t width_ns; /* a point has the values of this time; 0: each value is a point */
    uint64_t values;   /* number of all values */
};

/* All zero is empty. */
struct page_counters {
    struct page_counter *counters;
    size_t count, capacity;
    struct pinsight_map map; /* index in `counters` of a process and kind, or of a name's hash */
    uint64_t left_out;       /* values of counters that are too many */
};

/* Adds a value of a counter at a time. A time before the counter's last one counts as that one.
 * Values that are not finite are left out. `name` is NULL for all kinds but values. */
void page_counters_add(struct page_counters *counters, enum page_counter_kind kind,
                       uint32_t process, const char *name, double value, uint64_t ns);
void page_counters_clear(struct page_counters *counters);

#endif
