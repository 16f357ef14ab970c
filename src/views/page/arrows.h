/* Flows between tracks, such as messages, and marks at one time. At most PAGE_ARROWS_MOST flows are
 * kept. Beyond that every second flow is kept, then every fourth. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_ARROWS_H
#define PINSIGHT_VIEWS_PAGE_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_ARROWS_MOST (1u << 16)
#define PAGE_MARKS_MOST 4096

struct page_arrow {
    uint64_t from_ns, to_ns, bytes;
    uint32_t from, to; /* tracks */
    uint8_t kind;      /* enum pinsight_flow_kind */
};

struct page_mark {
    uint64_t ns;
    uint32_t track;
    char *name; /* owned */
};

/* All zero is empty. */
struct page_arrows {
    struct page_arrow *arrows;
    size_t count, capacity;
    uint64_t all;    /* number of all flows */
    uint64_t stride; /* one of this many flows is kept; 0 means 1 */
    struct page_mark *marks;
    size_t mark_count, mark_capacity;
    uint64_t all_marks;
};

void page_arrows_add(struct page_arrows *arrows, const struct page_arrow *arrow);
void page_arrows_mark(struct page_arrows *arrows, uint32_t track, const char *name, uint64_t ns);
/* Sorts the flows by time. No flow may be added later. */
void page_arrows_sort(struct page_arrows *arrows);
void page_arrows_clear(struct page_arrows *arrows);

#endif
