/* Calls of CUDA in threads, and sums; see cuda.h. */
#include "reader/cuda/state.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Past this many sites calls are counted without the Python path that they came from. */
#define MOST_SITES (1u << 18)

struct pinsight_cuda *pinsight_cuda_of(struct pinsight_model *model) {
    if (!pinsight_model_cuda(model))
        model->state[READER_CUDA] = pinsight_calloc(1, sizeof(*pinsight_model_cuda(model)));
    return pinsight_model_cuda(model);
}

void pinsight_cuda_free(struct pinsight_model *model) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(model);

    if (!cuda)
        return;
    for (size_t i = 0; i < model->process_count; i++)
        pinsight_cuda_forget_calls(model->processes[i]);
    for (size_t i = 0; i < cuda->stream_count; i++) {
        pinsight_stream_track_free(&cuda->streams[i]->base);
        free(cuda->streams[i]->held);
        free(cuda->streams[i]);
    }
    free(cuda->streams);
    free(cuda->functions);
    free(cuda->sites);
    free(cuda->works);
    pinsight_map_clear(&cuda->function_map);
    pinsight_map_clear(&cuda->site_map);
    pinsight_map_clear(&cuda->path_map);
    pinsight_map_clear(&cuda->work_map);
    pinsight_map_clear(&cuda->place_map);
    pinsight_map_clear(&cuda->stream_map);
    free(cuda);
    model->state[READER_CUDA] = NULL;
}

static enum pinsight_cuda_role role_of(const char *name) {
    static const struct {
        const char *name;
        enum pinsight_cuda_role role;
    } roles[] = {
        {"cudaKernelLaunch", PINSIGHT_CUDA_LAUNCHES}, {"cudaGraphLaunch", PINSIGHT_CUDA_LAUNCHES},
        {"cudaMemcpy", PINSIGHT_CUDA_COPIES},         {"cudaMemcpyAsync", PINSIGHT_CUDA_COPIES},
        {"cudaMemset", PINSIGHT_CUDA_SETS},           {"cudaMemsetAsync", PINSIGHT_CUDA_SETS},
        {"cudaDeviceSync", PINSIGHT_CUDA_WAITS},      {"cudaStreamSync", PINSIGHT_CUDA_WAITS},
        {"cudaEventSync", PINSIGHT_CUDA_WAITS},
    };

    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (!strcmp(name, roles[i].name))
            return roles[i].role;
    return PINSIGHT_CUDA_OTHER;
}

uint32_t pinsight_cuda_function(struct pinsight_model *model, const char *name) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(model);
    uint32_t string = pinsight_strings_add(&model->strings, name, strlen(name));
    uint32_t function =
        pinsight_map_number(&cuda->function_map, string, 0, 0, cuda->function_count);

    if (function < cuda->function_count)
        return function;
    *PINSIGHT_ADD(cuda->functions, cuda->function_count, cuda->function_capacity) =
        (struct pinsight_cuda_function){.name = string, .role = (uint8_t)role_of(name)};
    return function;
}

uint32_t pinsight_cuda_work(struct pinsight_model *model, enum pinsight_cuda_type type,
                            const char *text, enum pinsight_cuda_direction direction) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(model);
    uint32_t name = pinsight_strings_add(&model->strings, text, strlen(text));
    uint32_t work = pinsight_map_number(&cuda->work_map, name, type, direction, cuda->work_count);

    if (work < cuda->work_count)
        return work;
    *PINSIGHT_ADD(cuda->works, cuda->work_count, cuda->work_capacity) = (struct pinsight_cuda_work){
        .name = name, .type = (uint8_t)type, .direction = (uint8_t)direction};
    return work;
}

/* A number for a path in a process and a function of CUDA's. */
static uint32_t site_of(struct pinsight_process *process, const struct pinsight_cuda_call *call) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);
    uint32_t path = cuda->site_count < MOST_SITES ? call->path : PINSIGHT_NONE;
    uint32_t place =
        pinsight_map_number(&cuda->path_map, path, call->native, process->index, cuda->paths);
    uint32_t site;

    cuda->paths += place == cuda->paths;
    site = pinsight_map_number(&cuda->site_map, place, call->function, 0, cuda->site_count);
    if (site < cuda->site_count)
        return site;
    *PINSIGHT_ADD(cuda->sites, cuda->site_count, cuda->site_capacity) =
        (struct pinsight_cuda_site){.process = process->index,
                                    .function = call->function,
                                    .path = path,
                                    .native = call->native};
    return site;
}

static bool asks(const struct pinsight_cuda *cuda, uint32_t function) {
    unsigned role = cuda->functions[function].role;

    return role == PINSIGHT_CUDA_LAUNCHES || role == PINSIGHT_CUDA_COPIES ||
           role == PINSIGHT_CUDA_SETS;
}

