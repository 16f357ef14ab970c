/* Lexgions of native code; see native_lexgion.h. */
#include "tracer/core/native_lexgion.h"

#include "tracer/core/native.h"
#include "tracer/core/process.h"
#include "tracer/core/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pinsight_native_lexgion **bucket_of(struct pinsight_native_table *table,
                                                  uint64_t codeptr, const char *called) {
    uint64_t place = codeptr ? codeptr : (uintptr_t)called;
    size_t hash = (size_t)((place * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
    return &table->buckets[hash % PINSIGHT_NATIVE_BUCKETS];
}

/* Returns an allocated label, or `called`. Returns NULL if memory is short. */
static const char *make_label(const struct pinsight_symbol *symbol, const char *called) {
    const char *slash = strrchr(symbol->object, '/');
    char *label;
    if (called)
        return called;
    if (strcmp(symbol->name, "?") != 0)
        return strdup(symbol->name);
    return asprintf(&label, "%s+0x%llx", slash ? slash + 1 : symbol->object,
                    (unsigned long long)symbol->offset) < 0
               ? NULL
               : label;
}

/* Makes a lexgion. The table's lock is held. */
static struct pinsight_native_lexgion *make(struct pinsight_native *native, uint64_t codeptr,
                                            const char *called) {
    struct pinsight_native_table *table = native->table;
    struct pinsight_symbol symbol;
    struct pinsight_native_lexgion *lexgion = pinsight_lines_new(sizeof *lexgion);
    if (!lexgion)
        return NULL;
    pinsight_symbol_find((const void *)(uintptr_t)codeptr, &symbol);
    if (!symbol.object || !symbol.name) {
        pinsight_symbol_free(&symbol);
        free(lexgion);
        return NULL;
    }
    lexgion->codeptr = codeptr;
    lexgion->offset = symbol.offset;
    lexgion->object = symbol.object;
    lexgion->symbol = symbol.name;
    lexgion->called = called;
    lexgion->label = make_label(&symbol, called);
    lexgion->state = (struct pinsight_lexgion)PINSIGHT_LEXGION_INIT(table->count + 1);
    lexgion->objects_version = pinsight_objects();
    lexgion->is_inner = native->is_inner && native->is_inner(symbol.object);
    if (!lexgion->label) {
        pinsight_symbol_free(&symbol);
        free(lexgion);
        return NULL;
    }
    table->count++;
    struct pinsight_native_lexgion **bucket = bucket_of(table, codeptr, called);
    lexgion->next = *bucket;
    *bucket = lexgion;
    return lexgion;
}

/* Returns whether the lexgion's code is still at its address. */
static bool is_there(const struct pinsight_native_lexgion *lexgion) {
    struct pinsight_symbol now;
    pinsight_symbol_object((const void *)(uintptr_t)lexgion->codeptr, &now);
    bool same =
        now.object && strcmp(now.object, lexgion->object) == 0 && now.offset == lexgion->offset;
    pinsight_symbol_free(&now);
    return same;
}

/* Returns the lexgion of an address, or NULL. The table's lock is held. Of several at one address,
 * the first in the bucket is the last one defined in the trace. After libraries were unloaded, the
 * function checks which of them is still there. */
static struct pinsight_native_lexgion *look_up(struct pinsight_native *native, uint64_t codeptr,
                                               const char *called) {
    uint32_t now = pinsight_objects();
    struct pinsight_native_lexgion **bucket = bucket_of(native->table, codeptr, called);
    bool first = true;
    for (struct pinsight_native_lexgion **link = bucket; *link; link = &(*link)->next) {
        struct pinsight_native_lexgion *lexgion = *link;
        if (lexgion->codeptr != codeptr || lexgion->called != called)
            continue;
        if (first && lexgion->objects_version == now)
            return lexgion;
        if (is_there(lexgion)) {
            lexgion->objects_version = now;
            if (!first) { /* loaded again: it has to be defined again */
                PINSIGHT_PUT(lexgion->state.defined, 0);
                *link = lexgion->next;
                lexgion->next = *bucket;
                *bucket = lexgion;
            }
            return lexgion;
        }
        first = false;
    }
    return make(native, codeptr, called);
}

struct pinsight_native_lexgion *pinsight_native_lexgion_look(struct pinsight_native *native,
                                                             struct pinsight_native_cache *cache,
                                                             struct pinsight_native_lexgion **place,
                                                             const void *codeptr,
                                                             const char *called) {
    uint32_t objects_version = pinsight_objects();
    if (!codeptr && !called)
        return NULL;
    if (cache->objects_version != objects_version) {
        memset(cache, 0, sizeof *cache);
        cache->objects_version = objects_version;
    }
    struct pinsight_native_lexgion *lexgion = *place;
    if (!lexgion || lexgion->codeptr != (uintptr_t)codeptr || lexgion->called != called) {
        pthread_mutex_lock(&native->table->lock);
        lexgion = look_up(native, (uintptr_t)codeptr, called);
        pthread_mutex_unlock(&native->table->lock);
        if (!lexgion)
            return NULL;
        *place = lexgion;
    }
    /* Without the lock, because it may wait for a buffer. */
    pinsight_lexgion_define(&native->engine, &lexgion->state);
    return lexgion;
}

void pinsight_native_owner(const struct pinsight_lexgion *lexgion,
                           struct pinsight_window_owner *owner) {
    const struct pinsight_native_lexgion *native = (const struct pinsight_native_lexgion *)lexgion;
    owner->is_region = true;
    owner->name = native->label;
    owner->symbol = native->called ? native->called : native->symbol;
    owner->filename = native->object;
    owner->offset = native->offset;
}
