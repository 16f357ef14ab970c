/*
 * Finds the calls that started threads and processes, for the arrows of a page.
 *
 * A trace has the call that starts a thread, and the first slice of the thread, without a link
 * between both. They are matched in their order. A thread has one open start at a time, because it
 * waits until the started thread runs. A forked process belongs to the last call of its parent, as
 * this call is still open. Other processes belong to the first call of their parent without a
 * process, if it is not older than PAGE_STARTS_NS. Not thread-safe.
 */
#ifndef PINSIGHT_VIEWS_PAGE_STARTS_H
#define PINSIGHT_VIEWS_PAGE_STARTS_H

#include "reader/timeline.h"

/* The most time from a call to the first slice of the process that it started. */
#define PAGE_STARTS_NS (5ull * 1000 * 1000 * 1000)

enum page_start_kind {
    PAGE_STARTS_NOTHING,
    PAGE_STARTS_THREAD,
    PAGE_STARTS_FORK,
    PAGE_STARTS_EXEC
};

/* A call whose thread or process was not seen yet. */
struct page_start {
    const struct pinsight_process *process;
    uint64_t ns;
    uint32_t track;
    uint8_t kind; /* enum page_start_kind */
};

/* All zero is empty. */
struct page_starts {
    uint8_t *kinds; /* by callee: 0 if not looked at yet, else enum page_start_kind plus one */
    size_t kind_count;
    struct page_start *open;
    size_t count, capacity;
};

void page_starts_clear(struct page_starts *starts);

/* Notes a slice that began, if it is a call that starts a thread or a process. */
void page_starts_note(struct page_starts *starts, const struct pinsight_track *track,
                      const struct pinsight_slice *slice);

/* Finds the call that started the thread of a track, or its process, if the track is the first of
 * it. Returns false if none is known. Each call is found once. */
bool page_starts_find(struct page_starts *starts, const struct pinsight_track *track,
                      bool first_of_process, uint64_t ns, struct page_start *found);

#endif
