/* Finds the OpenMP runtimes and the BLAS libraries that programs will load; see objects.h. */
#include "runtimes/objects.h"

#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtimes/elf.h"
#include "runtimes/linker.h"

enum { DEPTH_MAX = 12 };

/* Libraries of the system that need no OpenMP and no BLAS. */
static const char *const plain[] = {
    "libc.so",      "libm.so",   "libpthread.so", "libdl.so",   "librt.so",
    "libutil.so",   "ld-linux",  "libgcc_s.so",   "libstdc++.", "libgfortran",
    "libquadmath",  "libz.so",   "libpython",     "linux-vdso", "libssl.so",
    "libcrypto.so", "libX11.so", "libcublas",     "libcudnn",   "libnccl",
};

static bool starts_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_plain(const char *name) {
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
        if (starts_with(name, plain[i])) {
            return true;
        }
    }
    return false;
}

/* auditwheel renames libgomp.so.1 to libgomp-<hash>.so.1.0.0. */
int pinsight_runtime_of_name(const char *name) {
    static const struct pinsight_name_value stems[] = {
        {"libgomp", PINSIGHT_LIBGOMP},
        {"libiomp5", PINSIGHT_LIBIOMP},
        {"libomp5", PINSIGHT_LIBOMP},
        {"libomp", PINSIGHT_LIBOMP},
    };

    if (starts_with(name, "libgomp-plugin")) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++) {
        size_t length = strlen(stems[i].name);
        if (strncmp(name, stems[i].name, length) == 0 &&
            (name[length] == '.' || name[length] == '-') && strstr(name + length, ".so") != NULL) {
            return (int)stems[i].value;
        }
    }
    return -1;
}

static bool is_blas_name(const char *name) {
    return strstr(name, "openblas") != NULL || starts_with(name, "libblis");
}

/* Whether a name of a file is that of any library with BLAS or LAPACK. */
static bool is_any_blas_name(const char *name) {
    static const char *const stems[] = {
        "libblas",   "libcblas",   "liblapack", "libmkl_",  "libflexiblas", "libsatlas",
        "libtatlas", "libf77blas", "libatlas",  "libarmpl", "libnvpl_blas", "libnvpl_lapack"};

    for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++) {
        if (starts_with(name, stems[i])) {
            return true;
        }
    }
    return is_blas_name(name);
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Adds a file, by its real path: several names may lead to the same library. */
static void add_found(struct pinsight_objects *objects, enum pinsight_runtime_kind kind,
                      const char *named, const char *by) {
    char path[PATH_MAX];

    if (realpath(named, path) == NULL) {
        return;
    }
    for (size_t i = 0; i < objects->found_count; i++) {
        if (objects->found[i].kind == kind && strcmp(objects->found[i].path, path) == 0) {
            return;
        }
    }
    if (objects->found_count == PINSIGHT_FOUND_MAX) {
        objects->cut_short = true;
        return;
    }
    char *copies[2] = {strdup(path), strdup(by)};
    if (copies[0] == NULL || copies[1] == NULL) {
        free(copies[0]);
        free(copies[1]);
        objects->cut_short = true;
        return;
    }
    objects->found[objects->found_count++] =
        (struct pinsight_object_found){.kind = kind, .path = copies[0], .by = copies[1]};
}

/* Returns the kind of a runtime. Distributions give a library several names: Debian's libiomp5.so
 * is LLVM's libomp, and conda's libgomp.so.1 may be it, too. The name of the real file, and its
 * symbols, decide. */
static enum pinsight_runtime_kind kind_of(const struct pinsight_elf *elf, const char *path,
                                          int kind) {
    char real[PATH_MAX];
    int behind = realpath(path, real) != NULL ? pinsight_runtime_of_name(base_of(real)) : -1;

    if (behind >= 0) {
        kind = behind;
    }
    if (kind == PINSIGHT_LIBGOMP && pinsight_elf_defines(elf, "__kmpc_fork_call")) {
        kind = PINSIGHT_LIBOMP;
    }
    return (enum pinsight_runtime_kind)kind;
}

/* Returns whether a file was not seen before. Returns false if it cannot be examined. */
static bool is_new(struct pinsight_objects *objects, int fd) {
    struct stat about;

    if (fstat(fd, &about) != 0) {
        return false;
    }
    for (size_t i = 0; i < objects->seen_count; i++) {
        if (objects->seen[i].inode == about.st_ino && objects->seen[i].device == about.st_dev) {
            return false;
        }
    }
    if (objects->seen_count == PINSIGHT_OBJECTS_MAX) {
        objects->cut_short = true;
        return false;
    }
    objects->seen[objects->seen_count++] =
        (struct pinsight_object_seen){about.st_dev, about.st_ino};
    return true;
}

/* Search paths that an object passes on to the libraries that it needs. */
struct above {
    const char *rpath;
    const char *origin;
};

static void look(struct pinsight_objects *objects, struct pinsight_elf *elf, const char *path,
                 const struct above *above, unsigned depth);

