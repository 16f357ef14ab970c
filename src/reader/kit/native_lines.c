/* Reads debug information on demand, one object at a time. A trace may name any file: only regular
 * ELF files are opened, and nothing is fetched from the network. Files that libdw cannot read have
 * no lines. */
#include "reader/kit/native_lines.h"

#include "base/lazy_library.h"
#include "base/memory.h"

#include <stdlib.h>

#ifdef PINSIGHT_HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NANOSECONDS UINT64_C(1000000000)
/* The most units of source that are examined, so that a large program does not delay a report. */
#define MOST_UNITS 500000
/* The most objects that stay open. */
#define MOST_OBJECTS 256

struct object {
    char *path;
    Dwfl *dwfl; /* NULL if there is no information */
    Dwfl_Module *module;
    GElf_Addr bias; /* load address that libdw assumes */
};

struct pinsight_native_lines {
    uint64_t until_ns;
    uint32_t units_left; /* units that may still be examined; see find_unit() */
    struct object *objects;
    size_t count, capacity;
};

struct pinsight_native_lines *pinsight_native_lines_new(uint64_t until_ns) {
    struct pinsight_native_lines *lines;

    if (pinsight_lazy_library_open(&pinsight_lazy_libdw))
        return NULL;
    lines = pinsight_calloc(1, sizeof(*lines));
    lines->until_ns = until_ns;
    lines->units_left = MOST_UNITS;
    return lines;
}

void pinsight_native_lines_free(struct pinsight_native_lines *lines) {
    if (!lines)
        return;
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->objects[i].dwfl)
            dwfl_end(lines->objects[i].dwfl);
        free(lines->objects[i].path);
    }
    free(lines->objects);
    free(lines);
}

/* Opens an ELF file that is not newer than the trace. Returns -1 if it is none. */
static int open_object(const struct pinsight_native_lines *lines, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char magic[SELFMAG];
    struct stat status;

    if (fd < 0)
        return -1;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        (lines->until_ns && (uint64_t)status.st_mtim.tv_sec > lines->until_ns / NANOSECONDS) ||
        pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
        memcmp(magic, ELFMAG, SELFMAG) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void read_object(struct object *object, int fd) {
    /* Only by build id: dwfl_standard_find_debuginfo would ask debuginfod. */
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_build_id_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    Dwfl *dwfl = dwfl_begin(&callbacks);

    if (!dwfl) {
        close(fd);
        return;
    }
    dwfl_report_begin(dwfl);
    object->module = dwfl_report_offline(dwfl, object->path, object->path, fd);
    dwfl_report_end(dwfl, NULL, NULL);
    if (!object->module) {
        dwfl_end(dwfl);
        close(fd);
        return;
    }
    object->dwfl = dwfl;
    dwfl_module_getelf(object->module, &object->bias);
}

static struct object *find_object(struct pinsight_native_lines *lines, const char *path) {
    struct object *object;
    int fd;

    for (size_t i = 0; i < lines->count; i++)
        if (!strcmp(lines->objects[i].path, path))
            return &lines->objects[i];
    if (lines->count >= MOST_OBJECTS)
        return NULL;
    object = PINSIGHT_ADD(lines->objects, lines->count, lines->capacity);
    *object = (struct object){.path = pinsight_strdup(path)};
    fd = path[0] == '/' ? open_object(lines, path) : -1;
    if (fd >= 0)
        read_object(object, fd);
    return object;
}

static bool has_symbol(Dwfl_Module *module, const char *name, GElf_Addr address) {
    int count = dwfl_module_getsymtab(module);

    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr at;
        const char *other = dwfl_module_getsym_info(module, i, &symbol, &at, NULL, NULL, NULL);

        if (other && at <= address && (address - at < symbol.st_size || !symbol.st_size) &&
            !strcmp(other, name))
            return true;
    }
    return false;
}

/* Returns the unit of source that contains an address. Examines one unit after another: not every
 * compiler (clang) writes the index that dwfl_module_getsrc needs. */
static Dwarf_Die *find_unit(struct pinsight_native_lines *lines, Dwfl_Module *module,
                            GElf_Addr address, Dwarf_Addr *bias) {
    Dwarf_Die *unit = NULL;

    while (lines->units_left && (unit = dwfl_module_nextcu(module, unit, bias)) &&
           lines->units_left--)
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

static void find_line(struct pinsight_native_lines *lines, Dwfl_Module *module, GElf_Addr address,
                      const char **file, int32_t *line) {
    Dwfl_Line *entry = dwfl_module_getsrc(module, address);
    Dwarf_Die *unit;
    Dwarf_Line *at;
    Dwarf_Addr bias;
    int number;

    if (entry) {
        *file = dwfl_lineinfo(entry, NULL, line, NULL, NULL, NULL);
        return;
    }
    unit = find_unit(lines, module, address, &bias);
    at = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    if (!at || dwarf_lineno(at, &number) != 0)
        return;
    *file = dwarf_linesrc(at, NULL, NULL);
    *line = number;
}

const char *pinsight_native_line(struct pinsight_native_lines *lines, const char *object,
                                 uint64_t offset, const char *recorded, const char **file,
                                 int32_t *line) {
    struct object *found = lines ? find_object(lines, object) : NULL;
    GElf_Addr address;
    const char *symbol;

    if (!found || !found->dwfl)
        return NULL;
    /* The address is that of the return: the call precedes it. */
    address = found->bias + offset - 1;
    if (recorded[0] && !has_symbol(found->module, recorded, address))
        return NULL;
    symbol = dwfl_module_addrname(found->module, address);
    find_line(lines, found->module, address, file, line);
    return symbol;
}

#else

struct pinsight_native_lines *pinsight_native_lines_new(uint64_t until_ns) {
    (void)until_ns;
    return NULL;
}

void pinsight_native_lines_free(struct pinsight_native_lines *lines) {
    (void)lines;
}

const char *pinsight_native_line(struct pinsight_native_lines *lines, const char *object,
                                 uint64_t offset, const char *recorded, const char **file,
                                 int32_t *line) {
    (void)lines;
    (void)object;
    (void)offset;
    (void)recorded;
    (void)file;
    (void)line;
    return NULL;
}

#endif
