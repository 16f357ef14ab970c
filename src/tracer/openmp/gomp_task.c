/*
 * Wrappers of GCC's OpenMP for explicit tasks. libgomp gets run() in place of the task's function,
 * and data that begins with a struct head. The program's data lie behind the head. libgomp makes a
 * copy of the data for each task by copy().
 */
#include "tracer/openmp/gomp.h"

#include <string.h>

/* Flags of libgomp's interface (GCC's include/gomp-constants.h). */
enum {
    UNTIED = 1 << 0,
    FINAL = 1 << 1,
    MERGEABLE = 1 << 2,
    DEPEND = 1 << 3,
    LOOP_UP = 1 << 8,
    IF = 1 << 10,
    NO_GROUP = 1 << 11,
    DETACH = 1 << 13,
};

/* Data about a task from its creation. */
struct made {
    void (*function)(void *);
    void (*copy)(void *, void *); /* NULL: `size` bytes are copied */
    void *data;                   /* the program's data, in the thread that creates the task */
    long size;
    const struct pinsight_gomp_runtime *runtime;
    uint32_t offset; /* offset of the program's data behind the head */
    bool is_loop, is_detached;
    bool has_dependences;
    int flags;        /* ompt_task_flag_t */
    ompt_data_t task; /* of a single task: set by the callback before libgomp is called */
};

/* The start of a task's data. libgomp writes into `first`: the iterations that a taskloop's task
 * executes, or the event that the task waits for. */
struct head {
    uint64_t first[2];
    struct made made;
};

static void report_made(struct made *made) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread)
        return;
    ompt_data_t parent = pinsight_gomp_task(thread);
    pinsight_omp_on_task_create(&parent, NULL, &made->task, made->flags, made->has_dependences,
                                pinsight_gomp_code(made->function));
}

/* Called by libgomp when it creates a task. A taskloop creates several tasks. */
static void copy(void *to, void *from) {
    struct head *head = to, *source = from;
    struct made *made = &source->made;
    *head = *source;
    if (made->is_loop)
        report_made(&head->made);
    if (made->is_detached)
        *(uint64_t *)made->data = source->first[0];
    if (made->copy)
        made->copy((char *)to + made->offset, made->data);
    else if (made->size > 0)
        memcpy((char *)to + made->offset, made->data, (size_t)made->size);
}

static void run(void *data) {
    struct head *head = data;
    struct made *made = &head->made;
    void *its = (char *)data + made->offset;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (made->is_loop)
        memcpy(its, head->first, sizeof head->first);
    if (!thread || !thread->gomp.is_reported) {
        made->function(its);
        return;
    }
    const uint32_t process = (uint32_t)pinsight_process.pid;
    struct pinsight_gomp_left left = thread->gomp.left;
    const struct pinsight_gomp_runtime *before = *thread->gomp.current;
    ompt_data_t prior = pinsight_gomp_task(thread), task = made->task;
    thread->gomp.left.is_open = false; /* a region in the task lies within the barrier */
    thread->gomp.task = task.value;
    *thread->gomp.current = made->runtime;
    pinsight_omp_on_task_schedule(&prior, ompt_task_switch, &task);
    made->function(its); /* the memory of `head` may be freed now */
    thread = pinsight_omp_thread_there();
    if (!thread || process != (uint32_t)pinsight_process.pid)
        return;
    /* A task that waits for an event ends here in the trace, because libgomp does not report the
     * event. */
    pinsight_omp_on_task_schedule(&task, ompt_task_complete, &prior);
    *thread->gomp.current = before;
    thread->gomp.task = prior.value;
    thread->gomp.left = left;
}

static int flags_of(unsigned flags, bool is_deferred) {
    int told = ompt_task_explicit;
    if (!is_deferred)
        told |= ompt_task_undeferred;
    if (flags & UNTIED)
        told |= ompt_task_untied;
    if (flags & FINAL)
        told |= ompt_task_final;
    if (flags & MERGEABLE)
        told |= ompt_task_mergeable;
    return told;
}

/* Returns whether libgomp may defer a task. It executes tasks at once outside of regions and in
 * final tasks. It also does so if there are very many tasks, which cannot be known in advance. */
static bool is_deferrable(const struct pinsight_gomp_runtime *runtime) {
    return (!runtime->get_level || runtime->get_level() > 0) &&
           (!runtime->in_final || !runtime->in_final());
}

/* Fills in a head. Returns the number of bytes that a task needs. */
static long fill(struct head *head, void (*function)(void *), void *data,
                 void (*its_copy)(void *, void *), long size, long *align,
                 const struct pinsight_gomp_runtime *runtime) {
    if (*align < (long)_Alignof(struct head))
        *align = _Alignof(struct head);
    head->made.function = function;
    head->made.copy = its_copy;
    head->made.data = data;
    head->made.size = size;
    head->made.runtime = runtime;
    head->made.offset = (uint32_t)(((long)sizeof *head + *align - 1) / *align * *align);
    return head->made.offset + size;
}

/* ---- dependences: how many, and how many of each kind; then their addresses ---- */

static void report_dependence(const ompt_data_t *task, void *address, int type) {
    ompt_data_t data = *task;
    ompt_dependence_t one = {.variable = {.ptr = address},
                             .dependence_type = (ompt_dependence_type_t)type};
    pinsight_omp_on_dependences(&data, &one, 1);
}

/* Returns the type of a depend object. GCC's kinds from 1 are in, out, inout, mutexinoutset and
 * inoutset. */
