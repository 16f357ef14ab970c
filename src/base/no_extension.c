/* Reasons for missing extensions; see no_extension.h. */
#include "base/no_extension.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pinsight_why_no_extension(const char *libdir, const char *tag, char *why, size_t size) {
    char path[PATH_MAX];
    why[0] = '\0';
    if (snprintf(path, sizeof(path), "%s/_pinsight_python-%s.why", libdir, tag) >=
        (int)sizeof(path)) {
        return false;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, why, size - 1) : -1;
    if (file >= 0) {
        close(file);
    }
    why[got > 0 ? got : 0] = '\0';
    why[strcspn(why, "\n")] = '\0';
    return why[0] != '\0';
}
