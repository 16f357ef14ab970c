/* Threads that wait for the work of others; see awaits.h. */
#include "reader/python/awaits.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/stack.h"

#include <stdlib.h>
#include <string.h>

/* The waiting code of PyTorch: the callable, by the last part of its name. If C calls are not
 * recorded, the functions, with the ends of their files' names. */
static const char *const callables[] = {"run_backward"};
static const struct {
    const char *name, *file;
} functions[] = {
    {"_engine_run_backward", "/torch/autograd/graph.py"},
    {"backward", "/torch/autograd/__init__.py"},
    {"grad", "/torch/autograd/__init__.py"},
};

/* The most threads of a process that are examined. */
#define MOST_THREADS 4096

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), rest = strlen(end);

    return length >= rest && !strcmp(text + length - rest, end);
}

void pinsight_awaits_function(struct pinsight_model *model, uint32_t function) {
    struct pinsight_awaits *awaits = &model->awaits;
    const struct pinsight_function *of = &model->functions[function];
    const char *name = pinsight_strings_text(&model->strings, of->name);

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(name, functions[i].name) &&
            ends_with(pinsight_strings_text(&model->strings, of->file), functions[i].file) &&
            awaits->function_count < PINSIGHT_AWAITS_MOST)
            awaits->functions[awaits->function_count++] = function;
}

void pinsight_awaits_callee(struct pinsight_model *model, uint32_t callee) {
    struct pinsight_awaits *awaits = &model->awaits;
    const char *name = pinsight_strings_text(&model->strings, model->callees[callee].name);
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; i < sizeof(callables) / sizeof(callables[0]); i++)
        if (!strcmp(dot ? dot + 1 : name, callables[i]) &&
            awaits->callee_count < PINSIGHT_AWAITS_MOST)
            awaits->callees[awaits->callee_count++] = callee;
}

void pinsight_awaits_was_at(struct pinsight_thread *thread, uint32_t path, uint64_t ns) {
    thread->last_path = path;
    thread->last_path_ns = ns;
}

static bool is_in(const uint32_t *numbers, size_t count, uint32_t number) {
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Returns the index of the innermost slice in which a thread waits, plus one; 0 if there is
 * none. */
static size_t awaits_at(const struct pinsight_thread *thread) {
    const struct pinsight_model *model = thread->process->model;
    const struct pinsight_awaits *awaits = &model->awaits;
    const struct pinsight_track *track = thread->track;

    for (size_t at = track && thread->depth ? track->depth : 0; at; at--) {
        const struct pinsight_slice *slice = &track->slices[at - 1];

        if ((slice->kind == PINSIGHT_SLICE_FUNCTION &&
             is_in(awaits->functions, awaits->function_count, slice->id)) ||
            (slice->kind == PINSIGHT_SLICE_C_CALL &&
             is_in(awaits->callees, awaits->callee_count, model->sites[slice->id].callee)))
            return at;
    }
    return 0;
}

static uint32_t made(struct pinsight_model *model, uint32_t parent, uint32_t function,
                     int32_t line) {
    return PINSIGHT_NUMBERED(&model->awaits.paths, parent, function, (uint32_t)line, model->paths,
                             model->path_count, model->path_capacity, .function = function,
                             .parent = parent, .line = line);
}

/* Returns the part of a thread's last path that is still valid for its open functions, up to a
 * depth. The lines of these functions are known, because the thread was seen at the path after the
 * begin of their inner calls. Sets *from to the first slice after this part. */
static uint32_t still_at(const struct pinsight_thread *thread, size_t depth, size_t *from) {
    const struct pinsight_model *model = thread->process->model;
    const struct pinsight_slice *slices = thread->track->slices;
    size_t count, next = 0;
    uint32_t *frames = pinsight_path_frames(model, thread->last_path, &count);
    uint32_t path = PINSIGHT_NONE;

    for (size_t i = *from; i < depth && slices[i].begin_ns <= thread->last_path_ns; i++) {
        size_t at = next;

        if (slices[i].kind != PINSIGHT_SLICE_FUNCTION)
            continue;
        while (at < count && model->paths[frames[at]].function != slices[i].id)
            at++;
        if (at == count)
            break;
        path = at ? frames[at - 1] : PINSIGHT_NONE;
        *from = i;
        next = at + 1;
    }
    free(frames);
    return path;
}

/* Returns the path of the open slices in a thread's track, up to a depth. */
static uint32_t path_at(const struct pinsight_thread *thread, size_t depth) {
    struct pinsight_model *model = thread->process->model;
    const struct pinsight_slice *slices = thread->track->slices;
    const struct pinsight_slice *last = &slices[depth - 1];
    size_t from = depth > PINSIGHT_PATH_DEEPEST ? depth - PINSIGHT_PATH_DEEPEST : 0;
    uint32_t path = still_at(thread, depth, &from);
    uint32_t caller = PINSIGHT_NONE;

    if (last->kind == PINSIGHT_SLICE_C_CALL)
        caller = model->sites[last->id].caller;
    for (size_t i = from; i < depth; i++) {
        bool calls = i + 2 == depth && slices[i].id == caller;

        if (slices[i].kind == PINSIGHT_SLICE_FUNCTION)
            path = made(model, path, slices[i].id, calls ? model->sites[last->id].line : 0);
    }
    return path;
}

uint32_t pinsight_awaits_path(struct pinsight_process *process, bool *several) {
    struct pinsight_awaits *awaits = &process->model->awaits;
    const struct pinsight_thread *thread = NULL;
    size_t depth = 0;

    *several = false;
    if (!awaits->function_count && !awaits->callee_count)
        return PINSIGHT_NONE;
    for (size_t i = 0; i < process->thread_count && i < MOST_THREADS; i++) {
        size_t at = awaits_at(process->thread_list[i]);

        if (!at)
            continue;
        *several |= thread != NULL;
        thread = process->thread_list[i];
        depth = at;
    }
    if (!thread || *several)
        return PINSIGHT_NONE;
    if (awaits->thread != thread || awaits->depth != depth ||
        awaits->begin_ns != thread->track->slices[depth - 1].begin_ns) {
        awaits->path = path_at(thread, depth);
        awaits->thread = thread;
        awaits->depth = depth;
        awaits->begin_ns = thread->track->slices[depth - 1].begin_ns;
    }
    return awaits->path;
}

void pinsight_awaits_clear(struct pinsight_awaits *awaits) {
    pinsight_map_clear(&awaits->paths);
    *awaits = (struct pinsight_awaits){0};
}
