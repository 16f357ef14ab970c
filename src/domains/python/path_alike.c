/* The numbers of code objects in call paths; see path_alike.h. */
#include "domains/python/path_alike.h"

#include "domains/python/lexgion.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 1024u
#define UNWANTED 256u
#define BLOCK                                                                                      \
    32u /* numbers are taken together: the counter is shared with threads that have the GIL */

/* A string's characters as Python keeps them, which needs no GIL; none where it is no string. */
struct view {
    const void *data;
    Py_ssize_t length; /* characters */
    int kind;          /* bytes of each */
};

/* What one that went was called. */
struct gone {
    uint32_t number;
    uint32_t defined; /* generation */
    int32_t first_line;
    struct view name, file; /* their characters stand in `text` */
    char text[];
};

/* One that is here, one that went, or none; and the hash, whose lowest bit is whether one went, so
 * that most that differ are told apart here. In one line of the caches. */
static struct place {
    struct pinsight_path_code *here;
    struct gone *gone;
    uint32_t hash;
} __attribute__((aligned(32))) places[PLACES];
#define WENT 1u

/* Freed later, and not touched before: that costs more than to find a number. */
static struct gone *unwanted[UNWANTED];
static uint32_t unwanted_count;

static inline struct view view_of(PyObject *text) {
    struct view view = {.data = "", .kind = 1};
    if (!text || !PyUnicode_Check(text))
        return view;
#if PY_VERSION_HEX < 0x030c0000
    if (!PyUnicode_IS_READY(text))
        return view;
#endif
    if (PINSIGHT_LIKELY(PyUnicode_IS_COMPACT_ASCII(text)))
        return (struct view){(const PyASCIIObject *)text + 1, PyUnicode_GET_LENGTH(text), 1};
    view.data = PyUnicode_DATA(text);
    view.length = PyUnicode_GET_LENGTH(text);
    view.kind = (int)PyUnicode_KIND(text);
    return view;
}

static size_t size_of(const struct view *view) {
    return (size_t)view->length * (size_t)view->kind;
}

static bool is_equal(const struct view *one, const struct view *other) {
    return one->length == other->length && one->kind == other->kind &&
           (one->data == other->data || memcmp(one->data, other->data, size_of(one)) == 0);
}

/* Files differ at their end. */
static uint64_t end_of(PyObject *file) {
    struct view view = view_of(file);
    size_t size = size_of(&view);
    uint64_t end = size;
    if (PINSIGHT_LIKELY(size >= sizeof end))
        memcpy(&end, (const char *)view.data + size - sizeof end, sizeof end);
    return end;
}

/* Equal code objects have the same hash, mostly: the hash of a name is there where the interpreter
 * needed it before. */
static uint64_t hash_of(const PyCodeObject *code, uint64_t file_end) {
    uint64_t mixed = (uint64_t)((const PyASCIIObject *)code->co_name)->hash;
    mixed ^= (uint64_t)(uint32_t)code->co_firstlineno << 32;
    mixed ^= file_end * 0xbf58476d1ce4e5b9u;
    return mixed * 0x9e3779b97f4a7c15u;
}

static uint32_t place_of(uint64_t hash) {
    return (uint32_t)(hash >> 40) % PLACES;
}

static uint32_t short_of(uint64_t hash) {
    return (uint32_t)hash & ~WENT;
}

static bool is_one(const PyCodeObject *code, const PyCodeObject *other) {
    struct view name = view_of(pinsight_path_code_name(code)), file = view_of(code->co_filename);
    struct view other_name = view_of(pinsight_path_code_name(other));
    struct view other_file = view_of(other->co_filename);
    return code->co_firstlineno == other->co_firstlineno && is_equal(&name, &other_name) &&
           is_equal(&file, &other_file);
}

static bool was_one(const PyCodeObject *code, const struct gone *gone) {
    struct view name = view_of(pinsight_path_code_name(code)), file = view_of(code->co_filename);
    return code->co_firstlineno == gone->first_line && is_equal(&name, &gone->name) &&
           is_equal(&file, &gone->file);
}

static uint32_t next_number, numbers_left;

uint32_t pinsight_path_alike_next(void) {
    if (PINSIGHT_UNLIKELY(numbers_left == 0)) {
        next_number = pinsight_code_numbers(BLOCK);
        numbers_left = BLOCK;
    }
    return next_number;
}

static uint32_t new_number(void) {
    uint32_t number = pinsight_path_alike_next();
    next_number++;
    numbers_left--;
    return number;
}

static void free_unwanted(void) {
    while (unwanted_count > 0)
        free(unwanted[--unwanted_count]);
}

/* One with that hash is here, or was: has it the same number? */
static __attribute__((noinline)) bool has_number(struct pinsight_path_code *known,
                                                 const struct place *place) {
    uint32_t defined = 0;
    if (place->here && is_one(known->code, place->here->code)) {
        known->number = place->here->number;
        defined = atomic_load_explicit(&place->here->defined, memory_order_relaxed);
    } else if (place->gone && was_one(known->code, place->gone)) {
        known->number = place->gone->number;
        defined = place->gone->defined;
    } else {
        return false;
    }
    atomic_store_explicit(&known->defined, defined, memory_order_relaxed);
    return true;
}

static void keep_unwanted(struct gone *gone, bool is_one) {
    if (PINSIGHT_UNLIKELY(unwanted_count == UNWANTED))
        free_unwanted();
    unwanted[unwanted_count] = gone; /* without a branch, which nobody could foresee */
    unwanted_count += is_one;
}

void pinsight_path_alike_soon(struct pinsight_path_code *const *fresh, uint32_t count) {
    PyObject *file = NULL;
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pinsight_path_code *known = fresh[i];
        if (known->code->co_filename != file)
            end = end_of(file = known->code->co_filename);
        known->hash = hash_of(known->code, end);
        __builtin_prefetch(&places[place_of(known->hash)], 1);
    }
}

void pinsight_path_alike_numbers(struct pinsight_path_code *const *fresh, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct pinsight_path_code *known = fresh[i];
        uint32_t hash = short_of(known->hash);
        struct place *place = &places[place_of(known->hash)];
        if (PINSIGHT_LIKELY((place->hash & ~WENT) != hash) || !has_number(known, place))
            known->number = new_number();
        keep_unwanted(place->gone, place->hash & WENT);
        *place = (struct place){.here = known, .hash = hash};
    }
}

static struct view copy(const struct view *view, char *to) {
    struct view copied = *view;
    memcpy(to, view->data, size_of(view));
    copied.data = to;
    return copied;
}

void pinsight_path_alike_gone(struct pinsight_path_code *known) {
    struct place *place = &places[place_of(known->hash)];
    free_unwanted();
    if (place->here != known)
        return;
    struct view name = view_of(pinsight_path_code_name(known->code));
    struct view file = view_of(known->code->co_filename);
    struct gone *gone = malloc(sizeof *gone + size_of(&name) + size_of(&file));
    if (gone) {
        gone->number = known->number;
        gone->defined = atomic_load_explicit(&known->defined, memory_order_relaxed);
        gone->first_line = known->code->co_firstlineno;
        gone->name = copy(&name, gone->text);
        gone->file = copy(&file, gone->text + size_of(&name));
    }
    *place = (struct place){.gone = gone, .hash = short_of(known->hash) | (gone ? WENT : 0)};
}
