/*
 * The libraries that an ELF file needs, and its symbols, read without loading it. The content of
 * the file is not trusted: every offset is checked against the size, and nothing is mapped.
 */
#ifndef PINSIGHT_RUNTIMES_ELF_H
#define PINSIGHT_RUNTIMES_ELF_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PINSIGHT_ELF_NEEDED_MAX = 128, /* DT_NEEDED entries that are read at most */
    PINSIGHT_ELF_SEGMENTS_MAX = 32,
    PINSIGHT_ELF_NAME_MAX = 4096, /* the longest name or search path */
};

/* A part of a file in memory. */
struct pinsight_elf_window {
    uint64_t offset;
    size_t size; /* of the valid bytes */
    char bytes[4096];
};

/* An open file. pinsight_elf_close() frees the members. One thread at a time uses it. */
struct pinsight_elf {
    int fd;
    uint64_t size;
    struct pinsight_elf_window *window; /* NULL without memory; then each read is a system call */
    struct pinsight_elf_segment {
        uint64_t address, offset, size;
    } segments[PINSIGHT_ELF_SEGMENTS_MAX];
    size_t segment_count;
    uint64_t strings, strings_size; /* of the dynamic section: offset in the file, and bytes */
    uint64_t symbols;               /* offset in the file; 0 if there are none */
    uint64_t gnu_hash, sysv_hash;   /* offsets in the file; 0 if there is none */
    struct pinsight_elf_relocations {
        uint64_t offset, size; /* of entries with addends (RELA) */
    } data_relocations, call_relocations;
    uint64_t needed[PINSIGHT_ELF_NEEDED_MAX]; /* offsets in the strings */
    size_t needed_count;
    uint64_t soname, rpath, runpath; /* offsets in the strings; UINT64_MAX if there is none */
    bool is_dynamic;                 /* has a dynamic section, and so can need libraries */
    bool has_interpreter;            /* is a program that the dynamic linker starts */
};

/*
 * Opens a file. Returns 0, or ENOEXEC if it is no ELF file for this machine (class, byte order and
 * processor), or another errno. After an error there is nothing to close.
 */
int pinsight_elf_open(struct pinsight_elf *elf, const char *path);
void pinsight_elf_close(struct pinsight_elf *elf);

/* Reads the string at an offset in the strings. Returns false if there is none, or if it does not
 * fit into `room` bytes. */
bool pinsight_elf_string(const struct pinsight_elf *elf, uint64_t offset, char *text, size_t room);

/* Copies bytes of the file. Returns false if the file is too short. Only for the files of this
 * library. */
bool pinsight_elf_read(const struct pinsight_elf *elf, uint64_t offset, void *into, size_t size);

/* Returns whether the file defines a symbol of this name for other files, in any version. */
bool pinsight_elf_defines(const struct pinsight_elf *elf, const char *name);

/*
 * Returns whether the file defines this symbol, and always uses its own definition. Linkers do so
 * with -Bsymbolic-functions: they leave no relocation by which the dynamic linker could choose
 * another definition. Returns false on machines whose relocations have no addends.
 */
bool pinsight_elf_binds(const struct pinsight_elf *elf, const char *name);

/* Opens a file, and calls `has`, one of the two functions above. Returns false if the file cannot
 * be read. */
bool pinsight_elf_file_has(const char *path,
                           bool (*has)(const struct pinsight_elf *elf, const char *name),
                           const char *name);

/* Returns whether the file uses a symbol of this name of another file. If there are very many
 * symbols, only the first are examined. */
bool pinsight_elf_takes(const struct pinsight_elf *elf, const char *name);

#endif
