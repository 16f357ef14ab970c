/*
 * Converts times of the monotonic clock to times of the trace; see pinsight_stream_ticks_of() in
 * stream.h.
 *
 * The system adjusts its clock by some millionths, so that its rate to the processor's counter
 * changes. Therefore both clocks are read again for each time that is later than the last reading.
 * A time between two readings is interpolated.
 */
#include "tracer/record/file/recording.h"

#include "format/folder.h"
#include "tracer/record/stream.h"

#include <pthread.h>
#include <stdatomic.h>

/* The least distance of two readings that give a rate. */
#define APART_NS UINT64_C(10000000)

/* Two readings, the earlier one first. The members are separate atomics, so that any thread may
 * read them. */
struct line {
    _Atomic uint64_t from_ticks, from_ns, to_ticks, to_ns;
};

/* Readers of an old line have finished before it is written again. */
#define LINES 16
static struct line lines[LINES];
static _Atomic unsigned current; /* 0 before the first reading */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(unsigned number, struct pinsight_clocks from, struct pinsight_clocks to) {
    struct line *line = &lines[number % LINES];
    atomic_store_explicit(&line->from_ticks, from.ticks, memory_order_relaxed);
    atomic_store_explicit(&line->from_ns, from.monotonic, memory_order_relaxed);
    atomic_store_explicit(&line->to_ticks, to.ticks, memory_order_relaxed);
    atomic_store_explicit(&line->to_ns, to.monotonic, memory_order_relaxed);
    atomic_store_explicit(&current, number, memory_order_release);
}

/* Reads the clocks. The lock is held. */
static unsigned read_clocks(unsigned number) {
    struct pinsight_clocks now, from = pinsight_recording.control->first;
    const struct line *line = &lines[number % LINES];
    pinsight_file_clocks(&now, true);
    if (number) {
        from.ticks = line->to_ticks;
        from.monotonic = line->to_ns;
        if (now.monotonic - from.monotonic < APART_NS) {
            from.ticks = line->from_ticks;
            from.monotonic = line->from_ns;
        }
    }
    number = number + 1 ? number + 1 : 1;
    put(number, from, now);
    return number;
}

static unsigned line_for(uint64_t ns) {
    unsigned number = atomic_load_explicit(&current, memory_order_acquire);
    if (number && ns <= atomic_load_explicit(&lines[number % LINES].to_ns, memory_order_relaxed))
        return number;
    pthread_mutex_lock(&lock);
    number = read_clocks(atomic_load(&current));
    pthread_mutex_unlock(&lock);
    return number;
}

uint64_t pinsight_stream_ticks_of(uint64_t ns) {
    const struct pinsight_control *control = pinsight_recording.control;
    if (!ns || !control || !control->has_counter)
        return ns;
    const struct line *line = &lines[line_for(ns) % LINES];
    uint64_t to_ns = line->to_ns, to_ticks = line->to_ticks;
    double rate = to_ns > line->from_ns
                      ? (double)(to_ticks - line->from_ticks) / (double)(to_ns - line->from_ns)
                      : 1;
    return to_ticks - (uint64_t)(int64_t)((double)(int64_t)(to_ns - ns) * rate);
}
