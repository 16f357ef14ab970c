/* The numbers of code objects in call paths; see path_intern.h. */
#include "tracer/python/path_intern.h"

#include "tracer/python/lexgion.h"
#include "tracer/python/path_pages.h"

#include <stdlib.h>
#include <string.h>

/* Numbers are reserved together, because threads with the GIL share the counter. */
#define TOGETHER 1024u

struct pinsight_path_bucket pinsight_path_buckets[PINSIGHT_PATH_BUCKETS];
PINSIGHT_PATH_NEAR struct pinsight_path_numbers pinsight_path_numbers;

/* The name of a code object that was freed. */
struct freed_code {
    uint32_t number;
    uint32_t defined; /* session version */
    int32_t first_line;
    struct pinsight_string_view name, file; /* their characters are in `text` */
    char text[];
};

/* By buckets and ways. */
static struct freed_code *freed_codes[PINSIGHT_PATH_BUCKETS][PINSIGHT_PATH_WAYS];

static bool is_equal(const struct pinsight_string_view *one,
                     const struct pinsight_string_view *other) {
    return one->length == other->length && one->kind == other->kind &&
           (one->data == other->data ||
            memcmp(one->data, other->data, pinsight_string_size(one)) == 0);
}

/* Files differ at their ends. Code without a file, such as "<string>", has all functions within few
 * lines. */
uint64_t pinsight_path_intern_file(PyObject *file) {
    struct pinsight_string_view view = pinsight_string_view_of(file);
    size_t size = pinsight_string_size(&view);
    uint64_t end = size;
    if (PINSIGHT_LIKELY(size >= sizeof end))
        memcpy(&end, (const char *)view.data + size - sizeof end, sizeof end);
    bool by_name = size > 0 && *(const char *)view.data == '<';
    return (end * 0xbf58476d1ce4e5b9u & ~(uint64_t)PINSIGHT_PATH_BY_NAME) |
           (by_name ? PINSIGHT_PATH_BY_NAME : 0);
}

static bool is_one(const PyCodeObject *code, const PyCodeObject *other) {
    struct pinsight_string_view name = pinsight_string_view_of(pinsight_path_code_name(code)),
                                file = pinsight_string_view_of(code->co_filename);
    struct pinsight_string_view other_name =
        pinsight_string_view_of(pinsight_path_code_name(other));
    struct pinsight_string_view other_file = pinsight_string_view_of(other->co_filename);
    return code->co_firstlineno == other->co_firstlineno && is_equal(&name, &other_name) &&
           is_equal(&file, &other_file);
}

static bool was_one(const PyCodeObject *code, const struct freed_code *gone) {
    struct pinsight_string_view name = pinsight_string_view_of(pinsight_path_code_name(code)),
                                file = pinsight_string_view_of(code->co_filename);
    return code->co_firstlineno == gone->first_line && is_equal(&name, &gone->name) &&
           is_equal(&file, &gone->file);
}

void pinsight_path_numbers_make(void) {
    pinsight_path_numbers.next = pinsight_code_numbers(TOGETHER);
    pinsight_path_numbers.end = pinsight_path_numbers.next + TOGETHER;
}

bool pinsight_path_intern_find(struct pinsight_path_code *known) {
    struct pinsight_path_bucket *bucket = &pinsight_path_buckets[known->bucket];
    for (uint32_t way = 0; way < PINSIGHT_PATH_WAYS; way++) {
        uint32_t *here = &bucket->here[way], defined;
        const struct pinsight_path_code *other = pinsight_path_code_at(*here);
        const struct freed_code *freed = freed_codes[known->bucket][way];
        if ((uint16_t)(bucket->hashes >> 16 * way) != known->hash)
            continue;
        if (*here && is_one(known->code, other->code)) {
            known->number = other->number;
            defined = atomic_load_explicit(&other->defined, memory_order_relaxed);
        } else if (!*here && freed && was_one(known->code, freed)) {
            known->number = freed->number;
            defined = freed->defined;
        } else {
            continue;
        }
        atomic_store_explicit(&known->defined, defined, memory_order_relaxed);
        *here = (uint32_t)(known - pinsight_path_codes_all);
        return true;
    }
    return false;
}

static struct pinsight_string_view copy(const struct pinsight_string_view *view, char *to) {
    struct pinsight_string_view copied = *view;
    memcpy(to, view->data, pinsight_string_size(view));
    copied.data = to;
    return copied;
}

static struct freed_code *remember(const struct pinsight_path_code *known) {
    struct pinsight_string_view name =
        pinsight_string_view_of(pinsight_path_code_name(known->code));
    struct pinsight_string_view file = pinsight_string_view_of(known->code->co_filename);
    struct freed_code *freed =
        malloc(sizeof *freed + pinsight_string_size(&name) + pinsight_string_size(&file));
    if (!freed)
        return NULL;
    freed->number = known->number;
    freed->defined = atomic_load_explicit(&known->defined, memory_order_relaxed);
    freed->first_line = known->code->co_firstlineno;
    freed->name = copy(&name, freed->text);
    freed->file = copy(&file, freed->text + pinsight_string_size(&name));
    return freed;
}

void pinsight_path_intern_gone(const struct pinsight_path_code *known) {
    uint32_t *here = pinsight_path_buckets[known->bucket].here;
    for (uint32_t way = 0; way < PINSIGHT_PATH_WAYS; way++) {
        if (here[way] != (uint32_t)(known - pinsight_path_codes_all))
            continue;
        here[way] = 0;
        free(freed_codes[known->bucket][way]);
        freed_codes[known->bucket][way] = remember(known);
    }
}
