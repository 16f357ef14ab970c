/* The code objects that call paths name; see path_code.h. */
#include "domains/python/path_code.h"

#include "domains/python/lexgion.h"
#include "domains/python/path.h"
#include "domains/python/path_line.h"

#include <stdlib.h>
#include <string.h>

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
#define BATCH 64 /* made at once */
#define MISSES 8 /* after so many, the lines of all instructions are worked out */

/* One for each address that has been in the table, by its hash: most code objects that go were
 * never in a path. Any thread that holds the code object. */
#define SEEN_BITS 14
static _Atomic bool seen[1u << SEEN_BITS];

/* By the hash of the address; at least half of the slots are NULL. */
static struct pinsight_path_code **slots;
static uint32_t slot_count, used;
static struct pinsight_path_code *free_ones;
static uint32_t births;
static _Atomic uint64_t deaths;

static uint64_t hash(const void *code) {
    return ((uint64_t)(uintptr_t)code >> 4) * 0x9e3779b97f4a7c15u;
}

static _Atomic bool *seen_at(const void *code) {
    return &seen[hash(code) >> (64 - SEEN_BITS)];
}

static uint32_t home(const void *code) {
    return (uint32_t)(hash(code) >> 32) & (slot_count - 1);
}

/* The slot of a code object, or the free one where it belongs. */
static uint32_t find(const void *code) {
    uint32_t at = home(code);
    while (slots[at] && slots[at]->code != code)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static bool grow(void) {
    struct pinsight_path_code **old = slots;
    uint32_t old_count = slot_count;
    uint32_t wanted = old_count ? old_count * 2 : FIRST_SLOTS;
    struct pinsight_path_code **larger = calloc(wanted, sizeof *larger);
    if (!larger)
        return false;
    slots = larger;
    slot_count = wanted;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i])
            slots[find(old[i]->code)] = old[i];
    }
    free(old);
    return true;
}

static struct pinsight_path_code *make(void) {
    if (!free_ones) {
        struct pinsight_path_code *batch = calloc(BATCH, sizeof *batch);
        for (int i = 0; batch && i < BATCH; i++) {
            batch[i].next = free_ones;
            free_ones = &batch[i];
        }
    }
    struct pinsight_path_code *known = free_ones;
    if (known)
        free_ones = known->next;
    return known;
}

/* ---- code objects that were here ---- */

/*
 * A program may make the same function over and over (exec, a cell that is run again). Each is a
 * code object of its own, and each is the same to a reader: it gets the number of an equal one that
 * is gone. So many are kept in mind, a newer one in the place of an older.
 */
#define GONE 1024u

struct gone {
    uint64_t hash;
    uint32_t number;
    uint32_t defined; /* generation */
    int32_t first_line;
    int name_kind, file_kind;
    Py_ssize_t name_length, file_length; /* characters */
    char text[];                         /* of both, as Python keeps them */
};

static struct gone *gone[GONE];
static uint32_t gone_count;

/* A string's characters as Python keeps them, which needs no GIL; 0 bytes where it is none. */
struct view {
    const void *data;
    Py_ssize_t length;
    int kind;
    size_t bytes;
};

static struct view view_of(PyObject *text) {
    struct view view = {.data = ""};
    if (!text || !PyUnicode_Check(text))
        return view;
#if PY_VERSION_HEX < 0x030c0000
    if (!PyUnicode_IS_READY(text))
        return view;
#endif
    view.data = PyUnicode_DATA(text);
    view.length = PyUnicode_GET_LENGTH(text);
    view.kind = (int)PyUnicode_KIND(text);
    view.bytes = (size_t)view.length * (size_t)view.kind;
    return view;
}

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    for (; size > 0; size--)
        hash = (hash ^ *bytes++) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const PyCodeObject *code, const struct view *name,
                        const struct view *file) {
    uint64_t hash = mix((uint32_t)code->co_firstlineno, name->data, name->bytes);
    return mix(hash, file->data, file->bytes);
}

