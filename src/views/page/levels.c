/* Makes levels of detail; see levels.h. */
#include "views/page/levels.h"

#include "base/memory.h"

#include <stdlib.h>

/* Waiting is stored in parts of a box's time. */
#define WAITING_PARTS 64

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

void page_row_write(const struct page_row *row, uint64_t from_ns, struct page_bytes *bytes) {
    uint64_t last = from_ns;
    uint32_t node = 0;

    page_bytes_number(bytes, row->count);
    for (size_t i = 0; i < row->count; i++) {
        page_bytes_difference(bytes, last, row->boxes[i].begin_ns);
        last = row->boxes[i].end_ns;
    }
    for (size_t i = 0; i < row->count; i++)
        page_bytes_number(bytes, row->boxes[i].end_ns - row->boxes[i].begin_ns);
    for (size_t i = 0; i < row->count; i++) {
        page_bytes_difference(bytes, node, row->boxes[i].node);
        node = row->boxes[i].node;
    }
    for (size_t i = 0; i < row->count; i++)
        page_bytes_number(bytes, row->boxes[i].count);
    for (size_t i = 0; i < row->count; i++) {
        const struct page_box *box = &row->boxes[i];
        const uint64_t span = box->end_ns - box->begin_ns;

        page_bytes_number(bytes, span > box->busy_ns ? span - box->busy_ns : 0);
    }
    for (size_t i = 0; i < row->count; i++) {
        const struct page_box *box = &row->boxes[i];

        page_bytes_number(
            bytes,
            box->busy_ns
                ? (uint64_t)((double)box->away_ns * WAITING_PARTS / (double)box->busy_ns + 0.5)
                : 0);
    }
}

static size_t size_of(const struct page_row *rows, size_t count, uint64_t from_ns) {
    struct page_bytes bytes = {0};
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        page_row_write(&rows[i], from_ns, &bytes);
        size += bytes.count;
        bytes.count = 0;
    }
    page_bytes_clear(&bytes);
    return size;
}

uint64_t page_rows_fit(struct page_row *rows, size_t count, uint64_t from_ns,
                       uint64_t resolution_ns, size_t bytes_most) {
    while (size_of(rows, count, from_ns) > bytes_most && resolution_ns < UINT64_MAX / 4) {
        resolution_ns = resolution_ns ? resolution_ns * 2 : PAGE_RESOLUTION_NS;
        for (size_t i = 0; i < count; i++)
            page_row_thin(&rows[i], resolution_ns);
    }
    return resolution_ns;
}

void page_row_clear(struct page_row *row) {
    free(row->boxes);
    *row = (struct page_row){0};
}
