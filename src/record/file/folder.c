/* Makes and finishes the folder of a trace; see folder.h. */
#include "record/file/folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

bool pinsight_file_folder_path(char path[PATH_MAX], const char *output) {
    char host[HOST_NAME_MAX + 1] = "";

    if (gethostname(host, sizeof(host) - 1) != 0 || *host == '\0' || strchr(host, '/') ||
        *host == '.') {
        strcpy(host, "localhost");
    }
    return snprintf(path, PATH_MAX, "%s/trace/%s", output, host) < PATH_MAX - 64;
}

int pinsight_file_folder_make(const char *output, char *why, size_t room) {
    char folder[PATH_MAX];

    int error = pinsight_file_folder_path(folder, output) ? pinsight_path_make(folder, 0700) : 36;
    if (error != 0) {
        snprintf(why, room, "the trace cannot be written in %.300s: %s", output, strerror(error));
    }
    return error;
}

int pinsight_file_folder_finish(const char *output, struct pinsight_file_finished *finished) {
    (void)output;
    memset(finished, 0, sizeof(*finished));
    return 0;
}

int pinsight_file_finish(const char *folder, struct pinsight_file_finished *finished) {
    return pinsight_file_folder_finish(folder, finished);
}
