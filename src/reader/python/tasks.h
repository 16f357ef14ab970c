/*
 * Tasks of event loops: the times in which each lived, ran, waited and was ready. Also the places
 * of waits, and the calls that block a loop.
 *
 * A task runs in steps. Between two steps it waits until it is woken. From then on it is ready, and
 * the loop does other work. The wake-up is not always recorded. The task then counts as waiting all
 * the time.
 *
 * Each task is kept while it lives, and a limited number of tasks afterwards. The sums by coroutine
 * and by place include all tasks.
 */
#ifndef PINSIGHT_READER_PYTHON_TASKS_H
#define PINSIGHT_READER_PYTHON_TASKS_H

#include "reader/ctf/event.h"
#include "reader/data/numbers.h"
#include "reader/model.h"
#include "reader/python/task_held.h"

/* Values of the events, and PINSIGHT_TASK_OPEN. */
enum pinsight_task_how {
    PINSIGHT_TASK_RETURNED,
    PINSIGHT_TASK_RAISED,
    PINSIGHT_TASK_CANCELLED,
    PINSIGHT_TASK_DROPPED,
    PINSIGHT_TASK_OPEN,
    PINSIGHT_TASK_HOWS,
};

struct pinsight_task_sums {
    uint64_t steps, run_ns, wait_ns, ready_ns;
    uint64_t longest_step_ns;
};

struct pinsight_task {
    const struct pinsight_process *process;
    uint32_t number, parent; /* numbers in the process; 0 for none */
    uint32_t name;
    uint32_t coroutine; /* index of its coroutine */
    uint32_t path;      /* path that made it, or PINSIGHT_NONE */
    uint64_t begin_ns, end_ns;
    struct pinsight_task_sums sums;
    uint64_t longest_wait_ns;
    uint32_t longest_wait;                 /* a path, or PINSIGHT_NONE */
    uint8_t kind, how;                     /* value of the event; enum pinsight_task_how */
    struct pinsight_device_stream *stream; /* see task_tracks.h; NULL if there is none */
    /* While it lives: */
    bool is_known; /* its begin was recorded */
    bool runs, was_woken;
    uint64_t since_ns;      /* begin of its present step or wait */
    uint64_t woken_ns;      /* begin of being ready */
    uint32_t waits, waker;  /* paths: of its wait, and of the code that woke it */
    uint32_t awaits, woken; /* tasks: awaited by it, and that woke it; 0 for none */
};

/* All tasks of one coroutine function. */
struct pinsight_task_coroutine {
    const struct pinsight_process *process;
    uint32_t function; /* PINSIGHT_NONE if unknown */
    uint32_t name;     /* the coroutine's name in its tasks */
    uint64_t tasks, hows[PINSIGHT_TASK_HOWS];
    uint64_t life_ns;
    struct pinsight_task_sums sums;
};

/* Waits of the tasks of a coroutine at one place that another place ended. */
struct pinsight_task_wait {
    uint32_t coroutine; /* index of the coroutine */
    uint32_t path, waker;
    uint32_t for_coroutine; /* coroutine of the task that it waited for, or PINSIGHT_NONE */
    uint32_t by_coroutine;  /* coroutine of the task that woke it, or PINSIGHT_NONE */
    uint64_t waits, wait_ns, longest_ns;
    uint64_t open; /* waits without an end */
};

struct pinsight_python_tasks {
    struct pinsight_task *tasks; /* `process` is NULL for an entry that is free */
    size_t count, capacity;
    uint32_t *free; /* indexes of free entries */
    size_t free_count, free_capacity;
    size_t ended;                           /* number of kept tasks that have ended */
    struct pinsight_device_stream **tracks; /* owned */
    size_t track_count, track_capacity;
    struct pinsight_task_coroutine *coroutines;
    size_t coroutine_count, coroutine_capacity;
    struct pinsight_task_wait *waits;
    size_t wait_count, wait_capacity;
    struct pinsight_task_held *held;
    size_t held_count, held_capacity;
    struct pinsight_numbers *numbers; /* of each process: from number to index */
    size_t numbers_count;
    uint64_t most_alive, alive;
    struct pinsight_map coroutine_map, wait_map, held_map;
};

/* Takes the events task_begin, task_switch, task_wake, task_end and loop_held. */
void pinsight_tasks_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Ends the open tasks and waits at the end of the trace. */
void pinsight_tasks_finish(struct pinsight_model *model);
void pinsight_tasks_free(struct pinsight_python_tasks *tasks);

#endif
