/* The folder that a run writes its trace into. */
#include "cli/run_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/paths.h"

bool pinsight_run_output_name(char path[PATH_MAX], const char *typed, const char *program,
                              const struct pinsight_job *job, char *why, size_t room) {
    char name[PATH_MAX], here[PATH_MAX], host[256] = "host";
    bool several_hosts = job->size > job->local_size;
    int n;

    gethostname(host, sizeof(host) - 1);
    if (typed != NULL) {
        n = snprintf(name, sizeof(name), "%s", typed);
    } else if (job->local_size > 1 || several_hosts) {
        n = snprintf(name, sizeof(name), "pinsight-%.200s-%s", program, job->id);
    } else {
        n = snprintf(name, sizeof(name), "pinsight-%.200s-%d", program, (int)getpid());
    }
    bool fits = n > 0 && n < (int)sizeof(name);
    if (fits && name[0] != '/') {
        if (getcwd(here, sizeof(here)) == NULL) {
            snprintf(why, room,
                     "the current folder is gone (%s); give the trace folder's whole path with -o",
                     strerror(errno));
            return false;
        }
        fits = pinsight_path_join(path, here, name);
    } else if (fits) {
        strcpy(path, name);
    }
    if (fits && several_hosts) {
        fits = pinsight_path_join(name, path, host);
        strcpy(path, name);
    }
    size_t length = fits ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/') {
        path[--length] = '\0';
    }
    if (!fits || length > PATH_MAX - 256) {
        snprintf(why, room, "the path of the trace folder is too long; choose another with -o");
        return false;
    }
    return true;
}

bool pinsight_run_output_make(const char *path, bool *made, char *why, size_t room) {
    struct stat about;

    *made = stat(path, &about) != 0;
    if (!*made && !S_ISDIR(about.st_mode)) {
        snprintf(why, room, "%s is a file; name a new or an empty folder with -o", path);
        return false;
    }
    if (*made) {
        int error = pinsight_path_make(path, 0777);
        if (error != 0) {
            snprintf(why, room, "the trace folder %s cannot be made: %s; choose another with -o",
                     path, strerror(error));
            return false;
        }
    }
    if (access(path, W_OK | X_OK) != 0) {
        snprintf(why, room, "the trace folder %s cannot be written: %s; choose another with -o",
                 path, strerror(errno));
        return false;
    }
    if (!*made && !pinsight_path_is_empty_folder(path)) {
        snprintf(why, room,
                 "the trace folder %s is not empty; remove it, or name a new one with -o", path);
        return false;
    }
    return true;
}

const char *pinsight_run_output_short(const char *path) {
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof(here)) != NULL ? strlen(here) : 0;

    /* "/" needs no cutting, and what begins with a dash would be taken for an option. */
    if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' &&
        path[length + 1] != '-') {
        return path + length + 1;
    }
    return path;
}
