/* Copies the files that a run leaves beside its trace; see ctf.h. */
#include "views/export/ctf.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* These files have a few lines. A larger file is not PInsight's. */
#define MOST_BYTES (4 << 20)

/* Copies a file with its permissions. Returns 0, or -1 with errno. A file that cannot be opened is
 * left out, and is no error, because it may belong to another user. */
static int copy(const char *from, const char *to) {
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), out = -1;
    struct stat about;
    char *bytes = NULL;
    ssize_t size = 0;
    int rc = 0;

    if (in < 0)
        return 0;
    if (fstat(in, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES) {
        bytes = pinsight_calloc((size_t)about.st_size + 1, 1);
        size = read(in, bytes, (size_t)about.st_size);
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, about.st_mode & 0777);
        rc = size < 0 || out < 0 || write(out, bytes, (size_t)size) != size ? -1 : 0;
    }
    if (out >= 0 && close(out) != 0)
        rc = -1;
    close(in);
    free(bytes);
    return rc;
}

static bool is_of_run(const char *name) {
    static const char prefix[] = "pinsight-";

    return strncmp(name + (name[0] == '.'), prefix, sizeof(prefix) - 1) == 0;
}

char *pinsight_ctf_copy_run(const char *trace, const char *top) {
    DIR *folder = opendir(trace);
    const struct dirent *entry;
    char *error = NULL;

    while (folder && !error && (entry = readdir(folder))) {
        char *from = pinsight_format("%s/%s", trace, entry->d_name);
        char *to = pinsight_format("%s/%s", top, entry->d_name);

        if (is_of_run(entry->d_name) && copy(from, to) != 0)
            error = pinsight_format("cannot write %s: %s", to, strerror(errno));
        free(from);
        free(to);
    }
    if (folder)
        closedir(folder);
    return error;
}
