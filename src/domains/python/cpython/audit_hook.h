/*
 * A C audit hook that can be taken out of CPython's list again.
 *
 * CPython has no call for that, and frees its list at the end with the raw allocator of the moment.
 * A hook that is added before Py_Initialize(), the only time early enough for us, was allocated
 * with the default one: with `-X dev` or PYTHONMALLOC=debug, freeing it aborts the interpreter.
 * A hook that stays also costs some 25 ns for each audited call, such as id(). So it must go.
 *
 * The entry is a linked list's node {next, hook, user data}, the same in CPython 3.8 to 3.15. We
 * lend CPython an allocator for that one allocation, so we know the node's address; the head of the
 * list is then the word in _PyRuntime that points to it, whatever the layout of that version.
 *
 * For the preloaded shim, which knows no version of CPython. That of PINSIGHT_PLAIN=1 has
 * src/preload/plain_hook.c in its place.
 */
#ifndef PINSIGHT_CPYTHON_AUDIT_HOOK_H
#define PINSIGHT_CPYTHON_AUDIT_HOOK_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* A C audit hook, as PySys_AddAuditHook() takes it (Python/C API reference, PySys_AddAuditHook). */
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

/* PyMem_GetAllocator() and PyMem_SetAllocator(), each with a domain; false where there are none. */
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
 * Registers `hook` where CPython's raw allocator, of which *original is set, has `allocate` in
 * place of its malloc meanwhile. `add` is the address of PySys_AddAuditHook. Returns false where
 * CPython refused the hook.
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
 * Registers `hook` with the CPython of this process, before or after its start. To be called in a
 * constructor, while there is one thread. `add` is the address of PySys_AddAuditHook.
 * Returns false where CPython refused it.
 */
bool pinsight_audit_add(int (*add)(pinsight_audit_hook, void *), pinsight_audit_hook hook);

/*
 * Takes the hook out of CPython's list. The entry itself stays in memory, so it is safe to call
 * from inside the hook. GIL held. A second call does nothing. Where the list's head could not be
 * found, the hook stays.
 */
void pinsight_audit_remove(void);

/*
 * CPython is about to free its list ("cpython._PySys_ClearAuditHooks"): leaves before that, where
 * the hook is still there, as in an embedded interpreter that never ran a program.
 */
void pinsight_audit_end(void);

#endif
