/* Code addresses of OpenMP; see lexgion.h. */
#include "domains/openmp/lexgion.h"

#include "core/grace.h"
#include "core/info.h"
#include "core/process.h"
#include "core/resolve.h"
#include "core/symbol.h"
#include "domains/openmp/settings.h"
#include "record/core_types.h"
#include "record/openmp.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/urcu-bp.h>

#define BUCKETS 1024 /* a program has some hundreds of constructs; chains grow beyond */
#define CHUNK 256    /* lexgions by number */
#define CHUNKS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_omp_lexgion *buckets[BUCKETS]; /* under the lock */
static uint32_t count;                                /* under the lock */
typedef _Atomic(struct pinsight_omp_lexgion *) entry; /* read without the lock */
static _Atomic(entry *) chunks[CHUNKS];
_Atomic uint32_t pinsight_omp_epoch = 1;

static size_t hash(uint64_t codeptr) {
    return (size_t)((codeptr * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
}

static bool by_number(struct pinsight_omp_lexgion *lexgion) {
    uint32_t chunk = lexgion->id / CHUNK;
    if (chunk >= CHUNKS)
        return false;
    entry *at = atomic_load(&chunks[chunk]);
    if (!at) {
        at = calloc(CHUNK, sizeof *at);
        if (!at)
            return false;
        atomic_store(&chunks[chunk], at);
    }
    atomic_store(&at[lexgion->id % CHUNK], lexgion);
    return true;
}

struct pinsight_omp_lexgion *pinsight_omp_lexgion_by_id(uint32_t id) {
    entry *at = id / CHUNK < CHUNKS ? atomic_load(&chunks[id / CHUNK]) : NULL;
    return at ? atomic_load(&at[id % CHUNK]) : NULL;
}

/* The lock is held. */
static struct pinsight_omp_lexgion *make(uint64_t codeptr) {
    struct pinsight_symbol symbol;
    struct pinsight_omp_lexgion *lexgion = calloc(1, sizeof *lexgion);
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
    lexgion->id = count + 1;
    lexgion->epoch = atomic_load(&pinsight_omp_epoch);
    const char *slash = strrchr(symbol.object, '/');
    if (strcmp(symbol.name, "?") != 0)
        lexgion->label = strdup(symbol.name);
    else if (asprintf(&lexgion->label, "%s+0x%llx", slash ? slash + 1 : symbol.object,
                      (unsigned long long)symbol.offset) < 0)
        lexgion->label = NULL;
    if (!lexgion->label || !by_number(lexgion)) {
        free(lexgion->label);
        pinsight_symbol_free(&symbol);
        free(lexgion);
        return NULL;
    }
    count++;
    lexgion->next = buckets[hash(codeptr) % BUCKETS];
    buckets[hash(codeptr) % BUCKETS] = lexgion;
    return lexgion;
}

static void define(struct pinsight_omp_lexgion *lexgion) {
    uint32_t generation = pinsight_generation();
    if (atomic_load(&lexgion->defined) == generation)
        return;
    if (pinsight_record_openmp_region_info_enabled() && !pinsight_process.silent &&
        !pinsight_stuck()) {
        uint64_t before = pinsight_info_before();
        pinsight_record_openmp_region_info(pinsight_process.pid, lexgion->id, lexgion->codeptr,
                                           lexgion->object, lexgion->offset, lexgion->symbol);
        pinsight_info_after(before);
    }
    atomic_store(&lexgion->defined, generation);
}

/* Is it still where it was? */
static bool is_there(const struct pinsight_omp_lexgion *lexgion) {
    struct pinsight_symbol now;
    pinsight_symbol_object((const void *)(uintptr_t)lexgion->codeptr, &now);
    bool same =
        now.object && strcmp(now.object, lexgion->object) == 0 && now.offset == lexgion->offset;
    pinsight_symbol_free(&now);
    return same;
}

/* The lock is held. The first of an address is the one that its last definition in the trace is of;
 * after libraries were unloaded, it is looked at whether that is what is there. */
static struct pinsight_omp_lexgion *look_up(uint64_t codeptr) {
    uint32_t now = atomic_load(&pinsight_omp_epoch);
    struct pinsight_omp_lexgion **bucket = &buckets[hash(codeptr) % BUCKETS];
    bool first = true;
    for (struct pinsight_omp_lexgion **link = bucket; *link; link = &(*link)->next) {
        struct pinsight_omp_lexgion *lexgion = *link;
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
    return make(codeptr);
}

struct pinsight_omp_lexgion *pinsight_omp_lexgion_look(struct pinsight_omp_cache *cache,
                                                       const void *address) {
    uint64_t codeptr = (uintptr_t)address;
    if (!codeptr)
        return NULL;
    if (cache->epoch != atomic_load(&pinsight_omp_epoch)) {
        memset(cache, 0, sizeof *cache);
        cache->epoch = atomic_load(&pinsight_omp_epoch);
    }
    struct pinsight_omp_lexgion **place = &cache->at[codeptr / 4 % PINSIGHT_OMP_CACHE];
    struct pinsight_omp_lexgion *lexgion = *place;
    if (!lexgion || lexgion->codeptr != codeptr) {
        pthread_mutex_lock(&lock);
        lexgion = look_up(codeptr);
        pthread_mutex_unlock(&lock);
        if (!lexgion)
            return NULL;
        *place = lexgion;
    }
    if (atomic_load_explicit(&lexgion->defined, memory_order_relaxed) != pinsight_generation()) {
        /* Outside of the lock: it may wait for a buffer. Two threads may define it twice. */
        define(lexgion);
    }
    return lexgion;
}

/* ---- windows ---- */

static void resolve(struct pinsight_omp_lexgion *lexgion) {
    struct pinsight_window_owner owner = {
        .domain = &pinsight_openmp_domain,
        .is_region = true,
        .lexgion = lexgion->id,
        .name = lexgion->label,
        .symbol = lexgion->symbol,
        .filename = lexgion->object,
        .offset = lexgion->offset,
    };
    struct pinsight_window *old = NULL;
    pthread_mutex_lock(&lock);
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
    pthread_mutex_unlock(&lock);
    if (old) {
        urcu_bp_synchronize_rcu(); /* another thread may be looking at it */
        READERS_LEFT();
        pinsight_window_forget(old);
        free(old);
    }
}

static struct pinsight_omp_admission past(struct pinsight_omp_lexgion *lexgion, uint32_t stamp) {
    int after = atomic_load(&lexgion->after);
    struct pinsight_omp_admission how = {
        .traced = after == PINSIGHT_MODE_TRACING,
        .counted = after == PINSIGHT_MODE_MONITORING,
        .outside = after != PINSIGHT_MODE_TRACING,
    };
    if (!how.traced && !how.counted)
        atomic_store(&lexgion->shut_stamp, stamp);
    return how;
}

/* Inside of an RCU reader. */
static struct pinsight_omp_admission take(struct pinsight_omp_lexgion *lexgion,
                                          struct pinsight_window *window, uint32_t stamp) {
    struct pinsight_omp_admission how = {.traced = true};
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

struct pinsight_omp_admission pinsight_omp_lexgion_admit(struct pinsight_omp_lexgion *lexgion,
                                                         enum pinsight_mode mode) {
    struct pinsight_omp_admission how = {.traced = mode == PINSIGHT_MODE_TRACING,
                                         .counted = mode == PINSIGHT_MODE_MONITORING};
    if (!lexgion || mode == PINSIGHT_MODE_MONITORING)
        return how;
    uint32_t stamp = pinsight_stamp(); /* before anything is looked up */
    if (atomic_load_explicit(&lexgion->resolved, memory_order_relaxed) !=
        pinsight_settings_generation())
        resolve(lexgion);
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

void pinsight_omp_lexgion_last(struct pinsight_omp_lexgion *lexgion) {
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

void pinsight_openmp_unloaded(void) {
    atomic_fetch_add(&pinsight_omp_epoch, 1);
}

void pinsight_omp_lexgion_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (uint32_t id = 1; id <= count; id++) {
        struct pinsight_omp_lexgion *lexgion = pinsight_omp_lexgion_by_id(id);
        if (lexgion)
            atomic_store(&lexgion->last_open, false);
    }
}
