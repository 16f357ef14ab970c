/* Tasks and calls that block an event loop; see task_held.h. */
#include "reader/python/task_held.h"

#include "base/memory.h"
#include "base/users_code.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/python/frames.h"
#include "reader/python/gil.h"
#include "reader/waits.h"

#include <string.h>

#define HELD_DEFAULT_NS PINSIGHT_HELD_LEAST_NS

static const char *file_of(const struct pinsight_model *model, uint32_t function) {
    return pinsight_strings_text(&model->strings, model->functions[function].file);
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), rest = strlen(end);

    return length >= rest && !strcmp(text + length - rest, end);
}

/* Returns whether a file belongs to an event loop. The self time of its functions belongs to no
 * callback. The function of asyncio that calls back is in another file. */
static bool is_loop(const char *file) {
    return ends_with(file, "/asyncio/base_events.py") || ends_with(file, "/trio/_core/_run.py");
}

static void note(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                 const struct pinsight_frame_times *times) {
    const struct pinsight_model *model = thread->process->model;
    const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON);
    const char *file = kind == PINSIGHT_FUNCTION ? file_of(model, id) : "";
    struct pinsight_held_call call = thread->held_call;
    const uint64_t ready_ns = pinsight_least(times->ready_ns, times->self_ns);

    /* Inner calls end first. An outer one replaces them only if it runs much longer. */
    if (times->total_ns - ready_ns > 2 * call.inner_ns - call.inner_ready_ns &&
        pinsight_users_file(&model->code_folders, file)) {
        thread->held_call.inner_ns = call.inner_ns = times->total_ns;
        thread->held_call.inner_ready_ns = call.inner_ready_ns = ready_ns;
        thread->held_call.inner = call.inner = id;
    }
    if (times->self_ns - ready_ns <= call.self_ns - call.self_ready_ns)
        return;
    call.self_ns = times->self_ns;
    call.self_ready_ns = ready_ns;
    call.kind = kind;
    call.id = id;
    call.users = PINSIGHT_NONE;

    if (is_loop(file) || ends_with(file, "/asyncio/events.py"))
        return;
    if (pinsight_users_file(&model->code_folders, file))
        call.users = id;
    for (; frame && call.users == PINSIGHT_NONE; frame = pinsight_chain_outer(thread, frame)) {
        if (frames_kind(frame) != PINSIGHT_FUNCTION)
            continue;
        file = file_of(model, frame->id);
        if (pinsight_users_file(&model->code_folders, file))
            call.users = frame->id;
        else if (is_loop(file))
            return;
        else if (ends_with(file, "/asyncio/events.py"))
            break;
    }
    /* A C call that asyncio itself makes is the callback, which is named anyway. */
    if (kind == PINSIGHT_FUNCTION || !ends_with(file, "/asyncio/events.py") ||
        model->sites[id].caller != (frame ? frame->id : PINSIGHT_NONE))
        thread->held_call = call;
}

uint64_t pinsight_tasks_held_ns(const struct pinsight_model *model) {
    return model->options.held_ns ? model->options.held_ns : HELD_DEFAULT_NS;
}

/* Notes the thread's time without a processor at the begin of the loop's next callback. */
static void note_ready(struct pinsight_thread *thread) {
    thread->held_ready_ns = thread->clock.ready_ns;
}

/* Returns whether a call has a share of 1/parts of a blocking, with the times without a processor
 * or without them. */
static bool is_part(uint64_t ns, uint64_t ready_ns, uint64_t held_ns, uint64_t held_ready_ns,
                    unsigned parts) {
    return ns && (ns >= held_ns / parts || ns - ready_ns >= (held_ns - held_ready_ns) / parts);
}

