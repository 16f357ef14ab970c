/* Records tasks; see tasks.h. */
#include "tracer/python/tasks.h"

#include "tracer/core/clock.h"
#include "tracer/core/link.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/asyncio.h"
#include "tracer/python/cpython/suspended.h"
#include "tracer/python/cpython/trio.h"
#include "tracer/python/task_steps.h"
#include "tracer/python/task_table.h"
#include "tracer/python/text.h"
#include "tracer/record/recorder.h"

#include <stdlib.h>
#include <string.h>

#define BEGIN_BYTES 40u /* without the names */
#define SWITCH_BYTES 24u
#define WAKE_BYTES 28u
#define END_BYTES 13u

/* The running task of this thread, or 0. */
static __thread uint32_t running;

/* ---- events ---- */

/* The interval after which a flight recorder records the begin of a living task again, because it
 * drops old events. */
#define REPEAT_NS 50000000u
static bool is_ring;

void pinsight_tasks_start(void) {
    is_ring = pinsight_recorder->is_ring && pinsight_recorder->is_ring();
}

static void record_end(struct pinsight_python_thread *thread, uint32_t number, int how) {
    pinsight_python_progress(thread);
    pinsight_record_python_task_end(thread->tid, number, (uint8_t)how);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, END_BYTES);
}

static char *name_of_coroutine(PyObject *coroutine) {
    PyObject *name = coroutine ? pinsight_suspended_name(coroutine) : NULL;
    if (name || !coroutine)
        return pinsight_utf8_copy(name);
    return strdup(Py_TYPE(coroutine)->tp_name);
}

/* Return new references, or NULL. */
static PyObject *coroutine_of(const struct pinsight_task_identity *identity) {
    PyObject *known = identity->is_coroutine ? identity->object : identity->coroutine;
    Py_XINCREF(known);
    return known ? known : pinsight_asyncio_coroutine(identity->object);
}

static PyObject *name_of(const struct pinsight_task_identity *identity) {
    if (identity->is_coroutine)
        return pinsight_trio_name(identity->object);
    if (!identity->coroutine)
        return pinsight_asyncio_name(identity->object);
    Py_XINCREF(identity->name);
    return identity->name;
}

/* Records the begin of a task. */
static void record(struct pinsight_python_thread *thread, struct pinsight_living_task *task,
                   const struct pinsight_task_about *about) {
    if (about->function) {
        pinsight_python_progress(thread);
        pinsight_record_python_task_begin(thread->tid, task->number, task->parent,
                                          (uint8_t)about->kind,
                                          about->name ? about->name : about->function,
                                          about->function, about->function_path, about->path);
        pinsight_python_progress(thread);
        pinsight_add_bytes(thread, BEGIN_BYTES + (uint32_t)strlen(about->function));
    }
    task->session_version = pinsight_session_version();
    task->recorded_ns = is_ring ? pinsight_clock_ns() : 0;
}

static bool is_recorded(const struct pinsight_living_task *task) {
    return task->session_version == pinsight_session_version() &&
           !(is_ring && pinsight_clock_ns() - task->recorded_ns > REPEAT_NS);
}

/* `path` is the place of its creation, or 0. */
static void record_begin(struct pinsight_python_thread *thread, struct pinsight_living_task *task,
                         const struct pinsight_task_identity *identity, uint32_t path) {
    bool is_coroutine = identity->is_coroutine;
    PyObject *coroutine = coroutine_of(identity), *name_object = name_of(identity);
    char *coroutine_name = name_of_coroutine(coroutine);
    bool is_named = name_object && PyUnicode_Check(name_object);
    char *name = is_named ? pinsight_utf8_copy(name_object) : NULL;
    const pinsight_frame *frame = coroutine ? pinsight_suspended_frame(coroutine) : NULL;
    const void *code = frame ? pinsight_frame_code(frame) : NULL;
    bool is_python = code && Py_TYPE(code) == &PyCode_Type;
    record(thread, task,
           &(struct pinsight_task_about){
               .kind = is_coroutine ? PINSIGHT_PYTHON_TASK_KIND_COROUTINE
                                    : PINSIGHT_PYTHON_TASK_KIND_ASYNCIO,
               .name = name,
               .function = coroutine_name,
               .function_path =
                   is_python ? pinsight_task_path_of_code((PyCodeObject *)(uintptr_t)code) : 0,
               .path = path});
    task->name = name_object;
    free(name);
    free(coroutine_name);
    Py_XDECREF(name_object);
    Py_XDECREF(coroutine);
}

