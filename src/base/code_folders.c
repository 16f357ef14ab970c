/* Folders of libraries and of the user; see code_folders.h. */
#include "base/code_folders.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest pattern, in bytes with its end. */
#define LONGEST_PATTERN 256

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

static bool is_there(const struct pinsight_code_patterns *patterns, const char *pattern) {
    for (size_t i = 0; i < patterns->count; i++)
        if (strcmp(patterns->all[i], pattern) == 0)
            return true;
    return false;
}

static void add_pattern(struct pinsight_code_patterns *patterns, const char *text, size_t length) {
    char pattern[LONGEST_PATTERN];
    const bool adds = length && *text == '+';

    text += adds;
    length -= adds;
    if (!length || length >= sizeof(pattern) || patterns->final ||
        patterns->count >= PINSIGHT_CODE_FOLDERS_MOST)
        return;
    memcpy(pattern, text, length);
    pattern[length] = '\0';
    if (is_there(patterns, pattern))
        return;
    char *copy = strdup(pattern);
    char **all = copy ? realloc(patterns->all, (patterns->count + 1) * sizeof(*all)) : NULL;
    if (!all) {
        free(copy);
        return;
    }
    patterns->all = all;
    patterns->all[patterns->count++] = copy;
    patterns->alone |= !adds;
}

void pinsight_code_folders_mine(struct pinsight_code_folders *folders, const char *patterns) {
    while (*patterns) {
        size_t blanks = strspn(patterns, ", \t\n");
        size_t length = strcspn(patterns + blanks, ", \t\n");

        add_pattern(&folders->mine, patterns + blanks, length);
        patterns += blanks + length;
    }
}

static bool is_of_files(const char *pattern) {
    const size_t length = strlen(pattern);

    return strchr(pattern, '/') || (length > 3 && strcmp(pattern + length - 3, ".py") == 0);
}

/* Returns whether a pattern fits a name or a parent of the name. `sign` separates the parents. */
static bool fits(const char *pattern, const char *name, const char *sign) {
    char inner[LONGEST_PATTERN + 4];

    snprintf(inner, sizeof(inner), "%s%s*", pattern, sign);
    return fnmatch(pattern, name, 0) == 0 || fnmatch(inner, name, 0) == 0;
}

/* Returns whether a pattern of files fits. A pattern without a root fits anywhere in the path. */
static bool fits_file(const char *pattern, const char *file) {
    char anywhere[LONGEST_PATTERN + 4];

    snprintf(anywhere, sizeof(anywhere), "*/%s", pattern);
    return fits(pattern, file, "/") || (*pattern != '/' && fits(anywhere, file, "/"));
}

/* Returns whether a pattern of modules fits a file whose module is unknown: "a.b" fits a/b/x.py and
 * a/b.py. */
static bool fits_folder(const char *pattern, const char *file) {
    char path[LONGEST_PATTERN + 4];

    snprintf(path, sizeof(path), "%s", pattern);
    for (char *dot = path; (dot = strchr(dot, '.'));)
        *dot = '/';
    if (fits_file(path, file))
        return true;
    strcat(path, ".py");
    return fits_file(path, file);
}

bool pinsight_code_patterns_fit(const struct pinsight_code_patterns *patterns, const char *file,
                                const char *module) {
    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->all[i];

        if (is_of_files(pattern) ? fits_file(pattern, file)
            : module             ? fits(pattern, module, ".")
                                 : fits_folder(pattern, file))
            return true;
    }
    return false;
}

void pinsight_code_folders_add(struct pinsight_code_folders *folders, const char *paths,
                               enum pinsight_code_owner owner) {
    for (;;) {
        size_t length = strcspn(paths, "\n");

        if (*paths == '?' && owner == PINSIGHT_CODE_OF_USER)
            add_pattern(&folders->mine, paths + 1, length - 1);
        else
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
    return deepest ? deepest->owner : PINSIGHT_CODE_UNKNOWN;
}

/* Appends a line of a sign and a text, if there is room. Returns the new length. */
static size_t add_text(char *text, size_t used, size_t room, const char *sign, const char *line) {
    const size_t length = strlen(sign) + strlen(line);

    if (used + length + 2 > room)
        return used;
    return used + (size_t)sprintf(text + used, "%s%s%s", used ? "\n" : "", sign, line);
}

void pinsight_code_folders_text(const struct pinsight_code_folders *folders,
                                enum pinsight_code_owner owner, char *text, size_t room) {
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; owner == PINSIGHT_CODE_OF_USER && i < folders->mine.count; i++)
        used = add_text(text, used, room, folders->mine.alone ? "?" : "?+", folders->mine.all[i]);
    for (size_t i = 0; i < folders->count; i++)
        if (folders->all[i].owner == owner)
            used = add_text(text, used, room, "", folders->all[i].path);
}

void pinsight_code_folders_free(struct pinsight_code_folders *folders) {
    for (size_t i = 0; i < folders->count; i++)
        free(folders->all[i].path);
    for (size_t i = 0; i < folders->mine.count; i++)
        free(folders->mine.all[i]);
    free(folders->mine.all);
    free(folders->all);
    *folders = (struct pinsight_code_folders){0};
}
