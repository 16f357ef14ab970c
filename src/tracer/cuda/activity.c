/* Activity records; see activity.h. CUPTI's documentation, "CUPTI Activity API". */
#include "tracer/cuda/activity.h"

#include "tracer/core/clock.h"
#include "tracer/core/control.h"
#include "tracer/core/info.h"
#include "tracer/cuda/clock.h"
#include "tracer/cuda/cupti.h"
#include "tracer/cuda/domain.h"

#include <pthread.h>
#include <stdlib.h>

/* A kernel's record has some 200 bytes. */
#define BUFFER_BYTES (1u << 20)
#define BUFFERS_KEPT 4
/* The period in ms in which CUPTI delivers records of finished work. */
#define FLUSH_MS 500
/* The period in ns in which partly filled buffers are requested. The content of a buffer is lost if
 * the process is killed. */
#define HAND_OVER_NS UINT64_C(1000000000)
/* The number of calls whose records can be excluded individually. CUPTI's numbers increase. */
#define NUMBERS (1u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the kept buffers */
static uint8_t *kept[BUFFERS_KEPT];
static unsigned kept_count;

static bool is_prepared;
static enum pinsight_device_activity in_force;

/* ---- calls that are not recorded ---- */

static _Atomic bool some_excluded;
static _Atomic uint64_t excluded[NUMBERS / 64]; /* a bit for each call */

/* ---- delivery ---- */

static _Atomic bool some_asked; /* since the last delivery */

uint64_t pinsight_cuda_activity_tend(void) {
    static uint64_t next;
    uint64_t now = pinsight_clock_ns();
    if (!atomic_load(&some_asked) || !is_prepared)
        return 0;
    if (now < next)
        return next;
    next = now + HAND_OVER_NS;
    atomic_store(&some_asked, false);
    pinsight_cupti.cuptiActivityFlushAll(0); /* finished work only; CUPTI keeps the rest */
    return 0;
}

static PINSIGHT_COLD void first_asked(void) {
    atomic_store(&some_asked, true);
    pinsight_control_wake();
}

void pinsight_cuda_activity_asked(uint32_t correlation, bool recorded) {
    if (PINSIGHT_UNLIKELY(!atomic_load_explicit(&some_asked, memory_order_relaxed)))
        first_asked();
    if (recorded && !atomic_load_explicit(&some_excluded, memory_order_relaxed))
        return;
    _Atomic uint64_t *word = &excluded[correlation % NUMBERS / 64];
    uint64_t bit = UINT64_C(1) << correlation % 64;
    if (recorded) {
        atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
    } else {
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
        atomic_store_explicit(&some_excluded, true, memory_order_release);
    }
}

static bool is_excluded(uint32_t correlation) {
    return atomic_load_explicit(&some_excluded, memory_order_acquire) &&
           atomic_load_explicit(&excluded[correlation % NUMBERS / 64], memory_order_relaxed) >>
                   correlation % 64 &
               1;
}

/* ---- records ---- */

/* Returns whether a record becomes an event; recorded() must then follow the event. CUPTI delivers
 * records of all work that was asked for while devices were recorded, possibly later and in another
 * mode. */
static bool wanted(uint32_t device, uint32_t context, uint32_t correlation) {
    if (is_excluded(correlation) || !pinsight_cuda_device_wanted(device) ||
        !pinsight_calls_can_record(&pinsight_cuda_domain))
        return false;
    if (device != PINSIGHT_CUDA_NO_DEVICE)
        pinsight_cuda_context_on(context, device);
    return true;
}

static void recorded(void) {
    pinsight_calls_recorded(&pinsight_cuda_domain);
}

/* Returns the begin of work in ns. Work that was unfinished when CUPTI had to deliver its record
 * has no times. */
static uint64_t began(uint64_t start, uint64_t end) {
    return end ? pinsight_cuda_clock_ns(start) : 0;
}

