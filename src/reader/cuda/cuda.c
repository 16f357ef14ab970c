/* Calls of CUDA in threads, and their sums; see cuda.h. */
#include "reader/cuda/state.h"

#include "base/memory.h"
#include "base/words.h"
#include "reader/frame.h"
#include "reader/kit/cxx_name.h"

#include <stdlib.h>
#include <string.h>

/* After this many sites, calls are counted without their Python path. */
#define MOST_SITES (1u << 18)

struct pinsight_cuda *pinsight_cuda_of(struct pinsight_model *model) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(model);

    if (!cuda) {
        cuda = model->state[READER_CUDA] = pinsight_calloc(1, sizeof(*cuda));
        cuda->names_left = PINSIGHT_CUDA_NAMES;
    }
    return cuda;
}

struct pinsight_cuda_process *pinsight_cuda_process_of(struct pinsight_process *process) {
    struct pinsight_cuda_process *cuda = pinsight_process_cuda(process);

    if (!cuda) {
        pinsight_cuda_of(process->model);
        cuda = process->state[READER_CUDA] = pinsight_calloc(1, sizeof(*cuda));
        cuda->calls.slab.size = sizeof(struct pinsight_cuda_request);
    }
    return cuda;
}

static void free_process(struct pinsight_process *process) {
    struct pinsight_cuda_process *cuda = pinsight_process_cuda(process);

    if (!cuda)
        return;
    pinsight_cuda_forget_calls(process);
    pinsight_numbers_clear(&cuda->kernels);
    pinsight_cuda_sync_clear(cuda);
    free(cuda);
    process->state[READER_CUDA] = NULL;
}

void pinsight_cuda_free(struct pinsight_model *model) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(model);

    if (!cuda)
        return;
    for (size_t i = 0; i < model->process_count; i++)
        free_process(model->processes[i]);
    for (size_t i = 0; i < cuda->stream_count; i++) {
        pinsight_stream_track_free(&cuda->streams[i]->base);
        free(cuda->streams[i]->held);
        free(cuda->streams[i]->begun);
        free(cuda->streams[i]);
    }
    pinsight_cuda_idle_free(cuda);
    PINSIGHT_MAPS_CLEAR(&cuda->function_map, &cuda->kernel_map, &cuda->site_map, &cuda->path_map,
                        &cuda->work_map, &cuda->place_map, &cuda->stream_map);
    PINSIGHT_FREE(cuda->streams, cuda->functions, cuda->sites, cuda->works, cuda);
    model->state[READER_CUDA] = NULL;
}

static enum pinsight_cuda_role role_of(const char *name) {
    static const struct pinsight_name_value roles[] = {
        {"cudaKernelLaunch", PINSIGHT_CUDA_LAUNCHES},
        {"cudaGraphLaunch", PINSIGHT_CUDA_LAUNCHES},
        {"cudaMemcpy", PINSIGHT_CUDA_COPIES},
        {"cudaMemcpyAsync", PINSIGHT_CUDA_COPIES},
        {"cudaMemset", PINSIGHT_CUDA_SETS},
        {"cudaMemsetAsync", PINSIGHT_CUDA_SETS},
        {"cudaDeviceSync", PINSIGHT_CUDA_WAITS},
        {"cudaStreamSync", PINSIGHT_CUDA_WAITS},
        {"cudaEventSync", PINSIGHT_CUDA_WAITS},
        {"cudaStreamBeginCapture", PINSIGHT_CUDA_BEGINS_CAPTURE},
        {"cudaStreamEndCapture", PINSIGHT_CUDA_ENDS_CAPTURE},
    };

    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (!strcmp(name, roles[i].name))
            return (enum pinsight_cuda_role)roles[i].value;
    return PINSIGHT_CUDA_OTHER;
}

uint32_t pinsight_cuda_function(struct pinsight_model *model, const char *name) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(model);
    uint32_t string = pinsight_strings_add(&model->strings, name, strlen(name));

    return PINSIGHT_NUMBERED(
        &cuda->function_map, string, 0, 0, cuda->functions, cuda->function_count,
        cuda->function_capacity, .name = string, .role = (uint8_t)role_of(name),
        .waits_for_all = !strcmp(name, "cudaDeviceSync") || !strcmp(name, "cudaStreamSync"));
}

