/* The report's section on tasks of event loops. */
#include "views/python/task_rows.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/python/python.h"
#include "views/report/head.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

static struct pinsight_value clean(const char *text) {
    return pinsight_value_owned(text ? pinsight_text_clean(text) : NULL);
}

static struct pinsight_value where(const char *file, int32_t line) {
    return pinsight_value_owned(file ? pinsight_text_place(file, line) : NULL);
}

#define F(member) MEMBER(struct task_function, member)
VALUE(function_label, struct task_function, clean(row->name))
VALUE(function_where, struct task_function, where(row->file, row->line))
static const struct pinsight_column function_columns[] = {
    INNER(NULL, &pinsight_pid_table, F(process), .pointer = true),
    COLUMN("coroutine", NULL, TEXT, F(name)),
    COLUMN("coroutine_file", NULL, TEXT, F(file)),
    COLUMN("coroutine_line", NULL, SIGNED, F(line), .needs = F(line)),
    GETTER("label", "coroutine", TEXT, function_label, NAMES_IN(PYTHON)),
    GETTER("at", "where", TEXT, function_where, NAMES_IN(DIM)),
};
static const struct pinsight_table functions = {PINSIGHT_COLUMNS(function_columns)};

#define S(member) MEMBER(struct pinsight_task_sums, member)
static const struct pinsight_column sums_columns[] = {
    COLUMN("steps", "steps", COUNT, S(steps)),
    COLUMN("run_ns", "running", NS, S(run_ns), .style = PINSIGHT_BOLD),
    COLUMN("wait_ns", "waiting", NS, S(wait_ns)),
    COLUMN("ready_ns", "ready", NS, S(ready_ns)),
    COLUMN("longest_step_ns", "longest step", NS, S(longest_step_ns)),
};
static const struct pinsight_table sums = {PINSIGHT_COLUMNS(sums_columns)};

/* ---- tasks and callbacks that held a loop ---- */

static struct pinsight_value held_label(const struct held_row *row) {
    char *text, *result;

    if (!row->is_callback)
        return clean(row->what.name);
    text = pinsight_format("%s (callback)", row->what.name);
    result = pinsight_text_clean(text);
    free(text);
    return pinsight_value_owned(result);
}

static struct pinsight_value call_label(const struct held_row *row) {
    char *text, *result;

    if (!row->call)
        return pinsight_value_none();
    text = row->in ? pinsight_format("%s in %s", row->call, row->in) : pinsight_strdup(row->call);
    result = pinsight_text_clean(text);
    free(text);
    return pinsight_value_owned(result);
}

#define H(member) MEMBER(struct held_row, member)
VALUE(held_name, struct held_row, held_label(row))
VALUE(held_call, struct held_row, call_label(row))
VALUE(held_where, struct held_row,
      row->call_file ? where(row->call_file, row->call_line)
                     : where(row->what.file, row->what.line))
VALUE(held_kind, struct held_row, pinsight_value_text(row->is_callback ? "callback" : "task"))
static const struct pinsight_column held_columns[] = {
    INNER(NULL, &functions, H(what)),
    GETTER("what", NULL, WORD, held_kind),
    COLUMN("times", "times", COUNT, H(times)),
    COLUMN("held_ns", "held", NS, H(held_ns), .style = PINSIGHT_BOLD),
    COLUMN("longest_ns", "longest", NS, H(longest_ns)),
    COLUMN("call", NULL, TEXT, H(call)),
    COLUMN("call_file", NULL, TEXT, H(call_file)),
    COLUMN("call_line", NULL, SIGNED, H(call_line), .needs = H(call_line)),
    COLUMN("call_in", NULL, TEXT, H(in)),
    GETTER("name", "by", TEXT, held_name, NAMES_IN(PYTHON)),
    GETTER("longest_call", "longest in it", TEXT, held_call, .none = "-", NAMES_IN(C)),
    GETTER("place", "where", TEXT, held_where, NAMES_IN(DIM)),
};
static const struct pinsight_table held_table = {
    PINSIGHT_TITLED("What held an event loop", "by time, --held-ms and longer", "held",
                    held_columns),
    .make = pinsight_task_held_rows,
    .screen = "held_ns times longest_ns name longest_call place",
    .json = "pid what coroutine coroutine_file coroutine_line times held_ns longest_ns call "
            "call_file call_line call_in",
};

/* ---- coroutines ---- */