void pinsight_task_made(struct pinsight_python_thread *thread,
                        const struct pinsight_task_identity *identity) {
    struct pinsight_living_task *task = pinsight_living_task_find(identity->object);
    if (task) { /* an earlier task at this address has ended, or begins again */
        record_end(thread, task->number, PINSIGHT_PYTHON_TASK_HOW_DROPPED);
        pinsight_living_task_drop(task);
    }
    task = pinsight_living_task_add(identity->object);
    if (!task)
        return;
    task->parent = running;
    record_begin(thread, task, identity, pinsight_link_here());
}

static void record_switch(struct pinsight_python_thread *thread, uint32_t from, uint32_t to,
                          uint32_t awaits, uint32_t path) {
    pinsight_python_progress(thread);
    pinsight_record_python_task_switch(thread->tid, from, to, awaits, path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, SWITCH_BYTES);
}

/* Returns whether the name has changed. Loops with their own factory name a task after they have
 * made it; an eager task has run by then. */
static bool has_another_name(const struct pinsight_living_task *task,
                             const struct pinsight_task_identity *identity) {
    bool is_settled = identity->coroutine || (task->has_run && !task->ran_eagerly);
    PyObject *name = is_settled ? NULL : name_of(identity);
    bool differs = name && name != task->name;
    Py_XDECREF(name);
    return differs;
}

/* Returns the task that owns a coroutine's nursery, or 0. */
static uint32_t nursery_of(PyObject *coroutine) {
    PyObject *parent = pinsight_trio_parent(coroutine);
    const struct pinsight_living_task *task = parent ? pinsight_living_task_find(parent) : NULL;
    Py_XDECREF(parent);
    return task ? task->number : 0;
}

void pinsight_task_step_begin(struct pinsight_task_step *step,
                              struct pinsight_python_thread *thread,
                              const struct pinsight_task_identity *identity) {
    struct pinsight_living_task *task = pinsight_living_task_find(identity->object);
    *step = (struct pinsight_task_step){.thread = thread, .task = *identity, .outer = running};
    if (!task && (task = pinsight_living_task_add(identity->object)) && identity->is_coroutine)
        task->parent = nursery_of(identity->object);
    if (!task)
        return;
    if (!is_recorded(task) || has_another_name(task, identity))
        record_begin(thread, task, identity, 0);
    task->has_run = true;
    task->ran_eagerly = identity->coroutine != NULL;
    pinsight_living_task_waits_for(task, NULL);
    step->number = running = task->number;
    record_switch(thread, step->outer, task->number, 0, 0);
}

/* Returns the place where a task waits now, and notes the awaited future. */
static uint32_t look_at_wait(struct pinsight_living_task *task,
                             const struct pinsight_task_identity *identity, uint32_t *awaits) {
    PyObject *coroutine = coroutine_of(identity);
    PyObject *future = identity->is_coroutine ? NULL : pinsight_asyncio_awaited(identity->object);
    uint32_t path = coroutine ? pinsight_task_path(coroutine, &task->place) : 0;
    struct pinsight_living_task *other = future ? pinsight_living_task_find(future) : NULL;
    *awaits = other ? other->number : 0;
    pinsight_living_task_waits_for(task, future);
    if (future)
        pinsight_task_seek(future);
    Py_XDECREF(future); /* the task keeps it */
    Py_XDECREF(coroutine);
    return path;
}

/* Returns how a task ended, or a negative number if it continues. */
static int how_of(const struct pinsight_task_identity *identity, bool raised) {
    if (identity->is_coroutine && pinsight_suspended_frame(identity->object))
        return -1;
    if (identity->is_coroutine)
        return raised ? PINSIGHT_PYTHON_TASK_HOW_RAISED : PINSIGHT_PYTHON_TASK_HOW_RETURNED;
    switch (pinsight_asyncio_state(identity->object)) {
    case PINSIGHT_ASYNCIO_PENDING:
        return -1;
    case PINSIGHT_ASYNCIO_RETURNED:
        return PINSIGHT_PYTHON_TASK_HOW_RETURNED;
    case PINSIGHT_ASYNCIO_RAISED:
        return PINSIGHT_PYTHON_TASK_HOW_RAISED;
    default:
        return PINSIGHT_PYTHON_TASK_HOW_CANCELLED;
    }
}

