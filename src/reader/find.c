/* Looking for traces: any folder with a file named "metadata". */
#include "reader/find.h"

#include "reader/mem.h"
#include "reader/packet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* LTTng's folders are five levels deep; a limit keeps a mistaken path such as / from taking long.
 */
#define MAX_DEPTH 10

static const unsigned char metadata_magic[2][4] = {{0x57, 0x1d, 0xd1, 0x75},
                                                   {0x75, 0xd1, 0x1d, 0x57}};

static void read_uuid(struct pinsight_found_trace *trace, const char *metadata) {
    unsigned char head[20];
    int fd = open(metadata, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
        (!memcmp(head, metadata_magic[0], 4) || !memcmp(head, metadata_magic[1], 4))) {
        trace->has_uuid = true;
        memcpy(trace->uuid, head + 4, sizeof(trace->uuid));
    }
    close(fd);
}

/* What else stands in the folders. */
struct seen {
    size_t entries;
    bool streams; /* a file that starts as a stream does */
    char *denied; /* a folder that may not be read */
};

static bool is_stream(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool yes = fd >= 0 && pinsight_packets_scan(fd, PINSIGHT_PACKET_HEAD).is_stream;

    if (fd >= 0)
        close(fd);
    return yes;
}

/* Looks at one folder and those in it. */
static void visit(const char *folder, int depth, struct pinsight_found *found, struct seen *seen) {
    DIR *dir = opendir(folder);
    struct dirent *entry;
    uint64_t bytes = 0;
    bool is_trace = false;

    if (!dir) {
        if (errno == EACCES && !seen->denied)
            seen->denied = pinsight_strdup(folder);
        return;
    }
    while ((entry = readdir(dir))) {
        char *path;
        struct stat st;

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        seen->entries++;
        path = pinsight_format("%s/%s", folder, entry->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            if (depth < MAX_DEPTH)
                visit(path, depth + 1, found, seen);
        } else if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            bytes += (uint64_t)st.st_size;
            if (!strcmp(entry->d_name, "metadata")) {
                is_trace = true;
                found->traces = pinsight_grow(found->traces, found->count, &found->capacity,
                                              sizeof(*found->traces));
                found->traces[found->count] =
                    (struct pinsight_found_trace){.folder = pinsight_strdup(folder)};
                read_uuid(&found->traces[found->count++], path);
            } else if (!found->count && !seen->streams) {
                seen->streams = is_stream(path);
            }
        }
        free(path);
    }
    closedir(dir);
    if (is_trace)
        found->bytes += bytes;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct pinsight_found_trace *)a)->folder,
                  ((const struct pinsight_found_trace *)b)->folder);
}

static char *why_nothing(const char *path, const struct seen *seen) {
    if (seen->denied)
        return pinsight_format("the folder %s cannot be read: %s; run as the user who recorded it, "
                               "or change its permissions",
                               seen->denied, strerror(EACCES));
    if (!seen->entries)
        return pinsight_format("the folder %s is empty: nothing was recorded into it; run "
                               "`pinsight run -o %s -- COMMAND` to record a trace",
                               path, path);
    if (seen->streams)
        return pinsight_format("the trace in %s has no metadata, which describes its events: the "
                               "recording was killed before LTTng wrote it, and it cannot be read",
                               path);
    return pinsight_format("%s is not a trace: neither it nor a folder in it has a file named "
                           "\"metadata\"; give the folder that `pinsight run` wrote",
                           path);
}

char *pinsight_find_traces(const char *path, struct pinsight_found *found) {
    struct stat st;
    struct seen seen = {0};
    char *problem = NULL;

    if (stat(path, &st) != 0)
        return errno == ENOENT
                   ? pinsight_format("there is no folder %s; give the folder that `pinsight run` "
                                     "wrote (its -o option, or the one it named)",
                                     path)
                   : pinsight_format("%s cannot be read: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return pinsight_format("%s is a file and no trace; give the folder of a trace", path);
    if (access(path, R_OK | X_OK) != 0)
        return pinsight_format("the folder %s cannot be read: %s; run as the user who recorded it, "
                               "or change its permissions",
                               path, strerror(errno));
    visit(path, 0, found, &seen);
    if (found->count > 1)
        qsort(found->traces, found->count, sizeof(*found->traces), by_path);
    if (!found->count)
        problem = why_nothing(path, &seen);
    free(seen.denied);
    return problem;
}

void pinsight_found_clear(struct pinsight_found *found) {
    for (size_t i = 0; i < found->count; i++)
        free(found->traces[i].folder);
    free(found->traces);
    *found = (struct pinsight_found){0};
}
