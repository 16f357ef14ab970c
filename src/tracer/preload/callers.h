/*
 * The objects that call a library whose functions PInsight redirects, each with the library that it
 * is bound to. A list never changes: a longer list replaces it, so that readers need no lock.
 */
#ifndef PINSIGHT_PRELOAD_CALLERS_H
#define PINSIGHT_PRELOAD_CALLERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of an object that calls. */
struct pinsight_caller {
    uintptr_t begin, end;
    void *bound; /* the user's; NULL if the object is bound to nothing */
};

struct pinsight_caller_list {
    size_t count;
    struct pinsight_caller at[];
};

/* Zero at the start, except for the lock, which protects changes. */
struct pinsight_callers {
    struct pinsight_caller_list *_Atomic list;
    pthread_mutex_t *lock;
};

/* Returns whether an object is loaded at an address. Any thread. */
bool pinsight_callers_is_mapped(const void *address);

/* Adds the object at an address, with the user's `bound`. Returns false for code that was generated
 * at run time, and without memory. The lock must not be held. */
bool pinsight_callers_add(struct pinsight_callers *callers, const void *address, void *bound);

/* Removes objects that were unloaded, because others may be loaded at their addresses. Returns
 * whether there were any. The lock must not be held. */
bool pinsight_callers_forget(struct pinsight_callers *callers);

/* Returns the caller that an address is in, or NULL. Any thread. */
static inline const struct pinsight_caller *
pinsight_callers_find(const struct pinsight_callers *callers, const void *address) {
    const struct pinsight_caller_list *list =
        atomic_load_explicit(&callers->list, memory_order_acquire);
    for (size_t i = 0; list && i < list->count; i++)
        if ((uintptr_t)address - list->at[i].begin < list->at[i].end - list->at[i].begin)
            return &list->at[i];
    return NULL;
}

#endif
