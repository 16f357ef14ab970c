/* The output folder of a form; see folder.h. */
#include "views/export/folder.h"

#include "base/leftover.h"
#include "base/memory.h"
#include "base/safe_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int pinsight_export_cannot(struct pinsight_export *export, const char *path, const char *why) {
    if (!export->error)
        export->error = pinsight_format("cannot write %s: %s", path, why);
    return -1;
}

/* Returns whether a name fits one of a form's wildcards, see struct pinsight_export_format. */
static bool is_entry(const char *name, const char *entries) {
    char *list = pinsight_strdup(entries), *rest = list, *pattern;
    bool is = false;

    while (!is && (pattern = strsep(&rest, " ")))
        is = *pattern && fnmatch(pattern, name, 0) == 0;
    free(list);
    return is;
}

/* Returns whether all entries of a folder fit the wildcards. With "", it must be empty. */
static bool has_only(const char *path, const char *entries) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool only = folder != NULL;

    while (only && (entry = readdir(folder)))
        only = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
               is_entry(entry->d_name, entries);
    if (folder)
        closedir(folder);
    return only;
}

/* Returns whether a folder is another folder, or contains it. */
static bool contains(const char *folder, const char *other) {
    char *outer = realpath(folder, NULL), *inner = realpath(other, NULL);
    size_t length = outer ? strlen(outer) : 0;
    bool yes = outer && inner && !strncmp(outer, inner, length) &&
               (inner[length] == '/' || !inner[length]);

    free(outer);
    free(inner);
    return yes;
}

/* Returns the reason why the folder may not replace the existing output, or NULL. */
static const char *why_not(const struct pinsight_export *export, const char *path) {
    const char *entries = export->format->entries ? export->format->entries : "";
    struct stat about;

    if (lstat(path, &about) != 0 || (S_ISDIR(about.st_mode) && has_only(path, "")))
        return NULL;
    if (contains(path, export->options->trace))
        return "the trace itself is there; name another folder with -o";
    if (!S_ISDIR(about.st_mode) || !has_only(path, entries))
        return "it is there already, and no folder of this form; remove it, or name another "
               "folder with -o";
    return export->options->force
               ? NULL
               : "it is there already; --force replaces it, or name another folder with -o";
}

int pinsight_export_folder_make(struct pinsight_export_folder *folder,
                                struct pinsight_export *export) {
    const char *output = export->options->output;
    size_t length = strlen(output);
    const char *why;
    sigset_t signals;

    while (length > 1 && output[length - 1] == '/')
        length--;
    folder->path = pinsight_format("%.*s.part", (int)length, output);
    why = why_not(export, output);
    if (why)
        return pinsight_export_cannot(export, output, why);
    pinsight_leftover_block_signals(&signals);
    int error = pinsight_make_folder(AT_FDCWD, folder->path, 0700);
    folder->made = error == 0;
    if (folder->made)
        pinsight_leftover_note(folder->path);
    pinsight_leftover_unblock_signals(&signals);
    if (folder->made)
        return 0;
    return pinsight_export_cannot(
        export, folder->path,
        error == EEXIST ? "it is there: another export writes it, or was killed; remove it"
                        : strerror(error));
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where) {
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_all(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Replaces the folder that --force gives up. Returns 0, or -1 with errno. */
static int replace(struct pinsight_export_folder *folder, const char *output) {
    if (renameat2(AT_FDCWD, folder->path, AT_FDCWD, output, RENAME_EXCHANGE) == 0) {
        remove_all(folder->path);
        return 0;
    }
    /* Some file systems, such as NFS, cannot exchange names. */
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    remove_all(output);
    return rename(folder->path, output);
}

int pinsight_export_folder_keep(struct pinsight_export_folder *folder,
                                struct pinsight_export *export) {
    const char *output = export->options->output, *why;

    if (rename(folder->path, output) != 0) {
        int error = errno;

        if (error != ENOTEMPTY && error != EEXIST)
            return pinsight_export_cannot(export, output, strerror(error));
        why = why_not(export, output); /* the output may be new */
        if (why || replace(folder, output) != 0)
            return pinsight_export_cannot(export, output, why ? why : strerror(errno));
    }
    folder->made = false;
    pinsight_leftover_forget(folder->path);
    return 0;
}

void pinsight_export_folder_clear(struct pinsight_export_folder *folder) {
    if (folder->made) {
        remove_all(folder->path);
        pinsight_leftover_forget(folder->path);
    }
    free(folder->path);
    *folder = (struct pinsight_export_folder){0};
}
