/* Finishes what ended processes left in their buffers; see folder.h. */
#include "record/file/folder.h"

#include "base/process.h"
#include "record/file/metadata.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A buffer, mapped. */
struct buffer {
    int folder;
    uint64_t until; /* ticks: its process may have gone on until then */
    const char *name; /* of its file, with the dot */
    struct pinsight_buffer_head *head;
    size_t mapped;
};

static int map_buffer(struct buffer *buffer) {
    struct stat status;
    int fd = openat(buffer->folder, buffer->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (!error && (!S_ISREG(status.st_mode) || status.st_size < PINSIGHT_BUFFER_HEAD_BYTES))
        error = ENODATA;
    if (!error) {
        buffer->mapped = (size_t)status.st_size;
        buffer->head = mmap(NULL, buffer->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = buffer->head == MAP_FAILED ? errno : 0;
    }
    close(fd);
    return error;
}

/* One that its process had no time to fill in, or whose numbers cannot be: there is nothing in it
 * that could be finished. */
static bool is_sound(const struct buffer *buffer) {
    const struct pinsight_buffer_head *head = buffer->head;
    return head->magic == PINSIGHT_BUFFER_MAGIC && head->version == PINSIGHT_BUFFER_VERSION &&
           head->head_bytes == PINSIGHT_BUFFER_HEAD_BYTES &&
           head->size <= buffer->mapped - PINSIGHT_BUFFER_HEAD_BYTES && head->pos >= head->base &&
           head->pos - head->base <= head->size;
}

static int write_all(int fd, const char *bytes, size_t size, uint64_t at) {
    while (size) {
        ssize_t now = pwrite(fd, bytes, size, (off_t)at);
        if (now <= 0 && !(now < 0 && errno == EINTR))
            return now == 0 ? ENOSPC : errno;
        if (now > 0) {
            bytes += now;
            size -= (size_t)now;
            at += (uint64_t)now;
        }
    }
    return 0;
}

/* Appends the buffer to its stream, where it holds more than a packet's head, and cuts off what an
 * interrupted flush left there. */
static int append(const struct buffer *buffer) {
    struct pinsight_buffer_head *head = buffer->head;
    char *content = (char *)head + PINSIGHT_BUFFER_HEAD_BYTES;
    uint64_t bytes = head->pos - head->base;
    bool is_empty = bytes <= sizeof(struct pinsight_packet_head);
    const char *stream = buffer->name + 1;
    int fd = openat(buffer->folder, stream,
                    O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (is_empty ? 0 : O_CREAT), 0600);

    if (fd < 0)
        return is_empty && errno == ENOENT ? 0 : errno;
    uint64_t end = head->base;
    int error = 0;
    if (!is_empty) {
        struct pinsight_packet_head packet;
        memcpy(&packet, content, sizeof packet);
        packet.end = buffer->until > head->last ? buffer->until : head->last;
        packet.content = packet.size = bytes * 8;
        memcpy(content, &packet, sizeof packet);
        error = write_all(fd, content, bytes, head->base);
        end += bytes;
    }
    if (!error && ftruncate(fd, (off_t)end) != 0)
        error = errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && end == 0)
        unlinkat(buffer->folder, stream, 0);
    return error;
}

/* Whether the process is another host's, or in another space of process numbers: not to be known
 * from here. */
static bool is_elsewhere(const struct pinsight_buffer_head *head) {
    char host[sizeof head->host] = "";
    struct stat status;
    gethostname(host, sizeof host - 1);
    if (strncmp(host, head->host, sizeof host - 1) != 0)
        return true;
    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != head->namespace;
}

static void finish_one(int folder, const char *name, uint64_t until,
                       struct pinsight_file_finished *finished) {
    struct buffer buffer = {folder, until, name, NULL, 0};
    int error = map_buffer(&buffer);
    if (error && error != ENODATA) {
        if (error != ENOENT && !finished->error)
            finished->error = error;
        return;
    }
    if (!error && is_sound(&buffer)) {
        struct pinsight_proc process = {buffer.head->pid, buffer.head->start};
        if (is_elsewhere(buffer.head))
            finished->unreachable++;
        else if (pinsight_process_alive(&process))
            finished->alive++;
        else
            error = append(&buffer);
        if (error && !finished->error)
            finished->error = error;
        if (!error && !is_elsewhere(buffer.head) && !pinsight_process_alive(&process)) {
            finished->finished++;
            unlinkat(folder, name, 0);
        }
    } else if (!error) {
        finished->error = finished->error ? finished->error : EBADMSG;
    }
    if (buffer.head)
        munmap(buffer.head, buffer.mapped);
}

/* .PID-START-N */
static bool is_buffer(const char *name) {
    int parts = 0;
    if (*name++ != '.')
        return false;
    for (; *name; name++) {
        if (*name == '-')
            parts++;
        else if (!isxdigit((unsigned char)*name))
            return false;
    }
    return parts == 2;
}

static int finish_all(int folder, uint64_t until, struct pinsight_file_finished *finished) {
    DIR *list = fdopendir(dup(folder));
    if (!list)
        return errno;
    for (struct dirent *entry; (entry = readdir(list));)
        if (is_buffer(entry->d_name))
            finish_one(folder, entry->d_name, until, finished);
    closedir(list);
    return 0;
}

static int finish(const char *folder, bool ends_now, struct pinsight_file_finished *finished) {
    struct pinsight_clocks now = {0};
    memset(finished, 0, sizeof *finished);
    struct pinsight_control *control = pinsight_file_control_map(folder);
    if (!control)
        return errno;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd < 0 ? errno : 0;
    if (!error && flock(fd, LOCK_EX) != 0)
        error = errno;
    if (!error && ends_now)
        pinsight_file_clocks(&now, control->has_counter);
    if (!error)
        error = finish_all(fd, now.ticks, finished);
    if (!error)
        error = pinsight_file_metadata_clock(folder, control);
    finished->lost_bytes = control->lost_bytes;
    finished->lost_events = control->no_buffer;
    finished->refused = control->refused;
    if (fd >= 0)
        close(fd);
    munmap(control, PINSIGHT_CONTROL_BYTES);
    return error;
}

int pinsight_file_finish(const char *folder, struct pinsight_file_finished *finished) {
    return finish(folder, false, finished);
}

int pinsight_file_folder_finish(const char *output, struct pinsight_file_finished *finished) {
    char folder[PATH_MAX];
    memset(finished, 0, sizeof *finished);
    if (!pinsight_file_folder_path(folder, output))
        return ENAMETOOLONG;
    return finish(folder, true, finished);
}
