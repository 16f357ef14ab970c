/*
 * A fake of CUPTI: records of what devices did. Work is kept until it is done; then a thread of
 * this library's writes its record into a buffer that the tool has given, and hands the buffer
 * over.
 */
#include "cupti.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PENDING_MAX 65536
#define TURN_NS 2000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_done = PTHREAD_COND_INITIALIZER;
static fake_buffer_requested requested;
static fake_buffer_completed completed;
static _Atomic(fake_timestamp) timestamp;
static _Atomic bool enabled[FAKE_KINDS];
static struct fake_work pending[PENDING_MAX];
static unsigned pending_count;
static unsigned long turns, flushes, forced, flushes_done;
static uint32_t period_ms;
static bool running;
static size_t dropped;
static unsigned long written;

/* The buffer that is being filled, and one that waits to be handed over after it (the option
 * `together`). */
struct buffer {
    uint8_t *bytes;
    size_t size, used, records, max_records;
    uint64_t since;
};
static struct buffer filled, held;

static void log_buffer(const struct buffer *buffer) {
    fake_log("buffer size=%zu valid=%zu records=%zu", buffer->size, buffer->used, buffer->records);
}

static void hand_over_one(struct buffer *buffer) {
    if (!buffer->bytes)
        return;
    struct buffer whole = *buffer;
    *buffer = (struct buffer){0};
    log_buffer(&whole);
    pthread_mutex_unlock(&lock);
    completed(NULL, 0, whole.bytes, whole.size, whole.used);
    pthread_mutex_lock(&lock);
}

/* Lock held; it is let go of while the tool has the buffer. */
static void hand_over(bool all) {
    if (fake_cupti.together > 0 && !all && !held.bytes) {
        held = filled;
        filled = (struct buffer){0};
        return;
    }
    hand_over_one(&filled);
    hand_over_one(&held); /* the older one last */
}

/* Room for a record; NULL where the tool gives no buffer. Lock held, likewise. */
static void *room(size_t size) {
    if (filled.bytes && (filled.used + size > filled.size ||
                         (filled.max_records && filled.records >= filled.max_records) ||
                         (fake_cupti.records_per_buffer > 0 &&
                          filled.records >= (size_t)fake_cupti.records_per_buffer)))
        hand_over(false);
    if (!filled.bytes) {
        struct buffer fresh = {.since = fake_now()};
        pthread_mutex_unlock(&lock);
        requested(&fresh.bytes, &fresh.size, &fresh.max_records);
        pthread_mutex_lock(&lock);
        if ((uintptr_t)fresh.bytes % 8)
            fake_misuse("buffer_not_aligned");
        if (!fresh.bytes || fresh.size < size)
            return NULL;
        filled = fresh;
    }
    void *at = filled.bytes + filled.used;
    memset(at, 0xa5, size); /* what a tool has no business to read */
    filled.used += size;
    filled.records++;
    return at;
}

/* What is to be added to CLOCK_MONOTONIC for the clock that the tool has asked for; CUPTI's own is
 * the time of day. */
