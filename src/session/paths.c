/* Where things are. */
#include "session/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems that several hosts share; what linux/magic.h does not name is from statfs(2). */
static const unsigned long shared_file_systems[] = {
    NFS_SUPER_MAGIC,       SMB_SUPER_MAGIC,         0xff534d42 /* cifs */,   0xfe534d42 /* smb2 */,
    AFS_SUPER_MAGIC,       CODA_SUPER_MAGIC,        0x0bd00bd0 /* lustre */, 0x47504653 /* gpfs */,
    0x00c36400 /* ceph */, 0x19830326 /* beegfs */, 0xaad7aaea /* panfs */,  V9FS_MAGIC,
};

/* The longest name that LTTng puts below its home: the consumer's sockets. */
#define LONGEST_SOCKET "/.lttng/ustconsumerd64/command"

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
    ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);
    if (n <= 0) {
        return false;
    }
    here[n] = '\0';
    char *slash = strrchr(here, '/');
    if (slash == NULL || (size_t)(slash - here) + sizeof("/../lib/pinsight") > sizeof(here)) {
        return false;
    }
    strcpy(slash, "/../lib/pinsight");
    return realpath(here, folder) != NULL;
}

static const char *lttng_home(void) {
    const char *home = getenv("LTTNG_HOME");

    return home != NULL ? home : getenv("HOME");
}

bool pinsight_path_lttng_rundir(char folder[PATH_MAX]) {
    if (geteuid() == 0) {
        strcpy(folder, "/var/run/lttng");
        return true;
    }
    const char *home = lttng_home();
    return home != NULL && pinsight_path_join(folder, home, ".lttng");
}

static bool is_shared(const char *folder) {
    struct statfs about;

    if (statfs(folder, &about) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(shared_file_systems) / sizeof(*shared_file_systems); i++) {
        if ((unsigned long)about.f_type == shared_file_systems[i]) {
            return true;
        }
    }
    return false;
}

static bool is_fit_for_daemon(const char *home) {
    return home != NULL && home[0] == '/' && access(home, W_OK | X_OK) == 0 && !is_shared(home) &&
           strlen(home) + sizeof(LONGEST_SOCKET) <= sizeof(((struct sockaddr_un *)0)->sun_path);
}

bool pinsight_path_prepare_lttng_home(char *why, size_t room) {
    char folder[PATH_MAX];

    if (geteuid() == 0 || is_fit_for_daemon(lttng_home())) {
        return true;
    }
    if (!pinsight_path_runtime(folder) || !is_fit_for_daemon(folder)) {
        snprintf(why, room,
                 "there is no folder for LTTng's sockets: HOME is %s; set LTTNG_HOME to a short "
                 "path on a local disk that you can write to",
                 getenv("HOME") != NULL ? getenv("HOME") : "not set");
        return false;
    }
    setenv("LTTNG_HOME", folder, 1);
    return true;
}

/* Makes the folder if needed and looks that nobody else can have put something there. */
static bool make_private(const char *folder) {
    struct stat about;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    return lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & 0022) == 0;
}

bool pinsight_path_runtime(char folder[PATH_MAX]) {
    const char *given = getenv("XDG_RUNTIME_DIR");

    if (given != NULL && given[0] == '/' && pinsight_path_join(folder, given, "pinsight") &&
        make_private(folder)) {
        return true;
    }
    snprintf(folder, PATH_MAX, "/tmp/pinsight-%u", (unsigned)geteuid());
    return make_private(folder);
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
        if (mkdir(path, mode) != 0) {
            int error = errno;
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
