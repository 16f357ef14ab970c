/*
 * A C audit hook that can be taken out of CPython's list again.
 *
 * CPython has no call for that, and frees its list at the end with the raw allocator of the moment.
 * A hook that is added before Py_Initialize(), the only time early enough for us, was allocated
 * with the default one: with `-X dev` or PYTHONMALLOC=debug, freeing it aborts the interpreter.
 * A hook that stays also costs some 25 ns for each audited call, such as id(). So it must go.
 *
 * The entry is a linked list's node {next, hook, user data}, the same in CPython 3.8 to 3.14. We
 * lend CPython an allocator for that one allocation, so we know the node's address; the head of the
 * list is then the word in _PyRuntime that points to it, whatever the layout of that version.
 */
#include "preload.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>

struct audit_hook {
    struct audit_hook *next;
    pinsight_audit_hook hook;
    void *user_data;
};

/* PyMemAllocatorEx and PYMEM_DOMAIN_RAW of the Python/C API, "Customize Memory Allocators". */
struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};
enum { RAW_DOMAIN = 0 };

static struct allocator original;
static struct audit_hook *ours;
/* Where CPython keeps the list's head; NULL where it was not found. */
static struct audit_hook **head;

static void *lend_entry(void *context, size_t size) {
    (void)context;
    void *block = original.malloc(original.context, size);
    if (!ours && size == sizeof(struct audit_hook)) {
        ours = block;
    }
    return block;
}

/* The word of _PyRuntime that points to our entry. Read while there is one thread and before the
 * interpreter starts; the list was empty before, or we are not the head and stay. */
static struct audit_hook **find_head(void) {
    char *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!runtime || !dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        info.dli_saddr != runtime || (uintptr_t)runtime % sizeof(void *) != 0) {
        return NULL;
    }
    struct audit_hook **word = (struct audit_hook **)(void *)runtime;
    struct audit_hook **end = word + symbol->st_size / sizeof(*word);
    while (word < end && *word != ours) {
        word++;
    }
    return word < end ? word : NULL;
}

bool pinsight_audit_add(int (*add)(pinsight_audit_hook, void *), pinsight_audit_hook hook) {
    void (*get_allocator)(int, struct allocator *) = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    void (*set_allocator)(int, struct allocator *) = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    if (!get_allocator || !set_allocator) {
        return false;
    }
    get_allocator(RAW_DOMAIN, &original);
    struct allocator lent = original;
    lent.malloc = lend_entry;
    set_allocator(RAW_DOMAIN, &lent);
    int failed = add(hook, NULL);
    set_allocator(RAW_DOMAIN, &original);
    if (failed) {
        return false;
    }
    if (ours && ours->hook == hook) {
        head = find_head();
    }
    return true;
}

void pinsight_audit_remove(void) {
    if (!head) {
        return;
    }
    for (struct audit_hook **link = head; *link; link = &(*link)->next) {
        if (*link == ours) {
            *link = ours->next;
            break;
        }
    }
    head = NULL;
}
