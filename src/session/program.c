/* Finding programs the way that execvp(3) does. */
#include "session/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(const char *path) {
    struct stat about;

    if (stat(path, &about) != 0) {
        return errno == EACCES ? EACCES : errno == ENAMETOOLONG ? ENAMETOOLONG : ENOENT;
    }
    if (S_ISDIR(about.st_mode)) {
        return EISDIR;
    }
    return access(path, X_OK) == 0 ? 0 : EACCES;
}

int pinsight_program_find(const char *name, char path[PATH_MAX]) {
    if (*name == '\0') {
        return ENOENT;
    }
    if (strchr(name, '/') != NULL) {
        if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        return check(path);
    }
    const char *folders = getenv("PATH");
    if (folders == NULL) {
        folders = "/bin:/usr/bin";
    }
    int answer = ENOENT;
    for (const char *at = folders;;) {
        const char *end = strchrnul(at, ':');
        int length = (int)(end - at);
        int n = length == 0 ? snprintf(path, PATH_MAX, "./%s", name)
                            : snprintf(path, PATH_MAX, "%.*s/%s", length, at, name);
        if (n < PATH_MAX) {
            int found = check(path);
            if (found == 0) {
                return 0;
            }
            if (found == EACCES) {
                answer = EACCES;
            }
        }
        if (*end == '\0') {
            return answer;
        }
        at = end + 1;
    }
}