static void record_kernel(const struct cupti_kernel *did) {
    struct pinsight_cuda_thread *thread = pinsight_cuda_thread();
    const struct pinsight_cuda_kernel *kernel =
        thread ? pinsight_cuda_kernel(&thread->kernels, did->name) : NULL;
    if (!wanted(did->device, did->context, did->correlation))
        return;
    const struct pinsight_record_cuda_cudaKernelActivity event = {
        .devId = did->device,
        .contextId = did->context,
        .streamId = did->stream,
        .correlationId = did->correlation,
        .start = began(did->start, did->end),
        .end = pinsight_cuda_clock_ns(did->end),
        .kernel = kernel ? kernel->number : 0,
        .grid_x = (uint32_t)did->grid[0],
        .grid_y = (uint32_t)did->grid[1],
        .grid_z = (uint32_t)did->grid[2],
        .block_x = (uint32_t)did->block[0],
        .block_y = (uint32_t)did->block[1],
        .block_z = (uint32_t)did->block[2],
        .graph_id = did->graph,
        .graph_node_id = did->graph_node,
    };
    pinsight_record_cuda_cudaKernelActivity(&event);
    recorded();
}

/* Records an event about the work of a device, with its place, its times and further fields. */
#define RECORD(event, on_device, did, ...)                                                         \
    do {                                                                                           \
        if (wanted(on_device, did->context, did->correlation)) {                                   \
            pinsight_record_cuda_##event(on_device, did->context, did->stream, did->correlation,   \
                                         began(did->start, did->end),                              \
                                         pinsight_cuda_clock_ns(did->end), __VA_ARGS__);           \
            recorded();                                                                            \
        }                                                                                          \
    } while (0)

static void record_memcpy(const struct cupti_memcpy *did) {
    RECORD(cudaMemcpyActivity, did->device, did, did->bytes, did->copy_kind, did->graph,
           did->graph_node);
}

static void record_memcpy_peer(const struct cupti_memcpy_peer *did) {
    RECORD(cudaMemcpyActivity, did->device, did, did->bytes, did->copy_kind, did->graph,
           did->graph_node);
}

static void record_memset(const struct cupti_memset *did) {
    RECORD(cudaMemsetActivity, did->device, did, did->bytes, did->value, did->graph,
           did->graph_node);
}

static void record_synchronization(const struct cupti_synchronization *did) {
    uint32_t device = pinsight_cuda_device(NULL, did->context);
    RECORD(cudaSyncActivity, device, did, (uint8_t)did->type);
}

static void record_graph(const struct cupti_graph_trace *did) {
    RECORD(cudaGraphActivity, did->device, did, did->graph);
}

static void record_pool(const struct cupti_memory_pool *did) {
    if (!pinsight_cuda_device_wanted(did->device) ||
        !pinsight_calls_can_record(&pinsight_cuda_domain))
        return;
    pinsight_record_cuda_cudaMemPoolActivity(
        did->device, did->correlation, pinsight_cuda_clock_ns(did->time), did->address,
        (uint8_t)did->operation, did->size, did->used, did->least_kept);
    recorded();
}

void pinsight_cuda_activity_record(const struct cupti_record *record) {
    switch (record->kind) {
    case CUPTI_KERNEL:
    case CUPTI_CONCURRENT_KERNEL:
        record_kernel((const struct cupti_kernel *)record);
        break;
    case CUPTI_MEMCPY:
        record_memcpy((const struct cupti_memcpy *)record);
        break;
    case CUPTI_MEMCPY_PEER:
        record_memcpy_peer((const struct cupti_memcpy_peer *)record);
        break;
    case CUPTI_MEMSET:
        record_memset((const struct cupti_memset *)record);
        break;
    case CUPTI_SYNCHRONIZATION:
        record_synchronization((const struct cupti_synchronization *)record);
        break;
    case CUPTI_GRAPH_TRACE:
        record_graph((const struct cupti_graph_trace *)record);
        break;
    case CUPTI_MEMORY_POOL:
        record_pool((const struct cupti_memory_pool *)record);
        break;
    default: /* another tool enabled this kind */
        break;
    }
}

/* ---- buffers ---- */