#define C(member) MEMBER(struct coroutine_row, member)
static const struct pinsight_column coroutine_columns[] = {
    INNER(NULL, &functions, C(coroutine)),
    INNER(NULL, &sums, C(sums)),
    COLUMN("tasks", "tasks", COUNT, C(tasks)),
    COLUMN("returned", NULL, COUNT, C(hows[PINSIGHT_TASK_RETURNED])),
    COLUMN("raised", NULL, COUNT, C(hows[PINSIGHT_TASK_RAISED])),
    COLUMN("cancelled", NULL, COUNT, C(hows[PINSIGHT_TASK_CANCELLED])),
    COLUMN("dropped", NULL, COUNT, C(hows[PINSIGHT_TASK_DROPPED])),
    COLUMN("open", NULL, COUNT, C(hows[PINSIGHT_TASK_OPEN])),
    COLUMN("life_ns", NULL, NS, C(life_ns)),
    COLUMN("mean_life_ns", "life of one", NS, C(mean_ns)),
};
static const struct pinsight_table coroutine_table = {
    PINSIGHT_TITLED("Tasks by coroutine", "by running time; ready: the loop did something else",
                    "coroutines", coroutine_columns),
    .make = pinsight_task_coroutine_rows,
    .screen = "run_ns tasks mean_life_ns wait_ns ready_ns longest_step_ns label at",
    .json = "pid coroutine coroutine_file coroutine_line tasks returned raised cancelled dropped "
            "open life_ns mean_life_ns steps run_ns wait_ns ready_ns longest_step_ns",
};

/* ---- waits ---- */

/* Returns who woke a task: the user's line, the task that it waited for, or the task that ended. */
static struct pinsight_value waker_label(const struct task_wait_row *row) {
    if (row->waker.name && (strcmp(row->waker.name, "_set_result_unless_cancelled") == 0 ||
                            strcmp(row->waker.name, "Deadlines.expire") == 0))
        return pinsight_value_text("(a timer)");
    if (row->waker.name && row->waker.file &&
        pinsight_task_is_hub(row->waker.name, row->waker.file))
        return pinsight_value_text("(the hub)");
    if (row->waker.name)
        return python_call_place_label(&row->waker);
    return clean(row->awaits ? row->awaits : row->woken_by);
}

#define W(member) MEMBER(struct task_wait_row, member)
VALUE(woken_label, struct task_wait_row, waker_label(row))

PYTHON_CALL_PLACE_TABLE(places, "", "for", "(not known)");

PYTHON_CALL_PLACE_TABLE(wakers, "waker_", NULL, NULL);

static const struct pinsight_column wait_columns[] = {
    INNER(NULL, &functions, W(coroutine)),
    INNER(NULL, &places, W(place)),
    INNER(NULL, &wakers, W(waker)),
    COLUMN("awaits", NULL, TEXT, W(awaits)),
    COLUMN("woken_by", NULL, TEXT, W(woken_by)),
    WAIT_COLUMNS(W),
    COLUMN("open", NULL, COUNT, W(open)),
    GETTER("woken", "until", TEXT, woken_label, .none = "-", NAMES_IN(PYTHON)),
};
static const struct pinsight_table wait_table = {
    PINSIGHT_TITLED("What tasks waited for", "by time", "waits", wait_columns),
    .make = pinsight_task_wait_rows,
    .screen = "wait_ns waits longest_ns place where woken waker_where",
    .json = "pid coroutine function file line through awaits waker_function waker_file waker_line "
            "woken_by waits wait_ns longest_ns open",
};

/* ---- tasks ---- */

#define T(member) MEMBER(struct task_row, member)
VALUE(task_number, struct task_row, pinsight_value_number(row->task->number))
VALUE(task_name, struct task_row, clean(pinsight_report_string(report, row->task->name)))
VALUE(task_kind, struct task_row, pinsight_value_text(pinsight_task_kind(row->task->kind)))
VALUE(task_end, struct task_row, pinsight_value_text(pinsight_task_how(row->task->how)))
VALUE(task_begin, struct task_row,
      pinsight_value_number(row->task->begin_ns > report->model->first_ns
                                ? row->task->begin_ns - report->model->first_ns
                                : 0))
VALUE(longest_ns, struct task_row, pinsight_value_number(row->task->longest_wait_ns))

