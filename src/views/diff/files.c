/*
 * Finds the files that both sides share, although they lie in other folders or on other machines.
 *
 * A file of an installed package is known by the part of its path after site-packages. A file of
 * the standard library is known by the part after lib/pythonX.Y. Code without a file is known by
 * its name in angle brackets. The user's own files are known by their paths. If a run lacks the
 * path, the file is the first of these that exists:
 *
 * 1. The file of the same module, such as a second, installed copy of a package.
 * 2. The file whose path has the longest end in common, and of those the longest start. This rule
 *    compares one checkout with another, file by file.
 * 3. For the module __main__, the file with the most functions of the same names. This rule finds a
 *    renamed script, or a notebook's cell, whose file is new in each session.
 */
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "views/diff/state.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    uint32_t path, file; /* index in the run's paths; index of files */
    bool same_module;
    size_t end, start; /* common folders at the end, with the name; common bytes at the start */
    size_t shared;     /* number of common function names */
};

static const char *text_of(const struct pinsight_diff *diff, uint32_t string) {
    return pinsight_strings_text(&diff->strings, string);
}

static uint32_t intern(struct pinsight_diff *diff, const char *text) {
    return pinsight_strings_add(&diff->strings, text, strlen(text));
}

/* Returns the part of a path that is equal on all machines. The caller frees it. Sets *users like
 * the file's. */
static char *key_of(const char *path, bool *users) {
    const char *rest;

    *users = false;
    if ((rest = pinsight_text_in_packages(path)))
        return pinsight_format("site-packages/%s", rest);
    if ((rest = pinsight_text_in_library(path)))
        return pinsight_format("lib/python/%s", rest);
    *users = path[0] != '<' && path[0];
    return pinsight_strdup(path);
}

/* Returns how many parts two paths have in common, from the last one on. */
static size_t common_end(const char *a, const char *b) {
    size_t i = strlen(a), j = strlen(b), parts = 0;

    while (i && j && a[i - 1] == b[j - 1]) {
        i--;
        j--;
        parts += a[i] == '/';
    }
    /* The first part of a relative path begins without a slash. */
    if (a[i] != '/' && (!i || a[i - 1] == '/') && (!j || b[j - 1] == '/'))
        parts++;
    return parts;
}

static size_t common_start(const char *a, const char *b) {
    size_t i = 0;

    while (a[i] && a[i] == b[i])
        i++;
    return i;
}

ORDER(best_first, struct candidate,
      BY(b->same_module, a->same_module) ?: BY(b->end, a->end) ?: BY(b->shared, a->shared)
      ?: BY(b->start, a->start) ?: BY(a->path, b->path) ?: BY(a->file, b->file))

static void take(struct pinsight_diff *diff, unsigned side, uint32_t path, uint32_t file) {
    diff->files[file].taken = diff->added + 1;
    if (diff->files[file].paths[side] == PINSIGHT_DIFF_NONE)
        diff->files[file].paths[side] = path;
    pinsight_map_set(&diff->file_paths, path, 0, 0, file);
}

static uint32_t new_file(struct pinsight_diff *diff, uint32_t key, bool users) {
    uint32_t file = (uint32_t)diff->file_count;

    *PINSIGHT_ADD(diff->files, diff->file_count, diff->file_capacity) =
        (struct pinsight_diff_file){.key = key,
                                    .module = PINSIGHT_DIFF_NONE,
                                    .users = users,
                                    .paths = {PINSIGHT_DIFF_NONE, PINSIGHT_DIFF_NONE}};
    if (!users)
        pinsight_map_set(&diff->file_keys, key, 0, 0, file);
    return file;
}

/* Makes the file of a path for which none was found. */
static void make_file(struct pinsight_diff *diff, unsigned side, struct pinsight_diff_path *path) {
    bool users;
    char *key = key_of(text_of(diff, path->path), &users);
    uint32_t number = users ? path->path : intern(diff, key);

    free(key);
    path->file = users ? PINSIGHT_MAP_NONE : pinsight_map_get(&diff->file_keys, number, 0, 0);
    if (path->file == PINSIGHT_MAP_NONE)
        path->file = new_file(diff, number, users);
    take(diff, side, path->path, path->file);
}

