/* Finds symbols of an ELF file by their names: elf(5) and the gABI. */
#include <string.h>

#include "runtimes/elf.h"

/* Only C++ has longer names, and none of them is searched for. */
enum { SYMBOL_NAME_MAX = 256, CHAIN_MAX = 1 << 16, BATCH = 128, UNDEFINED_MAX = 20000 };

#define SYMBOL_OF(info) (sizeof(void *) == 8 ? ELF64_R_SYM((uint64_t)(info)) : ELF32_R_SYM(info))

struct symbol_search {
    const struct pinsight_elf *elf;
    const char *name;
    uint32_t found; /* number of the symbol; 0 if there is none */
};

static bool read_symbol(const struct pinsight_elf *elf, uint32_t index, ElfW(Sym) * symbol) {
    return pinsight_elf_read(elf, elf->symbols + (uint64_t)index * sizeof(*symbol), symbol,
                             sizeof(*symbol));
}

static bool defines_at(struct symbol_search *search, uint32_t index) {
    ElfW(Sym) symbol;
    char found[SYMBOL_NAME_MAX];

    if (!read_symbol(search->elf, index, &symbol) || symbol.st_shndx == SHN_UNDEF ||
        !pinsight_elf_string(search->elf, symbol.st_name, found, sizeof(found)) ||
        strcmp(found, search->name) != 0) {
        return false;
    }
    search->found = index;
    return true;
}

/* The header of DT_GNU_HASH. The search skips the Bloom filter. A chain has the hash of each name,
 * with the lowest bit set at the end of the chain. */
struct gnu_hash {
    uint32_t buckets, first, bloom_words, bloom_shift;
};

static void find_gnu(struct symbol_search *search) {
    const struct pinsight_elf *elf = search->elf;
    struct gnu_hash header;
    uint32_t wanted = 5381, index, hash;

    for (const char *at = search->name; *at != '\0'; at++) {
        wanted = wanted * 33 + (unsigned char)*at;
    }
    if (!pinsight_elf_read(elf, elf->gnu_hash, &header, sizeof(header)) || header.buckets == 0) {
        return;
    }
    uint64_t buckets =
        elf->gnu_hash + sizeof(header) + (uint64_t)header.bloom_words * sizeof(ElfW(Addr));
    uint64_t chains = buckets + (uint64_t)header.buckets * sizeof(uint32_t);
    if (!pinsight_elf_read(elf, buckets + (uint64_t)(wanted % header.buckets) * sizeof(index),
                           &index, sizeof(index)) ||
        index < header.first) {
        return;
    }
    for (uint32_t steps = 0; steps < CHAIN_MAX; steps++, index++) {
        if (!pinsight_elf_read(elf, chains + (uint64_t)(index - header.first) * sizeof(hash), &hash,
                               sizeof(hash)) ||
            ((hash | 1) == (wanted | 1) && defines_at(search, index)) || (hash & 1) != 0) {
            return;
        }
    }
}

static void find_sysv(struct symbol_search *search) {
    const struct pinsight_elf *elf = search->elf;
    uint32_t header[2], wanted = 0, index; /* buckets, chains */

    for (const char *at = search->name; *at != '\0'; at++) {
        wanted = (wanted << 4) + (unsigned char)*at;
        wanted = (wanted ^ ((wanted & 0xf0000000u) >> 24)) & 0x0fffffffu;
    }
    if (!pinsight_elf_read(elf, elf->sysv_hash, header, sizeof(header)) || header[0] == 0) {
        return;
    }
    uint64_t buckets = elf->sysv_hash + sizeof(header);
    uint64_t chains = buckets + (uint64_t)header[0] * sizeof(index);
    uint64_t at = buckets + (uint64_t)(wanted % header[0]) * sizeof(index);
    for (uint32_t steps = 0; steps < header[1] && steps < CHAIN_MAX; steps++) {
        if (!pinsight_elf_read(elf, at, &index, sizeof(index)) || index == 0 ||
            index >= header[1] || defines_at(search, index)) {
            return;
        }
        at = chains + (uint64_t)index * sizeof(index);
    }
}

