/* A fake of NVIDIA's driver: contexts, streams, and a model of the devices' time. */
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAMS_MAX 256

static const struct fake_tool *_Atomic tool;
static _Atomic uint32_t correlations, contexts, graphs;
static _Atomic bool up, forked;
static _Atomic int32_t broken; /* the error that all calls give from now on */
static _Atomic long launches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_stream *streams[STREAMS_MAX];
static unsigned stream_count;
static _Thread_local CUcontext current;
static _Thread_local uint32_t last_correlation;

static void in_child(void) {
    atomic_store(&forked, atomic_load(&up));
}

__attribute__((constructor)) static void loaded(void) {
    pthread_atfork(NULL, NULL, in_child);
}

void fake_cuda_set_tool(const struct fake_tool *new_tool) {
    atomic_store(&tool, new_tool);
}

uint32_t fake_cuda_correlation(void) {
    return last_correlation;
}

bool fake_cuda_is_forked(void) {
    return atomic_load(&forked);
}

bool fake_is_up(void) {
    return atomic_load(&up) && !atomic_load(&forked);
}

int fake_devices(void) {
    long count = fake_option("FAKE_CUDA", "devices");
    return count < 0 ? 1 : (int)count;
}

CUcontext fake_current(void) {
    return current;
}

void fake_set_current(CUcontext context) {
    current = context;
}

void fake_resource(uint32_t cbid, CUcontext context, CUstream stream, void *descriptor) {
    const struct fake_tool *told = atomic_load(&tool);

    fake_log("resource cbid=%u context=%u stream=%u", cbid, context ? context->uid : 0,
             stream ? stream->id : 0);
    if (told)
        told->resource(cbid, context, stream, descriptor);
}

/* Handles are never used again, and never freed: those of what is gone can be told from others. */
CUstream fake_new_stream(CUcontext context) {
    CUstream stream = calloc(1, sizeof(*stream));

    stream->context = context;
    pthread_mutex_lock(&lock);
    stream->id = context->next_stream;
    context->next_stream +=
        context->next_stream == 7 ? 6 : 1; /* the standard stream is 7, the first other 13 */
    if (stream_count == STREAMS_MAX)
        abort();
    streams[stream_count++] = stream;
    pthread_mutex_unlock(&lock);
    return stream;
}

CUcontext fake_new_context(int device) {
    CUcontext context = calloc(1, sizeof(*context));

    context->uid = atomic_fetch_add(&contexts, 1) + 1;
    context->device = device;
    context->next_stream = 7;
    context->standard = fake_new_stream(context);
    fake_resource(FAKE_CONTEXT_CREATED, context, NULL, NULL);
    return context;
}

bool fake_begin(struct fake_call *call, uint32_t cbid, const char *name, const void *params,
                const char *symbol, CUstream stream) {
    const struct fake_tool *told = atomic_load(&tool);
    int32_t error = atomic_load(&broken);

    *call = (struct fake_call){.cbid = cbid,
                               .correlation = atomic_fetch_add(&correlations, 1) + 1,
                               .name = name,
                               .symbol = symbol,
                               .params = params,
                               .context = current,
                               .stream = stream,
                               .entered = fake_now()};
    last_correlation = call->correlation;
    if (!call->stream && current)
        call->stream = current->standard;
    if (told)
        told->enter(call);
    call->result = !fake_is_up()                                ? CUDA_ERROR_NOT_INITIALIZED
                   : error                                      ? error
                   : !current && strcmp(name, "cuCtxCreate_v2") ? CUDA_ERROR_INVALID_CONTEXT
                   : current && current->is_gone                ? CUDA_ERROR_INVALID_CONTEXT
                                                                : CUDA_SUCCESS;
    return call->result == CUDA_SUCCESS;
}

CUresult fake_end(struct fake_call *call) {
    const struct fake_tool *told = atomic_load(&tool);

    if (told)
        told->exit(call);
    fake_log("call name=%s cbid=%u corr=%u entered=%lu left=%lu result=%d context=%u stream=%u "
             "bytes=%lu "
             "address=%lu symbol=%s",
             call->name, call->cbid, call->correlation, call->entered, fake_now(), call->result,
             call->context ? call->context->uid : 0, call->stream ? call->stream->id : 0,
             call->bytes, call->address, call->symbol ? call->symbol : "");
    return call->result;
}

static void tell_work(const struct fake_work *work) {
    const struct fake_tool *told = atomic_load(&tool);

    fake_log("work kind=%u corr=%u device=%u context=%u stream=%u start=%lu end=%lu bytes=%lu "
             "what=%u grid=%u,%u,%u "
             "block=%u,%u,%u graph=%u node=%lu name=%s",
             work->kind, work->correlation, work->device, work->context, work->stream, work->start,
             work->end, work->bytes, work->what, work->grid[0], work->grid[1], work->grid[2],
             work->block[0], work->block[1], work->block[2], work->graph, work->graph_node,
             work->name ? work->name : "");
    if (told)
        told->work(work);
}

/* Its time in the stream: behind what is there, and not before the call. */
static void schedule(CUstream stream, struct fake_work *work, uint64_t duration) {
    uint64_t earliest = fake_now() + 2000;

    pthread_mutex_lock(&lock);
    work->start = stream->free_at > earliest ? stream->free_at : earliest;
    work->end = work->start + duration;
    stream->free_at = work->end;
    pthread_mutex_unlock(&lock);
}

