/* Comparison functions for sorting by several keys. */
#ifndef PINSIGHT_BASE_ORDER_H
#define PINSIGHT_BASE_ORDER_H

#include <stdlib.h>

/* Negative, 0 or positive if a is less than, equal to or greater than b. */
#define BY(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines a comparison function for qsort() over items `a` and `b` of a type. Example, for the
 * larger ns first and then by name: ORDER(by_ns, struct row, BY(b->ns, a->ns) ?: strcmp(a->name,
 * b->name)) */
#define ORDER(function, type, ...)                                                                 \
    static int function(const void *left, const void *right) {                                     \
        const type *a = left, *b = right;                                                          \
                                                                                                   \
        return __VA_ARGS__;                                                                        \
    }

/* Sorts an array. An empty array may be NULL. */
#define PINSIGHT_SORT(items, count, order)                                                         \
    ((count) ? qsort((void *)(items), (count), sizeof(*(items)), (order)) : (void)0)

#endif
