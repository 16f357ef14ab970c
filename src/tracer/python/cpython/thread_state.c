/* The place of the running thread state; see thread_state.h. */
#define _GNU_SOURCE
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING

#include "tracer/python/cpython/thread_state.h"

#include <link.h>
#include <stdint.h>

ptrdiff_t pinsight_thread_state_distance;

/* The thread-local variables of a module. */
struct tls_block {
    uintptr_t code; /* an address in the module */
    char *start;    /* the calling thread's block, or NULL */
    size_t size;
};

static int look_at_module(struct dl_phdr_info *module, size_t size, void *data) {
    struct tls_block *block = data;
    bool is_it = false;
    size_t bytes = 0;
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            block->code - module->dlpi_addr - part->p_vaddr < part->p_memsz)
            is_it = true;
        else if (part->p_type == PT_TLS)
            bytes = part->p_memsz;
    }
    if (!is_it)
        return 0;
    block->start = module->dlpi_tls_data;
    block->size = block->start ? bytes : 0;
    return 1;
}

static char *thread_pointer(void) {
    char *pointer = NULL;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    return pointer;
}

static const PyThreadState *value_at(const struct tls_block *block, size_t at) {
    return *(PyThreadState *const volatile *)(block->start + at);
}

/* Returns the places of variables in the block with this value, at most `most`. */
static size_t places_of(const struct tls_block *block, const PyThreadState *state, size_t *places,
                        size_t most) {
    size_t count = 0;
    for (size_t at = 0; at + sizeof state <= block->size && count < most; at += sizeof state) {
        if (value_at(block, at) == state)
            places[count++] = at;
    }
    return count;
}

/* From 3.15 on, the state for PyGILState_Ensure() is in a variable beside it, with the same value
 * in most cases. A thread that releases the GIL has that state, but no running one. Returns the
 * single remaining place, or none. */
static size_t keep_the_running_one(const struct tls_block *block, size_t *places, size_t count) {
    size_t kept = 0;
    PyThreadState *own = PyEval_SaveThread();
    for (size_t i = 0; i < count; i++) {
        if (!value_at(block, places[i]))
            places[kept++] = places[i];
    }
    PyEval_RestoreThread(own);
    return kept;
}

/* Returns the distance of the variable, or 0 if it is not known. */
static ptrdiff_t distance_of(const struct tls_block *block) {
    enum { MOST = 4 };
    size_t places[MOST], count = places_of(block, PyThreadState_Get(), places, MOST);
    if (count > 1)
        count = keep_the_running_one(block, places, count);
    return count == 1 ? block->start + places[0] - thread_pointer() : 0;
}

/* Returns whether the distance is right in this thread. */
static bool is_at(const struct tls_block *block, ptrdiff_t distance) {
    uintptr_t at = (uintptr_t)(thread_pointer() + distance) - (uintptr_t)block->start;
    return at + sizeof(PyThreadState *) <= block->size &&
           value_at(block, at) == PyThreadState_Get();
}

void pinsight_thread_state_find(void) {
    static bool found;
    if (!thread_pointer() || (found && pinsight_thread_state_distance == 0))
        return;
    struct tls_block block = {.code = (uintptr_t)PyThreadState_Get};
    dl_iterate_phdr(look_at_module, &block);
    if (!found)
        pinsight_thread_state_distance = distance_of(&block);
    else if (!is_at(&block, pinsight_thread_state_distance))
        pinsight_thread_state_distance = 0;
    found = true;
}

#endif
