/*
 * The symbols of an ELF file and their versions: elf(5), the gABI, and the LSB's chapter "Symbol
 * Versioning". Which definition a reference takes is what glibc's dynamic linker does
 * (elf/dl-lookup.c, check_match).
 */
#include <string.h>

#include "runtimes/elf.h"

/* Names are longer in C++ only, and none of those is looked for. */
enum { SYMBOL_NAME_MAX = 256, CHAIN_MAX = 1 << 16, BATCH = 128, HIDDEN = 0x8000 };

#define SYMBOL_OF(info) (sizeof(void *) == 8 ? ELF64_R_SYM((uint64_t)(info)) : ELF32_R_SYM(info))

/* ---- versions ---- */

static void add_version(struct pinsight_elf *elf, unsigned index, uint64_t name, uint64_t file) {
    if (elf->version_count < PINSIGHT_ELF_VERSIONS_MAX) {
        elf->versions[elf->version_count++] = (struct pinsight_elf_version){
            .index = (uint16_t)(index & ~HIDDEN), .name = (uint32_t)name, .file = (uint32_t)file};
    }
}

/* The first name of a definition is its own, the others are those of its parents. The one that is
 * the library's own name (VER_FLG_BASE) is no version. */
static void read_defined(struct pinsight_elf *elf) {
    ElfW(Verdef) definition;
    ElfW(Verdaux) own;
    uint64_t at = elf->versions_defined.offset;

    for (uint64_t i = 0; at != 0 && i < elf->versions_defined.count; i++) {
        if (!pinsight_elf_read(elf, at, &definition, sizeof(definition)) ||
            !pinsight_elf_read(elf, at + definition.vd_aux, &own, sizeof(own))) {
            return;
        }
        if ((definition.vd_flags & VER_FLG_BASE) == 0) {
            add_version(elf, definition.vd_ndx, own.vda_name, UINT32_MAX);
        }
        if (definition.vd_next == 0 || elf->version_count == PINSIGHT_ELF_VERSIONS_MAX) {
            return;
        }
        at += definition.vd_next;
    }
}

static void read_needed(struct pinsight_elf *elf) {
    ElfW(Verneed) need;
    ElfW(Vernaux) one;
    uint64_t at = elf->versions_needed.offset;

    for (uint64_t i = 0; at != 0 && i < elf->versions_needed.count; i++) {
        if (!pinsight_elf_read(elf, at, &need, sizeof(need))) {
            return;
        }
        uint64_t next = at + need.vn_aux;
        for (unsigned j = 0; j < need.vn_cnt; j++) {
            if (elf->version_count == PINSIGHT_ELF_VERSIONS_MAX ||
                !pinsight_elf_read(elf, next, &one, sizeof(one))) {
                return;
            }
            add_version(elf, one.vna_other, one.vna_name, need.vn_file);
            next += one.vna_next;
        }
        if (need.vn_next == 0) {
            return;
        }
        at += need.vn_next;
    }
}

static void read_versions(struct pinsight_elf *elf) {
    if (!elf->versions_read) {
        elf->versions_read = true;
        read_defined(elf);
        read_needed(elf);
    }
}

static const struct pinsight_elf_version *version_of(const struct pinsight_elf *elf,
                                                     unsigned index) {
    for (size_t i = 0; i < elf->version_count; i++) {
        if (elf->versions[i].index == (index & ~(unsigned)HIDDEN)) {
            return &elf->versions[i];
        }
    }
    return NULL;
}

/* The entry in the table that runs beside the symbols'; false where the file has no versions. */
static bool read_index(const struct pinsight_elf *elf, uint32_t symbol, uint16_t *index) {
    return elf->symbol_versions != 0 &&
           pinsight_elf_read(elf, elf->symbol_versions + (uint64_t)symbol * sizeof(*index), index,
                             sizeof(*index));
}

/* ---- looking a symbol up ---- */

struct symbol_search {
    const struct pinsight_elf *elf;
    const char *name;
    const char *version; /* of the reference; "": it has none; NULL: any will do */
    unsigned versioned;  /* definitions in versions beyond the first, which are not hidden */
    uint32_t found;      /* number of the symbol; 0: none */
};

static bool read_symbol(const struct pinsight_elf *elf, uint32_t index, ElfW(Sym) * symbol) {
    return pinsight_elf_read(elf, elf->symbols + (uint64_t)index * sizeof(*symbol), symbol,
                             sizeof(*symbol));
}

