/* Rows of the tables of tasks: what is shown as one thing is one row, sorted. */
#ifndef PINSIGHT_VIEWS_PYTHON_TASK_ROWS_H
#define PINSIGHT_VIEWS_PYTHON_TASK_ROWS_H

#include "reader/python/tasks.h"
#include "views/python/call_place.h"

/* A coroutine function, or a callback. */
struct task_function {
    const struct pinsight_process *process;
    const char *name;
    const char *file; /* NULL where it is not written in Python */
    int32_t line;     /* its first */
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
    struct python_call_place waker; /* of what woke it: the user's line */
    const char *awaits;             /* coroutine of a task that it waited for, or NULL */
    const char *woken_by;           /* likewise of the task that woke it */
    uint64_t waits, wait_ns, longest_ns, open;
};

struct held_row {
    struct task_function what;
    bool is_callback;
    uint64_t times, held_ns, longest_ns;
    const char *call; /* the longest call in it, or NULL */
    const char *call_file;
    int32_t call_line;
    const char *in; /* the user's function that it was in, where that is another; or NULL */
};

/* Is it the function that gevent's hub is? */
bool pinsight_task_is_hub(const char *name, const char *file);

/* The rows of the tables, to be freed as rows that were made. */
struct pinsight_rows pinsight_task_rows(const void *report);
struct pinsight_rows pinsight_task_coroutine_rows(const void *report);
struct pinsight_rows pinsight_task_wait_rows(const void *report);
struct pinsight_rows pinsight_task_held_rows(const void *report);

/* NULL where there are none. */
const struct pinsight_python_tasks *pinsight_report_tasks(const struct pinsight_report *report);

/* "asyncio", and so on; "returned", and so on. */
const char *pinsight_task_kind(unsigned kind);
const char *pinsight_task_how(unsigned how);

#endif
