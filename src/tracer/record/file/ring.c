/*
 * The flight recorder keeps only the most recent events of a process, limited by size or by time,
 * of all its threads together.
 *
 * Events are stored as without it. When a buffer has been written to its stream's file, and that
 * file has its share of the limit, the buffer continues with a new file. The buffer's own file is
 * renamed for that (pinsight_buffer_next_file). Full files are in a list, oldest first. While the
 * list exceeds the limit, the oldest file is removed. At any moment, the most recent events are
 * therefore in files, and nothing is left to do when the process is killed. Each file consists of
 * whole packets, and is read like any stream's file.
 *
 * Definitions, to which later events refer, are in streams of their own (pinsight_pool_kept), which
 * are never removed, except for those of threads (thread_definitions.c). Before a file is removed,
 * the time of its last event is noted in the process's ring head. Later events of every thread
 * exist, and readers exclude earlier ones.
 *
 * There are several files instead of one circular file, because a closed file does not change. A
 * copy of the moment is therefore a link, and readers of CTF need not know of flight recorders.
 */
#include "tracer/record/file/recording.h"

#include "format/folder.h"
#include "format/process_name.h"
#include "tracer/record/file/file_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PARTS = 8,             /* a stream's file has 1/PARTS of the limit */
    TIME_PARTS = 32,       /* of a time limit; readers exclude events before the limit */
    MOST_FILES = 4096,     /* in the list; beyond, files become larger */
    GONE_AT_ONCE = 32,     /* files that one thread removes in one call */
    LEAST_FILE = 64 << 10, /* bytes */
    MOST_FILE = 32 << 20,
};

/* A closed file of a stream. */
struct full_file {
    uint64_t bytes;
    uint64_t last; /* ticks of its last event */
    uint32_t number;
};

/* Zero in a forked child. */
struct ring {
    struct pinsight_ring_head *head;
    uint64_t ticks; /* the limit of time */
    uint64_t bytes; /* bytes in all files of the threads' streams */
    uint32_t first, count;
    struct full_file files[MOST_FILES]; /* a circular list */
};

static struct ring *ring;

struct head_making {
    const struct pinsight_buffer_head *buffer;
    struct pinsight_ring_head *head;
};

/* Work for pinsight_file_work(): makes the ring head's file, or finds the one from before this
 * process executed another program. */
