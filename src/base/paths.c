/* Paths of PInsight's own files; see paths.h. */
#include "base/paths.h"

#include "base/program.h"
#include "base/safe_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_IN_TMP = 16 };

bool pinsight_path_join(char whole[PATH_MAX], const char *folder, const char *name) {
    const char *slash = strcmp(folder, "/") == 0 ? "" : "/";
    int n = snprintf(whole, PATH_MAX, "%s%s%s", folder, slash, name);

    return n > 0 && n < PATH_MAX;
}

bool pinsight_path_libdir(char folder[PATH_MAX]) {
    const char *given = getenv("PINSIGHT_LIBDIR");
    char here[PATH_MAX];

    if (given != NULL && *given != '\0') {
        return realpath(given, folder) != NULL;
    }
    if (!pinsight_program_self(here, sizeof(here))) {
        return false;
    }
    char *slash = strrchr(here, '/');
    if (slash == NULL || (size_t)(slash - here) + sizeof("/../lib/pinsight") > sizeof(here)) {
        return false;
    }
    strcpy(slash, "/../lib/pinsight");
    return realpath(here, folder) != NULL;
}

/* Returns whether the folder belongs to this user and only this user can write to it. */
static bool is_private(const char *folder) {
    struct stat about;

    return lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & 0022) == 0;
}

/* Returns whether only this user and root can remove entries of the folder. In any other folder,
 * another user could replace ours. */
static bool keeps_what_is_in_it(const char *folder) {
    struct stat about;

    return stat(folder, &about) == 0 && S_ISDIR(about.st_mode) &&
           (about.st_uid == geteuid() || about.st_uid == 0) &&
           ((about.st_mode & 0022) == 0 || (about.st_mode & S_ISVTX) != 0);
}

static bool make_private(const char *folder) {
    return (mkdir(folder, 0700) == 0 || errno == EEXIST) && is_private(folder);
}

/* Writes a name for the folder in /tmp. There are several, because other users may have taken the
 * first. */
static void name_in_tmp(char folder[PATH_MAX], int number) {
    int n = snprintf(folder, PATH_MAX, "/tmp/pinsight-%u", (unsigned)geteuid());

    if (number > 0) {
        snprintf(folder + n, PATH_MAX - (size_t)n, "-%d", number);
    }
}

bool pinsight_path_runtime(char folder[PATH_MAX]) {
    const char *given = getenv("XDG_RUNTIME_DIR");

    if (given != NULL && given[0] == '/' && keeps_what_is_in_it(given) &&
        pinsight_path_join(folder, given, "pinsight") && make_private(folder)) {
        return true;
    }
    /* An existing folder comes first, because all processes of a job have to find the same one. */
    for (int i = 0; i < NAMES_IN_TMP; i++) {
        name_in_tmp(folder, i);
        if (is_private(folder)) {
            return true;
        }
    }
    for (int i = 0; i < NAMES_IN_TMP; i++) {
        name_in_tmp(folder, i);
        if (make_private(folder)) {
            return true;
        }
    }
    name_in_tmp(folder, 0);
    return false;
}

int pinsight_path_make(const char *folder, unsigned mode) {
    char path[PATH_MAX];

    if (strlen(folder) >= sizeof(path)) {
        return ENAMETOOLONG;
    }
    strcpy(path, folder);
    for (char *at = path + 1;; at++) {
        char kept = *at;
        if (kept != '/' && kept != '\0') {
            continue;
        }
        *at = '\0';
        struct stat about;
        int error = pinsight_make_folder(AT_FDCWD, path, kept == '\0' ? mode : 0777);
        if (error != 0) {
            if (stat(path, &about) != 0) {
                return error;
            }
            if (!S_ISDIR(about.st_mode)) {
                return ENOTDIR;
            }
        }
        *at = kept;
        if (kept == '\0') {
            return 0;
        }
    }
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where) {
    (void)about;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

void pinsight_path_remove(const char *folder) {
    nftw(folder, remove_one, 8, FTW_PHYS | FTW_DEPTH);
}

bool pinsight_path_is_empty_folder(const char *folder) {
    DIR *open_folder = opendir(folder);
    bool empty = true;

    if (open_folder == NULL) {
        return false;
    }
    for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            empty = false;
            break;
        }
    }
    closedir(open_folder);
    return empty;
}