static int type_of(uintptr_t kind) {
    static const int types[] = {ompt_dependence_type_in, ompt_dependence_type_out,
                                ompt_dependence_type_inout, ompt_dependence_type_mutexinoutset,
                                ompt_dependence_type_inoutset};
    return kind >= 1 && kind <= 5 ? types[kind - 1] : ompt_dependence_type_inout;
}

static void report_dependences(const ompt_data_t *task, void **depend) {
    uintptr_t count = (uintptr_t)depend[0], out = (uintptr_t)depend[1];
    if (count) {
        for (uintptr_t i = 0; i < count; i++)
            report_dependence(task, depend[2 + i],
                              i < out ? ompt_dependence_type_inout : ompt_dependence_type_in);
        return;
    }
    count = (uintptr_t)depend[1];
    out = (uintptr_t)depend[2];
    uintptr_t mutex = out + (uintptr_t)depend[3], in = mutex + (uintptr_t)depend[4];
    for (uintptr_t i = 0; i < count; i++) {
        void **object = depend[5 + i];
        if (i >= in)
            report_dependence(task, object[0], type_of((uintptr_t)object[1]));
        else
            report_dependence(task, object,
                              i < out     ? ompt_dependence_type_inout
                              : i < mutex ? ompt_dependence_type_mutexinoutset
                                          : ompt_dependence_type_in);
    }
}

static bool has_dependences(void **depend) {
    return depend[0] || depend[1];
}

/* ---- the wrappers ---- */

/* Older compilers pass fewer arguments. Neither the wrapper nor libgomp then reads the missing
 * ones. */
static void GOMP_task(void (*function)(void *), void *data, void (*its_copy)(void *, void *),
                      long size, long align, bool is_deferred, unsigned flags, void **depend,
                      int priority, void *event) {
    PINSIGHT_GOMP_NEXT(GOMP_task, (const void *)(uintptr_t)function);
    if (!pinsight_gomp_thread()) {
        next(function, data, its_copy, size, align, is_deferred, flags, depend, priority, event);
        return;
    }
    struct head head = {.made = {.is_detached = flags & DETACH,
                                 .has_dependences = flags & DEPEND && has_dependences(depend),
                                 .flags = flags_of(flags, is_deferred && is_deferrable(runtime))}};
    long whole = fill(&head, function, data, its_copy, size, &align, runtime);
    report_made(&head.made);
    if (head.made.has_dependences)
        report_dependences(&head.made.task, depend);
    next(run, &head, copy, whole, align, is_deferred, flags, depend, priority, event);
}
PINSIGHT_GOMP_WRAPPER(GOMP_task)

/* Defines the wrapper of a loop whose iterations become tasks. The loop is in a taskgroup unless
 * NO_GROUP is set. */
#define TASKLOOP(name, number, iterations)                                                         \
    static void name(void (*function)(void *), void *data, void (*its_copy)(void *, void *),       \
                     long size, long align, unsigned flags, unsigned long tasks, int priority,     \
                     number first, number last, number step) {                                     \
        PINSIGHT_GOMP_NEXT(name, (const void *)(uintptr_t)function);                               \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        if (!thread) {                                                                             \
            next(function, data, its_copy, size, align, flags, tasks, priority, first, last,       \
                 step);                                                                            \
            return;                                                                                \
        }                                                                                          \
        struct head head = {                                                                       \
            .made = {.is_loop = true,                                                              \
                     .flags = flags_of(flags, flags & IF && is_deferrable(runtime))}};             \
        long whole = fill(&head, function, data, its_copy, size, &align, runtime);                 \
        begin_loop(thread, flags, iterations, pinsight_gomp_code(function));                       \
        next(run, &head, copy, whole, align, flags, tasks, priority, first, last, step);           \
        end_loop(flags);                                                                           \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

static void begin_loop(struct pinsight_ompt_thread *thread, unsigned flags, uint64_t count,
                       const void *codeptr) {
    ompt_data_t task = pinsight_gomp_task(thread);
    if (!(flags & NO_GROUP))
        pinsight_gomp_sync_begin(thread, ompt_sync_region_taskgroup, codeptr);
    pinsight_omp_on_work(ompt_work_taskloop, ompt_scope_begin, &task, &task, count, codeptr);
}

static void end_loop(unsigned flags) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread)
        return;
    ompt_data_t task = pinsight_gomp_task(thread);
    pinsight_omp_on_work(ompt_work_taskloop, ompt_scope_end, &task, &task, 0, NULL);
    if (!(flags & NO_GROUP))
        pinsight_gomp_sync_end(ompt_sync_region_taskgroup, NULL);
}

TASKLOOP(GOMP_taskloop, long, pinsight_gomp_iterations(first, last, step))
TASKLOOP(GOMP_taskloop_ull, unsigned long long,
         pinsight_gomp_iterations_wide(flags &LOOP_UP, first, last, step))

/* Waits for earlier tasks, like an empty task that depends on them. */
static void GOMP_taskwait_depend(void **depend) {
    PINSIGHT_GOMP_NEXT(GOMP_taskwait_depend, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    ompt_data_t empty = ompt_data_none;
    if (thread) {
        ompt_data_t parent = pinsight_gomp_task(thread);
        pinsight_omp_on_task_create(&parent, NULL, &empty,
                                    ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable,
                                    1, codeptr);
        report_dependences(&empty, depend);
    }
    next(depend);
    thread = pinsight_omp_thread_there();
    if (thread && empty.value) {
        ompt_data_t task = pinsight_gomp_task(thread);
        pinsight_omp_on_task_schedule(&empty, ompt_taskwait_complete, &task);
    }
}
PINSIGHT_GOMP_WRAPPER(GOMP_taskwait_depend)
