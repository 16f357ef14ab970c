/* Code addresses of native domains; see native_lexgion.h. */
#include "core/native_lexgion.h"

#include "core/grace.h"
#include "core/native.h"
#include "core/process.h"
#include "core/resolve.h"
#include "core/symbol.h"
#include "record/core_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/urcu-bp.h>

static struct pinsight_native_lexgion **bucket_of(struct pinsight_native_table *table,
                                                  uint64_t codeptr) {
    size_t hash = (size_t)((codeptr * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
    return &table->buckets[hash % PINSIGHT_NATIVE_BUCKETS];
}

static bool by_number(struct pinsight_native_table *table,
                      struct pinsight_native_lexgion *lexgion) {
    uint32_t chunk = lexgion->id / PINSIGHT_NATIVE_CHUNK;
    if (chunk >= PINSIGHT_NATIVE_CHUNKS)
        return false;
    pinsight_native_entry *at = atomic_load(&table->chunks[chunk]);
    if (!at) {
        at = calloc(PINSIGHT_NATIVE_CHUNK, sizeof *at);
        if (!at)
            return false;
        atomic_store(&table->chunks[chunk], at);
    }
    atomic_store(&at[lexgion->id % PINSIGHT_NATIVE_CHUNK], lexgion);
    return true;
}

struct pinsight_native_lexgion *pinsight_native_lexgion_by_id(struct pinsight_native_table *table,
                                                              uint32_t id) {
    pinsight_native_entry *at = id / PINSIGHT_NATIVE_CHUNK < PINSIGHT_NATIVE_CHUNKS
                                    ? atomic_load(&table->chunks[id / PINSIGHT_NATIVE_CHUNK])
                                    : NULL;
    return at ? atomic_load(&at[id % PINSIGHT_NATIVE_CHUNK]) : NULL;
}

/* Allocated, unless it is `called`; NULL when memory is short. */
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

/* The lock is held. */
static struct pinsight_native_lexgion *make(struct pinsight_native *native, uint64_t codeptr,
                                            const char *called) {
    struct pinsight_native_table *table = native->table;
    struct pinsight_symbol symbol;
    struct pinsight_native_lexgion *lexgion = calloc(1, sizeof *lexgion);
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
    lexgion->id = table->count + 1;
    lexgion->epoch = pinsight_objects();
    lexgion->is_inner = native->is_inner && native->is_inner(symbol.object);
    if (!lexgion->label || !by_number(table, lexgion)) {
        if (!called)
            free((char *)lexgion->label);
        pinsight_symbol_free(&symbol);
        free(lexgion);
        return NULL;
    }
    table->count++;
    struct pinsight_native_lexgion **bucket = bucket_of(table, codeptr);
    lexgion->next = *bucket;
    *bucket = lexgion;
    return lexgion;
}

static void define(struct pinsight_native *native, struct pinsight_native_lexgion *lexgion) {
    uint32_t generation = pinsight_generation();
    if (atomic_load(&lexgion->defined) == generation)
        return;
    if (!pinsight_process.silent && !pinsight_stuck())
        native->define(lexgion);
    atomic_store(&lexgion->defined, generation);
}

/* Is it still where it was? */
static bool is_there(const struct pinsight_native_lexgion *lexgion) {
    struct pinsight_symbol now;
    pinsight_symbol_object((const void *)(uintptr_t)lexgion->codeptr, &now);
    bool same =
        now.object && strcmp(now.object, lexgion->object) == 0 && now.offset == lexgion->offset;
    pinsight_symbol_free(&now);
    return same;
}

/* The lock is held. The first of an address is the one that its last definition in the trace is of;
 * after libraries were unloaded, it is looked at whether that is what is there. */
static struct pinsight_native_lexgion *look_up(struct pinsight_native *native, uint64_t codeptr,
                                               const char *called) {
    uint32_t now = pinsight_objects();
    struct pinsight_native_lexgion **bucket = bucket_of(native->table, codeptr);
    bool first = true;
    for (struct pinsight_native_lexgion **link = bucket; *link; link = &(*link)->next) {
        struct pinsight_native_lexgion *lexgion = *link;
        if (lexgion->codeptr != codeptr)
            continue;
        if (first && lexgion->epoch == now)
            return lexgion;
        if (is_there(lexgion)) {
            lexgion->epoch = now;
            if (!first) { /* it is back: defined again */
                atomic_store(&lexgion->defined, 0);
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
                                                             const void *codeptr,
                                                             const char *called) {
    struct pinsight_native_lexgion **place = pinsight_native_lexgion_place(cache, codeptr);
    uint32_t epoch = pinsight_objects();
    if (!codeptr)
        return NULL;
    if (cache->epoch != epoch) {
        memset(cache, 0, sizeof *cache);
        cache->epoch = epoch;
    }
    struct pinsight_native_lexgion *lexgion = *place;
    if (!lexgion || lexgion->codeptr != (uintptr_t)codeptr) {
        pthread_mutex_lock(&native->table->lock);
        lexgion = look_up(native, (uintptr_t)codeptr, called);
        pthread_mutex_unlock(&native->table->lock);
        if (!lexgion)
            return NULL;
        *place = lexgion;
    }
    if (atomic_load_explicit(&lexgion->defined, memory_order_relaxed) != pinsight_generation()) {
        /* Outside of the lock: it may wait for a buffer. Two threads may define it twice. */
        define(native, lexgion);
    }
    return lexgion;
}

/* ---- windows ---- */

static void resolve(struct pinsight_native *native, struct pinsight_native_lexgion *lexgion) {
    struct pinsight_window_owner owner = {
        .domain = native->domain,
        .is_region = true,
        .lexgion = lexgion->id,
        .name = lexgion->label,
        .symbol = lexgion->called ? lexgion->called : lexgion->symbol,
        .filename = lexgion->object,
        .offset = lexgion->offset,
    };
    struct pinsight_window *old = NULL;
    pthread_mutex_lock(&native->table->lock);
    uint32_t generation = pinsight_settings_generation();
    if (atomic_load(&lexgion->resolved) != generation) {
        enum pinsight_mode after;
        old = atomic_load(&lexgion->window);
        struct pinsight_window *window = pinsight_resolve_region(old, &owner, generation, &after);
        if (window == old)
            old = NULL; /* it goes on */
        else
            atomic_store(&lexgion->last_open, false);
        atomic_store(&lexgion->window, window);
        atomic_store(&lexgion->after, (int)after);
        atomic_store(&lexgion->resolved, generation);
    }
    pthread_mutex_unlock(&native->table->lock);
    if (old) {
        urcu_bp_synchronize_rcu(); /* another thread may be looking at it */
        READERS_LEFT();
        pinsight_window_forget(old);
        free(old);
    }
}

static struct pinsight_native_admission past(struct pinsight_native_lexgion *lexgion,
                                             uint32_t stamp) {
    int after = atomic_load(&lexgion->after);
    struct pinsight_native_admission how = {
        .traced = after == PINSIGHT_MODE_TRACING,
        .counted = after == PINSIGHT_MODE_MONITORING,
        .outside = after != PINSIGHT_MODE_TRACING,
    };
    if (!how.traced && !how.counted)
        atomic_store(&lexgion->shut_stamp, stamp);
    return how;
}

/* Inside of an RCU reader. */
static struct pinsight_native_admission take(struct pinsight_native_lexgion *lexgion,
                                             struct pinsight_window *window, uint32_t stamp) {
    struct pinsight_native_admission how = {.traced = true};
    int cause = PINSIGHT_CORE_WINDOW_CAUSE_MAX_NUM_TRACES;
    if (atomic_load_explicit(&window->ended, memory_order_relaxed) ||
        atomic_load_explicit(&lexgion->last_open, memory_order_relaxed))
        return past(lexgion, stamp);
    switch (pinsight_window_take(window)) {
    case PINSIGHT_TAKE_NOT:
        how.traced = false;
        how.outside = true;
        return how;
    case PINSIGHT_TAKE:
        return how;
    case PINSIGHT_TAKE_LAST:
        atomic_store(&lexgion->last_open, true);
        how.last = true;
        return how;
    case PINSIGHT_TAKE_TIMED_OUT:
        cause = PINSIGHT_CORE_WINDOW_CAUSE_WINDOW_TIMEOUT;
        pinsight_window_end(window, cause);
        break;
    case PINSIGHT_TAKE_PAST:
        if (!atomic_load(&lexgion->last_open))
            pinsight_window_end(window, cause);
        break;
    }
    return past(lexgion, stamp);
}

struct pinsight_native_admission
pinsight_native_lexgion_admit_slow(struct pinsight_native *native,
                                   struct pinsight_native_lexgion *lexgion) {
    struct pinsight_native_admission how = {.traced = true};
    uint32_t stamp = pinsight_stamp(); /* before anything is looked up */
    if (atomic_load_explicit(&lexgion->resolved, memory_order_relaxed) !=
        pinsight_settings_generation())
        resolve(native, lexgion);
    if (!atomic_load(&lexgion->window)) {
        atomic_store(&lexgion->stamp, stamp);
        return how;
    }
    urcu_bp_read_lock();
    struct pinsight_window *window = atomic_load(&lexgion->window);
    if (window)
        how = take(lexgion, window, stamp);
    READER_LEAVES();
    urcu_bp_read_unlock();
    return how;
}

void pinsight_native_lexgion_last(struct pinsight_native_lexgion *lexgion) {
    if (!atomic_exchange(&lexgion->last_open, false))
        return;
    urcu_bp_read_lock();
    struct pinsight_window *window = atomic_load(&lexgion->window);
    if (window)
        pinsight_window_end(window, PINSIGHT_CORE_WINDOW_CAUSE_MAX_NUM_TRACES);
    READER_LEAVES();
    urcu_bp_read_unlock();
}

/* ---- changes ---- */

void pinsight_native_lexgion_fork_child(struct pinsight_native_table *table) {
    table->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (uint32_t id = 1; id <= table->count; id++) {
        struct pinsight_native_lexgion *lexgion = pinsight_native_lexgion_by_id(table, id);
        if (lexgion)
            atomic_store(&lexgion->last_open, false);
    }
}
