/* Keeps flows and marks; see arrows.h. */
#include "views/page/arrows.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

/* Removes every second flow. */
static void thin(struct page_arrows *arrows) {
    size_t kept = 0;

    for (size_t i = 0; i < arrows->count; i += 2)
        arrows->arrows[kept++] = arrows->arrows[i];
    arrows->count = kept;
    arrows->stride *= 2;
}

void page_arrows_add(struct page_arrows *arrows, const struct page_arrow *arrow) {
    if (!arrows->stride)
        arrows->stride = 1;
    if (arrows->all++ % arrows->stride)
        return;
    *PINSIGHT_ADD(arrows->arrows, arrows->count, arrows->capacity) = *arrow;
    if (arrows->count == PAGE_ARROWS_MOST)
        thin(arrows);
}

void page_arrows_mark(struct page_arrows *arrows, uint32_t track, const char *name, uint64_t ns) {
    if (arrows->all_marks++ < PAGE_MARKS_MOST)
        *PINSIGHT_ADD(arrows->marks, arrows->mark_count, arrows->mark_capacity) =
            (struct page_mark){.ns = ns, .track = track, .name = pinsight_strdup(name)};
}

ORDER(by_time, struct page_arrow,
      BY(a->from_ns, b->from_ns) ?: BY(a->to_ns, b->to_ns)
          ?: BY(a->to, b->to))

void page_arrows_sort(struct page_arrows *arrows) {
    PINSIGHT_SORT(arrows->arrows, arrows->count, by_time);
}

void page_arrows_clear(struct page_arrows *arrows) {
    for (size_t i = 0; i < arrows->mark_count; i++)
        free(arrows->marks[i].name);
    PINSIGHT_FREE(arrows->arrows, arrows->marks);
    *arrows = (struct page_arrows){0};
}
