/* Flows between tracks, such as messages, and marks at one time. At most PAGE_ARROWS_MOST flows of
 * each kind are kept. Beyond that every second flow of the kind is kept, then every fourth. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_ARROWS_H
#define PINSIGHT_VIEWS_PAGE_ARROWS_H

#include "reader/timeline.h"

#include <stddef.h>
#include <stdint.h>

#define PAGE_ARROWS_MOST (1u << 15)
#define PAGE_MARKS_MOST 4096

/* The kinds of flows, and those that the page derives itself. The numbers are in the page. */
enum page_arrow_kind {
    PAGE_ARROW_START = PINSIGHT_FLOW_KINDS, /* from a call to the thread or process it started */
    PAGE_ARROW_KINDS,
};

struct page_arrow {
    uint64_t from_ns, to_ns, bytes;
    uint32_t from, to; /* tracks */
    uint8_t kind;      /* enum page_arrow_kind, or enum pinsight_flow_kind */
};

/* The flows of a kind. */
struct page_arrow_list {
    struct page_arrow *arrows;
    size_t count, capacity;
    uint64_t all;    /* number of all flows */
    uint64_t stride; /* one of this many flows is kept; 0 means 1 */
};

struct page_mark {
    uint64_t ns;
    uint32_t track;
    char *name; /* owned */
};

/* All zero is empty. */
struct page_arrows {
    struct page_arrow_list kinds[PAGE_ARROW_KINDS];
    struct page_mark *marks;
    size_t mark_count, mark_capacity;
    uint64_t all_marks;
};

void page_arrows_add(struct page_arrows *arrows, const struct page_arrow *arrow);
void page_arrows_mark(struct page_arrows *arrows, uint32_t track, const char *name, uint64_t ns);
/* Returns the kept flows of all kinds, sorted by time. Sets their number, and that of all flows.
 * The caller frees them. */
struct page_arrow *page_arrows_sorted(const struct page_arrows *arrows, size_t *count,
                                      uint64_t *all);
void page_arrows_clear(struct page_arrows *arrows);

#endif