static uint64_t offset(void) {
    fake_timestamp asked = atomic_load(&timestamp);
    struct timespec now;

    if (!asked) {
        clock_gettime(CLOCK_REALTIME, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - fake_now();
    }
    uint64_t before = fake_now(), its = asked(), after = fake_now();
    return its >= before && its <= after ? 0 : its - (before + after) / 2;
}

/* Where and when, as most records have it. */
#define PUT_PLACE(record)                                                                          \
    do {                                                                                           \
        record->start = start;                                                                     \
        record->end = end;                                                                         \
        record->device = work->device;                                                             \
        record->context = work->context;                                                           \
        record->stream = work->stream;                                                             \
        record->correlation = work->correlation;                                                   \
        record->graph_node = work->graph_node;                                                     \
        record->graph = work->graph;                                                               \
    } while (0)

static void write_record(const struct fake_work *work, uint64_t add, bool is_done) {
    uint64_t start = work->start + add, end = is_done ? work->end + add : 0;
    void *record = NULL;

    written++;
    if (fake_cupti.dropped > 0 && written <= (unsigned long)fake_cupti.dropped) {
        dropped++;
        fake_log("dropped kind=%u corr=%u", work->kind, work->correlation);
        return;
    }
    if (fake_cupti.unknown > 0) {
        struct fake_strange *strange = room(sizeof(*strange));
        if (strange)
            *strange = (struct fake_strange){.kind = FAKE_STRANGE, .bytes = sizeof(*strange)};
    }
    if (fake_cupti.zero_times > 0 && written % (unsigned long)fake_cupti.zero_times == 0)
        start = end = 0;
    switch (work->kind) {
    case FAKE_KERNEL: {
        struct fake_kernel *kernel = record = room(sizeof(*kernel));
        if (!kernel)
            break;
        PUT_PLACE(kernel);
        kernel->completed = end;
        for (int i = 0; i < 3; i++) {
            kernel->grid[i] = (int32_t)work->grid[i];
            kernel->block[i] = (int32_t)work->block[i];
        }
        kernel->static_shared = 0;
        kernel->dynamic_shared = (int32_t)work->shared;
        kernel->grid_id = (int64_t)written;
        kernel->name = fake_cupti.null_names > 0 ? NULL : work->name;
        break;
    }
    case FAKE_MEMCPY: {
        struct fake_memcpy *copy = record = room(sizeof(*copy));
        if (!copy)
            break;
        PUT_PLACE(copy);
        copy->copy_kind = (uint8_t)work->what;
        copy->source_kind = copy->target_kind = copy->flags = 0;
        copy->bytes = work->bytes;
        copy->runtime_correlation = 0;
        break;
    }
    case FAKE_MEMCPY2: {
        struct fake_memcpy2 *copy = record = room(sizeof(*copy));
        if (!copy)
            break;
        PUT_PLACE(copy);
        copy->copy_kind = (uint8_t)work->what;
        copy->bytes = work->bytes;
        break;
    }
    case FAKE_MEMSET: {
        struct fake_memset *set = record = room(sizeof(*set));
        if (!set)
            break;
        PUT_PLACE(set);
        set->value = work->what;
        set->bytes = work->bytes;
        break;
    }
    case FAKE_SYNC: {
        struct fake_sync *sync = record = room(sizeof(*sync));
        if (!sync)
            break;
        sync->type = work->what;
        sync->start = start;
        sync->end = end;
        sync->correlation = work->correlation;
        sync->context = work->context;
        sync->stream = work->stream;
        sync->event = work->event;
        break;
    }
    default: {
        struct fake_graph_trace *graph = record = room(sizeof(*graph));
        if (!graph)
            break;
        graph->correlation = work->correlation;
        graph->start = start;
        graph->end = end;
        graph->device = graph->end_device = work->device;
        graph->graph = work->graph;
        graph->context = graph->end_context = work->context;
        graph->stream = work->stream;
        break;
    }
    }
    if (!record) {
        dropped++;
        return;
    }
    memcpy(record, &work->kind, sizeof(work->kind));
    fake_log("record kind=%u corr=%u device=%u context=%u stream=%u start=%lu end=%lu bytes=%lu "
             "what=%u graph=%u "
             "node=%lu name=%s",
             work->kind, work->correlation, work->device, work->context, work->stream, start, end,
             work->bytes, work->what, work->graph, work->graph_node,
             work->kind == FAKE_KERNEL && fake_cupti.null_names < 0 ? work->name : "");
}

static int by_end(const void *a, const void *b) {
    const struct fake_work *one = a, *other = b;
    return one->end < other->end ? -1 : one->end > other->end;
}

/* Takes from `pending` what is done, and writes it. Lock held. */
static void write_what_is_done(bool force) {
    static struct fake_work done[PENDING_MAX];
    uint64_t now = fake_now(), late = fake_cupti.late > 0 ? (uint64_t)fake_cupti.late * 1000000 : 0,
             add = offset();
    unsigned count = 0, left = 0;

    for (unsigned i = 0; i < pending_count; i++) {
        if (force || pending[i].end + late <= now)
            done[count++] = pending[i];
        else
            pending[left++] = pending[i];
    }
    pending_count = left;
    qsort(done, count, sizeof(*done), by_end);
    unsigned group = fake_cupti.out_of_order > 0 ? 8 : 1; /* each group goes backwards */
    for (unsigned at = 0; at < count; at += group)
        for (unsigned i = at + group < count ? at + group : count; i-- > at;)
            write_record(&done[i], add, done[i].end <= now);
}

static void *work_on(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        unsigned long wanted = flushes, wanted_forced = forced;
        bool force = wanted_forced > 0;
        forced = 0;
        write_what_is_done(force);
        bool is_old =
            period_ms && filled.bytes && fake_now() - filled.since > (uint64_t)period_ms * 1000000;
        if ((is_old || wanted != flushes_done) && (filled.bytes || held.bytes))
            hand_over(true);
        flushes_done = wanted;
        turns++;
        pthread_cond_broadcast(&turn_done);
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

static void start(void) {
    pthread_t thread;

    if (!running && pthread_create(&thread, NULL, work_on, NULL) == 0) {
        pthread_detach(thread);
        running = true;
    }
}

/* Records of graphs stand for those of their nodes. In the thread that calls the driver. */
void fake_activity_work(const struct fake_work *work) {
    bool whole_graphs = atomic_load(&enabled[FAKE_GRAPH]);

    if (!atomic_load(&enabled[work->kind]) ||
        (work->kind != FAKE_GRAPH && work->graph && whole_graphs))
        return;
    pthread_mutex_lock(&lock);
    if (!filled.bytes && !held.bytes && !written &&
        requested) { /* CUPTI asks for its first buffer here */
        struct buffer fresh = {.since = fake_now()};
        requested(&fresh.bytes, &fresh.size, &fresh.max_records);
        if (fresh.bytes)
            filled = fresh;
    }
    if (pending_count < PENDING_MAX)
        pending[pending_count++] = *work;
    else
        dropped++;
    pthread_mutex_unlock(&lock);
}

/* What a tool calls. */

FAKE_API int cuptiActivityRegisterCallbacks(fake_buffer_requested request,
                                            fake_buffer_completed complete) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    pthread_mutex_lock(&lock);
    requested = request;
    completed = complete;
    pthread_mutex_unlock(&lock);
    return FAKE_SUCCESS;
}

#ifndef FAKE_CUPTI_OLD
FAKE_API int cuptiActivityRegisterTimestampCallback(fake_timestamp function) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    if (fake_cupti.no_timestamp_callback > 0)
        return FAKE_NOT_SUPPORTED;
    atomic_store(&timestamp, function);
    fake_log("timestamp");
    return FAKE_SUCCESS;
}

