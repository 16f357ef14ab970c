/* Reads the file of a configuration. */
#include "config/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest time that a pipe may stay silent, in ms. */
#define SILENCE_MS 5000

/* Waits for more data from a pipe. Returns false with errno if the pipe stays silent. */
static bool wait_for_more(int fd) {
    struct pollfd more = {.fd = fd, .events = POLLIN};
    int n = poll(&more, 1, SILENCE_MS);

    if (n == 0)
        errno = ETIMEDOUT;
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Reads to the end, or PINSIGHT_CONFIG_FILE_MAX + 1 bytes. Returns the number of bytes, or -1. */
static ssize_t read_all(int fd, char *text) {
    size_t used = 0;

    while (used <= PINSIGHT_CONFIG_FILE_MAX) {
        ssize_t n = read(fd, text + used, PINSIGHT_CONFIG_FILE_MAX + 1 - used);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR && !(errno == EAGAIN && wait_for_more(fd)))
            return -1;
        used += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)used;
}

char *pinsight_config_file(struct pinsight_config_parser *parser, const char *path,
                           size_t *length) {
    struct stat status;
    char *text = NULL;
    ssize_t n = -1;
    /* Non-blocking, because a pipe may have no writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int error = fd < 0 ? errno : 0;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        error = EISDIR;
    } else if (fd >= 0) {
        text = malloc(PINSIGHT_CONFIG_FILE_MAX + 1);
        parser->no_memory = parser->no_memory || !text;
        n = text ? read_all(fd, text) : -1;
        error = errno;
    }
    if (fd >= 0)
        close(fd);
    if (n >= 0 && (size_t)n <= PINSIGHT_CONFIG_FILE_MAX) {
        *length = (size_t)n;
        return text;
    }
    free(text);
    if (n >= 0)
        pinsight_config_error(parser->errors, 0, 0,
                              "%s: is larger than 1 MiB, and no configuration", path);
    else if (!parser->no_memory)
        pinsight_config_error(parser->errors, 0, 0, "%s: cannot be read: %s", path,
                              strerror(error));
    return NULL;
}
