/* Sorting by keys, the first that differ. */
#ifndef PINSIGHT_BASE_ORDER_H
#define PINSIGHT_BASE_ORDER_H

#include <stdlib.h>

/* Less than 0, 0 or more than 0 as a is before b, the same, or behind it. */
#define BY(a, b) (((a) > (b)) - ((a) < (b)))

/* A function for qsort over items of a type, a and b. The larger ns first, then by name:
 * ORDER(by_ns, struct row, BY(b->ns, a->ns) ?: strcmp(a->name, b->name)) */
#define ORDER(function, type, ...)                                                                 \
    static int function(const void *left, const void *right) {                                     \
        const type *a = left, *b = right;                                                          \
                                                                                                   \
        return __VA_ARGS__;                                                                        \
    }

/* Sorts an array, which may be NULL where it is empty. */
#define PINSIGHT_SORT(items, count, order)                                                         \
    ((count) ? qsort((void *)(items), (count), sizeof(*(items)), (order)) : (void)0)

#endif
