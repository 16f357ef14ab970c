/* The buffer of a stream and its files; see recording.h. */
#include "tracer/record/file/recording.h"

#include "base/machine.h"
#include "base/safe_files.h"
#include "format/folder.h"
#include "format/local.h"
#include "format/process_name.h"
#include "tracer/record/file/file_worker.h"
#include "tracer/record/file/persistent.h"
#include "tracer/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_BYTES = 16 << 10, MOST_BYTES = 256 << 10, RING_BUFFERS = 16 };

bool pinsight_buffer_path(const struct pinsight_buffer_head *head, const char *dot, uint32_t number,
                          char path[PATH_MAX]) {
    char name[PINSIGHT_BUFFER_NAME];
    pinsight_buffer_name(head, dot, number, name);
    return snprintf(path, PATH_MAX, "%s/%s", pinsight_recording.folder, name) < PATH_MAX;
}

void pinsight_buffer_name(const struct pinsight_buffer_head *head, const char *dot, uint32_t number,
                          char name[PINSIGHT_BUFFER_NAME]) {
    char process[PINSIGHT_PROCESS_NAME_BYTES];
    pinsight_file_process_name(head, process);
    snprintf(name, PINSIGHT_BUFFER_NAME, "%s%s-%u", dot, process, number);
}

/* Writes the name of the present file. */
static void name_of(const struct pinsight_buffer_head *head, const char *dot,
                    char name[PINSIGHT_BUFFER_NAME]) {
    pinsight_buffer_name(head, dot, head->number, name);
}

/*
 * Opens the trace's folder, and verifies that it is still the same. The caller closes it. Another
 * folder in its place would get the events, or would make this process write into foreign files.
 * The folder is not kept open, because the program owns the numbers of descriptors. Returns -1 with
 * errno: EACCES if the process has another user now.
 */
int pinsight_recording_folder(void) {
    int fd = pinsight_open_folder(AT_FDCWD, pinsight_recording.folder, O_NOFOLLOW);
    if (fd >= 0 && pinsight_recording.owned == PINSIGHT_OWN &&
        pinsight_look_at_owner(fd) != PINSIGHT_OWN) {
        close(fd);
        errno = (uint32_t)geteuid() == pinsight_recording.user ? EPERM : EACCES;
        fd = -1;
    }
    return fd;
}

static int close_folder(int folder, int result) {
    int error = errno;
    close(folder);
    errno = error;
    return result;
}

/* Does work in the trace's folder. Returns its result, or an errno. */
static int in_folder(int (*work)(int folder, void *data), void *data) {
    int folder = pinsight_recording_folder();
    return folder < 0 ? errno : close_folder(folder, work(folder, data));
}

int pinsight_recording_open(const char *name, int flags) {
    int folder = pinsight_recording_folder();
    return folder < 0 ? -1
                      : close_folder(folder, pinsight_open_to_write(folder, name, flags, 0600));
}

/* ---- signals ---- */

/* A write beyond RLIMIT_FSIZE sends SIGXFSZ, which ends a program (setrlimit(2)). The signal is
 * blocked and discarded. */
struct blocked_signal {
    sigset_t before;
    bool was_pending;
};

static void block_signal(struct blocked_signal *blocked) {
    sigset_t own, pending;
    sigemptyset(&own);
    sigaddset(&own, SIGXFSZ);
    sigemptyset(&pending);
    sigpending(&pending);
    blocked->was_pending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &own, &blocked->before);
}

