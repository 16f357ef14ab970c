/* The folder of a form; see folder.h. */
#include "views/export/folder.h"

#include "base/leftover.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int pinsight_export_cannot(struct pinsight_export *export, const char *path, const char *why) {
    if (!export->error)
        export->error = pinsight_format("cannot write %s: %s", path, why);
    return -1;
}

static bool is_empty(const char *path) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = folder != NULL;

    while (empty && (entry = readdir(folder)))
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (folder)
        closedir(folder);
    return empty;
}

/* Whether something is there that the folder would take the place of. */
static bool is_taken(const char *path) {
    struct stat about;

    return lstat(path, &about) == 0 && (!S_ISDIR(about.st_mode) || !is_empty(path));
}

int pinsight_export_folder_make(struct pinsight_export_folder *folder,
                                struct pinsight_export *export) {
    const char *output = export->options->output;
    size_t length = strlen(output);
    sigset_t signals;

    while (length > 1 && output[length - 1] == '/')
        length--;
    folder->path = pinsight_format("%.*s.part", (int)length, output);
    if (is_taken(output))
        return pinsight_export_cannot(
            export, output, "it is there already; remove it, or name another folder with -o");
    pinsight_leftover_hold(&signals);
    folder->made = mkdir(folder->path, 0777) == 0;
    if (folder->made)
        pinsight_leftover_note(folder->path);
    pinsight_leftover_release(&signals);
    if (folder->made)
        return 0;
    return pinsight_export_cannot(
        export, folder->path,
        errno == EEXIST ? "it is there: another export writes it, or was killed; remove it"
                        : strerror(errno));
}

int pinsight_export_folder_keep(struct pinsight_export_folder *folder,
                                struct pinsight_export *export) {
    const char *output = export->options->output;

    if (rename(folder->path, output) != 0)
        return pinsight_export_cannot(export, output, strerror(errno));
    folder->made = false;
    pinsight_leftover_forget(folder->path);
    return 0;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where) {
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

void pinsight_export_folder_clear(struct pinsight_export_folder *folder) {
    if (folder->made) {
        nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        pinsight_leftover_forget(folder->path);
    }
    free(folder->path);
    *folder = (struct pinsight_export_folder){0};
}