FAKE_API int cuptiActivityFlushPeriod(uint32_t ms) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    pthread_mutex_lock(&lock);
    period_ms = ms;
    pthread_mutex_unlock(&lock);
    return FAKE_SUCCESS;
}
#endif

FAKE_API int cuptiGetTimestamp(uint64_t *now) {
    *now = fake_now() + offset();
    return FAKE_SUCCESS;
}

static int set_kind(uint32_t kind, bool on) {
    if (kind >= FAKE_KINDS)
        return FAKE_INVALID_KIND;
    if (on && fake_cupti.privileges > 0)
        return FAKE_INSUFFICIENT_PRIVILEGES;
    if (on && fake_cupti.enable > 0)
        return (int)fake_cupti.enable;
    if (on && !requested)
        return FAKE_INVALID_OPERATION;
    fake_cupti_attach();
    pthread_mutex_lock(&lock);
    start();
    pthread_mutex_unlock(&lock);
    atomic_store(&enabled[kind], on);
    fake_log("%s kind=%u", on ? "enabled" : "disabled", kind);
    return FAKE_SUCCESS;
}

FAKE_API int cuptiActivityEnable(uint32_t kind) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    return set_kind(kind, true);
}

FAKE_API int cuptiActivityDisable(uint32_t kind) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    return set_kind(kind, false);
}

/* All that is done is handed over when this returns; with flag 1, what is not yet done, too. */
FAKE_API int cuptiActivityFlushAll(uint32_t flag) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    if (fake_in_other_callback) /* "only from API trace callbacks", cupti_activity.h */
        fake_misuse("flushed_in_a_callback");
    fake_log("flush flag=%u", flag);
    pthread_mutex_lock(&lock);
    if (running && fake_cupti.stuck < 0) {
        unsigned long mine = ++flushes;
        forced += flag & 1;
        while (flushes_done < mine)
            pthread_cond_wait(&turn_done, &lock);
    }
    pthread_mutex_unlock(&lock);
    return FAKE_SUCCESS;
}

FAKE_API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count) {
    (void)context;
    (void)stream;
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    pthread_mutex_lock(&lock);
    *count = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return FAKE_SUCCESS;
}

static size_t size_of(const uint8_t *record) {
    uint32_t words[2];

    memcpy(words, record, sizeof(words));
    switch (words[0]) {
    case FAKE_KERNEL:
        return sizeof(struct fake_kernel);
    case FAKE_MEMCPY:
        return sizeof(struct fake_memcpy);
    case FAKE_MEMCPY2:
        return sizeof(struct fake_memcpy2);
    case FAKE_MEMSET:
        return sizeof(struct fake_memset);
    case FAKE_SYNC:
        return sizeof(struct fake_sync);
    case FAKE_GRAPH:
        return sizeof(struct fake_graph_trace);
    case FAKE_STRANGE:
        return words[1];
    default:
        return 0;
    }
}

FAKE_API int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record) {
    uint8_t *next = buffer;

    if (*record) {
        size_t size = size_of(*record);
        if (!size)
            return FAKE_INVALID_KIND;
        next = (uint8_t *)*record + size;
    }
    if (next < buffer || next >= buffer + valid)
        return FAKE_MAX_LIMIT_REACHED;
    *record = next;
    return FAKE_SUCCESS;
}
