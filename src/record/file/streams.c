/* The list of a trace's streams; see streams.h. */
#include "record/file/streams.h"

#include "base/own.h"
#include "base/process.h"
#include "record/file/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* May the stream be dropped yet? Of a process of a flight recorder there is a file beside its
 * streams; it may be there without a buffer, while it executes another program. */
static bool may_be_dropped(int folder, const char *name, bool settled) {
    const char *last = strrchr(name, '-');
    char ring[NAME_MAX + 16];
    unsigned long long start;
    struct pinsight_proc process;

    snprintf(ring, sizeof ring, ".%.*s-ring", (int)(last - name), name);
    if (faccessat(folder, ring, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (!settled || sscanf(name, "%d-%llx", &process.pid, &start) != 2)
        return true;
    process.start = start;
    return pinsight_process_alive(&process);
}

/* PID-START-N, as a buffer's name without its dot. */
static bool is_name(const char *name) {
    char buffer[NAME_MAX + 2];

    return strlen(name) < NAME_MAX &&
           snprintf(buffer, sizeof buffer, ".%s", name) < (int)sizeof buffer &&
           pinsight_buffer_is_name(buffer);
}

/* Lines of the list that are looked at. */
enum { MOST_LISTED = 1 << 20 };

/* The noted names, one after the other, each ended by a zero; what is no name, or has no end of
 * line, is excluded. NULL where there are none; to be freed. */
static char *read_names(int folder, size_t *size) {
    int fd = pinsight_open_regular(folder, PINSIGHT_STREAMS_FILE, O_RDONLY | O_NOFOLLOW);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    FILE *to = NULL;
    char *names = NULL, line[NAME_MAX + 2];
    size_t left = MOST_LISTED;

    *size = 0;
    if (file)
        to = open_memstream(&names, size);
    else if (fd >= 0)
        close(fd);
    while (to && left-- && fgets(line, sizeof line, file)) {
        char *end = strchr(line, '\n');
        if (!*line)
            break; /* a hole in the file, which can be of any size */
        if (!end)
            continue;
        *end = '\0';
        if (is_name(line))
            fwrite(line, 1, (size_t)(end - line) + 1, to);
    }
    if (to)
        fclose(to);
    if (file)
        fclose(file);
    return names;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Points to each of the names, in their order. NULL without memory; to be freed. */
static char **index_names(char *names, size_t size, size_t *count) {
    char **index = malloc((size / 2 + 1) * sizeof *index);

    *count = 0;
    for (size_t at = 0; index && at < size; at += strlen(names + at) + 1)
        index[(*count)++] = names + at;
    if (index && *count > 1)
        qsort(index, *count, sizeof *index, by_name);
    return index;
}

/* Is it a stream that is to be noted? */
static bool is_new(int folder, const char *name, char **index, size_t count, bool settled) {
    struct stat status;

    return is_name(name) && !(count && bsearch(&name, index, count, sizeof *index, by_name)) &&
           fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
           status.st_size && !may_be_dropped(folder, name, settled);
}

static FILE *open_to_add(int folder) {
    int fd = pinsight_open_to_write(folder, PINSIGHT_STREAMS_FILE, O_WRONLY | O_APPEND);
    FILE *to = fd >= 0 ? fdopen(fd, "a") : NULL;

    if (!to && fd >= 0)
        close(fd);
    return to;
}

/* Adds those streams that are not in the index. */
static int add_new(int folder, char **index, size_t count, bool settled) {
    DIR *list = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    FILE *to = NULL;
    int error = list ? 0 : errno;

    for (struct dirent *entry; !error && (entry = readdir(list));) {
        if (!is_new(folder, entry->d_name, index, count, settled))
            continue;
        /* The end of a line that was cut off, on a full disk. */
        if (!to && (to = open_to_add(folder)))
            fputc('\n', to);
        if (!to || fprintf(to, "%s\n", entry->d_name) < 0)
            error = errno;
    }
    if (list)
        closedir(list);
    if (to && fclose(to) != 0 && !error)
        error = errno;
    return error;
}

int pinsight_streams_note(int folder, bool settled) {
    size_t size, count;
    char *names = read_names(folder, &size);
    char **index = index_names(names, size, &count);
    int error = index ? add_new(folder, index, count, settled) : ENOMEM;

    free(index);
    free(names);
    return error;
}

size_t pinsight_streams_missing(int folder, char first[NAME_MAX + 1]) {
    size_t size, missing = 0;
    char *names = read_names(folder, &size);

    for (size_t at = 0; at < size; at += strlen(names + at) + 1) {
        if (faccessat(folder, names + at, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
            continue;
        if (!missing || strcmp(names + at, first) < 0)
            snprintf(first, NAME_MAX + 1, "%s", names + at);
        missing++;
    }
    free(names);
    return missing;
}
