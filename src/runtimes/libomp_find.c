/* Where LLVM's OpenMP runtime is. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtimes/libomp.h"
#include "runtimes/linker.h"

static const char *const names[] = {"libomp.so.5", "libomp.so"};

/* Where LLVM is installed beside the system's folders; within one, the highest version first. */
static const char *const folders[] = {
    "/usr/lib/llvm-*/lib/libomp.so.5",    "/usr/lib/llvm-*/lib/libomp.so",
    "/usr/lib/*-linux-gnu/libomp-*.so.5", "/usr/lib64/llvm*/lib*/libomp.so",
    "/usr/local/lib/libomp.so*",          "/opt/llvm*/lib/libomp.so",
    "/opt/llvm*/lib/*/libomp.so",         "/opt/rocm*/llvm/lib/libomp.so",
};

struct libomp_search {
    const struct pinsight_objects *objects;
    struct pinsight_libomp *libomp;
    enum pinsight_libomp_answer answer; /* about libomp->path */
};

/* Answers whether the search is over. */
static bool try(struct libomp_search *search, const char *path) {
    struct pinsight_libomp one;

    memset(&one, 0, sizeof(one));
    if (snprintf(one.path, sizeof(one.path), "%s", path) >= PATH_MAX) {
        return false;
    }
    enum pinsight_libomp_answer answer = pinsight_libomp_check(&one, search->objects);
    if (answer == PINSIGHT_LIBOMP_GOOD || search->answer == PINSIGHT_LIBOMP_NONE) {
        search->answer = answer;
        if (answer != PINSIGHT_LIBOMP_NONE) {
            *search->libomp = one;
        }
    }
    return answer == PINSIGHT_LIBOMP_GOOD;
}

static int number_in(const char *path) {
    const char *at = strpbrk(path, "0123456789");

    return at != NULL ? atoi(at) : 0;
}

/* /usr/lib/llvm-9 before /usr/lib/llvm-19 as text: by the number, the highest first. */
static int compare(const void *a, const void *b) {
    return number_in(*(char *const *)b) - number_in(*(char *const *)a);
}

static bool try_folders(struct libomp_search *search) {
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        glob_t found;
        bool over = false;
        if (glob(folders[i], GLOB_NOSORT, NULL, &found) == 0) {
            qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), compare);
            for (size_t j = 0; j < found.gl_pathc && !over; j++) {
                over = try(search, found.gl_pathv[j]);
            }
        }
        globfree(&found);
        if (over) {
            return true;
        }
    }
    return false;
}

enum pinsight_libomp_answer pinsight_libomp_find(struct pinsight_libomp *libomp,
                                                 const struct pinsight_objects *objects,
                                                 const char *prefix, const char *library_path) {
    struct libomp_search search = {objects, libomp, PINSIGHT_LIBOMP_NONE};
    const struct pinsight_object_found *own =
        objects != NULL ? pinsight_objects_first(objects, PINSIGHT_LIBOMP) : NULL;
    const struct pinsight_linker_paths paths = {.library_path = library_path};
    char path[PATH_MAX];

    memset(libomp, 0, sizeof(*libomp));
    /* Two libomp in one process are as bad as two kinds: what the program has is the only choice.
     */
    if (own != NULL) {
        try(&search, own->path);
        return search.answer;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (prefix != NULL && *prefix != '\0' && strcmp(prefix, "/usr") != 0 &&
            snprintf(path, sizeof(path), "%s/lib/%s", prefix, names[i]) < PATH_MAX &&
            try(&search, path)) {
            return search.answer;
        }
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (pinsight_linker_find(names[i], &paths, path) && try(&search, path)) {
            return search.answer;
        }
    }
    try_folders(&search);
    return search.answer;
}