/* Keep a code object in mind that goes. */
static void bury(const struct pinsight_path_code *known) {
    struct view name = view_of(pinsight_path_code_name(known->code));
    struct view file = view_of(known->code->co_filename);
    struct gone *one = malloc(sizeof *one + name.bytes + file.bytes);
    if (!one)
        return;
    *one = (struct gone){
        .hash = hash_of(known->code, &name, &file),
        .number = known->number,
        .defined = atomic_load_explicit(&known->defined, memory_order_relaxed),
        .first_line = known->code->co_firstlineno,
        .name_kind = name.kind,
        .file_kind = file.kind,
        .name_length = name.length,
        .file_length = file.length,
    };
    memcpy(one->text, name.data, name.bytes);
    memcpy(one->text + name.bytes, file.data, file.bytes);
    struct gone **place = &gone[one->hash % GONE];
    gone_count += *place == NULL;
    free(*place);
    *place = one;
}

/* A code object is new here: give it the number of an equal one that is gone. */
static void recall(struct pinsight_path_code *known) {
    if (gone_count == 0)
        return;
    struct view name = view_of(pinsight_path_code_name(known->code));
    struct view file = view_of(known->code->co_filename);
    uint64_t hash = hash_of(known->code, &name, &file);
    struct gone **place = &gone[hash % GONE], *one = *place;
    if (!one || one->hash != hash || one->first_line != known->code->co_firstlineno ||
        one->name_kind != name.kind || one->name_length != name.length ||
        one->file_kind != file.kind || one->file_length != file.length ||
        memcmp(one->text, name.data, name.bytes) != 0 ||
        memcmp(one->text + name.bytes, file.data, file.bytes) != 0)
        return;
    known->number = one->number;
    atomic_store_explicit(&known->defined, one->defined, memory_order_relaxed);
    *place = NULL;
    gone_count--;
    free(one);
}

/* Numbers are taken in blocks: the counter is shared with threads that have the GIL. */
static uint32_t new_number(void) {
    enum { BLOCK = 32 };
    static uint32_t next, left;
    if (left == 0) {
        next = pinsight_code_numbers(BLOCK);
        left = BLOCK;
    }
    left--;
    return next++;
}

struct pinsight_path_code *pinsight_path_code(const PyCodeObject *code) {
    bool has_room = used < slot_count / 2 || grow();
    if (!slots)
        return NULL;
    uint32_t at = find(code);
    struct pinsight_path_code *known = slots[at];
    if (known)
        return known;
    known = has_room ? make() : NULL;
    if (!known)
        return NULL;
    *known = (struct pinsight_path_code){.code = code, .birth = ++births};
    recall(known);
    if (!known->number)
        known->number = new_number();
    slots[at] = known;
    used++;
    atomic_store_explicit(seen_at(code), true, memory_order_relaxed);
    return known;
}

void pinsight_path_code_soon(const PyCodeObject *code) {
    __builtin_prefetch(slots ? &slots[home(code)] : NULL);
    __builtin_prefetch(PyBytes_AS_STRING(line_table(code)));
    __builtin_prefetch(pinsight_path_code_name(code));
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
    struct pinsight_path_code *known = slots[hole];
    uint32_t mask = slot_count - 1;
    for (uint32_t at = (hole + 1) & mask; slots[at]; at = (at + 1) & mask) {
        if (((at - home(slots[at]->code)) & mask) >= ((at - hole) & mask)) {
            slots[hole] = slots[at];
            hole = at;
        }
    }
    slots[hole] = NULL;
    used--;
    if (known->line_count)
        free(known->lines);
    known->code = NULL;
    known->birth = 0;
    known->next = free_ones;
    free_ones = known;
}

static void dealloc(PyObject *code) {
    if (atomic_load_explicit(seen_at(code), memory_order_relaxed)) {
        pinsight_path_lock();
        uint32_t at = find(code);
        if (slots[at]) {
            bury(slots[at]);
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
    PyCode_Type.tp_dealloc = dealloc;
}

uint64_t pinsight_path_deaths(void) {
    return atomic_load_explicit(&deaths, memory_order_acquire);
}
