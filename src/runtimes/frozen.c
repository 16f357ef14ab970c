/* Recognizes programs whose Python cannot be recorded; see frozen.h. */
#include "runtimes/frozen.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A packer puts its own code before the packed files. */
#define LOOKED_AT ((size_t)64 << 20)

static const char *find_maker(const char *bytes, size_t size) {
    static const struct {
        const char *text, *name;
    } makers[] = {{"_MEIPASS", "PyInstaller"},
                  {"NUITKA_", "Nuitka"},
                  {"cx_Freeze", "cx_Freeze"},
                  {"oxidized_importer", "PyOxidizer"}};

    for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
        if (memmem(bytes, size, makers[i].text, strlen(makers[i].text)) != NULL) {
            return makers[i].name;
        }
    }
    return NULL;
}

/* Returns whether a 64-bit ELF file has no dynamic linker, which would preload libraries. */
static bool is_static(const char *bytes, size_t size) {
    Elf64_Ehdr head;

    if (size < sizeof(head)) {
        return false;
    }
    memcpy(&head, bytes, sizeof(head));
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) ||
        head.e_phoff > size || head.e_phnum > (size - head.e_phoff) / sizeof(Elf64_Phdr)) {
        return false;
    }
    for (size_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, bytes + head.e_phoff + i * sizeof(part), sizeof(part));
        if (part.p_type == PT_INTERP) {
            return false;
        }
    }
    return head.e_phnum > 0;
}

enum pinsight_unreached pinsight_unreached_look(const char *program, const char **maker) {
    enum pinsight_unreached found = PINSIGHT_REACHED;
    int file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about;

    *maker = NULL;
    if (file < 0) {
        return found;
    }
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > SELFMAG) {
        size_t size = (size_t)about.st_size < LOOKED_AT ? (size_t)about.st_size : LOOKED_AT;
        char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
            found = is_static(bytes, size)                       ? PINSIGHT_STATIC
                    : (*maker = find_maker(bytes, size)) != NULL ? PINSIGHT_FROZEN
                    : (about.st_mode & (S_ISUID | S_ISGID)) &&
                            (about.st_uid != geteuid() || about.st_gid != getegid())
                        ? PINSIGHT_SET_ID
                        : PINSIGHT_REACHED;
        }
        if (bytes != MAP_FAILED) {
            munmap(bytes, size);
        }
    }
    close(file);
    return found;
}
