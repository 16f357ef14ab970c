/* Sorting by keys, the first that differ. */
#ifndef PINSIGHT_BASE_ORDER_H
#define PINSIGHT_BASE_ORDER_H

#include <stdlib.h>

/* Less than 0, 0 or more than 0 as a is before b, the same, or behind it. For functions that qsort
 * calls: `return BY(b->ns, a->ns) ?: strcmp(a->name, b->name);` has the larger ns first. */
#define BY(a, b) (((a) > (b)) - ((a) < (b)))

/* Sorts an array, which may be NULL where it is empty. */
#define PINSIGHT_SORT(items, count, order)                                                         \
    ((count) ? qsort((void *)(items), (count), sizeof(*(items)), (order)) : (void)0)

#endif
