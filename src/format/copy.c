/* Copies of a folder's data; see copy.h. */
#include "format/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/paths.h"
#include "base/safe_files.h"
#include "format/ring_head.h"
#include "format/snapshot.h"

struct pinsight_copied *pinsight_copied_of(struct pinsight_copying *copying, const char *name) {
    for (size_t i = 0; i < copying->count; i++) {
        if (strcmp(copying->ends[i].name, name) == 0) {
            return &copying->ends[i];
        }
    }
    struct pinsight_copied *end = PINSIGHT_ADD(copying->ends, copying->count, copying->capacity);
    *end = (struct pinsight_copied){{0}, 0, 0, 0};
    snprintf(end->name, sizeof(end->name), "%s", name);
    return end;
}

static int put(int to, const void *bytes, size_t size) {
    while (size > 0) {
        ssize_t now = write(to, bytes, size);
        if (now < 0 && errno != EINTR) {
            return errno;
        }
        if (now > 0) {
            bytes = (const char *)bytes + now;
            size -= (size_t)now;
        }
    }
    return 0;
}

/* Appends a range of a file to another, by the kernel if possible. */
static int copy_range(int to, int from, uint64_t begin, uint64_t end) {
    char bytes[65536];
    off64_t at = (off64_t)begin;

    while ((uint64_t)at < end) {
        size_t rest = (size_t)(end - (uint64_t)at);
        ssize_t now = copy_file_range(from, &at, to, NULL, rest, 0);
        if (now > 0) {
            continue;
        }
        now = pread(from, bytes, rest < sizeof(bytes) ? rest : sizeof(bytes), at);
        if (now <= 0) {
            return now == 0 ? ENODATA : errno;
        }
        int error = put(to, bytes, (size_t)now);
        if (error != 0) {
            return error;
        }
        at += now;
    }
    return 0;
}

/* Writes a head for the rest of a packet. Times of 27 bits continue from the last event's. */
static int put_head(int to, struct pinsight_packet_head head, uint64_t begin, uint64_t bytes) {
    head.begin = begin;
    head.content = head.size = (sizeof(head) + bytes) * 8;
    return put(to, &head, sizeof(head));
}

/* Copies the part of a stream's file from the end of the last copy to `until`. Packets before
 * `until` are whole. */
static int copy_file(int to, int from, const struct pinsight_copied *end, uint64_t until) {
    struct pinsight_packet_head head;
    uint64_t begin = end->packet;

    if (end->pos > begin && begin < until) {
        if (pread(from, &head, sizeof(head), (off_t)begin) != (ssize_t)sizeof(head)) {
            return ENODATA;
        }
        uint64_t size = head.size / 8;
        if (head.magic != PINSIGHT_CTF_MAGIC || size > until - begin || end->pos > begin + size) {
            return EBADMSG;
        }
        begin += size;
        int error = end->pos < begin ? put_head(to, head, end->last, begin - end->pos) : 0;
        error = error != 0 ? error : copy_range(to, from, end->pos, begin);
        if (error != 0) {
            return error;
        }
    }
    return copy_range(to, from, begin, until);
}

/* Copies the part of a buffer behind the end of the last copy. */
static int copy_snapshot(int to, const struct pinsight_snapshot *snapshot,
                         const struct pinsight_copied *end) {
    const unsigned char *packets = snapshot->packets;
    uint64_t at = end->packet - snapshot->base; /* offset of the packet that was incomplete then */
    uint64_t given = end->pos > end->packet ? end->pos - end->packet : 0;
    struct pinsight_packet_head head;

    if (end->packet < snapshot->base || at > snapshot->size) {
        at = given = 0;
    }
    if (given != 0 && snapshot->size - at > sizeof(head)) {
        memcpy(&head, packets + at, sizeof(head));
        uint64_t size = head.size / 8;
        if (head.magic != PINSIGHT_CTF_MAGIC || size > snapshot->size - at || given > size) {
            return put(to, packets, snapshot->size);
        }
        at += size;
        int error = given < size ? put_head(to, head, end->last, size - given) : 0;
        error = error != 0 ? error : put(to, packets + at - (size - given), size - given);
        if (error != 0) {
            return error;
        }
    }
    return put(to, packets + at, snapshot->size - at);
}

