/* The code objects that call paths name; see path_code.h. */
#include "domains/python/path_code.h"

#include "domains/python/path.h"
#include "domains/python/path_alike.h"
#include "domains/python/path_line.h"
#include "domains/python/path_pages.h"

#include <stdlib.h>

#if PY_VERSION_HEX >= 0x030b0000
#define next_range pinsight_line_next_locations
#define line_table(code) ((code)->co_linetable)
#define instructions(code) ((size_t)Py_SIZE(code))
#elif PY_VERSION_HEX >= 0x030a0000
#define next_range pinsight_line_next_linetable
#define line_table(code) ((code)->co_linetable)
#define instructions(code) ((size_t)PyBytes_GET_SIZE((code)->co_code) / 2)
#else
#define next_range pinsight_line_next_lnotab
#define line_table(code) ((code)->co_lnotab)
#define instructions(code) ((size_t)PyBytes_GET_SIZE((code)->co_code) / 2)
#endif

#define FIRST_SLOTS 256u
#define BATCH 1024 /* made at once */
#define MISSES 8   /* after so many, the lines of all instructions are worked out */

/* A bit for each address that has been in the table, by its hash: most code objects that go were
 * never in a path. Written under the lock, read by any thread that holds the code object. */
#define SEEN_BITS 15
static _Atomic uint32_t seen[(1u << SEEN_BITS) / 32];

/* By the hash of the address; at least half of the slots are free. The address stands in the slot,
 * so that a look at it is a look at one piece of memory, whatever else has that hash. */
static struct slot {
    const void *code; /* NULL where it is free */
    struct pinsight_path_code *known;
} * slots;
static uint32_t slot_count, used;
static struct pinsight_path_code **free_ones; /* a stack: the next comes without a look at it */
static uint32_t free_count, made;
static uint32_t births;
static _Atomic uint64_t deaths;

static uint64_t hash(const void *code) {
    return ((uint64_t)(uintptr_t)code >> 4) * 0x9e3779b97f4a7c15u;
}

static bool is_seen(const void *code) {
    uint64_t bit = hash(code) >> (64 - SEEN_BITS);
    return atomic_load_explicit(&seen[bit / 32], memory_order_relaxed) >> bit % 32 & 1;
}

static void set_seen(const void *code) {
    uint64_t bit = hash(code) >> (64 - SEEN_BITS);
    uint32_t others = atomic_load_explicit(&seen[bit / 32], memory_order_relaxed);
    atomic_store_explicit(&seen[bit / 32], others | 1u << bit % 32, memory_order_relaxed);
}

static uint32_t home(const void *code) {
    return (uint32_t)(hash(code) >> 32) & (slot_count - 1);
}

/* The slot of a code object, or the free one where it belongs. */
static uint32_t find(const void *code) {
    uint32_t at = home(code);
    while (slots[at].code && slots[at].code != code)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static bool grow(void) {
    struct slot *old = slots;
    uint32_t old_count = slot_count;
    uint32_t wanted = old_count ? old_count * 2 : FIRST_SLOTS;
    struct slot *larger = calloc(wanted, sizeof *larger);
    if (!larger)
        return false;
    slots = larger;
    slot_count = wanted;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i].code)
            slots[find(old[i].code)] = old[i];
    }
    free(old);
    return true;
}

static void make_batch(void) {
    struct pinsight_path_code **larger = realloc(free_ones, (made + BATCH) * sizeof *larger);
    if (!larger)
        return;
    free_ones = larger;
    struct pinsight_path_code *batch = pinsight_path_pages(BATCH * sizeof *batch);
    if (!batch)
        return;
    for (int i = BATCH - 1; i >= 0; i--)
        free_ones[free_count++] = &batch[i];
    made += BATCH;
}

static struct pinsight_path_code *make(void) {
    if (free_count == 0)
        make_batch();
    return free_count > 0 ? free_ones[--free_count] : NULL;
}

struct pinsight_path_code *pinsight_path_code(const PyCodeObject *code) {
    bool has_room = used < slot_count / 2 || grow();
    if (!slots)
        return NULL;
    uint32_t at = find(code);
    if (slots[at].code)
        return slots[at].known;
    struct pinsight_path_code *known = has_room ? make() : NULL;
    if (!known)
        return NULL;
    *known = (struct pinsight_path_code){.code = code, .birth = ++births};
    pinsight_path_alike_number(known);
    slots[at] = (struct slot){code, known};
    used++;
    set_seen(code);
    return known;
}

void pinsight_path_code_soon(const PyCodeObject *code, uint32_t before) {
    if (before < free_count)
        __builtin_prefetch(free_ones[free_count - 1 - before], 1);
    __builtin_prefetch(slots ? &slots[home(code)] : NULL);
    __builtin_prefetch((const void *)&seen[(hash(code) >> (64 - SEEN_BITS)) / 32], 1);
    __builtin_prefetch(PyBytes_AS_STRING(line_table(code)));
    __builtin_prefetch(PyBytes_AS_STRING(line_table(code)) + 64);
    pinsight_path_alike_soon(code);
}

/* ---- lines ---- */

static void begin_lines(struct pinsight_line_range *range, const PyCodeObject *code) {
    PyObject *table = line_table(code);
    bool usable = table && PyBytes_Check(table);
    pinsight_line_begin(
        range, usable ? (const unsigned char *)PyBytes_AS_STRING(table) : (const unsigned char *)"",
        usable ? (size_t)PyBytes_GET_SIZE(table) : 0, code->co_firstlineno);
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

int32_t pinsight_path_code_line(struct pinsight_path_code *known, long offset) {
    struct pinsight_line_range range;
    uint32_t instruction = (uint32_t)(offset / 2);
    uint32_t slot = instruction % PINSIGHT_PATH_LINES;
    if (offset >= 0 && instruction < known->line_count)
        return known->lines[instruction];
    if (offset >= 0 && known->recent[slot].instruction == instruction + 1)
        return known->recent[slot].line;
    begin_lines(&range, known->code);
    int32_t line = pinsight_line_find(&range, next_range, offset);
    if (offset >= 0) {
        known->recent[slot].instruction = instruction + 1;
        known->recent[slot].line = line;
        if (++known->misses > MISSES && !known->line_count)
            read_all_lines(known);
    }
    return line;
}

/* ---- code objects that go ---- */

static destructor own_dealloc;

/* Take a slot's entry out, and move those up that could not be found any more. */
static void take_out(uint32_t hole) {
    struct pinsight_path_code *known = slots[hole].known;
    uint32_t mask = slot_count - 1;
    for (uint32_t at = (hole + 1) & mask; slots[at].code; at = (at + 1) & mask) {
        if (((at - home(slots[at].code)) & mask) >= ((at - hole) & mask)) {
            slots[hole] = slots[at];
            hole = at;
        }
    }
    slots[hole] = (struct slot){NULL, NULL};
    used--;
    if (known->line_count)
        free(known->lines);
    known->code = NULL;
    known->birth = 0;
    free_ones[free_count++] = known;
}

void pinsight_path_code_dealloc(PyObject *code) {
    if (is_seen(code)) {
        pinsight_path_lock();
        uint32_t at = find(code);
        if (slots[at].code) {
            pinsight_path_alike_gone(slots[at].known);
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
