/* The file of a configuration, as a whole. */
#include "config/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until the end or PINSIGHT_CONFIG_FILE_MAX + 1 bytes; returns how many, or -1. */
static ssize_t read_all(int fd, char *text) {
    size_t used = 0;

    while (used <= PINSIGHT_CONFIG_FILE_MAX) {
        ssize_t n = read(fd, text + used, PINSIGHT_CONFIG_FILE_MAX + 1 - used);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return -1;
        used += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)used;
}

const char *pinsight_config_file(struct pinsight_config_parser *parser, const char *path,
                                 size_t *length) {
    struct stat status;
    char *text = NULL;
    ssize_t n = -1;
    /* A pipe that nobody writes to must not hold us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int error = fd < 0 ? errno : 0;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        error = EISDIR;
    } else if (fd >= 0) {
        text = pinsight_config_take(parser, PINSIGHT_CONFIG_FILE_MAX + 1);
        n = text ? read_all(fd, text) : -1;
        error = errno;
    }
    if (fd >= 0)
        close(fd);
    if (n < 0) {
        if (!parser->no_memory)
            pinsight_config_error(parser->errors, 0, 0, "%s: cannot be read: %s", path,
                                  strerror(error));
        return NULL;
    }
    if ((size_t)n > PINSIGHT_CONFIG_FILE_MAX) {
        pinsight_config_error(parser->errors, 0, 0,
                              "%s: is larger than 1 MiB, and no configuration", path);
        return NULL;
    }
    *length = (size_t)n;
    return text;
}