/* Copies the new part of a stream. `name` has no dot. */
static int copy_stream(struct pinsight_copying *copying, const char *name) {
    char stream[PATH_MAX], path[PATH_MAX];
    struct pinsight_snapshot snapshot;
    struct stat status = {0};

    if (!pinsight_path_join(stream, copying->folder, name) ||
        !pinsight_path_join(path, copying->to, name)) {
        return ENAMETOOLONG;
    }
    struct pinsight_copied *end = pinsight_copied_of(copying, name);
    int no_buffer = pinsight_snapshot_take(&snapshot, stream);
    bool has_more = no_buffer == 0;
    /* A stream without a buffer does not change any more. */
    if (copying->may_link && end->pos == 0 && no_buffer == ENOENT && link(stream, path) == 0) {
        return 0;
    }
    int from = pinsight_open_regular(AT_FDCWD, stream, O_RDONLY | O_NOFOLLOW);
    int to = pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_EXCL, 0600);
    int error = to < 0 ? errno : 0;
    if (from >= 0 && fstat(from, &status) != 0 && error == 0) {
        error = errno;
    }
    uint64_t until = has_more ? snapshot.base : (uint64_t)status.st_size;
    if (error == 0 && until > (uint64_t)status.st_size) {
        error = ENODATA;
    }
    if (error == 0 && until > end->packet) {
        error = copy_file(to, from, end, until);
    }
    if (error == 0 && has_more && snapshot.packets != NULL) {
        error = copy_snapshot(to, &snapshot, end);
    }
    if (error == 0) {
        end->packet = has_more ? snapshot.last_packet : until;
        end->pos = until + (has_more ? snapshot.size : 0);
        end->last = has_more ? snapshot.last : 0;
    }
    if (from >= 0) {
        close(from);
    }
    bool is_empty = to >= 0 && fstat(to, &status) == 0 && status.st_size == 0;
    if (to >= 0) {
        close(to);
    }
    if (is_empty) {
        unlink(path);
    }
    if (has_more) {
        pinsight_snapshot_clear(&snapshot);
    }
    return error;
}

static int copy_metadata(const struct pinsight_copying *copying) {
    char path[PATH_MAX];
    struct stat status;

    int from = pinsight_path_join(path, copying->folder, "metadata")
                   ? pinsight_open_regular(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW)
                   : -1;
    int to = from >= 0 && pinsight_path_join(path, copying->to, "metadata")
                 ? pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_EXCL, 0600)
                 : -1;
    int error = to < 0 || fstat(from, &status) != 0 ? errno : 0;
    if (error == 0) {
        error = copy_range(to, from, 0, (uint64_t)status.st_size);
    }
    if (to >= 0) {
        close(to);
    }
    if (from >= 0) {
        close(from);
    }
    return error;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct name_list {
    char **names;
    size_t count, capacity;
};

/* Adds the streams of a folder, by their files and by their buffers: a stream may have no file yet,
 * and a finished stream has no buffer. */
static int list_streams(struct name_list *list, const char *folder) {
    DIR *files = opendir(folder);

    if (files == NULL) {
        return errno;
    }
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        char dotted[sizeof(entry->d_name) + 1];
        const char *name = entry->d_name + (*entry->d_name == '.');
        snprintf(dotted, sizeof(dotted), ".%s", name);
        if (pinsight_buffer_is_name(dotted) &&
            strlen(name) < sizeof(((struct pinsight_copied *)NULL)->name)) {
            *PINSIGHT_ADD(list->names, list->count, list->capacity) = pinsight_strdup(name);
        }
    }
    closedir(files);
    return 0;
}

/* Streams from an earlier copy are continued. */
int pinsight_copy_all(struct pinsight_copying *copying) {
    struct name_list list = {NULL, 0, 0};
    int error = copy_metadata(copying);

    /* Reads the folder twice. A stream that is made during the first reading, and whose buffer is
     * renamed meanwhile, could be missed under both names. */
    error = error != 0 ? error : list_streams(&list, copying->folder);
    error = error != 0 ? error : list_streams(&list, copying->folder);
    if (list.count > 1) {
        PINSIGHT_SORT(list.names, list.count, by_name);
    }
    for (size_t i = 0; i < list.count && error == 0; i++) {
        if (i == 0 || strcmp(list.names[i - 1], list.names[i]) != 0) {
            error = copy_stream(copying, list.names[i]);
            error = error == EEXIST ? 0 : error;
        }
    }
    for (size_t i = 0; i < list.count; i++) {
        free(list.names[i]);
    }
    free(list.names);
    return error;
}

static int copy_ring(const struct pinsight_copying *copying, const char *name, uint64_t ticks) {
    char path[PATH_MAX];
    int folder = open(copying->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct pinsight_ring_head *ring =
        folder >= 0 ? pinsight_ring_head_map(folder, name, false) : NULL;
    int error = 0;

    if (ring != NULL) {
        struct pinsight_ring_head head = *ring;
        head.until = ticks != UINT64_MAX ? ticks : 0;
        int to = pinsight_path_join(path, copying->to, name)
                     ? pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_EXCL, 0600)
                     : -1;
        error = to < 0 ? errno : put(to, &head, sizeof(head));
        if (to >= 0) {
            close(to);
        }
        pinsight_ring_head_unmap((struct pinsight_ring_head *)ring);
    }
    if (folder >= 0) {
        close(folder);
    }
    return error;
}

int pinsight_copy_rings(const struct pinsight_copying *copying, uint64_t ticks) {
    DIR *list = opendir(copying->folder);
    int error = list == NULL ? errno : 0;

    for (struct dirent *entry; error == 0 && (entry = readdir(list)) != NULL;) {
        const char *last = strrchr(entry->d_name, '-');
        if (*entry->d_name == '.' && last != NULL && strcmp(last, "-ring") == 0) {
            error = copy_ring(copying, entry->d_name, ticks);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
    return error;
}
