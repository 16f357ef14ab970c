/* Mapped stream files; see mapped.h. */
#include "reader/ctf/mapped.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/ctf/in_order.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT32_C(0xc1fc1fc1)

/* A smaller file is copied into memory. A process may have 65,530 mappings, and a job may have more
 * streams. The system joins the memory of copies into few mappings. */
#define SMALL ((size_t)128 * 1024)

/* Copies a part of a file to `data`, which is zero. A file that became shorter meanwhile ends in
 * zeros, which are no packet. */
static bool copy(int fd, uint64_t at, unsigned char *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, data + done, size - done, (off_t)(at + done));

        if (got < 0 && errno != EINTR)
            return false;
        if (got == 0)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Maps or copies a part of a file with a page of zeros behind it, so that a number at its end can
 * be read as eight bytes. A mapping begins at the page of the part's first byte. */
static bool map(struct ctf_file *file, int fd, uint64_t at, uint64_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bool is_small = size <= SMALL;
    size_t before = is_small ? 0 : (size_t)(at % page);
    int rights = is_small ? PROT_READ | PROT_WRITE : PROT_READ;
    void *data;

    if (size > SIZE_MAX / 4) {
        errno = EFBIG;
        return false;
    }
    file->mapped = (before + (size_t)size + page - 1) / page * page + page;
    data = mmap(NULL, file->mapped, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return false;
    file->data = (unsigned char *)data + before;
    file->before = before;
    file->size = file->file_size = size;
    file->is_copy = is_small;
    if (is_small)
        return copy(fd, at, data, (size_t)size);
    if (mmap(data, before + (size_t)size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
             (off_t)(at - before)) == MAP_FAILED)
        return false;
    madvise(data, before + (size_t)size, MADV_SEQUENTIAL);
    return true;
}

/* The number of bytes that are released at once. */
#define RELEASE (UINT64_C(1) << 20)

void ctf_file_release(const struct ctf_file *file, uint64_t *released, uint64_t until) {
    until = until / RELEASE * RELEASE;
    if (until > *released && !file->is_copy)
        madvise((void *)(file->data - file->before + *released), (size_t)(until - *released),
                MADV_DONTNEED);
    *released = until;
}

/* The most bytes of a packet that are read. A hole in a file, which can have any size, would count
 * as its events. */
#define MOST_BYTES (UINT64_C(4) << 30)

/* Returns whether a packet's head is possible. A time of all ones is invalid. */
static bool is_sane(const struct ctf_file *file, uint64_t offset) {
    const struct ctf_stream_class *class = file->class;
    uint64_t content = ctf_file_number(file, offset, class->content);
    uint64_t packet = ctf_file_number(file, offset, class->packet);
    uint64_t begin = ctf_file_number(file, offset, class->begin);
    uint64_t end = ctf_file_number(file, offset, class->end);

    return content <= packet && packet % 8 == 0 && packet / 8 >= class->head_size &&
           content / 8 >= class->head_size && begin <= end && end != UINT64_MAX;
}

/* Notes the order of a packet: sequence numbers must increase. */
static void note_order(struct ctf_file *file, uint64_t offset, uint64_t *sequence) {
    if (!file->class->sequence.there)
        return;
    uint64_t this = ctf_file_number(file, offset, file->class->sequence);
    file->is_disordered |= offset && this <= *sequence;
    *sequence = this;
}

static bool has_magic(const struct ctf_file *file, uint64_t offset) {
    uint32_t magic;

    memcpy(&magic, file->data + offset, sizeof(magic));
    return magic == MAGIC;
}

/* Scans the heads of the packets. */
static enum ctf_file_state scan(struct ctf_file *file) {
    const struct ctf_trace *trace = file->trace;
    uint64_t offset = 0, released = 0, sequence = 0;

    if (file->size < sizeof(uint32_t) || !has_magic(file, 0) || !trace->magic.there)
        return CTF_FILE_FOREIGN;
    if (trace->stream.there && trace->stream.offset + sizeof(uint64_t) > file->size)
        return CTF_FILE_FOREIGN;
    file->class = ctf_stream_class_of(trace, ctf_file_number(file, 0, trace->stream));
    if (!file->class)
        return CTF_FILE_UNKNOWN;
    if (file->size < file->class->head_size || !is_sane(file, 0))
        return CTF_FILE_FOREIGN;
    file->first_begin = ctf_file_number(file, 0, file->class->begin);
    file->has_instance = trace->instance.there;
    file->instance = ctf_file_number(file, 0, trace->instance);
    while (file->size - offset >= file->class->head_size && has_magic(file, offset) &&
           is_sane(file, offset)) {
        uint64_t packet = ctf_file_number(file, offset, file->class->packet) / 8;

        if (packet > file->size - offset || packet > MOST_BYTES) {
            uint64_t rest = file->size - offset < MOST_BYTES ? file->size - offset : MOST_BYTES;

            if (rest > file->class->head_size)
                file->cut_size = rest;
            break;
        }
        note_order(file, offset, &sequence);
        if (packet > file->largest)
            file->largest = packet;
        if (ctf_file_number(file, offset, file->class->sequence) >= file->packets)
            file->packets = ctf_file_number(file, offset, file->class->sequence) + 1;
        offset += packet;
        /* For each head, the system maps more than the head. */
        ctf_file_release(file, &released, offset);
    }
    file->whole_size = offset;
    if (file->is_disordered)
        ctf_file_set_in_order(file);
    return file->whole_size == file->size      ? CTF_FILE_WHOLE
           : file->whole_size + file->cut_size ? CTF_FILE_CUT
                                               : CTF_FILE_LOST;
}

/* Opens a part of a file, from `at` on. The file must have an inode, unless that is 0. */
static enum ctf_file_state open_part(struct ctf_file *file, const char *path, uint64_t inode,
                                     uint64_t at, uint64_t most) {
    enum ctf_file_state state = CTF_FILE_CLOSED;
    struct stat st;
    /* Does not wait for a pipe with that name. */
    int fd = pinsight_open_safely(path);

    if (fd < 0)
        return errno == EISDIR || errno == ENXIO ? CTF_FILE_OTHER : CTF_FILE_CLOSED;
    if (fstat(fd, &st) != 0)
        state = CTF_FILE_CLOSED;
    else if (inode && inode != (uint64_t)st.st_ino)
        errno = ESTALE;
    else if ((uint64_t)st.st_size <= at || !most)
        state = CTF_FILE_EMPTY;
    else if (map(file, fd, at, (uint64_t)st.st_size - at < most ? (uint64_t)st.st_size - at : most))
        state = scan(file);
    int error = errno;
    close(fd);
    errno = error;
    return state;
}

enum ctf_file_state ctf_file_open(struct ctf_file *file, const struct ctf_trace *trace,
                                  const char *path, uint64_t most) {
    *file = (struct ctf_file){.path = pinsight_strdup(path), .trace = trace};
    return open_part(file, path, 0, 0, most);
}

enum ctf_file_state ctf_file_open_packed(struct ctf_file *file, const struct ctf_trace *trace,
                                         const char *path, const struct pinsight_packed *packed,
                                         const struct pinsight_packed_member *member) {
    char *archive =
        pinsight_format("%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, PINSIGHT_PACKED_FILE);

    *file = (struct ctf_file){.path = pinsight_strdup(path), .trace = trace};
    enum ctf_file_state state = open_part(file, archive, packed->inode, member->at, member->bytes);
    int error = errno;
    free(archive);
    errno = error;
    return state;
}

enum ctf_file_state ctf_file_take(struct ctf_file *file, const struct ctf_trace *trace,
                                  const char *path, const unsigned char *data, size_t size,
                                  size_t mapped) {
    *file = (struct ctf_file){.path = pinsight_strdup(path),
                              .trace = trace,
                              .data = data,
                              .mapped = mapped,
                              .size = size,
                              .is_copy = true};
    return scan(file);
}

char *ctf_shown_path(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? pinsight_memdup(path, (size_t)(slash - path)) : NULL;
    char *real = folder ? realpath(folder, NULL) : NULL;
    char *shown =
        real ? pinsight_format("%s%s", real, slash) : pinsight_strdup(slash ? slash + 1 : path);

    free(real);
    free(folder);
    return shown;
}

void ctf_file_close(struct ctf_file *file) {
    if (file->data)
        munmap((void *)(file->data - file->before), file->mapped);
    free(file->path);
    *file = (struct ctf_file){0};
}
