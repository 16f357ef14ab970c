/* The open NVTX ranges of a thread; see nvtx_thread.h. */
#include "tracer/cuda/nvtx_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

__thread struct pinsight_nvtx_thread *pinsight_nvtx_thread;

static pthread_key_t at_end;
static bool has_key;

static void thread_ends(void *state) {
    pinsight_nvtx_thread = NULL;
    free(state);
}

static void make_key(void) {
    has_key = pthread_key_create(&at_end, thread_ends) == 0;
}

static struct pinsight_nvtx_thread *thread_new(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    struct pinsight_nvtx_thread *thread = has_key ? malloc(sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    thread->depth = thread->deeper = 0;
    if (pthread_setspecific(at_end, thread) != 0) {
        free(thread);
        return NULL;
    }
    return pinsight_nvtx_thread = thread;
}

/* Keeps the name of a range until its end. Returns NULL if there is no room. */
static const char *keep(struct pinsight_nvtx_thread *thread, struct pinsight_nvtx_range *range,
                        const struct pinsight_nvtx_message *message) {
    char room[PINSIGHT_NVTX_NAME_MAX];
    const char *name = pinsight_nvtx_event_name(range->domain, message, room);
    if (name != room)
        return name;
    size_t size = strlen(name) + 1;
    if (size > sizeof thread->text - range->text_end)
        return NULL;
    char *kept = memcpy(&thread->text[range->text_end], name, size);
    range->text_end += (uint32_t)size;
    return kept;
}

/* Returns the innermost range of a domain, or NULL. */
static struct pinsight_nvtx_range *innermost(struct pinsight_nvtx_thread *thread,
                                             const struct pinsight_nvtx_name *domain) {
    for (uint32_t i = thread->depth; i-- > 0;)
        if (thread->open[i].domain == domain)
            return &thread->open[i];
    return NULL;
}

int pinsight_nvtx_push(const struct pinsight_nvtx_name *domain,
                       const struct pinsight_nvtx_message *message, bool records,
                       const char **name) {
    struct pinsight_nvtx_thread *thread = pinsight_nvtx_thread;
    *name = NULL;
    if (!thread && records)
        thread = thread_new();
    if (!thread)
        return PINSIGHT_NVTX_NO_COUNT;
    const struct pinsight_nvtx_range *outer = innermost(thread, domain);
    int level = outer ? outer->level + 1 : 0;
    if (thread->depth == PINSIGHT_NVTX_DEEPEST || thread->deeper)
        return level + (int)thread->deeper++;
    struct pinsight_nvtx_range *range = &thread->open[thread->depth];
    range->domain = domain;
    range->level = level;
    range->text_end = thread->depth ? range[-1].text_end : 0;
    range->name = *name = records ? keep(thread, range, message) : NULL;
    thread->depth++;
    return level;
}

int pinsight_nvtx_pop(const struct pinsight_nvtx_name *domain, const char **name) {
    struct pinsight_nvtx_thread *thread = pinsight_nvtx_thread;
    struct pinsight_nvtx_range *range = innermost(thread, domain);
    *name = NULL;
    if (thread->deeper)
        return (range ? range->level : -1) + (int)thread->deeper--;
    if (!range)
        return PINSIGHT_NVTX_NO_COUNT;
    int level = range->level;
    *name = range->name;
    /* Inner ranges of other domains stay. Their names are above the freed text. */
    uint32_t after = --thread->depth - (uint32_t)(range - thread->open);
    memmove(range, range + 1, after * sizeof *range);
    return level;
}