void pinsight_task_wake_by(struct pinsight_python_thread *thread, uint32_t task,
                           const struct pinsight_task_cause *cause) {
    uint64_t now = cause->ns ? pinsight_clock_ns() : 0;
    pinsight_python_progress(thread);
    pinsight_record_python_task_wake(thread->tid, task, cause->by, cause->path, now - cause->ns);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, WAKE_BYTES);
}

/* Records that the task `by` ended the waits for `future`. */
static void wake(struct pinsight_python_thread *thread, const void *future, uint32_t by,
                 bool has_path) {
    struct pinsight_task_cause cause = {.by = by};
    for (struct pinsight_living_task *task = pinsight_living_task_waiting(future); task;
         task = pinsight_living_task_waiting_next(task)) {
        if (has_path && !cause.path)
            cause.path = pinsight_link_here();
        pinsight_task_wake_by(thread, task->number, &cause);
    }
}

void pinsight_task_woken(struct pinsight_python_thread *thread, const PyObject *object) {
    const struct pinsight_living_task *task = pinsight_living_task_find(object);
    if (task && task->number != running)
        pinsight_task_wake_by(
            thread, task->number,
            &(struct pinsight_task_cause){.by = running, .path = pinsight_link_here()});
}

void pinsight_task_wake(struct pinsight_python_thread *thread, const PyObject *future) {
    wake(thread, future, running, true);
}

void pinsight_task_step_end(const struct pinsight_task_step *step, bool raised) {
    PyObject *type, *value, *traceback;
    uint32_t awaits = 0, path = 0;
    if (!step->number)
        return;
    running = step->outer;
    struct pinsight_living_task *task = pinsight_living_task_find(step->task.object);
    if (!task || task->number != step->number)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    /* A coroutine that is called directly returns by an exception. */
    int how = how_of(&step->task, raised && type != PyExc_StopIteration);
    if (how < 0)
        path = look_at_wait(task, &step->task, &awaits);
    record_switch(step->thread, step->number, step->outer, awaits, path);
    if (how >= 0) {
        wake(step->thread, task->object, task->number, false);
        record_end(step->thread, task->number, how);
        pinsight_living_task_drop(task);
    }
    PyErr_Restore(type, value, traceback);
}

bool pinsight_task_runs(const PyObject *object) {
    const struct pinsight_living_task *task = running ? pinsight_living_task_find(object) : NULL;
    return task && task->number == running;
}

void pinsight_task_step_fail(const struct pinsight_task_step *step) {
    PyObject *type, *value, *traceback;
    struct pinsight_living_task *task =
        step->number ? pinsight_living_task_find(step->task.object) : NULL;
    if (step->number)
        running = step->outer;
    if (!task || task->number != step->number)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    record_switch(step->thread, step->number, step->outer, 0, 0);
    record_end(step->thread, task->number, PINSIGHT_PYTHON_TASK_HOW_DROPPED);
    pinsight_living_task_drop(task);
    PyErr_Restore(type, value, traceback);
}

/* ---- tasks without an event loop ---- */

uint32_t pinsight_task_number(const PyObject *object, bool *recorded) {
    const struct pinsight_living_task *task = pinsight_living_task_find(object);
    *recorded = task && is_recorded(task);
    return task ? task->number : 0;
}

uint32_t pinsight_task_record(struct pinsight_python_thread *thread, const PyObject *object,
                              const struct pinsight_task_about *about) {
    struct pinsight_living_task *task = pinsight_living_task_find(object);
    if (!task && (task = pinsight_living_task_add(object)))
        task->parent = about->parent;
    if (!task)
        return 0;
    record(thread, task, about);
    return task->number;
}

uint32_t pinsight_task_running(void) {
    return running;
}

void pinsight_task_run(uint32_t number) {
    running = number;
}

void pinsight_task_switch(struct pinsight_python_thread *thread, uint32_t to, uint32_t path) {
    record_switch(thread, running, to, 0, path);
    running = to;
}

void pinsight_task_over(struct pinsight_python_thread *thread, const PyObject *object,
                        uint32_t number, int how) {
    pinsight_task_forget(object, number);
    record_end(thread, number, how);
}

void pinsight_task_forget(const PyObject *object, uint32_t number) {
    struct pinsight_living_task *task = pinsight_living_task_find(object);
    if (task && task->number == number)
        pinsight_living_task_drop(task);
}

void pinsight_tasks_fork_child(void) {
    pinsight_living_tasks_forget();
    running = 0;
}
