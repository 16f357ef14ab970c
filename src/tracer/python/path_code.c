/* The code objects of call paths; see path_code.h. */
#include "tracer/python/path_code.h"

#include "tracer/python/path.h"
#include "tracer/python/path_intern.h"
#include "tracer/python/path_lines.h"
#include "tracer/python/path_pages.h"
#include "tracer/python/path_slots.h"
#include "tracer/python/path_tree.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024u
#define TOGETHER 2048u /* number that is made at a time: whole pages, also of 64 kB */

PINSIGHT_PATH_NEAR uint32_t pinsight_path_codes_most;
struct pinsight_path_code *pinsight_path_codes_all;
PINSIGHT_PATH_NEAR static uint32_t made;                    /* number of items, with item 0 */
PINSIGHT_PATH_NEAR static struct pinsight_path_slots slots; /* from addresses to their numbers */
PINSIGHT_PATH_NEAR static uint32_t hand; /* the search for free items begins here */
PINSIGHT_PATH_NEAR static uint32_t births;
static _Atomic uint64_t deaths;

static inline uint32_t hash(const void *code) {
    return (uint32_t)(((uint64_t)(uintptr_t)code >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

/* Returns the slot of a code object, or the free slot for it. */
static inline uint32_t find(const struct pinsight_path_slot *table, uint32_t mask, const void *code,
                            uint32_t hashed) {
    uint32_t at = hashed & mask;
    while (table[at].number &&
           (table[at].hash != hashed || pinsight_path_codes_all[table[at].number].code != code))
        at = (at + 1) & mask;
    return at;
}

static __attribute__((noinline)) bool make(void) {
    if (!pinsight_path_codes_all) {
        pinsight_path_codes_most =
            pinsight_path_most(PINSIGHT_PATH_CODES_MAX, TOGETHER, sizeof *pinsight_path_codes_all);
        pinsight_path_codes_all =
            pinsight_path_reserve(pinsight_path_codes_most * sizeof *pinsight_path_codes_all);
    }
    if (!pinsight_path_codes_all || made >= pinsight_path_codes_most ||
        !pinsight_path_lines_make(made, TOGETHER) ||
        !pinsight_path_use(&pinsight_path_codes_all[made],
                           TOGETHER * sizeof *pinsight_path_codes_all))
        return false;
    hand = made ? made : 1;
    made += TOGETHER;
    return true;
}

/* Returns whether there is room for `count` more. An eighth stays free, so that searches stay
 * short. */
static bool has_room(uint32_t count) {
    while (slots.used + count > slots.count / 4) {
        if (!pinsight_path_slots_grow(&slots, FIRST_SLOTS))
            return false;
    }
    while (slots.used + count >= made / 8 * 7) {
        if (!make())
            return false;
    }
    return true;
}

static inline uint32_t after(uint32_t number) {
    return number + 1 < made ? number + 1 : 1;
}

static inline uint64_t file_hash(const PyCodeObject *code, struct pinsight_path_file *last) {
    if (code->co_filename != last->file) {
        last->file = code->co_filename;
        last->hash = pinsight_path_intern_file(code->co_filename);
    }
    return last->hash;
}

#define BATCH 64u /* limits the room that is made in advance */

/* Handles at most BATCH levels. Returns the last one's path. Values that the compiler would reload
 * after each write to the levels are in local variables. */
static uint32_t know(struct pinsight_path_level *levels, uint32_t count, uint32_t path) {
    bool has = has_room(count);
    struct pinsight_path_slot *table = slots.at;
    struct pinsight_path_code *entries = pinsight_path_codes_all;
    uint32_t mask = slots.count - 1, birth = births, next = hand;
    pinsight_path_numbers_reserve(count);
    uint32_t number = pinsight_path_numbers.next;
    struct pinsight_path_file file = {0};
    for (struct pinsight_path_level *level = levels; level < levels + count; level++) {
        const PyCodeObject *code = level->code;
        uint32_t known = level->known;
        if (level->line == PINSIGHT_PATH_NO_LINE) {
            uint32_t hashed = hash(code), at = 0;
            if (PINSIGHT_LIKELY(table && entries)) {
                at = find(table, mask, code, hashed);
                known = table[at].number;
            }
            if (!known && PINSIGHT_LIKELY(has)) {
                while (entries[next].code)
                    next = after(next);
                known = next;
                next = after(next);
                table[at] = (struct pinsight_path_slot){.hash = hashed, .number = known};
                entries[known] = (struct pinsight_path_code){.code = code, .birth = ++birth};
                number =
                    pinsight_path_intern_number(&entries[known], file_hash(code, &file), number);
            }
            level->known = known;
            level->birth = known ? entries[known].birth : 0;
            level->line = known ? pinsight_path_line(known, &entries[known], level->at) : 0;
        }
        uint32_t found = known ? pinsight_path_find(path, entries[known].number, level->line) : 0;
        if (PINSIGHT_UNLIKELY(!found))
            pinsight_path_too_many();
        level->path = path = found ? found : path;
    }
    slots.used += birth - births;
    births = birth;
    hand = next;
    pinsight_path_numbers.next = number;
    return path;
}

void pinsight_path_know(struct pinsight_path_level *levels, uint32_t count, uint32_t path) {
    for (uint32_t part; count > 0; count -= part, levels += part) {
        part = count < BATCH ? count : BATCH;
        path = know(levels, part, path);
    }
}

struct pinsight_path_code *pinsight_path_code_numbered(uint32_t number) {
    for (uint32_t i = 1; i < made; i++)
        if (pinsight_path_codes_all[i].code && pinsight_path_codes_all[i].number == number)
            return &pinsight_path_codes_all[i];
    return NULL;
}

bool pinsight_path_code_is_known(const void *code) {
    return slots.at && slots.at[find(slots.at, slots.count - 1, code, hash(code))].number;
}

void pinsight_path_codes_prefetch(uint32_t count) {
    if (!pinsight_path_codes_all)
        return;
    const char *next = (const char *)pinsight_path_code_at(hand);
    for (size_t at = 0; at < count * sizeof *pinsight_path_codes_all; at += 64)
        __builtin_prefetch(next + at, 1);
}

void pinsight_path_code_prefetch(const PyCodeObject *code, struct pinsight_path_file *file) {
    const char *table = (const char *)pinsight_code_line_table(code);
    __builtin_prefetch(table);
    __builtin_prefetch(table + 64);
    __builtin_prefetch(pinsight_path_code_name(code));
    if (slots.at)
        __builtin_prefetch(&slots.at[hash(code) & (slots.count - 1)], 1);
    pinsight_path_intern_prefetch(code, file_hash(code, file));
}

/* ---- code objects that go ---- */

/* Removes a slot's entry, and moves entries up that would not be found any more. */
static void take_out(uint32_t hole) {
    uint32_t number = slots.at[hole].number, mask = slots.count - 1;
    for (uint32_t at = (hole + 1) & mask; slots.at[at].number; at = (at + 1) & mask) {
        if (((at - slots.at[at].hash) & mask) >= ((at - hole) & mask)) {
            slots.at[hole] = slots.at[at];
            hole = at;
        }
    }
    slots.at[hole] = (struct pinsight_path_slot){0, 0};
    slots.used--;
    pinsight_path_lines_gone(number);
    pinsight_path_code_at(number)->code = NULL;
    pinsight_path_code_at(number)->birth = 0;
}

void pinsight_path_code_gone(const PyCodeObject *code) {
    /* There is no race: the thread that named a code object has run it before it was freed. */
    if (__atomic_load_n(&slots.used, __ATOMIC_RELAXED) == 0)
        return;
    pinsight_path_lock();
    uint32_t at = find(slots.at, slots.count - 1, code, hash(code));
    if (slots.at[at].number) {
        pinsight_path_intern_gone(pinsight_path_code_at(slots.at[at].number));
        take_out(at);
        /* Happens before another code object can be made at this address. */
        atomic_fetch_add(&deaths, 1);
    }
    pinsight_path_unlock();
}

uint64_t pinsight_path_deaths(void) {
    return atomic_load_explicit(&deaths, memory_order_acquire);
}