static void on_requested(uint8_t **buffer, size_t *size, size_t *most_records) {
    *buffer = NULL;
    pthread_mutex_lock(&lock);
    if (kept_count)
        *buffer = kept[--kept_count];
    pthread_mutex_unlock(&lock);
    if (!*buffer)
        *buffer = aligned_alloc(64, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0; /* without a buffer, CUPTI counts dropped records */
    *most_records = 0;
}

static void give_back(uint8_t *buffer) {
    pthread_mutex_lock(&lock);
    if (kept_count < BUFFERS_KEPT) {
        kept[kept_count++] = buffer;
        buffer = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static void report_lost(void *context, uint32_t stream) {
    size_t dropped = 0;
    if (pinsight_cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) != CUPTI_OK ||
        !dropped || !pinsight_record_cuda_device_lost_enabled())
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_cuda_device_lost(pinsight_process.pid, dropped,
                                                         PINSIGHT_CUDA_LOSS_CAUSE_DROPPED));
}

/* Names CUPTI's thread once. */
static void name_thread(void) {
    static __thread bool is_named;
    struct pinsight_core_thread *thread = pinsight_thread_there();
    if (is_named || !thread || thread->python_thread_id >= 0)
        return;
    is_named = true;
    pinsight_info_thread(thread, "CUPTI");
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                         size_t valid) {
    struct cupti_record *record = NULL;
    (void)size;
    pinsight_cuda_clock_compare();
    while (valid && pinsight_cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_OK)
        pinsight_cuda_activity_record(record);
    name_thread();
    report_lost(context, stream);
    if (buffer)
        give_back(buffer);
}

/* ---- on and off ---- */

static const uint32_t kinds[] = {CUPTI_CONCURRENT_KERNEL, CUPTI_MEMCPY, CUPTI_MEMSET,
                                 CUPTI_MEMCPY_PEER, CUPTI_SYNCHRONIZATION};

static void refused(uint32_t result) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    bool rights = result == CUPTI_INSUFFICIENT_PRIVILEGES ||
                  result == CUPTI_INSUFFICIENT_PRIVILEGES_HYPERVISOR;
    pinsight_log_once(
        &once, "CUPTI does not report the work of devices: %s (%u)%s; calls of CUDA are recorded",
        pinsight_cupti_text(result), (unsigned)result,
        rights ? ": the driver lets only administrators look (pinsight doctor)" : "");
}

static void prepare(void) {
    if (is_prepared)
        return;
    is_prepared = true;
    pinsight_cuda_clock_start();
    pinsight_cupti.cuptiActivityRegisterCallbacks(on_requested, on_completed);
    if (pinsight_cupti.cuptiActivityFlushPeriod)
        pinsight_cupti.cuptiActivityFlushPeriod(FLUSH_MS);
}

void pinsight_cuda_activity_set(enum pinsight_device_activity activity) {
    bool is_on = activity != PINSIGHT_DEVICE_ACTIVITY_OFF;
    bool was_on = in_force != PINSIGHT_DEVICE_ACTIVITY_OFF;
    uint32_t result = CUPTI_OK;
    if (activity == in_force)
        return;
    if (is_on)
        prepare();
    for (size_t i = 0; is_on != was_on && i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t one = is_on ? pinsight_cupti.cuptiActivityEnable(kinds[i])
                             : pinsight_cupti.cuptiActivityDisable(kinds[i]);
        result = result == CUPTI_OK ? one : result;
    }
    if (activity == PINSIGHT_DEVICE_ACTIVITY_ON)
        pinsight_cupti.cuptiActivityEnable(CUPTI_GRAPH_TRACE);
    else if (in_force == PINSIGHT_DEVICE_ACTIVITY_ON)
        pinsight_cupti.cuptiActivityDisable(CUPTI_GRAPH_TRACE);
    if (!is_on) /* records of unfinished work come later */
        pinsight_cupti.cuptiActivityFlushAll(0);
    in_force = activity;
    if (is_on && result != CUPTI_OK)
        refused(result);
}

void pinsight_cuda_activity_pools(bool on) {
    static bool is_on;
    if (on == is_on)
        return;
    is_on = on;
    uint32_t result = on ? pinsight_cupti.cuptiActivityEnable(CUPTI_MEMORY_POOL)
                         : pinsight_cupti.cuptiActivityDisable(CUPTI_MEMORY_POOL);
    if (on && result != CUPTI_OK)
        refused(result);
}

void pinsight_cuda_activity_give_back(void) {
    pinsight_cuda_activity_pools(false);
    pinsight_cuda_activity_set(PINSIGHT_DEVICE_ACTIVITY_OFF);
    if (!is_prepared)
        return;
    /* so that none of our buffers is delivered to the other profiler */
    pinsight_cuda_activity_flush();
    if (pinsight_cupti.cuptiActivityFlushPeriod)
        pinsight_cupti.cuptiActivityFlushPeriod(0);
    pinsight_cuda_clock_give_back();
    is_prepared = false;
}

void pinsight_cuda_activity_flush(void) {
    if (!is_prepared)
        return;
    pinsight_cupti.cuptiActivityFlushAll(0);
    pinsight_cupti.cuptiActivityFlushAll(CUPTI_FLUSH_FORCED);
}
