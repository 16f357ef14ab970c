/* A C audit hook that can be removed; see audit_hook.h. */
#include "tracer/python/cpython/audit_hook.h"

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

static struct pinsight_allocator original;
static struct audit_hook *ours;
/* The place of the list's head; NULL if it was not found. */
static struct audit_hook **head;

static void *lend_entry(void *context, size_t size) {
    (void)context;
    void *block = original.malloc(original.context, size);
    if (!ours && size == sizeof(struct audit_hook)) {
        ours = block;
    }
    return block;
}

/* Returns the word of _PyRuntime that points to our entry. Called while there is one thread, before
 * the interpreter starts. If the list was not empty before, the entry is not the head, and stays.
 */
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
    if (!pinsight_audit_add_by(lend_entry, &original, add, hook)) {
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

void pinsight_audit_end(void) {
    pinsight_audit_remove();
}
