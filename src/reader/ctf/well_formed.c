/* Checks of metadata, index files and heads of packets; see well_formed.h. */
#include "reader/ctf/well_formed.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/ctf/index.h"
#include "reader/ctf/packet.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest description of a trace. */
#define MOST_METADATA (64u << 20)

unsigned char *pinsight_well_formed_file(const char *path, size_t *size) {
    int fd = pinsight_open_safely(path);
    unsigned char *data = NULL;
    struct stat st;

    *size = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_METADATA) {
        data = pinsight_realloc(NULL, (size_t)st.st_size + 1, 1);
        while (*size < (size_t)st.st_size) {
            ssize_t length = read(fd, data + *size, (size_t)st.st_size - *size);

            if (length <= 0)
                break;
            *size += (size_t)length;
        }
    }
    close(fd);
    return data;
}

char *pinsight_well_formed_metadata(const char *folder, bool *damaged) {
    char *path = pinsight_format("%s/metadata", folder);
    size_t size, length;
    unsigned char *data = pinsight_well_formed_file(path, &size);
    char *text = NULL;

    *damaged = true;
    if (data)
        text = pinsight_metadata_text(data, size, &length, damaged);
    free(path);
    free(data);
    return text;
}

bool pinsight_well_formed_is_lttng(const char *metadata) {
    static const char *const fields[] = {
        "packet.header",    "magic",         "uuid",         "stream_id",   "stream_instance_id",
        "timestamp_begin",  "timestamp_end", "content_size", "packet_size", "packet_seq_num",
        "events_discarded", "cpu_id"};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        metadata = strstr(metadata, fields[i]);
        if (!metadata)
            return false;
        metadata += strlen(fields[i]);
    }
    return true;
}

/* Checks an index file, whose name is that of its stream file with ".idx". */
static bool index_is_sound(const char *folder, const char *name) {
    char *path = pinsight_format("%s/index/%s", folder, name);
    char *stream = pinsight_format("%s/%.*s", folder, (int)strlen(name) - 4, name);
    struct stat st;
    bool sound = true;

    if (stat(stream, &st) == 0) {
        size_t size;
        unsigned char *data = pinsight_well_formed_file(path, &size);

        sound = data && pinsight_index_is_sound(data, size, (uint64_t)st.st_size);
        free(data);
    }
    free(path);
    free(stream);
    return sound;
}

static bool indexes_are_sound(const char *folder) {
    char *path = pinsight_format("%s/index", folder);
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool sound = true;

    while (sound && dir && (entry = readdir(dir))) {
        size_t length = strlen(entry->d_name);

        if (length > 4 && !strcmp(entry->d_name + length - 4, ".idx"))
            sound = index_is_sound(folder, entry->d_name);
    }
    if (dir)
        closedir(dir);
    free(path);
    return sound;
}

/* Checks a stream file. An empty one has no packet and is sound; LTTng leaves many. */
static bool stream_is_sound(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    bool sound = fd >= 0 && fstat(fd, &st) == 0;

    if (sound && S_ISREG(st.st_mode) && st.st_size > 0)
        sound = pinsight_packets_scan(fd, (uint64_t)st.st_size).is_whole;
    if (fd >= 0)
        close(fd);
    return sound;
}

static bool streams_are_sound(const char *folder) {
    DIR *dir = opendir(folder);
    struct dirent *entry;
    bool sound = dir != NULL;

    while (sound && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0)
            sound = stream_is_sound(dirfd(dir), entry->d_name);
    if (dir)
        closedir(dir);
    return sound;
}

bool pinsight_well_formed_trace(const char *folder) {
    bool damaged;
    char *metadata = pinsight_well_formed_metadata(folder, &damaged);
    bool sound = metadata && !damaged && indexes_are_sound(folder) &&
                 (!pinsight_well_formed_is_lttng(metadata) || streams_are_sound(folder));

    free(metadata);
    return sound;
}
