/* Tasks of event loops; see tasks.h. */
#include "reader/python/tasks.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/python/gil.h"
#include "reader/python/task_tracks.h"

#include <stdlib.h>

/* The most ended tasks that are kept. */
#define KEPT ((size_t)1 << 16)

static struct pinsight_python_tasks *tasks_of(struct pinsight_model *model) {
    return &pinsight_python_of(model)->tasks;
}

static uint32_t field(const struct pinsight_event *event, unsigned number) {
    return (uint32_t)pinsight_event_integer(event, number);
}

static struct pinsight_numbers *numbers_of(struct pinsight_python_tasks *tasks,
                                           const struct pinsight_process *process) {
    tasks->numbers = pinsight_reach(tasks->numbers, process->index, &tasks->numbers_count,
                                    sizeof(*tasks->numbers));
    return &tasks->numbers[process->index];
}

/* Returns the row of a coroutine function, by its name if only that is known. */
static uint32_t coroutine_of(struct pinsight_python_tasks *tasks,
                             const struct pinsight_process *process, uint32_t function,
                             uint32_t name) {
    uint32_t row =
        pinsight_map_number(&tasks->coroutine_map, process->index, function,
                            function == PINSIGHT_NONE ? name : 0, tasks->coroutine_count);

    if (row == tasks->coroutine_count)
        *PINSIGHT_ADD(tasks->coroutines, tasks->coroutine_count, tasks->coroutine_capacity) =
            (struct pinsight_task_coroutine){
                .process = process, .function = function, .name = name};
    return row;
}

/* Returns the task with a number, or NULL. */
static struct pinsight_task *find(struct pinsight_python_tasks *tasks,
                                  const struct pinsight_process *process, uint32_t number) {
    uint32_t at =
        number ? pinsight_numbers_get(numbers_of(tasks, process), number) : PINSIGHT_MAP_NONE;

    if (at == PINSIGHT_MAP_NONE || tasks->tasks[at].process != process ||
        tasks->tasks[at].number != number)
        return NULL;
    return &tasks->tasks[at];
}

static struct pinsight_task *make(struct pinsight_python_tasks *tasks,
                                  const struct pinsight_process *process, uint32_t number,
                                  uint64_t ns) {
    uint32_t at = tasks->free_count ? tasks->free[--tasks->free_count] : (uint32_t)tasks->count;

    if (at == tasks->count)
        (void)PINSIGHT_ADD(tasks->tasks, tasks->count, tasks->capacity);
    tasks->tasks[at] = (struct pinsight_task){.process = process,
                                              .number = number,
                                              .coroutine = PINSIGHT_NONE,
                                              .path = PINSIGHT_NONE,
                                              .begin_ns = ns,
                                              .end_ns = ns,
                                              .longest_wait = PINSIGHT_NONE,
                                              .how = PINSIGHT_TASK_OPEN,
                                              .since_ns = ns,
                                              .woken_ns = ns,
                                              .was_woken = true,
                                              .waits = PINSIGHT_NONE,
                                              .waker = PINSIGHT_NONE};
    pinsight_numbers_set(numbers_of(tasks, process), number, at);
    if (++tasks->alive > tasks->most_alive)
        tasks->most_alive = tasks->alive;
    return &tasks->tasks[at];
}

/* Sets the coroutine of a task. A greenlet's may be reported again before it begins. */
static void set_coroutine(struct pinsight_python_tasks *tasks, struct pinsight_task *task,
                          uint32_t function, uint32_t name) {
    if (task->coroutine != PINSIGHT_NONE)
        tasks->coroutines[task->coroutine].tasks--;
    task->coroutine = coroutine_of(tasks, task->process, function, name);
    tasks->coroutines[task->coroutine].tasks++;
}

