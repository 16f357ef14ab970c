/* Finishes the buffers of processes that have ended; see folder.h. */
#include "format/folder.h"

#include "base/safe_files.h"
#include "format/finish_counts.h"
#include "format/local.h"
#include "format/metadata.h"
#include "format/ring_head.h"
#include "format/snapshot.h"
#include "format/streams.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A buffer that is being finished. */
struct buffer {
    int folder;
    uint64_t until;   /* ticks: latest time at which its process may have run */
    const char *name; /* name of its file, with the dot */
    struct pinsight_buffer_file file;
};

int pinsight_file_write_all(int fd, const char *bytes, size_t size, uint64_t at) {
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

/* Appends the buffer's packets to its stream, and cuts off the rest of an interrupted flush. If the
 * stream was shortened or removed, appends at its end. */
static int append(const struct buffer *buffer) {
    struct pinsight_buffer_head *head = buffer->file.head;
    unsigned char *content = (unsigned char *)head + PINSIGHT_BUFFER_HEAD_BYTES;
    const struct pinsight_buffer_places places = pinsight_buffer_places_of(head);
    uint64_t bytes = places.end - places.base;
    bool is_empty = !bytes;
    const char *stream = buffer->name + 1;
    int fd = is_empty ? pinsight_open_regular(buffer->folder, stream, O_WRONLY | O_NOFOLLOW)
                      : pinsight_open_to_write(buffer->folder, stream, O_WRONLY, 0600);

    if (fd < 0)
        return is_empty && errno == ENOENT ? 0 : errno;
    struct stat status;
    int error = fstat(fd, &status) != 0 ? errno : 0;
    uint64_t at = head->base - head->origin, end;
    if (!error && at > (uint64_t)status.st_size)
        at = (uint64_t)status.st_size;
    end = at;
    if (!error && !is_empty) {
        uint64_t last = buffer->until > head->last ? buffer->until : head->last;
        pinsight_buffer_fill_in(&places, content, last, head->lost_events);
        error = pinsight_file_write_all(fd, (const char *)content, bytes, at);
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

/* Notes the last event of a flight recorder's process. */
static void note_in_ring(const struct buffer *buffer) {
    struct pinsight_ring_head *ring = pinsight_ring_head_map(buffer->folder, buffer->name, true);
    if (!ring)
        return;
    pinsight_ring_head_note(ring, buffer->file.head->last);
    pinsight_ring_head_unmap(ring);
}

static int finish_sound(const struct buffer *buffer, struct pinsight_file_finished *finished) {
    int error = 0;
    switch (pinsight_buffer_owner(buffer->file.head)) {
    case PINSIGHT_OWNER_ELSEWHERE:
        finished->unreachable++;
        break;
    case PINSIGHT_OWNER_ALIVE:
        finished->alive++;
        break;
    case PINSIGHT_OWNER_ENDED:
        note_in_ring(buffer);
        error = append(buffer);
        if (!error) {
            finished->finished++;
            pinsight_local_remove(buffer->folder, buffer->name);
        }
    }
    return error;
}

static void finish_one(int folder, const char *name, uint64_t until,
                       struct pinsight_file_finished *finished) {
    struct buffer buffer = {.folder = folder, .until = until, .name = name};
    int error = pinsight_buffer_map(&buffer.file, folder, name, PINSIGHT_BUFFER_FINISH);
    if (!error)
        /* A buffer with impossible numbers cannot be finished. */
        error = pinsight_buffer_is_sound(&buffer.file) ? finish_sound(&buffer, finished) : EBADMSG;
    if (error == EREMOTE)
        finished->unreachable++;
    else if (error && error != ENODATA && error != ENOENT && !finished->error)
        finished->error = error;
    pinsight_buffer_unmap(&buffer.file);
}

static int finish_all(int folder, uint64_t until, const struct pinsight_control *control,
                      struct pinsight_file_finished *finished) {
    DIR *list = fdopendir(dup(folder));
    if (!list)
        return errno;
    for (struct dirent *entry; (entry = readdir(list));)
        if (pinsight_buffer_is_name(entry->d_name))
            finish_one(folder, entry->d_name, until, finished);
        else if (pinsight_counts_is_name(entry->d_name)) {
            int error = pinsight_counts_finish(folder, entry->d_name, control);
            if (error && !finished->error)
                finished->error = error;
        }
    closedir(list);
    return 0;
}

static struct pinsight_file_lost lost_of(const struct pinsight_control *control) {
    return (struct pinsight_file_lost){
        .unwritten = control->lost_events,
        .unwritten_bytes = control->lost_bytes,
        .others = control->no_buffer + control->refused,
        .error = control->lost_error,
    };
}

bool pinsight_file_look_at_lost(const char *folder, struct pinsight_file_lost *lost) {
    struct pinsight_control control;
    int fd = pinsight_open_folder(AT_FDCWD, folder, 0);
    bool is_known = fd >= 0 && pinsight_file_control_read(fd, &control);
    if (fd >= 0)
        close(fd);
    if (is_known)
        *lost = lost_of(&control);
    return is_known;
}

static int finish_locked(int folder, unsigned lock_ms, bool ends_now,
                         struct pinsight_control *control,
                         struct pinsight_file_finished *finished) {
    struct pinsight_clocks now = {0};
    int error = pinsight_lock_within(folder, lock_ms);
    if (!error && ends_now)
        pinsight_file_clocks(&now, control->has_counter);
    if (!error)
        error = finish_all(folder, now.ticks, control, finished);
    if (!error)
        error = pinsight_file_metadata_clock(folder, control);
    if (!error)
        error = pinsight_streams_note(folder, !finished->alive && !finished->unreachable);
    finished->lost = lost_of(control);
    return error;
}

/* Finishes a folder. `owned` returns its ownership. Nothing is changed unless the folder is own. */
static int finish(const char *folder, unsigned lock_ms, bool ends_now,
                  enum pinsight_owned (*owned)(int), struct pinsight_file_finished *finished) {
    memset(finished, 0, sizeof *finished);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    enum pinsight_owned whose = owned(fd);
    bool is_own = whose == PINSIGHT_OWN || whose == PINSIGHT_OWN_UNMARKED;
    struct pinsight_control *control = is_own ? pinsight_file_control_map(fd) : NULL;
    int error = !is_own ? EPERM : !control ? errno : 0;
    if (!error)
        error = finish_locked(fd, lock_ms, ends_now, control, finished);
    close(fd);
    if (control)
        munmap(control, PINSIGHT_CONTROL_BYTES);
    return error;
}

int pinsight_file_finish_within(const char *folder, unsigned lock_ms,
                                struct pinsight_file_finished *finished) {
    return finish(folder, lock_ms, false, pinsight_look_at_owner, finished);
}

int pinsight_file_finish(const char *folder, struct pinsight_file_finished *finished) {
    return pinsight_file_finish_within(folder, PINSIGHT_LOCK_MS, finished);
}

int pinsight_file_folder_finish(const char *output, struct pinsight_file_finished *finished) {
    char folder[PATH_MAX];
    memset(finished, 0, sizeof *finished);
    if (!pinsight_file_folder_path(folder, output))
        return ENAMETOOLONG;
    return finish(folder, PINSIGHT_LOCK_MS, true, pinsight_try_owner, finished);
}
