/* Events that relate the trace's clock to others; see recording.h. */
#include "tracer/record/file/recording.h"

#include "base/kernel_clock.h"
#include "format/folder.h"

#include <string.h>
#include <time.h>

static void store(struct pinsight_record_stream *stream) {
    struct pinsight_buffer_head *head = stream->head;
    const uint8_t extended = PINSIGHT_EXTENDED;
    struct pinsight_clocks now;
    pinsight_file_clocks(&now, pinsight_recording.control->has_counter);
    if (head->last < now.ticks)
        head->last = now.ticks;
    uint8_t *at = stream->at;
    at = PINSIGHT_STORE(at, extended);
    at = PINSIGHT_STORE(at, pinsight_file_clock_sync);
    at = PINSIGHT_STORE(at, head->last);
    at = PINSIGHT_STORE(at, now);
    pinsight_stream_publish(stream, head, at);
}

void pinsight_sync_if_due(struct pinsight_record_stream *stream) {
    if (pinsight_pool_sync_is_due(pinsight_kernel_ns(CLOCK_MONOTONIC)))
        store(stream);
}

void pinsight_sync_last(struct pinsight_record_stream *stream) {
    if (stream->head->pos != stream->head->base)
        return; /* it could not be written */
    pinsight_buffer_begin(stream, pinsight_recording_now(false));
    store(stream);
    pinsight_buffer_flush(stream);
}
