/* Makes levels of detail; see levels.h. */
#include "views/page/levels.h"

#include "base/memory.h"

#include <stdlib.h>

/* Merges the following box into a box. */
static void merge(struct page_box *to, const struct page_box *box) {
    if (box->node == to->node) {
        to->top_ns += box->top_ns;
    } else if (box->top_ns > to->top_ns) {
        to->node = box->node;
        to->top_ns = box->top_ns;
    }
    if (box->end_ns > to->end_ns)
        to->end_ns = box->end_ns;
    to->busy_ns += box->busy_ns;
    to->away_ns += box->away_ns;
    to->count += box->count;
}

void page_row_add(struct page_row *row, const struct page_box *box, uint64_t resolution_ns) {
    struct page_box *last = row->count ? &row->boxes[row->count - 1] : NULL;

    if (last && resolution_ns && box->end_ns - last->begin_ns <= resolution_ns)
        merge(last, box);
    else
        *PINSIGHT_ADD(row->boxes, row->count, row->capacity) = *box;
}

void page_row_thin(struct page_row *row, uint64_t resolution_ns) {
    size_t count = row->count;

    row->count = 0;
    for (size_t i = 0; i < count; i++) {
        /* A copy, because the place of the box may be overwritten. */
        const struct page_box box = row->boxes[i];

        page_row_add(row, &box, resolution_ns);
    }
}

struct page_row page_row_level(const struct page_row *row, uint64_t resolution_ns) {
    struct page_row level = {0};

    for (size_t i = 0; i < row->count; i++)
        page_row_add(&level, &row->boxes[i], resolution_ns);
    return level;
}

void page_row_clear(struct page_row *row) {
    free(row->boxes);
    *row = (struct page_row){0};
}
