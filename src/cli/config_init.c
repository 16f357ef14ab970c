/* `pinsight config init`: writes a commented file to start from. */
#include "cli/config_options.h"

#include "base/memory.h"
#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the whole text, which the caller frees. */
static char *make_text(void) {
    char *text = pinsight_strdup(pinsight_config_template);

    for (size_t i = 0; i < pinsight_config_domain_count; i++) {
        const char *more = pinsight_config_domains[i].template;
        char *before = text;

        if (!more)
            continue;
        text = pinsight_format("%s%s", before, more);
        free(before);
    }
    return text;
}

/* Writes a new file. Fails if the file exists. Returns an exit status. */
static int write_file(const char *path, const char *text) {
    size_t length = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0 && errno == EEXIST) {
        pinsight_error("%s is there already; name another file, or remove it", path);
        return 1;
    }
    ssize_t written = fd < 0 ? -1 : write(fd, text, length);
    if (written >= 0 && (size_t)written < length)
        errno = ENOSPC;
    int error = (size_t)written == length ? 0 : errno;
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (!error) {
        printf("%s is written; `pinsight config check %s` explains it\n", path, path);
        return pinsight_config_flush();
    }
    pinsight_error("%s cannot be written: %s", path, strerror(error));
    if (fd >= 0)
        unlink(path);
    return 1;
}

int pinsight_cmd_config_init(int argc, char **argv) {
    struct config_wanted wanted = {.output = NULL};
    int rc;

    if (!pinsight_config_options(&cli_config_init, 'o', argc, argv, &wanted, &rc))
        return rc;
    char *text = make_text();
    if (wanted.output) {
        rc = write_file(wanted.output, text);
    } else {
        fputs(text, stdout);
        rc = pinsight_config_flush();
    }
    free(text);
    return rc;
}