uint32_t pinsight_cuda_work(struct pinsight_model *model, enum pinsight_cuda_type type,
                            const char *text, enum pinsight_cuda_direction direction) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(model);
    uint32_t name = pinsight_strings_add(&model->strings, text, strlen(text));
    uint32_t work = pinsight_map_number(&cuda->work_map, name, type, direction, cuda->work_count);

    if (work < cuda->work_count)
        return work;
    *PINSIGHT_ADD(cuda->works, cuda->work_count, cuda->work_capacity) =
        (struct pinsight_cuda_work){.name = name,
                                    .shown = name,
                                    .same = work,
                                    .type = (uint8_t)type,
                                    .direction = (uint8_t)direction};
    return work;
}

/* Returns the number of a site: a path in a process, a function of CUDA, and an operation. */
static uint32_t site_of(struct pinsight_process *process, const struct pinsight_cuda_call *call,
                        uint32_t path) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);
    uint32_t place = pinsight_map_number(&cuda->path_map, path, process->index, 0, cuda->paths);

    cuda->paths += place == cuda->paths;
    return PINSIGHT_NUMBERED(&cuda->site_map, place, call->function, call->forward, cuda->sites,
                             cuda->site_count, cuda->site_capacity, .process = process->index,
                             .function = call->function, .path = path, .forward = call->forward);
}

void pinsight_cuda_count(struct pinsight_process *process, const char *name,
                         const struct pinsight_monitored *counted) {
    char *shown = pinsight_cxx_short(name);
    struct pinsight_cuda_call call = {.function = pinsight_cuda_function(process->model, shown),
                                      .forward = PINSIGHT_NONE};
    uint32_t site = site_of(process, &call, PINSIGHT_NONE);

    free(shown);
    pinsight_monitored_add(&pinsight_model_cuda(process->model)->sites[site].counted, counted);
}

static bool asks(const struct pinsight_cuda *cuda, uint32_t function) {
    unsigned role = cuda->functions[function].role;

    return role == PINSIGHT_CUDA_LAUNCHES || role == PINSIGHT_CUDA_COPIES ||
           role == PINSIGHT_CUDA_SETS;
}

/* Returns the Python path of a call: its own, that of the surrounding activity, or that of a thread
 * that waits for it. */
static uint32_t path_of(const struct pinsight_thread *thread, struct pinsight_process *process,
                        uint32_t own, bool *for_other) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);
    const struct pinsight_slice *outer = pinsight_chain_top(thread, READER_CUDA);
    uint32_t path = own != PINSIGHT_NONE ? own : pinsight_track_path(thread->track);
    bool several;

    *for_other = own == PINSIGHT_NONE && outer && outer->for_other;
    if (path != PINSIGHT_NONE || thread->depth)
        return path;
    path = pinsight_awaits_path(process, &several);
    *for_other = path != PINSIGHT_NONE;
    cuda->unclear += several;
    cuda->awaited += *for_other;
    return path;
}

/* Follows captures and waits. Returns whether the work of the call is captured. */
static bool follow(const struct pinsight_thread *thread, struct pinsight_process *process,
                   const struct pinsight_cuda_call *call, uint64_t ns) {
    unsigned role = pinsight_model_cuda(process->model)->functions[call->function].role;

    if (pinsight_model_cuda(process->model)->functions[call->function].waits_for_all)
        pinsight_cuda_sync_begins(process, thread, call->context, call->stream, ns);
    if (role == PINSIGHT_CUDA_BEGINS_CAPTURE)
        pinsight_cuda_capture(process, thread, call->context, call->stream);
    else if (role == PINSIGHT_CUDA_ENDS_CAPTURE)
        pinsight_cuda_capture_ends(process, call->context, call->stream);
    return pinsight_cuda_is_captured(process, thread, call->context, call->stream);
}

