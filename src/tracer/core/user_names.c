/* Names of regions and marks; see user_names.h. */
#include "tracer/core/user_names.h"

#include "tracer/core/log.h"

#include <pthread.h>
#include <string.h>

enum { BUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_user_name *buckets[BUCKETS]; /* under the lock */
static uint32_t count;                              /* under the lock */

static size_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    return (size_t)(hash >> 20);
}

static bool is(const struct pinsight_user_name *name, unsigned kind, const char *text) {
    return name->kind == kind && strcmp(name->text, text) == 0;
}

static struct pinsight_user_name *make(unsigned kind, const char *text) {
    static struct pinsight_log_once many = PINSIGHT_LOG_ONCE_INIT;
    size_t length = strlen(text);
    if (count == PINSIGHT_USER_NAMES_MOST) {
        pinsight_log_once(&many,
                          "the program has over %u names of regions and marks: later ones have no "
                          "window, and are not counted; give the same name to the same code",
                          PINSIGHT_USER_NAMES_MOST);
        return NULL;
    }
    struct pinsight_user_name *name = pinsight_lines_new(sizeof *name + length + 1);
    if (!name)
        return NULL;
    name->state = (struct pinsight_lexgion)PINSIGHT_LEXGION_INIT(++count);
    name->kind = kind;
    memcpy(name->text, text, length + 1);
    return name;
}

static struct pinsight_user_name *look_up(unsigned kind, const char *text) {
    struct pinsight_user_name **bucket = &buckets[hash_of(text) % BUCKETS], *name;
    pthread_mutex_lock(&lock);
    for (name = *bucket; name && !is(name, kind, text); name = name->next)
        ;
    if (!name && (name = make(kind, text))) {
        name->next = *bucket;
        *bucket = name;
    }
    pthread_mutex_unlock(&lock);
    return name;
}

struct pinsight_user_name *pinsight_user_name(struct pinsight_user_cache *cache, unsigned kind,
                                              const char *text) {
    size_t place = ((uintptr_t)text / 8 + kind) % PINSIGHT_USER_CACHE;
    struct pinsight_user_name *name = cache->at[place].name;
    /* Another text may be at the address by now. */
    if (PINSIGHT_LIKELY(name && cache->at[place].address == text && is(name, kind, text)))
        return name;
    if (!(name = look_up(kind, text)))
        return NULL;
    cache->at[place].address = text;
    cache->at[place].name = name;
    return name;
}

void pinsight_user_names_each(void (*visit)(struct pinsight_user_name *name)) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct pinsight_user_name *name = buckets[i]; name; name = name->next)
            visit(name);
    pthread_mutex_unlock(&lock);
}

static void forget(struct pinsight_user_name *name) {
    atomic_store(&name->outside, 0);
    name->outside_written = 0;
    name->state.last_open = false; /* another thread of the parent may have had it open */
}

void pinsight_user_names_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pinsight_user_names_each(forget);
}
