/* The file recorder within a process: its state, its streams and its buffers. */
#ifndef PINSIGHT_RECORD_FILE_RECORDING_H
#define PINSIGHT_RECORD_FILE_RECORDING_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/safe_files.h"
#include "format/layout.h"
#include "format/ring_head.h"
#include "tracer/record/stream.h"

/* The state of the recording. Set before the first event, and again if another recording begins. */
struct pinsight_file_recording {
    struct pinsight_control *control; /* NULL: nothing is recorded */
    char folder[PATH_MAX];
    char buffers[PATH_MAX];    /* folder of the buffers, or "" for the same folder; see local.h */
    enum pinsight_owned owned; /* ownership of the folder; PINSIGHT_OWN is checked again */
    uint32_t user;             /* the folder's owner at that time */
    char host[64];             /* the host's name at that time, because the program can change it */
    bool is_ring;              /* a flight recorder, with this limit: */
    struct pinsight_ring_limit limit; /* the limit */
    /* Limits that decide when the clocks of threads are read; see thread_clock.c. */
    uint64_t gap_ticks, look_ticks, resident_ticks;
    double ns_per_tick; /* approximate */
};

extern struct pinsight_file_recording pinsight_recording;

/*
 * The streams of this process (pool.c). A forked child begins with none of them.
 */

/* Returns zeroed pages that are zero again in a forked child, however it was forked (madvise(2),
 * MADV_WIPEONFORK). Returns NULL on failure. */
void *pinsight_pages_wiped(size_t bytes);

/* Returns a stream with a buffer for the calling thread: a new one, or one of a thread that has
 * ended. Returns NULL with errno on failure. `mine` is the thread's struct if a fork emptied it,
 * else NULL. */
struct pinsight_record_stream *pinsight_pool_take(struct pinsight_record_stream *mine);

/* Returns a stream to the pool. The calling thread does not use it any more. */
void pinsight_pool_give(struct pinsight_record_stream *stream);

/* Calls `visit` for each stream whose thread has ended. Meanwhile, no other thread takes one. */
void pinsight_pool_each_free(void (*visit)(struct pinsight_record_stream *stream));

/* Returns the thread's stream for data that a flight recorder never drops. The pair of streams
 * moves from thread to thread together. `stream` is the thread's other one. Returns NULL with errno
 * on failure. */
struct pinsight_record_stream *pinsight_pool_kept(struct pinsight_record_stream *stream);

/* Takes away the buffers of all threads, also of those that have ended, after a call of `complete`
 * for each. Threads that continue get new ones with their next events. No event may begin
 * meanwhile. Returns false if a thread stays within an event. Its buffer then stays, and is
 * complete when the process ends. */
bool pinsight_pool_empty(void (*complete)(struct pinsight_record_stream *stream));

/* Take and release the lock of all streams, also for ring.c. pinsight_pool_lock() returns false
 * with errno if it cannot get the lock. */
bool pinsight_pool_lock(void);
void pinsight_pool_unlock(void);

/* Return the number of a stream's next file, and the number of the threads' streams. The caller
 * holds the lock. */
uint32_t pinsight_pool_number(void);
uint32_t pinsight_pool_count(void);

/* Like pinsight_pool_number(), without the lock. Returns false with errno if the lock cannot be
 * had. */
bool pinsight_pool_number_new(uint32_t *number);

/* Called when a packet of a stream was written. Closes the stream's file and drops other files if
 * necessary. See ring.c. */
void pinsight_ring_wrote(struct pinsight_record_stream *stream, uint64_t bytes);

/* Adds to the number of bytes that this process wrote into streams; and returns it. Any thread. */
void pinsight_pool_wrote(uint64_t bytes);
uint64_t pinsight_pool_written(void);

/* Closes the file of the calling thread's stream if the file has its share. Returns whether the
 * thread has to record its open calls again. */
bool pinsight_ring_renew(struct pinsight_record_stream *stream);

/* Forgets the files of a recording that has ended, and unmaps its ring head. No stream is used. */
void pinsight_ring_end(void);

/* Returns true once when this process has to record the clocks again. `monotonic` is the present
 * time in ns. */
bool pinsight_pool_sync_is_due(uint64_t monotonic);

/*
 * One stream (stream.c, buffer.c). Called by the thread that has it.
 */

/* Registers for forks, so that fork() in a signal handler that interrupts an event does not damage
 * the parent's buffer. */
void pinsight_stream_follow_forks(void);

/* Block and unblock signals. Code that takes, writes or enlarges a buffer blocks them, because a
 * signal handler could fork. */
static inline void pinsight_signals_block(sigset_t *old) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, old);
}