static void begins(struct pinsight_model *model, struct pinsight_thread *thread,
                   const struct pinsight_event *event) {
    struct pinsight_python_tasks *tasks = tasks_of(model);
    struct pinsight_process *process = thread->process;
    uint32_t number = field(event, PINSIGHT_PYTHON_TASK_BEGIN_TASK);
    uint32_t path = pinsight_path_of(process, field(event, PINSIGHT_PYTHON_TASK_BEGIN_CORO_PATH));
    uint32_t made = pinsight_path_of(process, field(event, PINSIGHT_PYTHON_TASK_BEGIN_PY_PATH));
    uint32_t function = path == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[path].function;
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_TASK_BEGIN_COROUTINE);
    struct pinsight_task *task = find(tasks, process, number);

    if (!number)
        return;
    if (!task)
        task = make(tasks, process, number, event->ns);
    if (!task->is_known || (!task->sums.steps && !task->runs))
        set_coroutine(tasks, task, function, name);
    task->name = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_TASK_BEGIN_NAME);
    if (task->is_known) /* a repeated event, perhaps with another name */
        return;
    task->is_known = true;
    task->kind = (uint8_t)field(event, PINSIGHT_PYTHON_TASK_BEGIN_KIND);
    task->parent = field(event, PINSIGHT_PYTHON_TASK_BEGIN_PARENT);
    task->path = made;
}

static struct pinsight_task *task_of(struct pinsight_model *model,
                                     const struct pinsight_process *process, uint32_t number,
                                     uint64_t ns) {
    struct pinsight_python_tasks *tasks = tasks_of(model);
    struct pinsight_task *task = find(tasks, process, number);

    if (task || !number)
        return task;
    task = make(tasks, process, number, ns);
    set_coroutine(tasks, task, PINSIGHT_NONE, pinsight_strings_add(&model->strings, "?", 1));
    return task;
}

static uint64_t since(uint64_t now, uint64_t then) {
    return now > then ? now - then : 0;
}

static struct pinsight_task_wait *wait_of(struct pinsight_model *model,
                                          const struct pinsight_task *task) {
    struct pinsight_python_tasks *tasks = tasks_of(model);
    const struct pinsight_task *other = find(tasks, task->process, task->awaits);
    const struct pinsight_task *by = find(tasks, task->process, task->woken);
    struct pinsight_task_wait wait = {.coroutine = task->coroutine,
                                      .path = task->waits,
                                      .waker = task->waker,
                                      .for_coroutine = other ? other->coroutine : PINSIGHT_NONE,
                                      .by_coroutine = by ? by->coroutine : PINSIGHT_NONE};
    uint32_t more = pinsight_map_hash(wait.for_coroutine, wait.by_coroutine, wait.coroutine);
    uint32_t at =
        pinsight_map_number(&tasks->wait_map, wait.path, wait.waker, more, tasks->wait_count);

    if (at == tasks->wait_count)
        *PINSIGHT_ADD(tasks->waits, tasks->wait_count, tasks->wait_capacity) = wait;
    return &tasks->waits[at];
}

/* Ends a wait of a task, now or at the time when the task was woken. */
static struct pinsight_task_wait *waited(struct pinsight_model *model, struct pinsight_task *task,
                                         uint64_t ns) {
    struct pinsight_task_coroutine *coroutine = &tasks_of(model)->coroutines[task->coroutine];
    uint64_t until_ns = task->was_woken && task->woken_ns < ns ? task->woken_ns : ns;
    uint64_t wait_ns = since(until_ns, task->since_ns), ready_ns = since(ns, until_ns);
    struct pinsight_task_wait *wait;

    pinsight_task_track(model, task, PINSIGHT_SLICE_AWAIT, task->since_ns, until_ns);
    pinsight_task_track(model, task, PINSIGHT_SLICE_READY, until_ns, ns);
    task->sums.wait_ns += wait_ns;
    task->sums.ready_ns += ready_ns;
    coroutine->sums.wait_ns += wait_ns;
    coroutine->sums.ready_ns += ready_ns;
    if (task->waits == PINSIGHT_NONE && !task->awaits)
        return NULL; /* the task had not begun */
    if (wait_ns > task->longest_wait_ns) {
        task->longest_wait_ns = wait_ns;
        task->longest_wait = task->waits;
    }
    wait = wait_of(model, task);
    wait->waits++;
    wait->wait_ns += wait_ns;
    if (wait_ns > wait->longest_ns)
        wait->longest_ns = wait_ns;
    return wait;
}

