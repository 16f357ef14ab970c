/* Sums of garbage collections. An interpreter has one collection at a time. A collection without an
 * end ends at the begin of the next one. */
#include "reader/python/garbage.h"

#include "base/memory.h"
#include "reader/frame.h"
#include "reader/kit/paths.h"
#include "reader/python/frames.h"
#include "reader/python/stacks.h"

static uint32_t find(struct pinsight_model *model, uint32_t path, uint32_t function) {
    return PINSIGHT_NUMBERED(&model->garbage_map, path, function, 0, model->garbage,
                             model->garbage_count, model->garbage_capacity, .path = path,
                             .function = function);
}

static struct pinsight_garbage *pop(struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_frame_times times;
    const struct pinsight_slice *frame =
        pinsight_chain_pop(thread, PINSIGHT_COLLECTIONS, ns, &times);
    struct pinsight_garbage *garbage = &thread->process->model->garbage[frame->node];
    uint64_t self_ns = frame->self_ns;
    uint32_t last = PINSIGHT_GENERATIONS - 1;

    garbage->count[frame->id < last ? frame->id : last]++;
    garbage->total_ns += times.total_ns;
    garbage->self_ns += self_ns;
    if (times.total_ns > garbage->max_ns)
        garbage->max_ns = times.total_ns;
    pinsight_stacks_stand_apart(thread, frame);
    return garbage;
}

void pinsight_garbage_begin(struct pinsight_thread *thread, uint32_t generation, uint32_t path,
                            uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    uint32_t function = path == PINSIGHT_NONE ? frames_top_function(thread) : PINSIGHT_NONE;
    struct pinsight_slice *frame;

    if (!thread->selected || model->options.names_only)
        return;
    ns = pinsight_stacks_time(thread, ns);
    if (pinsight_chain_top(thread, PINSIGHT_COLLECTIONS)) {
        model->unmatched_begins++;
        pop(thread, ns);
    }
    frame = pinsight_chain_push(thread, PINSIGHT_COLLECTIONS, PINSIGHT_SLICE_GC, generation, ns);
    frame->path = path;
    frame->node = find(model, path, function);
    pinsight_track_reported(thread->track);
}

void pinsight_garbage_end(struct pinsight_thread *thread, uint64_t collected,
                          uint64_t uncollectable, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_garbage *garbage;

    if (!thread->selected || model->options.names_only)
        return;
    ns = pinsight_stacks_time(thread, ns);
    if (!pinsight_chain_top(thread, PINSIGHT_COLLECTIONS)) {
        model->unmatched_ends++;
        model->ends_of_nothing++;
        return;
    }
    garbage = pop(thread, ns);
    garbage->collected += collected;
    garbage->uncollectable += uncollectable;
}

uint64_t pinsight_garbage_close(struct pinsight_thread *thread, uint64_t ns) {
    if (!pinsight_chain_top(thread, PINSIGHT_COLLECTIONS))
        return 0;
    if (ns > thread->last_ns)
        thread->last_ns = ns;
    pop(thread, thread->last_ns);
    return 1;
}

void pinsight_garbage_count(struct pinsight_process *process, const struct pinsight_garbage *sums) {
    struct pinsight_model *model = process->model;
    struct pinsight_garbage *garbage;
    uint32_t place;

    if (!process->selected || model->options.names_only)
        return;
    place = find(model, sums->path, PINSIGHT_NONE);
    garbage = &model->garbage[place];
    for (size_t i = 0; i < PINSIGHT_GENERATIONS; i++) {
        garbage->count[i] += sums->count[i];
        garbage->counted.calls += sums->count[i];
    }
    garbage->counted.total_ns += sums->total_ns;
    garbage->counted.self_ns += sums->self_ns;
    garbage->total_ns += sums->total_ns;
    garbage->self_ns += sums->self_ns;
    if (sums->max_ns > garbage->max_ns)
        garbage->max_ns = sums->max_ns;
    garbage->collected += sums->collected;
    garbage->uncollectable += sums->uncollectable;
}

uint32_t pinsight_garbage_function(const struct pinsight_model *model,
                                   const struct pinsight_garbage *garbage) {
    return garbage->path == PINSIGHT_NONE ? garbage->function
                                          : model->paths[garbage->path].function;
}

int32_t pinsight_garbage_line(const struct pinsight_model *model,
                              const struct pinsight_garbage *garbage) {
    return garbage->path == PINSIGHT_NONE ? 0 : model->paths[garbage->path].line;
}
