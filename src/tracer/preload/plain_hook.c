/*
 * The audit hook of the shim of PINSIGHT_PLAIN=1. The hook uses CPython's API alone, and stays in
 * the list of hooks.
 *
 * CPython frees the list at its end with the raw allocator of that time. The hook was added before
 * Py_Initialize(), with the default allocator. If the two differ (`-X dev`, PYTHONMALLOC=debug),
 * the interpreter would abort. Therefore the allocator is wrapped (PyMem_SetAllocator) when CPython
 * announces the end. The wrapper frees our entry with the allocator that it is from.
 */
#include "preload.h"

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
    return pinsight_audit_add_by(note, &original, add, hook);
}

void pinsight_audit_remove(void) {
}

void pinsight_audit_end(void) {
    struct pinsight_allocators allocators;
    if (!ours || !pinsight_allocators_find(&allocators)) {
        return;
    }
    allocators.get(PINSIGHT_RAW_DOMAIN, &current);
    struct pinsight_allocator wrapper = current;
    wrapper.free = free_entry;
    allocators.set(PINSIGHT_RAW_DOMAIN, &wrapper);
}