static void find(struct symbol_search *search) {
    if (search->elf->symbols == 0) {
        return;
    }
    if (search->elf->gnu_hash != 0) {
        find_gnu(search);
    } else if (search->elf->sysv_hash != 0) {
        find_sysv(search);
    }
}

bool pinsight_elf_defines(const struct pinsight_elf *elf, const char *name) {
    struct symbol_search search = {elf, name, 0};

    find(&search);
    return search.found != 0;
}

/* ---- symbols that the file uses ---- */

/* Returns whether a relocation has this symbol. Returns true if the file ends too early. */
static bool relocates(const struct pinsight_elf *elf, const struct pinsight_elf_relocations *list,
                      uint32_t symbol) {
    ElfW(Rela) entries[BATCH];
    uint64_t count = list->offset != 0 ? list->size / sizeof(*entries) : 0;

    for (uint64_t i = 0; i < count;) {
        uint64_t some = count - i < BATCH ? count - i : BATCH;
        if (!pinsight_elf_read(elf, list->offset + i * sizeof(*entries), entries,
                               some * sizeof(*entries))) {
            return true;
        }
        for (uint64_t j = 0; j < some; j++) {
            if (SYMBOL_OF(entries[j].r_info) == symbol) {
                return true;
            }
        }
        i += some;
    }
    return false;
}

bool pinsight_elf_binds(const struct pinsight_elf *elf, const char *name) {
    struct symbol_search search = {elf, name, 0};

    find(&search);
    return search.found != 0 && elf->data_relocations.size != 0 &&
           !relocates(elf, &elf->data_relocations, search.found) &&
           !relocates(elf, &elf->call_relocations, search.found);
}

/*
 * Returns an upper limit for the numbers of undefined symbols. With DT_GNU_HASH, these are the
 * symbols that are not hashed, which come first. A program that defines nothing has a table with
 * the limit 1. Then, and without a table, the strings limit the symbols, because linkers put them
 * behind the symbols.
 */
static uint32_t undefined_end(const struct pinsight_elf *elf) {
    struct gnu_hash header;
    uint64_t end =
        elf->strings > elf->symbols ? (elf->strings - elf->symbols) / sizeof(ElfW(Sym)) : 0;

    if (elf->gnu_hash != 0 && pinsight_elf_read(elf, elf->gnu_hash, &header, sizeof(header)) &&
        header.first > 1) {
        return header.first;
    }
    return end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

bool pinsight_elf_takes(const struct pinsight_elf *elf, const char *name) {
    ElfW(Sym) symbols[BATCH];
    char found[SYMBOL_NAME_MAX];
    uint32_t end = elf->symbols != 0 ? undefined_end(elf) : 0;

    for (uint32_t i = 1; i < end && i < UNDEFINED_MAX;) {
        uint32_t count = end - i < BATCH ? end - i : BATCH;
        if (!pinsight_elf_read(elf, elf->symbols + (uint64_t)i * sizeof(*symbols), symbols,
                               count * sizeof(*symbols))) {
            return false;
        }
        for (uint32_t j = 0; j < count; j++) {
            if (symbols[j].st_shndx == SHN_UNDEF &&
                pinsight_elf_string(elf, symbols[j].st_name, found, sizeof(found)) &&
                strcmp(found, name) == 0) {
                return true;
            }
        }
        i += count;
    }
    return false;
}

bool pinsight_elf_file_has(const char *path,
                           bool (*has)(const struct pinsight_elf *elf, const char *name),
                           const char *name) {
    struct pinsight_elf elf;

    if (pinsight_elf_open(&elf, path) != 0) {
        return false;
    }
    bool found = has(&elf, name);
    pinsight_elf_close(&elf);
    return found;
}