static void unblock_signal(const struct blocked_signal *blocked, int error) {
    if (error == EFBIG && !blocked->was_pending) {
        const struct timespec at_once = {0, 0};
        sigset_t own;
        sigemptyset(&own);
        sigaddset(&own, SIGXFSZ);
        while (sigtimedwait(&own, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &blocked->before, NULL);
}

/* ---- making and growing ---- */

int pinsight_buffer_allocate(int fd, uint64_t bytes) {
    struct blocked_signal blocked;
    block_signal(&blocked);
    int error;
    do
        error = posix_fallocate(fd, 0, (off_t)bytes);
    while (error == EINTR);
    unblock_signal(&blocked, error);
    return error;
}

static void *map(int fd, uint64_t size) {
    return mmap(NULL, PINSIGHT_BUFFER_HEAD_BYTES + size, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_POPULATE, fd, 0);
}

static void take_mapping(struct pinsight_record_stream *stream, void *mapped, uint64_t size) {
    stream->head = mapped;
    stream->buffer = (uint8_t *)mapped + PINSIGHT_BUFFER_HEAD_BYTES;
    stream->size = size;
    stream->head->size = size;
    stream->end = NULL;
}

uint64_t pinsight_buffer_own_start(void) {
    char text[1024];
    uint64_t start = 0;
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    /* The name may contain any character. Field 3 follows the last bracket (proc(5)). */
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at)
        for (at++; *at >= '0' && *at <= '9'; at++)
            start = start * 10 + (uint64_t)(*at - '0');
    return start;
}

static void fill_in(struct pinsight_buffer_head *head, const struct pinsight_buffer_head *what) {
    head->version = PINSIGHT_BUFFER_VERSION;
    head->head_bytes = PINSIGHT_BUFFER_HEAD_BYTES;
    head->pid = what->pid;
    head->start = what->start;
    head->number = what->number;
    head->namespace = what->namespace;
    head->boot = what->boot;
    memcpy(head->host, pinsight_recording.host, sizeof head->host);
    __atomic_store_n(&head->magic, PINSIGHT_BUFFER_MAGIC, __ATOMIC_RELEASE);
}

/* A buffer that is made or enlarged. */
struct making {
    struct pinsight_buffer_head what;
    char name[PINSIGHT_BUFFER_NAME];
    uint64_t size;
    bool is_new;
    void *mapped;
};

/* Makes a file with a free number. Numbers may be in use by data from before this process executed
 * another program. */
static int open_new(int folder, struct making *making) {
    char of_stream[PINSIGHT_BUFFER_NAME], of_counts[PINSIGHT_PERSISTENT_NAME];
    making->what.start = pinsight_buffer_own_start();
    making->what.namespace = pinsight_machine_namespace();
    making->what.boot = pinsight_machine_boot();
    for (;; making->what.number++) {
        name_of(&making->what, ".", making->name);
        name_of(&making->what, "", of_stream);
        pinsight_persistent_name(&making->what, 0, of_counts);
        int fd = pinsight_local_create(pinsight_recording.buffers, folder, making->name);
        int error = errno;
        if (fd >= 0 && faccessat(folder, of_stream, F_OK, 0) != 0 &&
            faccessat(folder, of_counts, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            return fd;
        if (fd >= 0) {
            close(fd);
            pinsight_local_remove(folder, making->name);
        } else if (error != EEXIST) {
            return -error;
        }
    }
}

static int open_there(int folder, struct making *making) {
    int fd = pinsight_local_open(folder, making->name, O_RDWR, *pinsight_recording.buffers);
    return fd < 0 ? -errno : fd;
}

static int make_in(int folder, void *data) {
    struct making *making = data;
    int fd = making->is_new ? open_new(folder, making) : open_there(folder, making);
    if (fd < 0)
        return -fd;
    int error = pinsight_buffer_allocate(fd, PINSIGHT_BUFFER_HEAD_BYTES + making->size);
    if (!error) {
        making->mapped = map(fd, making->size);
        error = making->mapped == MAP_FAILED ? errno : 0;
    }
    if (error && making->is_new)
        pinsight_local_remove(folder, making->name);
    /* Returns the additional space of a buffer that could not grow. */
    else if (error && ftruncate(fd, (off_t)(PINSIGHT_BUFFER_HEAD_BYTES + making->what.size)) != 0)
        error = errno;
    close(fd);
    return error;
}

static int make(void *data) {
    return in_folder(make_in, data);
}

int pinsight_buffer_make(struct pinsight_record_stream *stream) {
    struct making making = {
        .what = {.pid = (int32_t)getpid(), .number = stream->number},
        .size = FIRST_BYTES,
        .is_new = true,
    };
    int error = pinsight_file_work(make, &making);
    if (error)
        return error;
    stream->number = making.what.number;
    take_mapping(stream, making.mapped, FIRST_BYTES);
    fill_in(stream->head, &making.what);
    return 0;
}

/* Returns the size of a flight recorder's file, which is some buffers long. */
static uint64_t most_bytes(void) {
    uint64_t most = MOST_BYTES;
    while (pinsight_recording.limit.bytes && most > pinsight_recording.limit.bytes / RING_BUFFERS)
        most /= 2;
    return most;
}

/* Work for pinsight_file_work(): removes a mapping, which the program may have forbidden itself. */
struct unmapping {
    void *at;
    uint64_t size;
};

static int unmap_now(void *data) {
    const struct unmapping *what = data;
    return munmap(what->at, what->size) == 0 ? 0 : errno;
}

static void unmap(const struct pinsight_record_stream *stream) {
    struct unmapping what = {stream->head, PINSIGHT_BUFFER_HEAD_BYTES + stream->size};
    pinsight_file_work(unmap_now, &what);
}

void pinsight_buffer_grow(struct pinsight_record_stream *stream, uint64_t size) {
    struct making making = {.what = {.size = stream->size}};
    uint64_t most = most_bytes();
    making.size = size < most ? size : most;
    name_of(stream->head, ".", making.name);
    if (making.size <= stream->size || pinsight_file_work(make, &making) != 0)
        return;
    unmap(stream);
    take_mapping(stream, making.mapped, making.size);
}

/*
 * Work for pinsight_file_work(): renames the buffer's file for the next file. Meanwhile a reader
 * finds an empty buffer under both names, or a buffer with another number under the old name, which
 * it ignores.
 */
struct renaming {
    struct pinsight_buffer_head *head;
    uint32_t number;
};

static int give_name_in(int folder, void *data) {
    const struct renaming *what = data;
    struct pinsight_buffer_head *head = what->head;
    char from[PINSIGHT_BUFFER_NAME], to[PINSIGHT_BUFFER_NAME], of_stream[PINSIGHT_BUFFER_NAME];
    uint32_t before = head->number;
    name_of(head, ".", from);
    pinsight_buffer_name(head, ".", what->number, to);
    pinsight_buffer_name(head, "", what->number, of_stream);
    if (faccessat(folder, of_stream, F_OK, 0) == 0)
        return EEXIST;
    __atomic_store_n(&head->number, what->number, __ATOMIC_RELEASE);
    if (linkat(folder, from, folder, to, 0) != 0) {
        int error = errno;
        __atomic_store_n(&head->number, before, __ATOMIC_RELEASE);
        return error;
    }
    unlinkat(folder, from, 0);
    return 0;
}

static int give_name(void *data) {
    return in_folder(give_name_in, data);
}

int pinsight_buffer_next_file(struct pinsight_record_stream *stream, uint32_t number) {
    struct renaming what = {stream->head, number};
    int error = pinsight_file_work(give_name, &what);
    if (error)
        return error;
    stream->number = number;
    stream->sequence = 0;
    stream->head->lost_events = 0; /* its packets count the losses of the file */
    __atomic_store_n(&stream->head->origin, stream->head->base, __ATOMIC_RELEASE);
    return 0;
}

/* ---- packets ---- */

/* A packet that is being appended. */
struct appending {
    char name[PINSIGHT_BUFFER_NAME];
    const uint8_t *bytes;
    uint64_t size, at;
};

static int append(void *data) {
    const struct appending *what = data;
    int fd = pinsight_recording_open(what->name, O_WRONLY);
    int error = 0;
    if (fd < 0)
        return errno;
    struct blocked_signal blocked;
    block_signal(&blocked);
    for (uint64_t done = 0; done < what->size && !error;) {
        ssize_t now = pwrite(fd, what->bytes + done, what->size - done, (off_t)(what->at + done));
        if (now > 0)
            done += (uint64_t)now;
        else if (now == 0 || errno != EINTR)
            error = now == 0 ? ENOSPC : errno;
    }
    unblock_signal(&blocked, error);
    if (close(fd) != 0 && !error && errno != EINTR)
        error = errno;
    return error;
}

/* Returns the number of events in the packets of a buffer, which are whole. */
static uint64_t count_events(const uint8_t *at, uint64_t bytes) {
    uint64_t count = 0;
    for (const uint8_t *end = at + bytes; at < end;) {
        struct pinsight_packet_head packet;
        memcpy(&packet, at, sizeof packet);
        count += pinsight_file_count_events(at, packet.size / 8);
        at += packet.size / 8;
    }
    return count;
}

/* Counts the packets of a buffer that could not be written as lost, and empties the buffer. */
static void lose(struct pinsight_record_stream *stream, uint64_t bytes, int error) {
    struct pinsight_buffer_head *head = stream->head;
    char path[PATH_MAX];
    head->lost_bytes += bytes;
    pinsight_recording_lost(stream, &pinsight_recording.control->lost_events,
                            count_events(stream->buffer, bytes));
    __atomic_store_n(&head->pos, head->base, __ATOMIC_RELEASE);
    __atomic_store_n(&head->packet, head->base, __ATOMIC_RELEASE);
    __atomic_fetch_add(&pinsight_recording.control->lost_bytes, bytes, __ATOMIC_RELAXED);
    pinsight_file_note_why(pinsight_recording.control, error);
    if (pinsight_recorder_on_loss && pinsight_buffer_path(head, "", head->number, path))
        pinsight_recorder_on_loss(path, pinsight_file_why_lost(error));
}

uint8_t *pinsight_buffer_packet(const struct pinsight_record_stream *stream) {
    return stream->buffer + (stream->head->packet - stream->head->base);
}

void pinsight_buffer_close(struct pinsight_record_stream *stream) {
    struct pinsight_buffer_head *head = stream->head;
    uint64_t bytes = head->pos - head->packet;
    struct pinsight_packet_head packet;

    stream->end = NULL;
    if (bytes <= sizeof packet) {
        __atomic_store_n(&head->pos, head->packet, __ATOMIC_RELEASE);
        return;
    }
    memcpy(&packet, pinsight_buffer_packet(stream), sizeof packet);
    packet.end = head->last;
    packet.content = packet.size = bytes * 8;
    packet.discarded = head->lost_events;
    memcpy(pinsight_buffer_packet(stream), &packet, sizeof packet);
    stream->sequence++;
    __atomic_store_n(&head->packet, head->pos, __ATOMIC_RELEASE);
}

void pinsight_buffer_flush(struct pinsight_record_stream *stream) {
    struct pinsight_buffer_head *head = stream->head;

    pinsight_buffer_close(stream);
    uint64_t base = head->base, bytes = head->pos - base;
    if (!bytes)
        return;
    struct appending what = {.bytes = stream->buffer, .size = bytes, .at = base - head->origin};
    name_of(head, "", what.name);
    int error = pinsight_file_work(append, &what);
    if (error) {
        lose(stream, bytes, error);
        return;
    }
    pinsight_pool_wrote(bytes);
    /* The buffer is now empty: all positions are equal. */
    __atomic_store_n(&head->base, head->pos, __ATOMIC_RELEASE);
#ifndef __SANITIZE_THREAD__ /* the sanitizer does not support fences */
    /* Readers of the buffer must see that before the data that is stored next. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
    pinsight_file_clocks_note(pinsight_recording.control);
    if (pinsight_recording.is_ring && !stream->is_kept)
        pinsight_ring_wrote(stream, bytes);
}

void pinsight_buffer_begin(struct pinsight_record_stream *stream, uint64_t ticks) {
    struct pinsight_buffer_head *head = stream->head;
    if (ticks < head->last) /* the last event was in another thread's packet */
        ticks = head->last;
    struct pinsight_packet_head packet = {
        .magic = PINSIGHT_CTF_MAGIC,
        .begin = ticks,
        .end = ticks,
        .sequence = stream->sequence,
        .discarded = head->lost_events,
        .vpid = (uint32_t)head->pid,
        .vtid = stream->tid,
    };
    memcpy(packet.uuid, pinsight_recording.control->uuid, sizeof packet.uuid);
    memcpy(pinsight_buffer_packet(stream), &packet, sizeof packet);
    stream->at = pinsight_buffer_packet(stream) + sizeof packet;
    stream->shift = head->base - (uint64_t)(uintptr_t)stream->buffer;
    head->last = ticks;
    __atomic_store_n(&head->pos, head->packet + sizeof packet, __ATOMIC_RELEASE);
    if (pinsight_recording.control->has_counter)
        stream->end = stream->buffer + stream->size - PINSIGHT_STREAM_SPARE;
}

/* ---- the end ---- */

static int remove_buffer_in(int folder, void *data) {
    pinsight_local_remove(folder, data);
    return 0;
}

static int remove_buffer(void *data) {
    return in_folder(remove_buffer_in, data);
}

void pinsight_buffer_unmake(struct pinsight_record_stream *stream) {
    struct pinsight_buffer_head *head = stream->head;
    char name[PINSIGHT_BUFFER_NAME];

    pinsight_buffer_flush(stream);
    name_of(head, ".", name);
    pinsight_file_work(remove_buffer, name);
    unmap(stream);
    *stream = (struct pinsight_record_stream){.busy = stream->busy, .tid = stream->tid};
}
