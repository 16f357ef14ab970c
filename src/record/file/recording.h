/* The file recorder within a process: whether and where it records. */
#ifndef PINSIGHT_RECORD_FILE_RECORDING_H
#define PINSIGHT_RECORD_FILE_RECORDING_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "record/file/layout.h"
#include "record/file/ring_head.h"
#include "record/stream.h"

/* What a process records into; set before its first event, and again where it was ended. */
struct pinsight_file_recording {
    struct pinsight_control *control; /* NULL: nothing is recorded */
    char folder[PATH_MAX];
    char buffers[PATH_MAX];    /* where they lie, "": in the folder; see local.h */
    enum pinsight_owned owned; /* what the folder is: checked again where it is plainly own */
    uint32_t user;             /* whose it is then */
    char host[64];             /* as it was then; a program may go where it has another name */
    bool is_ring;              /* only the last part is kept: */
    struct pinsight_ring_limit limit; /* that much */
    /* When the clocks of threads are read; see thread_clock.c. */
    uint64_t gap_ticks, look_ticks;
    double ns_per_tick; /* about */
};

extern struct pinsight_file_recording pinsight_recording;

/*
 * The streams of this process, pool.c. All of it is forgotten in a forked child.
 */

/* Pages that are zero, and again in a forked child, however it was forked (madvise(2),
 * MADV_WIPEONFORK). NULL where there are none. */
void *pinsight_pages_wiped(size_t bytes);

/* A stream with a buffer for the calling thread, which ended threads had before or a new one. NULL
 * where there is none to be had; then errno says why. `mine` is the thread's struct, if it has one
 * that a fork emptied, else NULL. */
struct pinsight_record_stream *pinsight_pool_take(struct pinsight_record_stream *mine);

/* The calling thread needs it no more. */
void pinsight_pool_give(struct pinsight_record_stream *stream);

/* Calls `visit` for each stream whose thread has ended. No other thread takes one meanwhile. */
void pinsight_pool_each_free(void (*visit)(struct pinsight_record_stream *stream));

/* The stream of a thread for what is kept whatever a ring drops, by the thread's other one, with
 * which it goes from thread to thread. NULL where there is none to be had; then errno says why. */
struct pinsight_record_stream *pinsight_pool_kept(struct pinsight_record_stream *stream);

/* Takes the buffers of all threads and of those that ended, after `complete` had each: of threads
 * that go on, too, which get new ones with their next events. No event is begun meanwhile. False
 * where a thread stays within one: then its buffer is as it was, and complete when it ends. */
bool pinsight_pool_empty(void (*complete)(struct pinsight_record_stream *stream));

/* The lock around all streams, and for ring.c. False where it cannot be had; then errno says why.
 */
bool pinsight_pool_lock(void);
void pinsight_pool_unlock(void);

/* With the lock: the number of a stream's next file. And how many threads' streams there are. */
uint32_t pinsight_pool_number(void);
uint32_t pinsight_pool_count(void);

/* The same without the lock. False where it cannot be had; then errno says why. */
bool pinsight_pool_number_new(uint32_t *number);

/* The packet of a stream was written, so many bytes: closes its file and drops others. See ring.c.
 */
void pinsight_ring_wrote(struct pinsight_record_stream *stream, uint64_t bytes);

/* Counts what this process wrote into streams, in bytes; and says it. Any thread. */
void pinsight_pool_wrote(uint64_t bytes);
uint64_t pinsight_pool_written(void);

/* Closes the file of the calling thread's stream where it has its part. Whether what is open in the
 * thread is to be said again. */
bool pinsight_ring_renew(struct pinsight_record_stream *stream);

/* Is it time to record the clocks again, for this process? `monotonic`: now, in ns. True once. */
bool pinsight_pool_sync_is_due(uint64_t monotonic);

/*
 * One stream, stream.c and buffer.c. Of the thread that has it.
 */

/* From now on fork() in a signal handler that interrupts an event leaves the parent's buffer alone.
 */
void pinsight_stream_follow_forks(void);

/* What takes a buffer, writes it or makes it larger is not left in between for a signal handler,
 * which could fork. */
static inline void pinsight_signals_hold(sigset_t *old) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, old);
}

