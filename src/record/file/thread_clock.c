/*
 * How long a thread had a processor; see recording.h.
 *
 * A trace has times of the wall. Between two events a thread may have worked, waited, or wanted a
 * processor and had none. Its clock of processor time tells, and reading it is a system call. So
 * it is read before an event that comes long after the last one, and else now and then: the
 * readings take a small part of the time between them, whatever a system call costs here.
 */
#include "record/file/folder.h"
#include "record/file/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GAP_NS 100000u /* at least */
#define LOOK_GAPS 10u  /* a reading is in force for so many gaps */
#define COSTS_IN_GAP 225u
#define DELAY_NS                                                                                   \
    1000000u /* from on so much without a processor, it is asked whether it was wanted */

static uint64_t read_processor_ns(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The second number of /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst): how
 * long the thread was on a run queue so far. 0 where it cannot be had. By system calls: libc's
 * functions are points where a thread is cancelled (pthreads(7)). */
static uint64_t read_run_delay_ns(void) {
    char text[96];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    long length = fd < 0 ? -1 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second ? strtoull(second + 1, NULL, 10) : 0;
}

void pinsight_thread_clock_ready(void) {
    uint64_t gap = pinsight_recording_ticks(GAP_NS), least = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = pinsight_recording_now(true);
        read_processor_ns();
        uint64_t cost = pinsight_recording_now(true) - before;
        least = cost < least ? cost : least;
    }
    if (gap < COSTS_IN_GAP * least)
        gap = COSTS_IN_GAP * least;
    if (gap > PINSIGHT_COMPACT_MOST_TICKS)
        gap = PINSIGHT_COMPACT_MOST_TICKS;
    pinsight_recording.gap_ticks = gap;
    pinsight_recording.look_ticks = LOOK_GAPS * gap;
    pinsight_recording.ns_per_tick = 1e9 / (double)pinsight_recording_ticks(1000000000u);
}

void pinsight_thread_clock_begin(struct pinsight_record_stream *stream, bool is_read) {
    stream->gap = is_read ? pinsight_recording.gap_ticks : PINSIGHT_COMPACT_MOST_TICKS;
    stream->look_at = is_read ? 0 : UINT64_MAX;
    stream->clock_read = 0;
    stream->run_delay_ns = 0;
}

/* How long the thread wanted a processor and had none, of what it was without one since the last
 * reading. */
static uint64_t run_delay_ns(struct pinsight_record_stream *stream, uint64_t now,
                             uint64_t processor_ns) {
    double passed = (double)(now - stream->clock_read) * pinsight_recording.ns_per_tick;
    double without = passed - (double)(processor_ns - stream->processor_ns);
    if (!stream->clock_read || without < DELAY_NS)
        return 0;
    uint64_t until = read_run_delay_ns(), delay = until - stream->run_delay_ns;
    if (until < stream->run_delay_ns) /* it could not be read */
        return 0;
    stream->run_delay_ns = until;
    /* What came before the reading, while less was at stake, is in it too. */
    return delay < (uint64_t)without ? delay : (uint64_t)without;
}

void pinsight_thread_clock_record(struct pinsight_record_stream *stream,
                                  struct pinsight_buffer_head *head, uint64_t now) {
    if (stream->look_at == UINT64_MAX)
        return;
    int error = errno;
    const uint64_t processor_ns = read_processor_ns();
    const uint64_t delay_ns = run_delay_ns(stream, now, processor_ns);
    errno = error;
    const uint8_t extended = PINSIGHT_EXTENDED;
    uint8_t *at = PINSIGHT_READ_ONCE(stream->at);
    if (!at) /* a signal handler forked */
        return;
    at = PINSIGHT_STORE(at, extended);
    at = PINSIGHT_STORE(at, pinsight_file_thread_clock);
    at = PINSIGHT_STORE(at, now);
    at = PINSIGHT_STORE(at, processor_ns);
    at = PINSIGHT_STORE(at, delay_ns);
    stream->clock_read = now;
    stream->processor_ns = processor_ns;
    stream->look_at = now + pinsight_recording.look_ticks;
    head->last = now;
    pinsight_stream_publish(stream, head, at);
}
