/* The file that a run leaves beside its trace, with any content. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/run_info.h"

static void check_ended(const char *text, size_t room) {
    if (!memchr(text, '\0', room))
        abort();
}

static char folder[] = "/tmp/pinsight-fuzz-XXXXXX";
static char path[sizeof(folder) + sizeof(PINSIGHT_RUN_INFO_FILE) + 1];

static void clean_up(void) {
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct pinsight_run_info info;
    int fd;

    if (!path[0]) {
        if (!mkdtemp(folder) || atexit(clean_up) != 0)
            abort();
        snprintf(path, sizeof(path), "%s/%s", folder, PINSIGHT_RUN_INFO_FILE);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
        abort();
    if (!pinsight_run_info_read(folder, &info))
        abort();
    check_ended(info.version, sizeof(info.version));
    check_ended(info.command, sizeof(info.command));
    check_ended(info.session, sizeof(info.session));
    check_ended(info.started, sizeof(info.started));
    check_ended(info.config, sizeof(info.config));
    check_ended(info.names, sizeof(info.names));
    check_ended(info.events, sizeof(info.events));
    return 0;
}