static bool version_fits(struct symbol_search *search, uint32_t symbol) {
    char name[SYMBOL_NAME_MAX];
    uint16_t index;

    if (search->version == NULL || !read_index(search->elf, symbol, &index)) {
        return true;
    }
    if (*search->version == '\0') {
        if ((index & ~HIDDEN) < 3) {
            return true;
        }
        search->versioned += (index & HIDDEN) == 0;
        return false;
    }
    const struct pinsight_elf_version *own = version_of(search->elf, index);
    if (own == NULL) { /* in the library's base version, which serves all that ask by default */
        return (index & HIDDEN) == 0 && (index & ~HIDDEN) < 2;
    }
    return pinsight_elf_string(search->elf, own->name, name, sizeof(name)) &&
           strcmp(name, search->version) == 0;
}

static bool defines_at(struct symbol_search *search, uint32_t index) {
    ElfW(Sym) symbol;
    char found[SYMBOL_NAME_MAX];

    if (!read_symbol(search->elf, index, &symbol) || symbol.st_shndx == SHN_UNDEF ||
        !pinsight_elf_string(search->elf, symbol.st_name, found, sizeof(found)) ||
        strcmp(found, search->name) != 0 || !version_fits(search, index)) {
        return false;
    }
    search->found = index;
    return true;
}

/* The header of DT_GNU_HASH: its Bloom filter is passed over, its chains hold the hash of each name
 * with the lowest bit set at a chain's end. */
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
    struct symbol_search search = {elf, name, NULL, 0, 0};

    find(&search);
    return search.found != 0;
}

bool pinsight_elf_serves(struct pinsight_elf *elf, const char *name, const char *version) {
    struct symbol_search search = {elf, name, version, 0, 0};

    read_versions(elf);
    find(&search);
    return search.found != 0 || search.versioned == 1;
}

/* ---- what the file itself uses ---- */

/* Is there a relocation with this symbol? Where the file ends too early: yes. */
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
    struct symbol_search search = {elf, name, NULL, 0, 0};

    find(&search);
    return search.found != 0 && elf->data_relocations.size != 0 &&
           !relocates(elf, &elf->data_relocations, search.found) &&
           !relocates(elf, &elf->call_relocations, search.found);
}

/*
 * How many symbols can be undefined ones: with DT_GNU_HASH those that are not hashed, which come
 * first. A program that defines nothing has a table that says 1; there, and without such a table,
 * the strings tell: linkers put them right behind the symbols.
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

/* A version that cannot be told is "?", which nothing serves. */
static void read_version(const struct pinsight_elf *elf, uint32_t symbol,
                         char version[SYMBOL_NAME_MAX], char file[SYMBOL_NAME_MAX]) {
    uint16_t index;

    version[0] = file[0] = '\0';
    if (!read_index(elf, symbol, &index) || (index & ~HIDDEN) < 2) {
        return;
    }
    const struct pinsight_elf_version *own = version_of(elf, index);
    if (own == NULL || !pinsight_elf_string(elf, own->name, version, SYMBOL_NAME_MAX)) {
        memcpy(version, "?", sizeof("?"));
    }
    if (own == NULL || !pinsight_elf_string(elf, own->file, file, SYMBOL_NAME_MAX)) {
        file[0] = '\0';
    }
}

bool pinsight_elf_each_undefined(struct pinsight_elf *elf, uint32_t limit,
                                 bool (*take)(const struct pinsight_elf_undefined *symbol,
                                              void *data),
                                 void *data) {
    ElfW(Sym) symbols[BATCH];
    char name[SYMBOL_NAME_MAX], version[SYMBOL_NAME_MAX], file[SYMBOL_NAME_MAX];
    const struct pinsight_elf_undefined symbol = {name, version, file};
    uint32_t end = elf->symbols != 0 ? undefined_end(elf) : 0;

    read_versions(elf);
    for (uint32_t i = 1; i < end && i < limit;) {
        uint32_t count = end - i < BATCH ? end - i : BATCH;
        if (!pinsight_elf_read(elf, elf->symbols + (uint64_t)i * sizeof(*symbols), symbols,
                               count * sizeof(*symbols))) {
            return true;
        }
        for (uint32_t j = 0; j < count; j++) {
            if (symbols[j].st_shndx == SHN_UNDEF &&
                pinsight_elf_string(elf, symbols[j].st_name, name, sizeof(name))) {
                read_version(elf, i + j, version, file);
                if (!take(&symbol, data)) {
                    return true;
                }
            }
        }
        i += count;
    }
    return end <= limit;
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