static void add_held(struct pinsight_model *model, struct pinsight_thread *thread,
                     struct pinsight_task_held held, uint64_t held_ns) {
    struct pinsight_python_tasks *tasks = &pinsight_python_of(model)->tasks;
    struct pinsight_held_call call = thread->held_call;
    /* A callback does not block the loop while the thread has no processor. */
    const uint64_t ready_ns =
        pinsight_least(held_ns, pinsight_time_rest(thread->clock.ready_ns, thread->held_ready_ns));
    uint32_t what, at;

    thread->held_call = (struct pinsight_held_call){0};
    note_ready(thread);
    if (held_ns - ready_ns < pinsight_tasks_held_ns(model))
        return;
    /* A call with a small share did not block the loop. */
    if (!is_part(call.self_ns, call.self_ready_ns, held_ns, ready_ns, 4)) {
        if (is_part(call.inner_ns, call.inner_ready_ns, held_ns, ready_ns, 2))
            call = (struct pinsight_held_call){.self_ns = call.inner_ns,
                                               .kind = PINSIGHT_FUNCTION,
                                               .id = call.inner,
                                               .users = call.inner};
        else
            call.self_ns = 0;
    }
    held_ns -= ready_ns;
    held.call = call;
    held.process = thread->process;
    held.thread = thread;
    what = held.coroutine != PINSIGHT_NONE ? held.coroutine : held.callback;
    at = pinsight_map_number(
        &tasks->held_map, what, thread->process->index * 2 + (held.coroutine != PINSIGHT_NONE),
        held.call.self_ns ? pinsight_map_hash(held.call.id, held.call.kind, held.call.users) : 0,
        tasks->held_count);
    if (at == tasks->held_count)
        *PINSIGHT_ADD(tasks->held, tasks->held_count, tasks->held_capacity) = held;
    tasks->held[at].times++;
    tasks->held[at].held_ns += held_ns;
    if (held_ns > tasks->held[at].longest_ns)
        tasks->held[at].longest_ns = held_ns;
}

/* Returns the C call that called a function or task, or PINSIGHT_NONE. */
static uint32_t calling_site(const struct pinsight_thread *thread) {
    const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON);

    return frame && frames_kind(frame) == PINSIGHT_C_CALL ? frame->id : PINSIGHT_NONE;
}

void pinsight_task_held_runs(struct pinsight_thread *thread, bool task_runs) {
    const struct pinsight_model *model = thread->process->model;
    uint32_t site = task_runs ? calling_site(thread) : PINSIGHT_NONE;

    /* A loop that is written in Python has an event. */
    if (site != PINSIGHT_NONE && !thread->task_runs &&
        !ends_with(pinsight_callee_name(model, model->sites[site].callee), "Context.run")) {
        thread->has_loop = true;
        thread->loop = model->sites[site].callee;
    }
    thread->task_runs = task_runs;
}

void pinsight_tasks_note(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                         const struct pinsight_frame_times *times) {
    struct pinsight_model *model = thread->process->model;
    uint32_t site = thread->has_loop && !thread->task_runs && kind == PINSIGHT_FUNCTION
                        ? calling_site(thread)
                        : PINSIGHT_NONE;

    note(thread, kind, id, times);
    /* After a poll, the loop itself may have had no processor. */
    if (kind == PINSIGHT_C_CALL && pinsight_wait_of_name(pinsight_callee_name(
                                       model, model->sites[id].callee)) == PINSIGHT_WAIT_POLL)
        note_ready(thread);
    if (site != PINSIGHT_NONE && model->sites[site].callee == thread->loop)
        add_held(model, thread,
                 (struct pinsight_task_held){.coroutine = PINSIGHT_NONE,
                                             .callback = model->functions[id].name,
                                             .callback_function = id},
                 times->total_ns);
}

void pinsight_task_held_begin(struct pinsight_thread *thread, uint64_t ns) {
    thread->held_call = (struct pinsight_held_call){0};
    thread->held_since_ns = ns;
    note_ready(thread);
    thread->held_longest_ns = 0;
    thread->held_longest = PINSIGHT_NONE;
}

void pinsight_task_held_by(struct pinsight_thread *thread, uint32_t coroutine, uint64_t ns) {
    if (ns < thread->held_longest_ns)
        return;
    thread->held_longest_ns = ns;
    thread->held_longest = coroutine;
}

void pinsight_task_held_end(struct pinsight_model *model, struct pinsight_thread *thread,
                            uint64_t ns) {
    struct pinsight_task_held held = {.coroutine = thread->held_longest,
                                      .callback_function = PINSIGHT_NONE};

    if (thread->held_since_ns && held.coroutine != PINSIGHT_NONE && ns > thread->held_since_ns)
        add_held(model, thread, held, ns - thread->held_since_ns);
}

void pinsight_task_held_callback(struct pinsight_model *model, struct pinsight_thread *thread,
                                 const struct pinsight_event *event) {
    uint32_t number = (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LOOP_HELD_PY_PATH);
    uint32_t path = pinsight_path_of(thread->process, number);
    struct pinsight_task_held held = {
        .coroutine = PINSIGHT_NONE,
        .callback = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_LOOP_HELD_CALLBACK),
        .callback_function = path == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[path].function};

    add_held(model, thread, held,
             (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LOOP_HELD_HELD_NS));
}
