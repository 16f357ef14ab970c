/* Objects and functions of code addresses; see symbol.h. */
#include "tracer/core/symbol.h"

#include "base/forbidden.h"

#include "base/mapping.h"
#include "base/program.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest name that is kept, because an event must fit into a sub-buffer. */
#define LONGEST 1000

/* Returns a copy of a name, which is never empty: babeltrace2 2.0 shows an empty string as the
 * value of the string field before it. */
static char *copy(const char *text) {
    return text && *text ? strndup(text, LONGEST) : strdup("?");
}

static void locate(const Dl_info *info, const struct link_map *map, const void *address,
                   struct pinsight_symbol *symbol) {
    char known[PATH_MAX];
    const char *path = info->dli_fname;
    if (map && !*map->l_name) {
        /* the program itself; the linker knows it by the name of its call */
        if (pinsight_program_self(known, sizeof known))
            path = known;
    } else if (path && *path != '/' && !atomic_load(&pinsight_opens_are_forbidden)) {
        /* The program loaded it by a name relative to a folder, which it may have left. */
        if (pinsight_mapping_file(address, known, sizeof known))
            path = known;
    }
    symbol->object = copy(path);
    symbol->offset = (uint64_t)((uintptr_t)address - (map ? map->l_addr : 0));
}

void pinsight_symbol_object(const void *address, struct pinsight_symbol *symbol) {
    Dl_info info;
    struct link_map *map = NULL;
    symbol->name = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP)) {
        locate(&info, map, address, symbol);
    } else {
        symbol->object = copy(NULL);
        symbol->offset = (uintptr_t)address;
    }
}

/* Returns the name of the function that contains `value`, from a table of symbols. */
static const char *in_table(const char *file, size_t size, const ElfW(Shdr) * table,
                            const ElfW(Shdr) * strings, uint64_t value) {
    if (table->sh_offset > size || table->sh_size > size - table->sh_offset ||
        strings->sh_offset > size || strings->sh_size > size - strings->sh_offset ||
        strings->sh_size == 0 || file[strings->sh_offset + strings->sh_size - 1] != '\0' ||
        table->sh_offset % sizeof(uint64_t) != 0)
        return NULL;
    const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
    const char *best = NULL;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *at = &symbols[i];
        if (ELF64_ST_TYPE(at->st_info) == STT_FUNC && at->st_shndx != SHN_UNDEF &&
            value >= at->st_value && value - at->st_value < at->st_size &&
            at->st_name < strings->sh_size)
            best = file + strings->sh_offset + at->st_name;
    }
    return best;
}

/* Returns the name of the function at an address. The file is not trusted: it may have any content,
 * and may have changed. */
static char *in_file(const char *file, size_t size, uint64_t value) {
    const ElfW(Ehdr) *head = (const void *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff > size ||
        head->e_shoff % sizeof(uint64_t) != 0 ||
        head->e_shnum > (size - head->e_shoff) / sizeof(ElfW(Shdr)))
        return NULL;
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    for (int kind = 0; kind < 2; kind++) {
        for (unsigned i = 0; i < head->e_shnum; i++) {
            if (sections[i].sh_type != (kind == 0 ? SHT_SYMTAB : SHT_DYNSYM) ||
                sections[i].sh_link >= head->e_shnum)
                continue;
            const char *name =
                in_table(file, size, &sections[i], &sections[sections[i].sh_link], value);
            if (name)
                return copy(name);
        }
    }
    return NULL;
}

static char *read_name(const char *path, uint64_t value) {
    char *name = NULL;
    struct stat status;
    int fd = atomic_load(&pinsight_opens_are_forbidden)
                 ? -1
                 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            name = in_file(file, size, value);
            munmap(file, size);
        }
    }
    close(fd);
    return name;
}

/* Strips the suffix of functions that GCC makes of OpenMP regions and tasks,
 * FUNCTION._omp_fn.NUMBER, so that they have the name of the function that contains them. */
static void strip_outlined(char *name) {
    char *suffix = name ? strstr(name, "._omp_fn.") : NULL;
    if (suffix && suffix != name)
        *suffix = '\0';
}

void pinsight_symbol_find(const void *address, struct pinsight_symbol *symbol) {
    Dl_info info;
    pinsight_symbol_object(address, symbol);
    if (symbol->object && symbol->object[0] == '/')
        /* The address follows a call. One byte before it is still in the function, even if the call
         * is at its end. */
        symbol->name = read_name(symbol->object, symbol->offset - 1);
    if (!symbol->name)
        symbol->name = copy(dladdr(address, &info) ? info.dli_sname : NULL);
    if (!symbol->object)
        symbol->object = copy(NULL);
    strip_outlined(symbol->name);
}

void pinsight_symbol_free(struct pinsight_symbol *symbol) {
    free(symbol->object);
    free(symbol->name);
}
