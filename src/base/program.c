/* Finding programs the way that execvp(3) does. */
#include "base/program.h"

#include "base/forbidden.h"
#include "base/shell.h"

#include <errno.h>
#include <fcntl.h>
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

bool pinsight_program_self(char *path, size_t room) {
    ssize_t length = readlink("/proc/self/exe", path, room - 1);

    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

void pinsight_program_words(char *text, size_t room) {
    int file = atomic_load(&pinsight_opens_are_forbidden)
                   ? -1
                   : open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t n;

    while (file >= 0 && used + 1 < room && (n = read(file, text + used, room - 1 - used)) > 0)
        used += (size_t)n;
    if (file >= 0)
        close(file);
    while (used > 0 && text[used - 1] == '\0')
        used--;
    pinsight_shell_join(text, used, room);
}
