/*
 * The processor time of threads; see recording.h.
 *
 * A trace has wall times. Between two events a thread may have worked, waited, or wanted a
 * processor and had none. Its clock of processor time distinguishes these, but reading it is a
 * system call. Therefore it is read before an event that comes long after the last one, and
 * otherwise from time to time. Readings then take a small part of the time between them, whatever a
 * system call costs on this machine. The memory of the process is read on the same occasions, so
 * that no event pays for a check.
 */
#include "base/forbidden.h"
#include "format/folder.h"
#include "tracer/record/file/recording.h"
#include "tracer/record/processor_time.h"
#include "tracer/record/resident.h"

void pinsight_thread_clock_ready(void) {
    uint64_t gap = pinsight_recording_ticks(pinsight_processor_gap_ns());
    if (gap > PINSIGHT_COMPACT_MOST_TICKS)
        gap = PINSIGHT_COMPACT_MOST_TICKS;
    pinsight_recording.gap_ticks = gap; /* 0: never */
    pinsight_recording.look_ticks = PINSIGHT_LOOK_GAPS * gap;
    pinsight_recording.resident_ticks = pinsight_recording_ticks(PINSIGHT_RESIDENT_NS);
    pinsight_recording.ns_per_tick = 1e9 / (double)pinsight_recording_ticks(1000000000u);
}

void pinsight_thread_clock_begin(struct pinsight_record_stream *stream, bool is_read) {
    is_read = is_read && pinsight_recording.gap_ticks > 0;
    stream->gap = is_read ? pinsight_recording.gap_ticks : PINSIGHT_COMPACT_MOST_TICKS;
    stream->look_at = is_read ? 0 : UINT64_MAX;
    stream->clock_read = 0;
    stream->run_delay_ns = 0;
}

/* Returns the time since the last reading for which the thread wanted a processor and had none. */
static uint64_t run_delay_ns(struct pinsight_record_stream *stream, uint64_t now,
                             uint64_t processor_ns) {
    double passed = (double)(now - stream->clock_read) * pinsight_recording.ns_per_tick;
    return stream->clock_read
               ? pinsight_run_delay_ns(&stream->run_delay_ns,
                                       passed - (double)(processor_ns - stream->processor_ns))
               : 0;
}

/* Stores the event process_memory if it is due. Returns the position behind it. */
static uint8_t *store_memory(uint8_t *at, uint64_t now) {
    const uint64_t bytes = pinsight_resident_bytes(now, pinsight_recording.resident_ticks);
    const uint8_t extended = PINSIGHT_EXTENDED;
    if (!bytes)
        return at;
    at = PINSIGHT_STORE(at, extended);
    at = PINSIGHT_STORE(at, pinsight_file_process_memory);
    at = PINSIGHT_STORE(at, now);
    return PINSIGHT_STORE(at, bytes);
}

void pinsight_thread_clock_record(struct pinsight_record_stream *stream,
                                  struct pinsight_buffer_head *head, uint64_t now) {
    if (stream->look_at == UINT64_MAX ||
        atomic_load_explicit(&pinsight_clocks_are_forbidden, memory_order_relaxed))
        return;
    /* A reading before the first event of a program that was executed in place of another would
     * count as the other's. */
    static bool is_announced;
    if (!__atomic_exchange_n(&is_announced, true, __ATOMIC_RELAXED))
        return;
    const uint64_t processor_ns = pinsight_processor_ns();
    const uint64_t delay_ns = run_delay_ns(stream, now, processor_ns);
    const uint8_t extended = PINSIGHT_EXTENDED;
    uint8_t *at = PINSIGHT_READ_ONCE(stream->at);
    if (!at) /* a signal handler forked */
        return;
    at = PINSIGHT_STORE(at, extended);
    at = PINSIGHT_STORE(at, pinsight_file_thread_clock);
    at = PINSIGHT_STORE(at, now);
    at = PINSIGHT_STORE(at, processor_ns);
    at = PINSIGHT_STORE(at, delay_ns);
    at = store_memory(at, now);
    stream->clock_read = now;
    stream->processor_ns = processor_ns;
    stream->look_at = now + pinsight_recording.look_ticks;
    head->last = now;
    pinsight_stream_publish(stream, head, at);
}
