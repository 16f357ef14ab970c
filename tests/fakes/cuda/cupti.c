/* A fake of CUPTI: subscribing, callbacks, and what it is asked. */
#include "cupti.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FAKE_CUPTI_VERSION
#error "the build says which version this is"
#endif

struct fake_cupti_options fake_cupti;
_Thread_local unsigned fake_in_callback, fake_in_other_callback;

static _Atomic(fake_callback) callback;
static void *user_data;
static _Atomic bool heard[FAKE_DOMAINS][FAKE_CBIDS];
static bool (*is_forked)(void);

__attribute__((constructor)) static void loaded(void) {
#define OPTION(name) fake_cupti.name = fake_option("FAKE_CUPTI", #name)
    OPTION(late);
    OPTION(dropped);
    OPTION(out_of_order);
    OPTION(records_per_buffer);
    OPTION(unknown);
    OPTION(null_names);
    OPTION(zero_times);
    OPTION(no_timestamp_callback);
    OPTION(subscribe);
    OPTION(enable);
    OPTION(privileges);
    OPTION(version);
    OPTION(together);
    OPTION(stuck);
    Dl_info here;
    fake_log("cupti file=\"%s\"", dladdr(&fake_cupti, &here) ? here.dli_fname : "?");
}

void fake_misuse(const char *what) {
    fake_log("misuse what=%s", what);
}

bool fake_cupti_may_be_called(const char *function) {
    fake_log("cupti_call function=%s", function);
    if (is_forked && is_forked()) {
        fake_misuse(
            function); /* in a child that was forked after CUDA had started: CUPTI may hang there */
        return false;
    }
    return true;
}

/* The callbacks of a call, in the thread that calls the driver. */

static void tell(uint32_t domain, uint32_t cbid, const void *data) {
    fake_callback told = atomic_load(&callback);

    if (!told || cbid >= FAKE_CBIDS || !atomic_load(&heard[domain][cbid]))
        return;
    unsigned *in = domain == FAKE_DRIVER ? &fake_in_callback : &fake_in_other_callback;
    ++*in;
    told(user_data, domain, cbid, data);
    --*in;
}

static void tell_call(struct fake_call *call, uint32_t site) {
    struct fake_callback_data data = {.site = site,
                                      .function = call->name,
                                      .params = call->params,
                                      .result = &call->result,
                                      .symbol = fake_cupti.null_names > 0 ? NULL : call->symbol,
                                      .context = call->context,
                                      .context_uid = call->context ? call->context->uid : 0,
                                      .correlation_data = &call->data,
                                      .correlation = call->correlation};

    if (call->cbid < FAKE_CBIDS && atomic_load(&heard[FAKE_DRIVER][call->cbid]) &&
        atomic_load(&callback))
        fake_log("callback site=%u cbid=%u corr=%u name=%s", site, call->cbid, call->correlation,
                 call->name);
    tell(FAKE_DRIVER, call->cbid, &data);
}

static void enter_call(struct fake_call *call) {
    tell_call(call, FAKE_ENTER);
}

static void exit_call(struct fake_call *call) {
    tell_call(call, FAKE_EXIT);
}

static void tell_resource(uint32_t cbid, struct fake_context *context, struct fake_stream *stream,
                          void *descriptor) {
    struct fake_resource_data data = {context, stream, descriptor};
    tell(FAKE_RESOURCE, cbid, &data);
}

void fake_cupti_attach(void) {
    static const struct fake_tool tool = {enter_call, exit_call, tell_resource, fake_activity_work};
    void (*set_tool)(const struct fake_tool *) = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

    if (!driver)
        return;
    *(void **)&set_tool = dlsym(driver, "fake_cuda_set_tool");
    *(void **)&is_forked = dlsym(driver, "fake_cuda_is_forked");
    if (set_tool)
        set_tool(&tool);
}

/* What a tool calls. */