static void goes_on(struct pinsight_model *model, struct pinsight_task *task, uint64_t ns) {
    if (!task->runs)
        waited(model, task, ns);
    task->runs = true;
    task->since_ns = ns;
}

static void add_step(struct pinsight_task_sums *sums, uint64_t ns) {
    sums->steps++;
    sums->run_ns += ns;
    if (ns > sums->longest_step_ns)
        sums->longest_step_ns = ns;
}

static void pauses(struct pinsight_model *model, struct pinsight_task *task, uint64_t ns) {
    uint64_t run_ns = since(ns, task->since_ns);

    if (task->runs) {
        pinsight_task_track(model, task, PINSIGHT_SLICE_STEP, task->since_ns, ns);
        add_step(&task->sums, run_ns);
        add_step(&tasks_of(model)->coroutines[task->coroutine].sums, run_ns);
    }
    task->runs = task->was_woken = false;
    task->since_ns = ns;
    task->waker = task->waits = PINSIGHT_NONE;
    task->woken = task->awaits = 0;
}

static void switches(struct pinsight_model *model, struct pinsight_thread *thread,
                     const struct pinsight_event *event) {
    struct pinsight_process *process = thread->process;
    uint32_t from = field(event, PINSIGHT_PYTHON_TASK_SWITCH_FROM);
    uint32_t to = field(event, PINSIGHT_PYTHON_TASK_SWITCH_TO);
    uint32_t path = pinsight_path_of(process, field(event, PINSIGHT_PYTHON_TASK_SWITCH_PY_PATH));
    struct pinsight_task *task = task_of(model, process, from, event->ns);

    if (task) {
        bool is_held = task->runs && !to;

        if (task->runs)
            pinsight_task_held_by(thread, task->coroutine, since(event->ns, task->since_ns));
        pauses(model, task, event->ns);
        task->waits = path;
        task->awaits = field(event, PINSIGHT_PYTHON_TASK_SWITCH_AWAITS);
        /* An eager task begins in another task, which could continue meanwhile. */
        task->was_woken = to && path == PINSIGHT_NONE && !task->awaits;
        task->woken_ns = event->ns;
        if (is_held)
            pinsight_task_held_end(model, thread, event->ns);
    } else {
        pinsight_task_held_begin(thread, event->ns);
    }
    pinsight_task_held_runs(thread, to != 0);
    task = task_of(model, process, to, event->ns);
    if (task)
        goes_on(model, task, event->ns);
}

static void wakes(struct pinsight_model *model, struct pinsight_thread *thread,
                  const struct pinsight_event *event) {
    struct pinsight_task *task =
        find(tasks_of(model), thread->process, field(event, PINSIGHT_PYTHON_TASK_WAKE_TASK));
    uint64_t ago_ns = (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_TASK_WAKE_AGO_NS);

    if (!task || task->runs || task->was_woken)
        return;
    task->was_woken = true;
    task->woken_ns = since(event->ns, ago_ns);
    if (task->woken_ns < task->since_ns) /* it waited only for its turn */
        task->woken_ns = task->since_ns;
    task->woken = field(event, PINSIGHT_PYTHON_TASK_WAKE_BY);
    task->waker =
        pinsight_path_of(thread->process, field(event, PINSIGHT_PYTHON_TASK_WAKE_PY_PATH));
}