void pinsight_cuda_begin(struct pinsight_thread *thread, struct pinsight_process *process,
                         const struct pinsight_cuda_call *call, uint64_t ns) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    struct pinsight_cuda_thread *own = pinsight_thread_cuda(thread);
    struct pinsight_slice slice;
    struct pinsight_cuda_frame *frame;

    if (!thread->selected)
        return;
    if (!own)
        own = thread->state[READER_CUDA] = pinsight_calloc(1, sizeof(*own));
    own->process = process;
    if (own->depth == PINSIGHT_CUDA_DEEPEST) {
        cuda->unmatched_begins++;
        return;
    }
    frame = &own->frames[own->depth++];
    *frame = (struct pinsight_cuda_frame){.call = *call, .begin_ns = ns, .shown_ns = ns};
    if (call->path == PINSIGHT_NONE)
        frame->call.path = pinsight_track_path(thread->track);
    frame->site = site_of(process, &frame->call);
    if (cuda->functions[call->function].role == PINSIGHT_CUDA_COPIES)
        cuda->sites[frame->site].bytes[call->direction] += call->bytes;
    if (asks(cuda, call->function))
        frame->out = pinsight_link_numbers(process->model, 1);
    slice = pinsight_slice_of(PINSIGHT_SLICE_DEVICE_CALL, frame->site, own->depth);
    slice.path = frame->call.path;
    slice.native = call->native;
    slice.bytes = call->bytes;
    slice.correlation = call->correlation;
    slice.shape = call->shape;
    slice.out = frame->out;
    slice.outs = frame->out != 0;
    pinsight_slice_begin(thread, &slice, ns);
    if (thread->track)
        frame->shown_ns = thread->track->last_ns;
    if (call->correlation && asks(cuda, call->function))
        pinsight_cuda_ask(process, frame, thread->track, call->correlation);
}

static void add_to_site(struct pinsight_cuda_site *site, uint64_t time, int32_t value) {
    if (!site->calls || time < site->min_ns)
        site->min_ns = time;
    if (time > site->max_ns)
        site->max_ns = time;
    site->calls++;
    site->total_ns += time;
    site->failed += value != 0;
    if (value != 0)
        site->failure = value;
}

void pinsight_cuda_end(struct pinsight_thread *thread, uint32_t function, uint32_t correlation,
                       int32_t value, uint64_t ns) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(thread->process->model);
    struct pinsight_cuda_thread *own = pinsight_thread_cuda(thread);
    const struct pinsight_cuda_frame *frame;
    size_t depth = own ? own->depth : 0;

    if (!thread->selected)
        return;
    while (depth && own->frames[depth - 1].call.function != function)
        depth--;
    if (!depth) {
        cuda->unmatched_ends++;
        return;
    }
    cuda->unmatched_begins += own->depth - depth; /* their ends were not seen */
    frame = &own->frames[depth - 1];
    for (size_t i = depth; i < own->depth; i++)
        cuda->sites[own->frames[i].site].open++;
    add_to_site(&cuda->sites[frame->site], ns > frame->begin_ns ? ns - frame->begin_ns : 0, value);
    cuda->calls++;
    if (value != 0)
        pinsight_cuda_unask(own->process, frame->call.correlation, frame->out);
    else if (!frame->call.correlation && correlation && asks(cuda, function))
        pinsight_cuda_ask(own->process, frame, thread->track, correlation);
    own->depth = depth - 1;
    pinsight_slice_end(thread, PINSIGHT_SLICE_DEVICE_CALL, depth, ns);
}

uint64_t pinsight_cuda_close(struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_cuda_thread *own = pinsight_thread_cuda(thread);
    uint64_t open = own ? own->depth : 0;

    while (own && own->depth) {
        pinsight_slice_end(thread, PINSIGHT_SLICE_DEVICE_CALL, own->depth, ns);
        pinsight_model_cuda(thread->process->model)->sites[own->frames[--own->depth].site].open++;
    }
    return open;
}

void pinsight_cuda_end_process(struct pinsight_process *process) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);

    for (size_t i = 0; cuda && i < cuda->stream_count; i++)
        if (cuda->streams[i]->base.process == process)
            pinsight_cuda_flush(cuda->streams[i]);
    pinsight_cuda_forget_calls(process);
}

void pinsight_cuda_waited(struct pinsight_process *process, uint64_t from_ns, uint64_t to_ns) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);

    if (!process->selected)
        return;
    cuda->waits++;
    if (from_ns && to_ns > from_ns)
        cuda->waits_ns += to_ns - from_ns;
}

void pinsight_cuda_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns) {
    struct pinsight_cuda_thread *own = pinsight_thread_cuda(thread);

    for (size_t i = 0; own && i < own->depth; i++)
        if (own->frames[i].begin_ns < before_ns)
            own->frames[i].begin_ns += pause_ns;
}

void pinsight_cuda_move(struct pinsight_thread *from, struct pinsight_thread *to) {
    if (!pinsight_thread_cuda(from) || pinsight_thread_cuda(to))
        return;
    to->state[READER_CUDA] = pinsight_thread_cuda(from);
    from->state[READER_CUDA] = NULL;
}

void pinsight_cuda_thread_free(struct pinsight_thread *thread) {
    free(pinsight_thread_cuda(thread));
    thread->state[READER_CUDA] = NULL;
}
