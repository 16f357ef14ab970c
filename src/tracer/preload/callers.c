/* The objects that call a library; see callers.h. */
#include "tracer/preload/callers.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- objects ---- */

struct code_range {
    uintptr_t address, begin, end;
};

static int look_for_range(struct dl_phdr_info *info, size_t size, void *data) {
    struct code_range *range = data;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    bool within = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        within |= range->address - first < part->p_memsz;
        begin = first < begin ? first : begin;
        end = first + part->p_memsz > end ? first + part->p_memsz : end;
    }
    if (within) {
        range->begin = begin;
        range->end = end;
    }
    return within;
}

bool pinsight_callers_is_mapped(const void *address) {
    struct code_range range = {.address = (uintptr_t)address};
    return dl_iterate_phdr(look_for_range, &range);
}

/* ---- the list ---- */

bool pinsight_callers_add(struct pinsight_callers *callers, const void *address, void *bound) {
    struct code_range range = {.address = (uintptr_t)address};
    if (!dl_iterate_phdr(look_for_range, &range))
        return false;
    pthread_mutex_lock(callers->lock);
    struct pinsight_caller_list *old = callers->list;
    size_t count = old ? old->count : 0;
    struct pinsight_caller_list *longer = malloc(sizeof(*old) + (count + 1) * sizeof(*old->at));
    if (longer) {
        longer->count = count + 1;
        if (count)
            memcpy(longer->at, old->at, count * sizeof(*old->at));
        longer->at[count] = (struct pinsight_caller){range.begin, range.end, bound};
        callers->list = longer; /* not freed: another thread may read the old one */
    }
    pthread_mutex_unlock(callers->lock);
    return longer;
}

static bool is_there(const struct pinsight_caller *caller) {
    struct code_range range = {.address = caller->begin};
    return dl_iterate_phdr(look_for_range, &range) && range.begin == caller->begin &&
           range.end == caller->end;
}

bool pinsight_callers_forget(struct pinsight_callers *callers) {
    struct pinsight_caller_list *old = callers->list;
    bool gone = false;
    if (!old || !old->count)
        return false;
    struct pinsight_caller_list *left = malloc(sizeof(*old) + old->count * sizeof(*old->at));
    if (!left)
        return false;
    left->count = 0;
    for (size_t i = 0; i < old->count; i++) {
        bool stays = is_there(&old->at[i]);
        if (stays)
            left->at[left->count++] = old->at[i];
        gone |= !stays;
    }
    pthread_mutex_lock(callers->lock);
    if (gone && callers->list == old)
        callers->list = left;
    else if (gone)
        callers->list = NULL;
    pthread_mutex_unlock(callers->lock);
    if (!gone)
        free(left);
    return gone;
}