FAKE_API int cuptiGetVersion(uint32_t *version) {
    *version = fake_cupti.version > 0 ? (uint32_t)fake_cupti.version : FAKE_CUPTI_VERSION;
    return FAKE_SUCCESS;
}

FAKE_API int cuptiGetResultString(int result, const char **text) {
    *text = result == FAKE_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
            : result == FAKE_MULTIPLE_SUBSCRIBERS ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
            : result == FAKE_SUCCESS              ? "CUPTI_SUCCESS"
                                                  : "CUPTI_ERROR_UNKNOWN";
    return FAKE_SUCCESS;
}

FAKE_API int cuptiSubscribe(void **subscriber, fake_callback function, void *user) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    fake_cupti_attach();
    if (fake_cupti.subscribe > 0)
        return (int)fake_cupti.subscribe;
    if (atomic_load(&callback))
        return FAKE_MULTIPLE_SUBSCRIBERS;
    user_data = user;
    atomic_store(&callback, function);
    *subscriber = &callback;
    fake_log("subscribed");
    return FAKE_SUCCESS;
}

FAKE_API int cuptiUnsubscribe(void *subscriber) {
    FAKE_CUPTI_CALLED(FAKE_UNKNOWN);
    if (fake_in_callback)
        fake_misuse("unsubscribed_in_a_callback");
    if (subscriber != &callback || !atomic_load(&callback))
        return FAKE_INVALID_PARAMETER;
    atomic_store(&callback, NULL);
    for (unsigned domain = 0; domain < FAKE_DOMAINS; domain++)
        for (unsigned cbid = 0; cbid < FAKE_CBIDS; cbid++)
            atomic_store(&heard[domain][cbid], false);
    fake_log("unsubscribed");
    return FAKE_SUCCESS;
}

FAKE_API int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain,
                                 uint32_t cbid) {
    if (is_forked && is_forked()) {
        fake_misuse(__func__);
        return FAKE_UNKNOWN;
    }
    if (subscriber != &callback || !atomic_load(&callback) || domain >= FAKE_DOMAINS || !cbid ||
        cbid >= FAKE_CBIDS)
        return FAKE_INVALID_PARAMETER;
    atomic_store(&heard[domain][cbid], enable);
    fake_log("heard domain=%u cbid=%u enable=%u", domain, cbid, enable);
    return FAKE_SUCCESS;
}

FAKE_API int cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain) {
    for (uint32_t cbid = 1; cbid < FAKE_CBIDS; cbid++) {
        int result = cuptiEnableCallback(enable, subscriber, domain, cbid);
        if (result)
            return result;
    }
    return FAKE_SUCCESS;
}

FAKE_API int cuptiGetContextId(struct fake_context *context, uint32_t *id) {
    if (!context)
        return FAKE_INVALID_CONTEXT;
    *id = context->uid;
    return context->is_gone ? FAKE_INVALID_CONTEXT : FAKE_SUCCESS;
}

FAKE_API int cuptiGetDeviceId(struct fake_context *context, uint32_t *id) {
    if (!context || context->is_gone)
        return FAKE_INVALID_CONTEXT;
    *id = (uint32_t)context->device;
    return FAKE_SUCCESS;
}

FAKE_API int cuptiGetStreamIdEx(struct fake_context *context, struct fake_stream *stream,
                                uint8_t per_thread, uint32_t *id) {
    if (per_thread)
        return FAKE_INVALID_STREAM; /* there are none here */
    if (!context || context->is_gone)
        return FAKE_INVALID_CONTEXT;
    if (stream && stream->is_gone)
        return FAKE_INVALID_STREAM;
    *id = stream ? stream->id : context->standard->id;
    return FAKE_SUCCESS;
}

FAKE_API int cuptiGetStreamId(struct fake_context *context, struct fake_stream *stream,
                              uint32_t *id) {
    return cuptiGetStreamIdEx(context, stream, 0, id);
}
