/* Traces of processes that recorded nothing; see empty_trace.h. */
#include "reader/ctf/empty_trace.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/ctf/packet.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A description with a stream and events is larger than this. */
#define MOST_TEXT 65536

/* Returns whether a description of a trace has no stream. */
static bool describes_nothing(const char *path) {
    int fd = pinsight_open_safely(path);
    unsigned char *data = pinsight_realloc(NULL, MOST_TEXT + 1, 1);
    ssize_t size = fd >= 0 ? read(fd, data, MOST_TEXT + 1) : -1;
    bool nothing = size == 0;

    if (size > 0 && size <= MOST_TEXT) {
        size_t length;
        bool damaged;
        char *text = pinsight_metadata_text(data, (size_t)size, &length, &damaged);

        nothing = text && !damaged && !strstr(text, "stream {");
        free(text);
    }
    if (fd >= 0)
        close(fd);
    free(data);
    return nothing;
}

/* Returns whether a file is a stream whose packets have no event. */
static bool is_empty_stream(const char *path) {
    int fd = pinsight_open_safely(path);
    struct pinsight_packets packets = {0};
    struct stat st;
    bool empty = false;

    if (fd >= 0 && fstat(fd, &st) == 0) {
        packets = pinsight_packets_scan(fd, (uint64_t)st.st_size);
        empty = st.st_size == 0 || (packets.is_known && packets.is_whole && !packets.has_events);
    }
    if (fd >= 0)
        close(fd);
    return empty;
}

bool pinsight_trace_is_empty(const char *folder) {
    char *metadata = pinsight_format("%s/metadata", folder);
    bool nothing = describes_nothing(metadata);
    DIR *dir = nothing ? opendir(folder) : NULL;
    struct dirent *entry;
    size_t streams = 0;

    while (nothing && dir && (entry = readdir(dir))) {
        char *path = pinsight_format("%s/%s", folder, entry->d_name);
        struct stat st;

        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0 &&
            stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            nothing = is_empty_stream(path);
            streams++;
        }
        free(path);
    }
    if (dir)
        closedir(dir);
    free(metadata);
    return nothing && streams > 0;
}