void fake_put(struct fake_call *call, struct fake_work *work, uint64_t duration) {
    long fails_after = fake_option("FAKE_CUDA", "sticky");

    work->correlation = call->correlation;
    work->context = call->stream->context->uid;
    work->device = (uint32_t)call->stream->context->device;
    work->stream = call->stream->id;
    if (call->stream->captured) {
        struct fake_graph *graph = call->stream->captured;
        if (graph->count == FAKE_NODES_MAX)
            abort();
        work->start = 0;
        work->end = duration;
        graph->nodes[graph->count++] = *work;
        return;
    }
    if (fails_after >= 0 && work->kind == FAKE_KERNEL &&
        atomic_fetch_add(&launches, 1) >= fails_after) {
        atomic_store(&broken, CUDA_ERROR_ILLEGAL_ADDRESS); /* there is no record of it */
        return;
    }
    schedule(call->stream, work, duration);
    tell_work(work);
}

void fake_put_graph(struct fake_call *call, const struct fake_graph *graph) {
    struct fake_work whole = {.kind = FAKE_GRAPH, .graph = graph->id};

    for (unsigned i = 0; i < graph->count; i++) {
        struct fake_work work = graph->nodes[i];
        work.graph = graph->id;
        work.graph_node = (uint64_t)graph->id << 32 | (i + 1);
        fake_put(call, &work, graph->nodes[i].end);
        if (!i)
            whole.start = work.start;
        whole.end = work.end;
    }
    whole.correlation = call->correlation;
    whole.context = call->stream->context->uid;
    whole.device = (uint32_t)call->stream->context->device;
    whole.stream = call->stream->id;
    if (graph->count)
        tell_work(&whole);
}

void fake_wait(struct fake_call *call, uint64_t until, uint32_t type, uint32_t stream,
               uint32_t event) {
    struct fake_work work = {.kind = FAKE_SYNC,
                             .correlation = call->correlation,
                             .context = call->context->uid,
                             .device = (uint32_t)call->context->device,
                             .stream = stream,
                             .what = type,
                             .event = event,
                             .start = fake_now()};

    while (fake_now() < until)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    work.end = fake_now();
    tell_work(&work);
}

uint64_t fake_all_done(CUcontext context) {
    uint64_t latest = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < stream_count; i++)
        if (streams[i]->context == context && streams[i]->free_at > latest)
            latest = streams[i]->free_at;
    pthread_mutex_unlock(&lock);
    return latest;
}

/* As the driver does it: the tool is opened in the first cuInit() of the process, before anything
 * else is told. */
static void open_tool(void) {
    const char *path = getenv("CUDA_INJECTION64_PATH");
    int (*start)(void) = NULL;

    if (!path || !*path)
        return;
    void *library = dlopen(path, RTLD_NOW);
    if (library)
        *(void **)&start = dlsym(library, "InitializeInjection");
    fake_log("injection path=\"%s\" started=%d", path, start ? start() : -1);
}

FAKE_API CUresult cuInit(unsigned flags) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct fake_call call;

    if (atomic_load(&forked))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (fake_devices() == 0)
        return CUDA_ERROR_NO_DEVICE;
    pthread_once(&once, open_tool);
    fake_begin(&call, 1, "cuInit", PARAMS(unsigned flags){flags}, NULL, NULL);
    if (!atomic_exchange(&up, true))
        fake_resource(FAKE_INIT_FINISHED, NULL, NULL, NULL);
    call.result = CUDA_SUCCESS;
    return fake_end(&call);
}

FAKE_API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
    struct fake_call call;

    if (fake_begin(&call, 539, "cuStreamBeginCapture_v2",
                   PARAMS(CUstream stream; int mode){stream, mode}, NULL, stream)) {
        call.stream->captured = calloc(1, sizeof(struct fake_graph));
        call.stream->captured->id = atomic_fetch_add(&graphs, 1) + 1;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    struct fake_call call;

    if (fake_begin(&call, 497, "cuStreamEndCapture",
                   PARAMS(CUstream stream; CUgraph * graph){stream, graph}, NULL, stream)) {
        *graph = call.stream->captured;
        call.stream->captured = NULL;
        if (!*graph)
            call.result = CUDA_ERROR_INVALID_VALUE;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuGraphInstantiateWithFlags(CUgraph *executable, CUgraph graph,
                                              unsigned long long flags) {
    struct fake_call call;

    if (fake_begin(&call, 643, "cuGraphInstantiateWithFlags",
                   PARAMS(CUgraph * executable; CUgraph graph;
                          unsigned long long flags){executable, graph, flags},
                   NULL, NULL)) {
        *executable = malloc(sizeof(struct fake_graph));
        **executable = *graph;
        (*executable)->id = atomic_fetch_add(&graphs, 1) + 1;
        call.address = (uintptr_t)*executable;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuGraphLaunch(CUgraph executable, CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 514, "cuGraphLaunch",
                   PARAMS(CUgraph executable; CUstream stream){executable, stream}, NULL, stream)) {
        call.address = (uintptr_t)executable;
        fake_put_graph(&call, executable);
    }
    return fake_end(&call);
}
