/*
 * Functions of GCC's OpenMP that are newer than gomp_functions.def. Their calls bypass the domain,
 * and are not recorded. For a message about this, calls by objects of the program are redirected
 * over trampolines that count. The message comes at the end of the process.
 */
#include "tracer/preload/gomp/trampolines.h"
#include "tracer/preload/preload.h"

#include "base/got.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pinsight_got_redirection redirections[PINSIGHT_GOMP_NEWER];
static struct pinsight_got got = {.prefix = "GOMP_", .redirections = redirections};

static const char *const known[] = {
#define OUTLINED(name) #name,
#define CALL(name) #name,
#define PASSED(name) #name,
#include "tracer/openmp/gomp_functions.def"
};

static bool is_known(const char *name) {
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return strncmp(name, "GOMP_PLUGIN_", 12) == 0; /* for offloading, called by parts of libgomp */
}

/* Returns the number of symbols, from the last one in the hash table. */
static uint32_t count_symbols(const uint32_t *hash) {
    uint32_t buckets = hash[0], first = hash[1], last = 0;
    const uint32_t *bucket = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(*hash));
    const uint32_t *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    while (last >= first && last && !(chain[last - first] & 1))
        last++;
    return last ? last + 1 : 0;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct pinsight_got_redirection *)a)->name,
                  ((const struct pinsight_got_redirection *)b)->name);
}

/* Finds the functions that an open library defines and the table lacks. */
static void find_newer(const struct link_map *map) {
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    const uint32_t *hash = NULL;
    for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++) {
        if (at->d_tag == DT_SYMTAB)
            symbols = (const void *)at->d_un.d_ptr;
        else if (at->d_tag == DT_STRTAB)
            strings = (const void *)at->d_un.d_ptr;
        else if (at->d_tag == DT_GNU_HASH)
            hash = (const void *)at->d_un.d_ptr;
    }
    uint32_t end = symbols && strings && hash ? count_symbols(hash) : 0;
    for (uint32_t i = 1; i < end && got.count < PINSIGHT_GOMP_NEWER; i++) {
        const char *name = strings + symbols[i].st_name;
        if (symbols[i].st_shndx == SHN_UNDEF || strncmp(name, "GOMP_", 5) != 0 || is_known(name))
            continue;
        void *real = (void *)(map->l_addr + symbols[i].st_value),
             *first = dlsym(RTLD_DEFAULT, name);
        bool is_taken = (symbols[i].st_info & 0xf) == STT_FUNC && (!first || first == real);
        char *copy = is_taken ? strdup(name) : NULL; /* the library may be closed later */
        if (copy)
            redirections[got.count++] =
                (struct pinsight_got_redirection){.name = copy, .real = real};
    }
    qsort(redirections, got.count, sizeof(*redirections), compare);
    for (unsigned i = 0; i < got.count; i++) {
        atomic_store(&pinsight_gomp_newer_targets[i], redirections[i].real);
        redirections[i].trampoline = pinsight_gomp_newer_entries[i];
    }
}

void pinsight_gomp_newer_look(const struct link_map *libgomp) {
    static bool is_found;
    if (!is_found)
        find_newer(libgomp);
    is_found = true;
    got.excluded[0] = libgomp->l_ld;
    pinsight_got_redirect(&got);
}

void pinsight_gomp_newer_say(void) {
    char list[1024] = "";
    size_t used = 0;
    for (unsigned i = 0; i < got.count; i++) {
        unsigned long calls = pinsight_gomp_newer_calls[i];
        if (calls && used < sizeof(list))
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s (%lu call%s)",
                                     used ? ", " : "", redirections[i].name, calls,
                                     calls == 1 ? "" : "s");
    }
    if (used)
        pinsight_note_once("openmp-newer",
                           "GCC's OpenMP here is newer than PInsight, and what some of its "
                           "functions do is not recorded: %s; install a newer PInsight",
                           list);
}
