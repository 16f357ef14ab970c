/*
 * What an ELF file says of the libraries it needs, read without loading it. The file may be
 * anything: every offset is checked against its size, and nothing is mapped.
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
    PINSIGHT_ELF_NEEDED_MAX = 128, /* DT_NEEDED entries that are looked at */
    PINSIGHT_ELF_SEGMENTS_MAX = 32,
    PINSIGHT_ELF_NAME_MAX = 4096, /* the longest name or search path */
};

/* The part of a file that was read last. */
struct pinsight_elf_window {
    uint64_t offset;
    size_t size; /* of what is there */
    char bytes[4096];
};

/* An open file. Its own: pinsight_elf_close() frees what it points to. Not shared by threads. */
struct pinsight_elf {
    int fd;
    uint64_t size;
    struct pinsight_elf_window *window; /* NULL: there was no memory; then each read is a call */
    struct pinsight_elf_segment {
        uint64_t address, offset, size;
    } segments[PINSIGHT_ELF_SEGMENTS_MAX];
    size_t segment_count;
    uint64_t strings, strings_size; /* of the dynamic section: offset in the file, bytes */
    uint64_t symbols;               /* offset; 0: none */
    uint64_t gnu_hash, sysv_hash;   /* offsets; 0: none */
    struct pinsight_elf_relocations {
        uint64_t offset, size; /* of entries with addends (RELA) */
    } data_relocations, call_relocations;
    uint64_t needed[PINSIGHT_ELF_NEEDED_MAX]; /* offsets within the strings */
    size_t needed_count;
    uint64_t soname, rpath, runpath; /* likewise; UINT64_MAX: none */
    bool is_dynamic;                 /* it has a dynamic section: it can need libraries */
    bool has_interpreter;            /* it is a program that the dynamic linker starts */
};

/*
 * Opens a file. Returns 0, ENOEXEC where it is no ELF file of this machine's kind (class, byte
 * order and processor), or another errno. After anything but 0 there is nothing to close.
 */
int pinsight_elf_open(struct pinsight_elf *elf, const char *path);
void pinsight_elf_close(struct pinsight_elf *elf);

/* Reads the string at an offset within the strings. False if there is none, or it does not fit. */
bool pinsight_elf_string(const struct pinsight_elf *elf, uint64_t offset, char *text, size_t room);

/* Copies bytes of the file. False where it ends before them. For this library's own files. */
bool pinsight_elf_read(const struct pinsight_elf *elf, uint64_t offset, void *into, size_t size);

/* Does the file define a symbol of this name for others, in whatever version? */
bool pinsight_elf_defines(const struct pinsight_elf *elf, const char *name);

/*
 * Does the file define this symbol and use no other's in its place? Linkers do so with
 * -Bsymbolic-functions: they leave no relocation by which the dynamic linker could put another
 * there. False on machines whose relocations are without addends.
 */
bool pinsight_elf_binds(const struct pinsight_elf *elf, const char *name);

/* One of these two of a file; false where it cannot be read. */
bool pinsight_elf_file_has(const char *path,
                           bool (*has)(const struct pinsight_elf *elf, const char *name),
                           const char *name);

/* Does the file take a symbol of this name from others? Of very many symbols the first are looked
 * at. */
bool pinsight_elf_takes(const struct pinsight_elf *elf, const char *name);

#endif
