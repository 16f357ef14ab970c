/* Removes the trace of an earlier run; see run_replace.h. */
#include "cli/run_replace.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/run_info.h"
#include "format/folder.h"

/* Returns whether a run writes a file of this name: a recorder's trace, or a note. */
static bool is_of_a_run(const char *name) {
    static const char *const folders[] = {"trace", "ust", "archives"};
    static const char *const notes[] = {"pinsight-", ".pinsight-", ".attach-"};

    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        if (strcmp(name, folders[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
        if (strncmp(name, notes[i], strlen(notes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Writes the name of a file in the folder that is not that of a run; "" if there is none. Returns
 * false if the folder cannot be read. */
static bool find_stranger(const char *folder, char *name, size_t room) {
    DIR *entries = opendir(folder);

    name[0] = '\0';
    if (entries == NULL) {
        return false;
    }
    for (struct dirent *entry; *name == '\0' && (entry = readdir(entries)) != NULL;) {
        if (!is_dots(entry->d_name) && !is_of_a_run(entry->d_name)) {
            snprintf(name, room, "%s", entry->d_name);
        }
    }
    closedir(entries);
    return true;
}

static bool is_recorded_into(const char *folder, const struct pinsight_run_info *run) {
    struct pinsight_file_finished finished = {0};

    if (strcmp(run->recorder, PINSIGHT_RECORDER_FILE) != 0) {
        return !run->ended;
    }
    return pinsight_file_folder_finish(folder, &finished) == 0 && finished.alive > 0;
}

static bool remove_all(const char *folder) {
    DIR *entries = opendir(folder);
    char path[PATH_MAX];

    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat about;
        if (is_dots(entry->d_name) || !pinsight_path_join(path, folder, entry->d_name) ||
            lstat(path, &about) != 0) {
            continue;
        }
        if (S_ISDIR(about.st_mode)) {
            pinsight_path_remove(path);
        } else {
            unlink(path);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return pinsight_path_is_empty_folder(folder);
}

bool pinsight_run_replace(const char *folder, char *why, size_t room) {
    static struct pinsight_run_info run;
    char stranger[NAME_MAX + 1];

    if (!pinsight_run_info_read(folder, &run)) {
        snprintf(why, room,
                 "the folder %s is not empty, and --force removes traces of `pinsight run` alone; "
                 "name a new one with -o",
                 folder);
    } else if (!find_stranger(folder, stranger, sizeof(stranger))) {
        snprintf(why, room, "the trace folder %s cannot be read: %s; name a new one with -o",
                 folder, strerror(errno));
    } else if (*stranger != '\0') {
        snprintf(why, room,
                 "the trace folder %s has %s in it, which is no part of the trace; move it away, "
                 "or name a new folder with -o",
                 folder, stranger);
    } else if (is_recorded_into(folder, &run)) {
        snprintf(why, room,
                 "the trace folder %s is still recorded into; wait for the end of that program, or "
                 "name a new folder with -o",
                 folder);
    } else if (!remove_all(folder)) {
        snprintf(why, room, "the trace in %s cannot be removed; name a new folder with -o", folder);
    } else {
        return true;
    }
    return false;
}
