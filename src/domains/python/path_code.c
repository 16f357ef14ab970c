/* The code objects that call paths name; see path_code.h. */
#include "domains/python/path_code.h"

#include "domains/python/path.h"
#include "domains/python/path_alike.h"
#include "domains/python/path_frame.h"
#include "domains/python/path_line.h"
#include "domains/python/path_pages.h"
#include "domains/python/path_slots.h"

#include <stdlib.h>

#if PY_VERSION_HEX >= 0x030b0000
#define next_range pinsight_line_next_locations
#define find_line pinsight_line_find_location
#define line_table(code) ((code)->co_linetable)
#define instructions(code) ((size_t)Py_SIZE(code))
#elif PY_VERSION_HEX >= 0x030a0000
#define next_range pinsight_line_next_linetable
#define find_line(range, offset) pinsight_line_find(range, next_range, offset)
#define line_table(code) ((code)->co_linetable)
#define instructions(code) ((size_t)PyBytes_GET_SIZE((code)->co_code) / 2)
#else
#define next_range pinsight_line_next_lnotab
#define find_line(range, offset) pinsight_line_find(range, next_range, offset)
#define line_table(code) ((code)->co_lnotab)
#define instructions(code) ((size_t)PyBytes_GET_SIZE((code)->co_code) / 2)
#endif

#define FIRST_SLOTS 256u
#define MOST (1u << 20) /* code objects at a time: as many as there may be paths */
#define TOGETHER 1024u  /* made at a time; whole pages, of 64 kB too */
#define MISSES 8        /* after so many, the lines of all instructions are worked out */

/* A bit for each address that has been in the table, by its hash: most code objects that go were
 * never in a path. Few, so that they stay in the caches. Written under the lock, read by any thread
 * that holds the code object. */
#define SEEN_BITS 13
static _Atomic uint32_t seen[(1u << SEEN_BITS) / 32];

static struct pinsight_path_code *all;   /* from 1; one after the other is put to use */
static uint32_t made;                    /* there are so many, with number 0 */
static struct pinsight_path_slots slots; /* of addresses to numbers in `all` */
static uint32_t *free_ones; /* a stack, so that the next are known without a look at them */
static uint32_t free_count;
static uint32_t births;
static _Atomic uint64_t deaths;