static const struct pinsight_column task_sums_columns[] = {
    INNER(NULL, &sums, MEMBER(struct pinsight_task, sums)),
};
static const struct pinsight_table task_sums = {PINSIGHT_COLUMNS(task_sums_columns)};

PYTHON_CALL_PLACE_TABLE(made, "made_", NULL, NULL);

PYTHON_CALL_PLACE_TABLE(longest, "wait_", "its longest wait", "-");

static const struct pinsight_column task_columns[] = {
    INNER(NULL, &functions, T(coroutine)),
    INNER(NULL, &task_sums, T(task), .pointer = true),
    INNER(NULL, &made, T(made)),
    INNER(NULL, &longest, T(longest_wait)),
    GETTER("task", "task", ID, task_number),
    GETTER("name", "name", TEXT, task_name, NAMES_IN(PYTHON)),
    GETTER("kind", NULL, WORD, task_kind),
    GETTER("end", "end", WORD, task_end),
    GETTER("begin_ns", NULL, NS, task_begin),
    COLUMN("life_ns", "life", NS, T(life_ns)),
    COLUMN("parent", "parent", ID, T(parent), .needs = T(parent)),
    GETTER("longest_wait_ns", "longest", NS, longest_ns),
};
static const struct pinsight_table task_table = {
    PINSIGHT_TITLED("Tasks", "by waiting time", "tasks", task_columns),
    .make = pinsight_task_rows,
    .screen = "wait_ns ready_ns run_ns life_ns task parent name label longest_wait_ns wait_place "
              "wait_where",
    .files = "pid task name kind coroutine coroutine_file coroutine_line end parent made_function "
             "made_file made_line begin_ns life_ns steps run_ns wait_ns ready_ns longest_step_ns "
             "longest_wait_ns wait_function wait_file wait_line wait_through",
};

/* ---- the section ---- */

static bool seen(const struct pinsight_report *report) {
    return pinsight_report_tasks(report) != NULL;
}

static const char *none(const struct pinsight_report *report) {
    if (report->only_counted)
        return "Calls were counted (MONITORING): tasks need TRACING.";
    return "No task of asyncio or trio, and no greenlet, was recorded: there was none while Python "
           "was "
           "traced, or the event task is off (`events` has it by default).";
}

static void print_head(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_python_tasks *tasks = pinsight_report_tasks(report);
    struct pinsight_units least = pinsight_units_time(pinsight_tasks_held_ns(report->model));
    uint64_t all = 0, open = 0, held_ns = 0, times = 0;

    for (size_t i = 0; i < tasks->coroutine_count; i++) {
        all += tasks->coroutines[i].tasks;
        open += tasks->coroutines[i].hows[PINSIGHT_TASK_OPEN];
    }
    for (size_t i = 0; i < tasks->held_count; i++) {
        times += tasks->held[i].times;
        held_ns += tasks->held[i].held_ns;
    }
    pinsight_head_section(report, out, "Tasks", NULL);
    pinsight_head_note(report, out, "%s task%s, at most %s at a time.",
                       pinsight_units_count(all).text, all == 1 ? "" : "s",
                       pinsight_units_count(tasks->most_alive).text);
    if (open)
        pinsight_head_note(report, out, "%s of them did not end while tasks were recorded.",
                           pinsight_units_count(open).text);
    if (times)
        pinsight_head_note(report, out, "Event loops were held for %s or longer: %s time%s, %s.",
                           least.text, pinsight_units_count(times).text, times == 1 ? "" : "s",
                           pinsight_units_time(held_ns).text);
    else
        pinsight_head_note(report, out, "Nothing held an event loop for as long as %s.",
                           least.text);
}

static const struct pinsight_table *const tables[] = {&held_table, &coroutine_table, &wait_table,
                                                      &task_table, NULL};

static void print(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!seen(report)) {
        pinsight_section_nothing(&pinsight_section_of_tasks, report, out);
        return;
    }
    print_head(report, out);
    for (size_t i = 0; tables[i]; i++)
        pinsight_section_print(report, out, tables[i], limit);
}

const struct pinsight_section pinsight_section_of_tasks = {
    PINSIGHT_SECTION("tasks", "Tasks", 3, seen, none),
    .about = "tasks (asyncio, trio, gevent): held loops, and waits with their causes, in place\n"
             "of the tables",
    .example = "held event loops, and waits",
    .next = "tasks, and what held their loop",
    .screen = print,
    PINSIGHT_SECTION_TABLES("tasks", tables, &task_table),
};
