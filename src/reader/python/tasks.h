/* Tasks of event loops: how long each lived, ran, waited and was ready, what tasks waited for, and
 * what held a loop.
 *
 * A task runs in steps. From the end of one to the begin of the next it waits, until it is woken,
 * and is ready from then on: the loop does something else. That it was woken is not always seen;
 * then it is taken to wait all the time.
 *
 * Each task is kept while it lives. Of those that ended so many are kept; the sums by coroutine and
 * by place have all of them. */
#ifndef PINSIGHT_READER_PYTHON_TASKS_H
#define PINSIGHT_READER_PYTHON_TASKS_H

#include "reader/ctf/event.h"
#include "reader/kit/numbers.h"
#include "reader/model.h"
#include "reader/python/task_held.h"

/* Values of the events, and one more. */
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
    uint32_t number, parent; /* in the process; 0 is none */
    uint32_t name;
    uint32_t coroutine; /* row of coroutines */
    uint32_t path;      /* where it was made, or PINSIGHT_NONE */
    uint64_t begin_ns, end_ns;
    struct pinsight_task_sums sums;
    uint64_t longest_wait_ns;
    uint32_t longest_wait;                 /* path, or PINSIGHT_NONE */
    uint8_t kind, how;                     /* the event's, enum pinsight_task_how */
    struct pinsight_device_stream *stream; /* see task_tracks.h; NULL without */
    /* While it lives. */
    bool is_known; /* its begin was told */
    bool runs, was_woken;
    uint64_t since_ns;      /* since when it runs or does not */
    uint64_t woken_ns;      /* since when it is ready */
    uint32_t waits, waker;  /* paths: where it waits, and who woke it */
    uint32_t awaits, woken; /* tasks: that it waits for, and that woke it; 0 for none */
};

/* All tasks of one coroutine function. */
struct pinsight_task_coroutine {
    const struct pinsight_process *process;
    uint32_t function; /* or PINSIGHT_NONE */
    uint32_t name;     /* that the task gives it */
    uint64_t tasks, hows[PINSIGHT_TASK_HOWS];
    uint64_t life_ns;
    struct pinsight_task_sums sums;
};

/* Waits of the tasks of a coroutine at one place, until one place woke them. */
struct pinsight_task_wait {
    uint32_t coroutine; /* row of coroutines */
    uint32_t path, waker;
    uint32_t for_coroutine; /* row of what a task that it waited for ran; or PINSIGHT_NONE */
    uint32_t by_coroutine;  /* row of the task that woke it; or PINSIGHT_NONE */
    uint64_t waits, wait_ns, longest_ns;
    uint64_t open; /* of the waits, those that were not seen to end */
};

struct pinsight_python_tasks {
    struct pinsight_task *tasks; /* some ended and are kept no more: `process` is NULL */
    size_t count, capacity;
    uint32_t *free; /* places of these */
    size_t free_count, free_capacity;
    size_t ended;                           /* that are kept */
    struct pinsight_device_stream **tracks; /* owned */
    size_t track_count, track_capacity;
    struct pinsight_task_coroutine *coroutines;
    size_t coroutine_count, coroutine_capacity;
    struct pinsight_task_wait *waits;
    size_t wait_count, wait_capacity;
    struct pinsight_task_held *held;
    size_t held_count, held_capacity;
    struct pinsight_numbers *numbers; /* by process: from number to place */
    size_t numbers_count;
    uint64_t most_alive, alive;
    struct pinsight_map coroutine_map, wait_map, held_map;
};

/* The events task_begin, task_switch, task_wake, task_end and loop_held. */
void pinsight_tasks_take(struct pinsight_model *model, const struct pinsight_event *event);

/* The trace has ended; all is freed. */
void pinsight_tasks_finish(struct pinsight_model *model);
void pinsight_tasks_free(struct pinsight_python_tasks *tasks);

#endif
