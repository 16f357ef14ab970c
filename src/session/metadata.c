/* What of a trace is on disk. */
#include "session/metadata.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/channels.h"

#define METADATA_MAGIC UINT32_C(0x75d11d57)

/* Of a packet of metadata, in bytes: where its sizes (in bits) stand, and where its text begins. */
enum { CONTENT_SIZE_AT = 24, PACKET_SIZE_AT = 28, TEXT_AT = 37, FOLDERS_OPEN = 8 };

static uint64_t walk_sum;

static int add_size(const char *path, const struct stat *about, int type, struct FTW *where) {
    (void)path;
    (void)where;
    if (type == FTW_F) {
        walk_sum += (uint64_t)about->st_size;
    }
    return 0;
}

uint64_t pinsight_trace_size(const char *folder) {
    walk_sum = 0;
    nftw(folder, add_size, FOLDERS_OPEN, FTW_PHYS);
    return walk_sum;
}

static uint32_t read_u32(const char *at) {
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* The text of all packets, which are written in the byte order of this machine; NULL if cut off. */
static char *unpack(const char *data, size_t size) {
    char *text = malloc(size + 1);
    size_t used = 0;

    if (text == NULL) {
        return NULL;
    }
    while (size > 0) {
        if (size < TEXT_AT || read_u32(data) != METADATA_MAGIC) {
            break;
        }
        size_t content = read_u32(data + CONTENT_SIZE_AT) / 8;
        size_t packet = read_u32(data + PACKET_SIZE_AT) / 8;
        if (content < TEXT_AT || packet < content || packet > size) {
            break;
        }
        memcpy(text + used, data + TEXT_AT, content - TEXT_AT);
        used += content - TEXT_AT;
        data += packet;
        size -= packet;
    }
    text[used] = '\0';
    if (size > 0 || used == 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool is_complete(const char *text, bool with_large) {
    long depth = 0;

    for (const char *at = text; *at != '\0'; at++) {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    }
    if (depth != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(pinsight_event_providers) / sizeof(*pinsight_event_providers);
         i++) {
        char name[128];
        snprintf(name, sizeof(name), "\"%s:", pinsight_event_providers[i].name);
        if (pinsight_event_providers[i].is_large && !with_large) {
            continue;
        }
        if (strstr(text, name) == NULL) {
            return false;
        }
    }
    return true;
}

/* Where the consumer daemon writes the description of this user's and this word size's programs. */
static bool open_metadata(const char *folder, int *fd, size_t *size) {
    char path[PATH_MAX];
    struct stat about;

    int n = snprintf(path, sizeof(path), "%s/ust/uid/%u/%zu-bit/metadata", folder,
                     (unsigned)geteuid(), sizeof(long) * 8);
    *fd = n > 0 && n < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    *size = *fd >= 0 && fstat(*fd, &about) == 0 ? (size_t)about.st_size : 0;
    return *fd >= 0;
}

bool pinsight_trace_is_described(const char *folder, bool with_large) {
    int fd;
    size_t size;
    bool described = false;

    if (!open_metadata(folder, &fd, &size)) {
        return false;
    }
    char *data = size > 0 ? malloc(size) : NULL;
    if (data != NULL && pread(fd, data, size, 0) == (ssize_t)size) {
        char *text = unpack(data, size);
        described = text != NULL && is_complete(text, with_large);
        free(text);
    }
    free(data);
    close(fd);
    return described;
}
