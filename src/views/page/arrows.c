/* Keeps flows and marks; see arrows.h. */
#include "views/page/arrows.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

/* Removes every second flow. */
static void thin(struct page_arrow_list *list) {
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i += 2)
        list->arrows[kept++] = list->arrows[i];
    list->count = kept;
    list->stride *= 2;
}

void page_arrows_add(struct page_arrows *arrows, const struct page_arrow *arrow) {
    struct page_arrow_list *list = &arrows->kinds[arrow->kind];

    if (!list->stride)
        list->stride = 1;
    if (list->all++ % list->stride)
        return;
    *PINSIGHT_ADD(list->arrows, list->count, list->capacity) = *arrow;
    if (list->count == PAGE_ARROWS_MOST)
        thin(list);
}

void page_arrows_mark(struct page_arrows *arrows, uint32_t track, const char *name, uint64_t ns) {
    if (arrows->all_marks++ < PAGE_MARKS_MOST)
        *PINSIGHT_ADD(arrows->marks, arrows->mark_count, arrows->mark_capacity) =
            (struct page_mark){.ns = ns, .track = track, .name = pinsight_strdup(name)};
}

ORDER(by_time, struct page_arrow,
      BY(a->from_ns, b->from_ns) ?: BY(a->to_ns, b->to_ns)
          ?: BY(a->to, b->to))

struct page_arrow *page_arrows_sorted(const struct page_arrows *arrows, size_t *count,
                                      uint64_t *all) {
    struct page_arrow *sorted;

    *count = *all = 0;
    for (size_t kind = 0; kind < PAGE_ARROW_KINDS; kind++) {
        *count += arrows->kinds[kind].count;
        *all += arrows->kinds[kind].all;
    }
    sorted = pinsight_calloc(*count ? *count : 1, sizeof(*sorted));
    *count = 0;
    for (size_t kind = 0; kind < PAGE_ARROW_KINDS; kind++)
        for (size_t i = 0; i < arrows->kinds[kind].count; i++)
            sorted[(*count)++] = arrows->kinds[kind].arrows[i];
    PINSIGHT_SORT(sorted, *count, by_time);
    return sorted;
}

void page_arrows_clear(struct page_arrows *arrows) {
    for (size_t i = 0; i < arrows->mark_count; i++)
        free(arrows->marks[i].name);
    for (size_t kind = 0; kind < PAGE_ARROW_KINDS; kind++)
        free(arrows->kinds[kind].arrows);
    free(arrows->marks);
    *arrows = (struct page_arrows){0};
}
