/* Folders of libraries and of the user; see code_folders.h. */
#include "base/code_folders.h"

#include <stdlib.h>
#include <string.h>

static struct pinsight_code_folder *find_same(const struct pinsight_code_folders *folders,
                                              const char *path, size_t length) {
    for (size_t i = 0; i < folders->count; i++)
        if (folders->all[i].length == length && !memcmp(folders->all[i].path, path, length))
            return &folders->all[i];
    return NULL;
}

static void add(struct pinsight_code_folders *folders, const char *path, size_t length,
                enum pinsight_code_owner owner) {
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (!length || (length == 1 && path[0] == '/'))
        return;
    struct pinsight_code_folder *same = find_same(folders, path, length);
    if (same && owner == PINSIGHT_CODE_OF_USER)
        same->owner = owner;
    if (same || folders->count >= PINSIGHT_CODE_FOLDERS_MOST)
        return;
    /* The list has room for 8, 16, 32, … folders. */
    if (!folders->count || (folders->count >= 8 && !(folders->count & (folders->count - 1)))) {
        size_t room = folders->count ? 2 * folders->count : 8;
        struct pinsight_code_folder *all = realloc(folders->all, room * sizeof(*all));
        if (!all)
            return;
        folders->all = all;
    }
    char *copy = strndup(path, length);
    if (copy)
        folders->all[folders->count++] = (struct pinsight_code_folder){copy, length, owner};
}

void pinsight_code_folders_add(struct pinsight_code_folders *folders, const char *paths,
                               enum pinsight_code_owner owner) {
    for (;;) {
        size_t length = strcspn(paths, "\n");

        add(folders, paths, length, owner);
        if (!paths[length])
            return;
        paths += length + 1;
    }
}

enum pinsight_code_owner pinsight_code_folders_find(const struct pinsight_code_folders *folders,
                                                    const char *file, size_t *length) {
    const struct pinsight_code_folder *deepest = NULL;

    for (size_t i = 0; i < folders->count; i++) {
        const struct pinsight_code_folder *folder = &folders->all[i];
        if ((deepest && folder->length < deepest->length) ||
            strncmp(file, folder->path, folder->length) != 0)
            continue;
        const char *rest = file + folder->length;
        if (!*rest || *rest == '/' || strcmp(rest, ".py") == 0)
            deepest = folder;
    }
    *length = deepest ? deepest->length : 0;
    return deepest ? deepest->owner : PINSIGHT_CODE_OF_NOBODY;
}

void pinsight_code_folders_text(const struct pinsight_code_folders *folders,
                                enum pinsight_code_owner owner, char *text, size_t room) {
    size_t used = 0;

    for (size_t i = 0; i < folders->count; i++) {
        const struct pinsight_code_folder *folder = &folders->all[i];
        if (folder->owner != owner || used + folder->length + 2 > room)
            continue;
        if (used)
            text[used++] = '\n';
        memcpy(text + used, folder->path, folder->length);
        used += folder->length;
    }
    text[used] = '\0';
}

void pinsight_code_folders_free(struct pinsight_code_folders *folders) {
    for (size_t i = 0; i < folders->count; i++)
        free(folders->all[i].path);
    free(folders->all);
    *folders = (struct pinsight_code_folders){0};
}
