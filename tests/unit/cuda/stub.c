/* A stub of CUPTI; see stub.h. */
#include "stub.h"

#include "tracer/cuda/cupti.h"
#include "tracer/cuda/others.h"

#include "unit.h"

#include <stdatomic.h>

struct cupti_library pinsight_cupti;

static struct stub_asked asked;
static _Atomic(cupti_callback) callback;
static cupti_buffer_requested requested;
static cupti_buffer_completed completed;
static size_t dropped;
static const size_t *record_ends;
static int some_context;
static uint32_t more_streams;

const struct stub_asked *stub_asked(void) {
    return &asked;
}

void stub_drop(size_t count) {
    dropped = count;
}

/* ---- what the domain calls ---- */

static uint32_t get_version(uint32_t *version) {
    *version = 130001;
    return 0;
}

static uint32_t subscribe(void **subscriber, cupti_callback function, void *data) {
    (void)data;
    assert_false(asked.is_subscribed);
    asked.is_subscribed = true;
    atomic_store(&callback, function);
    *subscriber = &asked;
    return 0;
}

static uint32_t unsubscribe(void *subscriber) {
    assert_ptr_equal(subscriber, &asked);
    asked.is_subscribed = false;
    memset(asked.called_back, 0, sizeof asked.called_back);
    return 0;
}

static uint32_t enable_callback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id) {
    assert_ptr_equal(subscriber, &asked);
    assert_true(id < 1024);
    if (domain == CUPTI_OF_DRIVER)
        asked.called_back[id] = enable;
    return 0;
}

static uint32_t activity_enable(uint32_t kind) {
    assert_true(kind < 64);
    asked.enabled[kind] = true;
    return 0;
}

static uint32_t activity_disable(uint32_t kind) {
    asked.enabled[kind] = false;
    return 0;
}

static uint32_t register_callbacks(cupti_buffer_requested request,
                                   cupti_buffer_completed complete) {
    requested = request;
    completed = complete;
    return 0;
}

/* As CUPTI: the next one that is whole. */
static uint32_t get_next_record(uint8_t *buffer, size_t valid, struct cupti_record **record) {
    size_t at = *record ? (size_t)((uint8_t *)*record - buffer) : 0, i = 0;
    while (record_ends[i] && record_ends[i] <= at)
        i++;
    if (*record)
        at = record_ends[i++];
    if (!record_ends[i] || record_ends[i] > valid)
        return 12; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
    *record = (struct cupti_record *)(void *)(buffer + at);
    return 0;
}

static uint32_t get_dropped(void *context, uint32_t stream, size_t *count) {
    (void)context;
    (void)stream;
    *count = dropped;
    dropped = 0;
    return 0;
}

static uint32_t flush_all(uint32_t flag) {
    (void)flag;
    return 0;
}

static uint32_t get_timestamp(uint64_t *time) {
    *time = 1;
    return 0;
}

static uint32_t get_number(void *context, uint32_t *number) {
    (void)context;
    *number = 0;
    return 0;
}

static uint32_t get_stream(void *context, void *stream, uint8_t per_thread, uint32_t *number) {
    (void)context;
    (void)per_thread;
    *number = more_streams + (stream ? (uint32_t)(uintptr_t)stream : 7);
    return 0;
}

void stub_number_streams(uint32_t more) {
    more_streams = more;
}

void stub_resource(uint32_t what) {
    const struct cupti_resource resource = {.context = &some_context};
    atomic_load (&callback)(NULL, CUPTI_OF_RESOURCES, what, &resource);
}

static uint32_t register_timestamp(cupti_timestamp timestamp) {
    (void)timestamp;
    return 0;
}

bool pinsight_cupti_open(void) {
    if (pinsight_cupti.cuptiSubscribe)
        return true;
    pinsight_cupti = (struct cupti_library){
        .cuptiGetVersion = get_version,
        .cuptiSubscribe = subscribe,
        .cuptiUnsubscribe = unsubscribe,
        .cuptiEnableCallback = enable_callback,
        .cuptiActivityEnable = activity_enable,
        .cuptiActivityDisable = activity_disable,
        .cuptiActivityRegisterCallbacks = register_callbacks,
        .cuptiActivityGetNextRecord = get_next_record,
        .cuptiActivityGetNumDroppedRecords = get_dropped,
        .cuptiActivityFlushAll = flush_all,
        .cuptiGetTimestamp = get_timestamp,
        .cuptiGetContextId = get_number,
        .cuptiGetDeviceId = get_number,
        .cuptiGetStreamIdEx = get_stream,
        .cuptiActivityRegisterTimestampCallback = register_timestamp,
        .version = 130001,
        .cuda = 13000,
    };
    return true;
}

const char *pinsight_cupti_text(uint32_t result) {
    return result ? "an error" : "success";
}

void pinsight_cuda_others_watch(void (*yield)(void)) {
    (void)yield;
}

/* ---- what the domain is told ---- */

void stub_call(uint32_t number, uint32_t site, uint32_t correlation, const uint64_t *params,
               uint32_t *result, const char *symbol) {
    uint64_t data = 0;
    const struct cupti_call call = {.site = (int32_t)site,
                                    .function = "cuFunction",
                                    .params = params,
                                    .result = result,
                                    .symbol = symbol,
                                    .context = &some_context,
                                    .context_uid = 1,
                                    .correlation_data = &data,
                                    .correlation_id = correlation};
    atomic_load (&callback)(NULL, CUPTI_OF_DRIVER, number, &call);
}

void stub_hand_over(const uint8_t *records, size_t valid, const size_t *ends) {
    uint8_t *buffer = NULL;
    size_t size = 0, most = 1;
    requested(&buffer, &size, &most);
    assert_non_null(buffer);
    assert_int_equal((uintptr_t)buffer % 8, 0);
    assert_int_equal(most, 0);
    assert_true(valid <= size);
    memcpy(buffer, records, valid);
    record_ends = ends;
    completed(NULL, 0, buffer, size, valid);
}
