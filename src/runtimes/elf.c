/* Reads ELF files; see elf.h. The format is that of elf(5) and the gABI. */
#include "runtimes/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DYNAMIC_MAX = 1024 };

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
#define THIS_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

static size_t read_file(const struct pinsight_elf *elf, uint64_t offset, char *into, size_t size) {
    size_t done = 0;

    while (done < size) {
        ssize_t n = pread(elf->fd, into + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break; /* the file became shorter meanwhile */
        }
        done += (size_t)n;
    }
    return done;
}

/* Finds the bytes at `offset` in the window, which it moves there if necessary. Successive reads
 * are mostly close to each other. Without the window, each number would cost a system call, which
 * would take a third of the start with 150 files. Sets *at, and returns the number of bytes there:
 * 0 at the end of the file, or without memory. */
static size_t look_through(const struct pinsight_elf *elf, uint64_t offset, const char **at) {
    struct pinsight_elf_window *window = elf->window;

    if (window == NULL || offset >= elf->size) {
        return 0;
    }
    if (offset < window->offset || offset - window->offset >= window->size) {
        window->offset = offset - offset % sizeof(window->bytes);
        window->size = read_file(elf, window->offset, window->bytes, sizeof(window->bytes));
        if (offset - window->offset >= window->size) {
            return 0;
        }
    }
    size_t skipped = (size_t)(offset - window->offset);
    *at = window->bytes + skipped;
    return window->size - skipped;
}

bool pinsight_elf_read(const struct pinsight_elf *elf, uint64_t offset, void *into, size_t size) {
    char *to = into;

    if (offset > elf->size || size > elf->size - offset) {
        return false;
    }
    while (size > 0) {
        const char *at;
        size_t there = look_through(elf, offset, &at);
        if (there == 0) {
            return read_file(elf, offset, to, size) == size;
        }
        size_t some = there < size ? there : size;
        memcpy(to, at, some);
        to += some;
        offset += some;
        size -= some;
    }
    return true;
}

/* Returns the offset in the file of the bytes that will be loaded at an address, or 0 if there are
 * none. */
static uint64_t offset_of(const struct pinsight_elf *elf, uint64_t address) {
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct pinsight_elf_segment *segment = &elf->segments[i];
        if (address >= segment->address && address - segment->address < segment->size) {
            return segment->offset + (address - segment->address);
        }
    }
    return 0;
}

/* The fields that entries of the dynamic section set: numbers, and addresses that become offsets in
 * the file. */
static const struct dynamic_field {
    int64_t tag;
    bool is_address;
    size_t at; /* offset in struct pinsight_elf, of a uint64_t */
} dynamic_fields[] = {
    {DT_SONAME, false, offsetof(struct pinsight_elf, soname)},
    {DT_RPATH, false, offsetof(struct pinsight_elf, rpath)},
    {DT_RUNPATH, false, offsetof(struct pinsight_elf, runpath)},
    {DT_STRTAB, true, offsetof(struct pinsight_elf, strings)},
    {DT_STRSZ, false, offsetof(struct pinsight_elf, strings_size)},
    {DT_SYMTAB, true, offsetof(struct pinsight_elf, symbols)},
    {DT_GNU_HASH, true, offsetof(struct pinsight_elf, gnu_hash)},
    {DT_HASH, true, offsetof(struct pinsight_elf, sysv_hash)},
    {DT_RELA, true, offsetof(struct pinsight_elf, data_relocations.offset)},
    {DT_RELASZ, false, offsetof(struct pinsight_elf, data_relocations.size)},
    {DT_JMPREL, true, offsetof(struct pinsight_elf, call_relocations.offset)},
    {DT_PLTRELSZ, false, offsetof(struct pinsight_elf, call_relocations.size)},
};

static void take_dynamic(struct pinsight_elf *elf, const ElfW(Dyn) * entry) {
    uint64_t value = entry->d_un.d_val;

    if (entry->d_tag == DT_NEEDED && elf->needed_count < PINSIGHT_ELF_NEEDED_MAX)
        elf->needed[elf->needed_count++] = value;
    for (size_t i = 0; i < sizeof(dynamic_fields) / sizeof(*dynamic_fields); i++) {
        const struct dynamic_field *field = &dynamic_fields[i];

        if (field->tag == entry->d_tag)
            *(uint64_t *)((char *)elf + field->at) =
                field->is_address ? offset_of(elf, value) : value;
    }
}

static bool read_headers(struct pinsight_elf *elf) {
    ElfW(Ehdr) header;
    uint64_t dynamic = 0, dynamic_size = 0;

    if (!pinsight_elf_read(elf, 0, &header, sizeof(header)) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != THIS_CLASS ||
        header.e_ident[EI_DATA] != THIS_ORDER || header.e_machine != THIS_MACHINE ||
        (header.e_type != ET_DYN && header.e_type != ET_EXEC) ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) part;
        if (header.e_phoff > elf->size ||
            !pinsight_elf_read(elf, header.e_phoff + (uint64_t)i * sizeof(part), &part,
                               sizeof(part))) {
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
        if (!pinsight_elf_read(elf, dynamic + i * sizeof(entry), &entry, sizeof(entry)) ||
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
    /* Does not block, because the name may belong to a pipe. */
    elf->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (elf->fd < 0) {
        return errno;
    }
    if (fstat(elf->fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < 0) {
        close(elf->fd);
        return ENOEXEC;
    }
    elf->size = (uint64_t)about.st_size;
    elf->window = malloc(sizeof(*elf->window));
    if (elf->window != NULL) {
        elf->window->size = 0;
    }
    if (!read_headers(elf)) {
        pinsight_elf_close(elf);
        return ENOEXEC;
    }
    return 0;
}

void pinsight_elf_close(struct pinsight_elf *elf) {
    close(elf->fd);
    elf->fd = -1;
    free(elf->window);
    elf->window = NULL;
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
    for (size_t done = 0; done < wanted;) {
        const char *at;
        size_t there = look_through(elf, start + done, &at);
        if (there == 0) {
            return pinsight_elf_read(elf, start, text, wanted) &&
                   memchr(text, '\0', wanted) != NULL;
        }
        size_t some = there < wanted - done ? there : wanted - done;
        char *end = memccpy(text + done, at, '\0', some);
        if (end != NULL) {
            return true;
        }
        done += some;
    }
    return false;
}