void pinsight_cuda_begin(struct pinsight_thread *thread, struct pinsight_process *process,
                         const struct pinsight_cuda_call *call, uint64_t ns) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    const struct pinsight_slice *outer = pinsight_chain_top(thread, READER_CUDA);
    bool for_other, captured;
    uint32_t path, site;
    struct pinsight_slice *frame;

    if (!thread->selected)
        return;
    if (outer && outer->key == PINSIGHT_CUDA_DEEPEST) {
        cuda->unmatched_begins++;
        return;
    }
    path = path_of(thread, process, call->path, &for_other);
    captured = follow(thread, process, call, ns);
    site = site_of(process, call, cuda->site_count < MOST_SITES ? path : PINSIGHT_NONE);
    cuda->sites[site].for_other |= for_other;
    if (cuda->functions[call->function].role == PINSIGHT_CUDA_COPIES)
        cuda->sites[site].bytes[call->direction] += call->bytes;
    frame = pinsight_chain_push(thread, READER_CUDA, PINSIGHT_SLICE_DEVICE_CALL, site, ns);
    frame->path = path;
    frame->forward = call->forward;
    frame->for_other = for_other;
    frame->bytes = call->bytes;
    if (cuda->functions[call->function].role == PINSIGHT_CUDA_WAITS)
        frame->waited_ns = PINSIGHT_WAITS_ALWAYS;
    frame->correlation = call->correlation;
    frame->shape = call->shape;
    if (asks(cuda, call->function))
        frame->out = pinsight_flow_numbers(process->model, 1);
    frame->outs = frame->out != 0;
    if (call->path != PINSIGHT_NONE)
        pinsight_awaits_was_at(thread, call->path, frame->begin_ns);
    pinsight_track_reported(thread->track);
    if (call->correlation && asks(cuda, call->function))
        pinsight_cuda_request_add(process, thread, call->correlation, captured);
}

static void add_to_site(struct pinsight_cuda_site *site, uint64_t time, int32_t value) {
    pinsight_extremes_add(&site->min_ns, &site->max_ns, !site->calls, time, time);
    site->calls++;
    site->total_ns += time;
    site->failed += value != 0;
    if (value != 0)
        site->failure = value;
}

/* Closes a call without an end. */
static void lose(struct pinsight_cuda *cuda, struct pinsight_thread *thread) {
    cuda->sites[pinsight_chain_top(thread, READER_CUDA)->id].open++;
    pinsight_chain_drop(thread, READER_CUDA);
}

void pinsight_cuda_end(struct pinsight_thread *thread, uint32_t function, uint32_t correlation,
                       int32_t value, uint64_t ns) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(thread->process->model);
    const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_CUDA);
    struct pinsight_frame_times times;
    struct pinsight_process *process;

    if (!thread->selected)
        return;
    while (frame && cuda->sites[frame->id].function != function)
        frame = pinsight_chain_outer(thread, frame);
    if (!frame) {
        cuda->unmatched_ends++;
        return;
    }
    for (; pinsight_chain_top(thread, READER_CUDA) != frame; cuda->unmatched_begins++)
        lose(cuda, thread);
    process = thread->process->model->processes[cuda->sites[frame->id].process];
    if (value != 0)
        pinsight_cuda_request_withdraw(process, frame->correlation, frame->out);
    else if (!frame->correlation && correlation && asks(cuda, function))
        pinsight_cuda_request_add(process, thread, correlation, false);
    if (value != 0 && cuda->functions[function].role == PINSIGHT_CUDA_BEGINS_CAPTURE)
        pinsight_cuda_capture_failed(process, thread);
    if (cuda->functions[function].waits_for_all)
        pinsight_cuda_sync_ends(process, thread, value == 0, ns);
    frame = pinsight_chain_pop(thread, READER_CUDA, ns, &times);
    add_to_site(&cuda->sites[frame->id], times.total_ns, value);
    cuda->calls++;
}

uint64_t pinsight_cuda_close(struct pinsight_thread *thread, uint64_t ns) {
    uint64_t open = 0;

    (void)ns;
    for (; pinsight_chain_top(thread, READER_CUDA); open++)
        lose(pinsight_model_cuda(thread->process->model), thread);
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