static inline void pinsight_signals_unblock(const sigset_t *old) {
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Gives a stream a buffer: a mapped file of its own. Returns 0 or an errno. */
int pinsight_buffer_make(struct pinsight_record_stream *stream);

/* Allocates disk space for a whole file before it is mapped: an access to a page without space
 * would kill the thread's process. Returns 0 or an errno. */
int pinsight_buffer_allocate(int fd, uint64_t bytes);

/* Returns the start time of this process, as in the names of files. */
uint64_t pinsight_buffer_own_start(void);

/* Writes the content of the buffer to the stream's file, and removes the buffer and its file. The
 * stream is empty afterwards. */
void pinsight_buffer_unmake(struct pinsight_record_stream *stream);

/* Enlarges an empty buffer. On failure it stays unchanged. */
void pinsight_buffer_grow(struct pinsight_record_stream *stream, uint64_t size);

/* Writes the content of the buffer to the stream's file. The buffer is empty afterwards. */
void pinsight_buffer_flush(struct pinsight_record_stream *stream);

/* Gives the stream of an empty buffer a new file with a number. The old file stays unchanged.
 * Returns 0, or an errno, and the stream then keeps its old file. EEXIST: the number is in use, by
 * data from before this process executed another program. */
int pinsight_buffer_next_file(struct pinsight_record_stream *stream, uint32_t number);

/* Opens the trace's folder. The caller closes it. Called in work for pinsight_file_work(). Returns
 * -1 with errno: EPERM if another folder has taken its place. */
int pinsight_recording_folder(void);

/* Opens a file in the folder for writing, and makes it if necessary. Called in work for
 * pinsight_file_work(). `flags` as for pinsight_open_to_write(). Returns a descriptor, or -1 with
 * errno. */
int pinsight_recording_open(const char *name, int flags);

/* Writes the name of a stream's file in the folder, or with `dot` of its buffer's file. */
enum { PINSIGHT_BUFFER_NAME = 80 };
void pinsight_buffer_name(const struct pinsight_buffer_head *head, const char *dot, uint32_t number,
                          char name[PINSIGHT_BUFFER_NAME]);

/* Writes the path of that file. Returns false if it is too long. */
bool pinsight_buffer_path(const struct pinsight_buffer_head *head, const char *dot, uint32_t number,
                          char path[PATH_MAX]);

/* Returns the begin of the current packet in the buffer. */
uint8_t *pinsight_buffer_packet(const struct pinsight_record_stream *stream);

/* Ends the current packet in the buffer, so that another can begin behind it. A packet without
 * events is removed. */
void pinsight_buffer_close(struct pinsight_record_stream *stream);

/* Begins a packet of the calling thread. There must be room and no current packet. */
void pinsight_buffer_begin(struct pinsight_record_stream *stream, uint64_t ticks);

/* The most bytes that sync.c adds to a packet that begins. */
#define PINSIGHT_SYNC_BYTES (PINSIGHT_EXTENDED_BYTES + sizeof(struct pinsight_clocks))

/* Records the clocks in a packet that has begun, if they are due. There must be room. */
void pinsight_sync_if_due(struct pinsight_record_stream *stream);

/* Records the clocks in an empty buffer and writes the buffer, because the process may end. */
void pinsight_sync_last(struct pinsight_record_stream *stream);

/*
 * Definitions of threads in a flight recorder (thread_definitions.c). Called by the stream's
 * thread, for a stream with a buffer.
 */

/* Called when a stream has a new thread, which has no definitions yet. */
void pinsight_thread_definitions_begin(struct pinsight_record_stream *stream);

/* Called when the stream has a new file. The next packet begins with the thread's definitions. */
void pinsight_thread_definitions_due(struct pinsight_record_stream *stream);

/* Returns the most bytes that repeat() adds to a packet that begins. */
size_t pinsight_thread_definitions_bytes(const struct pinsight_record_stream *stream);

/* Records the thread's definitions in a packet that has begun, if they are due. There must be
 * room. */
void pinsight_thread_definitions_repeat(struct pinsight_record_stream *stream);

/* The most bytes that thread_clock.c adds before an event. */
#define PINSIGHT_THREAD_CLOCK_BYTES (2 * PINSIGHT_EXTENDED_BYTES + 3 * sizeof(uint64_t))

/* Finds out how often the clocks of threads are read. Called once, before the first event. */
void pinsight_thread_clock_ready(void);

/* Called when a stream has a new thread. Its clock is read before its first event, or never if
 * `is_read` is false. */
void pinsight_thread_clock_begin(struct pinsight_record_stream *stream, bool is_read);

/* Records the processor time of the calling thread, before an event at `now` (ticks). There must be
 * room for both. Does nothing for a stream whose clock is not read. */
void pinsight_thread_clock_record(struct pinsight_record_stream *stream,
                                  struct pinsight_buffer_head *head, uint64_t now);

/* Called when the calling thread has recorded its last event. Its stream goes to the next
 * thread. */
void pinsight_stream_leave(void);

/* Counts lost events, in a number of the control page, and of the stream unless it is NULL. Any
 * thread. Async-signal-safe. */
void pinsight_recording_lost(struct pinsight_record_stream *stream, uint64_t *number,
                             uint64_t events);

/* Returns the present time of the trace's clock. With `ordered`, the time is not earlier than the
 * thread's preceding loads. */
uint64_t pinsight_recording_now(bool ordered);

/* Returns the approximate number of ticks in `ns` nanoseconds. */
uint64_t pinsight_recording_ticks(uint64_t ns);

#endif