static void ends(struct pinsight_model *model, struct pinsight_task *task, unsigned how,
                 uint64_t ns) {
    struct pinsight_python_tasks *tasks = tasks_of(model);
    struct pinsight_task_coroutine *coroutine = &tasks->coroutines[task->coroutine];

    if (task->how != PINSIGHT_TASK_OPEN)
        return;
    task->how = (uint8_t)(how < PINSIGHT_TASK_HOWS ? how : PINSIGHT_TASK_DROPPED);
    task->end_ns = ns;
    coroutine->hows[task->how]++;
    coroutine->life_ns += since(ns, task->begin_ns);
    tasks->alive--;
    if (tasks->ended++ < KEPT)
        return;
    task->process = NULL;
    *PINSIGHT_ADD(tasks->free, tasks->free_count, tasks->free_capacity) =
        (uint32_t)(task - tasks->tasks);
}

static void task_ends(struct pinsight_model *model, struct pinsight_thread *thread,
                      const struct pinsight_event *event) {
    uint32_t number = field(event, PINSIGHT_PYTHON_TASK_END_TASK);
    struct pinsight_task *task = task_of(model, thread->process, number, event->ns);

    if (!task)
        return;
    ends(model, task, field(event, PINSIGHT_PYTHON_TASK_END_HOW), event->ns);
}

_Static_assert((int)PINSIGHT_PYTHON_TASK_BEGIN_TID == (int)PINSIGHT_PYTHON_TASK_SWITCH_TID &&
                   (int)PINSIGHT_PYTHON_TASK_BEGIN_TID == (int)PINSIGHT_PYTHON_TASK_WAKE_TID &&
                   (int)PINSIGHT_PYTHON_TASK_BEGIN_TID == (int)PINSIGHT_PYTHON_TASK_END_TID &&
                   (int)PINSIGHT_PYTHON_TASK_BEGIN_TID == (int)PINSIGHT_PYTHON_LOOP_HELD_TID,
               "the events have the thread in the same place");

static void (*const takes[])(struct pinsight_model *model, struct pinsight_thread *thread,
                             const struct pinsight_event *event) = {
    [PINSIGHT_EVENT_PYTHON_TASK_BEGIN] = begins,
    [PINSIGHT_EVENT_PYTHON_TASK_SWITCH] = switches,
    [PINSIGHT_EVENT_PYTHON_TASK_WAKE] = wakes,
    [PINSIGHT_EVENT_PYTHON_TASK_END] = task_ends,
    [PINSIGHT_EVENT_PYTHON_LOOP_HELD] = pinsight_task_held_callback,
};

void pinsight_tasks_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_TASK_BEGIN_TID);

    pinsight_model_touch(thread->process, event->ns);
    if (model->options.names_only || !thread->selected)
        return;
    takes[event->binding->id](model, thread, event);
}

void pinsight_tasks_finish(struct pinsight_model *model) {
    struct pinsight_python_tasks *tasks = model->state[READER_PYTHON] ? tasks_of(model) : NULL;

    for (size_t i = 0; tasks && i < tasks->count; i++) {
        struct pinsight_task *task = &tasks->tasks[i];
        struct pinsight_task_wait *wait;

        if (!task->process || task->how != PINSIGHT_TASK_OPEN)
            continue;
        if (task->runs)
            pauses(model, task, task->process->last_ns);
        else if ((wait = waited(model, task, task->process->last_ns)))
            wait->open++;
        task->how = PINSIGHT_TASK_OPEN;
        task->end_ns = task->process->last_ns;
        tasks->coroutines[task->coroutine].hows[PINSIGHT_TASK_OPEN]++;
        tasks->coroutines[task->coroutine].life_ns += since(task->end_ns, task->begin_ns);
    }
}

void pinsight_tasks_free(struct pinsight_python_tasks *tasks) {
    for (size_t i = 0; i < tasks->numbers_count; i++)
        pinsight_numbers_clear(&tasks->numbers[i]);
    pinsight_task_tracks_free(tasks);
    free(tasks->numbers);
    free(tasks->tasks);
    free(tasks->free);
    free(tasks->coroutines);
    free(tasks->waits);
    free(tasks->held);
    PINSIGHT_MAPS_CLEAR(&tasks->coroutine_map, &tasks->wait_map, &tasks->held_map);
}
