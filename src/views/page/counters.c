/* Keeps values over time; see counters.h. */
#include "views/page/counters.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const struct page_counter *counter, enum page_counter_kind kind,
                    uint32_t process, const char *name) {
    return counter->kind == kind && counter->process == process &&
           (!name || strcmp(counter->name, name) == 0);
}

static uint32_t hash_of(const char *name) {
    uint32_t hash = 0;

    for (; name && *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    return hash;
}

/* Returns the counter, which the first call makes, or NULL if there are too many. */
static struct page_counter *counter_of(struct page_counters *counters, enum page_counter_kind kind,
                                       uint32_t process, const char *name) {
    const uint32_t hash = hash_of(name);

    /* Names with the same hash have their places one after the other. */
    for (uint32_t place = hash;; place++) {
        const uint32_t index = pinsight_map_get(&counters->map, process, kind, place);

        if (index == PINSIGHT_MAP_NONE) {
            if (counters->count >= PAGE_COUNTERS_MOST / (kind == PAGE_COUNTER_MEMORY ? 2 : 1))
                return NULL;
            pinsight_map_set(&counters->map, process, kind, place, (uint32_t)counters->count);
            *PINSIGHT_ADD(counters->counters, counters->count, counters->capacity) =
                (struct page_counter){
                    .kind = kind, .process = process, .name = name ? pinsight_strdup(name) : NULL};
            return &counters->counters[counters->count - 1];
        }
        if (is_same(&counters->counters[index], kind, process, name))
            return &counters->counters[index];
    }
}

/* Adds a point's values to those of an earlier point. */
static void merge(struct page_point *point, const struct page_point *next) {
    point->least = fmin(point->least, next->least);
    point->most = fmax(point->most, next->most);
    point->last = next->last;
}

static bool is_within(const struct page_counter *counter, const struct page_point *point,
                      uint64_t ns) {
    return ns - point->ns < counter->width_ns || ns == point->ns;
}

/* Makes the points wider, until at most half of them are left. */
static void thin(struct page_counter *counter) {
    struct page_point *points = counter->points;

    if (!counter->width_ns)
        counter->width_ns = (points[counter->count - 1].ns - points[0].ns) / PAGE_POINTS_MOST + 1;
    while (counter->count > PAGE_POINTS_MOST / 2) {
        size_t kept = 0;

        counter->width_ns *= 2;
        for (size_t i = 1; i < counter->count; i++) {
            if (is_within(counter, &points[kept], points[i].ns))
                merge(&points[kept], &points[i]);
            else
                points[++kept] = points[i];
        }
        counter->count = kept + 1;
    }
}

void page_counters_add(struct page_counters *counters, enum page_counter_kind kind,
                       uint32_t process, const char *name, double value, uint64_t ns) {
    struct page_counter *counter;
    struct page_point point = {ns, value, value, value}, *last;

    if (!isfinite(value))
        return;
    counter = counter_of(counters, kind, process, name);
    if (!counter) {
        counters->left_out++;
        return;
    }
    counter->values++;
    last = counter->count ? &counter->points[counter->count - 1] : NULL;
    if (last && point.ns < last->ns)
        point.ns = last->ns;
    if (last && is_within(counter, last, point.ns)) {
        merge(last, &point);
        return;
    }
    *PINSIGHT_ADD(counter->points, counter->count, counter->capacity) = point;
    if (counter->count == PAGE_POINTS_MOST)
        thin(counter);
}

void page_counters_clear(struct page_counters *counters) {
    for (size_t i = 0; i < counters->count; i++)
        PINSIGHT_FREE(counters->counters[i].name, counters->counters[i].points);
    free(counters->counters);
    pinsight_map_clear(&counters->map);
}
