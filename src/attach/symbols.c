/* Functions of another process; see symbols.h. */
#include "attach/symbols.h"

#include "attach/memory.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

enum { HEADERS_MOST = 64, DYNAMIC_MOST = 128, CHAIN_MOST = 1 << 20, NAME_ROOM = 64 };

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

/* A loaded file. */
struct image {
    int pid;
    uint64_t bias; /* added to the addresses in the file */
    uint64_t symbols, names, hash;
};

struct search {
    int pid;
    const char *const *names;
    size_t count;
    uint64_t *addresses;
    bool found;
};

/* Returns the absolute form of an address in the dynamic section. Some C libraries have added the
 * bias already, others have not. */
static uint64_t absolute(const struct image *image, uint64_t address) {
    return address < image->bias ? image->bias + address : address;
}

static bool read_dynamic(struct image *image, uint64_t at, size_t size) {
    Elf64_Dyn entries[DYNAMIC_MOST];
    size_t count = size / sizeof(*entries);

    if (count > DYNAMIC_MOST)
        count = DYNAMIC_MOST;
    if (!pinsight_memory_read(image->pid, at, entries, count * sizeof(*entries)))
        return false;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        uint64_t value = absolute(image, entries[i].d_un.d_ptr);
        if (entries[i].d_tag == DT_SYMTAB)
            image->symbols = value;
        else if (entries[i].d_tag == DT_STRTAB)
            image->names = value;
        else if (entries[i].d_tag == DT_GNU_HASH)
            image->hash = value;
    }
    return image->symbols != 0 && image->names != 0 && image->hash != 0;
}

/* Reads the tables of the file whose first byte is mapped at `begin`. Returns false if it is no
 * suitable ELF file. */
static bool open_image(struct image *image, int pid, uint64_t begin) {
    Elf64_Ehdr header;
    Elf64_Phdr programs[HEADERS_MOST];
    const Elf64_Phdr *first = NULL, *dynamic = NULL;

    *image = (struct image){.pid = pid};
    if (!pinsight_memory_read(pid, begin, &header, sizeof(header)) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != MACHINE || header.e_phentsize != sizeof(*programs) ||
        header.e_phnum > HEADERS_MOST ||
        !pinsight_memory_read(pid, begin + header.e_phoff, programs,
                              header.e_phnum * sizeof(*programs)))
        return false;
    for (size_t i = 0; i < header.e_phnum; i++) {
        if (programs[i].p_type == PT_LOAD && first == NULL)
            first = &programs[i];
        else if (programs[i].p_type == PT_DYNAMIC)
            dynamic = &programs[i];
    }
    if (first == NULL || dynamic == NULL)
        return false;
    image->bias = begin - (first->p_vaddr - first->p_offset);
    return read_dynamic(image, image->bias + dynamic->p_vaddr, dynamic->p_memsz);
}

static uint32_t gnu_hash(const char *name) {
    uint32_t hash = 5381;

    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool is_named(const struct image *image, uint32_t offset, const char *name) {
    char there[NAME_ROOM];
    size_t size = strlen(name) + 1;

    return size <= sizeof(there) &&
           pinsight_memory_read(image->pid, image->names + offset, there, size) &&
           memcmp(there, name, size) == 0;
}

/* Returns the address of a function, or 0 if the file does not export it. */
static uint64_t address_of(const struct image *image, const char *name) {
    uint32_t head[4], index, hash = gnu_hash(name), link = 0;
    Elf64_Sym symbol;

    if (!pinsight_memory_read(image->pid, image->hash, head, sizeof(head)) || head[0] == 0)
        return 0;
    uint64_t buckets = image->hash + sizeof(head) + head[2] * sizeof(uint64_t);
    uint64_t chains = buckets + head[0] * sizeof(uint32_t);
    if (!pinsight_memory_read(image->pid, buckets + hash % head[0] * sizeof(index), &index,
                              sizeof(index)) ||
        index < head[1])
        return 0;
    for (size_t i = 0; i < CHAIN_MOST && !(link & 1); i++, index++) {
        if (!pinsight_memory_read(image->pid, chains + (index - head[1]) * sizeof(link), &link,
                                  sizeof(link)))
            return 0;
        if ((link | 1) == (hash | 1) &&
            pinsight_memory_read(image->pid, image->symbols + index * sizeof(symbol), &symbol,
                                 sizeof(symbol)) &&
            symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
            is_named(image, symbol.st_name, name))
            return image->bias + symbol.st_value;
    }
    return 0;
}

static bool look_at(const struct pinsight_memory_mapping *mapping, void *data) {
    struct search *search = data;
    struct image image;

    if (mapping->offset != 0 || !open_image(&image, search->pid, mapping->begin))
        return true;
    for (size_t i = 0; i < search->count; i++) {
        search->addresses[i] = address_of(&image, search->names[i]);
        if (search->addresses[i] == 0)
            return true;
    }
    search->found = true;
    return false;
}

bool pinsight_symbols_find(int pid, const char *const *names, size_t count, uint64_t *addresses) {
    struct search search = {.pid = pid, .names = names, .count = count, .addresses = addresses};

    return pinsight_memory_each(pid, look_at, &search) && search.found;
}