static inline void pinsight_signals_let(const sigset_t *old) {
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Gives a stream a buffer: a file of its own, mapped. Returns 0 or an errno. */
int pinsight_buffer_make(struct pinsight_record_stream *stream);

/* Room on the disk for all of a file before it is mapped: who touches a page without it is killed.
 * Returns 0 or an errno. */
int pinsight_buffer_allocate(int fd, uint64_t bytes);

/* When this process started, as names of files have it. */
uint64_t pinsight_buffer_own_start(void);

/* Writes what is in the buffer to the stream's file, and takes the buffer and its file away. The
 * stream is empty afterwards. */
void pinsight_buffer_unmake(struct pinsight_record_stream *stream);

/* Makes the buffer larger, where it holds nothing. Where that fails it stays as it is. */
void pinsight_buffer_grow(struct pinsight_record_stream *stream, uint64_t size);

/* Writes what is in the buffer to the stream's file. Afterwards it is empty. */
void pinsight_buffer_flush(struct pinsight_record_stream *stream);

/* Gives the stream of an empty buffer a new file with that number, and leaves the old one as it is.
 * Returns 0, or an errno: then it has its old file. EEXIST: what this process recorded before it
 * executed another program has the number. */
int pinsight_buffer_next_file(struct pinsight_record_stream *stream, uint32_t number);

/* Opens the trace's folder, in a work of pinsight_file_work; to be closed. -1 with errno set: EPERM
 * where somebody put another one into its place. */
int pinsight_recording_folder(void);

/* Opens a file in it to write, and makes it where it is not there, in such a work. `flags` as in
 * pinsight_open_to_write. Returns a descriptor, or -1 with errno set. */
int pinsight_recording_open(const char *name, int flags);

/* The name of a stream's file in it, or with a dot that of its buffer's. */
enum { PINSIGHT_BUFFER_NAME = 80 };
void pinsight_buffer_name(const struct pinsight_buffer_head *head, const char *dot, uint32_t number,
                          char name[PINSIGHT_BUFFER_NAME]);

/* The path of that file. False where it is too long. */
bool pinsight_buffer_path(const struct pinsight_buffer_head *head, const char *dot, uint32_t number,
                          char path[PATH_MAX]);

/* Where the packet that is being recorded begins in the buffer. */
uint8_t *pinsight_buffer_packet(const struct pinsight_record_stream *stream);

/* Ends that packet in the buffer, so that another one can be begun behind it. One without events is
 * taken back. */
void pinsight_buffer_close(struct pinsight_record_stream *stream);

/* Begins a packet of the calling thread, with room, where none is being recorded. */
void pinsight_buffer_begin(struct pinsight_record_stream *stream, uint64_t ticks);

/* What sync.c adds to a packet that begins, at most. */
#define PINSIGHT_SYNC_BYTES (PINSIGHT_EXTENDED_BYTES + sizeof(struct pinsight_clocks))

/* A packet has begun, with room: records the clocks in it where it is time. */
void pinsight_sync_if_due(struct pinsight_record_stream *stream);

/* The process ends perhaps: records the clocks in an empty buffer, and writes it. */
void pinsight_sync_last(struct pinsight_record_stream *stream);

/* What thread_clock.c adds before an event, at most. */
#define PINSIGHT_THREAD_CLOCK_BYTES (PINSIGHT_EXTENDED_BYTES + 2 * sizeof(uint64_t))

/* Once, before the first event: finds out how often the clocks of threads are read. */
void pinsight_thread_clock_ready(void);

/* A stream has a new thread: its clock is read before its first event. `is_read`: or never. */
void pinsight_thread_clock_begin(struct pinsight_record_stream *stream, bool is_read);

/* Before an event at `now`, ticks, with room for both: records how long the calling thread had a
 * processor. Of a stream of which no clock is read: nothing. */
void pinsight_thread_clock_record(struct pinsight_record_stream *stream,
                                  struct pinsight_buffer_head *head, uint64_t now);

/* The calling thread has recorded its last event: its stream goes to the next thread. */
void pinsight_stream_leave(void);

/* Counts events that are lost, in a number of the control page; and of their stream, if there is
 * one. Any thread, also in a signal handler. */
void pinsight_recording_lost(struct pinsight_record_stream *stream, uint64_t *number,
                             uint64_t events);

/* The time, by the trace's clock. `ordered`: not before what the thread did before. */
uint64_t pinsight_recording_now(bool ordered);

/* Ticks of that clock in so many nanoseconds, about. */
uint64_t pinsight_recording_ticks(uint64_t ns);

#endif
