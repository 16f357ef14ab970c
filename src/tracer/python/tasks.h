/*
 * Tasks of event loops: the running task of each thread, the place where each other task waits, and
 * the object that it waits for. An event loop calls each step of a task, and this call is
 * redirected.
 *
 *   tasks.c           records tasks
 *   task_table.c      the living tasks
 *   task_steps.c      the redirected calls: a task is made, a step, another callback
 *   task_wakes.c      the end of a task's wait
 *   task_path.c       the place where a task waits, as a call path
 *   task_greenlets.c  greenlets as tasks
 *   task_hub.c        the causes of callbacks by gevent's hub
 *
 * All functions hold the GIL. They do nothing in a build of CPython without a GIL.
 */
#ifndef PINSIGHT_PYTHON_TASKS_H
#define PINSIGHT_PYTHON_TASKS_H

#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* Begins or ends the recording of tasks. Keeps a pending exception. */
void pinsight_tasks_watch(bool watch);

/* Resets the state in a forked child. */
void pinsight_tasks_fork_child(void);

/* ---- the tasks that live ---- */

/* Prepares the recording of tasks. Repeated calls do nothing. */
void pinsight_tasks_start(void);

/* The identity of a task: the task of asyncio, or a coroutine that another library runs. */
struct pinsight_task_identity {
    PyObject *object; /* borrowed, like the other objects */
    bool is_coroutine;
    /* For a task of asyncio that does not know its coroutine and name yet; otherwise NULL. */
    PyObject *coroutine, *name;
};

/* Called when the running task makes a task in this thread. There is no pending exception. */
void pinsight_task_made(struct pinsight_python_thread *thread,
                        const struct pinsight_task_identity *task);

/* A step of a task, on the stack of the function that calls it. */
struct pinsight_task_step {
    struct pinsight_python_thread *thread;
    struct pinsight_task_identity task;
    uint32_t number, outer;
};

/* Begin and end a step. The second keeps a pending exception; `raised` means that there is one. */
void pinsight_task_step_begin(struct pinsight_task_step *step,
                              struct pinsight_python_thread *thread,
                              const struct pinsight_task_identity *task);
void pinsight_task_step_end(const struct pinsight_task_step *step, bool raised);

/* Returns whether a step of the task is open in the calling thread. */
bool pinsight_task_runs(const PyObject *object);

/* Called when the task of a step could not be made. */
void pinsight_task_step_fail(const struct pinsight_task_step *step);

/* Called when `future` is done. */
void pinsight_task_wake(struct pinsight_python_thread *thread, const PyObject *future);

/* Called when the wait of a task has ended. */
void pinsight_task_woken(struct pinsight_python_thread *thread, const PyObject *object);

/* ---- tasks without an event loop ---- */

/* The fields of the event task_begin. */
struct pinsight_task_about {
    int kind;
    const char *name;     /* NULL: the name of the function */
    const char *function; /* NULL if memory is short: nothing is recorded */
    uint32_t function_path, path;
    uint32_t parent; /* of a task without a number */
};

/* Returns the number of an object, or 0. Sets *recorded to whether the trace has its begin. */
uint32_t pinsight_task_number(const PyObject *object, bool *recorded);

/* Records the begin of a task. Returns its number, which it gets if it has none, or 0 if memory is
 * short. */
uint32_t pinsight_task_record(struct pinsight_python_thread *thread, const PyObject *object,
                              const struct pinsight_task_about *about);

/* The first returns the running task of the calling thread, or 0. The second sets it without an
 * event. */
uint32_t pinsight_task_running(void);
void pinsight_task_run(uint32_t number);

/* Records that another task runs. `path` is the place where the previous task waits, or 0 if it
 * does not wait. */
void pinsight_task_switch(struct pinsight_python_thread *thread, uint32_t to, uint32_t path);

/* Records the end of a task with a number, `how` as in the event. The object loses the number if it
 * still exists. The second function records no event. */
void pinsight_task_over(struct pinsight_python_thread *thread, const PyObject *object,
                        uint32_t number, int how);
void pinsight_task_forget(const PyObject *object, uint32_t number);

/* The cause of the end of a wait: a task, its place, and the time. */
struct pinsight_task_cause {
    uint32_t by, path; /* a task and a call path; 0 for none */
    uint64_t ns;       /* of pinsight_clock_ns; 0: now */
};

/* Records that the wait of the task with this number has ended. */
void pinsight_task_wake_by(struct pinsight_python_thread *thread, uint32_t task,
                           const struct pinsight_task_cause *cause);

/* ---- call paths ---- */

/* The last place of a task; zeroed at first. */
struct pinsight_task_place {
    uint64_t hash;   /* hash of its frames */
    uint64_t deaths; /* deaths of code objects at that time */
    uint32_t path, session_version;
};

/* Returns the call path of a coroutine and of the coroutines that it waits for in turn, with their
 * lines. Returns 0 if none is written in Python. Its definitions are recorded. `last` has the
 * previous result, and gets this one. */
uint32_t pinsight_task_path(PyObject *coroutine, struct pinsight_task_place *last);

/* Returns the call path that consists of a code object's first line, or 0 if there is no room. */
uint32_t pinsight_task_path_of_code(PyCodeObject *code);

#endif
