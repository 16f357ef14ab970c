/* The starts of threads; see starts.h. */
#include "reader/core/starts.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/model.h"

static uint32_t u32(const struct pinsight_event *event, unsigned field) {
    return (uint32_t)pinsight_event_integer(event, field);
}

/* Returns the start of the OS thread that has the thread's number now. Makes it at the first
 * call. */
static struct pinsight_start *start_of(struct pinsight_thread *thread,
                                       const struct pinsight_event *event) {
    struct pinsight_starts *all = &thread->process->model->starts;

    if (thread->start && all->starts[thread->start - 1].tid == thread->tid) {
        all->starts[thread->start - 1].is_earlier &= event->earlier;
        return &all->starts[thread->start - 1];
    }
    *PINSIGHT_ADD(all->starts, all->count, all->capacity) =
        (struct pinsight_start){.thread = thread,
                                .tid = thread->tid,
                                .name = thread->name,
                                .is_earlier = event->earlier,
                                .runs_path = PINSIGHT_NONE,
                                .starter_start = PINSIGHT_NONE,
                                .path = PINSIGHT_NONE};
    thread->start = (uint32_t)all->count;
    return &all->starts[all->count - 1];
}

static void thread_start(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_THREAD_START_PID);
    struct pinsight_thread *thread = pinsight_model_thread_by_tid(
        model, process->host, u32(event, PINSIGHT_CORE_THREAD_START_TID), process);
    struct pinsight_start *start = start_of(thread, event);

    if (start->observed)
        return; /* it is repeated in another chunk */
    start->observed = true;
    start->starter_tid = u32(event, PINSIGHT_CORE_THREAD_START_STARTER);
    start->path = pinsight_path_of(process, u32(event, PINSIGHT_CORE_THREAD_START_PY_PATH));
    start->starter_name =
        pinsight_lookup_text(model, event, PINSIGHT_CORE_THREAD_START_STARTER_NAME);
    start->starter = pinsight_model_thread_there(process, start->starter_tid);
    if (start->starter && start->starter->start)
        start->starter_start = start->starter->start - 1;
}

static void thread_runs(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    /* Another thread may have recorded the event. */
    struct pinsight_thread *thread = pinsight_model_thread_by_tid(
        model, process->host, u32(event, PINSIGHT_PYTHON_THREAD_RUNS_TID), process);
    struct pinsight_start *start = start_of(thread, event);

    start->runs = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_THREAD_RUNS_NAME);
    start->runs_path =
        pinsight_path_of(thread->process, u32(event, PINSIGHT_PYTHON_THREAD_RUNS_CODE_PATH));
}

void pinsight_starts_take(struct pinsight_model *model, const struct pinsight_event *event) {
    if (model->options.names_only)
        return;
    if (event->binding->id == PINSIGHT_EVENT_CORE_THREAD_START)
        thread_start(model, event);
    else
        thread_runs(model, event);
}

void pinsight_starts_name(struct pinsight_thread *thread) {
    struct pinsight_starts *all = &thread->process->model->starts;

    if (thread->start && all->starts[thread->start - 1].tid == thread->tid)
        all->starts[thread->start - 1].name = thread->name;
}

bool pinsight_start_is_there(const struct pinsight_start *start) {
    return !start->is_earlier || (start->tid == start->thread->tid && start->thread->last_ns);
}

const char *pinsight_starts_starter(const struct pinsight_model *model,
                                    const struct pinsight_start *start) {
    const struct pinsight_thread *starter = start->starter;
    uint32_t name;

    /* In a flight recorder, the starter's first event may be later. */
    if (!starter && start->observed)
        starter = pinsight_model_thread_there(start->thread->process, start->starter_tid);
    name = start->starter_start != PINSIGHT_NONE ? model->starts.starts[start->starter_start].name
           : starter                             ? starter->name
                                                 : start->starter_name;
    return name ? pinsight_strings_text(&model->strings, name) : NULL;
}
