/* Finds libraries in the way of the dynamic linker, as ld.so(8) describes it. */
#include "runtimes/linker.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtimes/elf.h"

enum { CACHE_MAX = 64 << 20 };

/* Folders that are always searched; on Debian with the multiarch triplet. */
static const char *const standard_folders[] = {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
};

/* The file that ldconfig(8) writes, in the layout of glibc's sysdeps/generic/dl-cache.h: a header,
 * the entries, the strings. `key` and `value` are offsets of strings from the header. */
static const char cache_magic[] = "glibc-ld.so.cache1.1";
struct cache_header {
    char magic[sizeof(cache_magic) - 1];
    uint32_t count;
    uint32_t strings_size;
    uint32_t unused[5];
};
struct cache_entry {
    int32_t flags;
    uint32_t key;
    uint32_t value;
    uint32_t os_version;
    uint64_t hwcap;
};

static char *cache; /* ends with a zero; NULL if it was not read, or does not exist */
static size_t cache_size;
static const char *cache_start; /* the header in `cache` */

static void read_cache(void) {
    static bool done;
    struct stat about;

    if (done) {
        return;
    }
    done = true;
    int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &about) == 0 && about.st_size > 0 && about.st_size < CACHE_MAX) {
        cache = malloc((size_t)about.st_size + 1);
        ssize_t n = cache != NULL ? read(fd, cache, (size_t)about.st_size) : -1;
        if (n > 0) {
            cache_size = (size_t)n;
            cache[n] = '\0';
            /* An older format may precede the header. */
            cache_start = memmem(cache, cache_size, cache_magic, sizeof(cache_magic) - 1);
        }
    }
    close(fd);
}

/* Returns whether a program of this machine can load a file. The folders also have files for other
 * processors. */
static bool is_loadable(const char *path) {
    struct pinsight_elf elf;

    if (pinsight_elf_open(&elf, path) != 0) {
        return false;
    }
    pinsight_elf_close(&elf);
    return true;
}

static bool find_in_cache(const char *name, char path[PATH_MAX]) {
    struct cache_header header;
    struct cache_entry entry;

    read_cache();
    if (cache_start == NULL) {
        return false;
    }
    size_t size = cache_size - (size_t)(cache_start - cache);
    if (size < sizeof(header)) {
        return false;
    }
    memcpy(&header, cache_start, sizeof(header));
    for (uint32_t i = 0; i < header.count; i++) {
        uint64_t at = sizeof(header) + (uint64_t)i * sizeof(entry);
        if (at + sizeof(entry) > size) {
            return false;
        }
        memcpy(&entry, cache_start + at, sizeof(entry));
        if (entry.key >= size || entry.value >= size ||
            strcmp(cache_start + entry.key, name) != 0) {
            continue;
        }
        if (snprintf(path, PATH_MAX, "%s", cache_start + entry.value) < PATH_MAX &&
            is_loadable(path)) {
            return true;
        }
    }
    return false;
}

static bool find_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    int n = length == 0 ? snprintf(path, PATH_MAX, "./%s", name)
                        : snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);

    return n < PATH_MAX && access(path, R_OK) == 0 && is_loadable(path);
}

/* Writes a folder of DT_RPATH or DT_RUNPATH with $ORIGIN or ${ORIGIN} replaced. Returns its length,
 * or 0 if it does not fit. */
static size_t expand(const char *folder, size_t length, const char *origin, char into[PATH_MAX]) {
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    size_t used = 0;

    for (size_t i = 0; i < length;) {
        size_t word_length = 0;
        for (size_t j = 0; j < 2 && folder[i] == '$'; j++) {
            size_t n = strlen(words[j]);
            if (length - i >= n && strncmp(folder + i, words[j], n) == 0) {
                word_length = n;
            }
        }
        size_t n = word_length > 0 ? strlen(origin) : 1;
        if (used + n >= PATH_MAX) {
            return 0;
        }
        memcpy(into + used, word_length > 0 ? origin : folder + i, n);
        used += n;
        i += word_length > 0 ? word_length : 1;
    }
    return used;
}

static bool find_in_list(const char *list, const char *separators, const char *origin,
                         const char *name, char path[PATH_MAX]) {
    char folder[PATH_MAX];

    if (list == NULL || *list == '\0') {
        return false;
    }
    for (const char *at = list;;) {
        size_t length = strcspn(at, separators);
        size_t whole = expand(at, length, origin != NULL ? origin : ".", folder);
        if ((whole > 0 || length == 0) && find_in(folder, whole, name, path)) {
            return true;
        }
        if (at[length] == '\0') {
            return false;
        }
        at += length + 1;
    }
}

bool pinsight_linker_find_system(const char *name, char path[PATH_MAX]) {
    if (find_in_cache(name, path)) {
        return true;
    }
    for (size_t i = 0; i < sizeof(standard_folders) / sizeof(*standard_folders); i++) {
        if (find_in(standard_folders[i], strlen(standard_folders[i]), name, path)) {
            return true;
        }
    }
    return false;
}

bool pinsight_linker_find(const char *name, const struct pinsight_linker_paths *paths,
                          char path[PATH_MAX]) {
    if (strchr(name, '/') != NULL) {
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_loadable(path);
    }
    bool has_runpath = paths->runpath != NULL && *paths->runpath != '\0';
    return (!has_runpath &&
            (find_in_list(paths->rpath, ":", paths->origin, name, path) ||
             find_in_list(paths->rpath_above, ":", paths->origin_above, name, path))) ||
           find_in_list(paths->library_path, ":;", NULL, name, path) ||
           find_in_list(paths->runpath, ":", paths->origin, name, path) ||
           pinsight_linker_find_system(name, path);
}