static int map_head(void *data) {
    struct head_making *making = data;
    struct pinsight_ring_head made = {.version = PINSIGHT_FOLDER_VERSION};
    char name[PINSIGHT_BUFFER_NAME], process[PINSIGHT_PROCESS_NAME_BYTES];
    pinsight_file_process_name(making->buffer, process);
    snprintf(name, sizeof name, ".%s-ring", process);
    int fd = pinsight_recording_open(name, O_RDWR);
    int error = 0;
    if (fd < 0)
        return errno;
    made.pid = making->buffer->pid;
    made.bytes = pinsight_recording.limit.bytes;
    made.ns = pinsight_recording.limit.ns;
    if (pread(fd, &made.magic, sizeof made.magic, 0) != sizeof made.magic ||
        made.magic != PINSIGHT_RING_MAGIC) {
        made.magic = PINSIGHT_RING_MAGIC;
        if (pwrite(fd, &made, sizeof made, 0) != sizeof made)
            error = ENOSPC;
    }
    if (!error) {
        making->head = mmap(NULL, sizeof made, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = making->head == MAP_FAILED ? errno : 0;
    }
    close(fd);
    return error;
}

/* Makes the ring's state if necessary. The lock is held. */
static bool ensure(const struct pinsight_record_stream *stream) {
    struct head_making making = {.buffer = stream->head};
    if (!ring)
        __atomic_store_n(&ring, pinsight_pages_wiped(sizeof *ring), __ATOMIC_RELEASE);
    if (!ring)
        return false;
    if (!ring->head && pinsight_file_work(map_head, &making) == 0) {
        ring->ticks = pinsight_recording_ticks(pinsight_recording.limit.ns);
        __atomic_store_n(&ring->head, making.head, __ATOMIC_RELEASE);
    }
    return ring->head;
}

/* Returns whether a stream's file of `bytes` bytes has its share. A file may become longer if the
 * thread's open calls are unknown, because a later call of renew() can record them. */
static bool is_full(const struct pinsight_record_stream *stream, uint64_t bytes, uint64_t now) {
    uint64_t limit = pinsight_recording.limit.bytes / PARTS / pinsight_pool_count();
    unsigned patience = stream->renews ? 1 : 2;
    if (!bytes)
        return false;
    if (!pinsight_recording.limit.bytes)
        return bytes >= MOST_FILE * patience ||
               (stream->begun && now - stream->begun >= ring->ticks / TIME_PARTS * patience);
    return bytes >= (limit > LEAST_FILE ? limit : LEAST_FILE) * patience;
}

/* Closes a stream's file. */
static void close_file(struct pinsight_record_stream *stream, uint64_t now) {
    struct full_file full = {
        .bytes = stream->head->base - stream->head->origin,
        .last = stream->head->last,
        .number = stream->number,
    };
    int error;
    if (ring->count == MOST_FILES)
        return;
    do
        error = pinsight_buffer_next_file(stream, pinsight_pool_number());
    while (error == EEXIST);
    if (error)
        return;
    stream->begun = now;
    stream->open_is_due = true;
    pinsight_thread_definitions_due(stream);
    ring->files[(ring->first + ring->count++) % MOST_FILES] = full;
}

/* Returns whether the oldest file exceeds the limit. */
static bool is_too_much(const struct full_file *oldest, uint64_t now) {
    if (pinsight_recording.limit.bytes)
        return ring->bytes > pinsight_recording.limit.bytes;
    return now > oldest->last && now - oldest->last > ring->ticks + ring->ticks / TIME_PARTS;
}

/* Removes the excess files from the list, and notes their last times in the ring head. Returns
 * their number. */
static unsigned take_oldest(uint32_t numbers[GONE_AT_ONCE], uint64_t now) {
    unsigned taken = 0;
    while (ring->count && taken < GONE_AT_ONCE) {
        const struct full_file *oldest = &ring->files[ring->first];
        if (!is_too_much(oldest, now))
            break;
        if (oldest->last > ring->head->dropped_until)
            __atomic_store_n(&ring->head->dropped_until, oldest->last, __ATOMIC_RELEASE);
        ring->head->dropped_bytes += oldest->bytes;
        ring->bytes -= oldest->bytes;
        numbers[taken++] = oldest->number;
        ring->first = (ring->first + 1) % MOST_FILES;
        ring->count--;
    }
    return taken;
}

/* Files that are to be removed. */
struct removing {
    const struct pinsight_buffer_head *buffer;
    uint32_t numbers[GONE_AT_ONCE];
    unsigned count;
};

static int remove_files(void *data) {
    const struct removing *what = data;
    char name[PINSIGHT_BUFFER_NAME];
    int folder = pinsight_recording_folder();
    for (unsigned i = 0; folder >= 0 && i < what->count; i++) {
        pinsight_buffer_name(what->buffer, "", what->numbers[i], name);
        unlinkat(folder, name, 0);
    }
    if (folder >= 0)
        close(folder);
    return 0;
}

void pinsight_ring_wrote(struct pinsight_record_stream *stream, uint64_t bytes) {
    struct removing gone = {.buffer = stream->head};
    if (!pinsight_pool_lock())
        return;
    if (ensure(stream)) {
        uint64_t now = stream->head->last;
        ring->bytes += bytes;
        pinsight_ring_head_note(ring->head, now);
        if (!stream->begun)
            stream->begun = now;
        if (is_full(stream, stream->head->base - stream->head->origin, now))
            close_file(stream, now);
        gone.count = take_oldest(gone.numbers, now);
    }
    pinsight_pool_unlock();
    if (gone.count)
        pinsight_file_work(remove_files, &gone);
}

bool pinsight_ring_renew(struct pinsight_record_stream *stream) {
    const struct pinsight_buffer_head *head = stream->head;
    const struct ring *own = __atomic_load_n(&ring, __ATOMIC_ACQUIRE);
    stream->renews = true;
    if (own && __atomic_load_n(&own->head, __ATOMIC_ACQUIRE) &&
        is_full(stream, head->pos - head->origin, head->last)) {
        stream->busy = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        pinsight_buffer_flush(stream);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        stream->busy = false;
    }
    stream->renews = false;
    bool open_is_due = stream->open_is_due;
    stream->open_is_due = false;
    return open_is_due;
}

void pinsight_ring_end(void) {
    struct pinsight_ring_head *head = ring ? ring->head : NULL;
    if (!head)
        return;
    __atomic_store_n(&ring->head, NULL, __ATOMIC_RELEASE);
    ring->first = ring->count = 0;
    ring->bytes = ring->ticks = 0;
    munmap(head, sizeof *head);
}
