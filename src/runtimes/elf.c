/* What an ELF file says of the libraries it needs; the format is that of elf(5) and the gABI. */
#include "runtimes/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names are longer in C++ only, and none of those is looked for. */
enum { SYMBOL_NAME_MAX = 256, DYNAMIC_MAX = 1024, CHAIN_MAX = 1 << 20, BATCH = 128 };

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define THIS_MACHINE EM_PPC64
#elif defined(__riscv)
#define THIS_MACHINE EM_RISCV
#elif defined(__s390x__)
#define THIS_MACHINE EM_S390
#elif defined(__i386__)
#define THIS_MACHINE EM_386
#else
#define THIS_MACHINE EM_NONE
#endif
#define THIS_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#define SYMBOL_OF(info) (sizeof(void *) == 8 ? ELF64_R_SYM((uint64_t)(info)) : ELF32_R_SYM(info))
#define THIS_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

static bool read_at(const struct pinsight_elf *elf, uint64_t offset, void *into, size_t size) {
    if (offset > elf->size || size > elf->size - offset) {
        return false;
    }
    char *at = into;
    while (size > 0) {
        ssize_t n = pread(elf->fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false; /* it became shorter meanwhile */
        }
        at += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* Where in the file is what will be at this address? 0 if nowhere. */
static uint64_t offset_of(const struct pinsight_elf *elf, uint64_t address) {
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct pinsight_elf_segment *segment = &elf->segments[i];
        if (address >= segment->address && address - segment->address < segment->size) {
            return segment->offset + (address - segment->address);
        }
    }
    return 0;
}

static void take_dynamic(struct pinsight_elf *elf, const ElfW(Dyn) * entry) {
    uint64_t value = entry->d_un.d_val;

    switch (entry->d_tag) {
    case DT_NEEDED:
        if (elf->needed_count < PINSIGHT_ELF_NEEDED_MAX) {
            elf->needed[elf->needed_count++] = value;
        }
        break;
    case DT_SONAME:
        elf->soname = value;
        break;
    case DT_RPATH:
        elf->rpath = value;
        break;
    case DT_RUNPATH:
        elf->runpath = value;
        break;
    case DT_STRTAB:
        elf->strings = offset_of(elf, value);
        break;
    case DT_STRSZ:
        elf->strings_size = value;
        break;
    case DT_SYMTAB:
        elf->symbols = offset_of(elf, value);
        break;
    case DT_GNU_HASH:
        elf->gnu_hash = offset_of(elf, value);
        break;
    case DT_HASH:
        elf->sysv_hash = offset_of(elf, value);
        break;
    case DT_RELA:
        elf->data_relocations.offset = offset_of(elf, value);
        break;
    case DT_RELASZ:
        elf->data_relocations.size = value;
        break;
    case DT_JMPREL:
        elf->call_relocations.offset = offset_of(elf, value);
        break;
    case DT_PLTRELSZ:
        elf->call_relocations.size = value;
        break;
    default:
        break;
    }
}

static bool read_headers(struct pinsight_elf *elf) {
    ElfW(Ehdr) header;
    uint64_t dynamic = 0, dynamic_size = 0;

    if (!read_at(elf, 0, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != THIS_CLASS || header.e_ident[EI_DATA] != THIS_ORDER ||
        header.e_machine != THIS_MACHINE || (header.e_type != ET_DYN && header.e_type != ET_EXEC) ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) part;
        if (header.e_phoff > elf->size ||
            !read_at(elf, header.e_phoff + (uint64_t)i * sizeof(part), &part, sizeof(part))) {
            return false;
        }
        if (part.p_type == PT_LOAD && elf->segment_count < PINSIGHT_ELF_SEGMENTS_MAX) {
            elf->segments[elf->segment_count++] =
                (struct pinsight_elf_segment){part.p_vaddr, part.p_offset, part.p_filesz};
        } else if (part.p_type == PT_DYNAMIC) {
            dynamic = part.p_offset;
            dynamic_size = part.p_filesz;
        } else if (part.p_type == PT_INTERP) {
            elf->has_interpreter = true;
        }
    }
    for (unsigned i = 0; i < DYNAMIC_MAX && (i + 1) * sizeof(ElfW(Dyn)) <= dynamic_size; i++) {
        ElfW(Dyn) entry;
        if (!read_at(elf, dynamic + i * sizeof(entry), &entry, sizeof(entry)) ||
            entry.d_tag == DT_NULL) {
            break;
        }
        elf->is_dynamic = true;
        take_dynamic(elf, &entry);
    }
    return true;
}

int pinsight_elf_open(struct pinsight_elf *elf, const char *path) {
    struct stat about;

    memset(elf, 0, sizeof(*elf));
    elf->soname = elf->rpath = elf->runpath = UINT64_MAX;
    /* Not blocking: a pipe of that name must not hold us. */
    elf->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (elf->fd < 0) {
        return errno;
    }
    if (fstat(elf->fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < 0) {
        close(elf->fd);
        return ENOEXEC;
    }
    elf->size = (uint64_t)about.st_size;
    if (!read_headers(elf)) {
        close(elf->fd);
        return ENOEXEC;
    }
    return 0;
}

void pinsight_elf_close(struct pinsight_elf *elf) {
    close(elf->fd);
    elf->fd = -1;
}

bool pinsight_elf_string(const struct pinsight_elf *elf, uint64_t offset, char *text, size_t room) {
    if (elf->strings == 0 || elf->strings > elf->size || offset >= elf->strings_size) {
        return false;
    }
    uint64_t start = elf->strings + offset, left = elf->strings_size - offset;
    if (start >= elf->size) {
        return false;
    }
    if (left > elf->size - start) {
        left = elf->size - start;
    }
    size_t wanted = left < room ? (size_t)left : room;
    return wanted > 0 && read_at(elf, start, text, wanted) && memchr(text, '\0', wanted) != NULL;
}

static bool read_symbol(const struct pinsight_elf *elf, uint32_t index, ElfW(Sym) * symbol) {
    return read_at(elf, elf->symbols + (uint64_t)index * sizeof(*symbol), symbol, sizeof(*symbol));
}

static bool defines_at(const struct pinsight_elf *elf, uint32_t index, const char *name) {
    ElfW(Sym) symbol;
    char found[SYMBOL_NAME_MAX];

    return read_symbol(elf, index, &symbol) && symbol.st_shndx != SHN_UNDEF &&
           pinsight_elf_string(elf, symbol.st_name, found, sizeof(found)) &&
           strcmp(found, name) == 0;
}

/* The header of DT_GNU_HASH: its Bloom filter is passed over, its chains hold the hash of each name
 * with the lowest bit set at a chain's end. */
struct gnu_hash {
    uint32_t buckets, first, bloom_words, bloom_shift;
};

static uint64_t buckets_of(const struct pinsight_elf *elf, const struct gnu_hash *hash) {
    return elf->gnu_hash + sizeof(*hash) + (uint64_t)hash->bloom_words * sizeof(ElfW(Addr));
}

/* The number of the symbol; 0: it is not defined. */
static uint32_t find_gnu(const struct pinsight_elf *elf, const char *name) {
    struct gnu_hash header;
    uint32_t wanted = 5381, index, hash;

    for (const char *at = name; *at != '\0'; at++) {
        wanted = wanted * 33 + (unsigned char)*at;
    }
    if (!read_at(elf, elf->gnu_hash, &header, sizeof(header)) || header.buckets == 0) {
        return 0;
    }
    uint64_t buckets = buckets_of(elf, &header);
    uint64_t chains = buckets + (uint64_t)header.buckets * sizeof(uint32_t);
    if (!read_at(elf, buckets + (uint64_t)(wanted % header.buckets) * sizeof(index), &index,
                 sizeof(index)) ||
        index < header.first) {
        return 0;
    }
    for (uint32_t steps = 0; steps < CHAIN_MAX; steps++, index++) {
        if (!read_at(elf, chains + (uint64_t)(index - header.first) * sizeof(hash), &hash,
                     sizeof(hash))) {
            return 0;
        }
        if ((hash | 1) == (wanted | 1) && defines_at(elf, index, name)) {
            return index;
        }
        if ((hash & 1) != 0) {
            break;
        }
    }
    return 0;
}

static uint32_t find_sysv(const struct pinsight_elf *elf, const char *name) {
    uint32_t header[2], wanted = 0, index; /* buckets, chains */

    for (const char *at = name; *at != '\0'; at++) {
        wanted = (wanted << 4) + (unsigned char)*at;
        wanted = (wanted ^ ((wanted & 0xf0000000u) >> 24)) & 0x0fffffffu;
    }
    if (!read_at(elf, elf->sysv_hash, header, sizeof(header)) || header[0] == 0) {
        return 0;
    }
    uint64_t buckets = elf->sysv_hash + sizeof(header);
    uint64_t chains = buckets + (uint64_t)header[0] * sizeof(index);
    uint64_t at = buckets + (uint64_t)(wanted % header[0]) * sizeof(index);
    for (uint32_t steps = 0; steps < header[1] && steps < CHAIN_MAX; steps++) {
        if (!read_at(elf, at, &index, sizeof(index)) || index == 0 || index >= header[1]) {
            return 0;
        }
        if (defines_at(elf, index, name)) {
            return index;
        }
        at = chains + (uint64_t)index * sizeof(index);
    }
    return 0;
}

static uint32_t find(const struct pinsight_elf *elf, const char *name) {
    if (elf->symbols == 0) {
        return 0;
    }
    return elf->gnu_hash != 0    ? find_gnu(elf, name)
           : elf->sysv_hash != 0 ? find_sysv(elf, name)
                                 : 0;
}

bool pinsight_elf_defines(const struct pinsight_elf *elf, const char *name) {
    return find(elf, name) != 0;
}

/* Is there a relocation with this symbol? Where the file ends too early: yes. */
static bool relocates(const struct pinsight_elf *elf, const struct pinsight_elf_relocations *list,
                      uint32_t symbol) {
    ElfW(Rela) entries[BATCH];
    uint64_t count = list->offset != 0 ? list->size / sizeof(*entries) : 0;

    for (uint64_t i = 0; i < count;) {
        uint64_t some = count - i < BATCH ? count - i : BATCH;
        if (!read_at(elf, list->offset + i * sizeof(*entries), entries, some * sizeof(*entries))) {
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
    uint32_t symbol = find(elf, name);

    return symbol != 0 && elf->data_relocations.size != 0 &&
           !relocates(elf, &elf->data_relocations, symbol) &&
           !relocates(elf, &elf->call_relocations, symbol);
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

    if (elf->gnu_hash != 0 && read_at(elf, elf->gnu_hash, &header, sizeof(header)) &&
        header.first > 1) {
        return header.first;
    }
    return end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

bool pinsight_elf_each_undefined(const struct pinsight_elf *elf, uint32_t limit,
                                 bool (*take)(const char *name, void *data), void *data) {
    ElfW(Sym) symbols[BATCH];
    char name[SYMBOL_NAME_MAX];
    uint32_t end = elf->symbols != 0 ? undefined_end(elf) : 0;

    for (uint32_t i = 1; i < end && i < limit;) {
        uint32_t count = end - i < BATCH ? end - i : BATCH;
        if (!read_at(elf, elf->symbols + (uint64_t)i * sizeof(*symbols), symbols,
                     count * sizeof(*symbols))) {
            return true;
        }
        for (uint32_t j = 0; j < count; j++) {
            if (symbols[j].st_shndx == SHN_UNDEF &&
                pinsight_elf_string(elf, symbols[j].st_name, name, sizeof(name)) &&
                !take(name, data)) {
                return true;
            }
        }
        i += count;
    }
    return end <= limit;
}
