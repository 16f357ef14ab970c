/*
 * The audit hook of the shim of PINSIGHT_PLAIN=1, by CPython's API alone: it stays in the list.
 *
 * CPython frees the list at its end with the raw allocator of the moment, and the hook was added
 * before Py_Initialize(), with the default one. Where they differ (`-X dev`, PYTHONMALLOC=debug)
 * that would abort the interpreter. So as it announces that it is about to, the allocator is
 * wrapped (PyMem_SetAllocator) by one that gives our entry to the allocator that it is from.
 */
#include "preload.h"

#include <dlfcn.h>

static void (*get_allocator)(int, struct pinsight_allocator *);
static void (*set_allocator)(int, struct pinsight_allocator *);
static struct pinsight_allocator original, current;
static void *ours;

static void *note(void *context, size_t size) {
    (void)context;
    void *block = original.malloc(original.context, size);
    ours = ours ? ours : block;
    return block;
}

static void free_entry(void *context, void *block) {
    const struct pinsight_allocator *allocator = block && block == ours ? &original : &current;
    (void)context;
    if (allocator == &original) {
        ours = NULL;
    }
    allocator->free(allocator->context, block);
}

bool pinsight_audit_add(int (*add)(pinsight_audit_hook, void *), pinsight_audit_hook hook) {
    get_allocator = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    set_allocator = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    if (!get_allocator || !set_allocator) {
        return false;
    }
    get_allocator(PINSIGHT_RAW_DOMAIN, &original);
    struct pinsight_allocator noting = original;
    noting.malloc = note;
    set_allocator(PINSIGHT_RAW_DOMAIN, &noting);
    int failed = add(hook, NULL);
    set_allocator(PINSIGHT_RAW_DOMAIN, &original);
    return failed == 0;
}

void pinsight_audit_remove(void) {
}

void pinsight_audit_end(void) {
    if (!ours) {
        return;
    }
    get_allocator(PINSIGHT_RAW_DOMAIN, &current);
    struct pinsight_allocator wrapper = current;
    wrapper.free = free_entry;
    set_allocator(PINSIGHT_RAW_DOMAIN, &wrapper);
}