/* Finds files by their exact paths or keys. */
static void find_exact(struct pinsight_diff *diff, unsigned side, struct pinsight_diff_path *paths,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t file = pinsight_map_get(&diff->file_paths, paths[i].path, 0, 0);
        bool users;
        char *key;

        paths[i].file = PINSIGHT_DIFF_NONE;
        if (file == PINSIGHT_MAP_NONE) {
            key = key_of(text_of(diff, paths[i].path), &users);
            if (!users)
                file = pinsight_map_get(&diff->file_keys, intern(diff, key), 0, 0);
            free(key);
        } else if (diff->files[file].users && diff->files[file].taken == diff->added + 1) {
            continue;
        }
        if (file == PINSIGHT_MAP_NONE)
            continue;
        paths[i].file = file;
        take(diff, side, paths[i].path, file);
    }
}

/* Returns whether a module is __main__, which many files share. */
static bool is_main(const struct pinsight_diff *diff, uint32_t module) {
    return module != PINSIGHT_DIFF_NONE && strcmp(text_of(diff, module), "__main__") == 0;
}

/* Collects the pairs of a path without a file and a file without a path that may be the same. */
static struct candidate *candidates(const struct pinsight_diff *diff,
                                    const struct pinsight_diff_path *paths, size_t count,
                                    size_t (*shared)(const void *data, size_t path, uint32_t file),
                                    const void *data, size_t *found) {
    struct candidate *list = NULL;
    size_t capacity = 0;

    *found = 0;
    for (size_t i = 0; i < count; i++) {
        const char *a = text_of(diff, paths[i].path);
        bool users, main = is_main(diff, paths[i].module);

        if (paths[i].file != PINSIGHT_DIFF_NONE)
            continue;
        free(key_of(a, &users));
        for (size_t f = 0; f < diff->file_count; f++) {
            const struct pinsight_diff_file *file = &diff->files[f];
            const char *b = text_of(diff, file->key);
            bool alike = paths[i].module != PINSIGHT_DIFF_NONE && paths[i].module == file->module;
            struct candidate one = {.path = (uint32_t)i, .file = (uint32_t)f};

            if (file->taken == diff->added + 1)
                continue;
            one.same_module = alike && !main;
            one.end = users && file->users ? common_end(a, b) : 0;
            one.shared = alike && main ? shared(data, i, (uint32_t)f) : 0;
            if (!one.same_module && !one.end && !one.shared)
                continue;
            one.start = common_start(a, b);
            *PINSIGHT_ADD(list, *found, capacity) = one;
        }
    }
    return list;
}

void pinsight_diff_files_find(struct pinsight_diff *diff, unsigned side,
                              struct pinsight_diff_path *paths, size_t count,
                              size_t (*shared)(const void *data, size_t path, uint32_t file),
                              const void *data) {
    struct candidate *list;
    size_t found;

    find_exact(diff, side, paths, count);
    list = candidates(diff, paths, count, shared, data, &found);
    PINSIGHT_SORT(list, found, best_first);
    for (size_t i = 0; i < found; i++) {
        struct pinsight_diff_path *path = &paths[list[i].path];

        if (path->file != PINSIGHT_DIFF_NONE || diff->files[list[i].file].taken == diff->added + 1)
            continue;
        path->file = list[i].file;
        take(diff, side, path->path, path->file);
    }
    free(list);
    for (size_t i = 0; i < count; i++) {
        if (paths[i].file == PINSIGHT_DIFF_NONE)
            make_file(diff, side, &paths[i]);
        if (diff->files[paths[i].file].module == PINSIGHT_DIFF_NONE)
            diff->files[paths[i].file].module = paths[i].module;
    }
}