/* Writes the folder of the real file, which is $ORIGIN. */
static bool folder_of(const char *path, char folder[PATH_MAX]) {
    if (realpath(path, folder) == NULL) {
        return false;
    }
    *strrchr(folder, '/') = '\0';
    return true;
}

static void look_at_needed(struct pinsight_objects *objects, const char *name, int kind,
                           const char *by, const struct pinsight_linker_paths *paths,
                           const struct above *above, unsigned depth) {
    struct needed {
        struct pinsight_elf elf;
        char path[PATH_MAX];
    } *needed = malloc(sizeof(*needed));
    if (needed != NULL && pinsight_linker_find(name, paths, needed->path) &&
        pinsight_elf_open(&needed->elf, needed->path) == 0) {
        if (kind >= 0) {
            add_found(objects, kind_of(&needed->elf, needed->path, kind), needed->path, by);
        } else if (is_new(objects, needed->elf.fd)) {
            look(objects, &needed->elf, needed->path, above, depth + 1);
        }
        pinsight_elf_close(&needed->elf);
    }
    free(needed);
}

static void look_at_blas(struct pinsight_objects *objects, struct pinsight_elf *elf,
                         const char *path, bool needs_openmp) {
    if (needs_openmp || pinsight_elf_takes(elf, "pthread_create")) {
        add_found(objects, needs_openmp ? PINSIGHT_BLAS_OPENMP : PINSIGHT_BLAS_PTHREAD, path, path);
    }
}

/* The large buffers are not on the stack, because the function is recursive. */
static void look(struct pinsight_objects *objects, struct pinsight_elf *elf, const char *path,
                 const struct above *above, unsigned depth) {
    bool needs_openmp = false;
    struct object_names {
        char real[PATH_MAX], rpath[PINSIGHT_ELF_NAME_MAX], runpath[PINSIGHT_ELF_NAME_MAX],
            needed[PINSIGHT_ELF_NAME_MAX];
    } *names = malloc(sizeof(*names));

    if (names == NULL) {
        return;
    }
    char *real = names->real, *rpath = names->rpath, *runpath = names->runpath;
    char *name = names->needed;
    real[0] = '\0';
    if (!pinsight_elf_string(elf, elf->rpath, rpath, PINSIGHT_ELF_NAME_MAX)) {
        rpath[0] = '\0';
    }
    if (!pinsight_elf_string(elf, elf->runpath, runpath, PINSIGHT_ELF_NAME_MAX)) {
        runpath[0] = '\0';
    }
    struct pinsight_linker_paths paths = {
        .origin = real,
        .rpath = rpath,
        .runpath = runpath,
        .rpath_above = above->rpath,
        .origin_above = above->origin,
        .library_path = objects->library_path,
    };
    struct above own = {rpath, real};
    for (size_t i = 0; i < elf->needed_count; i++) {
        if (!pinsight_elf_string(elf, elf->needed[i], name, PINSIGHT_ELF_NAME_MAX)) {
            continue;
        }
        int kind = pinsight_runtime_of_name(base_of(name));
        needs_openmp = needs_openmp || kind >= 0;
        objects->has_blas = objects->has_blas || is_any_blas_name(base_of(name));
        if ((kind < 0 && is_plain(name)) || depth >= DEPTH_MAX) {
            continue;
        }
        if (*real == '\0' && !folder_of(path, real)) {
            break;
        }
        look_at_needed(objects, name, kind, path, &paths,
                       *rpath != '\0' && *runpath == '\0' ? &own : above, depth);
    }
    objects->has_blas = objects->has_blas || is_any_blas_name(base_of(path));
    if (is_blas_name(base_of(path))) {
        look_at_blas(objects, elf, path, needs_openmp);
    }
    free(names);
}

bool pinsight_objects_add(struct pinsight_objects *objects, const char *path) {
    struct pinsight_elf elf;
    struct above nothing = {NULL, NULL};

    if (pinsight_elf_open(&elf, path) != 0) {
        return false;
    }
    if (is_new(objects, elf.fd)) {
        int kind = pinsight_runtime_of_name(base_of(path));
        if (kind >= 0) {
            add_found(objects, kind_of(&elf, path, kind), path, path);
        }
        look(objects, &elf, path, &nothing, 0);
    }
    pinsight_elf_close(&elf);
    return true;
}

const struct pinsight_object_found *pinsight_objects_first(const struct pinsight_objects *objects,
                                                           enum pinsight_runtime_kind kind) {
    for (size_t i = 0; i < objects->found_count; i++) {
        if (objects->found[i].kind == kind) {
            return &objects->found[i];
        }
    }
    return NULL;
}

void pinsight_objects_free(struct pinsight_objects *objects) {
    for (size_t i = 0; i < objects->found_count; i++) {
        free(objects->found[i].path);
        free(objects->found[i].by);
    }
    memset(objects, 0, sizeof(*objects));
}
