/* Packs the streams of a folder; see packed.h. */
#include "format/packed.h"

#include "base/memory.h"
#include "format/folder.h"
#include "format/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_FILE ".packed.tar.new"

/* The bytes that are copied at once. */
enum { COPIED = 1 << 20 };

/* A stream: a file of the folder, or a member of the earlier archive. */
struct packed_stream {
    char name[PINSIGHT_PACKED_NAME + 1];
    bool is_file;
    uint64_t at, bytes;
    int64_t changed_s;
};

struct packing {
    int folder, earlier, out; /* descriptors; -1: none */
    struct packed_stream *streams;
    size_t count, capacity;
    uint64_t written;
    unsigned char *block; /* COPIED bytes */
    struct pinsight_packing *told;
};

static int refuse(struct packing *packing, int error, const char *reason) {
    packing->told->reason = reason;
    return error;
}

/* Finds the stream files of the folder. */
static int find_files(struct packing *packing) {
    int fd = openat(packing->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    int error = list ? 0 : errno;

    for (struct dirent *entry; list && !error && (entry = readdir(list));) {
        struct packed_stream stream = {.is_file = true};
        struct stat status;

        if (pinsight_buffer_is_name(entry->d_name)) {
            error = refuse(packing, EBUSY, "a process still records into it");
        } else if (pinsight_packed_is_name(entry->d_name) &&
                   fstatat(packing->folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                   S_ISREG(status.st_mode)) {
            memcpy(stream.name, entry->d_name, strlen(entry->d_name));
            stream.bytes = (uint64_t)status.st_size;
            stream.changed_s = status.st_mtime;
            *PINSIGHT_ADD(packing->streams, packing->count, packing->capacity) = stream;
        }
    }
    if (list)
        closedir(list);
    return error;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct packed_stream *)a)->name, ((const struct packed_stream *)b)->name);
}

/* Adds the members of the earlier archive that no file replaces. The files are sorted. */
static int add_members(struct packing *packing) {
    const size_t files = packing->count;
    struct pinsight_packed earlier;
    int error = pinsight_packed_read(packing->folder, &earlier);

    if (!error && earlier.is_damaged)
        error = refuse(packing, EBADMSG, "its " PINSIGHT_PACKED_FILE " is damaged");
    for (size_t i = 0; i < earlier.count && !error; i++) {
        const struct pinsight_packed_member *member = &earlier.all[i];
        struct packed_stream stream = {.at = member->at, .bytes = member->bytes};

        memcpy(stream.name, member->name, sizeof(stream.name));
        if (!files ||
            !bsearch(&stream, packing->streams, files, sizeof(*packing->streams), by_name))
            *PINSIGHT_ADD(packing->streams, packing->count, packing->capacity) = stream;
    }
    pinsight_packed_free(&earlier);
    return error == ENOENT ? 0 : error;
}

static int write_out(struct packing *packing, const void *bytes, size_t size) {
    int error = pinsight_file_write_all(packing->out, bytes, size, packing->written);

    packing->written += size;
    return error;
}

/* Writes zeros up to the next block. */
static int fill(struct packing *packing) {
    static const char zeros[PINSIGHT_PACKED_BLOCK];
    size_t rest = (size_t)(packing->written % PINSIGHT_PACKED_BLOCK);

    return rest ? write_out(packing, zeros, PINSIGHT_PACKED_BLOCK - rest) : 0;
}

/* Copies bytes of a file. A file that became shorter is an error. */
static int copy(struct packing *packing, int from, uint64_t at, uint64_t bytes) {
    int error = 0;

    while (bytes && !error) {
        size_t wanted = bytes < COPIED ? (size_t)bytes : COPIED;
        ssize_t got = pread(from, packing->block, wanted, (off_t)at);

        if (got > 0) {
            error = write_out(packing, packing->block, (size_t)got);
            at += (uint64_t)got;
            bytes -= (uint64_t)got;
        } else if (got == 0 || errno != EINTR) {
            error = got == 0 ? EIO : errno;
        }
    }
    return error;
}

