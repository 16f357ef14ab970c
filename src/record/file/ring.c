/*
 * The flight recorder: of what a process records only the last part is kept, some bytes or some
 * seconds, of all its threads together.
 *
 * Events take the way that they take without it. When a buffer was written to its stream's file,
 * and that file has a part of the limit, the buffer goes on with a new file (its own file is
 * renamed, see pinsight_buffer_next_file). Files that are full are kept in a list, oldest first,
 * and as long as there is more than the limit the oldest is removed. So at any moment the last part
 * is in files: nobody has to do anything when the process is killed. Each file is whole packets,
 * and is read like any stream's.
 *
 * What later events refer to (definitions) is in streams of its own
 * (pinsight_pool_kept), which are kept whole. Before a file is removed the time of its last event
 * is noted in the process's ring head: what is later than that is there of every thread, and
 * readers exclude what is earlier.
 *
 * Several files, and not one that is written in a circle: a file that is closed does not change, so
 * that a copy of the moment is a link to it, and readers of CTF need not know of any of this.
 */
#include "record/file/recording.h"

#include "record/file/beside.h"
#include "record/file/folder.h"
#include "record/file/process_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PARTS = 8,             /* of the limit, in which a stream's file is one */
    TIME_PARTS = 32,       /* likewise of a time; what is too early is excluded when it is read */
    MOST_FILES = 4096,     /* in the list; with more, files become larger */
    GONE_AT_ONCE = 32,     /* files that one thread removes at a time */
    LEAST_FILE = 64 << 10, /* bytes */
    MOST_FILE = 32 << 20,
};

/* A stream's file that is closed. */
struct full_file {
    uint64_t bytes;
    uint64_t last; /* ticks, of its last event */
    uint32_t number;
};

/* Zero in a forked child. */
struct ring {
    struct pinsight_ring_head *head;
    uint64_t ticks; /* the limit of time */
    uint64_t bytes; /* in all files of the threads' streams */
    uint32_t first, count;
    struct full_file files[MOST_FILES]; /* a circle */
};

static struct ring *ring;

struct head_making {
    const struct pinsight_buffer_head *buffer;
    struct pinsight_ring_head *head;
};

/* A work of pinsight_file_work: makes the ring head's file, or finds what this process left there
 * before it executed another program. */
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

/* With the lock. */
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

/* Whether a stream's file, of so many bytes, has its part. Where it is not known what is open in
 * the thread it may become longer: in time somebody asks that does. */
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
    ring->files[(ring->first + ring->count++) % MOST_FILES] = full;
}

/* Whether the oldest file is not to be kept any more. */
static bool is_too_much(const struct full_file *oldest, uint64_t now) {
    if (pinsight_recording.limit.bytes)
        return ring->bytes > pinsight_recording.limit.bytes;
    return now > oldest->last && now - oldest->last > ring->ticks + ring->ticks / TIME_PARTS;
}

/* Takes the files out of the list that are to be removed, and notes what goes with them. Returns
 * how many. */
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
