/*
 * Sums by place: a line of a function. Each allocation looks up its place. Therefore a known
 * instruction is found by one look into a table, without a lock.
 *
 * Calls with the same sums must not overlap.
 */
#ifndef PINSIGHT_PYTHON_PLACE_COUNTS_H
#define PINSIGHT_PYTHON_PLACE_COUNTS_H

#include "tracer/python/path.h"
#include "tracer/python/path_code.h"
#include "tracer/python/versions.h"

/* The requests of one line. */
struct pinsight_place_count {
    uint64_t count, bytes;
    uint64_t count_written, bytes_written;
    uint64_t blocks, live_bytes, peak_bytes; /* memory in use */
    uint64_t live_written, peak_written;     /* the last recorded live_bytes and peak_bytes */
    struct pinsight_path_level level;        /* the call path that consists of this line alone */
};

/* An instruction that has requested memory. */
struct pinsight_place_entry {
    const void *code; /* NULL: free */
    uintptr_t at;     /* in the form of cpython/frame.h */
    uint64_t deaths;  /* deaths of code objects when the entry was made */
    uint32_t place;
};

/* Zeroed at the start. */
struct pinsight_place_counts {
    struct pinsight_place_entry *entries;
    uint32_t entry_room, entry_count;
    /* The first is for requests outside of Python, the second for lines beyond the limit. */
    struct pinsight_place_count *places;
    uint32_t place_room, place_count;
    uint32_t *by_path; /* places by the hash of their paths; 0: free */
    uint32_t by_path_room;
    struct pinsight_place_count other; /* if memory is short, or nothing is known */
};

/* Returns the place of an instruction that pinsight_place_of() does not find, and makes it if
 * necessary. */
struct pinsight_place_count *pinsight_place_find_slow(struct pinsight_place_counts *counts,
                                                      const PyThreadState *state, const void *code,
                                                      uintptr_t at);

static inline uint32_t pinsight_place_hash(const void *code, uintptr_t at) {
    return (uint32_t)((((uint64_t)(uintptr_t)code >> 4) ^ ((uint64_t)at << 7) ^ (uint64_t)at) *
                          0x9e3779b97f4a7c15u >>
                      32);
}

/* Returns the sums of an instruction's place. A frame of the calling thread (`state`) is at the
 * instruction. */
static inline struct pinsight_place_count *pinsight_place_of(struct pinsight_place_counts *counts,
                                                             const PyThreadState *state,
                                                             const void *code, uintptr_t at) {
    uint32_t mask = counts->entry_room - 1;
    for (uint32_t i = pinsight_place_hash(code, at); PINSIGHT_LIKELY(counts->entry_room); i++) {
        const struct pinsight_place_entry *entry = &counts->entries[i & mask];
        if (entry->code == code && entry->at == at &&
            PINSIGHT_LIKELY(entry->deaths == pinsight_path_deaths()))
            return &counts->places[entry->place];
        if (!entry->code || (entry->code == code && entry->at == at))
            break;
    }
    return pinsight_place_find_slow(counts, state, code, at);
}

/* Records the counts since the last call, and the memory in use. */
void pinsight_place_write(struct pinsight_place_counts *counts);

/* Resets the memory in use to unknown. */
void pinsight_place_forget_live(struct pinsight_place_counts *counts);

/* Resets all counts. They belong to no place any more. */
void pinsight_place_forget(struct pinsight_place_counts *counts);

#endif
