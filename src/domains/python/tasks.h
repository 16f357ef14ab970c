/*
 * Tasks of event loops: which one runs in a thread, where each waits meanwhile, and for what. An
 * event loop calls back each step of a task; that is where this domain stands.
 *
 * tasks.c       what is recorded of tasks
 * task_table.c  the tasks that live
 * task_steps.c  what calls it: a task is made, a step of one, a callback that is none's
 * task_wakes.c  what a task waits for has come
 * task_path.c   where a task waits, as a call path
 * task_greenlets.c  greenlets, which are tasks, too
 * task_hub.c    why gevent's hub calls back what it does
 *
 * All hold the GIL. There is nothing of it in a build of CPython that has none.
 */
#ifndef PINSIGHT_PYTHON_TASKS_H
#define PINSIGHT_PYTHON_TASKS_H

#include "domains/python/thread.h"
#include "domains/python/versions.h"

/* Tasks are recorded from now on, or no more. Keeps a pending exception. */
void pinsight_tasks_watch(bool watch);

/* In a forked child. */
void pinsight_tasks_fork_child(void);

/* ---- the tasks that live ---- */

/* Before the first: how they are recorded. Again does nothing else. */
void pinsight_tasks_start(void);

/* What it is known by: the task of asyncio, or a coroutine that another library runs. */
struct pinsight_task_identity {
    PyObject *object; /* borrowed, as all of it */
    bool is_coroutine;
    /* Of a task of asyncio that does not know them yet; else NULL. */
    PyObject *coroutine, *name;
};

/* A task is made in this thread, by the task that runs. There is no pending exception. */
void pinsight_task_made(struct pinsight_python_thread *thread,
                        const struct pinsight_task_identity *task);

/* A step of a task, on the stack of who calls it. */
struct pinsight_task_step {
    struct pinsight_python_thread *thread;
    struct pinsight_task_identity task;
    uint32_t number, outer;
};

/* The step begins, and ends. The second keeps a pending exception; `raised`: there is one. */
void pinsight_task_step_begin(struct pinsight_task_step *step,
                              struct pinsight_python_thread *thread,
                              const struct pinsight_task_identity *task);
void pinsight_task_step_end(const struct pinsight_task_step *step, bool raised);

/* Is a step of this task under way in the calling thread? */
bool pinsight_task_runs(const PyObject *object);

/* The task was not made after all. */
void pinsight_task_step_fail(const struct pinsight_task_step *step);

/* What `future` is waited for has come. */
void pinsight_task_wake(struct pinsight_python_thread *thread, const PyObject *future);

/* What this task waits for has come. */
void pinsight_task_woken(struct pinsight_python_thread *thread, const PyObject *object);

/* ---- what is no event loop's ---- */

/* What is told of a task: the event task_begin. */
struct pinsight_task_about {
    int kind;
    const char *name;     /* NULL: that of the function */
    const char *function; /* NULL where memory is short: nothing is told */
    uint32_t function_path, path;
    uint32_t parent; /* of one that had no number */
};

/* The number that an object has, 0 for none. *told: the trace knows of it. */
uint32_t pinsight_task_number(const PyObject *object, bool *recorded);

/* Tell of a task. Returns its number, which it gets where it has none; 0 where memory is short. */
uint32_t pinsight_task_record(struct pinsight_python_thread *thread, const PyObject *object,
                              const struct pinsight_task_about *about);

/* The task that runs in the calling thread, 0 for none; and another one, unrecorded. */
uint32_t pinsight_task_running(void);
void pinsight_task_run(uint32_t number);

/* Another one runs; `path` is where the one before waits, 0 where it does not. */
void pinsight_task_switch(struct pinsight_python_thread *thread, uint32_t to, uint32_t path);

/* The task of this number is over, `how` as in the event; the object has it no more, if it is there
 * still. The second without an event. */
void pinsight_task_over(struct pinsight_python_thread *thread, const PyObject *object,
                        uint32_t number, int how);
void pinsight_task_forget(const PyObject *object, uint32_t number);

/* Who ended a wait, where, and when. */
struct pinsight_task_cause {
    uint32_t by, path; /* a task and a call path, 0 for none */
    uint64_t ns;       /* of pinsight_clock_ns; 0: now */
};

/* What the task of this number waits for has come. */
void pinsight_task_wake_by(struct pinsight_python_thread *thread, uint32_t task,
                           const struct pinsight_task_cause *cause);

/* ---- call paths ---- */

/* The last one of a task; all zero before. */
struct pinsight_task_place {
    uint64_t hash;   /* of the places that it is */
    uint64_t deaths; /* of code objects, then */
    uint32_t path, session_version;
};

/* The call path that is a coroutine, and what it waits for in turn, with their lines; 0 where none
 * is written in Python. Its definitions are recorded. `last` is what was found before, and gets
 * this. */
uint32_t pinsight_task_path(PyObject *coroutine, struct pinsight_task_place *last);

/* The call path that is a code object alone, at its first line; 0 where there is no room. */
uint32_t pinsight_task_path_of_code(PyCodeObject *code);

#endif
