/* Bounds of the differences between hosts' clocks; see bounds.h. */
#include "reader/hosts/bounds.h"

#include "base/order.h"

/* The first time for which a hull is kept. It doubles when there are too many items. */
#define FIRST_NS (UINT64_C(1) << 20)
#define MOST_ITEMS ((size_t)1 << 21)
/* A pair is thinned when so many items more are there than before. */
#define LEAST_MORE 64

ORDER(by_time, struct pinsight_bound, BY(a->from_ns, b->from_ns) ?: BY(a->took_ns, b->took_ns))

/* Returns whether `middle` lies on or above the line from `left` to `right`. */
static bool is_above(const struct pinsight_bound *left, const struct pinsight_bound *middle,
                     const struct pinsight_bound *right) {
    __int128 run = (__int128)(right->from_ns - left->from_ns);
    __int128 part = (__int128)(middle->from_ns - left->from_ns);

    return ((__int128)middle->took_ns - left->took_ns) * run >=
           ((__int128)right->took_ns - left->took_ns) * part;
}

/* Keeps the lower convex hull of each short time (Andrew's monotone chain). */
static void thin(struct pinsight_bounds *bounds, struct pinsight_bound_pair *pair) {
    struct pinsight_bound *items = pair->items;
    size_t kept = 0, first = 0;

    PINSIGHT_SORT(items, pair->count, by_time);
    for (size_t i = 0; i < pair->count; i++) {
        const struct pinsight_bound item = items[i];

        if (kept && items[kept - 1].from_ns / bounds->short_ns != item.from_ns / bounds->short_ns)
            first = kept;
        if (kept > first && items[kept - 1].from_ns == item.from_ns)
            continue;
        while (kept >= first + 2 && is_above(&items[kept - 2], &items[kept - 1], &item))
            kept--;
        items[kept++] = item;
    }
    bounds->total -= pair->count - kept;
    pair->count = pair->kept = kept;
}

static void thin_all(struct pinsight_bounds *bounds) {
    for (size_t i = 0; i < bounds->pair_count; i++)
        thin(bounds, &bounds->pairs[i]);
}

void pinsight_bounds_add(struct pinsight_bounds *bounds, uint32_t from, uint64_t from_ns,
                         uint32_t to, uint64_t to_ns) {
    struct pinsight_bound_pair *pair;

    if (from == to || from_ns > INT64_MAX || to_ns > INT64_MAX)
        return;
    if (!bounds->short_ns)
        bounds->short_ns = FIRST_NS;
    pair = PINSIGHT_KEYED(&bounds->map, from, to, 0, bounds->pairs, bounds->pair_count,
                          bounds->pair_capacity, .from = from, .to = to);
    *PINSIGHT_ADD(pair->items, pair->count, pair->capacity) =
        (struct pinsight_bound){.from_ns = from_ns, .took_ns = (int64_t)to_ns - (int64_t)from_ns};
    bounds->early |= to_ns < from_ns;
    bounds->total++;
    if (pair->count >= 2 * pair->kept + LEAST_MORE)
        thin(bounds, pair);
    while (bounds->total > MOST_ITEMS && bounds->short_ns < UINT64_MAX / 4) {
        bounds->short_ns *= 2;
        thin_all(bounds);
    }
}

void pinsight_bounds_finish(struct pinsight_bounds *bounds) {
    thin_all(bounds);
}

void pinsight_bounds_clear(struct pinsight_bounds *bounds) {
    for (size_t i = 0; i < bounds->pair_count; i++)
        free(bounds->pairs[i].items);
    free(bounds->pairs);
    pinsight_map_clear(&bounds->map);
    *bounds = (struct pinsight_bounds){0};
}