static uint32_t hash(const void *code) {
    return (uint32_t)(((uint64_t)(uintptr_t)code >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

static bool is_seen(const void *code) {
    uint32_t bit = hash(code) >> (32 - SEEN_BITS);
    return atomic_load_explicit(&seen[bit / 32], memory_order_relaxed) >> bit % 32 & 1;
}

static void set_seen(uint32_t hashed) {
    uint32_t bit = hashed >> (32 - SEEN_BITS);
    uint32_t others = atomic_load_explicit(&seen[bit / 32], memory_order_relaxed);
    atomic_store_explicit(&seen[bit / 32], others | 1u << bit % 32, memory_order_relaxed);
}

/* The slot of a code object, or the free one where it belongs. */
static inline uint32_t find(const struct pinsight_path_slot *table, uint32_t mask, const void *code,
                            uint32_t hashed) {
    uint32_t at = hashed & mask;
    while (table[at].number && (table[at].hash != hashed || all[table[at].number].code != code))
        at = (at + 1) & mask;
    return at;
}

static __attribute__((noinline)) bool make(void) {
    if (!all && !(all = pinsight_path_reserve((size_t)MOST * sizeof *all)))
        return false;
    uint32_t *larger = realloc(free_ones, (made + TOGETHER) * sizeof *larger);
    if (!larger)
        return false;
    free_ones = larger;
    if (made == MOST || !pinsight_path_use(&all[made], TOGETHER * sizeof *all))
        return false;
    for (uint32_t i = made + TOGETHER; i-- > made;) {
        if (i > 0)
            free_ones[free_count++] = i;
    }
    made += TOGETHER;
    return true;
}

/* Is there room for so many more? */
static bool has_room(uint32_t count) {
    while (slots.used + count > slots.count / 2) {
        if (!pinsight_path_slots_grow(&slots, FIRST_SLOTS))
            return false;
    }
    while (free_count < count) {
        if (!make())
            return false;
    }
    return true;
}

/* Those that were made last, and have no number yet. */
#define BATCH 64u
static struct pinsight_path_code *fresh[BATCH];
static uint32_t fresh_count;

void pinsight_path_code_numbers(void) {
    pinsight_path_alike_numbers(fresh, fresh_count);
    fresh_count = 0;
}

/* Of so many levels, at most BATCH. What changes is kept here meanwhile: for all that the compiler
 * knows, what is written to the levels could be it. */
static void know(struct pinsight_path_level *levels, uint32_t count) {
    bool has = has_room(count);
    struct pinsight_path_slot *table = slots.at;
    struct pinsight_path_code *entries = all;
    uint32_t mask = slots.count - 1, birth = births, *next = free_ones + free_count, made_here = 0;
    for (struct pinsight_path_level *level = levels; level < levels + count; level++) {
        const PyCodeObject *code = level->code;
        if (!level->is_new)
            continue;
        if (PINSIGHT_UNLIKELY(!table || !entries)) {
            level->known = NULL;
            continue;
        }
        uint32_t hashed = hash(code), at = find(table, mask, code, hashed);
        struct pinsight_path_code *known = &entries[table[at].number];
        if (!table[at].number) {
            if (PINSIGHT_UNLIKELY(!has)) {
                level->known = NULL;
                continue;
            }
            table[at] = (struct pinsight_path_slot){.hash = hashed, .number = *--next};
            known = &entries[*next];
            *known = (struct pinsight_path_code){.code = code, .birth = ++birth};
            set_seen(hashed);
            fresh[made_here++] = known;
        }
        level->known = known;
        level->birth = known->birth;
    }
    births = birth;
    slots.used += made_here;
    free_count -= made_here;
    fresh_count = made_here;
    pinsight_path_alike_soon(fresh, made_here);
}

void pinsight_path_codes(struct pinsight_path_level *levels, uint32_t count) {
    for (uint32_t part; count > 0; count -= part, levels += part) {
        part = count < BATCH ? count : BATCH;
        pinsight_path_code_numbers();
        know(levels, part);
    }
}

void pinsight_path_code_soon(const PyCodeObject *code, uint32_t before) {
    const char *table = (const char *)line_table(code);
    uint32_t hashed = hash(code);
    __builtin_prefetch(table);
    __builtin_prefetch(table + 64);
    __builtin_prefetch(pinsight_path_code_name(code));
    __builtin_prefetch((const void *)&seen[(hashed >> (32 - SEEN_BITS)) / 32], 1);
    if (slots.at)
        __builtin_prefetch(&slots.at[hashed & (slots.count - 1)], 1);
    if (before < free_count)
        __builtin_prefetch(&all[free_ones[free_count - 1 - before]], 1);
}

/* ---- lines ---- */

/* Whatever makes a code object sees to it that its table is bytes. */
static inline void begin_lines(struct pinsight_line_range *range, const PyCodeObject *code) {
    PyObject *table = line_table(code);
    pinsight_line_begin(range, (const unsigned char *)PyBytes_AS_STRING(table),
                        (size_t)PyBytes_GET_SIZE(table), code->co_firstlineno);
}

static void read_all_lines(struct pinsight_path_code *known) {
    struct pinsight_line_range range;
    size_t count = instructions(known->code);
    known->misses = 0; /* without memory, after as many again */
    int32_t *lines = count < UINT32_MAX ? malloc(count * sizeof *lines) : NULL;
    if (!lines)
        return;
    begin_lines(&range, known->code);
    pinsight_line_fill(&range, next_range, lines, count);
    known->lines = lines;
    known->line_count = (uint32_t)count;
}

/* The line of an instruction at an offset in bytes, 0 where there is none. */
static int32_t line_of(struct pinsight_path_code *known, long offset) {
    struct pinsight_line_range range;
    uint32_t instruction = (uint32_t)(offset / 2);
    uint32_t slot = instruction % PINSIGHT_PATH_LINES;
    if (offset >= 0 && instruction < known->line_count)
        return known->lines[instruction];
    if (offset >= 0 && known->recent[slot].instruction == instruction + 1)
        return known->recent[slot].line;
    begin_lines(&range, known->code);
    int32_t line = find_line(&range, offset);
    if (offset >= 0) {
        known->recent[slot].instruction = instruction + 1;
        known->recent[slot].line = line;
        if (++known->misses > MISSES && !known->line_count)
            read_all_lines(known);
    }
    return line;
}

void pinsight_path_code_lines(struct pinsight_path_level *levels, uint32_t count) {
    for (struct pinsight_path_level *level = levels; level < levels + count; level++) {
        if (level->is_new)
            level->line = level->known
                              ? line_of(level->known, pinsight_frame_offset(level->code, level->at))
                              : 0;
    }
}

/* ---- code objects that go ---- */

static destructor own_dealloc;

/* Take a slot's entry out, and move those up that could not be found any more. */
static void take_out(uint32_t hole) {
    uint32_t number = slots.at[hole].number, mask = slots.count - 1;
    struct pinsight_path_code *known = &all[number];
    for (uint32_t at = (hole + 1) & mask; slots.at[at].number; at = (at + 1) & mask) {
        if (((at - slots.at[at].hash) & mask) >= ((at - hole) & mask)) {
            slots.at[hole] = slots.at[at];
            hole = at;
        }
    }
    slots.at[hole] = (struct pinsight_path_slot){0, 0};
    slots.used--;
    if (known->line_count)
        free(known->lines);
    known->code = NULL;
    known->birth = 0;
    free_ones[free_count++] = number;
}

void pinsight_path_code_dealloc(PyObject *code) {
    if (is_seen(code)) {
        pinsight_path_lock();
        uint32_t at = find(slots.at, slots.count - 1, code, hash(code));
        if (slots.at[at].number) {
            pinsight_path_alike_gone(&all[slots.at[at].number]);
            take_out(at);
            /* Before another code object can be made at this address, and run. */
            atomic_fetch_add(&deaths, 1);
        }
        pinsight_path_unlock();
    }
    own_dealloc(code);
}

void pinsight_path_code_start(void) {
    if (own_dealloc)
        return;
    own_dealloc = PyCode_Type.tp_dealloc;
    PyCode_Type.tp_dealloc = pinsight_path_code_dealloc;
}

uint64_t pinsight_path_deaths(void) {
    return atomic_load_explicit(&deaths, memory_order_acquire);
}
