/* Where the interpreter keeps the thread state that runs; see thread_state.h. */
#define _GNU_SOURCE
#include "domains/python/versions.h"

#if PINSIGHT_HAS_MONITORING

#include "core/plain.h"
#include "domains/python/cpython/thread_state.h"

#include <link.h>
#include <stdint.h>

ptrdiff_t pinsight_thread_state_distance;

/* What is known of a module's thread-local variables. */
struct tls_block {
    uintptr_t code; /* an address in the module */
    char *start;    /* the calling thread's block; NULL where it has none */
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

/* The distance of the one variable of the block that has this value; 0 where not one alone has it.
 */
static ptrdiff_t distance_of(const struct tls_block *block, const PyThreadState *state) {
    ptrdiff_t distance = 0;
    for (size_t at = 0; at + sizeof state <= block->size; at += sizeof state) {
        if (*(PyThreadState *const *)(block->start + at) != state)
            continue;
        if (distance != 0)
            return 0;
        distance = block->start + at - thread_pointer();
    }
    return distance;
}

void pinsight_thread_state_find(void) {
    static bool found;
    if (pinsight_plain() || !thread_pointer() || (found && pinsight_thread_state_distance == 0))
        return;
    struct tls_block block = {.code = (uintptr_t)PyThreadState_Get};
    dl_iterate_phdr(look_at_module, &block);
    ptrdiff_t distance = distance_of(&block, PyThreadState_Get());
    if (!found)
        pinsight_thread_state_distance = distance;
    else if (pinsight_thread_state_distance != distance)
        pinsight_thread_state_distance = 0;
    found = true;
}

#endif
