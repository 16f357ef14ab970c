/* Makes rows for the tables of tasks; see task_rows.h. */
#include "views/python/task_rows.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/users_code.h"
#include "reader/kit/paths.h"
#include "reader/python/gil.h"

#include <stdlib.h>
#include <string.h>

const char *pinsight_task_how(unsigned how) {
    static const char *const words[PINSIGHT_TASK_HOWS] = {"returned", "raised", "cancelled",
                                                          "dropped", "open"};

    return how < PINSIGHT_TASK_HOWS ? words[how] : "?";
}

const char *pinsight_task_kind(unsigned kind) {
    static const char *const words[] = {"asyncio", "coroutine", "greenlet"};

    return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "?";
}

const struct pinsight_python_tasks *pinsight_report_tasks(const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);

    return python && (python->tasks.coroutine_count || python->tasks.held_count) ? &python->tasks
                                                                                 : NULL;
}

static struct task_function function_of(const struct pinsight_report *report,
                                        const struct pinsight_process *process, uint32_t function,
                                        uint32_t name) {
    const struct pinsight_function *known =
        function == PINSIGHT_NONE ? NULL : &report->model->functions[function];

    return (struct task_function){.process = process,
                                  .name = known ? pinsight_function_name(report->model, function)
                                                : pinsight_report_string(report, name),
                                  .file =
                                      known ? pinsight_report_string(report, known->file) : NULL,
                                  .line = known ? known->line : 0};
}

static struct task_function coroutine_of(const struct pinsight_report *report, uint32_t row) {
    const struct pinsight_task_coroutine *coroutine =
        &pinsight_report_tasks(report)->coroutines[row];

    return function_of(report, coroutine->process, coroutine->function, coroutine->name);
}

static const char *name_of_coroutine(const struct pinsight_report *report, uint32_t row) {
    return row == PINSIGHT_NONE ? NULL : coroutine_of(report, row).name;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), rest = strlen(end);

    return length >= rest && !strcmp(text + length - rest, end);
}

static const char *file_of_path(const struct pinsight_report *report, uint32_t path) {
    uint32_t function = report->model->paths[path].function;

    return function == PINSIGHT_NONE
               ? ""
               : pinsight_report_string(report, report->model->functions[function].file);
}

static const char *name_of_frame(const struct pinsight_report *report, uint32_t path) {
    uint32_t function = report->model->paths[path].function;

    return function == PINSIGHT_NONE
               ? ""
               : pinsight_report_string(report, report->model->functions[function].name);
}

/* Before CPython 3.11, a name may lack its class. */
bool pinsight_task_is_hub(const char *name, const char *file) {
    return ends_with(file, "/gevent/hub.py") && (!strcmp(name, "Hub.run") || !strcmp(name, "run"));
}

/* Returns the user's line that woke a task, or else the function that the loop called. The search
 * stays within that function, and leaves out the starter of the loop. */
static struct python_call_place waker_of(const struct pinsight_report *report, uint32_t path) {
    size_t count;
    uint32_t *frames = pinsight_path_frames(report->model, path, &count), found = PINSIGHT_NONE;

    for (size_t i = count; i-- > 0;) {
        const char *file = file_of_path(report, frames[i]);

        if (!strcmp(name_of_frame(report, frames[i]), "unrolled_run") ||
            ends_with(file, "/asyncio/events.py") || ends_with(file, "/asyncio/base_events.py") ||
            ends_with(file, "/asyncio/runners.py"))
            break;
        /* gevent's hub makes most of its calls in C. */
        if (found != PINSIGHT_NONE && pinsight_task_is_hub(name_of_frame(report, frames[i]), file))
            break;
        found = frames[i];
        if (pinsight_users_file(&report->model->code_folders, file))
            break;
    }
    free(frames);
    return found == PINSIGHT_NONE ? (struct python_call_place){0}
                                  : python_call_place_of(report, found, found);
}

/* Returns the place of a task's wait, without the functions that end each wait of trio. */
static struct python_call_place wait_place(const struct pinsight_report *report, uint32_t path) {
    size_t count;
    uint32_t *frames = pinsight_path_frames(report->model, path, &count), inner = path;

    while (count > 1 && ends_with(file_of_path(report, frames[count - 1]), "/trio/_core/_traps.py"))
        inner = frames[--count - 1];
    free(frames);
    return python_call_place(report, inner);
}

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_functions(const struct task_function *a, const struct task_function *b) {
    return BY(a->process->index, b->process->index) ?: compare_texts(a->file, b->file)
        ?: BY(a->line, b->line) ?: compare_texts(a->name, b->name);
}

ORDER(by_wait, struct task_row,
      BY(b->task->sums.wait_ns + b->task->sums.ready_ns, a->task->sums.wait_ns + a->task->sums.ready_ns)
          ?: BY(a->task->process->index, b->task->process->index)
          ?: BY(a->task->number, b->task->number))
ORDER(by_running, struct coroutine_row,
      BY(b->sums.run_ns, a->sums.run_ns) ?: compare_functions(&a->coroutine, &b->coroutine))
ORDER(by_what, struct task_wait_row,
      compare_functions(&a->coroutine, &b->coroutine)
          ?: python_call_place_compare(&a->place, &b->place)
          ?: python_call_place_compare(&a->waker, &b->waker) ?: compare_texts(a->awaits, b->awaits)
          ?: compare_texts(a->woken_by, b->woken_by))
ORDER(by_waiting, struct task_wait_row, BY(b->wait_ns, a->wait_ns) ?: by_what(a, b))
ORDER(by_held, struct held_row,
      BY(b->held_ns, a->held_ns) ?: compare_functions(&a->what, &b->what)
          ?: compare_texts(a->call, b->call))

