/* Chunks of a trace of files; see chunk.h. */
#include "introspect/chunk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/paths.h"
#include "record/file/folder.h"
#include "record/file/snapshot.h"

/* How far a stream was given: to `pos`, in the packet that begins at `packet`; and the time there.
 */
struct end {
    char name[64];
    uint64_t packet, pos, last;
};

struct chunk_making {
    char folder[PATH_MAX], chunk[PATH_MAX];
    struct end *ends;
    size_t count, capacity;
};

/* ---- where the last chunk ended ---- */

static struct end *end_of(struct chunk_making *making, const char *name) {
    for (size_t i = 0; i < making->count; i++) {
        if (strcmp(making->ends[i].name, name) == 0) {
            return &making->ends[i];
        }
    }
    struct end *end = PINSIGHT_ADD(making->ends, making->count, making->capacity);
    *end = (struct end){{0}, 0, 0, 0};
    snprintf(end->name, sizeof(end->name), "%s", name);
    return end;
}

static void read_ends(struct chunk_making *making, FILE *file) {
    struct end end;

    while (fscanf(file, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64, end.name, &end.packet, &end.pos,
                  &end.last) == 4) {
        *end_of(making, end.name) = end;
    }
}

static int write_ends(const struct chunk_making *making, FILE *file) {
    rewind(file);
    for (size_t i = 0; i < making->count; i++) {
        const struct end *end = &making->ends[i];
        fprintf(file, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", end->name, end->packet, end->pos,
                end->last);
    }
    return fflush(file) != 0 || ferror(file) ? errno : 0;
}

/* ---- copying ---- */

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

/* Bytes of a file, behind what was written; by the kernel where it can. */
static int copy_range(int to, int from, uint64_t begin, uint64_t end) {
    char bytes[65536];
    loff_t at = (loff_t)begin;

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

/* The head of the rest of a packet: events' times of 27 bits go on from the last one's. */
static int put_head(int to, struct pinsight_packet_head head, uint64_t begin, uint64_t bytes) {
    head.begin = begin;
    head.content = head.size = (sizeof(head) + bytes) * 8;
    return put(to, &head, sizeof(head));
}

/* What a stream's file has between the end and `until`, in which packets are whole. */
static int copy_file(int to, int from, const struct end *end, uint64_t until) {
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

/* What a buffer has behind the end. */
static int copy_snapshot(int to, const struct pinsight_snapshot *snapshot, const struct end *end) {
    bool goes_on = end->packet == snapshot->base && end->pos > end->packet;
    uint64_t given = goes_on ? end->pos - end->packet : 0;
    struct pinsight_packet_head head;

    if (!goes_on || given > snapshot->size) {
        return put(to, snapshot->packet, snapshot->size);
    }
    if (given == snapshot->size) {
        return 0;
    }
    memcpy(&head, snapshot->packet, sizeof(head));
    int error = put_head(to, head, end->last, snapshot->size - given);
    return error != 0 ? error : put(to, snapshot->packet + given, snapshot->size - given);
}

/* A stream's part of the chunk; `name` without a dot. */
static int copy_stream(struct chunk_making *making, const char *name) {
    char stream[PATH_MAX], path[PATH_MAX];
    struct pinsight_snapshot snapshot;
    struct stat status = {0};

    if (!pinsight_path_join(stream, making->folder, name) ||
        !pinsight_path_join(path, making->chunk, name)) {
        return ENAMETOOLONG;
    }
    struct end *end = end_of(making, name);
    bool has_more = pinsight_snapshot_take(&snapshot, stream) == 0;
    int from = open(stream, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
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
    if (error == 0 && has_more && snapshot.packet != NULL) {
        error = copy_snapshot(to, &snapshot, end);
    }
    if (error == 0) {
        end->packet = until;
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

static int copy_metadata(const struct chunk_making *making) {
    char path[PATH_MAX];
    struct stat status;

    int from = pinsight_path_join(path, making->folder, "metadata")
                   ? open(path, O_RDONLY | O_CLOEXEC)
                   : -1;
    int to = from >= 0 && pinsight_path_join(path, making->chunk, "metadata")
                 ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
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

/* Streams by their files and by their buffers: one may have no file yet, the other is gone when it
 * is finished. Those that were there already are not copied again. */
static int copy_all(struct chunk_making *making) {
    int error = copy_metadata(making);
    DIR *list = error == 0 ? opendir(making->folder) : NULL;

    if (error == 0 && list == NULL) {
        error = errno;
    }
    for (struct dirent *entry; error == 0 && (entry = readdir(list)) != NULL;) {
        char path[PATH_MAX], dotted[sizeof(entry->d_name) + 1];
        bool is_buffer = pinsight_buffer_is_name(entry->d_name);
        const char *name = entry->d_name + is_buffer;
        snprintf(dotted, sizeof(dotted), ".%s", name);
        if (!pinsight_buffer_is_name(dotted) || strlen(name) >= sizeof(making->ends->name)) {
            continue;
        }
        if (is_buffer && pinsight_path_join(path, making->folder, name) &&
            access(path, F_OK) == 0) {
            continue; /* its stream is in the list */
        }
        error = copy_stream(making, name);
        error = error == EEXIST ? 0 : error;
    }
    if (list != NULL) {
        closedir(list);
    }
    return error;
}

/* A new folder with the next number. */
static int make_folder(const char *chunks, char chunk[PATH_MAX]) {
    for (unsigned number = 1;; number++) {
        if (snprintf(chunk, PATH_MAX, "%s/%u", chunks, number) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        if (mkdir(chunk, 0700) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            return errno;
        }
    }
}

int pinsight_chunk_make(const char *output, char chunk[PATH_MAX]) {
    struct chunk_making making = {.count = 0};
    struct pinsight_file_finished finished;
    char chunks[PATH_MAX], path[PATH_MAX];

    if (!pinsight_file_folder_path(making.folder, output) ||
        !pinsight_path_join(chunks, making.folder, PINSIGHT_FILE_CHUNKS) ||
        !pinsight_path_join(path, chunks, "ends")) {
        return ENAMETOOLONG;
    }
    if (mkdir(chunks, 0700) != 0 && errno != EEXIST) {
        return errno;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *ends = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (ends == NULL) {
        return errno;
    }
    int error = flock(fd, LOCK_EX) != 0 ? errno : 0;
    /* The clock in the metadata, too. */
    pinsight_file_finish(making.folder, &finished);
    if (error == 0) {
        read_ends(&making, ends);
        error = make_folder(chunks, making.chunk);
    }
    if (error == 0) {
        error = copy_all(&making);
        error = error != 0 ? error : write_ends(&making, ends);
        if (error != 0) {
            pinsight_path_remove(making.chunk);
        }
    }
    fclose(ends);
    free(making.ends);
    strcpy(chunk, making.chunk);
    return error;
}
