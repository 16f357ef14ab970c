/* Which source files are the same, although they lie in other folders, on other machines.
 *
 * A file of an installed package is known by what follows site-packages, one of the standard
 * library by what follows lib/pythonX.Y, code without a file by its name in angle brackets. The
 * user's own files are known by their paths; where a run has none of that path, by the longest end
 * that two paths have in common, of those the one with the longest common start. So a checkout
 * beside the other is compared file by file. */
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "views/diff/state.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    uint32_t path, file; /* index among the run's paths; index of files */
    size_t end, start;   /* folders and name in common at the end; bytes at the start */
};

static const char *text_of(const struct pinsight_diff *diff, uint32_t string) {
    return pinsight_strings_text(&diff->strings, string);
}

static uint32_t intern(struct pinsight_diff *diff, const char *text) {
    return pinsight_strings_add(&diff->strings, text, strlen(text));
}

/* What of a path is the same on every machine, as a new text; *users as in the file. */
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

/* How many parts, from the last on, two paths have in common. */
static size_t common_end(const char *a, const char *b) {
    size_t i = strlen(a), j = strlen(b), parts = 0;

    while (i && j && a[i - 1] == b[j - 1]) {
        i--;
        j--;
        parts += a[i] == '/';
    }
    /* A relative path has a first part that no slash begins. */
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
      BY(b->end, a->end) ?: BY(b->start, a->start) ?: BY(a->path, b->path) ?: BY(a->file, b->file))

static void take(struct pinsight_diff *diff, unsigned side, uint32_t path, uint32_t file) {
    diff->files[file].taken = diff->added + 1;
    if (diff->files[file].paths[side] == PINSIGHT_DIFF_NONE)
        diff->files[file].paths[side] = path;
    pinsight_map_set(&diff->file_paths, path, 0, 0, file);
}

static uint32_t new_file(struct pinsight_diff *diff, uint32_t key, bool users) {
    uint32_t file = (uint32_t)diff->file_count;

    *PINSIGHT_ADD(diff->files, diff->file_count, diff->file_capacity) = (struct pinsight_diff_file){
        .key = key, .users = users, .paths = {PINSIGHT_DIFF_NONE, PINSIGHT_DIFF_NONE}};
    if (!users)
        pinsight_map_set(&diff->file_keys, key, 0, 0, file);
    return file;
}

/* The files whose place is the same, and those that are not the user's. */
static void find_exact(struct pinsight_diff *diff, unsigned side, const uint32_t *paths,
                       size_t count, uint32_t *files) {
    for (size_t i = 0; i < count; i++) {
        uint32_t file = pinsight_map_get(&diff->file_paths, paths[i], 0, 0);
        bool users;
        char *key;

        files[i] = PINSIGHT_DIFF_NONE;
        if (file == PINSIGHT_MAP_NONE) {
            key = key_of(text_of(diff, paths[i]), &users);
            if (!users) {
                uint32_t number = intern(diff, key);

                file = pinsight_map_get(&diff->file_keys, number, 0, 0);
                if (file == PINSIGHT_MAP_NONE)
                    file = new_file(diff, number, false);
            }
            free(key);
        } else if (diff->files[file].users && diff->files[file].taken == diff->added + 1) {
            continue;
        }
        if (file == PINSIGHT_MAP_NONE)
            continue;
        files[i] = file;
        take(diff, side, paths[i], file);
    }
}

/* The pairs of a path without a file and a file without a path, whose names are the same. */
static struct candidate *candidates(const struct pinsight_diff *diff, const uint32_t *paths,
                                    size_t count, const uint32_t *files, size_t *found) {
    struct candidate *list = NULL;
    size_t capacity = 0;

    *found = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i] != PINSIGHT_DIFF_NONE)
            continue;
        for (size_t f = 0; f < diff->file_count; f++) {
            const char *a = text_of(diff, paths[i]), *b = text_of(diff, diff->files[f].key);
            size_t end;

            if (!diff->files[f].users || diff->files[f].taken == diff->added + 1)
                continue;
            end = common_end(a, b);
            if (!end)
                continue;
            *PINSIGHT_ADD(list, *found, capacity) = (struct candidate){
                .path = (uint32_t)i, .file = (uint32_t)f, .end = end, .start = common_start(a, b)};
        }
    }
    return list;
}

void pinsight_diff_files_find(struct pinsight_diff *diff, unsigned side, const uint32_t *paths,
                              size_t count, uint32_t *files) {
    struct candidate *list;
    size_t found;

    find_exact(diff, side, paths, count, files);
    list = candidates(diff, paths, count, files, &found);
    PINSIGHT_SORT(list, found, best_first);
    for (size_t i = 0; i < found; i++) {
        if (files[list[i].path] != PINSIGHT_DIFF_NONE ||
            diff->files[list[i].file].taken == diff->added + 1)
            continue;
        files[list[i].path] = list[i].file;
        take(diff, side, paths[list[i].path], list[i].file);
    }
    free(list);
    for (size_t i = 0; i < count; i++) {
        if (files[i] != PINSIGHT_DIFF_NONE)
            continue;
        files[i] = new_file(diff, paths[i], true);
        take(diff, side, paths[i], files[i]);
    }
}
