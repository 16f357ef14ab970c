/*
 * A C audit hook that can be removed from CPython's list.
 *
 * CPython has no function to remove a hook, and frees its list at the end with the raw allocator of
 * that moment. A hook that is added before Py_Initialize() was allocated with the default
 * allocator. PInsight's must be added that early. With `-X dev` or PYTHONMALLOC=debug, freeing it
 * aborts the interpreter. A hook that stays also costs about 25 ns for each audited call, such as
 * id(). Therefore it must be removed.
 *
 * The entry is a node {next, hook, user data} of a linked list, in CPython 3.8 to 3.15. PInsight
 * replaces CPython's allocator for this one allocation, so it knows the node's address. The list's
 * head is then the word in _PyRuntime that points to the node, whatever the layout of the version.
 *
 * For the preloaded shim, which knows no version of CPython. The shim of PINSIGHT_PLAIN=1 has
 * src/tracer/preload/plain_hook.c instead.
 */
#ifndef PINSIGHT_CPYTHON_AUDIT_HOOK_H
#define PINSIGHT_CPYTHON_AUDIT_HOOK_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* A C audit hook with the type that PySys_AddAuditHook() takes (Python/C API reference). */
typedef int (*pinsight_audit_hook)(const char *event, void *args, void *user_data);

/* PyMemAllocatorEx and PYMEM_DOMAIN_RAW of the Python/C API, "Customize Memory Allocators". */
struct pinsight_allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};
enum { PINSIGHT_RAW_DOMAIN = 0 };

/* PyMem_GetAllocator() and PyMem_SetAllocator(), each with a domain. Returns false if they do not
 * exist. */
struct pinsight_allocators {
    void (*get)(int, struct pinsight_allocator *);
    void (*set)(int, struct pinsight_allocator *);
};
static inline bool pinsight_allocators_find(struct pinsight_allocators *found) {
    found->get = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    found->set = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    return found->get && found->set;
}

/*
 * Registers `hook` while CPython's raw allocator has `allocate` in place of its malloc. *original
 * gets that allocator. `add` is the address of PySys_AddAuditHook. Returns false if CPython refuses
 * the hook.
 */
static inline bool pinsight_audit_add_by(void *(*allocate)(void *context, size_t size),
                                         struct pinsight_allocator *original,
                                         int (*add)(pinsight_audit_hook, void *),
                                         pinsight_audit_hook hook) {
    struct pinsight_allocators allocators;
    if (!pinsight_allocators_find(&allocators)) {
        return false;
    }
    allocators.get(PINSIGHT_RAW_DOMAIN, original);
    struct pinsight_allocator lent = *original;
    lent.malloc = allocate;
    allocators.set(PINSIGHT_RAW_DOMAIN, &lent);
    int failed = add(hook, NULL);
    allocators.set(PINSIGHT_RAW_DOMAIN, original);
    return failed == 0;
}

/*
 * Registers `hook` with the CPython of this process, before or after its start. Called in a
 * constructor, while there is one thread. `add` is the address of PySys_AddAuditHook. Returns false
 * if CPython refuses the hook.
 */
bool pinsight_audit_add(int (*add)(pinsight_audit_hook, void *), pinsight_audit_hook hook);

/*
 * Removes the hook from CPython's list. The entry stays in memory, so that the hook itself may call
 * this function. Holds the GIL. A second call does nothing. If the list's head was not found, the
 * hook stays.
 */
void pinsight_audit_remove(void);

/*
 * Removes the hook before CPython frees its list ("cpython._PySys_ClearAuditHooks"), if it is still
 * there. This happens in an embedded interpreter that never ran a program.
 */
void pinsight_audit_end(void);

#endif