struct pinsight_rows pinsight_task_rows(const void *of_report) {
    const struct pinsight_report *report = of_report;
    const struct pinsight_python_tasks *tasks = pinsight_report_tasks(report);
    struct task_row *rows = pinsight_calloc((tasks ? tasks->count : 0) + 1, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; tasks && i < tasks->count; i++) {
        const struct pinsight_task *task = &tasks->tasks[i];

        if (task->process)
            rows[count++] =
                (struct task_row){.coroutine = coroutine_of(report, task->coroutine),
                                  .task = task,
                                  .made = python_call_place(report, task->path),
                                  .longest_wait = wait_place(report, task->longest_wait),
                                  .life_ns = pinsight_time_rest(task->end_ns, task->begin_ns),
                                  .parent = task->parent};
    }
    PINSIGHT_SORT(rows, count, by_wait);
    return PINSIGHT_MADE_ROWS(rows, count);
}

struct pinsight_rows pinsight_task_coroutine_rows(const void *of_report) {
    const struct pinsight_report *report = of_report;
    const struct pinsight_python_tasks *tasks = pinsight_report_tasks(report);
    struct coroutine_row *rows =
        pinsight_calloc((tasks ? tasks->coroutine_count : 0) + 1, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; tasks && i < tasks->coroutine_count; i++) {
        const struct pinsight_task_coroutine *from = &tasks->coroutines[i];

        if (!from->tasks)
            continue;
        rows[count] = (struct coroutine_row){.coroutine = coroutine_of(report, (uint32_t)i),
                                             .tasks = from->tasks,
                                             .life_ns = from->life_ns,
                                             .mean_ns = from->life_ns / from->tasks,
                                             .sums = from->sums};
        memcpy(rows[count].hows, from->hows, sizeof(from->hows));
        count++;
    }
    PINSIGHT_SORT(rows, count, by_running);
    return PINSIGHT_MADE_ROWS(rows, count);
}

struct pinsight_rows pinsight_task_wait_rows(const void *of_report) {
    const struct pinsight_report *report = of_report;
    const struct pinsight_python_tasks *tasks = pinsight_report_tasks(report);
    size_t count = tasks ? tasks->wait_count : 0, used = 0;
    struct task_wait_row *all = pinsight_calloc(count + 1, sizeof(*all));

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_task_wait *wait = &tasks->waits[i];

        all[i] = (struct task_wait_row){.coroutine = coroutine_of(report, wait->coroutine),
                                        .place = wait_place(report, wait->path),
                                        .waker = waker_of(report, wait->waker),
                                        .awaits = name_of_coroutine(report, wait->for_coroutine),
                                        .woken_by = name_of_coroutine(report, wait->by_coroutine),
                                        .waits = wait->waits,
                                        .wait_ns = wait->wait_ns,
                                        .longest_ns = wait->longest_ns,
                                        .open = wait->open};
    }
    PINSIGHT_SORT(all, count, by_what);
    for (size_t i = 0; i < count; i++) {
        struct task_wait_row *last = used ? &all[used - 1] : NULL;

        if (!last || by_what(last, &all[i])) {
            all[used++] = all[i];
            continue;
        }
        last->waits += all[i].waits;
        last->wait_ns += all[i].wait_ns;
        last->open += all[i].open;
        if (all[i].longest_ns > last->longest_ns)
            last->longest_ns = all[i].longest_ns;
    }
    PINSIGHT_SORT(all, used, by_waiting);
    return PINSIGHT_MADE_ROWS(all, used);
}

/* Sets the longest call of a task or callback that held a loop. */
static void set_call(const struct pinsight_report *report, const struct pinsight_held_call *call,
                     struct held_row *row) {
    const struct pinsight_model *model = report->model;
    uint32_t function = call->id;

    if (!call->self_ns)
        return;
    if (call->kind == PINSIGHT_C_CALL) {
        const struct pinsight_site *site = &model->sites[call->id];

        row->call = pinsight_callee_name(model, site->callee);
        row->call_line = site->line;
        function = site->caller;
    } else {
        row->call = pinsight_function_name(model, function);
        row->call_line = model->functions[function].line;
    }
    if (function != PINSIGHT_NONE)
        row->call_file = pinsight_report_string(report, model->functions[function].file);
    if (call->users != PINSIGHT_NONE && (call->kind == PINSIGHT_C_CALL || call->users != function))
        row->in = pinsight_function_name(model, call->users);
}

struct pinsight_rows pinsight_task_held_rows(const void *of_report) {
    const struct pinsight_report *report = of_report;
    const struct pinsight_python_tasks *tasks = pinsight_report_tasks(report);
    size_t count = tasks ? tasks->held_count : 0;
    struct held_row *rows = pinsight_calloc(count + 1, sizeof(*rows));

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_task_held *held = &tasks->held[i];

        rows[i] =
            (struct held_row){.what = held->coroutine != PINSIGHT_NONE
                                          ? coroutine_of(report, held->coroutine)
                                          : function_of(report, held->process,
                                                        held->callback_function, held->callback),
                              .is_callback = held->coroutine == PINSIGHT_NONE,
                              .thread = held->thread,
                              .times = held->times,
                              .held_ns = held->held_ns,
                              .longest_ns = held->longest_ns};
        set_call(report, &held->call, &rows[i]);
    }
    PINSIGHT_SORT(rows, count, by_held);
    return PINSIGHT_MADE_ROWS(rows, count);
}
