/*
 * Sums by place: a line of a function. Places are looked up for each allocation, so an instruction
 * that was seen before is found by one look into a table, without a lock.
 *
 * Of the functions one thread at a time calls any of the same sums.
 */
#ifndef PINSIGHT_PYTHON_PLACE_COUNTS_H
#define PINSIGHT_PYTHON_PLACE_COUNTS_H

#include "domains/python/path.h"
#include "domains/python/path_code.h"
#include "domains/python/versions.h"

/* What one line asked for. */
struct pinsight_place_count {
    uint64_t count, bytes;
    uint64_t count_written, bytes_written;
    uint64_t blocks, live_bytes, peak_bytes; /* that were not given back */
    uint64_t live_written, peak_written;     /* live_bytes and peak_bytes as they were said last */
    struct pinsight_path_level level;        /* of the call path that is this line alone */
};

/* An instruction that asked for something. */
struct pinsight_place_entry {
    const void *code; /* NULL: it is free */
    uintptr_t at;     /* as cpython/frame.h has it */
    uint64_t deaths;  /* of code objects, when this one was there */
    uint32_t place;
};

/* Zeroed at the start. */
struct pinsight_place_counts {
    struct pinsight_place_entry *entries;
    uint32_t entry_room, entry_count;
    struct pinsight_place_count *places; /* the first is no Python */
    uint32_t place_room, place_count;
    uint32_t *by_path; /* places by hash of their paths; 0 is free */
    uint32_t by_path_room;
    struct pinsight_place_count other; /* where memory is short, and where nothing is known */
};

/* The place of an instruction that is not found by the function below, made if need be. */
struct pinsight_place_count *pinsight_place_find_slow(struct pinsight_place_counts *counts,
                                                      const PyThreadState *state, const void *code,
                                                      uintptr_t at);

static inline uint32_t pinsight_place_hash(const void *code, uintptr_t at) {
    return (uint32_t)((((uint64_t)(uintptr_t)code >> 4) ^ ((uint64_t)at << 7) ^ (uint64_t)at) *
                          0x9e3779b97f4a7c15u >>
                      32);
}

/* The sums of the place of an instruction, at which a frame of the calling thread (state) is. */
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

/* Write what was counted since the last time, and what lives. */
void pinsight_place_write(struct pinsight_place_counts *counts);

/* Nothing is known of what lives. */
void pinsight_place_forget_live(struct pinsight_place_counts *counts);

/* What was counted is nobody's. */
void pinsight_place_forget(struct pinsight_place_counts *counts);

#endif
