/* Rows for the tables of tasks. Equal things share a row, and the rows are sorted. */
#ifndef PINSIGHT_VIEWS_PYTHON_TASK_ROWS_H
#define PINSIGHT_VIEWS_PYTHON_TASK_ROWS_H

#include "reader/python/tasks.h"
#include "views/report/call_place.h"

/* A coroutine function, or a callback. */
struct task_function {
    const struct pinsight_process *process;
    const char *name;
    const char *file; /* NULL if the function is not written in Python */
    int32_t line;     /* first line of the function */
};

struct task_row {
    struct task_function coroutine;
    const struct pinsight_task *task;
    struct python_call_place made, longest_wait;
    uint64_t life_ns;
    uint64_t parent; /* 0 for none */
};

struct coroutine_row {
    struct task_function coroutine;
    uint64_t tasks, hows[PINSIGHT_TASK_HOWS];
    uint64_t life_ns, mean_ns;
    struct pinsight_task_sums sums;
};

struct task_wait_row {
    struct task_function coroutine;
    struct python_call_place place;
    struct python_call_place waker; /* user's line that woke the task */
    const char *awaits;             /* coroutine of the task that it waited for, or NULL */
    const char *woken_by;           /* coroutine of the task that woke it, or NULL */
    uint64_t waits, wait_ns, longest_ns, open;
};

struct held_row {
    struct task_function what;
    const struct pinsight_thread *thread; /* of the loop */
    bool is_callback;
    uint64_t times, held_ns, longest_ns;
    const char *call; /* the longest call within it, or NULL */
    const char *call_file;
    int32_t call_line;
    const char *in; /* the user's function around the call, if it is another one; or NULL */
};

/* Returns whether a function is gevent's hub. */
bool pinsight_task_is_hub(const char *name, const char *file);

/* Return the rows of the tables. The caller passes them to pinsight_rows_free(). */
struct pinsight_rows pinsight_task_rows(const void *report);
struct pinsight_rows pinsight_task_coroutine_rows(const void *report);
struct pinsight_rows pinsight_task_wait_rows(const void *report);
struct pinsight_rows pinsight_task_held_rows(const void *report);

/* Returns the tasks, or NULL without any. */
const struct pinsight_python_tasks *pinsight_report_tasks(const struct pinsight_report *report);

/* Return the word of a kind, such as "asyncio", and of an end, such as "returned". */
const char *pinsight_task_kind(unsigned kind);
const char *pinsight_task_how(unsigned how);

#endif