static int pack_stream(struct packing *packing, const struct packed_stream *stream) {
    unsigned char head[PINSIGHT_PACKED_BLOCK];
    int from = stream->is_file
                   ? pinsight_open_regular(packing->folder, stream->name, O_RDONLY | O_NOFOLLOW)
                   : packing->earlier;
    int error = from < 0 ? errno : 0;

    pinsight_packed_head(head, stream->name, stream->bytes, stream->changed_s);
    if (!error)
        error = write_out(packing, head, sizeof(head));
    if (!error)
        error = copy(packing, from, stream->at, stream->bytes);
    if (!error)
        error = fill(packing);
    if (stream->is_file && from >= 0)
        close(from);
    return error;
}

static int write_archive(struct packing *packing) {
    static const char end[2 * PINSIGHT_PACKED_BLOCK];
    int error = 0;

    packing->out = pinsight_open_to_write(packing->folder, NEW_FILE, O_WRONLY | O_TRUNC, 0600);
    if (packing->out < 0)
        return errno;
    packing->earlier = openat(packing->folder, PINSIGHT_PACKED_FILE,
                              O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    packing->block = pinsight_calloc(COPIED, 1);
    for (size_t i = 0; i < packing->count && !error; i++)
        error = pack_stream(packing, &packing->streams[i]);
    if (!error)
        error = write_out(packing, end, sizeof(end));
    if (!error && fsync(packing->out) != 0)
        error = errno;
    if (close(packing->out) != 0 && !error)
        error = errno;
    if (packing->earlier >= 0)
        close(packing->earlier);
    free(packing->block);
    return error;
}

/* Removes the files whose content is in the archive. */
static int remove_files(struct packing *packing) {
    struct pinsight_packed packed;
    int error = pinsight_packed_read(packing->folder, &packed);

    if (!error && (packed.is_damaged || packed.count != packing->count))
        error = EIO;
    for (size_t i = 0; i < packing->count && !error; i++) {
        const struct packed_stream *stream = &packing->streams[i];
        const struct pinsight_packed_member *member = pinsight_packed_find(&packed, stream->name);
        struct stat status;

        if (!stream->is_file)
            continue;
        if (!member || fstatat(packing->folder, stream->name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            (uint64_t)status.st_size != member->bytes)
            error = EIO;
        else if (unlinkat(packing->folder, stream->name, 0) != 0)
            error = errno;
        else
            packing->told->added++;
    }
    pinsight_packed_free(&packed);
    return error;
}

static int pack_locked(struct packing *packing) {
    int error = find_files(packing);
    const size_t files = packing->count;

    if (files > 1)
        qsort(packing->streams, files, sizeof(*packing->streams), by_name);
    if (!error)
        error = add_members(packing);
    if (packing->count > 1)
        qsort(packing->streams, packing->count, sizeof(*packing->streams), by_name);
    if (!error && files)
        error = write_archive(packing);
    if (!error && files &&
        renameat(packing->folder, NEW_FILE, packing->folder, PINSIGHT_PACKED_FILE) != 0)
        error = errno;
    if (error && files)
        unlinkat(packing->folder, NEW_FILE, 0);
    if (!error && files) {
        fsync(packing->folder); /* some file systems cannot */
        error = remove_files(packing);
    }
    packing->told->count = packing->count;
    return error;
}

int pinsight_pack(const char *folder, struct pinsight_packing *told) {
    struct pinsight_file_finished finished;
    struct packing packing = {.told = told};
    struct stat status;

    *told = (struct pinsight_packing){0};
    int error = pinsight_file_finish(folder, &finished);
    if (error || finished.error)
        return error ? error : finished.error;
    if (finished.alive)
        return refuse(&packing, EBUSY, "a process still records into it");
    if (finished.unreachable)
        return refuse(&packing, EBUSY,
                      "its last events are on the host that recorded it; pack it there");
    packing.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (packing.folder < 0)
        return errno;
    error = pinsight_lock_within(packing.folder, PINSIGHT_LOCK_MS);
    if (!error)
        error = pack_locked(&packing);
    if (!error && fstatat(packing.folder, PINSIGHT_PACKED_FILE, &status, AT_SYMLINK_NOFOLLOW) == 0)
        told->bytes = (uint64_t)status.st_size;
    close(packing.folder);
    free(packing.streams);
    return error;
}
