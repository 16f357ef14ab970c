/* Sums by place; see place_counts.h. */
#include "tracer/python/place_counts.h"

#include "format/allocated_lines.h"
#include "tracer/core/process.h"
#include "tracer/python/cpython/code_death.h"
#include "tracer/python/cpython/frame.h"
#include "tracer/record/python.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024u
#define ENTRIES_MAX (1u << 20)
#define FURTHER 1u /* the place of lines beyond the limit */

static inline uint32_t hash_of_path(uint32_t path) {
    return path * 0x9e3779b1u;
}

static uint32_t *slot_of_path(const struct pinsight_place_counts *counts, uint32_t path) {
    uint32_t mask = counts->by_path_room - 1, at = hash_of_path(path) >> 8 & mask;
    while (counts->by_path[at] && counts->places[counts->by_path[at]].level.path != path)
        at = (at + 1) & mask;
    return &counts->by_path[at];
}

/* Makes room for one more place. Returns false if memory is short. */
static bool grow_places(struct pinsight_place_counts *counts) {
    if (counts->place_count < counts->place_room)
        return true;
    uint32_t room = counts->place_room ? counts->place_room * 2 : FIRST_ROOM;
    struct pinsight_place_count *places = realloc(counts->places, room * sizeof *places);
    if (!places)
        return false;
    counts->places = places;
    uint32_t *by_path = calloc(room * 2, sizeof *by_path);
    if (!by_path)
        return false;
    free(counts->by_path);
    counts->by_path = by_path;
    counts->by_path_room = room * 2;
    if (!counts->place_count) {
        places[counts->place_count++] = (struct pinsight_place_count){0};
        places[counts->place_count++] =
            (struct pinsight_place_count){.level = {.path = PINSIGHT_ALLOCATED_FURTHER}};
    }
    for (uint32_t i = 1; i < counts->place_count; i++)
        *slot_of_path(counts, places[i].level.path) = i;
    counts->place_room = room;
    return true;
}

/* Makes room for more entries, and drops those of freed code objects. Living ones come back at
 * their next request. */
static bool grow_entries(struct pinsight_place_counts *counts) {
    if (counts->entry_count < counts->entry_room / 2)
        return true;
    uint32_t room = counts->entry_room ? counts->entry_room * 2 : FIRST_ROOM;
    if (room > ENTRIES_MAX) {
        memset(counts->entries, 0, counts->entry_room * sizeof *counts->entries);
        counts->entry_count = 0;
        return true;
    }
    struct pinsight_place_entry *entries = calloc(room, sizeof *entries);
    if (!entries)
        return false;
    for (uint32_t i = 0; i < counts->entry_room; i++) {
        const struct pinsight_place_entry *entry = &counts->entries[i];
        uint32_t at = pinsight_place_hash(entry->code, entry->at);
        if (!entry->code)
            continue;
        while (entries[at & (room - 1)].code)
            at++;
        entries[at & (room - 1)] = *entry;
    }
    free(counts->entries);
    counts->entries = entries;
    counts->entry_room = room;
    return true;
}

/* Records the definition before the sums, while the code object lives. */
static void define(struct pinsight_path_level *level) {
    struct pinsight_path_thread one = {.depth = 1, .room = 1, .levels = level};
    pinsight_path_define(&one, 0, pinsight_session_version());
}

/* Returns the place of a level's path, or 0. */
static uint32_t place_of(struct pinsight_place_counts *counts, const PyThreadState *state,
                         struct pinsight_path_level *level) {
    if (!pinsight_path_is_open() || !pinsight_code_death_is_watched() ||
        Py_TYPE(level->code) != &PyCode_Type)
        return 0;
    pinsight_path_lock();
    if (pinsight_code_death_is_of_others(state))
        pinsight_code_death_of_others();
    bool is_further = counts->place_count > PINSIGHT_ALLOCATED_LINES_MOST &&
                      !pinsight_path_code_is_known(level->code);
    if (!is_further)
        pinsight_path_know(level, 1, 0);
    pinsight_path_unlock();
    if (is_further)
        return FURTHER;
    if (!level->path)
        return 0;
    define(level);
    uint32_t *slot = slot_of_path(counts, level->path);
    if (!*slot) {
        *slot = counts->place_count++;
        counts->places[*slot] = (struct pinsight_place_count){.level = *level};
    }
    return *slot;
}

__attribute__((noinline)) struct pinsight_place_count *
pinsight_place_find_slow(struct pinsight_place_counts *counts, const PyThreadState *state,
                         const void *code, uintptr_t at) {
    uint64_t deaths = pinsight_path_deaths();
    if (!grow_places(counts) || !grow_entries(counts))
        return &counts->other;
    struct pinsight_path_level level = {.code = code, .at = at, .line = PINSIGHT_PATH_NO_LINE};
    uint32_t place = place_of(counts, state, &level), mask = counts->entry_room - 1;
    uint32_t i = pinsight_place_hash(code, at);
    struct pinsight_place_entry *entry = &counts->entries[i & mask];
    while (entry->code && (entry->code != code || entry->at != at))
        entry = &counts->entries[++i & mask];
    counts->entry_count += !entry->code;
    *entry = (struct pinsight_place_entry){code, at, deaths, place};
    return &counts->places[place];
}

static bool is_alive(const struct pinsight_path_level *level) {
    return level->known && pinsight_path_code_at(level->known)->birth == level->birth;
}

static void write_place(struct pinsight_place_count *place) {
    uint64_t count = place->count, bytes = place->bytes;
    bool live =
        place->live_bytes != place->live_written || place->peak_bytes != place->peak_written;
    if (count == place->count_written && !live)
        return;
    if (is_alive(&place->level))
        define(&place->level);
    if (live)
        pinsight_record_python_allocated_live(place->level.path, place->blocks, place->live_bytes,
                                              place->peak_bytes);
    place->live_written = place->live_bytes;
    place->peak_written = place->peak_bytes;
    if (count == place->count_written)
        return;
    pinsight_record_python_allocated(place->level.path, count - place->count_written,
                                     bytes - place->bytes_written);
    place->count_written = count;
    place->bytes_written = bytes;
}

void pinsight_place_write(struct pinsight_place_counts *counts) {
    for (uint32_t i = 0; i < counts->place_count; i++)
        write_place(&counts->places[i]);
    write_place(&counts->other);
}

static void forget(struct pinsight_place_count *place) {
    place->count_written = place->count;
    place->bytes_written = place->bytes;
    /* The memory in use is recorded again. */
    place->live_written = place->peak_written = 0;
}

static void forget_live(struct pinsight_place_count *place) {
    place->blocks = place->live_bytes = place->live_written = 0;
    place->peak_bytes = place->peak_written = 0;
}

void pinsight_place_forget_live(struct pinsight_place_counts *counts) {
    for (uint32_t i = 0; i < counts->place_count; i++)
        forget_live(&counts->places[i]);
    forget_live(&counts->other);
}

void pinsight_place_forget(struct pinsight_place_counts *counts) {
    for (uint32_t i = 0; i < counts->place_count; i++)
        forget(&counts->places[i]);
    forget(&counts->other);
}
